"""An ELF file as it is written, read once: what its headers say, each part whole or refused.

A part of a file is named by an offset and a length, a part of memory by an address; program headers map one to the
other (`Segment`), and section headers say it again for linkers and for loaders that look things up by section.

| part | structure | chapter of the gABI |
|---|---|---|
| header | Elf64_Ehdr | ELF Header |
| what is loaded | Elf64_Phdr | Program Header |
| sections | Elf64_Shdr | Sections |
| symbols | Elf64_Sym | Symbol Table |
| notes | Nhdr | Note Section |
| dynamic section | Elf64_Dyn | Dynamic Section |

What it cannot represent: 32-bit or big-endian files, and more than 65279 sections or segments.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import NamedTuple, Self

from layoutalg.errors import CodeObjectError
from layoutalg.records import dataclass

PT_LOAD, PT_DYNAMIC, PT_NOTE = 1, 2, 4
PF_X, PF_W = 1, 2
SHT_SYMTAB, SHT_RELA, SHT_NOTE, SHT_NOBITS, SHT_REL, SHT_DYNSYM, SHT_RELR = 2, 4, 7, 8, 9, 11, 19
STB_LOCAL = 0
STT_OBJECT, STT_FUNC = 1, 2
ET_DYN = 3

_MAGIC = b"\x7fELF\x02\x01"  # 64 bits, little-endian
_PROGRAM, _SECTION = struct.Struct("<IIQQQQQQ"), struct.Struct("<IIQQQQIIQQ")
_SYMBOL, _NOTE, _DYNAMIC = struct.Struct("<IBxHQQ"), struct.Struct("<III"), struct.Struct("<qQ")


class ProgramHeader(NamedTuple):
    """A program header, in the file's own words."""

    kind: int
    flags: int
    offset: int
    address: int
    physical: int
    file_size: int
    memory_size: int
    alignment: int


class SectionHeader(NamedTuple):
    """A section header, in the file's own words."""

    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int


class ElfSymbol(NamedTuple):
    """A symbol of a table."""

    name: str
    kind: int
    binding: int
    section: int
    address: int
    size: int


class Note(NamedTuple):
    """A note: who wrote it, what kind it is, and what it says."""

    owner: str  # without its last byte, which LLVM's reader takes for the end, whatever it is
    kind: int
    data: bytes


@dataclass(frozen=True)
class Segment:
    """What is loaded at an address: the file's bytes, then zeros up to the size."""

    address: int
    size: int
    data: bytes
    writable: bool
    executable: bool

    @property
    def end(self) -> int:
        """The first address after it."""
        return self.address + self.size

    def bytes_at(self, address: int, size: int) -> bytes | None:
        """The bytes that are loaded there; None where they are not all in the segment."""
        start = address - self.address
        if start < 0 or address + size > self.end:
            return None
        return self.data[start : start + size].ljust(size, b"\0")


