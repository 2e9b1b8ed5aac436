"""Changes to a kernel: each mostly makes it wrong, and leaves it as hard to judge as before.

| change | of |
|---|---|
| dropped, moved, added, halved | a barrier |
| turned, shifted, renamed | an index, a parity, a bound |
| negated, dropped, put around | a guard |
| swapped, dropped, moved out of its loop or in | a statement |
| parted | a loop's body, among the passes of a loop around it |
| injected | a store that nobody asked for |
| carried | a value to the next turn |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from tests.audit.generated.language import (
    Body,
    Break,
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
    Term,
    Var,
    names,
    op,
    rewritten,
    undeclared,
    walk,
)
from tests.audit.generated.places import bodies, fresh, made_by, scope, some_node, with_body, with_node

T = Var("t")

Change = Callable[[Kernel, Random], Kernel | None]


def changed(kernel: Kernel, draw: Random, split_barriers: bool = False) -> Kernel:
    """The kernel with one change, or as it is where the one that was drawn does not fit."""
    usable = [(share, one) for share, one in CHANGES if split_barriers or one is not halved]
    change = draw.choices([one for _, one in usable], [share for share, _ in usable])[0]
    new = change(kernel, draw)
    return kernel if new is None or undeclared(new.body, frozenset({"t", "g", *new.sizes})) else new


# Barriers


def dropped(kernel: Kernel, draw: Random) -> Kernel | None:
    one = some_node(kernel.body, Sync, draw)
    return with_node(kernel, one, (), draw) if one else None


def fenced(kernel: Kernel, draw: Random) -> Kernel | None:
    """A barrier that is one for the compiler alone."""
    one = some_node(kernel.body, Sync, draw)
    return with_node(kernel, one, Sync("fence"), draw) if one else None


def moved_barrier(kernel: Kernel, draw: Random) -> Kernel | None:
    """Behind its loop, or elsewhere; in its place a fence."""
    without = fenced(kernel, draw) if draw.random() < 0.7 else dropped(kernel, draw)
    return added(without, draw) if without else None


def added(kernel: Kernel, draw: Random) -> Kernel | None:
    """A barrier that all threads come to."""
    choices = [part for one in walk(kernel.body) if isinstance(one, If) for part in (one.then, one.otherwise)]
    body = draw.choice([one for one in bodies(kernel.body) if one not in choices])
    at = draw.choice([len(body), len(body), draw.randrange(len(body) + 1)])
    return with_body(kernel, body, (*body[:at], Sync(), *body[at:]))


def halved(kernel: Kernel, draw: Random) -> Kernel | None:
    """A split barrier, with some of the statements around it between its halves."""
    usable = [one for one in bodies(kernel.body) if Sync() in one]
    if not usable:
        return None
    body = draw.choice(usable)
    at = draw.choice([k for k, one in enumerate(body) if one == Sync()])
    first, last = at - draw.choice([0, 0, 1, 2]), at + draw.choice([0, 1, 2])
    kind = draw.choice(["signal", "signal early"])
    new = (
        *body[: max(first, 0)],
        Sync(kind),
        *body[max(first, 0) : at],
        *body[at + 1 : last + 1],
        Sync("wait"),
        *body[last + 1 :],
    )
    return with_body(kernel, body, new)


# Indices, bounds and guards


def turned(kernel: Kernel, draw: Random) -> Kernel | None:
    """A thread's number, or a loop's variable, is another one."""
    one = some_node(kernel.body, lambda node: isinstance(node, Var) and node.name in ("t", "j", "a", "r", "k"), draw)
    if one is None:
        return None
    others = [Const(0), op("&", one, 1), op("+", one, 1)]
    return with_node(kernel, one, draw.choice(_lanes(kernel, one) if one.name == "t" else others), draw)


def tied(kernel: Kernel, draw: Random) -> Kernel | None:
    """In every second turn of a loop an index is another thread's."""
    loop = some_node(kernel.body, For, draw)
    node = loop and some_node(loop.body, lambda one: isinstance(one, Store | Load) and T in walk(one.index), draw)
    if node is None:
        return None
    odd = op("&", Var(loop.var), 1)
    lane = draw.choice(
        [op("^", T, op("*", odd, kernel.block // 2)), Op("?:", (odd, draw.choice(_lanes(kernel, T)), T))]
    )
    index = rewritten(node.index, lambda one: lane if one == T else one)
    return with_node(kernel, node, replace(node, index=index), draw)


def _lanes(kernel: Kernel, t: Term) -> list[Term]:
    """Another thread's number."""
    half = kernel.block // 2
    return [op("^", t, 1), op("^", t, half), op("&", t, half - 1), op("-", kernel.block - 1, t),
            op("%", op("+", t, 1), kernel.block)]  # fmt: skip


def parity(kernel: Kernel, draw: Random) -> Kernel | None:
    """The other one, or none."""
    one = some_node(
        kernel.body, lambda node: isinstance(node, Op) and node.name == "&" and node.args[1] == Const(1), draw
    )
    if one is None:
        return None
    return with_node(kernel, one, draw.choice([Const(0), op("^", one, 1)]), draw)


def bounded(kernel: Kernel, draw: Random) -> Kernel | None:
    loop = some_node(kernel.body, For, draw)
    if loop is None:
        return None
    others = [Var(size) for size in kernel.sizes if size != "G"] + [Const(2), op("-", loop.end, 1)]
    others += [op("+", op("&", T, 3), 1)]  # another count for each thread
    for outer in walk(kernel.body):
        if isinstance(outer, For) and loop in walk(outer.body):  # another in each turn
            others += [op("+", Var(outer.var), 1), op("-", outer.end, Var(outer.var))] * 2
    new = replace(loop, end=draw.choice(others)) if draw.random() < 0.6 else replace(loop, first=Const(1))
    return with_node(kernel, loop, new, draw)


def negated(kernel: Kernel, draw: Random) -> Kernel | None:
    one = some_node(kernel.body, If, draw)
    if one is None:
        return None
    new = draw.choice([
        replace(one, when=Op("!", (one.when,))), one.then, (*one.then, *one.otherwise),
        replace(one, otherwise=()) if one.otherwise else one.then,
    ])  # fmt: skip
    return with_node(kernel, one, new, draw)


def guards(kernel: Kernel, body: Body, at: int, draw: Random) -> Term:
    """A guard that may stand around a statement."""
    half = kernel.block // 2
    found: list[Term] = [op("<", T, half), op(">=", T, half), op("==", op("&", T, 1), 0)]
    for loop in walk(kernel.body):
        if isinstance(loop, For) and any(one is body for one in bodies((loop,))):
            v = Var(loop.var)
            found += [op("==", op("&", v, 1), draw.choice([0, 1])), op(">", v, 0)] * 2
            found += [op("==", v, draw.choice([0, 0, 1]))]
    for one in body[:at]:
        if isinstance(one, Let):
            found += [op(name, Var(one.name), draw.choice([0, 3])) for name in (">", "<=")]
    return draw.choice(found)


def guarded(kernel: Kernel, draw: Random) -> Kernel | None:
    body = draw.choice(bodies(kernel.body))
    places = [k for k, one in enumerate(body) if isinstance(one, Set | Store | Copy)]
    if not places:
        return None
    at = draw.choice(places)
    when = guards(kernel, body, at, draw)
    return with_body(kernel, body, (*body[:at], If(when, (body[at],)), *body[at + 1 :]))


# Statements


def swapped(kernel: Kernel, draw: Random) -> Kernel | None:
    body = draw.choice(bodies(kernel.body))
    at = draw.randrange(len(body))
    if at + 1 >= len(body) or made_by((body[at],)) & names(body[at + 1]):
        return None
    return with_body(kernel, body, (*body[:at], body[at + 1], body[at], *body[at + 2 :]))


def lost(kernel: Kernel, draw: Random) -> Kernel | None:
    body = draw.choice(bodies(kernel.body))
    places = [k for k, one in enumerate(body) if isinstance(one, Set | Store | Copy | Hide)]
    if not places:
        return None
    at = draw.choice(places)
    return with_body(kernel, body, (*body[:at], *body[at + 1 :]))


def hoisted(kernel: Kernel, draw: Random) -> Kernel | None:
    """Statements from a loop's head stand before it, or those of its end behind it."""
    loop = some_node(kernel.body, For, draw)
    if loop is None or len(loop.body) < 2:
        return None
    cut = draw.randrange(1, len(loop.body))
    if draw.random() < 0.5:
        head, tail = loop.body[:cut], loop.body[cut:]
        if loop.var in names(head) or any(isinstance(one, Break) for one in head):
            return None
        return with_node(kernel, loop, (*head, replace(loop, body=tail)), draw)
    head, tail = loop.body[:cut], loop.body[cut:]
    if (made_by(head) | {loop.var}) & names(tail) or any(isinstance(one, Break) for one in tail):
        return None
    return with_node(kernel, loop, (replace(loop, body=head), *tail), draw)


def parted(kernel: Kernel, draw: Random) -> Kernel | None:
    """A loop is passed twice: a part of its body in one pass, the rest in the other."""
    loop = some_node(kernel.body, For, draw)
    if loop is None or len(loop.body) < 1:
        return None
    r, flag = fresh(kernel, "r"), fresh(kernel, "f")
    shared: list[Statement] = []
    parts: tuple[list[Statement], list[Statement]] = [], []
    behind = False
    cut = draw.choice([k for k, one in enumerate(loop.body) if isinstance(one, Store | Set | Copy | If | For)] or [0])
    for k, one in enumerate(loop.body):
        if isinstance(one, Break):
            return None
        if isinstance(one, Let) and not (isinstance(one.value, Load) and one.value.memory.startswith("s")):
            shared.append(one)
            continue
        behind = behind or k > cut
        parts[behind].append(one)
    first, second = parts
    for part in (first, second):  # what one pass makes the other has not
        part[:] = [one for one in part if not (names(one) & made_by(tuple(first + second)) - made_by(tuple(part)))]
    if not first or not second:
        return None
    passes = [0, 1] if draw.random() < 0.8 else [1, 0]
    when = op("==", Var(flag), passes[0])
    if any(isinstance(one, Sync) for one in (*first, *second)) and draw.random() < 0.5:
        keep = [[one for one in part if not isinstance(one, Sync)] for part in (first, second)]
        first, second = keep[0], keep[1]
        shared.append(Sync())
    choice = If(when, tuple(first), tuple(second))
    hidden = (Let(flag, "i32", Var(r)), *((Hide(flag, True),) if draw.random() < 0.7 else ()))
    order = (*shared, *hidden, choice) if draw.random() < 0.8 else (*hidden, *shared, choice)
    inner = replace(loop, body=order)
    tail = (Sync(),) if draw.random() < 0.3 else ()
    return with_node(kernel, loop, For(r, Const(0), Const(draw.choice([2, 2, 2, 3])), 1, (inner, *tail)), draw)


def passed_twice(kernel: Kernel, draw: Random) -> Kernel | None:
    """A loop around a loop, of which one statement is done in one pass alone."""
    loop = some_node(kernel.body, For, draw)
    if loop is None:
        return None
    r = fresh(kernel, "r")
    places = [k for k, one in enumerate(loop.body) if isinstance(one, Store | Set | If)]
    if not places:
        return None
    at = draw.choice(places)
    when = op("==", Var(r), draw.choice([0, 1]))
    other = (loop.body[draw.choice(places)],) if draw.random() < 0.3 else ()
    body = (
        *loop.body[:at],
        If(when, (loop.body[at],), other if not made_by(loop.body) & names(other) else ()),
        *loop.body[at + 1 :],
    )
    return with_node(kernel, loop, For(r, Const(0), Const(2), 1, (replace(loop, body=body),)), draw)


def injected(kernel: Kernel, draw: Random) -> Kernel | None:
    """A store to LDS, or to a tensor that is written, of a value from elsewhere."""
    memories = [*kernel.buffers, *kernel.buffers, *(one for one in kernel.tensors if one.written)]
    if not memories:
        return None
    memory = draw.choice(memories)
    body = draw.choice(bodies(kernel.body))
    at = draw.choice([0, len(body), draw.randrange(len(body) + 1)])
    known = {"t", "g", *kernel.sizes, *(scope(kernel.body, body, at) or ())}
    places = [one.index for one in walk(kernel.body) if isinstance(one, Store | Load) and one.memory == memory.name]
    places = [one for one in places if names(one) <= known]
    if not places:
        return None
    lane = draw.choice([T, *_lanes(kernel, T)])
    place = rewritten(draw.choice(places), lambda one: lane if one == T else one)
    values: list[Term] = [Const(9)]
    values += [Var(one.name) for one in body[:at] if isinstance(one, Let) and one.dtype == memory.dtype]
    values += [Load(one.name, Var("t")) for one in kernel.tensors if one.dtype == memory.dtype and not one.written]
    new: Statement = Store(memory.name, place, draw.choice(values))
    if draw.random() < 0.8:
        new = If(guards(kernel, body, at, draw), (new,))
        if draw.random() < 0.5:
            new = If(guards(kernel, body, at, draw), (new,))
    return with_body(kernel, body, (*body[:at], new, *body[at:]))


def carried(kernel: Kernel, draw: Random) -> Kernel | None:
    """What a turn loads is used in the next one."""
    loop = some_node(kernel.body, For, draw)
    if loop is None:
        return None
    places = [k for k, one in enumerate(loop.body) if isinstance(one, Let) and not isinstance(one.value, Const)]
    if not places:
        return None
    at = draw.choice(places)
    let = loop.body[at]
    before = loop.body[:at]
    if made_by(before) & names(let.value):
        return None
    first = rewritten(let, lambda one: loop.first if one == Var(loop.var) else one)
    body = (*before, *loop.body[at + 1 :], Set(let.name, let.value))
    following: Term = op("+", Var(loop.var), 1)
    if draw.random() < 0.5:
        guarded_load = If(
            op("<", following, loop.end),
            (Set(let.name, rewritten(let.value, lambda one: following if one == Var(loop.var) else one)),),
        )
        body = (*body[:-1], guarded_load)
    if any(isinstance(one, Load) and one.memory.startswith("s") for one in walk(let.value)):
        return None
    return with_node(kernel, loop, (first, replace(loop, body=body)), draw)


def elsewhere(kernel: Kernel, draw: Random) -> Kernel | None:
    """A load from another memory of its type, or of another row of it."""
    load = some_node(kernel.body, Load, draw)
    if load is None:
        return None
    dtype = kernel.dtypes[load.memory]
    others = [one.name for one in (*kernel.tensors, *kernel.buffers) if one.dtype == dtype and one.name != load.memory]
    if not others:
        return None
    return with_node(kernel, load, replace(load, memory=draw.choice(others)), draw)


CHANGES: tuple[tuple[int, Change], ...] = (
    (2, dropped), (2, fenced), (3, moved_barrier), (1, added), (6, halved), (3, turned), (4, tied), (2, parity),
    (3, bounded), (2, negated), (4, guarded), (2, swapped), (1, lost), (2, hoisted), (9, parted), (2, passed_twice),
    (5, injected), (3, carried), (1, elsewhere),
)  # fmt: skip
