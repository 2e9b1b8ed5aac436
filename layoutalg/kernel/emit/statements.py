"""The text of a program's statements: loops over registers around one access or operation each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import indent

from layoutalg.index import TRUE, Expr, conjuncts, extent_of, prod, variables
from layoutalg.index.c import c_code
from layoutalg.index.normal import holds
from layoutalg.kernel.access.address import Address, address_of, summands
from layoutalg.kernel.access.matrix_loads import MATRIX_LOADS
from layoutalg.kernel.access.matrix_operands import first_word, leading_of
from layoutalg.kernel.access.places import bounds, first_copy, starts, tile_start, word_of
from layoutalg.kernel.emit.conversions import as_float, converted, neutral
from layoutalg.kernel.emit.exchange import exchanged
from layoutalg.kernel.emit.instructions import matrix_load_name
from layoutalg.kernel.emit.registers import UNROLL, each_register, guarded, one_register, set_each
from layoutalg.kernel.emit.rows import taking
from layoutalg.kernel.emit.straight import BEHIND_COPIES, MOST_LEFT, StraightWriter, certain_loads, shared_coordinates
from layoutalg.kernel.obligations.asynchronous import copies_in
from layoutalg.kernel.program import (
    FUNCTIONS,
    AsyncCopy,
    Await,
    Barrier,
    Clear,
    Commit,
    Elementwise,
    Exchange,
    Fold,
    GlobalAccess,
    Load,
    LoadShared,
    Loop,
    MemoryAccess,
    Multiply,
    MultiplyShared,
    Registers,
    SharedAccess,
    Statement,
    Store,
    StraightCopy,
    walk,
)
from layoutalg.kernel.program.names import operation_name, vector_type
from layoutalg.target.dtypes import DType


class Writer(StraightWriter):
    """Writes the statements of one program."""

    def before(self) -> Iterator[str]:
        """What comes before the program's statements."""
        return iter(())

    def whole(self) -> Iterator[str]:
        """The program's statements."""
        return self.body(self.program.body)

    def read_commit(self, s: Commit) -> str:
        self.flight.commit()
        return "commit_copies();"

    def read_await(self, s: Await) -> str:
        """What may stay under way: groups; where loads go straight to LDS, the loads that these are made of."""
        self.flight.land(s.groups)
        straight = any(self.program.of(StraightCopy))
        left = min(sum(self.flight.under_way), MOST_LEFT) if straight else s.groups
        return f"await_copies<{left}>();"

    def body(self, statements: Sequence[Statement]) -> Iterator[str]:
        """The texts of statements; products of tiles in LDS are awaited before what may not meet them."""
        running: dict[Registers, tuple[Registers, ...]] = {}
        for s in filter(self.is_written, statements):
            if isinstance(s, Barrier | Loop) or any(r in s.tiles for c, held in running.items() for r in (c, *held)):
                yield from _awaited(running)
            yield self.read(s)
            if isinstance(s, MultiplyShared):
                running[s.product.c] = (s.a,) if isinstance(s.a, Registers) else ()
        yield from _awaited(running)

    def is_written(self, s: Statement) -> bool:
        """Whether a statement has text: groups without copies are nothing."""
        return not isinstance(s, Commit | Await) or any(self.program.of(AsyncCopy))

    def read_barrier(self, s: Barrier) -> str:
        """All meet; where loads straight to LDS may stay under way, by a barrier that does not wait for them."""
        self.reading = False
        publish = "publish_lds();\n" if any(self.program.of(MultiplyShared)) else ""
        under_way = any(self.program.of(StraightCopy)) and self.flight.under_way
        return f"{publish}{'meet_under_way' if under_way else '__syncthreads'}();"

    def read_loop(self, s: Loop) -> str:
        outside = self.flight
        self.reading |= any(isinstance(p, LoadShared) for p in walk(s.body))
        if copies_in(s):
            self.flight = outside.at_head(s, certain_loads, lambda loads, _: loads)
            outside = self.flight.copied()  # as many groups, of as many loads, after each iteration
        inner = "\n".join(self.body(s.body))
        self.flight = outside
        return self.looped(s, inner)

    def looped(self, s: Loop, body: str) -> str:
        """The text for each value of a loop's index."""
        name, count = s.index.value.name, self.text(extent_of(s.index))
        pragma = UNROLL if s.unroll else ""
        return f"{pragma}for ({self.index} {name} = 0; {name} < {count}; ++{name}) {{\n{indent(body, '    ')}\n}}"

    # --- memory -------------------------------------------------------------------------------------------------------

    def read_global_access(self, s: GlobalAccess) -> str:
        """Coordinates, digits, guard, access; indices below padding, which may not fit elsewhere, within the guard."""
        x = starts(self.program, s)
        address = address_of(s.tensor)
        lines = [str(c_code(dict(zip(s.tensor.names, x, strict=True)), bits=self.bits, proved=True))]
        lines += self.named(address.digits)
        padded = self.named(address.padded)
        move = _move(s, s.tensor.name, s.tensor.dtype, self.text(address.offset))
        if isinstance(s, Load) and s.ranged and any(test is not TRUE for test in bounds(s, x)):
            return self.ranged(s, x, address)
        first = first_copy(self.program, s.registers) if isinstance(s, Store) else TRUE
        stored_by = [] if first is TRUE else [self.text(first)]
        inside = [*stored_by, *self.guards(s, x, address).values()]
        there = [self.text(p) for p in conjuncts(address.valid) if p is not TRUE]
        if padded and inside:
            move = guarded(inside, "\n".join([*padded, guarded(there, move)]))
        else:
            lines += padded
            move = guarded(inside + there, move)
        if isinstance(s, Load) and inside + there:
            move = _clear(s) + move
        title = f"// {s.registers.name} {'<-' if s.loads else '->'} {s.tensor.name}"
        outside = self.guard_ys(s, x) if isinstance(s.guarded, tuple) else ()
        return f"{title}\n{each_register(s.registers, chr(10).join([*lines, move]), s.together, outside)}"

    def ranged(self, s: Load, x: tuple[Expr, ...], address: Address) -> str:
        """A load that is in range where its guard holds; its address is a number, that may be wrong elsewhere.

        What a loop moves is added to what stays, each with its own guard, where the address is such a sum, and each
        coordinate is in range by its own guard.
        """
        kind, (each, lane) = vector_type(s.tensor.dtype.c, s.width), _lanes(s)
        guards, at = self.guards(s, x, address), list[str]()
        loops = {loop.index for loop in self.program.of(Loop)}
        named = list(zip(address.coordinates, x, s.tensor.descriptor.lengths, strict=True))
        apart = all(holds(e >= 0) and (c in guards or holds(e < n)) for c, e, n in named)
        moving = {c for c, e, _ in named if apart and not loops.isdisjoint(variables(e))}
        for part, own in summands(address, moving):
            inside = " & ".join(f"({test})" for c, test in guards.items() if c in own) or "true"
            at.append(f"(unsigned){self.wrapped(part)} * {s.tensor.dtype.bytes}, {inside}")
        lines = [
            str(c_code(dict(zip(s.tensor.names, x, strict=True)), bits=self.bits, proved=True)),
            f"const {kind} v = load_inside<{kind}>({s.tensor.name}, {', '.join(at)});",
            f"{each}{one_register(s.registers)} = v[{lane}];",
        ]
        title = f"// {s.registers.name} <- {s.tensor.name}, in range"
        return f"{title}\n{each_register(s.registers, chr(10).join(lines), s.together)}"

    def guard_ys(self, s: GlobalAccess, x: tuple[Expr, ...]) -> tuple[int, ...]:
        """The Ys that a guard depends on: in loops outside the others, one test is for all that they hold."""
        tested = set(variables(*bounds(s, x)))
        return tuple(n for n, y in enumerate(s.registers.distribution.y_index) if y in tested)

    def read_async_copy(self, s: AsyncCopy) -> str:
        """Begins the copies of a tile from memory to LDS; 0 where the load's guard lets nothing through.

        Coordinates outside are taken for 0, so that whatever is computed of them fits.
        """
        self.flight.begin(certain_loads(s))
        load, store = s.load, s.store
        address, names = address_of(load.tensor), shared_coordinates(self.program, store)
        within = dict(zip((n.value.name for n in names), tile_start(self.program, store), strict=True))
        place = [str(c_code(within, bits=self.bits, proved=True)), f"place = {self.text(word_of(store, names))};"]
        x, tests = starts(self.program, load), bounds(load, starts(self.program, load))
        tested = {name for name, test in zip(load.tensor.names, tests, strict=True) if test is not TRUE}
        called = {name: f"{name}_start" if name in tested else name for name in load.tensor.names}
        lines = [str(c_code(dict(zip(called.values(), x, strict=True)), bits=self.bits, proved=True))]
        inside = []
        for name, length in zip(load.tensor.names, load.tensor.descriptor.lengths, strict=True):
            if name in tested:
                lines.append(f"const bool {name}_inside = {name}_start < {self.text(length)};")
                lines.append(f"const {self.index} {name} = {name}_inside ? {name}_start : 0;")
                inside.append(f"{name}_inside")
        lines += self.named({**address.digits, **address.padded})
        data = [f"(unsigned){i.value.name} < (unsigned){self.text(extent_of(i))}" for i in address.padded]
        if data:
            lines.append(f"const bool data_inside = {' & '.join(f'({test})' for test in data)};")
            inside.append("data_inside")
        there, offset = f"&{store.shared.name}[place]", self.text(address.offset)
        test = f", {' & '.join(inside)}" if inside else ""
        if data:  # the address is a number, so that it may be nowhere where nothing is read
            lines.append(f"const {self.index} data_at = {self.wrapped(address.offset)};")
            at = f"(__UINTPTR_TYPE__){load.tensor.name} + (long long)data_at * {load.tensor.dtype.bytes}"
            begin = f"copy_inside_to_lds({there}, {at}{test});"
        else:
            begin = f"copy_to_lds({there}, {load.tensor.name} + ({offset}){test});"
        text = [f"{self.index} place;", "{", *(indent(p, "    ") for p in place), "}", *lines, begin]
        title = f"// {store.shared.name} <- {load.tensor.name}, without waiting"
        copies = f"{title}\n{each_register(load.registers, chr(10).join(text), load.together)}"
        return copies if load.only is TRUE else guarded([self.text(load.only)], copies)

    def guards(self, s: GlobalAccess, x: tuple[Expr, ...], address: Address) -> dict[Expr, str]:
        """Which coordinates must be tested, and how, in the names that they were given."""
        tested = zip(bounds(s, x), address.coordinates, s.tensor.descriptor.lengths, strict=True)
        return {c: f"{c.value.name} < {self.text(n)}" for needed, c, n in tested if needed is not TRUE}

    def read_shared_access(self, s: SharedAccess) -> str:
        """An access to LDS; words are 32-bit numbers."""
        x = tile_start(self.program, s)
        names = shared_coordinates(self.program, s)
        results = dict(zip((n.value.name for n in names), x, strict=True))
        inner = c_code(results, bits=self.bits, proved=True)
        code = c_code({"word": word_of(s, names)}, bits=self.bits, proved=True, temporary="tw")
        title = f"// {s.registers.name} {'<-' if s.loads else '->'} {s.shared.name}"
        if isinstance(s, LoadShared):
            self.reading = True
            title = BEHIND_COPIES + title if self.flight.begun and any(self.program.of(StraightCopy)) else title
        move = _move(s, s.shared.name, s.shared.dtype, "word")
        if isinstance(s, LoadShared) and s.by:
            each, lane = _lanes(s)
            read = f"{matrix_load_name(MATRIX_LOADS[s.by])}({s.shared.name} + word)"
            kind = vector_type(s.shared.dtype.c, s.width)
            move = f"const {kind} v = {read};\n{each}{one_register(s.registers)} = v[{lane}];"
        return f"{title}\n{each_register(s.registers, chr(10).join([str(inner), str(code), move]), s.together)}"

    # --- arithmetic ---------------------------------------------------------------------------------------------------

    def read_clear(self, s: Clear) -> str:
        title = f"// {s.registers.name} <- {'0' if s.how == 'sum' else 'the least'}"
        return f"{title}\n{set_each(s.registers, neutral(s.how, s.registers.dtype))}"

    def read_elementwise(self, s: Elementwise) -> str:
        title = f"// {s.registers.name} <- {s.function}({', '.join(o.name for o in s.operands)})"
        value = FUNCTIONS[s.function].text.format(*map(one_register, s.operands))
        return f"{title}\n{set_each(s.registers, value)}"

    def read_exchange(self, s: Exchange) -> str:
        return exchanged(s)

    def read_multiply(self, s: Multiply) -> str:
        """Products of all fragments: lane by lane, or by the matrix instruction."""
        (m, n), k = s.c.distribution.ys[:2], s.a.distribution.ys[1]
        c, a, b = f"{s.c.name}[m][n]", f"{s.a.name}[m][k]", f"{s.b.name}[n][k]"
        if s.instruction.wave == 1:
            ones = ["[0]" * (len(r.distribution.ys) - 2) for r in (s.c, s.a, s.b)]
            one, other = as_float(a + ones[1], s.a.dtype), as_float(b + ones[2], s.b.dtype)
            body = f"{c}{ones[0]} += {one} * {other};"
        else:
            parts = [(s.a, a), (s.b, b), (s.c, c)]
            parts += [(r, f"{r.name}[{side}][k]") for r, side in zip(s.scales, "mn", strict=False)]
            flat = [_first(r, name) for r, name in parts]
            body = f"{operation_name(s.instruction)}({', '.join(flat)});"
        for name, count in (("n", n), ("m", m), ("k", k)):
            body = f"{UNROLL}for (int {name} = 0; {name} < {count}; ++{name})\n{indent(body, '    ')}"
        return f"// {s.c.name} += {s.a.name} · {s.b.name}, by {s.instruction.name}\n{body}"

    def read_multiply_shared(self, s: MultiplyShared) -> str:
        """Begins the products of all fragments; nothing that the compiler does with their sums goes past it."""
        one, other = (operand.name for operand in s.operands)
        title = f"// {s.product.c.name} += {one} · {other}, by {s.product.instruction.name}"
        return f"{title}\n{hold(s.product.c)}\n{self.begun(s)}"

    def begun(self, s: MultiplyShared) -> str:
        """Begins the products of all fragments, each of two tiles in LDS."""
        product = s.product
        (m, n), k = product.c.distribution.ys[:2], product.a.distribution.ys[1]
        operands = [] if isinstance(s.a, LoadShared) else [_first(s.a, f"{s.a.name}[m][k]")]
        for operand, along_k, letter in s.sides:
            word = self.text(first_word(self.program, operand, letter))
            leading = self.text(leading_of(operand, along_k) * operand.shared.dtype.bytes)
            operands.append(f"operand_at({operand.shared.name} + ({word}), {leading})")
        turned = ", ".join("0" if along_k else "1" for _, along_k, _ in s.sides)
        sums = _first(product.c, f"{product.c.name}[m][n]")
        body = f"{operation_name(product.instruction)}<{turned}>({', '.join(operands)}, {sums});"
        for name, count in (("n", n), ("m", m), ("k", k)):
            body = f"{UNROLL}for (int {name} = 0; {name} < {count}; ++{name})\n{indent(body, '    ')}"
        return f"begin_products();\n{body}\ncommit_products();"

    def read_fold(self, s: Fold) -> str:
        """Each accumulator takes in what its thread holds of a row."""
        if s.lanes:
            return self.folded_over_lanes(s)
        kept = s.a.distribution.y_index[: len(s.c.distribution.ys)]
        c = s.c.name + ("".join(f"[{y.value.name}]" for y in kept) or "[0]")
        text = taking(s).format(c, as_float(one_register(s.a), s.a.dtype))
        return f"// {s.c.name} takes in {s.a.name}\n{each_register(s.a, text)}"


