"""Binaries proved against the programs that they were compiled from, for all sizes; and binaries that are not."""

import functools
import random
from dataclasses import replace

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.index import value
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.transpose import lds_transpose, register_transpose
from layoutalg.prove import Refuted
from layoutalg.refine.refinement import prove_binary
from tests.matrix import each, some

TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")
KERNELS = {
    "registers": functools.cache(lambda: register_transpose(96, 64)),
    "xor_f16_v8": functools.cache(lambda: lds_transpose("f16", "xor", 8)),
    "xor_f32": functools.cache(lambda: lds_transpose("f32")),
    "xor_f32_v4": functools.cache(lambda: lds_transpose("f32", "xor", 4)),
    "pad_f16": functools.cache(lambda: lds_transpose("f16", "pad", 1)),
}


@functools.cache
def compiled(kernel, target, opt_level=3):
    program = KERNELS[kernel]()
    return decode_kernel(
        read_kernels(compile_source(emit_unverified(program), target, opt_level=opt_level).payload)[program.name]
    )


@pytest.mark.parametrize("target", each(TARGETS, "gfx950"))
@pytest.mark.parametrize("kernel", ["registers", "xor_f16_v8"])
def test_the_binary_is_the_program_for_all_sizes(kernel, target):
    verdict = prove_binary(compiled(kernel, target), KERNELS[kernel]())
    assert verdict.proved, verdict.failures[:2]
    assert verdict.narrow == ()


@pytest.mark.parametrize(
    ("kernel", "target", "opt_level"),
    some(
        [
            ("xor_f32", "gfx942", 3),
            ("xor_f32_v4", "gfx90a", 2),
            ("pad_f16", "gfx1100", 3),
            ("xor_f32_v4", "gfx1201", 1),
        ],
        2,
    ),
)
def test_other_kernels_and_levels_are_proved(kernel, target, opt_level):
    verdict = prove_binary(compiled(kernel, target, opt_level), KERNELS[kernel]())
    assert verdict.proved, verdict.failures[:2]


def test_what_is_not_followed_is_unknown_with_its_name():
    program = compiled("xor_f32", "gfx942")
    move = next(i for i in program.instructions if i.name == "S_MOV_B32" or i.name == "V_MOV_B32")
    other = changed(program, move, b0_31=0xBE801F00)  # s_rfe_b64
    verdict = prove_binary(other, KERNELS["xor_f32"]())
    assert verdict.name == "unknown"
    assert "S_RFE_B64" in verdict.failures[0][1].reason
    assert "0x" in verdict.failures[0][1].reason


@pytest.mark.slow
def test_another_kernels_binary_is_not_this_program():
    other = prove_binary(compiled("xor_f32", "gfx942"), lds_transpose("f32", "pad", 1))
    assert other.name == "unknown"  # LDS is too small for it
    assert "bytes of LDS" in other.failures[0][1].reason
    swapped = prove_binary(compiled("pad_f16", "gfx942"), lds_transpose("f16"))
    assert swapped.name == "unknown"  # it does the same by another way
    assert "differs from the claimed program" in swapped.failures[-1][1].reason


def changed(program, instruction, **bits):
    """The program with some bits of one instruction's encoding replaced: `lo_hi=value`."""
    start = instruction.address - program.kernel.entry
    word = int.from_bytes(program.kernel.code[start : start + instruction.size], "little")
    for key, new in bits.items():
        low, high = map(int, key.strip("b").split("_"))
        mask = ((1 << high - low + 1) - 1) << low
        word = word & ~mask | new << low
    code = bytearray(program.kernel.code)
    code[start : start + instruction.size] = word.to_bytes(instruction.size, "little")
    return decode_kernel(replace(program.kernel, code=bytes(code)))


def the(program, name, number=0):
    return [i for i in program.instructions if i.name == name][number]


@pytest.mark.parametrize(
    ("name", "number", "bits"),
    some(
        [
            ("DS_WRITE_B128", 0, {"b0_7": 4}),  # an LDS offset
            ("DS_READ_U16", 3, {"b8_15": 7}),
            ("GLOBAL_STORE_DWORDX4", 0, {"b0_12": 16}),  # a global offset
            ("V_LSHL_ADD_U64", 0, {"b41_49": 128 + 2}),  # a shift: bytes of f32
            ("V_XOR_B32", 1, {"b0_8": 128 + 9}),  # a swizzle
            ("S_LSHL_B32", 0, {"b8_15": 128 + 5}),  # the tile's size
        ],
        3,
    ),
)
def test_a_changed_instruction_is_refuted_with_a_witness(name, number, bits):
    program = compiled("xor_f16_v8", "gfx942")
    verdict = prove_binary(changed(program, the(program, name, number), **bits), KERNELS["xor_f16_v8"]())
    assert verdict.name == "refuted", verdict.failures[:1]
    assert isinstance(verdict.failures[-1][1], Refuted)


