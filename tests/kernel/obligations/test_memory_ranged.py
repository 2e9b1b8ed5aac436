"""Loads whose guard is a buffer's range: in the program, in the text, and in the machine code that is made of it."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.index import Expr, select, symbol, var
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from layoutalg.kernel.emit import emit, emit_unverified
from layoutalg.kernel.library.contraction import contraction
from layoutalg.kernel.library.copies import Copy
from layoutalg.kernel.library.einsum import parse_einsum
from layoutalg.kernel.library.plans import packed, plan_for
from layoutalg.kernel.program import Load, Loop, Program
from layoutalg.kernel.verify import verify
from layoutalg.layout import (
    LayoutError,
    TensorDescriptor,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_with_offset,
)
from layoutalg.prove import Proved
from layoutalg.refine.refinement import prove_binary
from layoutalg.refine.trial import attempt, make_case

ROWS, COLUMNS = symbol("R", min=1, max=1 << 20), symbol("C", min=8, max=1 << 20, multiple_of=8)


def copied(most: int, vector: int = 8, dtype: str = "f16", **changed: object) -> Program:
    """A matrix of fewer than so many elements, from memory to memory, by ranged loads."""
    matrix = make_naive_tensor_descriptor((ROWS, COLUMNS), (COLUMNS, 1))
    fewer = most > ROWS * COLUMNS
    copy = Copy("copied", matrix, matrix, (ROWS, COLUMNS), (-1, -1), (vector, vector), (dtype, dtype), requires=fewer)
    program = copy.program()
    load, store = program.body
    assert isinstance(load, Load)
    return replace(program, body=(replace(load, ranged=True, **changed), store))


def unproved(program: Program) -> list[str]:
    return [about for about, verdict in verify(program).verdicts if not isinstance(verdict, Proved)]


def test_a_tensor_of_as_many_bytes_as_the_range_is_proved_and_one_of_more_is_not() -> None:
    assert unproved(copied(1 << 30)) == []
    assert unproved(copied((1 << 30) + 9)) == ["0: load from source: bytes fit the range"]
    assert unproved(copied(1 << 29, 4, "f32")) == []
    assert unproved(copied(1 << 30, 4, "f32")) == ["0: load from source: bytes fit the range"]


@pytest.mark.parametrize(
    ("vector", "changed", "why"),
    [
        (4, {}, "16 bytes at once"),
        (8, {"fill": "max"}, "gives zeros"),
        (8, {"only": ROWS > 3}, "16 bytes at once"),
    ],
)
def test_what_no_ranged_load_does_is_refused(vector: int, changed: dict[str, object], why: str) -> None:
    with pytest.raises(LayoutError, match=why):
        verify(copied(1 << 30, vector, **changed))


def machine_code(text: str, target: str) -> MachineCode:
    return decode_kernel(read_kernels(compile_source(text, target).payload)["copied"])


@pytest.mark.parametrize("target", ["gfx942", "gfx950", "gfx90a"])
def test_machine_code_is_proved_and_carried_out(target: str) -> None:
    program = copied(1 << 30)
    code = machine_code(emit(verify(program), target), target)
    assert prove_binary(code, program).proved
    assert attempt(code, program, make_case(program, {ROWS: 70, COLUMNS: 72})).exact
    ranges = [one for one in code.instructions if one.name.startswith("BUFFER_LOAD")]
    assert bool(ranges) is (target != "gfx90a")


WRONG = {
    "what is outside is in range": ("along : 0x7ffffff0", "along : 0x7fffffe0"),
    "the range is too short": ("0, 0x7ffffff0, 0x00020000", "0, 0x40000000, 0x00020000"),
    "the range is longer than the offset that stands for outside": ("0, 0x7ffffff0, 0x0002", "0, 0x80000000, 0x0002"),
    "rows are not guarded": ("(d0 < R) & (d1 < C)", "(d1 < C)"),
    "another column": ("(unsigned)d1) * 2", "(unsigned)d1 + 8) * 2"),
}


@pytest.mark.parametrize("what", WRONG)
def test_machine_code_of_wrong_text_is_not_proved(what: str) -> None:
    program = copied(1 << 30)
    text = emit_unverified(program)
    old, new = WRONG[what]
    assert old in text
    assert not prove_binary(machine_code(text.replace(old, new), "gfx942"), program).proved


def test_without_a_guard_the_text_is_that_of_any_load() -> None:
    assert "load_inside<" in emit_unverified(copied(1 << 30))
    assert "load_inside<" not in emit_unverified(copied(1 << 30, guarded=False))


PRODUCT = contraction(
    parse_einsum("mk,nk->mn"), "f16", widths=(8, 8, 8),
    plan=packed(replace(plan_for("gfx942", "f16"), repeats=(1, 1), waves=(2, 2), ranged=True, stages=1)),
)  # fmt: skip


def of_product(text: str) -> MachineCode:
    return decode_kernel(read_kernels(compile_source(text, "gfx942").payload)[PRODUCT.name])


@pytest.mark.slow
def test_what_a_loop_moves_is_guarded_by_itself_and_proved() -> None:
    text = emit(verify(PRODUCT), "gfx942")
    assert (
        "(unsigned)(int)((unsigned)N_k * (unsigned)m) * 2, (m < N_m), (unsigned)(int)((unsigned)k) * 2, (k < N_k)"
        in text
    )
    code = of_product(text)
    assert prove_binary(code, PRODUCT).proved
    sizes = dict(zip((size.value.name for size in PRODUCT.sizes), PRODUCT.sizes, strict=True))
    case = make_case(PRODUCT, {sizes["N_m"]: 40, sizes["N_n"]: 56, sizes["N_k"]: 88})
    assert attempt(code, PRODUCT, case).exact


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("first : 0x80000000", "first : 0x80000010"),  # with the other outside the sum begins anew at 0
        ("along : 0x7ffffff0", "along : 0x80000000"),
        ("along : 0x7ffffff0", "along : 0"),
        ("(m < N_m), (unsigned)", "true, (unsigned)"),
        ("(unsigned)k) * 2, (k < N_k)", "(unsigned)k) * 2, true"),
    ],
)
def test_what_a_loop_moves_is_not_proved_where_a_guard_is_wrong(old: str, new: str) -> None:
    text = emit_unverified(PRODUCT)
    assert old in text
    assert not prove_binary(of_product(text.replace(old, new)), PRODUCT).proved


STRIDE, WIDTH = symbol("S", min=-8, max=8, multiple_of=8), symbol("W", min=8, max=512, multiple_of=8)
TURN = var("t", 2)


def in_a_loop(source: TensorDescriptor, sizes: tuple[Expr, ...], row: Expr, column: Expr, *guarded: bool) -> Program:
    """A copy of a matrix whose tile is loaded in a loop before, from so many rows and columns behind its own."""
    packed = make_naive_tensor_descriptor(source.lengths, (source.lengths[1], 1))
    program = Copy("copied", source, packed, sizes, (-1, -1), (8, 8), ("f16", "f16")).program()
    load, store = program.body
    assert isinstance(load, Load)
    own = replace(load, ranged=True)
    there = replace(own, origin=(own.origin[0] + row, own.origin[1] + column), guarded=guarded)
    return replace(program, body=(Loop(TURN, (there,)), own, store))


def below_zero() -> Program:
    """The loop moves rows, whose stride may be below zero, from the last one on."""
    descending = make_naive_tensor_descriptor_with_offset((ROWS, WIDTH), (STRIDE, 1), ROWS * 8)
    return in_a_loop(descending, (ROWS, WIDTH, STRIDE), 64 * TURN, ROWS * 0, True, True)


def in_range_by_another() -> Program:
    """The loop moves columns, which are not tested: they are in range where rows are, and far behind where not."""
    matrix = make_naive_tensor_descriptor((ROWS, 64), (64, 1))
    row = var("b0", (ROWS + 63) // 64) * 64 + 64
    return in_a_loop(matrix, (ROWS,), ROWS * 0 + 64, select(row < ROWS, 0, (1 << 30) + 64 * TURN), True, False)


@pytest.mark.parametrize("made", [below_zero, in_range_by_another])
def test_parts_that_are_no_offsets_by_themselves_are_guarded_together(made: Callable[[], Program]) -> None:
    program = made()
    assert unproved(program) == []
    text = emit_unverified(program)
    assert text.count("load_inside<float16x8>(source, (unsigned)(int)(0) * 2, true, ") == 2
