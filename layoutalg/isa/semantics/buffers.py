"""Buffers that scalar registers describe (V#): which descriptions are read, and what lies in such a buffer.

| bits of the descriptor | are | |
|---|---|---|
| 0–47 | the address | |
| 48–61 | the stride, of accesses with an index | CDNA: any; RDNA: must be 0, a raw buffer |
| 62–63 | swizzles of memory and of the cache | must be 0 |
| 64–95 | the bytes in it (`num_records` of a raw buffer) | |
| 96–107 | which components a formatted load takes | of others only that none is the constant 1 |
| 108–113 (CDNA: –114) | the format | not 0, which is no buffer |
| 117–118 | the stride of swizzled indices | say nothing here |
| 119 | whether lanes add their number | must be 0 |
| 124–125 | RDNA: what is out of range; 3: of raw buffers; 2: nothing, if there are bytes | 2 or 3 |
| others | | 0; on RDNA 120 may be set, as everybody sets it |

An offset is the vector part and the immediate.  An element is out of range where its offset is no less than the bytes
(CDNA), or with its size more (RDNA).  CDNA looks at each dword, RDNA at all of an element.  Sources say three things of
the scalar offset (`SCALAR`).  An access with an index (`idxen`) goes to index · stride besides; where that is not 0,
its index is no less than the bytes, which then are records (rocm-systems, rocjitsu, of CDNA's machines), or its offset
in bytes is, as of others.  What is in range by every reading is accessed, what is out of it by every one loads 0 and
stores nothing, and a program that comes to what is neither is refused.

CDNA 3 ISA and RDNA 3 and 4 ISA, "Buffer Resource Descriptor", "Range Checking"; LLVM's MLIR, AMDGPUToROCDL
(`makeBufferRsrc`); PAL, gfx9Device.cpp, `CalcNumRecords` (bytes where nothing is swizzled by one source, where the
access has no index by the other); CK Tile's `CK_TILE_BUFFER_RESOURCE_3RD_DWORD` is 0x00020000 and 0x31004000, Triton's
word 0x00027000 and 0x31027000.
What it cannot represent: structured buffers of RDNA, swizzled ones, typed accesses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

DIFFER = "sources differ in whether it is in the range of its buffer"
"""What is said of an access that is in range by one reading and out of it by another."""
SCALAR = (f"{DIFFER}: its scalar offset counts along and does not wrap (rocm-systems #10928, AMD's emulator), is not "
          "looked at (CDNA 4 ISA, 9.1.5.1; triton #10690), or counts along and wraps at 2^32 (triton #10673, seen on "
          "gfx942)")  # fmt: skip
"""The same of one with a scalar offset."""

#: What is out of range: no byte where there are some; in raw buffers.
NOTHING, RAW = 2, 3

_SELECTS_ONE = 1


@dataclass(frozen=True)
class BufferRules:
    """How an instruction set reads the last word of a descriptor."""

    format: int  # bits of the format
    free: int  # bits that say nothing of what is accessed where
    by_dword: bool  # each dword of an element is in range or not
    unread: str = ""  # why none is read, where none is
    stride: int = 0  # the bits of the stride, in 48–63, of a set that has accesses with an index

    def mode(self, flags: int) -> int:
        """What is out of range."""
        return RAW if self.by_dword else flags >> 28 & 3

    def why_not(self, upper: int, flags: int) -> str:
        """What is not modelled in bits 48–63 and 96–127; empty where all is."""
        checked = 0 if self.by_dword else 3 << 28
        if self.unread:
            return self.unread
        if upper & ~self.stride:
            return f"its stride or swizzle is {upper:#x}"
        if any(flags >> 3 * k & 7 == _SELECTS_ONE for k in range(4)):
            return "it selects the constant 1"
        if not flags & self.format:
            return "it has no format"
        if checked and self.mode(flags) not in (NOTHING, RAW):
            return f"its range is checked in the way {self.mode(flags)}"
        rest = flags & ~(0xFFF | self.format | self.free | checked)
        return f"its last word has the bits {rest:#x}" if rest else ""


_CDNA = BufferRules(format=0xF << 15, free=3 << 21 | 7 << 12, by_dword=True, stride=0x3FFF)
_RDNA = BufferRules(format=0x3F << 12, free=3 << 21 | 1 << 24, by_dword=False)

#: By instruction set.
RULES: Mapping[str, BufferRules] = {
    "cdna": _CDNA,
    "cdna1": _CDNA,
    "rdna2": replace(_RDNA, format=0x7F << 12),
    "rdna3": _RDNA,
    "rdna4": _RDNA,
    # 57 bits of address, 45 of a count (rocm-systems, rocjitsu, gfx1250/addr_calc.cpp, the only source that was read)
    "cdna5": BufferRules(format=0, free=0, by_dword=False, unread="descriptions of CDNA 5, which has other fields"),
}
