"""Layouts for elements of 4 and 6 bits: found, proved again from the file, and counted anew bit by bit."""

import numpy as np
import pytest

from layoutalg.errors import LayoutError
from layoutalg.formats import loads
from layoutalg.formats.check import check
from layoutalg.index import var
from layoutalg.index.evaluate import grid
from layoutalg.memory import lane_map
from layoutalg.memory.banks import phase_cycles
from layoutalg.synth.command import from_spec, gemm
from layoutalg.synth.families import round_of_banks
from layoutalg.synth.problem import Problem, Use, rowwise
from layoutalg.synth.report import toml
from layoutalg.synth.search import synthesize
from layoutalg.target.dtypes import DTYPES

LANE = var("lane", 64)


def problem(dtype: str, vector: int, rows: int = 64, parts: int = 4) -> Problem:
    """Vectors copied in row by row; read down the rows by sixteen lanes, as an operand of 16 rows is."""
    reads = lane_map(LANE, (LANE % 16 + 16 * var("block", rows // 16), LANE // 16 * vector), vector, "an operand")
    writes = rowwise(rows, parts * vector, vector)
    return Problem((rows, parts * vector), dtype, (Use(writes, "write"), Use(reads)), ("gfx950",))


@pytest.mark.parametrize(("dtype", "vector"), [("f4", 32), ("i4", 16)])
def test_what_is_found_has_no_conflicts_when_its_bits_are_counted(dtype: str, vector: int) -> None:
    asked = problem(dtype, vector)
    found = synthesize(asked)
    assert found.conflict_free
    places = grid(found.descriptor.offset(found.descriptor.index), found.descriptor.index) * DTYPES[dtype].bits
    assert len(np.unique(places)) == 64 * 4 * vector
    bytes = vector * DTYPES[dtype].bits // 8
    lane = np.arange(64)
    for block in range(4):
        start = places[16 * block + lane % 16, lane // 16 * vector]
        assert not (start % 8).any()
        assert phase_cycles("gfx950", f"ds_read_b{8 * bytes}", start // 8).max() == 1
    assert found.bytes >= asked.packed_bytes == 64 * 4 * bytes
    assert all(result.passed for result in check(loads(toml(found))))


def test_rounds_of_vectors_that_do_not_fill_one_are_as_many_as_are_whole() -> None:
    assert round_of_banks(problem("f6", 16)) * 12 % 128 == 0
    assert round_of_banks(problem("f4", 32)) * 16 in (128, 256)


@pytest.mark.slow
def test_elements_of_six_bits_come_in_twelve_bytes_which_must_lie_at_multiples_of_sixteen() -> None:
    with pytest.raises(LayoutError, match=r"packed: the copy to LDS by ds_write_b96 on gfx950: .*multiple of 16"):
        synthesize(problem("f6", 16))


FILE = """
[[descriptor]]
name = "tile"
dtype = "f4"
base = { kind = "packed", lengths = [64, 256] }

[[access]]
name = "reads"
descriptor = "tile"
targets = ["gfx950"]
instruction = "ds_read_b128"
width = 32
index = ["lane % 16", "lane // 16 * 32"]
"""


def test_a_file_of_elements_of_half_a_byte_is_given_a_layout() -> None:
    found, code = from_spec(loads(FILE), "tile")
    assert code == 0
    assert found.bytes == 64 * 128
    assert found.name != "packed"


@pytest.mark.parametrize(("transposed", "direct", "cycles"), [(False, 16, 1), (True, 4, 1), (True, 16, 2)])
def test_operands_of_four_bits_have_layouts_that_loads_fill_straight(
    transposed: bool, direct: int, cycles: int
) -> None:
    """Read transposed, 8 bytes of a row: where 16 stay together, half of each round of the banks is in vain."""
    read = "mfma_scale_f32_16x16x128_f8f6f4.fp4.fp4"
    tile = "128x256" if transposed else "64x256"
    found, code = gemm(tile, "", read, ["gfx950"], transposed=transposed, direct=direct)
    assert (code, found.extra, found.degree) == (cycles - 1, 0, cycles)
    assert found.verdicts[-1].claim.startswith(f"each load of 64 × {direct} bytes lands in one piece")
    assert {use.instruction for use in found.problem.uses} == {"ds_read_b64_tr_b4" if transposed else None}
    if cycles > 1:
        assert found.excluded[-1].strategy == "pigeonhole"
