"""Compiled accesses against the numpy machine: kernels that are drawn, and their faults where a tensor is too short."""

import random

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.device.plain import execute_plainly
from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.isa.semantics.accesses import ACCESSES
from tests.fuzzing import FIRST, KNOWN, count
from tests.isa.compiled.programs import HEAD, OWN, SHARED, THREADS, kernel
from tests.matrix import each

TARGETS = ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250"]

#: Kernels of one source, which is compiled at once.
SOME = 2

BYTES = OWN * THREADS + 8 * SHARED


def drawn(seed, target, some=SOME):
    draw = random.Random(seed)
    names = [f"k{n}" for n in range(some)]
    source = HEAD + "".join(kernel(name, draw) for name in names)
    read = read_kernels(compile_source(source, target).payload)
    return [decode_kernel(read[name]) for name in names]


def left(run, code, short=False):
    """What both tensors hold; or the fault, of one wave and a tensor that is too short for it; or what is refused."""
    threads, size = (code.kernel.wave_size, 20 * OWN + 3) if short else (THREADS, BYTES)
    given = np.random.default_rng(5).integers(0, 256, size, np.uint8)
    try:
        found = run(code, [1], [threads], [given, np.zeros(threads, np.uint32)], strict=False)
        return [one.tobytes() for one in found.outputs]
    except Fault as fault:
        return str(fault)
    except UnsupportedInstructionError:
        return "refused"


def assert_same(seed, target):
    seen = set()
    for code in drawn(seed, target):
        seen |= {one.name for one in code.instructions if one.name in ACCESSES}
        for short in (False, True):
            assert left(execute_plainly, code, short) == left(execute, code, short), (seed, target, code.kernel.name)
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("target", each(TARGETS, "gfx942"))
def test_drawn_accesses_are_the_same(target):
    seen = set[str]()
    for n in range(count(1, 200)):
        seen |= assert_same(FIRST + n, target)
    assert len(seen) > 12 or not KNOWN, seen


@pytest.mark.slow
def test_a_difference_is_seen(monkeypatch):
    """What is loaded is lost."""
    from layoutalg.isa.compiled.memory import TextMemory

    (code, *_) = drawn(1, "gfx942")
    monkeypatch.setattr(TextMemory, "_widened", lambda self, access, register, array: self.w.const(0, 32))
    assert left(execute_plainly, code) != left(execute, code)
