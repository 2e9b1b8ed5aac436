"""Binaries of `kernels/` that are proved; those that take longer with `make test-slow` only."""

from itertools import product

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.kernel import library
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.convolution import convolution
from layoutalg.kernel.library.plans import Plan
from layoutalg.kernel.library.windows import Windows
from layoutalg.kernel.program.fragments import FMA
from layoutalg.refine.refinement import prove_binary
from tests.matrix import turns


def verdict(program, target, seconds):
    code = compile_source(emit_unverified(program), target)
    return prove_binary(decode_kernel(read_kernels(code.payload)[program.name]), program, seconds=seconds)


TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250")


#: Of gfx1250's convolution clang has more accesses of LDS change places than are looked at.
PROVED = [cell for cell in product(["gemm_f16", "conv_f16"], TARGETS) if cell != ("conv_f16", "gfx1250")]


@pytest.mark.parametrize(("folder", "target"), turns(PROVED))
def test_products_and_convolutions_are_proved(folder, target):
    """On gfx90a a product's loop keeps the halves of a pointer in registers that are no neighbours."""
    variants = library.folder(folder)
    found = verdict(variants.get(target) or variants[""], target, 300)
    assert found.proved, found.failures[:2]


@pytest.mark.slow
def test_a_convolution_along_one_axis_is_proved():
    """Windows as in two dimensions, in a small tile: the first iterations are known not to be the last."""
    plan = Plan(FMA, (4, 4), (16, 16), 8, 8)
    program = convolution(Windows((3,), (1,), (1,), (1,)), "f16", plan=plan, widths=(8, 8))
    found = verdict(program, "gfx942", 60)
    assert found.proved, found.failures[:2]
