"""Answers to exercises: right ones are proved, wrong ones get a counterexample that is one."""

import re
from typing import Any

import numpy as np
import pytest

from layoutalg.index import symbol, var
from layoutalg.layout import (
    Merge,
    RightPad,
    TileDistribution,
    TileDistributionEncoding,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    transform_tensor_descriptor,
)
from layoutalg.layout.tensor_view import make_tensor_view
from layoutalg.memory import ConflictFree, access, lane_map
from layoutalg.prove import Injective, Unknown, prove
from layoutalg.prove.verdict import Verdicts
from layoutalg.synth.gemm import packed, swizzled
from layoutalg.teach import (
    Checked,
    collide,
    equals,
    holds,
    in_vectors,
    largest,
    same_formula,
    same_map,
    same_tile,
    satisfies,
)

TILE = TileDistribution(TileDistributionEncoding.of([], [[4, 2], [8, 2]], [[(1, 0), (2, 0)]], [(1, 1), (2, 1)]))
CK = (
    "tile_distribution_encoding<sequence<>, tuple<sequence<4, 2>, sequence<8, 2>>, "
    "tuple<sequence<1, 2>>, tuple<sequence<0, 0>>, "
)


@pytest.mark.parametrize(
    "checked",
    [
        same_map(None, packed(4, 4)),
        same_formula(None, var("i", 4)),
        holds(),
        equals(None, 1),
        same_tile(None, TILE),
        in_vectors(None, 2),
    ],
)
def test_no_answer_is_not_right(checked: Checked) -> None:
    assert not checked.right
    assert "no answer" in checked.text


def test_the_counterexample_of_a_wrong_map_is_one() -> None:
    mine, wanted = swizzled(64, 64), packed(64, 64)
    checked = same_map(mine, wanted)
    index = tuple(map(int, checked.text.partition("(")[2].partition(")")[0].split(",")))
    assert not checked.right
    assert f"reaches offset {int(mine.offset(index))}; it should reach {int(wanted.offset(index))}" in checked.text


def test_a_wrong_map_for_some_sizes_is_told_at_such_a_size() -> None:
    m = symbol("M", min=1, max=64)
    checked = same_map(make_naive_tensor_descriptor((4, m), (8, 1)), make_naive_tensor_descriptor((4, m), (m, 1)))
    assert not checked.right
    assert "it should reach" in checked.text


def test_lengths_that_are_equal_but_written_otherwise_are_equal() -> None:
    m, n = symbol("M", min=1, max=64), symbol("N", min=1, max=64)
    flat = make_naive_tensor_descriptor_packed((n * m,))
    merged = transform_tensor_descriptor(make_naive_tensor_descriptor_packed((m, n)), [Merge((m, n))], [[0, 1]], [[0]])
    assert same_map(merged, flat).right


def test_padding_in_the_wrong_place_is_told() -> None:
    row = make_naive_tensor_descriptor_packed((4,))
    padded = transform_tensor_descriptor(row, [RightPad(4, 2)], [[0]], [[0]])
    checked = same_map(padded, make_naive_tensor_descriptor_packed((6,)))
    assert not checked.right
    assert "is padding" in checked.text


