"""Answers to exercises, checked by the prover: a wrong one is told where it is wrong, by a counterexample.

| exercise                                    | checked by    | a wrong answer is told                               |
|---------------------------------------------|---------------|------------------------------------------------------|
| write a descriptor that is this map         | `same_map`    | an index, what it reaches and what it should reach   |
| write a formula                             | `same_formula`| values of the variables at which the two differ      |
| write a tile distribution                   | `same_tile`   | a lane, a register, what it holds and what it should |
| give each lane vectors                      | `in_vectors`  | a lane's register that is no neighbour of its first  |
| make a claim hold                           | `satisfies`   | the witness of the refutation, drawn                 |
| find two indices that collide               | `collide`     | what the two really reach                            |
| make a kernel right                         | `satisfies`   | the first obligation that fails, with its reason     |
| find the largest number that will do        | `largest`     | why it will not do, or that a larger one will        |
| predict a number                            | `equals`      | that it is another (with what to look at)            |

An answer is never executed beyond being an argument, and no answer raises: a learner reads a sentence.  No check
compares texts or knows a solution's form: whatever is the same map, or has the property, is right.

In a lesson, a cell with the tag `exercise` has one line `answer = …` and ends with a check of it; the cell with the tag
`solution` has an answer for each under `# Exercise 1`, `# Exercise 2` … tests/test_exercises.py runs both.
What it cannot represent: whether an answer is a good one; only whether it is right.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from layoutalg import cpp
from layoutalg.draw import DrawError, Picture, collision, holders, refutation, show
from layoutalg.errors import DeviceError
from layoutalg.index import ZERO, Expr, Term, all_of, as_expr, eq, var, variables
from layoutalg.index.evaluate import value, values
from layoutalg.index.integers import integer
from layoutalg.layout import LayoutError, TensorDescriptor, TileDistribution, TileDistributionEncoding
from layoutalg.layout.adaptor import same_length
from layoutalg.memory import LdsClaim
from layoutalg.prove import Agree, Claim, ForAll, Proved, Refuted, Shown, Unknown, Verdict, prove
from layoutalg.prove.domain import digit_form
from layoutalg.prove.verdict import Verdicts


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
ODD = (TypeError, ValueError, AttributeError, LookupError, DeviceError)
"""What is raised where something is made of an answer that is none of its kind."""


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
    if other := _other_lengths(answer.lengths, wanted.lengths):
        return Checked(False, other)
    verdict = prove(Agree(answer, wanted))
    if isinstance(verdict, Proved):
        return Checked(True, f"every index reaches the element it should ({_how(verdict)}).")
    if not isinstance(verdict, Refuted):
        return _open(verdict)
    point = verdict.witness.points[0]
    form = digit_form(answer)
    offsets = [d.offset(answer.index) for d in (answer, wanted)]
    at = {v: point.get(v.value.name, 0) for v in variables(*form.top, *offsets)}
    index = values(form.top, {**{v: point.get(v.value.name, 0) for v in form.variables}, **at})
    (mine, data), (right, should) = (values([d.offset(index), d.valid(index)], at) for d in (answer, wanted))
    where = f"index {_tuple(index)}"
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
        return Checked(True, f"equal for all values ({_how(verdict)}).")
    if not isinstance(verdict, Refuted):
        return _open(verdict)
    at = {v: verdict.witness.points[0][v.value.name] for v in found}
    where = ", ".join(f"{v} = {n}" for v, n in at.items()) or "once"
    return Checked(False, f"at {where} yours is {value(mine, at)}; it should be {value(wanted, at)}.")


Encoding = tuple[Sequence[int], Sequence[Sequence[int]], Sequence[Sequence[tuple[int, int]]], Sequence[tuple[int, int]]]
"""Rs, Hs, Ps and Ys, as `TileDistributionEncoding.of` takes them."""
Tile = TileDistribution | Encoding | str
"""A tile distribution as an answer: itself, its encoding, or CK Tile's text `tile_distribution_encoding<…>{}`."""


