"""The functions of programs are those that numpy has by their names."""

from itertools import product

import numpy as np

from layoutalg.kernel.program import FOLDS, FUNCTIONS, NEUTRAL
from layoutalg.refine.trial import Floats

SPECIAL = np.array([-np.inf, -2.5, -0.0, 0.0, 1.0, 3.25, np.inf, np.nan])
X, Y = (np.array(side) for side in zip(*product(SPECIAL, SPECIAL), strict=True))


def test_relu_and_add_are_numpys() -> None:
    np.testing.assert_array_equal(FUNCTIONS["relu"].of(Floats(), SPECIAL), np.maximum(SPECIAL, 0.0))
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(FUNCTIONS["add"].of(Floats(), X, Y), X + Y)


def test_folds_are_numpys_and_begin_with_what_is_neutral() -> None:
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(FOLDS["sum"].of(Floats(), X, Y), X + Y)
    least = FOLDS["max"].of(Floats(), X, Y)
    np.testing.assert_array_equal(least[~np.isnan(X)], np.maximum(X, Y)[~np.isnan(X)])
    for how, fold in FOLDS.items():
        np.testing.assert_array_equal(fold.of(Floats(), np.full(8, NEUTRAL[how]), SPECIAL), SPECIAL)
