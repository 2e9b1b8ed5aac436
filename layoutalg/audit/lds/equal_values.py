"""Whether two threads store the same: their values in a normal form, made of what the block loads, lane by lane.

A sum across lanes leaves every lane the same bits, where each adds the same numbers in the same tree: of a butterfly

    lane 0: (a₀ + a₁) + (a₂ + a₃)        lane 2: (a₂ + a₃) + (a₀ + a₁)

since a + b is b + a to the bit; of a greatest or least of several also where they are taken in another order.  Not so
where lanes add in a ring, ((a₀ + a₁) + a₂) + a₃ and ((a₁ + a₂) + a₃) + a₀:
these are equal over the reals alone, and have two forms.

| a term has | in the form of thread n of the block |
|---|---|
| indices of the thread | its numbers, which decide most choices |
| a function's result | the same function of what its operands are there |
| what lane m has | what it is in that lane's thread |
| an element of a matrix product | the same function of the lane and of what any lane of the wave has of A, B and C |
| what was loaded | what is there; of what is stored to, for this instruction in its epoch (1) |
| what a loop carries | its class and the iteration: of threads with one form before the loop and behind each turn |
| anything else | its own |

(1) Of memory where some wave waits for another's store: its own.  A store may lie between two waves' loads by one
instruction in one epoch: behind the one, whose wave stores, and before the other, whose wave has waited for that.

What one instruction loads of one place in one epoch is the same for all threads of a block, where no accesses race: a
store between two of its loads would be ordered behind the one and before the other, and barriers are not so.
Classes are found by trying: all threads whose value before the loop has one form are taken for one, and parted until a
turn parts none any more, so that by induction those of one class have the same at the head of every iteration.
What it cannot represent: threads that have the same in different iterations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from itertools import pairwise
from math import prod

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.epochs import in_one_epoch
from layoutalg.audit.lds.block import BlockThreads
from layoutalg.audit.lds.tables import MOST_ITERATIONS, LdsRow, boxes, joint_periods
from layoutalg.index import Expr, budget, const, simplify, variables
from layoutalg.launch.symbolic import LDS
from layoutalg.symex.loops.record import Carried
from layoutalg.symex.machine.wave_unknowns import ELSEWHERE
from layoutalg.symex.trace import Trace
from layoutalg.symex.uses import is_of_its_lane
from layoutalg.symex.values.instances import moved, origin_of, others, place_of
from layoutalg.symex.values.uninterpreted import UninterpretedFunctions
from layoutalg.symex.values.unknowns import Kind, arguments_of, dependencies, function_of, kind_of, unknown_value

#: The greatest and the least of two: by IEEE 754 of any two in any order, but for NaNs that signal.
EXTREMES = frozenset(f"{name}_{kind}" for name in ("max", "min") for kind in ("f16", "f32", "f64"))

#: Operations whose results are no NaNs that signal.
QUIET = ("add", "sub", "mul", "fma", "max", "min")

#: How often classes of threads are parted by a turn of a loop, at most.
MOST_ROUNDS = 8

Placed = tuple[Expr, int]
"""A term, and the thread of the block whose it is; −1 − n of any lane of wave n, by the lane."""


class ThreadValues:
    """Terms of a trace, each in the form that it has for a thread of the block."""

    def __init__(self, block: BlockThreads, trace: Trace) -> None:
        self.block, self.functions = block, UninterpretedFunctions()
        self._loads = {one.value: one for one in trace.elements if not one.store}
        self._carried, self._waits = trace.loops.carried, bool(trace.loops.waits)
        self._forms: dict[Placed, Expr] = {}  # of variables
        self._classes: dict[Expr, Sequence[int]] = {}  # of what loops carry: of each thread
        self._ranks: dict[Expr, int] = {}  # an order of terms
        self._quiet: set[Expr] = set()  # forms of what loops carry that are no f32 that signals
        self._before: Mapping[Expr, Expr] = {}  # another block, where it is not any

    def _where(self, classes: Mapping[Expr, Sequence[int]]) -> ThreadValues:
        """Those where these are the classes of what loops carry."""
        taken = copy(self)
        taken._forms, taken._classes = {}, {**self._classes, **classes}
        return taken

    def in_blocks_before(self, blocks: Mapping[Expr, int]) -> ThreadValues:
        """Those of the block that is so far before any, along each axis: their forms may be compared with any other's.

        Of memory that is stored to, and what loops carry, a form is of its block.
        """
        taken = copy(self)
        taken._forms, taken._before = {}, {b: simplify(b - n) for b, n in blocks.items()}
        return taken

    def of(self, e: Expr, thread: int) -> Expr:
        """The form of a term."""
        left = self._missing(thread, e)
        while left:
            v, here = left[-1]
            found = self._forms[v, here] if (v, here) in self._forms else self._form(v, here)
            if isinstance(found, Expr):
                self._forms[left.pop()] = found
            else:
                left += found
        return self._placed(e, thread)

    def _missing(self, thread: int, *exprs: Expr) -> list[Placed]:
        return [(v, thread) for v in variables(*exprs) if (v, thread) not in self._forms]

    def _placed(self, e: Expr, thread: int) -> Expr:
        return simplify(moved(e, {v: self._forms[v, thread] for v in variables(e)}))

    def _form(self, v: Expr, thread: int) -> Expr | list[Placed]:
        """That of a variable; or what must be known first."""
        budget.check()
        arguments, at = arguments_of(v), self._at(thread)
        if origin_of(v) in self._carried and thread >= 0:
            return self._in_class(v, thread)
        if kind_of(v) is None or not (arguments or origin_of(v) in self._loads):
            return moved(v, at)
        if kind_of(v) is Kind.RESULT and not is_of_its_lane(v):
            return self._of_the_wave(v, thread)
        if missing := self._missing(thread, *(arguments[1:] if function_of(v) == ELSEWHERE else arguments)):
            return missing
        if origin_of(v) in self._loads:
            return self._loaded(v, thread)
        if is_of_its_lane(v):
            return self._applied(function_of(v), [self._placed(e, thread) for e in arguments])
        if function_of(v) == ELSEWHERE:
            found = self._elsewhere(arguments[0], self._placed(arguments[1], thread), thread)
            return moved(v, at) if found is None else found
        if function_of(v) == "lshr":
            word, places, limit = (self._placed(e, thread) for e in arguments[:3])
            if word.op == places.op == limit.op == "const" and 0 <= word.value < limit.value and places.value >= 0:
                return const(int(word.value) >> int(places.value))
        return moved(v, at)

    def _applied(self, name: str, arguments: Sequence[Expr]) -> Expr:
        """What a function is of these; the greatest or least of several numbers is one of them all."""
        if name not in EXTREMES:
            return self.functions.apply(name, *arguments)
        inner = (arguments_of(e) if e.op == "var" and function_of(e) == name else (e,) for e in arguments)
        parts = [part for parts in inner for part in parts]
        if not all(self._is_quiet(part, name) for part in parts):
            return self.functions.apply(name, *arguments)
        each = sorted(dict.fromkeys(parts), key=lambda e: self._ranks.setdefault(e, len(self._ranks)))
        return self.functions.apply(name, *each) if len(each) > 1 else each[0]

    def _is_quiet(self, e: Expr, name: str, taken: frozenset[Expr] = frozenset()) -> bool:
        """Whether a number of a function's type is no NaN that signals, which a greatest of two makes a quiet one."""
        kind = name.partition("_")[2]
        if e.op == "const":
            return not signals(int(e.value), kind)
        if e.op == "select":
            return all(self._is_quiet(way, name, taken) for way in e.args[1:])
        if e.op == "mod" and e.args[1] is const(1 << int(kind[1:]) - 1) and e.args[0].hi < 2 << int(kind[1:]) - 1:
            return self._is_quiet(e.args[0], name, taken)  # without its sign
        if e.op != "var" or e in self._quiet:
            return e in self._quiet
        if kind_of(e) is Kind.RESULT:
            return function_of(e) in {f"{operation}_{kind}" for operation in QUIET}
        one = self._carried.get(e)
        if one is None or e in taken:
            return e in taken
        return all(self._is_quiet(held, name, taken | {e}) for held in (one.before, one.after))

    def _in_class(self, v: Expr, thread: int) -> Expr | list[Placed]:
        """What a loop carries: of the thread's class, in its iteration."""
        place, own = place_of(v), self.block.coordinates(thread)
        iterations = {c: e for c, e in place.items() if c not in own}
        if any(place.get(c, c) is not c for c in own):
            return moved(v, self._at(thread))
        if missing := self._missing(thread, *iterations.values()):
            return missing
        if origin_of(v) not in self._classes:
            self._classes |= self._settled(origin_of(v))
        at = (*(self._placed(e, thread) for e in iterations.values()), *self._block)
        name = f"{origin_of(v)} of threads as {self._classes[origin_of(v)][thread]}"
        found = unknown_value(f"{name} at {at}", int(v.hi) + 1, Kind.DATA, None, name, at)
        if self._is_quiet(origin_of(v), "max_f32"):
            self._quiet.add(found)
        return found

    def _settled(self, v: Expr) -> dict[Expr, Sequence[int]]:
        """The classes of what a loop carries, and of all that it carries of which an iteration makes it."""
        members, left = dict[Expr, Carried](), [v]
        while left:
            one = self._carried[left.pop()]
            if one.loop is self._carried[v].loop and one.unknown not in members and one.unknown not in self._classes:
                members[one.unknown] = one
                left += [u for u in map(origin_of, dependencies(one.after)) if u in self._carried]
        threads = range(self.block.count)
        classes = {u: _numbered([self.of(one.before, n) for n in threads]) for u, one in members.items()}
        for _ in range(MOST_ROUNDS):
            taken = self._where(classes)
            ends = {u: [(classes[u][n], taken.of(one.after, n)) for n in threads] for u, one in members.items()}
            parted = {u: _numbered(held) for u, held in ends.items()}
            if parted == classes:
                return classes
            classes = parted
        return dict.fromkeys(members, threads)  # each by itself

    def _at(self, thread: int) -> dict[Expr, Expr]:
        at = self.block.coordinates(thread) if thread >= 0 else self.block.in_wave(-1 - thread)
        return {**at, **self._before}

    @property
    def _block(self) -> tuple[Expr, ...]:
        return tuple(self._before.get(b, b) for b in self.block.launched.blocks)

    def _of_the_wave(self, v: Expr, thread: int) -> Expr | list[Placed]:
        """An element of a matrix product, in which all lanes of the wave take part."""
        size, arguments = self.block.wave_size, arguments_of(v)
        if self.block.count % size:
            return moved(v, self._at(thread))
        lane = self.block.lane if thread < 0 else const(thread % size)
        wave = thread if thread < 0 else -1 - thread // size
        if missing := self._missing(wave, *arguments):
            return missing
        return self.functions.apply(function_of(v), *(self._placed(e, wave) for e in arguments), lane)

    def _elsewhere(self, held: Expr, lane: Expr, thread: int) -> Expr | list[Placed] | None:
        """What the lane of a number has; None where it is none, or has no thread."""
        if lane.op != "const" or thread < 0:
            return None
        size = self.block.wave_size
        there = thread // size * size + int(lane.value) % size
        return (self._missing(there, held) or self._placed(held, there)) if there < self.block.count else None

    def _loaded(self, v: Expr, thread: int) -> Expr | list[Placed]:
        """What was loaded: by its place, and of what is stored to by its instruction, epoch and iterations."""
        load, place = self._loads[origin_of(v)], place_of(v)
        tensor = self.block.launched.tensors.get(load.buffer)
        never_stored = tensor is not None and not tensor.written
        by_barriers = load.buffer == LDS or not self._waits
        if not load.buffer or load.atomic or not (never_stored or by_barriers):
            return moved(v, self._at(thread))
        when, name = (load.barriers, *load.loops), f"{origin_of(v)}"
        if never_stored:
            when, name = (), f"{load.size} bytes of {load.buffer}"
        terms = [moved(e, place) for e in (load.offset, *when)]
        if missing := self._missing(thread, *terms):
            return missing
        at = tuple(self._placed(e, thread) for e in terms)
        at = at if not when else (*at, *self._block)
        return unknown_value(f"{name} at {at}", int(v.hi) + 1, Kind.DATA, None, name, at)


