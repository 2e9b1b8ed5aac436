"""Walking and rewriting expressions: nodes in order, variables, substitution."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from itertools import chain

from layoutalg.index.budget import CLOCK
from layoutalg.index.expr import Expr, Term, as_expr
from layoutalg.index.truth import BUILD, all_of, lookup
from layoutalg.index.variable import var

#: Steps of a node that is walked over.
WALKED = 6


def postorder(*roots: Expr, stop: Container[Expr] = ()) -> list[Expr]:
    """Every node below the roots once, arguments before what uses them (no recursion: depth is not limited).

    It does not go below the nodes of `stop`.

    >>> from layoutalg.index import symbol
    >>> postorder(symbol("M") * 8 + 1)
    [M, 8, M * 8, 1, M * 8 + 1]
    """
    order: dict[Expr, None] = {}
    stack = list(reversed(roots))
    while stack:
        node = stack[-1]
        is_open = node.args and node not in order and node not in stop
        if is_open and (waiting := [a for a in node.args if a not in order]):
            stack += reversed(waiting)
        else:
            order.setdefault(stack.pop())
    CLOCK.steps += WALKED * len(order)
    return list(order)


def variables(*roots: Expr) -> tuple[Expr, ...]:
    """The variables below the roots, those in other variables' extents too, in order of first use.

    >>> from layoutalg.index import symbol
    >>> variables(symbol("M") * symbol("N") + 1)
    (M, N)
    """
    if len(roots) == 1:
        return _variables(roots[0])
    return tuple(dict.fromkeys(chain.from_iterable(map(_variables, roots))))


def _variables(root: Expr) -> tuple[Expr, ...]:
    """Those below one root, kept with it."""
    if root._variables is None:
        found: dict[Expr, None] = {}
        seen: set[Expr] = set()
        stack = [root]
        while stack:
            node = stack.pop()
            if node._variables is not None:
                found |= dict.fromkeys(node._variables)
            elif node.op == "var":
                if node.value.extent is not None:
                    found |= dict.fromkeys(_variables(node.value.extent))
                found[node] = None
            elif node.args and node not in seen:
                seen.add(node)
                stack += reversed(node.args)
        CLOCK.steps += WALKED * (len(seen) + 1)
        root._variables = tuple(found)
    return root._variables


def names(*roots: Expr) -> set[str]:
    """The names of the variables below the roots.

    >>> from layoutalg.index import symbol
    >>> sorted(names(symbol("M") * symbol("N")))
    ['M', 'N']
    """
    return {v.value.name for v in variables(*roots)}


def unused(name: str, taken: Collection[str]) -> str:
    """The name, with as many underlines as make it none of those taken.

    Names belong to the user first.  What the library makes beside a user's variables must not be called like one of
    them: a witness tells values by names, and variables of one name and one range are one variable.

    >>> unused("i.0", {"i", "i.0"})
    'i.0_'
    """
    while name in taken:
        name += "_"
    return name


def fresh(name: str, extent: Term, avoid: Iterable[str]) -> Expr:
    """A variable 0 ≤ name < extent whose name none of `avoid` is.

    >>> fresh("i0", 8, {"i0"})
    i0_
    """
    return var(unused(name, set(avoid)), extent)


def conjuncts(condition: Expr) -> tuple[Expr, ...]:
    """The parts of a conjunction, the condition itself where it is none.

    >>> i, j = var("i", 64), var("j", 8)
    >>> conjuncts(all_of(i < 50, j < 4)), conjuncts(i < 50)
    ((i < 50, j < 4), (i < 50,))
    """
    whole = all_of(condition)
    return whole.args if whole.op == "all" else (whole,)


def slack(part: Expr) -> Expr | None:
    """What is at least 0 exactly where an order holds: more − less, one less where it is strict; None of no order.

    >>> from layoutalg.index import eq, var
    >>> slack(var("a", 9) < var("b", 9)), slack(eq(var("a", 9), 1))
    (b + a * -1 - 1, None)
    """
    if part.op not in ("lt", "le"):
        return None
    less, more = part.args
    return more - less - int(part.op == "lt")


def substitute(root: Expr, values: Mapping[Expr, Term]) -> Expr:
    """`root` with each variable in `values` replaced, rebuilt (and so simplified) bottom up.

    >>> from layoutalg.index import var
    >>> i = var("i", 8)
    >>> substitute(i * 4 + 1, {i: 2})
    9
    """
    if not root.args:
        return as_expr(values[root]) if root in values else root
    new: dict[Expr, Expr] = {}
    stack = [root]
    while stack:
        node = stack[-1]
        if node in values:
            new[node] = as_expr(values[node])
        elif not node.args:
            new[node] = node
        elif waiting := [a for a in node.args if a not in new]:
            stack += reversed(waiting)
            continue
        else:
            new[node] = rebuild(node, [new[a] for a in node.args])
        stack.pop()
    CLOCK.steps += WALKED * len(new)
    return new[root]


def rebuild(node: Expr, args: Sequence[Expr]) -> Expr:
    """The node's operation applied to other arguments.

    >>> i, j = var("i", 64), var("j", 8)
    >>> rebuild(i // 4, (i + j, as_expr(2)))
    (i + j) // 2
    """
    if tuple(args) == node.args:
        return node
    return lookup(node.value, args[0]) if node.op == "lookup" else BUILD[node.op](*args)
