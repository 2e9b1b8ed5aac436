"""Conversions of elements as C; those of bfloat16 are functions, since compilers differ in what they make of a cast.

| clang, for a GPU    | `(__bf16)x` of a float                           | `(float)x` of a __bf16 |
|---------------------|--------------------------------------------------|------------------------|
| 16                  | refused                                          | refused                |
| 17, 18              | the upper 16 bits: towards 0, of some NaNs an ∞  | exact                  |
| 19.0                | that, or as 19.1                                 | exact                  |
| 19.1 and newer      | to the nearest, ties to even; a NaN stays one    | exact                  |
| any, for an x86 CPU | its instruction takes denormal numbers for 0     | exact                  |

LLVM's change is pull request 82399 of February 2024, on the way to the release 19.1.  A compiler that calls itself
19.0, as ROCm's may, was made of what lies between two releases, before or after it.  So a cast is written where it is
known to be right, and elsewhere bits are counted.

>>> from layoutalg.target.dtypes import DTYPES
>>> converted("x[0]", DTYPES["f32"], DTYPES["bf16"]), converted("x[0]", DTYPES["f32"], DTYPES["f16"])
('to_bf16(x[0])', '(_Float16)x[0]')
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from layoutalg.kernel.program import NEUTRAL
from layoutalg.target.dtypes import DTYPES, DType

F32, BF16 = DTYPES["f32"], DTYPES["bf16"]

_HEAD = "static __device__ inline __attribute__((always_inline))"

CONVERSIONS = {
    "to_bf16": f"""\
// To the nearest, ties to even; a NaN stays one. Casts of older compilers cut, and those of CPUs flush.
{_HEAD} __bf16 to_bf16(float x) {{
#if (defined(__AMDGCN__) || defined(__NVPTX__)) && __clang_major__ * 100 + __clang_minor__ >= 1901
    return (__bf16)x;
#else
    const unsigned bits = __builtin_bit_cast(unsigned, x);
    const unsigned quiet = bits | 0x400000u, nearest = bits + (bits >> 16 & 1u) + 0x7fffu;
    return __builtin_bit_cast(__bf16, (unsigned short)((x != x ? quiet : nearest) >> 16));
#endif
}}
""",
    "from_bf16": f"""\
// Exact. Not every compiler has the cast.
{_HEAD} float from_bf16(__bf16 x) {{
#if __clang_major__ >= 17
    return (float)x;
#else
    return __builtin_bit_cast(float, (unsigned)__builtin_bit_cast(unsigned short, x) << 16);
#endif
}}
""",
}
"""The device functions, by name."""


def converted(text: str, given: DType, wanted: DType) -> str:
    """An element of one type as one of another; through float where two half types meet."""
    if given == wanted:
        return text
    number = text if given == F32 else as_float(text, given)
    return f"to_bf16({number})" if wanted == BF16 else number if wanted == F32 else f"({wanted.c}){number}"


def as_float(text: str, given: DType) -> str:
    """An element as a number to compute with."""
    return f"from_bf16({text})" if given == BF16 else f"(float){text}"


def neutral(how: str, dtype: DType) -> str:
    """What a sum or a greatest begins with.

    >>> neutral("sum", DTYPES["f16"]), neutral("max", F32)
    ('0', '-__builtin_inff()')
    """
    zero, least = NEUTRAL[how] == 0, "-__builtin_inff()"
    if dtype == BF16:
        return "__bf16()" if zero else converted(least, F32, BF16)
    return "0" if zero else least


def used(text: str, functions: Mapping[str, str] = CONVERSIONS) -> str:
    """The functions that a text calls, of those by name.

    >>> used("v[0] = (_Float16)x;"), used("v[0] = to_bf16(x);").count("__device__")
    ('', 1)
    """
    return "\n".join(source for name, source in functions.items() if re.search(rf"\b{name}\(", text))
