"""What each claim of a file says of an item, as a claim of the prover.

Most are the prover's own claims on the item's adaptor or descriptor.  LayoutError where a claim says nothing of an item
(a bare transform that prescribes no length below has nothing to stay in); ClaimError where its arguments make no sense.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from layoutalg.formats.check.moves import Digits, Increments
from layoutalg.formats.model import (
    AccessItem,
    AdaptorItem,
    AgreeItem,
    DescriptorItem,
    DistributionItem,
    Item,
    TransformItem,
)
from layoutalg.index import FALSE, TRUE, Expr, all_of, eq
from layoutalg.layout import (
    LayoutError,
    Merge,
    TensorAdaptor,
    TensorDescriptor,
    make_single_stage_tensor_adaptor,
)
from layoutalg.prove import (
    Aligned,
    Bijective,
    Claim,
    Contiguous,
    Covers,
    FitsIndexType,
    ForAll,
    InBounds,
    Injective,
    InjectiveMap,
    Obligation,
    RoundTripLower,
    RoundTripUpper,
    Shown,
)
from layoutalg.prove.claims import in_range
from layoutalg.prove.domain import Layout, bottom_limits


class ClaimError(LayoutError):
    """A claim whose arguments make no sense for the item."""


@dataclass(frozen=True)
class Statement(Claim):
    """A claim given by its obligations, on the layouts that they speak of."""

    text: str
    parts: tuple[Obligation, ...]
    layouts: tuple[Layout, ...] = ()
    name: ClassVar[str] = "statement"

    def statement(self) -> str:
        return self.text

    def obligations(self) -> Iterator[Obligation]:
        return iter(self.parts)

    def terms(self) -> Iterator[Expr]:
        yield from super().terms()
        for part in self.parts:
            yield from part.variables


@dataclass(frozen=True)
class Under(Claim):
    """A claim under an assumption on the sizes."""

    claim: Claim
    given: Expr
    name: ClassVar[str] = "under"

    def statement(self) -> str:
        return f"{self.claim.statement()}, where {self.given}"

    def obligations(self) -> Iterator[Obligation]:
        return map(self._assuming, self.claim.obligations())

    def of_nothing(self) -> ForAll | None:
        return self.claim.of_nothing()

    def local_obligations(self) -> Iterator[Obligation] | None:
        local = self.claim.local_obligations()
        return None if local is None else map(self._assuming, local)

    @property
    def assumed(self) -> Expr:
        return all_of(self.claim.assumed, self.given)

    def _assuming(self, obligation: Obligation) -> Obligation:
        return obligation.assuming(self.given)


def under(given: Expr, claim: Claim) -> Claim:
    """The claim, under an assumption where there is one."""
    return claim if given is TRUE else Under(claim, given)


def layout_of(item: Item) -> Layout:
    """The descriptor or the adaptor of an item."""
    if isinstance(item, DescriptorItem):
        return item.descriptor
    if isinstance(item, AdaptorItem):
        return item.adaptor
    if isinstance(item, DistributionItem):
        return item.distribution.adaptor
    assert isinstance(item, TransformItem)
    lower, upper = len(item.transform.lower_lengths), len(item.transform.upper_lengths)
    return make_single_stage_tensor_adaptor([item.transform], [list(range(lower))], [list(range(upper))])


def adaptor_of(item: Item) -> TensorAdaptor:
    """The adaptor of an item."""
    layout = layout_of(item)
    return layout.adaptor if isinstance(layout, TensorDescriptor) else layout


def _in_bounds(item: Item) -> Claim:
    if isinstance(item, AccessItem):
        return _access_in_bounds(item)
    layout = layout_of(item)
    if adaptor_of(item).bottom_ids and all(n is None for n in bottom_limits(layout)):
        raise LayoutError("no dimension below has a prescribed length: there is nothing to stay in")
    return InBounds(layout)


def _access_in_bounds(item: AccessItem) -> Claim:
    from layoutalg.formats.check.accesses import lanes_of
    from layoutalg.memory.access import within

    d = item.descriptor.descriptor
    parts = within(d, lanes_of(item), item.given)
    return Statement("every lane that takes part stays in the tensor", tuple(parts), (d,))


def _injective(item: Item) -> Claim:
    if not isinstance(item, AccessItem):
        return Injective(layout_of(item))
    from layoutalg.formats.check.accesses import lanes_of
    from layoutalg.memory.access import within

    d, lanes = item.descriptor.descriptor, lanes_of(item)
    over = tuple(v for v in dict.fromkeys((item.lane, *item.variables, lanes.element)) if v.op == "var")
    offset = d.offset(lanes.index)
    shown = (Shown("lane", (item.lane,)), Shown("index", lanes.index), Shown("offset", (offset,)))
    some = all_of(item.given, d.valid(lanes.first))
    words = InjectiveMap("offsets differ", over, (offset,), some, shown)
    return Statement("different lanes reach different elements", (*within(d, lanes, item.given), words), (d,))


def _covers(item: Item, copies: Expr | None = None) -> Claim:
    assert isinstance(item, DistributionItem)
    return Covers(item.distribution, None if copies is None else int(copies))


def _contiguous(item: Item, count: Expr, dimension: Expr | None = None) -> Claim:
    assert isinstance(item, DescriptorItem)
    rank = item.descriptor.rank
    where = rank - 1 if dimension is None else int(dimension)
    if not 0 <= where < rank:
        raise ClaimError(f"{item.name}: contiguous: dimension {where} does not exist: there are {rank} (0…{rank - 1})")
    return Contiguous(item.descriptor, where, int(count))


def _aligned(item: Item, count: Expr) -> Claim:
    assert isinstance(item, DescriptorItem)
    return Aligned(item.descriptor, int(count))


def _fits_index(item: Item, bits: Expr | None = None) -> Claim:
    return FitsIndexType(layout_of(item), 32 if bits is None else int(bits))


def _increments(item: Item) -> Claim:
    return Increments(item.transform if isinstance(item, TransformItem) else adaptor_of(item))


def _digits(item: Item) -> Claim:
    if not (isinstance(item, TransformItem) and isinstance(item.transform, Merge)):
        raise ClaimError(f"{item.name}: digits is a claim about a merge")
    return Digits(item.transform)


def _lengths(item: Item, *expected: Expr) -> Claim:
    actual = item.distribution.lengths if isinstance(item, DistributionItem) else adaptor_of(item).lengths
    same = len(actual) == len(expected)
    goal = all_of(*(eq(a, b) for a, b in zip(actual, expected, strict=True))) if same else FALSE
    words = ForAll("lengths", goal, TRUE, (Shown("lengths", actual),))
    return Statement(f"the lengths are {expected}", (words,), (layout_of(item),))


def _element_space_size(item: Item, expected: Expr) -> Claim:
    assert isinstance(item, DescriptorItem)
    size = item.descriptor.element_space_size
    goal = ForAll("element space size", eq(size, expected), TRUE, (Shown("element space size", (size,)),))
    return Statement(f"the element space has {expected} elements", (goal,), (item.descriptor,))


def agree(item: AgreeItem) -> Claim:
    """That two descriptors address the same word, at indices that both have."""
    sides = ((item.left.descriptor, item.left_index), (item.right.descriptor, item.right_index))
    (one, other), (valid, also) = ([d.offset(i) for d, i in sides], [d.valid(i) for d, i in sides])
    shown = (Shown("at", item.variables), Shown("offsets", (one, other)))
    inside = all_of(*(in_range(i, n) for d, index in sides for i, n in zip(index, d.lengths, strict=True)))
    same = TRUE if (valid, also) == (TRUE, TRUE) else eq(valid, also)
    return Statement(
        f"{item.left.name} and {item.right.name} address the same word",
        (
            ForAll("both indices are in range", inside, item.given, shown),
            ForAll("both reach data, or neither", same, item.given, shown),
            ForAll("offsets are equal", eq(one, other), all_of(item.given, valid), shown),
        ),
        (item.left.descriptor, item.right.descriptor),
    )


CLAIMS: Mapping[str, Callable[..., Claim]] = {
    "in_bounds": _in_bounds,
    "injective": _injective,
    "bijective": lambda item: Bijective(layout_of(item)),
    "covers": _covers,
    "fits_index": _fits_index,
    "contiguous": _contiguous,
    "aligned": _aligned,
    "round_trip": lambda item: RoundTripUpper(layout_of(item)),
    "round_trip_lower": lambda item: RoundTripLower(layout_of(item)),
    "increments": _increments,
    "digits": _digits,
    "lengths": _lengths,
    "element_space_size": _element_space_size,
}
"""What each claim of a file says, as a claim of the prover; those of accesses alone are in `accesses`."""
