"""What tiles hold: the values of the source, followed through registers and LDS to the target.

Each tile holds, at tile coordinate x, something that is known by name: an element of a tensor at origin + x, a sum of
products over what loops have run through so far, or a function of such.  A loop's body is read twice: first to see what
each tile holds at its end, which, one iteration earlier, is what it holds at the next one's beginning (checked for the
first iteration against what was there before the loop); then for its obligations.

An element type that does not hold every value of a tensor's rounds; a value is rounded once, to the target's type, or
not at all.  What is summed, and what functions take, is not rounded, and they compute in f32.

A sum is complete when its origins in k and the tile's k together run through the contracted index, each value once:
(loop indices, k of the tile) ↦ k is one to one, and reaches every k; beyond the tensor's end both factors are 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from layoutalg.index import TRUE, Expr, all_of, as_expr, eq, substitute, var
from layoutalg.kernel.obligations import arrivals
from layoutalg.kernel.obligations.asynchronous import Flight
from layoutalg.kernel.obligations.base import Requirement, inside, same
from layoutalg.kernel.obligations.folds import in_parts
from layoutalg.kernel.obligations.held import (
    F32,
    Computed,
    Element,
    Held,
    MissingValueError,
    State,
    Term,
    Tile,
    Total,
    Value,
    held_at,
    known,
    lifted,
    moved_to,
    same_value,
    text_of,
    with_terms,
)
from layoutalg.kernel.obligations.joined import joined
from layoutalg.kernel.obligations.touched import first_uses, touched_in
from layoutalg.kernel.program import (
    AsyncCopy,
    Await,
    Clear,
    Commit,
    Compute,
    Contract,
    Elementwise,
    Fold,
    Load,
    LoadShared,
    Loop,
    Meaning,
    Multiply,
    Program,
    Read,
    Reduce,
    Registers,
    Statement,
    Store,
    StoreShared,
    Tensor,
    extent_of,
)
from layoutalg.layout import LayoutError
from layoutalg.layout.mixed_radix import digits
from layoutalg.prove import Agree, ForAll, InjectiveMap, Shown


def values(program: Program) -> Iterator[Requirement]:
    """Follows the values through the program, and compares what is stored with what the program means."""
    numbers = {id(s): n for n, s in program.statements()}
    yield from _Follower(program, numbers).run(program.body, {})
    yield from _shapes(program, program.claimed)
    if not any(isinstance(s, Store) and s.tensor == program.target for _, s in program.statements()):
        raise MissingValueError(f"{program.name}: nothing is stored to {program.target.name}")


def _shapes(program: Program, meaning: Meaning) -> Iterator[Requirement]:
    """Tensors that are combined have the lengths that the combination needs."""
    target = program.target.descriptor.lengths
    match meaning:
        case Compute(_, operands):
            for operand in operands:
                yield from (
                    [_reaches(program, operand.tensor)] if isinstance(operand, Read) else _shapes(program, operand)
                )
            return
        case Read(tensor):
            pairs = [(tensor.descriptor.lengths, target)]
        case Contract(a, b):
            (ga, m, ka), (gb, n, kb), (g, rows, columns) = a.descriptor.lengths, b.descriptor.lengths, target
            pairs = [((ga, m, gb, n, ka), (g, rows, g, columns, kb))]
        case Reduce(tensor):
            pairs = [(tensor.descriptor.lengths[:-1], target)]
    for one, other in pairs:
        shown = (Shown("lengths", one), Shown("lengths", other))
        goal = same(one, other) if len(one) == len(other) else as_expr(0)
        yield Requirement("shapes agree", ForAll("source and target have one shape", goal, TRUE, shown))


def _reaches(program: Program, tensor: Tensor) -> Requirement:
    """A tensor that takes part in a function has an element at each of the target's coordinates (it may have more)."""
    one, other = tensor.descriptor.lengths, program.target.descriptor.lengths
    shown = (Shown("lengths", one), Shown("lengths", other))
    goal = all_of(*(n >= m for n, m in zip(one, other, strict=True))) if len(one) == len(other) else as_expr(0)
    about = f"{tensor.name} has every coordinate of {program.target.name}"
    return Requirement(about, ForAll("it is as long as the target", goal, TRUE, shown))


