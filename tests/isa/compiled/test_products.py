"""Matrix products of a kernel that is compiled for the machine at hand, beside the numpy machine's."""

import numpy as np
import pytest

from layoutalg.device.plain import execute_plainly
from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.decode.instructions import Instruction, Operand
from layoutalg.isa.run.described import TakenForms
from layoutalg.isa.run.launch import execute
from layoutalg.isa.semantics.matrix import registers_of
from layoutalg.target.known import matrix_instructions
from tests.audit.gfx1250 import code
from tests.isa.compiled.sides import compiled_side, numpy_side, registers

HEAD = """
typedef int i8v __attribute__((ext_vector_type(8)));
typedef int i16v __attribute__((ext_vector_type(16)));
typedef float f8v __attribute__((ext_vector_type(8)));
typedef float f16v __attribute__((ext_vector_type(16)));
extern "C" __global__ void k(const i16v* a, const i16v* b, {0}* d) {{
  i16v x = a[threadIdx.x], y = b[threadIdx.x];
  {0} c = {{}};
  d[threadIdx.x] = {1};
}}"""
EIGHTS = HEAD.format("f8v", "__builtin_amdgcn_wmma_f32_16x16x128_f8f6f4({}, x, {}, y, 0, c)")
FOURS = HEAD.format(
    "f16v", "__builtin_amdgcn_wmma_f32_32x16x128_f4(x, __builtin_shufflevector(y, y, 0, 1, 2, 3, 4, 5, 6, 7), 0, c)"
)


def given(sums: int) -> list[np.ndarray]:
    """Codes of small numbers of eight bits, and room for the sums."""
    rng = np.random.default_rng(4)
    codes = [rng.integers(0x30, 0x40, (32, 64), np.uint8) for _ in "ab"]
    return [*(one.view(np.int32) for one in codes), np.zeros((32, sums), np.float32)]


@pytest.mark.parametrize("formats", [(0, 0), (1, 0)])
def test_a_product_whose_formats_are_in_its_name_is_the_numpy_machines(formats: tuple[int, int]) -> None:
    program = code(EIGHTS.replace("({}, x, {}", f"({formats[0]}, x, {formats[1]}"))
    mine, theirs = (run(program, (1,), (32,), given(8)).outputs[2] for run in (execute_plainly, execute))
    assert np.array_equal(mine, theirs)
    assert mine.any()


def test_elements_of_four_bits_are_refused_by_name() -> None:
    with pytest.raises(UnsupportedInstructionError, match="V_WMMA_F32_32X16X128_F4 has no compiled text"):
        execute_plainly(code(FOURS), (1,), (32,), given(16))


#: Types of elements → a matrix of small numbers as their codes, which f64 sums exactly in any order.
CODES = {
    "f16": lambda numbers: numbers.astype(np.float16),
    "bf16": lambda numbers: (numbers.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16),
    "f32": lambda numbers: numbers.astype(np.float32),
    "f64": lambda numbers: numbers.astype(np.float64),
    "i8": lambda numbers: numbers.astype(np.int8),
    **dict.fromkeys(("fp8", "bf8"), lambda numbers: (0x30 + numbers % 16).astype(np.uint8)),
}


def product_of(target, wanted):
    """A product on registers that its maps fill, by both machines: what they leave in the registers."""
    lanes = 32 if target.startswith("gfx1") else 64
    kernel, counts, rng = TakenForms(target, lanes).kernel, registers_of(wanted), np.random.default_rng(3)
    vectors, scalars = registers(5, lanes)
    operands = {"a": Operand("v", 0), "b": Operand("v", 32), "c": Operand("v", 64), "d": Operand("v", 96)}
    maps = {"a": (wanted.isa_a or wanted.a, wanted.a_dtype), "b": (wanted.isa_b or wanted.b, wanted.b_dtype)}
    for role, (places, dtype) in maps.items():
        codes = places.spread(CODES[dtype](rng.integers(-8, 9, places.shape)))
        words = np.ascontiguousarray(codes).view(np.uint32).reshape(lanes, -1).T
        vectors[operands[role].index :][: counts[role]] = words
    vectors[64 : 64 + counts["c"]] = rng.standard_normal((counts["c"], lanes)).astype(np.float32).view(np.uint32)
    scalars[126:128] = 0xFFFFFFFF
    name = wanted.name.removesuffix("_gfx12").removesuffix("_w32").removesuffix("_1k")
    end = Instruction(8, 4, "S_ENDPGM", "SOPP", {}, {})
    program = MachineCode(kernel, (Instruction(0, 8, f"V_{name.upper()}", "VOP3P", operands, {}), end))
    expected, _ = numpy_side(program, vectors, scalars, lanes, target)
    found, _ = compiled_side(program, vectors, scalars, lanes)
    return expected[96 : 96 + counts["d"]], found[96 : 96 + counts["d"]]


def whole(target):
    """Products of whole matrices that have text."""
    return [one for one in matrix_instructions(target)
            if {one.a_dtype, one.b_dtype} <= CODES.keys() and one.accumulator in ("f32", "i32", "f64")
            and "w64" not in one.name and "." not in one.name and one.scales is None]  # fmt: skip


def test_some_products_are_the_numpy_machines():
    some = [one for one in whole("gfx942") if (one.m, one.a_dtype) in ((32, "f16"), (16, "i8"))]
    assert len(some) > 1
    for one in some[:2]:
        assert np.array_equal(*product_of("gfx942", one)), one.name


@pytest.mark.slow
@pytest.mark.parametrize("target", ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250"])
def test_all_products_are_the_numpy_machines(target):
    for one in whole(target):
        assert np.array_equal(*product_of(target, one)), one.name
