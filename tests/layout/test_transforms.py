"""Every transform: lower stays in range, upper undoes lower, moving equals recomputing, and what is refused."""

import itertools

import numpy as np
import pytest

from layoutalg.index import symbol, value, var, variables
from layoutalg.index.evaluate import grids
from layoutalg.layout import (
    TRANSFORMS,
    CyclicShift,
    CyclicShiftInverse,
    Embed,
    Freeze,
    Functor,
    Indexing,
    Insert,
    LayoutError,
    LeftPad,
    Merge,
    MergeCarryCheck,
    MergeDivisionMod,
    MergeMagicDivision,
    MergeNoCarry,
    MergeScannedMagicDivision,
    Modulo,
    NoInverseError,
    Offset,
    Pad,
    PassThrough,
    Replicate,
    RightPad,
    Slice,
    TensorAdaptor,
    Transform,
    Unmerge,
    Vectorize,
    Xor,
    XorNoModulo,
    attach,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_aligned,
    make_naive_tensor_descriptor_packed,
    make_single_stage_tensor_adaptor,
    transform_tensor_descriptor,
)
from layoutalg.layout.ck import make_conv_bwd_data_out_transform
from layoutalg.layout.increments import increment_of
from layoutalg.layout.merge import Unmerge24Bit, magic_divide, magic_number
from layoutalg.layout.nonlinear import ModuloAddedTwice

CONV_BWD_DATA_OUT = make_conv_bwd_data_out_transform(2, 3, 3, 4, 1, 1, 1, 1, 1, 1, 3, 3, 1, 1, 0, 0, 1, 1, 2, 2, 4, 4)

EXAMPLES: list[Transform] = [
    PassThrough(7),
    Pad(5, 2, 3),
    LeftPad(5, 2),
    RightPad(5, 3),
    Embed((3, 4, 2), (20, 3, 1)),
    Embed((3, 4), (1, 1)),
    Merge((3, 4, 5)),
    MergeCarryCheck((3, 4, 5)),
    MergeMagicDivision((3, 4, 5)),
    MergeDivisionMod((3, 4, 5)),
    MergeScannedMagicDivision((3, 4, 5)),
    MergeNoCarry((3, 4, 5)),
    MergeNoCarry(()),
    Merge((7,)),
    Merge(()),
    MergeCarryCheck(()),
    Unmerge((3, 1, 5)),
    Unmerge24Bit((3, 5)),
    Freeze(3),
    Insert(4),
    Replicate((2, 3)),
    Slice(9, 2, 7),
    Modulo(4, 10),
    Modulo(10, 4),
    Xor((6, 8)),
    Xor((6, 6)),
    XorNoModulo((4, 8)),
    CyclicShift((7, 5)),
    CyclicShiftInverse((7, 5)),
    Offset(6, 9),
    Indexing((4, 0, 9, 2)),
    Indexing((4, 4, 9)),
    Functor.of(lambda u: u * u % 7, 9),
    Vectorize(4, 5),
    CONV_BWD_DATA_OUT,
]


def points(transform: Transform) -> list[np.ndarray]:
    """Every upper index: one array for each upper dimension."""
    axes = np.meshgrid(*(np.arange(int(n)) for n in transform.upper_lengths), indexing="ij")
    return [a.ravel() for a in axes]


def test_every_transform_of_the_table_has_an_example():
    assert {t.name for t in EXAMPLES} >= set(TRANSFORMS)


@pytest.mark.parametrize("transform", EXAMPLES, ids=repr)
def test_upper_undoes_lower_wherever_it_is_given(transform):
    for u in itertools.product(*(range(int(n)) for n in transform.upper_lengths)):
        try:
            back = transform.upper(transform.lower(u))
        except NoInverseError:
            assert transform.name in (
                "embed",
                "modulo",
                "indexing",
                "functor",
                "insert",
                "replicate",
                "conv_bwd_data_out",
            )
            return
        assert tuple(map(int, back)) == u


