"""Complements and inverses against enumeration: pycute's and CuTe's own cases by value, and random ones."""

import random
from collections.abc import Callable
from itertools import pairwise

import pytest

from layoutalg.index import symbol
from layoutalg.interop.cute import (
    Layout,
    NoLayoutError,
    complement,
    cosize,
    filter,
    left_inverse,
    make_layout,
    parse,
    right_inverse,
    select,
    size,
)
from layoutalg.interop.cute.algebra import complement_and_whether_it_fills
from tests.fuzzing import FIRST, KNOWN, count
from tests.interop.cute import oracle
from tests.interop.cute.test_compose import M, N, with_sizes

# NVIDIA/cutlass, test/python/pycute: the layouts of test_complement.py, test_left_inverse.py, test_right_inverse.py
COMPLEMENTS = [
    "1:0", "1:1", "4:0", "(2,4):(1,2)", "(2,3):(1,2)", "(2,4):(1,4)", "(2,4,8):(8,1,64)",
    "((2,2),(2,2)):((1,4),(8,32))", "(2,(3,4)):(3,(1,6))", "(4,6):(1,6)", "(4,10):(1,10)",
]  # fmt: skip
LEFT = [
    "1:0", "(1,1):(0,0)", "1:1", "4:1", "4:2", "(8,4):(1,8)", "(8,4):(4,1)", "(2,4,6):(1,2,8)", "(2,4,6):(4,1,8)",
    "(4,2):(1,16)",
]  # fmt: skip
RIGHT = [*LEFT, "(3,7):(0,0)", "4:0", "(2,4):(0,2)"]


FAR = 1 << 20
"""Beyond all layouts here."""


def attempted(operation: Callable[..., Layout], *given: object) -> Layout | NoLayoutError:
    try:
        return operation(*given)
    except NoLayoutError as refused:
        return refused


def check_complement(layout: Layout, cotarget: int) -> str:
    each = sorted(set(oracle.values(layout)))
    made = attempted(complement, layout, cotarget)
    if isinstance(made, NoLayoutError):
        return check_no_complement(layout, made, each)
    found = oracle.values(made)
    assert all(a < b for a, b in pairwise(found)), f"{layout} {made} is increasing"
    both = {a + b for a in each for b in found}
    assert len(both) == len(each) * len(found), f"{layout} and {made} are one-to-one together"
    if complement_and_whether_it_fills(layout, cotarget)[1]:
        assert both >= set(range(cotarget)), f"{layout} and {made} leave out nothing below {cotarget}"
    if not complement_and_whether_it_fills(layout, FAR)[1]:
        return "gaps"
    assert both == set(range(len(both))), f"{layout} and {made} leave out nothing"
    return "filled"


def check_no_complement(layout: Layout, refused: NoLayoutError, each: list[int]) -> str:
    """Two coordinates of one offset (where neither is a copy); or no set of translates tiles the numbers from 0 on."""
    if refused.coordinate is not None:
        once = Layout(*_without_copies(layout))
        assert len(set(oracle.values(once))) < oracle.count(once), f"{layout}: {refused}"
        return "collides"
    covered: set[int] = set()
    for first in range(4 * each[-1]):
        if first not in covered:
            tile = {first + e for e in each}
            if covered & tile:
                return "interleaved"
            covered |= tile
    raise AssertionError(f"{layout}: {refused}, but its translates tile")


def _without_copies(layout: Layout) -> tuple[tuple[int, ...], tuple[int, ...]]:
    shape, stride = oracle.leaves(layout.shape), oracle.leaves(layout.stride)
    return tuple(1 if d == 0 else n for n, d in zip(shape, stride, strict=True)), tuple(stride)


def check_left(layout: Layout) -> str:
    offsets = oracle.values(layout)
    made = attempted(left_inverse, layout)
    if not isinstance(made, NoLayoutError):
        assert [oracle.at(made, o) for o in offsets] == list(range(len(offsets))), f"{layout}: {made}"
        return "inverse"
    if len(set(offsets)) == len(offsets):
        assert made.coordinate is None
        return "strides"
    assert offsets.count(layout(made.coordinate)) > 1, f"{layout}: {made}"
    return "collides"


def check_right(layout: Layout) -> None:
    made = right_inverse(layout)
    reached = oracle.values(made)
    assert [oracle.at(layout, i) for i in reached] == list(range(len(reached))), f"{layout}: {made}"
    strides = zip(oracle.leaves(layout.shape), oracle.leaves(layout.stride), strict=True)
    assert not any(d == len(reached) == 1 and n > 1 for n, d in strides), f"{layout}: {made} begins where it can"


@pytest.mark.parametrize("text", COMPLEMENTS)
def test_pycutes_own_complements(text: str) -> None:
    assert check_complement(parse(text), 1) in ("filled", "gaps")


@pytest.mark.parametrize("text", LEFT)
def test_pycutes_own_left_inverses(text: str) -> None:
    assert check_left(parse(text)) == "inverse"


