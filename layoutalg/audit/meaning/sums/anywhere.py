"""Words of other threads: read once for any thread and turn, of which each is an instance.

    acc(t) = Σ_k a[row(t), k] · b[column(t), k]         what thread 4·t mod 64 has        a[row(4·t mod 64), k] …

A word that goes from thread to thread, through LDS or as a matrix operand, is read of as many threads as there are
readers: each reading is that of a thread of no more than a name, with what the thread is put in its place, in places
and guards alike.  What is known where the reader stands is known of the reader alone: nothing is of the name, but what
is given of all threads.  A word is read by itself, not as an instance, where

| it is made of | because |
|---|---|
| what a loop carries that is being read | it may be a hole, which is of one thread and turn |
| functions of elements and sums | their sums are the equation's, of one index |
| what is seen of one thread at a time alone | a name is no thread |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace

from layoutalg.audit.ask import Open
from layoutalg.audit.meaning.sums.addends import Addend, Applied, Placed, Sum, Value, put_together
from layoutalg.audit.meaning.sums.reading import TURNS, KernelWords, Roundings, WordAt, WordReader, turn
from layoutalg.audit.meaning.sums.tabulated import tabulated
from layoutalg.audit.meaning.terms import Terms
from layoutalg.index import TRUE, ZERO, Expr, negation, simplify, variables
from layoutalg.index.conditions import implies
from layoutalg.prove import ForAll
from layoutalg.records import dataclass
from layoutalg.symex.values.instances import moved

Names = Mapping[Expr, Expr]

ByRules = Callable[[WordReader, WordAt], Value]
"""What rules alone say of a word."""


class AnyThread:
    """What words of one kernel are for a thread and turns that have names alone."""

    def __init__(self, kernel: KernelWords, terms: Terms, rounded: Roundings, rules: ByRules) -> None:
        self.kernel, self.terms, self.rounded, self.rules = kernel, terms, rounded, rules
        self.stored, self.given = ZERO, kernel.launched.given
        self._read: dict[WordAt, Value] = {}
        self._carried: dict[WordAt, frozenset[Expr]] = {}  # what loops carry of which each is made
        self._under_way: list[set[Expr]] = []
        self._places: dict[Expr, Expr] = {}

    def read(self, word: WordAt) -> Value:
        """The addends of a word; no function of others is one."""
        word = word.of(simplify(word.expr))
        if word not in self._read:
            self._under_way.append(self.kernel.carried_in(word.expr))
            self._read[word] = put_together(self.seen(word))
            self._carried[word] = frozenset(self._under_way.pop())
        for made_of in self._under_way[-1:]:
            made_of |= self._carried[word]
        return self._read[word]

    def seen(self, word: WordAt) -> Value:
        """What rules say of it."""
        return self.rules(self, word)

    def reduction(self, word: WordAt) -> None:
        """No sum of an equation: those are of one index."""

    def elsewhere(self, word: WordAt) -> Value:
        """A word of another thread."""
        found = self.instance(word, self.given)
        return self.read(word) if found is None else found

    def instance(self, word: WordAt, given: Expr) -> Value | None:
        """What a word is in a thread, by what it is in any; None where it is to be read by itself."""
        if all(v is e for v, e in word.places) and not word.open:
            return None
        anywhere = WordAt(word.expr, word.dtype, tuple((v, v) for v, _ in word.places), word.how)
        self._under_way.append(set())
        found = self.read(anywhere)
        made_of = self._under_way.pop()
        if isinstance(found, Open) or any(made_of & {*variables(one.carried)} for one in word.open):
            return None
        if any(isinstance(factor, Applied) for one in found.addends for factor in one.factors):
            return None
        for outer in self._under_way[-1:]:
            outer |= made_of
        turns = {one: turn(k + len(word.open)) for k, one in enumerate((*TURNS,))} if word.open else {}
        return _Instance(self, {**word.env, **turns}, given).of(found)

    def place(self, e: Expr) -> Expr:
        """A coordinate, written by its digits."""
        if e not in self._places:
            self._places[e] = tabulated(simplify(e), TRUE)
        return self._places[e]


@dataclass
class _Instance:
    """What was read of any thread, in one."""

    anywhere: AnyThread
    names: Names
    given: Expr
    _at: dict[tuple[tuple[Expr, Expr], ...], tuple[tuple[Expr, Expr], ...]] = field(default_factory=dict)
    _guards: dict[Placed, Placed | bool] = field(default_factory=dict)

    def of(self, found: Sum) -> Sum:
        """The addends there, without those that are not there."""
        addends = (self._addend(one) for one in found.addends)
        obligations = dict.fromkeys(self._obligation(one) for one in found.obligations)
        return Sum(tuple(one for one in addends if one is not None), tuple(obligations), found.assumed)

    def _addend(self, one: Addend) -> Addend | None:
        guards = dict[Placed, None]()
        for guard in one.guards:
            if guard not in self._guards:
                self._guards[guard] = self._guard(self._placed(guard))
            here = self._guards[guard]
            if here is False:
                return None
            if isinstance(here, Placed):
                guards[here] = None
        factors = tuple(replace(factor, place=self._placed(factor.place)) for factor in one.factors
                        if not isinstance(factor, Applied))  # fmt: skip
        bound = tuple(self.names.get(v, v) for v in one.bound)
        return Addend(one.coefficient, factors, tuple(guards), bound)

    def _guard(self, guard: Placed) -> Placed | bool:
        """A guard there, as a choice by it has it (`choices.choice`); or whether it surely holds."""
        if implies(self.given, guard.value):
            return guard if guard.value is TRUE and guard.at else True
        return False if implies(self.given, negation(guard.value)) else guard

    def _placed(self, one: Placed) -> Placed:
        if one.at not in self._at:
            there = ((v, self.anywhere.place(moved(e, self.names))) for v, e in one.at)
            self._at[one.at] = tuple(there)
        own = {v: e for v, e in self.names.items() if all(v is not u for u, _ in one.at)}
        return Placed(moved(one.expr, own), self._at[one.at])

    def _obligation(self, one: ForAll) -> ForAll:
        goal, given = (simplify(moved(e, self.names)) for e in (one.goal, one.given))
        return replace(one, goal=goal, given=given)
