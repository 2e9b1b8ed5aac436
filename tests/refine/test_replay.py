"""A refutation is carried out at its witness: a fault, a wrong result, no difference, or sizes that are too large."""

import functools
import re
from dataclasses import replace

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.transpose import lds_transpose
from layoutalg.prove import Refuted, Witness
from layoutalg.refine.refinement import prove_binary
from layoutalg.refine.replay import ELEMENTS, replay
from tests.isa.assembly import assembled

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
        (("GLOBAL_STORE_DWORDX4", 0, 0, 12, 16), True, "a fault, race: block (0, 0, 0) thread 0 writes global memory"),
        (
            ("V_XOR_B32", 1, 0, 8, 128 + 9),
            True,
            "a fault, address: 16 bytes at 0x1ff2 of an LDS allocation of 8192, block",
        ),  # a swizzle
    ],
)
def test_the_witness_of_a_mutant_is_carried_out(change, confirmed, text):
    mutant = changed(*change)
    found = prove_binary(mutant, KERNEL)
    verdict, again = found.failures[-1][1], found.replayed
    assert isinstance(verdict, Refuted)
    assert replay(mutant, KERNEL, verdict) == again
    assert again.confirmed is confirmed
    assert again.text.startswith(text)
    assert str(again).startswith("replayed at ")


def test_what_would_be_wrong_at_sizes_that_no_run_has_is_unknown_and_says_what_differs():
    found = prove_binary(changed("V_ASHRREV_I32", 0, 0, 8, 128 + 27), KERNEL)  # wrong only above 2**27
    assert found.name == "unknown"
    assert found.replayed.confirmed is None
    assert "it differs from the claimed program, " in found.failures[-1][1].reason
    assert "too large to run here" in found.failures[-1][1].reason


def test_a_witness_that_a_run_does_not_bear_out_is_said_to_be_one():
    assert str(replay(honest(), KERNEL, refuted({"M": 16, "N": 8}))) == (
        "replayed at M = 16, N = 8: the run shows no difference, nor does any at other sizes"
    )
    assert replay(honest(), KERNEL, refuted()).text == "no run at small sizes shows a difference"


def test_a_wrong_result_names_its_first_element():
    """Sixteen bytes of other registers are stored."""
    again = replay(changed("GLOBAL_STORE_DWORDX4", 0, 40, 47, 6), KERNEL, refuted({"M": 64, "N": 64}))
    assert again.text.startswith("a wrong result, 2048 of 4096 elements of target; the first is 0, ")


def test_sizes_that_cannot_be_run_are_told():
    again = replay(honest(), KERNEL, refuted({"M": 16, "N": ELEMENTS // 8}))
    assert again.confirmed is None
    assert again.text.startswith(f"too large to run here ({2 * ELEMENTS} elements, 512 blocks)")


def doubled(pattern, before):
    """The assembly with something in front of the first line that the pattern finds."""

    def added(found):
        return before.format(*found.groups()) + found[0]

    return assembled(KERNEL, "gfx942", lambda text: wide(re.sub(pattern, added, text, count=1)))


def wide(text):
    """It asks for more registers."""
    return re.sub(r"(\.amdhsa_next_free_vgpr) \d+", r"\1 256", re.sub(r"(\.amdhsa_accum_offset) \d+", r"\1 256", text))


@pytest.mark.parametrize(
    ("pattern", "before", "says"),
    [
        (r"\ts_barrier\n", "\ts_barrier\n", "2 barriers before it, 1 in the program"),
        (r"\tds_write_b128 (v\d+), v\[\d+:\d+\]\n", "\tv_mov_b32_e32 v250, 0\n\tds_write_b32 {0}, v250\n", "differs"),
    ],
)
def test_what_does_the_same_in_another_way_is_unknown_and_says_what_differs(pattern, before, says):
    found = prove_binary(doubled(pattern, before), KERNEL)
    assert found.name == "unknown"
    assert says in found.failures[-1][1].reason
    assert found.replayed.confirmed is False
    assert str(found.replayed) in found.failures[-1][1].reason


def test_what_is_not_followed_is_refuted_where_a_run_is_wrong():
    """No claim fails at a witness; a run does."""
    early = "\ts_sendmsg sendmsg(MSG_INTERRUPT)\n"  # an instruction without an entry: nothing is run, nothing shown
    assert prove_binary(doubled(r"\ts_barrier\n", early), KERNEL).name == "unknown"
    found = prove_binary(changed("S_WAITCNT", 0, 0, 31, 0xBF800000), KERNEL)
    assert found.name == "refuted"
    assert found.failures[-1][0] == "a run"
    assert "a fault, wait: " in found.failures[-1][1].reason


def test_a_run_that_is_stopped_shows_nothing(monkeypatch):
    monkeypatch.setattr("layoutalg.refine.replay.STEPS", 10)
    again = replay(honest(), KERNEL, refuted({"M": 16, "N": 8}))
    assert again.confirmed is None
    assert "the kernel ran for 10 instructions" in again.text


def test_a_run_is_stopped_when_its_time_is_up():
    """In the middle, not between sizes: 64 tiles take seconds of Python at -O0."""
    code = compile_source(emit_unverified(KERNEL), "gfx1201", opt_level=0).payload
    binary = decode_kernel(read_kernels(code)[KERNEL.name])
    found = replay(binary, KERNEL, refuted({"M": 512, "N": 512}), seconds=0.1)
    assert found.confirmed is None
    assert "the run was stopped: out of time after 0.1 s" in str(found)
