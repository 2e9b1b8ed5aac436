"""Elements that share a place; what is proved of a tensor that has them is in `cases`."""

from itertools import product

from layoutalg.audit.meaning.places import apart
from layoutalg.audit.meaning.wanted import WantedPlace
from layoutalg.index import const, simplify, var

LENGTHS, STRIDES = (1, 2, 3), (-6, -1, 0, 1, 2, 3, 6)


def test_what_is_apart_shares_no_place() -> None:
    index = var("i", 3), var("j", 3)
    several = 0
    for (m, n), (a, b) in product(product(LENGTHS, repeat=2), product(STRIDES, repeat=2)):
        place = WantedPlace("o", 4, index, (const(m), const(n)), index[0] * (4 * a) + index[1] * (4 * b), const(1))
        places = {a * i + b * j for i in range(m) for j in range(n)}
        if simplify(apart(place)) is const(1):
            assert len(places) == m * n, (m, n, a, b)
            several += m * n > 1
    assert several > 100
