"""Maps and formulas: a wrong one is told an index, or values, at which it differs; two indices that collide, or not."""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.draw import collision
from layoutalg.index import Expr, Term, as_expr, eq, variables
from layoutalg.index.evaluate import value, values
from layoutalg.index.integers import integer
from layoutalg.layout import TensorDescriptor
from layoutalg.prove import Agree, ForAll, Proved, Refuted, Shown, prove
from layoutalg.prove.domain import digit_form
from layoutalg.teach.checked import NO_ANSWER, ODD, Checked, how, no_layout, not_known, other_lengths, tupled


def same_map(answer: TensorDescriptor | None, wanted: TensorDescriptor) -> Checked:
    """Whether a descriptor reaches the same elements as another.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> same_map(naive((3, 4), (1, 3)), naive((3, 4), (4, 1)))
    Not yet: index (0, 1) reaches offset 3; it should reach 1.
    >>> same_map(naive((3, 4), (4, 1)), naive((3, 4), (4, 1))).right
    True
    """
    if answer is None:
        return NO_ANSWER
    if not isinstance(answer, TensorDescriptor):
        return no_layout(answer, wanted.lengths)
    if other := other_lengths(answer.lengths, wanted.lengths):
        return Checked(False, other)
    verdict = prove(Agree(answer, wanted))
    if isinstance(verdict, Proved):
        return Checked(True, f"every index reaches the element it should ({how(verdict)}).")
    if not isinstance(verdict, Refuted):
        return not_known(verdict)
    point = verdict.witness.points[0]
    form = digit_form(answer)
    offsets = [d.offset(answer.index) for d in (answer, wanted)]
    at = {v: point.get(v.value.name, 0) for v in variables(*form.top, *offsets)}
    index = values(form.top, {**{v: point.get(v.value.name, 0) for v in form.variables}, **at})
    (mine, data), (right, should) = (values([d.offset(index), d.valid(index)], at) for d in (answer, wanted))
    where = f"index {tupled(index)}"
    if data != should:
        words = ("is padding", "reaches data")
        return Checked(False, f"{where} {words[data]}; it should be one that {words[should]}.")
    return Checked(False, f"{where} reaches offset {mine}; it should reach {right}.")


def same_formula(answer: Term | Sequence[Term] | None, wanted: Expr | Sequence[Expr]) -> Checked:
    """Whether a formula, or each of several, has the value of another for all values of their variables.

    >>> from layoutalg.index import var
    >>> lane = var("lane", 64)
    >>> same_formula(lane // 4, lane // 8)  # doctest: +ELLIPSIS
    Not yet: at lane = ... yours is ...; it should be ...
    >>> same_formula((lane // 8, lane % 4), (lane // 8, lane % 8))
    Not yet: formula 2: at lane = 4 yours is 0; it should be 4.
    """
    if answer is None:
        return NO_ANSWER
    try:
        mine = [as_expr(one) for one in (answer if isinstance(answer, Sequence) else [answer])]
    except TypeError as wrong:
        return Checked(False, f"{wrong}.")
    right = list(wanted if isinstance(wanted, Sequence) else [wanted])
    if len(mine) != len(right):
        return Checked(False, f"{len(mine)} formulas; there should be {len(right)}.")
    for n, (one, other) in enumerate(zip(mine, right, strict=True)):
        checked = _one_formula(one, other)
        if not checked:
            return Checked(False, f"formula {n + 1}: {checked.text}") if len(right) > 1 else checked
    return checked


def _one_formula(mine: Expr, wanted: Expr) -> Checked:
    found = variables(mine, wanted)
    shown = tuple(Shown(v.value.name, (v,)) for v in found)
    verdict = prove(ForAll("the formulas agree", eq(mine, wanted), show=shown))
    if isinstance(verdict, Proved):
        return Checked(True, f"equal for all values ({how(verdict)}).")
    if not isinstance(verdict, Refuted):
        return not_known(verdict)
    at = {v: verdict.witness.points[0][v.value.name] for v in found}
    where = ", ".join(f"{v} = {n}" for v, n in at.items()) or "once"
    return Checked(False, f"at {where} yours is {value(mine, at)}; it should be {value(wanted, at)}.")


def collide(
    descriptor: TensorDescriptor,
    answer: Sequence[Sequence[int]] | None,
    shown: Sequence[Sequence[int]] | None = None,
) -> Checked:
    """Whether an answer is two different indices that reach one element, and another pair than was shown already.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> collide(make_naive_tensor_descriptor((4, 4), (3, 1)), ((0, 0), (1, 0)))
    Not yet: (0, 0) reaches offset 0, (1, 0) offset 3.
    """
    if answer is None:
        return NO_ANSWER
    try:
        first, second = (tuple(map(integer, index)) for index in answer)
    except ODD:
        return Checked(False, f"{answer!r} is no pair of indices, such as (0, 0), (0, 1).")
    if wrong := _outside(descriptor, first) or _outside(descriptor, second):
        return Checked(False, wrong)
    if first == second:
        return Checked(False, f"{first} twice is one index; two different ones are asked for.")
    one, other = (int(descriptor.offset(index)) for index in (first, second))
    if one != other:
        return Checked(False, f"{first} reaches offset {one}, {second} offset {other}.")
    if shown is not None and {first, second} == set(map(tuple, shown)):
        return Checked(False, f"{first} and {second} are the pair that is shown already; another one is asked for.")
    return Checked(True, f"both reach offset {one}.", collision(descriptor, first, second))


def _outside(descriptor: TensorDescriptor, index: tuple[int, ...]) -> str | None:
    lengths = tuple(map(int, descriptor.lengths))
    if len(index) != len(lengths):
        return f"{index} has {len(index)} coordinates; the tensor has {len(lengths)}."
    if not all(0 <= i < n for i, n in zip(index, lengths, strict=True)):
        return f"{index} is outside the lengths {lengths}."
    if not int(descriptor.valid(index)):
        return f"{index} is padding: it reaches no data."
    return None
