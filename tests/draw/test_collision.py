"""Refutations: the two coordinates, the way down, and where they meet."""

from __future__ import annotations

import pytest

from layoutalg.draw import DrawError, collision, escape, refutation, show
from layoutalg.draw.collision import trail
from layoutalg.index import symbol
from layoutalg.index.evaluate import value
from layoutalg.layout import (
    Merge,
    PassThrough,
    Xor,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    transform_tensor_descriptor,
)
from layoutalg.prove import InBounds, Injective, Proved, Refuted, Witness, prove


def overlapping():
    cube = make_naive_tensor_descriptor((8, 64, 8), (500, 8, 1))
    return transform_tensor_descriptor(cube, [PassThrough(64), Merge((8, 8))], [[1], [0, 2]], [[0], [1]])


def tuples(title: str) -> list[tuple[int, ...]]:
    return [tuple(map(int, part.split(")")[0].split(","))) for part in title.split("(")[1:]]


def test_a_refuted_injectivity_is_drawn_at_two_indices_of_one_offset(texts):
    tile = overlapping()
    verdict = prove(Injective(tile))
    assert isinstance(verdict, Refuted)
    picture = refutation(tile, verdict)
    first, second = tuples(picture.title)
    assert first != second
    assert tile.offset(first) is tile.offset(second)
    assert texts(picture).count(str(int(tile.offset(first)))) >= 2


def test_a_refuted_range_is_drawn_where_it_is_left():
    tile = transform_tensor_descriptor(make_naive_tensor_descriptor_packed((6, 6)), [Xor((6, 6))], [[0, 1]], [[0, 1]])
    verdict = prove(InBounds(tile))
    assert isinstance(verdict, Refuted)
    picture = show(tile, verdict)
    assert "leaves dimension 2: index 6 is not in 0…5" in picture.title
    index = tuples(picture.title)[0]
    assert trail(tile, index, {})[2] == 6


def test_the_sizes_of_the_witness_are_said(texts):
    m = symbol("M", max=64)
    tile = make_naive_tensor_descriptor((m, 16), (15, 1))
    verdict = prove(Injective(tile))
    assert isinstance(verdict, Refuted)
    picture = refutation(tile, verdict)
    first, second = tuples(picture.title)
    size = verdict.witness.points[0]["M"]
    assert f"where M = {size}" in texts(picture)
    assert value(tile.offset(first), {m: size}) == value(tile.offset(second), {m: size})


@pytest.mark.parametrize("second", [(1, 1), (0, 8)])
def test_indices_that_do_not_collide_are_refused(second):
    with pytest.raises(DrawError, match="no collision"):
        collision(make_naive_tensor_descriptor((4, 16), (8, 1)), (0, 8), second)


def test_an_index_that_stays_inside_is_refused():
    with pytest.raises(DrawError, match="stays within"):
        escape(make_naive_tensor_descriptor((4, 16), (16, 1)), (3, 15))


def test_an_offset_outside_the_space_is_drawn():
    tile = make_naive_tensor_descriptor((4, 16), (16, 1))
    assert escape(tile, (4, 0)).title.startswith("(4, 0) leaves dimension 1")


def test_a_refutation_without_a_point_is_refused():
    with pytest.raises(DrawError, match="without a point"):
        refutation(overlapping(), Refuted("claim", "z3", 0.0, witness=Witness((), "somewhere")))


def test_nothing_is_drawn_of_a_proof():
    tile = make_naive_tensor_descriptor((4, 16), (16, 1))
    verdict = prove(Injective(tile))
    assert isinstance(verdict, Proved)
    with pytest.raises(DrawError, match="nothing is drawn of TensorDescriptor and Proved"):
        show(tile, verdict)