def same_tile(answer: Tile | None, wanted: TileDistribution) -> Checked:
    """Whether a tile distribution gives every lane the same element in the same register as another.

    >>> tile = TileDistribution(TileDistributionEncoding.of([], [[4, 2]], [[(1, 0)]], [(1, 1)]))
    >>> same_tile(([], [[2, 4]], [[(1, 1)]], [(1, 0)]), tile)  # doctest: +ELLIPSIS
    Not yet: lane ..., register ... holds element (...); it should hold (...).
    >>> same_tile(([], [[4, 2]], [[(1, 0)]], [(1, 0)]), tile).text
    'factor (1, 0) is owned by both P0 and Y0; each must be owned exactly once.'
    """
    mine = _tile(answer)
    if isinstance(mine, Checked):
        return mine
    for what, one, other in (("the tile has", mine.lengths, wanted.lengths), ("P has lengths", mine.ps, wanted.ps)):
        if len(one) != len(other) or not all(map(same_length, one, other)):
            return Checked(False, f"{what} {_tuple(one)}; it should be {_tuple(other)}.")
    if not same_length(mine.registers, wanted.registers):
        return Checked(False, f"a lane has {mine.registers} registers; it should have {wanted.registers}.")
    p, register = wanted.p_index, var("register", wanted.registers)
    held, should = (one.lower(p, one.ys_to_d.upper([register])) for one in (mine, wanted))
    show = tuple(Shown(str(v), (v,)) for v in (*p, register))
    verdict = prove(ForAll("the holders agree", all_of(*map(eq, held, should)), show=show))
    if isinstance(verdict, Proved):
        return Checked(True, f"every lane holds what it should ({_how(verdict)}).")
    if not isinstance(verdict, Refuted):
        return _open(verdict)
    at = {v: verdict.witness.points[0].get(str(v.value.name), 0) for v in (*p, register)}
    has, wants = (_tuple(values(list(one), at)) for one in (held, should))
    where = f"{_holder([at[v] for v in p])}, register {at[register]}"
    return Checked(False, f"{where} holds element {has}; it should hold {wants}.", _holders(mine, [at[v] for v in p]))


def in_vectors(answer: Tile | None, width: int) -> Checked:
    """Whether each `width` registers of every lane are neighbours of one row, so that one instruction moves them.

    The last dimension is the fast one.  A vector then begins at a multiple of `width`: the factors that make it are the
    fastest ones, and the strides of the others are multiples of theirs.

    >>> in_vectors(([], [[4, 2]], [[(1, 0)]], [(1, 1)]), 2).right
    True
    >>> in_vectors(([], [[2, 4]], [[(1, 1)]], [(1, 0)]), 2)  # doctest: +ELLIPSIS
    Not yet: lane ..., register 1 holds element (...); next to (...) of register 0 is (...).
    """
    mine = _tile(answer)
    if isinstance(mine, Checked):
        return mine
    if not same_length(mine.registers % width, ZERO):
        return Checked(False, f"a lane has {mine.registers} registers: not a multiple of {width}.")
    p, register = mine.p_index, var("register", mine.registers)
    start = register // width * width
    each, first = (mine.lower(p, mine.ys_to_d.upper([r])) for r in (register, start))
    wanted = (*first[:-1], first[-1] + register % width)
    show = tuple(Shown(str(v), (v,)) for v in (*p, register))
    verdict = prove(ForAll("neighbours of one row", all_of(*map(eq, each, wanted)), show=show))
    if isinstance(verdict, Proved):
        return Checked(True, f"every lane holds vectors of {width} ({_how(verdict)}).")
    if not isinstance(verdict, Refuted):
        return _open(verdict)
    at = {v: verdict.witness.points[0].get(str(v.value.name), 0) for v in (*p, register)}
    has, begins, next_ = (_tuple(values(list(one), at)) for one in (each, first, wanted))
    where = f"{_holder([at[v] for v in p])}, register {at[register]}"
    text = f"{where} holds element {has}; next to {begins} of register {value(start, at)} is {next_}."
    return Checked(False, text, _holders(mine, [at[v] for v in p]))


def _tile(answer: Tile | None) -> TileDistribution | Checked:
    """The distribution that an answer is, or what is wrong with it."""
    if answer is None:
        return NO_ANSWER
    try:
        if isinstance(answer, str):
            found = cpp.loads(f"auto answer = make_static_tile_distribution({answer});", "answer.hpp")
            if not found.distributions:
                why = found.unread[0].reason.partition(";")[0] if found.unread else "this is no encoding"
                return Checked(False, f"{why}.")
            return found.distributions[0].distribution
        if isinstance(answer, TileDistribution):
            return answer
        if not isinstance(answer, tuple | list) or len(answer) != 4:
            return Checked(False, "an encoding is four lists: Rs, Hs, Ps, Ys.")
        return TileDistribution(TileDistributionEncoding.of(*answer))
    except ODD as wrong:
        return Checked(False, f"{wrong}.")


