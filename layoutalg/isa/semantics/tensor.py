"""What copies boxes of a tensor between memory and LDS, and how its fields are read (`target.boxes`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from layoutalg.isa.semantics.values import Values, Word
from layoutalg.target.boxes import BoxField

#: What copies a box of a tensor from LDS; what copies one in either direction.
TENSOR_STORES = frozenset({"TENSOR_STORE_FROM_LDS"})
TENSOR_COPIES = TENSOR_STORES | {"TENSOR_LOAD_TO_LDS"}

#: The registers of each group.
GROUPS: Mapping[str, int] = {"group0": 4, "group1": 8, "group2": 4, "group3": 4}


def word_of(w: Values, groups: Sequence[Sequence[Word]], field: BoxField) -> Word:
    """A field as a word of 32 bits, of 64 where it has more, from the groups' registers."""
    dwords, first = groups[field.group], field.first
    parts, taken = [], 0
    while taken < field.bits:
        at, shift = divmod(first + taken, 32)
        count = min(32 - shift, field.bits - taken)
        piece = w.lshr(dwords[at], w.const(shift, 32)) if shift else dwords[at]
        parts.append((piece & w.const((1 << count) - 1, 32) if count < 32 - shift else piece, taken))
        taken += count
    if field.bits <= 32:
        total = parts[0][0]
        for piece, up in parts[1:]:
            total = total | w.shl(piece, w.const(up, 32))
        return total
    if field.bits > 48 or field.first % 32 == 0:
        return w.pair(parts[0][0], parts[1][0])
    low = parts[0][0] | w.shl(parts[1][0], w.const(16, 32))  # sixteen bits, and thirty-two
    return w.pair(low, w.lshr(parts[1][0], w.const(16, 32)))
