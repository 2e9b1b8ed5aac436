"""Accesses of a thread that the binary makes in another order than the program.

| in the program | in the binary | to be shown |
|---|---|---|
| one, then the other | one, then the other | nothing |
| one, then the other, both loads | the other, then one | nothing |
| one, then the other, one a store | the other, then one | that they do not meet |

Accesses count as a whole where that says the same, since a vector of eight elements beside another has 64 pairs; those
whose offsets' ranges are apart, as in two buffers, do not meet.
What it cannot represent: elements of several sizes in one buffer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from layoutalg.index import ZERO, mod, simplify
from layoutalg.symex.machine.tracing import TracedElement

Numbered = tuple[int, TracedElement]
"""An element, and where it stands in the program."""


def changed_places(accesses: Sequence[Numbered]) -> Iterator[tuple[TracedElement, TracedElement]]:
    """Accesses, one a store, of which the program has an element in the other order.

    Of two that begin at multiples of their one length, the first elements stand for all: both are at such multiples, so
    that where any meet, these do.  Of others, each pair of elements.
    """
    spans = list(_spans(accesses))
    for k, one in enumerate(spans):
        for other in spans[k + 1 :]:
            if not (one[0][1].store or other[0][1].store) or max(n for n, _ in one) < min(m for m, _ in other):
                continue
            if _below(one, other) or _below(other, one):
                continue
            if _aligned(one, other):
                yield one[0][1], other[0][1]
            else:
                yield from ((a, b) for n, a in one for m, b in other if m < n)


def _below(one: Sequence[Numbered], other: Sequence[Numbered]) -> bool:
    """Whether all that one reaches lies below the other, by the ranges of their offsets: in another buffer."""
    return bool(one[-1][1].offset.hi + one[-1][1].size <= other[0][1].offset.lo)


def _spans(accesses: Sequence[Numbered]) -> Iterator[Sequence[Numbered]]:
    """The elements of one access that lie one behind the other."""
    span: list[Numbered] = []
    for number, element in accesses:
        if span and not _follows(span[-1][1], element):
            yield span
            span = []
        span.append((number, element))
    if span:
        yield span


def _follows(last: TracedElement, element: TracedElement) -> bool:
    same = last.instruction is element.instruction and last.guard is element.guard
    return same and simplify(element.offset - last.offset - last.size) is ZERO


def _aligned(one: Sequence[Numbered], other: Sequence[Numbered]) -> bool:
    bytes_ = len(one) * one[0][1].size
    same = bytes_ == len(other) * other[0][1].size
    return same and all(simplify(mod(span[0][1].offset, bytes_)) is ZERO for span in (one, other))
