"""CuTe's layouts as descriptors and back: the same map, by enumeration and proved; what has none is refused."""

import itertools
import random

import pytest

from layoutalg.errors import LayoutError
from layoutalg.index import symbol
from layoutalg.interop.cute import Layout, NoLayoutError, composition, descriptor, layout_of, parse
from layoutalg.interop.cute.layout import AnyLayout, ComposedLayout
from layoutalg.layout import (
    CyclicShift,
    Embed,
    Merge,
    Modulo,
    RightPad,
    TensorDescriptor,
    Unmerge,
    XorNoModulo,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    transform_tensor_descriptor,
)
from layoutalg.prove import Agree, Bijective, InBounds, prove
from layoutalg.synth.gemm import swizzled
from tests.fuzzing import FIRST, count
from tests.interop.cute import oracle


def offsets(d: TensorDescriptor) -> list[int]:
    """By CuTe's counting: the first dimension fastest."""
    return [int(d.offset(at[::-1])) for at in itertools.product(*(range(int(n)) for n in reversed(d.lengths)))]


def swizzled_values(layout: AnyLayout) -> list[int]:
    if isinstance(layout, Layout):
        return oracle.values(layout)
    b, m, s = layout.swizzle.bits, layout.swizzle.base, layout.swizzle.shift
    found = []
    for one in oracle.values(layout.layout):
        x = one + int(layout.offset)
        for bit in range(b):
            from_, to = m + bit + max(s, 0), m + bit + max(-s, 0)
            x ^= ((one + int(layout.offset)) >> from_ & 1) << to
        found.append(x)
    return found


LAYOUTS = [
    "8:1", "(4,8):(8,1)", "((4,2),8):((2,1),16)", "((2,2),(2,(3,2))):((1,16),(2,(4,32)))", "(4,8):(0,1)", "1:0",
    "Sw<3,4,3> o 0 o (8,64):(64,1)", "Sw<2,0,3> o 0 o (4,8):(8,1)", "Sw<2,0,-3> o 0 o (8,32):(32,1)",
    "Sw<1,1,2> o 8 o ((2,2),4):((1,4),8)", "Sw<0,0,0> o 3 o 4:-1", "Sw<0,4,3> o 5 o (2,3):(3,1)",
    "Sw<2,1,3> o 5 o (3,5):(7,2)",
]  # fmt: skip


@pytest.mark.parametrize("text", LAYOUTS)
def test_the_descriptor_is_the_layout(text: str) -> None:
    layout = parse(text)
    d = descriptor(layout)
    assert offsets(d) == swizzled_values(layout) == [layout(i) for i in range(len(offsets(d)))]
    assert len(d.lengths) == len(layout)
    assert prove(InBounds(d))


@pytest.mark.parametrize("text", LAYOUTS[:-1])
def test_and_back(text: str) -> None:
    layout = parse(text)
    back = layout_of(descriptor(layout))
    assert swizzled_values(back) == swizzled_values(layout)
    assert len(back) == len(layout)


@pytest.mark.fuzz
def test_random_layouts_there_and_back() -> None:
    for seed in range(FIRST, FIRST + count(25, dear=20)):
        layout = oracle.any_layout(random.Random(seed))
        if oracle.count(layout) <= 1 << 8:
            d = descriptor(layout)
            assert offsets(d) == oracle.values(layout), f"seed {seed}"
            assert oracle.values(layout_of(d)) == oracle.values(layout), f"seed {seed}"


def test_a_composition_that_is_no_layout_is_a_descriptor() -> None:
    outer, inner = parse("(4,8):(8,1)"), parse("(3,2):(1,3)")
    with pytest.raises(NoLayoutError):
        composition(outer, inner)
    d = descriptor(outer, inner)
    assert offsets(d) == [oracle.at(outer, i) for i in oracle.values(inner)]
    with pytest.raises(NoLayoutError) as refused:
        layout_of(d)
    assert refused.value.coordinate == (1, 1)


