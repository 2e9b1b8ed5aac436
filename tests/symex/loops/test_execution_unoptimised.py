"""Builds without optimisation, proved: variables in scratch, scalar registers spilled to lanes, indexed registers.

Compilers spill a scalar word to a lane of a vector register, and such a register to scratch with all lanes active.
With one thing wrong in that, nothing is proved.
"""

import functools
import itertools

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.index import TRUE, all_of, any_of, negation, value, var
from layoutalg.index.conditions import conjunction
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.reduce import reduction
from layoutalg.kernel.library.views import cast
from layoutalg.refine.refinement import prove_binary
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.machine.state import State, joined
from layoutalg.symex.values.word import Mask, NotReadable
from tests.isa.assembly import NOP, mutant
from tests.matrix import each, some

PROGRAM = functools.cache(lambda: cast("f32", "bf16", 4))


GREATEST = functools.cache(lambda: reduction("rk", "max", "f16"))


@functools.cache
def unoptimised(target, made=PROGRAM):
    code = compile_source(emit_unverified(made()), target, opt_level=0)
    return decode_kernel(read_kernels(code.payload)[made().name])


@pytest.mark.parametrize("target", each(["gfx90a", "gfx942", "gfx1100"], "gfx90a"))
def test_a_build_without_optimisation_is_proved(target):
    program = unoptimised(target)
    names = {instruction.name for instruction in program.instructions}
    assert {"V_READLANE_B32", "V_WRITELANE_B32"} <= names
    assert program.kernel.scratch_bytes > 0
    verdict = prove_binary(program, PROGRAM())
    assert verdict.proved, verdict.failures[:2]


@pytest.mark.slow
def test_values_chosen_in_branches_are_the_program_s():
    """Guards within guards: each says something of the values that the other chooses."""
    assert prove_binary(unoptimised("gfx1100", GREATEST), GREATEST()).proved


def left_out(program, instruction):
    return mutant(program, instruction, *((32 * k, 32 * k + 31, NOP) for k in range(instruction.size // 4)))


def named(program, name):
    return [instruction for instruction in program.instructions if instruction.name == name]


#: No claim fails at a witness; a run may be seen to be wrong, at the sizes that are tried in so many steps.
NOT_PROVED = ("unknown", "refuted")


def lane(instruction, other):
    """The bits for another lane."""
    return 41, 49, 128 + (instruction.operands["b"].index + other)


@pytest.mark.parametrize(
    ("name", "number", "verdict"),
    some(
        [
            ("V_READLANE_B32", 0, NOT_PROVED),
            ("V_READLANE_B32", 20, NOT_PROVED),
            ("V_WRITELANE_B32", 10, NOT_PROVED),
            ("V_WRITELANE_B32", -1, ("refuted",)),  # the mask that says who goes on with the loop
        ],
        1,
    ),
)
def test_a_word_spilled_to_or_restored_from_another_lane_is_not_proved(name, number, verdict):
    program = unoptimised("gfx1100")
    spill = named(program, name)[number]
    assert prove_binary(mutant(program, spill, lane(spill, 1)), PROGRAM()).name in verdict


@pytest.mark.usefixtures("unrun")
@pytest.mark.parametrize("number", [1, 10])
def test_a_register_restored_from_another_place_is_not_proved(number):
    program = unoptimised("gfx1100")
    load = named(program, "SCRATCH_LOAD_B32")[number]
    changed = mutant(program, load, (0, 12, load.fields["offset"] + 4))
    assert prove_binary(changed, PROGRAM()).name in NOT_PROVED


@pytest.mark.parametrize(
    ("name", "number", "verdict"),
    [
        ("SCRATCH_STORE_B32", 0, NOT_PROVED),
        pytest.param("SCRATCH_STORE_B32", -1, ("refuted",), marks=pytest.mark.slow),
        ("S_WAITCNT", 1, NOT_PROVED),
        ("S_WAITCNT", 10, NOT_PROVED),
        ("S_OR_SAVEEXEC_B32", 0, NOT_PROVED),
    ],
)
def test_a_spill_or_its_wait_left_out_is_not_proved(name, number, verdict):
    program = unoptimised("gfx1100")
    changed = left_out(program, named(program, name)[number])
    assert prove_binary(changed, PROGRAM()).name in verdict


@pytest.mark.slow
def test_a_mask_whose_upper_half_is_restored_from_its_lower_is_not_proved():
    """Of 64 lanes the lower half of a mask has 32: another lane's bit is none of the own."""
    program = unoptimised("gfx942")
    back = next(i for i in named(program, "S_OR_B64") if str(i.operands["d"]) == "exec")
    upper = max((i for i in named(program, "V_READLANE_B32") if i.address < back.address), key=lambda i: i.address)
    verdict = prove_binary(mutant(program, upper, lane(upper, -1)), PROGRAM())
    assert not verdict.proved


@pytest.mark.usefixtures("unrun")
def test_scratch_without_its_base_is_not_proved():
    """On gfx90a the kernel makes the base of scratch."""
    program = unoptimised("gfx90a")
    low, high = named(program, "S_ADD_U32")[0], named(program, "S_ADDC_U32")[0]
    for add in (low, high):
        assert add.operands["d"].index in (102, 103)
        verdict = prove_binary(left_out(program, add), PROGRAM())
        assert "whose base is not seen to be set up" in verdict.failures[0][1].reason


def test_halves_of_masks_are_told_apart():
    lower, upper = Mask(var("n", 9) < 5).halves
    assert (lower & lower).half == 0
    assert (~upper | upper).half == 1
    for operation in (lower.__and__, lower.__or__, lower.__xor__):
        with pytest.raises(NotReadable, match="lower half"):
            operation(upper)


def test_a_register_with_either_half_of_a_mask_is_not_known():
    lower, upper = Mask(var("n", 9) < 5).halves
    way = var("m", 9) < 3
    states = [State({("s", 0): half}, path=(path,)) for half, path in ((lower, way), (upper, negation(way)))]
    assert not isinstance(joined(IndexValues(lambda goal, given: False), states).scalars["s", 0], Mask)


def test_both_of_two_conditions_is_their_conjunction():
    numbers = [var(name, 2) for name in "abc"]
    a, b, c = (n < 1 for n in numbers)
    parts = [TRUE, a, b, negation(a), any_of(a, b), any_of(a, c), all_of(a, b), negation(all_of(a, c))]
    wholes = [all_of(*some) for some in itertools.combinations(parts, 2)]
    points = [dict(zip(numbers, at, strict=True)) for at in itertools.product((0, 1), repeat=3)]
    for one, other in itertools.product(wholes, repeat=2):
        made = conjunction(one, other)
        assert all(value(made, at) == (value(one, at) and value(other, at)) for at in points), (one, other)


@pytest.mark.usefixtures("unrun")
@pytest.mark.parametrize(("number", "opcode"), some([(0, 16), (0, 18), (0, 32), (1, 18)], 1))
def test_a_register_of_spilled_words_restored_in_part_is_not_proved(number, opcode):
    """A load of a byte or of half a word has not the scalar words that were in the lanes."""
    program = unoptimised("gfx1100")
    load = named(program, "SCRATCH_LOAD_B32")[number]
    changed = mutant(program, load, (18, 24, opcode))
    assert str(changed.by_address[load.address]) != str(load)
    assert prove_binary(changed, PROGRAM()).name != "proved"
