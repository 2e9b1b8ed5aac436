"""An expression of a map that is linear over F₂, from its columns: the other way of `layoutalg.index.f2`.

    image of x:  ⊕ (column of each bit that is set in x),  written as runs of bits that are shifted, not bit by bit

| columns of x, from bit 0 on | expression of x in 0…63  |
|-----------------------------|--------------------------|
| 4 8 0 0 0 1                 | x % 4 * 4 + x // 32      |
| 1 2 4 1 2 4                 | x % 8 ^ x // 8           |

Where no bit of the image comes from two runs they are added, else xor-ed.
"""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.index.expr import ZERO, Expr, Term, add, as_expr, xor


def linear_form(pieces: Sequence[tuple[Expr, Sequence[int]]]) -> Expr:
    """The image of several variables, each with the columns of its bits.

    >>> from layoutalg.index.variable import var
    >>> linear_form([(var("lane", 64), (4, 8, 0, 0, 0, 1))])
    lane % 4 * 4 + lane // 32
    >>> linear_form([(var("row", 8), (1, 2, 4)), (var("part", 8), (1, 2, 4))])
    row ^ part
    """
    terms = [part for variable, columns in pieces for part in _runs(variable, columns)]
    if not terms:
        return ZERO
    masks = [mask for mask, _ in terms]
    if sum(masks).bit_count() == sum(mask.bit_count() for mask in masks):
        return add(*(term for _, term in terms))
    total: Term = 0
    for _, term in terms:
        total = xor(total, term)
    return as_expr(total)


def _runs(variable: Expr, columns: Sequence[int]) -> list[tuple[int, Expr]]:
    """Neighbouring bits that lead to neighbouring ones: the bits that each run may set, and its expression."""
    runs: list[tuple[int, int, int]] = []  # first bit, where it leads, how many
    for bit, column in enumerate(columns):
        for to in range(column.bit_length()):
            if not column >> to & 1:
                continue
            before = next((r for r in runs if (r[0] + r[2], r[1] + r[2]) == (bit, to)), None)
            if before:
                runs[runs.index(before)] = (before[0], before[1], before[2] + 1)
            else:
                runs.append((bit, to, 1))
    return [(((1 << count) - 1) << to, variable // (1 << bit) % (1 << count) * (1 << to)) for bit, to, count in runs]
