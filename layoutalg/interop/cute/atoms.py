"""Matrix instructions as CuTe's MMA atoms, by the names of CUTLASS, of FlyDSL, and of the instructions themselves.

Of NVIDIA's, from Turing to Hopper, all warps hold an operand of rows × k alike, in registers of 32 bits, p elements in
each (p = 1 from 32 bits on); the accumulator is held as if p were 2:

| mode   | shape : stride                | is                                                     |
|--------|-------------------------------|--------------------------------------------------------|
| thread | 4 : p·rows                    | 4 lanes along k                                        |
|        | 8 : 1                         | 8 lanes along the rows                                 |
|        | 4 : 16 where rows = 64        | the 4 warps of a warpgroup                             |
| value  | p : rows                      | a register                                             |
|        | 2 : 8 where rows > 8          | 8 rows further                                         |
|        | k / 4p : 4p·rows              | further along k                                        |

What a warpgroup reads from shared memory (`_SS`; B of `_RS`) is all elements for every thread.  (NVIDIA, CUTLASS 4.2,
include/cute/atom/mma_traits_sm*.hpp: each name there has the layouts there, but for two misprints: `tests/interop`.)
AMD's come from the instructions' operand maps (`layoutalg.target.matrix`); CuTe's B is (n, k), so their (k, n) is
turned.  What it cannot represent: quad pairs (SM70), which leave out threads; dp4a (SM61); tensor memory (SM100);
sparse forms.
"""

from __future__ import annotations

import re

from layoutalg.interop.cute.layout import Layout, NoLayoutError, of_modes
from layoutalg.interop.cute.recognize import layout_of_map
from layoutalg.records import dataclass
from layoutalg.target.matrix import matrix_instruction, matrix_table
from layoutalg.target.operand import OperandMap


@dataclass(frozen=True)
class MmaAtom:
    """A matrix instruction as CuTe has it: thread-value layouts of A (m, k), B (n, k) and C (m, n).

    >>> atom = mma_atom("mfma_f32_32x32x8f16")
    >>> atom.shape, atom.threads, atom.c
    ((32, 32, 8), 64, ((32,2),(4,4)):((32,4),(1,8)))
    """

    name: str
    shape: tuple[int, int, int]
    threads: int
    a: Layout
    b: Layout
    c: Layout


def mma_atom(name: str) -> MmaAtom:
    """The atom of this name; UnknownMatrixInstructionError where there is none.

    >>> mma_atom("SM80_16x8x16_F32F16F16F32_TN").a
    ((4,8),(2,2,2)):((32,1),(16,8,128))
    >>> mma_atom("SM90_64x128x16_F32F16F16_SS").b
    (128,(128,16)):(0,(1,128))
    >>> mma_atom("!fly_rocdl.cdna3.mfma<32x32x8, (f16, f16) -> f32>").a == mma_atom("mfma_f32_32x32x8f16").a
    True
    """
    if not isinstance(name, str):
        raise NoLayoutError(f"{name!r}: an atom's name is wanted")
    if re.fullmatch(r"UniversalFMA(<.*>)?", name):
        return MmaAtom(name, (1, 1, 1), 1, *[Layout((1, 1), (0, 0))] * 3)
    if any(re.fullmatch(known, name) for known in _NVIDIA):
        return _nvidia(name)
    one = matrix_instruction(_instruction(name))
    a, c = _operand(one.a, turned=False), _operand(one.d, turned=False)
    return MmaAtom(one.name, (one.m, one.n, one.k), one.wave, a, _operand(one.b, turned=True), c)


# --- NVIDIA's ---------------------------------------------------------------------------------------------------------

