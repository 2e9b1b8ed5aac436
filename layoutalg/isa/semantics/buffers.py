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

| bits of CDNA 5's | are | |
|---|---|---|
| 0–56 | the address | |
| 57–101 | the bytes in it | |
| 108–123 | the stride, and what it is multiplied by | must be 0 |
| 124, 125 | swizzled; checked record by record | must be 0 |
| 126–127 | what it is, if no buffer | must be 0 |
| 102–107 | | 0 |

An offset is the vector part and the immediate.  An element is out of range where its offset is no less than the bytes
(CDNA), or with its size more (RDNA).  CDNA looks at each dword, RDNA at all of an element.  Sources say three things of
the scalar offset (`SCALAR`).  Of CDNA 5 one says that what ends where the buffer does is in range (its ISA, 9.4.1, as
rocjitsu has it), one that it is not (ROCm's llvm-project, comgr's transpiler: "over-clamps").  Whether what lies beyond
the offset 2³² is at the buffer's start, none says.

An access with an index (`idxen`) goes to index · stride besides; where that is not 0,
its index is no less than the bytes, which then are records (rocm-systems, rocjitsu, of CDNA's machines), or its offset
in bytes is, as of others.  What is in range by every reading is accessed, what is out of it by every one loads 0 and
stores nothing, and a program that comes to what is neither is refused.

CDNA 3 ISA and RDNA 3 and 4 ISA, "Buffer Resource Descriptor", "Range Checking"; LLVM's MLIR, AMDGPUToROCDL
(`makeBufferRsrc`); PAL, gfx9Device.cpp, `CalcNumRecords` (bytes where nothing is swizzled by one source, where the
access has no index by the other); of CDNA 5 LLVM's pull request 159702 (45-bit buffer resource), rocm-systems'
rocjitsu, cdna5/addr_calc.cpp (its pull requests 8784, 10362, with CDNA 5 ISA, 9.6), and ROCm's llvm-project, comgr,
handle-mubuf.cpp (its pull request 4495); CK Tile's `CK_TILE_BUFFER_RESOURCE_3RD_DWORD` is 0x00020000 and 0x31004000,
Triton's word 0x00027000 and 0x31027000, and 0 on CDNA 5.
What it cannot represent: structured buffers of RDNA and CDNA 5, swizzled ones, typed accesses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from layoutalg.isa.semantics.values import Values, Word
from layoutalg.records import dataclass

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
class BufferFields:
    """What a description says: its address, the bytes in it, what stands above the address, and the last word's rest.

    Words of 64 bits.
    """

    base: Word
    count: Word
    upper: Word
    flags: Word


@dataclass(frozen=True)
class BufferRules:
    """How an instruction set reads a descriptor."""

    format: int  # bits of the format, of which one must be set; 0: there are none
    free: int  # bits of the last word that say nothing of what is accessed where
    by_dword: bool  # each dword of an element is in range or not
    stride: int = 0  # the bits of the stride, in 48–63, of a set that has accesses with an index
    selects: bool = True  # bits 96–107 say which components a formatted load takes
    base: int = 48  # bits of the address
    count: int = 32  # bits of the number of bytes
    shared: int = 0  # how many of those stand in the upper bits of the address's words
    unsure: int = 0  # bytes before the end of which sources differ in whether an element may reach into them
    offset: int = 12  # bits of an immediate offset
    named: Mapping[int, str] = field(default_factory=dict)  # bits of the last word → what they would make of it

    def fields(self, w: Values, descriptor: tuple[Word, Word, Word]) -> BufferFields:
        """The fields of a descriptor, of its words of 64, 32 and 32 bits."""
        low, count, last = descriptor
        above, wide = self.count - self.shared - 32, 64 - self.shared
        upper, bytes, flags = low, w.zext(count), w.zext(last)
        if above:
            bytes = w.pair(count, last & w.const((1 << above) - 1, 32))
            flags = w.zext(last & w.const(-1 << above, 32))
        if self.shared:
            upper = low & w.const((1 << wide) - 1, 64)
            bytes = w.shl(bytes, w.const(self.shared, 32)) | w.lshr(low, w.const(wide, 32))
        base = low & w.const((1 << self.base) - 1, 64)
        return BufferFields(base, bytes, w.lshr(upper, w.const(self.base, 32)), flags)

    def mode(self, flags: int) -> int:
        """What is out of range."""
        return RAW if self.by_dword else flags >> 28 & 3

    def why_not(self, upper: int, flags: int) -> str:
        """What is not modelled in the bits above the address and in the last word; empty where all is."""
        checked = 0 if self.by_dword else 3 << 28
        if upper & ~self.stride:
            return f"its stride or swizzle is {upper:#x}"
        if self.selects and any(flags >> 3 * k & 7 == _SELECTS_ONE for k in range(4)):
            return "it selects the constant 1"
        if self.format and not flags & self.format:
            return "it has no format"
        if checked and self.mode(flags) not in (NOTHING, RAW):
            return f"its range is checked in the way {self.mode(flags)}"
        said = [f"it has {what}" for bits, what in self.named.items() if flags & bits]
        if said:
            return said[0]
        rest = flags & ~((0xFFF if self.selects else 0) | self.format | self.free | checked)
        return f"its last word has the bits {rest:#x}" if rest else ""


_CDNA = BufferRules(format=0xF << 15, free=3 << 21 | 7 << 12, by_dword=True, stride=0x3FFF)
_RDNA = BufferRules(format=0x3F << 12, free=3 << 21 | 1 << 24, by_dword=False)

#: By instruction set.
RULES: Mapping[str, BufferRules] = {
    "cdna": _CDNA,
    "cdna1": _CDNA,
    "rdna2": replace(_RDNA, format=0x7F << 12),
    "rdna3": _RDNA,
    "rdna4": replace(_RDNA, offset=23),  # LLVM, AMDGPUAsmParser: "expected a 23-bit unsigned offset for buffer ops"
    "cdna5": BufferRules(
        format=0, free=0, by_dword=True, selects=False, base=57, count=45, shared=7, unsure=1, offset=23,
        named={
            0x3FFF << 12: "a stride", 3 << 26: "a stride that is multiplied", 1 << 28: "swizzled places",
            1 << 29: "a range that is checked record by record", 3 << 30: "the type of another resource",
        },
    ),
}  # fmt: skip