def test_a_widened_guard_is_refuted():
    """M > row, made M ≥ row: one row too many."""
    program = compiled("xor_f16_v8", "gfx942")
    compare = next(i for i in program.instructions if i.name == "V_CMP_GT_I32")
    opcode = {"VOPC": {"b17_24": 0xC6}, "VOP3": {"b16_25": 0xC6}}[compare.form]  # V_CMP_GE_I32
    assert prove_binary(changed(program, compare, **opcode), KERNELS["xor_f16_v8"]()).name == "refuted"


def test_an_upper_half_is_no_lower_half():
    """The carry chain of a 64-bit address, fed the pointer's upper half twice."""
    program = compiled("xor_f32_v4", "gfx1100", 1)
    pointers = {i.operands["a"] for i in program.instructions if i.name == "V_ADD_CO_CI_U32"}
    adds = [i for i in program.instructions if i.name == "V_ADD_CO_U32" and i.operands["a"].kind == "s"]
    assert adds
    for add in adds[:2]:
        register = add.operands["a"].index + 1
        assert any(pointer.index == register for pointer in pointers)
        mutant = changed(program, add, b32_40=register)
        assert prove_binary(mutant, KERNELS["xor_f32_v4"]()).name != "proved"


@pytest.mark.parametrize("name", ["S_BARRIER", "S_WAITCNT"])
def test_a_removed_barrier_or_wait_is_not_proved(name):
    program = compiled("xor_f16_v8", "gfx942")
    for instruction in program.instructions:
        if instruction.name == name:
            mutant = changed(program, instruction, b0_31=0xBF800000)  # S_NOP
            assert prove_binary(mutant, KERNELS["xor_f16_v8"]()).name != "proved"


def seen(program, kernel):
    """How runs show that a binary is wrong, or nothing."""
    for rows, columns in ((104, 72), (64, 136)):
        given = (np.arange(rows * columns) % 2039 + 1).reshape(rows, columns).astype(np.float16)
        out = np.full((columns, rows), -1, np.float16)
        try:
            sizes = dict(zip(kernel.sizes, (rows, columns), strict=True))
            grid = [value(extent, sizes) for extent in kernel.launch]
            run = execute(program, grid, kernel.block, [given, out, rows, columns], step_limit=8000)
        except Fault as fault:
            return fault.kind
        except UnsupportedInstructionError:
            return "refused"
        if not (np.array_equal(run.outputs[1], given.T) and np.array_equal(run.outputs[0], given)):
            return "result"
    return None


@pytest.mark.slow
@pytest.mark.parametrize("target", some(["gfx942", "gfx1201"], 1))
def test_no_binary_is_proved_that_a_run_shows_to_be_wrong(target):
    """Flipped bits drawn at random: what faults or computes something else is never proved."""
    program, kernel, rng = compiled("xor_f16_v8", target), KERNELS["xor_f16_v8"](), random.Random(target)
    wrong = 0
    for _ in range(20):
        bit = rng.randrange(8 * len(program.kernel.code))
        code = bytearray(program.kernel.code)
        code[bit // 8] ^= 1 << bit % 8
        try:
            mutant = decode_kernel(replace(program.kernel, code=bytes(code)))
        except UnsupportedInstructionError:
            continue
        how = seen(mutant, kernel)
        if how is not None:
            wrong += 1
            assert not prove_binary(mutant, kernel).proved, (how, bit)
    assert wrong > 5


def test_a_block_of_one_wave_that_needs_no_barrier_is_not_the_programs():
    """The compiler leaves the barrier out where a block does not fill a wave; that it may is not seen."""
    kernel = lds_transpose("f32", threads=32, tile=(16, 16))
    code = compile_source(emit_unverified(kernel), "gfx942").payload
    verdict = prove_binary(decode_kernel(read_kernels(code)[kernel.name]), kernel)
    assert verdict.name == "unknown"
    assert "0 barriers before it, 1 in the program" in verdict.failures[0][1].reason
