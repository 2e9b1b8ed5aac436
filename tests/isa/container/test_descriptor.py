"""What a kernel's descriptor and its metadata ask for is there, and is what the program's launch gives."""

import copy
from dataclasses import replace

import pytest

from layoutalg.errors import CodeObjectError, LaunchError
from layoutalg.isa.architecture import ARCHITECTURES
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.container.descriptor import ZERO, code_format
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.refine.refinement import prove_binary
from layoutalg.refine.trial import report
from tests.fuzzing import few
from tests.isa.containers import Edited
from tests.isa.edits import (
    NAME,
    PROGRAM,
    alike,
    argument,
    both,
    kernel,
    metadata,
    payload,
    refused,
    verdict,
)
from tests.matrix import each


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_size_of_fewer_bytes_is_not_the_programs(size):
    found = verdict(argument(2, size=size))
    assert found.name == "refuted"  # a run shows it: the runtime leaves the other bytes undefined
    assert f"a by_value of {size} bytes at byte 16, and not a by_value of 4 bytes" in found.failures[0][1].reason


@pytest.mark.parametrize(
    ("number", "fields", "why"),
    [
        (2, {"offset": 15}, "8 bytes of the argument at byte 8 lie on the argument at byte 15"),
        (3, {"offset": 19}, "4 bytes of the argument at byte 16 lie on the argument at byte 19"),
        (3, {"offset": 21}, "the argument at byte 21 has 4 bytes, and all have 24"),
        (3, {"offset": 1 << 32}, "say 4294967296 of .offset"),
        (3, {"offset": -4}, "say -4 of .offset"),
        (3, {"size": 5}, "the argument at byte 20 has 5 bytes, and all have 24"),
        (2, {"size": 16}, "16 bytes of the argument at byte 16 lie on the argument at byte 20"),
        (2, {"size": 0}, "the argument by_value at byte 16 has 0 bytes"),
        (2, {"size": "4"}, "say '4' of .size"),
        (2, {"size": True}, "say True of .size"),
        (0, {"size": 4}, "the argument global_buffer at byte 0 has 4 bytes"),
        (0, {"value_kind": None}, "have no .value_kind"),
    ],
)
def test_arguments_lie_beside_each_other_in_their_segment(number, fields, why):
    refused(argument(number, **fields), why)


@pytest.mark.parametrize(
    ("number", "fields", "why"),
    [
        (0, {"address_space": "local"}, "is said to be local"),
        (1, {"actual_access": "read_only"}, "is said to be global read_only, as target is not"),
        (0, {"access": "write_only"}, "is said to be global read_only write_only, as source is not"),
        (2, {"value_kind": "sampler"}, "a sampler of 4 bytes"),
        (0, {"value_kind": "image"}, "a image of 8 bytes"),
    ],
)
def test_arguments_of_another_kind_are_not_the_programs(number, fields, why):
    found = verdict(argument(number, **fields))
    assert found.name == "unknown"
    assert why in found.failures[0][1].reason


def test_a_size_is_aligned():
    def moved(entry):
        entry[".args"][3].update({".offset": 21})
        entry.update({".kernarg_segment_size": 32})

    def edit(code):
        code.edit_metadata(moved)
        code.descriptor_bits(64, 95, 32)

    assert "a by_value of 4 bytes at byte 21" in verdict(edit).failures[0][1].reason


def test_hidden_arguments_have_their_sizes():
    code = Edited(payload(opt_level=0))
    hidden = next(k for k, one in enumerate(code.metadata["amdhsa.kernels"][0][".args"]) if "block_count" in str(one))
    argument(hidden, size=1)(code)
    with pytest.raises(CodeObjectError, match="the argument hidden_block_count_x at byte 24 has 1 bytes"):
        read_kernels(bytes(code.payload))


def test_a_block_of_more_threads_than_the_runtime_starts_is_not_proved():
    found = verdict(metadata(max_flat_workgroup_size=64))
    assert found.name == "unknown"
    assert "blocks of at most 64 threads, not 256" in found.failures[0][1].reason
    ran = report(decode_kernel(kernel(metadata(max_flat_workgroup_size=64))), PROGRAM)
    assert not ran["exact"]
    assert "at most 64 threads" in ran["refused"]


def test_another_block_than_the_kernel_requires_is_not_proved():
    assert verdict(metadata(reqd_workgroup_size=list(PROGRAM.block))).proved
    found = verdict(metadata(reqd_workgroup_size=[128, 2, 1]))
    assert "blocks of (128, 2, 1), not (256, 1, 1)" in found.failures[0][1].reason
    refused(metadata(reqd_workgroup_size=[256]), "no three sizes")


@pytest.mark.parametrize(
    ("first", "value", "field", "why"),
    [
        (0, 0x80004000, "group_segment_fixed_size", "2147500032 bytes of LDS"),
        (0, 0x80000400, "group_segment_fixed_size", "2147484672 bytes of LDS"),
        (32, 2 << 30, "private_segment_fixed_size", "2147483648 bytes of scratch"),
        (64, 0x80000018, "kernarg_segment_size", "2147483672 bytes of arguments"),
    ],
)
def test_sizes_are_said_alike_and_are_there(first, value, field, why):
    def descriptor(code):
        code.descriptor_bits(first, first + 31, value)

    refused(descriptor, f"its descriptor asks for {why}, its metadata for|it has {why}.*, gfx942 has")
    refused(metadata(**{field: value}), "its descriptor asks for|and all have 0")
    if field == "kernarg_segment_size":
        return
    refused(both(descriptor, metadata(**{field: value})), f"it has {why}.*gfx942 has")


