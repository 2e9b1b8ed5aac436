"""What is read as a real number: a word of one kernel, with all that its reading depends on.

A reading is of a thread and iterations (`WordAt.env`), and of what is open: a loop's carried value that is being read
is, within its own iteration, a hole (`OpenLoop`).  Rules (`choices`, `operations`, `memory`, `carried`) read words of
one kind each, and ask the `WordReader` for the words that these are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Protocol

from layoutalg.audit.ask import Open
from layoutalg.audit.epochs import is_counted
from layoutalg.audit.lds.history import Env, Forwarded, History
from layoutalg.audit.meaning.before import FirstLoads
from layoutalg.audit.meaning.sums.addends import Placed, Value
from layoutalg.audit.meaning.sums.words import halves, made_by_iterations
from layoutalg.audit.meaning.terms import Terms
from layoutalg.index import TRUE, Expr, all_of, eq, simplify, symbol, variables
from layoutalg.prove import ForAll
from layoutalg.records import dataclass
from layoutalg.symex.loops.record import LoopRecord
from layoutalg.symex.machine.tracing import TracedElement
from layoutalg.symex.machine.wave_unknowns import ELSEWHERE
from layoutalg.symex.values.instances import moved
from layoutalg.symex.values.unknowns import call_of, dependencies, function_of, kind_of

#: Functions that sums and greatests end with.
SUMMING = frozenset({"add", "sub", "fma", "mul", "mad", "max", "min"})


#: No loop runs as often.
MOST_TURNS = 1 << 62

TURNS: list[Expr] = []
"""The names of turns of loops that are being read, the outermost loop's first: all that there are."""


def turn(depth: int) -> Expr:
    """The name of a turn of a loop within so many others that are being read."""
    while len(TURNS) <= depth:
        TURNS.append(symbol(f"earlier iteration {len(TURNS)}", min=0, max=MOST_TURNS))
    return TURNS[depth]


@dataclass(frozen=True)
class PerThread(Open):
    """What is seen where the thread is one, and of many not."""


@dataclass(frozen=True)
class OpenLoop:
    """A carried value that is being read: its type, of which threads, in which iteration, and which that may be."""

    carried: Expr
    dtype: str
    threads: tuple[Expr, ...]
    iteration: Expr
    within: Expr = TRUE


@dataclass(frozen=True)
class WordAt:
    """A word as a number of a type, in a thread and iterations: put together by `add`, `max` or `min`."""

    expr: Expr
    dtype: str
    places: tuple[tuple[Expr, Expr], ...]
    how: str = "add"
    open: tuple[OpenLoop, ...] = ()

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.expr, self.dtype, self.places, self.how, self.open))

    @cached_property
    def env(self) -> Env:
        """What threads' coordinates and loops' iterations are."""
        return dict(self.places)

    @cached_property
    def made_of(self) -> tuple[Expr, ...]:
        """The variables of the word."""
        return variables(self.expr)

    @property
    def summed(self) -> WordAt:
        """The same as a sum."""
        return WordAt(self.expr, self.dtype, self.places, "add", self.open)

    def of(self, expr: Expr, dtype: str = "") -> WordAt:
        """Another word of the same thread and iterations."""
        return WordAt(expr, dtype or self.dtype, self.places, self.how, self.open)

    def at(self, env: Env) -> WordAt:
        """The same in another thread or iteration."""
        return WordAt(self.expr, self.dtype, tuple(env.items()), self.how, self.open)

    def known_of(self, *exprs: Expr) -> Expr:
        """What is known of the open iterations that expressions speak of."""
        spoken = dependencies(*exprs)
        return all_of(*(one.within for one in self.open if one.iteration in spoken))


@dataclass(frozen=True)
class ForwardedWord:
    """What was stored where a word was read of LDS: in which thread and iterations, for which readers."""

    expr: Expr
    env: Env
    form: Placed  # of readers of which this number is
    piece: int

    @property
    def where(self) -> Placed:
        """That a reader is one of them."""
        return Placed(eq(self.form.expr, self.piece), self.form.at)


StoredWords = tuple[tuple[ForwardedWord, ...], tuple[ForAll, ...]]
"""Words that were stored where one was read of LDS, and what must hold for it to be so."""


@dataclass
class Roundings:
    """The types in which a kernel's sums and products over the reals are rounded, and to which their operands are."""

    types: dict[str, None] = field(default_factory=dict)
    operands: dict[str, None] = field(default_factory=dict)

    @property
    def said(self) -> str:
        """In words; "" where nothing is rounded, as where a greatest is one of its candidates.

        >>> Roundings({"f32": None}, {"f16": None}).said
        "; the kernel's are in f32, of what is rounded to f16"
        """
        sums = f"; the kernel's are in {', '.join(self.types)}" if self.types else ""
        to = f"of what is rounded to {', '.join(self.operands)}" if self.operands else ""
        return f"{sums}{', ' if sums and to else '; ' if to else ''}{to}"

    @property
    def narrow(self) -> tuple[str, ...]:
        """The types that are narrower than f32."""
        return tuple(one for one in dict.fromkeys((*self.types, *self.operands)) if one in ("f16", "bf16"))


class WordReader(Protocol):
    """What reads the words that a word is made of."""

    rounded: Roundings
    stored: Expr  # of whose rounding nothing is said: it is the result's
    kernel: KernelWords
    given: Expr  # where what is read counts
    terms: Terms

    def read(self, word: WordAt) -> Value:
        """The addends of a word, or its candidates."""

    def seen(self, word: WordAt) -> Value:
        """The same by rules alone: no function of others."""

    def elsewhere(self, word: WordAt) -> Value:
        """The same of a word of another thread."""

    def reduction(self, word: WordAt) -> Expr | PerThread | None:
        """The unknown of the equation's sum that a word is shown to be."""


