"""Conflict claims over descriptors: the published predictions, every strategy, and what a refutation says."""

from __future__ import annotations

import re

import numpy as np
import pytest

from layoutalg.index import Expr, all_of, eq, symbol, var
from layoutalg.index.evaluate import grid
from layoutalg.layout import LayoutError, TensorDescriptor, TileDistribution, TileDistributionEncoding
from layoutalg.layout import make_naive_tensor_descriptor as naive
from layoutalg.memory import (
    Access,
    ConflictDegree,
    ConflictFree,
    ConflictFreeIff,
    Cycles,
    WidthError,
    access,
    distributed,
    lane_map,
    operand,
    price,
)
from layoutalg.memory.banks import LaneMapError, OutsideLdsError, phase_cycles
from layoutalg.prove import Proved, Refuted, Unknown, prove
from layoutalg.synth.gemm import cyclic, packed, padded, row_padded, swizzled
from layoutalg.target import UnknownInstructionError
from layoutalg.target.matrix import matrix_instruction

LARGE, SMALL = (matrix_instruction(f"mfma_f32_{s}_f16").a for s in ("32x32x16", "16x16x32"))
"""Eight consecutive k a lane: one instruction of gfx950, two of gfx942 (whose order of k cannot be seen)."""

PREDICTIONS = [  # K, the layout of 128 rows, the cycles of each phase: 32×32 on gfx942 and gfx950, then 16×16
    ("packed", packed(128, 64), (8, 8), (4, 4)),
    ("padded", padded(128, 64), (1, 1), (2, 2)),
    ("xor, 1 layer", swizzled(128, 64), (1, 2), (1, 1)),
    ("xor, 2 layers", swizzled(128, 64, layers=2), (2, 1), (2, 1)),
    ("xor, 2 layers, (L, K0)", swizzled(128, 32, layers=2), (1, 2), (1, 1)),
    ("xor, 2 layers, (K0, L)", swizzled(128, 32, layers=2, layers_outside=False), (2, 1), (4, 2)),
]


def reads(tile: TensorDescriptor, which: str = "large", target: str = "gfx942") -> Access:
    matrix = LARGE if which == "large" else SMALL
    rows, columns = map(int, tile.lengths)
    return access(tile, operand(matrix, (rows, columns), name=f"the {which} operand"), "f16", target)


@pytest.mark.parametrize(("name", "tile", "large", "small"), PREDICTIONS, ids=[p[0] for p in PREDICTIONS])
def test_the_predictions_are_theorems_over_all_row_blocks_and_k_steps(
    name: str, tile: TensorDescriptor, large: tuple[int, int], small: tuple[int, int]
) -> None:
    for which, expected in (("large", large), ("small", small)):
        for target, degree in zip(("gfx942", "gfx950"), expected, strict=True):
            one = reads(tile, which, target)
            each = (degree,) * len(one.instruction.phases)
            assert isinstance(prove(Cycles(one, sum(each), each)), Proved), (name, which, target)
            assert isinstance(prove(ConflictDegree(one, degree)), Proved)
            assert isinstance(prove(ConflictFree(one)), Proved if degree == 1 else Refuted)
            if degree > 1:
                assert isinstance(prove(ConflictDegree(one, degree - 1)), Refuted)


@pytest.mark.parametrize(("name", "tile", "large", "small"), PREDICTIONS, ids=[p[0] for p in PREDICTIONS])
def test_z3_alone_agrees(name: str, tile: TensorDescriptor, large: tuple[int, int], small: tuple[int, int]) -> None:
    for which, expected in (("large", large), ("small", small)):
        for target, degree in zip(("gfx942", "gfx950"), expected, strict=True):
            verdict = prove(ConflictFree(reads(tile, which, target)), strategy="z3")
            assert isinstance(verdict, Proved if degree == 1 else Refuted), (name, which, target)
            assert "z3" in verdict.strategy


def test_z3_decides_degrees_and_exact_cycles_too() -> None:
    one = reads(padded(128, 64), "small")
    assert isinstance(prove(Cycles(one, 16, (2,) * 8), strategy="z3"), Proved)
    assert isinstance(prove(ConflictDegree(one, 2), strategy="z3"), Proved)
    assert isinstance(prove(ConflictDegree(one, 1), strategy="z3"), Refuted)
    assert isinstance(prove(Cycles(one, 15), strategy="z3"), Refuted)


