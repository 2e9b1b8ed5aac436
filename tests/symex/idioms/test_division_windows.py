"""The machine code of windows of a padded image: signed quotients, and guards that are written as what must not be."""

import functools

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.im2col import im2col
from layoutalg.kernel.library.windows import Windows
from layoutalg.prove import Refuted
from layoutalg.refine.refinement import prove_binary
from layoutalg.symex.idioms.reciprocal import ASSUMPTION
from tests.matrix import each, some
from tests.refine.test_refinement import changed, the
from tests.refine.test_trial_kernels import TARGETS, binary_of, program_of

binary = functools.partial(binary_of, "im2col", "gfx942")


@pytest.mark.parametrize("target", each(TARGETS, "gfx1201"))
def test_windows_are_proved_for_all_sizes(target):
    verdict = prove_binary(binary_of("im2col", target), program_of("im2col", target))
    assert verdict.proved, verdict.failures[:2]
    assert verdict.narrow == ()
    assert ASSUMPTION in verdict.assumptions


@pytest.mark.slow
@pytest.mark.parametrize(
    ("windows", "dtype", "target"),
    some(
        [
            (
                Windows((7, 7), (2, 2), (1, 1), (3, 3)),
                "f16",
                "gfx942",
            ),  # taps by 7; the lesser of two in the guard
            (Windows((2, 2), (2, 2), (1, 1), (0, 0)), "bf16", "gfx1100"),  # no padding: nothing bounds it from below
            (Windows((3, 3), (1, 1), (2, 2), (2, 2)), "f16", "gfx1201"),
            (Windows((5, 3), (2, 1), (1, 1), (2, 1)), "f16", "gfx90a"),
            (Windows((3, 3, 3), (1, 1, 1), (1, 1, 1), (1, 1, 1)), "f16", "gfx950"),
        ],
        1,
    ),
)
def test_strides_dilations_and_paddings_are_proved(windows, dtype, target):
    program = im2col(windows, dtype, 8)
    binary = decode_kernel(read_kernels(compile_source(emit_unverified(program), target).payload)[program.name])
    verdict = prove_binary(binary, program)
    assert verdict.proved, verdict.failures[:2]


@pytest.mark.parametrize(
    ("name", "number", "bits"),
    some(
        [
            ("V_CMP_GT_I32", 0, {"b17_24": 0xC6}),  # columns > d1, made ≥
            ("V_CMP_GT_I32", 3, {"b16_25": 0xC6}),  # 1 > window + tap, made ≥
            ("S_MOV_B32", 0, {"b32_63": 0x55555555}),  # a third, a little less
            ("S_NOR_B64", 0, {"b0_31": 0xBF800000}),  # S_NOP: the padding's guard
            ("S_AND_SAVEEXEC_B64", 1, {"b0_31": 0xBF800000}),
        ],
        1,
    ),
)
def test_a_changed_guard_or_quotient_is_refuted(name, number, bits):
    mutant = changed(binary(), the(binary(), name, number), **bits)
    verdict = prove_binary(mutant, program_of("im2col", "gfx942"))
    assert verdict.name == "refuted", verdict.failures[:1]
    assert isinstance(verdict.failures[-1][1], Refuted)


@pytest.mark.slow
@pytest.mark.usefixtures("unrun")
@pytest.mark.parametrize("number", some([0, 1, 2], 1))
def test_a_sign_that_is_none_is_not_proved(number):
    """The sign of a dividend or of a quotient, taken seven places too low: 1 for numbers that exist.

    There are fewer than 2³¹ / 72 windows, so three places too low would still be 0.
    """
    mutant = changed(binary(), the(binary(), "V_ASHRREV_I32", number), b0_8=128 + 24)
    assert prove_binary(mutant, program_of("im2col", "gfx942"), seconds=3).name != "proved"
