"""What is printed reads back as the same, and offsets are listed as they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from layoutalg.formats import DescriptorItem, SpecFile, dump, load, loads, offsets
from layoutalg.formats.layers import layers
from layoutalg.layout import (
    Freeze,
    Insert,
    LayoutError,
    Merge,
    PassThrough,
    Replicate,
    TensorDescriptor,
    Unmerge,
    make_naive_tensor_descriptor_packed,
    make_naive_tensor_descriptor_with_offset,
    transform_tensor_descriptor,
)

DATA = Path(__file__).parent / "data"


def test_everything_reads_back() -> None:
    file = load(DATA / "everything.toml")
    text = dump(file)
    again = loads(text)
    assert dump(again) == text
    assert again.symbols == file.symbols
    assert file.launch
    assert again.launch == replace(file.launch, line=again.launch.line if again.launch else None)
    for one, other in zip(file.items, again.items, strict=True):
        for field in (
            "name",
            "note",
            "given",
            "claims",
            "stated",
            "goal",
            "index",
            "distribution",
            "transform",
            "because",
        ):
            assert getattr(one, field, None) == getattr(other, field, None)
        goals = [[e.goal for e in getattr(item, "examples", ())] for item in (one, other)]
        assert goals[0] == goals[1]
        if isinstance(one, DescriptorItem):
            assert one.descriptor == other.descriptor  # type: ignore[attr-defined]


def through(descriptor: TensorDescriptor) -> TensorDescriptor:
    """The descriptor after a dump and a reading."""
    text = dump(SpecFile("", {}, (DescriptorItem(name="d", descriptor=descriptor),)))
    return loads(text).descriptor("d").descriptor


def test_an_offset_in_the_base_survives() -> None:
    d = make_naive_tensor_descriptor_with_offset((2, 3), (3, 1), 100)
    assert through(d) == d
    assert "naive_with_offset" in dump(SpecFile("", {}, (DescriptorItem(name="d", descriptor=d),)))


@pytest.mark.parametrize("used", [True, False])
def test_inserted_dimensions_stay_in_their_layer(used: bool) -> None:
    d = make_naive_tensor_descriptor_packed((4, 6))
    layer = [Merge((4, 6)), Insert(5), Replicate((2, 2))]
    d = transform_tensor_descriptor(d, layer, [[0, 1], [], []], [[1], [0], [3, 2]])
    if used:
        d = transform_tensor_descriptor(
            d, [Merge((5, 24)), PassThrough(2), Freeze(1)], [[0, 1], [3], [2]], [[1], [0], []]
        )
        d = transform_tensor_descriptor(
            d, [PassThrough(2), Unmerge((60, 2)), Insert(3)], [[0], [1], []], [[0], [3, 1], [2]]
        )
    assert through(d) == d
    assert [len(layer.transforms) for layer in layers(d.adaptor)] == ([1, 3, 3, 3] if used else [1, 3])


def test_texts_are_escaped() -> None:
    text = '[[lemma]]\nname = "l"\ngoal = true\nnote = "a \\"quote\\", a \\\\, a tab\\t, é, \\u007F, \\U0001F600"'
    assert loads(dump(loads(text))).items[0].note == loads(text).items[0].note


def test_offsets_with_padding_and_sizes() -> None:
    file = loads("""
    symbols = { M = { min = 8, max = 64, multiple_of = 8 } }
    [[descriptor]]
    name = "d"
    base = { kind = "naive", lengths = [2, 3], strides = ["M", 2] }
    steps = [[{ transform = "pad", length = 2, left = 1, right = 0, lower = [0], upper = [0] },
              { transform = "pass_through", length = 3, lower = [1], upper = [1] }]]
    """)
    d = file.descriptor("d").descriptor
    assert offsets(d, {"M": 8}) == {
        "lengths": [3, 3], "element_space_size": 13, "offsets": [None, None, None, 0, 2, 4, 8, 10, 12],
    }  # fmt: skip
    with pytest.raises(LayoutError, match="the sizes M have no value"):
        offsets(d)
    with pytest.raises(LayoutError, match="M = 12 breaks 8 <= M <= 64, a multiple of 8"):
        offsets(d, {"M": 12})


SIZES = """
symbols = { M = {}, K = {} }
[[descriptor]]
name = "shorter"
base = { kind = "packed", lengths = ["M", 3] }
steps = [[{ transform = "slice", length = "M", begin = 0, end = "M - 4", lower = [0], upper = [0] },
          { transform = "pass_through", length = 3, lower = [1], upper = [1] }]]
[[descriptor]]
name = "two"
base = { kind = "packed", lengths = ["M"] }
steps = [[{ transform = "right_pad", length = "M", right = "K", lower = [0], upper = [0] }],
         [{ transform = "slice", length = "M + K", begin = 0, end = 2, lower = [0], upper = [0] }]]
"""


def test_sizes_of_the_space_and_of_the_padding_alone_count() -> None:
    two = loads(SIZES).descriptor("two").descriptor
    assert offsets(two, {"M": 1, "K": 5}) == {"lengths": [2], "element_space_size": 1, "offsets": [0, None]}
    assert offsets(two, {"M": 9})["offsets"] == [0, 1]
    with pytest.raises(LayoutError, match="the sizes M have no value"):
        offsets(two, {"K": 5})


def test_offsets_at_sizes_that_make_no_layout_are_refused() -> None:
    shorter = loads(SIZES).descriptor("shorter").descriptor
    assert offsets(shorter, {"M": 5})["lengths"] == [1, 3]
    with pytest.raises(LayoutError, match=r"slice: 0…-2 is not within|slice: begin 0 is not below end -2"):
        offsets(shorter, {"M": 2})


def test_offsets_of_too_many_indices_are_refused() -> None:
    with pytest.raises(LayoutError, match="too many to list"):
        offsets(make_naive_tensor_descriptor_packed((1 << 13, 1 << 13)))
