"""VOPD3, the dual encoding of three dwords; what LLVM says of each word stands behind it."""

import pytest

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.architecture import ARCHITECTURES
from layoutalg.isa.decode.dual import dual_words
from layoutalg.isa.decode.instructions import decode

CDNA5 = ARCHITECTURES["cdna5"]


def words(x, y, **fields):
    """An instruction of two opcodes: `fields` are bit → value."""
    word = 0xCF << 24 | x << 18 | y << 12 | 256 | 256 << 32
    return (word | sum(value << int(at[1:]) for at, value in fields.items())).to_bytes(12, "little")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        # v_dual_fma_f32 v1, -v0, v2, v3 :: v_dual_fma_f32 v4, v0, v5, -v6
        (words(19, 19, b41=1, b48=2, b56=3, b64=1, b46=1, b72=5, b80=6, b88=4),
         "v_fma_f32 d=v1, a=v0, b=v2, c=v3 neg:0x1 :: v_fma_f32 d=v4, a=v0, b=v5, c=v6 neg:0x4"),
        # v_dual_cndmask_b32 v1, v0, v2, s3 :: v_dual_bitop2_b32 v4, v0, v5 bitop3:0x40
        (words(9, 18, b48=2, b56=3, b64=1, b72=5, b80=0x40, b88=4),
         "v_cndmask_b32 d=v1, a=v0, b=v2, n=s3 :: v_bitop2_b32 d=v4, a=v0, b=v5 bitop3:0x40"),
        # v_dual_mov_b32 v1, v0 :: v_dual_max_i32 v4, v0, v5
        (words(8, 23, b64=1, b72=5, b88=4), "v_mov_b32 d=v1, a=v0 :: v_max_i32 d=v4, a=v0, b=v5"),
        # v_dual_mul_f32 v1, v0, v0 :: v_dual_lshrrev_b32 v0, v0, v0
        (bytes.fromhex("0001eac800010001")[:8], "v_mul_f32 d=v1, a=v0, b=v0 :: v_lshrrev_b32 d=v0, a=v0, b=v0"),
    ],
)  # fmt: skip
def test_both_halves_are_read(code, said):
    (found,) = decode(code, 0, CDNA5, "gfx1250")
    assert (str(found), found.size) == (said, len(code))


@pytest.mark.parametrize(
    "code",
    [words(18, 3), words(3, 33), words(1, 3), words(3, 63), words(8, 8, b48=1), words(3, 3, b56=1), words(3, 3, b9=1),
     words(3, 3, b47=1), bytes.fromhex("fe78abcacc8ade32acf1273997780d0b")],
)  # fmt: skip
def test_what_no_assembler_writes_is_refused(code):
    with pytest.raises(UnsupportedInstructionError):
        dual_words(code)


def test_other_instruction_sets_have_no_such_encoding():
    with pytest.raises(UnsupportedInstructionError, match="unknown rdna4 format"):
        next(decode(words(3, 3), 0, ARCHITECTURES["rdna4"], "gfx1201"))
