"""An AMD code object as a loader takes it: read once, into what is loaded and what a launch is made from.

Two loaders have to agree on what they see: that of the gABI, which reads program headers and the dynamic section, and
ROCr's, which reads program headers, sections and their symbols (ROCR-Runtime, `loader/executable.cpp`,
`libamdhsacode/amd_hsa_code.cpp`). Where they would see two things, the code object is refused, with the two named.

| what is taken | where ROCr's loader takes it | refused |
|---|---|---|
| the processor | `e_flags`, EF_AMDGPU_MACH (`GetIsa`) | another than the metadata's, features too |
| the version | `EI_ABIVERSION` 2 to 4, V4 to V6 (`GetCodeObjectVersion`) | others |
| memory | PT_LOAD, copied in their order (`LoadSegmentsV2`) | overlaps (`elf`), and a start that moves code |
| relocations | every SHT_RELA (`ApplyRelocations`) | all, in sections and in the dynamic section |
| descriptors | OBJECT symbols named `….kd`, in .symtab or .dynsym | two of a name that differ |
| their sizes | the bytes of the section that the symbol names | other bytes than the segment's |
| the entry | relative to the descriptor | not in memory that is executed and not written |
| metadata | PT_NOTE, or SHT_NOTE where there is none (comgr) | two notes that differ, or that comgr takes besides |

The metadata's version need not be that of the ABI: ROCr asks the file's header alone, HIP's runtime the metadata alone
(clr, `rocclr/device/devprogram.cpp`, `createKernelMetadataMap`), and clang 16 and 17 write 1.2 where they write V4.
Assembly that is written by hand has 1.0, that of version 3, under a later ABI: its keys are the same, but it names no
target, which neither runtime looks for there (clr, `getTripleTargetIDFromCodeObject`).
The length of the code is its symbol's size, which no loader needs: control that goes beyond it is refused later.  A
symbol of size 0, which an assembler writes where nobody says `.size`, leaves it open: the code ends before the next
function or descriptor, or with the segment, and within that where control cannot go on (`decode.code`).
Not looked at, since no loader does: other sections, physical addresses, alignments of segments. Of the names of
sections one is looked for, which notes what was left out.
What it cannot represent: relocations, and code objects before version 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Self

from layoutalg.errors import CodeObjectError
from layoutalg.isa.container import elf
from layoutalg.isa.container.elf import Elf, ElfSymbol, SectionHeader, Segment, damaged
from layoutalg.isa.container.metadata import KernelMetadata, Metadata, read_metadata
from layoutalg.isa.container.target_id import TargetId
from layoutalg.records import dataclass
from layoutalg.target.known import processors

#: The machine number of AMD GPUs, and the OS that kernels are loaded under (AMDGPUUsage, "ELF Header").
EM_AMDGPU, _AMDHSA = 224, 64

#: ABI versions of V4 to V6, and the versions of the metadata of V3 to V6 (AMDGPUUsage, "Code Object V3 Metadata" and
#: following).
_ABI_VERSIONS = frozenset({2, 3, 4})
_METADATA_VERSIONS = frozenset({(1, 0), (1, 1), (1, 2)})

#: NT_AMDGPU_METADATA, of the owner AMDGPU (AMDGPUUsage, "Note Records").
_METADATA = "AMDGPU", 32

#: What comgr takes for metadata besides: PAL's, and those of version 2 (`comgr-metadata.cpp`, `processNote`).
_OTHER_METADATA = frozenset({("AMDGPU", 13), ("AMD", 13), ("AMD", 10)})

_DT_STRTAB, _DT_SYMTAB, _DT_FLAGS = 5, 6, 30

#: Tags of the dynamic section that only say where tables are, or name the file (gABI, "Dynamic Section").
_HARMLESS = frozenset({4, _DT_STRTAB, _DT_SYMTAB, 10, 11, 14, 16, _DT_FLAGS, 0x6FFFFEF5, 0x6FFFFFFB})

#: What other tags ask of a loader, where it has a name.
_TAGS: Mapping[int, str] = {
    1: "DT_NEEDED", 7: "DT_RELA", 12: "DT_INIT", 13: "DT_FINI", 17: "DT_REL", 22: "DT_TEXTREL", 23: "DT_JMPREL",
    25: "DT_INIT_ARRAY", 26: "DT_FINI_ARRAY", 32: "DT_PREINIT_ARRAY", 36: "DT_RELR",
}  # fmt: skip

#: Kinds of relocations that loaders apply (ROCr, `ExecutableImpl::ApplyDynamicRelocation`).
_RELOCATIONS: Mapping[int, str] = {
    1: "R_AMDGPU_ABS32_LO", 2: "R_AMDGPU_ABS32_HI", 3: "R_AMDGPU_ABS64", 6: "R_AMDGPU_ABS32",
    13: "R_AMDGPU_RELATIVE64",
}  # fmt: skip

#: The section that include/hip/hip_control.h writes: the addresses at which a call of printf was left out.
_DROPPED = b".layoutalg.dropped"

#: DT_FLAGS: text relocations.
_DF_TEXTREL = 4

#: Multiples at which descriptors and code begin (AMDGPUUsage, "Kernel Descriptor").
_DESCRIPTOR, _CODE = 64, 256


@dataclass(frozen=True)
class LoadedKernel:
    """A kernel as it lies in memory, and what is said of it."""

    metadata: KernelMetadata
    descriptor: bytes  # 64 bytes
    entry: int  # address of the first instruction
    code: bytes
    sized: bool = True  # whether the file says how long the code is; if not, `code` is all that may belong to it

    def holds(self, address: int) -> bool:
        """Whether an address is in its code."""
        return self.entry <= address < self.entry + len(self.code)


@dataclass(frozen=True)
class Container:
    """What a loader takes of a code object."""

    target: str  # that has the processor, or an unknown processor
    segments: tuple[Segment, ...]
    kernels: Mapping[str, LoadedKernel]
    unprinted: tuple[int, ...]  # where calls of printf were left out of the code (include/hip/hip_control.h)

    def unprinted_by(self, kernel: LoadedKernel) -> tuple[int, ...]:
        """Those of a kernel: in its code, or in a function that it may call."""
        others = [one for one in self.kernels.values() if one is not kernel]
        return tuple(address for address in self.unprinted if not any(one.holds(address) for one in others))

    @classmethod
    def read(cls, payload: bytes) -> Self:
        """Reads an AMD code object.

        Raises `CodeObjectError` when it is damaged, or says two things of one.
        """
        file = Elf.read(payload)
        _refuse_other_files(file)
        metadata = _metadata(file)
        target = _processor(file, metadata)
        _refuse_relocations(file)
        segments, tables = file.segments(), _tables(file)
        if not segments:
            raise damaged("nothing of it is loaded")
        _refuse_moved_code(segments)
        _refuse_another_table(file, segments)
        kernels = {one.name: _kernel(file, segments, tables, one) for one in metadata.kernels}
        return cls(target, segments, kernels, tuple(_unprinted(file)))


def _unprinted(file: Elf) -> Iterator[int]:
    """What the compiler noted of calls that it left out, in a section by which no loader goes: it may be damaged."""
    try:
        notes = b"".join(file.contents(section) for section in file.named(_DROPPED))
    except CodeObjectError:
        return
    yield from (int.from_bytes(notes[at : at + 8], "little") for at in range(0, len(notes) - 7, 8))


def _refuse_other_files(file: Elf) -> None:
    if file.machine != EM_AMDGPU or file.identity[7] != _AMDHSA:
        raise CodeObjectError(f"the code object is for machine {file.machine} and OS {file.identity[7]}, not AMD HSA's")
    if file.kind != elf.ET_DYN:
        raise CodeObjectError(f"the code object is of type {file.kind}: link it, a loader takes shared objects")
    if file.identity[8] not in _ABI_VERSIONS:
        raise CodeObjectError(
            f"the code object has ABI version {file.identity[8]}: compile it for code object version 4, 5 or 6"
        )


def _metadata(file: Elf) -> Metadata:
    """The metadata, which every note of their kind says alike, and no other note."""
    notes = [((note.owner, note.kind), note.data) for note in file.notes()]
    found = {data for kind, data in notes if kind == _METADATA}
    other = next((kind for kind, _ in notes if kind in _OTHER_METADATA), None)
    if other:
        raise CodeObjectError(f"the code object has metadata in a note of {other[0]} of kind {other[1]} too")
    if not found:
        raise damaged("it has no NT_AMDGPU_METADATA note")
    if len(found) > 1:
        raise CodeObjectError("the code object has several NT_AMDGPU_METADATA notes that differ")
    metadata = read_metadata(found.pop())
    if metadata.version not in _METADATA_VERSIONS:
        said = ".".join(map(str, metadata.version))
        raise CodeObjectError(f"the code object's metadata have version {said}: compile it for version 4, 5 or 6")
    return metadata


def _processor(file: Elf, metadata: Metadata) -> str:
    """The target whose processor `e_flags` say, and the metadata alike where they name one; its features too."""
    flagged, number = TargetId.of_flags(file.flags), file.flags & 0xFF
    if not metadata.target:
        if flagged is None:
            raise CodeObjectError(f"the code object is for the processor {number:#x}, which no target's file has")
        return processors()[number].name
    said, known = TargetId.parse(metadata.target), {one.processor for one in processors().values()}
    if said is None:
        raise CodeObjectError(f"the code object's metadata say {metadata.target!r} of amdhsa.target")
    if (flagged.processor if flagged else None) != (said.processor if said.processor in known else None):
        named = flagged.processor if flagged else hex(number)
        raise CodeObjectError(f"the code object's e_flags name the processor {named}, its metadata {said.processor}")
    if flagged is None:
        return said.processor
    if flagged.features != said.features:
        one, other = (", ".join(sorted(found.features)) or "none" for found in (flagged, said))
        raise CodeObjectError(f"the code object's e_flags name the features {one}, its metadata {other}")
    return processors()[number].name


def _refuse_relocations(file: Elf) -> None:
    """Nothing is written over what is loaded, and nothing is run before the kernel."""
    for section in file.sections:
        if section.kind in (elf.SHT_RELA, elf.SHT_REL, elf.SHT_RELR) and section.size:
            first = _first_relocation(file.contents(section)) if section.kind == elf.SHT_RELA else "of another form"
            raise CodeObjectError(f"the code object has relocations ({first}), by which a loader changes what is read: "
                                  "initialise no variable with an address")  # fmt: skip
    tags = file.dynamic()
    other = sorted(tags.keys() - _HARMLESS)
    if other or tags.get(_DT_FLAGS, 0) & _DF_TEXTREL:
        name = _TAGS.get(other[0], hex(other[0])) if other else "DF_TEXTREL"
        raise CodeObjectError(f"the code object's dynamic section has {name}, which a loader would follow")


def _first_relocation(data: bytes) -> str:
    """The first relocation of a table (gABI, Elf64_Rela) in words."""
    place, kind = int.from_bytes(data[:8], "little"), int.from_bytes(data[8:12], "little")
    return f"{_RELOCATIONS.get(kind, f'kind {kind}')} at {place:#x}"


def _refuse_moved_code(segments: tuple[Segment, ...]) -> None:
    """The first segment lies at a multiple of what code does: ROCr's loader puts it there, wherever it says it is."""
    start = segments[0].address
    if start % _CODE:
        raise CodeObjectError(
            f"the first segment is at {start:#x}, which is not at a multiple of {_CODE}: a loader moves code by that"
        )


