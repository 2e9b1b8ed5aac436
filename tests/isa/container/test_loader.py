"""A code object is read as a loader reads it, or refused with what is wrong: what it says twice it says alike."""

import struct

import pytest

from layoutalg.cli.app import application
from layoutalg.device.codeobject import CodeObject
from layoutalg.device.compile import compile_source
from layoutalg.errors import CodeObjectError
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel, own_code
from layoutalg.target.known import decoded
from tests.isa.containers import Edited
from tests.isa.edits import (
    NAME,
    alike,
    argument,
    edited,
    kernel,
    payload,
    refused,
    verdict,
)
from tests.matrix import each


@pytest.mark.parametrize("target", each(decoded(), "gfx1100"))
def test_a_note_that_was_written_again_says_the_same(target):
    def rewritten(code):
        code.write_metadata(code.metadata)

    assert alike(kernel(rewritten, target), read_kernels(payload(target))[NAME])


def test_an_honest_kernel_is_proved():
    assert verdict(lambda code: None).proved


@pytest.mark.parametrize("triple", ["amdgpu9.42-amd-amdhsa-unknown-gfx942", "amdgcn-amd-amdhsa-unknown-gfx942"])
def test_a_target_is_the_last_part_of_its_triple(triple):
    def renamed(code):
        code.write_metadata(code.metadata | {"amdhsa.target": triple})

    assert kernel(renamed).target == "gfx942"


def test_features_of_the_target_are_those_of_the_flags():
    def with_features(code, flags, target):
        code.write_metadata(code.metadata | {"amdhsa.target": f"amdgcn-amd-amdhsa--gfx942:{target}"})
        code.write(48, "<I", flags)

    assert kernel(lambda code: with_features(code, 0xE4C, "sramecc+:xnack-")).target == "gfx942"
    refused(lambda code: with_features(code, 0x54C, "xnack-"), "e_flags name the features none, its metadata xnack-")
    refused(lambda code: with_features(code, 0x64C, "xnack+"), "e_flags name the features xnack-, its metadata xnack+")


def nops(code):
    """A segment of s_nop over the whole of .text, in place of one that no loader needs."""
    text = code.elf.get_section_by_name(".text")
    at = code.append(struct.pack("<I", 0xBF800000) * (text["sh_size"] // 4))
    return {"kind": 1, "flags": 5, "offset": at, "address": text["sh_addr"], "file_size": text["sh_size"],
            "memory_size": text["sh_size"], "alignment": 256}  # fmt: skip


def test_segments_do_not_overlap():
    refused(lambda code: code.program(code.programs("PT_GNU_STACK")[0], **nops(code)), "is loaded over the one")


def test_segments_ascend():
    def exchanged(code):
        first, second = (code.program_at(number) for number in code.programs("PT_LOAD")[:2])
        headers = code.payload[first : first + 56], code.payload[second : second + 56]
        code.payload[second : second + 56], code.payload[first : first + 56] = headers

    refused(exchanged, "must ascend and not overlap")


def test_the_first_segment_is_where_a_loader_puts_it():
    def moved(code):
        first = code.programs("PT_LOAD")[0]
        size = code.elf.get_segment(first)["p_filesz"] - 64
        code.program(first, offset=64, address=64, file_size=size, memory_size=size)

    refused(moved, "the first segment is at 0x40, which is not at a multiple of 256")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"flags": 4}, "lies in no segment that is executed"),
        ({"flags": 7}, "lies in no segment that is executed and not written"),
        ({"file_size": 1 << 40}, "larger in the file than in memory"),
        ({"offset": 1 << 40}, "ends within a segment"),
        ({"memory_size": 64, "file_size": 64}, "lies in no segment"),
        ({"address": (1 << 64) - 64}, "too large|lies in no segment"),
    ],
)
def test_code_is_loaded_to_be_executed(fields, why):
    refused(lambda code: code.program(code.programs("PT_LOAD")[1], **fields), why)


def relocation(code):
    """R_AMDGPU_RELATIVE64 on the first instruction."""
    return struct.pack("<QQq", code.kernel_symbol(NAME)["st_value"], 13, 0)


def test_a_relocation_is_refused():
    def by_section(code):
        at = code.append(relocation(code))
        code.section(".comment", kind=4, offset=at, size=24, link=2, info=0, entry_size=24)

    def by_dynamic_section(code):
        at = code.place(code.elf.get_section_by_name(".dynamic")["sh_addr"])
        code.write(at, "<q", 7)

    refused(by_section, "has relocations .R_AMDGPU_RELATIVE64 at 0x1")
    refused(by_dynamic_section, "DT_RELA, which a loader would follow")


def test_a_variable_that_holds_an_address_is_refused():
    source = """
#include "layoutalg_device.h"
__device__ int x;
__device__ int* of_x = &x;
extern "C" __global__ void through(int* out) { *out = *of_x; }
"""
    with pytest.raises(CodeObjectError, match=r"has relocations .R_AMDGPU_[A-Z]+64 at 0x.*with an address"):
        compile_source(source, "gfx942")