@dataclass(frozen=True)
class Elf:
    """The headers of a file, and the file."""

    payload: bytes
    identity: bytes  # the first 16 bytes; those at 7 and 8 are the OS and the version of its ABI
    kind: int
    machine: int
    flags: int
    programs: tuple[ProgramHeader, ...]
    sections: tuple[SectionHeader, ...]

    @classmethod
    def read(cls, payload: bytes) -> Self:
        """Reads the headers.

        Raises `CodeObjectError` when one of them is not whole.

        >>> Elf.read(b"GIF89a")
        Traceback (most recent call last):
        layoutalg.errors.CodeObjectError: not a 64-bit little-endian ELF file: copy it again, or compile its source
        """
        if not payload.startswith(_MAGIC) or len(payload) < 64:
            raise CodeObjectError("not a 64-bit little-endian ELF file: copy it again, or compile its source")
        kind, machine = struct.unpack_from("<HH", payload, 16)
        programs_at, sections_at, flags = struct.unpack_from("<QQI", payload, 32)
        program_size, programs, section_size, sections = struct.unpack_from("<HHHH", payload, 54)
        for what, size, structure, count in (
            ("program", program_size, _PROGRAM, programs), ("section", section_size, _SECTION, sections)
        ):  # fmt: skip
            if count and size != structure.size:
                raise damaged(f"a {what} header of {size} bytes")
        if sections_at and not sections:
            raise damaged("its number of sections is not in the header")
        program_table = _part(payload, programs_at, programs * _PROGRAM.size, "the program headers")
        section_table = _part(payload, sections_at, sections * _SECTION.size, "the section headers")
        return cls(
            payload,
            payload[:16],
            kind,
            machine,
            flags,
            tuple(ProgramHeader(*fields) for fields in _PROGRAM.iter_unpack(program_table)),
            tuple(SectionHeader(*fields) for fields in _SECTION.iter_unpack(section_table)),
        )

    def contents(self, section: SectionHeader) -> bytes:
        """The bytes of a section in the file."""
        if section.kind == SHT_NOBITS:
            return b""
        return _part(self.payload, section.offset, section.size, "a section")

    def segments(self) -> tuple[Segment, ...]:
        """What is loaded. Refused where segments overlap, or do not ascend, which the gABI asks for.

        ROCr's loader allocates from the first segment's start to the last one's end, then copies each in the order of
        the headers (`ExecutableImpl::LoadSegmentsV2`): where they overlap the last one wins, where they descend it
        writes beyond its memory.
        """
        loaded: list[Segment] = []
        for header in self.programs:
            if header.kind != PT_LOAD:
                continue
            if header.file_size > header.memory_size or header.address + header.memory_size >> 64:
                raise damaged(f"the segment at {header.address:#x} is larger in the file than in memory, or too large")
            data = _part(self.payload, header.offset, header.file_size, "a segment")
            flags = bool(header.flags & PF_W), bool(header.flags & PF_X)
            segment = Segment(header.address, header.memory_size, data, *flags)
            if loaded and segment.address < loaded[-1].end:
                raise CodeObjectError(
                    f"the segment at {segment.address:#x} is loaded over the one that ends at {loaded[-1].end:#x}, or "
                    "before it: segments must ascend and not overlap"
                )
            loaded.append(segment)
        return tuple(loaded)

    def symbols(self, table: SectionHeader) -> list[ElfSymbol]:
        """The symbols of a table; a table with names that are not whole is refused."""
        names = self.contents(self.names_of(table))
        entries = self.contents(table)
        if len(entries) % _SYMBOL.size or table.entry_size != _SYMBOL.size:
            raise damaged("a table of symbols is not whole")
        found = []
        for name, info, section, address, size in _SYMBOL.iter_unpack(entries):
            end = names.find(b"\0", name)
            if end < 0:
                raise damaged("the name of a symbol is not whole")
            text = names[name:end].decode(errors="backslashreplace")
            found.append(ElfSymbol(text, info & 15, info >> 4, section, address, size))
        return found

    def names_of(self, table: SectionHeader) -> SectionHeader:
        """The section with the names of a table's symbols."""
        return self.section(table.link)

    def section(self, number: int) -> SectionHeader:
        """The section of a number; refused where there is none."""
        if number >= len(self.sections):
            raise damaged(f"section {number} is not there")
        return self.sections[number]

    def named(self, name: bytes) -> Iterator[SectionHeader]:
        """The sections of a name; none where the file has no names of sections."""
        number = int.from_bytes(self.payload[62:64], "little")
        if 0 < number < len(self.sections):
            names = self.contents(self.sections[number])
            yield from (one for one in self.sections if names[one.name : one.name + len(name) + 1] == name + b"\0")

    def notes(self) -> Iterator[Note]:
        """The notes of every segment and section of notes."""
        for header in self.programs:
            if header.kind == PT_NOTE:
                yield from _notes(_part(self.payload, header.offset, header.file_size, "a note"), header.alignment)
        for section in self.sections:
            if section.kind == SHT_NOTE:
                yield from _notes(self.contents(section), section.alignment)

    def dynamic(self) -> Mapping[int, int]:
        """The dynamic section by tag, up to its end; a tag that is given twice with two values is refused."""
        tags: dict[int, int] = {}
        for header in self.programs:
            if header.kind != PT_DYNAMIC:
                continue
            data = _part(self.payload, header.offset, header.file_size // _DYNAMIC.size * _DYNAMIC.size, "a table")
            for tag, value in _DYNAMIC.iter_unpack(data):
                if tag == 0:
                    break
                if tags.setdefault(tag, value) != value:
                    raise damaged(f"the dynamic section has the tag {tag:#x} twice")
        return tags


def damaged(why: str) -> CodeObjectError:
    """The error for a file that is not whole."""
    return CodeObjectError(f"the code object is damaged ({why}): copy it again, or compile its source")


def _part(payload: bytes, offset: int, size: int, what: str) -> bytes:
    if offset + size > len(payload):
        raise damaged(f"the file ends within {what}, {size} bytes at {offset:#x}")
    return payload[offset : offset + size]


def _notes(data: bytes, alignment: int) -> Iterator[Note]:
    """Notes that follow each other; the parts of each begin at multiples of 4.

    Refused where the header says 8, as the gABI has it of 64-bit files: some readers take 4 there all the same.
    """
    if alignment not in (0, 1, 2, 4):
        raise damaged(f"notes at multiples of {alignment}")
    step, at = 4, 0
    while at + _NOTE.size <= len(data):
        owner_size, size, kind = _NOTE.unpack_from(data, at)
        owner_at = at + _NOTE.size
        start = -(-(owner_at + owner_size) // step) * step
        if start + size > len(data):
            raise damaged("a note is not whole")
        owner = data[owner_at : owner_at + max(owner_size - 1, 0)].decode(errors="backslashreplace")
        yield Note(owner, kind, data[start : start + size])
        at = -(-(start + size) // step) * step
