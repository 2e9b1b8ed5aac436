"""What becomes of what is loaded: where it may reach a store or a branch.  A load of which nothing does is no access.

    v = p[t % 64]; if (t < 64) p[t] = 2 * v        v reaches a store where t < 64, so waves 1 to 3 load it for nothing

| what was loaded | counts |
|---|---|
| is part of what a store of the same iteration stores | where that store happens |
| decides whether or where something happens, or when a loop is left | everywhere |
| is handed on by a loop, looked at by other lanes, part of an atomic operation's operands | everywhere |
| was loaded before something that the machine chooses or nothing is known of, and that counts | everywhere |

The last, since of such an unknown is not said what it was made of.
What it cannot represent: conditions of a branch, of which nothing comes either.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from layoutalg.index import FALSE, TRUE, Expr, any_of
from layoutalg.symex.loops.record import LoopRecord
from layoutalg.symex.machine.tracing import TracedElement
from layoutalg.symex.values.unknowns import Kind, arguments_of, dependencies, function_of, kind_of, number_of


def uses(trace: Sequence[TracedElement], loops: LoopRecord) -> dict[Expr, Expr]:
    """Of each unknown that is used: where it reaches a store or a branch, in its own thread and iteration."""
    loaded = {one.value: one.loops for one in trace if not one.store}
    found = dict.fromkeys(_everywhere(trace, loops), TRUE)
    for one in trace:
        for v in dependencies(one.value) if one.store else ():
            alike = loaded.get(v) == one.loops and not one.atomic
            found[v] = any_of(found.get(v, FALSE), one.guard) if alike else TRUE
    latest = latest_opaque(found, loaded, loops)
    return found | dict.fromkeys((v for v in loaded if (number_of(v) or 0) < latest), TRUE)


def _everywhere(trace: Sequence[TracedElement], loops: LoopRecord) -> frozenset[Expr]:
    """What counts whatever the thread and the iteration is."""
    terms = decisive(trace, loops)
    for one in trace:
        for v in dependencies(one.value) if one.store else ():
            terms += [] if is_of_its_lane(v) else arguments_of(v)
    return dependencies(*terms)


def decisive(trace: Sequence[TracedElement], loops: LoopRecord) -> list[Expr]:
    """The terms that decide whether or where something happens, and those that loops hand on."""
    terms = [e for one in loops.carried.values() for e in (one.before, one.after)]
    terms += [e for held in loops.incoming.values() for e in held]
    terms += [e for claim in loops.claims for e in (claim.goal, claim.given)]
    terms += [*loops.facts.values(), *(leaves for _, leaves in loops.exits.values())]
    terms += [e for end in loops.ends for e in (end.condition, end.barriers)]
    return [*terms, *(e for one in trace for e in (one.offset, one.guard, one.barriers))]


def is_of_its_lane(v: Expr) -> bool:
    """Whether what an unknown is made of goes by what its own lane has: of a function whose arguments are all."""
    return kind_of(v) is Kind.RESULT and "[" not in function_of(v)


def latest_opaque(used: Iterable[Expr], loaded: Container[Expr], loops: LoopRecord) -> int:
    """The number of the latest unknown that is used of which nothing says what it was made of; else −1."""
    opaque = (v for v in used if v not in loaded and v not in loops.incoming and not arguments_of(v))
    return max((number for v in opaque if (number := number_of(v)) is not None), default=-1)