def _holder(p: Sequence[int]) -> str:
    """A lane by its coordinates, of a wave where there are two."""
    return " ".join(f"{name} {n}" for name, n in zip(("wave", "lane")[-len(p) :], p, strict=True))


def _holders(tile: TileDistribution, p: Sequence[int]) -> Picture | None:
    """What a lane holds, as a picture; None for a tile that is too large for one."""
    try:
        return holders(tile, p)
    except DrawError:
        return None


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
    how = []
    for claim in claims:
        if isinstance(claim, Verdicts):
            for about, verdict in claim.failures:
                return Checked(False, f"{about}: {verdict.reason if isinstance(verdict, Refuted) else verdict.name}.")
            how.append(f"all {len(claim.verdicts)} obligations are proved")
            continue
        verdict = prove(claim)
        if isinstance(verdict, Refuted):
            return Checked(False, f"{verdict.reason}.", _drawn(claim, verdict))
        if not isinstance(verdict, Proved):
            return _open(verdict)
        how.append(f"{verdict.claim} ({_how(verdict)})")
    return Checked(True, f"{'; '.join(how)}.")


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
            return Checked(False, f"{answer!r} is no layout: a descriptor is asked for.")
        if wrong := _other_lengths(answer.lengths, list(map(as_expr, lengths))):
            return Checked(False, wrong)
    try:
        return holds(*claims(answer))
    except ODD as odd:
        return Checked(False, f"{odd}.")


def _other_lengths(has: Sequence[Expr], wanted: Sequence[Expr]) -> str | None:
    """What is said of lengths that are not those that were asked for."""
    same = len(has) == len(wanted) and all(map(same_length, has, wanted))
    return None if same else f"the lengths are {_tuple(has)}; they should be {_tuple(wanted)}."


def collide(descriptor: TensorDescriptor, answer: Sequence[Sequence[int]] | None) -> Checked:
    """Whether an answer is two different indices that reach one element.

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
    return Checked(True, f"both reach offset {one}.", collision(descriptor, first, second))


def equals(answer: object, wanted: object, look: str = "") -> Checked:
    """Whether a prediction is right, of several numbers which are not; `look` says where to look when it is not.

    >>> equals((2032, 13), (2032, 12))
    Not yet: it is not (2032, 13): the second part is wrong.
    >>> equals(24, 20, "the last index is (2, 3): what does it reach?")
    Not yet: it is not 24. Look: the last index is (2, 3): what does it reach?
    """
    if answer is None:
        return NO_ANSWER
    mine, right = _plain(answer), _plain(wanted)
    if mine == right:
        return Checked(True, f"it is {wanted}.")
    which = ""
    if isinstance(mine, tuple) and isinstance(right, tuple) and len(mine) == len(right) == 2:
        which = next((f": the {n} part is wrong" for n, k in (("second", 0), ("first", 1)) if mine[k] == right[k]), "")
    return Checked(False, f"it is not {answer}{which}." + (f" Look: {look}" if look else ""))


def largest(answer: int | None, check: Callable[[int], Checked], step: int = 1) -> Checked:
    """Whether an answer is right by a check, and `step` more is not.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> from layoutalg.prove import Injective
    >>> def apart(columns): return holds(Injective(make_naive_tensor_descriptor((4, columns), (8, 1))))
    >>> largest(6, apart), largest(8, apart).right
    (Not yet: 7 will do as well., True)
    """
    if answer is None:
        return NO_ANSWER
    try:
        checked = check(answer)
        if checked and check(answer + step):
            return Checked(False, f"{answer + step} will do as well.")
    except ODD as wrong:
        return Checked(False, f"{wrong}.")
    return Checked(True, f"it is {answer}: {checked.text}") if checked else checked


def _plain(given: object) -> object:
    """Lists as tuples, numbers of whatever kind as numbers: how an answer is written does not matter."""
    if isinstance(given, list | tuple):
        return tuple(map(_plain, given))
    return int(given) if isinstance(given, Expr) and not variables(given) else given


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
