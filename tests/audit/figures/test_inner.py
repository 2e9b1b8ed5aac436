"""The inner loop of a kernel by count."""

import pytest

from benchmarks.ck.loops import of_ours
from layoutalg.audit.figures.figures import figures
from layoutalg.audit.figures.inner import inner_loop
from layoutalg.isa.decode.code import branch_target
from layoutalg.target import target
from tests.foreign.running import machine_code
from tests.foreign.table import KERNELS
from tests.matrix import each, turns


def test_it_is_what_lies_between_a_branch_back_and_where_it_leads() -> None:
    code = machine_code(KERNELS["mfma_f16_16x16"], "gfx942")
    found = figures(code).inner
    assert found is not None
    last = found.instructions[-1]
    assert branch_target(last) == found.instructions[0].address
    between = [one for one in code.instructions if found.instructions[0].address <= one.address <= last.address]
    assert [*found.instructions] == between


def test_its_figures_are_those_of_a_wave_that_multiplies_16_by_16_by_16() -> None:
    found = figures(machine_code(KERNELS["mfma_f16_16x16"], "gfx942")).inner
    assert found is not None
    assert (found.waves, found.kinds["matrix"], found.kinds["memory load"]) == (1, 1, 2)
    assert found.macs == 16**3
    assert found.loaded == 2 * 16 * 16 * 2  # a and b, two bytes each
    assert found.bounds["matrix"] == 16 // 4  # 16 cycles of one of four SIMDs
    assert "1 matrix instruction" in next(found.text())


def test_an_lds_access_without_a_price_is_told_and_counts_as_nothing() -> None:
    code = machine_code(KERNELS["matmul_tiled"], "gfx942")
    plain = inner_loop(code, 4, {})
    assert plain is not None
    assert plain.unpriced == plain.kinds["LDS load"] + plain.kinds["LDS store"] > 0
    assert plain.bounds["lds"] == 0
    priced = inner_loop(code, 4, {one.address: 8 for one in plain.instructions})
    assert priced is not None
    assert (priced.unpriced, priced.bounds["lds"]) == (0, 8 * plain.unpriced)


def test_more_blocks_of_a_unit_hide_what_one_wave_has_to_begin() -> None:
    found = inner_loop(machine_code(KERNELS["matmul_tiled"], "gfx942"), 16, {})
    assert found is not None
    begun = len(found.instructions) - sum(found.kinds[kind] for kind in ("wait", "barrier", "nothing"))
    assert found.resident == 2
    assert found.bounds["issue"] == 4 * 4 * found.kinds["vector"] > 4 * begun / found.resident


def test_without_a_loop_there_is_none() -> None:
    assert figures(machine_code(KERNELS["transpose_padded"], "gfx942")).inner is None


@pytest.mark.parametrize("target", turns(["gfx942", "gfx950"]))
def test_products_of_256_by_256_load_half_the_bytes_of_those_of_128_by_128_and_wait_less_for_lds(target: str) -> None:
    small, large = (
        of_ours(cut, "fp16", target, "rcr").loop for cut in (((2, 2), (2, 2), 32, 2), ((4, 2), (2, 4), 32, 2))
    )
    assert small is not None
    assert large is not None
    assert large.loaded / large.macs == small.loaded / small.macs / 2
    busy = [loop.bounds["lds"] / loop.bounds["matrix"] for loop in (large, small)]
    assert busy[0] < busy[1] <= 1
    assert max(large.bounds.values()) == large.bounds["matrix"]
    assert not large.kinds["scratch load"] + large.kinds["scratch store"]


@pytest.mark.parametrize("target", each(["gfx942", "gfx950"], "gfx942"))
def test_a_tile_that_lds_does_not_hold_says_so(target: str) -> None:
    row = of_ours(((4, 4), (4, 4), 64, 2), "fp16", target, "rcr")
    assert row.loop is None
    assert row.tile == (512, 512, 64)
    assert "bytes of LDS" in row.why


@pytest.mark.parametrize(
    ("name", "dtype"), each([("gfx942", "f16"), ("gfx950", "f16"), ("gfx950", "bf16")], ("gfx950", "bf16"))
)
def test_cycles_of_matrix_instructions_come_to_the_peak_of_the_card(name: str, dtype: str) -> None:
    gpu = target(name)
    assert gpu.matrix is not None
    assert gpu.matrix.cycles.keys() == set(gpu.matrix.instructions)
    m, n, k = (32, 32, 16) if name == "gfx950" else (32, 32, 8)
    cycles = gpu.matrix.cycles[gpu.tilings[dtype].instruction]
    (card,) = gpu.cards
    assert gpu.unit is not None
    peak = 2 * m * n * k * gpu.unit.simds / cycles * card.units * card.clock * 1e6
    assert peak / 1e12 == pytest.approx(card.half_matrix, rel=0.001)
