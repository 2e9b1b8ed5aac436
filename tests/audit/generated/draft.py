"""Values that a kernel is made of: each with the statements that compute it, and what it is in an equation's words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from tests.audit.generated.language import (
    BARRIER,
    GROUP,
    Body,
    Buffer,
    Const,
    For,
    Hide,
    If,
    Let,
    Load,
    Op,
    Set,
    Statement,
    Store,
    Tensor,
    Term,
    Var,
    op,
    rewritten,
    walk,
)

T = Var("t")

#: Values of a tensor by which others are indexed, at most.
MOST = 6


@dataclass(frozen=True)
class Lanes:
    """An order of the threads of a block, as a term of one and as the text of an index."""

    of: Callable[[Term], Term]
    said: Callable[[str], str]
    back: bool = True  # done twice it is none, so each thread's is another's alone


def _turned(bit: int) -> Lanes:
    """Threads whose numbers differ by one bit change places."""
    return Lanes(lambda t: op("^", t, bit), lambda i: f"({i} // {2 * bit} * {2 * bit} + ({i} + {bit}) % {2 * bit})")


def orders(block: int) -> list[Lanes]:
    """Orders of a block's threads, some of them no permutations."""
    half, found = block // 2, [Lanes(lambda t: t, lambda i: i)] * 2
    found += [Lanes(lambda t: op("-", block - 1, t), lambda i: f"({block - 1} - {i})")] * 2
    found += [_turned(k) for k in sorted({1, 32, half})]
    found.append(Lanes(lambda t: op("%", op("+", t, half), block), lambda i: f"(({i} + {half}) % {block})"))
    found.append(Lanes(lambda t: op("%", op("+", t, 1), block), lambda i: f"(({i} + 1) % {block})", back=False))
    found.append(Lanes(lambda t: op("&", t, half - 1), lambda i: f"({i} % {half})", back=False))
    found.append(Lanes(lambda t: op("/", t, 2), lambda i: f"({i} // 2)", back=False))
    return found


Said = Callable[[str], str]
"""The text of a value, of the text of the lane's index."""


@dataclass(frozen=True)
class Value:
    """What computes a value, the value, and what it is: right, and near texts that are not."""

    body: Body
    term: Term
    said: Said
    near: tuple[Said, ...] = ()


