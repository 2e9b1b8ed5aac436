"""Verdicts: Proved, Refuted with a witness that has been replayed in exact integers, or Unknown with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Verdict:
    """How a claim was decided: in words what was claimed, by which strategy, in how many seconds, assuming what.

    Its truth is whether the claim is proved: `assert prove(…)` fails on what is refuted, and on what is unknown.
    """

    claim: str
    strategy: str
    seconds: float
    assumptions: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return False

    @property
    def name(self) -> str:
        """`proved`, `refuted` or `unknown`."""
        return type(self).__name__.lower()

    @property
    def reason(self) -> str:
        """Why it is not proved; empty where it is."""
        return ""

    def __str__(self) -> str:
        why = f": {self.reason}" if self.reason else ""
        return f"{self.claim}: {self.name} by {self.strategy} in {self.seconds * 1e3:.2f} ms{why}"


@dataclass(frozen=True)
class Proved(Verdict):
    """The claim holds for all values of its variables."""

    def __bool__(self) -> bool:
        return True


@dataclass(frozen=True)
class Witness:
    """Where a claim fails: the value of each variable (two points where it takes two), and what happens there."""

    points: tuple[Mapping[str, int], ...]
    text: str


@dataclass(frozen=True)
class Refuted(Verdict):
    """The claim fails, at the witness."""

    witness: Witness = Witness((), "")

    @property
    def reason(self) -> str:
        """What happens at the witness."""
        return self.witness.text


@dataclass(frozen=True)
class Unknown(Verdict):
    """Neither proved nor refuted within the limits; never a pass."""

    why: str = ""

    @property
    def reason(self) -> str:
        """What stopped every strategy."""
        return self.why