INVERTIBLE = {
    "embed where strides nest": Embed((3, 4, 2), (20, 3, 1)),
    "embed in any order": Embed((4, 3), (1, 4)),
    "embed with a dimension of one": Embed((4, 1, 3), (3, 0, 1)),
    "modulo of a shorter dimension": Modulo(10, 4),
    "indexing without repetition": Indexing((4, 0, 9, 2)),
    "one copy is no copy": Replicate((1, 1)),
}


@pytest.mark.parametrize("transform", INVERTIBLE.values(), ids=INVERTIBLE)
def test_inverse_exists(transform):
    u = tuple(int(n) - 1 for n in transform.upper_lengths)
    assert tuple(map(int, transform.upper(transform.lower(u)))) == u


NOT_INVERTIBLE = {
    "embed with overlap": Embed((3, 4), (1, 1)),
    "embed with stride 0": Embed((3, 4), (0, 1)),
    "modulo that wraps": Modulo(4, 10),
    "indexing with repetition": Indexing((4, 4, 9)),
    "indexing of sizes": Indexing((symbol("P"), 9)),
    "copies": Replicate((2, 3)),
    "inserted": Insert(4),
    "any function": Functor.of(lambda u: u * u, 3),
}


@pytest.mark.parametrize("transform", NOT_INVERTIBLE.values(), ids=NOT_INVERTIBLE)
def test_no_inverse_is_refused_by_name(transform):
    with pytest.raises(NoInverseError, match=transform.name):
        transform.upper(tuple(0 for _ in transform.lower_lengths))


@pytest.mark.parametrize("transform", [t for t in EXAMPLES if t != Xor((6, 6))], ids=repr)
def test_lower_stays_in_the_lower_lengths(transform):
    u = points(transform)
    keep = [bool(transform.valid(tuple(map(int, p)))) for p in zip(*u, strict=True)]
    for p in itertools.compress(zip(*u, strict=True), keep):
        for index, length in zip(transform.lower(tuple(map(int, p))), transform.lower_lengths, strict=True):
            assert length is None or 0 <= int(index) < int(length)


@pytest.mark.parametrize("transform", [t for t in EXAMPLES if not isinstance(t, Unmerge24Bit | MergeNoCarry)], ids=repr)
def test_moving_equals_recomputing_between_all_pairs(transform):
    wrong = disagreements(transform)
    assert not wrong.any()


def disagreements(transform: Transform) -> np.ndarray:
    """For each pair (start, end): whether moving from start to end gives another lower index than computing at end."""
    step = increment_of(transform)
    if not step.moved:
        return np.zeros(0, dtype=bool)
    found = grids([*step.moved, *step.recomputed], [*step.start, *step.end])
    half = len(step.moved)
    return np.any([a != b for a, b in zip(found[:half], found[half:], strict=True)], axis=0)


def test_a_table_may_hold_sizes():
    size = symbol("P")
    for count in range(1, 8):
        table = [size + 3 * n if n % 2 else n for n in range(count)]
        lower = Indexing(tuple(table)).lower((var("u", count),))[0]
        for u in range(count):
            assert value(lower, {size: 5, **{v: u for v in variables(lower) if v is not size}}) == (
                5 + 3 * u if u % 2 else u
            )


def test_ck_modulo_adds_the_difference_twice():
    wrong = disagreements(ModuloAddedTwice(4, 10))
    assert not wrong[2, 2]
    assert wrong[1, 2]
    moved = ModuloAddedTwice(4, 10).update_lower_index((1,), (1,), (2,))
    assert tuple(map(int, moved[1])) == (3,)
    assert tuple(map(int, Modulo(4, 10).update_lower_index((1,), (1,), (2,))[1])) == (2,)


def test_ck_24_bit_unmerge_goes_wrong_on_a_negative_step():
    diff, moved = Unmerge24Bit((3, 5)).update_lower_index((-1, 0), (13,), (1, 3))
    assert (int(diff[0]), int(moved[0])) == (83886075, 83886088)
    assert int(Unmerge((3, 5)).update_lower_index((-1, 0), (13,), (1, 3))[1][0]) == 8


