"""Kernels drawn at random: a plan that computes what its equation says, then changes that mostly make it wrong.

Faults lie where loops, other threads and what was loaded meet. So plans are of these: passes over a loop, LDS that is
handed from wave to wave, sums that are carried, stores under guards that were loaded, updates in place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from tests.refine.audit.generated.changing import changed
from tests.refine.audit.generated.language import (
    BARRIER,
    Add,
    Body,
    Break,
    Buffer,
    Const,
    Copy,
    For,
    Hide,
    If,
    Kernel,
    Let,
    Load,
    Op,
    Set,
    Statement,
    Store,
    Sync,
    Tensor,
    Term,
    Var,
    op,
    rewritten,
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
    found.append(Lanes(lambda t: op("-", block - 1, t), lambda i: f"({block - 1} - {i})"))
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

    def here(self, lane: Term, turn: Callable[[Term], Term] = lambda j: j) -> Term:
        """The element of this block, turn and a lane."""
        turns: list[Term] = [Var(name) for name, _ in self.loops]
        turns[-1:] = [turn(one) for one in turns[-1:]]
        return self.at(self.lengths, *(Var("g") for _ in self.grid), *turns, lane)

    @property
    def subscripts(self) -> Said:
        """The text of an index of this block and turn, of its lane's."""
        outer = [*("g" for _ in self.grid), *(name for name, _ in self.loops)]
        return lambda lane: ", ".join([*outer, lane])

    # Values

    def value(self, depth: int = 2) -> Value:
        """A value of this turn and thread."""
        leaves = [self.loaded, self.loaded, self.row, self.gathered, self.constant]
        inner = [self.exchanged, self.exchanged, self.chosen, self.sum_of_two, self.summed]
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
        a, b, lanes = self.value(1), self.value(0), Lanes(lambda t: t, lambda i: i)
        o = self.out(letter, self.lengths)
        flag, d = self.new("f"), self.new("d")
        if BARRIER not in a.body and self.chance(0.6):
            lanes = self.order(back=True)
            b = self.elsewhere(a, Var(d))
        hidden = (Hide(d),) if self.chance(0.7) else ()
        body: Body = (
            *before, *a.body, Let(d, "i32", lanes.of(T)), *hidden, *b.body, Let(flag, "i32", when),
            If(op("!=", Var(flag), 0), (Store(o.name, self.here(T), a.term),)),
            *((BARRIER,) if self.chance(0.5) else ()),
            If(op("==", Var(flag), 0), (Store(o.name, self.here(Var(d)), b.term),)),
        )  # fmt: skip
        left = f"{o.name}[{self.subscripts('i')}] = "
        return body, (f"{left}where({said('i')}, {a.said('i')}, {b.said('i')})", left + a.said("i"), left + b.said("i"))

    def elsewhere(self, value: Value, lane: Term) -> Value:
        """The same value of another thread, by its number."""
        names = {one.name: self.new("e") for one in value.body if isinstance(one, Let)}

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


Plan = Callable[[Draft], tuple[Body, tuple[str, ...]]]


def looped(draft: Draft, inside: Plan, depth: int = 1) -> tuple[Body, tuple[str, ...]]:
    """A plan in each turn of one or two loops."""
    own = [("j", "N")] if depth == 1 else [("a", "N"), ("j", "M")]
    for _, size in own:
        draft.size(size)
    draft.loops += own
    body, equations = inside(draft)
    for var, size in reversed(own):
        body = (For(var, Const(0), Var(size), 1, body),)
    draft.loops = draft.loops[: -len(own)]
    return body, equations


def once(draft: Draft) -> tuple[Body, tuple[str, ...]]:
    return draft.stored("o", draft.value(2))


def split(draft: Draft) -> tuple[Body, tuple[str, ...]]:
    return draft.apart("o")


def placed(draft: Draft) -> tuple[Body, tuple[str, ...]]:
    return draft.in_place("p")


def several(draft: Draft) -> tuple[Body, tuple[str, ...]]:
    """Two plans, one behind the other, often with one buffer."""
    plans = draft.draw.sample([once, split, placed], 2)
    (a, first), (b, second) = plans[0](draft), (draft.stored("p", draft.value(1)) if plans[1] is once else ((), ()))
    return (*a, BARRIER, *b), (*first, *second)


