"""Random descriptors for the tests of the prover: every base, every transform, sizes constant or symbolic.

A drawing takes its decisions from a `random.Random`, so that a seed gives the case again.  `instantiate` puts numbers
in the place of symbols; what it returns is judged by the oracle.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from random import Random
from typing import Any

from layoutalg.index import Expr, Term, as_expr, prod, substitute, symbol, variables
from layoutalg.layout import (
    CyclicShift,
    CyclicShiftInverse,
    Embed,
    Freeze,
    Indexing,
    Insert,
    LayoutError,
    LeftPad,
    Merge,
    MergeCarryCheck,
    MergeDivisionMod,
    Modulo,
    Offset,
    Pad,
    PassThrough,
    Replicate,
    RightPad,
    Slice,
    TensorAdaptor,
    TensorDescriptor,
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

LARGEST = 600
"""Points of a concrete drawing at most."""


@dataclass
class Drawing:
    """A descriptor under construction, and the factors whose product is each top dimension's length."""

    random: Random
    descriptor: TensorDescriptor
    factors: list[list[Term]]

    def layer(self) -> None:
        """One more layer of transforms over a random grouping of the top dimensions."""
        r, left = self.random, list(range(len(self.factors)))
        r.shuffle(left)
        transforms: list[Transform] = []
        lower: list[list[int]] = []
        made: list[list[list[Term]]] = []
        while left:
            take = min(len(left), r.choice((1, 1, 1, 2, 2, 3)))
            dims, left = left[:take], left[take:]
            transform, above = self._pair(dims) if take == 2 and r.random() < 0.5 else self._single_or_merge(dims)
            transforms.append(transform)
            lower.append(dims)
            made.append(above)
        if r.random() < 0.05:
            n = r.choice((1, 2, 3))
            transforms.append(r.choice((Insert(as_expr(n)), Replicate((as_expr(n),)))))
            lower.append([])
            made.append([[n]])
        places = list(range(sum(map(len, made))))
        r.shuffle(places)
        upper: list[list[int]] = []
        factors: dict[int, list[Term]] = {}
        for above in made:
            upper.append([places.pop() for _ in above])
            factors |= zip(upper[-1], above, strict=True)
        self.descriptor = transform_tensor_descriptor(self.descriptor, transforms, lower, upper)
        self.factors = [factors[n] for n in range(len(factors))]

    def _length(self, d: int) -> Expr:
        return self.descriptor.lengths[d]

    def _single_or_merge(self, dims: Sequence[int]) -> tuple[Transform, list[list[Term]]]:
        if len(dims) > 1:
            kind = self.random.choice((Merge, Merge, Merge, MergeCarryCheck, MergeDivisionMod))
            lengths = tuple(self._length(d) for d in dims)
            return kind(lengths), [[f for d in dims for f in self.factors[d]]]
        return self._single(dims[0])

    def _pair(self, dims: Sequence[int]) -> tuple[Transform, list[list[Term]]]:
        kind = self.random.choice((Xor, Xor, Xor, XorNoModulo, CyclicShift, CyclicShiftInverse))
        return kind(tuple(self._length(d) for d in dims)), [list(self.factors[d]) for d in dims]

    def _single(self, d: int) -> tuple[Transform, list[list[Term]]]:
        r, n, factors = self.random, self._length(d), self.factors[d]
        kind = r.choice(_SINGLE)
        a, b = r.choice((0, 1, 1, 2, 3)), r.choice((0, 1, 2, 3, 5))
        if kind == "pad":
            t: Transform = r.choice((Pad(n, as_expr(a), as_expr(b)), LeftPad(n, as_expr(a)), RightPad(n, as_expr(b))))
            return t, [[t.upper_lengths[0]]]
        if kind == "slice":
            whole = n.op != "const" or int(n) > 2
            begin, end = (as_expr(1), n - r.choice((0, 1))) if whole else (as_expr(0), n)
            t = Slice(n, begin, end)
            return t, [[t.upper_lengths[0]]]
        if kind == "unmerge" and len(factors) > 1:
            at = r.randrange(1, len(factors))
            parts = [factors[:at], factors[at:]]
            return Unmerge(tuple(prod(list(map(as_expr, p))) for p in parts)), [list(p) for p in parts]
        if kind == "modulo":
            longer = n + r.choice((-1, 0, 0, 0, 1, 4))
            m = n + r.choice((-1, 0, 0, 0, 1))
            if longer.lo >= 1 and m.lo >= 1:
                return Modulo(m, longer), [[longer]]
        if kind == "embed":
            outer, inner = r.choice((1, 2, 3)), r.choice((1, 2, 3))
            strides = r.choice(((1, 1), (inner, 1), (1, outer), (2, 1), (1, 0), (-1, 1)))
            return Embed(tuple(map(as_expr, (outer, inner))), tuple(map(as_expr, strides))), [[outer], [inner]]
        if kind == "freeze" and len(self.factors) > 1 and self.descriptor.rank > 1:
            return Freeze(as_expr(r.choice((0, 0, 0, 1)))), []
        if kind == "offset":
            shorter = n - a
            if shorter.lo >= 1:
                return Offset(shorter, as_expr(r.choice((a, a, 0, a + 1, -1)))), [[shorter]]
        if kind == "indexing" and n.op == "const":
            return Indexing(tuple(map(as_expr, self._table(int(n))))), [[int(n)]]
        if kind == "vectorize" and len(factors) > 1 and as_expr(factors[0]).lo >= 1:
            rest = prod(list(map(as_expr, factors[1:])))
            return Vectorize(as_expr(factors[0]), rest), [list(factors[1:])]
        return PassThrough(n), [list(factors)]

    def _table(self, n: int) -> list[int]:
        r, entries = self.random, list(range(n))
        r.shuffle(entries)
        if r.random() < 0.2:
            entries[r.randrange(n)] = r.choice((0, n, n - 1))
        return entries


