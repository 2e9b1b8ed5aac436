"""The rounding to bfloat16 that emitted kernels have for compilers that do not round: run, proved, and spoilt."""

import functools

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.views import cast
from layoutalg.refine.refinement import prove_binary
from layoutalg.target.elements import to_bits
from tests.matrix import each, some

TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")
OLDER = tuple(f"-{how}__clang_major__{value}" for how, value in (("U", ""), ("D", "=18")))
"""Flags by which the compiler takes itself for clang 18."""
PROGRAM = functools.cache(lambda: cast("f32", "bf16", 4))

#: Words in the middle between two bfloat16 numbers, beside it and on one; of each upper half that tells cases apart.
UPPER = np.array(
    [0x0000, 0x0001, 0x007F, 0x0080, 0x3F80, 0x3F81, 0x7F7E, 0x7F7F, 0x7F80, 0x7F81, 0x7FBF, 0x7FC0, 0x7FFF]
)
LOWER = np.array([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF])
WORDS = np.add.outer(np.concatenate([UPPER, UPPER + 0x8000]) << 16, LOWER).ravel().astype(np.uint32)


def binary(target, change=("", ""), level=3):
    text = emit_unverified(PROGRAM())
    assert change[0] in text
    code = compile_source(text.replace(*change), target, opt_level=level, flags=OLDER)
    return decode_kernel(read_kernels(code.payload)[PROGRAM().name])


@pytest.mark.parametrize("target", each(TARGETS, "gfx942"))
def test_it_rounds_to_nearest_even_and_keeps_each_nan(target):
    words, values = WORDS, WORDS.view(np.float32)
    out = execute(binary(target), (1,), (256,), [values, np.zeros(words.size, np.uint16), words.size]).outputs[-1]
    assert np.array_equal(out, np.where(np.isnan(values), words >> 16 | 0x40, to_bits(values)))


@pytest.mark.parametrize("level", [1, 3])
@pytest.mark.parametrize("target", each(TARGETS, "gfx90a"))
def test_it_is_proved(target, level):
    assert prove_binary(binary(target, level=level), PROGRAM()).name == "proved"


CHANGES = (
    ("(x != x ? quiet : nearest)", "bits"),  # cut
    ("(x != x ? quiet : nearest)", "(x != x ? bits : nearest)"),  # of some NaNs an infinity
    ("(x != x ? quiet : nearest)", "nearest"),  # of some NaNs a zero
    ("(x != x ? quiet : nearest)", "(x == x ? quiet : nearest)"),
    ("bits + (bits >> 16 & 1u) + 0x7fffu", "bits + 0x8000u"),  # ties away from 0
    ("bits + (bits >> 16 & 1u) + 0x7fffu", "bits + 0x7fffu"),  # ties to 0
    ("bits + (bits >> 16 & 1u) + 0x7fffu", "bits + (bits >> 15 & 1u) + 0x7fffu"),
    ("bits | 0x400000u", "bits | 0x200000u"),  # a NaN that signals
)  # fmt: skip


@pytest.mark.parametrize("change", some(((change,) for change in CHANGES), 2, slow=True))
def test_another_rounding_is_not_proved(change):
    assert prove_binary(binary("gfx1100", change), PROGRAM()).name != "proved"
