"""What a kernel program says a thread does to memory, element by element: the other side of the claims on a binary.

Each element of each access has a place (a buffer and a byte offset), a condition, and, of a store, a value: what an
earlier load brought (or what is neutral, where that load's condition did not hold), or what was computed from such.
All are index expressions in the block, the thread, the sizes and the numbers of loops' iterations, for every one of
the program's unrolled register elements; floating-point results are functions of `functions`.

| statement | the registers then hold |
|---|---|
| load | an unknown of its own for each element |
| clear | what is neutral |
| product, fold, elementwise | the operations' results, one after the other in the order of the source |
| loop | at its head, unknowns; what they are before it and after an iteration is kept (`Carried`) |

What it cannot represent: asynchronous copies.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

from layoutalg.index import TRUE, ZERO, Expr, all_of, as_expr, const, extent_of, select, simplify, substitute, symbol
from layoutalg.index.conditions import upper_limits
from layoutalg.isa.semantics.matrix import scaled_name
from layoutalg.kernel.access.places import coordinates, first_copy
from layoutalg.kernel.obligations.asynchronous import Flight
from layoutalg.kernel.program import (
    FUNCTIONS,
    Await,
    Barrier,
    Clear,
    Commit,
    Elementwise,
    GlobalAccess,
    Load,
    Loop,
    MemoryAccess,
    Multiply,
    Program,
    Registers,
    SharedAccess,
    Statement,
    Store,
    StraightCopy,
)
from layoutalg.records import dataclass
from layoutalg.refine.simulation.numbers import HALF, NEUTRAL_BITS, WORD
from layoutalg.refine.simulation.rows import OtherLanes, RowStatements, TileElement, ys_of
from layoutalg.symex.loops.record import Carried
from layoutalg.symex.machine.wave import Wave
from layoutalg.symex.values.uninterpreted import UninterpretedFunctions
from layoutalg.symex.values.word import NotReadable


@dataclass(frozen=True)
class ExpectedElement:
    """One element of one access."""

    what: str  # the access in words, which no other has
    store: bool
    buffer: str  # a tensor's name, or that of a buffer in LDS
    offset: Expr  # bytes
    guard: Expr
    barriers: Expr  # how many stand before it
    value: Expr  # what is stored; or the unknown that is loaded
    size: int  # bytes
    width: int  # bytes that one instruction was meant to move
    loops: tuple[Expr, ...] = ()
    lands: bool = False  # a copy straight to LDS brings it, at some time
    over: int = 0  # and the barriers that it may be under way over, before it is awaited


@dataclass(frozen=True)
class Expected:
    """A program's elements in its order, and what its loops carry, by the unknown at the head."""

    elements: tuple[ExpectedElement, ...]
    carried: Mapping[Expr, Carried]
    loops: Mapping[Expr, Expr]  # the numbers of those that are not written out, and how often they run


#: A wave of which nothing is said.
UNSAID = Wave()


def expected_elements(program: Program, functions: UninterpretedFunctions, wave: Wave = UNSAID) -> Expected:
    """Every element that a thread of a wave accesses.  Raises `NotReadable` for a statement that is not described."""
    walker = _Walker(program, functions, wave)
    walker.body(program.body, {})
    return Expected(tuple(walker.elements), walker.carried, walker.loops)


