"""A loop that is tested at its head, as compilers write it without optimisation; with one thing wrong, not proved.

Its counter is in scratch, and which lanes go on is in masks that are kept in lanes of a vector register:

| part of the loop | what it does                                                                     |
|------------------|----------------------------------------------------------------------------------|
| before           | the counter becomes 0                                                            |
| head             | the counter is compared with ⌈n / 512⌉; EXEC becomes the lanes that go on        |
| body             | a step's work; the counter becomes one more, and its lanes leave the exit's mask |
| latch            | EXEC as it was at the head, without the lanes of the exit's mask; again if any   |
"""

import functools

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library import folder
from layoutalg.refine.refinement import prove_binary
from layoutalg.symex.loops.paths import flow_of
from tests.isa.assembly import NOP, mutant
from tests.matrix import some

TILE = 512
PROGRAM = functools.cache(lambda: folder("reduce_sum")[""])


@functools.cache
def binary():
    code = compile_source(emit_unverified(PROGRAM()), "gfx1100", opt_level=0)
    return decode_kernel(read_kernels(code.payload)[PROGRAM().name])


@functools.cache
def parts():
    """The instructions before the program's loop, of its head, of the end of its body, and of its latch."""
    program = binary()
    flow = flow_of(program.kernel.entry, program.blocks)
    head = max(flow.loops, key=lambda start: len(flow.loops[start]))
    blocks = [start for start in program.blocks if start in flow.loops[head]]
    latch = next(start for start in blocks if head in program.blocks[start].successors)
    body = next(start for start in blocks if program.blocks[start].successors == (latch,) and start > latch)
    before = next(start for start, block in program.blocks.items() if block.successors == (head,) and start < head)
    return {name: program.blocks[start].instructions
            for name, start in (("before", before), ("head", head), ("body", body), ("latch", latch))}  # fmt: skip


def named(part, name, number=0):
    return [i for i in parts()[part] if i.name == name][number]


def constant(part, value):
    """The move of a constant to a scalar register."""
    moves = (i for i in parts()[part] if i.name == "S_MOV_B32" and i.operands["a"].kind in ("int", "bits"))
    return next(i for i in moves if i.operands["a"].index == value)


@pytest.mark.slow
def test_the_build_is_proved():
    verdict = prove_binary(binary(), PROGRAM())
    assert verdict.proved, verdict.failures[:2]


def other_bound():
    """The columns are a multiple of 4, so that 508 more would do, but not 507."""
    return constant("head", TILE - 1), (32, 63, TILE - 5)


def other_start():
    return named("before", "V_MOV_B32"), (0, 8, 129)


def other_lane(number, lane):
    """The latch restores a mask from another lane."""
    return named("latch", "V_READLANE_B32", number), (41, 49, 128 + lane)


def lanes_that_stay():
    """The lanes of a step stay in the exit's mask."""
    return named("body", "S_AND_NOT1_B32"), (0, 31, NOP)


CHANGES = {
    "the exit's mask as it was at the head": functools.partial(other_lane, 2, 20),
    "the bound is less": other_bound,
    "the first iteration is left out": other_start,
    "EXEC becomes the lanes that have left": functools.partial(other_lane, 0, 19),
    "the loop is left after one iteration": lanes_that_stay,
}


@pytest.mark.usefixtures("unrun")
@pytest.mark.parametrize("change", some(tuple(CHANGES), 1))
def test_a_loop_with_one_thing_wrong_is_not_proved(change):
    instruction, *bits = CHANGES[change]()
    assert prove_binary(mutant(binary(), instruction, *bits), PROGRAM()).name != "proved"


@pytest.mark.usefixtures("unrun")
def test_following_ends_when_the_time_is_used_up():
    verdict = prove_binary(binary(), PROGRAM(), seconds=0.5)
    ((about, why),) = verdict.failures
    assert (about, verdict.name) == ("what is left", "unknown")
    assert "time" in str(why)