def test_cks_xor_tile_is_cutes_swizzle() -> None:
    tile = parse("Sw<3,3,3> o 0 o (64,64):(64,1)")
    assert layout_of(swizzled(64, 64)) == tile
    assert prove(Agree(descriptor(tile), swizzled(64, 64)))
    assert prove(Bijective(descriptor(tile)))
    assert not prove(Agree(descriptor(parse("Sw<2,3,3> o 0 o (64,64):(64,1)")), swizzled(64, 64)))


def test_what_hides_a_layout_is_seen_through() -> None:
    """By values where the formula does not show it: a modulo that never goes round, a merge cut again."""
    d = make_naive_tensor_descriptor_packed((24,))
    once = transform_tensor_descriptor(d, [Modulo(24, 24)], [[0]], [[0]])
    assert str(layout_of(once)) == "(24):(1)"
    cut = transform_tensor_descriptor(d, [Unmerge((2, 3, 4))], [[0]], [[0, 1, 2]])
    merged = transform_tensor_descriptor(cut, [Merge((3, 2)), Unmerge((2, 2))], [[1, 0], [2]], [[0], [1, 2]])
    assert oracle.values(layout_of(merged)) == offsets(merged)


def padded() -> TensorDescriptor:
    return transform_tensor_descriptor(make_naive_tensor_descriptor((6,), (1,)), [RightPad(6, 2)], [[0]], [[0]])


def round_and_round() -> TensorDescriptor:
    return transform_tensor_descriptor(make_naive_tensor_descriptor((5,), (1,)), [Modulo(5, 12)], [[0]], [[0]])


def shifted() -> TensorDescriptor:
    return transform_tensor_descriptor(
        make_naive_tensor_descriptor((6, 5), (5, 1)), [CyclicShift((6, 5))], [[0, 1]], [[0, 1]]
    )


def other_xor() -> TensorDescriptor:
    """Two xors of one bit: no one swizzle."""
    d = make_naive_tensor_descriptor_packed((2, 2, 2))
    return transform_tensor_descriptor(
        transform_tensor_descriptor(
            transform_tensor_descriptor(d, [XorNoModulo((2, 2)), Embed((2,), (1,))], [[0, 2], [1]], [[0, 2], [1]]),
            [XorNoModulo((2, 2)), Embed((2,), (1,))], [[1, 2], [0]], [[1, 2], [0]],
        ),
        [Merge((2, 2, 2))], [[0, 1, 2]], [[0]],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("made", "reason", "coordinate"),
    [
        (padded, "padding", (6,)),
        (round_and_round, "straight up to there, and 5 does not divide the 12", (5,)),
        (shifted, "straight up to there|is not the sum of its dimensions' parts", None),
        (other_xor, "straight up to there|is not the sum of its dimensions' parts", None),
    ],
)
def test_what_no_layout_is_is_refused(made: object, reason: str, coordinate: object) -> None:
    with pytest.raises(NoLayoutError, match=reason) as refused:
        layout_of(made())
    assert refused.value.coordinate is not None
    assert coordinate in (None, refused.value.coordinate)


def test_offsets_before_memory_are_refused_with_what_would_do() -> None:
    with pytest.raises(LayoutError) as refused:
        descriptor(parse("(2,4):(4,-1)"))
    assert "offset -3 at (0,3)" in str(refused.value)
    text = str(refused.value).split("as in ")[1]
    assert offsets(descriptor(parse(text))) == [3, 7, 2, 6, 1, 5, 0, 4]


def test_for_all_sizes() -> None:
    names = {"M": symbol("M"), "N": symbol("N", multiple_of=4)}
    for text in ("(M,N):(N,1)", "(M,(4,N//4)):(N,(N//4,1))", "((2,N),M):((1,4),5*N)"):
        layout = parse(text, names)
        d = descriptor(layout)
        assert layout_of(d) == layout
        assert prove(InBounds(d))
    rows = parse("(M,(4,N//4)):(N,(N//4,1))", names)
    assert prove(Bijective(descriptor(rows)))
    assert not prove(Agree(descriptor(rows), descriptor(parse("(M,N):(N,1)", names))))


def test_an_identity_swizzle_is_an_offset() -> None:
    made = layout_of(descriptor(parse("Sw<0,4,3> o 5 o (2,3):(3,1)")))
    assert isinstance(made, ComposedLayout)
    assert (made.offset, made.swizzle.bits) == (5, 0)
