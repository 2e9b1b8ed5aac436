"""Two descriptors that address the same word, as a claim of the prover."""

from __future__ import annotations

from layoutalg.formats.model import AgreeItem
from layoutalg.index import TRUE, all_of, eq
from layoutalg.prove import Claim, ForAll, Shown
from layoutalg.prove.claims import in_range
from layoutalg.prove.claims.given import ExplicitClaim


def agree(item: AgreeItem) -> Claim:
    """That two descriptors address the same word, at indices that both have."""
    sides = ((item.left.descriptor, item.left_index), (item.right.descriptor, item.right_index))
    (one, other), (valid, also) = ([d.offset(i) for d, i in sides], [d.valid(i) for d, i in sides])
    shown = (Shown("at", item.variables), Shown("offsets", (one, other)))
    inside = all_of(*(in_range(i, n) for d, index in sides for i, n in zip(index, d.lengths, strict=True)))
    same = TRUE if (valid, also) == (TRUE, TRUE) else eq(valid, also)
    return ExplicitClaim(
        f"{item.left.name} and {item.right.name} address the same word",
        (
            ForAll("both indices are in range", inside, item.given, shown),
            ForAll("both reach data, or neither", same, item.given, shown),
            ForAll("offsets are equal", eq(one, other), all_of(item.given, valid), shown),
        ),
        (item.left.descriptor, item.right.descriptor),
    )
