"""An instruction's bytes as the decoder's tables may read them, of sets and targets that these tables do not have."""

from __future__ import annotations

from layoutalg.isa.architecture import Architecture
from layoutalg.isa.decode.extended import own_words
from layoutalg.isa.decode.opcodes import OwnOpcode, with_known_opcode
from layoutalg.isa.decode.rdna2 import as_newer


def readable(code: bytes, architecture: Architecture, target: str) -> tuple[bytes, OwnOpcode | None, str]:
    """The code, of 16 bytes, as tables read it; what its first instruction is if that is its own; whose tables.

    Raises `UnsupportedInstructionError` for what the set has not.
    """
    if architecture.name == "rdna2":
        return as_newer(code)
    return *with_known_opcode(own_words(code, architecture.tables), target), architecture.tables
