"""Integers of 16 bits, sums of absolute differences and dot products: entries as `semantics.table` has them.

A packed instruction does its operation on two halves; for each of them its modifiers pick a half of each source
(`opsel`, `opsel_hi`: CDNA 3 ISA, "VOP3P").  Sums and differences may be clamped, to the ends of 16 bits.
What it cannot represent: products and dot products that are clamped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.semantics.entries import Alu, Effect, table
from layoutalg.isa.semantics.values import Values, Word
from layoutalg.isa.semantics.words import (
    clamped_or_not,
    difference_at_least,
    greater,
    greatest,
    least,
    lesser,
    low_bits,
    median,
    signed16,
    truth_table,
)

Function = Callable[..., Word]
"""Of the values and of 16-bit words, as words of 32 bits whose upper half may be anything."""


def _half(function: Function) -> Effect:
    """The low 16 bits of what a function makes of 16-bit sources, zeros above them."""
    return lambda w, *words, **fields: low_bits(w, function(w, *words, **fields), 16)


def _signed(function: Function) -> Function:
    """A function of signed numbers."""
    return lambda w, *words: function(w, *(signed16(w, word) for word in words))


def _shifted_right(w: Values, a: Word, b: Word) -> Word:
    return w.ashr(signed16(w, b), low_bits(w, a, 4))


#: Operation → its function; of these there are forms of one number and packed ones of two.
_FUNCTIONS: Mapping[str, tuple[str, Function]] = {
    "ADD_U16": ("ab", lambda w, a, b: a + b),
    "SUB_U16": ("ab", lambda w, a, b: a - b),
    "ADD_I16": ("ab", lambda w, a, b: a + b),
    "SUB_I16": ("ab", lambda w, a, b: a - b),
    "MUL_LO_U16": ("ab", lambda w, a, b: a * b),
    "MAD_U16": ("abc", lambda w, a, b, c: a * b + c),
    "MAD_I16": ("abc", lambda w, a, b, c: a * b + c),
    "LSHLREV_B16": ("ab", lambda w, a, b: w.shl(b, low_bits(w, a, 4))),
    "LSHRREV_B16": ("ab", lambda w, a, b: w.lshr(b, low_bits(w, a, 4))),
    "ASHRREV_I16": ("ab", _shifted_right),
    "MIN_U16": ("ab", lambda w, a, b: lesser(w, a, b, w.ult)),
    "MAX_U16": ("ab", lambda w, a, b: greater(w, a, b, w.ult)),
    "MIN_I16": ("ab", _signed(lambda w, a, b: lesser(w, a, b, w.slt))),
    "MAX_I16": ("ab", _signed(lambda w, a, b: greater(w, a, b, w.slt))),
}


def _at_most(w: Values, a: Word, b: Word) -> Word:
    return lesser(w, a + b, w.const(0xFFFF, 32), w.ult)


def _in_range(w: Values, word: Word) -> Word:
    return lesser(w, greater(w, word, w.const(-(1 << 15), 32), w.slt), w.const((1 << 15) - 1, 32), w.slt)


#: What sums and differences are where they are clamped.
_CLAMPED: Mapping[str, Function] = {
    "ADD_U16": _at_most,
    "SUB_U16": difference_at_least,
    "ADD_I16": _signed(lambda w, a, b: _in_range(w, a + b)),
    "SUB_I16": _signed(lambda w, a, b: _in_range(w, a - b)),
}

#: Name of an operation on one number → the other that it has: RDNA's, or that of gfx9 which clears the upper half.
_ALSO = {
    "ADD_U16": "ADD_NC_U16", "SUB_U16": "SUB_NC_U16", "ADD_I16": "ADD_NC_I16", "SUB_I16": "SUB_NC_I16",
    "MAD_U16": "MAD_LEGACY_U16", "MAD_I16": "MAD_LEGACY_I16",
}  # fmt: skip


def _single(name: str, roles: str, function: Function) -> Alu:
    reads = tuple(f"{role}16" for role in roles)
    if name not in _CLAMPED:
        return Alu(("d16",), reads, _half(function))
    return Alu(("d16",), reads, _half(clamped_or_not(function, _CLAMPED[name])), frozenset({"clmp"}))


_SINGLE = {
    f"V_{called}": _single(name, *function)
    for name, function in _FUNCTIONS.items()
    for called in (name, _ALSO.get(name, name))
}


def _packed(plain: Function, clamped: Function) -> Effect:
    """A function of the halves that `opsel` picks in the low half, and of those of `opsel_hi` in the upper one."""

    def effect(w: Values, *words: Word, opsel: int = 0, opsel_hi: int = 3, opsel_hi2: int = 1, clmp: int = 0) -> Word:
        function = clamped if clmp else plain
        low, high = (
            low_bits(w, function(w, *_picked(w, words, picks)), 16) for picks in (opsel, opsel_hi | opsel_hi2 << 2)
        )
        return low | w.shl(high, w.const(16, 32))

    return effect


def _picked(w: Values, words: Sequence[Word], upper: int) -> Iterator[Word]:
    for k, word in enumerate(words):
        yield w.lshr(word, w.const(16, 32)) if upper >> k & 1 else low_bits(w, word, 16)


_PICKS = frozenset({"opsel", "opsel_hi", "opsel_hi2"})

_PACKED = {
    f"V_PK_{name}": Alu(
        ("d32",),
        tuple(f"{role}32" for role in roles),
        _packed(function, _CLAMPED.get(name, function)),
        _PICKS | ({"clmp"} if name in _CLAMPED else frozenset()),
    )
    for name, (roles, function) in _FUNCTIONS.items()
}


def _parts(w: Values, word: Word, bits: int, signed: bool) -> list[Word]:
    """The numbers of so many bits that a word holds, the lowest first."""
    up = (w.shl(word, w.const(32 - bits - start, 32)) for start in range(0, 32, bits))
    return [(w.ashr if signed else w.lshr)(part, w.const(32 - bits, 32)) for part in up]


def _dot(bits: int, signed: bool) -> Effect:
    """The products of the numbers that two words hold, and a third word."""
    return lambda w, a, b, c: _products(w, _parts(w, a, bits, signed), _parts(w, b, bits, signed), c)


def _products(w: Values, left: Sequence[Word], right: Sequence[Word], total: Word) -> Word:
    for one, other in zip(left, right, strict=True):
        total = total + one * other
    return total


def _mixed_dot(bits: int) -> Effect:
    """A dot product whose first two sources are signed where their bit of `neg` is set."""

    def effect(w: Values, a: Word, b: Word, c: Word, *, neg: int = 0) -> Word:
        if neg & 4:
            raise UnsupportedInstructionError("a dot product whose sum has a sign")
        return _products(w, _parts(w, a, bits, bool(neg & 1)), _parts(w, b, bits, bool(neg & 2)), c)

    return effect


def _distance(w: Values, a: Word, b: Word) -> Word:
    return w.ite(w.ult(b, a), a - b, b - a)


def _distances(w: Values, a: Word, b: Word, c: Word, bits: int, masked: bool = False) -> Word:
    """The sum of absolute differences, and a third word; `masked`: of the parts of b that are not 0."""
    zero = w.const(0, 32)
    for one, other in zip(_parts(w, a, bits, False), _parts(w, b, bits, False), strict=True):
        apart = _distance(w, one, other)
        c = c + (w.ite(w.eq(other, zero), zero, apart) if masked else apart)
    return c


def _average(w: Values, a: Word, b: Word, c: Word) -> Word:
    """Of each byte the mean, rounded up where the lowest bit of c's is set."""
    total = w.const(0, 32)
    for place, parts in enumerate(zip(*(_parts(w, word, 8, False) for word in (a, b, c)), strict=True)):
        mean = w.lshr(parts[0] + parts[1] + low_bits(w, parts[2], 1), w.const(1, 32))
        total = total | w.shl(mean, w.const(8 * place, 32))
    return total


