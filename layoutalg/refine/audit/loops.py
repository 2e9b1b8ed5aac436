"""Loops of a kernel of which nothing is known beforehand: how often they run is guessed, and the guess is a claim.

A loop is first followed with no word of its count; what its body makes of each register is found as in a program's loop
(`refine.loops`), modulo 2ⁿ, so it holds of every iteration.  When it leaves is then a condition on the iteration t:

| it leaves where | it runs |
|---|---|
| 0 ≤ a + b·t, b > 0 | 1 + max(0, ⌈−a / b⌉) times |
| a + b·t = 0 | 1 − a / b times |

With that count it is followed again, now with t below it, and that it leaves in the last iteration and in none before
is to be proved: so the loop ends, and nothing in it wraps unseen.
What it cannot represent: loops that each lane leaves for itself, counts that depend on what is loaded.
"""

from __future__ import annotations

from dataclasses import dataclass

from layoutalg.index import (
    Expr,
    as_expr,
    const,
    div,
    maximum,
    postorder,
    rebuild,
    simplify,
    slack,
    substitute,
    value,
    var,
    variables,
)
from layoutalg.prove import ForAll
from layoutalg.refine.loops.execution import Ends, SymbolicExecution
from layoutalg.refine.loops.invariants import Loop, Loops
from layoutalg.refine.symbolic.state import State
from layoutalg.refine.values.unknowns import kind_of
from layoutalg.refine.values.word import NotReadable

#: More iterations than this no loop has: each is an instruction at least.
MOST = 1 << 62

#: Words wrap at this; a remainder of no less is taken for such a wrap, of a word whose lowest bits are known.
WORD, LEAST_WRAP = 1 << 32, 1 << 16


@dataclass
class FoundLoops(Loops):
    """The loops of a kernel, by the variables that are given to them."""

    def execute(self, execution: SymbolicExecution, head: int, entry: State) -> Ends:
        """Executes one loop. Raises `NotReadable` where its count is not found."""
        t = self.heads.get(head)
        if t is None:
            t = self._begun(execution, head, entry)
        ends = Loop(self, execution, head, entry).ends()
        if execution.machine.noting:  # of no turns nothing would be claimed, and the code makes one
            about = f"the loop at {head:#x}: one turn at least"
            self.claims.append(ForAll(about, self.expected[t] >= 1, entry.condition))
        return ends

    def _begun(self, execution: SymbolicExecution, head: int, entry: State) -> Expr:
        """The variable of a loop that is met for the first time, below its count."""
        number = len(self.heads)
        free = var(f"turn_{number}", MOST)
        self.heads[head], self.expected = free, {**self.expected, free: as_expr(MOST)}
        try:
            leaves = Loop(self, execution, head, entry).leaves()
        finally:
            del self.heads[head]
            self.expected = {v: n for v, n in self.expected.items() if v is not free}
        count = _count(leaves, free, head)
        t = var(f"iteration_{number}", count)
        self.heads[head], self.expected = t, {**self.expected, t: count}
        return t


def _count(leaves: Expr, t: Expr, head: int) -> Expr:
    """How often a loop runs that leaves where this holds."""
    if not any(kind_of(v) is not None for v in variables(leaves)):
        plain = _unwrapped(leaves)
        line, exact = (plain.args[0] - plain.args[1], True) if plain.op == "eq" else (slack(plain), False)
        if line is not None:
            line = _near(line)
            start = simplify(substitute(line, {t: 0}))
            step = simplify(substitute(line, {t: 1}) - start)
            if step.op == "const" and step.value and simplify(line - start - step * t) is const(0):
                each = abs(int(step.value))
                if exact:
                    return simplify(1 + div(-start if step.value > 0 else start, each))
                if step.value > 0:
                    return simplify(1 + maximum(0, div(-start + (each - 1), each)))
    raise NotReadable(f"the loop at {head:#x} leaves where {leaves}: no count is seen in it")


def _unwrapped(e: Expr) -> Expr:
    """The expression as if nothing in it wrapped."""
    seen: dict[Expr, Expr] = {}
    for node in postorder(e):
        parts = tuple(seen[part] for part in node.args)
        wraps = node.op == "mod" and node.args[1].op == "const" and int(node.args[1].value) >= LEAST_WRAP
        seen[node] = parts[0] if wraps else rebuild(node, parts)
    return simplify(seen[e])


def _near(line: Expr) -> Expr:
    """The line with its constant part next to 0, modulo the words' size."""
    constant = int(value(line, dict.fromkeys(variables(line), 0)))
    return simplify(line - (constant + WORD // 2) // WORD * WORD)
