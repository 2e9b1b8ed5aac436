"""A constant expression is what it reads: it equals its integer, hashes, prints and indexes like it."""

from __future__ import annotations

import pickle
from fractions import Fraction

import numpy as np
import pytest

from layoutalg.index import TRUE, const, eq, symbol, var
from layoutalg.layout import make_naive_tensor_descriptor, make_naive_tensor_descriptor_packed

M, IX = symbol("M"), var("i", 8)
D = make_naive_tensor_descriptor((3, 4), (8, 1))


def test_an_offset_is_the_number_that_it_prints() -> None:
    offset = D.offset((1, 2))
    assert offset == 10
    assert (10 == offset, offset != 10, offset != 11) == (True, False, True)  # noqa: SIM300
    assert offset in {10, 12}
    assert 10 in {offset}
    assert {10: "ten"}[offset] == "ten"
    assert (int(offset), [*range(11)][offset], np.arange(11)[offset]) == (10, 10, 10)
    assert (f"{offset}", f"{offset:04d}", f"{offset:>4}") == ("10", "0010", "  10")


def test_lengths_are_the_numbers_that_they_print() -> None:
    assert D.lengths == (3, 4)
    assert D.lengths != (3, 5)
    assert D.lengths[0] in (1, 3)
    assert list(range(D.lengths[0])) == [0, 1, 2]
    assert np.zeros(D.lengths).shape == (3, 4)
    assert hash(D.lengths) == hash((3, 4))


@pytest.mark.parametrize("n", [0, 1, -1, -2, 7, 1 << 70])
def test_a_constant_hashes_like_every_number_that_it_equals(n: int) -> None:
    for other in (n, float(n), Fraction(n), const(n), *([np.int64(n)] if n < 1 << 63 else [])):
        assert const(n) == other
        assert other == const(n)
        assert hash(const(n)) == hash(other)
    assert const(n) != n + 1
    assert const(n) != str(n)
    assert pickle.loads(pickle.dumps(const(n))) is const(n)


def test_constants_with_one_hash_stay_apart() -> None:
    assert hash(-1) == hash(-2)  # CPython's
    assert const(-1) != const(-2)
    assert {const(-1): "a", const(-2): "b"} == {-1: "a", -2: "b"}
    assert IX - 1 is not IX - 2


def test_equality_of_expressions_is_a_bool_and_asks_whether_they_are_the_same() -> None:
    assert (M == M, M == 4, M != 4, M * 2 == M * 2, M + IX == IX) == (True, False, True, True, False)
    packed = make_naive_tensor_descriptor_packed((M, 8))
    assert packed.lengths == (M, 8)
    assert packed.lengths != (4, 8)
    assert {M: 1, IX: 2, const(4): 3}[symbol("M")] == 1


def test_a_comparison_over_variables_has_no_bool() -> None:
    assert eq(const(4), 4) is TRUE
    assert D.offset((1, 2)) < 11
    for comparison in (eq(M, 4), M < 4, IX >= 3):
        with pytest.raises(TypeError, match=r"holds\(…\)"):
            bool(comparison)


def test_true_division_says_what_to_write() -> None:
    for divide in (lambda: M / 2, lambda: 2 / M, lambda: const(8) / 2, lambda: 8 / const(2), lambda: M / 2.0):
        with pytest.raises(TypeError, match="write //"):
            divide()
