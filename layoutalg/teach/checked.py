"""What is said of an answer: right or not, in a sentence; and the sentences that several checks say."""

from __future__ import annotations

import html
from collections.abc import Sequence

from layoutalg.draw import Picture
from layoutalg.errors import DeviceError, shortened
from layoutalg.index import Expr
from layoutalg.layout import TensorDescriptor
from layoutalg.layout.adaptor import same_length
from layoutalg.prove import Unknown, Verdict
from layoutalg.records import dataclass


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
ODD = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, DeviceError)
"""What is raised where something is made of an answer that is none of its kind."""
LONGEST = 80
"""The characters of an answer that are shown back."""


def misfit(answer: object, odd: Exception) -> Checked:
    """Of an answer of which nothing could be made: our own refusal as it is; in place of Python's, the answer's kind.

    >>> misfit("2", TypeError("'str' object cannot be interpreted as an integer"))
    Not yet: '2' is a text, not what is asked for: the first attempt or the task shows the kind.
    """
    if type(odd).__module__ != "builtins":
        return Checked(False, f"{odd}.")
    return Checked(False, f"{_kind(answer)}, not what is asked for: the first attempt or the task shows the kind.")


def no_layout(answer: object, lengths: Sequence[Expr]) -> Checked:
    """Of an answer that is no descriptor of these lengths, nor of others.

    >>> no_layout((1, 4), (4, 8))
    Not yet: (1, 4) are strides alone; the whole layout is make_naive_tensor_descriptor((4, 8), (1, 4)).
    >>> no_layout([[0], [2, 1]], (4, 8))
    Not yet: [[0], [2, 1]] is a list: a descriptor is asked for, all of what stands behind `answer =`.
    """
    if not isinstance(answer, type) and isinstance(getattr(answer, "descriptor", None), TensorDescriptor):
        return Checked(
            False, f"this {type(answer).__name__} is no layout, but it has one: write .descriptor behind it."
        )
    if isinstance(answer, tuple | list) and len(answer) == len(lengths) and all(isinstance(n, int) for n in answer):
        whole = f"make_naive_tensor_descriptor({tupled(lengths)}, {tupled(answer)})"
        return Checked(False, f"{answer} are strides alone; the whole layout is {whole}.")
    return Checked(False, f"{_kind(answer)}: a descriptor is asked for, all of what stands behind `answer =`.")


def _kind(answer: object) -> str:
    shown = shortened(repr(answer), LONGEST)
    match answer:
        case type():
            return f"{answer.__name__} is a class, without what belongs in its brackets"
        case str():
            return f"{shown} is a text"
        case bool():
            return f"{shown} is a truth value"
        case int() | float():
            return f"{shown} is a number"
        case tuple() | list():
            return f"{shown} is a {type(answer).__name__}"
    return f"{shown} is of the kind {type(answer).__name__}"


def other_lengths(has: Sequence[Expr], wanted: Sequence[Expr]) -> str | None:
    """What is said of lengths that are not those that were asked for."""
    same = len(has) == len(wanted) and all(map(same_length, has, wanted))
    return None if same else f"the lengths are {tupled(has)}; they should be {tupled(wanted)}."


def how(verdict: Verdict) -> str:
    """By what a proof was found."""
    return f"proved by {verdict.strategy}"


def not_known(verdict: Verdict) -> Checked:
    """Of a question that the prover leaves open."""
    why = verdict.reason if isinstance(verdict, Unknown) else verdict.name
    return Checked(False, f"the prover does not know: {why}.")


def tupled(numbers: Sequence[Expr | int]) -> str:
    """Numbers as Python writes a tuple."""
    return f"({', '.join(map(str, numbers))}{',' * (len(numbers) == 1)})"
