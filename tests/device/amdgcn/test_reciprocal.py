"""Unsigned division by reciprocal: what is assumed of its estimate, tried; and a kernel whose proof rests on it."""

import numpy as np
import pytest

from layoutalg.device.amdgcn.against import prove_binary
from layoutalg.device.amdgcn.binary import read_kernels
from layoutalg.device.amdgcn.program import decode_kernel
from layoutalg.device.amdgcn.reciprocal import ASSUMPTION
from layoutalg.device.compile import compile_source
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.tasks import permute_task


@pytest.mark.parametrize("above", [False, True])
def test_the_estimated_quotient_is_at_most_two_too_small(above):
    """With either of the two f32 around the reciprocal: the machine's is within a unit in the last place."""
    rng = np.random.default_rng(above)
    bits = rng.integers(1, 33, (2, 400_000))
    n, d = (np.maximum(rng.integers(0, 1 << 32, b.shape, np.uint64) >> (32 - b).astype(np.uint64), 1) for b in bits)
    divisor = d.astype(np.uint32).astype(np.float32)
    nearest = np.float32(1) / divisor
    exact = 1 / divisor.astype(np.float64)
    beyond = nearest < exact if above else nearest > exact
    reciprocal = np.where(beyond, np.nextafter(nearest, np.float32(2 if above else 0)), nearest)
    product = np.uint32(0x4F7FFFFE).view(np.float32) * reciprocal
    z = np.minimum(product.astype(np.uint64), np.uint64(0xFFFFFFFF))
    mask, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    z = z + (z * ((np.uint64(0) - d * z) & mask) >> half)
    error = (n // d).astype(np.int64) - (n * z >> half).astype(np.int64)
    assert error.min() >= 0
    assert error.max() <= 2


def test_a_kernel_that_divides_is_proved_and_says_what_it_assumes():
    program = permute_task((8, 64, 56), (0, 2, 1), "f16").program
    binary = decode_kernel(read_kernels(compile_source(emit_unverified(program), "gfx942").payload)[program.name])
    verdict = prove_binary(binary, program)
    assert verdict.proved, verdict.failures[:1]
    assert verdict.assumptions == (ASSUMPTION,)
