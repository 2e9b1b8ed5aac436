"""Who may see what on all paths at once: stores that other blocks may not see yet, and what a wave may see too old.

| an address is | from | to |
|---|---|---|
| of `kept` | a store, where a cache keeps it from other blocks | an instruction that writes back |
| of `leaving` | then on | the wave has waited for that |
| of `stale`, with a cache | an atomic operation that gives a result | the cache is invalidated, behind the result |

What is in none of them is so on no path.  What a wave has not waited for is another thing (`outstanding`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from layoutalg.records import dataclass


@dataclass(frozen=True)
class Sight:
    """The stores of a wave that others may not see, and the atomic operations behind which it may see what is old."""

    kept: frozenset[int] = frozenset()
    leaving: frozenset[int] = frozenset()
    stale: frozenset[tuple[int, str]] = frozenset()

    @property
    def unseen(self) -> frozenset[int]:
        """The stores that others may not see, though the wave has waited for them."""
        return self.kept | self.leaving

    def storing(self, address: int) -> Sight:
        """Behind a store that a cache may keep."""
        return replace(self, kept=self.kept | {address})

    def finding(self, address: int, caches: Iterable[str]) -> Sight:
        """Behind an atomic operation that gives a result: these caches may have what is older."""
        return replace(self, stale=self.stale | {(address, cache) for cache in caches})

    def writing_back(self) -> Sight:
        """All that is kept leaves."""
        return replace(self, kept=frozenset(), leaving=self.leaving | self.kept)

    def written_back(self) -> Sight:
        """The wave has waited for all that leaves."""
        return replace(self, leaving=frozenset())

    def renewed(self, cache: str, under_way: Collection[int]) -> Sight:
        """A cache is invalidated, while these accesses are under way."""
        stale = frozenset(one for one in self.stale if one[1] != cache or one[0] in under_way)
        return replace(self, stale=stale)

    def joined(self, other: Sight) -> Sight:
        """What may be so on one of two paths."""
        if self == other:
            return self
        return Sight(self.kept | other.kept, self.leaving | other.leaving, self.stale | other.stale)
