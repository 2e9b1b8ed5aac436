"""At which sizes a reference may say something else than at others: where what PyTorch took for granted fails.

An export follows the branch that its examples take, and PyTorch tells what it decided so:

| it took for granted | then |
|---|---|
| that no length is 1 (never told) | a size that may be 0 or 1 is fixed there |
| `m > 4`, `m - 2 >= 2`, `1 < m * n`, false only where a size is small | it is fixed at these |
| `m < 20`, `m % 2 == 0`, `m < n` | refused, unless it holds for all sizes of the contract |

With a size fixed, the reference is exported anew, and what PyTorch decided then is asked in the same way, until each
export is of one branch.  Equations are held against the reference at a few sizes of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from math import prod

from layoutalg.formats.model import SpecFile
from layoutalg.index import FALSE, Expr, all_of, conjuncts, const, eq, negation, simplify, substitute, value, variables
from layoutalg.index.parse import ParseError, parse
from layoutalg.judge.graph import UnsaidError
from layoutalg.prove import ForAll, Limits
from layoutalg.prove.decide import holds

Sizes = Mapping[str, int]

#: Where some size is beyond it a decision must hold.
SMALL = 32

#: Of how many exports a reference may be.
MOST = 64

#: About what sizes are that are tried, the least that may be: numbers that nobody decides by.
TRIED = (7, 19, 37, 131)

_LIMITS = Limits(seconds=1)


def special_sizes(
    decided: Callable[[Sizes, Sizes], Sequence[str]], sizes: Sequence[str], file: SpecFile
) -> Iterator[Sizes]:
    """The sizes to be tried, some of each export but the first; UnsaidError where a decision fails for too many.

    `decided`: of the export with some sizes fixed, at sizes with these, the conditions on sizes that PyTorch decided,
    as `layoutalg.index.parse` reads them.
    """
    seen: set[frozenset[tuple[str, int]]] = set()
    left: list[Sizes] = [{}]
    while left:
        fixed = left.pop()
        if frozenset(fixed.items()) in seen or _is_none(fixed, file):
            continue
        seen.add(frozenset(fixed.items()))
        if len(seen) > MOST:
            raise UnsaidError(f"the reference may say something else at more than {MOST} sizes, as {shown(fixed)}")
        few = some_sizes(sizes, file, fixed)
        yield from few if fixed else ()
        open_ = [name for name in sizes if name not in fixed]
        left += [{**fixed, name: n} for name, n in _apart(decided(fixed, few[-1]), fixed, open_, file)] if open_ else []


def _apart(decided: Sequence[str], fixed: Sizes, open_: Sequence[str], file: SpecFile) -> list[tuple[str, int]]:
    """The open sizes that may be such that what was decided with some fixed does not hold."""
    found = {(name, n) for name in open_ for n in (0, 1) if _is_in(file.symbols[name], n)}
    given = all_of(file.given, _are(fixed, file), *(const(1) < file.symbols[name] for name in open_))
    for text in decided:
        try:
            condition = parse(text, file.symbols)
        except ParseError as error:
            raise UnsaidError(f"no equation says a reference that decides by its sizes: {error}") from None
        for part in (part for part in conjuncts(condition) if not _holds(part, given)):
            small = next((v for v in variables(part) if _holds(part, given, const(SMALL) < v)), None)
            if small is None:
                raise UnsaidError(f"the reference may say something else where not {text}{shown(fixed, ', at ')}")
            found |= {(small.value.name, n) for n in range(2, SMALL + 1)
                      if _is_in(small, n) and not _holds(part, given, eq(small, n))}  # fmt: skip
    return sorted(found, reverse=True)


def _holds(condition: Expr, *given: Expr) -> bool:
    return holds(ForAll("what PyTorch decided", condition, all_of(*given)), _LIMITS)


def _are(fixed: Sizes, file: SpecFile) -> Expr:
    return all_of(*(eq(file.symbols[name], n) for name, n in fixed.items()))


def _is_none(fixed: Sizes, file: SpecFile) -> bool:
    """Whether no sizes of a contract are these."""
    return bool(fixed) and _holds(negation(_are(fixed, file)), file.given)


def some_sizes(sizes: Sequence[str], file: SpecFile, fixed: Sizes) -> Sequence[Sizes]:
    """The least one or two of a contract's sizes that are tried, each open one its own; UnsaidError where none is seen.

    Each is small, or, where what is given asks for more, larger.
    """
    symbols, seen = file.symbols, list[Sizes]()
    for at in sorted(_drawn(sizes, file, fixed), key=lambda one: prod(one.values())):
        given = simplify(substitute(file.given, {symbols[one]: const(n) for one, n in at.items()}))
        if given is not FALSE and at not in seen:
            seen.append(at)
        if len(seen) == 2:
            break
    if not seen:
        raise UnsaidError(f"no sizes are seen that are given{shown(fixed, ', of ')}")
    return seen


def _drawn(sizes: Sequence[str], file: SpecFile, fixed: Sizes) -> Iterator[Sizes]:
    """No two open ones are equal, nor where a little is added: PyTorch would take them for one."""
    open_ = [name for name in sizes if name not in fixed]
    for large, least in ((one, n) for k in range(len(open_) + 1) for one in combinations(open_, k) for n in TRIED):
        own = {one: 4 * n + (least if one in large else TRIED[0]) for n, one in enumerate(sizes)}
        yield {one: fixed.get(one, _clipped(file.symbols[one], n)) for one, n in own.items()}


def _is_in(size: Expr, n: int) -> bool:
    return size.lo <= n <= size.hi


def _clipped(size: Expr, n: int) -> int:
    return int(min(max(n, size.lo), size.hi))


def shown(at: Sizes, before: str = "") -> str:
    """Sizes in words, behind others where there are any.

    >>> shown({"m": 1, "n": 3}), shown({}, ", at ")
    ('m = 1, n = 3', '')
    """
    return before * bool(at) + ", ".join(f"{name} = {n}" for name, n in at.items())


def lengths_at(lengths: Sequence[str], at: Sizes, symbols: Mapping[str, Expr]) -> tuple[int, ...]:
    """A tensor's lengths at sizes."""
    return tuple(value(parse(one, symbols), {symbols[name]: n for name, n in at.items()}) for one in lengths)
