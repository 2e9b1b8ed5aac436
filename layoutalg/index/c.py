"""The C reading: expressions as C text (also C++, HIP and CUDA) that computes exactly their values.

One table of operation → text, with C's precedence.  Parts that are used more than once become named constants, so the
text stays as small as the expression.  The traps of C, and what is written instead, for k, n ≥ 1:

| expression        | dividend     | written                       | why it is exact                               |
|-------------------|--------------|-------------------------------|-----------------------------------------------|
| `x // 2ᵏ`         | any          | `x >> k`                      | the arithmetic shift rounds down, as floor    |
| `x % 2ᵏ`          | any          | `x & (2ᵏ−1)`                  | the low bits are the floor remainder, always  |
| `x // n`, `x % n` | proved ≥ 0   | `x / n`, `x % n`              | truncation is floor there                     |
| `x // n`          | perhaps < 0  | `x / n - (x % n < 0)`         | C's `%` is negative where C's `/` rounded up  |
| `x % n`           | perhaps < 0  | `x % n + (x % n < 0 ? n : 0)` | likewise                                      |

(The shift of a negative number is arithmetic in C++20, and in gcc, clang, nvcc and hipcc in every mode.)  Nothing
overflows silently: `intermediates` are all values that the text computes, and a text is refused unless the range of
each fits the type, or the caller says that it has proved so.  It cannot hold a table in a single expression: `c_code`
declares tables before the lines that use them.

>>> from layoutalg.index import symbol, var
>>> i, j = var("i", 64), var("j", symbol("M", max=4096))
>>> c_expression((i // 8 ^ j % 8) * 8 + i % 5)
'((i >> 3) ^ (j & 7)) * 8 + i % 5'
>>> print(c_code({"row": i // 8, "offset": (i // 8 ^ j % 8) * 8}))
const int row = i >> 3;
const int offset = (row ^ (j & 7)) * 8;
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count

from layoutalg.index.expr import Expr, add
from layoutalg.index.normal import nonnegative
from layoutalg.index.ranges import BOOLEAN
from layoutalg.index.text import PRIMARY, Piece, signed_sum
from layoutalg.index.walk import postorder, variables
from layoutalg.records import dataclass

TYPES: Mapping[int, str] = {32: "int", 64: "long long"}
"""The signed type of each width; the variables of an expression are declared with it."""

Write = Callable[["_Writer", Expr], Piece]

UNARY, TIMES, PLUS, SHIFT, LESS, EQUAL, AND, XOR, ALL, ANY, CHOICE = 13, 12, 11, 10, 9, 8, 7, 6, 4, 3, 2


# --- what is computed -------------------------------------------------------------------------------------------------


def intermediates(exprs: Iterable[Expr]) -> list[Expr]:
    """Every value that the C text of the expressions computes: all nodes, sums from the left, negated products.

    A claim that all of them fit an index type is what `c_code` needs where their ranges alone do not show it.

    >>> from layoutalg.index import symbol, var
    >>> intermediates([var("i", 64) * 8 - symbol("M")])
    [i, 8, i * 8, M, -1, M * -1, i * 8 + M * -1]
    """
    found: dict[Expr, None] = {}
    for node in postorder(*exprs):
        found[node] = None
        if node.op == "add":
            found |= dict.fromkeys(add(*node.args[:n]) for n in range(2, len(node.args)))
            found |= dict.fromkeys(-a for a in node.args[1:] if _is_negative(a))
    return list(found)


def fits(exprs: Iterable[Expr], bits: int) -> bool:
    """Whether the ranges show that every value the C text computes lies within a signed type.

    >>> from layoutalg.index import var
    >>> fits([var("i", 1 << 16) * (1 << 15)], 32), fits([var("i", 1 << 16) * (1 << 16)], 32)
    (True, False)
    """
    return _misfit(exprs, bits) is None


def _misfit(exprs: Iterable[Expr], bits: int) -> Expr | None:
    limit = 1 << (bits - 1)
    return next((e for e in intermediates(exprs) if not -limit <= e.lo <= e.hi < limit), None)


def _is_negative(e: Expr) -> bool:
    """A term that is written with a minus sign."""
    return (e.op == "const" and e.value < 0) or (e.op == "mul" and e.args[1].op == "const" and e.args[1].value < 0)


# --- text -------------------------------------------------------------------------------------------------------------


def c_expression(expr: Expr, names: Mapping[Expr, str] | None = None, *, bits: int = 32, proved: bool = False) -> str:
    """The expression as one C expression of a signed type of 32 or 64 bits.

    `names` gives the C text of variables (their own name otherwise) or of any part that already has one.  ValueError
    where a value may not fit the type (unless `proved`: the caller has proved that all `intermediates` fit), for a name
    that is not an identifier, and for a table (use `c_code`).

    >>> from layoutalg.index import var
    >>> c_expression(var("i", 64) // 8)
    'i >> 3'
    """
    _check([expr], names or {}, bits, proved)
    return _Writer(names or {}, bits).write(expr).text


@dataclass(frozen=True)
class Code:
    """C lines: tables first (`static const`), then one constant for each shared part and each result.

    >>> from layoutalg.index import var
    >>> i = var("i", 64)
    >>> print(c_code({"offset": i // 8 * 72 + i % 8}))
    const int offset = (i >> 3) * 72 + (i & 7);
    """

    tables: tuple[str, ...]
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join((*self.tables, *self.lines))


def c_code(
    results: Mapping[str, Expr],
    names: Mapping[Expr, str] | None = None,
    *,
    bits: int = 32,
    proved: bool = False,
    temporary: str = "t",
) -> Code:
    """Declarations that compute each result under its name, in order; later results use earlier ones and shared parts.

    A part that occurs more than once and costs more than one operation becomes `const int t0 = …;`, a truth value
    `const bool`.  Errors as for `c_expression`.

    >>> from layoutalg.index import var
    >>> print("\\n".join(c_code({"o": var("i", 64) * 66 + 1}).lines))
    const int o = i * 66 + 1;
    """
    given = dict(names or {})
    _check(results.values(), given, bits, proved)
    taken = {*given.values(), *results, *(v.value.name for v in variables(*results.values()))}
    writer = _Writer(given, bits, taken)
    shared = _shared(list(results.values()), given)
    for name, root in results.items():
        _identifier(name)
        for part in postorder(root):
            if part in shared and part is not root and part not in writer.named:
                writer.declare(writer.fresh(temporary), part)
        writer.declare(name, root)
    tables = (
        f"static const {TYPES[bits]} {t}[{len(v)}] = {{{', '.join(map(str, v))}}};" for v, t in writer.tables.items()
    )
    return Code(tuple(tables), tuple(writer.lines))


def _check(exprs: Iterable[Expr], names: Mapping[Expr, str], bits: int, proved: bool) -> None:
    roots = list(exprs)
    if bits not in TYPES:
        raise ValueError(f"an index type of {bits} bits is not written; {', '.join(map(str, TYPES))} are")
    misfit = None if proved else _misfit(roots, bits)
    if misfit is not None:
        raise ValueError(
            f"{misfit} ranges over {misfit.lo}…{misfit.hi}, which {bits} bits do not hold; give its symbols a maximum,"
            " use a wider type, or prove that it fits (claim FitsIndexType)"
        )
    seen: dict[str, Expr] = {}
    for v in variables(*roots):
        name = names.get(v, v.value.name)
        if seen.setdefault(name, v) is not v:
            raise ValueError(f"two variables are named {name}; name one of them otherwise")


def _identifier(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) or name in RESERVED:
        raise ValueError(f"{name!r} is not a C identifier; give the variable a name in `names`")
    return name


RESERVED = frozenset(
    """
    alignas and asm auto bool break case catch char class const constexpr continue default delete do double else enum
    explicit export extern false float for friend goto if inline int long mutable namespace new not nullptr operator or
    private protected public register requires restrict return short signed sizeof static struct switch template this
    throw true try typedef typeid typename union unsigned using virtual void volatile while xor
    """.split()  # noqa: SIM905 (a list of sixty strings reads worse)
)


def _shared(roots: Sequence[Expr], named: Mapping[Expr, str]) -> set[Expr]:
    """The parts that the text would repeat: used more than once, and more than a name, a constant or one operation."""
    nodes = postorder(*roots, stop=named)
    uses = Counter(roots)
    for node in nodes:
        for a in () if node in named else node.args:
            uses[a] += 1
        if node not in named and _needs_correction(node):
            uses[node.args[0]] += 1
    return {n for n in nodes if n not in named and uses[n] > 1 and any(a.args for a in n.args)}


def _needs_correction(e: Expr) -> bool:
    """A division that C would round differently: not by a power of two, and of what may be negative."""
    return e.op in ("div", "mod") and _log2(e.args[1]) is None and not nonnegative(e.args[0])


def _log2(n: Expr) -> int | None:
    exact = n.op == "const" and n.value & (n.value - 1) == 0
    return n.value.bit_length() - 1 if exact else None


class _Writer:
    """Texts of nodes.  Variables and declared parts have the full type; literals and truth values are C's int."""

    def __init__(self, names: Mapping[Expr, str], bits: int, taken: set[str] | None = None) -> None:
        self.bits, self.type = bits, TYPES[bits]
        self.pieces = {e: Piece(_identifier(name)) for e, name in names.items()}
        self.named = set(names)
        self.ints = {e for e in names if e.op in BOOLEAN}  # what C computes as int
        self.taken = taken  # None: nothing can be declared
        self.tables: dict[tuple[int, ...], str] = {}
        self.lines: list[str] = []

    def write(self, root: Expr) -> Piece:
        for node in postorder(root, stop=self.pieces):
            if node not in self.pieces:
                self.pieces[node] = _TEXT[node.op](self, node)
                numbers = node.args[1:] if node.op == "select" else ()
                if node.op in BOOLEAN or node.op == "const" or (numbers and self.ints.issuperset(numbers)):
                    self.ints.add(node)
        return self.pieces[root]

    def declare(self, name: str, e: Expr) -> None:
        kind = "bool" if e.op in BOOLEAN else self.type
        self.lines.append(f"const {kind} {name} = {self.write(e).text};")
        self.pieces[e] = Piece(name)
        self.named.add(e)
        if e.op not in BOOLEAN:
            self.ints.discard(e)

    def fresh(self, prefix: str) -> str:
        assert self.taken is not None
        name = next(f"{prefix}{n}" for n in count() if f"{prefix}{n}" not in self.taken)
        self.taken.add(name)
        return name

    def table(self, entries: tuple[int, ...]) -> str:
        if self.taken is None:
            raise ValueError("a table cannot stand in one C expression; c_code declares it")
        if entries not in self.tables:
            self.tables[entries] = self.fresh("table")
        return self.tables[entries]

    def text(self, e: Expr, strength: int) -> str:
        return self.pieces[e].within(strength)

    def first(self, strength: int, e: Expr, *others: Expr) -> str:
        """The first operand; in a wider type where C would otherwise compute the operation as int."""
        if self.bits == 32 or not self.ints.issuperset((e, *others)):
            return self.text(e, strength)
        if e.op == "const" and e.value >= 0:
            return f"{e.value}LL"
        return Piece(f"({self.type}){self.text(e, UNARY)}", UNARY).within(strength)


def _const(w: _Writer, e: Expr) -> Piece:
    if e.value == -(1 << (w.bits - 1)):
        return Piece(f"-{-e.value - 1} - 1", PLUS)  # C reads −2ⁿ as the negation of a literal that does not fit
    return Piece(str(e.value), UNARY if e.value < 0 else PRIMARY)


def _variable(_: _Writer, e: Expr) -> Piece:
    return Piece(_identifier(e.value.name))


def _sum(w: _Writer, e: Expr) -> Piece:
    return signed_sum(w.first(PLUS, *e.args[:2]), [_signed(w, a) for a in e.args[1:]], PLUS, TIMES)


def _signed(w: _Writer, e: Expr) -> tuple[bool, Piece]:
    """A term's sign and magnitude as they are written."""
    if not _is_negative(e) or e in w.named:
        return False, w.pieces[e]
    return True, Piece(str(-e.value)) if e.op == "const" else _times(w, e.args[0], -e.args[1].value)


def _product(w: _Writer, e: Expr) -> Piece:
    a, b = e.args
    if b.op == "const":
        return _times(w, a, b.value)
    return Piece(f"{w.first(TIMES, a, b)} * {w.text(b, UNARY)}", TIMES)


def _times(w: _Writer, a: Expr, factor: int) -> Piece:
    if factor == 1:
        return w.pieces[a]
    if factor == -1:
        return Piece(f"-{w.first(PRIMARY, a)}", UNARY)
    return Piece(f"{w.first(TIMES, a)} * {factor}", TIMES)


def _quotient(w: _Writer, e: Expr) -> Piece:
    a, n = e.args
    k = _log2(n)
    if k is not None:
        return Piece(f"{w.first(UNARY, a)} >> {k}", SHIFT)
    text = f"{w.first(TIMES, a, n)} / {w.text(n, UNARY)}"
    return Piece(f"{text} - ({_truncated(w, a, n)} < 0)", PLUS) if _needs_correction(e) else Piece(text, TIMES)


def _rest(w: _Writer, e: Expr) -> Piece:
    a, n = e.args
    if _log2(n) is not None:
        return Piece(f"{w.first(UNARY, a)} & {n.value - 1}", AND)
    text = _truncated(w, a, n)
    if not _needs_correction(e):
        return Piece(text, TIMES)
    return Piece(f"{text} + ({text} < 0 ? {w.text(n, CHOICE + 1)} : 0)", PLUS)


def _truncated(w: _Writer, a: Expr, n: Expr) -> str:
    return f"{w.first(TIMES, a, n)} % {w.text(n, UNARY)}"


def _bitwise(symbol: str, strength: int) -> Write:
    """xor and and: operands in parentheses unless they are chains of the same operation, as compilers advise."""

    def operand(w: _Writer, a: Expr, *others: Expr) -> str:
        same = w.pieces[a].strength == strength
        return w.first(strength if same else UNARY, a, *others) if others else w.text(a, strength if same else UNARY)

    def write(w: _Writer, e: Expr) -> Piece:
        a, b = e.args
        return Piece(f"{operand(w, a, b)} {symbol} {operand(w, b)}", strength)

    return write


def _comparison(symbol: str, strength: int) -> Write:
    return lambda w, e: Piece(f" {symbol} ".join(w.text(a, SHIFT) for a in e.args), strength)


def _junction(symbol: str, strength: int) -> Write:
    return lambda w, e: Piece(f" {symbol} ".join(w.text(a, EQUAL) for a in e.args), strength)


def _not(w: _Writer, e: Expr) -> Piece:
    (a,) = e.args
    if a.op == "eq" and a not in w.named:
        return Piece(" != ".join(w.text(b, SHIFT) for b in a.args), EQUAL)
    return Piece(f"!{w.text(a, PRIMARY)}", UNARY)


def _choice(w: _Writer, e: Expr) -> Piece:
    c, a, b = (w.text(a, CHOICE + 1) for a in e.args)
    return Piece(f"{c} ? {a} : {b}", CHOICE)


def _lookup(w: _Writer, e: Expr) -> Piece:
    return Piece(f"{w.table(e.value)}[{w.text(e.args[0], 0)}]")


_TEXT: Mapping[str, Write] = {
    "const": _const, "var": _variable, "add": _sum, "mul": _product, "div": _quotient, "mod": _rest,
    "xor": _bitwise("^", XOR), "and": _bitwise("&", AND),
    "lt": _comparison("<", LESS), "le": _comparison("<=", LESS), "eq": _comparison("==", EQUAL),
    "all": _junction("&&", ALL), "any": _junction("||", ANY), "not": _not, "select": _choice, "lookup": _lookup,
}  # fmt: skip
