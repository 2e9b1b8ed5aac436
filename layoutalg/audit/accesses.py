"""What one lane of any wave accesses, instruction by instruction, and the claims that need no other lane.

| claim | says, of every access that happens |
|---|---|
| `in_bounds` | its bytes lie in the tensor's memory, and those of a store in its elements |
| `lds_in_bounds` | its bytes lie in the LDS that the kernel and the launch ask for |
| `aligned` | its address is a multiple of what its instruction needs |
| `no_overflow` | no word of 32 or 64 bits that its address is made of was cut: see below |
| `read_only` | a tensor that the launch does not name under `writes` is not stored to |
| `defined` | what is stored, and whether and where it happens, is made of what was given, loaded or computed |

A word that a sum or product does not fit in is followed modulo 2ⁿ; where its value is looked at, and is not seen to be
in range (without a sign or with one, as the code takes it), the remainder stands in the address.  So an address without
such remainders is the number that its indices make, and `no_overflow` says that each remainder changes nothing.  Of
what is made of loaded data it says so where the remainder is the index itself, and nothing of a word that goes on into
other operations (hashes wrap), or that is the loaded one.  It fails where sizes and indices alone show it: the
remainder is what the machine computes there, so no run is needed, which at such sizes would be long.

A word does not say whether its upper half stands for negative numbers: `n - 1` is n + 4294967295 there.  So a number
that is cut has readings, by what its coefficients and its constant are.  It is uncut where one reading is in range in
all cases (n + 4294967295 in one case and n − 1 in another is a wrap), and is cut where none of them is in range.

What a loop hands from turn to turn is an unknown at its head.  It is `defined` where what the register held before the
loop is, and what each turn leaves there; of this, what a thread's lasting conditions (its place, sizes) choose.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from layoutalg.index import (
    FALSE,
    TRUE,
    ZERO,
    Expr,
    all_of,
    any_of,
    budget,
    conjuncts,
    eq,
    mod,
    negation,
    postorder,
    simplify,
    variables,
)  # fmt: skip
from layoutalg.index.normal import normal
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.semantics.accesses import needed_alignment
from layoutalg.launch.symbolic import KernelLaunch
from layoutalg.symex.loops.invariants import Loops
from layoutalg.symex.machine.state import TracedElement
from layoutalg.symex.uses import uses
from layoutalg.symex.values.instances import moved, origin_of
from layoutalg.symex.values.modular import outermost, readings, remainders
from layoutalg.symex.values.unknowns import Kind, arguments_of, dependencies, kind_of

LDS = "lds"

#: What words are cut to.
WORDS = (1 << 32, 1 << 64)


@dataclass(frozen=True)
class TracedAccess:
    """What one instruction moves at once for one lane: bytes from the start of a tensor, or of LDS."""

    instruction: Instruction
    store: bool
    memory: str  # a tensor's name, or `lds`
    offset: Expr
    width: int  # bytes
    guard: Expr
    barriers: Expr
    undefined: Expr  # where its address, what is stored, or whether it happens may be made of what nothing wrote
    loops: tuple[Expr, ...] = ()  # the turns of the loops around it, the outermost first
    atomic: bool = False  # an atomic operation, which reads and stores at once
    moment: int = 0  # accesses of one, by one instruction, are made at once
    stored: tuple[Expr, ...] = ()  # the values that a store has, one after the other
    uniform: bool = False  # all lanes of a wave store these, in LDS
    lands: int | None = None  # a load to LDS: the barriers that its wave passes, at most, while it is under way
    alone: bool = False  # and whether no other access of its wave to LDS is under way at the same time
    signalled: bool = False  # between the two parts of a barrier
    used: Expr = TRUE  # of a load: where what it brings may reach a store or a branch

    @property
    def signals(self) -> Expr:
        """To how many barriers its wave has said that it came, of which `barriers` it has passed."""
        return self.barriers + int(self.signalled)

    def __str__(self) -> str:
        verb = "updates" if self.atomic else "stores to" if self.store else "loads from"
        return f"{self.instruction.address:#x} {self.instruction.name.lower()} {verb} {self.memory}"


@dataclass(frozen=True)
class AccessQuestion:
    """One formula of a claim: in all cases that are given, the goal."""

    claim: str
    about: str
    goal: Expr
    given: Expr
    readings: tuple[Expr, ...] = ()  # of words: each shows the claim by itself, and where the goal fails none holds


def accesses(trace: Sequence[TracedElement], loops: Loops) -> tuple[TracedAccess, ...]:
    """The accesses of a trace, whose elements are put together again, and what its loops hand from turn to turn.

    An unknown that a loop made is, behind it, that of the last turn; here it says so (`Loops.behind`).
    """
    found: list[TracedAccess] = []
    used = uses(trace, loops)
    unwritten = functools.cache(lambda lasting: _handed_unwritten(loops.handed, lasting))
    for one in trace:
        given = frozenset(conjuncts(one.guard))
        lasting = frozenset(part for part in given if _lasts(part, loops))
        undefined: Expr = TRUE if is_undefined((one.guard,), unwritten(lasting), frozenset()) else FALSE
        if is_undefined((one.offset,), unwritten(lasting), given):
            undefined = any_of(undefined, _where_undefined(one.offset, unwritten(lasting)))
        if one.store and is_undefined((one.value,), unwritten(lasting), given):
            undefined = any_of(undefined, _where_undefined(one.value, unwritten(lasting)))
        reaches = TRUE if one.store else used.get(one.value, FALSE)
        one, undefined, reaches = _settled(one, undefined, reaches, loops)
        stored = (one.value,) if one.store and not one.atomic else ()
        if one.within and found:
            whole = found[-1]
            found[-1] = replace(
                whole, undefined=any_of(whole.undefined, undefined), stored=(*whole.stored, *stored),
                uniform=whole.uniform and one.uniform, used=any_of(whole.used, reaches),
            )  # fmt: skip
        else:
            this = one.instruction, one.store, one.buffer, one.offset, one.width, one.guard, one.barriers, undefined
            rest = one.loops, one.atomic, one.moment, stored, one.uniform, one.lands, one.alone
            found.append(TracedAccess(*this, *rest, signalled=one.signalled, used=reaches))
    return tuple(found)


def _settled(one: TracedElement, undefined: Expr, used: Expr, loops: Loops) -> tuple[TracedElement, Expr, Expr]:
    """An element, where it is undefined and used, with all unknowns of the turns that they are of."""
    behind, done = loops.behind(one.loops), dict[Expr, Expr]()
    terms = (moved(e, behind, done) for e in (one.offset, one.guard, one.value, one.barriers, undefined, used))
    offset, guard, value, barriers, undefined, used = terms
    return replace(one, offset=offset, guard=guard, value=value, barriers=barriers), undefined, used


def _lasts(condition: Expr, loops: Loops) -> bool:
    """Whether a condition on a thread holds always where it holds once: it speaks of no turn and nothing unknown."""
    return all(kind_of(v) is None and v not in loops.expected for v in variables(condition))


def _handed_unwritten(handed: Mapping[Expr, Sequence[Expr]], given: frozenset[Expr]) -> frozenset[Expr]:
    """What loops hand on in such threads that is, before a loop or behind a turn, made of what nothing wrote."""
    found: frozenset[Expr] = frozenset()
    while True:
        more = {v for v, held in handed.items() if v not in found and is_undefined(held, found, given)}
        if not more:
            return found
        found |= more


def is_undefined(values: Sequence[Expr], unwritten: frozenset[Expr], given: frozenset[Expr]) -> bool:
    """Whether values may be made of what nothing wrote; of a choice counts what is chosen, where that is seen."""
    inside: dict[Expr, bool] = {}  # what is made of it whatever is chosen: of nothing else are choices looked at
    seen: dict[tuple[Expr, frozenset[Expr]], bool] = {}

    def here(e: Expr) -> bool:
        return e.op == "var" and (kind_of(e) is Kind.UNDEFINED or e in unwritten)

    def holds(e: Expr) -> bool:
        if e not in inside:
            inside[e] = here(e) or any(map(holds, (*e.args, *arguments_of(e))))
        return inside[e]

    def undefined(e: Expr, known: frozenset[Expr]) -> bool:
        if not holds(e):
            return False
        if (e, known) not in seen:
            budget.check()
            seen[e, known] = here(e) or any(undefined(part, beside) for part, beside in _parts(e, known))
        return seen[e, known]

    return any(undefined(e, given) for e in values)


def _where_undefined(value: Expr, unwritten: frozenset[Expr]) -> Expr:
    """Where a value may be made of what nothing wrote: where its choices choose such, or depend on it."""
    seen: dict[Expr, Expr] = {}
    for e in postorder(value):
        if e.op == "select":
            condition, chosen, other = e.args
            ways = all_of(condition, seen[chosen]), all_of(negation(condition), seen[other])
            seen[e] = any_of(seen[condition], *ways)
        else:
            made_of = any(is_undefined((part,), unwritten, frozenset()) for part in arguments_of(e))
            here = e.op == "var" and (kind_of(e) is Kind.UNDEFINED or e in unwritten or made_of)
            seen[e] = TRUE if here else any_of(*(seen[part] for part in e.args))
    return seen[value]


def _parts(e: Expr, known: frozenset[Expr]) -> Iterator[tuple[Expr, frozenset[Expr]]]:
    """What a value is made of where these conditions hold, each part with what holds where it counts."""
    if e.op != "select":
        yield from ((part, known) for part in (*e.args, *arguments_of(e)))
        return
    condition, chosen, other = e.args
    holds, fails = set(conjuncts(condition)) <= known, negation(condition) in known
    if not (holds or fails):
        yield condition, known
    if not fails:
        yield chosen, known | set(conjuncts(condition))
    if not holds:
        yield other, known | {negation(condition)}


def questions(
    found: Sequence[TracedAccess],
    launched: KernelLaunch,
    loaded: Container[Expr] = (),
    cuts: Collection[tuple[int, int]] = (),
) -> Iterator[AccessQuestion]:
    """What is to be decided of each access by itself.

    `loaded` are the unknowns that stand for data; `cuts`, how what was cut to words is written.
    """
    for access in found:
        in_lds = access.memory == LDS
        given, about = all_of(launched.given, access.guard), str(access)
        if in_lds:
            inside = all_of(access.offset >= 0, access.offset + access.width <= launched.lds_bytes)
        else:
            inside = launched.tensors[access.memory].inside(access.offset, access.width, access.store)
        yield AccessQuestion("lds_in_bounds" if in_lds else "in_bounds", about, inside, given)
        needed = needed_alignment(access.width, whole=access.atomic)
        if needed > 1:
            yield AccessQuestion("aligned", about, eq(mod(access.offset, needed), 0), given)
        yield AccessQuestion("no_overflow", about, *_uncut(access.offset, given, loaded, cuts))
        if access.store and not in_lds and not launched.tensors[access.memory].written:
            yield AccessQuestion("read_only", about, FALSE, given)
        if access.undefined is not FALSE:
            yield AccessQuestion("defined", about, negation(access.undefined), given)


def same_bytes(one: TracedAccess, other: TracedAccess, alike: Container[Expr]) -> bool:
    """Whether two stores leave the same where they meet: aligned ones of one value, made of what all have `alike`."""
    aligned = (simplify(mod(each.offset, each.width)) is ZERO for each in (one, other))
    same = one.stored and one.stored == other.stored and one.width == other.width
    given = (v for v in dependencies(*one.stored) if kind_of(v) is not Kind.RESULT)
    return bool(same) and all(v in alike for v in given) and all(aligned)


def _uncut(
    offset: Expr, given: Expr, loaded: Container[Expr], cuts: Collection[tuple[int, int]]
) -> tuple[Expr, Expr, tuple[Expr, ...]]:
    """Whether what is cut to a word in an offset is in range, but for what was loaded: the rest of its question."""
    indices = {node.args[0] for node, _ in outermost(offset) if node.op in ("mod", "div") and _is_sum(node.args[0])}
    found = [
        _in_word(x, n, factor, _above(offset, factor * n))
        for x, factor, n in remainders(offset)
        if (n in WORDS or any(n == size and factor % each == 0 for each, size in cuts))
        and (not _of_loaded(x, loaded) or (x in indices and not (n in WORDS and _is_loaded(x))))
    ]
    if not all(found):
        return TRUE, given, (FALSE,)  # readings too many to say which holds
    as_written, nearest = (all_of(*(ways[k] for ways in found)) for k in (0, -1))
    somehow = all_of(*(any_of(*ways) for ways in found))
    return somehow, given, () if nearest is as_written else (nearest, as_written)


def _of_loaded(x: Expr, loaded: Container[Expr]) -> bool:
    return any(origin_of(v) in loaded for v in dependencies(x))


def _is_sum(x: Expr) -> bool:
    """Whether a word is a sum of products of what was given or loaded: an index, and no hash of them."""
    return all(node.op in ("var", "const", "add", "mul") for node in postorder(x))


def _is_loaded(x: Expr) -> bool:
    """Whether a word is of unknowns alone."""
    return all(kind_of(v) is not None for v in variables(x))


def _above(offset: Expr, size: int) -> Expr:
    """What of a sum is a multiple of a size: the upper word, of which a remainder is the lower one."""
    return sum((node * k for node, k in outermost(offset) if k % size == 0 and node.op != "div"), start=ZERO)


def _in_word(x: Expr, size: int, factor: int, above: Expr) -> list[Expr]:
    """That a number is not changed by a cut, by each of its readings; with its sign, where half the size is added.

    Or the upper word has what was cut off, as a carry or a borrow.
    """
    half = size // 2 if normal(x).terms.get((), 0) == size // 2 else 0
    ways = readings(simplify(x - half), size)
    within = (all_of(one + half >= 0, one + half < size) for one in ways)
    if above is ZERO:
        return list(within)
    return [
        any_of(here, eq(mod(x, size) * factor + above, (one + half) * factor))
        for one, here in zip(ways, within, strict=True)
    ]
