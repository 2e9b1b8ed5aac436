"""Coordinate transforms: Composable Kernel's, each as a map from an upper index (user) to a lower index (memory).

The direction is always upper → lower, as in CK's `calculate_lower_index`.  `upper()` is the inverse where there is one.
All parameters may be sizes that are not fixed.  With u the upper index and d the lower one:

| transform           | lower = f(upper)                         | valid               | inverse            |
|---------------------|------------------------------------------|---------------------|--------------------|
| pass_through L      | u                                        | always              | d                  |
| pad L, left, right  | u − left                                 | left ≤ u < L + left | d + left           |
| embed strides s     | Σ uᵢ·sᵢ                                  | always              | where s nests      |
| merge (L₀ … Lₙ₋₁)   | mixed-radix digits of u, last fastest    | always              | Σ dᵢ·ΠLⱼ (j > i)   |
| unmerge (L₀ … Lₙ₋₁) | Σ uᵢ·ΠLⱼ (j > i)                         | always              | digits of d        |
| slice begin, end    | u + begin                                | always              | d − begin          |
| xor (L₀, L₁)        | (u₀, u₁ ^ (u₀ mod L₁))                   | always              | the same           |
| modulo m            | u mod m                                  | always              | none               |
| offset              | u + offset                               | always              | d − offset         |

They live in three modules: `linear` (moving adds), `merge` (mixed-radix digits, CK's variants) and `nonlinear`.

A transform knows the lengths of the lower dimensions that it fits (`None` where any length may do and only the claim
InBounds can tell).  CK's first merge digit is the remaining quotient, not reduced by L₀: so is ours.
"""

from __future__ import annotations

from collections.abc import Mapping

from layoutalg.layout.linear import (
    Embed,
    Freeze,
    Insert,
    LeftPad,
    Linear,
    Offset,
    Pad,
    PassThrough,
    Replicate,
    RightPad,
    Slice,
    Vectorize,
)
from layoutalg.layout.merge import Merge, MergeCarryCheck, MergeDivisionMod, MergeMagicDivision, Unmerge
from layoutalg.layout.nonlinear import CyclicShift, CyclicShiftInverse, Functor, Indexing, Modulo, Xor, XorNoModulo
from layoutalg.layout.transform import Transform

__all__ = [
    "TRANSFORMS", "CyclicShift", "CyclicShiftInverse", "Embed", "Freeze", "Functor", "Indexing", "Insert", "LeftPad",
    "Linear", "Merge", "MergeCarryCheck", "MergeDivisionMod", "MergeMagicDivision", "Modulo", "Offset", "Pad",
    "PassThrough", "Replicate", "RightPad", "Slice", "Unmerge", "Vectorize", "Xor", "XorNoModulo",
]  # fmt: skip

TRANSFORMS: Mapping[str, type[Transform]] = {
    kind.name: kind
    for kind in (
        PassThrough, Pad, LeftPad, RightPad, Embed, Merge, MergeCarryCheck, MergeMagicDivision, MergeDivisionMod,
        Unmerge, Freeze, Insert, Replicate, Slice, Modulo, Xor, XorNoModulo, CyclicShift, CyclicShiftInverse, Offset,
        Indexing, Functor, Vectorize,
    )
}  # fmt: skip
"""Every transform by its name in spec files."""
