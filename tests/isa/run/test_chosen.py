"""Words of some lanes in a row, and back."""

import numpy as np
import pytest

from layoutalg.isa.run.chosen import Chosen


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_what_is_taken_is_put_back_where_it_was(share):
    rng = np.random.default_rng(3)
    active = rng.random((4, 8)) < share
    chosen, word, other = Chosen(active), rng.integers(0, 99, (2, 4, 8)), np.full((1, 4, 8), -1)
    assert np.array_equal(chosen.of(word), word[:, active])
    assert np.array_equal(np.stack([chosen.rows, chosen.lanes]), np.stack(np.nonzero(active)))
    assert np.array_equal(chosen.put(other, chosen.of(word)), np.where(active, word, other))
    assert (other == -1).all(), "a word is not changed in place"
