"""Races in global memory: two threads' accesses of one byte, one of them a store.

Blocks run in any order, and waves of a block as they like, so no order counts but that within a thread; atomic
operations have no reading here.  A store of its own kind is shown one-to-one; two different ones never to meet.
What it cannot represent: orders that barriers make within a block (what needs one is not shown).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement

from layoutalg.index import Expr, all_of, any_of, div, eq, substitute, var, variables
from layoutalg.prove import ForAll, InjectiveMap, Obligation, Shown
from layoutalg.refine.audit.accesses import LDS, Access
from layoutalg.refine.audit.launched import Launched
from layoutalg.refine.values.unknowns import Kind, kind_of, unknown_value


def race_questions(found: Sequence[Access], launched: Launched) -> Iterator[tuple[str, Obligation]]:
    """About what, and what must hold, for each pair of accesses that may race."""
    here = (*launched.blocks, *launched.threads)
    shown = (Shown("block", launched.blocks), Shown("thread", launched.threads))
    for one, other in combinations_with_replacement([a for a in found if a.memory != LDS], 2):
        if one.memory != other.memory or not (one.store or other.store):
            continue
        given, own = all_of(launched.given, one.guard), _own(other, launched)
        whole = not one.width & one.width - 1  # aligned to its width, which is a claim of its own
        if one is other and whole and not any(kind_of(v) is not None for v in own):
            # Turns of one thread are told apart too, which is more than is needed.
            each = (*here, *(v for v in own if v not in here))
            yield (
                str(one),
                InjectiveMap("no two threads store there", each, (div(one.offset, one.width),), given, shown),
            )
            continue
        there = {v: _other(v) for v in dict.fromkeys((*here, *own))}
        offset, guard = substitute(other.offset, there), substitute(all_of(launched.given, other.guard), there)
        apart = any_of(one.offset + one.width <= offset, offset + other.width <= one.offset)
        same = all_of(*(eq(v, there[v]) for v in here))
        about = str(one) if one is other else f"{one}; {other.instruction.address:#x} {other.instruction.name.lower()}"
        others = Shown("and block and thread", tuple(there[v] for v in here))
        yield about, ForAll("no two threads meet", any_of(same, apart), all_of(given, guard), (*shown, others))


def _own(access: Access, launched: Launched) -> tuple[Expr, ...]:
    """What an access depends on that each thread has for itself: indices, turns of loops, what it loaded."""
    alike = {v for size in launched.sizes.values() for v in variables(size)}
    alike |= {v for one in launched.arguments if one.number is not None for v in variables(one.number)}
    return tuple(v for v in variables(access.offset, access.guard) if v not in alike)


def _other(v: Expr) -> Expr:
    """The same of another thread; an unknown's other value, of which as little is known."""
    name, extent = f"{v.value.name}_other", v.value.extent
    if kind_of(v) is not None:
        return unknown_value(name, int(v.hi) + 1, Kind.DATA)
    return var(name, int(v.hi) + 1 if extent is None else extent)