@pytest.mark.parametrize(("tag", "name"), [(12, "DT_INIT"), (22, "DT_TEXTREL"), (25, "DT_INIT_ARRAY"), (99, "0x63")])
def test_a_dynamic_section_asks_for_nothing_more(tag, name):
    def edit(code):
        code.write(code.elf.get_section_by_name(".dynamic")["sh_offset"] + 16 * 4, "<q", tag)

    refused(edit, f"has {name}, which a loader would follow")


def test_both_tables_of_dynamic_symbols_are_one():
    def elsewhere(code):
        code.write(code.elf.get_section_by_name(".dynamic")["sh_offset"] + 8, "<Q", 0x600)

    def copied(code):
        table = code.elf.get_section_by_name(".dynsym")
        data = bytearray(table.data())
        data[24 + 8] ^= 1
        code.section(".dynsym", offset=code.append(bytes(data)))

    refused(elsewhere, "two tables of dynamic symbols")
    refused(copied, "two tables of dynamic symbols")


@pytest.mark.parametrize("table", [".dynsym", ".symtab"])
@pytest.mark.parametrize("name", [NAME, f"{NAME}.kd"])
def test_symbols_are_one_in_all_tables(table, name):
    refused(lambda code: code.symbol(table, name, address=0x1800), f"several symbols {NAME}")


@pytest.mark.parametrize("table", [".dynsym", ".symtab"])
def test_a_symbol_is_not_there_twice(table):
    def twice(code):
        section = code.elf.get_section_by_name(table)
        (kd,) = [s for s in section.iter_symbols() if s.name == f"{NAME}.kd"]
        other = next(s for s in section.iter_symbols() if s.name == "__hip_cuid_")
        code.symbol(table, other.name, name=kd["st_name"], address=kd["st_value"], size=kd["st_size"])

    refused(twice, "several symbols")


def unsized(code):
    """As assemblers write it where nobody says `.size`."""
    for table in (".dynsym", ".symtab"):
        code.symbol(table, NAME, size=0)


def test_code_without_a_size_ends_where_control_cannot_go_on():
    sized, open_ended = kernel(lambda code: None), kernel(unsized)
    assert (sized.sized, open_ended.sized) == (True, False)
    assert open_ended.code.startswith(sized.code)
    assert len(own_code(open_ended)) < len(sized.code) + 256
    end = decode_kernel(open_ended).instructions[-1]
    assert end.name == "S_ENDPGM"
    assert decode_kernel(sized).instructions[: len(decode_kernel(open_ended).instructions)] == (
        decode_kernel(open_ended).instructions
    )


def test_code_without_a_size_ends_before_what_has_a_name():
    def edit(code):
        unsized(code)
        start = code.kernel_symbol(NAME)["st_value"]
        for table in (".dynsym", ".symtab"):
            code.symbol(table, "__hip_cuid_", info=0x12, address=start + 32)

    assert len(kernel(edit).code) == 32


def test_a_symbol_without_room_for_code_is_refused():
    def edit(code):
        unsized(code)
        (text,) = [k for k in code.programs("PT_LOAD") if code.elf.get_segment(k)["p_flags"] == 5]
        code.program(text, file_size=0)

    refused(edit, "has 0 bytes of code")


def test_metadata_that_name_no_target_leave_it_to_the_flags():
    def without(code, version=(1, 1)):
        document = {key: value for key, value in code.metadata.items() if key != "amdhsa.target"}
        code.write_metadata(document | {"amdhsa.version": list(version)})

    def unknown(code):
        without(code)
        code.write(48, "<I", 0x5FF)

    assert alike(kernel(without), kernel(lambda code: None))
    assert kernel(lambda code: without(code, (1, 0))).target == "gfx942"  # as hand-written assembly has it
    refused(unknown, "the code object is for the processor 0xff, which no target's file has")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"section": 7}, "other bytes than the segment"),
        ({"section": 0xFFF1}, "section 65521 is not there"),
        ({"info": 0x12}, "not one by which a loader finds"),
        ({"info": 0x01}, "not one by which a loader finds"),
        ({"section": 0}, "no symbol"),
    ],
)
def test_a_descriptor_is_where_its_symbol_says(fields, why):
    def edit(code):
        for table in (".dynsym", ".symtab"):
            code.symbol(table, f"{NAME}.kd", **fields)

    refused(edit, why)


def test_a_section_has_the_bytes_that_are_loaded():
    """ROCr's loader reads a descriptor's sizes from the section, the machine all of it from memory."""

    def copied(code):
        section = code.elf.get_section_by_name(".rodata")
        data = bytearray(section.data())
        data[4] = 16
        code.section(".rodata", offset=code.append(bytes(data)))

    refused(copied, "its section has other bytes than the segment")


@pytest.mark.parametrize(
    ("flags", "why"),
    [
        (0x54F, "name the processor gfx950, its metadata gfx942"),
        (0x53F, "name the processor gfx90a, its metadata gfx942"),
        (0x52F, "name the processor gfx906, its metadata gfx942"),
        (0x528, "name the processor 0x28, its metadata gfx942"),
    ],
)
def test_flags_name_the_processor_of_the_metadata(flags, why):
    refused(lambda code: code.write(48, "<I", flags), why)


