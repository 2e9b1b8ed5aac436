"""Claims on layouts, decided: proved, refuted with a witness, or unknown."""

from layoutalg.prove.claims import (
    Agree,
    Aligned,
    All,
    Bijective,
    Claim,
    Contiguous,
    Covers,
    Equivalent,
    FitsIndexType,
    InBounds,
    Injective,
    Monotone,
    RoundTrip,
    RoundTripLower,
    RoundTripUpper,
    Surjective,
    default_claims,
)
from layoutalg.prove.obligation import ForAll, Obligation, Onto, Shown
from layoutalg.prove.obligation import Injective as InjectiveMap
from layoutalg.prove.outcome import Limits
from layoutalg.prove.parallel import prove_all
from layoutalg.prove.portfolio import prove
from layoutalg.prove.verdict import Proved, Refuted, Unknown, Verdict, Witness

__all__ = [
    "Agree", "Aligned", "All", "Bijective", "Claim", "Contiguous", "Covers", "Equivalent", "FitsIndexType", "ForAll",
    "InBounds", "Injective", "InjectiveMap", "Limits", "Monotone", "Obligation", "Onto", "Proved", "Refuted",
    "RoundTrip", "RoundTripLower", "RoundTripUpper", "Shown", "Surjective", "Unknown", "Verdict", "Witness",
    "default_claims", "prove", "prove_all",
]  # fmt: skip
