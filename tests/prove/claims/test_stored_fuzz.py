"""Drawn layouts in bytes: a verdict on their claims is what counting says, at every size that there may be."""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from layoutalg.errors import LayoutError
from layoutalg.index import Expr, symbol, value
from layoutalg.layout import (
    Insert,
    Merge,
    Pad,
    PassThrough,
    Slice,
    TensorDescriptor,
    Xor,
    make_naive_tensor_descriptor,
    transform_tensor_descriptor,
)
from layoutalg.layout.bind import bind
from layoutalg.prove import InBounds, Limits, Proved, Refuted, prove
from layoutalg.prove.claims.stored import AlignedBytes, FitsBytes, OwnScale
from tests.fuzzing import FIRST, KNOWN, count

Stored = FitsBytes | AlignedBytes | OwnScale


def drawn(random: Random) -> tuple[TensorDescriptor, list[Expr]]:
    """A strided layout and a few transforms above it, and the sizes that it has."""
    sizes: dict[str, Expr] = {}
    symbolic = random.random() < 0.6

    def term() -> Expr | int:
        if not symbolic or random.random() < 0.4:
            return random.randint(1, 6)
        name, low, high, step = (
            random.choice("MN"),
            random.choice([1, 2, 3]),
            random.choice([4, 6]),
            random.choice([1, 2]),
        )
        size = sizes.setdefault(name, symbol(name, min=low, max=high, multiple_of=step))
        return size * random.choice([1, 2]) + random.choice([0, 0, 1])

    lengths = [term() for _ in range(random.choice([1, 2, 2, 3]))]
    strides: list[Expr | int] = [1]
    for n in lengths[:0:-1]:
        strides.insert(0, strides[0] * n + random.choice([0, 0, 0, 1, 2]))
    if random.random() < 0.5:
        strides = [random.choice([0, 1, 2, 3, 4, 8, 16, term()]) for _ in lengths]
    made = make_naive_tensor_descriptor(tuple(lengths), tuple(strides))
    for _ in range(random.choice([0, 1, 1, 2])):
        try:
            made = above(made, random)
        except LayoutError:
            continue
    return made, list(sizes.values())


def above(d: TensorDescriptor, random: Random) -> TensorDescriptor:
    """A transform of some dimension, or of two."""
    n, at = d.rank, random.randrange(d.rank)
    whole = [PassThrough(length) for length in d.lengths]
    ones = [[k] for k in range(n)]
    match random.choice(["pad", "slice", "insert", "merge", "xor"]):
        case "pad":
            one = Pad(d.lengths[at], random.choice([0, 1, 2]), random.choice([0, 1, 3]))
            return transform_tensor_descriptor(d, [*whole[:at], one, *whole[at + 1 :]], ones, ones)
        case "slice":
            one = Slice(d.lengths[at], 0, random.randint(1, 2))
            return transform_tensor_descriptor(d, [*whole[:at], one, *whole[at + 1 :]], ones, ones)
        case "insert":
            return transform_tensor_descriptor(d, [*whole, Insert(random.randint(1, 4))], [*ones, []], [*ones, [n]])
        case "merge" if n > 1:
            merged = [Merge(d.lengths[:2]), *whole[2:]]
            return transform_tensor_descriptor(d, merged, [[0, 1], *ones[2:]], ones[:-1])
        case "xor" if n > 1:
            pairs = [[0, 1], *ones[2:]]
            return transform_tensor_descriptor(d, [Xor(d.lengths[:2]), *whole[2:]], pairs, pairs)
    return d


def claimed(d: TensorDescriptor, random: Random) -> Stored:
    bits, n, dimension = random.choice([4, 6, 8, 16]), random.choice([1, 2, 3, 4, 8]), random.randrange(-d.rank, d.rank)
    return random.choice([
        FitsBytes(d, bits, random.choice([31, 32])),
        AlignedBytes(d, bits, n, random.choice([1, 2, 3, 4, 8, 16]), dimension),
        OwnScale(d, n, dimension),
    ])  # fmt: skip


def at_each_size(d: TensorDescriptor, sizes: list[Expr]) -> Iterator[TensorDescriptor]:
    """The layout at every choice of sizes that has one."""
    values = [[n for n in range(int(s.lo), int(s.hi) + 1) if n % s.value.multiple_of == 0] for s in sizes]
    for chosen in itertools.product(*values):
        try:
            one = bind(d, dict(zip(sizes, chosen, strict=True)))
        except LayoutError:
            continue
        if all(value(n, {}) >= 1 for n in one.lengths):
            yield one


def holds(claim: Stored) -> bool:
    """Whether it does, element by element."""
    d = claim.descriptor
    every = itertools.product(*(range(value(n, {})) for n in d.lengths))
    offsets = {index: value(d.offset(index), {}) for index in every if value(d.valid(index), {})}
    space = value(d.element_space_size, {})
    if isinstance(claim, FitsBytes):
        fit = all(o >= 0 and (o + 1) * claim.element_bits <= 8 << claim.bits for o in offsets.values())
        return fit and -(-space * claim.element_bits // 8) <= claim.most
    n, where = claim.count, claim.dimension % d.rank
    if isinstance(claim, AlignedBytes):
        firsts = (o for index, o in offsets.items() if index[where] % n == 0)
        return all(o * claim.element_bits % (8 * claim.multiple) == 0 for o in firsts)
    blocks: dict[tuple[int, ...], set[int]] = {}
    for index, o in offsets.items():
        blocks.setdefault((*index[:where], index[where] // n, *index[where + 1 :]), set()).add(o)
    scales = [scale for found in blocks.values() for scale in found]
    inside = isinstance(prove(InBounds(d)), Proved)  # of hidden indices too: that claim is counted elsewhere
    return inside and len(scales) == len(blocks) == len(set(scales))


@pytest.mark.fuzz
def test_verdicts_on_bytes_and_scales_are_what_counting_says() -> None:
    said = set()
    for seed in range(FIRST, FIRST + count(60)):
        random = Random(seed)
        layout, sizes = drawn(random)
        claim = claimed(layout, random)
        verdict = prove(claim, limits=Limits(seconds=1))
        each = [holds(replace(claim, descriptor=one)) for one in at_each_size(layout, sizes)]
        if each and isinstance(verdict, Proved | Refuted):
            said.add(verdict.name)
            assert all(each) == isinstance(verdict, Proved), (seed, claim, verdict)
    if KNOWN:
        assert said == {"proved", "refuted"}


def test_a_block_whose_first_elements_are_padding_has_the_scale_of_its_others() -> None:
    """Two elements of padding, then two that share a scale: blocks of three would cut those apart."""
    packed = make_naive_tensor_descriptor((1,), (1,))
    wide = transform_tensor_descriptor(packed, [PassThrough(1), Insert(2)], [[0], []], [[0], [1]])
    row = transform_tensor_descriptor(wide, [Merge((1, 2))], [[0, 1]], [[0]])
    padded = transform_tensor_descriptor(row, [Pad(2, 2, 0)], [[0]], [[0]])
    assert isinstance(prove(OwnScale(padded, 4)), Proved)
    assert isinstance(prove(OwnScale(padded, 3)), Refuted)  # element 2 in one block, element 3 in the next
