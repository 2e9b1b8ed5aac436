"""Terms: what a store puts in memory, as a function of what was in memory before the launch.

A term is an expression whose unknowns are results of functions (`UninterpretedFunctions`): of arithmetic, and of
memory. `x[4](offset)` are the 4 bytes at an offset of tensor x before the launch; so another thread's term is the same
with its variables, also in the offsets of what it loads (`UninterpretedFunctions.rewritten`).

| one form stands for | because, a NaN's payload apart |
|---|---|
| a − b, a + (−b) | IEEE 754: the difference is that sum |
| (−a) · b, −(a · b) | rounding to nearest knows no sign |
| a + a, 2 · a | both are exact, or overflow alike |
| max(a, a), 1 · a, a | compilers write them to quiet a NaN |
| −a < −b, b < a | the order of negatives |
| f32 of an integer, + a whole number; f32 of their sum | exact, where neither is beyond 2²⁴ |
| med3(a, l, h), min(max(a, l), h) | numbers l ≤ h, h no zero: V_MED3's pseudocode, case by case (ISA manuals) |

−a is a with its sign's bit turned.  What is read of LDS and has no term (`through_lds`) stays the unknown that it is in
the trace, equal to nothing else.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence

from layoutalg.index import ZERO, Expr, const, mod, simplify, variables, xor
from layoutalg.launch.symbolic import LDS
from layoutalg.records import dataclass
from layoutalg.symex.machine.tracing import TracedElement
from layoutalg.symex.values.uninterpreted import UninterpretedFunctions
from layoutalg.symex.values.unknowns import Kind, call_of, dependencies, unknown_value

#: Bits of the types that arithmetic is in, and their ones and twos.
FLOAT_BITS = {"f16": 16, "f32": 32, "f64": 64}
_ONE = {"f16": 0x3C00, "f32": 0x3F800000, "f64": 0x3FF0000000000000}
_TWO = {"f16": 0x4000, "f32": 0x40000000, "f64": 0x4000000000000000}
#: Whole numbers up to this one f32 holds, each of them.
_WHOLE = 1 << 24

_FORMATS = {"f16": "<e", "f32": "<f", "f64": "<d"}

_OPEN = "["

Handed = Callable[[TracedElement, Mapping[Expr, Expr], dict[Expr, Expr]], Expr | None]
"""The term of what was read of LDS, of the terms of what was loaded before; None where it has none."""

Stated = Callable[[str, int, Expr], Expr | None]
"""What so many bytes of a tensor are from an offset on; None where nothing says it."""


def is_memory(function: str) -> bool:
    """Whether a function's results are what lies in a tensor."""
    return function.startswith(_OPEN)


def without_sign(e: Expr, bits: int) -> tuple[bool, Expr]:
    """Whether a float is written as the negative of another one, and that one."""
    sign = 1 << bits - 1
    if e.op == "const":
        number = int(e.value) % (1 << bits)
        return number >= sign, const(number % sign)
    if e.op == "xor":
        rest = [a for a in e.args if a.op != "const"]
        turned = [int(a.value) % (1 << bits) for a in e.args if a.op == "const"]
        if turned == [sign] and len(rest) == 1:
            return True, rest[0]
    return False, e


def negative(e: Expr, bits: int) -> Expr:
    """A float with its sign turned."""
    turned, magnitude = without_sign(e, bits)
    if magnitude.op == "const":
        return const(int(magnitude.value) + (0 if turned else 1 << bits - 1))
    return magnitude if turned else xor(magnitude, 1 << bits - 1)


