"""What memory accesses cost a wave, thread by thread: LDS cycles and segments of global memory, beside the least.

An instruction is priced once, by all that it moves for a lane (`Priced`).  An address is a part that all lanes have
alike and a part that depends on the lane; the second is enumerated, and the first may be any that its factors leave.

| an access of | counts | the part that is alike is looked at modulo |
|---|---|---|
| LDS | cycles of the phases (`memory.banks`); least: one each | a dword: whole ones turn the banks |
| a tensor | segments touched (`memory.coalescing`); least: what holds the bytes | a segment |

| lanes take part | where |
|---|---|
| always | the thread alone says so |
| up to one, whichever | a condition says that a number of the lane is below one of sizes: each is looked at |
| as is assumed in the verdict | anything else says it, of each lane by itself |

Fewer lanes never meet in a bank where more do not, so the last two matter for segments alone.
Tensors are taken to begin at a segment, which is an assumption of the verdict where it matters: HIP's allocations do,
and a slice of one need not.
What it cannot represent: lanes that lie apart by sizes, or by what was loaded; these costs are not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import gcd, prod

import numpy as np
from numpy.typing import NDArray

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.epochs import own_variables
from layoutalg.audit.lds.block import BlockThreads, Ints
from layoutalg.index import TRUE, ZERO, Expr, all_of, conjuncts, simplify, slack
from layoutalg.index.normal import normal
from layoutalg.isa.run.cycles import LdsMeter
from layoutalg.isa.semantics.accesses import access_of
from layoutalg.isa.semantics.tensor import TENSOR_COPIES
from layoutalg.launch.symbolic import LDS, KernelLaunch
from layoutalg.memory.coalescing import fewest, segments
from layoutalg.prove import Proved, Refuted, Unknown, Verdict, Witness
from layoutalg.records import dataclass
from layoutalg.symex.machine.arguments import ALIGNED
from layoutalg.symex.values.instances import moved, own_coordinates
from layoutalg.symex.values.unknowns import kind_of
from layoutalg.target import target
from layoutalg.target.model import DWORD

#: What the cost of an access may rest on besides.
ALL_LANES = "what else than a lane's place and sizes guards an access holds for all lanes of a wave, or none"

#: Sets of lanes of which one instruction's cost is looked at, at most.
MOST_SETS = 1 << 11

#: Numbers of sizes are told apart without their constant where it is less: int64 holds what lanes need then.
MOST_APART = 1 << 62

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Fact:
    """What an instruction costs all waves of a block, at best and at worst, beside the least that could do."""

    memory: str  # a tensor's name, or `lds`
    about: str
    unit: str
    best: int = 0
    worst: int = 0
    least: int = 0
    why: str = ""  # it is not known
    doubts: tuple[str, ...] = ()  # what it rests on
    partly: str = ""  # what it costs where some lanes alone take part, if that is not the least

    @property
    def verdict(self) -> Verdict:
        """That the instruction costs the least."""
        claim = f"{self.about}: the least {self.unit}"
        if self.why:
            return Unknown(claim, "table", 0.0, (), self.why)
        if self.worst == self.least and not self.partly:
            return Proved(claim, "table", 0.0, self.doubts)
        if self.best == self.least:
            return Unknown(claim, "table", 0.0, (), self.partly or str(self))
        return Refuted(claim, "table", 0.0, self.doubts, Witness((), str(self)))

    def __str__(self) -> str:
        if self.why:
            return f"{self.about}: not known: {self.why}"
        cost = f"{self.best}" if self.best == self.worst else f"{self.best} to {self.worst}"
        return f"{self.about}: {cost} {self.unit} of all waves of a block, the least are {self.least}"


def facts(found: Sequence[TracedAccess], launched: KernelLaunch) -> Iterator[Fact]:
    """The cost of each instruction of lanes, as far as it depends on the lane alone; each once."""
    block = BlockThreads(launched)
    yield from dict.fromkeys(fact_of(block, parts) for parts in instructions(found))


def instructions(found: Sequence[TracedAccess]) -> Iterator[Sequence[TracedAccess]]:
    """What each instruction moves at once: the parts of one that lie a constant apart, of one memory."""
    made: dict[tuple[int, int, str], list[list[TracedAccess]]] = {}
    for access in found:
        together = made.setdefault((access.instruction.address, access.moment, access.memory), [])
        near = (parts for parts in together if simplify(access.offset - parts[0].offset).op == "const")
        parts = next(near, None)
        if parts is None:
            together.append([access])
        else:
            parts.append(access)
    for together in made.values():
        for parts in together:
            instruction = parts[0].instruction
            if instruction.name in TENSOR_COPIES:
                continue  # of which no source says what they cost
            if access_of(instruction.name, instruction.fields).space != "constant":
                yield parts


def fact_of(block: BlockThreads, parts: Sequence[TracedAccess]) -> Fact:
    """What one instruction costs, by all that it moves at once."""
    access = parts[0]
    in_lds = access.memory == LDS
    fact = Fact(access.memory, str(access), "cycles" if in_lds else "segments")
    how = access_of(access.instruction.name, access.instruction.fields)
    if in_lds and (how.transposed or how.to_lds):
        what = "loads that transpose" if how.transposed else "loads to LDS"
        return replace(fact, why=f"no source says what {what} cost in LDS")
    try:
        alike, first = lanes_apart(block, access)
    except NotApartError as error:
        return replace(fact, why=str(error))
    apart = [first, *(simplify(one.offset - alike) for one in parts[1:])]
    lanes = _Lanes.of(block, [one.guard for one in parts])
    if not lanes.always.any():
        return fact
    try:
        priced = _Priced(block, access, np.stack([_waves(block, one) for one in apart]), lanes)
    except OverflowError:
        return replace(fact, why="its lanes lie 2⁶³ bytes apart, or more")
    return priced.cycles(fact, alike) if in_lds else priced.segments(fact, alike)


class NotApartError(ValueError):
    """How lanes lie beside each other is not seen; says why."""


def lanes_apart(block: BlockThreads, access: TracedAccess) -> tuple[Expr, Expr]:
    """Where an access begins: a part that all lanes of a block have alike, and one of the thread alone.

    Raises `NotApartError`.
    """
    if access.own_offset is not access.offset:
        raise NotApartError("where tensors begin that loaded addresses point to is not known")
    alike = simplify(moved(access.offset, dict.fromkeys(block.threads, ZERO)))
    apart = simplify(access.offset - alike)
    if not own_variables(apart) <= set(block.threads):
        raise NotApartError(f"its lanes lie {apart} bytes apart")
    if any(kind_of(v) is not None for v in own_variables(alike)):
        raise NotApartError("what was loaded says where its lanes are")
    return alike, apart


def _waves(block: BlockThreads, e: Expr) -> Ints:
    """A value for each lane of each wave; 0 of lanes beyond the block."""
    values = np.zeros(-(-block.count // block.wave_size) * block.wave_size, np.int64)
    (values[: block.count],) = block.values([e])
    return values.reshape(-1, block.wave_size)


@dataclass(frozen=True)
class _Lanes:
    """The lanes that take part in each part of an instruction: axes part, wave and lane."""

    always: Bools  # as the thread alone says
    needs: Mapping[Expr, Mapping[int, Ints]]  # a number of sizes → of each part, what its lanes need it to be at least
    assumed: bool  # whether anything else says so

    @classmethod
    def of(cls, block: BlockThreads, guards: Sequence[Expr]) -> _Lanes:
        """Those that guards leave, one of each part."""
        threads, assumed = set(block.threads), False
        always: list[Bools] = []
        needs: dict[Expr, dict[int, Ints]] = {}
        for number, guard in enumerate(guards):
            own = [part for part in conjuncts(guard) if own_variables(part) <= threads]
            always.append(_waves(block, all_of(TRUE, *own)).astype(np.bool_))
            for part in conjuncts(guard):
                if own_variables(part) <= threads or threads.isdisjoint(own_coordinates(part, alike=())):
                    continue  # of threads alone, or the same for all lanes
                split = _split(block, part)
                if split is None:
                    assumed = True
                    continue
                sizes, need = split
                before = needs.setdefault(sizes, {}).get(number, need)
                needs[sizes][number] = np.maximum(need, before)
        return cls(np.stack(always), needs, assumed)

    def sets(self, wave: int) -> Bools | None:
        """Each set of a wave's lanes that takes part for some sizes: axes set, part, lane; None where too many do."""
        needs = [{number: need[wave] for number, need in each.items()} for each in self.needs.values()]
        steps = [sorted({*np.stack([*each.values()]).flat}) for each in needs]
        if prod(map(len, steps)) > MOST_SETS:
            return None
        found = [self.always[:, wave].copy() for _ in range(prod(map(len, steps)))]
        for one, limits in zip(found, product(*steps), strict=True):
            for each, limit in zip(needs, limits, strict=True):
                for number, need in each.items():
                    one[number] &= need <= limit
        return np.stack(found)


