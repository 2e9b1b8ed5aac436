"""What has to give way where no layout is free: each way that is named is one, and a problem without any says so."""

import pytest

from layoutalg.errors import LayoutError
from layoutalg.formats import loads
from layoutalg.synth.command import from_spec, gemm
from layoutalg.synth.problem import gemm_problem
from layoutalg.synth.report import text
from layoutalg.synth.search import synthesize

READ = "mfma_f32_32x32x2f32"
FILE = """
symbols = { M = { min = 8, max = 4096, multiple_of = 8 } }
[[descriptor]]
name = "tile"
dtype = "f16"
base = { kind = "packed", lengths = ["M", 64] }
[[access]]
name = "column"
descriptor = "tile"
lanes = 64
width = 1
index = ["lane % M", 0]
instruction = "ds_read_u16"
targets = ["gfx942"]
claims = ["conflict_free"]
"""


def test_the_copy_that_is_named_makes_one_free() -> None:
    found, code = gemm("64x16", "", READ, ["gfx942"])
    assert code == 1
    assert found.ways_out[0] == "with a copy of 4 bytes a lane (--copy 4)"
    assert "One is, with a copy of 4 bytes a lane (--copy 4)." in text(found)
    narrow, code = gemm("64x16", "", READ, ["gfx942"], copy=4)
    assert (narrow.conflict_free, code, narrow.ways_out) == (True, 0, ())
    assert not synthesize(gemm_problem(64, 16, "f32", READ, ("gfx942",), copy=8)).conflict_free


def test_a_free_one_asks_no_more() -> None:
    found, code = gemm("128x64", "", "mfma_f32_32x32x16_f16", ["gfx942", "gfx950"])
    assert (code, found.ways_out) == (0, ())


@pytest.mark.parametrize("copy", [3, 32, 12])
def test_a_copy_that_no_instruction_makes_is_refused(copy: int) -> None:
    with pytest.raises(LayoutError, match=f"a copy of {copy} bytes a lane"):
        gemm_problem(64, 16, "f32", READ, ("gfx942",), copy=copy)


def test_a_file_s_sizes_are_given() -> None:
    spec = loads(FILE)
    with pytest.raises(LayoutError, match=r"tile has lengths \(M, 64\): give them values \(-D M=…\)"):
        from_spec(spec, "tile")
    found, code = from_spec(spec, "tile", sizes={"M": 64})
    assert (found.problem.lengths, code) == ((64, 64), 0)
    with pytest.raises(LayoutError, match="does not allow"):
        from_spec(spec, "tile", sizes={"M": 9})
