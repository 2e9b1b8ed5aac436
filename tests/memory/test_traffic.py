"""Coalescing proved for every block and every size, against counting."""

from __future__ import annotations

import numpy as np
import pytest

from layoutalg.index import Expr, symbol, var
from layoutalg.index.evaluate import grid
from layoutalg.layout import make_naive_tensor_descriptor as naive
from layoutalg.memory import Coalesced, Reach, lane_map
from layoutalg.memory.coalescing import fewest, segments
from layoutalg.memory.traffic import Traffic, traffic
from layoutalg.prove import Limits, Proved, Refuted, Unknown, Verdict, prove
from layoutalg.target import target
from layoutalg.target.dtypes import DTYPES
from tests.fuzzing import FIRST, count

LANE = var("lane", 64)
GPU = target("gfx942")


def rows_of_16_bytes(m: Expr, n: Expr, lanes_a_row: int, multiple: int = 1) -> Reach:
    """Each lane takes 8 halves; so many lanes stand in one row of an M × N matrix, for every block of it."""
    down, across = 64 // lanes_a_row, lanes_a_row * 8
    block_row, block_column = var("block_row", m // down), var("block_column", n // across)
    index = (block_row * down + LANE // lanes_a_row, block_column * across + LANE % lanes_a_row * 8)
    return Reach(naive((m, n), (n, 1)), lane_map(LANE, index, 8, name="the load"), DTYPES["f16"])


def test_whole_rows_are_coalesced_for_every_matrix_whose_rows_are_aligned() -> None:
    m, n = symbol("M", min=64, multiple_of=64), symbol("N", min=64, multiple_of=64)
    for lanes_a_row in (8, 16, 64):
        verdict = prove(Coalesced(rows_of_16_bytes(m, n * 8, lanes_a_row), GPU))
        assert isinstance(verdict, Proved), verdict
        assert verdict.strategy == "normal form + " + ("enumeration" if lanes_a_row == 64 else "rows")
        assert verdict.assumptions[0].startswith("segments of gfx942: documented")


def test_four_lanes_a_row_fill_no_segment_of_128_bytes() -> None:
    m, n = symbol("M", min=64, multiple_of=64, max=1 << 15), symbol("N", min=128, multiple_of=128, max=1 << 15)
    access = rows_of_16_bytes(m, n, 4)
    verdict = prove(Coalesced(access, GPU))
    assert isinstance(verdict, Refuted)
    assert verdict.reason.startswith("the wave touches 16 segments of 128 bytes where 8 would do (at ")


def test_rows_that_are_not_aligned_are_refuted_at_a_size() -> None:
    m, n = symbol("M", min=64, multiple_of=64, max=1 << 12), symbol("N", min=64, multiple_of=8, max=1 << 12)
    verdict = prove(Coalesced(rows_of_16_bytes(m, n, 8), GPU))
    assert isinstance(verdict, Refuted)
    at = verdict.witness.points[0]
    assert at["N"] % 32 != 0
    offset = 2 * (LANE // 8 * at["N"] + LANE % 8 * 8)
    where = grid(offset, [LANE]) + 2 * (at["block_row"] * 8 * at["N"] + at["block_column"] * 64)
    assert segments(where, 16, 64) > fewest(where, 16, 64)


def test_a_stride_of_rows_that_may_overlap_is_not_called_proved() -> None:
    n = symbol("N", min=8, max=4096, multiple_of=8)
    access = Reach(naive((64, n), (n, 1)), lane_map(LANE, (LANE, 0), 8, name="the column"), DTYPES["f16"])
    verdict = prove(Coalesced(access, GPU))
    assert isinstance(verdict, Refuted | Unknown)


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(FIRST, FIRST + count(8, dear=100)))
def test_concrete_accesses_agree_with_counting(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b, c = (int(k) for k in rng.integers(0, 70, 3))
    cut = int(rng.choice([4, 8, 32]))
    step = var("step", 5)
    offset = LANE % cut * a + LANE // cut * b + step * c
    access = Reach(naive((1 << 16,), (1,)), lane_map(LANE, (offset,), 2), DTYPES["f16"])
    where = 2 * grid(offset, [step, LANE])
    for segment in (32, 64, 128):
        found = traffic(access, segment)
        assert isinstance(found, Traffic)
        touched, needed = segments(where, 4, segment), fewest(where, 4, segment)
        assert found.touched == (touched.min(), touched.max())
        assert found.wasted == (touched - needed).max()
    claim = Coalesced(access, GPU)
    fits = all((segments(where, 4, s) == fewest(where, 4, s)).all() for s in GPU.segments)
    assert isinstance(prove(claim), Proved if fits else Refuted)
    written_out = prove(claim, limits=Limits(seconds=120))
    assert isinstance(written_out, Proved if fits else Refuted), "and so by the counting written out"


@pytest.mark.parametrize(("lanes_a_row", "expected"), [(4, Refuted), (8, Proved)])
def test_the_counting_written_out_says_the_same_of_every_size(lanes_a_row: int, expected: type[Verdict]) -> None:
    m, n = symbol("M", min=64, multiple_of=64), symbol("N", min=64, multiple_of=64)
    claim = Coalesced(rows_of_16_bytes(m, n, lanes_a_row), GPU)
    assert isinstance(prove(claim), expected)
    assert isinstance(prove(claim), expected)


def test_symbolic_rows_agree_with_counting_at_sizes() -> None:
    n = symbol("N", min=128, multiple_of=128)
    tile = lane_map(LANE, (LANE // 4, LANE % 4 * 8), 8)
    access = Reach(naive((16, n), (n, 1)), tile, DTYPES["f16"])
    for segment in (32, 64, 128):
        found = traffic(access, segment)
        assert isinstance(found, Traffic)
        assert found.strategy == "rows"
        for size in (128, 256, 1280):
            where = grid(2 * (LANE // 4 * size + LANE % 4 * 8), [LANE])
            assert found.touched == (int(segments(where, 16, segment)),) * 2
            assert found.fewest[0] == int(fewest(where, 16, segment))


def test_an_offset_that_is_no_multiple_of_the_segment_costs_one_more() -> None:
    k = symbol("K", min=1, max=1 << 12)
    access = Reach(naive((k * 64 + 4096,), (1,)), lane_map(LANE, (k * 64 + LANE + 16,), name="the load"), DTYPES["f32"])
    found = traffic(access, 128)
    assert isinstance(found, Traffic)
    assert (found.touched, found.fewest) == ((3, 3), (2, 2))
    assert isinstance(prove(Coalesced(access, GPU)), Refuted)


def test_a_start_that_only_each_lane_by_itself_shows_is_not_left_out() -> None:
    """l·l + l + 1 is odd for every lane: all lanes begin at M, which is no multiple of a segment."""
    m = symbol("M", max=1 << 24)
    access = Reach(naive((1 << 30,), (1,)), lane_map(LANE, (m * ((LANE * LANE + LANE + 1) % 2) + LANE,)), DTYPES["f32"])
    assert isinstance(traffic(access, 64), str)
    verdict = prove(Coalesced(access, GPU))
    assert isinstance(verdict, Refuted)
    assert verdict.reason.startswith("the wave touches 5 segments of 64 bytes where 4 would do")


@pytest.mark.parametrize("strategy", [None, "z3"])
def test_an_access_that_nothing_makes_is_not_called_coalesced(strategy: str | None) -> None:
    n = symbol("N", min=64)
    nothing = Reach(naive((1 << 20,), (1,)), lane_map(LANE, (LANE + n,)), DTYPES["f32"], given=n < 5)
    assert prove(Coalesced(nothing, GPU), strategy=strategy).name == "unknown"
