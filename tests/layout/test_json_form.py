"""JSON: every layout comes back as the same value; data that is not one is refused with the reason."""

import copy
import json
from functools import reduce
from random import Random

import pytest

from layoutalg.index import symbol
from layoutalg.layout import (
    Functor,
    LayoutError,
    Merge,
    PassThrough,
    RightPad,
    TileDistribution,
    TileDistributionEncoding,
    Unmerge,
    Xor,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_aligned,
    make_naive_tensor_descriptor_packed,
    make_naive_tensor_descriptor_with_offset,
    make_single_stage_tensor_adaptor,
    transform_tensor_descriptor,
)
from layoutalg.layout.json_form import from_json, to_json
from layoutalg.layout.nonlinear import ModuloAddedTwice

M, N = symbol("M", min=8, max=4096, multiple_of=8), symbol("N", power_of_two=True)

LAYOUTS = {
    "transform": Merge((4, 5)),
    "transform of sizes": RightPad(M, (N - M % N) % N),
    "functor": Functor.of(lambda u: (u ^ 1) * M + 3, N),
    "defect": ModuloAddedTwice(4, 10),
    "adaptor": make_single_stage_tensor_adaptor([Xor((M, N)), PassThrough(8)], [[0, 1], [2]], [[2, 0], [1]]),
    "strided": make_naive_tensor_descriptor((8, M, 8), ((M + 1) * 8, 8, 1)),
    "aligned": make_naive_tensor_descriptor_aligned((M, N), 8),
    "offset": make_naive_tensor_descriptor_with_offset((2, 3), (3, 1), M),
    "transformed": transform_tensor_descriptor(
        make_naive_tensor_descriptor_packed((256, 128)), [Unmerge((4, 64)), PassThrough(128)], [[0], [1]], [[0, 1], [2]]
    ),
    "distribution": TileDistribution(TileDistributionEncoding((2,), ((4, M),), ((0, 1),), ((0, 0),), (1,), (1,))),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_round_trip(layout):
    again = from_json(json.loads(json.dumps(to_json(layout))))
    assert again == layout
    assert hash(again) == hash(layout)
    assert repr(again) == repr(layout)


DATA = to_json(LAYOUTS["transformed"])

REFUSED = {
    "kind": (["kind"], "tensor", "kind 'tensor' is none of transform, adaptor, descriptor, distribution"),
    "top": (["top"], [3, 4], r"top ids \[3, 4\], but the ids that no transform uses are \[3, 4, 5\]"),
    "top repeated": (["top"], [3, 4, 4], r"top ids \[3, 4, 4\]"),
    "cycle": (["transforms", 0, "lower"], [4], "lower id 4 is not made below it"),
    "dangling": (["transforms", 1, "lower"], [9], "lower id 9 is not made below it"),
    "used twice": (["transforms", 2, "lower"], [1], "lower id 1 is not made below it, or is used twice"),
    "made twice": (["transforms", 2, "upper"], [4], "id 4 is made 2 times"),
    "rank": (["transforms", 1, "upper"], [3], r"unmerge\(\(4, 64\)\) has 2 upper dimensions, \[3\] lists 1"),
    "length": (["transforms", 1, "lengths"], [4, -1], "a length is at least 0"),
    "expression": (["transforms", 1, "lengths"], [4, "K+1"], "no symbol 'K'"),
    "transform": (["transforms", 1, "transform"], "split", "no transform 'split'"),
    "ids": (["top"], "345", "'top' is '345', not a list"),
    "id": (["top"], [3, 4, "5"], "a list of ids is wanted"),
    "layer": (["transforms"], [3], "an object with 'transform' is wanted, not 3"),
    "fit": (["transforms", 1, "lengths"], [4, 63], "lower length is 252, the dimension's is 256"),
}


@pytest.mark.parametrize(("path", "value", "message"), REFUSED.values(), ids=REFUSED)
def test_data_that_is_no_layout_is_refused(path, value, message):
    data = copy.deepcopy(DATA)
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(LayoutError, match=message):
        from_json(data)


def test_missing_keys_and_bad_sizes_are_refused():
    with pytest.raises(LayoutError, match="'kind' is missing"):
        from_json({})
    with pytest.raises(LayoutError, match="'lengths' is missing; there are kind, symbols, transform"):
        from_json({"kind": "transform", "symbols": {}, "transform": "merge"})
    with pytest.raises(LayoutError, match="size M: "):
        from_json({"kind": "transform", "symbols": {"M": {}}, "transform": "merge", "lengths": ["M"]})
    with pytest.raises(LayoutError, match="two different sizes are called M"):
        to_json(Merge((M, symbol("M", min=2))))


DOCUMENTS = [to_json(layout) for layout in LAYOUTS.values()]
BAD_VALUES = [0, -1, 5, 10**30, 1.5, None, True, "M", "M//0", "x", "", [], [1], [[1]], {}, "1<<200", [None], "M+"]


def places(data, path=()):
    """The path of every part of the data."""
    yield path
    parts = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, part in parts:
        yield from places(part, (*path, key))


def test_mutated_data_is_read_or_refused():
    refused = 0
    for seed in range(2000):
        random = Random(seed)
        data = copy.deepcopy(random.choice(DOCUMENTS))
        *path, key = random.choice([p for p in places(data) if p])
        place = reduce(lambda part, step: part[step], path, data)
        if random.random() < 0.2 and isinstance(place, dict):
            del place[key]
        else:
            place[key] = copy.deepcopy(random.choice(BAD_VALUES))
        try:
            from_json(data)
        except LayoutError:
            refused += 1
    assert refused > 1000
