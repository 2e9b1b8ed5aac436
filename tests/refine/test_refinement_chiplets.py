"""Machine code whose blocks are dealt to chiplets: proved against its program, not where it takes them otherwise."""

import re
from dataclasses import replace

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.contraction import contraction_task
from layoutalg.kernel.library.transpose import lds_transpose, register_transpose
from layoutalg.kernel.library.views import pad
from layoutalg.kernel.program import Program
from layoutalg.refine.refinement import BinaryVerdict, prove_binary
from layoutalg.refine.trial import attempt, make_case
from tests.matrix import turns

PLAIN = pad((0,), (1,))
DEALT = replace(PLAIN, chiplets=8)
OWN = r"\+ \(\(launched_block & 7\) <= [^;]*?\) \+"


def asked(text: str, target: str = "gfx942", program: Program = DEALT) -> BinaryVerdict:
    return prove_binary(decode_kernel(read_kernels(compile_source(text, target).payload)[program.name]), program)


def test_dealt_blocks_are_proved() -> None:
    assert asked(emit_unverified(DEALT)).proved


@pytest.mark.parametrize("target", turns(["gfx942", "gfx950", "gfx90a", "gfx1100", "gfx1201"]))
def test_dealt_blocks_of_rows_and_columns_are_proved(target: str) -> None:
    program = replace(lds_transpose(), chiplets=8)
    assert asked(emit_unverified(program), target, program).proved


def changed(text: str, one: str, other: str) -> str:
    found = re.sub(one, other, text)
    assert found != text
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (OWN, "+"),
        (r"launched_block & 7\) \*", "launched_block & 3) *"),
        (r"launched_blocks >> 3", "launched_blocks >> 2"),
        (r"launched_blocks = ", "launched_blocks = 1 + "),
        (r"\) <= \(", ") > ("),
        (r"const int b0", "if (launched_block == 5) return; const int b0"),
        (r"const int b0", "if (launched_blocks == 77) return; const int b0"),
        (r"block0 = \(unsigned\)", "block0 = launched_block == 6 ? 7 : (unsigned)"),
    ],
)
def test_blocks_dealt_otherwise_are_not(one: str, other: str) -> None:
    assert not asked(changed(emit_unverified(DEALT), one, other)).proved


@pytest.mark.slow
def test_the_order_of_another_program_is_not_its_own() -> None:
    assert not asked(emit_unverified(PLAIN)).proved


def test_a_grid_of_rows_and_columns_is_dealt_to_no_chiplets() -> None:
    plain = register_transpose(64, 64)
    text = emit_unverified(plain)
    assert asked(text, program=plain).proved
    assert not asked(text, program=replace(plain, chiplets=8)).proved


@pytest.mark.parametrize(("target", "dtype"), turns([("gfx942", "f16"), ("gfx950", "bf16"), ("gfx942", "f32")]))
def test_products_in_the_order_of_their_sizes_are_proved_and_run(target: str, dtype: str) -> None:
    task = contraction_task("mk,nk->mn", (1024, 64), (1152, 64), dtype, target=target)
    assert task.program.chiplets == 8
    code = decode_kernel(read_kernels(compile_source(emit_unverified(task.program), target).payload)[task.program.name])
    assert prove_binary(code, task.program).proved
    small = {size: {"N_m": 264, "N_n": 520, "N_k": 40}[size.value.name] for size in task.program.sizes}
    assert attempt(code, task.program, make_case(task.program, small)).exact
