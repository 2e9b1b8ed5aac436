"""Hostile texts: each is refused or read in seconds, with a sentence, whatever its size or depth.

`LAYOUTALG_FUZZ=5000 pytest tests/formats/test_reading_hostile.py` is a long run; each failure names its seed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from layoutalg import cpp
from layoutalg.errors import LONGEST_REASON
from layoutalg.formats import SpecError, SpecFile, loads
from layoutalg.formats.check import check
from layoutalg.index import symbol
from layoutalg.index.parse import ParseError, parse
from layoutalg.prove import Limits, Unknown
from tests.fuzzing import FIRST, KNOWN, count


def read_json(text: str) -> SpecFile:
    return loads(text, is_json=True)


def read_rst(text: str) -> SpecFile:
    return cpp.loads(text, "x.rst")


def read_md(text: str) -> SpecFile:
    return cpp.loads(text, "x.md")


Reader = Callable[[str], object]
LARGE = symbol("M", min=2**62)
REFUSED: dict[str, tuple[Reader, str, str]] = {
    "a long key": (loads, "k" * 120_000 + " = 1\n", "unknown key"),
    "a long symbol": (loads, "symbols = { " + "k" * 120_000 + " = { min = 1 } }\n", "symbols"),
    "a long quoted key": (loads, '"' + "k\\\\" * 60_000 + '" = 1\n', "unknown key"),
    "a key of many parts": (loads, "k." * 60_000 + "k = 1\n", "more than 32 parts"),
    "a key of many quoted parts": (loads, '"k" . ' * 60_000 + "k = 1\n", "more than 32 parts"),
    "a table of many parts": (loads, "[" + "k." * 60_000 + "k]\n", "more than 32 parts"),
    "lists in lists": (loads, "x = " + "[" * 60_000, "nested too deep"),
    "tables in tables": (loads, "x = " + "{a=" * 30_000, "nested too deep"),
    "a list of many": (loads, "x = [" + "1," * 200_000 + "]\n", "unknown key"),
    "a number of many digits": (loads, "symbols = { M = { min = " + "9" * 100_000 + " } }", "digits"),
    "half a character": (read_json, '{"symbols": {"\\ud800": {"min": 1}}}', "half a character"),
    "half a character in a list": (read_json, '{"descriptor": ["\\udfff"]}', "half a character"),
    "JSON lists in lists": (read_json, "[" * 100_000, "nested too deep"),
    "JSON infinity": (read_json, '{"symbols": {"M": {"min": 1e999}}}', "an integer is expected"),
    "many blocks in .md": (read_md, "```cpp\n" * 60_000, "blocks"),
    "many blocks in .rst": (read_rst, ".. code-block:: cpp\n" * 20_000, "blocks"),
    "minus signs": (lambda text: parse(text, {}), "-" * 9_000 + "1", "nested too deeply"),
    "a value of many digits": (lambda text: parse(text, {}), "1" + "<<63" * 1_000, "192 bits"),
    "a product of many digits": (lambda text: parse(text, {}), "*".join(["9223372036854775807"] * 400), "192 bits"),
    "a range of many digits": (
        lambda text: parse(text, {"M": symbol("M", min=2**62)}),
        "*".join(["M"] * 9),
        "192 bits",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_hostile_text_is_refused_by_name(name: str) -> None:
    read, text, words = REFUSED[name]
    with pytest.raises((SpecError, ParseError)) as refused:
        read(text)
    assert words in str(refused.value)
    assert len(str(refused.value)) < LONGEST_REASON + 200
    assert "\n" not in str(refused.value)


# --- mutants ----------------------------------------------------------------------------------------------------------

ROOT = Path(__file__).parents[2]
SPECS = [path.read_text() for path in sorted((ROOT / "proofs").rglob("*.toml"))]
WORDS = [
    "0", "-1", "1", "2147483648", "9223372036854775807", "9" * 5_000, "1.5", '"M"', '"M*M"', '"-M"', '"M//2"',
    '"' + "(" * 150 + "M" + ")" * 150 + '"', '"' + "-" * 100 + 'M"', "[", "]", "{", "}", "=", ",", "[[", "]]", "\n",
    "true", "min", "max", "power_of_two = true", "multiple_of = 3", "lengths", "strides", "merge", "xor", "\\ud800",
    '"a.b"', "k" * 3_000, "\x00", "é", "i0", "lane", '"x ^ y"', "1 << 63", '"', "**", "given", "claims", "expect",
]  # fmt: skip
MUTANTS = count(120, dear=2)
SECONDS = 1.0


def mutant(rng: random.Random, source: str) -> str:
    """A part of a text with some of its tokens replaced, dropped, doubled or swapped."""
    tokens = re.findall(r"\w+|\s+|[^\w\s]", source)
    if len(tokens) > 600:
        start = rng.randrange(len(tokens) - 300)
        head = source.find("[[")
        tokens = re.findall(r"\w+|\s+|[^\w\s]", source[: max(head, 0)]) + tokens[start : start + 400]
    for _ in range(rng.randrange(1, 6)):
        at, kind = rng.randrange(len(tokens)), rng.randrange(5)
        if kind < 2:
            tokens[at] = rng.choice(WORDS)
        elif kind == 2:
            del tokens[at : at + rng.randrange(1, 4)]
        elif kind == 3:
            tokens[at:at] = tokens[at : at + rng.randrange(1, 30)]
        else:
            other = rng.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
    return "".join(tokens)


def items_of(text: str) -> list[str]:
    """A spec file's symbols with each of its items, one text an item, so that a mutant has one thing to say."""
    head, *items = re.split(r"(?=^\[\[(?!\w+\.)\w+\]\]$)", text, flags=re.MULTILINE)
    return [head + item for item in items]


PIECES = [piece for text in SPECS for piece in items_of(text)]


@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(4))
def test_a_mutant_ends_with_a_verdict_or_a_sentence(part: int) -> None:
    counts = {"refused": 0, "decided": 0}
    for n in range(MUTANTS // 4):
        seed = FIRST + 100_000 * part + n
        rng = random.Random(seed)
        text = mutant(rng, rng.choice(PIECES))
        try:
            spec = loads(text)
        except SpecError as error:
            counts["refused"] += 1
            sentence = str(error)
        else:
            sentence = ""
            counts["decided"] += 1
            for result in check(spec, limits=Limits(seconds=SECONDS)):
                assert not isinstance(result.verdict, Unknown) or result.verdict.why, f"seed {seed}: {result}"
        assert "\n" not in sentence, f"seed {seed}"
    if KNOWN:
        assert min(counts.values()) or MUTANTS < 100


def test_expressions_that_take_too_long_are_refused_when_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """300 remainders of one another, whose normal form grows with each."""
    monkeypatch.setattr("layoutalg.formats.reading.READING_SECONDS", 0.3)
    length = "M" + "".join(f" % {n}" for n in range(1000, 700, -1))
    text = f"""
symbols = {{ M = {{ min = 1 }} }}
[[descriptor]]
name = "d"
base = {{ kind = "packed", lengths = ["M"] }}
steps = [[{{ transform = "unmerge", lengths = ["{length}"], lower = [0], upper = [0] }}]]
"""
    with pytest.raises(SpecError, match=r"takes more than 0.3 s to read"):
        loads(text)


def test_the_name_of_a_file_is_nothing_that_a_terminal_obeys() -> None:
    with pytest.raises(SpecError, match=r"^a\\x1b\[31m.toml:1:6: not TOML"):
        loads("x = [", "a\x1b[31m.toml")
