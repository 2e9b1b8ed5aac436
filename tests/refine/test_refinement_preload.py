"""A kernel with preloaded arguments is proved from both of its entries, or not at all."""

from functools import cache

import pytest

from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.refine.refinement import prove_binary
from layoutalg.symex.entries import WITHOUT_PRELOAD
from tests.isa.assembly import mutant
from tests.isa.containers import Edited
from tests.isa.edits import NAME, PROGRAM, preloading


@cache
def binary(target="gfx942"):
    return decode_kernel(read_kernels(preloading(target))[NAME])


def test_both_entries_are_proved():
    found = prove_binary(binary(), PROGRAM, seconds=20)
    assert found.proved
    assert found.verdicts[-1][0] == WITHOUT_PRELOAD
    assert found.verdicts[-1][1].strategy == "reading"


def test_a_kernel_that_only_current_firmware_runs_right_is_refuted():
    first = binary().instructions[0]
    assert first.name == "S_LOAD_DWORDX2"
    found = prove_binary(mutant(binary(), first, (32, 52, 8)), PROGRAM, seconds=20)
    assert found.name == "refuted"
    assert WITHOUT_PRELOAD in found.verdicts[-1][0]


@pytest.mark.slow
def test_a_kernel_that_only_older_firmware_runs_right_is_refuted():
    """Its descriptor asks for the arguments from their second dword on."""
    edited = Edited(preloading())
    edited.descriptor_bits(464, 470, 5)
    edited.descriptor_bits(471, 479, 1)
    code = decode_kernel(read_kernels(bytes(edited.payload))[NAME])
    assert prove_binary(code, PROGRAM, seconds=20).name == "refuted"
    assert prove_binary(code.without_preload, PROGRAM, seconds=20).proved
