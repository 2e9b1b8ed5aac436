"""Matrix-core operands: each map holds every element, and the product through the maps is the product."""

import numpy as np
import pytest

from layoutalg.target.known import having, matrix_instructions
from layoutalg.target.matrix import (
    MatrixInstruction,
    UnknownMatrixInstructionError,
    matrix_instruction,
    matrix_table,
)

ALL = tuple(matrix_table().values())
every = pytest.mark.parametrize("instruction", ALL, ids=lambda one: one.name)


def operands(instruction: MatrixInstruction, seed: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    m, n, k = instruction.m, instruction.n, instruction.k
    a, b, c = (rng.integers(-8, 9, shape) for shape in ((m, k), (k, n), (m, n)))
    return a, b, c


@every
def test_every_map_is_a_bijection_or_has_its_stated_copies(instruction: MatrixInstruction) -> None:
    for name in ("a", "b", "d", "isa_a", "isa_b"):
        one = getattr(instruction, name)
        if one is None:
            continue
        rows, columns = one.places
        assert rows.shape[0] == instruction.wave
        held = np.zeros(one.shape, int)
        np.add.at(held, (rows, columns), 1)
        assert (held == one.copies).all(), name
    gfx11 = "gfx1100" in having(instruction.name)
    assert (instruction.a.copies, instruction.d.copies) == (instruction.wave // 16 if gfx11 else 1, 1)


@every
def test_the_product_through_the_maps_is_the_product(instruction: MatrixInstruction) -> None:
    a, b, c = operands(instruction)
    held = instruction.execute(instruction.a.spread(a), instruction.b.spread(b), instruction.c.spread(c))
    assert held.shape[0] == instruction.wave
    assert np.array_equal(instruction.d.gather(held), a @ b + c)


@pytest.mark.parametrize("instruction", [one for one in ALL if one.isa_a], ids=lambda one: one.name)
def test_the_order_of_k_cannot_be_seen_when_a_and_b_share_it(instruction: MatrixInstruction) -> None:
    a, b, c = operands(instruction)
    held_c = instruction.c.spread(c)
    both = instruction.execute(instruction.a.spread(a), instruction.b.spread(b), held_c, isa=True)
    assert np.array_equal(instruction.d.gather(both), a @ b + c)
    assert instruction.isa_b is not None
    only_a = instruction.execute(instruction.a.spread(a), instruction.isa_b.spread(b), held_c, isa=True)
    assert not np.array_equal(instruction.d.gather(only_a), a @ b + c)


def test_one_load_layout_serves_gfx942_and_gfx950() -> None:
    """The registers of K = 16, fed to two instructions of K = 8 (elements 0–3, then 4–7), give the same product."""
    new, old = matrix_instruction("mfma_f32_32x32x16_f16"), matrix_instruction("mfma_f32_32x32x8f16")
    a, b, c = operands(new)
    held_a, held_b, held = new.a.spread(a), new.b.spread(b), new.c.spread(c)
    for half in (slice(0, 4), slice(4, 8)):
        held = old.execute(held_a[:, half], held_b[:, half], held)
    assert np.array_equal(new.d.gather(held), a @ b + c)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("mfma_f32_16x16x16f16", "mfma_f32_16x16x16f16"),
        ("wmma_f32_16x16x16_f16_w32_gfx12", "wmma_f32_16x16x16_f16_w32_gfx12"),
    ],
)
def test_d_is_the_next_products_b_without_moving_data(first: str, second: str) -> None:
    d, b = matrix_instruction(first).d, matrix_instruction(second).b
    assert all(np.array_equal(*pair) for pair in zip(d.places, b.places, strict=True))


def test_four_registers_of_a_32_row_d_are_the_b_of_eight_rows() -> None:
    mfma = matrix_instruction("mfma_f32_32x32x8f16")
    rows, columns = mfma.d.places
    for block in range(4):
        b_rows, b_columns = mfma.b.places
        part = slice(4 * block, 4 * block + 4)
        assert np.array_equal(rows[:, part] - 8 * block, b_rows)
        assert np.array_equal(columns[:, part], b_columns)


def test_gfx11s_d_interleaves_rows() -> None:
    wmma = matrix_instruction("wmma_f32_16x16x16_f16_w32")
    assert [wmma.d.at(17, i) for i in range(3)] == [(1, 1), (3, 1), (5, 1)]
    assert wmma.a.at(3, 5) == wmma.a.at(19, 5) == (3, 5)


def test_a_copy_that_differs_is_refused() -> None:
    wmma = matrix_instruction("wmma_f32_16x16x16_f16_w32")
    held = wmma.a.spread(operands(wmma)[0])
    held[19] += 1
    with pytest.raises(ValueError, match="two lanes hold different values"):
        wmma.a.gather(held)


def test_targets_have_what_they_compile() -> None:
    assert {"mfma_f32_32x32x4_xf32"} <= {one.name for one in matrix_instructions("gfx942")}
    assert not {one.name for one in matrix_instructions("gfx950")} & {"mfma_f32_32x32x4_xf32", "mfma_f32_32x32x4bf16"}
    assert {one.k for one in matrix_instructions("sm_90")} == {8, 16}
    assert {one.wave for one in matrix_instructions("gfx1250")} == {32}
    assert matrix_instructions("gfx900") == ()


def test_bad_input_is_refused() -> None:
    with pytest.raises(UnknownMatrixInstructionError, match="mfma_f32_32x32x8f16"):
        matrix_instruction("mfma_f32_32x32x8_f16")
    with pytest.raises(ValueError, match=r"a matrix of \(32, 8\); one of \(8, 32\)"):
        matrix_instruction("mfma_f32_32x32x8f16").a.spread(np.zeros((8, 32)))


def test_scaled_operands_are_where_amds_blog_loads_them() -> None:
    """ROCm/rocm-blogs, matrix-cores-cdna, 5.4 and 5.5: which elements of A the kernels of 32 × 32 × 64 load."""
    eight = matrix_instruction("mfma_scale_f32_32x32x64_f8f6f4.fp8.fp8")
    four = matrix_instruction("mfma_scale_f32_32x32x64_f8f6f4.fp4.fp4")
    for lane in (0, 5, 31, 32, 63):
        for i in range(2):
            for j in range(16):
                assert eight.isa_a.at(lane, 16 * i + j) == (lane % 32, lane // 32 * 16 + i * 32 + j)
                byte = lane // 32 * 16 + j
                assert four.a.at(lane, 2 * j + i) == (lane % 32, 2 * byte + i)


def test_a_scaled_lane_of_four_bits_has_the_block_of_one_scale() -> None:
    """Modular, BlockScaledMmaOp: of 16 × 16 × 128 lane l has row l mod 16 and the 32 k of scale l div 16."""
    rows, k = matrix_instruction("mfma_scale_f32_16x16x128_f8f6f4.fp4.fp4").a.places
    lane = np.arange(64)[:, None]
    assert (rows == lane % 16).all()
    assert (k // 32 == lane // 16).all()