Rule = Callable[[WordReader, WordAt], Value | None]
"""What a word of one kind is; None of one of another kind."""


class KernelWords:
    """What the words of one kernel are made of: loads, LDS, what loops carry."""

    def __init__(
        self,
        trace: Sequence[TracedElement],
        loops: LoopRecord,
        dtypes: Mapping[str, str],
        history: History,
        first: FirstLoads,
    ) -> None:
        """`dtypes` says the element type of each tensor."""
        self.launched, self.loops, self.dtypes, self.history = first.launched, loops, dtypes, history
        self.loads, self.first = {one.value: one for one in trace if not one.store}, first
        self.made = made_by_iterations(loops)
        self._sums: dict[Expr, bool] = {}
        self._stored: dict[tuple[Expr, tuple[tuple[Expr, Expr], ...]], StoredWords | Open] = {}

    def may_be_sum(self, v: Expr) -> bool:
        """Whether a variable may be a sum that loops, LDS or lanes have made."""
        if v not in self._sums:
            self._sums[v] = v in self.history.read or v in self.loops.carried or v in self.made or self._sums_others(v)
        return self._sums[v]

    def _sums_others(self, v: Expr) -> bool:
        name = function_of(v)
        if name != ELSEWHERE and name.split("_")[0] not in SUMMING:
            return False
        return any(self.may_be_sum(u) for u in dependencies(v) - {v} if not call_of(u)[0])

    def placed(self, expr: Expr, env: Env) -> Placed | Open:
        """An expression in a thread and an iteration; of a loop that was left, the last."""
        if any(kind_of(v) is not None for v in variables(expr)):
            return Open(f"{expr} depends on what was loaded")
        places = {v: env[v] for v in variables(expr) if v in env}
        for t in variables(expr):
            if t in self.loops.counts and t not in env:
                last = self.iteration(t, env)
                if last is None:
                    return Open(f"{expr} depends on the last turn of a lane")
                if isinstance(last, Open):
                    return last
                places[t] = last
        return Placed(expr, tuple(places.items()))

    def iteration(self, t: Expr, env: Env) -> Expr | Open | None:
        """The iteration of a loop; the last, where it was left, and None where each lane has one of its own."""
        if t in env:
            return env[t]
        if not is_counted(t):
            return None
        count = self.placed(self.loops.counts[t], env)
        return count if isinstance(count, Open) else simplify(count.value - 1)

    def lane(self, lane: Expr, env: Env) -> Env | Open:
        """The thread in another lane of the wave."""
        placed, own = self.placed(lane, env), self.history.block.number(env)
        if isinstance(placed, Open):
            return placed
        if own is None:
            return PerThread(f"what lane {lane} holds")
        size, number, block = self.launched.kernel.wave_size, placed.value, self.history.block
        if number.op != "const" or own // size * size + int(number.value) >= block.count:
            return Open(f"what lane {lane} holds")
        return {**env, **block.coordinates(own // size * size + int(number.value))}

    def stored(self, expr: Expr, env: Env) -> StoredWords | Open:
        """What was stored where a word was read of LDS, and what must hold for it to be so."""
        key = expr, tuple(env.items())
        if key not in self._stored:
            self._stored[key] = self._stored_in(expr, env)
        return self._stored[key]

    def _stored_in(self, expr: Expr, env: Env) -> StoredWords | Open:
        unknowns = variables(expr)
        each: list[list[Forwarded]] = []
        for v in unknowns:
            pieces = self.history.forwarded(v, env)
            if isinstance(pieces, Open):
                return pieces
            each.append(pieces)
        if not each or len({len(one) for one in each}) != 1:
            return Open(f"{expr} is of several threads' stores")
        found, obligations = [], []
        for bytes_ in zip(*each, strict=True):
            one = bytes_[0]
            if any((other.writer, other.where) != (one.writer, one.where) for other in bytes_):
                return Open(f"{expr} is of several threads' stores")
            form, here = self.placed(one.form, env), self.placed(one.where, env)
            if isinstance(form, Open):
                return form
            if isinstance(here, Open):
                return here
            for v, piece in zip(unknowns, bytes_, strict=True):
                goal, given = self.placed(piece.needed, piece.writer), self.placed(self.loads[v].guard, env)
                if isinstance(goal, Open):
                    return goal
                if goal.value is TRUE:
                    continue
                if isinstance(given, Open):
                    return given
                known = all_of(given.value, here.value)
                obligations.append(ForAll("what is read of LDS was stored", goal.value, known))
            values = {v: piece.element.value for v, piece in zip(unknowns, bytes_, strict=True)}
            found.append(ForwardedWord(simplify(moved(expr, values)), one.writer, form, one.piece))
        return tuple(found), tuple(obligations)

    def carried_in(self, expr: Expr) -> set[Expr]:
        """What loops carry that a word is, or that a turn makes it of."""
        parts = (expr, *(halves(expr) or ()), *variables(expr))
        made = (u for one in parts if one in self.made for u in variables(self.made[one]))
        return {*made, *(v for v in variables(expr) if v in self.loops.carried)}

    def loop_of(self, expr: Expr) -> Expr | Open:
        """The loop that carries a word."""
        loops = {self.loops.carried[v].loop for v in variables(expr)}
        return Open(f"{expr} is carried by several loops") if len(loops) != 1 else next(iter(loops))

    def threads(self, env: Env) -> tuple[Expr, ...]:
        """The coordinates of the thread that is read of."""
        return tuple(env[v] for v in self.launched.threads)