def carried(draft: Draft) -> tuple[Body, tuple[str, ...]]:
    """A sum that the turns carry, stored in each or behind all."""
    draft.size("N")
    a = draft.new("a")
    draft.loops.append(("j", "N"))
    value = draft.value(1)
    each = draft.chance(0.6)
    said = value.said("i").replace("[j", "[k").replace(", j", ", k")
    body: Body = (*value.body, Set(a, op("+", Var(a), value.term)))
    if each:
        o = draft.out("o", draft.lengths)
        body = (*body, Store(o.name, draft.here(T), Var(a)))
        left = f"{o.name}[{draft.subscripts('i')}] = "
        equations = (f"{left}sum[k < j + 1] {said}", f"{left}sum[k < N] {said}", f"{left}sum[k < j] {said}")
    draft.loops.pop()
    whole: Body = (Let(a, draft.dtype, Const(0)), For("j", Const(0), Var("N"), 1, body))
    if not each:
        o = draft.out("o", draft.lengths)
        left = f"{o.name}[{draft.subscripts('i')}] = "
        whole = (*whole, Store(o.name, draft.here(T), Var(a)))
        equations = (f"{left}sum[k < N] {said}",)
    return whole, equations


def triangle(draft: Draft) -> tuple[Body, tuple[str, ...]]:
    """Sums up to the turn, each by a loop of its own."""
    draft.size("N")
    x, o = draft.tensor("x", draft.dtype, ["N", draft.block]), draft.out("o", ["N", draft.block])
    more = draft.draw.choice([0, 1])
    here, there = (op("+", op("*", Var(turn), draft.block), T) for turn in "jk")
    inner = For("k", Const(0), op("+", Var("j"), more), 1, (Set("a", op("+", Var("a"), Load(x.name, there))),))
    body: Body = (Let("a", draft.dtype, Const(0)), inner, Store(o.name, here, Var("a")))
    return (For("j", Const(0), Var("N"), 1, body),), tuple(
        f"{o.name}[j, i] = sum[k < {n}] {x.name}[k, i]" for n in (f"j + {more}", "N", f"j + {1 - more}")
    )


def staged(draft: Draft) -> tuple[Body, tuple[str, ...]]:
    """A row that LDS holds through all turns; in some it is loaded again, in some another thread may store there."""
    draft.size("N")
    first, lanes = draft.draw.choice([draft.row, draft.row, draft.value])(0), draft.order()
    s = draft.buffer(draft.block)
    head: Body = (*first.body, Store(s, T, first.term), BARRIER)
    draft.loops.append(("j", "N"))
    o = draft.out("o", draft.lengths)
    read, v = draft.held(Load(s, lanes.of(T)))
    body: Body = (*read, Store(o.name, draft.here(T), v))
    if draft.chance(0.6) and BARRIER not in first.body:
        again = draft.elsewhere(first, lanes.of(T))
        odd = draft.draw.choice([0, 1])
        turn = op("==", op("&", Var("j"), 1), odd)
        before, when, _ = ((), turn, None) if draft.chance(0.6) else draft.guard()
        body = (*before, If(when, body, (*again.body, Store(o.name, draft.here(T), again.term))))
        if draft.chance(0.7):
            body = draft.spoiled(body, s, op("==", op("&", Var("j"), 1), draft.draw.choice([odd, 1 - odd, 1 - odd])))
    body = (*body, *((BARRIER,) if draft.chance(0.7) else ()))
    left = f"{o.name}[{draft.subscripts('i')}] = "
    draft.loops.pop()
    said = tuple(left + first.said(one) for one in dict.fromkeys((lanes.said("i"), "i")))
    return (*head, For("j", Const(0), Var("N"), 1, body)), said


def turns(draft: Draft) -> tuple[Body, tuple[str, ...]]:
    """LDS handed on in each turn of an inner loop, with slots by the turn; barriers in it, around it, or nowhere."""
    for size in "NM":
        draft.size(size)
    slots, lanes = draft.draw.choice([1, 2, 2, 3]), draft.order()
    s, a = draft.buffer(slots * draft.block), draft.new("a")
    x = draft.tensor("x", draft.dtype, draft.draw.choice([["N", "M", draft.block], [draft.block]]))
    where = draft.at(x.lengths, Var("a"), Var("j"), T) if len(x.lengths) > 1 else T
    slot = op("*", op("%", Var("j"), slots), draft.block) if slots != 2 else op("*", op("&", Var("j"), 1), draft.block)
    between = draft.draw.choice([BARRIER, BARRIER, Sync("fence"), Sync("fence")])
    inner: Body = (Store(s, op("+", slot, T), Load(x.name, where)), between,
                   Set(a, op("+", Var(a), Load(s, op("+", slot, lanes.of(T))))),
                   *((BARRIER,) if draft.chance(0.3) else ()))  # fmt: skip
    outer: Body = (For("j", Const(0), Var("M"), 1, inner), *((BARRIER,) if draft.chance(0.7) else ()))
    filled: Body = (
        tuple(Store(s, op("+", k * draft.block, T), Const(0)) for k in range(slots)) if draft.chance(0.5) else ()
    )
    o = draft.out("o", [draft.block])
    body: Body = (
        Let(a, draft.dtype, Const(0)),
        *filled,
        BARRIER,
        For("a", Const(0), Var("N"), 1, outer),
        Store(o.name, T, Var(a)),
    )
    said = f"{x.name}[n, m, {lanes.said('i')}]" if len(x.lengths) > 1 else f"{x.name}[{lanes.said('i')}]"
    return body, (f"o[i] = sum[n < N] sum[m < M] {said}",)


