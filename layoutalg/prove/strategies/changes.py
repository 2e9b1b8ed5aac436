"""Changes of variables: an obligation said anew, so that what decides it sees it plainly.

| change     | before                        | after                                | exact |
|------------|-------------------------------|--------------------------------------|-------|
| sizes      | M, a size                     | a number                             | there |
| multiples  | M, a multiple of 8            | 8·M′                                 | yes   |
| guards     | u < M + 5, given 2 ≤ u < M    | u′ + 2, u′ < M − 2                   | no    |
| lengths    | u < (H − 1)·s + 1             | u < L, for all L ≥ 1                 | no    |
| digits     | u // 4 and u % 4, u < 8·M     | d₁ and d₀, u = 4·d₁ + d₀             | no    |
| remainders | u % 8, u without a maximum    | r < 8                                | no    |
| wholes     | (64·b + t) // M, given 64·b + t < L  | n // M, n < L                 | no    |

Those that are not exact speak of more points than the obligation does: what holds there holds, no more is said.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

from layoutalg.index import (
    TRUE,
    ZERO,
    Expr,
    Symbol,
    Term,
    all_of,
    as_expr,
    budget,
    conjuncts,
    names,
    postorder,
    substitute,
    symbol,
    unused,
    var,
    variables,
    with_extent,
)
from layoutalg.index.evaluate import value
from layoutalg.index.normal import normal, recover, simplify
from layoutalg.prove.obligation import ForAll, InjectiveMap, Obligation, Onto, Point, in_domain, names_of
from layoutalg.prove.outcome import Fails, GaveUp, Holds, Limits, Outcome
from layoutalg.prove.strategies.digits import chain, count, digits_of, whole
from layoutalg.prove.strategies.radix import mixed_radix

Decide = Callable[[Obligation], Outcome]


def rewritten(obligation: Obligation, sizes: Mapping[Expr, Term], decide: Decide) -> Outcome:
    """What a decision says of the obligation with some sizes replaced (by numbers, or expressions of other sizes).

    It holds where that leaves an index no value; a counterexample is told in the obligation's own variables.
    """
    budget.check()
    every = dict.fromkeys((*obligation.variables, *(obligation.over if isinstance(obligation, Onto) else ())))
    new: dict[Expr, Term] = dict(sizes)
    taken = {*names_of(obligation), *names(*map(as_expr, sizes.values()))}
    for n, v in enumerate(every):
        if v in sizes:
            continue
        extent = v.value.extent
        if extent is None or not set(variables(extent)) & set(sizes):
            new[v] = v
            continue
        limit = substitute(extent, sizes)
        if limit.hi < 1:
            return _empty(obligation, v)
        new[v] = var(unused(f"{v.value.name}.{n}", taken), limit)
    outcome = decide(_substituted(obligation, new))
    if not isinstance(outcome, Fails):
        return outcome
    points = tuple(_complete(point, new, obligation) for point in outcome.points)
    if not all(in_domain(p, obligation.variables) for p in points):
        return GaveUp(outcome.strategy, "its counterexample leaves the domain")
    return Fails(outcome.strategy, points)


def _empty(obligation: Obligation, v: Expr) -> Outcome:
    """An index without a value: nothing to show, but for `Onto` where it is a point's and not a target's."""
    if isinstance(obligation, Onto) and v in obligation.over:
        return GaveUp("sizes", f"{v} has no value at these sizes")
    return Holds("no index")


def _substituted(obligation: Obligation, at: Mapping[Expr, Term]) -> Obligation:
    def new(e: Expr) -> Expr:
        return substitute(e, at)

    if isinstance(obligation, ForAll):
        return ForAll(obligation.label, new(obligation.goal), new(obligation.given))
    over, outputs = tuple(map(new, obligation.over)), tuple(map(new, obligation.outputs))
    if isinstance(obligation, InjectiveMap):
        return InjectiveMap(obligation.label, over, outputs, new(obligation.given))
    targets, where = tuple(map(new, obligation.targets)), new(obligation.where)
    return Onto(obligation.label, over, outputs, targets, new(obligation.given), where=where)


def _complete(point: Point, new: Mapping[Expr, Term], obligation: Obligation) -> Point:
    """The point in the obligation's own variables; those that simplified away take their least value."""
    terms = {v: as_expr(new.get(v, v)) for v in obligation.variables}
    known = {w: point.get(w, _lowest(w)) for w in variables(*terms.values())}
    return {v: value(e, known) for v, e in terms.items()}


def _lowest(v: Expr) -> int:
    """The least value; of an index, 0."""
    s = v.value
    if s.lo == -math.inf:
        return 0
    return int(s.lo) if not s.power_of_two else max(1, int(s.lo))


def by_multiples(obligation: Obligation, decide: Decide) -> Outcome | None:
    """Decides with each size that is a multiple of m written as m times another; None where there is none.

    One to one, and the normal form then sees M div 4 and M·2 as multiples of one size.
    """
    within = obligation.over if isinstance(obligation, InjectiveMap | Onto) else ()
    taken = names_of(obligation)
    sizes = {v: _as_multiple(v, taken) for v in obligation.variables if v.value.multiple_of > 1 and v not in within}
    changed = {v: e for v, e in sizes.items() if e is not None}
    return rewritten(obligation, changed, decide) if changed else None


