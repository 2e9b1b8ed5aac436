"""Element types: each once, its bits and what HIP, numpy, CK and matrix instructions call it.

| name | bits | HIP        | numpy                                                       | CK           | instructions |
|------|------|------------|-------------------------------------------------------------|--------------|--------------|
| f32  | 32   | `float`    | float32                                                     | `float`      | f32          |
| tf32 | 32   |            |                                                             | `tf32_t`     | xf32, tf32   |
| f16  | 16   | `_Float16` | float16                                                     | `half_t`     | f16          |
| bf16 | 16   | `__bf16`   | uint16, its bits: numpy has no such type (`elements` reads) | `bf16_t`     | bf16         |
| f8   | 8    | its bits   | uint8, its bits                                             | `fp8_t`      | fp8          |
| f6   | 6    |            |                                                             | `f6x16_pk_t` | fp6          |
| e8m0 | 8    | its bits   | uint8, its bits                                             | `e8m0_t`     |              |
| f4   | 4    |            |                                                             | `pk_fp4_t`   | fp4          |

Everything is measured in bits: where an element begins inside a byte, its `grain` divides both.  tf32 is stored as
f32 is; 19 of its bits count.  A type with `formats` is not on every GPU: which one has it, and in which of its
formats, is said by the target (`Target.types`).

>>> DTYPES["bf16"].bytes, dtype_of("xf32").name, DTYPES["f4"].bytes, DTYPES["f6"].grain
(2, 'tf32', 0, 2)

What it cannot represent: how a number lies in its bits, beyond its format's name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field

from layoutalg.errors import LayoutError
from layoutalg.records import dataclass


@dataclass(frozen=True)
class DType:
    """One element type; `c` is empty where no kernel has it, `numpy` where numpy has no type of its bits.

    `engine` is Tile Engine's name where that is another; `ck` are its names in CK's sources, the first one the type's
    own; `packed` CK's types that hold several of it, and
    how many; `matrix` what matrix instructions call it besides; `formats` those in which GPUs have it, where not all do
    (in the names of ml_dtypes, without `float8_` and the like).
    """

    name: str
    bits: int
    numpy: str = ""
    c: str = ""
    ck: tuple[str, ...] = ()
    matrix: tuple[str, ...] = ()
    packed: Mapping[str, int] = field(default_factory=dict, hash=False)
    formats: tuple[str, ...] = ()
    engine: str = ""

    @property
    def bytes(self) -> int:
        """Bytes of an element; 0 where it is no whole number of them."""
        return 0 if self.bits % 8 else self.bits // 8

    @property
    def array(self) -> str:
        """What numpy calls arrays of it: its own type, or words of its bits.

        >>> DTYPES["f16"].array, DTYPES["f8"].array
        ('float16', 'uint8')
        """
        return self.numpy or f"uint{self.bits}"

    @property
    def grain(self) -> int:
        """The most bits that a byte and an element are both a multiple of: 8, for whole bytes."""
        return math.gcd(self.bits, 8)

    @property
    def stored(self) -> Mapping[str, int]:
        """The bytes of each of CK's types: of one element alone, or of those that are packed."""
        return {**dict.fromkeys(self.ck, -(-self.bits // 8)), **{n: k * self.bits // 8 for n, k in self.packed.items()}}


DTYPES: Mapping[str, DType] = {
    d.name: d
    for d in (
        DType("f64", 64, "float64", ck=("double",), engine="fp64"),
        DType("f32", 32, "float32", "float", ("float", "float32_t", "fp32_t"), engine="fp32"),
        DType("tf32", 32, ck=("tf32_t",), matrix=("xf32",), formats=("e8m10",)),
        DType("f16", 16, "float16", "_Float16", ("half_t", "fp16_t", "half", "_Float16"), engine="fp16"),
        DType("bf16", 16, "uint16", "__bf16", ("bf16_t", "bhalf_t", "bfloat16_t")),
        DType("f8", 8, "", "unsigned char", ("fp8_t", "f8_t"), ("fp8",), formats=("e4m3fn", "e4m3fnuz"), engine="fp8"),
        DType("bf8", 8, "", "unsigned char", ("bf8_t",), formats=("e5m2", "e5m2fnuz")),
        DType(
            "f6",
            6,
            matrix=("fp6",),
            ck=("f6_t",),
            packed={"f6x16_pk_t": 16, "f6x32_pk_t": 32},
            formats=("e2m3fn",),
            engine="fp6",
        ),
        DType("bf6", 6, ck=("bf6_t",), packed={"bf6x16_pk_t": 16, "bf6x32_pk_t": 32}, formats=("e3m2fn",)),
        DType(
            "f4",
            4,
            matrix=("fp4",),
            ck=("f4_t",),
            packed={"pk_fp4_t": 2, "f4x2_pk_t": 2},
            formats=("e2m1fn",),
            engine="fp4",
        ),
        DType("e8m0", 8, "", "unsigned char", ck=("e8m0_t", "e8m0_bexp_t"), formats=("e8m0fnu",)),
        DType("i64", 64, "int64", ck=("int64_t", "long_index_t")),
        DType("i32", 32, "int32", ck=("int32_t", "int", "index_t"), engine="int32"),
        DType("i16", 16, "int16", ck=("int16_t", "short")),
        DType("i8", 8, "int8", ck=("int8_t",), engine="int8"),
        DType("i4", 4, ck=("int4_t",), packed={"pk_int4_t": 2, "pk_i4_t": 2}, engine="int4"),
        DType("u64", 64, "uint64", ck=("uint64_t", "size_t")),
        DType("u32", 32, "uint32", ck=("uint32_t", "unsigned")),
        DType("u16", 16, "uint16", ck=("uint16_t",)),
        DType("u8", 8, "uint8", ck=("uint8_t",)),
    )
}
"""Every element type, by its name in spec files."""

OPERAND_DTYPES: Mapping[str, DType] = {d.name: d for d in DTYPES.values() if d.c}
"""Every type that a kernel's tensors may have: of some it only moves elements, and multiplies matrices of them."""

KERNEL_DTYPES: Mapping[str, DType] = {d.name: d for d in OPERAND_DTYPES.values() if not d.formats}
"""Every type that any kernel may have, by its name in specs and on the command line: those that it computes with."""

NAMES: Mapping[str, DType] = {**DTYPES, **{d.engine: d for d in DTYPES.values() if d.engine}}
"""Every element type, by its own name and by Tile Engine's."""

_MATRIX: Mapping[str, DType] = {name: d for d in DTYPES.values() for name in d.matrix}
_CK: Mapping[str, DType] = {name: d for d in DTYPES.values() for name in d.stored}


def dtype_of(name: str) -> DType:
    """The element type of a name in spec files or in the table of matrix instructions; KeyError where there is none."""
    return _MATRIX.get(name) or NAMES[name]


def element_type(named: str | DType) -> DType:
    """An element type, or the one that is called so here, by Tile Engine or in CK's sources; LayoutError lists them.

    >>> element_type("pk_fp4_t").name, element_type("bf16").bits, element_type("fp8").name
    ('f4', 16, 'f8')
    """
    if isinstance(named, DType):
        return named
    found = NAMES.get(named) or _CK.get(named)
    if found is None:
        raise LayoutError(f"no element type {named!r}; there are {', '.join(DTYPES)}")
    return found
