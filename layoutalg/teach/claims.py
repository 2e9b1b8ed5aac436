"""Claims of an answer: the first that is not proved is told with its witness, and drawn where it can be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from layoutalg.draw import DrawError, Picture, refutation, show
from layoutalg.index import Term, as_expr
from layoutalg.layout import LayoutError, TensorDescriptor
from layoutalg.memory import LdsClaim
from layoutalg.prove import Claim, Proved, Refuted, Unknown, prove
from layoutalg.prove.verdict import Verdicts
from layoutalg.teach.checked import NO_ANSWER, ODD, Checked, how, misfit, no_layout, not_known, other_lengths


def holds(*claims: Claim | Verdicts) -> Checked:
    """Whether claims are proved; the first that is not is told with its witness, and drawn where it can be.

    A kernel that was verified or audited is taken, too: whether everything that is asked of it is proved.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> from layoutalg.prove import Injective
    >>> holds(Injective(make_naive_tensor_descriptor((4, 3), (2, 3)))).text
    'offsets differ: not at index (0, 2), offset 6 and index (3, 0), offset 6.'
    """
    if not claims:
        return NO_ANSWER
    by = []
    for claim in claims:
        if isinstance(claim, Verdicts):
            for about, verdict in sorted(claim.failures, key=lambda one: not isinstance(one[1], Refuted))[:1]:
                why = verdict.reason if isinstance(verdict, Refuted | Unknown) else ""
                known = "" if isinstance(verdict, Refuted) else f"{verdict.name}{': ' * bool(why)}"
                return Checked(False, f"{about}: {known}{why}.")
            by.append(f"all {len(claim.verdicts)} obligations are proved")
            continue
        verdict = prove(claim)
        if isinstance(verdict, Refuted):
            return Checked(False, f"{verdict.reason}.", _drawn(claim, verdict))
        if not isinstance(verdict, Proved):
            return not_known(verdict)
        by.append(f"{verdict.claim} ({how(verdict)})")
    return Checked(True, f"{'; '.join(by)}.")


def satisfies(
    answer: Any, claims: Callable[[Any], Sequence[Claim | Verdicts]], lengths: Sequence[Term] | None = None
) -> Checked:
    """`holds`, of what is claimed of an answer of any kind; `lengths` are those that its layout must have.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.prove import Injective
    >>> satisfies(naive((2,), (1,)), lambda d: [Injective(d)], lengths=(4, 3))
    Not yet: the lengths are (2,); they should be (4, 3).
    """
    if answer is None:
        return NO_ANSWER
    if lengths is not None:
        if not isinstance(answer, TensorDescriptor):
            return no_layout(answer, list(map(as_expr, lengths)))
        if wrong := other_lengths(answer.lengths, list(map(as_expr, lengths))):
            return Checked(False, wrong)
    try:
        return holds(*claims(answer))
    except ODD as odd:
        return misfit(answer, odd)


def _drawn(claim: Claim, verdict: Refuted) -> Picture | None:
    """The counterexample as a picture; None where there is none to draw."""
    try:
        if isinstance(claim, LdsClaim):
            return show(claim.access, verdict)
        subject: Any = getattr(claim, "descriptor", None)
        return refutation(subject, verdict) if isinstance(subject, TensorDescriptor) else None
    except (DrawError, LayoutError):
        return None
