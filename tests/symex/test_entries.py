"""Both entries of a kernel with preloaded arguments are one where they come to one state, and else they are not."""

from functools import cache

import pytest

from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.refine.refinement import _inputs, _Memory, prove_binary
from layoutalg.refine.simulation.questions import Questions
from layoutalg.symex.entries import enter_alike
from tests.isa.assembly import NOP, mutant
from tests.isa.containers import Edited
from tests.isa.edits import NAME, PROGRAM, preloading


@cache
def binary():
    return decode_kernel(read_kernels(preloading())[NAME])


def alike(code):
    return enter_alike(code, _inputs(code, PROGRAM), _Memory(Questions(PROGRAM)))


def test_a_compilers_entries_are_one():
    assert alike(binary())


@pytest.mark.parametrize("edit", [(32, 52, 8), (32, 52, 4), (6, 12, 4)], ids=["from 8", "from 4", "to s4"])
def test_what_is_loaded_from_elsewhere_or_to_elsewhere_is_not_what_is_preloaded(edit):
    first = binary().instructions[0]
    assert first.name == "S_LOAD_DWORDX2"
    assert not alike(mutant(binary(), first, edit))


def test_what_is_not_waited_for_is_not_there():
    wait = next(one for one in binary().instructions if one.name == "S_WAITCNT")
    code = mutant(binary(), wait, (0, 31, NOP))
    assert not alike(code)
    assert not prove_binary(code, PROGRAM, seconds=20).proved


def test_other_arguments_in_the_registers_are_not_those_that_are_loaded():
    edited = Edited(preloading())
    edited.descriptor_bits(464, 470, 5)
    edited.descriptor_bits(471, 479, 1)
    assert not alike(decode_kernel(read_kernels(bytes(edited.payload))[NAME]))
