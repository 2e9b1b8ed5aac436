"""At which sizes a reference may say something else than at others: where what PyTorch took for granted fails.

An export follows the branch that its examples take, and PyTorch tells what it decided so:

| it took for granted | then |
|---|---|
| that no length is 1 (never told) | a size that may be 0 or 1 is tried there |
| `m > 4`, `m - 2 >= 2`, `m != 1`, of one size, false at a few small ones | these are tried |
| `m < 20`, `m % 2 == 0`, `m < n` | refused, unless it holds for all sizes of the contract |

What is tried, the equations beside the reference, is of those sizes alone; elsewhere the decisions hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from layoutalg.formats.model import SpecFile
from layoutalg.index import FALSE, Expr, all_of, const, eq, negation, simplify, substitute, value, variables
from layoutalg.index.parse import ParseError, parse
from layoutalg.judge.graph import UnsaidError
from layoutalg.prove import ForAll, Limits
from layoutalg.prove.decide import holds

#: Beyond it a decision on one size must hold.
SMALL = 32

_LIMITS = Limits(seconds=1)


def special_sizes(decided: Sequence[str], sizes: Sequence[str], file: SpecFile) -> list[dict[str, int]]:
    """The sizes to be tried, each with others that are small; UnsaidError where a decision fails for too many.

    `decided`: conditions on sizes that PyTorch decided, as `layoutalg.index.parse` reads them.
    """
    found = {(name, n) for name in sizes for n in (0, 1) if _is_in(file.symbols[name], n)}
    for text in decided:
        try:
            condition = parse(text, file.symbols)
        except ParseError as error:
            raise UnsaidError(f"no equation says a reference that decides by its sizes: {error}") from None
        if holds(ForAll("what PyTorch decided", condition, file.given), _LIMITS):
            continue
        own = variables(condition)
        beyond = all_of(file.given, *(const(SMALL) < v for v in own))
        if len(own) != 1 or not holds(ForAll("what PyTorch decided", condition, beyond), _LIMITS):
            raise UnsaidError(f"the reference may say something else where not {text}")
        (size,) = own
        found |= {(size.value.name, n) for n in range(SMALL + 1) if _is_in(size, n) and not value(condition, {size: n})}
    return [at for name, n in sorted(found) for at in _beside(name, n, sizes, file)]


def _beside(name: str, n: int, sizes: Sequence[str], file: SpecFile) -> Iterator[dict[str, int]]:
    """A size with others, these all small and alike, or apart; UnsaidError where none of these is given."""
    symbols, found = file.symbols, False
    for others in ([1] * len(sizes), [2] * len(sizes), range(3, 3 + 2 * len(sizes), 2)):
        at = {one: n if one == name else _clipped(symbols[one], m) for one, m in zip(sizes, others, strict=True)}
        if simplify(substitute(file.given, {symbols[one]: const(m) for one, m in at.items()})) is not FALSE:
            found = True
            yield at
    if not found and not holds(ForAll("a size", negation(eq(symbols[name], n)), file.given), _LIMITS):
        raise UnsaidError(f"the reference may say something else at {name} = {n}")


def _is_in(size: Expr, n: int) -> bool:
    return size.lo <= n <= size.hi


def _clipped(size: Expr, n: int) -> int:
    return int(min(max(n, size.lo), size.hi))


def lengths_at(lengths: Sequence[str], at: Mapping[str, int], symbols: Mapping[str, Expr]) -> tuple[int, ...]:
    """A tensor's lengths at sizes."""
    return tuple(value(parse(one, symbols), {symbols[name]: n for name, n in at.items()}) for one in lengths)
