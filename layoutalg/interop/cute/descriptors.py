"""CuTe's layouts as descriptors, one dimension for each mode.

| of the layout        | in the descriptor                                                             |
|----------------------|-------------------------------------------------------------------------------|
| the flat modes       | one embed over memory                                                         |
| a nested mode        | a merge of its parts in reverse: CuTe's first part is the fastest, CK's last  |
| `Sw<B,M,S> o …`      | unmerge the offset into bits, xor B of them with B others, merge              |
| `offset o …`         | an offset below the embed                                                     |
| A o B                | A's dimensions merged into one, and B above it: there always is one           |

The way back is `recognize`.
"""

from __future__ import annotations

from layoutalg.errors import LayoutError
from layoutalg.index import ONE, ZERO, Expr, Term, add, as_expr, maximum, prod
from layoutalg.interop.cute.sizes import size_of
from layoutalg.interop.cute.swizzle import BitSwizzle
from layoutalg.interop.cute.trees import tree_text
from layoutalg.layout import (
    Embed,
    Freeze,
    Merge,
    Offset,
    PassThrough,
    TensorDescriptor,
    Xor,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    make_naive_tensor_descriptor_with_offset,
    transform_tensor_descriptor,
)
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass

with lazy_imports():
    pass


@dataclass(frozen=True)
class FlatLayout:
    """A layout taken apart: the swizzle, the offset below it, and the flat modes, of which each mode has some.

    `text` is the layout in CuTe's notation, `plain` what it is without swizzle and offset.
    """

    swizzle: BitSwizzle
    offset: Expr
    modes: tuple[tuple[Term, Term], ...]
    groups: tuple[int, ...]
    text: str
    plain: str

    def refuse_negative(self, before: str) -> None:
        """LayoutError where its least offset is negative, which is what `before` says."""
        down = [d.hi < 0 for d in self.strides]
        modes = list(zip(self.lengths, self.strides, down, strict=True))
        least = add(self.offset, *((n - 1) * d for n, d, is_down in modes if is_down))
        if least.hi < 0:
            at = tuple(0 if not is_down else size_of(n - 1) if n.op == "const" else n for n, _, is_down in modes)
            raise LayoutError(
                f"{self.text}: offset {least} at {tree_text(at)}, {before}; count from an offset on, as in "
                f"Sw<0,0,0> o {size_of(self.offset - least)} o {self.plain}"
            )

    @property
    def lengths(self) -> tuple[Expr, ...]:
        """The flat shape."""
        return tuple(as_expr(n) for n, _ in self.modes)

    @property
    def strides(self) -> tuple[Expr, ...]:
        """The flat strides."""
        return tuple(as_expr(d) for _, d in self.modes)

    @property
    def reach(self) -> Expr:
        """One more than the greatest offset below the swizzle."""
        upwards = ((n - 1) * maximum(d, 0) for n, d in zip(self.lengths, self.strides, strict=True))
        return add(self.offset, *upwards, 1)


def descriptor_of(top: FlatLayout, *inner: FlatLayout) -> TensorDescriptor:
    """The descriptor of the composition top o inner o …: one dimension for each mode of the last."""
    top.refuse_negative("before memory begins")
    made = _over(None, top)
    for above in inner:
        above.refuse_negative(f"which is no coordinate of {top.plain}")
        whole = Merge(top.lengths[::-1])
        made = transform_tensor_descriptor(made, [whole], [list(range(len(top.lengths)))[::-1]], [[0]])
        made, top = _over(made, above), above
    return _grouped(made, top)


def _over(below: TensorDescriptor | None, above: FlatLayout) -> TensorDescriptor:
    """The flat modes over memory (None), or over the one dimension of what is below."""
    if above.swizzle.bits:
        below = _swizzled(below, above.swizzle, above.reach)
    if below is not None:
        return _embedded(below, above)
    if above.offset is ZERO:
        return make_naive_tensor_descriptor(above.lengths, above.strides)
    return make_naive_tensor_descriptor_with_offset(above.lengths, above.strides, above.offset)


def _swizzled(below: TensorDescriptor | None, swizzle: BitSwizzle, reach: Expr) -> TensorDescriptor:
    """The swizzle from offset to offset, over whole periods of it, which need not all be there below."""
    bits, apart = 1 << swizzle.bits, 1 << (abs(swizzle.shift) - swizzle.bits)
    parts: list[Term] = [(reach + (swizzle.period - 1)) // swizzle.period, bits, apart, bits, 1 << swizzle.base]
    lengths = tuple(map(as_expr, parts))
    order = [1, 3] if swizzle.shift > 0 else [3, 1]
    xor = Xor((as_expr(bits), as_expr(bits)))
    others = [0, 2, 4]
    if below is None:
        made = make_naive_tensor_descriptor_packed(lengths)
    else:
        strides = tuple(prod(lengths[n + 1 :]) for n in range(len(lengths)))
        made = transform_tensor_descriptor(below, [Embed(lengths, strides)], [[0]], [list(range(len(lengths)))])
    sides = [order, *([n] for n in others)]
    made = transform_tensor_descriptor(made, [xor, *(PassThrough(lengths[n]) for n in others)], sides, sides)
    return transform_tensor_descriptor(made, [Merge(lengths)], [[0, 1, 2, 3, 4]], [[0]])


def _embedded(below: TensorDescriptor, above: FlatLayout) -> TensorDescriptor:
    """The flat modes from their offset on, over one dimension.

    Where a stride may be negative, the offset is that of index 1 in one more dimension, frozen: above an `Offset`, the
    index would leave its dimension on the way.
    """
    lengths, strides, offset = above.lengths, above.strides, above.offset
    dims = list(range(len(lengths)))
    if offset is ZERO or all(d.lo >= 0 for d in strides):
        if offset is not ZERO:
            below = transform_tensor_descriptor(below, [Offset(above.reach - offset, offset)], [[0]], [[0]])
        return transform_tensor_descriptor(below, [Embed(lengths, strides)], [[0]], [dims])
    embed = Embed((*lengths, as_expr(2)), (*strides, offset))
    made = transform_tensor_descriptor(below, [embed], [[0]], [[*dims, len(dims)]])
    kept = [*map(PassThrough, lengths), Freeze(ONE)]
    return transform_tensor_descriptor(made, kept, [[n] for n in (*dims, len(dims))], [*([n] for n in dims), []])


def _grouped(made: TensorDescriptor, parts: FlatLayout) -> TensorDescriptor:
    """The flat modes merged into the modes that they are parts of."""
    if all(count == 1 for count in parts.groups):
        return made
    transforms: list[Merge | PassThrough] = []
    lower, first = list[list[int]](), 0
    for count in parts.groups:
        lengths = parts.lengths[first : first + count][::-1]
        transforms.append(Merge(lengths) if count > 1 else PassThrough(lengths[0]))
        lower.append(list(range(first, first + count))[::-1])
        first += count
    return transform_tensor_descriptor(made, transforms, lower, [[n] for n in range(len(parts.groups))])
