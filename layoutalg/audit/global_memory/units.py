"""The accesses of one tensor, cut into units: as long as the shortest of them is aligned.

That an access is aligned is a claim of its own, so two of them share a byte where they share a unit.
What it cannot represent: iterations of one loop as one thing for two accesses; each speaks of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.ask import SilenceError
from layoutalg.audit.global_memory.unrolled import Part
from layoutalg.index import ZERO, Expr, all_of, div, lt, mod, simplify, var, variables
from layoutalg.isa.semantics.accesses import natural_alignment, needed_alignment
from layoutalg.isa.semantics.ordering import DEVICE, SCOPED
from layoutalg.launch.symbolic import KernelLaunch
from layoutalg.records import dataclass
from layoutalg.symex.values.instances import moved, own_coordinates

#: Iterations of a loop whose number is a thread's own; what is known of it stands beside.
MOST = 1 << 62


@dataclass(frozen=True)
class UnitAccess:
    """An access with the iterations that it is made in under names of their own, and its units."""

    access: TracedAccess
    offset: Expr  # bytes
    guard: Expr
    barriers: Expr
    signals: Expr
    invalidated: Expr
    renewed: Expr  # the same of all caches of the device
    parts: tuple[Part, ...]

    @property
    def goes_apart(self) -> bool:
        """Whether it loads by a way of its own, in no order with what its thread stores."""
        return self.access.goes_apart

    @property
    def changes(self) -> bool:
        """Whether it stores, or does as an atomic operation."""
        return self.access.store or self.access.atomic


@dataclass(frozen=True)
class TensorUnits:
    """The accesses of one tensor, in the order of the code."""

    launched: KernelLaunch
    sizes: frozenset[Expr]  # what all threads have alike
    accesses: tuple[UnitAccess, ...]

    @classmethod
    def of(cls, accesses: Sequence[TracedAccess], launched: KernelLaunch) -> TensorUnits:
        """Cuts them."""
        numbers = (a.number for a in launched.arguments if a.number is not None)
        sizes = frozenset(variables(*launched.sizes.values(), *numbers))
        here, unit = (*launched.blocks, *launched.threads), min(map(_seen_alignment, accesses))
        return cls(launched, sizes, tuple(_cut(access, unit, {*here, *sizes}, sizes) for access in accesses))

    @property
    def here(self) -> tuple[Expr, ...]:
        """The coordinates of a thread."""
        return (*self.launched.blocks, *self.launched.threads)

    @cached_property
    def indivisible(self) -> bool:
        """Whether its atomic operations are indivisible for each other."""
        atomic = [one.access for one in self.accesses if one.access.atomic]
        scoped = self.launched.kernel.architecture.name in SCOPED
        everywhere = all(not scoped or one.instruction.fields.get("scope", 0) >= DEVICE for one in atomic)
        return everywhere and len({access.width for access in atomic}) == 1

    def is_exclusive(self, one: UnitAccess) -> bool:
        """Whether no two threads may make this access of one unit."""
        return not self.indivisible if one.access.atomic else one.access.store


def _cut(access: TracedAccess, unit: int, alike: Collection[Expr], sizes: Collection[Expr]) -> UnitAccess:
    names, limits = _iterations(access, alike, sizes)
    offset = simplify(moved(access.offset, names))
    guard = all_of(moved(all_of(access.guard, access.used), names), *limits)
    if access.width % unit:
        raise SilenceError(f"{access} moves bytes that are in no unit")
    first = simplify(div(offset, unit))
    parts = (Part(simplify(first + k), guard) for k in range(access.width // unit))
    renewed = ZERO if access.order is None else access.order.renewed
    barriers, signals, invalidated = (moved(e, names) for e in (access.barriers, access.signals, access.invalidated))
    return UnitAccess(access, offset, guard, barriers, signals, invalidated, moved(renewed, names), tuple(parts))


def _iterations(
    access: TracedAccess, alike: Collection[Expr], sizes: Collection[Expr]
) -> tuple[dict[Expr, Expr], list[Expr]]:
    """Names for the iterations of the loops around an access, by their order; and what limits a thread's own.

    So loops that count alike have iterations of one name: each access speaks of its own, whatever they are called.
    """
    names: dict[Expr, Expr] = {}
    limits: list[tuple[Expr, Expr]] = []
    for v in own_coordinates(access.offset, access.guard, access.barriers, alike=alike):
        extent = v.value.extent
        plain = extent is None or all(w in sizes for w in variables(extent))
        most = extent if plain and extent is not None else int(min(v.hi, MOST)) + 1
        names[v] = var(f"turn {len(names)}", most)
        if extent is not None and not plain:
            limits.append((names[v], extent))
    return names, [lt(new, moved(extent, names)) for new, extent in limits]


def _seen_alignment(access: TracedAccess) -> int:
    """The alignment of an access' width, or of a dword, where its offset shows it, else that which is claimed of it."""
    widths = natural_alignment("global", access.width), needed_alignment(access.width)
    shown = (width for width in widths if simplify(mod(access.offset, width)) is ZERO)
    return next(shown, access.needed_alignment)
