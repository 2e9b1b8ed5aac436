"""Divisions and products against enumeration, and CuTe's documentation's."""

import random
from collections.abc import Callable

import pytest

from layoutalg.index import symbol
from layoutalg.interop.cute import (
    Layout,
    NoLayoutError,
    blocked_product,
    coalesce,
    complement,
    composition,
    cosize,
    flat_divide,
    left_inverse,
    logical_divide,
    logical_product,
    make_layout,
    parse,
    raked_product,
    right_inverse,
    size,
    tiled_divide,
    tiled_product,
    zipped_divide,
    zipped_product,
)
from layoutalg.interop.cute.algebra import complement_and_whether_it_fills
from tests.fuzzing import FIRST, KNOWN, count
from tests.interop.cute import oracle
from tests.interop.cute.test_algebra import attempted
from tests.interop.cute.test_compose import M, N, with_sizes


@pytest.mark.parametrize(
    ("operation", "text", "tiler", "made"),
    [  # CuTe's documentation
        (logical_divide, "(4,2,3):(2,1,8)", "4:2", "((2,2),(2,3)):((4,1),(2,8))"),
        (
            logical_divide, "(9,(4,8)):(59,(13,1))", ("3:3", "(2,4):(1,8)"),
            "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))",
        ),
        (
            zipped_divide, "(9,(4,8)):(59,(13,1))", ("3:3", "(2,4):(1,8)"),
            "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))",
        ),
        (logical_product, "(2,2):(4,1)", "6:1", "((2,2),(2,3)):((4,1),(2,8))"),
        (logical_product, "(2,2):(4,1)", "(4,2):(2,1)", "((2,2),(4,2)):((4,1),(8,2))"),
        (blocked_product, "(2,5):(5,1)", "(3,4):(1,3)", "((2,3),(5,4)):((5,10),(1,30))"),
        (raked_product, "(2,5):(5,1)", "(3,4):(1,3)", "((3,2),(4,5)):((10,5),(30,1))"),
        (tiled_divide, "(8,12):(1,8)", (4, 3), "((4,3),2,4):((1,8),4,24)"),
        (flat_divide, "(8,12,5):(1,8,96)", (4, 3), "(4,3,2,4,5):(1,8,4,24,96)"),
        (zipped_product, "(2,5):(1,1)", (3, 4), "((2,5),(3,4)):((1,1),(2,5))"),
        (tiled_product, "(2,5):(1,1)", (3, 4), "((2,5),3,4):((1,1),2,5)"),
        (zipped_divide, "(8,12):(1,8)", (None, 3), "((1,3),(8,4)):((0,8),(1,24))"),
        (logical_divide, "10:1", 4, "(4,3):(1,4)"),  # the last tile goes on beyond the layout
    ],
)  # fmt: skip
def test_documented(operation: Callable[..., Layout], text: str, tiler: object, made: str) -> None:
    assert str(operation(parse(text), _read(tiler))) == made


