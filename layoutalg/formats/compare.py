"""Two versions of a file, layout by layout: one map still, more of it, or another, and the first index that differs.

| what        | the new layout                                                                         | passes |
|-------------|----------------------------------------------------------------------------------------|--------|
| same        | has the old one's lengths, offsets, element space and element type                     | yes    |
| refinement  | has the old one's offsets wherever that is defined; more indices, or another space     | yes    |
| restriction | has the old one's offsets where both are defined, and is not defined somewhere it was  | no     |
| different   | has another offset, rank or element type                                               | no     |
| unknown     | may be any of these: nothing decided it in time                                        | no     |
| added       | is of a name that the old file does not have                                           | yes    |
| removed     | is none: the new file does not have the old one's name                                 | no     |

Defined: for sizes that the file allows and for which there is a layout, the index is in range and reaches data.  Sizes
of one name are one size.  Where the two share no index, nothing is defined that was: a restriction.
What it cannot represent: a layout that was renamed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf, lcm
from typing import Literal

from layoutalg.errors import LayoutError
from layoutalg.formats.model import DescriptorItem, LayoutItem, SpecFile
from layoutalg.formats.offsets import offsets
from layoutalg.index import TRUE, Expr, all_equal, all_of, fresh, substitute, symbol, variables
from layoutalg.index.evaluate import limits as limits_of
from layoutalg.layout.bind import bind, expressions
from layoutalg.lazy import lazy_imports
from layoutalg.prove import Claim, Equivalent, ForAll, Limits, Proved, Refuted, Shown, prove
from layoutalg.prove.claims import in_range
from layoutalg.prove.claims.base import exists
from layoutalg.prove.claims.given import under
from layoutalg.prove.domain import Layout, adaptor_of, at, bottom_limits, names_in
from layoutalg.prove.obligation import admitted
from layoutalg.prove.vacuity import met, vacuous
from layoutalg.records import dataclass

with lazy_imports():
    import numpy as np

What = Literal["same", "refinement", "restriction", "different", "unknown", "added", "removed"]
PASSES: frozenset[What] = frozenset({"same", "refinement", "added"})


@dataclass(frozen=True)
class LayoutComparison:
    """What became of one layout; `reason` says how it differs, or for which sizes it does at `index` first.

    `offsets`: the old one and the new one there.
    """

    name: str
    what: What
    reason: str = ""
    line: int | None = None
    index: tuple[int, ...] | None = None
    offsets: tuple[int, int] | None = None

    def __bool__(self) -> bool:
        return self.what in PASSES


def compare(old: SpecFile, new: SpecFile, *, limits: Limits | None = None) -> Iterator[LayoutComparison]:
    """What became of each layout of the old file, then the layouts that only the new one has.

    >>> from layoutalg.formats import loads
    >>> tile = '[[descriptor]]\\nname = "a"\\nbase = { kind = "naive", lengths = [4, 8], strides = [%s, 1] }'
    >>> [c] = compare(loads(tile % "8"), loads(tile % "9"))
    >>> c.what, c.index, c.offsets
    ('different', (1, 0), (8, 9))
    """
    before, after = ({i.name: i for i in spec.items if isinstance(i, LayoutItem)} for spec in (old, new))
    for name, item in before.items():
        if name in after:
            yield _compared(item, after[name], limits or Limits())
        else:
            yield LayoutComparison(name, "removed")
    for name, item in after.items():
        if name not in before:
            yield LayoutComparison(name, "added", line=item.line)


def _compared(old: LayoutItem, new: LayoutItem, limits: Limits) -> LayoutComparison:
    def found(what: What, reason: str = "") -> LayoutComparison:
        return LayoutComparison(new.name, what, reason, new.line)

    types = [getattr(item, "dtype", None) for item in (old, new)]
    if old.kind != new.kind or types[0] != types[1]:
        kinds = (old.kind, new.kind) if old.kind != new.kind else types
        return found("different", f"{kinds[1]}, was {kinds[0]}")
    ranks = [(len(a.lengths), len(a.bottom_ids)) for a in map(adaptor_of, (old.layout, new.layout))]
    if ranks[0] != ranks[1]:
        return found("different", f"{_rank(*ranks[1])}, was {_rank(*ranks[0])}")
    try:
        pair = _Pair.of(old, new)
    except _NoSizeError as error:
        return found("restriction", str(error))
    except LayoutError as error:
        return found("different", str(error))
    if why := vacuous(pair.before):
        return found("unknown", why)
    claim = under(pair.given, Equivalent(pair.old, pair.new))
    same: tuple[Claim | ForAll, ...] = () if pair.less or pair.more else (*pair.same_sizes, claim)
    if same and all(isinstance(prove(one, limits=limits), Proved) for one in same):
        return found("same")
    if met(admitted(pair.equal)) is False:
        had = met(admitted(pair.covers)) is not False
        return found(*(("restriction", "no index is in both") if had else ("refinement", "the old one has no index")))
    verdict = prove(pair.equal, limits=limits)
    if isinstance(verdict, Refuted):
        point = verdict.witness.points[0]
        first = _at_first(old, new, point)
        return found("different", verdict.reason) if first is None else first
    if not isinstance(verdict, Proved):
        return found("unknown", verdict.reason)
    if pair.less:
        return found("restriction", pair.less)
    verdict = prove(pair.covers, limits=limits)
    if isinstance(verdict, Refuted):
        return found("restriction", verdict.reason)
    if not isinstance(verdict, Proved):
        return found("unknown", verdict.reason)
    return found("refinement", pair.more or pair.grown)


def _rank(top: int, bottom: int) -> str:
    return f"{top} indices" + (f" over {bottom}" if bottom != 1 else "")


class _NoSizeError(LayoutError):
    """No size is allowed by both versions."""


@dataclass(frozen=True)
class _Pair:
    """Two layouts over the sizes that both allow; `given` and `before` say for which there are both, and the old one.

    `less` says which sizes only the old one allows, `more` the new."""

    old: Layout
    new: Layout
    given: Expr
    before: Expr
    less: str
    more: str

    @classmethod
    def of(cls, old: LayoutItem, new: LayoutItem) -> _Pair:
        """_NoSizeError where no size is one of both, LayoutError where a layout is none for those that are."""
        sides = [_sizes(old), _sizes(new)]
        less, more = [], []
        common: list[dict[Expr, Expr]] = [{}, {}]
        for name in sides[0].keys() & sides[1].keys():
            one, other = sides[0][name], sides[1][name]
            both = _both(one, other)
            common[0][one] = common[1][other] = both
            told = f"{limits_of(other)}, was {limits_of(one)}"
            less += [told] if both is not one else []
            more += [told] if both is not other else []
        was, now = (bind(item.layout, sizes) for item, sizes in zip((old, new), common, strict=True))
        before, after = (substitute(item.given, sizes) for item, sizes in zip((old, new), common, strict=True))
        more += [f"given {after}, was given {before}"] if before is not after else []
        given = all_of(before, after, exists(was), exists(now))
        return cls(was, now, given, all_of(before, exists(was)), "; ".join(less), "; ".join(more))

    @property
    def same_sizes(self) -> Iterator[ForAll]:
        """For sizes for which one of them is a layout, so is the other; nothing where both always are."""
        one, other = exists(self.old), exists(self.new)
        for had, has in ((one, other), (other, one)):
            if has is not TRUE:
                yield ForAll("both have an index", has, had)

    @property
    def _shown(self) -> tuple[tuple[Expr, ...], tuple[Shown, ...]]:
        avoid = names_in(self.old) | names_in(self.new)
        lengths = adaptor_of(self.old).lengths
        index = tuple(fresh(f"i{n}", length, avoid) for n, length in enumerate(lengths))
        return index, (Shown("index", index),)

    @property
    def equal(self) -> ForAll:
        """Where both are defined both have one offset."""
        index, shown = self._shown
        one, other = at(self.old, index), at(self.new, index)
        given = all_of(self.given, self._inside(index), one.valid, other.valid)
        shown = (*shown, Shown("old offset", one.bottom), Shown("new offset", other.bottom))
        return ForAll("offsets are equal", all_equal(one.bottom, other.bottom), given, shown)

    @property
    def covers(self) -> ForAll:
        """The new one is defined wherever the old one is."""
        index, shown = self._shown
        there = all_of(self.given, self._inside(index), at(self.new, index).valid)
        return ForAll("it is defined where it was", there, all_of(self.before, at(self.old, index).valid), shown)

    @property
    def grown(self) -> str:
        """How lengths or memory differ, in words."""
        (one, other), spaces = map(adaptor_of, (self.old, self.new)), [*map(bottom_limits, (self.old, self.new))]
        lengths = "" if one.lengths == other.lengths else f"lengths {_list(other.lengths)}, were {_list(one.lengths)}"
        space = "" if spaces[0] == spaces[1] else f"{_list(spaces[1])} elements of memory, were {_list(spaces[0])}"
        return "; ".join(told for told in (lengths, space) if told) or "it reaches more data"

    def _inside(self, index: tuple[Expr, ...]) -> Expr:
        return all_of(*(in_range(i, n) for i, n in zip(index, adaptor_of(self.new).lengths, strict=True)))


def _list(terms: tuple[Expr | None, ...]) -> str:
    return " × ".join("any" if term is None else str(term) for term in terms)


def _sizes(item: LayoutItem) -> Mapping[str, Expr]:
    return {v.value.name: v for v in variables(*expressions(item.layout), item.given)}


def _both(one: Expr, other: Expr) -> Expr:
    """The size within the limits of both; _NoSizeError where there is none."""
    a, b = one.value, other.value
    low, high = max(a.lo, b.lo), min(a.hi, b.hi)
    top, multiple = None if high == inf else int(high), lcm(a.multiple_of, b.multiple_of)
    try:
        size = symbol(
            a.name, min=int(low), max=top, multiple_of=multiple, power_of_two=a.power_of_two or b.power_of_two
        )
    except ValueError:
        raise _NoSizeError(f"no {a.name} keeps {limits_of(one)} and {limits_of(other)}") from None
    return next((side for side in (one, other) if side.value == size.value), size)


def _at_first(old: LayoutItem, new: LayoutItem, point: Mapping[str, int]) -> LayoutComparison | None:
    """The first index, row by row, whose offsets differ at these sizes; None where offsets are not listed."""
    if not (isinstance(old, DescriptorItem) and isinstance(new, DescriptorItem)):
        return None
    sizes = {name: point[name] for item in (old, new) for name in _sizes(item) if name in point}
    try:
        sides = [offsets(item.descriptor, {name: sizes[name] for name in _sizes(item)}) for item in (old, new)]
    except (LayoutError, KeyError):
        return None
    grids = [np.array([np.nan if o is None else o for o in s["offsets"]]).reshape(s["lengths"]) for s in sides]
    both = tuple(slice(min(lengths)) for lengths in zip(*(s["lengths"] for s in sides), strict=True))
    one, other = (grid[both] for grid in grids)
    index = tuple(np.argwhere((one != other) & ~np.isnan(one) & ~np.isnan(other))[0].tolist())
    where = ", ".join(f"{name} = {n}" for name, n in sizes.items())
    return LayoutComparison(new.name, "different", where, new.line, index, (int(one[index]), int(other[index])))
