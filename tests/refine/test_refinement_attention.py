"""Attention's machine code beside its program: folds over lanes, masks, powers, totals that a loop rescales.

Each twin is the kernel's text with one mistake, compiled; none may be proved.
"""

from itertools import product

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.attention import AttentionCut, attention
from layoutalg.refine.refinement import prove_binary
from tests.matrix import some, turns

#: Two waves, so that barriers stay; as few keys a tile as an instruction takes.
CUT = AttentionCut(2, 1, 32)

EXPONENT = "power_of_two(__builtin_fmaf("

#: What is written, what is written instead, and at which of its places.
TWINS = {
    "a key too many is kept": (" < N;\n", " <= N;\n", 0),
    "masked scores are 0": (
        "kept ? scores[y0][y1][y2][y3] : -__builtin_inff()",
        "kept ? scores[y0][y1][y2][y3] : 0.0f",
        0,
    ),
    "the last tile is not masked": ("if (N - 1 < ", "if (N < ", 0),
    "the greatest of other lanes": ("of_lane(v, 32)", "of_lane(v, 16)", 0),
    "the greatest of this lane alone": ("v = greater_of(v, there);", "v = greater_of(v, v);", 0),
    "the sum of other lanes": ("of_lane(v, 32)", "of_lane(v, 16)", 1),
    "the sum of this lane alone": ("v += there;", "v += v;", 0),
    "sums are not rescaled": ("sums[y0][y1][y2][y3] *= rescale[y1];", "", 0),
    "the weight is not rescaled": ("weight[y0] *= rescale[y0];", "", 0),
    "the greatest is forgotten": ("top[y0] = greater;", "top[y0] = greatest[y0];", 0),
    "the greatest begins at 0": ("top[y0] = -__builtin_inff();", "top[y0] = 0;", 0),
    "the lesser": ("greatest[y0] > top[y0] ?", "greatest[y0] < top[y0] ?", 0),
    "another scale": (EXPONENT + "scores[y0][y1][y2][y3], 0x1.7", EXPONENT + "scores[y0][y1][y2][y3], 0x1.6", 0),
    "values of the other tile": ("(kt & 1) * 2048", "((kt + 1) & 1) * 2048", 1),
    "keys for values": ("assume_aligned(v_lds + word, 8);", "assume_aligned(k_lds + word, 8);", 0),
    "no barrier": ("__syncthreads();", "", 0),
    "quotients turned": ("results[y0][y1][y2][y3] / weights[y0]", "weights[y0] / results[y0][y1][y2][y3]", 0),
}


def verdict(text, program, target):
    code = compile_source(text, target)
    return prove_binary(decode_kernel(read_kernels(code.payload)[program.name]), program, seconds=120)


def twin(text, old, new, place):
    """The text with one place written anew."""
    parts = text.split(old)
    assert len(parts) > place + 1, old
    return old.join(parts[: place + 1]) + new + old.join(parts[place + 1 :])


@pytest.mark.parametrize(
    ("target", "causal"), turns(product(("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250"), (False, True)))
)
def test_attention_is_proved(target, causal):
    program = attention(target, 64, causal, cut=CUT)
    found = verdict(emit_unverified(program), program, target)
    assert found.proved, found.failures[:2]


@pytest.mark.slow
@pytest.mark.parametrize("name", some(TWINS, 3))
def test_an_attention_with_one_mistake_is_not_proved(name):
    program = attention("gfx942", 64, cut=CUT)
    assert not verdict(twin(emit_unverified(program), *TWINS[name]), program, "gfx942").proved
