"""Who holds what: every holder is in the picture, copies and factors too."""

from collections import Counter

import pytest

from layoutalg.draw import DrawError, holders
from layoutalg.draw.holders import found
from layoutalg.layout import TileDistribution, TileDistributionEncoding


def tile(*encoding: object) -> TileDistribution:
    return TileDistribution(TileDistributionEncoding.of(*encoding))


BLOCKED = tile([], [[2, 4, 2], [8, 2]], [[(1, 0)], [(1, 1), (2, 0)]], [(1, 2), (2, 1)])
COPIES = tile([2], [[4], [4, 2]], [[(0, 0)], [(1, 0), (2, 0)]], [(2, 1)])


@pytest.mark.parametrize("one", [BLOCKED, COPIES])
def test_each_holder_is_at_the_element_that_the_map_gives_it(one: TileDistribution) -> None:
    holds = {(h.p, h.register): element for element, many in found(one).items() for h in many}
    assert len(holds) == int(one.ps[0]) * int(one.ps[1]) * int(one.registers)
    for (p, register), element in holds.items():
        y = one.ys_to_d.upper([register])
        assert tuple(map(int, one.lower(p, y))) == element


def test_a_lane_that_shares_an_element_is_a_part_of_its_cell() -> None:
    text = str(holders(COPIES))
    names = Counter(name for many in found(COPIES).values() for name in (h.name for h in many))
    assert all(text.count(f">{name}<") == count for name, count in names.items())
    assert "2 lanes hold each element" in text


def test_only_the_chosen_lane_is_framed() -> None:
    whole, chosen = str(holders(BLOCKED)), str(holders(BLOCKED, p=(1, 9)))
    assert whole.count('stroke="#111"') == 0
    assert chosen.count('stroke="#111"') == 4
    assert "What wave 1 lane 9 holds" in chosen


def test_rulers_name_the_owner_of_each_factor() -> None:
    text = str(holders(BLOCKED))
    assert all(f">{owner}<" in text for owner in ("P0", "P1", "Y0", "Y1"))


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        (lambda: holders(BLOCKED, p=(2, 0)), "no lane"),
        (lambda: holders(tile([], [[2], [2], [2]], [[(1, 0)]], [(2, 0), (3, 0)])), "3 dimensions"),
        (lambda: holders(tile([], [[256], [32]], [[(1, 0)]], [(2, 0)])), "8192 holders"),
    ],
)
def test_what_cannot_be_drawn_is_refused(given: object, wrong: str) -> None:
    with pytest.raises(DrawError, match=wrong):
        given()