def strided(draft: Draft) -> tuple[Body, tuple[str, ...]]:
    """Elements of one dimension, each thread every so many."""
    draft.size("N")
    x, o = draft.tensor("x", draft.dtype, ["N"]), draft.out("o", ["N"])
    j = Var("j")
    kind = draft.draw.choice(["plain", "in place", "guarded"])
    if kind == "in place":
        c = draft.tensor("c", "i32", ["N"], assumed=(0, MOST))
        q = draft.out("q", [MOST + 2, draft.block])
        parts: list[Statement] = [
            Let("r", draft.dtype, Load(q.name, op("+", op("*", op("+", Var("v"), 1), draft.block), T))),
            Store(o.name, j, Var("r")),
        ]
        parts.insert(draft.draw.choice([0, 2]), Store(q.name, op("+", op("*", Var("v"), draft.block), T), Const(7)))
        body: Body = (Let("v", "i32", Load(c.name, j)), *parts)
        said = [f"q[c[i] + 1, i % {draft.block}]"]
    elif kind == "guarded":
        body = (
            Let("v", draft.dtype, Load(x.name, j)),
            If(op(">", Var("v"), 0), (Store(o.name, j, Var("v")),), (Store(o.name, j, Const(0)),)),
        )
        zero = "0.0" if draft.dtype.startswith("f") else "0"
        said = [f"max(x[i], {zero})", f"where(x[i] > {zero}, x[i], {zero})", "x[i]"]
    else:
        body = (Store(o.name, j, op("+", Load(x.name, j), 1)),)
        said = ["x[i] + 1" + (".0" if draft.dtype.startswith("f") else ""), "x[i]"]
    if kind != "guarded" or draft.dtype in ("f32", "i32"):
        return (For("j", T, Var("N"), draft.block, body),), tuple(f"o[i] = {one}" for one in said)
    return strided(draft)


def counted(draft: Draft) -> tuple[Body, tuple[str, ...]]:
    """Counts in LDS, by atomic updates."""
    draft.size("N")
    draft.dtype = "i32"
    s, o = draft.buffer(draft.block, "i32"), draft.out("o", [*draft.grid, draft.block])
    draft.loops.append(("j", "N"))
    before, v, _ = draft.index()
    draft.loops.pop()
    adds = For("j", Const(0), Var("N"), 1, (*before, Add(s, v, Const(1))))
    return (Store(s, T, Const(0)), BARRIER, adds, BARRIER, Store(o.name, draft.here(T), Load(s, T))), ()


def exchanged_globally(draft: Draft) -> tuple[Body, tuple[str, ...]]:
    """Threads of a block that hand values on through a tensor."""
    value, lanes = draft.value(1), draft.order()
    o, p = draft.out("o", draft.lengths), draft.out("p", draft.lengths)
    store: Body = (*value.body, Store(o.name, draft.here(T), value.term))
    load, there = Load(o.name, draft.here(lanes.of(T))), lanes.said("i")
    body: Body = (*store, BARRIER, Store(p.name, draft.here(T), load))
    if draft.chance(0.4):  # what was there before
        body = (Let("b", draft.dtype, load), BARRIER, *store, Store(p.name, draft.here(T), Var("b")))
    o_is, p_is = (f"{one}[{draft.subscripts('i')}] = " for one in (o.name, p.name))
    return body, (o_is + value.said("i"), p_is + value.said(there), f"{p_is}{o.name}[{draft.subscripts(there)}]")


