"""Conditions: their normal form, what one says of another, and what is left of one where another is assumed.

All that looks at conditions goes by this table, whichever way a compiler or a user has written them.  z3 proves each
line in tests/index/test_conditions.py.

| written                    | is                    | because it is                          |
|----------------------------|-----------------------|----------------------------------------|
| a < b, a + 1 ≤ b, ¬(b ≤ a) | 0 ≤ b − a − 1         | an order of integers (`slack`)         |
| a ≤ b                      | 0 ≤ b − a             | one too                                |
| a + 2 = b + 3              | a − b = 1             | an equation: the constant by itself    |
| ¬(p ∨ q), ¬(p ∧ q)         | ¬p ∧ ¬q, ¬p ∨ ¬q      | De Morgan                              |
| p ∨ (p ∧ q)                | p                     | absorption; so with ∧ and ∨ exchanged  |
| p ∨ (¬p ∧ q)               | p ∨ q                 | a part whose negation stands beside it |
| p ∨ ¬p                     | true                  | the excluded middle                    |
| (s ∧ p) ∨ (s ∧ ¬p)         | s                     | what both ways share                   |
| min(a, b) < c              | a < c ∨ b < c         | the lesser of two; so the other three  |
| p ? x : y, where p         | x                     | a choice that is decided               |

A *conjunct* is a part of a conjunction; what is `given`, a guard or an assumption, is its set of conjuncts.  One
condition *implies* another where each conjunct of the other is one of its own, or of each way of a choice among them.

What it cannot represent: that one condition follows from several others together; that is for the prover.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import inf

from layoutalg.index.expr import FALSE, TRUE, Expr, le, lt
from layoutalg.index.normal import normal, simplify
from layoutalg.index.ranges import BOOLEAN
from layoutalg.index.text import order
from layoutalg.index.truth import all_of, any_of, eq, negation, select
from layoutalg.index.variable import symbol, with_extent
from layoutalg.index.walk import conjuncts, postorder, rebuild, slack, substitute, variables

#: Nodes of two expressions from which on they are not compared: each choice within them doubles what is looked at.
LARGE = 64

#: How many cases of a condition's comparisons are looked at.
MOST_STEPS = 1 << 9

# --- normal form ------------------------------------------------------------------------------------------------------


def normal_form(condition: Expr) -> Expr:
    """The one form of conditions that this table shows to say the same.

    >>> from layoutalg.index import var
    >>> a, b = var("a", 9), var("b", 9)
    >>> normal_form(a < b + 1) is normal_form(a <= b) is normal_form(negation(b < a))
    True
    >>> normal_form(eq(a + 2, b + 3)) is normal_form(eq(b - a, -1))
    True
    """
    return restricted(condition, TRUE)


def conjuncts_in_normal_form(condition: Expr) -> frozenset[Expr]:
    """All that a condition says."""
    return conjunct_set(normal_form(condition))


def _comparison(condition: Expr) -> Expr:
    """The normal form of a comparison; another condition is simplified."""
    e = simplify(condition)
    room = slack(e)
    if room is not None:
        return le(0, simplify(room))
    if e.op != "eq":
        return e
    difference = e.args[0] - e.args[1]
    constant = normal(difference).terms.get((), 0)
    left = simplify(difference - constant)
    turned = simplify(-1 * left)
    return eq(left, -constant) if order(left) <= order(turned) else eq(turned, constant)


# --- what one condition says of another -------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 14)
def conjunct_set(condition: Expr) -> frozenset[Expr]:
    """The conjuncts of a condition, as they are written; none of what is always true."""
    return frozenset(conjuncts(condition)) - {TRUE}


@lru_cache(maxsize=1 << 16)
def implies(stronger: Expr, weaker: Expr) -> bool:
    """Whether each conjunct of the weaker condition is one of the stronger, or one of each way that this leaves open.

    Of a choice in the weaker condition one way does.

    >>> from layoutalg.index import var
    >>> a, b, c = (var(name, 9) < 5 for name in "abc")
    >>> implies(all_of(a, b), any_of(a, c)), implies(negation(a), negation(all_of(a, c))), implies(a, all_of(a, b))
    (True, True, False)
    >>> implies(any_of(all_of(a, b), all_of(a, c)), a), implies(any_of(all_of(a, b), c), a)
    (True, False)
    """
    if weaker is TRUE or stronger is FALSE or weaker is stronger:
        return True
    return all(_implies(stronger, part) for part in conjuncts(weaker))


def _implies(stronger: Expr, part: Expr) -> bool:
    """Whether a condition implies one conjunct."""
    given = conjunct_set(stronger)
    if part in given or any(implies(stronger, case) for case in _cases(part)):
        return True
    return any(all(implies(way, part) for way in ways) for ways in map(_cases, given) if ways)


def is_tautology(condition: Expr, steps: int = MOST_STEPS) -> bool:
    """Whether a condition holds whatever its comparisons are, as far as so many steps show.

    >>> from layoutalg.index import var
    >>> a, b, c = (var(name, 9) < 5 for name in "abc")
    >>> ways = any_of(a, all_of(negation(a), b), all_of(negation(a), negation(b), c))
    >>> is_tautology(ways), is_tautology(any_of(ways, all_of(negation(a), negation(any_of(b, c)))))
    (False, True)
    """
    left = [condition]
    while left and steps:
        one, steps = left.pop(), steps - 1
        if one is TRUE:
            continue
        if one is FALSE:
            return False
        atom = one
        while atom.op in ("all", "any", "not"):
            atom = atom.args[0]
        left += [substitute(one, {atom: held, negation(atom): negation(held)}) for held in (TRUE, FALSE)]
    return not left


def excludes(one: Expr, other: Expr) -> bool:
    """Whether one condition implies the negation of a conjunct of the other."""
    return any(implies(a, negation(part)) for a, b in ((one, other), (other, one)) for part in conjunct_set(b))


def _cases(part: Expr) -> tuple[Expr, ...]:
    """What a disjunction, or the negation of a conjunction, is a choice of."""
    if part.op == "not" and part.args[0].op == "all":
        return tuple(map(negation, part.args[0].args))
    return part.args if part.op == "any" else ()


def upper_limits(given: Expr) -> Mapping[Expr, int]:
    """What a condition says is at most a number, with the least such number.

    >>> from layoutalg.index import symbol
    >>> m, n = symbol("M"), symbol("N")
    >>> upper_limits(all_of(m * n < 1000, m <= 9, n < m))
    {M * N: 999, M: 9}
    """
    found: dict[Expr, int] = {}
    for part in conjuncts(given):
        if part.op in ("lt", "le") and part.args[1].op == "const":
            e, most = part.args[0], part.args[1].value - (part.op == "lt")
            found[e] = min(most, found.get(e, most))
    return found


def with_limits_as_sizes(expr: Expr, given: Expr) -> Expr:
    """The expression with each part that is assumed to be at most a number replaced by a size of that range.

    >>> from layoutalg.index import symbol, var
    >>> m, n = symbol("M"), symbol("N")
    >>> with_limits_as_sizes(var("block", (m * n + 63) // 64) * 64, m * n <= 1000).hi
    960
    """
    opaque: dict[Expr, Expr | int] = {}
    for e, most in upper_limits(given).items():
        if e.args and -inf < e.lo <= most:
            opaque[e] = symbol(f"({e})", min=int(e.lo), max=most)
    for v in variables(expr):
        if v.value.extent is not None:
            opaque[v] = with_extent(v, substitute(v.value.extent, opaque))
    return substitute(expr, opaque)


def conjunction(*conditions: Expr) -> Expr:
    """All of them, without what some conjuncts say of the others.

    A guard that is written as what must not be becomes one that is written as what must.

    >>> from layoutalg.index import var
    >>> a, b, c = (var(name, 9) < 5 for name in "abc")
    >>> conjunction(c, negation(any_of(a, all_of(b, c)))), conjunction(a, any_of(a, b)), conjunction(a, negation(a))
    (c < 5 and 5 <= a and 5 <= b, a < 5, 0)
    """
    parts = [leaf for condition in conditions for part in conjuncts(condition) for leaf in _denied_apart(part)]
    known = all_of(*(part for part in parts if not _cases(part)))
    if _denies_itself(known):
        return FALSE
    return all_of(known, *(assuming(part, known) for part in parts if _cases(part)))


def _denies_itself(condition: Expr) -> bool:
    """Whether one of its conjuncts is the negation of another."""
    parts = conjunct_set(condition)
    return len(parts) > 1 and any(negation(part) in parts for part in parts)


def _denied_apart(part: Expr) -> tuple[Expr, ...]:
    """The negation of a disjunction as what it denies; of another condition that."""
    if part.op == "not" and part.args[0].op == "any":
        return tuple(leaf for case in part.args[0].args for leaf in conjuncts(negation(case)))
    return (part,)


def disjunction(one: Expr, other: Expr) -> Expr:
    """One of two conditions: the weaker where the other implies it; what they share where else one denies the other.

    >>> from layoutalg.index import var
    >>> a, b = (var(name, 9) < 5 for name in "ab")
    >>> disjunction(a, all_of(a, b)), disjunction(all_of(a, b), all_of(a, negation(b)))
    (a < 5, a < 5)
    """
    if implies(one, other):
        return other
    if implies(other, one):
        return one
    shared = [part for part in conjuncts(one) if part in conjunct_set(other)]
    mine, others = (all_of(*(part for part in conjuncts(e) if part not in shared)) for e in (one, other))
    return all_of(*shared) if negation(mine) is others or negation(others) is mine else any_of(one, other)


# --- where something is assumed ---------------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 14)
def assuming(condition: Expr, given: Expr) -> Expr:
    """What of a condition is left where another is given, its parts as they are written: true, false, or less of it.

    >>> from layoutalg.index import var
    >>> a, b, c = (var(name, 9) < 5 for name in "abc")
    >>> assuming(all_of(a, b), a), assuming(negation(all_of(a, b)), a), assuming(all_of(negation(a), c), a)
    (b < 5, 5 <= b, 0)
    >>> assuming(var("a", 9) + 1 <= var("b", 9), var("a", 9) < var("b", 9))
    1
    >>> assuming(all_of(a, b), all_of(negation(all_of(a, b)), c)), assuming(all_of(negation(all_of(a, b)), a, c), b)
    (0, 0)
    """
    if given is TRUE:
        return condition
    known, here = conjunct_set(given), conjuncts(condition)
    if any(negation(part) in known for part in (condition, *here)):
        return FALSE
    left = all_of(*(_assuming(part, given) for part in here if part not in known))
    return FALSE if _denies_itself(left) else left


def _assuming(part: Expr, given: Expr) -> Expr:
    if part.op == "any":
        return any_of(*(assuming(case, given) for case in part.args))
    if part.op == "not" and part.args[0].op in ("any", "all"):
        return negation(assuming(part.args[0], given))
    true, false = _known(given)
    form = _comparison(part)
    return TRUE if form in true else FALSE if form in false else part


@lru_cache(maxsize=1 << 10)
def _known(given: Expr) -> tuple[frozenset[Expr], frozenset[Expr]]:
    """The normal forms that hold where a condition does, and those that do not."""
    true = conjunct_set(given if given is TRUE else normal_form(given))
    return true, frozenset(_denied(part) for part in true)


@lru_cache(maxsize=1 << 14)
def restricted(e: Expr, given: Expr, spread: bool = True) -> Expr:
    """What an expression is where a condition holds: choices decided that it decides, conditions in normal form.

    With `spread` a quotient or remainder of a choice is a choice of quotients or remainders.

    >>> from layoutalg.index import select, var
    >>> a, b = var("a", 9), var("b", 9)
    >>> restricted(select(any_of(a < 5, b < 5), a, select(5 <= a, b, 0)), 5 <= a)
    select(0 <= b * -1 + 4, a, b)
    >>> restricted(select(a <= 5, a, 5), 5 <= a)
    5
    """
    if not e.choices:
        return e
    if e.op == "select":
        condition = _chosen(e, given, spread)
        if condition.op == "const":
            return restricted(e.args[1] if condition is TRUE else e.args[2], given, spread)
        ways = (condition, e.args[1]), (negation(condition), e.args[2])
        return choice(condition, *(restricted(way, all_of(given, holds), spread) for holds, way in ways))
    args = [restricted(a, given, spread) for a in e.args]
    if e.op not in BOOLEAN:
        return _of_each(e, args) if spread else rebuild(e, args)
    true, false = _known(given)
    condition = _with_negations_at_leaves(e, args)
    return TRUE if condition in true else FALSE if condition in false else condition


def _chosen(e: Expr, given: Expr, spread: bool) -> Expr:
    """The condition of a choice; of the lesser or greater of two by any order of them, for they may be equal."""
    condition = restricted(e.args[0], given, spread)
    if condition.op == "const" or not of_two(e)[0]:
        return condition
    low, high = e.args[0].args
    for one, other, first in ((low, high, TRUE), (high, low, FALSE)):
        if any(restricted(compare(one, other), given, spread) is TRUE for compare in (le, lt)):
            return first
    return condition


def _with_negations_at_leaves(node: Expr, args: list[Expr]) -> Expr:
    """The condition of these parts: negations at its leaves, parts that say nothing left out."""
    if node.op in ("any", "all"):
        return _joined(node.op, args)
    if node.op == "not":
        return _denied(args[0])
    e = rebuild(node, args)
    return _comparison(e) if e.op in ("lt", "le", "eq") else e


@lru_cache(maxsize=1 << 14)
def _denied(form: Expr) -> Expr:
    """The normal form of what a normal form denies."""
    if form.op in ("any", "all"):
        return _joined("all" if form.op == "any" else "any", [_denied(part) for part in form.args])
    return _comparison(negation(form))


def _joined(op: str, parts: list[Expr]) -> Expr:
    """All or any of some conditions, by the table: absorption, parts whose negation stands beside them."""
    join, inner, absorbing = (any_of, all_of, TRUE) if op == "any" else (all_of, any_of, FALSE)
    flat = dict.fromkeys(leaf for part in parts for leaf in (part.args if part.op == op else (part,)))
    denied = {_denied(part) for part in flat}
    if any(part in denied for part in flat):
        return absorbing
    left = []
    for part in flat:
        if {part.op, op} == {"any", "all"}:
            if any(leaf in flat for leaf in part.args):
                continue
            part = inner(*(leaf for leaf in part.args if leaf not in denied))
        left.append(part)
    return join(*sorted(left, key=order))


# --- numbers that conditions choose -----------------------------------------------------------------------------------


def of_two(e: Expr) -> tuple[str, tuple[Expr, ...]]:
    """`lesser` or `greater`, and of which two numbers an expression is that; nothing where it is neither."""
    if e.op == "select" and e.args[0].op in ("lt", "le"):
        compared, ways = [tuple(map(simplify, parts)) for parts in (e.args[0].args, e.args[1:])]
        if ways in (compared, compared[::-1]):
            return "lesser" if ways == compared else "greater", ways
    return "", ()


def _of_each(node: Expr, args: list[Expr]) -> Expr:
    """The operation; of each way, where it is a quotient or remainder of a choice."""
    if node.op not in ("div", "mod") or args[0].op != "select" or args[1].op != "const":
        return rebuild(node, args)
    condition, *ways = args[0].args
    return choice(condition, *(_of_each(node, [way, args[1]]) for way in ways))


def choice(condition: Expr, then: Expr, otherwise: Expr) -> Expr:
    """A choice between two, or the one of them that is the other where that is chosen.

    >>> from layoutalg.index import select, var
    >>> a, b = var("a", 9), var("b", 9)
    >>> choice(a < 5, a, select(a < 5, a, b)), choice(negation(eq(a, b)), a, b)
    (select(a < 5, a, b), select(a == b, b, a))
    """
    if condition.op == "not":
        condition, then, otherwise = condition.args[0], otherwise, then
    one = merged(condition, then, negation(condition), otherwise)
    return select(condition, then, otherwise) if one is None else one


def merged(here: Expr, x: Expr, there: Expr, y: Expr) -> Expr | None:
    """One expression that is x where one condition holds, and y where another does, if one of the two is it.

    >>> from layoutalg.index import select, var
    >>> a, b = var("a", 9), var("b", 9)
    >>> merged(a < 5, a, 5 <= a, select(a < 5, a, b))
    select(a < 5, a, b)
    """
    if x is y:
        return y
    made_of_x, made_of_y = frozenset(variables(x)), frozenset(variables(y))
    if not (made_of_x <= made_of_y or made_of_y <= made_of_x) or len(postorder(x, y)) > LARGE:
        return None  # they are hardly ever alike then, or it takes long to see
    if restricted(x, here) is restricted(y, here):
        return y
    return x if restricted(x, there) is restricted(y, there) else None
