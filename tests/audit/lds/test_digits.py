"""Maps of threads by their digits."""

import numpy as np

from layoutalg.audit.lds.digits import digits
from layoutalg.index import array, var


def test_a_map_is_that_of_the_table_and_no_other():
    generator = np.random.default_rng(5)
    x, y = var("x", 16), var("y", 8)
    every = np.arange(128)
    numbers = {x: every % 16, y: every // 16}
    for _ in range(50):
        steps = generator.integers(-9, 9, 7)
        bits = np.stack([every >> b & 1 for b in range(7)])
        table = generator.integers(100) + (steps[:, None] * bits).sum(axis=0)
        some = generator.permutation(every)[: generator.integers(40, 129)]
        form = digits(table[some], {v: held[some] for v, held in numbers.items()})
        assert form is not None
        assert np.array_equal(array([form], {v: held[some] for v, held in numbers.items()})[0], table[some])
        table[some[0]] += 1
        assert digits(table, numbers) is None


def test_some_threads_alone():
    x = var("x", 256)
    few = np.arange(64)
    assert digits(few + 64, {x: few}) is x + 64
