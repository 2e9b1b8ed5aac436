"""Chains whose upper transforms leave the lengths below: every reading still computes what plain integers do.

An expression may be simplified only by ranges that hold where it is used.  A transform's own length is none of these:
an embed, an offset or a functor above it may ask it anywhere, and CK computes the same formula there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from random import Random

import pytest

from layoutalg.formats.offsets import offsets
from layoutalg.index import Term, grid, select, simplify, unlimited, value, var
from layoutalg.layout import (
    CyclicShift,
    CyclicShiftInverse,
    Embed,
    Functor,
    Indexing,
    LayoutError,
    LeftPad,
    Merge,
    MergeCarryCheck,
    MergeDivisionMod,
    MergeMagicDivision,
    Modulo,
    Offset,
    Pad,
    PassThrough,
    RightPad,
    Slice,
    TensorDescriptor,
    Transform,
    Unmerge,
    Vectorize,
    Xor,
    XorNoModulo,
    make_naive_tensor_descriptor,
    transform_tensor_descriptor,
)
from layoutalg.prove import InBounds, Injective, Proved, Refuted, prove
from layoutalg.prove.domain import index_form
from tests.layout.chains import REFERENCE, VALID
from tests.matrix import some

FORMULAS: Sequence[Callable[[int], Callable[[Term], Term]]] = (
    lambda n: lambda u: u % n,
    lambda n: lambda u: u // n,
    lambda n: lambda u: u % n * 3 + u // n,
    lambda n: lambda u: u ^ (n - 1),
    lambda n: lambda u: (u & 3) * n - u,
    lambda n: lambda u: (u * 5 - 2) % (2 * n),
)
"""Python functions of integers and of expressions alike; n is the length, within which most of them simplify."""
Formulas = dict[Functor, Callable[[int], int]]


def one(random: Random, n: int, formulas: Formulas) -> Transform:
    """A transform over one dimension of length n."""
    length = random.randint(1, 6)
    f = random.choice(FORMULAS)(length)
    functor = Functor.of(f, length)
    formulas[functor] = f
    return random.choice((
        functor, functor, PassThrough(n), Pad(n, 1, 2), LeftPad(n, 2), RightPad(n, 2), Slice(n, n // 2, n),
        Offset(length, random.randint(-2, 9)), Modulo(random.randint(1, 6), length), Merge((n,)), Vectorize(1, n),
        Embed((length, 3), (random.randint(-3, 5), random.randint(-3, 9))),
        Indexing([random.randrange(n) for _ in range(length)]), Unmerge((1, n)),
    ))  # fmt: skip


def two(random: Random, m: int, n: int) -> Transform:
    """A transform over two dimensions."""
    kinds = (Xor, XorNoModulo, CyclicShift, CyclicShiftInverse, Merge, MergeCarryCheck, MergeMagicDivision,
             MergeDivisionMod)  # fmt: skip
    return random.choice(kinds)((m, n))


def chain(random: Random, formulas: Formulas) -> TensorDescriptor:
    """A descriptor of two to five layers, each fitting the lengths below it, few fitting what they are asked."""
    lengths = [random.randint(1, 6) for _ in range(2)]
    d = make_naive_tensor_descriptor(lengths, [random.randint(0, 9), random.randint(1, 3)])
    for _ in range(random.randint(2, 5)):
        dims = [int(n) for n in d.lengths]
        groups = [[0, 1], *([i] for i in range(2, len(dims)))] if len(dims) > 1 and random.random() < 0.4 else [
            [i] for i in range(len(dims))
        ]  # fmt: skip
        made = [two(random, dims[0], dims[1]) if len(g) == 2 else one(random, dims[g[0]], formulas) for g in groups]
        upper, start = [], 0
        for t in made:
            upper.append(list(range(start, start + len(t.upper_lengths))))
            start += len(t.upper_lengths)
        new = transform_tensor_descriptor(d, made, groups, upper)
        if int(new.element_count) > 400:
            break
        d = new
    return d


def plain(d: TensorDescriptor, top: Sequence[int], formulas: Formulas) -> tuple[int, bool]:
    """The offset and the validity of an index in plain integers."""
    a = d.adaptor
    hidden, valid = dict(zip(a.top_ids, top, strict=True)), True
    for t, lower, upper in reversed(list(zip(a.transforms, a.lower_ids, a.upper_ids, strict=True))):
        u = [hidden[i] for i in upper]
        valid = valid and (t.name not in VALID or VALID[t.name](t, u))
        found = [formulas[t](u[0])] if isinstance(t, Functor) else REFERENCE[t.name](t, u)
        hidden |= zip(lower, found, strict=True)
    return hidden[0], valid


@pytest.mark.parametrize("seed", some(range(8), 1))
def test_every_reading_computes_what_plain_integers_do(seed: int) -> None:
    random, beyond = Random(seed), 0
    for _ in range(25):
        formulas: Formulas = {}
        d = chain(random, formulas)
        tops = list(product(*(range(int(n)) for n in d.lengths)))
        wanted = [plain(d, top, formulas) for top in tops]
        offset, form = d.offset(d.index), index_form(d)
        points = [dict(zip(d.index, top, strict=True)) for top in tops]
        numbers = [n for n, _ in wanted]
        assert [value(offset, at) for at in points] == numbers, d
        assert [value(simplify(offset), at) for at in points] == numbers, d
        assert grid(offset, d.index).ravel().tolist() == numbers, d
        assert [d.offset(top) for top in tops] == numbers, d
        assert [value(form.bottom[0], dict(zip(form.variables, top, strict=True))) for top in tops] == numbers, d
        assert offsets(d)["offsets"] == [n if valid else None for n, valid in wanted], d
        kept = [n for n, valid in wanted if valid]
        beyond += any(not 0 <= n < int(d.element_space_size) for n in kept)
    assert beyond > 5


def test_a_functor_is_used_outside_its_length() -> None:
    """The issue's: u % 2 of length 2 was u, and under an embed of 4 it was proved injective with offsets 0 1 2 3."""
    d = make_naive_tensor_descriptor((4,), (1,))
    d = transform_tensor_descriptor(d, [Functor.of(lambda u: u % 2, 2)], [[0]], [[0]])
    d = transform_tensor_descriptor(d, [Embed((4,), (1,))], [[0]], [[0]])
    assert offsets(d)["offsets"] == [0, 1, 0, 1]
    verdict = prove(Injective(d))
    assert isinstance(verdict, Refuted)
    assert isinstance(prove(InBounds(d)), Refuted)


def test_a_functor_within_its_length_is_still_simplified() -> None:
    d = transform_tensor_descriptor(
        make_naive_tensor_descriptor((4,), (1,)), [Functor.of(lambda u: select(u < 4, u % 4, 0), 4)], [[0]], [[0]]
    )
    assert d.offset(d.index) == d.index[0]
    assert isinstance(prove(Injective(d)), Proved)


def test_a_formula_that_was_simplified_by_a_length_is_refused() -> None:
    u = var("u", 2)
    with pytest.raises(LayoutError, match=r"functor: its formula over u holds for 0…1 only; write it over unlimited"):
        Functor(u, u % 2, 2)
    v = unlimited("u")
    assert Functor(v, v % 2, 2) == Functor.of(lambda u: u % 2, 2)
