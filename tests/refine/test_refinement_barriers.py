"""gfx12's barrier has two parts, a signal and a wait: without its signal a wait hangs, and that is no proof."""

from dataclasses import replace

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.errors import Fault
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.transpose import lds_transpose
from layoutalg.refine.refinement import prove_binary
from layoutalg.refine.trial import attempt, make_case, small_sizes

KERNEL = lds_transpose(vector=4)


def binary():
    return decode_kernel(read_kernels(compile_source(emit_unverified(KERNEL), "gfx1201").payload)[KERNEL.name])


def patched(whole, name, replacement):
    """The binary with the first instruction of a name replaced."""
    place = next(i for i in whole.instructions if i.name == name)
    code, start = bytearray(whole.kernel.code), place.address - whole.kernel.entry
    code[start : start + place.size] = replacement
    return decode_kernel(replace(whole.kernel, code=bytes(code)))


def encoding(whole, name):
    place = next(i for i in whole.instructions if i.name == name)
    return whole.kernel.code[place.address - whole.kernel.entry :][: place.size]


def test_signal_and_wait_are_proved():
    assert prove_binary(binary(), KERNEL).proved


@pytest.mark.parametrize("left_out", ["S_BARRIER_SIGNAL", "S_BARRIER_WAIT"])
def test_half_a_barrier_is_not(left_out):
    mutant = patched(binary(), left_out, bytes.fromhex("000080bf"))
    with pytest.raises(Fault):
        attempt(mutant, KERNEL, make_case(KERNEL, small_sizes(KERNEL)))
    assert not prove_binary(mutant, KERNEL).proved


def test_a_signal_in_the_place_of_the_wait_is_not():
    whole = binary()
    mutant = patched(whole, "S_BARRIER_WAIT", encoding(whole, "S_BARRIER_SIGNAL"))
    assert not prove_binary(mutant, KERNEL).proved
