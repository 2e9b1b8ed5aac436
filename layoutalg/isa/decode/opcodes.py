"""Own opcodes: those that the decoder's tables have for something else, or have not.

The decoder knows the opcodes of the newest target of a set.  An instruction of an own opcode is read as one of the same
fields that the decoder knows, and gets its own name.  Which they are is in data:

| of | file | an entry |
|---|---|---|
| a target | its own, `[machine.opcodes]` | name and opcode; `_LIKE` has the other instruction |
| an instruction set | `cdna5.toml` beside this module | name: opcode, the other instruction, its operands of 16 bits |

What it cannot represent: an own opcode whose fields are those of no instruction of the encoding.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files

from layoutalg.isa.architecture import ARCHITECTURES
from layoutalg.isa.container.descriptor import code_format
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass

with lazy_imports():
    import tinygrad.runtime.autogen.amd.rdna4.enum as rdna4

Place = tuple[int, int, int, int]
"""What the upper bits of an encoding are and from which bit on; the lowest bit of its opcode, and how many it has."""

#: Encoding → its place (CDNA 2 and 3 ISA, RDNA 4 ISA, "Microcode Formats").
_CDNA: Mapping[str, Place] = {
    "VOP2": (0b0, 31, 25, 6),
    "VOP3": (0b110100, 26, 16, 10),
    "VOP3P": (0b110100111, 23, 16, 7),
    "MUBUF": (0b111000, 26, 18, 7),
}
_RDNA4: Mapping[str, Place] = {
    "DS": (0b110110, 26, 18, 8),
    "SOPP": (0b101111111, 23, 16, 7),
    "VBUFFER": (0b110001, 26, 14, 8),
    "VFLAT": (0b11101100, 24, 14, 8),
    "VGLOBAL": (0b11101110, 24, 14, 8),
    "VOP1": (0b0111111, 25, 9, 8),
    "VOP2": (0b0, 31, 25, 6),
    "VOP3": (0b110101, 26, 16, 10),
    "VOP3P": (0b11001100, 24, 16, 8),
}

#: Instruction set → the file of its own opcodes; the decoder's names of the others are RDNA 4's.
_FILES = {"cdna5": "cdna5.toml"}

#: What a target's own name begins with → the opcode of an instruction of the same fields, where the decoder knows none
#: of the own opcode: V_FMA_F32, V_MFMA_F32_32X32X1_2B_F32, since all matrix products have the same fields, BUFFER_INV.
_LIKE: Mapping[str, int] = {"V_MAD_": 0x1CB, "V_MFMA_": 0x40, "BUFFER_": 0x29}


@dataclass(frozen=True)
class OwnOpcode:
    """What an own opcode is, and the decoder's opcode of the same fields; `halves`: those of 16 bits, if known."""

    name: str
    known: int
    halves: frozenset[str] | None = None


def with_known_opcode(code: bytes, target: str) -> tuple[bytes, OwnOpcode | None]:
    """The code as the decoder may read it, and what its first instruction is if it has an own opcode.

    >>> with_known_opcode(bytes.fromhex("0000c1d1"), "gfx90a")
    (b'\\x00\\x00\\xcb\\xd1', OwnOpcode(name='V_MAD_F32', known=459, halves=None))
    >>> with_known_opcode(bytes.fromhex("0000c1d1"), "gfx942")
    (b'\\x00\\x00\\xc1\\xd1', None)
    """
    word = int.from_bytes(code[:4], "little")
    for (upper, above, lowest, bits), opcodes in _own(target).items() if target else ():
        mask = (1 << bits) - 1
        own = opcodes.get(word >> lowest & mask) if word >> above == upper else None
        if own:
            known = word & ~(mask << lowest) | own.known << lowest
            return known.to_bytes(4, "little") + code[4:], own
    return code, None


@cache
def _own(target: str) -> Mapping[Place, Mapping[int, OwnOpcode]]:
    """The own opcodes of a target, and of its instruction set."""
    machine = code_format(target)
    places = _CDNA if ARCHITECTURES[machine.decoder].tables == "cdna" else _RDNA4
    found = {
        places[encoding]: {opcode: OwnOpcode(name, _like(name, opcode)) for name, opcode in opcodes.items()}
        for encoding, opcodes in machine.opcodes.items()
    }
    return {**found, **{places[encoding]: dict(rows) for encoding, rows in _of_set(machine.decoder)}}


def _like(name: str, opcode: int) -> int:
    return next((like for prefix, like in _LIKE.items() if name.startswith(prefix)), opcode)


def _of_set(decoder: str) -> Iterator[tuple[str, Iterator[tuple[int, OwnOpcode]]]]:
    """By encoding, the own opcodes of an instruction set."""
    if decoder in _FILES:
        text = files("layoutalg.isa.decode").joinpath(_FILES[decoder]).read_text()
        for encoding, rows in tomllib.loads(text).items():
            known = getattr(rdna4, f"{encoding}Op")
            yield (
                encoding,
                (
                    (opcode, OwnOpcode(name, known[like].value, frozenset("".join(halves))))
                    for name, (opcode, like, *halves) in rows.items()
                ),
            )
