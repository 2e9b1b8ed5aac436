"""Products of f8 with a scale for each 32 elements along k: proved, exact in machine code, wrong twins not proved."""

from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from itertools import product
from typing import Any

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.index import substitute, variables
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.block_scaled import contraction_mx, plan_mx
from layoutalg.kernel.program import (
    Barrier,
    Contract,
    ContractScaled,
    Load,
    LoadShared,
    Loop,
    Multiply,
    Program,
    Registers,
    Shared,
    Statement,
    StoreShared,
    Tensor,
)
from layoutalg.kernel.verify import verify
from layoutalg.layout import LayoutError
from layoutalg.refine.refinement import prove_binary
from layoutalg.refine.trial import attempt, make_case
from layoutalg.target.dtypes import DTYPES, DType
from layoutalg.target.known import formats_of
from layoutalg.target.matrix import matrix_instruction
from tests.matrix import each, turns

TARGETS = ("gfx950", "gfx1250")
INSTRUCTION = {"gfx950": "v_mfma_scale_f32_16x16x128_f8f6f4", "gfx1250": "v_wmma_scale_f32_16x16x128_f8f6f4"}


@cache
def mx(target: str, dtype: str = "f8", result: str = "f32") -> Program:
    return contraction_mx(target, dtype, result)


def built(source: str, program: Program, target: str) -> MachineCode:
    return decode_kernel(read_kernels(compile_source(source, target, flags=("-Werror",)).payload)[program.name])


@cache
def small(target: str, dtype: str = "f8") -> Program:
    """Of two waves, which multiply two fragments by two each: as many claims as a test of its text needs."""
    return contraction_mx(target, dtype, plan=replace(plan_mx(target, dtype), repeats=(2, 2), waves=(2, 1)))


@cache
def code(target: str, dtype: str = "f8", whole: bool = False) -> MachineCode:
    program = (mx if whole else small)(target, dtype)
    return built(emit_unverified(program), program, target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("dtype", "result"), [("f8", "f32"), ("bf8", "bf16")])
def test_products_are_proved(target: str, dtype: str, result: str) -> None:
    assert verify(mx(target, dtype, result)).failures == ()


@pytest.mark.parametrize("target", TARGETS)
def test_batches_are_proved(target: str) -> None:
    assert verify(contraction_mx(target, einsum="gmk,gnk->gmn")).failures == ()


@pytest.mark.parametrize(
    ("target", "dtype"), each([*product(TARGETS, ("f8", "bf8"))], ("gfx950", "f8"), ("gfx1250", "bf8"))
)
def test_machine_code_gives_numpys_product_to_the_bit(target: str, dtype: str) -> None:
    """Small integers times small powers of two, so that every order of the sum is exact; ragged rows and columns."""
    program = small(target, dtype)
    case = make_case(program, dict(zip(program.sizes, (130, 384, 17), strict=True)), 3, formats_of(target))
    assert attempt(code(target, dtype), program, case).exact
    assert any(one.name.lower().startswith(INSTRUCTION[target]) for one in code(target, dtype).instructions)


@pytest.mark.parametrize("target", turns(TARGETS))
def test_machine_code_is_proved(target: str) -> None:
    found = prove_binary(code(target), small(target), seconds=300)
    assert found.proved, found.failures[:2]


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_machine_code_of_the_librarys_tile_is_proved(target: str) -> None:
    found = prove_binary(code(target, whole=True), mx(target), seconds=300)
    assert found.proved, found.failures[:2]


def test_the_larger_instruction_is_proved_too() -> None:
    """Two steps of k for each tile: scales of the second begin two blocks behind those of the first."""
    larger = matrix_instruction("mfma_scale_f32_32x32x64_f8f6f4.fp8.fp8")
    plan = replace(plan_mx("gfx950", "f8"), instruction=larger, repeats=(2, 2), step=larger.k)
    assert verify(contraction_mx("gfx950", plan=plan)).failures == ()


def test_blocks_of_16_are_proved_and_their_text_gives_numpys_product() -> None:
    """Eight scales a lane, two registers."""
    finer = matrix_instruction("wmma_scale16_f32_16x16x128_f8f6f4.fp8.fp8")
    plan = replace(plan_mx("gfx1250", "f8"), instruction=finer, repeats=(1, 1), waves=(2, 1))
    program = contraction_mx("gfx1250", plan=plan)
    assert verify(program).failures == ()
    case = make_case(program, dict(zip(program.sizes, (17, 256, 9), strict=True)), 3, formats_of("gfx1250"))
    assert attempt(built(emit_unverified(program), program, "gfx1250"), program, case).exact


# --- wrong ones -------------------------------------------------------------------------------------------------------


