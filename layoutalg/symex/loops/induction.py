"""What a register is at the head of iteration t of a loop, by what one iteration makes of it.

| after one iteration, u became | at the head of iteration t |
|---|---|
| u | as before the loop |
| u + c | init + c·t |
| c − u, or u xor c | init, and the other of two values alternately |
| u div c, u · c | init div cᵗ, init · cᵗ (`geometric`) |
| f(t), and init = f(−1) | f(t − 1) |
| anything else | an unknown of its own (a sum, what was loaded) |

Whatever is found is a guess, to be checked by another iteration.
"""

from __future__ import annotations

from collections.abc import Mapping

from layoutalg.index import Expr, mod, simplify, substitute, variables, xor
from layoutalg.symex.loops.geometric import GeometricForms
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.values.modular import representative, same_word
from layoutalg.symex.values.unknowns import dependencies, made_since
from layoutalg.symex.values.word import Mask, Word, as_mask, is_mask


class Forms:
    """The forms of registers in one loop, which begins now."""

    def __init__(self, w: IndexValues, t: Expr, counts: Mapping[Expr, Expr]) -> None:
        """`counts` says of each loop's number how often the loop runs."""
        self.w, self.t, self.counts = w, t, counts
        self._began = w.now()
        self.geometric = GeometricForms(w, t, counts.get(t))

    def counter(self, before: Word, after: Word) -> Word | None:
        """init + c·t, where iteration 0 adds c to what is there before it: a constant, or a row's length."""
        step = simplify(after.expr - before.expr)
        line = before.expr + representative(step, before.bits) * self.t
        return self.w.word(line, before.bits) if self._fixed(step) else None

    def bit(self, before: Word | Mask, after: Word | Mask) -> Expr | None:
        """The lane's bit of a mask at the head of iteration t."""
        if not (is_mask(before) and is_mask(after)):
            return None
        init, end = as_mask(before).own, as_mask(after).own
        own = end if end is init else self._earlier(end)
        return own if own is not None and substitute(own, {self.t: 0}) is init else None

    def number(self, before: Word, unknown: Expr, after: Word) -> Expr | None:
        """The value at the head of iteration t."""
        init, end = before.expr, after.expr
        step = simplify(end - unknown)
        if self._fixed(step):
            return init + representative(step, before.bits) * self.t
        turned = simplify(end + unknown)
        if self._fixed(turned):
            return init + mod(self.t, 2) * (turned - 2 * init)
        if end.op == "xor" and unknown in end.args:
            other = next(a for a in end.args if a is not unknown)
            if self._fixed(other) and init.lo >= 0:
                return init + mod(self.t, 2) * (xor(init, other) - init)
        power = self.geometric.number(init, unknown, end, before.bits) if unknown.op == "var" else None
        if power is not None:
            return power
        earlier = self._earlier(end)
        if earlier is not None and same_word(substitute(earlier, {self.t: 0}), init, before.bits):
            return earlier
        return None

    def _earlier(self, end: Expr) -> Expr | None:
        """f(t − 1), of f(t) that says nothing of unknowns, nor of functions of t that are named as such."""
        return substitute(end, {self.t: self.t - 1}) if self.plain(end) else None

    @property
    def following(self) -> dict[Expr, Expr]:
        """What is said of the head of iteration t, of that of t + 1."""
        return {self.t: self.t + 1, **self.geometric.following}

    def plain(self, e: Expr) -> bool:
        """Whether it speaks of t and of what is given when the loop begins, and of nothing else."""
        return self._given(e) and not self._varies(*(v for v in variables(e) if v is not self.t))

    def _given(self, e: Expr) -> bool:
        """Whether all in it is given when the loop begins, or its number."""
        return not any(made_since(v, self._began) or v in self.geometric.found for v in variables(e))

    def _fixed(self, e: Expr) -> bool:
        return self._given(e) and not self._varies(e)

    def _varies(self, *exprs: Expr) -> bool:
        """Whether it is another in another iteration; a loop that was left may have run another number of times."""
        return self.t in dependencies(*exprs, beside=self.counts)
