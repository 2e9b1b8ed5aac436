"""Registers as the machine finds them: preloaded arguments, filled in by current firmware and not by older."""

import pytest

from layoutalg.errors import CodeObjectError
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.refine.trial import report
from tests.isa.assembly import mutant
from tests.isa.containers import Edited
from tests.isa.edits import NAME, PROGRAM, preloading

TARGETS = ("gfx90a", "gfx942", "gfx950")


def edited(target, edit):
    code = Edited(preloading(target))
    edit(code)
    return decode_kernel(read_kernels(bytes(code.payload))[NAME])


def ran(program):
    return report(program, PROGRAM)


@pytest.mark.parametrize("target", TARGETS)
def test_both_entries_are_exact(target):
    program = edited(target, lambda code: None)
    assert program.kernel.user_sgprs[-1] == ("preloaded_arguments", 6)
    assert program.kernel.start == program.kernel.entry + 256
    assert ran(program)["exact"]
    older = program.without_preload
    assert older.kernel.start == older.kernel.entry
    assert ran(older)["exact"]


def test_the_registers_are_those_that_the_descriptor_says():
    """One fewer, and the last size is undefined."""
    moved = edited("gfx942", lambda code: code.descriptor_bits(464, 470, 5))
    assert "undefined value" in ran(moved)["fault"]
    assert ran(moved.without_preload)["exact"]


def test_each_firmware_has_its_own_code():
    program = edited("gfx942", lambda code: None)
    first = program.instructions[0]
    assert first.name == "S_LOAD_DWORDX2"
    wrong = mutant(program, first, (32, 52, 8))  # loads the result's pointer as the source's
    assert ran(wrong)["exact"]
    assert not ran(wrong.without_preload)["exact"]


@pytest.mark.parametrize(
    ("first", "last", "value", "why"),
    [
        (471, 479, 7, "dwords 7 to 12 of the arguments to be preloaded, with 24 bytes of arguments"),
        (464, 470, 7, "8 user registers, and what is to be in them takes 9"),
        (454, 454, 1, "preloaded arguments and the size of scratch"),
    ],
)
def test_what_is_not_there_is_not_preloaded(first, last, value, why):
    def edit(code):
        code.descriptor_bits(first, last, value)
        code.descriptor_bits(417, 421, 9 if first == 454 else 8)

    with pytest.raises(CodeObjectError, match=why):
        edited("gfx942", edit)
