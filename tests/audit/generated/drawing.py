"""Kernels drawn at random: a plan that computes what its equation says, then changes that mostly make it wrong.

Faults lie where loops, other threads and what was loaded meet. So plans are of these: passes over a loop, LDS that is
handed from wave to wave, sums that are carried, stores under guards that were loaded, updates in place.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.audit.generated.changing import changed
from tests.audit.generated.draft import MOST, Draft, T
from tests.audit.generated.language import (
    BARRIER,
    Add,
    Body,
    Break,
    Const,
    Copy,
    For,
    If,
    Kernel,
    Let,
    Load,
    Op,
    Set,
    Statement,
    Store,
    Sync,
    Term,
    Var,
    op,
)

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
    odd, lane = op("&", Var("j"), 1), lanes.of(T)
    slot = op("*", odd if slots == 2 else op("%", Var("j"), slots), draft.block)
    if draft.chance(0.4):  # every second turn is the thread's own
        lane = draft.draw.choice([op("^", T, op("*", odd, draft.block // 2)), Op("?:", (odd, lane, T))])
    between = draft.draw.choice([BARRIER, BARRIER, Sync("fence"), Sync("fence")])
    inner: Body = (Store(s, op("+", slot, T), Load(x.name, where)), between,
                   Set(a, op("+", Var(a), Load(s, op("+", slot, lane)))),
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


def recurrence(draft: Draft) -> tuple[Body, tuple[str, ...]]:
    """What each thread has is made anew in each turn, of what it and others had."""
    draft.size("N")
    y, lanes, other = draft.tensor("y", draft.dtype, [draft.block]), draft.order(), draft.order()
    s, a, o = draft.buffer(draft.block), draft.new("a"), draft.out("o", ["N", draft.block])
    mine, theirs = Load(s, lanes.of(T)), Load(s, other.of(T))
    new = draft.draw.choice([mine, op("+", Var(a), mine), op("+", theirs, mine)])
    store = Store(o.name, op("+", op("*", Var("j"), draft.block), T), Var(a))
    step: Body = (Store(s, T, Var(a)), BARRIER, Set(a, new), BARRIER)
    body = draft.draw.choice([(store, *step), (*step, store)])
    said, also = lanes.said("i"), other.said("i")
    return (Let(a, draft.dtype, Load(y.name, T)), For("j", Const(0), Var("N"), 1, body)), (
        f"o[j, i] = y[i] + sum[k < j] y[{said}]", f"o[j, i] = y[i] + sum[k < j + 1] y[{said}]", f"o[j, i] = y[{said}]",
        f"o[j, i] = y[(i + j) % {draft.block}]", f"o[j, i] = y[{also}] + sum[k < j] y[{said}]", "o[j, i] = y[i]",
    )  # fmt: skip


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
    (2, once), (4, split), (1, placed), (1, several), (4, carried), (1, triangle), (6, staged), (4, turns),
    (2, recurrence), (1, strided), (1, counted), (3, exchanged_globally), (3, narrow), (2, left_early),
    (8, lambda d: looped(d, once)), (2, lambda d: looped(d, split)), (2, lambda d: looped(d, placed)),
    (1, lambda d: looped(d, several)), (3, lambda d: looped(d, once, 2)), (1, lambda d: looped(d, split, 2)),
    (1, lambda d: looped(d, narrow)), (1, lambda d: looped(d, exchanged_globally)),
)  # fmt: skip


def drawn(draw: Random, split_barriers: bool = False, changes: int = 4) -> Kernel:
    """A kernel: a plan, and up to so many changes to it."""
    draft = Draft(draw, draw.choice([64, 128, 128, 256]), draw.choice(["f32"] * 6 + ["i32", "i32", "f16"]))
    if draw.random() < 0.15:
        draft.size("G")
    plan = draw.choices([one for _, one in PLANS], [share for share, _ in PLANS])[0]
    body, equations = plan(draft)
    kernel = Kernel(draft.block, tuple(draft.sizes), tuple(draft.tensors.values()), tuple(draft.buffers.values()),
                    body, tuple(dict.fromkeys(equations))[:6], ("bank_conflict_free", "coalesced", "stores_all"),
                    draw.random() < 0.5, draw.choice([1000, 1000, 1000, 4]))  # fmt: skip
    for _ in range(min(changes, draw.choice([0, 1, 1, 1, 2, 2, 2, 3, 3, 4]))):
        kernel = changed(kernel, draw, split_barriers)
    return kernel
