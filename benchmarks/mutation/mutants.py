"""Mutants: layouts and transforms' own formulas with one thing changed.

| operator    | changes                                                                    |
|-------------|----------------------------------------------------------------------------|
| stride      | one stride by 1, doubled, or exchanged with its neighbour                  |
| order       | two dimensions of a merge or an unmerge exchanged, with their lengths      |
| swizzle     | xor by another pairwise transform, or its two dimensions exchanged         |
| padding     | a pad moved by one, its side changed                                       |
| amount      | an offset, a slice, a frozen index, a modulus, a table entry by one        |
| space       | the element space by one                                                   |
| transposed  | two top dimensions of one length exchanged                                 |
| formula     | one node of a transform's index or validity: operation, constant, operand  |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from layoutalg.index import Expr, as_expr, postorder, var
from layoutalg.index.walk import BUILD, rebuild
from layoutalg.layout import (
    CyclicShift,
    CyclicShiftInverse,
    Embed,
    Freeze,
    Indexing,
    LayoutError,
    LeftPad,
    Merge,
    MergeCarryCheck,
    MergeDivisionMod,
    Modulo,
    Offset,
    Pad,
    PassThrough,
    RightPad,
    Slice,
    TensorAdaptor,
    TensorDescriptor,
    Transform,
    Unmerge,
    Vectorize,
    Xor,
    XorNoModulo,
)


@dataclass(frozen=True)
class LayoutMutant:
    """A descriptor and what became of it."""

    operator: str
    what: str
    original: TensorDescriptor
    mutant: TensorDescriptor


@dataclass(frozen=True)
class FormulaMutant:
    """A transform's formula over its index variables, and the formula with one node changed."""

    operator: str
    what: str
    original: Expr
    mutant: Expr
    index: tuple[Expr, ...]


# --- layouts ----------------------------------------------------------------------------------------------------------


def layout_mutants(name: str, d: TensorDescriptor) -> Iterator[LayoutMutant]:
    """Every mutant of a descriptor that the library does not refuse."""
    for k, transform in enumerate(d.adaptor.transforms):
        for operator, make in _PARAMETERS.get(type(transform), ()):
            for changed in _made(make, transform):
                what = f"{name}: {transform} becomes {changed}"
                yield from _mutant(operator, what, d, partial(_with, d, k, changed))
        yield from _reordered(name, d, k)
    for by in (-1, 1):
        space = d.element_space_size + by
        yield LayoutMutant("space", f"{name}: {space} elements", d, TensorDescriptor(d.adaptor, space))
    top = d.adaptor.top_ids
    for i in range(len(top)):
        for j in range(i):
            if d.lengths[i] is d.lengths[j]:
                adaptor = replace(d.adaptor, top_ids=_exchanged(top, i, j))
                new = TensorDescriptor(adaptor, d.element_space_size)
                yield LayoutMutant("transposed", f"{name}: {j} and {i}", d, new)


def _mutant(
    operator: str, what: str, d: TensorDescriptor, make: Callable[[], TensorDescriptor]
) -> Iterator[LayoutMutant]:
    try:
        yield LayoutMutant(operator, what, d, make())
    except LayoutError:
        return


def _made(make: Callable[..., Iterator[Transform]], transform: Transform) -> Iterator[Transform]:
    try:
        yield from make(transform)
    except LayoutError:
        return  # refused when it is built: no mutant


def _with(d: TensorDescriptor, k: int, transform: Transform, **ids: tuple[int, ...]) -> TensorDescriptor:
    """The descriptor with another transform in one place, and other ids at it."""
    a = d.adaptor

    def put(items: tuple[tuple[int, ...], ...], new: tuple[int, ...] | None) -> tuple[tuple[int, ...], ...]:
        return items if new is None else (*items[:k], new, *items[k + 1 :])

    adaptor = TensorAdaptor(
        (*a.transforms[:k], transform, *a.transforms[k + 1 :]),
        put(a.lower_ids, ids.get("lower")),
        put(a.upper_ids, ids.get("upper")),
        a.bottom_ids,
        a.top_ids,
    )
    return TensorDescriptor(adaptor, d.element_space_size)


def _exchanged(items: Sequence[Any], i: int, j: int) -> tuple[Any, ...]:
    out = list(items)
    out[i], out[j] = out[j], out[i]
    return tuple(out)


def _strides(t: Embed) -> Iterator[Transform]:
    for i, s in enumerate(t.strides):
        for new in (s + 1, s - 1, s * 2):
            yield Embed(t.lengths, (*t.strides[:i], new, *t.strides[i + 1 :]))
        if i:
            yield Embed(t.lengths, _exchanged(t.strides, i, i - 1))


def _swizzles(t: Xor) -> Iterator[Transform]:
    for kind in (XorNoModulo, CyclicShift, CyclicShiftInverse):
        yield kind(t.lengths)


def _pads(t: Pad) -> Iterator[Transform]:
    yield Pad(t.length, t.left + 1, t.right - 1)
    yield Pad(t.length, t.left - 1, t.right + 1)
    yield Pad(t.length - 1, t.left, t.right + 1)


def _slices(t: Slice) -> Iterator[Transform]:
    yield Slice(t.length + 1, t.begin + 1, t.end + 1)
    yield Slice(t.length, t.begin - 1, t.end - 1)


def _tables(t: Indexing) -> Iterator[Transform]:
    yield Indexing(_exchanged(t.table, 0, len(t.table) - 1))
    yield Indexing((t.table[-1], *t.table[1:]))


