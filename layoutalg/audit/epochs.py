"""Epochs, between two barriers: which iterations of two accesses may lie in one, and which is certainly later.

A barrier is passed when all waves of a block have come to one as often (`symex.meetings`), so the epoch of an access is
how many barriers its wave has passed: an expression of the sizes and of the iterations of the loops around it, and of
what decides which way waves go (`by_ways`).  Two accesses are in one epoch where these are equal:

| the one's barriers less the other's | they are in one epoch |
|---|---|
| k + Σ aᵢ·vᵢ, k no multiple of gcd(aᵢ) | never: the vᵢ are integers |
| above 0, or below 0, for all sizes and iterations | never |
| k + b·t − b·t′, of one loop's iterations | where t′ = t + k / b |
| e + b·t, of one iteration, e of sizes | where t = −e / b, if that is one |
| anything else, and what is of a thread | perhaps in any iterations of theirs |

The last line says no more than that nothing is known, so what is left out is sound.  Iterations of the one and the
other are variables of their own, also where both are of one loop: two waves may be in two of its iterations.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from math import gcd

from layoutalg.index import TRUE, ZERO, Expr, div, extent_of, nonnegative, postorder, simplify, variables
from layoutalg.index.conditions import conjunction
from layoutalg.index.normal import normal
from layoutalg.index.poly import Monomial
from layoutalg.symex.loops.inferred import MOST
from layoutalg.symex.machine.addresses import ways
from layoutalg.symex.values.instances import moved, own_coordinates

#: Ways to an access that are told apart.
MOST_WAYS = 8

#: Iterations after which what depends on them may begin again, at most, and iterations that are all looked at.
LONGEST_PERIOD = 64


def in_one_epoch(
    one: Expr, other: Expr, iterations: Sequence[Expr], there: Mapping[Expr, Expr], threads: Collection[Expr] = ()
) -> dict[Expr, Expr] | None:
    """What two accesses' iterations are where as many barriers stand before both; None where that never is.

    `iterations` are the variables of the first one's loops, `there` those of the second one's as `others` has them;
    `threads` are the coordinates of a thread, which the two have each for itself.

    >>> from layoutalg.index import var
    >>> from layoutalg.symex.values.instances import others
    >>> t = var("t", 100)
    >>> there = others([t])
    >>> in_one_epoch(t * 2, t * 2 + 1, [t], there) is None, in_one_epoch(t * 2 + 2, t * 2, [t], there)
    (True, {t_other': t + 1})
    """
    if not set(threads).isdisjoint(own_coordinates(one, other)):
        return None if one.hi < other.lo or other.hi < one.lo else {}
    difference = simplify(one - moved(other, there))
    terms = dict(normal(difference).terms)
    constant = terms.pop((), 0)
    common = gcd(*terms.values()) if terms else 0
    if (constant % common if common else constant) or nonnegative(difference - 1) or nonnegative(-difference - 1):
        return None
    own, others = set(iterations), set(there.values())
    mine = [v for (v, *more) in terms if not more and v in own]
    theirs = [v for (v, *more) in terms if not more and v in others]
    if len(mine) + len(theirs) == 1:
        (v,) = mine or theirs
        each = terms[(v,)]
        if all(k % each == 0 for k in (constant, *terms.values())) and not (own | others) & _leaves(terms, v):
            iteration = simplify(v + div(difference if each < 0 else -difference, abs(each)))
            return None if nonnegative(-1 - iteration) or nonnegative(iteration - extent_of(v)) else {v: iteration}
    if len(terms) == 2 and len(mine) == len(theirs) == 1:
        (t,), (u,) = mine, theirs
        if there.get(t) is u and terms[(t,)] == -terms[(u,)] and constant % terms[(t,)] == 0:
            return {u: simplify(t + constant // terms[(t,)])}
    return {}


def _leaves(terms: Mapping[Monomial, int], v: Expr) -> set[Expr]:
    """The variables of a sum, but for one that is a term of it."""
    return set(variables(*(atom for monomial in terms for atom in monomial if monomial != (v,))))


def is_counted(t: Expr) -> bool:
    """Whether every iteration below a loop's count is made: not of loops that each lane leaves for itself."""
    count = extent_of(t)
    return count.op != "const" or count.value < MOST


def counted_loops(loops: Sequence[Expr]) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
    """The loops around an access, outermost first: those of which all iterations are made, and the others.

    From the first on that each lane leaves for itself only the first iteration is certain: a lane's guard there says
    what holds of a lane that is still in, and not that it is.
    """
    first = next((k for k, t in enumerate(loops) if not is_counted(t)), len(loops))
    return tuple(loops[:first]), tuple(loops[first:])


def own_variables(e: Expr) -> set[Expr]:
    """The variables of an expression without those that say how many values these have."""
    return {node for node in postorder(e) if node.op == "var"}


def period(e: Expr, t: Expr) -> int | None:
    """After how many iterations an expression is the same again, or how many there are; None where that is not known.

    >>> from layoutalg.index import var
    >>> t = var("t", 1 << 20)
    >>> period(t % 2 * 64 + var("i", 9), t), period((t + 1) % 3, t), period(t * 4, t), period(var("i", 9) * 4, t)
    (2, 3, None, 1)
    """
    if t not in variables(e):
        return 1
    small = 1
    for node in postorder(e):
        if node.op in ("mod", "div") and node.args[1].op == "const" and t in variables(node.args[0]):
            size = int(node.args[1].value)
            small *= size if small * size <= LONGEST_PERIOD else 1
    for iterations in (n for n in range(2, min(small, LONGEST_PERIOD) + 1) if small % n == 0):
        if simplify(moved(e, {t: t + iterations}) - e) is ZERO:
            return iterations
    return int(t.hi) + 1 if t.hi < LONGEST_PERIOD else None


def by_ways(barriers: Expr, guard: Expr = TRUE) -> tuple[tuple[Expr, Expr], ...]:
    """When waves go each of their ways, and how many barriers they have passed then; of many ways, one for all.

    >>> from layoutalg.index import minimum, select, var
    >>> n, t = var("n", 9), var("t", 9)
    >>> by_ways(select(n < 5, minimum(n, 3), 0) + t), by_ways(select(n < 5, 2, 0), 5 <= n)
    (((n < 5, min(n, 3) + t), (5 <= n, t)), ((5 <= n, 0),))
    """
    if not any(node.op == "select" for node in postorder(barriers)):
        return ((guard, barriers),)
    found = tuple(islice(ways(barriers, conjunction(guard), limits=False), MOST_WAYS + 1))
    return found if len(found) <= MOST_WAYS else ((guard, barriers),)


def is_linear(barriers: Expr, loops: Sequence[Expr]) -> bool:
    """Whether each iteration of these loops adds as many barriers as another, and not less than none."""
    each = (simplify(moved(barriers, {t: t + 1}) - barriers) for t in loops)
    return all(nonnegative(step) and not set(loops) & set(variables(step)) for step in each)


def is_later(barriers: Expr, before: Expr) -> bool:
    """Whether a barrier certainly stands between what has so many before it and what has those."""
    return nonnegative(simplify(barriers - before - 1))
