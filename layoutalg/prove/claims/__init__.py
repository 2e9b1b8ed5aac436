"""Claims: what can be said of a layout, and the obligations that each comes down to.

| claim              | says, for all top indices u (in range; valid where data is reached)                   |
|--------------------|---------------------------------------------------------------------------------------|
| InBounds(D)        | valid(u) ⇒ every hidden index lies in its dimension, the offset in the element space  |
| Injective(D)       | valid(u), valid(u′), u ≠ u′ ⇒ offset(u) ≠ offset(u′)                                  |
| Surjective(D)      | every element e of the space has a valid u with offset(u) = e                         |
| Bijective(D)       | all three                                                                             |
| RoundTrip(A)       | upper(lower(u)) = u, and lower(upper(d)) = d for all bottom indices d                 |
| Agree(D, E)        | valid(u) is the same for both, and then offset(u) too                                 |
| Equivalent(D, E)   | that, and the memory is the same                                                      |
| FitsIndexType(D)   | every intermediate value of the index computation fits a signed integer of n bits     |
| Contiguous(D, d, n)| n elements from a multiple of n along dimension d are consecutive, aligned, all valid |
| Aligned(D, n, d)   | where u_d is a multiple of n, so is offset(u)                                         |
| Monotone(D, d)     | offset grows along dimension d                                                        |
| FitsBytes(D, e, n) | elements of e bits take at most 2^n bytes, and no more than `num_records` can say       |
| AlignedBytes(…)    | vectors of n elements of e bits begin at multiples of b bytes                         |
| OwnScale(D, n)     | n elements in a row find one scale, which is theirs alone                             |
| Covers(T, r)       | the distribution T holds every element of its tile exactly r times                    |
| All(claims)        | each of them                                                                          |

A claim has exact obligations, and where it can, also local ones, transform by transform, which suffice: each transform
alone keeps its indices in range, or is injective, for any index in range above it; so does the whole.
"""

from layoutalg.layout import TensorDescriptor
from layoutalg.prove.claims.access import Agree, Aligned, Contiguous, Equivalent, FitsIndexType, Monotone
from layoutalg.prove.claims.base import Claim, in_range
from layoutalg.prove.claims.cover import All, Covers
from layoutalg.prove.claims.maps import (
    Bijective,
    InBounds,
    Injective,
    RoundTrip,
    RoundTripLower,
    RoundTripUpper,
    Surjective,
)
from layoutalg.prove.claims.stored import AlignedBytes, FitsBytes, OwnScale


def default_claims(descriptor: TensorDescriptor) -> tuple[Claim, ...]:
    """What is checked of a descriptor that states no claims.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> [type(claim).__name__ for claim in default_claims(naive((8, 64), (66, 1)))]
    ['InBounds', 'Injective', 'FitsIndexType']
    """
    return InBounds(descriptor), Injective(descriptor), FitsIndexType(descriptor)


__all__ = [
    "Agree", "Aligned", "AlignedBytes", "All", "Bijective", "Claim", "Contiguous", "Covers", "Equivalent", "FitsBytes",
    "FitsIndexType", "InBounds", "Injective", "Monotone", "OwnScale", "RoundTrip", "RoundTripLower", "RoundTripUpper",
    "Surjective", "default_claims", "in_range",
]  # fmt: skip