def test_linear_algebra_is_chosen_where_nothing_carries_and_enumeration_elsewhere() -> None:
    assert prove(ConflictFree(reads(swizzled(128, 64)))).strategy == "F₂"
    assert prove(ConflictFree(reads(padded(128, 64)))).strategy == "enumeration"
    forced = prove(ConflictFree(reads(padded(128, 64))), strategy="f2")
    assert isinstance(forced, Unknown)
    assert "not linear" in forced.reason
    with pytest.raises(ValueError, match="no strategy 'guess'"):
        prove(ConflictFree(reads(packed(128, 64))), strategy="guess")


# Refutations ----------------------------------------------------------------------------------------------------------


def test_a_refutation_names_lanes_coordinates_dwords_bank_and_phase() -> None:
    verdict = prove(ConflictFree(reads(padded(128, 64), "small")))
    assert isinstance(verdict, Refuted)
    assert verdict.reason == (
        "lanes 0 and 23 of phase 0 want dwords 0 and 544 of bank 0: lane 0 at (0, 0) wants dword 0, "
        "lane 23 at (7, 8) wants dword 544 (at column_block = 0, row_block = 0)"
    )
    assert [p["lane"] for p in verdict.witness.points] == [0, 23]


def test_a_verdict_names_its_table_and_its_doubt() -> None:
    sure = prove(ConflictFree(reads(swizzled(128, 64))))
    assert sure.assumptions[0].startswith("lane groups of ds_read_b128 on gfx942: measured (")
    assert "In doubt" not in sure.assumptions[0]
    lane = var("lane", 64)
    rows = lane_map(lane, (lane, 0), 8)
    unsure = prove(ConflictFree(access(row_padded(64, 8, 0), rows, "f16", "gfx90a", "write")))
    assert "In doubt: one source only" in unsure.assumptions[0]
    assert unsure.claim.endswith("by ds_write_b128 on gfx90a is free of bank conflicts")


def test_exact_cycles_that_are_wrong_are_refuted_by_what_the_phases_take() -> None:
    verdict = prove(Cycles(reads(swizzled(128, 64)), 9))
    assert isinstance(verdict, Refuted)
    assert "the phases take 1, 1, 1, 1, 1, 1, 1, 1 cycles" in verdict.reason