# ROCm/FlyDSL, tests/mlir/LayoutAlgebra/{composition,coalesce,divide,product,right_inverse}.mlir, by value.  Its zipped,
# tiled and flat products with a layout as tiler are CuTe's blocked product, so they are asked for under that name.
FLYDSLS = [
    (composition, "(4,8):(1,4)", "(2,4):(1,2)", "(2,4):(1,2)"),
    (composition, "(6,9):(19,69)", "(6,3):(3,1)", "((2,3),3):((57,69),19)"),
    (composition, "(5,15):(19,51)", "(3,5):(1,5)", "(3,5):(19,51)"),
    (composition, "(4):(1)", "(2):(1)", "2:1"),
    (complement, "(4):(1)", 32, "8:4"),
    (complement, "(4):(1)", 1, "1:0"),
    (complement, "(3):(1)", 12, "4:3"),
    (complement, "(3,2):(2,1)", 12, "2:6"),
    (coalesce, "(4,8):(1,4)", None, "32:1"),
    (coalesce, "(4,8):(1,8)", None, "(4,8):(1,8)"),
    (coalesce, "(3,1,9):(1,9,3)", None, "27:1"),
    (right_inverse, "(4,8):(1,4)", None, "32:1"),
    (right_inverse, "(2,4):(4,1)", None, "(4,2):(2,1)"),
    (left_inverse, "(4,8):(1,4)", None, "(4,8):(1,4)"),
    (logical_divide, "(4,8):(1,4)", "(2,4):(1,2)", "((2,4),4):((1,2),8)"),
    (zipped_divide, "(4,8):(1,4)", "(2,4):(1,2)", "((2,4),4):((1,2),8)"),
    (tiled_divide, "(4,8):(1,4)", "(2,4):(1,2)", "((2,4),4):((1,2),8)"),
    (flat_divide, "(4,8):(1,4)", "(2,4):(1,2)", "(2,4,4):(1,2,8)"),
    (logical_divide, "16:1", "4:1", "(4,4):(1,4)"),
    (zipped_divide, "16:1", "4:1", "(4,4):(1,4)"),
    (tiled_divide, "16:1", "4:1", "(4,4):(1,4)"),
    (flat_divide, "16:1", "4:1", "(4,4):(1,4)"),
    (logical_divide, "((16,1)):((1,16))", "((4,1)):((1,4))", "((4,1),4):((1,0),4)"),
    (logical_divide, "12:1", "3:1", "(3,4):(1,3)"),
    (logical_product, "(4,8):(1,4)", "(2,2):(1,2)", "((4,8),(2,2)):((1,4),(32,64))"),
    (blocked_product, "(4,8):(1,4)", "(2,2):(1,2)", "((4,2),(8,2)):((1,32),(4,64))"),
    (raked_product, "(4,8):(1,4)", "(2,2):(1,2)", "((2,4),(2,8)):((32,1),(64,4))"),
    (logical_product, "8:1", "4:1", "(8,4):(1,8)"),
    (blocked_product, "8:1", "4:1", "(8,4):(1,8)"),
    (raked_product, "8:1", "4:1", "(4,8):(8,1)"),
    (logical_product, "((8,1)):((1,8))", "((4,1)):((1,4))", "((8,1),(4,1)):((1,0),(8,0))"),
    (logical_product, "(6,9):(9,1)", "9:1", "((6,9),9):((9,1),54)"),
    (blocked_product, "(3,6):(6,1)", "(4,5):(1,4)", "((3,4),(6,5)):((6,18),(1,72))"),
]


@pytest.mark.parametrize(("operation", "text", "other", "made"), FLYDSLS)
def test_flydsls_own_expectations(operation: Callable[..., Layout], text: str, other: object, made: str) -> None:
    """As functions: FlyDSL drops a parenthesis around one mode, and coalesces less in places."""
    given = (parse(text),) if other is None else (parse(text), _read(other))
    assert oracle.values(operation(*given)) == oracle.values(parse(f"!fly.layout<{made}>"))


def test_pycutes_own_products() -> None:
    """NVIDIA/cutlass, test/python/pycute/test_logical_product.py, by value."""
    block = parse("(2,5):(5,1)")
    assert str(logical_product(block, 4)) == "((2,5),4):((5,1),10)"
    for text, copies in (("4:1", 3), ("(4,8):(1,4)", 16), ("((2,2),(2,2)):((1,4),(8,32))", 4)):
        made = logical_product(parse(text), copies)
        assert made == logical_product(parse(text), Layout(copies))
        assert size(made) == size(parse(text)) * copies
    assert logical_product(block, None) is block
    each = make_layout(logical_product(block[0], Layout(4)), logical_product(block[1], Layout(2)))
    assert logical_product(block, (4, 2)) == each
    assert size(zipped_product(block, 4)) == size(tiled_product(block, 4)) == 40


def _read(tiler: object) -> object:
    return parse(tiler) if isinstance(tiler, str) else tuple(map(_read, tiler)) if isinstance(tiler, tuple) else tiler


def check_division(layout: Layout, tile: Layout) -> str:
    """Every element of the layout is in one tile, at its place, and the tiles are the tile's translates."""
    rest = complement(tile, size(layout))
    made = attempted(logical_divide, layout, tile)
    if isinstance(made, NoLayoutError):
        if not complement_and_whether_it_fills(tile, size(layout))[1]:
            return "leaves out"
        assert not oracle.is_composition(layout, make_layout(tile, rest)), f"{layout} by {tile}: {made}"
        return "none"
    reached: set[int] = set()
    for i, within in enumerate(oracle.values(tile)):
        for j, first in enumerate(oracle.values(rest)):
            assert made(i, j) == oracle.at(layout, within + first), f"{layout} by {tile}: {made}"
            reached.add(within + first)
    assert reached >= set(range(oracle.count(layout)))
    return "divided"


def check_product(block: Layout, copies: Layout) -> str:
    made = attempted(logical_product, block, copies)
    gaps = complement(block, size(block) * cosize(copies))
    if isinstance(made, NoLayoutError):
        assert not oracle.is_composition(gaps, copies), f"{block} times {copies}: {made}"
        return "none"
    assert made[0] == block
    assert oracle.values(made[1]) == [oracle.at(gaps, o) for o in oracle.values(copies)], f"{block} times {copies}"
    return "product"