def _refuse_another_table(file: Elf, segments: tuple[Segment, ...]) -> None:
    """The dynamic section's table of symbols is that of the section header, and is what is loaded there."""
    tags = file.dynamic()
    for table in file.sections:
        if table.kind != elf.SHT_DYNSYM:
            continue
        for tag, section in ((_DT_SYMTAB, table), (_DT_STRTAB, file.names_of(table))):
            loaded = _loaded(segments, section.address, section.size)
            if loaded != file.contents(section) or tags.get(tag, section.address) != section.address:
                raise CodeObjectError("the code object has two tables of dynamic symbols: its dynamic section's, and "
                                      "its section header's")  # fmt: skip


Tables = list[Mapping[str, list[ElfSymbol]]]
"""Of each table of symbols, those that are defined, by name."""


def _tables(file: Elf) -> Tables:
    tables: Tables = []
    for section in file.sections:
        if section.kind in (elf.SHT_SYMTAB, elf.SHT_DYNSYM):
            found: dict[str, list[ElfSymbol]] = {}
            for symbol in file.symbols(section):
                if symbol.section:
                    found.setdefault(symbol.name, []).append(symbol)
            tables.append(found)
    return tables


def _symbol(tables: Tables, name: str) -> ElfSymbol:
    """The symbol of a name, which every table that has it says alike."""
    found = [symbol for table in tables for symbol in table.get(name, ())]
    if not found:
        raise damaged(f"it has no symbol {name}")
    if len({(one.address, one.size) for one in found}) > 1 or any(len(table.get(name, ())) > 1 for table in tables):
        raise CodeObjectError(f"the code object has several symbols {name}")
    return found[0]


