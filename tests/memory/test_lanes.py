"""Lane maps: what lanes name, and what loads that transpose bring them."""

import numpy as np
import pytest

from layoutalg.index.evaluate import grids
from layoutalg.memory import WidthError, transposing
from layoutalg.memory.banks import LaneMapError
from layoutalg.target.matrix import matrix_instruction


@pytest.mark.parametrize(
    ("name", "width"),
    [
        ("mfma_f32_32x32x16_f16", 4), ("mfma_f32_16x16x32_f16", 4), ("mfma_f32_32x32x8f16", 4),
        ("mfma_f32_16x16x16f16", 4), ("mfma_f32_32x32x16_fp8_fp8", 8), ("mfma_f32_16x16x32_fp8_fp8", 8),
    ],
)  # fmt: skip
def test_what_lanes_name_comes_as_the_operand_when_sixteen_lanes_exchange_it(name: str, width: int) -> None:
    """Element e of lane l is number 16·e + l of its 16 lanes' (rocRoller's TransposeLoadsTest, run on gfx950)."""
    matrix = matrix_instruction(name).a
    rows, columns = matrix.shape
    named = transposing(matrix, (columns, rows), width)
    axes = [*named.variables, named.lane, named.element]
    k, row = (a.reshape(-1, 64, width) for a in grids(named.index, axes))
    assert len(k) == int(matrix.element.hi + 1) // width
    own_row, own_k = matrix.places
    for part, (ks, rs) in enumerate(zip(k, row, strict=True)):
        for lane in range(64):
            for e in range(width):
                other, i = divmod(16 * e + lane % 16, width)
                other += lane // 16 * 16
                held = part * width + e
                assert (ks[other, i], rs[other, i]) == (own_k[lane, held], own_row[lane, held])


def test_every_place_of_a_tile_is_read() -> None:
    matrix = matrix_instruction("mfma_f32_16x16x32_f16").a
    named = transposing(matrix, (64, 48), 4)
    k, row = grids(named.index, [*named.variables, named.lane, named.element])
    assert set(zip(k.reshape(-1).tolist(), row.reshape(-1).tolist(), strict=True)) == set(np.ndindex(64, 48))


def test_what_no_transposing_load_brings_is_refused() -> None:
    matrix = matrix_instruction("mfma_f32_16x16x32_f16")
    with pytest.raises(LaneMapError, match="no whole number of operands of 32 × 16"):
        transposing(matrix.a, (16, 16), 4)
    with pytest.raises(WidthError, match="loads of 3"):
        transposing(matrix.a, (32, 16), 3)
    with pytest.raises(LaneMapError, match="no 4 consecutive k of 16 rows"):
        transposing(matrix.b, (16, 32), 4)
