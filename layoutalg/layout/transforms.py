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

They live in three modules: `linear` (moving adds), `merge` (mixed-radix digits, CK's variants) and `nonlinear`.  What
spec files, CK's sources and `explain` know of one stands in its class (`transform` says what).

A transform knows the lengths of the lower dimensions that it fits (`None` where any length may do and only the claim
InBounds can tell).  CK's first merge digit is the remaining quotient, not reduced by L₀: so is ours.

One of CK's merges, `merge_v4_no_carry`, moves right only where nothing carries: its claim `increments` is refuted.
Two of CK's increments are also kept as CK computes them where that is wrong, so that the fault can be shown and
refuted (`DEFECTS`):

| transform           | CK's increment                          | right                     | goes wrong when         |
|---------------------|-----------------------------------------|---------------------------|-------------------------|
| modulo              | (u_new + d) mod m                       | u_new mod m               | d mod m is not 0        |
| unmerge, 24-bit     | Σ (dᵢ & 0xffffff)·(scanᵢ & 0xffffff)    | Σ dᵢ·scanᵢ                | a step is negative      |

Source: `modulo::update_lower_index` and `unmerge` with `Use24BitIntegerCalculation` of CK Tile's
`core/algorithm/coordinate_transform.hpp`; the same in CK's `multi_index_transform.hpp`.
"""

from __future__ import annotations

from collections.abc import Mapping

from layoutalg.layout.linear import Embed, Freeze, Insert, Replicate, Vectorize
from layoutalg.layout.merge import (
    Merge,
    MergeCarryCheck,
    MergeDivisionMod,
    MergeMagicDivision,
    MergeNoCarry,
    MergeScannedMagicDivision,
    Unmerge,
    Unmerge24Bit,
)
from layoutalg.layout.nonlinear import (
    ConvBwdDataOut,
    CyclicShift,
    CyclicShiftInverse,
    Functor,
    Indexing,
    Modulo,
    ModuloAddedTwice,
    Xor,
    XorNoModulo,
)
from layoutalg.layout.shifts import LeftPad, Offset, Pad, PassThrough, RightPad, Slice
from layoutalg.layout.transform import Transform

TRANSFORMS: Mapping[str, type[Transform]] = {
    kind.name: kind
    for kind in (
        PassThrough, Pad, LeftPad, RightPad, Embed, Merge, MergeCarryCheck, MergeMagicDivision,
        MergeScannedMagicDivision, MergeDivisionMod, MergeNoCarry, Unmerge, Freeze, Insert, Replicate, Slice, Modulo,
        Xor, XorNoModulo, CyclicShift, CyclicShiftInverse, Offset, Indexing, Functor, Vectorize, ConvBwdDataOut,
    )
}  # fmt: skip
"""Every transform by its name in spec files."""

DEFECTS: Mapping[str, type[Transform]] = {kind.name: kind for kind in (ModuloAddedTwice, Unmerge24Bit)}
"""The faulty transforms by name; no spec file has them."""
