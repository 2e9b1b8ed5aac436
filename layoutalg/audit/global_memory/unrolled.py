"""Accesses that unrolling took apart, as one with more indices: what holds of the one holds of them all.

| offsets | are | with |
|---|---|---|
| x, x + 4·N, x + 8·N, x + 12·N | x + 4·N·k | k < 4 |
| x, x + 4, x + 32·N, x + 32·N + 4 | x + 4·k₀ + 32·N·k₁ | k₀ < 2, k₁ < 2 |

Of their guards is kept what all say, and orders whose slack goes by the same indices (i + 4 < N of one, i + 8 < N of
the next: i + 4·k < N).
The rest is left out, so the one may touch more than they do, never less.
What it cannot represent: offsets whose differences depend on the thread, or are no such sums.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import prod

from layoutalg.index import ZERO, Expr, all_of, budget, conjuncts, le, simplify, slack, value, var, variables
from layoutalg.index.conditions import conjunct_set
from layoutalg.index.normal import normal
from layoutalg.records import dataclass


@dataclass(frozen=True)
class Part:
    """One place that some accesses touch: where, and under which condition at most."""

    offset: Expr
    guard: Expr


@dataclass(frozen=True)
class Rolled:
    """Several parts as one over further indices."""

    parts: tuple[Part, ...]
    offset: Expr
    guard: Expr
    indices: tuple[Expr, ...]


def rolled(parts: Sequence[Part], sizes: Collection[Expr]) -> Iterator[Rolled]:
    """The parts in as few groups as are seen; differences of offsets are made of the sizes alone.

    >>> from layoutalg.index import symbol
    >>> n, i = symbol("N"), var("i", 99)
    >>> (one,) = rolled([Part(i + n * k * 4, i + k < n) for k in range(4)], {n})
    >>> one.offset, one.guard, one.indices
    (N * copy 0 * 4 + i, 0 <= N + copy 0 * -1 + i * -1 - 1, (copy 0,))
    """
    alike: dict[tuple[tuple[tuple[Expr, ...], int], ...], list[Part]] = {}
    for part in parts:
        own = {m: k for m, k in normal(part.offset).terms.items() if not all(v in sizes for v in variables(*m))}
        alike.setdefault(tuple(sorted(own.items(), key=str)), []).append(part)
    for group in alike.values():
        # Any order will do: the indices are found in one, and what they make is compared as expressions.
        at = {v: 1_000_003 + 65_537 * k for k, v in enumerate(sorted(sizes, key=str))}
        first = group[0].offset
        left = sorted(group, key=lambda part: value(simplify(part.offset - first), at))
        while left:
            steps = _steps(left)
            taken = prod(count for _, count in steps)
            yield _as_one(left[:taken], steps)
            left = left[taken:]


def _steps(parts: Sequence[Part]) -> list[tuple[Expr, int]]:
    """What each index adds, and how many values it has, the fastest first: of as many parts as are such a sum."""
    offsets: list[Expr] = []

    def offset(n: int) -> Expr:
        offsets.extend(simplify(part.offset - parts[0].offset) for part in parts[len(offsets) : n + 1])
        return offsets[n]

    steps: list[tuple[Expr, int]] = []
    size = 1
    while size < len(parts):
        budget.check()
        step, count = offset(size), 1
        while (count + 1) * size <= len(parts) and all(
            offset(count * size + k) is simplify(offset(k) + count * step) for k in range(size)
        ):
            count += 1
        if count == 1:
            break
        steps.append((step, count))
        size *= count
    return steps


def _as_one(parts: Sequence[Part], steps: Sequence[tuple[Expr, int]]) -> Rolled:
    """Parts that are one over indices which add these steps."""
    indices = tuple(var(f"copy {n}", count) for n, (_, count) in enumerate(steps))
    offset = parts[0].offset
    for index, (step, _) in zip(indices, steps, strict=True):
        offset = offset + index * step
    guard = all_of(*(found for one in conjuncts(parts[0].guard) if (found := _common(one, parts, indices)) is not None))
    return Rolled(tuple(parts), simplify(offset), guard, indices)


def _common(one: Expr, parts: Sequence[Part], indices: Sequence[Expr]) -> Expr | None:
    """What stands in the place of a conjunct of the first part's guard in all of them."""
    guards = [conjuncts(part.guard) for part in parts]
    if all(one in guard for guard in guards):
        return one
    room = slack(one)
    if room is None:
        return None
    places = [1]
    for index in indices:
        places.append(places[-1] * int(index.hi + 1))
    steps = [_step(room, guards[place]) for place in places[:-1]]
    for number, guard in enumerate(guards):
        digits = (number // place % int(index.hi + 1) for index, place in zip(indices, places, strict=False))
        here = room + sum(digit * step for digit, step in zip(digits, steps, strict=True))
        if not any((other := slack(part)) is not None and simplify(other - here) is ZERO for part in guard):
            return None
    return le(0, simplify(sum((index * step for index, step in zip(indices, steps, strict=True)), start=room)))


def _step(room: Expr, guard: Sequence[Expr]) -> int:
    """By what number an order's slack differs from another's; 0 where it does not by a number."""
    for part in guard:
        other = slack(part)
        difference = None if other is None else simplify(other - room)
        if difference is not None and difference.op == "const":
            return int(difference.value)
    return 0


def shared_guard(guards: Sequence[Expr]) -> Expr:
    """What all of some guards say."""
    shared = frozenset.intersection(*map(conjunct_set, guards))
    return all_of(*(part for part in conjuncts(guards[0]) if part in shared))


def without(guard: Expr, strange: Collection[Expr]) -> Expr:
    """The parts of a condition that speak of none of these variables."""
    return all_of(*(part for part in conjuncts(guard) if not set(variables(part)) & set(strange)))