def _kernel(file: Elf, segments: tuple[Segment, ...], tables: Tables, metadata: KernelMetadata) -> LoadedKernel:
    at = _descriptor_address(file, segments, tables, metadata.symbol)
    descriptor = _loaded(segments, at, _DESCRIPTOR)
    assert descriptor is not None
    entry = at + int.from_bytes(descriptor[16:24], "little", signed=True)
    function = _symbol(tables, metadata.symbol.removesuffix(".kd"))
    if entry != function.address:
        raise CodeObjectError(
            f"{metadata.name}: the descriptor's entry {entry:#x} is not the symbol's address {function.address:#x}"
        )
    home = next((one for one in segments if one.bytes_at(entry, max(function.size, 1)) is not None), None)
    if home is None or not home.executable or home.writable:
        raise CodeObjectError(f"{metadata.name}: the code at {entry:#x} lies in no segment that is executed and not "
                              "written")  # fmt: skip
    size = function.size or _room(tables, home, entry)
    if not size or entry % _CODE:
        raise damaged(f"{metadata.name} has {size} bytes of code at {entry:#x}")
    code = home.bytes_at(entry, size)
    assert code is not None
    return LoadedKernel(metadata, descriptor, entry, code, sized=bool(function.size))


def _room(tables: Tables, home: Segment, entry: int) -> int:
    """The bytes of the file from an entry to the next function or object behind it, or to the segment's end."""
    named = (one for table in tables for found in table.values() for one in found)
    behind = (one.address for one in named if one.kind in (elf.STT_FUNC, elf.STT_OBJECT) and one.address > entry)
    return max(min((home.address + len(home.data), *behind)) - entry, 0)


