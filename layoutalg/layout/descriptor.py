"""Tensor descriptors: an adaptor over one dimension, the offset in memory, and the size of that memory in elements.

    >>> from layoutalg.layout import PassThrough
    >>> d = make_naive_tensor_descriptor((256, 128), (128, 1))
    >>> d = transform_tensor_descriptor(d, [Unmerge((4, 64)), PassThrough(128)], [[0], [1]], [[0, 1], [2]])
    >>> d.offset((1, 3, 2))
    8578
    >>> [int(d.hidden_index((1, 3, 2))[i]) for i in range(6)]
    [8578, 67, 2, 1, 3, 2]

Hidden ids are handed out as CK does: 0 is the offset, then one after another, transform by transform.  The element
space is that of the first layer and stays through every later one; an offset before the data counts (CK leaves it out).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from layoutalg.display import Displayed
from layoutalg.errors import LayoutError
from layoutalg.index import ONE, ZERO, Expr, Term, add, array, as_expr, maximum, prod, variables
from layoutalg.index.integers import integers
from layoutalg.layout.adaptor import Ids, TensorAdaptor, attach, is_outside, make_identity
from layoutalg.layout.linear import Embed, Freeze
from layoutalg.layout.merge import Unmerge
from layoutalg.layout.shifts import Offset, PassThrough
from layoutalg.layout.transform import MAX_ELEMENTS, Index, Transform, parameter, parameter_list
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass

with lazy_imports():
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True)
class TensorDescriptor(Displayed):
    """An adaptor whose one bottom dimension is the offset in a memory of `element_space_size` elements.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> tile = naive((8, 64), (66, 1))
    >>> tile.lengths, tile.element_space_size, tile.offset((7, 2))
    ((8, 64), 526, 464)
    """

    adaptor: TensorAdaptor
    element_space_size: Expr

    def __post_init__(self) -> None:
        object.__setattr__(self, "element_space_size", parameter(self.element_space_size))
        if len(self.adaptor.bottom_ids) != 1:
            raise LayoutError(f"a descriptor has one bottom dimension, not {len(self.adaptor.bottom_ids)}")
        if self.element_space_size.lo >= MAX_ELEMENTS:
            raise LayoutError(f"an element space of {self.element_space_size}: 2^62 elements or more are refused")

    @property
    def lengths(self) -> Index:
        """The lengths of the top dimensions."""
        return self.adaptor.lengths

    @property
    def rank(self) -> int:
        """The number of top dimensions."""
        return len(self.adaptor.top_ids)

    @property
    def is_empty(self) -> bool:
        """Whether it has no index: a length is 0."""
        return self.adaptor.is_empty

    @property
    def index(self) -> Index:
        """One variable for each top dimension."""
        return self.adaptor.index

    @property
    def element_count(self) -> Expr:
        """The number of top indices, padding included."""
        return prod(self.lengths)

    @property
    def tuples(self) -> tuple[tuple[Transform, ...], tuple[Ids, ...], tuple[Ids, ...], Ids]:
        """CK's descriptor as its four tuples: transforms, lower ids, upper ids, and the ids that are visible.

        >>> make_naive_tensor_descriptor((256, 128), (128, 1)).tuples
        ((embed((256, 128), (128, 1)),), ((0,),), ((1, 2),), (1, 2))
        """
        a = self.adaptor
        return a.transforms, a.lower_ids, a.upper_ids, a.top_ids

    def hidden_index(self, top: Sequence[Term]) -> Mapping[int, Expr]:
        """The index in each hidden dimension, by id; id 0 is the offset.  Lengths are not checked, as CK does not."""
        return self.adaptor.hidden_index(top)

    def offset(self, top: Sequence[Term]) -> Expr:
        """The offset in memory of a top index, in elements; LayoutError where it is certainly outside the lengths.

        What CK computes outside them is `hidden_index(top)[0]`.

        >>> d = make_naive_tensor_descriptor((8, 64), (66, 1))
        >>> d.offset((7, 2)) == 464
        True
        >>> d.offset((100, 2))
        Traceback (most recent call last):
            ...
        layoutalg.errors.LayoutError: index 100 of dimension 0 is outside 0…7
        """
        self._refuse_outside(top)
        return self.adaptor.lower(top)[0]

    def __getitem__(self, index: Any) -> Any:
        """`d[i, j]`: the offset of an index; of arrays that broadcast together, the array of offsets (int64).

        Of integers it is an integer, of expressions or over sizes an expression.  LayoutError where a coordinate is
        outside its length.  Padding has an offset too: `valid` says what it is.

        >>> d = make_naive_tensor_descriptor((8, 64), (66, 1))
        >>> d[7, 2]
        464
        >>> d[np.arange(3)[:, None], [0, 5]].tolist()
        [[0, 5], [66, 71], [132, 137]]
        """
        given = index if isinstance(index, tuple) else (index,)
        if any(isinstance(i, slice) or i is Ellipsis for i in given):
            raise LayoutError("a descriptor is no array: in place of a slice give the numbers, e.g. d[range(4), 0]")
        top = tuple(i.item() if getattr(i, "shape", None) == () else i for i in given)
        if any(isinstance(i, list | range) or getattr(i, "shape", ()) for i in top):
            return self._offsets(top)
        found = self.offset(top)
        return int(found) if found.op == "const" else found

    def __iter__(self) -> NoReturn:
        raise TypeError("a descriptor is indexed by all of its coordinates at once, and not gone through")

    def _offsets(self, top: Sequence[Any]) -> npt.NDArray[np.int64]:
        """The offsets of arrays of coordinates."""
        if len(top) != self.rank:
            raise LayoutError(f"an index of {len(top)} coordinates for {self.rank} top dimensions")
        given = [integers(i, f"coordinates of dimension {n}") for n, i in enumerate(top)]
        offset = self.adaptor.lower(self.index)[0]
        sizes = [v for v in variables(offset, *self.lengths) if v not in self.index]
        if sizes:
            raise LayoutError(f"{', '.join(map(str, sizes))}: offsets of arrays need their values; bind them first")
        for n, (i, length) in enumerate(zip(given, self.lengths, strict=True)):
            outside = i[(i < 0) | (i >= int(length))]
            if outside.size:
                raise LayoutError(f"index {outside[0]} of dimension {n} is outside 0…{int(length) - 1}")
        (found,) = array([offset], dict(zip(self.index, given, strict=True)))
        return np.broadcast_to(found, np.broadcast_shapes(*(i.shape for i in given)))

    def upper(self, offset: Term) -> Index:
        """The top index of an offset; NoInverseError where a transform has no inverse.

        LayoutError for a number that no index reaches; of an expression, what it is there means nothing.

        >>> d = make_naive_tensor_descriptor((3, 4), (8, 1))
        >>> d.upper(10)
        (1, 2)
        >>> d.upper(5)
        Traceback (most recent call last):
            ...
        layoutalg.errors.LayoutError: no index has offset 5
        """
        top = self.adaptor.upper([offset])
        if all(i.op == "const" for i in top):
            outside, found = any(map(is_outside, top, self.lengths)), self.adaptor.lower(top)[0]
            if outside or (found.op == "const" and found != offset):
                raise LayoutError(f"no index has offset {offset}")
        return top

    def valid(self, top: Sequence[Term]) -> Expr:
        """Whether a top index reaches real data, not padding; LayoutError where it is certainly outside the lengths."""
        self._refuse_outside(top)
        return self.adaptor.valid(top)

    def _refuse_outside(self, top: Sequence[Term]) -> None:
        for dimension, (i, length) in enumerate(zip(map(as_expr, top), self.lengths, strict=False)):
            if self.is_empty:
                raise LayoutError(f"index {i} of dimension {dimension}: the tensor is empty, and has no index")
            if is_outside(i, length):
                raise LayoutError(f"index {i} of dimension {dimension} is outside 0…{length - 1}")

    def __repr__(self) -> str:
        body = repr(self.adaptor).split("\n", 1)[1:]
        head = f"TensorDescriptor ({', '.join(map(repr, self.lengths))}) over {self.element_space_size} elements"
        return "\n".join([head, *body])


def transform_tensor_descriptor(
    descriptor: TensorDescriptor,
    transforms: Sequence[Transform],
    lower: Sequence[Sequence[int]],
    upper: Sequence[Sequence[int]],
) -> TensorDescriptor:
    """The descriptor with one more layer: `lower` numbers its top dimensions, `upper` the new ones.

    LayoutError where a list misses or repeats a dimension, or a transform does not fit the dimension's length.

    >>> from layoutalg.layout import Merge
    >>> flat = transform_tensor_descriptor(make_naive_tensor_descriptor((8, 64), (66, 1)), [Merge((8, 64))],
    ...     [[0, 1]], [[0]])
    >>> flat.lengths, flat.offset((65,))
    ((512,), 67)
    """
    return TensorDescriptor(attach(descriptor.adaptor, transforms, lower, upper), descriptor.element_space_size)


def make_naive_tensor_descriptor(lengths: Sequence[Term], strides: Sequence[Term]) -> TensorDescriptor:
    """Strided: one embed; the element space is 1 + Σ(Lᵢ − 1)·sᵢ, and nothing where a length is 0.

    >>> make_naive_tensor_descriptor((3, 4), (8, 1)).element_space_size
    20
    """
    lengths, strides = parameter_list("lengths", lengths), parameter_list("strides", strides)
    return _over_memory(Embed(lengths, strides), _reach(lengths, strides))


def make_naive_tensor_descriptor_packed(lengths: Sequence[Term]) -> TensorDescriptor:
    """Row-major without gaps: one unmerge.

    >>> make_naive_tensor_descriptor_packed((3, 4)).offset((1, 2))
    6
    """
    lengths = parameter_list("lengths", lengths)
    return _over_memory(Unmerge(lengths), prod(lengths))


def make_naive_tensor_descriptor_aligned(lengths: Sequence[Term], align: Term) -> TensorDescriptor:
    """Row-major, each row starting at a multiple of `align` elements.

    >>> make_naive_tensor_descriptor_aligned((4, 5), 8).element_space_size
    29
    """
    lengths = parameter_list("lengths", lengths)
    if parameter(align).hi < 1:
        raise LayoutError(f"aligned: align is {align}; it is at least 1")
    strides: list[Expr] = [ONE]
    for n, length in enumerate(reversed(lengths[1:])):
        strides.append((length + align - 1) // align * align if n == 0 else strides[-1] * length)
    return make_naive_tensor_descriptor(lengths, strides[::-1])


def make_naive_tensor_descriptor_with_offset(
    lengths: Sequence[Term], strides: Sequence[Term], offset: Term
) -> TensorDescriptor:
    """Strided, `offset` elements into the memory; the element space counts them (CK's does not).

    Where a stride may be negative, the offset is that of index 1 in one more dimension, frozen: above an `Offset`, the
    index would leave its dimension on the way.  The element space ends with the greatest offset.

    >>> make_naive_tensor_descriptor_with_offset((2, 3), (3, 1), 100).element_space_size
    106
    >>> backwards = make_naive_tensor_descriptor_with_offset((4,), (-1,), 3)
    >>> [int(backwards.offset((i,))) for i in range(4)], backwards.element_space_size
    ([3, 2, 1, 0], 4)
    """
    reach = _reach(lengths, strides)
    if any(parameter(s).lo < 0 for s in strides):
        return _backwards(lengths, strides, offset)
    below = _over_memory(Offset(reach, parameter(offset)), reach + offset)
    return transform_tensor_descriptor(
        below,
        [Embed(tuple(map(parameter, lengths)), tuple(map(parameter, strides)))],
        [[0]],
        [list(range(len(lengths)))],
    )


def _backwards(lengths: Sequence[Term], strides: Sequence[Term], offset: Term) -> TensorDescriptor:
    """Strides of any sign from an offset on: embed((…, 2), (…, offset)) with its last index frozen at 1."""
    rank, upwards = len(lengths), [maximum(parameter(s), 0) for s in strides]
    embed = Embed((*map(parameter, lengths), as_expr(2)), (*map(parameter, strides), parameter(offset)))
    return transform_tensor_descriptor(
        _over_memory(embed, _reach(lengths, upwards) + offset),
        [*(PassThrough(parameter(n)) for n in lengths), Freeze(ONE)],
        [[n] for n in range(rank + 1)],
        [*([n] for n in range(rank)), []],
    )


def _reach(lengths: Sequence[Term], strides: Sequence[Term]) -> Expr:
    if len(lengths) != len(strides):
        raise LayoutError(f"{len(lengths)} lengths but {len(strides)} strides; give one for each")
    if any(parameter(n) is ZERO for n in lengths):
        return ZERO
    return add(*((parameter(n) - 1) * s for n, s in zip(lengths, strides, strict=True)), 1)


def _over_memory(transform: Transform, space: Expr) -> TensorDescriptor:
    if not transform.upper_lengths:
        raise LayoutError("a tensor has at least one dimension")
    return TensorDescriptor(
        attach(make_identity(1), [transform], [[0]], [list(range(len(transform.upper_lengths)))]), space
    )
