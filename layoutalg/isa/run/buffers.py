"""Which lanes' elements lie in a buffer that scalar registers describe (`semantics.buffers`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.semantics.buffers import DIFFER, NOTHING, RULES, SCALAR


def in_range(
    architecture: str,
    words: Sequence[Array],
    size: int,
    whole: bool,
    active: Array,
    where: str,
    index: Array | None = None,
) -> tuple[Array, list[Array]]:
    """The address of each lane's element, and of each of its dwords whether it is in range, in active lanes.

    The words of 64 bits are the descriptor's fields, the scalar and the other offset, and the index that is in that; a
    `whole` element is in range or not.  Raises `UnsupportedInstructionError` for a descriptor that is not modelled, and
    where sources differ in what is in range.
    """
    rules, (base, count, upper, flags, scalar, offset) = RULES[architecture], words
    address, flags = base + scalar + offset, flags[active]
    for pair in np.unique(np.stack([upper[active], flags], axis=-1), axis=0):
        why = rules.why_not(*(int(word) for word in pair))
        if why:
            raise UnsupportedInstructionError(f"{where}: a buffer that is not modelled: {why}")
    unchecked = np.zeros(active.shape, np.bool_)
    unchecked[active] = [rules.mode(int(word)) == NOTHING for word in flags] if len(flags) else []
    doubt, inside = active & (offset >> np.uint64(32) != 0), []
    for k in range(max(1, size // 4)):
        start = offset + np.uint64(4 * k)
        there = start + np.uint64(min(size, 4) + rules.unsure) + scalar <= count
        out = (start >= count) & ((offset + scalar & np.uint64((1 << 32) - 1)) + np.uint64(4 * k) >= count)
        if index is not None:
            out = np.where(upper & np.uint64(rules.stride) != 0, index >= count, out)
        there, out = np.where(unchecked, count != 0, there), np.where(unchecked, count == 0, out)
        there, out = (one & (start + np.uint64(min(size, 4)) <= np.uint64(1 << 32)) for one in (there, out))
        doubt |= active & ~there & ~out
        inside.append(active & there)
    if whole or not rules.by_dword:
        doubt |= np.any([part != inside[0] for part in inside], axis=0)
    if doubt.any():
        raise UnsupportedInstructionError(f"{where}: {SCALAR if scalar.any() else DIFFER}")
    return address, inside
