"""Loads of a kernel's arguments: within their segment, which is filled up to a multiple of 16 bytes."""

import pytest

from layoutalg.errors import Fault
from layoutalg.kernel.library.views import cast
from layoutalg.refine.refinement import prove_binary
from layoutalg.refine.trial import attempt, make_case, small_sizes
from tests.isa.assembly import assembled

PROGRAM = cast("f32", "bf16", 4)


def loading(first):
    """The kernel, of 20 bytes of arguments, with a load of eight bytes more, of which nothing is used."""
    load = f"\ts_load_dwordx2 s[6:7], s[0:1], {first}\n\ts_waitcnt lgkmcnt(0)\n"
    return assembled(PROGRAM, "gfx942", lambda text: text.replace("; %bb.0:\n", "; %bb.0:\n" + load, 1))


def test_a_load_of_what_fills_the_arguments_segment_up_is_proved():
    assert prove_binary(loading(24), PROGRAM).proved


@pytest.mark.parametrize("first", [-8, -4, 28, 32])
def test_a_load_beside_the_arguments_is_not_proved(first):
    """A run faults, whatever is done with what was loaded."""
    binary = loading(first)
    with pytest.raises(Fault, match=r"^address: .* the kernel arguments"):
        attempt(binary, PROGRAM, make_case(PROGRAM, small_sizes(PROGRAM)))
    verdict = prove_binary(binary, PROGRAM)
    assert verdict.name == "refuted"
    assert "is not in the arguments" in verdict.failures[0][1].reason