_SINGLE = ("pass", "pad", "pad", "slice", "unmerge", "unmerge", "modulo", "embed", "freeze", "offset", "indexing",
           "vectorize")  # fmt: skip


def draw(random: Random, sizes: Sequence[Expr] = (), layers: int = 3) -> TensorDescriptor | None:
    """A random descriptor; None where the drawing made one that the library refuses or that is too large."""
    try:
        factors = [_factors(random, sizes) for _ in range(random.randint(1, 4))]
        drawing = Drawing(random, _base(random, [prod(list(map(as_expr, f))) for f in factors]), factors)
        for _ in range(random.randint(0, layers)):
            drawing.layer()
            if len(drawing.factors) > 6 or (not sizes and _points(drawing.descriptor) > LARGEST):
                return None
    except LayoutError:
        return None
    return drawing.descriptor if sizes or _points(drawing.descriptor) <= LARGEST else None


def _points(descriptor: TensorDescriptor) -> int:
    return math.prod(int(n) for n in descriptor.lengths)


def _factors(random: Random, sizes: Sequence[Expr]) -> list[Term]:
    count = random.choice((1, 1, 2))
    return [
        random.choice(sizes) if sizes and random.random() < 0.5 else random.choice((1, 2, 2, 3, 4, 4, 5, 6, 8))
        for _ in range(count)
    ]


def _base(random: Random, lengths: list[Expr]) -> TensorDescriptor:
    kind = random.choice(("packed", "naive", "naive", "loose", "aligned", "offset"))
    if kind == "packed":
        return make_naive_tensor_descriptor_packed(lengths)
    if kind == "aligned":
        return make_naive_tensor_descriptor_aligned(lengths, random.choice((2, 3, 4, 8)))
    strides = _strides(random, lengths, standing=kind != "loose")
    if kind == "offset":
        return make_naive_tensor_descriptor_with_offset(lengths, strides, random.choice((0, 1, 5)))
    return make_naive_tensor_descriptor(lengths, strides)


def _strides(random: Random, lengths: Sequence[Expr], standing: bool) -> list[Expr]:
    """Strides that stand apart in a random order (with gaps), or any small ones."""
    if not standing:
        return [as_expr(random.choice((0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 8, -1, -2))) for _ in lengths]
    strides: dict[int, Expr] = {}
    order, stride = list(range(len(lengths))), as_expr(random.choice((1, 1, 1, 2)))
    random.shuffle(order)
    for d in order:
        strides[d] = stride
        stride = stride * lengths[d] + random.choice((0, 0, 0, 1, 2, -1))
    return [strides[d] for d in range(len(lengths))]


def instantiate(layout: TensorDescriptor, at: Mapping[Expr, Term]) -> TensorDescriptor:
    """The layout with values for its symbols; LayoutError where the library refuses those."""
    a = layout.adaptor
    transforms = tuple(_with(t, at) for t in a.transforms)
    adaptor = TensorAdaptor(transforms, a.lower_ids, a.upper_ids, a.bottom_ids, a.top_ids)
    return TensorDescriptor(adaptor, substitute(layout.element_space_size, at))


def _with(transform: Transform, at: Mapping[Expr, Term]) -> Transform:
    given: list[Any] = []
    for field in fields(transform):
        value = getattr(transform, field.name)
        given.append(tuple(substitute(e, at) for e in value) if isinstance(value, tuple) else substitute(value, at))
    return type(transform)(*given)


def sizes_of(layout: TensorDescriptor) -> tuple[Expr, ...]:
    """The symbols of a layout."""
    return variables(*layout.adaptor.hidden_lengths.values(), layout.element_space_size, *_parameters(layout))


def _parameters(layout: TensorDescriptor) -> list[Expr]:
    found: list[Expr] = []
    for t in layout.adaptor.transforms:
        for field in fields(t):
            value = getattr(t, field.name)
            found += value if isinstance(value, tuple) else [value]
    return found


def symbols(random: Random) -> list[Expr]:
    """Two or three sizes with all sorts of limits."""
    shapes = (
        lambda n: symbol(n),
        lambda n: symbol(n, min=2),
        lambda n: symbol(n, max=12),
        lambda n: symbol(n, min=2, max=64, multiple_of=2),
        lambda n: symbol(n, multiple_of=4),
        lambda n: symbol(n, max=16, power_of_two=True),
    )
    return [random.choice(shapes)(name) for name in random.sample("MNK", random.randint(1, 3))]


def values_of(random: Random, size: Expr) -> int:
    """A small value that a symbol may have."""
    s = size.value
    every = [n for n in range(int(s.lo), int(min(s.hi, s.lo + 24)) + 1) if n % s.multiple_of == 0]
    return random.choice([n for n in every if not (s.power_of_two and n & (n - 1))][:5])
