"""Builds without optimisation, proved: variables in scratch, scalar registers spilled to lanes, indexed registers."""

import functools

import pytest

from layoutalg.device.amdgcn.against import prove_binary
from layoutalg.device.amdgcn.binary import read_kernels
from layoutalg.device.amdgcn.program import decode_kernel
from layoutalg.device.compile import compile_source
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.views import cast

PROGRAM = functools.cache(lambda: cast("f32", "bf16", 4))


@functools.cache
def unoptimised(target):
    code = compile_source(emit_unverified(PROGRAM()), target, opt_level=0)
    return decode_kernel(read_kernels(code.payload)[PROGRAM().name])


@pytest.mark.parametrize("target", ["gfx90a", "gfx942", "gfx1100", "gfx1201"])
def test_a_build_without_optimisation_is_proved(target):
    program = unoptimised(target)
    names = {instruction.name for instruction in program.instructions}
    assert {"V_READLANE_B32", "V_WRITELANE_B32"} <= names
    assert program.kernel.private_bytes > 0
    verdict = prove_binary(program, PROGRAM())
    assert verdict.proved, verdict.failures[:2]
