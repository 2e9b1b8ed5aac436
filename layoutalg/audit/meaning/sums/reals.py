"""What a stored word is as a real number: its operations read as sums and products, back to loads.

| a word | is |
|---|---|
| a result of `add`, `sub`, `mul`, `fma`, a conversion | the sum or product over the reals: rounding is left out |
| a choice by a condition on indices | each way, where its condition is so |
| read from LDS | what its writer stored, of that thread and iteration (`lds.history`) |
| what a loop carries, and one iteration makes u + x(t) of u | what it was before the loop, and x(s) of each s before |
| the same of the same thread within that iteration s | u: a hole, which another thread or iteration has not |
| what a loop carries, of which its new value says nothing | before the loop that; later what the last iteration made |
| what another lane of the wave holds | the same word, read of that lane: of one thread at a time |
| loaded from a tensor | a factor: the element at that byte |
| what nothing wrote | a factor that no equation has |

A greatest (or least) of a set is read the same way with `max` (`min`) in the place of `add`.
A load stands for the contents before the launch, so nothing may have stored there before: of a tensor that is written
only loads in front of every store, in the code and in time, are read (`before`).
What is none of these is a function of elements and sums (`functions`).  What it cannot represent: integers that wrap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from layoutalg.audit.ask import Open
from layoutalg.audit.meaning.agreement import Agreement
from layoutalg.audit.meaning.places import Decide
from layoutalg.audit.meaning.sums.addends import Addends, Sum, Value, elements_there, put_together
from layoutalg.audit.meaning.sums.anywhere import AnyThread
from layoutalg.audit.meaning.sums.carried import carried, made_by_iteration
from layoutalg.audit.meaning.sums.choices import (
    choice,
    choice_within,
    cut,
    given_by_launch,
    literal,
    negated,
    of_another_lane,
)
from layoutalg.audit.meaning.sums.families import FamiliesByKind, FamilyFactor, families, matched
from layoutalg.audit.meaning.sums.functions import function
from layoutalg.audit.meaning.sums.memory import element, forwarded
from layoutalg.audit.meaning.sums.numbers import INTEGERS
from layoutalg.audit.meaning.sums.operations import arithmetic, matrix_sum, sum_of_integers
from layoutalg.audit.meaning.sums.reading import KernelWords, PerThread, Roundings, Rule, WordAt, WordReader
from layoutalg.audit.meaning.sums.wanted_sum import WantedSum, how_of
from layoutalg.audit.meaning.sums.words import bits_of
from layoutalg.audit.meaning.terms import Terms
from layoutalg.formats.equation import Reduction
from layoutalg.index import TRUE, Expr, all_of, simplify, variables
from layoutalg.prove import ForAll
from layoutalg.records import dataclass

#: What words of one kind are, in the order in which the rules are tried.
RULES: tuple[Rule, ...] = (
    literal, made_by_iteration, choice, choice_within, cut, negated, of_another_lane, sum_of_integers, forwarded,
    carried, element, matrix_sum, arithmetic, given_by_launch,
)  # fmt: skip


def by_rules(reader: WordReader, word: WordAt) -> Value:
    """What the first rule says that is on words of this kind."""
    found = next((one for one in (rule(reader, word) for rule in RULES) if one is not None), None)
    return Open(f"{word.dtype} that is {word.expr}") if found is None else found


class Reals:
    """Reads words of one kernel for the element at one index, where something is given."""

    def __init__(
        self, kernel: KernelWords, wanted: WantedSum, given: Expr, decide: Decide, agreement: Agreement,
        rounded: Roundings, stored: Expr, anywhere: AnyThread,
    ) -> None:  # fmt: skip
        """`rounded` is told the types of what is read; `stored` is the word that all this is of."""
        self.anywhere = anywhere
        self.rounded, self.stored = rounded, stored
        self.kernel, self.wanted, self.given, self.decide, self.agreement = kernel, wanted, given, decide, agreement
        self.terms = wanted.exact.terms
        self._read: dict[tuple[WordAt, bool], Value] = {}
        self._put_together: dict[WordAt, Value] = {}
        self._families: dict[tuple[Addends, bool], FamiliesByKind] = {}
        self._reductions: dict[WordAt, Expr | PerThread | None] = {}

    def read(self, word: WordAt) -> Value:
        """The addends (or candidates) of a word; a function of words, where no rule sees it."""
        return self._seen_or_function(word.of(simplify(word.expr)))

    def seen(self, word: WordAt) -> Value:
        """What rules say of it."""
        return by_rules(self, word)

    def elsewhere(self, word: WordAt) -> Value:
        """A word of another thread: an instance of what it is in any, where it is one."""
        found = self.anywhere.instance(word, self.given)
        return self.read(word) if found is None else found

    def _seen_or_function(self, word: WordAt, itself: bool = True) -> Value:
        if (word, itself) not in self._read:
            self._read[word, itself] = self._found(word, itself)
        return self._read[word, itself]

    def _found(self, word: WordAt, itself: bool) -> Value:
        if word not in self._put_together:
            self._put_together[word] = put_together(self.seen(word))
        found = self._put_together[word]
        if not isinstance(found, Open) or isinstance(found, PerThread):
            return found
        other = function(self, word, itself)
        return found if isinstance(other, Open) and not isinstance(other, PerThread) else other

    def reduction(self, word: WordAt) -> Expr | PerThread | None:
        """The unknown of the equation's sum that a word is shown to be; None where it is none."""
        word = replace(word, dtype="", how="add")
        if word not in self._reductions:
            self._reductions[word] = self._reduction(word)
        return self._reductions[word]

    def _reduction(self, word: WordAt) -> Expr | PerThread | None:
        late: PerThread | None = None
        for one, unknown in self.wanted.reductions.items():
            shown = self._is(replace(word, dtype=one.dtype, how=how_of(one)), one)
            if isinstance(shown, PerThread):
                late = shown
            elif shown:
                return unknown.expr
        return late

    def _is(self, word: WordAt, one: Reduction) -> bool | PerThread:
        """Whether a word is shown to be a sum of the equation."""
        if one.dtype in INTEGERS and not (word.expr.lo >= 0 and word.expr.hi < 1 << bits_of(one.dtype)):
            return False  # integers are compared modulo a word, and this has more
        found, target = self._seen_or_function(word, itself=False), self.wanted.sum(one)
        if isinstance(found, PerThread):
            return found
        if isinstance(found, Open) or isinstance(target, Open):
            return False
        asked = self.obligations(word, found, target)
        return not isinstance(asked, Open) and all(self._shown(one, word) for one in dict.fromkeys(asked))

    def obligations(self, word: WordAt, found: Sum, target: Sum) -> tuple[ForAll, ...] | Open:
        """What must hold for what was read of a word to be what the equation says."""
        blocks = self.kernel.launched.blocks
        functions = _FunctionsOf(self.terms, self.agreement, self.given, word, self.decide, blocks)
        exactly = word.how == "add"
        groups = self._families_of(found.addends, exactly)
        pairs = matched(groups, target.addends, self.given, functions, exactly)
        if isinstance(pairs, Open):
            return pairs
        return (*found.obligations, *elements_there(target.addends, self.given), *pairs)

    def _families_of(self, found: Addends, exactly: bool) -> FamiliesByKind:
        if (found, exactly) not in self._families:
            self._families[found, exactly] = families(found, exactly)
        return self._families[found, exactly]

    def _shown(self, one: ForAll, word: WordAt) -> bool:
        given = all_of(self.given, one.given)
        return one.goal is TRUE or self.decide(one.goal, all_of(given, word.known_of(given, one.goal)))


@dataclass(frozen=True)
class _FunctionsOf:
    """Compares functions of elements, where something is given and with what is known of open iterations."""

    terms: Terms
    agreement: Agreement
    given: Expr
    word: WordAt
    decide: Decide
    blocks: Sequence[Expr]

    def may_hold(self, condition: Expr) -> bool:
        """Of a block's number no turn of a sum hangs: what speaks of it is perhaps that an element is there."""
        return bool({*self.blocks} & {*variables(condition)})

    def holds(self, condition: Expr, given: Expr) -> bool:
        """Whether a condition is seen to hold where something is given."""
        known = all_of(self.given, given)
        return self.decide(condition, all_of(known, self.word.known_of(known, condition)))

    def moved(self, term: Expr, env: Mapping[Expr, Expr]) -> Expr:
        """A term with other numbers for indices."""
        return self.terms.rewritten(term, env, {}, simplify)

    def same(self, one: FamilyFactor, want: FamilyFactor, given: Expr) -> bool:
        """Whether two terms are one where something is given, whatever the indices are."""
        known = all_of(self.given, given)
        known = all_of(known, self.word.known_of(known, one.value, want.value))
        return self.agreement.same(one.value, want.value, bits_of(one.dtype), known)
