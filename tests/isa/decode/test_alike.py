"""What an instruction's pattern makes of another is what decoding that anew does: each form, other registers."""

import random

import pytest

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.architecture import ARCHITECTURES
from layoutalg.isa.container.descriptor import code_format
from layoutalg.isa.decode.alike import Patterns
from layoutalg.isa.decode.instructions import first_of
from tests.isa.decode.test_instructions_llvm import SAMPLE


def anew(code, target, patterns):
    try:
        return first_of(code, ARCHITECTURES[code_format(target).decoder], target, patterns)
    except UnsupportedInstructionError as error:
        return str(error)


def others(code, target, draws):
    """Of an instruction, itself with other bits wherever its pattern has free ones: the two readings of each."""
    patterns = Patterns()
    anew(code, target, patterns)
    word, drawn = int.from_bytes(code, "little"), random.Random(code)
    free = sum(1 << bit for bit in range(8 * len(code)) if patterns.find(word ^ 1 << bit))
    for _ in range(draws if free else 0):
        other = word & ~free | drawn.getrandbits(8 * len(code)) & free
        yield patterns.find(other), anew(other.to_bytes(len(code), "little"), target, Patterns())


@pytest.mark.parametrize("target", sorted({target for target, *_ in SAMPLE}))
def test_a_pattern_says_of_other_registers_what_decoding_does(target):
    asked = [(text, *both) for of, code, text in SAMPLE if of == target for both in others(code, target, 1)]
    assert [one for one in asked if one[1] != one[2]] == []
    assert len(asked) > 300 or target == "gfx1030"  # whose encodings are rewritten


def test_halves_of_registers_and_scalars_of_the_machine_are_patterns_of_their_own():
    patterns, word = Patterns(), 0x64060402
    assert str(anew(word.to_bytes(4, "little"), "gfx1100", patterns)) == "v_add_f16 d=v3, a=s2, b=v2"
    found = {bit: patterns.find(word ^ 1 << bit) for bit in (0, 5, 6, 8, 9, 16, 17, 24, 25)}
    assert {bit: str(one) for bit, one in found.items() if one} == {
        0: "v_add_f16 d=v3, a=s3, b=v2",
        9: "v_add_f16 d=v3, a=s2, b=v3",
        17: "v_add_f16 d=v2, a=s2, b=v2",
    }
