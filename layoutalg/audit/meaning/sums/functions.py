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
| loaded from a tensor | what lies there before the launch, at a hole: so that terms of many iterations are one |

What it cannot represent: a sum within a sum that speaks of its index.
"""

from __future__ import annotations

from functools import reduce

from layoutalg.audit.ask import Open, each_seen
from layoutalg.audit.meaning.sums.addends import Addend, Placed, Sum, Value, applied
from layoutalg.audit.meaning.sums.reading import WordAt, WordReader
from layoutalg.index import ZERO, Expr, rebuild, select, simplify, var
from layoutalg.prove import ForAll
from layoutalg.symex.machine.wave_unknowns import ELSEWHERE
from layoutalg.symex.values.unknowns import arguments_of, call_of, function_of, kind_of


def function(reader: WordReader, word: WordAt, itself: bool = True) -> Value:
    """A word as a factor of its own; perhaps where it is not asked whether `itself` is a sum of the equation."""
    reading = _TermOf(reader)
    form = reading.term(word) if itself else reading.made(word)
    if isinstance(form, Open):
        return form
    factor = applied(reader.terms, form, word.dtype, tuple(reading.holes.values()), [at for *_, at in reading.holes])
    return Sum((Addend(factors=(factor,)),)).asking(reading.obligations)


class _TermOf:
    """One reading of a word as a term: its holes, by what lies there, and what must hold for it to be so."""

    def __init__(self, reader: WordReader) -> None:
        self.reader, self.kernel, self.terms = reader, reader.kernel, reader.terms
        self.holes: dict[tuple[str, int, Placed], Expr] = {}
        self.obligations: list[ForAll] = []
        self._done: dict[WordAt, Expr | Open] = {}

    def term(self, word: WordAt) -> Expr | Open:
        """The term of a word: a sum of the equation, or what it is made of."""
        word = word.of(simplify(word.expr))
        if word not in self._done:
            sums = any(map(self.kernel.may_be_sum, word.made_of))
            found = self.reader.reduction(word) if sums else None
            self._done[word] = self.made(word) if found is None else found
        return self._done[word]

    def made(self, word: WordAt) -> Expr | Open:
        """The term of what a word is made of."""
        e = word.expr
        if e.op == "const":
            return e
        if all(v in self.kernel.history.read for v in word.made_of):
            return self._forwarded(word)
        if e.op == "var":
            return self._variable(word)
        parts = each_seen(self.term(word.of(part)) for part in e.args)
        return parts if isinstance(parts, Open) else simplify(rebuild(e, parts))

    def _forwarded(self, word: WordAt) -> Expr | Open:
        """What was stored to LDS, for each part of the readers."""
        stored = self.kernel.stored(word.expr, word.env)
        if isinstance(stored, Open):
            return stored
        pieces, obligations = stored
        self.obligations += obligations
        terms = each_seen(self.term(word.of(one.expr).at(one.env)) for one in pieces)
        if isinstance(terms, Open):
            return terms
        others = zip(pieces[:-1], terms[:-1], strict=True)
        return reduce(lambda rest, one: select(one[0].where.value, one[1], rest), others, terms[-1])

    def _variable(self, word: WordAt) -> Expr | Open:
        v = word.expr
        if kind_of(v) is None:
            place = self.kernel.placed(v, word.env)
            return place if isinstance(place, Open) else place.value
        if v in self.kernel.loads:
            return self._loaded(word)
        if function_of(v) == ELSEWHERE:
            held, lane = arguments_of(v)
            there = self.kernel.lane(lane, word.env)
            return there if isinstance(there, Open) else self.term(word.of(held).at(there))
        name, arguments = call_of(v)
        if not name:
            return Open(f"what {v} is")
        operands = each_seen(self.term(word.of(one)) for one in arguments)
        return operands if isinstance(operands, Open) else self.terms.apply(name, *operands)

    def _loaded(self, word: WordAt) -> Expr | Open:
        """What was loaded: the parts of elements, each at a hole."""
        one = self.kernel.loads[word.expr]
        unit = min(self.kernel.launched.tensors[one.buffer].element, 4)
        if one.size % unit or not self.kernel.first.has(word.expr):
            return Open(f"{one.buffer} is loaded from where it may have been stored to, or in parts")
        total = ZERO
        for k in range(0, one.size, unit):
            place = self.kernel.placed(simplify(one.offset + k), word.env)
            if isinstance(place, Open):
                return place
            hole = self.holes.setdefault((one.buffer, unit, place), var(f"hole {len(self.holes)}", 1 << 62))
            total += self.terms.contents(one.buffer, unit, hole) * (1 << 8 * k)
        return simplify(total)
