"""A target's own opcodes: those that another target of its instruction set has for something else, or has not.

The decoder knows the opcodes of the newest target of a set.  An instruction of an own opcode is read as one of the same
fields that the decoder knows, and gets its own name: which they are is in the targets' files (`[machine.opcodes]`).
What it cannot represent: an own opcode whose fields are those of no instruction of the encoding.
"""

from __future__ import annotations

from collections.abc import Mapping

from layoutalg.isa.container.descriptor import code_format

#: Encoding → what its upper bits are and from which bit on; the lowest bit of its opcode, and how many it has (CDNA 2
#: and 3 ISA, "Microcode Formats").
_PLACES: Mapping[str, tuple[int, int, int, int]] = {
    "VOP2": (0b0, 31, 25, 6),
    "VOP3": (0b110100, 26, 16, 10),
    "VOP3P": (0b110100111, 23, 16, 7),
    "MUBUF": (0b111000, 26, 18, 7),
}

#: What a name begins with → the opcode of an instruction of the same fields, where the decoder knows none of the own
#: opcode: V_FMA_F32, V_MFMA_F32_32X32X1_2B_F32, since all matrix products have the same fields, and BUFFER_INV.
_LIKE: Mapping[str, int] = {"V_MAD_": 0x1CB, "V_MFMA_": 0x40, "BUFFER_": 0x29}


def with_known_opcode(code: bytes, target: str) -> tuple[bytes, str]:
    """The code as the decoder may read it, and the name of its first instruction if its opcode is the target's own.

    >>> with_known_opcode(bytes.fromhex("0000c1d1"), "gfx90a"), with_known_opcode(bytes.fromhex("0000c1d1"), "gfx942")
    ((b'\\x00\\x00\\xcb\\xd1', 'V_MAD_F32'), (b'\\x00\\x00\\xc1\\xd1', ''))
    """
    if not target:
        return code, ""
    word = int.from_bytes(code[:4], "little")
    for encoding, opcodes in code_format(target).opcodes.items():
        upper, above, lowest, bits = _PLACES[encoding]
        mask = (1 << bits) - 1 << lowest
        name = next((name for name, opcode in opcodes.items() if opcode << lowest == word & mask), "")
        if name and word >> above == upper:
            like = next((like for prefix, like in _LIKE.items() if name.startswith(prefix)), opcodes[name])
            return (word & ~mask | like << lowest).to_bytes(4, "little") + code[4:], name
    return code, ""
