"""Races in global memory: two threads' accesses of one byte, one of them a store.

Blocks run in any order, and waves of a block as they like: order is within a thread, and between threads of one block
where barriers stand between and the block's waves share their first cache, which takes accesses in order (LLVM's
AMDGPUUsage, "Memory Model": a release at the scope of a work-group waits for vmcnt or vscnt only in WGP mode, or where
tgsplit is on; `isa.run.races` judges runs alike).  A barrier is between where the one access comes before its wave's
signal, and the other behind its wave's wait: what lies between these two, of RDNA 4's split barrier, is in no order.
Of a tensor that is stored to, each access is cut into units, as
long as the shortest is aligned (that it is, is a claim of its own); where each thread stores to units of its own alone,
and what else is loaded is none of them, no two meet.

| asked, the cheapest first | of |
|---|---|
| (block, thread, turn, index) ↦ unit is one-to-one | stores that differ by strides, as one (`unrolled`) |
| equal units are of one thread | the same, and each two such groups, by their coordinates (`index.rows`) |
| no two threads meet | each two accesses, with all that their guards say |

Atomic operations of one width do not race with each other: each is carried out at once where all blocks meet (the same
document: they bypass the first cache; on gfx12 where their scope is the device or more).  With anything else they do.

A load of which nothing reaches a store or a branch is no access: whatever it brings, all comes out alike.  A load of a
unit that its own thread stores to counts with the store.  What a thread has for itself is another thing in
another thread: turns of its loops, whose number may be its own too, and what it loaded.
What it cannot represent: orders that barriers make where waves have caches of their own, or that atomic operations do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.global_memory.unrolled import Part, Rolled, rolled, without
from layoutalg.index import (
    FALSE,
    ZERO,
    Expr,
    all_of,
    any_of,
    conjuncts,
    div,
    eq,
    lt,
    mod,
    negation,
    simplify,
    var,
    variables,
)
from layoutalg.index.conditions import conjunct_set, excludes
from layoutalg.index.primed import same
from layoutalg.index.rows import coordinates
from layoutalg.isa.semantics.accesses import natural_alignment, needed_alignment
from layoutalg.launch.distinct import DistinctElement
from layoutalg.launch.distinct import apart as elements_apart
from layoutalg.launch.symbolic import LDS, KernelLaunch
from layoutalg.prove import ForAll, InjectiveMap, Obligation, Shown
from layoutalg.symex.values.instances import moved, others, own_coordinates
from layoutalg.symex.values.unknowns import kind_of

#: Turns of a loop whose number is a thread's own; what is known of it stands beside.
MOST = 1 << 62

#: The architecture whose instructions name their scope, and the least that all blocks of a device see at once (RDNA 4
#: ISA, "Memory Scopes").
SCOPED, DEVICE = "rdna4", 2


@dataclass(frozen=True)
class Meeting:
    """What must hold so that some accesses never meet; where it is not shown, what does as well, in its place."""

    about: str
    obligation: Obligation
    instead: Callable[[], Iterator[Meeting]] | None = None


def meetings(
    found: Sequence[TracedAccess], launched: KernelLaunch, distinct: Sequence[DistinctElement] = ()
) -> Iterator[Meeting]:
    """What is to be shown of each tensor that is stored to; `distinct`: what was loaded of elements that differ."""
    stored = dict.fromkeys(one.memory for one in found if (one.store or one.atomic) and one.memory != LDS)
    for memory in stored:
        yield from _Tensor([access for access in found if access.memory == memory], launched, distinct).meetings()


@dataclass(frozen=True)
class _Touched:
    """An access with the turns that it is made in under names of their own, and its units."""

    access: TracedAccess
    offset: Expr  # bytes
    guard: Expr
    barriers: Expr
    signals: Expr
    parts: tuple[Part, ...]

    @property
    def is_scalar(self) -> bool:
        """Whether it is a load of its wave, by the scalar cache."""
        return self.access.instruction.form == "SMEM"


@dataclass
class _Tensor:
    """The accesses of one tensor."""

    accesses: Sequence[TracedAccess]
    launched: KernelLaunch
    distinct: Sequence[DistinctElement]
    touched: list[_Touched] = field(init=False)
    indivisible: bool = field(init=False)  # its atomic operations, for each other

    def __post_init__(self) -> None:
        self.here = (*self.launched.blocks, *self.launched.threads)
        self.sizes = {v for size in self.launched.sizes.values() for v in variables(size)}
        self.sizes |= {v for a in self.launched.arguments if a.number is not None for v in variables(a.number)}
        self.unit = min(map(_seen_alignment, self.accesses))
        self.touched = [self._touched(access) for access in self.accesses]
        atomic = [access for access in self.accesses if access.atomic]
        scoped = self.launched.kernel.architecture.name == SCOPED
        everywhere = all(not scoped or one.instruction.fields.get("scope", 0) >= DEVICE for one in atomic)
        self.indivisible = everywhere and len({access.width for access in atomic}) == 1

    def _touched(self, access: TracedAccess) -> _Touched:
        names, limits = _turns(access, self.here, self.sizes)
        offset = simplify(moved(access.offset, names))
        guard = all_of(moved(all_of(access.guard, access.used), names), *limits)
        first = simplify(div(offset, self.unit))
        parts = (Part(simplify(first + k), guard) for k in range(access.width // self.unit))
        barriers, signals = (moved(e, names) for e in (access.barriers, access.signals))
        return _Touched(access, offset, guard, barriers, signals, tuple(parts))

    def meetings(self) -> Iterator[Meeting]:
        """Each group of stores with itself, with each other one, and with what is loaded beside."""
        stored, updated, beside = (dict[Expr, list[Part]]() for _ in range(3))
        for one in sorted(self.touched, key=lambda one: not self._stores(one)):
            for part in one.parts:
                own = part.offset in stored and not one.is_scalar
                places = stored if self._stores(one) or own else beside
                places = updated if one.access.atomic and self.indivisible else places
                places.setdefault(part.offset, []).append(part)
        stores, updates, loads = (
            list(rolled([_weakest(p) for p in places.values()], self.sizes)) for places in (stored, updated, beside)
        )
        yield from map(self._alone, stores)
        for group, other in (*combinations(stores, 2), *product(stores + updates, loads), *product(updates, stores)):
            if not self._never_both(group.guard, other.guard):
                yield self._two(group, other)

    def _stores(self, one: _Touched) -> bool:
        """Whether no two threads may make this access of one unit."""
        return not self.indivisible if one.access.atomic else one.access.store

    def _of(self, *groups: Rolled) -> list[list[_Touched]]:
        """The accesses that touch a unit of a group, of each of them."""
        offsets = ({part.offset for part in group.parts} for group in groups)
        return [[one for one in self.touched if any(part.offset in own for part in one.parts)] for own in offsets]

    def _alone(self, group: Rolled) -> Meeting:
        """A group of stores by itself."""
        (members,) = self._of(group)
        own = [v for v in variables(group.offset) if v not in self.sizes and v not in self.here]
        unknown = any(kind_of(v) is not None for v in own)
        known = without(group.guard, self._strange(group, (*self.here, *own)))
        over = tuple(dict.fromkeys((*self.here, *(v for v in own if v not in group.indices), *group.indices)))
        given = all_of(self.launched.given, known)
        (outputs,) = coordinates([group.offset], [given], self.sizes)
        about = _about(members)
        if unknown:
            return self._two(group, group)
        one_to_one = InjectiveMap("no two threads store there", over, outputs, given, self._shown())
        return Meeting(about, one_to_one, lambda: iter([self._two(group, group)]))

    def _strange(self, group: Rolled, known: Sequence[Expr]) -> set[Expr]:
        return {v for v in variables(group.guard) if v not in known and v not in self.sizes and v not in group.indices}

    def _two(self, one: Rolled, other: Rolled) -> Meeting:
        """Two groups, of two threads: equal units are of one thread."""
        mine, theirs = self._of(one, other)
        there = self._there(other.offset, other.guard, *(touched.barriers for touched in theirs))
        offset, guard = (moved(e, there) for e in (other.offset, other.guard))
        given = [all_of(self.launched.given, one.guard), all_of(moved(self.launched.given, there), guard)]
        mine_at, theirs_at = coordinates([one.offset, offset], given, self.sizes)
        meet = all_of(*(eq(a, b) for a, b in zip(mine_at, theirs_at, strict=True)))
        goal = any_of(self._same(mine, theirs, there), self._ordered(mine, theirs, there), negation(meet))
        about = _about(mine) if one is other else f"{_about(mine)}; {_about(theirs)}"
        given.append(elements_apart(self.distinct, (one.offset, one.guard), (offset, guard)))
        obligation = ForAll("no two threads meet", goal, all_of(*given), self._shown(there))
        pairs = (
            list(product(mine, theirs)) if one is not other else [(a, b) for n, a in enumerate(mine) for b in mine[n:]]
        )
        return Meeting(about, obligation, lambda: (self._exactly(a, b) for a, b in pairs if self._matter(a, b)))

    def _matter(self, one: _Touched, other: _Touched) -> bool:
        indivisible = self.indivisible and one.access.atomic and other.access.atomic
        changed = any(each.access.store or each.access.atomic for each in (one, other))
        return changed and not indivisible and not self._never_both(one.guard, other.guard)

    def _exactly(self, one: _Touched, other: _Touched) -> Meeting:
        """Two accesses of two threads, byte by byte, with all that their guards say."""
        there = self._there(other.offset, other.guard, other.barriers)
        offset, guard = (moved(e, there) for e in (other.offset, all_of(self.launched.given, other.guard)))
        apart = any_of(one.offset + one.access.width <= offset, offset + other.access.width <= one.offset)
        about = str(one.access)
        if one is not other:
            about += f"; {other.access.instruction.address:#x} {other.access.instruction.name.lower()}"
        differ = elements_apart(self.distinct, (one.offset, one.guard), (offset, guard))
        given = all_of(self.launched.given, one.guard, guard, differ)
        goal = any_of(self._same([one], [other], there), self._ordered([one], [other], there), apart)
        return Meeting(about, ForAll("no two threads meet", goal, given, self._shown(there)))

    def _never_both(self, one: Expr, other: Expr) -> bool:
        """Whether what all threads have alike keeps two accesses from being made in one launch."""
        uniform = [
            all_of(*(part for part in conjunct_set(guard) if all(v in self.sizes for v in variables(part))))
            for guard in (one, other)
        ]
        return excludes(*uniform)

    def _there(self, *exprs: Expr) -> dict[Expr, Expr]:
        """The other thread's names for what each has for itself."""
        return others((*self.here, *own_coordinates(*exprs, alike={*self.here, *self.sizes})))

    def _ordered(self, mine: Sequence[_Touched], theirs: Sequence[_Touched], there: dict[Expr, Expr]) -> Expr:
        """Whether barriers stand between what one thread does and the other: both are of one block then."""
        counts = [{(one.barriers, one.signals) for one in touched} for touched in (mine, theirs)]
        # The cache of scalar loads is another, and atomic operations go by it.
        beside = any(one.access.atomic or one.is_scalar for one in (*mine, *theirs))
        if not self.launched.kernel.one_cache or beside or any(len(count) != 1 for count in counts):
            return FALSE
        ((passed, signals),), ((others_passed, others_signals),) = counts
        others_passed, others_signals = moved(others_passed, there), moved(others_signals, there)
        block = same(self.launched.blocks, there)
        return all_of(block, any_of(signals < others_passed, others_signals < passed))

    def _same(self, mine: Sequence[_Touched], theirs: Sequence[_Touched], there: dict[Expr, Expr]) -> Expr:
        """Whether they are of one thread, in which they are in order.

        A scalar load goes by another cache (LLVM's AMDGPUUsage, "Memory Model": it is for what does not change during
        the launch): it is in order with a store that comes after it alone.
        """
        for one, other in product(mine, theirs):
            for load, store in ((one, other), (other, one)):
                changed = store.access.store or store.access.atomic
                if load.is_scalar and changed and not self._precedes(load.access, store.access):
                    return FALSE
        return same(self.here, there)

    def _precedes(self, load: TracedAccess, store: TracedAccess) -> bool:
        """Whether a load comes before every store that an instruction makes."""
        order = [id(one) for one in self.accesses]
        return order.index(id(load)) < order.index(id(store)) and not set(load.loops) & set(store.loops)

    def _shown(self, there: dict[Expr, Expr] | None = None) -> tuple[Shown, ...]:
        shown = (Shown("block", self.launched.blocks), Shown("thread", self.launched.threads))
        return shown if there is None else (*shown, Shown("and block and thread", tuple(there[v] for v in self.here)))


