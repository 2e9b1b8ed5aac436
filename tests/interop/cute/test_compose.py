"""Composition and coalescing against enumeration: CuTe's own cases by value, random ones, and sizes as symbols.

`LAYOUTALG_FUZZ=10000 pytest tests/interop/cute` is the long run; a failure names its seed.
"""

import random

import pytest

from layoutalg.index import Expr, const, substitute, symbol
from layoutalg.interop.cute import (
    BitSwizzle,
    ComposedLayout,
    Layout,
    NoLayoutError,
    coalesce,
    composition,
    descriptor,
    parse,
)
from tests.fuzzing import FIRST, KNOWN, count
from tests.interop.cute import oracle

# NVIDIA/cutlass, test/python/pycute/test_composition.py: A and B of each case, by value
PYCUTES = """
1:0 1:0|1:0 1:1|1:1 1:0|1:1 1:1|4:1 4:1|4:2 4:1|4:1 4:2|4:0 4:1|4:1 4:0|1:0 4:1|4:1 1:0|4:1 2:1|4:2 2:1|4:1 2:2|4:2 2:2
12:1 (4,3):(1,4)|12:2 (4,3):(1,4)|12:1 (4,3):(3,1)|12:2 (4,3):(3,1)|12:1 (2,3):(2,4)|(4,3):(1,4) (4,3):(1,4)
(4,3):(1,4) 12:1|(4,3):(1,4) 6:2|(4,3):(1,4) (6,2):(2,1)|(4,3):(3,1) (4,3):(1,4)|(4,3):(3,1) 12:1|(4,3):(3,1) 6:2
(4,3):(3,1) (6,2):(2,1)|(8,8):(1,8) ((2,2,2),(2,2,2)):((1,16,4),(8,2,32))
(8,8):(8,1) ((2,2,2),(2,2,2)):((1,16,4),(8,2,32))|((2,2,2),(2,2,2)):((1,16,4),(8,2,32)) 8:4|(4,2):(1,16) (4,2):(2,1)
(2,2):(2,1) (2,2):(2,1)|(4,8,2):(1,4,32) (2,2,2):(2,8,1)|(4,8,2):(2,8,1) (2,2,2):(1,8,2)
(4,8,2):(2,8,1) (4,2,2):(2,8,1)|(4,6,8):(1,4,7) 6:1|(4,6,8,10):(2,3,5,7) 6:12
""".strip().replace("\n", "|").split("|")  # fmt: skip
# test_coalesce.py
COALESCED = [
    "1:0", "1:1", "(2,4):(1,2)", "(2,4,6):(1,2,8)", "(2,4,6):(1,6,2)", "(2,1,6):(1,7,2)", "(2,1,6):(4,7,8)",
    "(2,(4,6)):(1,(2,8))", "(2,4):(4,1)", "(2,4,6):(24,6,1)", "(2,1,3):(2,4,4)", "((2,2),(2,2)):((1,4),(8,32))",
]  # fmt: skip


def check(outer: Layout, inner: Layout) -> bool:
    """Whether the composition is a layout; it is the function, or there is none and the coordinate shows it."""
    made = attempted(outer, inner)
    if isinstance(made, NoLayoutError):
        assert not oracle.is_composition(outer, inner), f"{outer} o {inner}: {made}"
        assert made.coordinate is not None
        inner(made.coordinate)  # it is a coordinate of inner
        return False
    assert oracle.refines(made.shape, inner.shape)
    assert oracle.values(made) == [oracle.at(outer, i) for i in oracle.values(inner)], f"{outer} o {inner}"
    return True


def attempted(outer: Layout, inner: Layout) -> Layout | NoLayoutError:
    try:
        return composition(outer, inner)
    except NoLayoutError as refused:
        return refused


@pytest.mark.parametrize("case", PYCUTES)
def test_pycutes_own_compositions(case: str) -> None:
    outer, inner = map(parse, case.split())
    assert check(outer, inner)


@pytest.mark.parametrize("text", COALESCED)
def test_pycutes_own_coalescings(text: str) -> None:
    layout = parse(text)
    assert oracle.values(coalesce(layout)) == oracle.values(layout)


@pytest.mark.parametrize(
    ("outer", "inner", "made"),
    [
        # CuTe's documentation, "CuTe Layout Algebra"
        ("(6,2):(8,2)", "(4,3):(3,1)", "((2,2),3):((24,2),8)"),
        ("20:2", "(5,4):(4,1)", "(5,4):(8,2)"),
        ("(10,2):(16,4)", "(5,4):(1,5)", "(5,(2,2)):(16,(80,4))"),
        # what carries may cancel: a layout that looking at the modes alone would miss
        ("(2,2,2):(1,0,2)", "(2,2):(1,3)", "(2,2):(1,1)"),
    ],
)
def test_documented_compositions(outer: str, inner: str, made: str) -> None:
    assert str(composition(parse(outer), parse(inner))) == made


@pytest.mark.parametrize(
    ("outer", "inner", "coordinate"),
    [
        ("(4,8):(8,1)", "(3,2):(1,3)", (1, 1)),  # one-to-one and within A, and carries past 4 all the same
        ("(6,4):(4,1)", "(3,2):(2,3)", (2, 1)),  # and both its strides divide 6
        ("(4,8):(8,1)", "6:1", 4),  # 4 does not divide 6
        ("(4,8):(8,1)", "(2,3):(1,-1)", (0, 1)),  # before A begins
    ],
)
def test_what_is_no_layout_is_refused_where_it_is_not(outer: str, inner: str, coordinate: object) -> None:
    with pytest.raises(NoLayoutError) as refused:
        composition(parse(outer), parse(inner))
    assert refused.value.coordinate == coordinate


