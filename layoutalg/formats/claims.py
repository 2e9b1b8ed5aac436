"""The claims that a file may make: one entry each, how it is written, of what, in words, and as a claim of the prover.

A claim is written as its name, with integers or expressions over symbols in brackets where it takes any:

    claims = ["in_bounds", "contiguous(8)", { claim = "injective", expect = "refuted" }]

Most are the prover's own claims on the item's layout.  LayoutError where a claim says nothing of an item (a bare
transform that prescribes no length below has nothing to stay in); ClaimError where its arguments make no sense.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from layoutalg.formats import accesses, boxes
from layoutalg.formats.model import (
    AccessItem,
    BoxItem,
    DescriptorItem,
    DistributionItem,
    Item,
    LayoutItem,
    StatedClaim,
    TransformItem,
)
from layoutalg.index import FALSE, ONE, TRUE, Expr, all_equal, as_expr, div, eq, le, mul
from layoutalg.layout import Insert, LayoutError, Merge, TensorAdaptor, TensorDescriptor, TileDistribution, attach
from layoutalg.prove import (
    Agree,
    Aligned,
    AlignedBytes,
    Bijective,
    Claim,
    Contiguous,
    Covers,
    Equivalent,
    FitsBytes,
    FitsIndexType,
    ForAll,
    InBounds,
    Injective,
    OwnScale,
    RoundTripLower,
    RoundTripUpper,
    Shown,
)
from layoutalg.prove.claims.given import ExplicitClaim, under
from layoutalg.prove.claims.moves import Increments, MergeDigits
from layoutalg.prove.domain import Layout, adaptor_of, bottom_limits
from layoutalg.records import dataclass

CLAIM_TEXT = re.compile(r"\s*([a-z_0-9]+)\s*(?:\((.*)\))?\s*", re.DOTALL)


class ClaimError(LayoutError):
    """A claim whose arguments make no sense for the item."""


@dataclass(frozen=True)
class ClaimForm:
    """One claim: as it is written, its words, the kinds of item that it is for, and the prover's claim.

    `make` takes the item and the arguments, from `least` to `most` of them; `numbers` are the ranges of those that are
    numbers and no sizes.  `assumes`: the item's `given` is assumed of what `make` gives, which does not know it.
    `of_another`: `make` takes another item's layout besides, which the claim names.
    """

    written: str
    words: str
    of: frozenset[str]
    make: Callable[..., Claim]
    least: int = 0
    most: int = 0
    numbers: tuple[tuple[int, int], ...] = ()
    assumes: bool = True
    of_another: bool = False

    @property
    def name(self) -> str:
        """What stands before the brackets."""
        return re.split(r"[( ]", self.written, maxsplit=1)[0]

    def claim(self, item: Item, *args: Expr | TensorDescriptor | TileDistribution) -> Claim:
        """The claim of an item; LayoutError where it says nothing of it, ClaimError where arguments make no sense."""
        made = self.make(item, *args)
        return under(item.given, made) if self.assumes else made


def _layout(item: Item) -> Layout:
    assert isinstance(item, LayoutItem)
    return item.layout


def _in_bounds(item: Item) -> Claim:
    if isinstance(item, AccessItem):
        return accesses.in_bounds(item)
    if isinstance(item, BoxItem):
        return boxes.in_bounds(item)
    layout = _layout(item)
    if adaptor_of(layout).bottom_ids and all(n is None for n in bottom_limits(layout)):
        raise LayoutError("no dimension below has a prescribed length: there is nothing to stay in")
    return InBounds(layout)


def _injective(item: Item) -> Claim:
    if isinstance(item, BoxItem):
        return boxes.injective(item)
    return accesses.injective(item) if isinstance(item, AccessItem) else Injective(_layout(item))


def _lands(item: Item) -> Claim:
    if isinstance(item, BoxItem):
        return boxes.lands(item)
    assert isinstance(item, AccessItem)
    return accesses.lands(item)


def _covers(item: Item, copies: Expr | None = None) -> Claim:
    assert isinstance(item, DistributionItem)
    return Covers(item.distribution, None if copies is None else int(copies))


def _contiguous(item: Item, count: Expr, dimension: Expr | None = None) -> Claim:
    assert isinstance(item, DescriptorItem)
    return Contiguous(item.descriptor, _dimension(item, "contiguous", dimension), int(count))


def _dimension(item: DescriptorItem, claim: str, said: Expr | None) -> int:
    """The dimension that a claim says, else the last one."""
    rank = item.descriptor.rank
    where = rank - 1 if said is None else int(said)
    if not 0 <= where < rank:
        raise ClaimError(f"{item.name}: {claim}: dimension {where} does not exist: there are {rank} (0…{rank - 1})")
    return where


def _aligned(item: Item, count: Expr) -> Claim:
    assert isinstance(item, DescriptorItem)
    return Aligned(item.descriptor, int(count))


def _fits_index(item: Item, bits: Expr | None = None) -> Claim:
    return FitsIndexType(_layout(item), 32 if bits is None else int(bits))


def _fits_bytes(bits: int) -> Callable[[Item], Claim]:
    def make(item: Item) -> Claim:
        assert isinstance(item, DescriptorItem)
        return FitsBytes(item.descriptor, accesses.dtype_of(item).bits, bits)

    return make


def _aligned_bytes(item: Item, multiple: Expr, count: Expr | None = None) -> Claim:
    assert isinstance(item, DescriptorItem)
    kind = accesses.dtype_of(item)
    whole, rest = divmod(8 * int(multiple), kind.bits)
    if count is None and rest:
        raise ClaimError(f"{item.name}: aligned_bytes: {int(multiple)} bytes are no whole number of {kind.name}")
    return AlignedBytes(item.descriptor, kind.bits, whole if count is None else int(count), int(multiple))


def _own_scale(item: Item, count: Expr, dimension: Expr | None = None) -> Claim:
    assert isinstance(item, DescriptorItem)
    return OwnScale(item.descriptor, int(count), _dimension(item, "own_scale", dimension))


def _increments(item: Item) -> Claim:
    return Increments(item.transform if isinstance(item, TransformItem) else adaptor_of(_layout(item)))


def _digits(item: Item) -> Claim:
    if not (isinstance(item, TransformItem) and isinstance(item.transform, Merge)):
        raise ClaimError(f"{item.name}: digits is a claim about a merge")
    return MergeDigits(item.transform)


def _lengths(item: Item, *expected: Expr) -> Claim:
    actual = item.distribution.lengths if isinstance(item, DistributionItem) else adaptor_of(_layout(item)).lengths
    same = len(actual) == len(expected)
    goal = all_equal(actual, expected) if same else FALSE
    shown = (Shown("lengths", actual), Shown("wanted", expected))
    words = ForAll("lengths", goal, TRUE, shown, "lengths {lengths}; the file says {wanted}")
    return ExplicitClaim(f"the lengths are {expected}", (words,), (_layout(item),))


def _element_space_size(item: Item, expected: Expr) -> Claim:
    assert isinstance(item, DescriptorItem)
    size = item.descriptor.element_space_size
    shown = (Shown("size", (size,)), Shown("wanted", (expected,)))
    told = "element space size {size}; the file says {wanted}"
    goal = ForAll("element space size", eq(size, expected), TRUE, shown, told)
    return ExplicitClaim(f"the element space has {expected} elements", (goal,), (item.descriptor,))


def _fits_lds(item: Item, most: Expr) -> Claim:
    assert isinstance(item, DescriptorItem)
    size, bits = item.descriptor.element_space_size, accesses.dtype_of(item).bits
    shown = (Shown("size", (size,)), Shown("bytes", (div(mul(size, bits) + 7, as_expr(8)),)), Shown("most", (most,)))
    told = f"{{size}} elements of {bits} bits take {{bytes}} bytes of LDS; the claim says at most {{most}}"
    goal = ForAll("bytes of LDS", le(mul(size, bits), mul(most, 8)), TRUE, shown, told)
    return ExplicitClaim(f"the element space takes at most {most} bytes", (goal,), (item.descriptor,))


def _equals(item: Item, other: TensorDescriptor | TileDistribution) -> Claim:
    one = _layout(item) if not isinstance(item, DistributionItem) else item.distribution
    if len(one.lengths) != len(other.lengths):
        ranks = (Shown("lengths", one.lengths), Shown("the other's", other.lengths))
        told = "the lengths are {lengths}, the other's {the other's}: not as many dimensions"
        return ExplicitClaim(
            "both are the same map", (ForAll("both have as many dimensions", FALSE, TRUE, ranks, told),)
        )
    if isinstance(one, TileDistribution):
        assert isinstance(other, TileDistribution)
        return Equivalent(_by_thread(one), _by_thread(other))
    assert isinstance(other, TensorDescriptor)
    return Agree(one, other)


def _by_thread(distribution: TileDistribution) -> TensorAdaptor:
    """From a thread's number and a register's, of however many Ps and Ys, to an element of the tile."""
    adaptor, ps = distribution.adaptor, len(distribution.ps)
    parts = [range(ps), range(ps, len(adaptor.lengths))]
    numbers = [Merge(tuple(adaptor.lengths[n] for n in part)) if part else Insert(ONE) for part in parts]
    return attach(adaptor, numbers, parts, [[0], [1]])


_MAPS = frozenset({"descriptor", "transform", "adaptor", "distribution"})
_DESCRIPTOR, _ACCESS, _BOX = frozenset({"descriptor"}), frozenset({"access"}), frozenset({"box"})

CLAIMS: Mapping[str, ClaimForm] = {
    form.name: form
    for form in (
        ClaimForm(
            "in_bounds", "every hidden index lies in its dimension, every valid offset in the element space",
            _MAPS | _ACCESS | _BOX, _in_bounds,
        ),
        ClaimForm("injective", "two valid indices never meet", _MAPS | _ACCESS | _BOX, _injective),
        ClaimForm(
            "bijective", "injective, and everything below is reached",
            _MAPS, lambda item: Bijective(_layout(item)),
        ),
        ClaimForm(
            "covers(n)", "a distribution holds each element n times (unless stated, as often as its Rs say)",
            frozenset({"distribution"}), _covers, 0, 1, ((1, 1024),),
        ),
        ClaimForm(
            "fits_index(bits)",
            "no value in between leaves a signed integer of that many bits (32 unless stated)",
            _MAPS, _fits_index, 0, 1, ((2, 64),),
        ),
        ClaimForm(
            "contiguous(n, d)",
            "from a multiple of n on, n indices along dimension d (else the last) are neighbours",
            _DESCRIPTOR, _contiguous, 1, 2, ((1, 1 << 16), (0, 63)),
        ),
        ClaimForm(
            "aligned(n)",
            "the offset of every index whose last coordinate is a multiple of n is a multiple of n",
            _DESCRIPTOR, _aligned, 1, 1, ((1, 1 << 30),),
        ),
        ClaimForm(
            "aligned_bytes(b, n)",
            "vectors of n elements along the last dimension (unless stated, of b bytes) begin at multiples of b bytes",
            _DESCRIPTOR, _aligned_bytes, 1, 2, ((1, 1 << 20), (1, 1 << 20)),
        ),
        ClaimForm(
            "fits_bytes_31", "at most 2^31 bytes: CK's limit (TwoGB), and that of signed 32-bit byte offsets",
            _DESCRIPTOR, _fits_bytes(31),
        ),
        ClaimForm(
            "fits_bytes_32", "at most 2^32 - 1 bytes: what num_records of a buffer resource can say",
            _DESCRIPTOR, _fits_bytes(32),
        ),
        ClaimForm(
            "own_scale(n, d)",
            "scales as elements see them: n elements along dimension d (else the last) find one, theirs alone",
            _DESCRIPTOR, _own_scale, 1, 2, ((1, 1 << 16), (0, 63)),
        ),
        ClaimForm("round_trip", "upper(lower(u)) = u", _MAPS, lambda item: RoundTripUpper(_layout(item))),
        ClaimForm("round_trip_lower", "lower(upper(d)) = d", _MAPS, lambda item: RoundTripLower(_layout(item))),
        ClaimForm(
            "increments", "moving an index by a step equals computing it anew",
            frozenset({"descriptor", "transform", "adaptor"}), _increments,
        ),
        ClaimForm(
            "digits",
            "a merge, however it is computed, gives the mixed-radix digits (by magic: below 2^31)",
            frozenset({"transform"}), _digits,
        ),
        ClaimForm("lengths(…)", "the lengths of the top dimensions", _MAPS, _lengths, 1, 64),
        ClaimForm(
            "element_space_size(n)", "the size of the memory, in elements",
            _DESCRIPTOR, _element_space_size, 1, 1,
        ),
        ClaimForm(
            "fits_lds(n)", "the element space, of elements of the dtype, takes at most n bytes",
            _DESCRIPTOR, _fits_lds, 1, 1,
        ),
        ClaimForm(
            'equals = "other"',
            "another descriptor is the same map: shape, padding and every offset; another distribution: each thread "
            "holds the same elements, in the same registers",
            frozenset({"descriptor", "distribution"}), _equals, of_another=True,
        ),
        ClaimForm(
            "conflict_free", "the lanes of each phase fall into different LDS banks",
            _ACCESS, accesses.conflict_free, assumes=False,
        ),
        ClaimForm(
            "cycles(n)", "the access costs n cycles on each of its targets",
            _ACCESS, accesses.cycles, 1, 1, assumes=False,
        ),
        ClaimForm(
            "coalesced", "neighbouring lanes reach neighbouring memory",
            _ACCESS, accesses.coalesced, assumes=False,
        ),
        ClaimForm(
            "lands", "loads straight to LDS, which put lanes' pieces or a box in order, fill the layout as it says",
            _ACCESS | _BOX, _lands, assumes=False,
        ),
        ClaimForm("fits_fields", "each number fits its field", _BOX, boxes.fits_fields, assumes=False),
        ClaimForm("complete", "what the tensor has under the box is copied", _BOX, boxes.complete, assumes=False),
        ClaimForm("whole", "all of the box lies in the tensor", _BOX, boxes.whole, assumes=False),
        ClaimForm("ck_fields", "CK's `TDM_GROUP1` hands strides on as they are", _BOX, boxes.ck_fields, assumes=False),
    )
}  # fmt: skip


def claim_of(item: Item, stated: StatedClaim) -> Claim:
    r"""What an item's stated claim asks of the prover; LayoutError and ClaimError as `ClaimForm.claim` raises them.

    >>> from layoutalg.formats import loads
    >>> text = '[[descriptor]]\nname = "a"\nbase = { kind = "packed", lengths = [8] }\nclaims = ["aligned(4)"]'
    >>> (item,) = loads(text).items
    >>> claim_of(item, item.claims[0]).name
    'aligned'
    """
    return CLAIMS[stated.name].claim(item, *stated.args, *(stated.other or ())[1:])


USUAL: Mapping[str, tuple[str, ...]] = {
    "descriptor": ("in_bounds", "injective", "fits_index"),
    "transform": ("in_bounds",),
    "adaptor": ("in_bounds",),
    "distribution": ("in_bounds", "covers"),
    "access": ("in_bounds",),
    "box": ("fits_fields", "in_bounds", "complete"),
}
"""What is claimed of an item that states no claims."""


def table() -> str:
    """The claims as a table, for the documentation.

    >>> table().splitlines()[3]
    '| `injective` | two valid indices never meet |'
    """
    rows = (f"| `{form.written}` | {form.words} |" for form in CLAIMS.values())
    return "\n".join(("| claim | says |", "|---|---|", *rows))


def split(text: str) -> tuple[str, list[str]] | None:
    """The name and the argument texts of a claim; None where it is not written as one.

    >>> split("contiguous(8, K // 2)")
    ('contiguous', ['8', 'K // 2'])
    """
    match = CLAIM_TEXT.fullmatch(text)
    if match is None:
        return None
    name, inner = match.groups()
    return name, arguments(inner) if inner is not None else []


def arguments(text: str) -> list[str]:
    """The parts between commas that stand in no brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]
