"""The bank model: against the published predictions, against itself by three routes, and against the hardware."""

import itertools
import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from layoutalg.index.f2 import columns_of
from layoutalg.memory.banks import (
    LaneMapError,
    MisalignedError,
    OutsideLdsError,
    conflicts,
    cycles,
    linear_degree,
    phase_cycles,
    phase_subgroup,
    phases,
)
from layoutalg.target import UnknownInstructionError, target, target_names
from tests.fuzzing import FIRST, count

Offset = Callable[[np.ndarray, np.ndarray], np.ndarray]
LANE = np.arange(64)


# fp16 tiles of 128 rows: the offset, in elements, of row m and column k ---------------------------------------------


def packed(m: np.ndarray, k: np.ndarray) -> np.ndarray:
    return m * 64 + k


def padded(m: np.ndarray, k: np.ndarray) -> np.ndarray:
    """(K/8, M, 8) with strides ((M + 1)·8, 8, 1)."""
    return k // 8 * (129 * 8) + m * 8 + k % 8


def swizzled(width: int, layers: int, layer_outside: bool = True) -> Offset:
    """(M/L, K0·L, 8), the middle xor-ed with the row; K0·L is unmerged to (L, K0), or to (K0, L)."""
    k0 = width // 8

    def offset(m: np.ndarray, k: np.ndarray) -> np.ndarray:
        row, layer = m // layers, m % layers
        column = layer * k0 + k // 8 if layer_outside else k // 8 * layers + layer
        return row * width * layers + (column ^ row % (k0 * layers)) * 8 + k % 8

    return offset


PREDICTIONS = [  # K, layout, cycles a phase: (32×32: gfx942, gfx950, lanes in order), (16×16: the same)
    ("packed", 64, packed, (8, 8, 8), (4, 4, 8)),
    ("padded", 64, padded, (1, 1, 1), (2, 2, 1)),
    ("xor, 1 layer", 64, swizzled(64, 1), (1, 2, 1), (1, 1, 1)),
    ("xor, 2 layers", 64, swizzled(64, 2), (2, 1, 2), (2, 1, 2)),
    ("xor, 2 layers, (L, K0)", 32, swizzled(32, 2), (1, 2, 1), (1, 1, 1)),
    ("xor, 2 layers, (K0, L)", 32, swizzled(32, 2, layer_outside=False), (2, 1, 2), (4, 2, 2)),
]


