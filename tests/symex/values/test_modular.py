"""Representatives of words, against numbers."""

import random

from layoutalg.index import select, symbol, value, var
from layoutalg.symex.values.modular import cut, representative, same_word

T, J = var("i", 50), symbol("j", min=-40, max=40)


def drawn(rng):
    terms = [T, J, T * J, T // 3, J % 7]
    return sum((rng.choice(terms) * rng.randrange(-(1 << 9), 1 << 9) for _ in range(3)), start=T * 0) + rng.randrange(
        999
    )


def test_a_representative_is_of_the_same_word_and_same_words_are_congruent():
    rng = random.Random(3)
    for _ in range(200):
        e, other = drawn(rng), drawn(rng)
        at = {T: rng.randrange(50), J: rng.randrange(-40, 41)}
        found = representative(e, 8)
        assert (value(found, at) - value(e, at)) % 256 == 0
        assert same_word(e, found, 8)
        assert same_word(e, e + 256 * other, 8)
        assert not same_word(e, e + 128, 8)


def test_a_number_that_is_cut_is_in_its_range_and_of_the_same_word():
    for lowest in (0, -128):
        for way in (T, J - 40, J * 0 - 8, J * 0 + 255):
            e = select(T < 7, way, 300)
            found = cut(e, lowest, 256)
            for i in (0, 6, 7, 49):
                for j in (-40, -1, 0, 40) if found is not None else ():
                    at = {T: i, J: j}
                    assert lowest <= value(found, at) < lowest + 256
                    assert (value(found, at) - value(e, at)) % 256 == 0
    assert cut(J * 9, 0, 256) is None
