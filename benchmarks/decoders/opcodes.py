"""Every opcode of every encoding, with the other bits at random, and what LLVM says of each.

LLVM's disassembler is made for what assemblers write: some words make it crash, so it works in a process of its own.
"""

from __future__ import annotations

import faulthandler
import os
import pickle
import random
from collections.abc import Iterator, Mapping, Sequence

from benchmarks.decoders.llvm import Llvm
from layoutalg.isa.container.descriptor import code_format

Place = tuple[str, int, int, int, int]
"""An encoding: its upper bits, from which bit on, the opcode's lowest bit and how many it has (ISA manuals)."""

_SCALAR: tuple[Place, ...] = (
    ("SOP2", 0b10, 30, 23, 7), ("SOPK", 0b1011, 28, 23, 5), ("SOP1", 0b101111101, 23, 8, 8),
    ("SOPC", 0b101111110, 23, 16, 7), ("SOPP", 0b101111111, 23, 16, 7),
)  # fmt: skip
_VECTOR: tuple[Place, ...] = (("VOP2", 0, 31, 25, 6), ("VOP1", 0b0111111, 25, 9, 8), ("VOPC", 0b0111110, 25, 17, 8))
_RDNA: tuple[Place, ...] = (
    *_SCALAR, *_VECTOR, ("VOP3", 0b110101, 26, 16, 10), ("VOP3P", 0b11001100, 24, 16, 8),
    ("VOPD", 0b110010, 26, 17, 9), ("DS", 0b110110, 26, 18, 8),
)  # fmt: skip
_RDNA4: tuple[Place, ...] = (
    ("SMEM", 0b111101, 26, 13, 6), ("VFLAT", 0b11101100, 24, 14, 8), ("VSCRATCH", 0b11101101, 24, 14, 8),
    ("VGLOBAL", 0b11101110, 24, 14, 8), ("VBUFFER", 0b110001, 26, 14, 8),
)  # fmt: skip
_CDNA: tuple[Place, ...] = (
    *_SCALAR, *_VECTOR, ("VOP3", 0b110100, 26, 16, 10), ("VOP3P", 0b110100111, 23, 16, 7),
    ("SMEM", 0b110000, 26, 18, 8), ("DS", 0b110110, 26, 17, 8), ("FLAT", 0b110111, 26, 18, 7),
    ("MUBUF", 0b111000, 26, 18, 7),
)  # fmt: skip
PLACES: Mapping[str, tuple[Place, ...]] = {
    "cdna": _CDNA,
    "cdna1": _CDNA,
    "rdna2": (
        *(place for place in _RDNA if place[0] != "VOPD"), ("SMEM", 0b111101, 26, 18, 8), ("FLAT", 0b110111, 26, 18, 7),
        ("MUBUF", 0b111000, 26, 18, 8),
    ),
    "rdna3": (
        *_RDNA, ("SMEM", 0b111101, 26, 18, 8), ("FLAT", 0b110111, 26, 18, 7), ("MUBUF", 0b111000, 26, 18, 8),
    ),
    "rdna4": (*_RDNA, *_RDNA4),
    "cdna5": (*_RDNA, *_RDNA4, ("VOPD3", 0b11001111, 24, 12, 12)),
}  # fmt: skip
_BITS = 128


def encodings(library: Llvm, target: str, each: int, seed: int) -> Iterator[tuple[bytes, int, str]]:
    """Bytes, and the size and text that LLVM gives them, (0, "") where it takes them for no instruction."""
    for place in PLACES[code_format(target).decoder]:
        drawn = [code for opcode in range(1 << place[-1]) for code in _drawn(place, opcode, each, seed)]
        for code, (size, text) in zip(drawn, read_all(library, target, drawn), strict=True):
            yield code, size, text


def _drawn(place: Place, opcode: int, each: int, seed: int) -> Iterator[bytes]:
    """Words of an opcode: most bits of a third of them are random, of the others a quarter and an eighth are set."""
    name, upper, above, lowest, bits = place
    generator = random.Random(f"{name} {opcode} {seed}")
    for count in range(each):
        word = generator.getrandbits(_BITS)
        for _ in range((0, 1, 2)[count % 3]):
            word &= generator.getrandbits(_BITS)
        low = word & (1 << above) - 1 | upper << above
        low = low & ~((1 << bits) - 1 << lowest) | opcode << lowest
        yield (word >> 32 << 32 | low & 0xFFFFFFFF).to_bytes(_BITS // 8, "little")


def read_all(library: Llvm, target: str, codes: Sequence[bytes]) -> list[tuple[int, str]]:
    """What LLVM says of each; what makes it crash is none."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(receive)
        faulthandler.disable()  # a crash here is no fault of ours
        found = [library.instruction(code, target) for code in codes]
        with os.fdopen(send, "wb") as pipe:
            pickle.dump(found, pipe)
        os._exit(0)
    os.close(send)
    with os.fdopen(receive, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    if answer:
        return list(pickle.loads(answer))
    if len(codes) == 1:
        return [(0, "")]
    half = len(codes) // 2
    return read_all(library, target, codes[:half]) + read_all(library, target, codes[half:])
