"""Own opcodes: what gfx1250 has for itself, each beside LLVM's text of it."""

import pytest

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.architecture import ARCHITECTURES
from layoutalg.isa.decode.instructions import decode

#: LLVM 23.0.0's text of an encoding, and ours.
SAID = {
    "000035d604040004": ("v_mad_u32 v0, s4, s2, v0", "v_mad_u32 d=v0, a=s4, b=s2, c=v0"),
    "043b047e": ("v_mov_b64_e32 v[2:3], v[4:5]", "v_mov_b64 d=v2, a=v4"),
    "04110450": ("v_add_nc_u64_e32 v[2:3], v[4:5], v[8:9]", "v_add_nc_u64 d=v2, a=v4, b=v8"),
    "0000c5bf": ("s_wait_xcnt 0x0", "s_wait_xcnt"),
    "000005ee0100010000000000": (
        "global_load_b32 v1, v0, s[0:1] scale_offset", "global_load_b32 d=v1, addr=v0, base=s0 scale_offset:0x1"
    ),
    "00000eec01000104000e0140": (
        "flat_atomic_min_i32 v0, v8, s[0:1] offset:4194574 scale_offset",
        "flat_atomic_min_i32 d=v1, addr=v0, base=s0, data=v8 scale_offset:0x1 offset:0x40010e",
    ),
    "fe0184be8877665544332211": ("s_mov_b64 s[4:5], 0x1122334455667788", "s_mov_b64 d=s4, a=0x1122334455667788"),
    "fe0408048877665544332211": (
        "v_add_f64_e32 v[4:5], 0x1122334455667788, v[2:3]", "v_add_f64 d=v4, a=0x1122334455667788, b=v2"
    ),
}  # fmt: skip


@pytest.mark.parametrize("code", SAID)
def test_own_opcodes_are_read(code):
    (found,) = decode(bytes.fromhex(code), 0, ARCHITECTURES["cdna5"], "gfx1250")
    assert (str(found), found.size) == (SAID[code][1], len(code) // 2)


@pytest.mark.parametrize("code", ["000035d604040004", "0000c5bf", "000005ee0100010000000000"])
def test_other_targets_have_them_not(code):
    with pytest.raises(UnsupportedInstructionError):
        next(decode(bytes.fromhex(code), 0, ARCHITECTURES["rdna4"], "gfx1201"))


def test_two_literals_are_refused():
    """v_fmaak_f64 v[4:5], 0x55667788, v[2:3], …: one of 32 bits beside one of 64."""
    with pytest.raises(UnsupportedInstructionError, match="literal of 64 bits"):
        next(decode(bytes.fromhex("ff0408488877665544332211"), 0, ARCHITECTURES["cdna5"], "gfx1250"))