def _descriptor_address(file: Elf, segments: tuple[Segment, ...], tables: Tables, name: str) -> int:
    """Where a kernel's descriptor is loaded, which its section in the file holds too."""
    symbol = _symbol(tables, name)
    for one in (one for table in tables for one in table.get(name, ())):
        if not name.endswith(".kd") or one.kind != elf.STT_OBJECT or one.binding == elf.STB_LOCAL:
            raise CodeObjectError(f"the symbol {name} is not one by which a loader finds a kernel's descriptor")
        _refuse_other_bytes(file, segments, file.section(one.section), one)
    if symbol.address % _DESCRIPTOR:
        raise CodeObjectError(f"{name}: the descriptor at {symbol.address:#x} is not at a multiple of {_DESCRIPTOR}")
    return symbol.address


def _refuse_other_bytes(file: Elf, segments: tuple[Segment, ...], section: SectionHeader, symbol: ElfSymbol) -> None:
    """The section of a descriptor has the bytes that are loaded."""
    start = symbol.address - section.address
    held = file.payload[section.offset + start : section.offset + start + _DESCRIPTOR]
    inside = 0 <= start <= section.size - _DESCRIPTOR and section.kind != elf.SHT_NOBITS
    if not inside or held != _loaded(segments, symbol.address, _DESCRIPTOR):
        raise CodeObjectError(f"{symbol.name}: its section has other bytes than the segment that is loaded there")


def _loaded(segments: tuple[Segment, ...], address: int, size: int) -> bytes | None:
    """The bytes that are loaded there; None where no segment has them all."""
    found: Iterator[bytes | None] = (segment.bytes_at(address, size) for segment in segments)
    return next((data for data in found if data is not None), None)
