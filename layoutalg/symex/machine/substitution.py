"""States with variables replaced: what holds of iteration t, said of the last one.

t is replaced where it stands; the results of functions of t, which are unknowns, keep their names and mean those of the
last iteration then.
"""

from __future__ import annotations

from collections.abc import Mapping

from layoutalg.index import Expr, simplify, substitute
from layoutalg.symex.machine.state import State
from layoutalg.symex.values.word import Bit, High, Low, Mask, Origin, Pair, Sign, Word, parts


class Substitution:
    """Words with variables replaced; halves of one word stay halves of one."""

    def __init__(self, values: Mapping[Expr, Expr]) -> None:
        self.values = values
        self.words: dict[Word, Word] = {}

    def expr(self, e: Expr) -> Expr:
        """The expression."""
        return substitute(e, self.values)

    def word(self, word: Word) -> Word:
        """The word."""
        if word not in self.words:
            expr, origin = self.expr(word.expr), self.origin(word.origin)
            same = expr is word.expr and origin == word.origin
            self.words[word] = word if same else word.with_expr(expr, origin)
        return self.words[word]

    def origin(self, origin: Origin | None) -> Origin | None:
        """That of halves, pairs and signs; the steps of a division are known by the names of their own iteration."""
        new = tuple(map(self.word, parts(origin)))
        if new == parts(origin):
            return origin
        return type(origin)(*new) if isinstance(origin, Low | High | Pair | Sign) else None

    def scalar(self, word: Word | Mask) -> Word | Mask:
        """The word or the mask."""
        return word.having(self.expr(word.own)) if isinstance(word, Mask) else self.word(word)

    def state(self, state: State) -> State:
        """The state."""
        new = state.copy()
        new.scc = state.scc and Bit(self.expr(state.scc.expr))
        new.barriers, new.invalidated = (simplify(self.expr(e)) for e in (state.barriers, state.invalidated))
        new.caches = {cache: simplify(self.expr(e)) for cache, e in state.caches.items()}
        new.scalars = {key: self.scalar(word) for key, word in state.scalars.items()}
        new.cells = {
            key: tuple((self.expr(guard), self.word(word)) for guard, word in writes)
            for key, writes in state.cells.items()
        }
        return new
