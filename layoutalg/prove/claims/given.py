"""Claims that are made of what is at hand: of obligations, or of another claim and an assumption on the sizes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from layoutalg.index import TRUE, Expr, all_of
from layoutalg.prove.claims.base import Claim
from layoutalg.prove.domain import Layout
from layoutalg.prove.obligation import ForAll, Obligation
from layoutalg.records import dataclass


@dataclass(frozen=True)
class ExplicitClaim(Claim):
    """A claim given by its obligations, on the layouts that they speak of."""

    text: str
    parts: tuple[Obligation, ...]
    layouts: tuple[Layout, ...] = ()
    name: ClassVar[str] = "statement"

    def statement(self) -> str:
        return self.text

    def obligations(self) -> Iterator[Obligation]:
        return iter(self.parts)

    def expressions(self) -> Iterator[Expr]:
        yield from super().expressions()
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
