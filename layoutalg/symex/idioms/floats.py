"""Floating-point operations as compilers write them with integers: choices that are a function's result, or a number.

| written | read |
|---|---|
| `isnan(x) ? x \\| 0x400000 : x + (x >> 16 & 1) + 0x7fff` | bf16_above(x), whose upper half is x rounded to bf16 |
| `x > −∞ or isnan(x) ? x : −∞` | x: of every x, −∞ too, to the bit |

A choice is one of words of 32 bits, or one of integers: what is equal modulo 2³² only is not said of these, since
−8388608 is the word of −∞, and not its number.
"""

from __future__ import annotations

from collections.abc import Iterable

from layoutalg.index import (
    ONE,
    TRUE,
    ZERO,
    Expr,
    all_of,
    any_of,
    const,
    div,
    mod,
    negation,
    postorder,
    rebuild,
    select,
    simplify,
)  # fmt: skip
from layoutalg.index.conditions import normal_form
from layoutalg.symex.idioms.rules import Lemma, Rule, first, number
from layoutalg.symex.values.uninterpreted import UninterpretedFunctions
from layoutalg.symex.values.unknowns import call_of

#: ∞ and −∞ as f32.
INFINITY, LEAST = 0x7F800000, 0xFF800000


def choice(functions: UninterpretedFunctions, condition: Expr, then: Expr, otherwise: Expr, bits: int = 0) -> Expr:
    """A choice, or what it comes to: of words of so many bits, or else of integers."""
    found: Expr | None = first(FLOAT_CHOICES, functions, condition, then, otherwise, bits)
    return select(condition, then, otherwise) if found is None else found


def recognised(functions: UninterpretedFunctions, e: Expr) -> Expr:
    """The integer with `choice` for each choice in it."""
    new: dict[Expr, Expr] = {}
    for node in postorder(e):
        args = [new[a] for a in node.args]
        if node.op == "select":
            condition, then, otherwise = args
            new[node] = choice(functions, condition, then, otherwise)
        else:
            new[node] = rebuild(node, args) if args else node
    return new[e]


def _nearest(x: Expr) -> Expr:
    """Half of bf16's last place added: its upper half is the nearest, ties to even."""
    return x + mod(div(x, 1 << 16), 2) + 0x7FFF


def _quiet(x: Expr) -> Expr:
    """A NaN with the bit that quiets it."""
    return x + (1 << 22) - mod(div(x, 1 << 22), 2) * (1 << 22)


def rounding(functions: UninterpretedFunctions, condition: Expr, then: Expr, otherwise: Expr, bits: int) -> Expr | None:
    """`bf16_above(x)`, where a choice is one: half of the last place added, or of a NaN the bit that quiets it."""
    if condition.op == "not":
        condition, then, otherwise = condition.args[0], otherwise, then
    name, arguments = call_of(condition.args[0]) if condition.op == "eq" and condition.args[1] is ONE else ("", ())
    if name != "u_f32" or arguments[0] is not arguments[1]:
        return None
    x = arguments[0]
    same = _same(then, _quiet(x), x, bits) and _same(otherwise, _nearest(x), x, bits)
    return functions.apply("bf16_above", x) if same else None


def beside_least(_: UninterpretedFunctions, condition: Expr, then: Expr, otherwise: Expr, bits: int) -> Expr | None:
    """`x`, where a choice is `x > −∞ or x is no number ? x : −∞`."""
    ways = (condition, then, otherwise), (negation(condition), otherwise, then)
    for taken, other, least in ways:
        if least.op != "const" or not _same(least, const(LEAST), other, bits):
            continue
        x, test = simplify(other), normal_form(taken)
        calls = {call_of(part.args[0]) for part in test.args if part.op == "eq" and part.args[1] is ONE}
        meant = {("lt_f32", (const(LEAST), x)), ("u_f32", (x, x))}
        if test.op == "any" and len(test.args) == 2 and calls == meant:
            return x
    return None


def _same(one: Expr, other: Expr, x: Expr, bits: int) -> bool:
    """Whether two are one word of 32 bits; or else one integer, and x, of which they are made, its word's number."""
    difference = simplify(one - other)
    if difference.op != "const":
        return False
    if bits == 32:
        return bool(difference.value % (1 << 32) == 0)
    return difference is ZERO and x.lo >= 0 and x.hi < 1 << 32


def for_numbers(unknowns: Iterable[Expr]) -> tuple[dict[Expr, Expr], Expr]:
    """What roundings to bf16 and tests for a NaN come to where they look at numbers only; and that they do so.

    It is good to refute with, not to prove with.
    """
    values: dict[Expr, Expr] = {}
    numbers: Expr = TRUE
    for v in unknowns:
        name, arguments = call_of(v)
        if name in ("bf16_above", "u_f32"):
            bits = [mod(x, 1 << 32) for x in arguments]
            numbers = all_of(numbers, *(mod(x, 1 << 31) <= INFINITY for x in bits))
            values[v] = ZERO if name == "u_f32" else _nearest(bits[0])
    return values, numbers


_F, _X = UninterpretedFunctions(), number("x", 32)
_NO_NUMBER = _F.relation("u_f32", _X, _X)

FLOAT_CHOICES = (
    Rule(
        "a rounding to bf16",
        rounding,
        Lemma(select(_NO_NUMBER, _quiet(_X), _nearest(_X)), _F.apply("bf16_above", _X)),
    ),
    Rule(
        "the greater of a number and the least",
        beside_least,
        Lemma(select(any_of(_F.relation("gt_f32", _X, const(LEAST)), _NO_NUMBER), _X, LEAST), _X),
    ),
)
