"""What one lane of any wave accesses, instruction by instruction: the elements of a trace, put together again."""

from __future__ import annotations

import functools
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from layoutalg.audit.undefined import is_undefined, unwritten_by_loops, where_guard_undefined, where_undefined
from layoutalg.index import FALSE, TRUE, ZERO, Expr, any_of, conjuncts, mod, simplify, variables
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.semantics.accesses import ACCESSES, needed_alignment
from layoutalg.isa.semantics.tensor import TENSOR_COPIES, TENSOR_STORES
from layoutalg.records import dataclass
from layoutalg.symex.loops.record import LoopRecord
from layoutalg.symex.machine.addresses import laid_out
from layoutalg.symex.machine.tracing import Order, TracedElement
from layoutalg.symex.uses import uses
from layoutalg.symex.values.instances import At, moved
from layoutalg.symex.values.unknowns import Kind, dependencies, kind_of

#: No tensors that are pointed to.
NOTHING: Mapping[str, Expr] = MappingProxyType({})


@dataclass(frozen=True)
class TracedAccess:
    """What one instruction moves at once for one lane: bytes from the start of a tensor, or of LDS."""

    instruction: Instruction
    store: bool
    memory: str  # a tensor's name, or `lds`
    offset: Expr
    own_offset: Expr  # the same; of what a loaded address points to from its own start, where offsets take all as one
    width: int  # bytes
    guard: Expr
    barriers: Expr
    undefined: Expr  # where its address, what is stored, or whether it happens may be made of what nothing wrote
    loops: tuple[Expr, ...] = ()  # the turns of the loops around it, the outermost first
    atomic: bool = False  # an atomic operation, which reads and stores at once
    moment: int = 0  # accesses of one, by one instruction, are made at once
    stored: tuple[Expr, ...] = ()  # the values that a store has, one after the other
    uniform: bool = False  # all lanes of a wave store these, in LDS
    spans: int = 0  # an access of LDS: the barriers that its wave passes, at most, while it is under way
    lands: bool = False  # what a load to LDS stores there, or a copy from there reads
    alone: bool = False  # and whether no other access of its wave to LDS is under way at the same time
    signalled: bool = False  # between the two parts of a barrier
    complete: bool = True  # no barrier finds it under way, where waves have first caches of their own
    invalidated: Expr = ZERO  # barriers that were passed where its wave's was invalidated last, or fewer
    parted: tuple[Expr, ...] = ()  # on which ways the barriers lay that perhaps not all waves of the block have passed
    used: Expr = TRUE  # of a load: where what it brings may reach a store or a branch
    loaded: tuple[Expr, ...] = ()  # and what it brings, one after the other
    order: Order | None = None  # where waves may know by atomic operations how far others are
    element: int = 4  # bytes of what its tensor is made of, no more than a dword
    late_loads: frozenset[int] = frozenset()  # of a store: scalar loads before it in the code that it may come before
    late_copies: frozenset[int] = frozenset()  # of memory: likewise copies from LDS before it in the code

    @property
    def in_step(self) -> bool:
        """Whether all waves of the block that come here have passed the same barriers of the code."""
        return not self.parted

    @property
    def in_order(self) -> bool:
        """Whether its wave's accesses of LDS behind it come after it: a load to LDS only where it is alone."""
        return not self.lands or self.alone

    @property
    def goes_apart(self) -> bool:
        """Whether it loads memory in no order with its thread's stores: a scalar load, or a copy to LDS by lane."""
        if self.memory == "lds" or self.store:
            return False
        access = ACCESSES.get(self.instruction.name)
        by_lane = access is not None and access.by_lane
        return self.instruction.form == "SMEM" or by_lane or self.instruction.name in TENSOR_COPIES

    @property
    def goes_back(self) -> bool:
        """Whether it is what a copy from LDS stores to memory, in no order with what its thread does there."""
        name = self.instruction.name
        copies = name in TENSOR_STORES or (name in ACCESSES and ACCESSES[name].from_lds)
        return self.memory != "lds" and copies

    @property
    def needed_alignment(self) -> int:
        """The bytes that its address must be a multiple of: in memory no more than an element of its tensor has.

        As amdhsa sets the machine up "any alignment is allowed (but atomics must still be aligned)" (RDNA 4 ISA, 9.5),
        and compilers join narrow elements so; an address within an element is not meant.
        """
        whole = needed_alignment(self.width, whole=self.atomic)
        strict = self.atomic or self.memory == "lds" or self.instruction.form == "SMEM"
        return whole if strict else min(whole, self.element)

    @property
    def signals(self) -> Expr:
        """To how many barriers its wave has said that it came, of which `barriers` it has passed."""
        return self.barriers + int(self.signalled)

    def __str__(self) -> str:
        verb = "updates" if self.atomic else "stores to" if self.store else "loads from"
        return f"{self.instruction.address:#x} {self.instruction.name.lower()} {verb} {self.memory}"


