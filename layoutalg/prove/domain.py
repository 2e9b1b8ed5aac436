"""Digit form: a descriptor's coordinates, with each merged dimension replaced by its digits.

A merge's upper index runs over all mixed-radix numbers, and so its digits run over their own lengths, freely.  Writing
the index as Horner's sum of digit variables removes the divisions from everything below (the lemma: merge is a
bijection of digits).  (i0 // 8, i0 % 8) with i0 < 512 becomes (d0, d1) with d0 < 64, d1 < 8, and i0 = d0·8 + d1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from layoutalg.index import Expr, all_of, var
from layoutalg.layout import Merge, TensorAdaptor
from layoutalg.layout.mixed_radix import horner


@dataclass(frozen=True)
class Domain:
    """Free variables, and what they make of an adaptor: its top index, every hidden index, and validity."""

    variables: tuple[Expr, ...]
    top: tuple[Expr, ...]
    hidden: Mapping[int, Expr]
    valid: Expr


@lru_cache(maxsize=4096)
def digit_form(adaptor: TensorAdaptor) -> Domain:
    """The adaptor over digit variables: a one-to-one change of variables, nothing assumed."""
    hidden: dict[int, Expr] = {}
    free: list[Expr] = []
    below = {i: k for k, ids in enumerate(adaptor.upper_ids) for i in ids}

    def free_index(i: int, name: str) -> Expr:
        maker = below.get(i)
        transform = adaptor.transforms[maker] if maker is not None else None
        if isinstance(transform, Merge) and len(transform.lengths) > 1:
            lower = adaptor.lower_ids[maker]  # type: ignore[index]
            parts = [free_index(child, f"{name}_{n}") for n, child in enumerate(lower)]
            hidden[i] = horner(parts, transform.lengths)
        else:
            free.append(var(name, adaptor.hidden_lengths[i]))
            hidden[i] = free[-1]
        return hidden[i]

    for n, i in enumerate(adaptor.top_ids):
        free_index(i, f"i{n}")
    conditions = []
    for transform, lower, upper in reversed(
        list(zip(adaptor.transforms, adaptor.lower_ids, adaptor.upper_ids, strict=True))
    ):
        above = [hidden[i] for i in upper]
        conditions.append(transform.valid(above))
        if not all(i in hidden for i in lower):
            hidden |= zip(lower, transform.lower(above), strict=True)
    top = tuple(hidden[i] for i in adaptor.top_ids)
    return Domain(tuple(free), top, hidden, all_of(*conditions))
