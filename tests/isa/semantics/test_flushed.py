"""Denormals of f32 in a mode that flushes them: sources and results, against numpy's of numbers that are flushed."""

import numpy as np
import pytest

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.run.floats import FUNCTIONS
from layoutalg.isa.semantics.flushed import _AS_THEY_ARE, _FLUSHED
from tests.isa.machines import after, machine_of

LEAST = 2.0**-126
SOME = np.float32([0.0, -0.0, LEAST / 2, -LEAST / 4, LEAST, -LEAST, 1.5 * LEAST, 1.0, -3.0, 2.0**-149, np.inf, np.nan])

#: Instruction, its bytes, and numpy's function of the numbers in v7 and v9.
TWO = {
    "v_add_f32 v2, v7, v9": ("07130402", np.add),
    "v_sub_f32 v2, v7, v9": ("07130404", np.subtract),
    "v_mul_f32 v2, v7, v9": ("0713040a", np.multiply),
    "v_max_f32 v2, v7, v9": ("07130416", np.fmax),
}


def flushed(numbers):
    return np.where(np.abs(numbers) < np.float32(LEAST), np.copysign(np.float32(0), numbers), numbers)


def carried_out(code, mode):
    machine, instructions = machine_of("gfx942", code, [True] * 64, float_mode=mode)
    registers, pairs = machine.registers, np.array(np.meshgrid(SOME[:8], SOME[:8]), np.float32).reshape(2, 64)
    for k, numbers in ((7, pairs[0]), (9, pairs[1])):
        registers.vectors["v", k] = registers.w.const(0, 32) | numbers.view(np.uint32)
    _, found = after(machine, instructions)
    return pairs, np.uint32(found[2]).view(np.float32)


@pytest.mark.parametrize("line", TWO)
def test_sources_and_results_are_flushed_where_the_mode_says_so(line):
    code, function = TWO[line]
    for mode, read in ((0xC0, flushed), (0xF0, lambda numbers: numbers)):
        (a, b), found = carried_out(code, mode)
        wanted = read(function(read(a), read(b)))
        assert np.array_equal(found, wanted, equal_nan=True), mode
    assert (found != flushed(found)).any()


def test_what_is_compared_is_flushed_too():
    """v_cmp_lt_f32 vcc, v7, v9; v_cndmask_b32 v2, 0, 1.0, vcc: a denormal is not less than another."""
    for mode, read in ((0xC0, flushed), (0xF0, lambda numbers: numbers)):
        (a, b), found = carried_out("0713827c" + "020000d180e4a901", mode)
        assert np.array_equal(found != 0, read(a) < read(b)), mode


def test_halves_are_flushed_in_no_such_mode():
    machine, instructions = machine_of("gfx942", "0713043e", [True] * 64, float_mode=0xC0)
    registers = machine.registers  # v_add_f16 v2, v7, v9
    registers.vectors["v", 7] = registers.vectors["v", 9] = registers.w.const(0, 32) | np.full(64, 3, np.uint32)
    _, found = after(machine, instructions)
    assert set(found[2]) == {6}


@pytest.mark.parametrize(
    ("target", "code"), [("gfx942", "07670e7e"), ("gfx942", "026ae0d107130e04"), ("gfx950", "07b7047e")]
)
def test_what_no_source_says_is_refused(target, code):
    """v_frexp_exp_i32_f32, a step of a division, and v_cvt_f32_bf16."""
    machine, instructions = machine_of(target, code, [True] * 64, float_mode=0xC0)
    with pytest.raises(UnsupportedInstructionError, match="where denormals are flushed"):
        after(machine, instructions)


@pytest.mark.parametrize("mode", [0xD0, 0xE0, 0x00, 0xC3])
def test_other_modes_are_refused(mode):
    machine, instructions = machine_of("gfx942", TWO["v_add_f32 v2, v7, v9"][0], [True] * 64, float_mode=mode)
    with pytest.raises(UnsupportedInstructionError, match=f"in the float mode {mode:#x}"):
        after(machine, instructions)


def test_each_function_is_of_one_kind():
    assert not _FLUSHED & _AS_THEY_ARE
    assert all(name in FUNCTIONS for name in _FLUSHED | _AS_THEY_ARE)


@pytest.mark.parametrize(
    "name", sorted(name for name in _AS_THEY_ARE if name.endswith(("f32", "f32_cut")) and name != "mad_f32")
)
def test_functions_that_are_as_they_are_give_the_same_of_flushed_sources(name):
    words = SOME.view(np.uint32)
    with np.errstate(all="ignore"):
        plain, of_flushed = (FUNCTIONS[name](one) for one in (words, flushed(SOME).view(np.uint32)))
    assert np.array_equal(plain, of_flushed)