@pytest.mark.parametrize(("name", "k", "layout", "large", "small"), PREDICTIONS, ids=[p[0] for p in PREDICTIONS])
def test_the_predictions_table_holds_for_every_row_block_and_k_step(
    name: str, k: int, layout: Offset, large: tuple[int, ...], small: tuple[int, ...]
) -> None:
    for rows, expected in ((32, large), (16, small)):
        first_row = np.arange(0, 128, rows)[:, None, None]
        step = np.arange(0, k, 8 * 64 // rows)[:, None]
        bytes_ = 2 * layout(first_row + LANE % rows, step + 8 * (LANE // rows))
        for (gpu, instruction), degree in zip(
            (("gfx942", "ds_read_b128"), ("gfx950", "ds_read_b128"), ("gfx942", "ds_write_b128")), expected, strict=True
        ):
            assert (phase_cycles(gpu, instruction, bytes_) == degree).all(), (name, rows, gpu)


def test_a_checker_that_takes_lanes_in_order_is_wrong_about_padding() -> None:
    read = 2 * padded(LANE % 16, 8 * (LANE // 16))
    assert conflicts("gfx942", "ds_write_b128", read) == 0
    assert conflicts("gfx942", "ds_read_b128", read) == 8


# By hand -----------------------------------------------------------------------------------------------------------


def test_the_worst_bank_names_each_dword_and_the_lane_that_wants_it() -> None:
    addresses = [4 * lane for lane in range(32)]
    addresses[9] = 4 * (2 + 32)
    (only,) = phases("sm_90", "ld.shared.32", addresses)
    assert only.lanes == tuple(range(32))
    assert (only.cycles, only.worst.bank, only.worst.dwords, only.worst.lanes) == (2, 2, (2, 34), (2, 9))


@pytest.mark.parametrize("name", target_names())
def test_every_instruction_is_free_of_conflicts_on_a_run_of_memory_and_on_one_dword(name: str) -> None:
    gpu = target(name)
    for instruction in gpu.instructions.values():
        step = max(instruction.bytes, instruction.alignment)
        if instruction.bytes != 12:  # b96 steps by its alignment, 16 bytes, and leaves every fourth bank empty
            assert conflicts(gpu, instruction, step * np.arange(gpu.wave_size)) == 0
        assert conflicts(gpu, instruction, np.zeros(gpu.wave_size, int)) == 0


def test_a_stride_in_dwords_is_free_of_conflicts_iff_odd() -> None:
    lane, stride = np.arange(32), np.arange(1, 200)
    degree = phase_cycles("sm_90", "ld.shared.32", 4 * stride[:, None] * lane)[:, 0]
    assert ((degree == 1) == (stride % 2 == 1)).all()
    assert (degree == np.gcd(stride, 32)).all()


def test_bytes_of_one_dword_are_shared() -> None:
    assert cycles("sm_90", "ld.shared.8", np.arange(32)).item() == 1
    assert cycles("gfx942", "ds_read_u8", np.arange(64)).item() == 2


# Three routes agree -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", target_names())
def test_lane_by_lane_and_vectorised_agree_on_random_accesses(name: str) -> None:
    gpu, rng = target(name), np.random.default_rng(5)
    for instruction in gpu.instructions.values():
        slots = rng.integers(0, rng.integers(2, 400, (8, 1)), (8, gpu.wave_size))
        many = phase_cycles(gpu, instruction, slots * instruction.alignment)
        for row, found in zip(slots, many, strict=True):
            one = [phase.cycles for phase in phases(gpu, instruction, row * instruction.alignment)]
            assert one == [number for number in found.tolist() if number]


@pytest.mark.fuzz
@pytest.mark.parametrize("name", target_names())
def test_linear_algebra_and_enumeration_agree_on_random_linear_maps(name: str) -> None:
    gpu, rng = target(name), np.random.default_rng(FIRST + 6)
    bits = gpu.wave_size.bit_length() - 1
    for instruction in gpu.instructions.values():
        assert phase_subgroup(instruction) is not None
        for _ in range(count(12, dear=50)):
            basis = [int(n) * instruction.alignment for n in rng.integers(0, 1024 // instruction.alignment, bits)]
            for zero in np.flatnonzero(rng.random(bits) < 0.2):
                basis[zero] = 0
            base = int(rng.integers(0, 64)) * instruction.alignment
            addresses = [base ^ sum_xor(basis, lane) for lane in range(gpu.wave_size)]
            assert columns_of(addresses) == tuple(basis)
            degree = linear_degree(instruction, basis)
            found = phases(gpu, instruction, addresses)
            assert {phase.cycles for phase in found} == {degree} if instruction.bytes != 12 else degree is None


def sum_xor(basis: list[int], lane: int) -> int:
    return int(np.bitwise_xor.reduce([b for i, b in enumerate(basis) if lane >> i & 1] or [0]))


def test_a_stride_that_is_no_power_of_two_is_not_linear() -> None:
    assert columns_of([24 * lane for lane in range(64)]) is None


# Bad input ----------------------------------------------------------------------------------------------------------


def test_bad_input_has_a_message_of_its_own() -> None:
    run = 16 * LANE
    with pytest.raises(LaneMapError, match="takes 64 addresses, one a lane: 32 given"):
        phases("gfx942", "ds_read_b128", run[:32])
    with pytest.raises(LaneMapError, match="one wave's addresses"):
        phases("gfx942", "ds_read_b128", [run, run])
    with pytest.raises(LaneMapError, match="whole numbers"):
        phases("gfx942", "ds_read_b128", run / 2)
    with pytest.raises(MisalignedError, match="lane 1: address 18 is no multiple of 4, as ds_read_b128 needs"):
        phases("gfx942", "ds_read_b128", np.where(LANE == 1, 18, run))
    with pytest.raises(MisalignedError, match=r"lane 1: address 24 is no multiple of 16, as ld\.shared\.128 needs"):
        phases("sm_90", "ld.shared.128", np.where(LANE == 1, 24, run)[:32])
    with pytest.raises(MisalignedError, match="columns"):
        linear_degree(target("gfx942").instruction("ds_read_b128"), [8, 16])
    with pytest.raises(OutsideLdsError, match="lane 63: bytes 65536 to 65551 leave the LDS of gfx942"):
        phases("gfx942", "ds_read_b128", np.where(LANE == 63, 65536, run))
    with pytest.raises(OutsideLdsError, match="lane 0: bytes -16"):
        phases("gfx942", "ds_read_b128", run - 16)
    with pytest.raises(UnknownInstructionError):
        phases("gfx942", "ds_read_b256", run)


# Hardware -----------------------------------------------------------------------------------------------------------

DATA = Path(__file__).parents[2] / "benchmarks" / "banks" / "data"


@pytest.fixture(scope="module", params=["sm_90", "sm_90-held-out"])
def measured(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    return list(json.loads((DATA / f"{request.param}.json").read_text())["accesses"])


@pytest.mark.parametrize("width", [1, 2, 4, 8, 16])
@pytest.mark.parametrize(("way", "instruction"), [("read", "ld.shared"), ("write", "st.shared")])
def test_the_model_is_exact_on_hardware(measured: list[dict[str, Any]], way: str, instruction: str, width: int) -> None:
    some = [one for one in measured if one["bytes"] == width]
    predicted = cycles("sm_90", f"{instruction}.{8 * width}", [one["addresses"] for one in some])
    counted = np.array([one[way] for one in some])
    assert len(some) >= 50
    wrong = [(some[i]["family"], some[i]["parameters"]) for i in np.flatnonzero(predicted != counted)]
    assert not wrong


def test_enough_was_measured_and_the_merge_rule_matters(measured: list[dict[str, Any]]) -> None:
    assert {one["family"] for one in measured} >= {"random", "pool", "pairs", "spoiled", "halves"}
    assert len(measured) >= 500
    wide = [one for one in measured if one["bytes"] >= 8]
    assert sum(one["read"] < one["write"] for one in wide) > 0, "reads that cost less than the same write"
    assert sum(one["read"] == one["write"] and len(set(one["addresses"])) < 32 for one in wide) >= 50


PUBLISHED = tomllib.loads((DATA / "published.toml").read_text())
TABLES = {f"{one['target']} {one['instruction']}": one for one in PUBLISHED["table"]}


def strided(table: dict[str, Any]) -> np.ndarray:
    gpu = target(table["target"])
    return np.array(table["stride"])[:, None] * np.arange(gpu.wave_size) % gpu.lds_bytes


@pytest.mark.parametrize("name", [name for name, one in TABLES.items() if "conflicts" in one])
def test_amd_s_counter_counts_the_cycles_that_the_model_loses(name: str) -> None:
    """SQ_LDS_BANK_CONFLICT on an MI300X is one a cycle lost: exactly, on each access that was published."""
    table = TABLES[name]
    lost = conflicts(table["target"], table["instruction"], strided(table))
    assert (PUBLISHED["reads"] * lost).tolist() == table["conflicts"]


@pytest.mark.parametrize("name", TABLES)
def test_what_takes_as_many_cycles_takes_as_long(name: str) -> None:
    """And what takes more takes longer.  5 %: the spread of latencies that were published for one number of cycles."""
    table = TABLES[name]
    found = cycles(table["target"], table["instruction"], strided(table))
    pairs = list(zip(found.tolist(), table["latency"], strict=True))
    for (few, short), (many, long) in itertools.product(pairs, repeat=2):
        assert few != many or abs(short - long) < 0.05 * long
        assert few >= many or short < long
