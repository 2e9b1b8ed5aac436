"""What a register is at the head of iteration t of a loop, by what one iteration makes of it.

| after one iteration, u became | at the head of iteration t |
|---|---|
| u | as before the loop |
| u + c | init + c·t |
| c − u, or u xor c | init, and the other of two values alternately |
| a function of u alone, which is init again after p turns | a + c·((t − k) mod p), where its values are so far apart |
| u div c, u · c | init div cᵗ, init · cᵗ (`geometric`) |
| f(t), and init = f(−1) | f(t − 1) |
| anything else | an unknown of its own (a sum, what was loaded) |

Whatever is found is a guess, to be checked by another iteration.
"""

from __future__ import annotations

from collections.abc import Mapping

from layoutalg.index import Expr, as_expr, mod, simplify, substitute, value, variables, xor
from layoutalg.symex.loops.geometric import GeometricForms
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.values.modular import representative, same_word
from layoutalg.symex.values.unknowns import dependencies, made_since
from layoutalg.symex.values.word import Mask, Word, as_mask, is_mask

#: Values of a register that goes through them again and again, as the slots of a ring: at most.
MOST_SLOTS = 64


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
        if unknown.op == "var":
            found = self._ring(init, unknown, end, before.bits)
            found = self.geometric.number(init, unknown, end, before.bits) if found is None else found
            if found is not None:
                return found
        earlier = self._earlier(end)
        if earlier is not None and same_word(substitute(earlier, {self.t: 0}), init, before.bits):
            return earlier
        return None

    def _ring(self, init: Expr, unknown: Expr, end: Expr, bits: int) -> Expr | None:
        """a + c·((t − k) mod p) of what depends on its own value alone, and is init again after p iterations."""
        if init.op != "const" or variables(end) != (unknown,):
            return None
        size, slots = 1 << bits, [int(init.value) % (1 << bits)]
        while len(slots) <= MOST_SLOTS:
            following = value(end, {unknown: slots[-1]}) % size
            if following == slots[0]:
                break
            slots.append(following)
        for k in range(len(slots) if len(slots) <= MOST_SLOTS else 0):
            first, *others = slots[k:] + slots[:k]  # from the first of the ring on, which need not be init
            each = (others[0] - first + size // 2) % size - size // 2 if others else 0
            if all((slot - first - n * each) % size == 0 for n, slot in enumerate(others, 1)):
                return as_expr(first) + mod(self.t + -k % len(slots), len(slots)) * each
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
