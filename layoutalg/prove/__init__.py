"""Claims on layouts, and on accesses to them, decided: proved, refuted with a witness, or unknown.

A claim comes down to obligations (∀, one-to-one, onto) over integer expressions; strategies decide them, the cheapest
first; a verdict says which did, and what was assumed of the sizes.  `prove(claim)` is the one door: what can be decided
in other ways too (the price of every wave, in `memory`) says so by routes of its own.

| module         | what it is                                                                                 |
|----------------|--------------------------------------------------------------------------------------------|
| `claims`       | what can be said of a layout; `statement`: the same as a formula, in text and LaTeX         |
| `obligation`   | the three kinds of statement; `domain`: what they quantify over; `content`: as text         |
| `strategies`   | normal form, mixed radix, F₂ rank, bounds, difference, changes of variables, enumeration …  |
| `solver`       | z3, in a process of its own (`worker`), asked through `lowering`, in `encodings`; `cache`   |
| `decide`       | the order of the strategies; `vacuity`: whether what is assumed holds anywhere              |
| `portfolio`    | `prove`; `parallel`: `prove_all`                                                            |
| `certificates` | SMT-LIB files for each obligation that was used (`smt`, with `steps` where it multiplies)   |
| `recheck`      | other solvers decide them                                                                   |

What it cannot decide: products of sizes that no rule knows and that z3 does not find in time, and bitwise operations on
sizes without a maximum beyond what the normal form sees.  Both are Unknown, with the reason.
"""

from typing import Any

from layoutalg.lazy import called, exports, lazy_imports

with exports():  # the process that runs z3 needs obligations alone
    from layoutalg.prove.claims import (
        Agree,
        Aligned,
        AlignedBytes,
        All,
        Bijective,
        Claim,
        Contiguous,
        Covers,
        Equivalent,
        FitsBytes,
        FitsIndexType,
        InBounds,
        Injective,
        Monotone,
        OwnScale,
        RoundTrip,
        RoundTripLower,
        RoundTripUpper,
        Surjective,
        default_claims,
    )
    from layoutalg.prove.decide import holds
    from layoutalg.prove.obligation import ForAll, InjectiveMap, Obligation, Onto, Shown
    from layoutalg.prove.outcome import Limits
    from layoutalg.prove.parallel import prove_all
    from layoutalg.prove.portfolio import prove
    from layoutalg.prove.verdict import Proved, Refuted, Unknown, Verdict, Verdicts, Witness

with lazy_imports():
    from layoutalg.prove import portfolio

__all__ = [
    "Agree", "Aligned", "AlignedBytes", "All", "Bijective", "Claim", "Contiguous", "Covers", "Equivalent", "FitsBytes",
    "FitsIndexType", "ForAll", "InBounds", "Injective", "InjectiveMap", "Limits", "Monotone", "Obligation", "Onto",
    "OwnScale", "Proved", "Refuted", "RoundTrip", "RoundTripLower", "RoundTripUpper", "Shown", "Surjective", "Unknown",
    "Verdict", "Verdicts", "Witness", "default_claims", "holds", "prove", "prove_all",
]  # fmt: skip


def _prove(*claim: Any, **options: Any) -> Any:
    return portfolio.prove(*claim, **options)


called(__name__, _prove)  # `la.prove(…)`
