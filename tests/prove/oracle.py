"""The oracle: what each transform computes, in numpy, written from CK's definitions and not from the library's.

Whole index spaces at once, so that a descriptor with a few hundred points is judged in about a hundred microseconds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from layoutalg.layout import TensorAdaptor, TensorDescriptor

Values = np.ndarray[Any, np.dtype[np.int64]]


def _digits(t: Any, u: Sequence[Values]) -> list[Values]:
    lengths = [int(n) for n in t.lengths]
    scans = [math.prod(lengths[k + 1 :]) for k in range(len(lengths))]
    found, rest = [], u[0]
    for scan in scans:
        found.append(rest // scan)
        rest = rest - found[-1] * scan
    return found


def _quotients(t: Any, u: Sequence[Values]) -> list[Values]:
    """C's division, towards zero: differs from `_digits` where an index is negative."""
    lengths = [int(n) for n in t.lengths]
    found, rest = [], u[0]
    for k in range(len(lengths)):
        scan = math.prod(lengths[k + 1 :])
        found.append(np.sign(rest) * (abs(rest) // scan))
        rest = rest - found[-1] * scan
    return found


def _packed(t: Any, u: Sequence[Values]) -> list[Values]:
    lengths = [int(n) for n in t.lengths]
    return [sum((i * math.prod(lengths[k + 1 :]) for k, i in enumerate(u)), np.int64(0))]  # type: ignore[list-item]


def _strided(t: Any, u: Sequence[Values]) -> list[Values]:
    return [sum((i * int(s) for i, s in zip(u, t.strides, strict=True)), np.int64(0))]  # type: ignore[list-item]


def _unshifted(t: Any, u: Sequence[Values]) -> list[Values]:
    n = int(t.lengths[1])
    return [u[0], (u[1] + n - u[0] % n) % n]


def _table(t: Any, u: Sequence[Values]) -> list[Values]:
    return [np.array([int(e) for e in t.table], dtype=np.int64)[u[0]]]


LOWER: Mapping[str, Callable[[Any, Sequence[Values]], list[Values]]] = {
    "pass_through": lambda t, u: [u[0]],
    "pad": lambda t, u: [u[0] - int(t.left)],
    "left_pad": lambda t, u: [u[0] - int(t.left)],
    "right_pad": lambda t, u: [u[0]],
    "embed": _strided,
    "merge": _digits,
    "merge_v1_carry_check": _quotients,
    "merge_v2_magic_division": _digits,
    "merge_v2r2_magic_division": _digits,
    "merge_v3_division_mod": _quotients,
    "merge_v4_no_carry": _quotients,
    "unmerge": _packed,
    "freeze": lambda t, u: [np.array(int(t.index))],
    "insert": lambda t, u: [],
    "replicate": lambda t, u: [],
    "slice": lambda t, u: [u[0] + int(t.begin)],
    "modulo": lambda t, u: [u[0] % int(t.modulus)],
    "xor": lambda t, u: [u[0], u[1] ^ (u[0] % int(t.lengths[1]))],
    "xor_no_modulo": lambda t, u: [u[0], u[1] ^ u[0]],
    "cyclic_shift": lambda t, u: [u[0], (u[1] + u[0]) % int(t.lengths[1])],
    "cyclic_shift_inverse": _unshifted,
    "offset": lambda t, u: [u[0] + int(t.offset)],
    "indexing": _table,
    "vectorize": lambda t, u: [u[0] * int(t.vector_size)],
}


VALID: Mapping[str, Callable[[Any, Values], Any]] = {
    "pad": lambda t, u: (u >= int(t.left)) & (u < int(t.length) + int(t.left)),
    "left_pad": lambda t, u: u >= int(t.left),
    "right_pad": lambda t, u: u < int(t.length),
}


@dataclass
class Enumerated:
    """Every top index of a concrete adaptor or descriptor: all hidden indices, and validity."""

    lengths: tuple[int, ...]
    hidden: dict[int, Values]
    limits: dict[int, int]
    bottom: tuple[int, ...]
    valid: Values

    @property
    def offsets(self) -> Values:
        """The offset of each top index, flat, the last dimension fastest."""
        return self.hidden[self.bottom[0]]

    def in_bounds(self) -> bool:
        """Every hidden index of every valid top index lies in its dimension."""
        v = self.valid
        return all(bool(((self.hidden[i][v] >= 0) & (self.hidden[i][v] < n)).all()) for i, n in self.limits.items())

    def injective(self) -> bool:
        """No two valid top indices share a bottom index."""
        rows = np.stack([self.hidden[i][self.valid] for i in self.bottom], axis=1)
        return len(np.unique(rows, axis=0)) == len(rows)

    def surjective(self) -> bool:
        """Every bottom index is reached, and there is one."""
        reached = {tuple(row) for row in np.stack([self.hidden[i][self.valid] for i in self.bottom], axis=1).tolist()}
        box = [range(self.limits[i]) for i in self.bottom]
        inside = {r for r in reached if all(x in b for x, b in zip(r, box, strict=True))}
        return len(inside) == math.prod(map(len, box)) > 0

    def bijective(self) -> bool:
        """All three."""
        return self.in_bounds() and self.injective() and self.surjective()

    def contiguous(self, dimension: int, count: int) -> bool:
        """Vectors of `count` along a dimension are consecutive, aligned, and valid as a whole or not at all."""
        if self.lengths[dimension] % count:
            return False
        split = (*self.lengths[:dimension], self.lengths[dimension] // count, count, *self.lengths[dimension + 1 :])
        at = np.moveaxis(self.offsets.reshape(split), dimension + 1, -1)
        valid = np.moveaxis(self.valid.reshape(split), dimension + 1, -1)
        if (valid != valid[..., :1]).any():
            return False
        at = at[valid[..., 0]]
        return bool((at == at[..., :1] + np.arange(count)).all() and (at[..., 0] % count == 0).all())

    def monotone(self, dimension: int) -> bool:
        """Offsets of valid indices grow along a dimension."""
        at = np.moveaxis(self.offsets.reshape(self.lengths), dimension, -1)
        valid = np.moveaxis(self.valid.reshape(self.lengths), dimension, -1)
        greatest = np.where(valid, at, np.iinfo(np.int64).min)
        before = np.maximum.accumulate(greatest, axis=-1)[..., :-1]
        return bool((~valid[..., 1:] | (at[..., 1:] > before)).all())


def enumerate_all(layout: TensorDescriptor | TensorAdaptor) -> Enumerated:
    """The whole index space of a layout whose sizes are all constants."""
    adaptor = layout.adaptor if isinstance(layout, TensorDescriptor) else layout
    lengths = tuple(int(n) for n in adaptor.lengths)
    total = math.prod(lengths)
    flat = np.arange(total, dtype=np.int64)
    hidden: dict[int, Values] = {}
    for i, index in zip(adaptor.top_ids, np.unravel_index(flat, lengths) if lengths else (), strict=True):
        hidden[i] = index.astype(np.int64)
    valid = np.ones(total, dtype=bool)
    layers = list(zip(adaptor.transforms, adaptor.lower_ids, adaptor.upper_ids, strict=True))
    for transform, lower, upper in reversed(layers):
        above = [hidden[i] for i in upper]
        if transform.name in VALID:
            valid &= VALID[transform.name](transform, above[0])
        for i, x in zip(lower, LOWER[transform.name](transform, above), strict=True):
            hidden[i] = np.broadcast_to(x, (total,))
    limits = {i: int(n) for i, n in adaptor.hidden_lengths.items() if any(i in ids for ids in adaptor.lower_ids)}
    if isinstance(layout, TensorDescriptor):
        limits[adaptor.bottom_ids[0]] = int(layout.element_space_size)
    return Enumerated(lengths, hidden, limits, adaptor.bottom_ids, valid)
