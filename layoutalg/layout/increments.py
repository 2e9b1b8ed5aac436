"""Moving a coordinate against computing it anew: the two sides of a theorem, as expressions.

CK never recomputes an offset in a loop: it moves it, transform by transform (`update_lower_index`).  That the moved
index equals the recomputed one is a theorem for each transform and, layer upon layer, for each adaptor.  Here are both
sides over two free indices, start and end, each anywhere within the upper lengths:

    moved      = update(end − start, lower(start), end)
    recomputed = lower(end)

>>> from layoutalg.layout.merge import Merge
>>> step = increment_of(Merge((4, 5)))
>>> step.start, step.end
((i0,), (j0,))
>>> step.moved == step.recomputed
True
"""

from __future__ import annotations

from collections.abc import Callable

from layoutalg.index import Expr, all_equal, names, unused, var
from layoutalg.layout.adaptor import TensorAdaptor
from layoutalg.layout.bind import expressions
from layoutalg.layout.coordinate import make_tensor_adaptor_coordinate, move_tensor_adaptor_coordinate
from layoutalg.layout.descriptor import TensorDescriptor
from layoutalg.layout.transform import Index, Transform
from layoutalg.records import dataclass


@dataclass(frozen=True)
class Increment:
    """Both sides of the theorem: the lower index after moving from start to end, and computed at end.

    >>> from layoutalg.layout import XorNoModulo
    >>> step = increment_of(XorNoModulo((4, 4)))
    >>> step.moved, bool(step.holds)
    ((j0, j1 ^ j0), True)
    """

    start: Index
    end: Index
    moved: Index
    recomputed: Index

    @property
    def holds(self) -> Expr:
        """The equation: that both sides are equal, a truth value over start and end."""
        return all_equal(self.moved, self.recomputed)


def increment_of(
    layout: Transform | TensorAdaptor | TensorDescriptor, over: Callable[[str, Expr], Expr] = var
) -> Increment:
    """The increment of one transform, of an adaptor, or of a descriptor; `over`: the index of a name and a length.

    >>> from layoutalg.index import simplify
    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> step = increment_of(make_naive_tensor_descriptor((4, 4), (8, 1)))
    >>> step.recomputed, bool(simplify(step.holds))
    ((j0 * 8 + j1,), True)
    """
    if isinstance(layout, TensorDescriptor):
        return increment_of(layout.adaptor, over)
    lengths = layout.upper_lengths if isinstance(layout, Transform) else layout.lengths
    sizes = names(*expressions(layout))
    start, end = (tuple(over(unused(f"{name}{n}", sizes), length) for n, length in enumerate(lengths)) for name in "ij")
    diff = tuple(b - a for a, b in zip(start, end, strict=True))
    if isinstance(layout, Transform):
        moved = layout.update_lower_index(diff, layout.lower(start), end)[1]
    else:
        coordinate = make_tensor_adaptor_coordinate(layout, start)
        moved = move_tensor_adaptor_coordinate(layout, coordinate, diff)[0].bottom_index
    return Increment(start, end, moved, layout.lower(end))
