"""Tensor adaptors: a directed graph of transforms between bottom dimensions (memory) and top dimensions (user).

Every dimension, bottom and top and between, has a hidden id; each transform connects some lower ids to some upper ids.
An index is followed from the top down, last transform first: this is CK's `calculate_bottom_index`.

    top      [2]      [3]         visible to the user
              │        │
          pass_through merge…     transforms, each with lower ids and upper ids
              │        │
    bottom   [0]      [1]         given to whatever lies below

A transform attached to a dimension of another length is refused here (CK accepts it and reads elsewhere).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from layoutalg.display import Displayed
from layoutalg.errors import LayoutError
from layoutalg.index import ZERO, Expr, Term, all_of, as_expr, eq, fresh, names
from layoutalg.index.normal import holds, nonnegative
from layoutalg.layout.bind import expressions
from layoutalg.layout.transform import Index, Transform, parameter
from layoutalg.records import dataclass

Ids = tuple[int, ...]
Linked = tuple[Transform, Ids, Ids]
"""A transform with the ids of the dimensions below and above it."""


@dataclass(frozen=True)
class TensorAdaptor(Displayed):
    """Transforms with the hidden ids below and above each, and the ids of the bottom and the top dimensions.

    `bottom_lengths` are the lengths of the bottom dimensions, None where nothing prescribes one.

    >>> from layoutalg.layout import Merge
    >>> flat = make_single_stage_tensor_adaptor([Merge((4, 8))], [[0, 1]], [[0]])
    >>> flat.lower((13,)), flat.upper((1, 5))
    ((1, 5), (13,))
    """

    transforms: tuple[Transform, ...]
    lower_ids: tuple[Ids, ...]
    upper_ids: tuple[Ids, ...]
    bottom_ids: Ids
    top_ids: Ids

    def __post_init__(self) -> None:
        """LayoutError unless each id is made once, then used once: by a later transform or as a top dimension."""
        for transform, lower, upper in self.linked:
            _refuse_rank("lower", transform, lower, transform.lower_lengths)
            _refuse_rank("upper", transform, upper, transform.upper_lengths)
        open_ids, made = set(self.bottom_ids), list(self.bottom_ids)
        for transform, lower, upper in self.linked:
            for i in lower:
                if i not in open_ids:
                    raise LayoutError(f"{transform}: lower id {i} is not made below it, or is used twice")
                open_ids.remove(i)
            open_ids |= set(upper)
            made += upper
        repeated = next((i for i in made if made.count(i) > 1), None)
        if repeated is not None:
            raise LayoutError(f"id {repeated} is made {made.count(repeated)} times")
        if sorted(self.top_ids) != sorted(open_ids):
            raise LayoutError(
                f"top ids {list(self.top_ids)}, but the ids that no transform uses are {sorted(open_ids)}"
            )
        for transform, lower, _ in self.linked:
            _refuse_attachment(transform, lower, [self.hidden_lengths.get(i) for i in lower], "id")

    @cached_property
    def linked(self) -> tuple[Linked, ...]:
        """The transforms from the bottom up, each with the ids below and above it."""
        return tuple(zip(self.transforms, self.lower_ids, self.upper_ids, strict=True))

    @cached_property
    def hidden_lengths(self) -> Mapping[int, Expr]:
        """The length of each hidden dimension: the upper length of the transform that made it."""
        lengths: dict[int, Expr] = {}
        for transform, _, upper in self.linked:
            lengths |= zip(upper, transform.upper_lengths, strict=True)
        for transform, lower, _ in self.linked:
            for i, length in zip(lower, transform.lower_lengths, strict=True):
                if i not in lengths and length is not None:
                    lengths[i] = length
        return lengths

    @property
    def lengths(self) -> Index:
        """The lengths of the top dimensions."""
        return tuple(self.hidden_lengths[i] for i in self.top_ids)

    @property
    def is_empty(self) -> bool:
        """Whether it has no index: a length is 0."""
        return any(length is ZERO for length in self.lengths)

    @property
    def bottom_lengths(self) -> tuple[Expr | None, ...]:
        """The lengths of the bottom dimensions; None where no transform prescribes one."""
        return tuple(self.hidden_lengths.get(i) for i in self.bottom_ids)

    @cached_property
    def index(self) -> Index:
        """One variable for each top dimension, i0, i1 … (i0_ where a size is called i0).

        It is the index that every question quantifies over.  LayoutError where a length is 0: there is no index.
        """
        if self.is_empty:
            raise LayoutError(f"lengths {self.lengths}: the tensor is empty, and no index reaches it")
        sizes = names(*expressions(self.transforms))
        return tuple(fresh(f"i{n}", length, sizes) for n, length in enumerate(self.lengths))

    def hidden_index(self, top: Sequence[Term]) -> Mapping[int, Expr]:
        """The index in each hidden dimension, by id, for any top index: as CK, it checks no length."""
        if len(top) != len(self.top_ids):
            raise LayoutError(f"an index of {len(top)} coordinates for {len(self.top_ids)} top dimensions")
        found = dict(zip(self.top_ids, map(as_expr, top), strict=True))
        for transform, lower, upper in reversed(self.linked):
            found |= zip(lower, transform.lower([found[i] for i in upper]), strict=True)
        return found

    def lower(self, top: Sequence[Term]) -> Index:
        """The bottom index of any top index: CK's `calculate_bottom_index`, which checks no length."""
        hidden = self.hidden_index(top)
        return tuple(hidden[i] for i in self.bottom_ids)

    def upper(self, bottom: Sequence[Term]) -> Index:
        """The top index of a bottom index; NoInverseError names a transform without an inverse."""
        found = dict(zip(self.bottom_ids, map(as_expr, bottom), strict=True))
        for transform, lower, upper in self.linked:
            found |= zip(upper, transform.upper([found[i] for i in lower]), strict=True)
        return tuple(found[i] for i in self.top_ids)

    def valid(self, top: Sequence[Term]) -> Expr:
        """Whether a top index (in range) reaches real data: the conjunction over the transforms that pad."""
        hidden = self.hidden_index(top)
        return all_of(*(t.valid([hidden[i] for i in upper]) for t, _, upper in reversed(self.linked)))

    def __repr__(self) -> str:
        lines = [f"  {t!r}: {list(lower)} <- {list(upper)}" for t, lower, upper in self.linked]
        return "\n".join([f"{type(self).__name__} bottom {list(self.bottom_ids)} top {list(self.top_ids)}", *lines])


