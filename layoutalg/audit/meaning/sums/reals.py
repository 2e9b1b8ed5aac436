"""What a stored word is as a real number: its operations read as sums and products, back to loads.

| a word | is |
|---|---|
| a result of `add`, `sub`, `mul`, `fma`, a conversion | the sum or product over the reals: rounding is left out |
| a choice by a condition on indices | each way, where its condition is so |
| read from LDS | what its writer stored, of that thread and turn (`lds.history`) |
| what a loop carries, and one turn makes u + x(t) of u | what it was before the loop, and x(s) of each turn s before |
| the same of the same thread within that turn s | u: a hole, which another thread or another turn has not |
| what a loop carries, of which its new value says nothing | before the loop that; later what the turn before made |
| what another lane of the wave holds | the same word, read of that lane: of one thread at a time |
| loaded from a tensor | a factor: the element at that byte |
| what nothing wrote | a factor that no equation has |

A greatest (or least) of a set is read the same way with `max` (`min`) in the place of `add`.
A load stands for the contents before the launch, so nothing may have stored there before: of a tensor that is written
only loads in front of every store are read.
What is none of these is a function of elements and sums (`functions`).  What it cannot represent: integers that wrap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import count

from layoutalg.audit.ask import Open
from layoutalg.audit.epochs import is_counted
from layoutalg.audit.lds.history import Env, Forwarded, History
from layoutalg.audit.meaning.sums.addends import Addend, Addends, Factor, Placed, added, candidate, product, scaled
from layoutalg.audit.meaning.sums.matrix import element_of, products, thread_of
from layoutalg.audit.meaning.sums.numbers import EXTREMES, FORMATS, INTEGERS, constant, typed
from layoutalg.audit.meaning.sums.words import (
    behind_stores,
    bits_of,
    chosen_by,
    halves,
    is_one_word,
    lifted,
    made_by_turns,
    together,
    words_of,
)  # fmt: skip
from layoutalg.audit.meaning.terms import FLOAT_BITS, without_sign
from layoutalg.index import FALSE, TRUE, ZERO, Expr, all_of, eq, mod, negation, simplify, symbol, variables
from layoutalg.index.conditions import implies
from layoutalg.index.normal import normal
from layoutalg.isa.semantics.matrix import registers_of
from layoutalg.launch.symbolic import KernelLaunch
from layoutalg.prove import ForAll
from layoutalg.symex.loops.record import LoopRecord
from layoutalg.symex.machine.tracing import TracedElement
from layoutalg.symex.values.instances import moved
from layoutalg.symex.values.unknowns import Kind, arguments_of, call_of, dependencies, function_of, kind_of
from layoutalg.symex.values.word import NotReadable
from layoutalg.target.dtypes import dtype_of
from layoutalg.target.matrix import matrix_instruction, matrix_table

#: The tensor of what nothing wrote.
NOBODYS = "undefined"

#: No loop runs as often.
MOST = 1 << 62


class OfOneThreadError(NotReadable):
    """A word that is read where the thread is one."""


class Reals:
    """Reads words of one kernel, each of a thread and a turn of its loops."""

    def __init__(
        self, launched: KernelLaunch, trace: Sequence[TracedElement], loops: LoopRecord, dtypes: Mapping[str, str]
    ) -> None:
        """`dtypes` says the element type of each tensor."""
        self.launched, self.loops, self.dtypes = launched, loops, dtypes
        history = History.of(launched, trace)
        if isinstance(history, Open):
            raise NotReadable(history.why)
        self.history = history
        self.loads = {one.value: one for one in trace if not one.store}
        self.late = behind_stores(trace)
        self.questions: dict[ForAll, None] = {}  # that must hold for what was read to be so
        self.indices: dict[Expr, Expr] = {}  # bound indices, and what is known of each
        self.given = TRUE  # where what is read counts
        self._open: dict[tuple[Expr, tuple[Expr, ...]], Expr] = {}  # what is read of which threads → in which turn
        self._numbers = count()
        self._done: dict[object, tuple[Addends, dict[ForAll, None]]] = {}
        self.after = made_by_turns(loops)
        self._bytes = history.read
        self.function: Callable[[Expr, str, Env], Addend] | None = None  # a word as a factor, where it is no sum

    def read(self, word: Expr, dtype: str, env: Env, how: str = "add") -> Addends:
        """The addends (or candidates) of a word. Raises `NotReadable` where it is none."""
        key = word, dtype, tuple(env.items()), how, tuple(self._open.items()), self.given, self.function
        if key not in self._done:
            with self.asking() as asked:
                self._done[key] = added(self._read_or_applied(simplify(word), dtype, env, how)), asked
        found, asked = self._done[key]
        self.questions |= asked
        return found

    @contextmanager
    def asking(self) -> Iterator[dict[ForAll, None]]:
        """What must hold for what is read below to be so, by itself."""
        around, self.questions = self.questions, {}
        try:
            yield self.questions
        finally:
            self.questions = around

    def _read_or_applied(self, word: Expr, dtype: str, env: Env, how: str) -> Addends:
        try:
            return self._read(word, dtype, env, how)
        except OfOneThreadError:
            raise
        except NotReadable as why:
            if self.function is None:
                raise
            try:
                return (self.function(word, dtype, env),)
            except OfOneThreadError:
                raise
            except NotReadable:
                raise why from None

    def _read(self, word: Expr, dtype: str, env: Env, how: str) -> Addends:
        if word.op == "const":
            return constant(int(word.value), dtype, how)
        marker = self._made_of(word)
        if marker is not None and (marker, self._threads(env)) not in self._open:
            turn = self._turn(self._loop(marker), env)
            return self._turns(marker, None if turn is None else turn + 1, dtype, env, how)
        if word.op == "select":
            return self._chosen(word, dtype, env, how)
        condition = chosen_by(word)
        if condition is not None:
            return self._read(lifted(word, condition), dtype, env, how)
        if word.op == "mod" and word.args[1].op == "const" and not int(word.args[1].value) % (1 << bits_of(dtype)):
            return self._read(simplify(word.args[0]), dtype, env, how)
        turned, magnitude = without_sign(word, bits_of(dtype)) if dtype in FLOAT_BITS else (False, word)
        if turned:
            found = scaled(self.read(magnitude, dtype, env), Fraction(-1))
            return found if how == "add" else candidate(found)
        made_of = variables(word)
        lanes = {arguments_of(v)[1] if function_of(v) == "elsewhere" else None for v in made_of}
        if len(lanes) == 1 and (lane := next(iter(lanes))) is not None:
            there = simplify(moved(word, {v: arguments_of(v)[0] for v in made_of}))
            return self.read(there, dtype, self.there(lane, env), how)
        if dtype in INTEGERS and word.op in ("add", "mul") and not is_one_word(made_of, self._bytes):
            return self._integer(word, dtype, env, how)
        if all(v in self.history.read for v in made_of):
            return self._from_lds(word, dtype, env, how)
        if all(v in self.loops.carried for v in made_of):
            turn = self._turn(self._loop(word), env)
            if turn is None:
                raise NotReadable(f"what the last turn of a loop begins with, {word}")
            return self._turns(word, turn, dtype, env, how)
        if all(v in self.loads for v in made_of):
            return (self._element(word, made_of, dtype, env),)
        name, arguments = call_of(word)
        pair = halves(word)
        if pair is not None:
            name, arguments = together(*map(call_of, pair))
        if "[" in name:
            found = self._matrix(name, arguments, dtype, env)
            return found if how == "add" else candidate(found)
        if name:
            return self._called(name, arguments, dtype, env, how)
        if word.op == "var" and kind_of(word) in (None, Kind.UNDEFINED):
            return (Addend(factors=(Factor("" if kind_of(word) is None else NOBODYS, dtype, Placed(word)),)),)
        raise NotReadable(f"{dtype} that is {word}")

    def _chosen(self, word: Expr, dtype: str, env: Env, how: str) -> Addends:
        """Each way of a choice where its condition is so, but for one that does not count."""
        condition, *ways = word.args
        if any(kind_of(v) is not None for v in variables(condition)):
            raise NotReadable(f"a choice by {condition}")
        found: Addends = ()
        for truth, way in zip((condition, negation(condition)), ways, strict=True):
            where = self.placed(truth, env)
            if implies(self.given, where.value):
                alike = where.value is TRUE and where.at  # of one thread of many, of others of which it says something
                made = self.read(way, dtype, env, how)
                return tuple(a.where(where) for a in made) if alike else made
            if not implies(self.given, negation(where.value)):
                found = (*found, *(a.where(where) for a in self.read(way, dtype, env, how)))
        return found

    def there(self, lane: Expr, env: Env) -> Env:
        """The thread in another lane of the wave."""
        number, own = self.placed(lane, env).value, self.history.block.number(env)
        if own is None:
            raise OfOneThreadError(f"what lane {lane} holds")
        size = self.launched.kernel.wave_size
        if number.op != "const" or own // size * size + int(number.value) >= self.history.block.count:
            raise NotReadable(f"what lane {lane} holds")
        return {**env, **self.history.block.coordinates(own // size * size + int(number.value))}

    def placed(self, expr: Expr, env: Env) -> Placed:
        """An expression in a thread and a turn; of a loop that was left, the last."""
        if any(kind_of(v) is not None for v in variables(expr)):
            raise NotReadable(f"{expr} depends on what was loaded")
        known = {v: env[v] for v in variables(expr) if v in env}
        left = {t: self._turn(t, env) for t in variables(expr) if t in self.loops.counts and t not in env}
        counted = {t: turn for t, turn in left.items() if turn is not None}
        if len(counted) < len(left):
            raise NotReadable(f"{expr} depends on the last turn of a lane")
        return Placed(expr, tuple({**known, **counted}.items()))

    # Constants, operations, loads

    def _integer(self, word: Expr, dtype: str, env: Env, how: str) -> Addends:
        """A sum of products of words, modulo 2³²."""
        if how != "add":
            raise NotReadable(f"a {how} of integers")
        found: Addends = ()
        for scale, atoms in words_of(normal(word), word, self._bytes):
            total: Addends = (Addend(),)
            for atom in atoms:
                total = product(total, self.read(atom, dtype, env))
            found = (*found, *scaled(total, Fraction(scale)))
        return found

    def _called(self, name: str, arguments: Sequence[Expr], dtype: str, env: Env, how: str) -> Addends:
        operation, kind = name.rsplit("_", 1)
        wanted, _, given = name.partition("_of_")
        if given in FORMATS and wanted in FORMATS:
            typed(name, wanted, dtype)
            return self.read(arguments[0], given, env, how)
        if kind in FORMATS:
            typed(name, kind, dtype)
        if operation in EXTREMES and arguments[0] is arguments[1]:
            return self.read(arguments[0], kind, env, how)
        if operation == how != "add":
            return tuple(dict.fromkeys(a for x in arguments for a in self.read(x, kind, env, how)))
        if operation not in ("add", "sub", "mul", "fma", "mad") or kind not in FORMATS:
            raise NotReadable(f"the result of {name}")
        parts = [self.read(x, kind, env) for x in arguments]
        match operation:
            case "add":
                found = (*parts[0], *parts[1])
            case "sub":
                found = (*parts[0], *scaled(parts[1], Fraction(-1)))
            case "mul":
                found = product(*parts)
            case _:
                found = (*product(*parts[:2]), *parts[2])
        return found if how == "add" else candidate(found)

    def _element(self, word: Expr, unknowns: Sequence[Expr], dtype: str, env: Env) -> Addend:
        """The element of a tensor whose bytes a word is."""
        parts = sorted((self.loads[v] for v in unknowns), key=lambda one: one.within)
        first, size = parts[0], sum(one.size for one in parts)
        total, at = ZERO, 0
        for one in parts:
            if (
                one.instruction is not first.instruction
                or one.within != first.within + at
                or one.guard is not first.guard
            ):
                raise NotReadable(f"{word} is put together of several loads")
            total, at = total + one.value * (1 << 8 * at), at + one.size
        held = self.dtypes.get(first.buffer, "")
        if simplify(total - word) is not ZERO or held != dtype or size * 8 != 8 * dtype_of(dtype).bytes:
            raise NotReadable(f"{word}, of elements of {held}, as {dtype}")
        if first.value in self.late:
            raise NotReadable(f"{first.buffer} is loaded from where it may have been stored to")
        return Addend(factors=(Factor(first.buffer, dtype, self.placed(first.offset, env)),))

    def _matrix(self, name: str, arguments: Sequence[Expr], dtype: str, env: Env) -> Addends:
        """One element of a matrix instruction's result: of all that the wave holds."""
        builtin, _, number = name.removesuffix("]").partition("[")
        if not number.isdigit() or builtin not in matrix_table():
            raise NotReadable(f"the result of {name}")
        matrix = matrix_instruction(builtin)
        typed(name, matrix.accumulator, dtype)
        counts = registers_of(matrix)
        a, b = arguments[: counts["a"]], arguments[counts["a"] : counts["a"] + counts["b"]]
        found = self.read(arguments[-1], dtype, env)
        for left, right in products(matrix, int(number)):
            factors = []
            for held, words, kind in ((left, a, matrix.a_dtype), (right, b, matrix.b_dtype)):
                there = thread_of(held.lane, matrix.wave, self.history.block.indices, env)
                factors.append(self.read(element_of(tuple(words), held.element, kind), kind, {**env, **there}))
            found = (*found, *product(*factors))
        return found

    # LDS

    def _from_lds(self, word: Expr, dtype: str, env: Env, how: str) -> Addends:
        pieces = self.pieces(word, env)
        found: Addends = ()
        for stored, there, where in pieces:
            addends = self.read(stored, dtype, there, how)
            found = (*found, *(addends if len(pieces) == 1 else (a.where(where) for a in addends)))
        return found

    def pieces(self, word: Expr, env: Env) -> list[tuple[Expr, Env, Placed]]:
        """What was stored where a word was read of LDS, by which thread in which turn, for which readers.

        Raises `NotReadable` where that is not seen.
        """
        unknowns, found = variables(word), []
        each = [self._forwarded(v, env) for v in unknowns]
        if not each or len({len(one) for one in each}) != 1:
            raise NotReadable(f"{word} is of several threads' stores")
        for pieces in zip(*each, strict=True):
            one = pieces[0]
            if any((other.writer, other.where) != (one.writer, one.where) for other in pieces):
                raise NotReadable(f"{word} is of several threads' stores")
            stored = simplify(moved(word, {v: piece.element.value for v, piece in zip(unknowns, pieces, strict=True)}))
            here = self.placed(one.where, env)
            for v, piece in zip(unknowns, pieces, strict=True):
                goal = self.placed(piece.needed, piece.writer).value
                if goal is not TRUE:
                    given = self.placed(self.loads[v].guard, env).value
                    stays = ForAll("what is read of LDS was stored", goal, all_of(given, here.value))
                    self.questions[stays] = None
            found.append((stored, one.writer, here))
        return found

    def _forwarded(self, unknown: Expr, env: Env) -> list[Forwarded]:
        found = self.history.forwarded(unknown, env)
        if isinstance(found, Open):
            raise NotReadable(found.why)
        return found

    # LoopRecord

    def _threads(self, env: Env) -> tuple[Expr, ...]:
        return tuple(env[v] for v in self.launched.threads)

    def _loop(self, word: Expr) -> Expr:
        """The loop that carries a word."""
        loops = {self.loops.carried[v].loop for v in variables(word)}
        if len(loops) != 1:
            raise NotReadable(f"{word} is carried by several loops")
        return next(iter(loops))

    def _made_of(self, word: Expr) -> Expr | None:
        """What a loop carries of which one turn makes this word."""
        if word in self.after:
            return self.after[word]
        low, high = (self.after.get(half) for half in halves(word) or (word, word))
        if low is None or high is None or self.loops.carried[low].loop is not self.loops.carried[high].loop:
            return None
        return simplify(low + high * (1 << 32))

    def _turn(self, t: Expr, env: Env) -> Expr | None:
        """The turn of a loop; the last, where it was left, and None where each lane has one of its own."""
        if t in env:
            return env[t]
        if not is_counted(t):
            return None
        return simplify(self.placed(self.loops.counts[t], env).value - 1)

    def _turns(self, marker: Expr, turn: Expr | None, dtype: str, env: Env, how: str) -> Addends:
        """What is carried, at the head of a turn; behind all of a lane's turns, where none is said."""
        here = marker, self._threads(env)
        if here in self._open:
            if self._open[here] is not turn:
                raise NotReadable(f"what a loop carries, {marker}, is made of what it was in another turn")
            return (Addend(factors=(Factor("carried", dtype, Placed(turn)),)),)
        t, carried = self._loop(marker), {v: self.loops.carried[v] for v in variables(marker)}
        before, after = (
            simplify(moved(marker, {v: mod(e, int(v.hi) + 1) for v, e in each.items()}))
            for each in ({v: one.before for v, one in carried.items()}, {v: one.after for v, one in carried.items()})
        )
        outside = {v: e for v, e in env.items() if v is not t}
        s = symbol(f"earlier turn {next(self._numbers)}", min=0, max=MOST)
        if turn is None:
            turns, *others = {one.iterations for one in carried.values()}  # a loop may be followed from several states
            if turns is None or others:
                raise NotReadable(f"in which turns lanes are in the loop that carries {marker}")
            self.questions[turns.exactly] = None
            below = self.placed(turns.active, {**outside, t: s})
        else:
            below = Placed(s < turn)
            self.indices[s] = below.expr
        self._open[here] = s
        try:
            made = self.read(after, dtype, {**outside, t: s}, how)
        finally:
            del self._open[here]
        own = [one for one in made if any(f.tensor == "carried" and f.places[0].expr is s for f in one.factors)]
        start = self.read(before, dtype, outside, how)
        if len(own) == 1 and own[0] == Addend(factors=own[0].factors[:1]):
            return (*start, *(one.where(below).over(s) for one in made if one is not own[0]))
        if own or turn is None or set(carried) & dependencies(after):
            raise NotReadable(f"what a loop carries, {marker}, is in one turn multiplied or chosen")
        first = Placed(eq(turn, 0))
        last = self.read(after, dtype, {**outside, t: simplify(turn - 1)}, how)
        if first.expr is FALSE:
            return last
        later = Placed(negation(first.expr))
        return (*(one.where(first) for one in start), *(one.where(later) for one in last))
