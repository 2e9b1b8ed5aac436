"""What each atomic operation makes of what lies in memory: one row of a table each, over any kind of value.

`(w, old, data, data2)` → what lies there afterwards; the old value is what comes back, where one is asked for.  Where
one operand holds both (compare-and-swap in global memory), `data` is its lower half, the new value, and `data2` its
upper, what is compared; in LDS, CDNA's CMPST has them in `data2` and `data`, RDNA's CMPSTORE in `data` and `data2`
(AMD's pseudocode, which the tests run beside each row).

Operations on numbers round to nearest, and differ between memories in what they do with subnormal ones (LLVM's pull
requests 89468 and 96443: LDS keeps those of f32 where the float mode does, "the SPG says it always flushes, the
instruction documentation says it does not" of gfx90a's global memory); least and greatest ones in what they do with
NaN and with zeros of two signs.
`Atomic.doubtful` says which: such a result is refused where it comes up.
What it cannot represent: operations on two addresses, those that M0 addresses (append, consume), and ordered ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from operator import add, and_, or_, xor

from layoutalg.isa.semantics.entries import Effect
from layoutalg.isa.semantics.values import Truth, Values, Word
from layoutalg.records import dataclass

#: What a word holds → exponent and mantissa bits of each number in it.
_FORMATS: Mapping[str, tuple[tuple[int, int], ...]] = {
    "f32": ((0x7F800000, 0x7FFFFF),),
    "f64": ((0x7FF << 52, (1 << 52) - 1),),
    "f16": ((0x7C00, 0x3FF), (0x7C00 << 16, 0x3FF << 16)),
    "bf16": ((0x7F80, 0x7F), (0x7F80 << 16, 0x7F << 16)),
}


@dataclass(frozen=True)
class Atomic:
    """An atomic operation on elements of so many bytes."""

    size: int
    effect: Effect
    operands: int = 1
    commutes: bool = True  # several of it in any order leave the same behind
    sums: bool = False  # what it leaves counts every one of them, so that a read in between is of a part
    number: str = ""  # "f32" or "f64", where its words are numbers; "f16" or "bf16", where they are two
    chooses: bool = False  # the least or the greatest of numbers
    subnormals: bool = False  # subnormal numbers are kept
    compares: bool = False  # it stores only where it finds what it looks for
    returns: bool = False  # the name says that the old value comes back (LDS)

    @property
    def registers(self) -> int:
        """How many registers one operand takes."""
        return self.size // 4

    def doubtful(self, w: Values, old: Word, data: Word, new: Word) -> Truth:
        """Where no source says what comes of two numbers; only asked where there is a `number`."""
        none = w.const(0, 8 * self.size)
        doubt = ~w.eq(none, none)
        for fields in _FORMATS[self.number]:
            exponent, mantissa = (w.const(bits, 8 * self.size) for bits in fields)
            for word in () if self.subnormals else (old, data, new):
                doubt = doubt | w.eq(word & exponent, none) & ~w.eq(word & mantissa, none)
        if self.chooses:
            no_number = [w.eq(word & exponent, exponent) & ~w.eq(word & mantissa, none) for word in (old, data)]
            zeros = w.eq((old | data) & (exponent | mantissa), none) & ~w.eq(old, data)
            doubt = doubt | no_number[0] | no_number[1] | zeros
        return doubt


def _plain(operation: Effect) -> Effect:
    return lambda w, old, data, data2: operation(old, data)


def _chosen(less: Effect, greatest: bool = False) -> Effect:
    """The operand where it is less (or greater), else the old value."""
    if greatest:
        return lambda w, old, data, data2: w.ite(less(w, old, data), data, old)
    return lambda w, old, data, data2: w.ite(less(w, data, old), data, old)


Row = tuple[str, str, Atomic]
"""What it is called after `ATOMIC_` (CDNA's name, RDNA's), what in LDS, and what it does."""


def _integers(bits: int) -> Iterator[Row]:
    """The operations that there are of 32 and of 64 bits."""
    x, size = "_X2" if bits == 64 else "", bits // 8

    def one(effect: Effect, **rest: bool) -> Atomic:
        return Atomic(size, effect, commutes=rest.get("commutes", True), sums=rest.get("sums", False))

    def two(effect: Effect, compares: bool = True) -> Atomic:
        return Atomic(size, effect, operands=2, commutes=False, compares=compares)

    def signed(w: Values, a: Word, b: Word) -> Truth:
        return w.slt(a, b)

    def unsigned(w: Values, a: Word, b: Word) -> Truth:
        return w.ult(a, b)

    def increment(w: Values, old: Word, data: Word, _: Word) -> Word:
        return w.ite(w.ult(old, data), old + w.const(1, bits), w.const(0, bits))

    def decrement(w: Values, old: Word, data: Word, _: Word) -> Word:
        at_end = w.eq(old, w.const(0, bits)) | w.ult(data, old)
        return w.ite(at_end, data, old - w.const(1, bits))

    def swapped(w: Values, old: Word, new: Word, compared: Word) -> Word:
        return w.ite(w.eq(old, compared), new, old)

    yield f"ADD{x} ADD_U{bits}", f"ADD_U{bits}", one(_plain(add), sums=True)
    yield f"SUB{x} SUB_U{bits}", f"SUB_U{bits}", one(lambda w, old, data, _: old - data, sums=True)
    yield "", f"RSUB_U{bits}", one(lambda w, old, data, _: data - old, commutes=False)
    yield f"INC{x} INC_U{bits}", f"INC_U{bits}", one(increment, commutes=False)
    yield f"DEC{x} DEC_U{bits}", f"DEC_U{bits}", one(decrement, commutes=False)
    yield f"SMIN{x} MIN_I{bits}", f"MIN_I{bits}", one(_chosen(signed))
    yield f"UMIN{x} MIN_U{bits}", f"MIN_U{bits}", one(_chosen(unsigned))
    yield f"SMAX{x} MAX_I{bits}", f"MAX_I{bits}", one(_chosen(signed, greatest=True))
    yield f"UMAX{x} MAX_U{bits}", f"MAX_U{bits}", one(_chosen(unsigned, greatest=True))
    yield f"AND{x} AND_B{bits}", f"AND_B{bits}", one(_plain(and_))
    yield f"OR{x} OR_B{bits}", f"OR_B{bits}", one(_plain(or_))
    yield f"XOR{x} XOR_B{bits}", f"XOR_B{bits}", one(_plain(xor), sums=True)
    yield (
        f"SWAP{x} SWAP_B{bits}",
        f"WRXCHG_B{bits} STOREXCHG_B{bits}",
        one(lambda w, old, data, _: data, commutes=False),
    )
    yield f"CMPSWAP{x} CMPSWAP_B{bits}", f"CMPSTORE_B{bits}", two(swapped)
    yield "", f"CMPST_B{bits}", two(lambda w, old, compared, new: swapped(w, old, new, compared))
    yield "", f"MSKOR_B{bits}", two(lambda w, old, mask, data: old & ~mask | data, compares=False)


def _numbers(number: str) -> Iterator[Row]:
    """The operations on floating-point numbers."""
    size = int(number[1:]) // 8

    def less(w: Values, a: Word, b: Word) -> Truth:
        return w.relation(f"lt_{number}", a, b)

    n = number.upper()
    total = Atomic(
        size, lambda w, old, data, _: w.function(f"add_{number}", old, data), commutes=False, sums=True, number=number
    )
    least = Atomic(size, _chosen(less), number=number, chooses=True)
    yield f"ADD_{n}", "", total
    yield "", f"ADD_{n}", replace(total, subnormals=number == "f32")
    yield f"MIN_{n} MIN_NUM_{n}", f"MIN_{n} MIN_NUM_{n}", least
    yield f"MAX_{n} MAX_NUM_{n}", f"MAX_{n} MAX_NUM_{n}", replace(least, effect=_chosen(less, greatest=True))


def _two(function: Effect) -> Atomic:
    """A function of the halves of words."""

    def effect(w: Values, old: Word, data: Word, _: Word) -> Word:
        low, upper, half = w.const(0xFFFF, 32), w.const(0xFFFF0000, 32), w.const(16, 32)
        high = function(w, w.lshr(old, half), w.lshr(data, half))
        return function(w, old & low, data & low) & low | w.shl(high, half) & upper

    return Atomic(4, effect, commutes=False, sums=True)


def _bf16_sum(w: Values, a: Word, b: Word) -> Word:
    """By way of f32, whose rounding is too fine to matter."""
    half = w.const(16, 32)
    return w.function("bf16_of_f32", w.function("add_f32", w.shl(a, half), w.shl(b, half)))


def _bounded(w: Values, old: Word, data: Word, _: Word) -> Word:
    return w.ite(w.ult(old, data), w.const(0, 32), old - data)


_ROWS: tuple[Row, ...] = (
    *_integers(32),
    *_integers(64),
    ("CSUB_U32 SUB_CLAMP_U32", "SUB_CLAMP_U32", Atomic(4, _bounded, commutes=False)),
    (
        "COND_SUB_U32",
        "COND_SUB_U32",
        Atomic(4, lambda w, old, data, _: w.ite(w.ult(old, data), old, old - data), commutes=False),
    ),
    *_numbers("f32"),
    *_numbers("f64"),
    ("PK_ADD_F16", "PK_ADD_F16", replace(_two(lambda w, a, b: w.function("add_f16", a, b)), number="f16")),
    ("PK_ADD_BF16", "PK_ADD_BF16", replace(_two(_bf16_sum), number="bf16")),
)

#: By what instructions are called after `GLOBAL_ATOMIC_`, `FLAT_ATOMIC_` and `BUFFER_ATOMIC_`.
GLOBAL: Mapping[str, Atomic] = {name: atomic for names, _, atomic in _ROWS for name in names.split()}


def _in_lds(name: str, atomic: Atomic) -> Iterator[tuple[str, Atomic]]:
    kind, type_ = name.rsplit("_", 1)
    yield f"{kind}_RTN_{type_}", replace(atomic, returns=True)
    if not kind.endswith("XCHG"):  # without what was there, they would be stores
        yield name, atomic


#: By what instructions are called after `DS_`.
LDS: Mapping[str, Atomic] = dict(
    found for _, names, atomic in _ROWS for name in names.split() for found in _in_lds(name, atomic)
)