def make_single_stage_tensor_adaptor(
    transforms: Sequence[Transform], lower: Sequence[Sequence[int]], upper: Sequence[Sequence[int]]
) -> TensorAdaptor:
    """One layer of transforms; lower and upper dimension ids each number the bottom and the top from 0.

    >>> from layoutalg.layout import Merge
    >>> make_single_stage_tensor_adaptor([Merge((4, 5))], [[0, 1]], [[0]]).lower([13])
    (2, 3)
    """
    count = sum(map(len, lower))
    below = make_identity(count)
    return attach(below, transforms, lower, upper)


def make_identity(rank: int) -> TensorAdaptor:
    """The adaptor of no transforms, whose top is its bottom."""
    ids = tuple(range(rank))
    return TensorAdaptor((), (), (), ids, ids)


def attach(
    below: TensorAdaptor,
    transforms: Sequence[Transform],
    lower: Sequence[Sequence[int]],
    upper: Sequence[Sequence[int]],
) -> TensorAdaptor:
    """`below` with one more layer on its top: CK's `transform_tensor_adaptor`.

    `lower` numbers the old top dimensions, `upper` the new ones; each list must use every one of its dimensions once.
    LayoutError names the transform, the dimension and both lengths where an attachment does not fit.

    >>> from layoutalg.layout import Merge, Unmerge
    >>> merge = make_single_stage_tensor_adaptor([Merge((4, 5))], [[0, 1]], [[0]])
    >>> attach(merge, [Unmerge((2, 10))], [[0]], [[0, 1]]).lower((1, 3))  # by way of 13
    (2, 3)
    """
    if not isinstance(transforms, Sequence):
        raise LayoutError(f"transforms is {transforms}; it is a list, with a list of dimensions each below and above")
    if not len(transforms) == len(lower) == len(upper):
        raise LayoutError(f"{len(transforms)} transforms, {len(lower)} lower and {len(upper)} upper lists; one of each")
    lower, upper = ([[int(parameter(d)) for d in dims] for dims in side] for side in (lower, upper))
    _refuse_dimensions("lower", transforms, lower, len(below.top_ids))
    _refuse_dimensions("upper", transforms, upper, sum(map(len, upper)))
    for transform, dims in zip(transforms, lower, strict=True):
        _refuse_attachment(transform, dims, [below.hidden_lengths.get(below.top_ids[d]) for d in dims], "dimension")
    next_id = 1 + max((*below.bottom_ids, *(i for ids in below.upper_ids for i in ids)), default=-1)
    made: list[Ids] = []
    for dims in upper:
        made.append(tuple(range(next_id, next_id + len(dims))))
        next_id += len(dims)
    top = {dim: i for dims, ids in zip(upper, made, strict=True) for dim, i in zip(dims, ids, strict=True)}
    return TensorAdaptor(
        (*below.transforms, *transforms),
        (*below.lower_ids, *(tuple(below.top_ids[d] for d in dims) for dims in lower)),
        (*below.upper_ids, *made),
        below.bottom_ids,
        tuple(top[d] for d in range(len(top))),
    )


