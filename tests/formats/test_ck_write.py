"""Layouts written as C++ read back as the same, and so do those written as spec files."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from layoutalg.formats import DescriptorItem, SpecFile, dump
from layoutalg.formats import loads as load_spec
from layoutalg.formats.ck_cpp import loads, to_ck
from layoutalg.index import Expr, as_expr, symbol
from layoutalg.layout import (
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
    MergeDivisionMod,
    MergeMagicDivision,
    Modulo,
    Offset,
    Pad,
    PassThrough,
    Replicate,
    RightPad,
    Slice,
    TensorDescriptor,
    TileDistribution,
    TileDistributionEncoding,
    Transform,
    Unmerge,
    Vectorize,
    Xor,
    XorNoModulo,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_aligned,
    make_naive_tensor_descriptor_packed,
    make_naive_tensor_descriptor_with_offset,
    transform_tensor_descriptor,
)

E = as_expr


def single(length: Expr, rng: random.Random) -> Transform:
    """A transform of one dimension."""
    n = int(length)
    divisors = [d for d in range(1, n + 1) if n % d == 0]
    d = rng.choice(divisors)
    return rng.choice(
        [
            PassThrough(length), Pad(length, E(rng.randrange(3)), E(rng.randrange(3))), LeftPad(length, E(1)),
            RightPad(length, E(rng.randrange(4))), Unmerge((E(d), E(n // d))), Freeze(E(rng.randrange(n))),
            Slice(length, E(0), length), Embed((E(2), E(3)), (E(1), E(2))), Modulo(length, E(2 * n)),
            Offset(E(1), E(n - 1)), Indexing(tuple(E(rng.randrange(n)) for _ in range(3))),
        ]
    )  # fmt: skip


def several(lengths: tuple[Expr, ...], rng: random.Random) -> Transform:
    """A transform of several dimensions."""
    merges = [Merge, MergeDivisionMod, MergeMagicDivision]
    pairs = [Xor, CyclicShift, CyclicShiftInverse] if len(lengths) == 2 else []
    return rng.choice([*merges, *pairs])(lengths)


def shuffled_groups(total: int, sizes: Sequence[int], rng: random.Random) -> list[list[int]]:
    """The numbers below `total` in random groups of these sizes."""
    numbers = rng.sample(range(total), total)
    return [[numbers.pop() for _ in range(size)] for size in sizes]


def layer(d: TensorDescriptor, rng: random.Random) -> TensorDescriptor:
    """One more random layer on a descriptor."""
    dims, groups = rng.sample(range(d.rank), d.rank), []
    while dims:
        count = rng.choice([1, 1, 1, 2, 3])
        groups.append(dims[:count])
        dims = dims[count:]
    made = [
        single(d.lengths[g[0]], rng) if len(g) == 1 else several(tuple(d.lengths[i] for i in g), rng) for g in groups
    ]
    if rng.random() < 0.3:
        made.insert(rng.randrange(len(made) + 1), extra := rng.choice([Insert(E(3)), Replicate((E(2), E(1)))]))
        groups.insert(made.index(extra), [])
    counts = [len(t.upper_lengths) for t in made]
    if not sum(counts):
        return d
    return transform_tensor_descriptor(d, made, groups, shuffled_groups(sum(counts), counts, rng))


def descriptor(seed: int) -> TensorDescriptor:
    """A random descriptor of up to four layers."""
    rng = random.Random(seed)
    lengths = [E(rng.choice([1, 2, 3, 4, 6, 8])) for _ in range(rng.randrange(1, 5))]
    strides = [E(rng.randrange(1, 40)) for _ in lengths]
    d = rng.choice(
        [
            make_naive_tensor_descriptor(lengths, strides), make_naive_tensor_descriptor_packed(lengths),
            make_naive_tensor_descriptor_aligned(lengths, 4),
            make_naive_tensor_descriptor_with_offset(lengths, strides, rng.randrange(1, 9)),
        ]
    )  # fmt: skip
    for _ in range(rng.randrange(5)):
        d = layer(d, rng)
    return d


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_random_descriptors_read_back(first: int) -> None:
    for seed in range(first, first + 50):
        d = descriptor(seed)
        assert loads(to_ck(d), "d.hpp").descriptor("make_layout").descriptor == d, f"seed {seed}"
        text = dump(SpecFile("", {}, (DescriptorItem(name="d", descriptor=d),)))
        assert load_spec(text).descriptor("d").descriptor == d, f"seed {seed}"


def test_symbols_become_parameters() -> None:
    m, k = symbol("M", min=8, max=4096, multiple_of=8), symbol("K", min=1, power_of_two=True)
    d = make_naive_tensor_descriptor((k // 2 + 1, m, 8), ((m + 1) * 8, 8, 1))
    d = transform_tensor_descriptor(d, [PassThrough(m), Merge((k // 2 + 1, E(8)))], [[1], [0, 2]], [[1], [0]])
    text = to_ck(d, "a_lds")
    assert "make_a_lds(index_t K, index_t M)" in text
    assert "// M: 8 … 4096, a multiple of 8" in text
    given = {"M": "{ min = 8, max = 4096, multiple_of = 8 }", "K": "{ min = 1, power_of_two = true }"}
    assert loads(text, "d.hpp", given).descriptor("make_a_lds").descriptor == d


def test_distributions_read_back() -> None:
    encoding = TileDistributionEncoding(
        (E(2),), ((E(4), E(2), E(8), E(4)), (E(4), E(2), E(8), E(4))), ((0, 1, 2), (1, 2)), ((0, 1, 1), (2, 2)),
        (1, 1, 2, 2), (0, 3, 0, 3),
    )  # fmt: skip
    tile = TileDistribution(encoding)
    (item,) = loads(to_ck(tile, "tile"), "d.hpp").distributions
    assert item.distribution == tile


@pytest.mark.parametrize(
    ("transform", "dims", "dialect", "other"),
    [
        (XorNoModulo((E(4), E(6))), [[0, 1]], "ck", "ck_tile"),
        (Xor((E(4), E(6))), [[0, 1]], "ck", None),
        (CyclicShift((E(4), E(6))), [[0, 1]], "ck_tile", "ck"),
        (Functor.of(lambda u: u * 2 % 24, 12), [[0]], None, "ck_tile"),
    ],
)
def test_dialects(transform: Transform, dims: list[list[int]], dialect: str | None, other: str | None) -> None:
    lengths = (24,) if len(dims[0]) == 1 else (4, 6)
    d = transform_tensor_descriptor(make_naive_tensor_descriptor_packed(lengths), [transform], dims, dims)
    if dialect:
        assert loads(to_ck(d, dialect=dialect), "d.hpp").descriptor("make_layout").descriptor == d
    if other:
        with pytest.raises(LayoutError, match="has no function for"):
            to_ck(d, dialect=other)


def test_vectors_of_old_ck() -> None:
    d = transform_tensor_descriptor(make_naive_tensor_descriptor_packed((24,)), [Vectorize(E(4), E(6))], [[0]], [[0]])
    assert loads(to_ck(d, dialect="ck"), "d.hpp").descriptor("make_layout").descriptor == d