def test_merge_without_carries_moves_right_below_its_last_length_only():
    step = disagreements(MergeNoCarry((2, 3)))
    right = np.zeros((6, 6), dtype=bool)
    right[:3, :3] = True
    assert np.array_equal(~step, right)


def test_conv_backward_data_is_its_own_four_loops():
    """Stride 2, a 3×3 filter, the dots of one tilde: the formula of its docstring, index by index."""
    t = make_conv_bwd_data_out_transform(2, 5, 4, 3, 2, 2, 2, 2, 1, 1, 4, 3, 2, 2, 1, 0, 1, 1, 4, 4, 32, 16)
    rows = [(n, h, w) for n in range(2) for h in range(4) for w in range(3)]
    dots = [(y, x, c) for y in range(2) for x in range(2) for c in range(3)]
    assert tuple(map(int, t.upper_lengths)) == (4, 32, 4)
    for m, k in itertools.product(range(32), range(16)):
        u = k // 4, m, k % 4
        assert bool(t.valid(u)) == (m < len(rows) and k < len(dots))
        if t.valid(u):
            (n, h, w), (y, x, c) = rows[m], dots[k]
            assert tuple(map(int, t.lower(u))) == (n, h + 1 - y, w - x, c)


def test_24_bit_unmerge_is_right_going_up_only():
    wrong = disagreements(Unmerge24Bit((3, 5)))
    assert wrong.any()
    assert not wrong[1, 2, 2, 3]
    assert wrong[2, 3, 1, 3]


@pytest.mark.parametrize("lengths", [(3, 4, 5), (2, 2), (1, 7, 1), (6,), (2, 3, 1, 2, 5, 3)])
def test_merge_variants_agree_on_valid_indices(lengths):
    u = np.arange(np.prod(lengths))
    found = []
    for kind in (Merge, MergeCarryCheck, MergeMagicDivision, MergeScannedMagicDivision, MergeDivisionMod, MergeNoCarry):
        adaptor = make_single_stage_tensor_adaptor([kind(lengths)], [list(range(len(lengths)))], [[0]])
        found.append(np.stack(grids(adaptor.lower(adaptor.index), adaptor.index)))
    assert all(np.array_equal(found[0], other) for other in found[1:])
    assert np.array_equal(found[0], np.stack(np.unravel_index(u, lengths)))


def test_merge_variants_differ_outside():
    assert [tuple(map(int, kind((4, 5)).lower((-1,)))) for kind in (Merge, MergeDivisionMod)] == [(-1, 4), (0, -1)]
    assert [tuple(map(int, kind((4, 5)).lower((22,)))) for kind in (Merge, MergeMagicDivision)] == [(4, 2), (4, 2)]


