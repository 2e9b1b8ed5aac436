"""A refutation is carried out at its witness: a fault, a wrong result, no difference, or sizes that are too large."""

import functools
from dataclasses import replace

import pytest

from layoutalg.device.amdgcn.against import prove_binary
from layoutalg.device.amdgcn.binary import read_kernels
from layoutalg.device.amdgcn.program import decode_kernel
from layoutalg.device.amdgcn.replay import ELEMENTS, replay
from layoutalg.device.compile import compile_source
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.transpose import lds_transpose
from layoutalg.prove import Refuted, Witness

KERNEL = lds_transpose("f16", "xor", 8)


@functools.cache
def honest():
    return decode_kernel(read_kernels(compile_source(emit_unverified(KERNEL), "gfx942").payload)[KERNEL.name])


def changed(name, number, low, high, new):
    """The binary with some bits of one instruction replaced."""
    whole = honest()
    place = [i for i in whole.instructions if i.name == name][number]
    start = place.address - whole.kernel.entry
    word = int.from_bytes(whole.kernel.code[start : start + place.size], "little")
    word = word & ~(((1 << high - low + 1) - 1) << low) | new << low
    code = bytearray(whole.kernel.code)
    code[start : start + place.size] = word.to_bytes(place.size, "little")
    return decode_kernel(replace(whole.kernel, code=bytes(code)))


def refuted(*points):
    return Refuted("a claim", "a guess", 0.0, (), Witness(points, ""))


@pytest.mark.parametrize(
    ("change", "confirmed", "text"),
    [
        (
            ("DS_READ_U16", 3, 8, 15, 7),
            True,
            "a fault, address: 2 bytes at 0x23b0 of an LDS allocation of 8192, block",
        ),  # an offset
        (("GLOBAL_STORE_DWORDX4", 0, 0, 12, 16), True, "a wrong result, "),
        (
            ("V_XOR_B32", 1, 0, 8, 128 + 9),
            True,
            "a fault, alignment: 16 bytes at 0x1012, which is no multiple of 16, block",
        ),  # a swizzle
        (("V_ASHRREV_I32", 0, 0, 8, 128 + 27), None, "too large to run here"),  # wrong only above 2**27
    ],
)
def test_the_witness_of_a_mutant_is_carried_out(change, confirmed, text):
    mutant = changed(*change)
    verdict = prove_binary(mutant, KERNEL).failures[-1][1]
    assert isinstance(verdict, Refuted)
    again = replay(mutant, KERNEL, verdict)
    assert again.confirmed is confirmed
    assert again.text.startswith(text)
    assert str(again).startswith("not replayed" if confirmed is None else "replayed at ")


def test_a_witness_that_a_run_does_not_bear_out_is_said_to_be_one():
    assert str(replay(honest(), KERNEL, refuted({"M": 16, "N": 8}))) == (
        "replayed at M = 16, N = 8: the run shows no difference"
    )
    assert replay(honest(), KERNEL, refuted()).confirmed is False  # no sizes: small ones


def test_a_wrong_result_names_its_first_element():
    """Sixteen bytes are stored where others belong."""
    again = replay(changed("GLOBAL_STORE_DWORDX4", 0, 0, 12, 16), KERNEL, refuted({"M": 64, "N": 64}))
    assert again.text.startswith("a wrong result, 2048 of 4096 elements of target; the first is 0, ")


def test_sizes_that_cannot_be_run_are_told():
    again = replay(honest(), KERNEL, refuted({"M": 16, "N": ELEMENTS // 8}))
    assert (again.confirmed, again.text) == (None, f"too large to run here ({2 * ELEMENTS} elements, 512 blocks)")
