"""Scratch by buffer instructions, as older compilers access it on gfx90a: the thread's number goes there and back."""

import pytest

from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.kernel.library.views import cast
from layoutalg.refine.refinement import prove_binary
from layoutalg.refine.trial import attempt, make_case
from tests.isa.assembly import assembled, with_scratch
from tests.matrix import some

PROGRAM = cast("f32", "bf16", 4)
CASE = make_case(PROGRAM, {PROGRAM.sizes[0]: 4100})

#: The wave's offset is in s7, behind the six user registers and the block's number.
SPILL = """\
\ts_add_u32 s0, s0, s7
\ts_addc_u32 s1, s1, 0
\tbuffer_store_dword v0, off, s[0:3], 0 offset:4
\tv_mov_b32_e32 v1, 8
\tbuffer_store_short v0, v1, s[0:3], 0 offen offset:2
\tbuffer_load_dword v2, off, s[0:3], 0 offset:4
\tbuffer_load_ushort v3, v1, s[0:3], 0 offen offset:2
\ts_waitcnt vmcnt(0)
\tv_add_u32_e32 v2, v2, v3
\tv_lshrrev_b32_e32 v0, 1, v2
"""


def spilled(old="", new=""):
    assert old in SPILL

    def edit(text):
        text = text.replace("; %bb.0:\n", "; %bb.0:\n" + SPILL.replace(old, new), 1)
        text = with_scratch(text, 16)
        offset = ".amdhsa_system_sgpr_private_segment_wavefront_offset"
        assert f"{offset} 0" in text
        return text.replace(f"{offset} 0", f"{offset} 1")

    return assembled(PROGRAM, "gfx90a", edit)


def test_what_a_lane_keeps_in_its_scratch_comes_back():
    binary = spilled()
    assert attempt(binary, PROGRAM, CASE).exact
    assert prove_binary(binary, PROGRAM).proved


@pytest.mark.parametrize(
    ("old", "new"),
    some(
        [
            ("\ts_add_u32 s0, s0, s7\n", ""),
            ("s_addc_u32 s1, s1, 0", "s_addc_u32 s1, s1, 1"),
            ("\tv_mov_b32_e32 v1, 8\n", "\tv_mov_b32_e32 v1, 8\n\ts_mov_b32 s2, 0\n"),
            ("0 offset:4\n\tbuffer_load_ushort", "s7 offset:4\n\tbuffer_load_ushort"),
            ("s[0:3], 0 offen offset:2\n\ts_waitcnt", "s[8:11], 0 offen offset:2\n\ts_waitcnt"),
            ("0 offset:4\n\tbuffer_load_ushort", "0 offset:12\n\tbuffer_load_ushort"),
            ("0 offset:4\n\tbuffer_load_ushort", "0 offset:16\n\tbuffer_load_ushort"),
            ("offen offset:2\n\ts_waitcnt", "offen\n\ts_waitcnt"),
            ("offen offset:2\n\tbuffer_load_dword", "offen offset:3\n\tbuffer_load_dword"),
            ("\ts_waitcnt vmcnt(0)\n", "\ts_waitcnt vmcnt(1)\n"),
        ],
        5,
        slow=True,
    ),
)
def test_another_buffer_place_or_time_is_not_proved(old, new):
    binary = spilled(old, new)
    with pytest.raises((Fault, UnsupportedInstructionError)) as caught:
        attempt(binary, PROGRAM, CASE)
    shown = isinstance(caught.value, Fault)
    assert prove_binary(binary, PROGRAM).name == ("refuted" if shown else "unknown")


LOAD = "\tbuffer_load_ushort v3, v1, s[0:3], 0 offen offset:2\n\ts_waitcnt vmcnt(0)\n"


@pytest.mark.parametrize(
    ("half", "behind"), [("", "v_and_b32_e32 v3, 0xffff, v3"), ("_hi", "v_lshrrev_b32_e32 v3, 16, v3")]
)
def test_a_load_into_half_a_register_leaves_nothing_known_in_the_other(half, behind):
    """The register has 0 before, which the machine may keep or not."""
    load = LOAD.replace("buffer_load_ushort", f"v_mov_b32_e32 v3, 0\n\tbuffer_load_short_d16{half}")
    assert prove_binary(spilled(LOAD, f"{load}\t{behind}\n"), PROGRAM).proved
    binary = spilled(LOAD, f"{load}\tv_alignbit_b32 v3, v3, v3, {16 if half else 0}\n")
    with pytest.raises(Fault, match="depends on an undefined value"):
        attempt(binary, PROGRAM, CASE)
    assert prove_binary(binary, PROGRAM).name == "refuted"
