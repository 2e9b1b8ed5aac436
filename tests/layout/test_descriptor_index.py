"""`d[i, j]`: integers, expressions, and arrays of coordinates."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pytest

from layoutalg.index import symbol, var
from layoutalg.layout import (
    LayoutError,
    Merge,
    PassThrough,
    RightPad,
    Xor,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    transform_tensor_descriptor,
)

D = make_naive_tensor_descriptor((8, 64), (66, 1))
XOR = transform_tensor_descriptor(make_naive_tensor_descriptor_packed((8, 16)), [Xor((8, 16))], [[0, 1]], [[0, 1]])
FLAT = transform_tensor_descriptor(XOR, [Merge((8, 16))], [[0, 1]], [[0]])


@pytest.mark.parametrize("d", [D, XOR, FLAT], ids=["strided", "xor", "merged"])
def test_arrays_are_what_single_indices_are(d: Any) -> None:
    lengths = [int(n) for n in d.lengths]
    grid = np.meshgrid(*map(np.arange, lengths), indexing="ij", sparse=True)
    found = d[tuple(grid)]
    assert found.dtype == np.int64
    assert found.shape == tuple(lengths)
    for index in itertools.product(*map(range, lengths)):
        assert d[index] == found[index]
        assert isinstance(d[index], int)


def test_what_arrays_may_be() -> None:
    assert D[[1, 2], 3].tolist() == [69, 135]
    assert D[range(2), np.uint8(5)].tolist() == [5, 71]
    assert D[np.array([[1], [2]]), [3, 4]].shape == (2, 2)
    assert D[np.zeros((0, 3), int), 1].shape == (0, 3)
    assert make_naive_tensor_descriptor((8,), (2,))[np.array([3, 1])].tolist() == [6, 2]
    assert D[np.int64(1), np.array(3)] == 69


def test_expressions_and_sizes_stay() -> None:
    i, rows = var("i", 8), symbol("M", max=64)
    assert D[i, 3] is D.offset((i, 3))
    assert make_naive_tensor_descriptor_packed((8, rows))[1, 0] is rows


def test_padding_has_an_offset() -> None:
    padded = transform_tensor_descriptor(make_naive_tensor_descriptor((3,), (2,)), [RightPad(3, 1)], [[0]], [[0]])
    assert padded[range(4)].tolist() == [0, 2, 4, 6]


@pytest.mark.parametrize(
    ("index", "why"),
    [
        ((8, 0), "index 8 of dimension 0 is outside 0…7"),
        (([0, 9], 0), "index 9 of dimension 0 is outside 0…7"),
        (([0, -1], 0), "index -1 of dimension 0 is outside 0…7"),
        ((0,), "an index of 1 coordinates for 2"),
        (([0],), "an index of 1 coordinates for 2"),
    ],
)
def test_what_is_outside_is_refused(index: Any, why: str) -> None:
    with pytest.raises(LayoutError, match=why):
        D[index]


def test_what_is_no_integer_is_refused() -> None:
    with pytest.raises(TypeError, match="are not coordinates of dimension 0"):
        D[[0.5], 0]
    with pytest.raises(TypeError, match=r"0\.5"):
        D[0.5, 0]
    with pytest.raises(TypeError, match="not gone through"):
        list(D)
    with pytest.raises(LayoutError, match="M: offsets of arrays need their values"):
        make_naive_tensor_descriptor_packed((8, symbol("M", max=64)))[[0], [0]]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda d: d[1:2, 3], "a descriptor is no array"),
        (lambda d: d[..., 3], "a descriptor is no array"),
        (lambda d: make_naive_tensor_descriptor(8, 1), "lengths is 8; it is a list"),
        (lambda d: make_naive_tensor_descriptor((8,), 1), "strides is 1; it is a list"),
        (lambda d: make_naive_tensor_descriptor("ab", (1, 1)), "lengths is 'ab'; it is a list"),
        (lambda d: make_naive_tensor_descriptor_packed(8), "lengths is 8; it is a list"),
        (lambda d: transform_tensor_descriptor(d, PassThrough(8), [[0]], [[0]]), "transforms is pass_through"),
    ],
)
def test_a_wrong_shape_of_argument_is_a_sentence(wrong, told: str) -> None:
    with pytest.raises((LayoutError, TypeError), match=re.escape(told)):
        wrong(make_naive_tensor_descriptor((8, 64), (64, 1)))
