"""Which places of a tensor's memory are its elements, counted from its first one, whose address a kernel is given.

| the descriptor's offset is | a place is an element's |
|---|---|
| a sum of strides that leave no gap | anywhere in the memory |
| a sum of strides, some gaps | where its digits by the strides, the largest first, are an index |
| anything else | anywhere in the memory: taken for granted, and told |

Of whatever order the digits are taken in, an index that is found is one; so a wrong order only finds none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from layoutalg.index import ONE, TRUE, ZERO, Expr, all_of, eq, simplify, substitute
from layoutalg.index.radix import affine, digits_by, largest_first
from layoutalg.layout import TensorDescriptor
from layoutalg.records import dataclass


@dataclass(frozen=True)
class Elements:
    """The elements of a tensor in its memory of `space` elements, of which the first has the place `first`."""

    first: Expr
    space: Expr
    each: Callable[[Expr], Expr] | None = None  # whether a place, from the first element on, is one's
    assumed: bool = False  # that each place is
    axes: tuple[tuple[Expr, Expr], ...] | None = None  # stride and length of each dimension, where they order places

    def index(self, place: Expr) -> tuple[Expr, ...] | None:
        """The index of the element at a place, if it is one; None where that is not seen.

        >>> from layoutalg.index import const
        >>> from layoutalg.layout import ck
        >>> Elements.of(ck.make_naive_tensor_descriptor((4, 1, 6), (8, 0, 1))).index(const(29))
        (3, 0, 5)
        """
        if self.axes is None:
            return None
        own = {n: stride for n, (stride, length) in enumerate(self.axes) if length is not ONE}
        order = largest_first(own)
        digits, _ = digits_by(place, [own[n] for n in order])
        at = dict(zip(order, map(simplify, digits), strict=True))
        return tuple(at.get(n, ZERO) for n in range(len(self.axes)))

    def are(self, place: Expr) -> Expr:
        """Whether what is so many elements behind the first one is an element too."""
        return TRUE if self.each is None else self.each(place)

    @classmethod
    def of(cls, descriptor: TensorDescriptor, sizes: Callable[[Expr], Expr] = simplify) -> Elements:
        """Those of a tensor that a descriptor lays out; `sizes` writes what is said of them in others.

        >>> from layoutalg.index import const
        >>> from layoutalg.layout import ck
        >>> pitched = Elements.of(ck.make_naive_tensor_descriptor((4, 6), (8, 1)))
        >>> [int(pitched.are(const(place)).value) for place in (5, 6, 8, 29, 30)]
        [1, 0, 1, 1, 0]
        """
        space = sizes(descriptor.element_space_size)
        if descriptor.is_empty or not descriptor.index:
            return cls(ZERO, space)
        index = descriptor.index
        offset = descriptor.offset(index)
        first, form = sizes(substitute(offset, dict.fromkeys(index, ZERO))), affine(offset, index)
        if form is None or descriptor.valid(index) is not TRUE:
            return cls(first, space, assumed=True)
        both = zip(form.strides.values(), descriptor.lengths, strict=True)
        every = tuple((sizes(stride), sizes(length)) for stride, length in both)
        axes = [(stride, length) for stride, length in every if length is not ONE and stride is not ZERO]
        ordered = every if all(stride.lo >= 1 or length is ONE for stride, length in every) else None
        if _without_gaps(axes):
            return cls(first, space, axes=ordered)
        if any(stride.lo < 1 for stride, _ in axes):
            return cls(first, space, assumed=True)
        return cls(first, space, lambda place: _is_element(place, axes), axes=ordered)


def _without_gaps(axes: Sequence[tuple[Expr, Expr]]) -> bool:
    """Whether in some order each stride is the product of the lengths behind it."""
    left, needed = list(axes), ONE
    while left:
        found = next((axis for axis in left if axis[0] is needed), None)
        if found is None:
            return False
        left.remove(found)
        needed = simplify(needed * found[1])
    return True


def _is_element(place: Expr, axes: Sequence[tuple[Expr, Expr]]) -> Expr:
    order = largest_first({n: stride for n, (stride, _) in enumerate(axes)})
    digits, rest = digits_by(place, [axes[n][0] for n in order])
    return all_of(place >= 0, *(digit < axes[n][1] for n, digit in zip(order, digits, strict=True)), eq(rest, 0))
