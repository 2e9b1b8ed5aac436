"""The C++ reader survives anything: no traceback, no hang, and no layout that the whole file does not build."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from layoutalg.formats import SpecError, SpecFile
from layoutalg.formats.ck_cpp import loads
from tests.fuzzing import FIRST, KNOWN, count
from tests.matrix import some

DATA = Path(__file__).parents[1] / "data"
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
MUTANTS = count(60)


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
    if KNOWN:
        assert items > MUTANTS // 4
        assert unread > MUTANTS // 4


PIECES = (
    "(", "<", "a<", "{", "[", "sequence<", "f(", "a<b>(", "if(1){", "template<", '"', "/*", "#if 1\n", "a?b:", "-",
    "::a", "auto x=[](){", "typename a<", "struct a{", "make_", "auto f(){return ", "[[", "!", "auto a = a + ",
)  # fmt: skip


@pytest.mark.parametrize("piece", some(PIECES, 8))
def test_repetition_does_not_hang(piece: str) -> None:
    loads(piece * (40_000 // len(piece)), "x.hpp")


def doubled(op: str) -> str:
    """a0 = a op a, a1 = a0 op a0 …: a formula whose text doubles with each line."""
    return "".join(f"auto a{n} = a{n - 1 if n else ''} {op} a{n - 1 if n else ''};\n" for n in range(40))


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("auto f() { return f(); } auto a = make_naive_tensor_descriptor_packed(make_tuple(f()));", "calls within one"),
        ("struct S { static constexpr int a = b; static constexpr int b = a; };"
         "auto d = make_naive_tensor_descriptor_packed(make_tuple(S::a));", "defined by itself"),
        ("auto a = make_naive_tensor_descriptor_packed(generate_tuple([](auto i) { return i; }, number<9999999>{}));",
         "generate_tuple of 9999999"),
        ("auto a = make_naive_tensor_descriptor_packed(typename arithmetic_sequence_gen<0, 99999999, 1>::type{});",
         "a sequence from 0 to 99999999"),
        ("auto a = make_naive_tensor_descriptor_packed(make_tuple(4611686018427387904));", "2^62"),
        ("auto a = M + 1;\n" + doubled("*")
         + "auto d = make_naive_tensor_descriptor_packed(make_tuple(a39));", "a formula of more than"),
        ("auto a = M + 1;\n" + doubled("+")
         + "auto d = make_naive_tensor_descriptor_packed(make_tuple(a39));", "a formula of more than"),
        ("auto g(int n) { return n < 1 ? 1 : g(n - 1) + g(n - 1); }\n"
         "auto a = make_naive_tensor_descriptor_packed(make_tuple(g(35)));", "steps of evaluation"),
    ],
)  # fmt: skip
def test_what_would_run_long_is_left_out(source: str, reason: str) -> None:
    file = loads(source, "x.hpp", {"M": "{ min = 1 }"})
    assert any(reason in part.reason for part in file.unread), file.unread


def test_deep_nesting_is_read_or_left_out() -> None:
    """How deep Python may go is the process's own setting, which other libraries change."""
    source = f"auto a = make_naive_tensor_descriptor_packed(make_tuple({'(' * 3000}7{')' * 3000}));"
    file = loads(source, "x.hpp")
    assert file.unread or [str(n) for n in file.descriptor("a").descriptor.lengths] == ["7"]
