"""Functions of elements and of sums: what over the reals is no sum or product, as a term of exact operations.

    o[i] = x[i] / sqrt(sum[k] x[i, k] * x[i, k])     is      div(x[4](…), sqrt(reduction 0))
    sum[k] exp(x[i, k] - max[l] x[i, l])             is      Σ_k exp(x[4](… + 4·k) − reduction 1)

A sum, product or greatest within a function is an unknown of its own, one for each that the equation has.  Of the
machine's words one is that unknown where it is shown, over the reals, to be what the equation says there; the
operations around it are the equation's own, exactly (`agreement`), of which the operands differ by rounding alone.

| a word | its term |
|---|---|
| that a loop, LDS or lanes have made, shown to be a sum of the equation | that sum's unknown |
| read from LDS, held by another lane | what was stored, what is held there |
| a function of words | the function of their terms |
| loaded from a tensor | what lies there before the launch; its offset is a hole, so that terms of many turns are one |

What it cannot represent: a sum within a sum that speaks of its index.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce

from layoutalg.audit.lds.history import Env
from layoutalg.audit.meaning.agreement import Agreement
from layoutalg.audit.meaning.sums.addends import Addend, Addends, Applied, Factor, Placed, candidate, product, scaled
from layoutalg.audit.meaning.sums.families import FamilyFactor, matched
from layoutalg.audit.meaning.sums.numbers import INTEGERS, constant
from layoutalg.audit.meaning.sums.reals import OfOneThreadError, Reals
from layoutalg.audit.meaning.sums.wanted_sum import WantedSum
from layoutalg.audit.meaning.sums.words import bits_of
from layoutalg.audit.meaning.terms import FLOAT_BITS, Terms, is_memory, memory_of, without_sign
from layoutalg.audit.meaning.wanted import Wanted
from layoutalg.formats.equation import EquationTerm, IndexTerm, Reduction, walk
from layoutalg.index import TRUE, ZERO, Expr, all_of, any_of, negation, rebuild, select, simplify, var, variables
from layoutalg.prove import ForAll
from layoutalg.symex.values.unknowns import (
    Kind,
    arguments_of,
    call_of,
    dependencies,
    function_of,
    kind_of,
    unknown_value,
)
from layoutalg.symex.values.word import NotReadable
from layoutalg.target.dtypes import DTYPES

Decide = Callable[[Expr, Expr], bool]

#: Functions that sums and greatests end with.
SUMMING = frozenset({"add", "sub", "fma", "mul", "mad", "max", "min"})


@dataclass
class _ReadWord:
    """What was read of one word: the holes of its term, by what lies there, and the terms of its parts."""

    holes: dict[tuple[str, int, Placed], Expr] = field(default_factory=dict)
    done: dict[object, Expr] = field(default_factory=dict)


class FunctionsOfSums:
    """The functions in one equation and in what a kernel stores for the element at one index."""

    def __init__(
        self, reals: Reals, wanted: WantedSum, exact: Wanted, index: tuple[Expr, ...], given: Expr, decide: Decide,
        agreement: Agreement,
    ) -> None:  # fmt: skip
        """`exact` says the terms of the equation's functions."""
        self.reals, self.wanted, self.exact, self.index, self.given = reals, wanted, exact, index, given
        self.decide, self.agreement = decide, agreement
        self.terms: Terms = exact.terms
        self.at = dict(zip(wanted.equation.indices, index, strict=True))
        self.sums = list(dict.fromkeys(one for one in walk(wanted.equation.term) if isinstance(one, Reduction)))
        self.unknowns = [unknown_value(f"reduction {n}", 1 << bits_of(one.dtype), Kind.DATA)
                         for n, one in enumerate(self.sums)]  # fmt: skip
        exact.reduced = self._of_the_equation
        self._known: dict[object, Expr | None] = {}
        self._sums: dict[Expr, bool] = {}

    # Both sides' terms

    def of_equation(self, term: EquationTerm, at: Mapping[Expr, Expr], how: str) -> Addends:
        """A part of the equation as factors of their own.  Raises `NotReadable` where it is no function.

        What a compiler makes of a function may end in sums and products, which are read as such, as the machine's are.
        """
        if term.dtype not in DTYPES:
            raise NotReadable(f"{term.dtype} is no number")
        before = len(self.exact.asked)
        whole = self.exact.term(term, at)
        asked = [any_of(negation(where), goal) for where, goal in self.exact.asked[before:]]
        found = self._split(whole, term.dtype)
        if how != "add":
            found = candidate(found) if len(found) == 1 else (self._applied(whole, term.dtype),)
        factors = [factor for one in found for factor in one.factors]
        if asked and not factors:
            raise NotReadable("a function of elements that is a number")
        for factor in factors:
            self.wanted.inside[factor] = all_of(self.wanted.inside.get(factor, TRUE), *asked)
        return found

    def _applied(self, term: Expr, dtype: str) -> Addend:
        return Addend(factors=(Applied(self.terms, self._words(term), dtype, term, (), ()),))

    def _split(self, term: Expr, dtype: str) -> Addends:
        """A term as the sum of products that it is outside of its functions."""
        bits = bits_of(dtype)
        turned, magnitude = without_sign(term, bits) if dtype in FLOAT_BITS else (False, term)
        if term.op == "const" and dtype in FLOAT_BITS:
            return constant(int(term.value), dtype, "add")
        if turned:
            return scaled(self._split(magnitude, dtype), Fraction(-1))
        if term in self.unknowns and self.wanted.how_of(one := self.sums[self.unknowns.index(term)]) == "add":
            return self.wanted.sum(one, self.at)
        name, arguments = call_of(term)
        operation, _, kind = name.rpartition("_")
        if is_memory(name) and int(name[1 : name.index("]")]) * 8 == bits:
            return (Addend(factors=(Factor(name.partition("]")[2], dtype, Placed(arguments[0])),)),)
        if kind == dtype and operation in ("add", "mul", "fma"):
            parts = [self._split(one, dtype) for one in arguments]
            try:
                made = (*parts[0], *parts[1]) if operation == "add" else product(*parts[:2])
                return (*made, *parts[2]) if operation == "fma" else made
            except NotReadable:  # a product of two sums
                pass
        return (self._applied(term, dtype),)

    def of_machine(self, word: Expr, dtype: str, env: Env) -> Addend:
        """A word as a factor of its own.  Raises `NotReadable` where it is no function of elements and sums."""
        read = _ReadWord()
        form, holes = self._term(word, env, read), read.holes
        places = tuple(place for *_, place in holes)
        return Addend(factors=(Applied(self.terms, self._words(form), dtype, form, tuple(holes.values()), places),))

    def moved(self, term: Expr, env: Mapping[Expr, Expr]) -> Expr:
        """A term with other numbers for indices."""
        return self.terms.rewritten(term, env, {}, simplify)

    def same(self, one: FamilyFactor, want: FamilyFactor, given: Expr) -> bool:
        """Whether two terms are one where something is given, whatever the indices are."""
        known = self._with_ranges(all_of(self.given, given), one.value, want.value)
        return self.agreement.same(one.value, want.value, bits_of(one.dtype), known)

    def _with_ranges(self, given: Expr, *exprs: Expr) -> Expr:
        indices = self.reals.indices
        return all_of(given, *(indices[v] for v in sorted(dependencies(given, *exprs), key=str) if v in indices))

    def _words(self, term: Expr) -> str:
        made = {name.partition("]")[2] for name, _ in memory_of(term)}
        made |= {str(v) for v in self.unknowns if v in dependencies(term)}
        return f"a function of {', '.join(sorted(made))}" if made else "a function of sizes"

    # The equation's own sums

    def _of_the_equation(self, term: Reduction, at: Mapping[Expr, Expr]) -> Expr:
        """The unknown of a sum.  Raises `NotReadable` where it speaks of the index of another one around it."""
        around = {one.index for one in self.sums} - {one.index for one in walk(term) if isinstance(one, Reduction)}
        spoken = [e for one in walk(term) for e in _spoken(one)]
        if around & set(variables(*spoken)):
            raise NotReadable("a sum within a sum that speaks of its index")
        return self.unknowns[self.sums.index(term)]

    def _reduction(self, word: Expr, env: Env) -> Expr | None:
        """The sum of the equation that a word is shown to be; None where it is none."""
        key = word, tuple(env.items())
        if key not in self._known:
            self._known[key] = None  # until it is seen
            late: OfOneThreadError | None = None
            for one, unknown in zip(self.sums, self.unknowns, strict=True):
                try:
                    shown = self._is(word, env, one)
                except OfOneThreadError as error:
                    late, shown = error, False
                except NotReadable:
                    shown = False
                if shown:
                    self._known[key] = unknown
                    break
            else:
                if late is not None:
                    del self._known[key]
                    raise late
        return self._known[key]

    def _is(self, word: Expr, env: Env, one: Reduction) -> bool:
        self._of_the_equation(one, self.at)
        if one.dtype in INTEGERS and not (word.lo >= 0 and word.hi < 1 << bits_of(one.dtype)):
            return False  # integers are compared modulo a word, and this has more
        how = self.wanted.how_of(one)
        with self.reals.asking() as asked:
            found, target = self.reals.read(word, one.dtype, env, how), self.wanted.sum(one, self.at)
        every = [
            *asked,
            *self.wanted.there(target, self.given),
            *matched(found, target, self.given, self, how == "add"),
        ]
        return all(map(self._shown, dict.fromkeys(every)))

    def _shown(self, one: ForAll) -> bool:
        return one.goal is TRUE or self.decide(one.goal, self._with_ranges(all_of(self.given, one.given), one.goal))

    # The machine's words

    def _term(self, e: Expr, env: Env, read: _ReadWord) -> Expr:
        key = simplify(e), tuple(env.items())
        if key not in read.done:
            read.done[key] = self._read(key[0], env, read)
        return read.done[key]

    def _read(self, e: Expr, env: Env, read: _ReadWord) -> Expr:
        if e.op == "const":
            return e
        made_of = variables(e)
        found = self._reduction(e, env) if any(map(self._made, made_of)) else None
        if found is not None:
            return found
        if all(v in self.reals.history.read for v in made_of):
            pieces = [(where, self._term(stored, there, read)) for stored, there, where in self.reals.pieces(e, env)]
            return reduce(lambda rest, one: select(one[0].value, one[1], rest), pieces[:-1], pieces[-1][1])
        if e.op == "var":
            return self._variable(e, env, read)
        return simplify(rebuild(e, [self._term(part, env, read) for part in e.args]))

    def _made(self, v: Expr) -> bool:
        """Whether a variable may be a sum that loops, LDS or lanes have made."""
        if v not in self._sums:
            self._sums[v] = self._may_be_sum(v)
        return self._sums[v]

    def _may_be_sum(self, v: Expr) -> bool:
        if v in self.reals.history.read or v in self.reals.loops.carried or v in self.reals.after:
            return True
        name = function_of(v)
        if not name or not (
            name == "elsewhere" or name.split("_")[0] in ("add", "sub", "fma", "mul", "mad", "max", "min")
        ):
            return False
        return any(self._made(u) for u in dependencies(v) - {v} if not call_of(u)[0])

    def _variable(self, v: Expr, env: Env, read: _ReadWord) -> Expr:
        reals = self.reals
        if kind_of(v) is None:
            return reals.placed(v, env).value
        if v in reals.loads:
            return self._loaded(v, env, read)
        if function_of(v) == "elsewhere":
            word, lane = arguments_of(v)
            return self._term(word, reals.there(lane, env), read)
        name, arguments = call_of(v)
        if not name:
            raise NotReadable(f"what {v} is")
        return self.terms.apply(name, *(self._term(one, env, read) for one in arguments))

    def _loaded(self, v: Expr, env: Env, read: _ReadWord) -> Expr:
        """What was loaded: the parts of elements, each at a hole."""
        one = self.reals.loads[v]
        unit = min(self.reals.launched.tensors[one.buffer].element, 4)
        if v in self.reals.late or one.size % unit:
            raise NotReadable(f"{one.buffer} is loaded from where it may have been stored to, or in parts")
        total = ZERO
        for k in range(0, one.size, unit):
            key = one.buffer, unit, self.reals.placed(simplify(one.offset + k), env)
            hole = read.holes.setdefault(key, var(f"hole {len(read.holes)}", 1 << 62))
            total += self.terms.contents(one.buffer, unit, hole) * (1 << 8 * k)
        return simplify(total)


def _spoken(term: EquationTerm) -> Sequence[Expr]:
    """The expressions of indices that a term itself has."""
    match term:
        case IndexTerm():
            return (term.expr,)
        case Reduction():
            return (term.length,)
    return ()