_N = f"({'|'.join(str(n) for n in range(8, 257, 8))})"
_NVIDIA = (
    r"SM75_16x8x8_F32F16F16F32_TN",
    r"SM75_8x8x16_S32S8S8S32_TN",
    r"SM80_16x8x(8|16)_(F16F16F16F16|F32F16F16F32|F32BF16BF16F32)_TN",
    r"SM80_16x8x[48]_F32TF32TF32F32_TN",
    r"SM80_8x8x4_(F64F64F64F64|C64C64C64C64|GC64C64C64GC64)_TN",
    r"SM80_(8x8x16|16x8x16|16x8x32)_S32[SU]8[SU]8S32_TN(_SATURATE)?",
    r"SM80_(8x8x32|16x8x32|16x8x64)_S32[SU]4[SU]4S32_TN(_SATURATE)?",
    r"SM80_(8x8x128|16x8x128|16x8x256)_S32U1U1S32_TN_(AND|XOR)POPC",
    r"SM89_16x8x32_(F16|F32)(E4M3|E5M2){2}\1_TN",
    r"SM90_16x8x(4|8|16)_(F64F64F64F64|C64C64C64C64)_TN",
    rf"SM90_64x{_N}x8_F32TF32TF32_[SR]S_TN",
    rf"SM90_64x{_N}x16_(F16F16F16|F32F16F16|F32BF16BF16)_[SR]S",
    rf"SM90_64x{_N}x32_(F16|F32)(E4M3|E5M2){{2}}_[SR]S_TN",
    rf"SM90_64x{_N}x32_S32[SU]8[SU]8_[SR]S_TN(_SATURATE)?",
    r"SM120_16x8x32_TN(<.*>)?",
)
"""CUTLASS's names; those of SM120 have their types, all of 8 bits, as arguments."""

_BITS = {"F16": 16, "BF16": 16, "TF32": 32, "F32": 32, "F64": 64, "GC64": 128, "C64": 128, "E4M3": 8, "E5M2": 8,
         "S8": 8, "U8": 8, "S4": 4, "U4": 4, "U1": 1, "S32": 32}  # fmt: skip


def _nvidia(name: str) -> MmaAtom:
    _, size, types, *rest = name.split("_")
    m, n, k = map(int, size.split("x"))
    found = re.findall("|".join(_BITS), types)
    bits = _BITS[found[1]] if len(found) > 1 else 8
    a, b, threads = _held(m, k, bits), _held(n, k, bits), 32
    if m == 64:
        threads, b = 128, _in_memory(n, k)
        a = _in_memory(m, k) if rest[0] == "SS" else a
    return MmaAtom(name, (m, n, k), threads, a, b, _held(m, n, 16))


def _held(rows: int, k: int, bits: int) -> Layout:
    """What the warps hold of an operand of rows × k elements of so many bits."""
    register = max(1, 32 // bits)
    warps = [(4, 16)] if rows == 64 else []
    values = [(register, rows), (min(2, rows // 8), 8), (k // (4 * register), 4 * register * rows)]
    threads = of_modes([(4, register * rows), (8, 1), *warps])
    held = of_modes([(n, d) for n, d in values if n > 1] or [(1, 0)])
    return Layout((threads.shape, held.shape), (threads.stride, held.stride))


def _in_memory(rows: int, k: int) -> Layout:
    return Layout((128, (rows, k)), (0, (1, rows)))


# --- AMD's ------------------------------------------------------------------------------------------------------------

_FLY = re.compile(r"(?:!fly\.mma_atom<)?!fly_rocdl\.cdna[34]\.mfma<(\d+)x(\d+)x(\d+), *\((\w+), *(\w+)\) *-> *(\w+)>>?")
_FLY_TYPES = {"f8E4M3FNUZ": "fp8", "f8E5M2FNUZ": "bf8"}


def _instruction(name: str) -> str:
    """The instruction that FlyDSL's type of an MFMA is; any other name as it is."""
    if (said := _FLY.fullmatch(name)) is None:
        return name
    wanted = (*map(int, said.groups()[:3]), *(_FLY_TYPES.get(one, one) for one in said.groups()[3:]))
    for one in matrix_table().values():
        have = (one.m, one.n, one.k, one.a_dtype, one.b_dtype, one.accumulator)
        if have == wanted and re.match(r"mfma_[fi]", one.name):
            return one.name
    return name


def _operand(held: OperandMap, turned: bool) -> Layout:
    first, second, rows = held.row, held.column, held.shape[0]
    if turned:
        first, second, rows = second, first, held.shape[1]
    made = layout_of_map(first + second * rows, (held.lane, held.element))
    assert isinstance(made, Layout)
    return made