_PARAMETERS: Mapping[type[Transform], tuple[tuple[str, Callable[..., Iterator[Transform]]], ...]] = {
    Embed: (("stride", _strides),),
    Xor: (("swizzle", _swizzles),),
    Pad: (("padding", _pads),),
    LeftPad: (("padding", lambda t: iter((RightPad(t.length, t.left), Pad(t.length, t.left - 1, as_expr(1))))),),
    RightPad: (
        ("padding", lambda t: iter((LeftPad(t.length, t.right), RightPad(t.length - 1, t.right + 1)))),
        ("padding", lambda t: iter((PassThrough(t.length + t.right),))),
    ),
    Slice: (("amount", _slices),),
    Offset: (("amount", lambda t: iter((Offset(t.length, t.offset + 1), Offset(t.length, t.offset - 1)))),),
    Freeze: (("amount", lambda t: iter((Freeze(t.index + 1),))),),
    Modulo: (("amount", lambda t: iter((Modulo(t.modulus - 1, t.length), Modulo(t.modulus + 1, t.length)))),),
    Indexing: (("amount", _tables),),
}


def _reordered(name: str, d: TensorDescriptor, k: int) -> Iterator[LayoutMutant]:
    t, lower, upper = d.adaptor.transforms[k], d.adaptor.lower_ids[k], d.adaptor.upper_ids[k]
    if isinstance(t, Merge):
        for i in range(1, len(lower)):
            changed = Merge(_exchanged(t.lengths, i, i - 1))
            make = partial(_with, d, k, changed, lower=_exchanged(lower, i, i - 1))
            yield from _mutant("order", f"{name}: {t} with {i - 1} and {i} exchanged", d, make)
    if isinstance(t, Unmerge):
        for i in range(1, len(upper)):
            changed_back = Unmerge(_exchanged(t.lengths, i, i - 1))
            make = partial(_with, d, k, changed_back, upper=_exchanged(upper, i, i - 1))
            yield from _mutant("order", f"{name}: {t} with {i - 1} and {i} exchanged", d, make)
    if isinstance(t, Xor):
        changed_xor = Xor(_exchanged(t.lengths, 0, 1))
        make = partial(_with, d, k, changed_xor, lower=_exchanged(lower, 0, 1), upper=_exchanged(upper, 0, 1))
        yield from _mutant("swizzle", f"{name}: {t} the other way round", d, make)


# --- formulas ---------------------------------------------------------------------------------------------------------

TRANSFORMS: tuple[Transform, ...] = (
    Pad(as_expr(5), as_expr(2), as_expr(3)),
    LeftPad(as_expr(5), as_expr(2)),
    RightPad(as_expr(5), as_expr(3)),
    Embed((as_expr(3), as_expr(4)), (as_expr(4), as_expr(1))),
    Merge((as_expr(3), as_expr(4), as_expr(5))),
    MergeCarryCheck((as_expr(3), as_expr(4), as_expr(5))),
    MergeDivisionMod((as_expr(3), as_expr(4), as_expr(5))),
    Unmerge((as_expr(3), as_expr(4), as_expr(5))),
    Slice(as_expr(9), as_expr(2), as_expr(8)),
    Modulo(as_expr(6), as_expr(14)),
    Xor((as_expr(16), as_expr(8))),
    Xor((as_expr(6), as_expr(6))),
    XorNoModulo((as_expr(8), as_expr(8))),
    CyclicShift((as_expr(6), as_expr(8))),
    CyclicShiftInverse((as_expr(6), as_expr(7))),
    Offset(as_expr(7), as_expr(3)),
    Indexing(tuple(map(as_expr, (3, 1, 4, 0, 2)))),
    Vectorize(as_expr(4), as_expr(6)),
)


def formula_mutants(transform: Transform) -> Iterator[FormulaMutant]:
    """Each formula of a transform (its lower indices, its validity) with one node changed."""
    index = tuple(var(f"u{n}", length) for n, length in enumerate(transform.upper_lengths))
    for formula in (*transform.lower(index), transform.valid(index)):
        for node in postorder(formula):
            for new in _node_mutants(node, index):
                mutant = _replaced(formula, node, new)
                if mutant is not None and mutant is not formula:
                    yield FormulaMutant("formula", f"{transform}: {formula} becomes {mutant}", formula, mutant, index)


_OTHER = {
    "add": ("xor",), "xor": ("add", "and"), "and": ("xor",), "div": ("mod",), "mod": ("div",), "lt": ("le",),
    "le": ("lt",),
}  # fmt: skip


def _node_mutants(node: Expr, index: Sequence[Expr]) -> Iterator[Expr]:
    if node.op == "const":
        yield node + 1
        yield node - 1
    if node.op == "var":
        yield from (v for v in index if v is not node)
        yield node + 1
    for op in _OTHER.get(node.op, ()):
        if len(node.args) == 2:
            yield BUILD[op](*node.args)
    if node.op in ("add", "xor", "mul", "div", "mod"):
        yield from node.args
    if node.op == "lookup":
        yield as_expr(int(node.value[0])) + node.args[0]


def _replaced(formula: Expr, old: Expr, new: Expr) -> Expr | None:
    """The formula with one node in the place of another; None where that has no meaning (a divisor of 0)."""
    found: dict[Expr, Expr] = {old: new}
    try:
        for node in postorder(formula):
            if node not in found:
                found[node] = rebuild(node, [found[a] for a in node.args])
    except (ValueError, TypeError):
        return None
    return found[formula]
