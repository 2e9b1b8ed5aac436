"""Which numbers are seen to be in a range, under what is assumed: by ranges and normal forms, else by a solver.

What is *always* given counts for every instruction; what is *given* now is the path condition of the one that is read.
What it cannot represent: ranges whose ends are not constant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache

from layoutalg.index import TRUE, ZERO, Expr, all_of, mod, postorder, rebuild, simplify
from layoutalg.index.bounds import NARROWEST_CUT, generalised
from layoutalg.index.bounds import in_range as in_bounds
from layoutalg.index.conditions import implies
from layoutalg.symex.values.modular import cut, remainders, representative

Decide = Callable[[Expr, Expr], bool]
"""Decides `given ⇒ goal`, perhaps with the help of a solver; false means only that it was not shown."""


class Ranges:
    """What is assumed, and which numbers are in range then."""

    def __init__(self, decide: Decide, always: Expr = TRUE) -> None:
        """`always` may be assumed of every instruction."""
        self._decide: Decide | None = decide
        self._given = self.always = always
        self._limits: dict[Expr, list[tuple[Expr, int]]] = {}  # where it is at least 0, and what it is below then
        self._in_range: dict[tuple[Expr, Expr, int, int], bool] = {}
        self.cuts: set[tuple[int, int]] = set()  # c and n of the c·(x mod n) that stand for what was cut to a word

    # What is assumed

    @property
    def given(self) -> Expr:
        """What may be assumed of the instruction that is read."""
        return self._given

    def assume(self, condition: Expr = TRUE) -> None:
        """From here on this is given, and what is always."""
        self._given = _both(self.always, condition)

    @contextmanager
    def assuming(self, condition: Expr) -> Iterator[None]:
        """Where a condition is given besides."""
        before, self._given = self._given, all_of(self._given, condition)
        try:
            yield
        finally:
            self._given = before

    # Who is asked

    def decide(self, goal: Expr, given: Expr) -> bool:
        """Whether `given ⇒ goal` is shown by a solver."""
        return self._decide is not None and self._decide(goal, given)

    @contextmanager
    def without_solver(self) -> Iterator[None]:
        """Where no solver is asked."""
        decide, self._decide = self._decide, None
        try:
            yield
        finally:
            self._decide = decide

    # Which numbers are in range

    def limit(self, e: Expr, below: int) -> None:
        """Notes that a number is in 0 … below − 1 wherever holds what is given now."""
        if not self.limited(e, below):
            self._limits.setdefault(e, []).append((self._given, below))

    def limited(self, e: Expr, below: int) -> bool:
        """Whether that was noted under no more than what is given now."""
        return any(most <= below and implies(self._given, where) for where, most in self._limits.get(e, ()))

    def in_range(self, e: Expr, lowest: int, size: int) -> bool:
        """Whether a number is seen to be in lowest … lowest + size − 1, perhaps by a solver."""
        key = (e, self._given, lowest, size)
        if key not in self._in_range:
            self._in_range[key] = in_bounds(e, lowest, lowest + size, self._given) or any(
                self.decide(all_of(one >= lowest, one < lowest + size), self._given)
                for one in (*generalised(e, self._given), e)
            )
        return self._in_range[key]

    def cut(self, e: Expr, bits: int, lowest: int) -> Expr:
        """The number in lowest … lowest + 2ⁿ − 1 that is e modulo 2ⁿ."""
        size = 1 << bits
        reduced = representative(e, bits)
        for candidate in (e, simplify(e), reduced):
            if lowest <= 0 and self.limited(candidate, lowest + size):
                return candidate
            if lowest <= candidate.lo and candidate.hi < lowest + size:
                return candidate
        known = cut(reduced, lowest, size)
        if known is not None:
            return known
        if self.in_range(reduced, lowest, size):
            return reduced
        found = simplify(mod(reduced - lowest, size) + lowest)
        self.cuts |= {(factor, n) for _, factor, n in remainders(found) if factor * n % size == 0}
        return found

    def uncut(self, e: Expr, quotients: bool = False) -> Expr:
        """The expression without the cuts to 2ⁿ that iteration out to be none under what is given now.

        `quotients`: and without those by 2ⁿ that are 0.
        """
        new: dict[Expr, Expr] = {}
        for node in postorder(e):
            args = [new[a] for a in node.args]
            new[node] = rebuild(node, args) if args else node
            cuts = node.op == "mod" or (quotients and node.op == "div")
            by = args[1].value if cuts and args[1].op == "const" else 0
            if by >= NARROWEST_CUT and self.in_range(simplify(args[0]), 0, by):
                new[node] = args[0] if node.op == "mod" else ZERO
        return simplify(new[e])


@lru_cache(maxsize=1 << 10)
def _both(one: Expr, other: Expr) -> Expr:
    """Both hold; kept, since one path has many instructions."""
    return all_of(one, other)
