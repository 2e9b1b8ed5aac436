"""The C++ reader survives anything: no traceback, no hang, and no layout that the whole file does not build."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from layoutalg.cpp import loads
from layoutalg.formats import SpecError, SpecFile
from tests.fuzzing import FIRST, count
from tests.matrix import each

DATA = Path(__file__).parent / "data"
SOURCES = [(DATA / name).read_text() for name in ("gemm.hpp", "attention.hpp", "convolution.hpp", "old_ck.hpp")]
DEFINES = {
    "kM": "64", "kK": "32", "kN": "128", "ADataType": "half_t", "KDataType": "half_t", "ALayout": "RowMajor",
    "BlockWarps": "[2,2,1]", "kBlockSize": "256", "NumWarps": "4", "AsyncCopy_": "true", "Buffers_": "2",
    "N": "{ min = 1, max = 8 }", "H": "6", "W": "6", "C": "2", "Y": "3", "X": "3", "stride": "1", "dilation": "1",
    "pad": "1", "MPerBlock": "64", "AK0": "8", "AK1": "8", "ExtraM": "false", "lengths": "[1,1,1,1,1,2,3,4]",
    "strides": "[1,1,1,1,1,12,4,1]",
}  # fmt: skip
WORDS = [
    "0", "-1", "8", "99999999999999999999", "1.5", "sequence<", "number<", ">", "{}", "(", ")", "{", "}", ";", ",",
    "make_tuple(", "return", "if constexpr(", "template <typename T>", "struct S {", "auto", "constexpr", "...", "::",
    "#if", "\n#else\n", "\n#endif\n", "/*", '"', "'", "\\", "R\"(", "[&](auto i) {", "kM", "Problem", "sizeof(", "<<",
    "%", "/", "^", "? 1 :", "\x00", "é", "= {", "operator", "MakeBlock<Problem, 8>()", "for(;;) {",
    "transform_tensor_descriptor(",
]  # fmt: skip
MUTANTS = count(8)


def mutant(rng: random.Random) -> str:
    """A part of a source, with a few tokens replaced, dropped, doubled or swapped."""
    source = rng.choice(SOURCES)
    tokens = re.findall(r"\w+|\s+|[^\w\s]", source)
    start = rng.randrange(len(tokens) // 2)
    tokens = tokens[start:] if rng.random() < 0.3 else tokens
    for _ in range(rng.randrange(1, 8)):
        at, kind = rng.randrange(len(tokens)), rng.randrange(5)
        if kind == 0:
            tokens[at] = rng.choice(WORDS)
        elif kind == 1:
            del tokens[at : at + rng.randrange(1, 6)]
        elif kind == 2:
            tokens[at:at] = tokens[at : at + rng.randrange(1, 40)]
        elif kind == 3:
            tokens[at:at] = [rng.choice(WORDS)] * rng.choice([1, 1, 1, 30])
        else:
            other = rng.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
    return "".join(tokens)


@pytest.mark.fuzz
def test_mutants_are_read_or_left_out() -> None:
    seed = FIRST
    rng = random.Random(seed)
    items = unread = 0
    for n in range(MUTANTS):
        source = mutant(rng)
        try:
            file = loads(source, rng.choice(["x.hpp", "x.md"]), DEFINES)
        except SpecError as error:  # a comment that claims what is no claim
            assert error.key == "claims", f"seed {seed}, mutant {n}"  # noqa: PT017
            continue
        assert isinstance(file, SpecFile)
        items, unread = items + len(file.items), unread + len(file.unread)
        for part in file.unread:
            assert "\n" not in part.reason, f"seed {seed}, mutant {n}"
            assert 1 <= part.line <= source.count("\n") + 1, f"seed {seed}, mutant {n}"
    assert items + unread


LAYOUT = "auto a = make_naive_tensor_descriptor_packed(make_tuple({}));"
HOSTILE = {
    "minus signs": LAYOUT.format("-" * 10_000 + "3"),
    "brackets": LAYOUT.format("(" * 10_000 + "3" + ")" * 10_000),
    "casts": LAYOUT.format("(int)" * 20_000 + "3"),
    "less-thans": "auto x = " + "a<" * 50_000 + ";\n" + LAYOUT.format(3),
    "lists of lists": "using x = " + "tuple<" * 20_000 + ">" * 20_000 + ";\n" + LAYOUT.format("sizeof(x)"),
    "never closed": "auto f = " + "make_merge_transform(" * 10_000,
    "calls within one": "constexpr int f() { return f(); } " + LAYOUT.format("f()"),
    "defined by itself": "struct S { static constexpr int a = b, b = a; }; " + LAYOUT.format("S::a"),
    "long tuples": LAYOUT.format("generate_tuple([](auto i) { return i; }, number<9999999>{})"),
    "long sequences": LAYOUT.format("typename arithmetic_sequence_gen<0, 99999999, 1>::type{}"),
    "sizes": LAYOUT.format("4611686018427387904"),
    "steps": "constexpr int g(int n) { return n < 1 ? 1 : g(n - 1) + g(n - 1); } " + LAYOUT.format("g(35)"),
    "a word": "auto f = make_merge_transform(\x00\u00e9\ud7ff);",
}  # fmt: skip


@pytest.mark.parametrize("name", each(HOSTILE, "never closed", "calls within one", "defined by itself", "sizes"))
def test_a_hostile_text_is_left_out(name: str) -> None:
    file = loads(HOSTILE[name], "x.hpp")
    assert not file.items
    assert file.unread


def test_a_define_that_is_nested_deep_is_refused() -> None:
    with pytest.raises(SpecError, match=r"^-D kM"):
        loads(LAYOUT.format("kM"), "x.hpp", {"kM": "(" * 5_000 + "3" + ")" * 5_000})
