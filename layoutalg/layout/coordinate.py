"""Coordinates: a point of an adaptor or a descriptor, with the index in every hidden dimension, that moves by steps.

Computing an offset goes through every transform; moving it needs only those above which something moved, and most of
these just add.  This is how CK's kernels walk a tensor:

| CK Tile                                    | does                                                            |
|--------------------------------------------|-----------------------------------------------------------------|
| `make_tensor_coordinate(desc, idx)`        | computes every hidden index                                     |
| `move_tensor_coordinate(desc, coord, step)`| updates those below dimensions that moved                       |
| `coordinate_has_valid_offset`              | the top index is in range, and no padding transform objects     |

A coordinate is a value: moving one gives another.  Steps and indices may be expressions, so that the whole of a move is
an expression that a proof can compare with a recomputation.

>>> from layoutalg.layout.descriptor import make_naive_tensor_descriptor_packed
>>> d = make_naive_tensor_descriptor_packed((4, 4))
>>> c = make_tensor_coordinate(d, (1, 1))
>>> for step in ((0, 1), (1, 0), (1, 1)):
...     c = move_tensor_coordinate(d, c, step)
...     print(c.index, c.offset)
(1, 2) 6
(2, 2) 10
(3, 3) 15
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from layoutalg.errors import LayoutError
from layoutalg.index import ZERO, Expr, Term, all_of, as_expr
from layoutalg.layout.adaptor import TensorAdaptor
from layoutalg.layout.descriptor import TensorDescriptor
from layoutalg.layout.transform import Index
from layoutalg.records import dataclass


@dataclass(frozen=True)
class TensorAdaptorCoordinate:
    """The index in each hidden dimension of an adaptor, by id: (id, index) in the order of the ids.

    >>> from layoutalg.layout import Merge, make_single_stage_tensor_adaptor
    >>> merge = make_single_stage_tensor_adaptor([Merge((4, 5))], [[0, 1]], [[0]])
    >>> c = make_tensor_adaptor_coordinate(merge, (7,))
    >>> c.index, c.bottom_index
    ((7,), (1, 2))
    """

    hidden: tuple[tuple[int, Expr], ...]
    bottom_ids: tuple[int, ...]
    top_ids: tuple[int, ...]

    @classmethod
    def at(cls, adaptor: TensorAdaptor, hidden: Mapping[int, Expr]) -> Self:
        """The coordinate of an adaptor with these hidden indices."""
        return cls(tuple(sorted(hidden.items())), adaptor.bottom_ids, adaptor.top_ids)

    @property
    def hidden_index(self) -> Mapping[int, Expr]:
        """The index in each hidden dimension, by id."""
        return dict(self.hidden)

    @property
    def index(self) -> Index:
        """The top index (CK's `get_index`)."""
        hidden = self.hidden_index
        return tuple(hidden[i] for i in self.top_ids)

    @property
    def bottom_index(self) -> Index:
        """The bottom index (CK's `get_bottom_index`)."""
        hidden = self.hidden_index
        return tuple(hidden[i] for i in self.bottom_ids)


@dataclass(frozen=True)
class TensorCoordinate(TensorAdaptorCoordinate):
    """A point of a descriptor.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> c = make_tensor_coordinate(make_naive_tensor_descriptor((4, 4), (8, 1)), (2, 1))
    >>> c.index, c.offset
    ((2, 1), 17)
    """

    @property
    def offset(self) -> Expr:
        """The offset in memory (CK's `get_offset`)."""
        return self.bottom_index[0]


def make_tensor_adaptor_coordinate(adaptor: TensorAdaptor, top: Sequence[Term]) -> TensorAdaptorCoordinate:
    """The coordinate at a top index: every hidden index is computed.

    >>> from layoutalg.layout import Merge, make_single_stage_tensor_adaptor
    >>> merge = make_single_stage_tensor_adaptor([Merge((4, 5))], [[0, 1]], [[0]])
    >>> make_tensor_adaptor_coordinate(merge, (11,)).bottom_index
    (2, 1)
    """
    return TensorAdaptorCoordinate.at(adaptor, adaptor.hidden_index(top))


def make_tensor_coordinate(descriptor: TensorDescriptor, top: Sequence[Term]) -> TensorCoordinate:
    """The coordinate of a descriptor at a top index.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> make_tensor_coordinate(naive((8, 64), (66, 1)), (2, 3)).offset
    135
    """
    return TensorCoordinate.at(descriptor.adaptor, descriptor.adaptor.hidden_index(top))


def move_tensor_adaptor_coordinate(
    adaptor: TensorAdaptor, coordinate: TensorAdaptorCoordinate, diff_top: Sequence[Term]
) -> tuple[TensorAdaptorCoordinate, Index]:
    """The coordinate moved by a step of the top index, and by how much the bottom index moved.

    A transform above which nothing moves (its upper steps are all the constant 0) is left as it is.

    >>> from layoutalg.layout import Merge, make_single_stage_tensor_adaptor
    >>> merge = make_single_stage_tensor_adaptor([Merge((4, 5))], [[0, 1]], [[0]])
    >>> moved, step = move_tensor_adaptor_coordinate(merge, make_tensor_adaptor_coordinate(merge, (7,)), (4,))
    >>> moved.bottom_index, step  # from (1, 2)
    ((2, 1), (1, -1))
    """
    hidden, diff = _moved(adaptor, coordinate, diff_top)
    return TensorAdaptorCoordinate.at(adaptor, hidden), tuple(diff.get(i, ZERO) for i in adaptor.bottom_ids)


def move_tensor_coordinate(
    descriptor: TensorDescriptor, coordinate: TensorCoordinate, diff_top: Sequence[Term]
) -> TensorCoordinate:
    """The coordinate of a descriptor moved by a step of the top index.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> tile = naive((8, 64), (66, 1))
    >>> move_tensor_coordinate(tile, make_tensor_coordinate(tile, (2, 3)), (1, 0)).offset
    201
    """
    return TensorCoordinate.at(descriptor.adaptor, _moved(descriptor.adaptor, coordinate, diff_top)[0])


def coordinate_has_valid_offset_assuming_top_index_is_valid(
    descriptor: TensorDescriptor, coordinate: TensorCoordinate
) -> Expr:
    """Whether no padding transform objects (nothing is said of the top index itself).

    >>> from layoutalg.layout import RightPad, make_naive_tensor_descriptor_packed, transform_tensor_descriptor
    >>> d = transform_tensor_descriptor(make_naive_tensor_descriptor_packed((6,)), [RightPad(6, 2)], [[0]], [[0]])
    >>> valid = coordinate_has_valid_offset_assuming_top_index_is_valid
    >>> [bool(valid(d, make_tensor_coordinate(d, (i,)))) for i in (5, 6)]
    [True, False]
    """
    adaptor, hidden = descriptor.adaptor, coordinate.hidden_index
    return all_of(*(t.valid([hidden[i] for i in upper]) for t, _, upper in adaptor.linked))


def coordinate_has_valid_offset(descriptor: TensorDescriptor, coordinate: TensorCoordinate) -> Expr:
    """Whether the top index is in range and no padding transform objects.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> tile = naive((8, 64), (66, 1))
    >>> coordinate_has_valid_offset(tile, make_tensor_coordinate(tile, (2, 64)))
    0
    """
    inside = [all_of(i >= 0, i < length) for i, length in zip(coordinate.index, descriptor.lengths, strict=True)]
    return all_of(*inside, coordinate_has_valid_offset_assuming_top_index_is_valid(descriptor, coordinate))


def _moved(
    adaptor: TensorAdaptor, coordinate: TensorAdaptorCoordinate, diff_top: Sequence[Term]
) -> tuple[dict[int, Expr], dict[int, Expr]]:
    if len(diff_top) != len(adaptor.top_ids):
        raise LayoutError(f"a step of {len(diff_top)} coordinates for {len(adaptor.top_ids)} top dimensions")
    hidden = dict(coordinate.hidden)
    diff = dict(zip(adaptor.top_ids, map(as_expr, diff_top), strict=True))
    for i, d in diff.items():
        hidden[i] = hidden[i] + d
    for transform, lower, upper in reversed(adaptor.linked):
        steps = [diff[i] for i in upper]
        if all(step is ZERO for step in steps):
            diff |= dict.fromkeys(lower, ZERO)
            continue
        moved, new = transform.update_lower_index(steps, [hidden[i] for i in lower], [hidden[i] for i in upper])
        diff |= zip(lower, moved, strict=True)
        hidden |= zip(lower, new, strict=True)
    return hidden, diff
