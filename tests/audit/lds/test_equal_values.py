"""Forms of what threads store: what is one form is equal to the bit."""

from itertools import permutations, product

import numpy as np

from layoutalg.audit.lds.equal_values import EXTREMES, signals
from layoutalg.isa.run.floats import FUNCTIONS, RELATIONS

#: Zeros, numbers, infinities, NaNs that are quiet.
WORDS = {
    "f16": [0, 0x8000, 0x3C00, 0xBC00, 1, 0x7C00, 0xFC00, 0x7E00, 0xFE01],
    "f32": [0, 1 << 31, 0x3F800000, 0xBF800000, 1, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001],
    "f64": [0, 1 << 63, 0x3FF << 52, 0xBFF << 52, 1, 0x7FF << 52, 0xFFF << 52, 0x7FF8 << 48, 0xFFF8 << 48 | 1],
}


def test_the_greatest_and_the_least_of_numbers_have_no_order() -> None:
    """Of any three that do not signal, in any order and nesting: the same bits, a NaN for a NaN."""
    for name in EXTREMES:
        function, kind = FUNCTIONS[name], name[4:]
        assert not any(signals(word, kind) for word in WORDS[kind])
        for three in product(WORDS[kind], repeat=3):
            words = [np.array([word], np.uint64) for word in three]
            with np.errstate(all="ignore"):
                found = {_word(kind, *_in(function, order)) for order in permutations(words)}
            assert len(found) == 1, (name, three)


def _in(function, order):
    return [function(function(order[0], order[1]), order[2]), function(order[0], function(order[1], order[2]))]


def _word(kind, left, right):
    words = [None if RELATIONS[f"u_{kind}"](one, one)[0] else int(one[0]) for one in (left, right)]
    assert words[0] == words[1]
    return words[0]
