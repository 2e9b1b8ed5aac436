"""Claims on tile distributions, and several claims as one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

from layoutalg.index import TRUE, Expr, all_of, eq, prod
from layoutalg.layout import Freeze, LayoutError, Replicate, TensorAdaptor, TileDistribution
from layoutalg.prove.claims.base import Claim
from layoutalg.prove.claims.maps import Bijective
from layoutalg.prove.obligation import ForAll, Obligation, Shown
from layoutalg.records import dataclass


@dataclass(frozen=True)
class Covers(Claim):
    """Every element of the tile is held exactly `copies` times (None: as often as the encoding's Rs say).

    The map from (P, Y) to (R, X), copies counted apart, is a bijection, and the Rs multiply to `copies`.

    >>> from layoutalg.layout import TileDistribution, TileDistributionEncoding
    >>> from layoutalg.prove import prove
    >>> tile = TileDistribution(TileDistributionEncoding((), ((4, 2),), ((1,),), ((0,),), (1,), (1,)))
    >>> prove(Covers(tile)).name
    'proved'
    """

    distribution: TileDistribution
    copies: int | None = 1
    name: ClassVar[str] = "covers"

    def statement(self) -> str:
        times = "as often as it is replicated" if self.copies is None else f"{self.copies} times"
        return f"every element of the tile is held exactly {times}"

    def obligations(self) -> Iterator[Obligation]:
        if self.copies is not None:
            made = prod(self.distribution.encoding.rs)
            yield ForAll("the copies are as many as stated", eq(made, self.copies), TRUE, (Shown("copies", (made,)),))
        yield from Bijective(copies_below(self.distribution.adaptor)).obligations()

    def local_obligations(self) -> Iterator[Obligation] | None:
        head = () if self.copies is None else (next(self.obligations()),)
        local = Bijective(copies_below(self.distribution.adaptor)).local_obligations()
        return None if local is None else iter((*head, *local))


def copies_below(adaptor: TensorAdaptor) -> TensorAdaptor:
    """The adaptor with its replicated dimensions at the bottom, where they say which copy it is.

    A copy that is frozen (an R of length 1 that nobody owns) tells nothing apart and is left out.
    """
    linked = adaptor.linked
    made = {i for t, _, upper in linked if isinstance(t, Replicate) for i in upper}
    frozen = {i for t, lower, _ in linked if isinstance(t, Freeze) for i in lower if i in made}
    kept = [n for n, (t, lower, _) in enumerate(linked) if not isinstance(t, Replicate) and not frozen & {*lower}]
    copies = sorted(made - frozen)

    def only(items: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(items[n] for n in kept)

    return replace(
        adaptor,
        transforms=only(adaptor.transforms),
        lower_ids=only(adaptor.lower_ids),
        upper_ids=only(adaptor.upper_ids),
        bottom_ids=(*adaptor.bottom_ids, *copies),
    )


@dataclass(frozen=True)
class All(Claim):
    """Several claims at once: proved when each is.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.prove import InBounds, Injective, prove
    >>> tile = naive((8, 64), (66, 1))
    >>> prove(All((InBounds(tile), Injective(tile)))).name
    'proved'
    """

    claims: tuple[Claim, ...]
    name: ClassVar[str] = "all"

    def __post_init__(self) -> None:
        object.__setattr__(self, "claims", tuple(self.claims))
        for claim in self.claims:
            if not isinstance(claim, Claim):
                raise TypeError(f"All of a {type(claim).__name__}: claims are wanted, as in All((InBounds(d),))")
        if not self.claims:
            raise LayoutError("of no claims there is nothing to prove")

    def statement(self) -> str:
        return "; ".join(claim.statement() for claim in self.claims)

    def obligations(self) -> Iterator[Obligation]:
        for claim in self.claims:
            yield from claim.posed()

    @cached_property
    def exists(self) -> Expr:
        """Each claim is posed where its own layout is one."""
        return TRUE

    @property
    def assumed(self) -> Expr:
        return all_of(*(claim.assumed for claim in self.claims))

    @property
    def assumptions(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(line for claim in self.claims for line in claim.assumptions))

    def expressions(self) -> Iterator[Expr]:
        for claim in self.claims:
            yield from claim.expressions()
