"""Layouts written as C++ read back as the same, and so do those written as spec files."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, seed, settings

from layoutalg.cpp import loads
from layoutalg.formats import DescriptorItem, SpecFile, dump
from layoutalg.formats import loads as load_spec
from layoutalg.formats.ck_write import to_ck
from layoutalg.index import as_expr, lookup, select, symbol
from layoutalg.layout import (
    CyclicShift,
    Functor,
    LayoutError,
    Merge,
    PassThrough,
    TensorDescriptor,
    TileDistribution,
    TileDistributionEncoding,
    Transform,
    Vectorize,
    Xor,
    XorNoModulo,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    transform_tensor_descriptor,
)
from tests.fuzzing import SEED
from tests.layout.chains import chains

E = as_expr


CANNOT = "has no function for|is no plain C\\+\\+ expression"
"""What is said of a transform that a dialect does not have."""


def written(d: TensorDescriptor, dialect: str) -> str | None:
    """The C++ of a descriptor; None where the dialect cannot say it."""
    try:
        return to_ck(d, dialect=dialect)
    except LayoutError as error:
        if re.search(CANNOT, str(error)):
            return None
        raise


def as_read(d: TensorDescriptor) -> tuple[object, ...]:
    """All of a descriptor; of a functor, its map within its length, which C++ may write otherwise."""
    t, lower, upper, top = d.tuples
    maps = [[x.lower([n]) for n in range(int(x.length))] if isinstance(x, Functor) else x for x in t]
    return maps, lower, upper, top, d.lengths, d.element_space_size


@pytest.mark.slow
def test_random_descriptors_read_back() -> None:
    count = Counter[str]()

    @seed(SEED)
    @settings(max_examples=100, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(chains())
    def check(d: TensorDescriptor) -> None:
        for dialect in ("ck_tile", "ck"):
            text = written(d, dialect)
            if text is not None:
                assert as_read(loads(text, "d.hpp").descriptor("make_layout").descriptor) == as_read(d)
                count[dialect] += 1
        text = dump(SpecFile("", {}, (DescriptorItem(name="d", descriptor=d),)))
        assert load_spec(text).descriptor("d").descriptor == d

    check()
    assert count["ck_tile"] > 40
    assert count["ck"] > 15


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
        (Functor.of(lambda u: u * 2 % 24, 12), [[0]], "ck_tile", "ck"),
        (Functor.of(lambda u: select(u < 5, u ^ 1, u // 2 + 3) * 2, 12), [[0]], "ck_tile", "ck"),
        (Functor.of(lambda u: (u - 5) % 24, 12), [[0]], None, "ck_tile"),
        (Functor.of(lambda u: lookup([4, 7], u % 2), 2), [[0]], None, "ck_tile"),
    ],
)
def test_dialects(transform: Transform, dims: list[list[int]], dialect: str | None, other: str | None) -> None:
    lengths = (24,) if len(dims[0]) == 1 else (4, 6)
    d = transform_tensor_descriptor(make_naive_tensor_descriptor_packed(lengths), [transform], dims, dims)
    if dialect:
        again = loads(to_ck(d, dialect=dialect), "d.hpp").descriptor("make_layout").descriptor
        assert as_read(again) == as_read(d)
    if other:
        with pytest.raises(LayoutError, match=CANNOT):
            to_ck(d, dialect=other)


def test_vectors_of_old_ck() -> None:
    d = transform_tensor_descriptor(make_naive_tensor_descriptor_packed((24,)), [Vectorize(E(4), E(6))], [[0]], [[0]])
    assert loads(to_ck(d, dialect="ck"), "d.hpp").descriptor("make_layout").descriptor == d
