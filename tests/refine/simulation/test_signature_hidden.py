"""The sizes of a launch are known to the prover where a kernel asks for them."""

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.views import cast
from layoutalg.refine.refinement import prove_binary
from tests.matrix import each

PROGRAM = cast("f32", "bf16", 4)


def proved(target, old, new):
    text = emit_unverified(PROGRAM)
    assert old in text
    payload = compile_source(text.replace(old, new), target).payload
    return prove_binary(decode_kernel(read_kernels(payload)[PROGRAM.name]), PROGRAM, seconds=20)


@pytest.mark.parametrize("target", each(["gfx942", "gfx1100"], "gfx942"))
def test_the_sizes_of_blocks_and_grid_are_known(target):
    assert proved(target, "b0 * 4096", "b0 * ((int)blockDim.x + 256 * (int)(b0 < (int)gridDim.x)) * 8").proved


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [("b0 * 4096", "b0 * (int)blockDim.x * 8"), ("(d0 < D0)", "(d0 < D0 && b0 + 1 < (int)gridDim.x)"),
     ("b0 * 4096", "b0 * ((int)blockDim.x + (int)blockDim.y) * 16")],
)  # fmt: skip
def test_other_sizes_are_refuted(old, new):
    assert proved("gfx942", old, new).name == "refuted"