def accesses(
    trace: Sequence[TracedElement], loops: LoopRecord, pointees: Mapping[str, Expr] = NOTHING
) -> tuple[TracedAccess, ...]:
    """The accesses of a trace, whose elements are put together again, and what its loops hand from turn to turn.

    `pointees`: the bytes of each of what loaded addresses point to (`symex.machine.addresses`).
    An unknown that a loop made is, behind it, that of the last turn; here it says so (`LoopRecord.behind`).
    """
    found: list[TracedAccess] = []
    used = uses(trace, loops)
    unwritten = functools.cache(lambda lasting: unwritten_by_loops(loops.incoming, lasting))
    behind = functools.cache(lambda within: (loops.behind(within), dict[Expr, Expr]()))
    for one in trace:
        given = frozenset(conjuncts(one.guard))
        lasting = frozenset(part for part in given if _lasts(part, loops))
        undefined = where_guard_undefined(one.guard, unwritten(lasting))
        if is_undefined((one.offset,), unwritten(lasting), given):
            undefined = any_of(undefined, where_undefined(one.offset, unwritten(lasting)))
        if one.store and is_undefined((one.value,), unwritten(lasting), given):
            undefined = any_of(undefined, where_undefined(one.value, unwritten(lasting)))
        reaches = TRUE if one.store else used.get(one.value, FALSE)
        one, undefined, reaches = _settled(one, undefined, reaches, *behind(one.loops))
        stored = (one.value,) if one.store and not one.atomic else ()
        loaded = () if one.store else (one.value,)
        if one.within and found:
            whole = found[-1]
            found[-1] = replace(
                whole, undefined=any_of(whole.undefined, undefined), stored=(*whole.stored, *stored),
                uniform=whole.uniform and one.uniform, used=any_of(whole.used, reaches),
                loaded=(*whole.loaded, *loaded), order=_joined(whole.order, one.order),
            )  # fmt: skip
        else:
            offset = laid_out(one.offset, pointees)
            this = one.instruction, one.store, one.buffer, *offset, one.width, one.guard, one.barriers, undefined
            rest = one.loops, one.atomic, one.moment, stored, one.uniform, one.spans, one.lands, one.alone
            at = one.signalled, one.complete, one.invalidated, one.parted
            late = one.late_loads, one.late_copies
            found.append(TracedAccess(*this, *rest, *at, reaches, loaded, one.order, one.size, *late))
    return tuple(found)


def _settled(
    one: TracedElement, undefined: Expr, used: Expr, behind: At, done: dict[Expr, Expr]
) -> tuple[TracedElement, Expr, Expr]:
    """An element, where it is undefined and used, with all unknowns of the turns that they are of."""
    each = one.offset, one.guard, one.value, one.barriers, one.invalidated, undefined, used
    offset, guard, value, barriers, invalidated, undefined, used = (moved(e, behind, done) for e in each)
    order = one.order
    if order is not None:
        found, operands = (tuple(moved(e, behind, done) for e in of) for of in (order.found, order.operands))
        renewed, written = (moved(e, behind, done) for e in (order.renewed, order.written))
        order = replace(order, found=found, operands=operands, renewed=renewed, written=written)
    settled = replace(one, offset=offset, guard=guard, value=value, barriers=barriers, invalidated=invalidated)
    return replace(settled, order=order), undefined, used


def _joined(whole: Order | None, one: Order | None) -> Order | None:
    """What an access has to do with order, with one element more."""
    return whole and one and replace(whole, found=(*whole.found, *one.found))


def _lasts(condition: Expr, loops: LoopRecord) -> bool:
    """Whether a condition on a thread holds always where it holds once: it speaks of no turn and nothing unknown."""
    return all(kind_of(v) is None and v not in loops.counts for v in variables(condition))


def same_bytes(one: TracedAccess, other: TracedAccess, alike: Container[Expr]) -> bool:
    """Whether two stores leave the same where they meet: aligned ones of one value, made of what all have `alike`."""
    aligned = (simplify(mod(each.offset, each.width)) is ZERO for each in (one, other))
    same = one.stored and one.stored == other.stored and one.width == other.width
    given = (v for v in dependencies(*one.stored) if kind_of(v) is not Kind.RESULT)
    return bool(same) and all(v in alike for v in given) and all(aligned)
