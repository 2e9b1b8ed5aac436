"""Memory: who lies where, what is padding, and what is refused."""

from __future__ import annotations

import pytest

from layoutalg.draw import DrawError, memory
from layoutalg.draw.memory import contents
from layoutalg.layout import (
    Pad,
    PassThrough,
    Replicate,
    Xor,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    transform_tensor_descriptor,
)


def test_every_element_is_where_its_offset_says(swizzled):
    held = contents(swizzled)
    for i in range(0, 64, 5):
        for j in range(0, 64, 3):
            assert held.owner[int(swizzled.offset((i, j)))] == 64 * i + j
    assert held.used == 1


def test_gaps_are_counted_and_hatched(texts):
    picture = memory(make_naive_tensor_descriptor((64, 64), (72, 1)))
    assert picture.title == "memory of 4600 elements, 4096 of them used"
    assert "Hatched: 504 elements (11.0%) that no index reaches" in texts(picture)


def test_elements_of_several_indices_are_counted(texts):
    rows = make_naive_tensor_descriptor((4, 4), (2, 1))
    assert contents(rows).count.tolist() == [1, 1, 2, 2, 2, 2, 2, 2, 1, 1]
    assert "6 elements are reached by more than one index" in texts(memory(rows))


def test_padding_reaches_no_memory():
    tile = transform_tensor_descriptor(make_naive_tensor_descriptor_packed((4,)), [Pad(4, 2, 2)], [[0]], [[0]])
    assert contents(tile).owner.tolist() == [2, 3, 4, 5]


def test_copies_lie_in_one_place():
    tile = make_naive_tensor_descriptor_packed((4,))
    copies = transform_tensor_descriptor(tile, [PassThrough(4), Replicate((3,))], [[0], []], [[1], [0]])
    assert contents(copies).count.tolist() == [3, 3, 3, 3]


def test_an_index_that_leaves_the_space_is_named():
    tile = transform_tensor_descriptor(make_naive_tensor_descriptor_packed((6, 6)), [Xor((6, 6))], [[0, 1]], [[0, 1]])
    with pytest.raises(DrawError, match=r"index \(5, 2\) reaches offset 37 of a space of 36"):
        memory(tile)
