"""Code objects edited as files: their headers, their notes, a kernel's descriptor and its metadata.

Nothing of `layoutalg` is used: places are found with pyelftools, fields are written with struct.
"""

import io
import struct

import msgpack
from elftools.elf.elffile import ELFFile

#: Offset and format of the fields of a program header, a section header and a symbol (gABI).
PROGRAM = {"kind": (0, "<I"), "flags": (4, "<I"), "offset": (8, "<Q"), "address": (16, "<Q"), "file_size": (32, "<Q"),
           "memory_size": (40, "<Q"), "alignment": (48, "<Q")}  # fmt: skip
SECTION = {"kind": (4, "<I"), "flags": (8, "<Q"), "address": (16, "<Q"), "offset": (24, "<Q"), "size": (32, "<Q"),
           "link": (40, "<I"), "info": (44, "<I"), "alignment": (48, "<Q"), "entry_size": (56, "<Q")}  # fmt: skip
SYMBOL = {"name": (0, "<I"), "info": (4, "<B"), "section": (6, "<H"), "address": (8, "<Q"), "size": (16, "<Q")}


class Edited:
    """A code object that is being edited."""

    def __init__(self, payload):
        self.payload = bytearray(payload)
        self.pristine = self.elf  # as it was before it was edited
        self.place_of_descriptor = self.descriptor_at()

    @property
    def elf(self):
        return ELFFile(io.BytesIO(bytes(self.payload)))

    def write(self, at, format, value):
        struct.pack_into(format, self.payload, at, value)

    # Headers

    def program_at(self, number):
        return self.elf["e_phoff"] + number * 56

    def section_at(self, number):
        return self.elf["e_shoff"] + number * 64

    def program(self, number, **fields):
        for name, value in fields.items():
            offset, format = PROGRAM[name]
            self.write(self.program_at(number) + offset, format, value)

    def section(self, name, **fields):
        number = name if isinstance(name, int) else self.elf.get_section_index(name)
        for field, value in fields.items():
            offset, format = SECTION[field]
            self.write(self.section_at(number) + offset, format, value)

    def symbol(self, table, of, **fields):
        section = self.elf.get_section_by_name(table)
        number = next(k for k, symbol in enumerate(section.iter_symbols()) if symbol.name == of)
        for field, value in fields.items():
            offset, format = SYMBOL[field]
            self.write(section["sh_offset"] + number * 24 + offset, format, value)

    def programs(self, kind):
        return [k for k, header in enumerate(self.elf.iter_segments()) if header["p_type"] == kind]

    def append(self, data):
        """Puts bytes at the end of the file, and says where."""
        self.payload += bytes(-len(self.payload) % 64)
        at = len(self.payload)
        self.payload += data
        return at

    # Symbols

    def kernel_symbol(self, name):
        (symbol,) = self.elf.get_section_by_name(".dynsym").get_symbol_by_name(name)
        return symbol

    def place(self, address):
        """The offset in the file of an address."""
        return next(iter(self.elf.address_offsets(address)))

    # The descriptor

    def descriptor_at(self):
        return self.place(self.kernel_symbol(self.metadata["amdhsa.kernels"][0][".symbol"])["st_value"])

    def descriptor_bits(self, first, last, value):
        at, mask = self.descriptor_at(), (1 << last - first + 1) - 1
        whole = int.from_bytes(self.payload[at : at + 64], "little")
        whole = whole & ~(mask << first) | value << first
        self.payload[at : at + 64] = whole.to_bytes(64, "little")

    # The metadata

    @property
    def metadata(self):
        note = next(self.elf.iter_segments("PT_NOTE"))
        data = bytes(self.payload[note["p_offset"] :][: note["p_filesz"]])
        owner, size, _ = struct.unpack_from("<III", data)
        start = 12 + -(-owner // 4) * 4
        return msgpack.unpackb(data[start : start + size])

    def write_metadata(self, document, programs=True, sections=True):
        """Puts a note of this document at the end of the file, and lets the headers of notes say so."""
        packed = document if isinstance(document, bytes) else msgpack.packb(document)
        data = struct.pack("<III8s", 7, len(packed), 32, b"AMDGPU") + packed + bytes(-len(packed) % 4)
        at = self.append(data)
        for number in self.programs("PT_NOTE") if programs else ():
            self.program(number, offset=at, file_size=len(data), memory_size=len(data))
        if sections:
            self.section(".note", offset=at, size=len(data))

    def edit_metadata(self, edit, **where):
        document = self.metadata
        edit(document["amdhsa.kernels"][0])
        self.write_metadata(document, **where)