@pytest.mark.parametrize(
    ("at", "format", "value", "why"),
    [
        (4, "<B", 1, "not a 64-bit little-endian"),
        (7, "<B", 0, "OS 0, not AMD HSA's"),
        (8, "<B", 1, "ABI version 1: compile it for code object version 4, 5 or 6"),
        (8, "<B", 5, "ABI version 5: compile it for code object version 4, 5 or 6"),
        (16, "<H", 1, "of type 1: link it"),
        (18, "<H", 62, "machine 62"),
        (54, "<H", 32, "a program header of 32 bytes"),
        (58, "<H", 32, "a section header of 32 bytes"),
        (56, "<H", 0, "nothing of it is loaded"),
        (60, "<H", 0, "number of sections is not in the header"),
        (60, "<H", 0xFF00, "ends within"),
    ],
)
def test_the_header_is_that_of_a_code_object(at, format, value, why):
    with pytest.raises(CodeObjectError, match=why):
        read_kernels(edited(lambda code: code.write(at, format, value)))


@pytest.mark.parametrize("abi", [2, 3, 4])
@pytest.mark.parametrize("minor", [1, 2])
def test_the_metadatas_version_is_not_that_of_the_abi(abi, minor):
    """clang 16 and 17 write metadata 1.2 into code objects of version 4."""

    def edit(code):
        code.write(8, "<B", abi)
        code.write_metadata(code.metadata | {"amdhsa.version": [1, minor]})

    assert alike(kernel(edit), read_kernels(payload())[NAME])


@pytest.mark.parametrize("version", [[0, 9], [1, 3], [2, 1], [1]])
def test_metadata_of_another_version_are_refused(version):
    def edit(code):
        code.write_metadata(code.metadata | {"amdhsa.version": version})

    refused(edit, f"metadata have version {'.'.join(map(str, version))}: compile it for version 4, 5 or 6")


def test_notes_that_differ_are_refused():
    change = {".args": []}
    refused(lambda code: code.edit_metadata(lambda entry: entry.update(change), sections=False), "notes that differ")
    refused(lambda code: code.edit_metadata(lambda entry: entry.update(change), programs=False), "notes that differ")


@pytest.mark.parametrize(
    ("owner", "kind", "why"),
    [
        (b"AMDGPUX", 32, "several NT_AMDGPU_METADATA notes that differ"),
        (b"AMDGPU\0", 13, "metadata in a note of AMDGPU of kind 13 too"),
        (b"AMD\0", 13, "metadata in a note of AMD of kind 13 too"),
        (b"AMD\0", 10, "metadata in a note of AMD of kind 10 too"),
    ],
)
def test_no_other_note_is_taken_for_metadata(owner, kind, why):
    """Its arguments are the other way round."""

    def another(code):
        document = code.metadata
        document["amdhsa.kernels"][0][".args"].reverse()
        code.write_metadata(document)
        number, place = code.programs("PT_NOTE")[0], code.elf.get_section_by_name(".note")
        note = bytearray(code.payload[place["sh_offset"] :][: place["sh_size"]])
        struct.pack_into("<III", note, 0, len(owner), struct.unpack_from("<I", note, 4)[0], kind)
        note[12:20] = owner + bytes(-len(owner) % 4)
        honest = Edited(payload())
        place = honest.elf.get_section_by_name(".note")
        note += honest.payload[place["sh_offset"] :][: place["sh_size"]]
        at = code.append(note)
        code.program(number, offset=at, file_size=len(note), memory_size=len(note))
        code.section(".note", offset=at, size=len(note))

    refused(another, why)


def test_parts_of_notes_begin_where_all_readers_look():
    refused(lambda code: code.program(code.programs("PT_NOTE")[0], alignment=8), "notes at multiples of 8")


def test_a_note_in_a_section_alone_is_read():
    def without_segment(code):
        code.program(code.programs("PT_NOTE")[0], kind=0)

    assert alike(kernel(without_segment), read_kernels(payload())[NAME])


def test_what_is_refused_is_one_line_of_the_command_line(tmp_path, capsys):
    (tmp_path / "bad.co").write_bytes(edited(argument(2, size=16)))
    with pytest.raises(CodeObjectError, match="lie on the argument"):
        application()(["binary", str(tmp_path / "bad.co"), "--against", NAME], standalone_mode=False)


def test_texts_of_the_metadata_are_told_in_one_line():
    def renamed(code):
        code.write_metadata(code.metadata | {"amdhsa.target": "amdgcn-amd-amdhsa--gfx942\n\x1b[2J"})

    refused(renamed, r"say 'amdgcn-amd-amdhsa--gfx942\\n\\x1b\[2J' of amdhsa.target")


def test_resources_are_read_as_before():
    (resources,) = CodeObject.read(payload()).kernels.values()
    assert [(p.kind, p.size, p.offset) for p in resources.parameters] == [
        ("pointer", 8, 0), ("pointer", 8, 8), ("value", 4, 16), ("value", 4, 20)
    ]  # fmt: skip
    assert (resources.lds_bytes, resources.wave_size, resources.max_threads) == (16384, 64, 256)
