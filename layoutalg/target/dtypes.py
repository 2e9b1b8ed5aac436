"""Element types: each once, its bits and what HIP, numpy, CK and matrix instructions call it.

| name | bits | HIP        | numpy                                                        | CK       | instructions   |
|------|------|------------|--------------------------------------------------------------|----------|----------------|
| f32  | 32   | `float`    | float32                                                      | `float`  | f32, xf32, tf32 |
| f16  | 16   | `_Float16` | float16                                                      | `half_t` | f16            |
| bf16 | 16   | `__bf16`   | uint16, its bits: numpy has no such type (`elements` reads)  | `bf16_t` | bf16           |
| f8   | 8    |            |                                                              | `fp8_t`  | fp8            |

>>> DTYPES["bf16"].bytes, dtype_of("xf32").name
(2, 'f32')

What it cannot represent: how a number lies in its bits (the FNUZ formats of gfx942 and OCP's of gfx950 are both f8).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class DType:
    """One element type; `c` is empty where no kernel has it, `numpy` where numpy has no type of its bits.

    `ck` are its names in CK's sources, the first one the type's own; `matrix` what matrix instructions call it besides.
    """

    name: str
    bits: int
    numpy: str = ""
    c: str = ""
    ck: tuple[str, ...] = ()
    matrix: tuple[str, ...] = ()

    @property
    def bytes(self) -> int:
        """Bytes of an element; 0 where it is no whole number of them."""
        return 0 if self.bits % 8 else self.bits // 8


DTYPES: Mapping[str, DType] = {
    d.name: d
    for d in (
        DType("f64", 64, "float64", ck=("double",)),
        DType("f32", 32, "float32", "float", ("float", "float32_t", "fp32_t"), ("xf32", "tf32")),
        DType("f16", 16, "float16", "_Float16", ("half_t", "fp16_t", "half", "_Float16")),
        DType("bf16", 16, "uint16", "__bf16", ("bf16_t", "bhalf_t", "bfloat16_t")),
        DType("f8", 8, ck=("fp8_t", "f8_t"), matrix=("fp8",)),
        DType("bf8", 8, ck=("bf8_t",)),
        DType("i64", 64, "int64", ck=("int64_t", "long_index_t")),
        DType("i32", 32, "int32", ck=("int32_t", "int", "index_t")),
        DType("i16", 16, "int16", ck=("int16_t", "short")),
        DType("i8", 8, "int8", ck=("int8_t",)),
        DType("u64", 64, "uint64", ck=("uint64_t", "size_t")),
        DType("u32", 32, "uint32", ck=("uint32_t", "unsigned")),
        DType("u16", 16, "uint16", ck=("uint16_t",)),
        DType("u8", 8, "uint8", ck=("uint8_t",)),
        DType("i4", 4),
    )
}
"""Every element type, by its name in spec files."""

KERNEL_DTYPES: Mapping[str, DType] = {d.name: d for d in DTYPES.values() if d.c}
"""Every type that a kernel may have, by its name in specs and on the command line."""

_MATRIX: Mapping[str, DType] = {name: d for d in DTYPES.values() for name in d.matrix}


def dtype_of(name: str) -> DType:
    """The element type of a name in spec files or in the table of matrix instructions; KeyError where there is none."""
    return _MATRIX.get(name) or DTYPES[name]