def test_the_nearest_that_can_represent_it_is_a_descriptor() -> None:
    outer, inner = parse("(4,8):(8,1)"), parse("(3,2):(1,3)")
    d = descriptor(outer, inner)
    found = [int(d.offset((i, j))) for j in range(2) for i in range(3)]
    assert found == [oracle.at(outer, i) for i in oracle.values(inner)]


@pytest.mark.fuzz
def test_random_compositions_are_the_function_or_there_is_none() -> None:
    seen = {True: 0, False: 0}
    for seed in range(FIRST, FIRST + count(150)):
        draw = random.Random(seed)
        outer, inner = oracle.any_layout(draw), oracle.any_layout(draw)
        if oracle.count(inner) <= 1 << 10:
            seen[check(outer, inner)] += 1
        flat = coalesce(outer)
        if oracle.count(outer) <= 1 << 10:
            assert oracle.values(flat) == oracle.values(outer), f"seed {seed}"
    if KNOWN:
        assert min(seen.values()) > 20


@pytest.mark.fuzz
def test_one_function_has_one_coalesced_form() -> None:
    """Two layouts of one size that are one function coalesce to the same modes."""
    forms: dict[tuple[int, ...], Layout] = {}
    for seed in range(count(300)):
        layout = oracle.any_layout(random.Random(seed))
        if oracle.count(layout) <= 1 << 8:
            flat = coalesce(layout)
            assert forms.setdefault(tuple(oracle.values(layout)), flat) == flat, f"seed {seed}"


def test_under_a_swizzle_the_layout_is_composed() -> None:
    tile = parse("Sw<2,0,3> o 0 o (4,8):(8,1)")
    made = composition(tile, parse("(2,4):(8,1)"))
    assert str(made) == "Sw<2,0,3> o 0 o (2,4):(2,8)"
    assert [made(i) for i in range(8)] == [tile(int(i)) for i in oracle.values(parse("(2,4):(8,1)"))]
    assert composition(BitSwizzle(2, 0, 3), parse("(4,8):(8,1)")) == tile
    with pytest.raises(NoLayoutError, match="not under one"):
        composition(parse("(4,8):(8,1)"), tile)
    assert isinstance(tile, ComposedLayout)


def test_mode_by_mode() -> None:
    layout = parse("(12,(4,8)):(59,(13,1))")
    tiler = (parse("3:4"), parse("8:2"))
    assert str(composition(layout, tiler)) == "(3,(2,4)):(236,(26,1))"  # CuTe's documentation
    assert composition(layout, (None, 4)) == parse("(12,4):(59,13)")
    with pytest.raises(NoLayoutError, match="3 tilers for the 2 modes"):
        composition(layout, (1, 1, 1))


# --- sizes as symbols -------------------------------------------------------------------------------------------------

M, N = symbol("M", multiple_of=8), symbol("N")


def with_sizes(layout: Layout, **sizes: int) -> Layout:
    at = {M: const(sizes["M"]), N: const(sizes["N"])}

    def put(part: object) -> object:
        if isinstance(part, tuple):
            return tuple(map(put, part))
        return substitute(part, at) if isinstance(part, Expr) else part

    return Layout(put(layout.shape), put(layout.stride))


PROVED = [
    ("(M,N):(N,1)", "(M,N):(1,M)"),
    ("(M,N):(N,1)", "M:1"),
    ("(M,N):(N,1)", "(8,M//8):(1,8)"),
    ("(M,N):(N,1)", "((8,M//8),N):((1,8),M)"),
    ("(M,N):(1,M)", "(M//8,N):(8,M)"),
    ("(8,N):(N,1)", "(4,N):(2,8)"),
    ("(4,N):(N,1)", "(2,2,N):(2,1,4)"),
    ("(M,N):(N,1)", "(N,M):(M,1)"),
    ("M*N:1", "(M,N):(N,1)"),
]


@pytest.mark.parametrize(("outer", "inner"), PROVED)
def test_for_all_sizes(outer: str, inner: str) -> None:
    a, b = (parse(text, {"M": M, "N": N}) for text in (outer, inner))
    made = composition(a, b)
    for sizes in ({"M": 8, "N": 1}, {"M": 8, "N": 5}, {"M": 24, "N": 3}, {"M": 16, "N": 4}):
        one, two, three = (with_sizes(x, **sizes) for x in (a, b, made))
        assert oracle.values(three) == [oracle.at(one, i) for i in oracle.values(two)], sizes


@pytest.mark.parametrize(
    ("outer", "inner", "condition"),
    [
        ("(M,N):(N,1)", "(16,M//8):(1,16)", "needs that M divides 16, or 16 <= M"),
        ("(N,8):(8,1)", "4:2", "whether 2 divides N, or N divides 2, is not shown for all sizes"),
        ("(N,8):(8,1)", "(4,2):(1,4)", "is not shown for all sizes"),
        ("(M,N):(N,1)", "(8,4):(1,8)", "M // 8 divides 4, or 4 <= M // 8"),
        ("(8,N):(N,1)", "(5,2):(1,4)", r"at \(4,1\), N = 1 it is 1, but its modes add up to 8"),
    ],
)
def test_what_does_not_hold_for_all_sizes_is_refused_with_the_condition(outer: str, inner: str, condition: str) -> None:
    a, b = (parse(text, {"M": M, "N": N}) for text in (outer, inner))
    with pytest.raises(NoLayoutError, match=condition):
        composition(a, b)


def test_a_stride_of_open_sign_is_refused() -> None:
    with pytest.raises(NoLayoutError, match="negative"):
        composition(Layout(64), Layout(4, N - 5))