@pytest.mark.fuzz
def test_random_divisions_and_products() -> None:
    found: dict[str, int] = {}
    for seed in range(FIRST, FIRST + count(50, dear=3)):
        draw = random.Random(seed)
        layout, tile = oracle.any_layout(draw), oracle.packed_layout(draw)
        if oracle.count(layout) * oracle.count(tile) <= 1 << 11:
            for what in (check_division(layout, tile), check_product(tile, layout)):
                found[what] = found.get(what, 0) + 1
    if KNOWN:
        assert min(found[what] for what in ("divided", "none", "product")) > 5


@pytest.mark.fuzz
def test_random_tilers_mode_by_mode() -> None:
    """zipped, tiled and flat divisions are the logical one's elements in another order."""
    for seed in range(FIRST, FIRST + count(10, dear=20)):
        draw = random.Random(seed)
        layout = Layout((8, 12), draw.choice(((1, 8), (12, 1), (1, 10))))
        tiler = (draw.choice((2, 4, 8)), draw.choice((2, 3, 6)))
        logical, zipped = logical_divide(layout, tiler), zipped_divide(layout, tiler)
        tiled, flat = tiled_divide(layout, tiler), flat_divide(layout, tiler)
        for r in range(8):
            for c in range(12):
                (i, a), (j, b) = divmod(r, tiler[0]), divmod(c, tiler[1])
                wanted = layout(r, c)
                assert logical((a, i), (b, j)) == zipped((a, b), (i, j)) == wanted
                assert tiled((a, b), i, j) == flat(a, b, i, j) == wanted


@pytest.mark.fuzz
def test_random_blocks() -> None:
    for seed in range(FIRST, FIRST + count(10, dear=20)):
        draw = random.Random(seed)
        rows, columns, down, across = (draw.randint(1, 5) for _ in range(4))
        block = Layout((rows, columns), draw.choice(((1, rows), (columns, 1))))
        copies = Layout((down, across), draw.choice(((1, down), (across, 1))))
        blocked, raked = blocked_product(block, copies), raked_product(block, copies)
        for i in range(rows * down):
            for j in range(columns * across):
                one = block(i % rows, j % columns) + rows * columns * copies(i // rows, j // columns)
                other = block(i // down, j // across) + rows * columns * copies(i % down, j % across)
                assert (blocked(i, j), raked(i, j)) == (one, other)


def test_a_tile_that_leaves_out_elements_is_refused() -> None:
    with pytest.raises(NoLayoutError, match="its tiles leave out elements"):
        logical_divide(parse("36:1"), parse("(4,6):(1,6)"))


def test_a_tile_that_leaves_out_what_lies_beyond_the_layout() -> None:
    """21 is no multiple of 18, but each of the 6 elements is in one tile."""
    made = logical_divide(parse("6:2"), parse("(2,8,3):(1,21,6)"))
    assert str(made) == "((2,8,3),3):((2,42,12),4)"
    with pytest.raises(NoLayoutError, match="its tiles leave out elements"):
        logical_divide(parse("19:2"), parse("(2,8,3):(1,21,6)"))


def test_a_swizzle_stays_over_the_division() -> None:
    made = zipped_divide(parse("Sw<2,0,3> o 0 o (8,8):(8,1)"), (4, 4))
    assert str(made) == "Sw<2,0,3> o 0 o ((4,4),(2,2)):((8,1),(32,4))"


def test_for_all_sizes() -> None:
    names = {"M": M, "N": N, "K": symbol("K", multiple_of=4)}
    layout = parse("(M,N*4):(N*4,1)", names)
    made = zipped_divide(layout, (8, 4))
    assert made == parse("((8,4),(M//8,N)):((N*4,1),(N*32,4))", names)
    for sizes in ({"M": 8, "N": 3}, {"M": 24, "N": 2}):
        one, divided = with_sizes(layout, **sizes), with_sizes(made, **sizes)
        check_division(one[0], Layout(8))
        assert sorted(oracle.values(divided)) == sorted(oracle.values(one))
    assert logical_product(parse("(4,N):(N,1)", names), Layout(3)) == parse("((4,N),3):((N,1),4*N)", names)


def test_a_tile_that_does_not_divide_a_size_goes_on_beyond_it() -> None:
    """As with numbers: ⌈N / 4⌉ tiles of 4."""
    made = logical_divide(Layout(N), 4)
    assert made == Layout((4, (N + 3) // 4), (1, 4))


def test_what_is_not_shown_for_all_sizes_is_refused() -> None:
    with pytest.raises(NoLayoutError, match="needs that N divides 4, or 4 <= N"):
        logical_divide(Layout((N, 8), (8, 1)), 4)
