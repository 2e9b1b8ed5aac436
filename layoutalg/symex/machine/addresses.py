"""Which memory an address is in, and where: an address is a tensor's, or an aperture's, and an offset that has none.

| an address | is in |
|---|---|
| `x + 4·i` | x, at 4·i |
| `p ? x + 4·i : x + 8·i` | x, at `p ? 4·i : 8·i` |
| `code + 2560 + 4·i` | what is loaded of the code object at 2560 or before, from its start on |
| `p ? x + 4·i : y + 4·i` | x, at 4·i, where p; y, at 4·i, where not p |
| `rows[g] + 4·i`, loaded from a tensor of addresses | row, at `rows[g] + 4·i`: an unknown of g, and what is behind it |

What it cannot represent: tensors that a loop exchanges, and addresses that are loaded of anything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from layoutalg.index import (
    FALSE,
    TRUE,
    ZERO,
    Expr,
    all_of,
    negation,
    postorder,
    rebuild,
    simplify,
    substitute,
    variables,
)
from layoutalg.index.conditions import choice, conjunction, excludes, implies
from layoutalg.index.normal import normal
from layoutalg.index.ranges import BOOLEAN
from layoutalg.records import dataclass
from layoutalg.symex.machine.arguments import ALIGNED, HIGHEST_ADDRESS
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.values.modular import representative
from layoutalg.symex.values.unknowns import Kind, arguments_of, function_of, unknown_value


@dataclass(frozen=True)
class Span:
    """Bytes of a buffer, or of LDS, from an offset on, where a condition holds."""

    buffer: str
    offset: Expr
    condition: Expr


#: What an address that was loaded is called, before the name of what lies there.
_POINTER = "address in "


def pointer(buffer: str, number: Expr) -> Expr:
    """The `number`-th of the addresses of what is called so, whoever loads it; of which no more is known."""
    named, limit = f"{_POINTER}{buffer} number {number}", (HIGHEST_ADDRESS + 1) // ALIGNED
    found = unknown_value(named, limit, Kind.DATA, function=_POINTER + buffer, arguments=(number,))
    return found * ALIGNED


def pointers_in(e: Expr) -> dict[Expr, str]:
    """The unknowns in an address or an offset, times `ALIGNED`, that were loaded as addresses, and what lies there."""
    made_of = ((v, function_of(v)) for v in variables(e))
    return {v: name.removeprefix(_POINTER) for v, name in made_of if name.startswith(_POINTER)}


def laid_out(offset: Expr, sizes: Mapping[str, Expr]) -> tuple[Expr, Expr]:
    """An offset of what an address may be loaded for, as if all of it lay in one memory; and that from its own start.

    The n-th is as many bytes from the first as `ALIGNED` · n of its `sizes`: all of them are apart there, and begin at
    multiples of `ALIGNED`.

    >>> from layoutalg.index import const, select, var
    >>> g, i = var("g", 8), var("i", 64)
    >>> laid_out(pointer("row", g) + i * 4, {"row": const(256)})
    (g * 4096 + i * 4, i * 4)
    >>> laid_out(select(pointer("row", g) < 99, i * 4, 0), {"row": const(256)})[1]
    select(address in row number g * 16 < 99, i * 4, 0)
    """
    found = pointers_in(offset)
    if not found:
        return offset, offset
    starts = {v: arguments_of(v)[0] * sizes[name] for v, name in found.items()}
    return _with_starts(offset, starts), _with_starts(offset, dict.fromkeys(found, ZERO))


def _with_starts(offset: Expr, starts: Mapping[Expr, Expr]) -> Expr:
    """An offset where what is loaded of addresses is elsewhere; what a choice goes by are the addresses themselves."""
    done: dict[Expr, Expr] = {}
    for node in postorder(offset):
        kept = node.op in BOOLEAN or not node.args
        done[node] = starts.get(node, node) if kept else rebuild(node, [done[part] for part in node.args])
    return simplify(done[offset])


class Bases:
    """Takes addresses apart: these bases are the buffers'."""

    def __init__(self, values: IndexValues, buffers: Mapping[str, Expr], all_bases: Set[Expr]) -> None:
        """`all_bases`: none of these is part of an offset."""
        self.w, self.buffers, self.all_bases = values, buffers, all_bases

    def places(self, address: Expr, given: Expr) -> list[Span] | None:
        """Where an address of 64 bits is, in all cases that are given; None where that is not seen."""
        e = representative(decided(address, given), 64)
        for name, base in self.buffers.items():
            offset = self.w.ranges.uncut(e - base)
            here = base.op == "var" or normal(offset).terms.get((), 0) >= 0  # of parts of one, the last before it
            if here and not self._has_base(offset):
                return [Span(name, offset, given)]
        for v, name in pointers_in(e).items():
            offset = self.w.ranges.uncut(e - v * ALIGNED)
            if not self._has_base(offset):
                return [Span(name, offset + v * ALIGNED, given)]
        chosen = next((node for node in postorder(e) if node.op == "select" and self._has_base(node)), None)
        if chosen is None:
            return None
        condition = chosen.args[0]
        found: list[Span] = []
        for holds, way in ((condition, chosen.args[1]), (negation(condition), chosen.args[2])):
            there = conjunction(given, holds)
            parts = [] if there is FALSE else self.places(substitute(e, {chosen: way}), there)
            if parts is None:
                return None
            found += parts
        if len(found) == 2 and found[0].buffer == found[1].buffer:
            return [Span(found[0].buffer, choice(condition, found[0].offset, found[1].offset), given)]
        return found

    def _has_base(self, e: Expr) -> bool:
        return not self.all_bases.isdisjoint(variables(e)) or bool(pointers_in(e))


def decided(e: Expr, given: Expr) -> Expr:
    """The expression without the choices that a condition decides.

    >>> from layoutalg.index import select, var
    >>> i, p = var("i", 9), var("p", 9) < 5
    >>> decided(select(p, i, 7) + i, p)
    i * 2
    """
    if given is TRUE:
        return e
    for node in postorder(e):
        if node.op == "select" and (implies(given, node.args[0]) or excludes(given, node.args[0])):
            return decided(substitute(e, {node: node.args[1 if implies(given, node.args[0]) else 2]}), given)
    return simplify(e)


def ways(e: Expr, given: Expr = TRUE, *, limits: bool = True) -> Iterator[tuple[Expr, Expr]]:
    """The expression without choices, in each of their ways, with when that is taken; `limits`: also of min and max.

    >>> from layoutalg.index import select, var
    >>> i, p = var("i", 9), var("p", 9) < 5
    >>> list(ways(select(p, i, 7) + i))
    [(p < 5, i * 2), (5 <= p, i + 7)]
    """
    e = decided(e, given)
    chosen = next(
        (node for node in postorder(e) if node.op == "select" and (limits or not _is_limit(*node.args))), None
    )
    if chosen is None:
        yield given, e
        return
    for holds, way in ((chosen.args[0], chosen.args[1]), (negation(chosen.args[0]), chosen.args[2])):
        there = all_of(given, holds)
        if there is not FALSE:
            yield from ways(substitute(e, {chosen: way}), there, limits=limits)


def _is_limit(condition: Expr, one: Expr, other: Expr) -> bool:
    """Whether a choice is of the lesser or the greater of two."""
    return condition.op == "le" and set(condition.args) == {one, other}