@dataclass
class Draft:
    """A kernel in the making."""

    draw: Random
    block: int
    dtype: str = "f32"
    sizes: list[str] = field(default_factory=list)
    tensors: dict[str, Tensor] = field(default_factory=dict)
    buffers: dict[str, Buffer] = field(default_factory=dict)
    loops: list[tuple[str, str]] = field(default_factory=list)  # variables, each below a size
    names: int = 0

    def new(self, letter: str) -> str:
        self.names += 1
        return f"{letter}{self.names}"

    def chance(self, share: float) -> bool:
        return self.draw.random() < share

    def size(self, name: str) -> str:
        if name not in self.sizes:
            self.sizes.append(name)
        return name

    def tensor(self, letter: str, dtype: str, lengths: Sequence[int | str], **more: object) -> Tensor:
        """One of these lengths, which may be there already."""
        for one in self.tensors.values():
            if one.name[0] == letter and (one.dtype, one.lengths) == (dtype, tuple(lengths)):
                return one
        name = letter if letter not in self.tensors else self.new(letter)
        self.tensors[name] = Tensor(name, dtype, tuple(lengths), **more)  # type: ignore[arg-type]
        return self.tensors[name]

    def buffer(self, length: int, dtype: str | None = None) -> str:
        """A buffer in LDS: often one that is there already."""
        dtype = dtype or self.dtype
        alike = [one.name for one in self.buffers.values() if one.dtype == dtype and one.length >= length]
        if alike and self.chance(0.6):
            return self.draw.choice(alike)
        name = self.new("s")
        self.buffers[name] = Buffer(name, dtype, length, self.chance(0.5))
        return name

    @property
    def grid(self) -> list[str]:
        return ["G"] if "G" in self.sizes else []

    @property
    def lengths(self) -> list[int | str]:
        """Of a tensor with an element for each block, turn and thread."""
        return [*self.grid, *(size for _, size in self.loops), self.block]

    def at(self, lengths: Sequence[int | str], *places: Term) -> Term:
        """The element at an index."""
        found: Term = places[0]
        for length, place in zip(lengths[1:], places[1:], strict=True):
            found = op("+", op("*", found, Var(length) if isinstance(length, str) else Const(length)), place)
        return found

    def here(self, lane: Term) -> Term:
        """The element of this block, turn and a lane."""
        return self.at(self.lengths, *(Var("g") for _ in self.grid), *(Var(name) for name, _ in self.loops), lane)

    @property
    def subscripts(self) -> Said:
        """The text of an index of this block and turn, of its lane's."""
        outer = [*("g" for _ in self.grid), *(name for name, _ in self.loops)]
        return lambda lane: ", ".join([*outer, lane])

    # Values

    def value(self, depth: int = 2) -> Value:
        """A value of this turn and thread."""
        leaves = [self.loaded, self.loaded, self.row, self.gathered, self.constant]
        inner = [self.exchanged, self.exchanged, self.chosen, self.sum_of_two, self.summed, self.shuffled]
        if self.dtype not in ("f32", "i32"):
            inner = [self.exchanged, self.exchanged, self.chosen]
        return self.draw.choice(leaves if depth <= 0 or self.chance(0.4) else inner)(depth)  # type: ignore[operator]

    def held(self, term: Term, dtype: str | None = None) -> tuple[Body, Var]:
        """A variable with a value."""
        name = self.new("v")
        return (Let(name, dtype or self.dtype, term),), Var(name)

    def order(self, back: bool = False) -> Lanes:
        return self.draw.choice([one for one in orders(self.block) if one.back or not back])

    def loaded(self, depth: int) -> Value:
        x, lanes = self.tensor(self.draw.choice("xxxw"), self.dtype, self.lengths), self.order()
        body, v = self.held(Load(x.name, self.here(lanes.of(T))))
        place = self.subscripts
        return Value(body, v, lambda i: f"{x.name}[{place(lanes.said(i))}]", (lambda i: f"{x.name}[{place(i)}]",))

    def row(self, depth: int) -> Value:
        y, lanes = self.tensor("y", self.dtype, [self.block]), self.order()
        body, v = self.held(Load(y.name, lanes.of(T)))
        return Value(body, v, lambda i: f"{y.name}[{lanes.said(i)}]", (lambda i: f"{y.name}[{i}]",))

    def constant(self, depth: int) -> Value:
        value = self.draw.choice([1, 2])
        body, v = self.held(Const(value))
        said = f"{value}.0" if self.dtype.startswith("f") else str(value)
        return Value(body, v, lambda i: said)

    def index(self) -> tuple[Body, Var, Said]:
        """An index that is loaded: of this turn, of this turn and thread, or of this thread."""
        turns = [size for _, size in self.loops]
        if turns and self.chance(0.5):
            c = self.tensor("c", "i32", turns, assumed=(0, MOST))
            body, v = self.held(Load(c.name, self.at(turns, *(Var(name) for name, _ in self.loops))), "i32")
            said = ", ".join(name for name, _ in self.loops)
            return body, v, lambda i: f"{c.name}[{said}]"
        lengths = self.lengths if self.chance(0.6) else [self.block]
        c = self.tensor("c", "i32", lengths, assumed=(0, MOST))
        whole, place = len(lengths) > 1, self.subscripts
        body, v = self.held(Load(c.name, self.here(T) if whole else T), "i32")
        return body, v, lambda i: f"{c.name}[{place(i) if whole else i}]"

    def gathered(self, depth: int) -> Value:
        before, v, said = self.index()
        z = self.tensor("z", self.dtype, [MOST + 2, self.block])
        shift = self.draw.choice([0, 0, 1])
        row = op("+", v, shift) if shift else v
        body, found = self.held(Load(z.name, op("+", op("*", row, self.block), T)))
        tail = f" + {shift}" if shift else ""
        return Value((*before, *body), found, lambda i: f"{z.name}[{said(i)}{tail}, {i}]")

    def exchanged(self, depth: int) -> Value:
        """A value of another thread, by LDS."""
        inner, lanes, first = self.value(depth - 1), self.order(), self.order(back=True)
        turn = Var(self.loops[-1][0]) if self.loops else Const(0)
        slots = self.draw.choice([1, 1, 2, 3]) if self.loops else 1
        s = self.buffer(slots * self.block)
        slot = op("*", op("&", turn, 1) if slots == 2 else op("%", turn, slots), self.block) if slots > 1 else None
        place, back = (op("+", slot, one) if slot else one for one in (first.of(T), lanes.of(T)))
        body, v = self.held(Load(s, back))
        behind = (BARRIER,) if slots == 1 or self.chance(0.2) else ()
        near = (inner.said, *(lambda i, one=one: one(lanes.said(i)) for one in inner.near))
        return Value((*inner.body, Store(s, place, inner.term), BARRIER, *body, *behind), v,
                     lambda i: inner.said(first.said(lanes.said(i))), near)  # fmt: skip

    def shuffled(self, depth: int) -> Value:
        """A value of another lane of the wave."""
        inner = self.value(depth - 1)
        first = f"{{}} // {GROUP} * {GROUP}"
        lane, said = self.draw.choice([
            (op("^", T, 1), "({} // 2 * 2 + ({} + 1) % 2)"), (op("&", T, ~1 & GROUP - 1), "({} // 2 * 2)"),
            (Const(0), f"({first})"), (op("+", T, 1), f"({first} + ({{}} + 1) % {GROUP})"),
        ])  # fmt: skip
        body, v = self.held(Op("shfl", (inner.term, lane)))
        return Value((*inner.body, *body), v, lambda i: inner.said(said.replace("{}", i)), (inner.said,))

    def summed(self, depth: int) -> Value:
        """A sum over a loop of its own."""
        x = self.tensor("u", self.dtype, ["M", self.block])
        self.size("M")
        body, a = self.held(Const(0))
        k = self.new("k")
        term: Term = Load(x.name, op("+", op("*", Var(k), self.block), T))
        more: Body = ()
        if self.chance(0.5):  # by LDS
            s, lanes = self.buffer(2 * self.block), self.order()
            slot = op("*", op("&", Var(k), 1), self.block)
            more = (Store(s, op("+", slot, T), term), BARRIER)
            term = Load(s, op("+", slot, lanes.of(T)))
            loop = For(k, Const(0), Var("M"), 1, (*more, Set(a.name, op("+", a, term))))
            return Value((*body, loop, BARRIER), a, lambda i: f"(sum[m < M] {x.name}[m, {lanes.said(i)}])",
                         (lambda i: f"(sum[m < M] {x.name}[m, {i}])",))  # fmt: skip
        loop = For(k, Const(0), Var("M"), 1, (Set(a.name, op("+", a, term)),))
        return Value((*body, loop), a, lambda i: f"(sum[m < M] {x.name}[m, {i}])")

    def sum_of_two(self, depth: int) -> Value:
        a, b = self.value(depth - 1), self.value(0)
        body, v = self.held(op("+", a.term, b.term))
        return Value((*a.body, *b.body, *body), v, lambda i: f"({a.said(i)} + {b.said(i)})")

    def chosen(self, depth: int) -> Value:
        """One of two values, by a guard."""
        before, when, said = self.guard()
        a, b = self.value(depth - 1), self.value(0)
        name = self.new("v")
        if self.chance(0.4):
            body: Body = (*a.body, *b.body, Let(name, self.dtype, Op("?:", (when, a.term, b.term))))
        else:
            body = (*a.body, Let(name, self.dtype, a.term), If(Op("!", (when,)), (*b.body, Set(name, b.term))))
        return Value((*before, *body), Var(name), lambda i: f"where({said(i)}, {a.said(i)}, {b.said(i)})",
                     (a.said, b.said))  # fmt: skip

    def guard(self) -> tuple[Body, Term, Said]:
        """A truth of the thread, of the turn, or of what was loaded."""
        half, kind = self.block // 2, self.draw.choice(["lane", "turn", "data", "data", "loaded"])
        if kind == "turn" and self.loops:
            j, n = self.loops[-1]
            return self.draw.choice([
                ((), op("==", op("&", Var(j), 1), 0), lambda i: f"{j} % 2 == 0"),
                ((), op("==", op("&", Var(j), 1), 1), lambda i: f"{j} % 2 == 1"),
                ((), op(">", Var(j), 0), lambda i: f"{j} > 0"),
                ((), op("<", Var(j), op("-", Var(n), 1)), lambda i: f"{j} < {n} - 1"),
            ])  # fmt: skip
        if kind == "loaded":
            body, v, said = self.index()
            return body, op(">", v, MOST // 2), lambda i: f"{said(i)} > {MOST // 2}"
        if kind == "data" and self.dtype in ("f32", "i32"):
            value = self.draw.choice([self.loaded, self.row, self.gathered])(0)
            zero = "0.0" if self.dtype == "f32" else "0"
            return value.body, op(">", value.term, 0), lambda i: f"{value.said(i)} > {zero}"
        return self.draw.choice([
            ((), op("<", T, half), lambda i: f"{i} < {half}"),
            ((), op(">=", T, half), lambda i: f"{i} >= {half}"),
            ((), op("==", op("&", T, 1), 0), lambda i: f"{i} % 2 == 0"),
        ])  # fmt: skip

    # What is made of values

    def out(self, letter: str, lengths: Sequence[int | str]) -> Tensor:
        return self.tensor(letter, self.dtype, lengths, written=True)

    def stored(self, letter: str, value: Value) -> tuple[Body, tuple[str, ...]]:
        """A value stored to this turn's element, by this thread or by another."""
        o, lanes = self.out(letter, self.lengths), self.order(back=True)
        said, other = [value.said, *value.near], lanes.said("i")
        equations = [f"{o.name}[{self.subscripts('i')}] = {one(other)}" for one in said]
        equations += [f"{o.name}[{self.subscripts('i')}] = {one('i')}" for one in said]
        return (*value.body, Store(o.name, self.here(lanes.of(T)), value.term)), tuple(equations)

    def apart(self, letter: str) -> tuple[Body, tuple[str, ...]]:
        """Two stores under a guard and its negation: of two values, or of one that another thread's place has."""
        before, when, said = self.guard()
        a, b, lanes = self.value(self.draw.choice([0, 0, 1])), self.value(0), Lanes(lambda t: t, lambda i: i)
        o = self.out(letter, self.lengths)
        flag, d = self.new("f"), self.new("d")
        if BARRIER not in a.body and self.chance(0.6):
            lanes = orders(self.block)[2] if self.chance(0.5) else self.order(back=True)
            b = self.elsewhere(a, Var(d))
        hidden = (Hide(d),) if self.chance(0.7) else ()
        body: Body = (
            *before, *a.body, Let(d, self.draw.choice(["i32", "u32", "u32"]), lanes.of(T)), *hidden, *b.body,
            Let(flag, "i32", when),
            If(op("!=", Var(flag), 0), (Store(o.name, self.here(T), a.term),)),
            *((BARRIER,) if self.chance(0.9) else ()),
            If(op("==", Var(flag), 0), (Store(o.name, self.here(Var(d)), b.term),)),
        )  # fmt: skip
        left = f"{o.name}[{self.subscripts('i')}] = "
        return body, (f"{left}where({said('i')}, {a.said('i')}, {b.said('i')})", left + a.said("i"), left + b.said("i"))

    def elsewhere(self, value: Value, lane: Term) -> Value:
        """The same value of another thread, by its number."""
        names = {one.name: self.new("e") for one in walk(value.body) if isinstance(one, Let)}

        def change(one: object) -> object:
            if isinstance(one, Var):
                return lane if one == T else Var(names.get(one.name, one.name))
            return replace(one, name=names[one.name]) if isinstance(one, Let | Set) and one.name in names else one

        return Value(rewritten(value.body, change), rewritten(value.term, change), value.said)

    def in_place(self, letter: str) -> tuple[Body, tuple[str, ...]]:
        """A gather from a tensor that is written too, in rows that the gathers do not reach, or do."""
        before, v, said = self.index()
        o, p = self.out("q", [2 * MOST + 2, self.block]), self.out(letter, self.lengths)
        near = self.draw.choice([1, MOST + 1])
        body, found = self.held(Load(o.name, op("+", op("*", op("+", v, near), self.block), T)))
        update = Store(o.name, op("+", op("*", v, self.block), T), self.draw.choice([Const(7), found]))
        parts: list[Statement] = [*body, Store(p.name, self.here(T), found)]
        parts.insert(
            self.draw.choice([0, len(parts), len(parts)]),
            update if update.value != found else Store(o.name, update.index, Const(7)),
        )
        return (*before, *parts), (f"{p.name}[{self.subscripts('i')}] = {o.name}[{said('i')} + {near}, i]",)

    def spoiled(self, body: Body, buffer: str, when: Term) -> Body:
        """Statements among which a part of the threads stores what is not theirs."""
        half, y = self.block // 2, self.tensor("w", self.dtype, [self.block])
        place = self.draw.choice([op("^", T, half), op("-", self.block - 1, T), T])
        lane = self.draw.choice([op(">=", T, half), op("<", T, half), op(">=", T, 0)])
        store = If(when, (If(lane, (Store(buffer, place, Load(y.name, T)),)),))
        return (store, *body) if self.chance(0.7) else (*body, store)