def changed(program: Program, change: Callable[[Statement], Statement | None]) -> Program:
    """The program with each statement changed, those in loops too; None leaves it out."""

    def every(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
        inner = (replace(s, body=every(s.body)) if isinstance(s, Loop) else change(s) for s in body)
        return tuple(s for s in inner if s)

    return replace(program, body=every(program.body))


def of_products(how: Callable[[Multiply], Statement]) -> Callable[[Statement], Statement]:
    return lambda s: how(s) if isinstance(s, Multiply) else s


def of_loads(how: Callable[[Load], Statement]) -> Callable[[Statement], Statement]:
    """Of those of a's scales."""
    return lambda s: how(s) if isinstance(s, Load) and s.tensor.name == "a_scale" else s


def of_reads(how: Callable[[LoadShared], Statement]) -> Callable[[Statement], Statement]:
    return lambda s: how(s) if isinstance(s, LoadShared) and s.shared.name == "a_scale_lds" else s


def stale(s: Load) -> Statement:
    """The scales of the tile that is multiplied now, where the next one's belong."""
    before = {v: v - 1 for v in variables(*s.origin) if v.value.name == "kt"}
    return replace(s, origin=tuple(substitute(e, before) for e in s.origin))


def exchanged_tensors(program: Program) -> Callable[[Statement], Statement]:
    other = {t.name: t for t in program.tensors}
    names = {"a_scale": "b_scale", "b_scale": "a_scale"}
    return lambda s: (
        replace(s, tensor=other[names[s.tensor.name]]) if isinstance(s, Load) and s.tensor.name in names else s
    )


def meant(program: Program, **other: object) -> Program:
    assert isinstance(program.meaning, ContractScaled)
    return replace(program, meaning=replace(program.meaning, **other))


WRONG: dict[str, Callable[[Program], Program]] = {
    "scales exchanged": lambda p: changed(p, of_products(lambda s: replace(s, scales=s.scales[::-1]))),
    "scales of one side twice": lambda p: changed(p, of_products(lambda s: replace(s, scales=(s.scales[0],) * 2))),
    "no scales": lambda p: changed(p, of_products(lambda s: replace(s, scales=()))),
    "operands exchanged": lambda p: changed(p, of_products(lambda s: replace(s, a=s.b, b=s.a))),
    "tensors exchanged": lambda p: changed(p, exchanged_tensors(p)),
    "neighbouring block loaded": lambda p: changed(
        p, of_loads(lambda s: replace(s, origin=(*s.origin[:2], s.origin[2] + 1)))
    ),
    "neighbouring row loaded": lambda p: changed(
        p, of_loads(lambda s: replace(s, origin=(s.origin[0], s.origin[1] + 1, s.origin[2])))
    ),
    "neighbouring block read": lambda p: changed(
        p, of_reads(lambda s: replace(s, origin=(*s.origin[:2], s.origin[2] + 1)))
    ),
    "stale scales": lambda p: changed(p, of_loads(stale)),
    "no barrier": lambda p: changed(p, lambda s: None if isinstance(s, Barrier) else s),
    "scales are not stored": lambda p: changed(
        p, lambda s: None if isinstance(s, StoreShared) and s.shared.name == "a_scale_lds" else s
    ),
    "other format": lambda p: changed(
        p, of_products(lambda s: replace(s, instruction=matrix_instruction(s.instruction.name.replace("fp8", "bf8"))))
    ),
    "meant without scales": lambda p: replace(p, meaning=Contract(p.source, p.inputs[0])),
    "meant the other way": lambda p: meant(p, a_scale=p.inputs[2], b_scale=p.inputs[1]),
    "meant for blocks of 16": lambda p: meant(p, block=16),
}


@pytest.mark.parametrize(("target", "what"), [*product(TARGETS, WRONG)])
def test_wrong_programs_are_not_proved(target: str, what: str) -> None:
    wrong = WRONG[what](mx(target))
    assert wrong != mx(target)
    assert not is_proved(wrong)


def is_proved(program: Program) -> bool:
    """Whether it is; what is no program is not."""
    try:
        return verify(program).proved
    except LayoutError:
        return False


def test_fragments_in_another_order_of_k_are_not_proved() -> None:
    """Lanes that hold 32 k side by side, which do as well without scales."""
    right, plan = mx("gfx950"), plan_mx("gfx950", "f8")
    runs = {role: replace(plan, scaled=False).operand(role) for role in "ab"}

    def other(s: Statement) -> Statement:
        if isinstance(s, LoadShared) and s.registers.name in ("a_held", "b_held"):
            return replace(s, registers=replace(s.registers, distribution=runs[s.registers.name[0]]))
        if isinstance(s, Multiply):
            held = (replace(r, distribution=runs[r.name[0]]) for r in (s.a, s.b))
            return replace(s, **dict(zip("ab", held, strict=True)))
        return s

    wrong = changed(right, other)
    assert not verify(wrong).proved
    plain = changed(wrong, of_products(lambda s: replace(s, scales=())))
    assert verify(replace(plain, meaning=Contract(plain.source, plain.inputs[0]))).proved


def of_type(thing: Any, dtype: DType) -> Any:
    """The same with scales of another type, in memory, in LDS and in registers."""
    if isinstance(thing, tuple):
        return tuple(of_type(one, dtype) for one in thing)
    if isinstance(thing, Tensor | Shared | Registers):
        return replace(thing, dtype=dtype) if "_scale" in thing.name else thing
    if isinstance(thing, Statement | ContractScaled):
        return replace(thing, **{f.name: of_type(getattr(thing, f.name), dtype) for f in fields(thing)})
    return thing


@pytest.mark.parametrize("dtype", ["e8m0", "f8", "f32"])
def test_scales_are_powers_of_two_alone(dtype: str) -> None:
    """A byte of another type moves as one that is an exponent does, but is not what the instruction takes it for."""
    right = small("gfx950")
    parts = {name: of_type(getattr(right, name), DTYPES[dtype]) for name in ("inputs", "body", "meaning")}
    assert verify(replace(right, **parts)).proved is (dtype == "e8m0")


LANES = "z, 0, 0, 0, s[0], 0, t[0])"
SPOILT = {
    ("gfx950", "byte of a's scales"): (LANES, "z, 0, 0, 1, s[0], 0, t[0])"),
    ("gfx950", "byte of b's scales"): (LANES, "z, 0, 0, 0, s[0], 3, t[0])"),
    ("gfx950", "scales exchanged"): (LANES, "z, 0, 0, 0, t[0], 0, s[0])"),
    ("gfx950", "format of a"): (LANES, "z, 1, 0, 0, s[0], 0, t[0])"),
    ("gfx950", "no scales"): (LANES, "z, 0, 0, 0, 0, 0, 0)"),
    ("gfx950", "scales of one"): (LANES, "z, 0, 0, 0, s[0], 0, 127)"),
    ("gfx950", "neighbouring fragment"): ("&a_scale_held[m][k]", "&a_scale_held[m ^ 1][k]"),
    ("gfx950", "stale"): ("const int kb = (((kt + 1) * 128) >> 5)", "const int kb = ((kt * 128) >> 5)"),
    ("gfx950", "neighbouring block"): ("= v[y2];", "= v[y2 ^ 1];"),
    ("gfx1250", "half of the lanes"): ("z, 0, 0, (int)", "z, 1, 0, (int)"),
    ("gfx1250", "format of scales"): ("z, 0, 0, (int)", "z, 0, 1, (int)"),
    ("gfx1250", "bytes"): ("(unsigned)s[0] << 0 | (unsigned)s[1] << 8", "(unsigned)s[1] << 0 | (unsigned)s[0] << 8"),
    ("gfx1250", "format of b"): ("x), 0, __builtin", "x), 1, __builtin"),
}  # fmt: skip


@pytest.mark.parametrize(("target", "what"), turns(SPOILT))
def test_wrong_machine_code_is_not_proved(target: str, what: str) -> None:
    program, (right, wrong) = small(target), SPOILT[target, what]
    source = emit_unverified(program)
    assert right in source
    assert not prove_binary(built(source.replace(right, wrong), program, target), program, seconds=60).proved


def test_what_has_no_instruction_or_no_order_is_refused() -> None:
    with pytest.raises(LayoutError, match="gfx942 has no product of f8 with scales of blocks here"):
        contraction_mx("gfx942")
    with pytest.raises(LayoutError, match="gfx950 has no product of f16 with scales"):
        contraction_mx("gfx950", "f16")
    with pytest.raises(LayoutError, match="blocks of one letter, the last of both operands"):
        contraction_mx("gfx950", einsum="mk,kn->mn")
    product_of_f16 = matrix_instruction("mfma_f32_32x32x16_f16")
    with pytest.raises(LayoutError, match="mfma_f32_32x32x16_f16 takes no scales of blocks"):
        contraction_mx("gfx950", plan=replace(plan_mx("gfx950", "f8"), instruction=product_of_f16))
    with pytest.raises(LayoutError, match="takes 2 tiles of scales; without there is another instruction"):
        verify(changed(mx("gfx1250"), of_products(lambda s: replace(s, scales=()))))
    with pytest.raises(LayoutError, match="mfma_f32_32x32x16_f16 takes 0 tiles of scales, or none"):
        verify(changed(mx("gfx950"), of_products(lambda s: replace(s, instruction=product_of_f16))))
