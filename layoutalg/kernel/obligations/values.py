"""What tiles hold: the values of the source, followed through registers and LDS to the target.

Each tile holds, at tile coordinate x, something that is known by name: an element of a tensor at origin + x, a sum of
products over what loops have run through so far, or a function of such.  A loop's body is read twice: first to see what
each tile holds at its end, which, one iteration earlier, is what it holds at the next one's beginning (checked for the
first iteration against what was there before the loop); then for its obligations.

An element type that does not hold every value of a tensor's rounds; a value is rounded once, to the target's type, or
not at all.  What is summed, and what functions take, is not rounded, and they compute in f32.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from layoutalg.index import FALSE, TRUE, Expr, all_equal, all_of, as_expr, eq, extent_of
from layoutalg.kernel.obligations import arrivals, softmax
from layoutalg.kernel.obligations.asynchronous import Flight
from layoutalg.kernel.obligations.base import Requirement
from layoutalg.kernel.obligations.folds import in_parts
from layoutalg.kernel.obligations.held import (
    F32,
    Computed,
    Element,
    Held,
    MissingValueError,
    Powers,
    Scaled,
    Shift,
    State,
    Term,
    Total,
    held_at,
    lifted,
    moved_to,
    same_value,
    with_terms,
)
from layoutalg.kernel.obligations.joined import joined
from layoutalg.kernel.obligations.meaning import shapes, stored
from layoutalg.kernel.obligations.touched import first_uses, touched_in
from layoutalg.kernel.program import (
    AsyncCopy,
    Attend,
    Await,
    Barrier,
    Clear,
    Commit,
    Divide,
    Elementwise,
    Exchange,
    Exponentiate,
    Fold,
    Load,
    LoadShared,
    Loop,
    MaskScores,
    Move,
    Multiply,
    MultiplyShared,
    Program,
    Reading,
    Registers,
    Rescale,
    Statement,
    Store,
    StoreShared,
    Tile,
)
from layoutalg.layout import LayoutError
from layoutalg.prove import Agree, ForAll, Shown
from layoutalg.target.operand import BlockScales


def values(program: Program) -> Iterator[Requirement]:
    """Follows the values through the program, and compares what is stored with what the program means."""
    followed = _Values(program)
    yield from followed.run(program.body)
    if followed.flight.under_way:
        raise LayoutError(f"{program.name}: copies may be under way at the end; await all")
    yield from shapes(program, program.claimed)
    if not any(isinstance(s, Store) and s.tensor == program.target for _, s in program.statements()):
        raise MissingValueError(f"{program.name}: nothing is stored to {program.target.name}")


class _Values(Reading[Iterator[Requirement]]):
    """One reading of a program: the obligations of statements in order; `state` is what holds after them."""

    def __init__(self, program: Program) -> None:
        self.program, self.numbers = program, {id(s): n for n, s in program.statements()}
        self.flight: Flight[arrivals.Copied] = Flight()
        self.state: State = {}
        self.number = 0

    def run(self, body: Sequence[Statement]) -> Iterator[Requirement]:
        """The obligations of a body."""
        for s in body:
            self.number = self.numbers[id(s)]
            yield from self.read(s)

    def known(self, tile: Tile) -> Held:
        """What a tile holds; MissingValueError where nothing has filled it."""
        if tile not in self.state:
            raise MissingValueError(f"statement {self.number} reads {tile.name}, which nothing has filled before")
        return self.state[tile]

    def read_barrier(self, s: Barrier) -> Iterator[Requirement]:
        return iter(())

    # --- moves --------------------------------------------------------------------------------------------------------

    def read_load(self, s: Load) -> Iterator[Requirement]:
        self.state[s.registers] = Held(Element(s.tensor, s.origin, s.fill)).moved(s.registers.dtype)
        return iter(())

    def read_store_shared(self, s: StoreShared) -> Iterator[Requirement]:
        moved = self.known(s.registers).moved(s.shared.dtype)
        self.state[s.shared] = replace(moved, written=s.descriptor, slot=s.slot)
        return self.tile_lengths(self.number, s)

    def read_load_shared(self, s: LoadShared) -> Iterator[Requirement]:
        there = self.known(s.shared)
        assert there.written is not None
        assert there.slot is not None
        yield Requirement(f"{self.number}: what is read is what was written", Agree(s.descriptor, there.written))
        if s.slot is not there.slot:
            slots = ForAll("the slot is the one last written", eq(s.slot, there.slot), TRUE,
                           (Shown("read", (s.slot,)), Shown("written", (there.slot,))))  # fmt: skip
            yield Requirement(f"{self.number}: the slot that was written", slots)
        value = moved_to(there.value, s.origin) if s.origin else there.value
        self.state[s.registers] = replace(there, value=value).moved(s.registers.dtype)

    def read_store(self, s: Store) -> Iterator[Requirement]:
        held = self.known(s.registers)
        yield from self.used_where_copied((s.registers,))
        yield self.rounded_once(s, held)
        yield from stored(self.program, self.number, s, held.value)

    def read_async_copy(self, s: AsyncCopy) -> Iterator[Requirement]:
        self.flight.begin(arrivals.brought(s))
        return self.tile_lengths(self.numbers[id(s.store)], s.store)

    def read_commit(self, s: Commit) -> Iterator[Requirement]:
        self.flight.commit()
        return iter(())

    def read_await(self, s: Await) -> Iterator[Requirement]:
        self.state |= arrivals.landed(self.number, self.flight.land(s.groups), s.buffers)
        return iter(())

    def tile_lengths(self, number: int, s: StoreShared) -> Iterator[Requirement]:
        lengths = s.registers.distribution.lengths
        goal = all_equal(lengths, s.descriptor.lengths) if len(lengths) == s.descriptor.rank else FALSE
        about = f"{number}: the whole tile of {s.shared.name} is written"
        yield Requirement(about, ForAll("register tile and LDS tile have one shape", goal))

    # --- arithmetic ---------------------------------------------------------------------------------------------------

    def read_clear(self, s: Clear) -> Iterator[Requirement]:
        self.state[s.registers] = Held(Total(s.how, ()))
        return iter(())

    def read_multiply(self, s: Multiply) -> Iterator[Requirement]:
        return self.accumulate(s.c, (s.a, s.b), "sum", scales=s.scales, block=s.instruction.scales)

    def read_multiply_shared(self, s: MultiplyShared) -> Iterator[Requirement]:
        """As its parts; the registers of its loads hold nothing afterwards."""
        yield from self.run(s.parts)
        for operand, *_ in s.sides:
            self.state.pop(operand.registers, None)

    def read_fold(self, s: Fold) -> Iterator[Requirement]:
        return self.accumulate(s.c, (s.a,), s.how, s.c.distribution.lengths[-1] if in_parts(s) else None)

    def accumulate(
        self, c: Registers, operands: tuple[Registers, ...], how: str, parts: Expr | None = None,
        scales: tuple[Registers, ...] = (), block: BlockScales | None = None,
    ) -> Iterator[Requirement]:  # fmt: skip
        number, total = self.number, self.known(c).value
        factors = [self.known(operand).value for operand in operands]
        by = [self.known(scale).value for scale in scales]
        meant = [r for r in operands if len(operands) > 1 and self.rounded_as_meant(r)]
        yield from self.exact([r for r in (*operands, *scales) if r not in meant])
        yield from self.used_where_copied(meant)
        if not isinstance(total, Total):
            raise MissingValueError(f"statement {number} adds to {c.name}, which was not cleared")
        kinds, length = {total.how, how}, operands[0].distribution.lengths[-1]
        shift: Shift | None = None
        terms: tuple[Term, ...]
        match [*factors, *by]:
            case [Element() as a, Element() as b, Element() as s, Element() as t] if block is not None:
                kinds |= {a.fill, b.fill, s.fill, t.fill}
                terms = (Term(Scaled(a, s, block.block), Scaled(b, t, block.block), length),)
            case [Total(whole=True, parts=Expr()) as partial]:
                kinds.add(partial.how)
                yield self.all_parts(operands[0], partial)
                terms, shift = partial.terms, partial.shift
            case [Element() as a]:
                kinds.add(a.fill)
                terms = (Term(a, None, length),)
            case [Element() as a, Element() as b]:
                kinds |= {a.fill, b.fill}
                terms = (Term(a, b, length),)
            case [Powers(weight, shift)]:
                kinds.add("sum")
                terms = (Term(weight, None, length),)
            case [Powers(weight, shift), Element() as b]:
                kinds |= {"sum", b.fill}
                terms = (Term(weight, b, length),)
            case [Element() as a, Powers(weight, shift)]:
                kinds |= {"sum", a.fill}
                terms, shift = (Term(a, weight, length),), softmax.beside(shift, 0, 2)
            case [value] if how == "max" and not isinstance(value, Computed):
                terms = (Term(softmax.scores_in(number, operands[0], value), None, length),)
            case _:
                raise MissingValueError(f"statement {number} adds to {c.name} what is no tensor's, nor parts of a sum")
        what = f"{number}: {c.name} is cleared to, and padded by, what is neutral in a {how}"
        yield Requirement(what, ForAll(f"everything is for a {how}", as_expr(int(kinds == {how}))))
        self.state[c] = Held(with_terms(number, c, softmax.relative(number, c, total, shift), terms, parts))

    def rounded_as_meant(self, r: Registers) -> bool:
        """Whether a tile's powers are rounded to the type that the meaning rounds them to."""
        held, meaning = self.state[r], self.program.claimed
        return (
            isinstance(held.value, Powers) and isinstance(meaning, Attend) and held.rounded in ((), (meaning.rounded,))
        )

    def read_exchange(self, s: Exchange) -> Iterator[Requirement]:
        self.state[s.registers] = self.known(s.source).moved(s.registers.dtype)
        return iter(())

    # --- rows: `softmax` ----------------------------------------------------------------------------------------------

    def read_move(self, s: Move) -> Iterator[Requirement]:
        held = self.known(s.source)
        self.state[s.registers] = replace(held, value=softmax.moved(self.number, s, held.value)).moved(
            s.registers.dtype
        )
        return iter(())

    def read_mask_scores(self, s: MaskScores) -> Iterator[Requirement]:
        value = softmax.masked(self.number, s, self.known(s.registers).value)
        yield from self.exact((s.registers,))
        self.state[s.registers] = Held(value)

    def read_rescale(self, s: Rescale) -> Iterator[Requirement]:
        found = softmax.raised(self.number, s, self.state)
        yield from self.exact(s.tiles)
        self.state |= found

    def read_exponentiate(self, s: Exponentiate) -> Iterator[Requirement]:
        value, asked = softmax.powers(self.number, s, self.state)
        yield asked
        yield from self.exact((s.scores, s.shift))
        self.state[s.registers] = Held(value)

    def read_divide(self, s: Divide) -> Iterator[Requirement]:
        value = softmax.divided(self.number, s, self.state)
        yield from self.exact((s.registers, s.by))
        self.state[s.registers] = Held(value)

    # ------------------------------------------------------------------------------------------------------------------

    def all_parts(self, a: Registers, partial: Total) -> Requirement:
        """A fold of a sum's parts has them all."""
        assert partial.parts is not None
        length = a.distribution.lengths[-1]
        goal = ForAll("as many as there are", eq(length, partial.parts), TRUE, (Shown("parts", (partial.parts,)),))
        return Requirement(f"{self.number}: every part of the sums in {a.name}", goal)

    def read_elementwise(self, s: Elementwise) -> Iterator[Requirement]:
        number, operands = self.number, tuple(self.known(r).value for r in s.operands)
        yield from self.exact(s.operands)
        wide = all(r.dtype == F32 for r in (s.registers, *s.operands))
        yield Requirement(f"{number}: {s.function} is computed in f32", ForAll("all are f32", as_expr(int(wide))))
        alike = all(r.distribution == s.registers.distribution for r in s.operands)
        about = f"{number}: {s.function} takes elements that one register has"
        yield Requirement(about, ForAll("one distribution", as_expr(int(alike))))
        self.state[s.registers] = Held(Computed(s.function, operands))

    def exact(self, parts: Sequence[Registers]) -> Iterator[Requirement]:
        """What is computed with is there, and has not been rounded."""
        held = [(r, self.state[r].rounded) for r in parts]
        lost = [f"{r.name} ({', '.join(t.name for t in rounded)})" for r, rounded in held if rounded]
        label = f"rounded before: {', '.join(lost)}" if lost else "values are the tensors'"
        yield Requirement(f"{self.number}: takes values as they are", ForAll(label, as_expr(int(not lost))))
        yield from self.used_where_copied(parts)

    def used_where_copied(self, parts: Sequence[Registers]) -> Iterator[Requirement]:
        """What was copied under a condition is used where that holds."""
        for r in parts:
            given = self.state[r].given
            if given is not TRUE:
                copied = ForAll("it was copied", given, self.program.requires, (Shown("where", (given,)),))
                yield Requirement(f"{self.number}: {r.name} was copied", copied)

    def rounded_once(self, s: Store, held: Held) -> Requirement:
        """What is stored was rounded to the target's type, or not at all before."""
        by = " and ".join(t.name for t in held.rounded)
        label = f"rounded to {by} on the way to {s.tensor.dtype.name}" if by else "not rounded before"
        once = as_expr(int(held.rounded in ((), (s.tensor.dtype,))))
        return Requirement(f"{self.number}: values are rounded once, to the target's type", ForAll(label, once))

    # --- loops --------------------------------------------------------------------------------------------------------

    def read_loop(self, s: Loop) -> Iterator[Requirement]:
        """By induction: what tiles hold at the beginning of an iteration is what they hold at the last one's end."""
        number, index, before = self.number, s.index, self.state
        head_flight = arrivals.at_head(s, self.flight)
        for shared, first, wanted in arrivals.beginnings(number, s, self.flight, head_flight):
            yield self.begins(number, shared, first, wanted)
        uses = first_uses(s.body)
        sums = {t: v.value for t, v in before.items() if uses.get(t) == "adds_to" and isinstance(v.value, Total)}
        filled, added = touched_in(s.body, "fills"), touched_in(s.body, "adds_to")
        carried = [t for t, use in uses.items() if use == "reads" and t in filled]
        for tile in uses:
            if uses[tile] == "reads" and tile in added - filled:
                raise MissingValueError(
                    f"loop {number} reads {tile.name}, and then adds to it: no iteration has it whole"
                )
        start: State = {t: h for t, h in before.items() if t not in uses or uses[t] == "reads"}
        rescaled = softmax.rescaled_in(number, s)
        heads = softmax.at_head(number, index, rescaled, sums)
        start |= {t: Held(total.at_head(index, heads.get(t, total.shift))) for t, total in sums.items()}
        self.state, self.flight = dict(start), head_flight.copied()
        for _ in self.run(s.body):
            pass  # the first reading: only what it leaves in the tiles counts
        self.number, end = number, self.state
        for tile in carried:
            if tile not in before or tile not in end:
                raise MissingValueError(f"statement {number} reads {tile.name}, which nothing has filled before")
            softmax.refuse_carried(number, tile, end[tile].value)
            yield self.begins(number, tile, held_at(end[tile], index, -1), before[tile])
        self.state = start | {t: held_at(end[t], index, index - 1) for t in carried}
        self.flight = head_flight.copied()
        yield from self.run(s.body)
        for tile in carried:
            if self.state[tile] != end[tile]:
                raise MissingValueError(f"loop {number}: what {tile.name} holds after an iteration depends on the last")
        softmax.at_end(number, rescaled, self.state)
        count = extent_of(index)
        self.flight = arrivals.after(s, self.flight)
        for tile in list(self.state):
            if tile in sums:
                parts, asked = joined(number, tile, self.state[tile].value)
                yield from asked
                self.state[tile] = Held(lifted(number, tile, sums[tile], parts, index))
            elif tile in uses:
                self.state[tile] = held_at(self.state[tile], index, count - 1)
        self.state |= softmax.after(rescaled, self.state)

    def begins(self, number: int, tile: Tile, first: Held, before: Held) -> Requirement:
        """A tile that one iteration fills for the next is filled for the first one before the loop."""
        goal = same_value(first.value, before.value)
        if first.slot is not None and before.slot is not None:
            goal = all_of(goal, eq(first.slot, before.slot), as_expr(int(first.written == before.written)))
        goal = all_of(goal, as_expr(int(first.rounded == before.rounded)))
        if first.given is not before.given:
            goal = all_of(goal, eq(first.given, before.given))
        return Requirement(
            f"{number}: {tile.name} is filled before the loop", ForAll("the first iteration finds its tile", goal)
        )
