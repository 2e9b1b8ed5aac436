"""The JavaScript reading: expressions as text that a browser evaluates exactly.

JavaScript's numbers are doubles: integers are exact below 2⁵³ in magnitude, and its bitwise operators cut to 32 bits.
So the ranges decide what is written, and an expression with a value that may reach 2⁵³ is refused.

| expression        | where               | written                         | why it is exact                       |
|-------------------|---------------------|---------------------------------|---------------------------------------|
| `x // n`          | always              | `Math.floor(x / n)`             | see below                             |
| `x % n`           | x proved ≥ 0        | `x % n`                         | the remainder of doubles is exact     |
| `x % n`           | perhaps x < 0       | `(x % n + n) % n`               | JavaScript's `x % n` has x's sign     |
| `x ^ y`, `x & y`  | both within int32   | `x ^ y`                         | what the operator is defined on       |
| `x ^ y`, `x & y`  | both in 0 … 2³² − 1 | `(x ^ y) >>> 0`                 | read back as unsigned                 |
| `x ^ y`, `x & y`  | otherwise           | `Number(BigInt(x) ^ BigInt(y))` | BigInt is unbounded two's complement  |

`Math.floor(x / n)`: where n does not divide x, x/n is at least 1/n away from the next integer q, and |q·n| ≤ 2⁵³ makes
1/n more than half the distance of q to the next double; so the rounded quotient does not reach q.

A truth value reads as `true` or `false`; a zero may come out as −0, which equals 0.

>>> from layoutalg.index import symbol, var
>>> i, j = var("i", 64), var("j", symbol("M", max=4096))
>>> javascript((i // 8 ^ j % 8) * 8 + (i - j) % 5)
'(Math.floor(i / 8) ^ (j % 8)) * 8 + ((i - j) % 5 + 5) % 5'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from layoutalg.index.c import intermediates
from layoutalg.index.expr import Expr
from layoutalg.index.normal import nonnegative
from layoutalg.index.ranges import BOOLEAN
from layoutalg.index.text import PRIMARY, Piece, signed_sum
from layoutalg.index.walk import postorder

EXACT = 1 << 53
"""Integers below this in magnitude are exact doubles."""

UNARY, TIMES, PLUS, SHIFT, LESS, EQUAL, AND, XOR, ALL, ANY, CHOICE = 13, 12, 11, 10, 9, 8, 7, 6, 4, 3, 2

Pieces = Mapping[Expr, Piece]
Write = Callable[[Expr, Pieces], Piece]


def javascript(expr: Expr, names: Mapping[Expr, str] | None = None) -> str:
    """The expression as one JavaScript expression of its variables, each under its own name or the one given.

    ValueError where a value in between may reach 2⁵³, and for a name that is no identifier.  Shared parts are written
    out each time.

    >>> from layoutalg.index import var
    >>> javascript(var("i", 64) // 8)
    'Math.floor(i / 8)'
    """
    for e in intermediates([expr]):
        least, most = (e.lo, e.args[1].hi * 2) if e.op == "mod" and e.args[0].lo < 0 else (e.lo, e.hi)
        if not -EXACT < least <= most < EXACT:
            raise ValueError(f"{e} ranges over {e.lo}…{e.hi}; JavaScript's numbers are exact below 2**53")
    pieces = {e: Piece(_identifier(name)) for e, name in (names or {}).items()}
    for node in postorder(expr, stop=pieces.copy()):
        if node not in pieces:
            pieces[node] = _WRITE[node.op](node, pieces)
    return pieces[expr].text


def _identifier(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z_$][\w$]*", name, re.ASCII) or name in _RESERVED:
        raise ValueError(f"{name!r} is not a JavaScript identifier; give the variable a name in `names`")
    return name


_RESERVED = frozenset(
    """
    arguments await break case catch class const continue debugger default delete do else enum eval export extends false
    finally for function if implements import in instanceof interface let new null package private protected public
    return static super switch this throw true try typeof var void while with yield Math Number BigInt
    """.split()  # noqa: SIM905 (a list of fifty strings reads worse)
)


def _const(e: Expr, _: Pieces) -> Piece:
    return Piece(str(e.value), UNARY if e.value < 0 else PRIMARY)


def _sum(e: Expr, at: Pieces) -> Piece:
    return signed_sum(at[e.args[0]].within(PLUS), [_signed(a, at) for a in e.args[1:]], PLUS, TIMES)


def _signed(e: Expr, at: Pieces) -> tuple[bool, Piece]:
    """A term's sign and magnitude as they are written."""
    if e.op == "const" and e.value < 0:
        return True, Piece(str(-e.value))
    if e.op == "mul" and e.args[1].op == "const" and e.args[1].value < 0:
        return True, _times(e.args[0], -e.args[1].value, at)
    return False, at[e]


def _product(e: Expr, at: Pieces) -> Piece:
    a, b = e.args
    return _times(a, b.value, at) if b.op == "const" else _infix("*", TIMES, TIMES, UNARY)(e, at)


def _times(a: Expr, factor: int, at: Pieces) -> Piece:
    return at[a] if factor == 1 else Piece(f"{at[a].within(TIMES)} * {factor}", TIMES)


def _quotient(e: Expr, at: Pieces) -> Piece:
    a, n = (at[x] for x in e.args)
    return Piece(f"Math.floor({a.within(TIMES)} / {n.within(UNARY)})")


def _remainder(e: Expr, at: Pieces) -> Piece:
    a, n = at[e.args[0]].within(TIMES), at[e.args[1]].within(UNARY)
    return Piece(f"{a} % {n}" if nonnegative(e.args[0]) else f"({a} % {n} + {n}) % {n}", TIMES)


def _bitwise(symbol: str, strength: int) -> Write:
    def write(e: Expr, at: Pieces) -> Piece:
        a, b = (at[x] for x in e.args)
        text = f" {symbol} ".join(p.within(strength if p.strength == strength else UNARY) for p in (a, b))
        lo, hi = min(x.lo for x in e.args), max(x.hi for x in e.args)
        if lo >= -(1 << 31) and hi < 1 << 31:
            return Piece(text, strength)
        if lo >= 0 and hi < 1 << 32:
            return Piece(f"({text}) >>> 0", SHIFT)
        return Piece(f"Number(BigInt({a.text}) {symbol} BigInt({b.text}))")

    return write


def _infix(symbol: str, strength: int, left: int, right: int) -> Write:
    def write(e: Expr, at: Pieces) -> Piece:
        first, *rest = e.args
        return Piece(f" {symbol} ".join([at[first].within(left), *(at[a].within(right) for a in rest)]), strength)

    return write


def _choice(e: Expr, at: Pieces) -> Piece:
    c = at[e.args[0]].within(CHOICE + 1)
    a, b = (_number(x, at).within(CHOICE + 1) for x in e.args[1:])
    return Piece(f"{c} ? {a} : {b}", CHOICE)


def _lookup(e: Expr, at: Pieces) -> Piece:
    return Piece(f"[{', '.join(map(str, e.value))}][{_number(e.args[0], at).text}]")


def _number(e: Expr, at: Pieces) -> Piece:
    """A reading that must be a number: `true` indexes nothing."""
    return Piece(f"Number({at[e].text})") if e.op in BOOLEAN else at[e]


_WRITE: Mapping[str, Write] = {
    "const": _const, "var": lambda e, _: Piece(_identifier(e.value.name)), "add": _sum, "mul": _product,
    "div": _quotient, "mod": _remainder, "xor": _bitwise("^", XOR), "and": _bitwise("&", AND),
    "lt": _infix("<", LESS, SHIFT, SHIFT), "le": _infix("<=", LESS, SHIFT, SHIFT),
    "eq": _infix("==", EQUAL, SHIFT, SHIFT), "all": _infix("&&", ALL, EQUAL, EQUAL),
    "any": _infix("||", ANY, EQUAL, EQUAL), "not": lambda e, at: Piece(f"!{at[e.args[0]].within(PRIMARY)}", UNARY),
    "select": _choice, "lookup": _lookup,
}  # fmt: skip
