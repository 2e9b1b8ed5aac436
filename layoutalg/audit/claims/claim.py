"""What a claim of an audit is, and the one way to its findings: one of each subject, so that none is passed over.

| of a subject | is found |
|---|---|
| what reading, a table or the prover shows | proved |
| what is not seen, with the reason | unknown |
| what fails | refuted |
| nothing | that is no answer: `decided` gives one, whatever the subject is |

So a claim is proved where each of its subjects is; where it has none, that is told (`Audit.vacuous`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Protocol

from layoutalg.audit.ask import LATE, Answer, Open, unseen
from layoutalg.audit.followed import Followed
from layoutalg.index import budget
from layoutalg.prove import Verdict

#: What a finding is about where the time was up before it was known what there is to ask.
LEFT = "what is left"


class Finding(NamedTuple):
    """A claim by its name, what it is about (an instruction, in most), and the verdict."""

    claim: str
    about: str
    verdict: Verdict


class KernelClaim(Protocol):
    """A claim: a module of this room.

    | field | says |
    |---|---|
    | `OF` | what one of its subjects is |
    | `RESTS_ON` | the claims that what it shows makes use of, by their names; besides, all held up to there |
    | `FAULTS` | the kinds of faults of a run that show that it fails; None where a run shows nothing of it |
    """

    NAME: str
    SAYS: str
    OF: str
    RESTS_ON: tuple[str, ...]
    FAULTS: frozenset[str] | None

    def subjects(self, kernel: Followed) -> Iterable[Any]:
        """All that it speaks of, each in words as a text."""

    def decided(self, kernel: Followed, subject: Any) -> Answer:
        """What was found of one of these."""


def findings(claim: KernelClaim, kernel: Followed) -> Iterator[Finding]:
    """One of each subject; what the time was not enough for is open."""
    late = Open(LATE)
    try:
        for subject in claim.subjects(kernel):
            try:
                budget.check()  # where the time is used up, nobody begins
                answer = claim.decided(kernel, subject)
            except budget.OutOfTimeError:
                answer = unseen(str(subject), late)
            yield Finding(claim.NAME, *answer)
    except budget.OutOfTimeError:
        yield Finding(claim.NAME, *unseen(LEFT, late))
