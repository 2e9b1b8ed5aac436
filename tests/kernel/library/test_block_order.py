"""Orders of blocks: each tile once, counted as caches take them in, and the one that takes in the least is chosen."""

import random
from itertools import product

import pytest

from layoutalg.kernel.library.block_order import GROUPS, at_once, cache_fill, launched_tiles, ordered
from layoutalg.kernel.library.contraction import contraction_task
from layoutalg.kernel.library.plans import Plan, ProblemShape, plan_for, ranged
from layoutalg.target import target as gpu
from tests.fuzzing import FIRST

COUNTS = ((1, 1, 1), (1, 5, 3), (2, 3, 4), (1, 17, 9))


@pytest.mark.parametrize("counts", COUNTS)
def test_every_order_has_every_tile_once(counts: tuple[int, int, int]) -> None:
    tiles = sorted(product(*map(range, counts)))
    for group, chiplets in product(GROUPS, (1, 3, 8)):
        g, m, n = launched_tiles(counts, group, chiplets)
        there = m < counts[1]
        assert sorted(zip(g[there], m[there], n[there], strict=True)) == tiles


@pytest.mark.parametrize("counts", COUNTS)
def test_caches_take_in_each_row_and_column_of_a_round_once(counts: tuple[int, int, int]) -> None:
    for group, chiplets, many in product((1, 4), (1, 8), (7, 64)):
        tiles = launched_tiles(counts, group, chiplets)
        rows, columns = set(), set()
        for b, (g, m, n) in enumerate(tiles.T.tolist()):
            if m < counts[1]:
                rows.add((b // many, b % 8, g, m))
                columns.add((b // many, b % 8, g, n))
        found = cache_fill(tiles, counts, 8, many)
        assert (found.rows, found.columns, found.rounds) == (len(rows), len(columns), -(-tiles.shape[1] // many))
        assert found.bytes((128, 64), 32, 2) == (128 * len(rows) + 64 * len(columns)) * 64


def shape(m: int, n: int, k: int = 4096, batches: int = 1) -> ProblemShape:
    return ProblemShape((m, n, k), (m, n, k), batches)


def taken_in(plan: Plan, sizes: ProblemShape) -> int:
    counts = (sizes.batches, -(-sizes.lengths[0] // plan.m), -(-sizes.lengths[1] // plan.n))
    fill = cache_fill(launched_tiles(counts, plan.group, plan.chiplets), counts, 8, at_once(plan, gpu(plan.target)))
    return fill.bytes((plan.m, plan.n), sizes.lengths[2], 2)


def test_the_chosen_order_takes_in_no_more_than_the_usual_one() -> None:
    draw = random.Random(FIRST)
    for _ in range(6):
        sizes = shape(draw.randrange(1, 9000), draw.randrange(1, 9000), batches=draw.randrange(1, 3))
        usual = plan_for(draw.choice(("gfx942", "gfx950")), "f16")
        assert taken_in(ordered(usual, usual.target, sizes), sizes) <= taken_in(usual, sizes), (FIRST, sizes)


@pytest.mark.parametrize(
    ("rows", "columns", "order", "tiles", "as_usual"),
    [
        (4096, 4096, (2, 1), 192, 288),
        (4096, 4224, (8, 8), 200, 520),
        (4096, 11008, (8, 8), 536, 1280),
        (4096, 8192, (1, 1), 384, 384),
        (1024, 1152, (2, 8), 56, 136),
    ],
)
def test_orders_of_sizes(rows: int, columns: int, order: tuple[int, int], tiles: int, as_usual: int) -> None:
    """In tiles of 128 × 128 on an MI300X, which holds 1216 blocks of them at a time."""
    usual, sizes = ranged(plan_for("gfx942", "f16"), "gfx942"), shape(rows, columns)
    assert at_once(usual, gpu("gfx942")) == 1216
    plan = ordered(usual, "gfx942", sizes)
    assert (plan.group, plan.chiplets) == order
    assert [taken_in(one, sizes) // (128 * 4096 * 2) for one in (plan, usual)] == [tiles, as_usual]


@pytest.mark.parametrize("target", ["gfx90a", "gfx1100", "sm_90", "cpu"])
def test_cards_of_one_chiplet_are_left_alone(target: str) -> None:
    assert ordered(plan_for(target, "f16"), target, shape(4096, 4224)) == plan_for(target, "f16")


def test_a_product_of_known_sizes_has_it_in_its_program_and_name() -> None:
    program = contraction_task("mk,nk->mn", (1024, 256), (1152, 256), "f16", target="gfx942").program
    assert (program.chiplets, program.grid[0].hi) == (8, 1)
    assert "_group2_chiplets8_" in program.name


@pytest.mark.parametrize("dtype", ["f8", "bf8", "f32"])
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_products_of_every_type_are_ordered(dtype: str, target: str) -> None:
    usual = plan_for(target, dtype)
    assert taken_in(ordered(usual, target, shape(4096, 4224)), shape(4096, 4224)) < taken_in(usual, shape(4096, 4224))
