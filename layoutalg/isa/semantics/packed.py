"""Packed floating-point instructions: entries as in `semantics`.

A packed instruction does two operations, on halves of registers or of register pairs; for each of them its modifiers
pick a half of each source (`opsel`, `opsel_hi`) and negate it (`neg`, `neg_hi`): CDNA 3 ISA, "VOP3P".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from layoutalg.isa.semantics.entries import Alu, Effect
from layoutalg.isa.semantics.values import Values, Word

FIELDS = frozenset({"opsel", "opsel_hi", "opsel_hi2", "neg", "neg_hi"})


def _packed(name: str) -> Effect:
    """The function of the halves that `opsel` picks in the low word, and of those of `opsel_hi` in the high one."""

    def effect(
        w: Values, *words: Word, opsel: int = 0, opsel_hi: int = 3, opsel_hi2: int = 1, neg: int = 0, neg_hi: int = 0
    ) -> Word:
        upper = opsel_hi | opsel_hi2 << 2
        return w.pair(*(w.function(name, *_halves(w, words, *how)) for how in ((opsel, neg), (upper, neg_hi))))

    return effect


def _halves(w: Values, words: Sequence[Word], high: int, negated: int) -> Iterator[Word]:
    sign = w.const(1 << 31, 32)
    for k, word in enumerate(words):
        half = w.high(word) if high >> k & 1 else w.low(word)
        yield half ^ sign if negated >> k & 1 else half


PACKED: Mapping[str, Alu] = {
    f"V_PK_{name.upper()}": Alu(("d64",), reads, _packed(name), FIELDS, floats=True)
    for name, reads in (("add_f32", ("a64", "b64")), ("mul_f32", ("a64", "b64")), ("fma_f32", ("a64", "b64", "c64")))
}
