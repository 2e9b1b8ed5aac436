"""Claims on layouts, decided: proved, refuted with a witness, or unknown."""

from layoutalg.prove.claims import (
    Agree,
    Bijective,
    Claim,
    Contiguous,
    FitsIndexType,
    InBounds,
    Injective,
    RoundTrip,
    default_claims,
)
from layoutalg.prove.obligation import ForAll, Obligation, Shown
from layoutalg.prove.obligation import Injective as InjectiveMap
from layoutalg.prove.outcome import Limits
from layoutalg.prove.portfolio import prove
from layoutalg.prove.verdict import Proved, Refuted, Unknown, Verdict, Witness

__all__ = [
    "Agree", "Bijective", "Claim", "Contiguous", "FitsIndexType", "ForAll", "InBounds", "Injective", "InjectiveMap",
    "Limits", "Obligation", "Proved", "Refuted", "RoundTrip", "Shown", "Unknown", "Verdict", "Witness",
    "default_claims", "prove",
]  # fmt: skip