class Terms(UninterpretedFunctions):
    """The functions of terms, memory among them; `stated`: what a launch says that bytes of a tensor are before it."""

    def __init__(self, stated: Stated = lambda tensor, size, offset: None) -> None:
        super().__init__()
        self._stated = stated

    def contents(self, tensor: str, size: int, offset: Expr) -> Expr:
        """So many bytes of a tensor, as they are before the launch."""
        stated = self._stated(tensor, size, offset)
        return self.apply(f"[{size}]{tensor}", offset) if stated is None else stated

    def apply(self, name: str, *arguments: Expr) -> Expr:
        """The result of a function: the same for the same arguments."""
        if is_memory(name):
            return self._held(name, simplify(arguments[0]))
        if name == "f32_of_u32" and arguments[0].lo >= 0 and arguments[0].hi < 1 << 31:
            name = "f32_of_i32"
        operation, _, dtype = name.rpartition("_")
        if dtype in FLOAT_BITS:
            known = self._arithmetic(operation, dtype, [simplify(a) for a in arguments])
            if known is not None:
                return known
        return super().apply(name, *arguments)

    def _held(self, name: str, offset: Expr) -> Expr:
        call = name, (offset,)
        if call not in self._named:
            size = int(name[1 : name.index("]")])
            title = f"{name[name.index(']') + 1 :]}[{size}]_{len(self._named)}"
            self._named[call] = unknown_value(title, 1 << 8 * size, Kind.RESULT, function=name, arguments=(offset,))
        return self._named[call]

    def _arithmetic(self, operation: str, dtype: str, given: Sequence[Expr]) -> Expr | None:
        """The one form of what is written in several."""
        bits = FLOAT_BITS[dtype]
        if operation == "sub":
            return self.apply(f"add_{dtype}", given[0], negative(given[1], bits))
        if operation in ("max", "min") and given[0] is given[1]:
            return given[0]
        if operation in ("lt", "le"):
            return self._order(operation, dtype, given)
        if operation == "med3":
            return self._median(dtype, given)
        if operation == "add" and given[0] is given[1]:
            return self.apply(f"mul_{dtype}", const(_TWO[dtype]), given[0])
        if operation == "add" and dtype == "f32":
            return next((one for one in map(self._whole, (given, given[::-1])) if one is not None), None)
        if operation == "mul":
            plain = [without_sign(a, bits) for a in given]
            for k, (turned, one) in enumerate(plain):
                if one is const(_ONE[dtype]):
                    return negative(given[1 - k], bits) if turned else given[1 - k]
            if any(turned for turned, _ in plain):
                product = super().apply(f"mul_{dtype}", *(one for _, one in plain))
                return negative(product, bits) if plain[0][0] != plain[1][0] else product
        return None

    def _whole(self, given: Sequence[Expr]) -> Expr | None:
        """The sum of an integer's number and a whole constant, where f32 holds all of them exactly."""
        name, arguments = call_of(given[0])
        if name != "f32_of_i32" or given[1].op != "const" or not _number(given[1], "f32").is_integer():
            return None
        n, whole = arguments[0], int(_number(given[1], "f32"))
        small = all(max(-e.lo, e.hi) <= _WHOLE for e in (n, n + whole))
        return self.apply(name, n + whole) if whole and small else None

    def _order(self, operation: str, dtype: str, given: Sequence[Expr]) -> Expr | None:
        """The order of numbers that are both written as negatives, a constant aside, as that of the others."""
        bits = FLOAT_BITS[dtype]
        turned = [without_sign(a, bits)[0] for a in given if a.op != "const"]
        if not turned or not all(turned):
            return None
        return super().apply(f"{operation}_{dtype}", *(negative(a, bits) for a in given[::-1]))

    def _median(self, dtype: str, given: Sequence[Expr]) -> Expr | None:
        """The median of a number and two constants, as least and greatest."""
        bounds = sorted(((_number(a, dtype), a) for a in given if a.op == "const"), key=lambda one: one[0])
        rest = [a for a in given if a.op != "const"]
        if len(rest) != 1 or any(number != number for number, _ in bounds) or not bounds[1][0]:
            return None
        (_, low), (_, high) = bounds
        return self.apply(f"min_{dtype}", self.apply(f"max_{dtype}", rest[0], low), high)


def _number(e: Expr, dtype: str) -> float:
    """A constant's bits as a number."""
    size = FLOAT_BITS[dtype] // 8
    (number,) = struct.unpack(_FORMATS[dtype], (int(e.value) % (1 << 8 * size)).to_bytes(size, "little"))
    return float(number)


@dataclass(frozen=True)
class StoredTerm:
    """What one thread stores at an offset: bytes, in terms."""

    element: TracedElement
    offset: Expr
    guard: Expr
    term: Expr  # of `element.size` bytes

    def __str__(self) -> str:
        return f"{self.element.instruction.address:#x} {self.element.instruction.name.lower()}"


def named(terms: Terms, trace: Sequence[TracedElement], tensors: Mapping[str, int], handed: Handed) -> dict[Expr, Expr]:
    """The term of each unknown that was loaded: from a tensor, whose elements have so many bytes, or from LDS.

    `tensors` leaves out what is not as it was before the launch when it is loaded; `handed` says what LDS hands on.
    """
    found: dict[Expr, Expr] = {}
    done: dict[Expr, Expr] = {}
    for one in trace:
        if one.buffer == LDS and not one.store:
            term = handed(one, found, done)
            if term is not None:
                found[one.value] = term
        if one.store or one.buffer not in tensors:
            continue
        unit = min(tensors[one.buffer], 4)
        if one.size % unit:
            continue  # a part of an element: nothing is said of it
        offset = terms.rewritten(one.offset, found, done, simplify)  # of a gather, the index's own term
        parts = (terms.contents(one.buffer, unit, offset + k) * (1 << 8 * k) for k in range(0, one.size, unit))
        found[one.value] = simplify(sum(parts, start=ZERO))
    return found


def stored(
    terms: Terms, trace: Sequence[TracedElement], names: Mapping[Expr, Expr], tensor: str
) -> Iterator[StoredTerm]:
    """The stores to a tensor, in the trace's order."""
    done: dict[Expr, Expr] = {}
    for one in trace:
        if one.store and one.buffer == tensor:
            offset, guard, value = (
                terms.rewritten(e, names, done, simplify) for e in (one.offset, one.guard, one.value)
            )
            yield StoredTerm(one, offset, guard, simplify(mod(value, 1 << 8 * one.size)))


def leaves(*exprs: Expr) -> tuple[Expr, ...]:
    """The results of functions that expressions are made of, each once."""
    return tuple(v for v in variables(*exprs) if call_of(v)[0])


def memory_of(e: Expr) -> list[tuple[str, Expr]]:
    """What of which tensors a term is made of: names of functions, and offsets."""
    calls = sorted((call_of(v) for v in dependencies(e)), key=str)
    return [(name, arguments[0]) for name, arguments in calls if is_memory(name)]
