"""Attention is what is stored: a quotient of two sums of the same powers, over each key that is kept, once.

| of                            | must hold                                                                    |
|-------------------------------|------------------------------------------------------------------------------|
| both sums                     | their powers are those of q·k, by the factor that is meant                   |
| a score                       | it has its row and its key, and each index of the product once               |
| the numerator, the denominator | each key that is kept, once; the numerator's v is that of the key            |
| the mask                      | a score is kept where the meaning keeps it, and none beyond the last key     |
| the shift                     | has taken in these scores and no others: some power of each row is 1         |
| the first tile                | has a key of each row: there the greatest score is a number from then on     |
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from layoutalg.index import FALSE, TRUE, Expr, all_of, as_expr, eq, internal, negation, substitute
from layoutalg.kernel.obligations.base import Requirement
from layoutalg.kernel.obligations.complete import Contracted, complete, products_complete
from layoutalg.kernel.obligations.held import Element, Quotient, Scores, Shift, Term, Total, Weight, text_of
from layoutalg.kernel.program import Attend, Program
from layoutalg.prove import ForAll, Shown


def attends(
    program: Program, number: int, x: Sequence[Expr], value: Quotient, meaning: Attend
) -> Iterator[Requirement]:
    """The quotient at x is attention at x."""
    match value:
        case Quotient(
            Total("sum", (Term(Weight() as weight, Element() as v) as above,), True, None, shift=Shift() as shift),
            Total("sum", (Term(Weight() as other, None) as below,), True, None),
        ) if weight == other and v.tensor == meaning.v and _factors(weight.scores) == (meaning.q, meaning.k):
            pass
        case _:
            wrong = ForAll(f"{text_of(value)} is not {text_of(meaning)}", FALSE)
            yield Requirement(f"{number}: what is stored is what is meant", wrong)
            return
    scores = weight.scores
    q, k = scores.elements
    alone = as_expr(int(all((t.a, t.b) == (scores, None) for t in shift.value.terms)))
    own = ForAll(f"{shift.tile.name} has taken in what else there is", alone)
    yield Requirement(f"{number}: some power of each row is 1", own)
    same = ForAll(f"powers by {meaning.factor!r}, not {weight.factor!r}", as_expr(int(weight.factor == meaning.factor)))
    yield Requirement(f"{number}: scores have their scale", same)
    key, lengths = k.origin[1], (q.tensor.descriptor.lengths, k.tensor.descriptor.lengths)
    of_score = Contracted(q.origin[2], lengths[0][2], name="index of a score", letter="a score's indices")
    yield from products_complete(program, number, scores.product, q, k, (*x[:2], key), of_score)
    row = x[1] + internal("row_within", program.tile[1])
    there = row < lengths[0][1]
    kept = all_of(there, _at(meaning.coordinates, meaning.keep, row, internal("k", lengths[1][1])))
    pairs = ((v.origin[0], x[0]), (v.origin[1], x[2]), (v.origin[2], key))
    for term, what, agree in ((above, "numerator", pairs), (below, "denominator", ())):
        keys = Contracted(key, lengths[1][1], kept, f"key of the {what}", f"keys of the {what}")
        yield from complete(program, number, keys, term, agree)
    yield from _masked(program, number, scores, meaning, (row, key + internal("key_within", below.length)), there)
    first = substitute(key, dict.fromkeys(below.over, 0))
    begun = all_of(eq(first, 0), _at(meaning.coordinates, meaning.keep, row, first))
    shown = (Shown("row", (row,)), Shown("the first key", (first,)))
    some = ForAll("key 0 is kept, and comes first", begun, all_of(program.requires, there), shown)
    yield Requirement(f"{number}: each row has a key in the first tile", some)


def _factors(scores: Scores) -> tuple[object, object]:
    one, other = scores.elements
    return one.tensor, other.tensor


def _at(coordinates: Sequence[Expr], keep: Expr, row: Expr, key: Expr) -> Expr:
    return substitute(keep, dict(zip(coordinates, (row, key), strict=True)))


def _masked(
    program: Program, number: int, scores: Scores, meaning: Attend, at: tuple[Expr, Expr], there: Expr
) -> Iterator[Requirement]:
    """A score is kept where it is meant to be, and its key is one of the tensor's."""
    q, k = scores.elements
    row, key = at
    shown = (Shown("row", (row,)), Shown("key", (key,)))
    keep = TRUE
    if scores.coordinates:
        begins = (q.origin[0], q.origin[1], k.origin[1])
        where = (Shown("masked at", scores.at), Shown("scores at", begins))
        agree = ForAll("one origin", all_of(*(eq(a, b) for a, b in zip(scores.at, begins, strict=True))), TRUE, where)
        yield Requirement(f"{number}: scores are masked where they lie", agree)
        batch = q.origin[0] + internal("batch_within", program.tile[0])
        keep = substitute(scores.keep, dict(zip(scores.coordinates, (batch, row, key), strict=True)))
    meant = all_of(_at(meaning.coordinates, meaning.keep, row, key), key < k.tensor.descriptor.lengths[1])
    assumed = all_of(program.requires, there)
    only = ForAll("what is kept is meant", meant, all_of(assumed, keep), shown)
    yield Requirement(f"{number}: no score is kept but those that are meant", only)
    if scores.only is not TRUE:
        unmasked = ForAll("all is meant where nothing is masked", meant, all_of(assumed, negation(scores.only)), shown)
        yield Requirement(f"{number}: what is not masked is meant", unmasked)
    every = ForAll("what is meant is kept", keep, all_of(assumed, meant), shown)
    yield Requirement(f"{number}: every score that is meant is kept", every)


__all__ = ["attends"]