def _split(block: BlockThreads, part: Expr) -> tuple[Expr, Ints] | None:
    """A number of sizes alone, and how great each lane needs it to be; None where a condition says something else."""
    room = slack(part)
    if room is None:
        return None
    sizes = simplify(moved(room, dict.fromkeys(block.threads, ZERO)))
    lane = simplify(room - sizes)
    if not own_variables(lane) <= set(block.threads) or any(kind_of(v) is not None for v in own_variables(sizes)):
        return None
    constant = dict(normal(sizes).terms).get((), 0)  # so that parts a constant apart ask of one number
    near = constant if abs(constant) < MOST_APART else 0
    try:
        own = _waves(block, lane)
    except OverflowError:
        return None
    return (simplify(sizes - near), -near - own) if -MOST_APART < own.min() <= own.max() < MOST_APART else None


@dataclass(frozen=True)
class _Priced:
    """An instruction: its parts' bytes apart from what all lanes have alike (axes part, wave, lane), and who moves."""

    block: BlockThreads
    access: TracedAccess
    apart: Ints
    lanes: _Lanes

    @property
    def lowest(self) -> int:
        return int(self.apart[self.lanes.always].min())

    def begins(self, alike: Expr, unit: int, multiple: int = 1) -> range:
        """Where in a unit the lowest byte may lie, by the factors of what all lanes have alike."""
        terms = dict(normal(alike).terms)
        first = terms.pop((), 0) + self.lowest
        step = gcd(unit, multiple, *terms.values()) if multiple > 1 else gcd(unit, *terms.values())
        return range(first % step, unit, step)

    def cycles(self, fact: Fact, alike: Expr) -> Fact:
        """The cost in cycles of LDS, wherever in a dword the wave may begin; it is aligned, which is another claim."""
        meter = LdsMeter(self.block.launched.kernel.target)
        instruction, active = self.access.instruction, self.lanes.always[0]
        how, needed = access_of(instruction.name, instruction.fields), min(self.access.width, DWORD)
        begins = self.begins(alike, DWORD)
        for at in [one for one in begins if one % needed == 0] or begins:
            addresses = np.where(active, self.apart - self.lowest + at, 0)
            meter.count(f"{at}", how, [*addresses], active)
        costs = [*meter.found.values()]
        why = next((one.unpriced for one in costs if one.unpriced), "")
        spent, doubts = [one.cycles for one in costs], dict.fromkeys(doubt for one in costs for doubt in one.doubts)
        return replace(fact, best=min(spent), worst=max(spent), least=costs[0].least, why=why, doubts=(*doubts,))

    def segments(self, fact: Fact, alike: Expr) -> Fact:
        """The cost in the smallest and in the largest segments, in the worse of them, wherever the wave may begin."""
        launched = self.block.launched
        gpu, tensor = target(launched.kernel.target), launched.tensors[self.access.memory]
        alike = simplify(alike + tensor.elements.first * tensor.element)  # from the memory's start on
        found = [(size, *self._costs(self.begins(alike, size), size)) for size in gpu.segments]
        size, costs, least = max(found, key=lambda one: (max(one[1]) / max(one[2], 1), one[0]))
        best, worst = min(costs), max(costs)
        doubts = [gpu.evidence["segments"].doubt] if gpu.evidence["segments"].doubt else []
        partly = self._wasted(alike, 1) if worst == least else ""
        rests = not partly and self._wasted(alike, ALIGNED) if worst == least else best > least
        shifted = (self._costs(self.begins(alike, one, ALIGNED), one) for one in gpu.segments)
        if rests and (worst == least or all(min(each) == few for each, few in shifted)):
            doubts.append(f"the memory of {tensor.name} begins at a multiple of {max(gpu.segments)} bytes")
        if self.lanes.assumed or any(self.lanes.sets(wave) is None for wave in range(self.apart.shape[1])):
            doubts.append(ALL_LANES)
        unit = f"segments of {size} bytes"
        return replace(fact, unit=unit, best=best, worst=worst, least=least, doubts=tuple(doubts), partly=partly)

    def _costs(self, begins: range, size: int) -> tuple[list[int], int]:
        """Segments that all lanes touch, wherever the lowest byte may lie; and the fewest that could hold the bytes."""
        where, lanes = (np.concatenate([*one], axis=-1) for one in (self.apart - self.lowest, self.lanes.always))
        least = int(fewest(where, self.access.width, size, lanes).sum())
        places = where + np.array(begins, np.int64)[:, None, None]
        return segments(places, self.access.width, size, lanes).sum(axis=-1).tolist(), least

    def _wasted(self, alike: Expr, multiple: int) -> str:
        """What a wave touches more than the least, where some of its lanes take part, in a memory that begins so."""
        sizes, seen = target(self.block.launched.kernel.target).segments, set[tuple[bytes, bytes]]()
        for wave in range(self.apart.shape[1]):
            where, sets = self.apart[:, wave] - self.lowest, self.lanes.sets(wave)
            if sets is None:
                continue
            key = (where - where.min() // max(sizes) * max(sizes)).tobytes(), sets.tobytes()
            if key in seen:
                continue
            seen.add(key)
            lanes = sets.reshape(len(sets), -1)
            places = np.broadcast_to(where.reshape(-1), lanes.shape)
            for size in sizes:
                few = fewest(places, self.access.width, size, lanes)
                for at in self.begins(alike, size, multiple):
                    touched = segments(places + at, self.access.width, size, lanes)
                    k = int((touched - few).argmax())
                    if touched[k] > few[k]:
                        text = f"{touched[k]} segments of {size} bytes of wave {wave}, the least are {few[k]}"
                        return f"{self.access}: {text}, where {int(sets[k].any(axis=0).sum())} of its lanes take part"
        return ""
