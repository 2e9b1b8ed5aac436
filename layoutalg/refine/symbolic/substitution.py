"""States with variables replaced: what holds of iteration t, said of the last one.

t is replaced where it stands; the results of functions of t, which are unknowns, keep their names and mean those of the
last iteration then.
"""

from __future__ import annotations

from collections.abc import Mapping

from layoutalg.index import Expr, simplify, substitute
from layoutalg.refine.symbolic.arithmetic import IndexValues
from layoutalg.refine.symbolic.state import State
from layoutalg.refine.values.word import Mask, Word


class Substitution:
    """Words with variables replaced; halves of one word stay halves of one."""

    def __init__(self, w: IndexValues, values: Mapping[Expr, Expr]) -> None:
        self.w, self.values = w, values
        self.words: dict[Word, Word] = {}

    def expr(self, e: Expr) -> Expr:
        """The expression."""
        return substitute(e, self.values)

    def word(self, word: Word) -> Word:
        """The word."""
        if word not in self.words:
            whole, low, sign = (None if p is None else self.word(p) for p in (word.whole, word.low_half, word.sign_of))
            same = whole is word.whole and low is word.low_half and sign is word.sign_of
            new = self.expr(word.expr)
            self.words[word] = word if same and new is word.expr else Word(self.w, new, word.bits, whole, low, sign)
        return self.words[word]

    def scalar(self, word: Word | Mask) -> Word | Mask:
        """The word or the mask."""
        return word.having(self.expr(word.own)) if isinstance(word, Mask) else self.word(word)

    def state(self, state: State) -> State:
        """The state, with no condition code."""
        new = state.copy()
        new.scc, new.barriers = None, simplify(self.expr(state.barriers))
        new.scalars = {key: self.scalar(word) for key, word in state.scalars.items()}
        new.cells = {
            key: tuple((self.expr(guard), self.word(word)) for guard, word in writes)
            for key, writes in state.cells.items()
        }
        return new
