"""Coalescing: how many segments of global memory a wave's access touches, against the fewest that could hold it.

Global memory is fetched in aligned segments of 32, 64 or 128 bytes (`Target.segments` says which a GPU uses), and every
segment that any lane of the wave touches is fetched whole.  So an access costs the number of distinct segments, and the
least possible is the number that its distinct bytes fill: ⌈distinct bytes / segment⌉.

| 64 lanes load 4 bytes each                | segments of 64 bytes | least | traffic  |
|-------------------------------------------|----------------------|-------|----------|
| lane l at 4·l                             | 4                    | 4     | 1 ×      |
| lane l at 4·l + 32 (not aligned)          | 5                    | 4     | 1.25 ×   |
| lane l at 8·l (every second dword)        | 8                    | 4     | 2 ×      |
| lane l at 1024·l (a column)               | 64                   | 4     | 16 ×     |
| every lane at 0                           | 1                    | 1     | 1 ×      |
| lanes 0 to 9 at 4·l, the others masked    | 1                    | 1     | 1 ×      |

A lane may take no part (`active`): it touches nothing, and its address is not looked at.

What it cannot represent: caches (a segment that the next instruction uses too is counted again), and DRAM pages.
"""

from __future__ import annotations

from layoutalg.lazy import lazy_imports
from layoutalg.memory.banks import AccessError, Ints
from layoutalg.records import dataclass
from layoutalg.target import Target
from layoutalg.target import target as named

with lazy_imports():
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True)
class Coalescing:
    """What many waves' accesses cost in segments of one size.

    `touched` and `least` are sums over all waves; `worst` is the place of the wave that wastes most (in the batch's
    shape), with its own two counts.  `doubt` is '' where the segment's size is certain for the target.
    """

    segment: int
    waves: int
    touched: int
    least: int
    worst: tuple[int, ...]
    worst_touched: int
    worst_least: int
    doubt: str = ""

    @property
    def coalesced(self) -> bool:
        """Whether every wave touches the fewest segments possible."""
        return self.touched == self.least

    @property
    def sentence(self) -> str:
        """What it means, in plain words."""
        segments = f"segments of {self.segment} bytes"
        waves = "The wave" if self.waves == 1 else f"The {self.waves} waves"
        verb = "touches" if self.waves == 1 else "touch"
        if self.coalesced:
            text = f"{waves} {verb} {self.touched} {segments}, the fewest possible."
        else:
            text = f"{waves} {verb} {self.touched} {segments} where {self.least} would do"
            text += f": {self.touched / self.least:.3g} times the traffic."
            if self.waves > 1:
                text += (
                    f" The worst is wave {_place(self.worst)}: {self.worst_touched} where {self.worst_least} would do."
                )
        return f"{text} In doubt: {self.doubt}." if self.doubt else text


def coalescing(target: Target | str, addresses: npt.ArrayLike, width: int) -> tuple[Coalescing, ...]:
    """The cost of global accesses in each size of segment that the target uses, smallest first.

    `addresses`: byte addresses of shape (…, lanes); `width`: bytes a lane.  AccessError for what is no such array.

    >>> print(coalescing("gfx942", [1024 * lane for lane in range(64)], 4)[0].sentence)
    The wave touches 64 segments of 64 bytes where 4 would do: 16 times the traffic.
    """
    gpu = named(target) if isinstance(target, str) else target
    doubt = gpu.evidence["segments"].doubt
    return tuple(count(addresses, width, segment, doubt) for segment in gpu.segments)


def count(addresses: npt.ArrayLike, width: int, segment: int, doubt: str = "") -> Coalescing:
    """The cost of accesses of shape (…, lanes) in segments of one size.

    >>> count([[8 * lane for lane in range(64)], [4 * lane for lane in range(64)]], 4, 64).sentence
    'The 2 waves touch 12 segments of 64 bytes where 8 would do: 1.5 times the traffic. The worst is wave 0: 8 where 4 \
would do.'
    """
    where = _checked(addresses, width)
    touched, least = segments(where, width, segment), fewest(where, width, segment)
    worst = np.unravel_index(int((touched - least).argmax()), touched.shape) if touched.shape else ()
    place = tuple(int(i) for i in worst)
    return Coalescing(
        segment,
        touched.size,
        int(touched.sum()),
        int(least.sum()),
        place,
        int(touched[place]),
        int(least[place]),
        doubt,
    )


def segments(addresses: npt.ArrayLike, width: int, segment: int, active: npt.ArrayLike | None = None) -> Ints:
    """The number of distinct segments that each access touches: shape (…, lanes) → (…).

    `active`, of a shape that broadcasts to the addresses': which lanes take part (all, unless said).

    >>> segments([[4 * lane for lane in range(64)], [4 * lane + 32 for lane in range(64)]], 4, 64).tolist()
    [4, 5]
    """
    where, some = _taking_part(addresses, width, active)
    first, last = where // segment, (where + width - 1) // segment
    spans = int((last - first).max(initial=0)) + 1
    touched = np.minimum(first[..., None] + np.arange(spans), last[..., None])
    ordered = np.sort(touched.reshape(*where.shape[:-1], -1), axis=-1)
    return np.asarray(some * (1 + (ordered[..., 1:] != ordered[..., :-1]).sum(axis=-1)))


def fewest(addresses: npt.ArrayLike, width: int, segment: int, active: npt.ArrayLike | None = None) -> Ints:
    """The fewest segments that could hold the distinct bytes of each access: shape (…, lanes) → (…)."""
    where, some = _taking_part(addresses, width, active)
    ordered = np.sort(where, axis=-1)
    bytes_ = width + np.minimum(np.diff(ordered, axis=-1), width).sum(axis=-1)
    return np.asarray(some * -(-bytes_ // segment))


def _taking_part(addresses: npt.ArrayLike, width: int, active: npt.ArrayLike | None) -> tuple[Ints, Ints]:
    """Addresses in which a lane that takes no part stands where one stands that does, and 0 where none does, else 1."""
    if active is None:
        where = _checked(addresses, width)
        return where, np.ones(where.shape[:-1], dtype=np.int64)
    there = np.broadcast_to(np.asarray(active, dtype=bool), np.shape(addresses))
    where = _checked(np.where(there, addresses, 0), width)
    first = np.take_along_axis(where, there.argmax(axis=-1)[..., None], axis=-1)
    return np.where(there, where, first), np.asarray(there.any(axis=-1), dtype=np.int64)


def _checked(addresses: npt.ArrayLike, width: int) -> Ints:
    where = np.asarray(addresses)
    if where.dtype.kind not in "iu" or where.ndim == 0 or where.size == 0:
        raise AccessError("addresses are byte addresses, whole numbers, in an array of shape (…, lanes)")
    if width < 1:
        raise AccessError(f"a lane accesses at least 1 byte, not {width}")
    if where.min() < 0:
        raise AccessError(f"address {where.min()} lies before the memory")
    return where.astype(np.int64)


def _place(index: tuple[int, ...]) -> str:
    return ", ".join(map(str, index))