class _Walker(RowStatements):
    """Walks the statements in order."""

    def __init__(self, program: Program, functions: UninterpretedFunctions, wave: Wave) -> None:
        self.program, self.functions = program, functions
        self.held: dict[TileElement, Expr] = {}
        self.barriers: Expr = ZERO
        self.around: tuple[Expr, ...] = ()
        self.elements: list[ExpectedElement] = []
        self.carried: dict[Expr, Carried] = {}
        self.loops: dict[Expr, Expr] = {}
        self.number = self.here = 0
        self.flight = Flight[int]()  # the elements that are on their way to LDS, by their numbers
        self.at: Mapping[Expr, Expr] = {}
        self.shared = {*program.grid, *program.sizes}  # and the numbers of loops: what all threads have alike
        self.lanes = OtherLanes(wave, functions, self.shared)

    def body(self, statements: Sequence[Statement], at: Mapping[Expr, Expr]) -> None:
        """`at`: the numbers of the loops around."""
        outside, self.at = self.at, at
        for statement in statements:
            self.here, self.number = self.number, self.number + 1
            self.read(statement)
        self.at = outside

    def read_statement(self, s: Statement) -> None:
        raise NotReadable(f"{self.program.name}: statement {self.here} is a {type(s).__name__}")

    def read_barrier(self, s: Barrier) -> None:
        self.barriers += 1

    def read_straight_copy(self, s: StraightCopy) -> None:
        before = len(self.elements)
        self.body(s.parts, self.at)
        for number in range(before, len(self.elements)):
            if self.elements[number].store:
                self.elements[number] = replace(self.elements[number], lands=True)
                self.flight.begin(number)

    def read_commit(self, s: Commit) -> None:
        self.flight.commit()

    def read_await(self, s: Await) -> None:
        """What has arrived is what the copies stored; that nobody looked before is proved of the program.

        Of loops only iterations that are written out count their barriers; others may pass none.
        """
        for number in self.flight.land(s.groups):
            one = self.elements[number]
            over = simplify(self.barriers - one.barriers)
            if over.op == "const" and one.loops == self.around == ():
                self.elements[number] = replace(one, over=int(over.value))

    def read_clear(self, s: Clear) -> None:
        for y in ys_of(s.registers):
            self.held[s.registers.name, y] = const(NEUTRAL_BITS[s.how][s.registers.dtype.name])

    def read_loop(self, loop: Loop) -> None:
        at = self.at
        count = simplify(substitute(extent_of(loop.index), at))
        first = self.number
        if count.op == "const":
            for k in range(int(count.value)):
                self.number = first
                self.body(loop.body, {**at, loop.index: as_expr(k)})
            return
        if any(number.op == "const" for number in at.values()):
            raise NotReadable(f"{self.program.name}: a loop of {count} within one that is written out")
        number = numbered(loop.index, count, self.program.requires)
        self.loops[number], at = count, {**at, loop.index: number}
        self.shared.add(number)
        before, barriers, flight = dict(self.held), self.barriers, self.flight.copied()
        marks = len(self.elements), len(self.carried)
        self.body(loop.body, at)  # once to see what it changes
        changed = [p for p, e in self.held.items() if p in before and before[p] is not e]
        per_iteration = simplify(self.barriers - barriers)
        del self.elements[marks[0] :]
        for key in list(self.carried)[marks[1] :]:
            del self.carried[key]
        unknown = {p: _at_head(number, p, before[p]) for p in changed}
        self.held, self.flight = before | unknown, flight
        self.barriers, self.around = barriers + per_iteration * number, (*self.around, number)
        self.number = first
        self.body(loop.body, at)
        for changed_place, e in unknown.items():
            self.carried[e] = Carried(number, e, before[changed_place], self.held[changed_place])
        self.around = self.around[:-1]
        self.barriers = simplify(barriers + per_iteration * count)

    # --- arithmetic ---------------------------------------------------------------------------------------------------

    def read_multiply(self, s: Multiply) -> None:
        (m, n), k = map(int, s.c.distribution.ys[:2]), int(s.a.distribution.ys[1])
        for kk, mm, nn in product(range(k), range(m), range(n)):
            a, b, c = _fragment(s.a, (mm, kk)), _fragment(s.b, (nn, kk)), _fragment(s.c, (mm, nn))
            if s.instruction.wave == 1:
                x, y, z = self.as_f32(s.a, a[0]), self.as_f32(s.b, b[0]), self.value(s.c, c[0])
                self.held[s.c.name, c[0]] = self.functions.apply("fma_f32", x, y, z)
                continue
            words = [*self._packed(s.a, a), *self._packed(s.b, b)]
            name = s.instruction.name
            if s.scales:
                name = scaled_name(s.instruction)
                for scale, repeated in zip(s.scales, (mm, nn), strict=True):
                    words += self._packed(scale, _fragment(scale, (repeated, kk)))
            results = [self.functions.apply(f"{name}[{i}]", *words, self.value(s.c, y)) for i, y in enumerate(c)]
            self.held |= {(s.c.name, y): result for y, result in zip(c, results, strict=True)}

    def _packed(self, registers: Registers, ys: Sequence[tuple[int, ...]]) -> list[Expr]:
        """Elements as the 32-bit registers that hold them, low bits first."""
        each = 4 // registers.dtype.bytes
        values = [self.value(registers, y) for y in ys]
        starts = range(0, len(values), each)
        bits = 8 * registers.dtype.bytes
        return [_word(values[k : k + each], bits) for k in starts]

    def read_elementwise(self, s: Elementwise) -> None:
        new: dict[TileElement, Expr] = {}
        for y in ys_of(s.registers):
            operands = [self.as_f32(o, y) for o in s.operands]
            new[s.registers.name, y] = FUNCTIONS[s.function].machine(self.functions, *operands)
        self.held |= new

    # --- memory -------------------------------------------------------------------------------------------------------

    def read_memory_access(self, access: MemoryAccess) -> None:
        memory, at = access.memory, self.at
        held, there = access.registers.dtype.name, memory.dtype.name
        for y in ys_of(access.registers):
            key = (access.registers.name, y)
            times = "".join(f"_{k}" for k in at.values() if k.op == "const")
            if access.loads:
                name = f"want_{self.here}{times}_{'_'.join(map(str, y))}"
                unknown = symbol(name, min=0, max=(1 << 8 * memory.dtype.bytes) - 1)
                element = self._element(access, y, unknown)
                value = self.functions.convert(there, held, unknown)
                fill = NEUTRAL_BITS[access.fill if isinstance(access, Load) else "sum"][held]
                self.held[key] = select(element.guard, value, const(fill))
            else:
                value = self.functions.convert(held, there, self.value(access.registers, y))
                element = self._element(access, y, value)
            self.elements.append(element)

    def _element(self, access: MemoryAccess, y: tuple[int, ...], value: Expr) -> ExpectedElement:
        variables, at = access.registers.distribution.y_index, self.at
        here = {**at, **dict(zip(variables, map(as_expr, y), strict=True))}
        start = {**here, **{variables[y]: ZERO for y in access.vector_ys}}
        guard, size = TRUE, int(access.memory.dtype.bytes)
        if isinstance(access, GlobalAccess):
            x = coordinates(self.program, access)
            place = tuple(simplify(substitute(c, here)) for c in x)
            first = tuple(simplify(substitute(c, start)) for c in x)
            offset, buffer = access.tensor.descriptor.offset(place) * size, access.tensor.name
            guard = _guard(access, first) if access.guarded else TRUE
            if isinstance(access, Store):
                guard = all_of(guard, first_copy(self.program, access.registers))
        else:
            assert isinstance(access, SharedAccess)
            inner = self.program.coordinates(access, variables)
            place = tuple(simplify(substitute(c, here)) for c in inner)
            words = access.descriptor.offset(place) + substitute(access.slot, here) * access.shared.elements
            offset, buffer = words * size, access.shared.name
        passes = "".join(f" for {loop} = {k}" for loop, k in at.items() if k.op == "const")
        way = "load" if access.loads else "store"
        return ExpectedElement(
            what=f"statement {self.here}{passes}, {way} of {access.registers.name}{list(y)}",
            store=not access.loads,
            buffer=buffer,
            offset=simplify(offset),
            guard=guard,
            barriers=simplify(self.barriers),
            value=value,
            size=size,
            width=size * access.width,
            loops=self.around,
        )


