"""Numbers: a prediction, and the largest that will do."""

from __future__ import annotations

from collections.abc import Callable

from layoutalg.errors import shortened
from layoutalg.index import Expr, variables
from layoutalg.teach.checked import LONGEST, NO_ANSWER, ODD, Checked, misfit


def equals(answer: object, wanted: object, look: str = "") -> Checked:
    """Whether a prediction is right, of several numbers which are not; `look` says where to look when it is not.

    >>> equals((2032, 13), (2032, 12))
    Not yet: it is not (2032, 13): the second part is wrong.
    >>> equals(24, 20, "the last index is (2, 3): what does it reach?")
    Not yet: it is not 24. Look: the last index is (2, 3): what does it reach?
    >>> equals((0, 1), 32), equals("q", ("q",))
    (Not yet: it is not (0, 1): one number is asked for., Not yet: it is not 'q': a tuple is asked for, such as ('q',).)
    >>> equals((2032, 12.4), (2032, 12))
    Not yet: it is not (2032, 12.4): the second part is wrong, and a whole number is asked for.
    """
    if answer is None:
        return NO_ANSWER
    mine, right = _plain(answer), _plain(wanted)
    if _same(mine, right):
        return Checked(True, f"it is {wanted}.")
    text = f"it is not {shortened(repr(answer), LONGEST)}{_why(mine, right)}."
    return Checked(False, text + (f" Look: {look}" if look else ""))


def _why(mine: object, right: object) -> str:
    """What is wrong with a prediction's form, or which of two parts is not right; nothing where neither says more."""
    if isinstance(right, tuple) and not isinstance(mine, tuple):
        return f": a tuple is asked for, such as {(mine,) if len(right) == 1 else (mine, '…')}"
    if isinstance(mine, tuple) and not isinstance(right, tuple):
        return f": one {'number' if isinstance(right, int | float) else 'value'} is asked for"
    if isinstance(mine, tuple) and isinstance(right, tuple) and len(mine) == len(right) == 2:
        same = [_same(one, other) for one, other in zip(mine, right, strict=True)]
        if sum(same) == 1:
            n = same.index(False)
            return f": the {('first', 'second')[n]} part is wrong{_broken(mine[n], right[n], ', and')}"
        return ""
    return _broken(mine, right, ":")


def _broken(mine: object, right: object, word: str) -> str:
    is_broken = isinstance(mine, float) and isinstance(right, int) and mine % 1 != 0
    return f"{word} a whole number is asked for" if is_broken else ""


def largest(answer: int | None, check: Callable[[int], Checked], step: int = 1) -> Checked:
    """Whether an answer is a multiple of `step` and right by a check, and `step` more is not.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> from layoutalg.prove import Injective
    >>> from layoutalg.teach import holds
    >>> def apart(columns): return holds(Injective(make_naive_tensor_descriptor((4, columns), (8, 1))))
    >>> largest(6, apart), largest(8, apart).right
    (Not yet: 7 will do as well., True)
    >>> largest(7, apart, step=4)
    Not yet: 7 is no multiple of 4.
    """
    if answer is None:
        return NO_ANSWER
    try:
        if answer % step:
            return Checked(False, f"{answer} is no {'whole number' if step == 1 else f'multiple of {step}'}.")
        checked = check(answer)
        if checked and check(answer + step):
            return Checked(False, f"{answer + step} will do as well.")
    except ODD as odd:
        return misfit(answer, odd)
    return Checked(True, f"it is {answer}: {checked.text}") if checked else checked


def _same(mine: object, right: object) -> bool:
    """Whether two values are equal, where that is one truth value."""
    try:
        return bool(mine == right)
    except ODD:
        return False


def _plain(given: object) -> object:
    """Lists and arrays as tuples, numbers of whatever kind as numbers: how an answer is written does not matter."""
    if not isinstance(given, type) and hasattr(given, "tolist"):
        given = given.tolist()
    if isinstance(given, list | tuple):
        return tuple(map(_plain, given))
    return int(given) if isinstance(given, Expr) and not variables(given) else given
