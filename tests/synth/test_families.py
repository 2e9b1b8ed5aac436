"""Tiles whose rows or columns are no power of two: their layouts are found, and no more is said than was tried."""

from pathlib import Path

import pytest

from layoutalg.formats import load, loads
from layoutalg.formats.check import check
from layoutalg.synth.command import from_spec
from layoutalg.synth.report import text, toml


@pytest.mark.parametrize(
    ("problem", "style", "name", "size"),
    [
        ("rows_of_48", "any", "lines of 2 rows, 64 apart", 12288),
        ("rows_of_96", "any", "lines of 2 rows, 16 apart", 6144),
        ("rows_of_96_bytes", "any", "lines of 24 rows, 2 apart, padded by 1 vector", 4624),
        ("rows_of_32_words", "padding", "lines of 6 rows, padded by 2 vectors", 6256),
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


def test_nothing_is_said_of_other_families() -> None:
    file = load(Path(__file__).parent / "data" / "rows_of_96_bytes.toml")
    assert "What will not do (of other families nothing is said):" in text(from_spec(file, "tile", "any")[0])