def _fragment(registers: Registers, first: tuple[int, int]) -> list[tuple[int, ...]]:
    """The indices of a fragment's elements, in order."""
    return [y for y in ys_of(registers) if y[:2] == first]


def _word(values: Sequence[Expr], bits: int) -> Expr:
    """The word that holds elements, low bits first; of choices of one condition the choice of words."""
    first = values[0]
    if all(v.op == "select" and v.args[0] is first.args[0] for v in values):
        return select(first.args[0], *(_word([v.args[way] for v in values], bits) for way in (1, 2)))
    return sum((v * (1 << bits * j) for j, v in enumerate(values)), start=ZERO)


def numbered(loop: Expr, count: Expr, requires: Expr) -> Expr:
    """The number of a loop's iteration, with the limit that the program's requirements set to how often it runs.

    >>> from layoutalg.index import var
    >>> m, n = symbol("M"), symbol("N")
    >>> numbered(var("k", (m * n + 15) // 16), (m * n + 15) // 16, m * n <= 1000).hi
    62
    """
    limits = {e: symbol("limited", min=0, max=most) for e, most in upper_limits(requires).items()}
    most = min(count.hi, substitute(count, limits).hi)
    return symbol(loop.value.name, min=0, max=None if most == math.inf else int(most) - 1)


def _at_head(loop: Expr, place: TileElement, before: Expr) -> Expr:
    """The unknown for a register at the head of a loop."""
    name, y = place
    most = HALF if before.hi < HALF and before.op != "const" else WORD
    return symbol(f"head_{loop}_{name}_{'_'.join(map(str, y))}", min=0, max=most - 1)


def _guard(access: GlobalAccess, x: tuple[Expr, ...]) -> Expr:
    """Inside the tensor, and not padding."""
    inside = (simplify(i < n) for i, n in zip(x, access.tensor.descriptor.lengths, strict=True))
    return all_of(*inside, simplify(access.tensor.descriptor.valid(x)))