def _refuse_dimensions(
    side: str, transforms: Sequence[Transform], dims: Sequence[Sequence[int]], expected: int
) -> None:
    for transform, listed in zip(transforms, dims, strict=True):
        _refuse_rank(side, transform, listed, transform.lower_lengths if side == "lower" else transform.upper_lengths)
    used = [d for listed in dims for d in listed]
    for d in used:
        if not 0 <= d < expected:
            raise LayoutError(f"{side} dimension {d} does not exist: there are {expected} (0…{expected - 1})")
        if used.count(d) > 1:
            raise LayoutError(f"{side} dimension {d} is used {used.count(d)} times; each must be used exactly once")
    missing = sorted(set(range(expected)) - set(used))
    if missing:
        raise LayoutError(f"{side} dimension {missing[0]} is used by no transform; each must be used exactly once")


def _refuse_rank(side: str, transform: Transform, listed: Sequence[int], lengths: Sequence[Expr | None]) -> None:
    if len(listed) != len(lengths):
        raise LayoutError(f"{transform} has {len(lengths)} {side} dimensions, {list(listed)} lists {len(listed)}")


def _refuse_attachment(transform: Transform, dims: Sequence[int], lengths: Sequence[Expr | None], what: str) -> None:
    """The transform's lower lengths are those of the dimensions (`what` they are called) that it is attached to."""
    for d, length, wanted in zip(dims, lengths, transform.lower_lengths, strict=True):
        if length is None:
            continue
        if wanted is not None and not same_length(wanted, length):
            raise LayoutError(
                f"{transform} is attached to {what} {d}: its lower length is {wanted}, the dimension's is {length}"
            )
        if any(is_outside(index, length) for index in transform.constants):
            raise LayoutError(f"{transform} is attached to {what} {d}, which has indices 0…{length - 1} only")


def same_length(one: Expr, other: Expr) -> bool:
    """Whether two lengths are equal for all values of their symbols (by normal form)."""
    return one is other or holds(eq(one, other))


def is_outside(index: Expr, length: Expr) -> bool:
    """Certainly outside: what variables leave open, the claim InBounds decides."""
    if index.hi < 0 or index.lo >= length.hi:
        return True
    return index.lo >= 1 and length.op != "const" and nonnegative(index - length)


def chain_tensor_adaptors(below: TensorAdaptor, above: TensorAdaptor) -> TensorAdaptor:
    """Both as one: `above`'s bottom dimensions are `below`'s top dimensions.

    LayoutError where their number or their lengths differ.

    >>> from layoutalg.layout import Merge, Unmerge, make_single_stage_tensor_adaptor as one
    >>> flat = one([Merge((4, 8))], [[0, 1]], [[0]])
    >>> both = chain_tensor_adaptors(flat, one([Unmerge((2, 16))], [[0]], [[0, 1]]))
    >>> both.lower((1, 3))
    (2, 3)
    """
    if len(above.bottom_ids) != len(below.top_ids):
        raise LayoutError(f"{len(above.bottom_ids)} bottom dimensions above {len(below.top_ids)} top dimensions")
    for d, (wanted, length) in enumerate(zip(above.bottom_lengths, below.lengths, strict=True)):
        if wanted is not None and not same_length(wanted, length):
            raise LayoutError(f"dimension {d}: length {length} below, {wanted} above")
    next_id = 1 + max((*below.bottom_ids, *(i for ids in below.upper_ids for i in ids)), default=-1)
    ids = dict(zip(above.bottom_ids, below.top_ids, strict=True))
    for upper in above.upper_ids:
        for i in upper:
            ids[i] = next_id
            next_id += 1
    renamed = [tuple(tuple(ids[i] for i in group) for group in side) for side in (above.lower_ids, above.upper_ids)]
    return TensorAdaptor(
        (*below.transforms, *above.transforms),
        (*below.lower_ids, *renamed[0]),
        (*below.upper_ids, *renamed[1]),
        below.bottom_ids,
        tuple(ids[i] for i in above.top_ids),
    )