def narrow(draft: Draft) -> tuple[Body, tuple[str, ...]]:
    """Bytes and halves in LDS, at places with gaps; several at once where they are neighbours."""
    draft.dtype = draft.draw.choice(["u8", "u8", "u16", "f16", "f32"])
    x, o = draft.tensor("x", draft.dtype, draft.lengths), draft.out("o", draft.lengths)
    if draft.chance(0.4):
        count = draft.draw.choice([2, 4])
        s, lanes = draft.buffer(count * draft.block), draft.order(back=True)
        x = draft.tensor("x", draft.dtype, [*draft.lengths[:-1], count * draft.block])
        o = draft.out("o", [*draft.lengths[:-1], count * draft.block])
        whole = op("*", draft.here(T), count)
        body: Body = (Copy(s, op("*", lanes.of(T), count), x.name, whole, count), BARRIER,
                      Copy(o.name, whole, s, op("*", T, count), count), BARRIER)  # fmt: skip
        lane = f"({lanes.said(f'(i // {count})')}) * {count} + i % {count}"
        return body, tuple(
            f"{o.name}[{draft.subscripts('i')}] = {x.name}[{draft.subscripts(one)}]" for one in (lane, "i")
        )
    stride = draft.draw.choice([1, 1, 2, 3, 5, 66, 68, 132])
    place = op("+", op("*", T, stride), op("*", op("&", T, 3), draft.draw.choice([0, 1])))
    if draft.chance(0.4):
        k = draft.draw.choice([64, 66, 132])
        place = op("+", op("*", op(">>", T, 1), 2 * k), op("*", op("&", T, 1), draft.draw.choice([k, k + 1, 1])))
        stride = k + 1
    s = draft.buffer(draft.block * (stride + 1) + 4)
    shift = draft.draw.choice([0, 0, 1, 2, 3])
    place = op("+", place, shift) if shift else place
    body = (
        Store(s, place, Load(x.name, draft.here(T))),
        BARRIER,
        Store(o.name, draft.here(T), Load(s, place)),
        BARRIER,
    )
    return body, (f"{o.name}[{draft.subscripts('i')}] = {x.name}[{draft.subscripts('i')}]",)


def left_early(draft: Draft) -> tuple[Body, tuple[str, ...]]:
    """A loop that is left once something was loaded, or counted."""
    body, equations = looped(draft, once)
    (loop,) = body
    assert isinstance(loop, For)
    c = draft.tensor("c", "i32", ["N"] if draft.chance(0.7) else ["N", draft.block], assumed=(0, MOST))
    at: Term = Var("j") if len(c.lengths) == 1 else op("+", op("*", Var("j"), draft.block), T)
    leave = Break(op("==", Load(c.name, at), 0) if draft.chance(0.8) else op(">=", Var("j"), 5))
    place = draft.draw.choice([0, len(loop.body)])
    inside = (*loop.body[:place], leave, *loop.body[place:])
    return (For(loop.var, loop.first, loop.end, loop.step, inside),), equations


PLANS: tuple[tuple[int, Plan], ...] = (
    (2, once), (3, split), (1, placed), (1, several), (4, carried), (1, triangle), (6, staged), (4, turns),
    (1, strided), (1, counted), (3, exchanged_globally), (3, narrow), (2, left_early), (8, lambda d: looped(d, once)),
    (2, lambda d: looped(d, split)), (2, lambda d: looped(d, placed)), (1, lambda d: looped(d, several)),
    (3, lambda d: looped(d, once, 2)), (1, lambda d: looped(d, split, 2)), (1, lambda d: looped(d, narrow)),
    (1, lambda d: looped(d, exchanged_globally)),
)  # fmt: skip


def drawn(draw: Random, split_barriers: bool = False, changes: int = 4) -> Kernel:
    """A kernel: a plan, and up to so many changes to it."""
    draft = Draft(draw, draw.choice([64, 128, 128, 256]), draw.choice(["f32"] * 6 + ["i32", "i32", "f16"]))
    if draw.random() < 0.15:
        draft.size("G")
    plan = draw.choices([one for _, one in PLANS], [share for share, _ in PLANS])[0]
    body, equations = plan(draft)
    kernel = Kernel(draft.block, tuple(draft.sizes), tuple(draft.tensors.values()), tuple(draft.buffers.values()),
                    body, tuple(dict.fromkeys(equations))[:6], ("bank_conflict_free", "coalesced"))  # fmt: skip
    for _ in range(min(changes, draw.choice([0, 1, 1, 1, 2, 2, 2, 3, 3, 4]))):
        kernel = changed(kernel, draw, split_barriers)
    return kernel
