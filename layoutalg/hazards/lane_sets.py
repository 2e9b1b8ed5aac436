"""Sets of lanes that are known in part: those that are surely in one, and those that may be.

A mask is a set of lanes, a bit each.  Where an argument decides, as in `i < n`, it is not known; but what it is taken
out of is, and that bounds which lanes run.  The semantics table's operations on masks are read on such sets.

| instruction, of waves 0 and 1 | `exec` surely has | `exec` may have |
|---|---|---|
| at the entry | all | all |
| `v_cmpx_gt_u32 3, v0` | lanes 0 to 2 of wave 0 | the same |
| `s_and_saveexec s0, vcc`, of which nothing is known | none | the same |
| `s_or exec, exec, s0` | lanes 0 to 2 of wave 0 | the same |

What it cannot represent: two masks of which one is what the other is not, where neither is known.
"""

from __future__ import annotations

import numpy as np

from layoutalg.isa.run.arrays import Array, bits_to_lanes, lanes_to_bits
from layoutalg.records import dataclass


@dataclass(frozen=True, eq=False)
class LaneSet:
    """Lanes by wave: `least` are in the set, and none is that is not of `most`."""

    least: Array
    most: Array

    @classmethod
    def of_bits(cls, word: Array) -> LaneSet:
        """Exactly those of a word for each wave."""
        lanes = bits_to_lanes(word)
        return cls(lanes, lanes)

    def bits(self, lanes: int) -> Array | None:
        """A word for each wave; None where the set is not known exactly."""
        return lanes_to_bits(self.most, lanes) if np.array_equal(self.least, self.most) else None

    def or_else(self, other: LaneSet) -> LaneSet:
        """The one or the other."""
        return LaneSet(self.least & other.least, self.most | other.most)

    def same(self, other: LaneSet) -> bool:
        """Whether as much is known of both."""
        return np.array_equal(self.least, other.least) and np.array_equal(self.most, other.most)

    def __and__(self, other: LaneSet) -> LaneSet:
        return LaneSet(self.least & other.least, self.most & other.most)

    def __or__(self, other: LaneSet) -> LaneSet:
        return LaneSet(self.least | other.least, self.most | other.most)

    def __invert__(self) -> LaneSet:
        return LaneSet(~self.most, ~self.least)

    def __xor__(self, other: LaneSet) -> LaneSet:
        return self & ~other | ~self & other


class LaneSetValues:
    """What the table's operations on masks ask of words, for waves of so many lanes."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        shape = (1, 1, 1, lanes)
        self.any = LaneSet(np.zeros(shape, np.bool_), np.ones(shape, np.bool_))

    def const(self, value: int, bits: int) -> LaneSet:
        """The lanes of a constant."""
        return LaneSet.of_bits(np.full((1, 1, 1, 1), value % (1 << bits), np.uint32 if bits == 32 else np.uint64))

    def eq(self, left: LaneSet, right: LaneSet) -> LaneSet:
        """Whether two are the same, of which nothing is said."""
        return self.any

    def ite(self, condition: LaneSet, one: LaneSet, other: LaneSet) -> LaneSet:
        """The one or the other, whatever the condition."""
        return one.or_else(other)
