"""Addends of one shape made one: what they are at each place beside what each of the pieces was there."""

from layoutalg.audit.meaning.sums.addends import Addend, Factor, Placed
from layoutalg.audit.meaning.sums.shapes import joined
from layoutalg.index import symbol, var
from layoutalg.index.evaluate import values

T, N = var("t", 64), symbol("N")


def pieces(steps, base=T * N):
    """Of each piece one addend, of an element so far behind, read in the thread."""
    return [(Addend(factors=(Factor("a", "f16", Placed(base + step)),)),) for step in steps]


def places(addends):
    """Where each thread's only factor is, with N = 100."""
    (one,) = addends
    (factor,) = one.factors
    return [values([factor.place.value], {T: t, N: 100})[0] for t in range(64)]


def test_pieces_of_one_shape_are_one():
    found = joined(pieces([0, 32, 64, 96]), Placed(T // 2 % 4), range(4))
    assert places(found) == [100 * t + 32 * (t // 2 % 4) for t in range(64)]


def test_pieces_of_pieces_by_one_form_stay_apart():
    each = []
    for step in (0, 1000):
        (inner,) = joined(pieces([step, step + 32]), Placed(T % 2), range(2))
        (factor,) = inner.factors
        each.append((Addend(factors=(Factor("a", "f16", factor.place.under({T: T // 2})),)),))
    found = joined(each, Placed(T % 2), range(2))
    assert places(found) == [100 * (t // 2) + 32 * (t // 2 % 2) + 1000 * (t % 2) for t in range(64)]


def test_pieces_of_other_shapes_are_none():
    assert joined([pieces([0])[0], pieces([0], T)[0]], Placed(T % 2), range(2)) is None
    assert joined([pieces([0])[0], ()], Placed(T % 2), range(2)) is None
    assert joined(pieces([0, 1, 4, 9]), Placed(T % 4), range(4)) is None  # no sum over bits of the piece
    assert joined(pieces([0, 4]), Placed(T % 2), range(2))[0].guards == ()
