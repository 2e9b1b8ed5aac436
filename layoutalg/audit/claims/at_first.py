"""Claims with what is known of tensors from when the launch begins (`audit.at_first`), where they are open without it.

What is shown with it rests on the claims that make it so, and these on it: each says of every moment what follows if
all held up to there.  So all of them are proved together, or none of what was shown so is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from layoutalg.audit.ask import Open, unseen
from layoutalg.audit.claims import aligned, ends, followed, in_bounds, lds_in_bounds, race_free, read_only
from layoutalg.audit.claims.claim import Finding, KernelClaim
from layoutalg.audit.claims.claim import findings as found_of
from layoutalg.audit.followed import Followed

#: What a proof says that it makes use of.
KNOWN = "what is loaded of tensors that are written is as it began where no store comes before, or each keeps it"

#: What that rests on.
RESTS_ON: Sequence[str] = tuple(
    one.NAME for one in (followed, ends, in_bounds, lds_in_bounds, aligned, read_only, race_free)
)


def findings(claim: KernelClaim, kernel: Followed) -> tuple[Finding, ...]:
    """What is found of each subject, by itself or, where that leaves more open, with what is known from the start."""
    plain = tuple(found_of(claim, kernel))
    if all(one.verdict for one in plain) or kernel.stopped is not None or not kernel.beginning:
        return plain
    known = tuple(map(_resting, found_of(claim, kernel.knowing_beginning)))
    if [one.about for one in plain] == [one.about for one in known]:
        return tuple(one if one.verdict else other for one, other in zip(plain, known, strict=True))
    return known if _open(known) < _open(plain) else plain


def _open(found: Sequence[Finding]) -> int:
    return sum(not one.verdict for one in found)


def _resting(one: Finding) -> Finding:
    return one._replace(verdict=replace(one.verdict, assumptions=(*one.verdict.assumptions, KNOWN)))


def told(decided: Mapping[str, tuple[Finding, ...] | None]) -> dict[str, tuple[Finding, ...] | None]:
    """What was found: open where it makes use of that, and a claim is open that this rests on."""
    unproved = next((one for name in RESTS_ON for one in decided[name] or () if not one.verdict), None)
    if unproved is None:
        return dict(decided)
    left = Open(f"how tensors begin is of use where {unproved.claim} holds: {unproved.about}, which is not proved")
    return {name: its and tuple(_left(one, left) for one in its) for name, its in decided.items()}


def _left(one: Finding, left: Open) -> Finding:
    uses = one.verdict and KNOWN in one.verdict.assumptions
    return Finding(one.claim, *unseen(one.about, left, one.verdict.strategy)) if uses else one
