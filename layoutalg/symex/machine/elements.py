"""Elements of memory and the registers that hold them: one for each dword, several narrow ones in one.

| elements | registers |
|---|---|
| f16, f16, f16, f16 | two, the first of a pair in the low half |
| u8 | one, zero above |
| f32 | one |
| of 6 bits, 16 together | three: one may begin in a register and end in the next |
"""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.index import ZERO, Expr, div, mod, simplify


def joined_elements(found: Sequence[Expr], size: int, width: int) -> list[Expr]:
    """The registers that elements of so many bytes make, of what is `width` bytes wide."""
    per = max(1, min(4, width) // size)
    return [
        sum((part * (1 << 8 * size * j) for j, part in enumerate(found[k : k + per])), start=ZERO)
        for k in range(0, len(found), per)
    ]


def joined_bits(found: Sequence[Expr], bits: int) -> list[Expr]:
    """The registers that elements of so many bits make: one may begin in a register and end in the next."""
    words = [ZERO] * (len(found) * bits // 32)
    for n, element in enumerate(found):
        word, shift = divmod(n * bits, 32)
        over = max(0, shift + bits - 32)
        words[word] += (mod(element, 1 << bits - over) if over else element) * (1 << shift)
        if over:
            words[word + 1] += div(element, 1 << bits - over)
    return words


def split_in_elements(words: Sequence[Expr], size: int, width: int) -> list[Expr]:
    """The elements of so many bytes that registers hold."""
    each = range(max(1, min(4, width) // size))
    return [simplify(mod(div(word, 1 << 8 * size * j), 1 << 8 * size)) for word in words for j in each]
