"""What a source says of a kernel's parameters: names, types, and what a struct by value is made of.

| a parameter is | here |
|---|---|
| a pointer, `float4* v` | `points`, `dtype` "f32", `each` 4: what it points to holds so many |
| a number, `float alpha` | `dtype` "f32" |
| a struct by value | `fields`, each with the bytes before it (`at`), those of structs within it among them |

What it cannot represent: to what a pointer points, where that is no elements of one type.
"""

from __future__ import annotations

from layoutalg.records import dataclass


@dataclass(frozen=True)
class KernelParameter:
    """A parameter of a kernel, or a field of one; "" of what its source does not say."""

    name: str
    bytes: int
    dtype: str = ""
    points: bool = False
    each: int = 1
    constant: bool = False  # what it points to is only read
    divisible: int = 1  # of a number: a multiple of this, as its compiler was told
    written: str = ""  # its type as the source writes it
    at: int = 0
    fields: tuple[KernelParameter, ...] = ()
