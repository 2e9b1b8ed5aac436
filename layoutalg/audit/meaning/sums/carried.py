"""What loops carry: of u, of which an iteration makes u + x(t), what it was before and x of each iteration before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from layoutalg.audit.ask import Open
from layoutalg.audit.lds.history import Env
from layoutalg.audit.meaning.sums.addends import Addend, Factor, Placed, Sum, Value, guarded, total
from layoutalg.audit.meaning.sums.reading import OpenLoop, WordAt, WordReader, turn
from layoutalg.audit.meaning.sums.words import halves
from layoutalg.index import FALSE, TRUE, Expr, all_of, eq, mod, negation, simplify, variables
from layoutalg.prove import ForAll
from layoutalg.symex.loops.record import Carried
from layoutalg.symex.values.instances import moved
from layoutalg.symex.values.unknowns import dependencies

#: The tensor of a carried value within its own iteration: a hole, which another thread or iteration has not.
HOLE = "carried"


def made_by_iteration(reader: WordReader, word: WordAt) -> Value | None:
    """What an iteration makes of what its loop carries: that at the head of the next one."""
    carried = _made_of(reader, word.expr)
    if carried is None or _open(reader, word, carried) is not None:
        return None
    iteration = _iteration(reader, word, carried)
    if isinstance(iteration, Open):
        return iteration
    return _carried(reader, word.of(carried), None if iteration is None else iteration + 1)


def carried(reader: WordReader, word: WordAt) -> Value | None:
    """What a loop carries, at the head of an iteration."""
    if not all(v in reader.kernel.loops.carried for v in word.made_of):
        return None
    iteration = _iteration(reader, word, word.expr)
    if isinstance(iteration, Open):
        return iteration
    if iteration is None:
        return Open(f"what the last turn of a loop begins with, {word.expr}")
    return _carried(reader, word, iteration)


def _made_of(reader: WordReader, expr: Expr) -> Expr | None:
    """What a loop carries of which one iteration makes this word."""
    made, loops = reader.kernel.made, reader.kernel.loops.carried
    if expr in made:
        return made[expr]
    low, high = (made.get(half) for half in halves(expr) or (expr, expr))
    if low is None or high is None or loops[low].loop is not loops[high].loop:
        return None
    return simplify(low + high * (1 << 32))


def _open(reader: WordReader, word: WordAt, carried: Expr) -> OpenLoop | None:
    """That a carried value is being read of these threads."""
    threads = reader.kernel.threads(word.env)
    return next((one for one in word.open if one.carried is carried and one.threads == threads), None)


def _iteration(reader: WordReader, word: WordAt, carried: Expr) -> Expr | Open | None:
    """The iteration that a carried value is of; None behind those of a lane that has a number of its own."""
    loop = reader.kernel.loop_of(carried)
    return loop if isinstance(loop, Open) else reader.kernel.iteration(loop, word.env)


def _carried(reader: WordReader, word: WordAt, iteration: Expr | None) -> Value:
    """What is carried, at the head of an iteration; behind all of a lane's, where none is said."""
    kernel, marker, opened = reader.kernel, word.expr, _open(reader, word, word.expr)
    if opened is not None:
        if iteration is None or opened.iteration is not iteration:
            return Open(f"what a loop carries, {marker}, is made of what it was in another turn")
        if opened.dtype != word.dtype:
            return Open(f"what a loop carries, {marker}, is one number as {opened.dtype}, and as {word.dtype} another")
        return Sum((Addend(factors=(Factor(HOLE, word.dtype, Placed(iteration)),)),))
    t, each = kernel.loop_of(marker), {v: kernel.loops.carried[v] for v in variables(marker)}
    if isinstance(t, Open):
        return t
    before, after = (_whole(marker, {v: getattr(one, when) for v, one in each.items()}) for when in ("before", "after"))
    outside = {v: e for v, e in word.env.items() if v is not t}
    s = turn(len(word.open))
    below, asked = _below(reader, marker, each, iteration, {**outside, t: s}, s)
    if isinstance(below, Open):
        return below
    within = OpenLoop(marker, word.dtype, kernel.threads(word.env), s, below.expr if iteration is not None else TRUE)
    body = _closed(reader.read(replace(word.of(after).at({**outside, t: s}), open=(*word.open, within))), within)
    if isinstance(body, Open):
        return body
    start = reader.read(word.of(before).at(outside))
    if isinstance(start, Open):
        return start
    own = [one for one in body.addends if any(f.tensor == HOLE and f.places[0].expr is s for f in one.factors)]
    if len(own) == 1 and own[0] == Addend(factors=own[0].factors[:1]):
        rest = replace(body, addends=tuple(one.where(below).over_turns(s) for one in body.addends if one is not own[0]))
        return total(start, rest.asking(asked))
    if own or iteration is None or set(each) & dependencies(after):
        return Open(f"what a loop carries, {marker}, is in one turn multiplied or chosen")
    first = Placed(eq(iteration, 0))
    last = reader.read(word.of(after).at({**outside, t: simplify(iteration - 1)}))
    made = last if first.expr is FALSE else total(guarded(start, first), guarded(last, Placed(negation(first.expr))))
    return made if isinstance(made, Open) else made.asking((*start.obligations, *body.obligations))


def _whole(marker: Expr, each: Mapping[Expr, Expr]) -> Expr:
    """What is carried, put together of what its parts are."""
    return simplify(moved(marker, {v: mod(e, int(v.hi) + 1) for v, e in each.items()}))


def _below(
    reader: WordReader, marker: Expr, each: Mapping[Expr, Carried], iteration: Expr | None, env: Env, s: Expr
) -> tuple[Placed | Open, tuple[ForAll, ...]]:
    """Whether s is an iteration before one, or one that a lane is in; and what must hold for that to be so."""
    if iteration is not None:
        return Placed(s < iteration), ()
    lanes, *others = {one.iterations for one in each.values()}  # a loop may be followed from several states
    if lanes is None or others:
        return Open(f"in which turns lanes are in the loop that carries {marker}"), ()
    return reader.kernel.placed(lanes.active, env), (lanes.exactly,)


def _closed(body: Value, within: OpenLoop) -> Value:
    """What was read within a loop, of which each obligation is of its iterations alone."""
    if isinstance(body, Open):
        return body
    each = (
        replace(one, given=all_of(one.given, within.within))
        if within.iteration in variables(one.goal, one.given)
        else one
        for one in body.obligations
    )
    return replace(body, obligations=tuple(each))