def signals(word: int, kind: str) -> bool:
    """Whether a number is a NaN that signals: without the highest bit of its fraction.

    >>> signals(0x7F800001, "f32"), signals(0x7FC00000, "f32"), signals(0xFF800000, "f32")
    (True, False, False)
    """
    fraction = {"f16": 10, "f32": 23, "f64": 52}[kind]
    exponent = (1 << {"f16": 5, "f32": 8, "f64": 11}[kind]) - 1
    is_nan = word >> fraction & exponent == exponent and bool(word & (1 << fraction) - 1)
    return is_nan and not word >> fraction - 1 & 1


def _numbered(held: Sequence[object]) -> Sequence[int]:
    """Of each the number of the first that is the same."""
    first: dict[object, int] = {}
    return [first.setdefault(one, n) for n, one in enumerate(held)]


def store_alike(one: LdsRow, other: LdsRow, values: ThreadValues) -> bool:
    """Whether all threads that two accesses let store to one place in one epoch store the same there."""
    a, b = one.access, other.access
    if a.spans or b.spans:
        return False  # those of another epoch may meet
    turns = others(b.loops)
    solved = in_one_epoch(a.barriers, b.barriers, a.loops, turns, values.block.threads)
    if a.loops != b.loops or solved is None or any(solved.get(turns[t]) is not t for t in a.loops):
        return False  # in iterations of their own, what they load may differ
    if prod(joint_periods([one, other]).values()) > MOST_ITERATIONS:
        return False
    if not _stored(one) or len(_stored(one)) != len(_stored(other)):
        return False  # nothing is known of what one of them stores
    return a.width == b.width and all(_alike(rows, values) for rows in _each_iteration(one, other))


def _each_iteration(one: LdsRow, other: LdsRow) -> Iterator[list[tuple[LdsRow, int, int]]]:
    """Both accesses' threads, and where the bytes of each begin, in the order of these."""
    for at in boxes(joint_periods([one, other])):
        found: list[tuple[LdsRow, int, int]] = []
        for row in dict.fromkeys((one, other)):
            lanes, starts = row.at(at)
            found += [(row, lane, start) for lane, start in zip(lanes.tolist(), starts.tolist(), strict=True)]
        yield sorted(found, key=lambda placed: placed[2])


def _stored(row: LdsRow) -> tuple[Expr, ...]:
    assert isinstance(row.access, TracedAccess)
    return row.access.stored


def _alike(placed: Sequence[tuple[LdsRow, int, int]], values: ThreadValues) -> bool:
    """Whether those that begin at one byte store the same, and no others have bytes in common."""
    for (row, lane, start), (beside, beside_lane, beside_start) in pairwise(placed):
        if start == beside_start:
            pairs = zip(_stored(row), _stored(beside), strict=True)
            if any(values.of(mine, lane) is not values.of(its, beside_lane) for mine, its in pairs):
                return False
        elif beside_start - start < row.access.width:
            return False
    return True
