"""Layouts in bytes: limits, alignment and scales, against every index counted in numpy."""

from __future__ import annotations

import numpy as np
import pytest

from layoutalg.index import symbol
from layoutalg.index.evaluate import grids
from layoutalg.layout import (
    Insert,
    LayoutError,
    Merge,
    PassThrough,
    RightPad,
    TensorDescriptor,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    transform_tensor_descriptor,
)
from layoutalg.prove import AlignedBytes, FitsBytes, OwnScale, Proved, Refuted, prove


def scaled(scales: TensorDescriptor, count: int) -> TensorDescriptor:
    """Scales of rows × blocks as the elements of rows × (blocks · count) see them."""
    rows, blocks = scales.lengths
    wide = transform_tensor_descriptor(
        scales, [PassThrough(rows), PassThrough(blocks), Insert(count)], [[0], [1], []], [[0], [1], [2]]
    )
    return transform_tensor_descriptor(
        wide, [PassThrough(rows), Merge((blocks, count))], [[0], [1, 2]], [[0], [1]]
    )  # fmt: skip


def own(descriptor: TensorDescriptor, count: int) -> bool:
    """Whether every block of a row has one scale in the memory that no other block has."""
    offsets, valid = grids([descriptor.offset(descriptor.index), descriptor.valid(descriptor.index)], descriptor.index)
    found: dict[tuple[int, int], set[int]] = {}
    for (row, k), offset in np.ndenumerate(np.broadcast_to(offsets, valid.shape)):
        if valid[row, k]:
            found.setdefault((row, k // count), set()).add(int(offset))
    every = [scale for one in found.values() for scale in one]
    return len(every) == len(found) == len(set(every)) and max(every) < int(descriptor.element_space_size)


@pytest.mark.parametrize("element", [4, 6, 8, 16])
@pytest.mark.parametrize("bits", [31, 32])
def test_the_least_size_that_breaks_a_limit_is_the_witness(element: int, bits: int) -> None:
    m = symbol("M", min=1, max=1 << 24)
    found = prove(FitsBytes(make_naive_tensor_descriptor_packed((m, 4096)), element, bits))
    most = 1 << 31 if bits == 31 else (1 << 32) - 1
    least = most * 8 // (4096 * element) + 1
    assert isinstance(found, Refuted)
    assert f"lengths ({least}, 4096), bytes {-(-least * 4096 * element // 8)}" in found.reason
    below = symbol("M", min=1, max=least - 1)
    assert isinstance(prove(FitsBytes(make_naive_tensor_descriptor_packed((below, 4096)), element, bits)), Proved)


def test_ck_s_limit_is_inclusive_and_that_of_num_records_is_a_number() -> None:
    whole = make_naive_tensor_descriptor_packed((1 << 31,))
    assert isinstance(prove(FitsBytes(whole, 8, 31)), Proved)
    assert isinstance(prove(FitsBytes(make_naive_tensor_descriptor_packed(((1 << 31) + 1,)), 8, 31)), Refuted)
    assert isinstance(prove(FitsBytes(make_naive_tensor_descriptor_packed(((1 << 32) - 1,)), 8, 32)), Proved)
    assert isinstance(prove(FitsBytes(make_naive_tensor_descriptor_packed((1 << 32,)), 8, 32)), Refuted)


def test_each_of_several_sizes_is_as_small_as_it_can_be_alone() -> None:
    limit = ((1 << 32) - 1) * 2
    for step in (1, 32):
        m, k = symbol("M", min=1, max=1 << 20), symbol("K", min=step, max=1 << 20, multiple_of=step)
        found = prove(FitsBytes(make_naive_tensor_descriptor_packed((m, k)), 4, 32))
        assert isinstance(found, Refuted)
        (at,) = found.witness.points
        assert at["M"] * at["K"] > limit >= max((at["M"] - 1) * at["K"], at["M"] * (at["K"] - step))
    power = symbol("P", min=1, max=1 << 22, power_of_two=True)
    found = prove(FitsBytes(make_naive_tensor_descriptor_packed((power, 3, 4096)), 16, 31))
    assert isinstance(found, Refuted)
    assert found.witness.points[0]["P"] == 1 << 17


def test_a_view_that_reaches_far_is_refuted_by_its_offset() -> None:
    far = TensorDescriptor(make_naive_tensor_descriptor((4, 8), (1 << 30, 1)).adaptor, 32)
    found = prove(FitsBytes(far, 16, 31))
    assert isinstance(found, Refuted)
    assert "byte offsets fit 31 bits: not at index (1, 0), byte offset 2147483648" in found.reason


@pytest.mark.parametrize("element", [4, 6, 8, 16])
def test_alignment_in_bytes_is_that_of_every_vector(element: int) -> None:
    for stride in (32, 33, 40, 48, 64, 72):
        d = make_naive_tensor_descriptor((5, 32), (stride, 1))
        for count, multiple in ((8, 2), (8, 4), (16, 4), (16, 12), (32, 8), (32, 16)):
            starts = (np.arange(5)[:, None] * stride + np.arange(0, 32, count)) * element
            proved = isinstance(prove(AlignedBytes(d, element, count, multiple)), Proved)
            assert proved == bool((starts % (8 * multiple) == 0).all()), (stride, count, multiple)


@pytest.mark.parametrize("count", [16, 32])
def test_scales_are_own_exactly_where_counting_says_so(count: int) -> None:
    seen = set()
    for strides in ((4, 1), (5, 1), (1, 6), (1, 5), (3, 1), (0, 1)):
        layout = scaled(make_naive_tensor_descriptor((6, 4), strides), count)
        for asked in (count // 2, count, 2 * count):
            wanted = own(layout, asked)
            assert isinstance(prove(OwnScale(layout, asked)), Proved) == wanted, (strides, asked)
            seen.add(wanted)
    assert seen == {True, False}


def test_scales_are_own_for_all_sizes() -> None:
    m, blocks = symbol("M", min=1, max=1 << 16), symbol("B", min=1, max=1 << 16)
    assert isinstance(prove(OwnScale(scaled(make_naive_tensor_descriptor_packed((m, blocks)), 32), 32)), Proved)
    short = prove(OwnScale(scaled(make_naive_tensor_descriptor((m, blocks), (blocks - 1, 1)), 32), 32))
    assert isinstance(short, Refuted)
    wrong = prove(OwnScale(scaled(make_naive_tensor_descriptor_packed((m, blocks)), 32), 16))
    assert isinstance(wrong, Refuted)
    assert "blocks have scales of their own" in wrong.reason


def test_the_last_block_may_be_cut() -> None:
    whole = scaled(make_naive_tensor_descriptor_packed((6, 2)), 32)
    ragged = transform_tensor_descriptor(
        make_naive_tensor_descriptor_packed((6, 2)), [PassThrough(6), RightPad(2, 1)], [[0], [1]], [[0], [1]]
    )
    assert own(whole, 32)
    assert isinstance(prove(OwnScale(scaled(ragged, 32), 32)), Proved) == own(scaled(ragged, 32), 32)


def test_what_is_no_claim_is_refused() -> None:
    d = make_naive_tensor_descriptor_packed((4, 4))
    with pytest.raises(LayoutError, match="dimension 2 does not exist: there are 2"):
        OwnScale(d, 4, 2)
    with pytest.raises(LayoutError, match="a scale is for 1 element or more, not for 0"):
        OwnScale(d, 0)
