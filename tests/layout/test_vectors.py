"""CK's vector hints as CK computes them, and where they are wrong: the prover finds the vector."""

from layoutalg.index import symbol
from layoutalg.index.evaluate import grid
from layoutalg.layout import (
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
from layoutalg.layout.vectors import UNKNOWN, VectorHint, ck_vector_hints, vector_candidates
from layoutalg.prove import Contiguous, Proved, Refuted, prove


def reason(d: TensorDescriptor, dimension: int, count: int) -> str:
    """Why elements along a dimension are no vectors."""
    verdict = prove(Contiguous(d, dimension, count))
    assert isinstance(verdict, Refuted)
    return verdict.reason


def vectors(d: TensorDescriptor, dimension: int, count: int) -> bool:
    return isinstance(prove(Contiguous(d, dimension, count)), Proved)


def merged(strides: tuple[int, int]) -> TensorDescriptor:
    d = make_naive_tensor_descriptor((8, 12), strides)
    return transform_tensor_descriptor(d, [Merge((8, 12))], [[0, 1]], [[0]])


def test_merge_claims_8_of_rows_of_12():
    d = merged((16, 1))
    assert ck_vector_hints(d, {2: VectorHint(8, 1)}) == (VectorHint(8, 1),)
    assert reason(d, 0, 8) == "elements are consecutive: not at index 12, offset 16, vector at 8"
    assert vectors(d, 0, 4)
    assert vectors(merged((12, 1)), 0, 8)


def test_xor_of_single_elements_claims_8():
    d = make_naive_tensor_descriptor_packed((8, 8))
    d = transform_tensor_descriptor(d, [Xor((8, 8))], [[0, 1]], [[0, 1]])
    assert ck_vector_hints(d, {2: VectorHint(8, 1)})[1] == VectorHint(8, 1)
    assert grid(d.offset(d.index), d.index)[5].tolist()[:4] == [45, 44, 47, 46]
    assert reason(d, 1, 8) == "elements are consecutive: not at index (1, 1), offset 8, vector at 9"


def test_right_pad_straddles_the_edge():
    d = make_naive_tensor_descriptor_packed((12,))
    d = transform_tensor_descriptor(d, [RightPad(12, 4)], [[0]], [[0]])
    assert ck_vector_hints(d, {1: VectorHint(8, 1)}) == (VectorHint(8, 1),)
    assert reason(d, 0, 8) == "a vector is valid as a whole: not at index 12, offset 12, vector at 8"
    assert vectors(d, 0, 4)


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
    assert reason(d, 1, 8) == "vectors are aligned to 8: not at index (1, 0), offset 12, vector at 12"
    assert vectors(d, 1, 4)


def test_candidates_of_sizes():
    m = symbol("M", min=8, multiple_of=8)
    d = make_naive_tensor_descriptor((4, m), (m + 8, 1))
    assert vector_candidates(d, 1) == [8, 4, 2, 1]
    assert vector_candidates(d, 0) == [4, 2, 1]
    assert vectors(d, 1, 8)