class _Follower:
    """One reading of a program."""

    def __init__(self, program: Program, numbers: Mapping[int, int]) -> None:
        self.program, self.numbers = program, numbers
        self.flight: Flight[arrivals.Copied] = Flight()

    def run(self, body: Sequence[Statement], state: State) -> Iterator[Requirement]:
        """The obligations of statements in order; the state becomes what holds after them."""
        for s in body:
            number = self.numbers[id(s)]
            match s:
                case Loop():
                    yield from self.loop(number, s, state)
                case Load():
                    state[s.registers] = Held(Element(s.tensor, s.origin, s.fill)).moved(s.registers.dtype)
                case StoreShared():
                    moved = known(state, s.registers, number).moved(s.shared.dtype)
                    state[s.shared] = replace(moved, written=s.descriptor, slot=s.slot)
                    yield from self.tile_lengths(number, s)
                case LoadShared():
                    yield from self.load_shared(number, s, state)
                case AsyncCopy(load, store):
                    self.flight.begin(arrivals.brought(load, store))
                    yield from self.tile_lengths(self.numbers[id(store)], store)
                case Commit():
                    self.flight.commit()
                case Await(groups, buffers):
                    state |= arrivals.landed(number, self.flight.land(groups), buffers)
                case Clear(registers, how):
                    state[registers] = Held(Total(how, ()))
                case Multiply(c, a, b):
                    yield from self.accumulate(number, c, (a, b), "sum", state)
                case Fold(c, a, how):
                    parts = c.distribution.lengths[-1] if in_parts(s) else None
                    yield from self.accumulate(number, c, (a,), how, state, parts)
                case Elementwise():
                    yield from self.elementwise(number, s, state)
                case Store():
                    held = known(state, s.registers, number)
                    yield from self.there(number, (s.registers,), state)
                    yield self.rounded_once(number, s, held)
                    yield from self.stored(number, s, held.value)
                case _:
                    pass

    def tile_lengths(self, number: int, s: StoreShared) -> Iterator[Requirement]:
        lengths = s.registers.distribution.lengths
        goal = same(lengths, s.descriptor.lengths) if len(lengths) == s.descriptor.rank else as_expr(0)
        about = f"{number}: the whole tile of {s.shared.name} is written"
        yield Requirement(about, ForAll("register tile and LDS tile have one shape", goal))

    def load_shared(self, number: int, s: LoadShared, state: State) -> Iterator[Requirement]:
        there = known(state, s.shared, number)
        assert there.written is not None
        assert there.slot is not None
        yield Requirement(f"{number}: what is read is what was written", Agree(s.descriptor, there.written))
        if s.slot is not there.slot:
            slots = ForAll("the slot is the one last written", eq(s.slot, there.slot), TRUE,
                           (Shown("read", (s.slot,)), Shown("written", (there.slot,))))  # fmt: skip
            yield Requirement(f"{number}: the slot that was written", slots)
        value = moved_to(there.value, s.origin) if s.origin else there.value
        state[s.registers] = replace(there, value=value).moved(s.registers.dtype)

    def accumulate(
        self, number: int, c: Registers, operands: tuple[Registers, ...], how: str, state: State,
        parts: Expr | None = None,
    ) -> Iterator[Requirement]:  # fmt: skip
        total = known(state, c, number).value
        factors = [known(state, operand, number).value for operand in operands]
        yield from self.exact(number, operands, state)
        if not isinstance(total, Total):
            raise MissingValueError(f"statement {number} adds to {c.name}, which was not cleared")
        kinds, length = {total.how, how}, operands[0].distribution.lengths[-1]
        match factors:
            case [Total(whole=True, parts=Expr()) as partial]:
                kinds.add(partial.how)
                yield self.all_parts(number, operands[0], partial)
                terms = partial.terms
            case [Element() as a]:
                kinds.add(a.fill)
                terms = (Term(a, None, length),)
            case [Element() as a, Element() as b]:
                kinds |= {a.fill, b.fill}
                terms = (Term(a, b, length),)
            case _:
                raise MissingValueError(f"statement {number} adds to {c.name} what is no tensor's, nor parts of a sum")
        what = f"{number}: {c.name} is cleared to, and padded by, what is neutral in a {how}"
        yield Requirement(what, ForAll(f"everything is for a {how}", as_expr(int(kinds == {how}))))
        state[c] = Held(with_terms(number, c, total, terms, parts))

    def all_parts(self, number: int, a: Registers, partial: Total) -> Requirement:
        """A fold of a sum's parts has them all."""
        assert partial.parts is not None
        length = a.distribution.lengths[-1]
        goal = ForAll("as many as there are", eq(length, partial.parts), TRUE, (Shown("parts", (partial.parts,)),))
        return Requirement(f"{number}: every part of the sums in {a.name}", goal)

    def elementwise(self, number: int, s: Elementwise, state: State) -> Iterator[Requirement]:
        operands = tuple(known(state, r, number).value for r in s.operands)
        yield from self.exact(number, s.operands, state)
        wide = all(r.dtype == F32 for r in (s.registers, *s.operands))
        yield Requirement(f"{number}: {s.function} is computed in f32", ForAll("all are f32", as_expr(int(wide))))
        alike = all(r.distribution == s.registers.distribution for r in s.operands)
        about = f"{number}: {s.function} takes elements that one register has"
        yield Requirement(about, ForAll("one distribution", as_expr(int(alike))))
        state[s.registers] = Held(Computed(s.function, operands))

    def exact(self, number: int, parts: Sequence[Registers], state: State) -> Iterator[Requirement]:
        """What is computed with is there, and has not been rounded."""
        lost = [f"{r.name} ({', '.join(t.name for t in state[r].rounded)})" for r in parts if state[r].rounded]
        label = f"rounded before: {', '.join(lost)}" if lost else "values are the tensors'"
        yield Requirement(f"{number}: takes values as they are", ForAll(label, as_expr(int(not lost))))
        yield from self.there(number, parts, state)

    def there(self, number: int, parts: Sequence[Registers], state: State) -> Iterator[Requirement]:
        """What was copied under a condition is used where that holds."""
        for r in parts:
            given = state[r].given
            if given is not TRUE:
                copied = ForAll("it was copied", given, self.program.requires, (Shown("where", (given,)),))
                yield Requirement(f"{number}: {r.name} was copied", copied)

    def rounded_once(self, number: int, s: Store, held: Held) -> Requirement:
        """What is stored was rounded to the target's type, or not at all before."""
        by = " and ".join(t.name for t in held.rounded)
        label = f"rounded to {by} on the way to {s.tensor.dtype.name}" if by else "not rounded before"
        once = as_expr(int(held.rounded in ((), (s.tensor.dtype,))))
        return Requirement(f"{number}: values are rounded once, to the target's type", ForAll(label, once))

    # --- loops --------------------------------------------------------------------------------------------------------

    def loop(self, number: int, s: Loop, state: State) -> Iterator[Requirement]:
        """By induction: what tiles hold at the beginning of an iteration is what they hold at the last one's end."""
        index, before = s.index, dict(state)
        head_flight = arrivals.at_head(s, self.flight)
        for shared, first, wanted in arrivals.beginnings(number, s, self.flight, head_flight):
            yield self.begins(number, shared, first, wanted)
        uses = first_uses(s.body)
        sums = {t: v.value for t, v in before.items() if uses.get(t) == "added to" and isinstance(v.value, Total)}
        filled, added = touched_in(s.body, 2), touched_in(s.body, 1)
        carried = [t for t, use in uses.items() if use == "read" and t in filled]
        for tile in uses:
            if uses[tile] == "read" and tile in added - filled:
                raise MissingValueError(
                    f"loop {number} reads {tile.name}, and then adds to it: no iteration has it whole"
                )
        start: State = {t: h for t, h in before.items() if t not in uses or uses[t] == "read"}
        start |= {t: Held(Total(total.how, (), whole=False)) for t, total in sums.items()}
        end = dict(start)
        self.flight = head_flight.copied()
        for _ in self.run(s.body, end):
            pass  # the first reading: only what it leaves in the tiles counts
        head = start | {t: held_at(end[t], index, index - 1) for t in carried}
        for tile in carried:
            yield self.begins(number, tile, held_at(end[tile], index, -1), known(before, tile, number))
        state.clear()
        state |= head
        self.flight = head_flight.copied()
        yield from self.run(s.body, state)
        for tile in carried:
            if state[tile] != end[tile]:
                raise MissingValueError(f"loop {number}: what {tile.name} holds after an iteration depends on the last")
        count = extent_of(index)
        self.flight = arrivals.after(s, self.flight)
        for tile in list(state):
            if tile in sums:
                parts, asked = joined(number, tile, state[tile].value)
                yield from asked
                state[tile] = Held(lifted(number, tile, sums[tile], parts, index))
            elif tile in uses:
                state[tile] = held_at(state[tile], index, count - 1)

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

    # --- what is stored -----------------------------------------------------------------------------------------------

    def stored(self, number: int, s: Store, value: Value) -> Iterator[Requirement]:
        program = self.program
        if s.tensor != program.target:
            raise LayoutError(f"statement {number} stores to {s.tensor.name}; the target is {program.target.name}")
        meaning = program.claimed
        if isinstance(meaning, Read) and isinstance(value, Element) and value.tensor == meaning.tensor:
            goal = all_of(
                *(all_of(eq(a, b), eq(b, c)) for a, b, c in zip(value.origin, s.origin, program.origin, strict=True))
            )
            shown = (Shown("block", program.grid), Shown("from", value.origin), Shown("to", s.origin))
            about = f"{number}: {program.target.name}[x] = {meaning.tensor.name}[x]"
            yield Requirement(about, ForAll("values keep their coordinates", goal, TRUE, shown))
            yield _zero_in_padding(number, value)
            return
        where = (Shown("block", program.grid), Shown("to", s.origin))
        at = ForAll("the tile goes to its place", same(s.origin, program.origin), TRUE, where)
        yield Requirement(f"{number}: stored where the block's tile is", at)
        yield from self.means(number, s.origin, value, meaning)

    def means(self, number: int, x: tuple[Expr, ...], value: Value, meaning: Meaning) -> Iterator[Requirement]:
        """The value of the tile at x is what is meant."""
        match value, meaning:
            case Element(tensor, origin), Read(wanted) if tensor == wanted:
                yield _zero_in_padding(number, value)
                shown = (Shown("from", origin), Shown("to", x))
                goal = ForAll("values keep their coordinates", same(origin, x), TRUE, shown)
                yield Requirement(f"{number}: {tensor.name} is read at the target's coordinates", goal)
            case Computed(function, values), Compute(wanted_function, meanings) if function == wanted_function and len(
                values
            ) == len(meanings):
                for one, other in zip(values, meanings, strict=True):
                    yield from self.means(number, x, one, other)
            case Total("sum", (Term(Element(ta), Element(tb)) as term,), True, None), Contract(a, b) if (
                ta, tb,
            ) == (a, b):  # fmt: skip
                assert term.b is not None
                rows = (*zip(term.a.origin[:2], x[:2], strict=True), *zip(term.b.origin[:2], (x[0], x[2]), strict=True))
                yield from self.complete(number, term, (*rows, (term.a.origin[2], term.b.origin[2])))
            case Total(how, (Term(Element(tensor), None) as term,), True, None), Reduce(wanted, wanted_how) if (
                tensor,
                how,
            ) == (wanted, wanted_how):
                yield from self.complete(number, term, tuple(zip(term.a.origin[:-1], x, strict=True)))
            case _:
                wrong = ForAll(f"{text_of(value)} is not {text_of(meaning)}", as_expr(0))
                yield Requirement(f"{number}: what is stored is what is meant", wrong)

    def complete(self, number: int, term: Term, pairs: tuple[tuple[Expr, Expr], ...]) -> Iterator[Requirement]:
        """A sum has its rows and columns, and takes each contracted index exactly once."""
        shown = (Shown("loops at", term.over), Shown("origins", tuple(a for a, _ in pairs)))
        rows = ForAll("origins agree", all_of(*(eq(a, b) for a, b in pairs)), self.program.requires, shown)
        yield Requirement(f"{number}: rows, columns and k belong together", rows)
        within = var("k_within_any", term.length)
        reached = term.a.origin[-1] + within
        over = (*term.over, within)
        about = f"{number}: no contracted index is summed twice"
        yield Requirement(about, InjectiveMap("k differ", over, (reached,), TRUE, (Shown("k", (reached,)),)))
        contracted = var("k_any", term.a.tensor.descriptor.lengths[-1])
        extents = [extent_of(v) for v in over]
        found = digits(contracted, extents)
        put: dict[Expr, Expr | int] = dict(zip(over, found, strict=True))
        goal = all_of(inside(found, extents), eq(substitute(reached, put), contracted))
        shown = (Shown("k", (contracted,)), Shown("loops at", found))
        about = f"{number}: every contracted index is summed"
        yield Requirement(about, ForAll("an iteration takes it", goal, self.program.requires, shown))


def _zero_in_padding(number: int, value: Element) -> Requirement:
    """A value that is passed on is 0 where there is none."""
    zero = as_expr(int(value.fill == "sum"))
    return Requirement(
        f"{number}: {value.tensor.name} is 0 in padding", ForAll("0 is put where there is no data", zero)
    )
