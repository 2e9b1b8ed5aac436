"""Accesses of a thread that the binary makes in another order than the program.

| in the program | in the binary | to be shown |
|---|---|---|
| one, then the other | one, then the other | nothing |
| one, then the other, both loads | the other, then one | nothing |
| one, then the other, one a store | the other, then one | that they do not meet |

Accesses count as a whole where that says the same, since a vector of eight elements beside another has 64 pairs; those
whose offsets' ranges are apart, as in two buffers, do not meet.  So do those of two slots that turns alternate between:

    one in t % 2 · 8192 + [0, 8192), other in (t % 2 ^ 1) · 8192 + [0, 8192): apart where t % 2 is 0, and where it is 1

What it cannot represent: elements of several sizes in one buffer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from layoutalg.index import ZERO, Expr, const, postorder, simplify, substitute
from layoutalg.index.multiples import is_multiple
from layoutalg.index.node import Bound
from layoutalg.symex.machine.tracing import TracedElement

_TWO = const(2)

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
            if _apart(one, other):
                continue
            if _aligned(one, other):
                yield one[0][1], other[0][1]
            else:
                yield from ((a, b) for n, a in one for m, b in other if m < n)


def _apart(one: Sequence[Numbered], other: Sequence[Numbered]) -> bool:
    """Whether their offsets' ranges do not meet: in two buffers, or in two slots, whichever of them is whose."""

    def outside(turn: Expr, which: int) -> bool:
        (a, b), (c, d) = (_range(span, turn, which) for span in (one, other))
        return b <= c or d <= a

    turns = _turns(one[0][1].offset) & _turns(other[0][1].offset)
    return outside(ZERO, 0) or any(outside(turn, 0) and outside(turn, 1) for turn in turns)


def _range(span: Sequence[Numbered], turn: Expr, which: int) -> tuple[Bound, Bound]:
    """The least byte of a span, and the one behind its greatest, where a turn is that one."""
    first, last = (_offset(span[k][1].offset, turn, which) for k in (0, -1))
    return first.lo, last.hi + span[-1][1].size


@lru_cache(maxsize=1 << 12)
def _offset(offset: Expr, turn: Expr, which: int) -> Expr:
    return simplify(substitute(offset, {turn: const(which)})) if turn is not ZERO else offset


@lru_cache(maxsize=1 << 12)
def _turns(offset: Expr) -> frozenset[Expr]:
    """What alternates between 0 and 1 with an index."""
    return frozenset(e for e in postorder(offset) if e.op == "mod" and e.args[0].op == "var" and e.args[1] is _TWO)


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
    return same and all(is_multiple(span[0][1].offset, bytes_) for span in (one, other))