def test_magic_numbers_divide_exactly_at_the_edges():
    rng = np.random.default_rng(7)
    divisors = [
        1,
        2,
        3,
        5,
        7,
        641,
        2**16,
        2**16 + 1,
        2**30,
        2**30 + 1,
        2**31 - 1,
        *map(int, rng.integers(1, 2**31, 40)),
    ]
    for d in divisors:
        magic = magic_number(d)
        for n in {0, 1, d - 1, d, d + 1, 2**31 - 1, 2**31 - 2, 2**31 // d * d - 1, int(rng.integers(0, 2**31))}:
            if 0 <= n < 2**31:
                assert int(magic_divide(n, magic)) == n // d, (n, d)


def test_magic_number_of_a_size_is_an_expression():
    from layoutalg.index.evaluate import values

    d = symbol("D", min=1, max=2**31 - 1)
    magic = magic_number(d)
    for n in (1, 2, 3, 7, 8, 9, 2**31 - 1):
        assert values(magic, {d: n}) == list(map(int, magic_number(n)))


# --- refused ----------------------------------------------------------------------------------------------------------

N = symbol("N", min=1)

REFUSED = {
    "length 0": (lambda: Merge((4, 0)), "merge.*length 1 is 0; a length is at least 1"),
    "negative length": (lambda: Merge((4, -2)), "length 1 is -2; a length is at least 1"),
    "negative pad": (lambda: Pad(4, -1, 0), "pad: left is -1; it is at least 0"),
    "negative right pad": (lambda: RightPad(4, -1), "right_pad: right is -1"),
    "embed of unequal lists": (lambda: Embed((2, 3), (1,)), "2 lengths but 1 strides"),
    "begin above end": (lambda: Slice(9, 5, 3), "slice: begin 5 is not below end 3"),
    "empty slice": (lambda: Slice(9, 5, 5), "slice: begin 5 is not below end 5"),
    "slice past the end": (lambda: Slice(9, 5, 10), "slice: 5…10 is not within a dimension of length 9"),
    "slice before the beginning": (lambda: Slice(9, -1, 3), "slice: -1…3 is not within a dimension of length 9"),
    "slice past a size": (lambda: Slice(N, 0, N + 1), r"slice: 0…N \+ 1 is not within a dimension of length N"),
    "modulus 0": (lambda: Modulo(0, 4), "modulo: modulus 0 is not at least 1"),
    "xor of three": (lambda: Xor((2, 3, 4)), "xor: 3 lengths; it works on two dimensions"),
    "empty table": (lambda: Indexing(()), "indexing: the table holds at least one entry"),
    "2^62 elements": (lambda: Merge((1 << 31, 1 << 31)), r"2\^62 elements or more are refused"),
    "2^62 elements of packed": (lambda: make_naive_tensor_descriptor_packed((1 << 62,)), r"2\^62 elements"),
    "2^62 reach": (lambda: make_naive_tensor_descriptor((2, 2), (1 << 62, 1)), r"2\^62 elements or more are refused"),
    "no dimension": (lambda: make_naive_tensor_descriptor((), ()), "a tensor has at least one dimension"),
    "align 0": (lambda: make_naive_tensor_descriptor_aligned((4, 5), 0), "aligned: align is 0; it is at least 1"),
    "strides missing": (lambda: make_naive_tensor_descriptor((4, 5), (1,)), "2 lengths but 1 strides"),
    "magic of 2^31": (lambda: MergeMagicDivision((2, 1 << 31)), r"magic numbers are for 1…2\^31 − 1"),
}


@pytest.mark.parametrize(("make", "message"), REFUSED.values(), ids=REFUSED)
def test_refused_with_the_reason(make, message):
    with pytest.raises(LayoutError, match=message):
        make()


PACKED = make_naive_tensor_descriptor_packed((2, 6))

MISATTACHED = {
    "wrong length": ([PassThrough(2), PassThrough(5)], [[0], [1]], [[0], [1]],
                     "pass_through\\(5\\) is attached to dimension 1: its lower length is 5, the dimension's is 6"),
    "wrong merge": ([Merge((2, 5))], [[0, 1]], [[0]],
                    "merge\\(\\(2, 5\\)\\) is attached to dimension 1: its lower length is 5, the dimension's is 6"),
    "wrong pad": ([Pad(4, 1, 1), PassThrough(6)], [[0], [1]], [[0], [1]], "pad.*its lower length is 4.*'s is 2"),
    "freeze outside": ([PassThrough(2), Freeze(6)], [[0], [1]], [[0], []],
                       "freeze\\(6\\) is attached to dimension 1, which has indices 0…5 only"),
    "freeze below 0": ([PassThrough(2), Freeze(-1)], [[0], [1]], [[0], []], "freeze\\(-1\\) is attached"),
    "table outside": ([PassThrough(2), Indexing((0, 6))], [[0], [1]], [[0], [1]],
                      "indexing\\(\\(0, 6\\)\\) is attached to dimension 1, which has indices 0…5 only"),
    "table below 0": ([PassThrough(2), Indexing((0, -1))], [[0], [1]], [[0], [1]], "indices 0…5 only"),
    "missing lower": ([PassThrough(2)], [[0]], [[0]], "lower dimension 1 is used by no transform"),
    "lower twice": ([PassThrough(2), PassThrough(2)], [[0], [0]], [[0], [1]], "lower dimension 0 is used 2 times"),
    "upper twice": ([PassThrough(2), PassThrough(6)], [[0], [1]], [[0], [0]], "upper dimension 0 is used 2 times"),
    "upper missing": ([PassThrough(2), PassThrough(6)], [[0], [1]], [[0], [2]], "upper dimension 2 does not exist"),
    "no such lower": ([PassThrough(2), PassThrough(6)], [[0], [2]], [[0], [1]], "lower dimension 2 does not exist"),
    "negative lower": ([PassThrough(2), PassThrough(6)], [[0], [-1]], [[0], [1]], "lower dimension -1 does not exist"),
    "rank": ([Merge((2, 6))], [[0]], [[0]], "has 2 lower dimensions, \\[0\\] lists 1"),
    "lists": ([PassThrough(2)], [[0], [1]], [[0]], "1 transforms, 2 lower and 1 upper lists"),
}  # fmt: skip


@pytest.mark.parametrize(("transforms", "lower", "upper", "message"), MISATTACHED.values(), ids=MISATTACHED)
def test_attachment_that_does_not_fit_is_refused(transforms, lower, upper, message):
    with pytest.raises(LayoutError, match=message):
        transform_tensor_descriptor(PACKED, transforms, lower, upper)
    with pytest.raises(LayoutError, match=message):
        attach(PACKED.adaptor, transforms, lower, upper)


UNLINKED = {
    "top": ([[0], [1], [3]], [[1], [2, 3], [4]], [2, 3],
            r"top ids \[2, 3\], but the ids that no transform uses are \[2, 4\]"),
    "top repeated": ([[0], [1], [3]], [[1], [2, 3], [4]], [2, 4, 4], r"top ids \[2, 4, 4\]"),
    "cycle": ([[4], [1], [3]], [[1], [2, 3], [4]], [2], "lower id 4 is not made below it"),
    "dangling": ([[0], [9], [3]], [[1], [2, 3], [4]], [2, 4], "lower id 9 is not made below it"),
    "used twice": ([[0], [1], [1]], [[1], [2, 3], [4]], [2, 3, 4], "lower id 1 is not made below it, or is used twice"),
    "made twice": ([[0], [1], [3]], [[1], [2, 3], [2]], [2, 2], "id 2 is made 2 times"),
    "rank": ([[0], [1], [3]], [[1], [2], [4]], [2, 4], r"unmerge\(\(3, 4\)\) has 2 upper dimensions, \[2\] lists 1"),
    "fit": ([[0], [1], [2]], [[1], [2, 3], [4]], [3, 4], "its lower length is 4, the dimension's is 3"),
}  # fmt: skip


@pytest.mark.parametrize(("lower", "upper", "top", "message"), UNLINKED.values(), ids=UNLINKED)
def test_ids_that_are_not_made_once_and_used_once_are_refused(lower, upper, top, message):
    transforms = (PassThrough(12), Unmerge((3, 4)), PassThrough(4))
    with pytest.raises(LayoutError, match=message):
        TensorAdaptor(transforms, tuple(map(tuple, lower)), tuple(map(tuple, upper)), (0,), tuple(top))


def test_attachment_of_sizes_is_compared_as_algebra():
    m, n = symbol("M"), symbol("N")
    d = make_naive_tensor_descriptor_packed((m * n, 8))
    transform_tensor_descriptor(d, [Unmerge((n, m)), PassThrough(8)], [[0], [1]], [[0, 1], [2]])
    with pytest.raises(LayoutError, match=r"its lower length is N \* 7, the dimension's is M \* N"):
        transform_tensor_descriptor(d, [Unmerge((n, 7)), PassThrough(8)], [[0], [1]], [[0, 1], [2]])
