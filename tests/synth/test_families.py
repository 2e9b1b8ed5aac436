"""Tiles whose rows or columns are no power of two: their layouts are found, and no more is said than was tried."""

from pathlib import Path

import pytest

from layoutalg.formats import load, loads
from layoutalg.formats.check import check
from layoutalg.prove import Proved
from layoutalg.synth.command import from_spec
from layoutalg.synth.report import text, toml


@pytest.mark.parametrize(
    ("problem", "style", "name", "size"),
    [
        ("rows_of_48", "any", "lines of 2 rows, 64 apart", 12288),
        ("rows_of_96", "any", "lines of 2 rows, 16 apart", 6144),
        ("rows_of_96_bytes", "any", "lines of 24 rows, 2 apart, padded by 1 vector", 4624),
        ("rows_of_32_words", "padding", "order of vector / 2, row mod 6, row / 6, vector mod 2", 6144),
    ],
)
def test_rows_that_are_no_power_of_two_stand_in_lines_of_any_divisor(
    problem: str, style: str, name: str, size: int
) -> None:
    """Smaller than what powers of two alone come to, or free where they are not."""
    file = load(Path(__file__).parent / "data" / f"{problem}.toml")
    found, code = from_spec(file, "tile", style)
    assert (code, bool(found), found.bytes) == (0, True, size)
    assert found.name == name
    assert all(result.passed for result in check(loads(toml(found))))


def test_what_is_smallest_is_said_of_what_was_looked_at() -> None:
    found, _ = from_spec(load(Path(__file__).parent / "data" / "rows_of_96_bytes.toml"), "tile", "any")
    assert found.smallest
    assert all(isinstance(v, Proved) for v in found.excluded)
    words = text(found)
    assert "It is the smallest of those named below: each of fewer bytes was looked at." in words
    assert "What will not do (of other layouts nothing is said):" in words
    assert "48 rows and 6 vectors of 16 a row in up to two digits each, by any divisor, in any order" in words


@pytest.mark.parametrize("style", ["any", "padding", "both"])
def test_every_answer_prints_the_layout(style: str) -> None:
    found, _ = from_spec(load(Path(__file__).parent / "data" / "rows_of_96.toml"), "tile", style)
    base = next(line for line in toml(found).splitlines() if line.startswith("base = "))
    assert f"    {base}" in text(found).splitlines()
