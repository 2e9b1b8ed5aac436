"""Linear layouts compute as Triton's do: its own unit tests by value, and an oracle by enumeration."""

import json
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from layoutalg.errors import LayoutError
from layoutalg.interop.triton import LinearLayout
from tests.interop.triton.cases import operands


def _random(draw: Random) -> LinearLayout:
    sizes = [draw.randint(0, 3) for _ in range(draw.randint(1, 3))]
    bases = {
        place: [[draw.randrange(1 << n) for n in sizes] for _ in range(draw.randint(0, 3))]
        for place in ("register", "lane", "warp")[: draw.randint(1, 3)]
    }
    return LinearLayout.of(bases, {f"dim{n}": 1 << size for n, size in enumerate(sizes)})


def _every(layout: LinearLayout) -> dict[tuple[int, ...], tuple[int, ...]]:
    places = layout.places
    return {
        at: tuple(layout.apply(**dict(zip(places, at, strict=True))).values())
        for at in product(*(range(size) for size in places.values()))
    }


def test_maps_inverses_and_ranks_are_those_of_enumeration() -> None:
    for seed in range(150):
        layout = _random(Random(seed))
        reached = _every(layout)
        whole = len(list(product(*(range(size) for size in layout.shape.values()))))
        assert layout.is_injective == (len(set(reached.values())) == len(reached))
        assert layout.is_surjective == (len(set(reached.values())) == whole)
        if layout.is_surjective:
            back = _every(layout.pseudoinverse())
            assert all(reached[place] == at for at, place in back.items())
        else:
            with pytest.raises(LayoutError, match="no place holds the element"):
                layout.pseudoinverse()


def test_repeated_layouts_are_those_of_enumeration() -> None:
    for seed in range(40):
        inner, outer = _random(Random(seed)), _random(Random(seed + 1000))
        both = inner * outer
        sizes = inner.places
        for place, at in list(_every(both).items())[:32]:
            given = dict(zip(both.places, place, strict=True))
            low = inner.apply(**{n: given[n] % sizes[n] for n in sizes})
            high = outer.apply(**{n: given[n] // sizes.get(n, 1) for n in outer.places})
            for out, coordinate in zip(both.shape, at, strict=True):
                assert coordinate == low.get(out, 0) + high.get(out, 0) * inner.shape.get(out, 1)


def test_a_map_then_another_is_that_of_enumeration() -> None:
    for seed in range(40):
        draw = Random(seed)
        first = _random(draw)
        second = LinearLayout.of(
            {out: [[draw.randrange(8), draw.randrange(4)] for _ in range(size.bit_length() - 1)]
             for out, size in first.shape.items()},
            {"x": 8, "y": 4},
        )  # fmt: skip
        both = first.then(second)
        for place, at in _every(first).items():
            reached = second.apply(**dict(zip(first.shape, at, strict=True)))
            assert both.apply(**dict(zip(first.places, place, strict=True))) == reached


def _told(layout: LinearLayout) -> dict[str, object]:
    return {"bases": {n: [list(b) for b in vectors] for n, vectors in layout.bases}, "sizes": dict(layout.sizes)}


def test_operations_are_those_of_tritons_own_class() -> None:
    """400 layouts by chance: products, compositions, pseudoinverses (which place of several), and what they reach."""
    answers = [json.loads(line) for line in (Path(__file__).parent / "operations.jsonl").read_text().splitlines()]
    inverted = 0
    for (first, again, follow), told in zip(operands(), answers, strict=True):
        assert (first.is_injective, first.is_surjective) == (told["injective"], told["surjective"])
        assert _told(first * again) == told["product"]
        assert _told(first.then(follow)) == told["then"]
        if told["pseudoinverse"] is not None:
            assert _told(first.pseudoinverse()) == told["pseudoinverse"]
            inverted += 1
    assert inverted > 100


TABLE = ["(0,0) (0,1) (0,2) (0,3)", "(1,1) (1,0) (1,3) (1,2)", "(2,2) (2,3) (2,0) (2,1)", "(3,3) (3,2) (3,1) (3,0)"]


def test_the_table_of_tritons_header() -> None:
    """`LinearLayout.h`: rows t, columns w, given at (0, 1), (0, 2), (1, 0), (2, 0) alone."""
    layout = LinearLayout.of({"t": [[1, 1], [2, 2]], "w": [[0, 1], [0, 2]]}, {"x": 4, "y": 4})
    rows = [" ".join("({x},{y})".format(**layout.apply(t=t, w=w)) for w in range(4)) for t in range(4)]
    assert rows == TABLE


def test_the_other_examples_of_tritons_header() -> None:
    """A 1-D layout that transposes, the 2-D identity, and one that broadcasts."""
    transposes = LinearLayout.of({"in": [[4], [8], [1], [2]]}, {"out": 16})
    assert [transposes.apply(**{"in": n})["out"] for n in range(16)] == [int(x, 16) for x in "048C159D26AE37BF"]
    identity = LinearLayout.identity(4, "y", "y") * LinearLayout.identity(4, "x", "x")
    assert identity.bases == (("y", ((1, 0), (2, 0))), ("x", ((0, 1), (0, 2))))
    broadcast = LinearLayout.zeros(4, "y", "out") * LinearLayout.identity(4, "x", "out")
    assert all(broadcast.apply(x=x, y=y) == {"out": x} for x in range(4) for y in range(4))
    assert broadcast.is_surjective
    assert not broadcast.is_injective


@pytest.mark.parametrize(
    ("bases", "sizes", "reason"),
    [
        ({"lane": [[1]]}, {"dim0": 3}, "dim0 has size 3; a linear layout's sizes are powers of two"),
        ({"lane": [[4]]}, {"dim0": 4}, "lane = 1 leads to dim0 = 4, which is outside 0…3"),
        ({"lane": [[1, 1]]}, {"dim0": 4}, "give 1 coordinates"),
        ({"lane": [[-1]]}, {"dim0": 4}, "outside 0…3"),
    ],
)
def test_bases_that_make_no_layout_are_refused(
    bases: dict[str, list[list[int]]], sizes: dict[str, int], reason: str
) -> None:
    with pytest.raises(LayoutError, match=reason):
        LinearLayout.of(bases, sizes)


def test_places_and_dimensions_that_do_not_exist_are_refused() -> None:
    """A place beyond the last was read as one within: its high bits were dropped."""
    layout = LinearLayout.of({"lane": [[1], [2]]}, {"dim0": 4})
    assert layout.apply(lane=3) == {"dim0": 3}
    for place in ({"lane": 4}, {"lane": -1}, {"warp": 0}):
        with pytest.raises(LayoutError, match="is no place; there are"):
            layout.apply(**place)
    with pytest.raises(LayoutError, match="no output dimension dim1"):
        layout.ordered(["dim1"])
    with pytest.raises(LayoutError, match="a str after a linear layout"):
        layout.then("dim0")
    with pytest.raises(TypeError):
        layout * 2
    assert LinearLayout.identity(np.int64(4), "lane", "dim0") == layout


@pytest.mark.parametrize(
    ("bases", "sizes"),
    [
        ({"x": None}, {"d": 4}),
        ({"x": [[1.5]]}, {"d": 4}),
        ({"x": [["1"]]}, {"d": 4}),
        ({"x": [[1]]}, {"d": 4.0}),
        (3, {}),
    ],
)
def test_what_are_no_bases_is_refused(bases: Any, sizes: Any) -> None:
    with pytest.raises(LayoutError, match="whole numbers"):
        LinearLayout.of(bases, sizes)