@pytest.mark.parametrize("strategy", [None, "enumeration", "z3"])
def test_a_conflict_at_one_value_of_a_variable_only_is_found(strategy: str | None) -> None:
    """Lane l reads row l of a tile whose stride is 33 dwords, but the last of the four tiles is read at stride 32."""
    lane, which = var("lane", 32), var("which", 4)
    line = naive((4096,), (1,))
    only = access(line, lane_map(lane, (lane * (33 - which // 3),)), "f32", "sm_90", "st.shared.32")
    verdict = prove(ConflictFree(only), strategy=strategy)
    assert isinstance(verdict, Refuted)
    assert verdict.witness.points[0]["which"] == 3
    assert isinstance(prove(ConflictFree(access(
        line, lane_map(lane, (lane * (33 - which // 3),)), "f32", "sm_90", "st.shared.32", given=which < 3
    )), strategy=strategy), Proved)  # fmt: skip


# Sizes that are symbols -----------------------------------------------------------------------------------------------


def strided(step: Expr, instruction: str = "st.shared.32", given: Expr | None = None) -> Access:
    lane, column = var("lane", 32), var("column", step)
    return access(naive((32, step), (step, 1)), lane_map(lane, (lane, column)), "f32", "sm_90", instruction,
                  step <= 1024 if given is None else given)  # fmt: skip


def test_conflict_free_iff_the_stride_in_dwords_is_odd_is_a_theorem_both_ways() -> None:
    ld = symbol("ld")
    verdict = prove(ConflictFreeIff(strided(ld), eq(ld % 2, 1)))
    assert isinstance(verdict, Proved)
    assert verdict.strategy == "z3 integers"


@pytest.mark.parametrize("power", [1, 2, 4, 8, 16, 32])
def test_the_cycles_of_a_symbolic_stride_are_its_power_of_two(power: int) -> None:
    ld = symbol("ld")
    given = all_of(ld <= 1024, eq(ld % (2 * power), power)) if power < 32 else all_of(ld <= 1024, eq(ld % 32, 0))
    one = strided(ld, given=given)
    assert isinstance(prove(Cycles(one, power), strategy="z3"), Proved)
    assert isinstance(prove(ConflictDegree(one, power), strategy="z3"), Proved)
    if power > 1:
        assert isinstance(prove(ConflictDegree(one, power - 1), strategy="z3"), Refuted)


@pytest.mark.parametrize(("wrong", "where"), [("too narrow", "two lanes conflict"), ("too wide", "no lanes conflict")])
def test_a_condition_that_is_not_the_right_one_is_refuted_with_a_stride(wrong: str, where: str) -> None:
    ld = symbol("ld")
    condition = eq(ld % 4, 1) if wrong == "too narrow" else ld % 4 >= 1
    verdict = prove(ConflictFreeIff(strided(ld), condition))
    assert isinstance(verdict, Refuted)
    assert where in verdict.reason
    found = verdict.witness.points[0]["ld"]
    free = (phase_cycles("sm_90", "st.shared.32", 4 * found * np.arange(32)) == 1).all()
    assert free == (found % 2 == 1)
    assert free != (found % 4 == 1 if wrong == "too narrow" else found % 4 >= 1)


def test_a_symbolic_stride_without_the_condition_is_refuted_at_a_small_one() -> None:
    verdict = prove(ConflictFree(strided(symbol("ld"))))
    assert isinstance(verdict, Refuted)
    assert verdict.witness.points[0]["ld"] % 2 == 0


def test_rows_padded_by_one_vector_are_free_of_conflicts_for_every_k_that_is_a_multiple_of_64() -> None:
    lane, k = var("lane", 64), symbol("K", max=448, multiple_of=64)
    row, vector = lane % 16, lane // 16 * 8
    for padding, expected in ((8, Refuted), (16, Proved), (0, Refuted)):
        tile = naive((64, k), (k + padding, 1))
        step = var("step", k // 32)
        column = access(tile, lane_map(lane, (row, step * 32 + vector), 8), "f16", "gfx942")
        assert isinstance(prove(ConflictFree(column)), expected), padding
        for size in (64, 448):
            numbers = grid(naive((64, size), (size + padding, 1)).offset((row, vector)) * 2, [lane])
            assert (phase_cycles("gfx942", "ds_read_b128", numbers).max() == 1) == (expected is Proved)


@pytest.mark.parametrize("strategy", [None, "enumeration", "z3"])
def test_givens_that_nothing_satisfies_prove_nothing(strategy: str | None) -> None:
    ld = symbol("ld", max=512)
    for given in (all_of(ld < 10, ld > 20), all_of(eq(ld % 2, 0), eq(ld % 2, 1))):
        verdict = prove(ConflictFree(strided(ld, given=given)), strategy=strategy)
        assert isinstance(verdict, Unknown)
        assert "the assumptions hold nowhere" in verdict.reason


def test_a_condition_on_the_stride_of_mfma_rows_is_a_theorem() -> None:
    """32 rows of K halves, K a multiple of 8: reads of 16 bytes are free of conflicts where K / 8 is odd."""
    k = symbol("K", min=16, max=496, multiple_of=8)
    lane = var("lane", 64)
    one = access(naive((32, k), (k, 1)), lane_map(lane, (lane % 32, lane // 32 * 8), 8), "f16", "gfx942")
    assert isinstance(prove(ConflictFreeIff(one, eq(k // 8 % 2, 1))), Proved)
    assert isinstance(prove(ConflictFreeIff(one, k // 8 % 4 >= 1)), Refuted)
    for size in range(16, 497, 8):
        addresses = 2 * (np.arange(64) % 32 * size + np.arange(64) // 32 * 8)
        free = phase_cycles("gfx942", "ds_read_b128", addresses).max() == 1
        assert free == (size // 8 % 2 == 1)


# Broadcast and merged reads -------------------------------------------------------------------------------------------


def test_lanes_that_want_one_dword_share_it() -> None:
    lane = var("lane", 64)
    everyone = access(packed(8, 64), lane_map(lane, (0, 0)), "f32", "gfx942", "ds_read_b32")
    assert isinstance(prove(Cycles(everyone, 2)), Proved)
    for strategy in ("f2", "enumeration", "z3"):
        assert isinstance(prove(ConflictFree(everyone), strategy=strategy), Proved)
    pairs = access(packed(64, 64), lane_map(lane, (lane // 2, 0)), "f32", "gfx942", "ds_read_b32")
    found = price(pairs)
    assert not isinstance(found, Unknown)
    assert (found.degree, found.total) == (16, (32, 32))


@pytest.mark.parametrize("strategy", ["f2", "enumeration"])
def test_merged_reads_are_priced_as_the_hardware_was_measured(strategy: str) -> None:
    lane = var("lane", 32)
    twins = access(packed(1, 128), lane_map(lane, (0, lane // 2 * 4), 4), "f32", "sm_90", "ld.shared.128")
    assert isinstance(prove(Cycles(twins, 2, (1, 0, 1, 0)), strategy=strategy), Proved)
    each = access(packed(1, 128), lane_map(lane, (0, lane * 4), 4), "f32", "sm_90", "ld.shared.128")
    assert isinstance(prove(Cycles(each, 4, (1, 1, 1, 1)), strategy=strategy), Proved)


def test_z3_tells_merged_reads_from_others_at_each_value() -> None:
    """With `apart` = 0 all lanes read one vector and phases merge in twos; with 1 each reads its own."""
    lane, apart = var("lane", 32), var("apart", 2)
    one = access(packed(1, 128), lane_map(lane, (0, lane * apart * 4), 4), "f32", "sm_90", "ld.shared.128")
    assert isinstance(prove(ConflictFree(one), strategy="z3"), Proved)
    assert isinstance(prove(Cycles(one, 4), strategy="z3"), Refuted)
    found = price(one)
    assert not isinstance(found, Unknown)
    assert found.total == (2, 4)
    for value, total, phases in ((0, 2, (1, 0, 1, 0)), (1, 4, (1, 1, 1, 1))):
        fixed = access(packed(1, 128), lane_map(lane, (0, lane * apart * 4), 4), "f32", "sm_90", "ld.shared.128",
                       given=eq(apart, value))  # fmt: skip
        assert isinstance(prove(Cycles(fixed, total, phases), strategy="z3"), Proved)
        assert isinstance(prove(Cycles(fixed, total, phases)), Proved)


# Where lane maps come from --------------------------------------------------------------------------------------------


def test_a_tile_distribution_writes_a_tile_for_every_wave() -> None:
    encoding = TileDistributionEncoding((), ((2, 4, 8), (8, 8)), ((1,), (1, 2)), ((1,), (2, 0)), (1, 2), (0, 1))
    tile = TileDistribution(encoding)
    rows = distributed(tile, name="the copy to LDS")
    assert (rows.width, rows.lanes) == (8, 64)
    assert {v.value.name for v in rows.variables} == {"p0", "y0"}
    for target in ("gfx942", "gfx950"):
        assert isinstance(prove(ConflictFree(access(packed(64, 64), rows, "f16", target, "write"))), Proved)
    assert isinstance(
        prove(ConflictFree(access(packed(64, 64), distributed(tile, 4), "f16", "gfx942", "write"))), Refuted
    )


def test_an_operand_of_mma_sync_is_read_in_pairs() -> None:
    """Rows of 72 halves, 36 dwords: lanes g = l / 4, t = l mod 4 want dword 36·g + t, all in different banks."""
    matrix = matrix_instruction("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32").a
    pairs = operand(matrix, (64, 64), width=2)
    for padding, expected in ((8, Proved), (0, Refuted)):
        one = access(row_padded(64, 64, padding), pairs, "f16", "sm_90", "ld.shared.32")
        assert isinstance(prove(ConflictFree(one)), expected)


def test_a_wmma_operand_of_32_bytes_is_read_in_two_parts() -> None:
    wide = matrix_instruction("wmma_f32_16x16x32_f16").a
    tile = row_padded(64, 64, 8)
    parts = operand(wide, (64, 64), width=8)
    assert {v.value.name for v in parts.variables} == {"part", "row_block", "column_block"}
    assert isinstance(prove(ConflictDegree(access(tile, parts, "f16", "gfx1250"), 8)), Proved)


# Random maps against the bank model -----------------------------------------------------------------------------------


def test_every_strategy_agrees_with_the_bank_model_on_random_maps() -> None:
    rng = np.random.default_rng(20260)
    lane, step = var("lane", 64), var("step", 4)
    for _ in range(30):
        a, b, c, d = (int(n) for n in rng.integers(0, 40, 4))
        cut = int(rng.choice([4, 8, 16, 32]))
        line = naive((1 << 14,), (1,))
        where = (lane % cut * a + lane // cut * b) ^ (step * c + lane % 8 * (d % 4))
        one = access(line, lane_map(lane, (where,)), "f32", "gfx942", "ds_read_b32")
        cycles = phase_cycles("gfx942", "ds_read_b32", 4 * grid(where, [step, lane]))
        found = price(one)
        assert not isinstance(found, Unknown)
        assert (found.most, found.least) == (tuple(cycles.max(axis=0)), tuple(cycles.min(axis=0)))
        for strategy in (None, "enumeration", "z3"):
            verdict = prove(ConflictFree(one), strategy=strategy)
            assert isinstance(verdict, Proved if cycles.max() == 1 else Refuted), (a, b, c, d, cut)


# Bad input ------------------------------------------------------------------------------------------------------------


def test_bad_input_has_a_message_of_its_own() -> None:
    lane, tile = var("lane", 64), packed(64, 64)
    good = lane_map(lane, (lane, 0), 8)
    with pytest.raises(LaneMapError, match="a lane map of 256 lanes; ds_read_b128 on gfx942 takes 64; give threads"):
        access(packed(256, 8), lane_map(var("lane", 256), (var("lane", 256), 0), 8), "f16", "gfx942")
    with pytest.raises(LaneMapError, match="a lane map of 32 lanes"):
        access(tile, lane_map(var("lane", 32), (var("lane", 32), 0), 8), "f16", "gfx942")
    with pytest.raises(WidthError, match="8 elements of f16 are 16 bytes a lane; ds_read_b64 moves 8"):
        access(tile, good, "f16", "gfx942", "ds_read_b64")
    with pytest.raises(UnknownInstructionError, match="gfx942 has no LDS instruction 'ds_read_b256'"):
        access(tile, good, "f16", "gfx942", "ds_read_b256")
    with pytest.raises(UnknownInstructionError, match="gfx942 has no LDS read of 32 bytes a lane"):
        access(tile, lane_map(lane, (lane, 0), 16), "f16", "gfx942")
    with pytest.raises(OutsideLdsError, match="the layout takes 131072 bytes; gfx942 has 65536 bytes of LDS"):
        access(packed(1024, 64), good, "f16", "gfx942")
    with pytest.raises(LayoutError, match="an index of 2 coordinates for 1 dimensions"):
        access(naive((64,), (1,)), good, "f16", "gfx942")
    with pytest.raises(LaneMapError, match="speaks of element: a lane's whole vector takes part, or none of it"):
        access(tile, good, "f16", "gfx942", given=good.element < 4)
    with pytest.raises(LaneMapError, match="say which take part: given = lane < 32"):
        access(tile, lane_map(var("lane", 32), (var("lane", 32), 0), 8), "f16", "gfx942")
    merging = lane_map(var("lane", 32), (var("lane", 32), 0), 8)
    with pytest.raises(LaneMapError, match=r"where lanes take no part \(lane < 7\) was not measured"):
        access(tile, merging, "f16", "sm_90", "ld.shared.128", given=var("lane", 32) < 7)
    with pytest.raises(LaneMapError, match="no whole number of operands"):
        operand(LARGE, (100, 64))
    with pytest.raises(WidthError, match="a lane holds 8 elements, which is no multiple of width 3"):
        operand(LARGE, (128, 64), width=3)


@pytest.mark.parametrize("strategy", [None, "enumeration", "z3"])
def test_what_the_price_list_needs_is_refuted_by_name(strategy: str | None) -> None:
    lane = var("lane", 64)
    rows = lane_map(lane, (lane % 16, lane // 16 * 8), 8)
    odd = prove(ConflictFree(access(row_padded(16, 64, 4), rows, "f16", "gfx942")), strategy=strategy)
    assert isinstance(odd, Refuted)
    assert re.match(
        r"every address is a multiple of 16: not at lane \d+, at \(\d+, \d+\), byte address \d+", odd.reason
    )
    across = access(naive((64, 64), (1, 64)), lane_map(lane, (lane * 0, 0), 8), "f16", "gfx942")
    torn = prove(ConflictFree(across), strategy=strategy)
    assert isinstance(torn, Refuted)
    assert "each lane's elements are one after another: not at" in torn.reason
    outside = access(naive((64,), (symbol("S", max=1024),)), lane_map(lane, (lane,)), "f32", "gfx942", "ds_read_b32")
    left = prove(ConflictFree(outside), strategy=strategy)
    assert isinstance(left, Refuted)
    assert "lies in the 65536 bytes of LDS: not at lane " in left.reason


def test_cyclic_shift_is_priced() -> None:
    found = price(reads(cyclic(128, 64)))
    assert not isinstance(found, Unknown)
    assert found.degree == 1