_OTHERS = table(
    ("V_SUBREV_U16", "d16 <- a16 b16", _half(lambda w, a, b: b - a)),
    ("V_AND_B16", "d16 <- a16 b16", lambda w, a, b: a & b),
    ("V_OR_B16", "d16 <- a16 b16", lambda w, a, b: a | b),
    ("V_XOR_B16", "d16 <- a16 b16", lambda w, a, b: a ^ b),
    ("V_NOT_B16", "d16 <- a16", _half(lambda w, a: ~a)),
    ("V_MIN3_U16", "d16 <- a16 b16 c16", lambda w, a, b, c: least(w, a, b, c, w.ult)),
    ("V_MAX3_U16", "d16 <- a16 b16 c16", lambda w, a, b, c: greatest(w, a, b, c, w.ult)),
    ("V_MED3_U16", "d16 <- a16 b16 c16", lambda w, a, b, c: median(w, a, b, c, w.ult)),
    ("V_MIN3_I16", "d16 <- a16 b16 c16", _half(_signed(lambda w, a, b, c: least(w, a, b, c, w.slt)))),
    ("V_MAX3_I16", "d16 <- a16 b16 c16", _half(_signed(lambda w, a, b, c: greatest(w, a, b, c, w.slt)))),
    ("V_MED3_I16", "d16 <- a16 b16 c16", _half(_signed(lambda w, a, b, c: median(w, a, b, c, w.slt)))),
    ("V_MAD_U32_U16", "d32 <- a16 b16 c32", lambda w, a, b, c: a * b + c),
    ("V_MAD_I32_I16", "d32 <- a16 b16 c32", lambda w, a, b, c: signed16(w, a) * signed16(w, b) + c),
    ("V_CVT_I32_I16", "d32 <- a16", signed16),
    ("V_CVT_U32_U16", "d32 <- a16", lambda w, a: a),
    ("V_LERP_U8", "d32 <- a32 b32 c32", _average),
    ("V_SAD_U8", "d32 <- a32 b32 c32", lambda w, a, b, c: _distances(w, a, b, c, 8)),
    ("V_SAD_HI_U8", "d32 <- a32 b32 c32",
     lambda w, a, b, c: w.shl(_distances(w, a, b, w.const(0, 32), 8), w.const(16, 32)) + c),
    ("V_MSAD_U8", "d32 <- a32 b32 c32", lambda w, a, b, c: _distances(w, a, b, c, 8, masked=True)),
    ("V_SAD_U16", "d32 <- a32 b32 c32", lambda w, a, b, c: _distances(w, a, b, c, 16)),
    ("V_SAD_U32", "d32 <- a32 b32 c32", lambda w, a, b, c: w.ite(w.ult(a, b), b - a, a - b) + c),
    ("V_DOT2_I32_I16", "d32 <- a32 b32 c32", _dot(16, signed=True)),
    ("V_DOT2_U32_U16", "d32 <- a32 b32 c32", _dot(16, signed=False)),
    ("V_DOT4_I32_I8", "d32 <- a32 b32 c32", _dot(8, signed=True)),
    ("V_DOT4_U32_U8", "d32 <- a32 b32 c32", _dot(8, signed=False)),
    ("V_DOT8_I32_I4", "d32 <- a32 b32 c32", _dot(4, signed=True)),
    ("V_DOT8_U32_U4", "d32 <- a32 b32 c32", _dot(4, signed=False)),
    ("V_DOT2C_I32_I16", "d32 <- a32 b32 d32", _dot(16, signed=True)),
    ("V_DOT4C_I32_I8", "d32 <- a32 b32 d32", _dot(8, signed=True)),
    ("V_DOT8C_I32_I4", "d32 <- a32 b32 d32", _dot(4, signed=True)),
)  # fmt: skip

_THREE = ("a32", "b32", "c32")

NARROW: Mapping[str, Alu] = {
    **_SINGLE,
    **_PACKED,
    **_OTHERS,
    "V_DOT4_I32_IU8": Alu(("d32",), _THREE, _mixed_dot(8), frozenset({"neg"})),
    "V_DOT8_I32_IU4": Alu(("d32",), _THREE, _mixed_dot(4), frozenset({"neg"})),
    "V_BITOP3_B16": Alu(("d16",), ("a16", "b16", "c16"), _half(truth_table), frozenset({"neg", "abs", "omod"})),
}
