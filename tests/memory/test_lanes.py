"""Lane maps: what lanes name, and what loads that transpose bring them."""

import numpy as np
import pytest

from layoutalg.index import var
from layoutalg.index.evaluate import grids
from layoutalg.memory import WidthError, operand, transposing
from layoutalg.memory.banks import LaneMapError
from layoutalg.target.matrix import matrix_instruction
from layoutalg.target.transposed import TRANSPOSED

FOUR = "mfma_scale_f32_{}_f8f6f4.fp4.fp4"
SIXTEEN, EIGHT, NIBBLES = (f"ds_read_b64_tr_b{bits}" for bits in (16, 8, 4))


@pytest.mark.parametrize(
    ("name", "load"),
    [
        ("mfma_f32_32x32x16_f16", SIXTEEN), ("mfma_f32_16x16x32_f16", SIXTEEN), ("mfma_f32_32x32x8f16", SIXTEEN),
        ("mfma_f32_16x16x16f16", SIXTEEN), ("mfma_f32_32x32x16_fp8_fp8", EIGHT), ("mfma_f32_16x16x32_fp8_fp8", EIGHT),
        (FOUR.format("32x32x64"), NIBBLES), (FOUR.format("16x16x128"), NIBBLES),
    ],
)  # fmt: skip
def test_what_lanes_name_comes_as_the_operand_when_the_load_exchanges_it(name: str, load: str) -> None:
    one = TRANSPOSED[load]
    matrix, width = matrix_instruction(name).a, one.elements
    rows, columns = matrix.shape
    named = transposing(matrix, (columns, rows), width)
    axes = [*named.variables, named.lane, named.element]
    k, row = (a.reshape(-1, 64, width) for a in grids(named.index, axes))
    assert len(k) == int(matrix.element.hi + 1) // width
    own_row, own_k = matrix.places
    for part, (ks, rs) in enumerate(zip(k, row, strict=True)):
        for lane in range(64):
            for e in range(width):
                other, i = one.at(lane, e)
                held = part * width + e
                assert (ks[other, i], rs[other, i]) == (own_k[lane, held], own_row[lane, held])


#: What triton-lang/triton's unittest LinearLayoutConversionsTest.cpp (MFMA16 and MFMA32_dot_op_lhs_trans_fp4_mn_packed)
#: expects of chooseDsReadTrLayout: (M in bytes of two, k) of each bit of the lane, and of the register from the second
#: load on; of one instruction, the others repeat it.
TRITON = {
    "16x16x128": ([(0, 1), (0, 2), (0, 4), (0, 8), (0, 32), (0, 64)], [(1, 0), (2, 0), (4, 0), (0, 16)]),
    "32x32x64": ([(0, 1), (0, 2), (0, 4), (0, 8), (8, 0), (0, 32)], [(1, 0), (2, 0), (4, 0), (0, 16)]),
}


@pytest.mark.parametrize("shape", TRITON)
def test_triton_s_lanes_name_the_same_nibbles(shape: str) -> None:
    matrix = matrix_instruction(FOUR.format(shape)).a
    rows, columns = matrix.shape
    named = transposing(matrix, (columns, rows), 16)
    k, row = (a.reshape(-1, 64, 16) for a in grids(named.index, [*named.variables, named.lane, named.element]))
    lanes, registers = TRITON[shape]
    for part, lane, byte in np.ndindex(2, 64, 8):
        bits = [lane >> n & 1 for n in range(6)] + [byte >> n & 1 for n in range(3)] + [part]
        at = np.array(bits) @ np.array([*lanes, *registers])
        assert (row[part, lane, 2 * byte], k[part, lane, 2 * byte]) == (2 * at[0], at[1])


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


@pytest.mark.parametrize("name", ["row_block", "column_block"])
def test_an_operand_does_not_move_by_a_variable_of_its_own(name: str) -> None:
    """A loop's index that is called as a piece's number would be one with it, and the two would go together."""
    tile = operand(matrix_instruction("mfma_f32_32x32x8f16").a, (128, 64))
    index = var(name, {"row_block": 4, "column_block": 8}[name])
    with pytest.raises(LaneMapError, match="is the map's own"):
        tile.moved((index, 0))
    assert tile.moved((var("k", 4) * 128, 0)).own == tile.own