@pytest.mark.parametrize("text", RIGHT)
def test_pycutes_own_right_inverses(text: str) -> None:
    check_right(parse(text))


@pytest.mark.parametrize(
    ("text", "cotarget", "made"),
    [  # CuTe's documentation
        ("4:1", 24, "6:4"), ("6:4", 24, "4:1"), ("(4,6):(1,4)", 24, "1:0"), ("4:2", 24, "(2,3):(1,8)"),
        ("(2,4):(1,6)", 24, "3:2"), ("(2,2):(1,6)", 24, "(3,2):(2,12)"),
    ],
)  # fmt: skip
def test_documented_complements(text: str, cotarget: int, made: str) -> None:
    assert str(complement(parse(text), cotarget)) == made


@pytest.mark.fuzz
def test_random_complements_and_inverses() -> None:
    found: dict[str, int] = {}
    for seed in range(FIRST, FIRST + count(100)):
        draw = random.Random(seed)
        layout = oracle.any_layout(draw)
        if oracle.count(layout) <= 1 << 9:
            for what in (check_complement(layout, draw.choice((1, 64, oracle.count(layout)))), check_left(layout)):
                found[what] = found.get(what, 0) + 1
            check_right(layout)
    if KNOWN:
        assert set(found) >= {"filled", "gaps", "collides", "inverse"}


@pytest.mark.parametrize(
    ("operation", "text", "reason"),
    [
        (left_inverse, "(4,2):(1,2)", "(0,1) and (2,0) both have offset 2"),
        (left_inverse, "(2,4):(0,1)", "(0,0) and (1,0) both have offset 0"),
        (left_inverse, "(2,2):(2,3)", "its modes interleave, 2:2 and 2:3"),
        (left_inverse, "(2,2):(2,5)", "stride 5 is no multiple of stride 2"),
        (left_inverse, "4:-1", "does not go upwards"),
        (complement, "(4,2):(1,2)", "(0,1) and (2,0) both have offset 2"),
        (complement, "(2,2):(2,3)", "its modes interleave, 2:2 and 2:3"),
    ],
)
def test_what_has_none_is_refused_with_the_reason(operation: Callable[..., Layout], text: str, reason: str) -> None:
    with pytest.raises(NoLayoutError) as refused:
        operation(parse(text))
    assert reason in str(refused.value)


def test_left_inverses_beyond_cutes() -> None:
    """Strides need only divide one another: no complement that leaves out nothing is asked for."""
    assert str(left_inverse(parse("(2,2):(1,3)"))) == "(3,2):(1,2)"


def test_of_two_modes_of_one_stride_the_right_inverse_takes_the_one_that_reaches_on() -> None:
    assert size(right_inverse(parse("(2,4,8):(1,1,4)"))) == 32


def test_parts() -> None:
    layout = parse("((2,3),4,(1,5)):((0,4),1,(7,12))")
    assert (size(layout), cosize(layout)) == (120, 60)
    assert str(filter(layout)) == "(3,4,5):(4,1,12)"
    assert str(filter(layout, (1,))) == "(3,4,(1,5)):(4,1,(7,12))"
    assert str(select(layout, 1, 0)) == "(4,(2,3)):(1,(0,4))"
    assert make_layout(*layout) == layout
    assert cosize(parse("(4,8):(-8,1)")) == 32


def test_for_all_sizes() -> None:
    p = symbol("P", multiple_of=8)
    cases = {
        "complement": (complement(Layout((4, N), (1, 4)), N * 8), Layout(2, N * 4)),
        "packed rows": (complement(Layout((N, 4), (4, 1)), N * 8), Layout(2, N * 4)),
        "right": (right_inverse(Layout((M, N), (N, 1))), Layout((N, M), (M, 1))),
        "left": (left_inverse(Layout((M, N), (N, 1))), Layout((N, M), (M, 1))),
        "ceil": (complement(Layout(8), p), Layout(p // 8, 8)),
    }
    assert {name: made == wanted for name, (made, wanted) in cases.items()} == dict.fromkeys(cases, True)
    layout = Layout((M, (4, N)), (N * 4, (N, 1)))
    for sizes in ({"M": 8, "N": 1}, {"M": 16, "N": 3}):
        assert check_left(with_sizes(layout, **sizes)) == "inverse"
        one, made = with_sizes(layout, **sizes), with_sizes(left_inverse(layout), **sizes)
        assert [oracle.at(made, o) for o in oracle.values(one)] == list(range(oracle.count(one)))


def test_sizes_that_may_overlap_are_refused() -> None:
    """The unsound neighbour: 4 rows of N elements, N − 1 apart."""
    with pytest.raises(NoLayoutError, match="not shown for all sizes"):
        left_inverse(Layout((4, N), (symbol("K", min=1), 1)))
    with pytest.raises(NoLayoutError, match="not shown for all sizes"):
        complement(Layout((N, 4), (1, 8)), 64)