def hold(c: Registers) -> str:
    """Keeps the compiler from moving what is done with sums across this place."""
    return f"hold<{prod(c.distribution.ys)}>({_first(c, c.name + '[0][0]')});"


def _awaited(sums: dict[Registers, tuple[Registers, ...]]) -> Iterator[str]:
    """Waits for the products under way, and holds their sums."""
    if sums:
        yield "\n".join(["await_products<0>();", *map(hold, sums)])
        sums.clear()


def _first(registers: Registers, fragment: str) -> str:
    """The address of the first element of a fragment."""
    return "&" + fragment + "[0]" * (len(registers.distribution.ys) - 2)


def _move(s: MemoryAccess, memory: str, dtype: DType, offset: str) -> str:
    """One access between registers and memory; where their types differ, each element is converted."""
    width, element = s.width, one_register(s.registers)
    held = s.registers.dtype
    if width == 1:
        place = f"{memory}[{offset}]"
        return (
            f"{element} = {converted(place, dtype, held)};"
            if s.loads
            else f"{place} = {converted(element, held, dtype)};"
        )
    kind, (each, lane) = vector_type(dtype.c, width), _lanes(s)
    at = offset if offset.isidentifier() else f"({offset})"
    place = f"({memory} + {at})"
    if isinstance(s, SharedAccess):  # clang splits what an array of smaller elements does not align
        place = f"__builtin_assume_aligned({memory} + {at}, {width * dtype.bytes})"
    if s.loads:
        read = f"load_once((const {kind}*){place})" if isinstance(s, Load) and s.once else f"*(const {kind}*){place}"
        return f"const {kind} v = {read};\n{each}{element} = {converted(f'v[{lane}]', dtype, held)};"
    return f"{kind} v;\n{each}v[{lane}] = {converted(element, held, dtype)};\n*({kind}*){place} = v;"


def _clear(s: Load) -> str:
    """Registers of a guarded load are neutral where it does not take place."""
    cleared = f"{one_register(s.registers)} = {neutral(s.fill, s.registers.dtype)};\n"
    return cleared if s.width == 1 else _lanes(s)[0] + cleared


def _lanes(s: MemoryAccess) -> tuple[str, str]:
    """Loops over the elements of a vector, and the number of the element in it."""
    ys = [(s.registers.distribution.y_index[y].value.name, s.registers.distribution.ys[y]) for y in s.vector_ys]
    loops = "\n".join(f"{UNROLL}for (int {y} = 0; {y} < {n}; ++{y})" for y, n in ys) + " "
    number = ys[0][0]
    for y, n in ys[1:]:
        number = f"({number}) * {n} + {y}" if " " in number else f"{number} * {n} + {y}"
    return loops, number