def test_a_conflict_is_told_with_its_lanes_and_drawn() -> None:
    lane = var("lane", 64)
    read = lane_map(lane, (lane % 32, lane // 32 * 8), width=8)
    checked = holds(ConflictFree(access(packed(32, 64), read, "f16", "gfx942")))
    assert "want dwords" in checked.text
    assert checked.picture is not None
    assert "<svg" in checked._repr_html_()


def test_a_collision_needs_two_indices_inside() -> None:
    tile = make_naive_tensor_descriptor((4, 6), (4, 1))
    assert collide(tile, ((0, 4), (1, 0))).right
    assert "outside the lengths" in collide(tile, ((0, 9), (1, 0))).text
    assert "one index" in collide(tile, ((1, 1), (1, 1))).text
    assert "coordinates" in collide(tile, ((1,), (1, 1))).text


ODD = (5, -1, 2.5, "x", (), (1,), [1, 2], (1, 2, 3), True, object, {}, (None, None), float("nan"))


@pytest.mark.parametrize("answer", ODD, ids=str)
def test_an_answer_of_another_kind_is_told_so_and_raises_nothing(answer: Any) -> None:
    rows = make_naive_tensor_descriptor((4, 6), (6, 1))
    tile = TileDistribution(TileDistributionEncoding.of([], [[4, 2]], [[(1, 0)]], [(1, 1)]))
    for checked in (
        collide(rows, answer),
        same_map(answer, rows),
        same_formula(answer, var("lane", 64) // 4),
        same_tile(answer, tile),
        in_vectors(answer, 2),
        satisfies(answer, lambda d: [Injective(d)]),
        satisfies(answer, lambda d: [Injective(d)], lengths=(4, 6)),
        equals(answer, (4, 6)),
        largest(answer, lambda _: holds()),
    ):
        assert not checked.right
        assert checked.text


def test_a_layout_of_other_lengths_satisfies_nothing() -> None:
    small = make_naive_tensor_descriptor((2,), (1,))
    assert (
        satisfies(small, lambda d: [Injective(d)], lengths=(4, 6)).text
        == "the lengths are (2,); they should be (4, 6)."
    )


def test_of_two_numbers_the_wrong_one_is_named() -> None:
    assert equals((2, 3), (2, 4)).text == "it is not (2, 3): the second part is wrong."
    assert equals([1, 4], (2, 4)).text == "it is not [1, 4]: the first part is wrong."


def test_every_claim_must_hold() -> None:
    good, bad = make_naive_tensor_descriptor((4, 4), (4, 1)), make_naive_tensor_descriptor((4, 4), (3, 1))
    assert holds(Injective(good)).right
    assert not holds(Injective(good), Injective(bad)).right


def test_what_was_verified_is_told_by_its_first_failure() -> None:
    class Kernel(Verdicts):
        def __init__(self, *strides: tuple[int, int]) -> None:
            tiles = [make_naive_tensor_descriptor((4, 4), each) for each in strides]
            self.verdicts = tuple((f"layout {n}", prove(Injective(tile))) for n, tile in enumerate(tiles))

    assert holds(Kernel((4, 1), (8, 1))).right
    assert holds(Kernel((4, 1), (3, 1))).text.startswith("layout 1: offsets differ: not at")


def test_what_is_refuted_is_told_before_what_is_not_known() -> None:
    class Kernel(Verdicts):
        verdicts = (
            ("sizes", Unknown("c", "s", 0.0, why="it took too long")),
            ("layout", prove(Injective(packed(2, 2)))),
        )

    assert holds(Kernel()).text == "sizes: unknown: it took too long."
    bad = ("bounds", prove(Injective(make_naive_tensor_descriptor((4, 4), (3, 1)))))
    Kernel.verdicts = (*Kernel.verdicts, bad)
    assert holds(Kernel()).text.startswith("bounds: offsets differ: not at")


def test_an_answer_that_is_no_layout_is_told_what_it_is() -> None:
    wanted = make_naive_tensor_descriptor((4, 8), (1, 4))
    for checked in (same_map((1, 4), wanted), satisfies((1, 4), lambda d: [Injective(d)], lengths=(4, 8))):
        assert "(1, 4) are strides alone" in checked.text
    assert "write .descriptor behind it" in same_map(make_tensor_view(np.zeros((4, 8))), wanted).text


@pytest.mark.parametrize("answer", [Merge, "2", 3, (1, 2)], ids=str)
def test_no_answer_is_told_pythons_words(answer: Any) -> None:
    def lengthened(other: Any) -> list[Injective]:
        return [Injective(make_naive_tensor_descriptor_packed((len(other.lengths) + other, 2)))]

    for checked in (satisfies(answer, lengthened), largest(answer, lambda n: holds(*lengthened(n)))):
        assert not checked.right
        assert re.search("is a (class|text|number|tuple)", checked.text)


def test_an_array_is_as_good_as_a_tuple() -> None:
    assert equals(np.array([6, 8]), (6, 8)).right
    assert equals(np.array([6, 7]), (6, 8)).text == "it is not array([6, 7]): the second part is wrong."
    assert not equals(np.array([6, 8]), 6)
    assert equals(np.int64(6), 6).right


def test_the_pair_that_is_shown_is_no_other() -> None:
    tile = make_naive_tensor_descriptor((4, 6), (4, 1))
    assert "shown already" in collide(tile, ((1, 0), (0, 4)), shown=((0, 4), (1, 0))).text
    assert collide(tile, ((0, 5), (1, 1)), shown=((0, 4), (1, 0))).right


def test_the_same_formula_written_otherwise_is_right() -> None:
    i = var("i", 64)
    assert same_formula(i // 8 * 8 + i % 8, i).right


def test_each_formula_must_be_right() -> None:
    i = var("i", 64)
    assert same_formula([i // 8, i % 8], (i // 8, i - i // 8 * 8)).right
    assert "formula 2" in same_formula([i // 8, i % 4], (i // 8, i % 8)).text
    assert "there should be 2" in same_formula([i], (i, i)).text


def test_a_number_is_right_however_it_is_written() -> None:
    assert equals([1, 2], (1, packed(2, 2).lengths[0])).right
    assert not equals([2, 1], (1, 2)).right


@pytest.mark.parametrize(
    "answer",
    [
        TILE,
        ([], [[4, 2], [8, 2]], [[(1, 0), (2, 0)]], [(1, 1), (2, 1)]),
        ([1], [[2, 2, 2], [8, 2]], [[(1, 0), (1, 1), (2, 0)]], [(1, 2), (2, 1)]),  # the same map, other factors
        CK + "sequence<1, 2>, sequence<1, 1>>{}",
        "make_static_tile_distribution(" + CK + "sequence<1, 2>, sequence<1, 1>>{});",
        "constexpr auto tile = make_static_tile_distribution(" + CK + "sequence<1, 2>, sequence<1, 1>>{});",
    ],
)
def test_every_way_to_write_a_tile_is_right(answer: object) -> None:
    assert same_tile(answer, TILE).right


def test_the_lane_and_register_that_a_wrong_tile_is_told_hold_what_is_said() -> None:
    checked = same_tile(CK + "sequence<2, 1>, sequence<1, 1>>{}", TILE)
    lane, register, *elements = map(int, re.findall(r"\d+", checked.text))
    mine = TileDistribution(TileDistributionEncoding.of([], [[4, 2], [8, 2]], [[(1, 0), (2, 0)]], [(2, 1), (1, 1)]))
    found = [n for one in (mine, TILE) for n in one.lower((lane,), (register // 2, register % 2))]
    assert not checked.right
    assert elements == list(map(int, found))
    assert "<svg" in checked._repr_html_()


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (([], [[4, 2], [8, 2]], [[(1, 0), (2, 0)]], [(1, 1), (1, 1)]), "owned by both Y0 and Y1"),
        (([], [[4, 2], [16]], [[(1, 0)]], [(1, 1), (2, 0)]), "P has lengths (4,)"),
        (([], [[4], [8]], [[(1, 0), (2, 0)]], []), "the tile has (4, 8)"),
        (([], [[4, 2], [2, 8]], [[(1, 0), (2, 1)]], [(1, 1), (2, 0)]), "it should hold"),  # only the columns differ
        ("a tile", "."),
    ],
)
def test_what_is_no_such_tile_is_told_why(answer: object, why: str) -> None:
    checked = same_tile(answer, TILE)
    assert not checked.right
    assert why in checked.text


def test_vectors_are_neighbours_from_a_multiple_on() -> None:
    assert in_vectors(TILE, 2).right
    assert "next to (0, 0)" in in_vectors(TILE, 4).text
    assert "not a multiple of 3" in in_vectors(TILE, 3).text


def test_vectors_of_another_tile_or_of_other_lanes_are_told() -> None:
    assert in_vectors(TILE, 2, lengths=(8, 16), lanes=32).right
    assert in_vectors(TILE, 2, lengths=(8, 32)).text == "the tile has (8, 16); it should be (8, 32)."
    assert "not 64 lanes" in in_vectors(TILE, 2, lengths=(8, 16), lanes=64).text
    copies = ([2], [[4, 2], [8, 2]], [[(0, 0), (1, 0), (2, 0)]], [(1, 1), (2, 1)])
    assert "hold elements twice" in in_vectors(copies, 2, lengths=(8, 16), lanes=64).text
