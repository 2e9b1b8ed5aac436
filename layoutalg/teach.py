"""Answers to exercises, checked by the prover: a wrong one is told where it is wrong, by a counterexample.

| exercise                                    | checked by    | a wrong answer is told                               |
|---------------------------------------------|---------------|------------------------------------------------------|
| write a descriptor that is this map         | `same_map`    | an index, what it reaches and what it should reach   |
| write a formula                             | `same_formula`| values of the variables at which the two differ      |
| make a claim hold                           | `holds`       | the witness of the refutation, drawn                 |
| find two indices that collide               | `collide`     | what the two really reach                            |
| predict a number                            | `equals`      | that it is another (with what to look at)            |

An answer is never executed beyond being an argument, and no answer raises: a learner reads a sentence.
What it cannot represent: whether an answer is a good one; only whether it is right.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from layoutalg.draw import DrawError, Picture, collision, refutation, show
from layoutalg.index import Expr, Term, as_expr, eq, variables
from layoutalg.index.evaluate import value, values
from layoutalg.layout import LayoutError, TensorDescriptor
from layoutalg.layout.adaptor import same_length
from layoutalg.memory import LdsClaim
from layoutalg.prove import Agree, Claim, ForAll, Proved, Refuted, Shown, Unknown, Verdict, prove
from layoutalg.prove.domain import digit_form


@dataclass(frozen=True)
class Checked:
    """Whether an answer is right, in a sentence, with a picture of the counterexample where there is one."""

    right: bool
    text: str
    picture: Picture | None = None

    def __bool__(self) -> bool:
        return self.right

    def __repr__(self) -> str:
        return f"{'Right' if self.right else 'Not yet'}: {self.text}"

    def _repr_html_(self) -> str:
        colour = "#0072b2" if self.right else "#d55e00"
        words = f'<p style="border-left:4px solid {colour};padding:.3em .8em;margin:0">{html.escape(repr(self))}</p>'
        return words + (str(self.picture) if self.picture is not None else "")


NO_ANSWER = Checked(False, "there is no answer yet.")


def same_map(answer: TensorDescriptor | None, wanted: TensorDescriptor) -> Checked:
    """Whether a descriptor reaches the same elements as another.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> same_map(naive((3, 4), (1, 3)), naive((3, 4), (4, 1)))
    Not yet: index (0, 1) reaches offset 3; it should reach 1.
    >>> same_map(naive((3, 4), (4, 1)), naive((3, 4), (4, 1))).right
    True
    """
    if not isinstance(answer, TensorDescriptor):
        return NO_ANSWER
    if answer.rank != wanted.rank or not all(map(same_length, answer.lengths, wanted.lengths)):
        return Checked(False, f"the lengths are {_tuple(answer.lengths)}; they should be {_tuple(wanted.lengths)}.")
    verdict = prove(Agree(answer, wanted))
    if isinstance(verdict, Proved):
        return Checked(True, f"every index reaches the element it should ({_how(verdict)}).")
    if not isinstance(verdict, Refuted):
        return _open(verdict)
    point = verdict.witness.points[0]
    form = digit_form(answer)
    at = {
        v: point.get(v.value.name, 0) for v in variables(*form.top, *(d.offset(answer.index) for d in (answer, wanted)))
    }
    index = values(form.top, {**{v: point.get(v.value.name, 0) for v in form.variables}, **at})
    places = [values([d.offset(index), d.valid(index)], at) for d in (answer, wanted)]
    (mine, data), (right, should) = places
    where = f"index {_tuple(index)}"
    if data != should:
        words = ("is padding", "reaches data")
        return Checked(False, f"{where} {words[data]}; it should be one that {words[should]}.")
    return Checked(False, f"{where} reaches offset {mine}; it should reach {right}.")


def same_formula(answer: Term | None, wanted: Expr) -> Checked:
    """Whether a formula has the value of another for all values of their variables.

    >>> from layoutalg.index import var
    >>> lane = var("lane", 64)
    >>> same_formula(lane // 4, lane // 8)  # doctest: +ELLIPSIS
    Not yet: at lane = ... yours is ...; it should be ...
    """
    if answer is None:
        return NO_ANSWER
    mine = as_expr(answer)
    found = variables(mine, wanted)
    shown = tuple(Shown(v.value.name, (v,)) for v in found)
    verdict = prove(ForAll("the formulas agree", eq(mine, wanted), show=shown))
    if isinstance(verdict, Proved):
        return Checked(True, f"equal for all values ({_how(verdict)}).")
    if not isinstance(verdict, Refuted):
        return _open(verdict)
    at = {v: verdict.witness.points[0][v.value.name] for v in found}
    where = ", ".join(f"{v} = {n}" for v, n in at.items()) or "once"
    return Checked(False, f"at {where} yours is {value(mine, at)}; it should be {value(wanted, at)}.")


def holds(*claims: Claim) -> Checked:
    """Whether claims are proved; the first that is not is told with its witness, and drawn where it can be.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> from layoutalg.prove import Injective
    >>> holds(Injective(make_naive_tensor_descriptor((4, 3), (2, 3)))).text
    'offsets differ fails: index (0, 2), offset 6 and index (3, 0), offset 6.'
    """
    if not claims:
        return NO_ANSWER
    how = []
    for claim in claims:
        verdict = prove(claim)
        if isinstance(verdict, Refuted):
            return Checked(False, f"{verdict.reason}.", _drawn(claim, verdict))
        if not isinstance(verdict, Proved):
            return _open(verdict)
        how.append(f"{verdict.claim} ({_how(verdict)})")
    return Checked(True, f"{'; '.join(how)}.")


def collide(descriptor: TensorDescriptor, one: Sequence[int] | None, other: Sequence[int] | None) -> Checked:
    """Whether two different indices reach one element.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> collide(make_naive_tensor_descriptor((4, 4), (3, 1)), (0, 0), (1, 0))
    Not yet: (0, 0) reaches offset 0, (1, 0) offset 3.
    """
    if one is None or other is None:
        return NO_ANSWER
    first, second = tuple(one), tuple(other)
    for index in (first, second):
        if (wrong := _outside(descriptor, index)) is not None:
            return Checked(False, wrong)
    if first == second:
        return Checked(False, f"{first} twice is one index; two different ones are asked for.")
    offsets = [int(descriptor.offset(index)) for index in (first, second)]
    if offsets[0] != offsets[1]:
        return Checked(False, f"{first} reaches offset {offsets[0]}, {second} offset {offsets[1]}.")
    return Checked(True, f"both reach offset {offsets[0]}.", collision(descriptor, first, second))


def equals(answer: object, wanted: object, look: str = "") -> Checked:
    """Whether a prediction is right; `look` says where to look when it is not.

    >>> equals(24, 20, "the last index is (2, 3): what does it reach?")
    Not yet: it is not 24. Look: the last index is (2, 3): what does it reach?
    """
    if answer is None:
        return NO_ANSWER
    if answer == wanted:
        return Checked(True, f"it is {wanted}.")
    return Checked(False, f"it is not {answer}." + (f" Look: {look}" if look else ""))


def _outside(descriptor: TensorDescriptor, index: tuple[int, ...]) -> str | None:
    lengths = tuple(map(int, descriptor.lengths))
    if len(index) != len(lengths):
        return f"{index} has {len(index)} coordinates; the tensor has {len(lengths)}."
    if not all(0 <= i < n for i, n in zip(index, lengths, strict=True)):
        return f"{index} is outside the lengths {lengths}."
    if not int(descriptor.valid(index)):
        return f"{index} is padding: it reaches no data."
    return None


def _drawn(claim: Claim, verdict: Refuted) -> Picture | None:
    """The counterexample as a picture; None where there is none to draw."""
    try:
        if isinstance(claim, LdsClaim):
            return show(claim.access, verdict)
        subject: Any = getattr(claim, "descriptor", None)
        return refutation(subject, verdict) if isinstance(subject, TensorDescriptor) else None
    except (DrawError, LayoutError):
        return None


def _how(verdict: Verdict) -> str:
    return f"proved by {verdict.strategy}"


def _open(verdict: Verdict) -> Checked:
    why = verdict.reason if isinstance(verdict, Unknown) else verdict.name
    return Checked(False, f"the prover does not know: {why}.")


def _tuple(numbers: Sequence[Expr | int]) -> str:
    return f"({', '.join(map(str, numbers))}{',' * (len(numbers) == 1)})"
