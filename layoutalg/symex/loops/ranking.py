"""Ranking functions: what of a lane gets less in each iteration of a loop and is at least 0 while the lane goes on.

The condition under which a lane goes on is one of machine words, which wrap.  Read as if nothing wrapped, an order in
it says that a number is at least 0:

| the lane goes on where | number | gets less by |
|---|---|---|
| (i + (t + 1)·s + 2³¹) mod 2³² − 2³¹ < n | n − 1 − i − (t + 1)·s | s |
| (n − t − 1) mod 2³² ≠ 0 | n − t − 2 | 1 |

That it is so, with what wraps, is to be proved: these are guesses.
What it cannot represent: lexicographic orders, and what a loop computes from what it loads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product

from layoutalg.index import ZERO, Expr, conjuncts, negation, postorder, rebuild, simplify, slack, substitute
from layoutalg.index.conditions import conjunction
from layoutalg.prove.obligation import ForAll
from layoutalg.records import dataclass
from layoutalg.symex.values.modular import representative

#: A remainder of no less is taken for the wrap of a word, whose lowest bits may be known.
LEAST_WRAP = 1 << 16

#: Of what conditions are made, and how many comparisons of one are tried out.
CONNECTIVES, MOST_ATOMS = ("all", "any", "not"), 10


@dataclass(frozen=True)
class LaneIterations:
    """In which iterations of a loop that lanes leave for themselves a lane is active, if what is to be shown holds."""

    inside: Expr  # the unknown that is 1 where it is
    active: Expr  # at the head of iteration t
    exactly: ForAll
    of_waves: bool = False  # whether a wave begins only with an active lane, and goes on only where one does

    def under(self, new: Callable[[Expr], Expr]) -> LaneIterations:
        """With other expressions for all of them."""
        exactly = replace(self.exactly, goal=new(self.exactly.goal), given=new(self.exactly.given))
        return replace(self, active=new(self.active), exactly=exactly)


def unwrapped(e: Expr) -> Expr:
    """The expression as if nothing in it wrapped; but which one of two a choice takes, wraps and all, is kept.

    >>> from layoutalg.index import mod, symbol, var
    >>> t, n = var("t", 1 << 31), symbol("n", max=62)
    >>> unwrapped(mod(n - t + (1 << 30) + 1, 1 << 31) * 2 - (1 << 31) + 1 <= 5)
    n * 2 + t * -2 + 3 <= 5
    """
    seen: dict[Expr, Expr] = {}
    for node in postorder(e):
        parts = tuple(seen[part] for part in node.args)
        if node.op == "select":
            parts = (node.args[0], *parts[1:])
        if node.op in ("lt", "le", "eq"):  # of words, of which any representative was taken
            parts = tuple(part if part is before else near(part) for part, before in zip(parts, node.args, strict=True))
        size = int(node.args[1].value) if node.op == "mod" and node.args[1].op == "const" else 0
        wraps = size >= LEAST_WRAP and not size & size - 1
        seen[node] = representative(parts[0], size.bit_length() - 1) if wraps else rebuild(node, parts)
    return simplify(seen[e])


def near(line: Expr) -> Expr:
    """The line with its coefficients next to 0, modulo the words' size."""
    return simplify(representative(line, 32))


def literals(condition: Expr) -> tuple[Expr, ...]:
    """The comparisons, or denials of such, that hold wherever a condition does, by all truth values of its comparisons.

    >>> from layoutalg.index import any_of, all_of, var
    >>> p, q, r = (var(name, 9) < 5 for name in "pqr")
    >>> literals(negation(any_of(all_of(p, r), all_of(negation(all_of(p, r)), any_of(p, q)))))
    (5 <= p, 5 <= q)
    """
    atoms: dict[Expr, None] = {}
    left = [condition]
    while left:
        node = left.pop()
        if node.op in CONNECTIVES:
            left += reversed(node.args)
        elif node.op != "const":
            atoms[node] = None
    if len(atoms) > MOST_ATOMS:
        return conjuncts(conjunction(condition))
    cases = [dict(zip(atoms, case, strict=True)) for case in product((False, True), repeat=len(atoms))]
    where = [case for case in cases if _holds(condition, case)]
    true = [atom for atom in atoms if all(case[atom] for case in where)]
    false = [negation(atom) for atom in atoms if not any(case[atom] for case in where)]
    return (*true, *false)


def _holds(condition: Expr, truths: Mapping[Expr, bool]) -> bool:
    match condition.op:
        case "all":
            return all(_holds(part, truths) for part in condition.args)
        case "any":
            return any(_holds(part, truths) for part in condition.args)
        case "not":
            return not _holds(condition.args[0], truths)
        case "const":
            return bool(condition.value)
    return truths[condition]


def ranking(condition: Expr, t: Expr) -> Expr | None:
    """What may be at least 0 where the lane goes on after iteration t; None where the condition is none of the table's.

    >>> from layoutalg.index import mod, symbol, var
    >>> t, n = var("t", 1 << 62), symbol("n")
    >>> ranking(mod(t * 4 + 4, 1 << 32) < n, t), ranking(negation(mod(n - t, 1 << 32) <= 0), t)
    (t * -4 + n - 5, n + t * -1 - 1)
    """
    plain = unwrapped(condition)
    line = slack(plain)
    if line is not None:
        return near(line)
    apart = negation(plain)
    if apart.op != "eq":
        return None
    line = near(apart.args[0] - apart.args[1])
    step = simplify(substitute(line, {t: t + 1}) - line)
    if step.op != "const" or not step.value:
        return None
    return simplify((line if step.value < 0 else ZERO - line) - 1)
