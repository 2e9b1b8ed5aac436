"""The transform graph: every dimension and transform once, in layers, without overlaps."""

from __future__ import annotations

from itertools import pairwise

import pytest

from layoutalg.draw import graph
from layoutalg.draw.graph import RADIUS, arrange
from layoutalg.draw.svg import SMALL
from layoutalg.layout import (
    Freeze,
    Insert,
    Merge,
    Pad,
    PassThrough,
    TileDistribution,
    TileDistributionEncoding,
    make_naive_tensor_descriptor,
    make_single_stage_tensor_adaptor,
    transform_tensor_descriptor,
)

SVG = "{http://www.w3.org/2000/svg}"


def chain():
    tile = make_naive_tensor_descriptor((8, 64, 8, 5), (2600, 40, 5, 1))
    tile = transform_tensor_descriptor(
        tile, [PassThrough(64), Merge((8, 8)), Freeze(2)], [[1], [0, 2], [3]], [[0], [1], []]
    )
    return transform_tensor_descriptor(
        tile, [Pad(64, 1, 1), PassThrough(64), Insert(3)], [[0], [1], []], [[0], [2], [1]]
    )


def distribution():
    return TileDistribution(
        TileDistributionEncoding(
            (), ((4, 2, 8, 4), (4, 2, 8, 4)), ((1, 2), (1, 2)), ((1, 1), (2, 2)), (1, 1, 2, 2), (0, 3, 0, 3)
        )
    )


def test_the_guides_example_shows_its_hidden_index(guide, parsed):
    groups = {
        int(g.get("data-hidden")): "".join(g.itertext())
        for g in parsed(graph(guide, (1, 3, 2))).iter(f"{SVG}g")
        if g.get("data-hidden")
    }
    values = {i: text.split("= ")[1] for i, text in groups.items()}
    assert values == {0: "8578", 1: "67", 2: "2", 3: "1", 4: "3", 5: "2"}


@pytest.mark.parametrize("make", [chain, distribution])
def test_every_dimension_and_transform_is_drawn_once(make, texts):
    layout = make()
    shown = texts(graph(layout))
    ids = {str(i) for group in (*layout.adaptor.lower_ids, *layout.adaptor.upper_ids) for i in group}
    for i in ids:
        assert shown.count(i) >= 1
    names = [t.name for t, low, up in zip(*parts(layout.adaptor), strict=True) if low or up]
    assert sorted(text for text in shown if text in set(names)) == sorted(names)


def parts(adaptor):
    return adaptor.transforms, adaptor.lower_ids, adaptor.upper_ids


@pytest.mark.parametrize("make", [chain, distribution])
def test_nodes_lie_in_layers_with_room_between_them(make):
    plan = arrange(make().adaptor)
    for low, high in plan.edges:
        assert plan.nodes[high].layer == plan.nodes[low].layer + 1
    layers = {node.layer for node in plan.nodes.values()}
    for layer in layers:
        row = sorted((n for n in plan.nodes.values() if n.layer == layer), key=lambda n: n.x)
        for a, b in pairwise(row):
            assert b.x - a.x >= (a.width + b.width) / 2
    assert all(node.width / 2 <= node.x <= plan.width - node.width / 2 for node in plan.nodes.values())


def test_the_top_stands_in_the_users_order():
    layout = chain()
    plan = arrange(layout.adaptor)
    places = [plan.nodes[f"d{i}"].x for i in layout.adaptor.top_ids]
    assert places == sorted(places)


def numbered(layout, parsed):
    """By dimension's circle: the numbers just above and below it, None where there is none."""
    picture = parsed(graph(layout))
    plan = arrange(layout.adaptor)
    at = [(float(t.get("x")), round(float(t.get("y"))), t.text) for t in picture.iter(f"{SVG}text")]

    def near(i, way):
        x, y = plan.place(f"d{i}")
        line = round(y + way * (RADIUS + 7) + 0.36 * SMALL)
        found = [text for left, where, text in at if where == line and abs(left - x) < 5]
        return found[0] if found else None

    return {int(k[1:]): (near(k[1:], -1), near(k[1:], 1)) for k in plan.nodes if k[0] == "d"}


def test_the_dimensions_of_a_transform_are_numbered_as_its_list_has_them(parsed):
    kjmn = make_naive_tensor_descriptor((7, 5, 3, 2), (30, 6, 2, 1))  # ids 1 to 4
    merged = transform_tensor_descriptor(kjmn, [Merge((3, 2)), Merge((5, 7))], [[2, 3], [1, 0]], [[0], [1]])
    assert numbered(merged, parsed) == {
        0: (None, None), 1: ("1", "0"), 2: ("0", "1"), 3: ("0", "2"), 4: ("1", "3"), 5: (None, None), 6: (None, None),
    }  # fmt: skip


def test_a_distribution_names_its_lanes_and_registers(texts):
    shown = texts(graph(distribution()))
    assert {"p0", "p1", "y0", "y3", "x0", "x1"} <= set(shown)


def test_an_adaptor_without_transforms_is_drawn(parsed):
    adaptor = make_single_stage_tensor_adaptor([PassThrough(4)], [[0]], [[0]])
    assert parsed(graph(adaptor)) is not None