def test_a_descriptor_leaves_the_bytes_of_arguments_to_the_metadata():
    """AMDGPUUsage: a size of 0 is unspecified; assembly written by hand has it so."""
    assert alike(kernel(lambda code: code.descriptor_bits(64, 95, 0)), kernel(lambda code: None))
    refused(lambda code: code.descriptor_bits(64, 95, 8), "asks for 8 bytes of arguments, its metadata for 24")


def test_a_launch_that_needs_more_memory_than_is_given_is_refused():
    def large(code):
        code.descriptor_bits(64, 95, 3 << 30)

    code = decode_kernel(kernel(both(large, metadata(kernarg_segment_size=3 << 30))))
    with pytest.raises(LaunchError, match="bytes for one block"):
        execute(code, (1,), (256,), [])


def test_much_scratch_is_run_in_few_blocks():
    def some(code):
        code.descriptor_bits(32, 63, 100_000)

    ran = report(decode_kernel(kernel(both(some, metadata(private_segment_fixed_size=100_000)))), PROGRAM)
    assert ran["exact"]


def test_waves_have_the_lanes_that_metadata_say():
    refused(metadata(wavefront_size=32), "asks for 64 lanes in a wave, its metadata for 32")
    refused(lambda code: code.descriptor_bits(458, 458, 1), "waves of 32 lanes, which the machine has not")
    refused(lambda code: code.descriptor_bits(458, 458, 0), "asks for 64 lanes.*metadata for 32", "gfx1100")


@pytest.mark.parametrize("target", each(["gfx942", "gfx1100", "gfx1201"], "gfx1100"))
def test_every_bit_that_must_be_0_is(target):
    for register, first, last, what in (*ZERO, *ARCHITECTURES[code_format(target).decoder].zero):
        for bit in few(range(register + first, register + last + 1), 4):
            refused(lambda code, bit=bit: code.descriptor_bits(bit, bit, 1), what, target)


@pytest.mark.parametrize(
    ("first", "last", "value", "why"),
    [
        (440, 446, 0x7F, "floating-point exceptions"),
        (440, 440, 1, "floating-point exceptions"),
        (427, 428, 3, "four thread indices"),
        (417, 421, 1, "1 user registers, and what is to be in them takes 2"),
        (417, 421, 17, "17 user registers"),
        (448, 448, 1, "user registers"),
        (368, 368, 1, "waves apart"),
        (390, 393, 14, "128 scalar registers of 112"),
        (352, 357, 63, "accumulation registers from 256 on, of 104 registers"),
        (128, 191, 0, "the descriptor's entry 0x600 is not the symbol's address 0x1700"),
    ],
)
def test_a_descriptor_asks_for_what_there_is(first, last, value, why):
    refused(lambda code: code.descriptor_bits(first, last, value), why)


@pytest.mark.parametrize("target", ["gfx1100", "gfx1201"])
def test_a_count_of_scalar_registers_says_nothing_where_every_wave_has_all(target):
    """Compilers until LLVM 21 write one, ROCm's until 7.1."""
    counted, usual = (kernel(lambda code, n=n: code.descriptor_bits(390, 393, n), target) for n in (2, 0))
    assert replace(counted, image=usual.image) == usual


def test_scratch_is_described_where_it_is_not_set_up():
    def described(code):
        code.descriptor_bits(448, 448, 1)
        code.descriptor_bits(417, 421, 6)

    refused(described, "a description of scratch, which gfx942 has not")
    assert kernel(described, "gfx90a").user_sgprs[0] == ("private_segment_buffer", 4)


@pytest.mark.slow
def test_a_block_index_that_is_not_asked_for_is_not_there():
    """On RDNA 4 it would be in a trap temporary."""
    blind = decode_kernel(kernel(lambda code: code.descriptor_bits(423, 423, 0), "gfx1201"))
    assert not prove_binary(blind, PROGRAM, seconds=20).proved
    assert not report(blind, PROGRAM)["exact"]


def test_metadata_name_a_kernel_once():
    def twice(code):
        document = code.metadata
        document["amdhsa.kernels"] *= 2
        code.write_metadata(document)

    def same_symbol(code):
        document = code.metadata
        other = copy.deepcopy(document["amdhsa.kernels"][0])
        other[".name"] = "other"
        document["amdhsa.kernels"].append(other)
        code.write_metadata(document)

    refused(twice, f"have {NAME}.* twice")
    refused(same_symbol, f"have {NAME}.kd twice")


@pytest.mark.parametrize(
    ("document", "why"),
    [
        (b"\xc1", "no msgpack document"),
        (b"\x80\x80", "no msgpack document"),
        (b"\x91" * 4000 + b"\x90", "no msgpack document|no mapping"),
        (b"\x82\xa1a\x01\xa1a\x02", "a key is there twice"),
        (b"\x90", "no mapping"),
        (b"\xdf\xff\xff\xff\xff", "no msgpack document"),
        (b"\x81\x80\x80", "no msgpack document"),
    ],
)
def test_metadata_are_a_document(document, why):
    refused(lambda code: code.write_metadata(document), why)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"name": 3}, "say 3 of .name"),
        ({"args": {}}, r"say \{\} of .args"),
        ({"args": [3]}, "are no mapping"),
        ({"kind": "init"}, "of kind init, which the runtime starts by itself"),
        ({"uses_dynamic_stack": True}, "asks for False as its stack's growth, its metadata for True"),
        ({"reqd_workgroup_size": ["256", 1, 1]}, "of .reqd_workgroup_size"),
        ({"symbol": NAME}, "not one by which a loader finds|not the symbol's address|other bytes"),
        ({"symbol": "nothing.kd"}, "no symbol nothing.kd"),
        ({"vgpr_count": -1}, "say -1 of .vgpr_count"),
    ],
)
def test_metadata_are_of_their_kinds(fields, why):
    refused(metadata(**fields), why)
