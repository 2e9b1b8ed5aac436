"""CK's vector hints as CK computes them, and where they are wrong: the claim's expressions say so on real values."""

import numpy as np
import pytest

from layoutalg.index import Expr, symbol
from layoutalg.index.evaluate import grid
from layoutalg.index.normal import holds
from layoutalg.layout import (
    LayoutError,
    Merge,
    Pad,
    PassThrough,
    RightPad,
    TensorDescriptor,
    Unmerge,
    Xor,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    transform_tensor_descriptor,
)
from layoutalg.layout.vectors import (
    UNKNOWN,
    VectorAccess,
    VectorHint,
    ck_vector_hints,
    step_along,
    vector_candidates,
)


def everywhere(access: VectorAccess, truth: Expr) -> np.ndarray:
    """Where the truth holds, over all vectors."""
    return grid(truth, access.index) != 0


def merged(strides: tuple[int, int]) -> TensorDescriptor:
    d = make_naive_tensor_descriptor((8, 12), strides)
    return transform_tensor_descriptor(d, [Merge((8, 12))], [[0, 1]], [[0]])


def test_merge_claims_8_of_rows_of_12():
    d = merged((16, 1))
    assert ck_vector_hints(d, {2: VectorHint(8, 1)}) == (VectorHint(8, 1),)
    access = VectorAccess(d, 0, 8)
    right = everywhere(access, access.evenly_spaced)
    assert right.tolist() == [True, False, True] * 4
    four = VectorAccess(d, 0, 4)
    assert everywhere(four, four.evenly_spaced).all()
    dense = VectorAccess(merged((12, 1)), 0, 8)
    assert everywhere(dense, dense.evenly_spaced).all()


def test_xor_of_single_elements_claims_8():
    d = make_naive_tensor_descriptor_packed((8, 8))
    d = transform_tensor_descriptor(d, [Xor((8, 8))], [[0, 1]], [[0, 1]])
    assert ck_vector_hints(d, {2: VectorHint(8, 1)})[1] == VectorHint(8, 1)
    assert grid(d.offset(d.index), d.index)[5].tolist()[:4] == [45, 44, 47, 46]
    access = VectorAccess(d, 1, 8)
    assert everywhere(access, access.evenly_spaced).tolist() == [[True]] + [[False]] * 7


def test_right_pad_straddles_the_edge():
    d = make_naive_tensor_descriptor_packed((12,))
    d = transform_tensor_descriptor(d, [RightPad(12, 4)], [[0]], [[0]])
    assert ck_vector_hints(d, {1: VectorHint(8, 1)}) == (VectorHint(8, 1),)
    access = VectorAccess(d, 0, 8)
    assert everywhere(access, access.whole).tolist() == [True, False]
    assert everywhere(access, access.evenly_spaced).all()


def test_hints_through_unmerge_and_unknown_transforms():
    d = make_naive_tensor_descriptor_packed((4, 24))
    d = transform_tensor_descriptor(d, [Unmerge((2, 2)), Unmerge((2, 12))], [[0], [1]], [[0, 1], [2, 3]])
    assert ck_vector_hints(d, {2: VectorHint(8, 1)}) == (UNKNOWN, UNKNOWN, UNKNOWN, VectorHint(4, 1))
    d = transform_tensor_descriptor(
        d, [Pad(2, 1, 1), PassThrough(2), PassThrough(2), PassThrough(12)], [[0], [1], [2], [3]], [[0], [1], [2], [3]]
    )
    assert ck_vector_hints(d, {2: VectorHint(8, 1)})[0] == UNKNOWN
    assert ck_vector_hints(d, {2: VectorHint(8, 1), 7: VectorHint(2)})[0] == VectorHint(2)


def test_alignment():
    d = make_naive_tensor_descriptor((4, 8), (12, 1))
    access = VectorAccess(d, 1, 8)
    assert everywhere(access, access.aligned).ravel().tolist() == [True, False, True, False]
    four = VectorAccess(d, 1, 4)
    assert holds(four.aligned)


def test_candidates_and_steps_of_sizes():
    m = symbol("M", min=8, multiple_of=8)
    d = make_naive_tensor_descriptor((4, m), (m + 8, 1))
    assert vector_candidates(d, 1) == [8, 4, 2, 1]
    assert vector_candidates(d, 0) == [4, 2, 1]
    access = VectorAccess(d, 1, 8)
    assert holds(access.evenly_spaced)
    assert holds(access.aligned)
    index, step = step_along(d, 0)
    assert int(index[0].hi) == 2
    assert holds(step >= 8)
    with pytest.raises(LayoutError, match="vectors of 3 along a dimension of length M: it must be a multiple"):
        VectorAccess(d, 1, 3)
    with pytest.raises(LayoutError, match="dimension 2 of a descriptor of 2"):
        VectorAccess(d, 2, 4)
