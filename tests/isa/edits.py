"""An honest code object, and edits of it."""

import functools
from dataclasses import replace

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.errors import CodeObjectError
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.transpose import lds_transpose
from layoutalg.refine.refinement import prove_binary
from tests.isa.containers import Edited

PROGRAM = lds_transpose(vector=4)
NAME = PROGRAM.name


@functools.cache
def payload(target="gfx942", opt_level=3):
    return compile_source(emit_unverified(PROGRAM), target, opt_level=opt_level).payload


@functools.cache
def preloading(target="gfx942"):
    """The same, with the first arguments preloaded into registers."""
    flags = ("-mllvm", "-amdgpu-kernarg-preload-count=16")
    return compile_source(emit_unverified(PROGRAM), target, flags=flags).payload


def edited(edit, target="gfx942"):
    """The code object after an edit."""
    code = Edited(payload(target))
    edit(code)
    return bytes(code.payload)


def kernel(edit, target="gfx942"):
    return read_kernels(edited(edit, target))[NAME]


def refused(edit, why, target="gfx942"):
    with pytest.raises(CodeObjectError, match=why):
        kernel(edit, target)


def verdict(edit):
    return prove_binary(decode_kernel(kernel(edit)), PROGRAM, seconds=20)


def metadata(**fields):
    """An edit of the kernel's metadata: a field named `lds` is `.lds`."""

    def change(entry):
        entry.update({f".{name}": value for name, value in fields.items()})

    return lambda code: code.edit_metadata(change)


def argument(number, **fields):
    """An edit of an argument's metadata."""

    def change(entry):
        entry[".args"][number].update({f".{name}": value for name, value in fields.items()})

    return lambda code: code.edit_metadata(change)


def both(*edits):
    def edit(code):
        for one in edits:
            one(code)

    return edit


def alike(one, other):
    """Whether two kernels are the same but for what else the file loads."""
    return replace(one, image=()) == replace(other, image=())
