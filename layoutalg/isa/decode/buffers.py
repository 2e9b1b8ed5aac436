"""Buffer instructions of RDNA: encodings of which the wheel has tables, but which its decoder does not look for.

| instruction set | encoding | bits 26–31 | the descriptor's first register |
|---|---|---|---|
| `rdna3` | MUBUF | 0x38 | four times bits 48–52 |
| `rdna4` | VBUFFER | 0x31 | bits 41–49 |

(RDNA 3 ISA, MUBUF; RDNA 4 ISA, VBUFFER.)  Bits 55–61 of VBUFFER are the format of typed accesses, which the assembler
sets to 1 in all others (LLVM, BUFInstructions: VBUFFER_Real).
"""

from __future__ import annotations

from typing import Any

from layoutalg.lazy import lazy_imports

with lazy_imports():
    import tinygrad.runtime.autogen.amd.rdna3.ins as rdna3
    import tinygrad.runtime.autogen.amd.rdna4.ins as rdna4


def buffer_instruction(code: bytes, architecture: str) -> Any | None:
    """What the decoder would make of a buffer instruction at the start of the code; None where there is none.

    Raises ValueError for an opcode that is none.
    """
    encoding = code[3] >> 2
    form = {("rdna3", 0x38): "MUBUF", ("rdna4", 0x31): "VBUFFER"}.get((architecture, encoding))
    return getattr(rdna3 if form == "MUBUF" else rdna4, form).from_bytes(code) if form else None
