"""Folding: every element has one cell, lines are called by what stays the same on them."""

from __future__ import annotations

import math

import pytest

from layoutalg.draw import grid
from layoutalg.draw.fold import LINE, TALLEST, WIDEST, fold
from layoutalg.layout import make_naive_tensor_descriptor_packed

SHAPES = [
    (8, 8),
    (64, 64),
    (256, 128),
    (8, 9, 2),
    (4, 64, 128),
    (4, 8192),
    (8192, 4),
    (64,),
    (7,),
    (8191,),
    (1, 1),
    (3, 5, 7, 11),
]


@pytest.mark.parametrize("shape", SHAPES)
def test_every_element_has_a_cell_of_its_own(shape):
    lying = fold(shape)
    assert lying.lines * lying.columns - lying.count < lying.columns
    places = {lying.place(lying.index(n)) for n in range(0, lying.count, max(1, lying.count // 500))}
    assert len(places) == len(range(0, lying.count, max(1, lying.count // 500)))
    assert all(line < lying.lines and column < lying.columns for line, column in places)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_sheet_fits_on_a_screen(shape):
    lying = fold(shape)
    assert lying.columns <= WIDEST
    assert lying.lines <= TALLEST
    picture = grid(make_naive_tensor_descriptor_packed(shape))
    assert picture.width < 2400
    assert picture.height < 2400


@pytest.mark.parametrize("shape", SHAPES)
def test_a_line_is_called_by_the_start_of_its_first_index(shape):
    lying = fold(shape)
    for line in {0, lying.lines // 2, lying.lines - 1}:
        first = ",".join(map(str, lying.index(line * lying.columns)))
        assert first.startswith(lying.name(line))


def test_dimensions_stay_whole_where_they_can():
    assert fold((256, 128)).down == 1
    assert fold((4, 64, 128)).down == 2
    assert fold((4, 8192)).down is None
    assert fold((8191,)).columns == LINE


def test_blocks_of_the_outer_dimensions():
    assert fold((4, 64, 128)).blocks == (64, 0)
    assert fold((8, 9, 2)).blocks == (0, 2)
    assert math.prod(fold((3, 5, 7, 11)).shape) == 1155