def _turns(access: TracedAccess, here: Sequence[Expr], sizes: Collection[Expr]) -> tuple[dict[Expr, Expr], list[Expr]]:
    """Names for the turns of the loops around an access, by their order; and what limits those that are a thread's own.

    So loops that count alike have turns of one name: each access speaks of its own, whatever they are called.
    """
    names: dict[Expr, Expr] = {}
    limits: list[tuple[Expr, Expr]] = []
    for v in own_coordinates(access.offset, access.guard, access.barriers, alike={*here, *sizes}):
        extent = v.value.extent
        plain = extent is None or all(w in sizes for w in variables(extent))
        most = extent if plain and extent is not None else int(min(v.hi, MOST)) + 1
        names[v] = var(f"turn {len(names)}", most)
        if extent is not None and not plain:
            limits.append((names[v], extent))
    return names, [lt(new, moved(extent, names)) for new, extent in limits]


def _seen_alignment(access: TracedAccess) -> int:
    """The alignment of an access' width where its offset shows it, else that which is claimed of it."""
    whole = natural_alignment("global", access.width)
    return whole if simplify(mod(access.offset, whole)) is ZERO else needed_alignment(access.width, whole=access.atomic)


def _weakest(parts: Sequence[Part]) -> Part:
    """One unit that several accesses touch: under what all of their guards say."""
    shared = frozenset.intersection(*(conjunct_set(part.guard) for part in parts))
    return Part(parts[0].offset, all_of(*(part for part in conjuncts(parts[0].guard) if part in shared)))


def _about(members: Sequence[_Touched]) -> str:
    """The first access, and how many more there are."""
    first = str(members[0].access)
    return first if len(members) == 1 else f"{first}, and {len(members) - 1} more"