def _as_multiple(v: Expr, taken: Collection[str]) -> Expr | None:
    s: Symbol = v.value
    m = s.multiple_of
    if s.extent is not None or s.lo == -math.inf or (s.power_of_two and m & (m - 1)):
        return None
    top = None if s.hi == math.inf else int(s.hi) // m
    least = max(1, -(-int(s.lo) // m)) if s.power_of_two else -(-int(s.lo) // m)
    name = unused(f"{s.name}/{m}", taken)
    whole_size: Expr = symbol(name, min=least, max=top, power_of_two=s.power_of_two)
    return whole_size * m


def by_guards(obligation: Obligation, decide: Decide) -> Outcome | None:
    """Decides with each variable that is given limits running between them; None where none is."""
    if isinstance(obligation, Onto) or obligation.given is TRUE:
        return None
    limits: dict[Expr, tuple[Expr, Expr | None]] = {}
    rest = []
    for part in conjuncts(obligation.given):
        found = _limit(part)
        if found is None:
            rest.append(part)
            continue
        v, low, high = found
        old_low, old_high = limits.get(v, (ZERO, count(v)))
        limits[v] = old_low if low is None else low, old_high if high is None else high
    taken = names_of(obligation)
    points = set(limits) | set(obligation.over if isinstance(obligation, InjectiveMap) else ())
    new: dict[Expr, Expr] = {}
    for v, (low, high) in limits.items():
        length = None if high is None else simplify(high - low)
        if length is None or v.lo != 0 or points & set(variables(low, length)):
            return None
        if length.hi < 1:
            return None
        new[v] = var(unused(f"{v.value.name}'", taken), length) + low
    return _more(obligation, new, all_of(*rest), decide) if new else None


def _limit(part: Expr) -> tuple[Expr, Expr | None, Expr | None] | None:
    """(v, low, None) for low ≤ v, (v, None, high) for v < high."""
    if part.op not in ("lt", "le"):
        return None
    one, other = part.args
    strict = 1 if part.op == "lt" else 0
    if one.op == "var" and one not in variables(other):
        return one, None, other + (1 - strict)
    if other.op == "var" and other not in variables(one):
        return other, one + strict, None
    return None


def by_generality(obligation: Obligation, decide: Decide) -> Outcome | None:
    """Decides for any length ≥ 1 in the place of a variable's extent: it is, where the variable has a value."""
    if isinstance(obligation, Onto):
        return None
    extents = dict.fromkeys(v.value.extent for v in obligation.variables if v.value.extent is not None)
    compound = [e for e in extents if e.op not in ("var", "const")]
    if not compound:
        return None
    taken = names_of(obligation)
    lengths = {e: symbol(unused(f"length{n}'", taken), min=1) for n, e in enumerate(compound)}
    new: dict[Expr, Expr] = dict(lengths)
    for v in obligation.variables:
        if v.value.extent in lengths:
            new[v] = with_extent(v, lengths[v.value.extent])
    if any(v in new for e in extents for v in variables(e)):
        return None  # an index within another's limit
    return _more(obligation, new, obligation.given, decide)


def by_digits(obligation: Obligation, decide: Decide) -> Outcome | None:
    """Decides a `ForAll` over the digits of each variable that it divides."""
    if not isinstance(obligation, ForAll):
        return None
    divided: dict[Expr, list[Expr]] = {}
    sides = [side for part in conjuncts(obligation.goal) if part.op in ("lt", "le", "eq") for side in part.args]
    for atom in dict.fromkeys(a for side in sides for a in normal(side).atoms()):
        if atom.op == "div" and atom.args[0].op == "var":
            divided.setdefault(atom.args[0], []).append(atom.args[1])
    new: dict[Expr, Expr] = {}
    for v, by in divided.items():
        divisors, length = chain([normal(d) for d in by]), count(v)
        digits = None if divisors is None or length is None else digits_of(v, length, divisors, names_of(obligation))
        if digits and divisors:
            new[v] = recover(whole(digits, divisors)).expr()
    return _more(obligation, new, obligation.given, decide) if new else None


def by_remainders(obligation: Obligation, decide: Decide) -> Outcome | None:
    """Decides a `ForAll` with any r < d in the place of u mod d, for each u without a maximum.

    What is left of u then has a maximum, as bit-vectors need.
    """
    if not isinstance(obligation, ForAll):
        return None
    nodes = [n for n in postorder(*obligation.roots) if n.op == "mod" and n.args[0].hi == math.inf]
    taken = names_of(obligation)
    new: dict[Expr, Expr] = {n: var(unused(f"remainder{k}", taken), n.args[1]) for k, n in enumerate(nodes)}
    return _more(obligation, new, obligation.given, decide) if new else None


def _more(obligation: ForAll | InjectiveMap, new: Mapping[Expr, Expr], given: Expr, decide: Decide) -> Outcome:
    """What a decision says of the obligation over more points: only that it holds, if it does."""
    put = partial(substitute, values=new)
    try:
        if isinstance(obligation, ForAll):
            outcome = decide(ForAll(obligation.label, put(obligation.goal), put(given)))
        else:
            sizes = {*obligation.shared, *(w for e in new.values() for w in _below_extents(e))}
            over = tuple(w for v in obligation.over for w in variables(new.get(v, v)) if w not in sizes)
            outcome = decide(InjectiveMap(obligation.label, over, tuple(map(put, obligation.outputs)), put(given)))
    except ValueError as error:  # an index that its guard kept within a table
        return GaveUp("change of variables", str(error))
    return outcome if isinstance(outcome, Holds) else GaveUp(outcome.strategy, "over more points, it does not say")


def _below_extents(e: Expr) -> tuple[Expr, ...]:
    return variables(*(v.value.extent for v in variables(e) if v.value.extent is not None))


def by_wholes(obligation: Obligation, decide: Decide) -> Outcome | None:
    """Decides whether a map is one to one over n in the place of a sum that is one to one itself, and is divided.

    What stands for the sum's variables must be the sum throughout: equal outputs are then of one n, and n of one index.
    """
    if not isinstance(obligation, InjectiveMap):
        return None
    atoms = dict.fromkeys(a for o in obligation.outputs for a in normal(o).atoms() if a.op == "div")
    for whole_number in dict.fromkeys(a.args[0] for a in atoms if a.args[0].op == "add"):
        within = tuple(v for v in obligation.over if v in variables(whole_number))
        new = _said_by(obligation, whole_number, within) if len(within) > 1 else None
        if new is not None:
            outcome = decide(new)
            return outcome if isinstance(outcome, Holds) else GaveUp(outcome.strategy, "over wholes, it does not say")
    return None


def _said_by(obligation: InjectiveMap, whole_number: Expr, within: Sequence[Expr]) -> InjectiveMap | None:
    """The obligation over n in the place of a sum of these variables; None where something else is made of them."""
    alone = InjectiveMap(obligation.label, tuple(within), (whole_number,))
    if whole_number.lo < 0 or not isinstance(mixed_radix(alone, Limits()), Holds):
        return None
    limits = [part.args[1] + (part.op == "le") for part in conjuncts(obligation.given)
              if part.op in ("lt", "le") and part.args[0] is whole_number]  # fmt: skip
    limit = next((one for one in limits if one.lo >= 1 and not set(within) & set(variables(one))), None)
    if limit is None and whole_number.hi == math.inf:
        return None
    n = var(unused("whole", names_of(obligation)), as_expr(int(whole_number.hi) + 1) if limit is None else limit)
    outputs = [_over(output, whole_number, n, within[0]) for output in obligation.outputs]
    given = [part for part in conjuncts(obligation.given) if not set(within) & set(variables(part))]
    if any(output is None or set(within) & set(variables(output)) for output in outputs):
        return None
    over = (*(v for v in obligation.over if v not in within), n)
    return InjectiveMap(obligation.label, over, tuple(o for o in outputs if o is not None), all_of(*given))


def _over(output: Expr, whole_number: Expr, n: Expr, v: Expr) -> Expr | None:
    """The output with n for the sum: in what is divided, and as many times as it holds `v` besides."""
    plain = normal(output)
    for atom in plain.atoms():
        if atom.op == "div" and atom.args[0] is whole_number:
            plain = plain.replace(atom, normal(n // atom.args[1]))
    parts, own = plain.linear_in(v), normal(whole_number).linear_in(v)
    if parts is None or own is None:
        return None
    times = parts[1].exactly_over(own[1])
    return None if times is None else recover(plain + times * (normal(n) - normal(whole_number))).expr()


Change = Callable[[Obligation, Decide], Outcome | None]

CHANGES: tuple[Change, ...] = (by_wholes, by_multiples, by_guards, by_generality, by_digits)
"""In the order in which they are made; any may be left out, none is made twice."""

WORDS: Mapping[Change, str] = {
    by_wholes: "each sum that is divided is said as an index of its own",
    by_multiples: "each size that is a multiple of m is said as m times another size",
    by_guards: "each index between limits is said as one from 0 on",
    by_generality: "each limit that is no size by itself is said as any length",
    by_digits: "each index that is divided is said as its digits",
    by_remainders: "each remainder of what has no maximum is said as any remainder",
}
"""What each change does, in words."""


def changed(obligation: Obligation, changes: Sequence[Change] = tuple(WORDS)) -> Iterator[tuple[str, Obligation]]:
    """The obligation after each choice of changes, with their words: where it holds, so does the obligation."""
    for n, change in enumerate(changes):
        asked: list[Obligation] = []

        def ask(new: Obligation, asked: list[Obligation] = asked) -> Outcome:
            asked.append(new)
            return GaveUp("changes", "it is only said anew")

        change(obligation, ask)
        if len(asked) == 1:
            yield WORDS[change], asked[0]
            for more, further in changed(asked[0], changes[n + 1 :]):
                yield f"{WORDS[change]}; {more}", further
