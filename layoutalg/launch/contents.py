"""Contents of tensors and named values for a run, drawn so that they satisfy all that a launch assumes of them.

| | first | then |
|---|---|---|
| an element of what is only read, or of what something is assumed | an end of what is assumed of it | anything within |
| an element of what is written and of which nothing is assumed | 0 of integers, a whole number of floats | the same |
| a named value | 1, or what is next to it | anything within, and the ends |

Tensors of which elements are related are drawn in several ways (as they come, in order, all different, both) until one
satisfies what is assumed; else a solver is asked for contents, beginning with what was drawn of half of them.
What it cannot represent: more than `MOST` related elements, or pairs of such.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from layoutalg.errors import LaunchError
from layoutalg.formats.assumptions import is_whole
from layoutalg.formats.launch import AssumedElement, Assumption, Given
from layoutalg.formats.model import SpecFile
from layoutalg.index import TRUE, Expr, all_of, as_expr, budget, eq, simplify, substitute, symbol, value, variables
from layoutalg.index.evaluate import array
from layoutalg.index.walk import slack
from layoutalg.isa.run.arrays import Array
from layoutalg.launch.ends import intervals
from layoutalg.launch.tensors import Draw, drawn, numpy_of
from layoutalg.prove.outcome import Fails, Holds, Limits
from layoutalg.prove.vacuity import solved
from layoutalg.records import dataclass
from layoutalg.target.dtypes import DTYPES

#: Contents that are drawn; those with which named values are at the least, and at the greatest, that is assumed.
FIRST, LEAST, GREATEST = 0, 2, 3

#: Instances of an assumption that are looked at, and that a solver is given, at most.
MOST, SOLVED = 1 << 22, 1 << 12

#: How far from 0 numbers are looked at one by one, where a condition on them is no choice of ranges.
LISTED = 1 << 10

#: How far from each other different numbers are drawn, at most.
FARTHEST = 1 << 62

#: What a solver gets for contents.
LIMITS = Limits(seconds=2.0, steps=2_000_000)

Ends = tuple[tuple[int, int], ...]
"""Intervals of numbers, each with its least and its greatest."""


class ContradictionError(LaunchError):
    """What is assumed contradicts itself: nothing can be in memory at these sizes."""


@dataclass(frozen=True)
class DrawnMemory:
    """What is in memory at these sizes, by what a launch assumes."""

    file: SpecFile
    at: Mapping[Expr, int]  # of the file's symbols
    seed: int
    generator: np.random.Generator

    @cached_property
    def assumed(self) -> tuple[Assumption, ...]:
        """What the launch assumes, at these sizes, but of addresses: these are laid out apart."""
        launch = self.file.launch
        assert launch is not None
        return tuple(at_sizes(one, self.at) for one in launch.assumed if not {*one.tensors} & {*dict(launch.points)})

    def values(self, given: Sequence[Given]) -> Mapping[str, int | float]:
        """What the named values are; ContradictionError where none satisfy what is assumed of them."""
        own = [one for one in self.assumed if not one.elements]
        names = {name: v for one in own for v, name in one.values}
        found = {one.name: self._value(one, own) for one in given}
        if not self.admits(found):
            solution = _solution(all_of(*(one.holds for one in own)), "the values that it names")
            found |= {name: solution.get(v, int(found[name])) for name, v in names.items()}
        return found

    def admits(self, values: Mapping[str, int | float]) -> bool:
        """Whether named values may be these together."""
        own = [one for one in self.assumed if not one.elements]
        return all(value(one.holds, {v: int(values[name]) for v, name in one.values}) for one in own)

    def _value(self, one: Given, own: Sequence[Assumption]) -> int | float:
        dtype = one.dtype or f"u{8 * (one.bytes or 4)}"
        alone = [each for each in own if [name for _, name in each.values] == [one.name]]
        if dtype in DTYPES:
            ends = self._ends(one.name, dtype, [(each.values[0][0], each.holds) for each in alone])
        else:
            ends = ((0, 1),)
        low, high = ends[0][0], ends[-1][1]
        first, last = ends[int(self.generator.integers(len(ends)))]
        drawn_one = first + int.from_bytes(self.generator.bytes(16), "little") % (last - first + 1)
        near = min((min(max(1, a), b) for a, b in ends), key=lambda n: abs(n - 1))
        number = {FIRST: near, LEAST: low, GREATEST: high}.get(self.seed, drawn_one)
        return float(number) if dtype.startswith(("f", "bf")) else number

    def tensors(
        self, shapes: Mapping[str, tuple[int, ...]], values: Mapping[str, int | float], written: Sequence[str]
    ) -> Mapping[str, Array]:
        """What is in the tensors of these shapes; ContradictionError where nothing can be.

        Of what is only read and nothing is assumed of, nothing is said: whatever is drawn there will do.
        """
        known = self._known(values)
        speaks = {name for one in known for name in one.tensors}
        found = {
            name: self._drawn(name, known, name in written)(shape, self.generator)
            for name, shape in shapes.items()
            if name in speaks or name in written
        }
        within = [one for one in known if {*one.tensors} <= {*found}]
        related = [one for one in within if one.alone is None]
        return {**found, **self._related(related, within, found)}

    def draw(self, name: str, values: Mapping[str, int | float], written: bool) -> Draw:
        """How elements of a tensor are drawn, of which nothing is assumed together."""
        return self._drawn(name, self._known(values), written)

    def _known(self, values: Mapping[str, int | float]) -> Sequence[Assumption]:
        """What is assumed of elements, with these values."""
        return [at_sizes(one, {v: int(values[name]) for v, name in one.values}) for one in self.assumed if one.elements]

    def _drawn(self, name: str, known: Sequence[Assumption], written: bool) -> Draw:
        dtype = self._dtype(name)
        if not any(name in one.tensors for one in known):
            integers = written and numpy_of(dtype).kind in "iu"
            return lambda shape, generator: (
                np.zeros(shape, numpy_of(dtype)) if integers else drawn(dtype, shape, generator)
            )
        ends = self._ends(name, dtype, _alone(name, known))
        return lambda shape, generator: self._elements(dtype, shape, ends, generator)

    def is_assumed(self, name: str) -> bool:
        """Whether something is assumed of a tensor."""
        return any(name in one.tensors for one in self.assumed)

    def is_related(self, name: str) -> bool:
        """Whether more is assumed of a tensor's elements than of each alone."""
        return any(name in one.tensors and one.alone is None for one in self.assumed)

    def allows(self, name: str, numbers: Sequence[int]) -> bool:
        """Whether each number may be an element of a tensor of integers of which no more is assumed than of each."""
        said = [one for one in self.assumed if name in one.tensors]
        if self.is_related(name) or any(one.values for one in said) or not is_whole(self._dtype(name)):
            return False
        return all(value(holds, {v: number}) for v, holds in _alone(name, said) for number in numbers)

    def _dtype(self, name: str) -> str:
        return self.file.descriptor(name).dtype or ""

    def _ends(self, name: str, dtype: str, said: Sequence[tuple[Expr, Expr]]) -> Ends:
        """The intervals that are left of a type's numbers; of floats those from -8 to 8, and what is assumed."""
        low, high = _type_ends(dtype)
        v = symbol("number", min=low, max=high)
        condition = all_of(*(substitute(one, {u: v}) for u, one in said))
        found = intervals(condition, v, as_expr(low), as_expr(high))
        if found is None:
            return _one_by_one(condition, v, max(low, -LISTED), min(high, LISTED), name)
        ends = sorted((value(one.low, {}), value(one.high, {})) for one in found if value(one.inhabited, {}))
        if not ends:
            raise ContradictionError(f"nothing is in {name} at these sizes, by what is assumed of it")
        return tuple(_nearer(*one) for one in ends) if dtype.startswith(("f", "bf")) else tuple(ends)

    def _elements(self, dtype: str, shape: tuple[int, ...], ends: Ends, generator: np.random.Generator) -> Array:
        """Elements within these ends; by the first seed the ends alone."""
        kind = numpy_of(dtype)
        if dtype == "bf16" or kind.kind not in "iuf":
            return drawn(dtype, shape, generator)
        if self.seed == FIRST:
            return np.asarray(generator.choice(np.array([*dict.fromkeys(n for one in ends for n in one)], kind), shape))
        low, high = np.array(ends, kind if kind.kind in "iu" else np.int64)[generator.integers(len(ends), size=shape)].T
        if kind.kind == "f":
            return np.asarray(generator.uniform(low.T, high.T).round().astype(kind))
        return np.asarray(generator.integers(low.T, high.T, shape, kind, endpoint=True))

    # What elements say of each other

    def _related(
        self, related: Sequence[Assumption], known: Sequence[Assumption], found: Mapping[str, Array]
    ) -> Mapping[str, Array]:
        """The tensors whose elements are related, as they are when all is satisfied."""
        names = [*dict.fromkeys(name for one in related for name in one.tensors)]
        made = dict(found)
        for name in names:
            own = [one for one in related if one.tensors == (name,)]
            ways = self._ways(name, made[name], [one for one in known if one.tensors == (name,)])
            made[name] = next((one for one in ways if all(holds_in(each, {name: one}) for each in own)), made[name])
        if all(holds_in(one, made) for one in related):
            return {name: made[name] for name in names}
        return self._solved(names, known, made)

    def _ways(self, name: str, content: Array, own: Sequence[Assumption]) -> Iterator[Array]:
        """A tensor as it was drawn, in order, with different elements, with different ones in order."""
        yield content
        yield np.sort(content, axis=None).reshape(content.shape)
        apart = self._different(name, content, _alone(name, own))
        if apart is not None:
            yield apart
            yield np.sort(apart, axis=None).reshape(content.shape)

    def _different(self, name: str, content: Array, said: Sequence[tuple[Expr, Expr]]) -> Array | None:
        """Different numbers within the widest interval; by the first seed those next to its ends."""
        low, high = max(self._ends(name, self._dtype(name), said), key=lambda one: one[1] - one[0])
        if high - low + 1 < content.size:
            return None
        if self.seed == FIRST:
            found = [high - k // 2 if k % 2 else low + k // 2 for k in range(content.size)]
        else:
            numbers = range(low, min(high, low + FARTHEST) + 1)
            found = random.Random(int(self.generator.integers(1 << 32))).sample(numbers, content.size)
        return np.array(found, content.dtype).reshape(content.shape)

    def _solved(
        self, names: Sequence[str], known: Sequence[Assumption], drawn_: Mapping[str, Array]
    ) -> Mapping[str, Array]:
        """Contents that a solver finds; where that may be, some as they were drawn, or at ends of what is assumed."""
        for one in known:
            _axes(one, {name: drawn_[name].shape for name in names})
        unknowns = {name: _unknowns(name, self._dtype(name), drawn_[name].shape) for name in names}
        said = [part for one in known for part in _instances(one, unknowns)]
        keep = (eq(v, int(n)) for name in names for v, n in zip(unknowns[name].flat, drawn_[name].flat, strict=True))
        tight = (eq(room, 0) for part in said if (room := slack(part)) is not None and len(variables(part)) > 1)
        wishes = [self._half(one) for one in ((tight, keep) if self.seed == FIRST else (keep, tight))]
        for wished in (*wishes, []):
            with suppress(ContradictionError) if wished else nullcontext():
                point = _solution(all_of(*said, *wished), ", ".join(names))
                return {name: _read(point, unknowns[name], drawn_[name]) for name in names}
        raise AssertionError("what is asked without a wish has a solution, or raises")

    def _half(self, wishes: Iterable[Expr]) -> list[Expr]:
        return [one for one in wishes if self.generator.integers(2)]


def _read(point: Mapping[Expr, int], unknowns: Array, otherwise: Array) -> Array:
    """The elements that a solution has; those of which it says nothing are as they were."""
    found = [point.get(v, int(n)) for v, n in zip(unknowns.flat, otherwise.flat, strict=True)]
    return np.array(found, otherwise.dtype).reshape(otherwise.shape)


def _alone(name: str, said: Sequence[Assumption]) -> list[tuple[Expr, Expr]]:
    """What is assumed of each element of a tensor by itself, and the variable that stands for it."""
    return [(v, one.holds) for one in said if one.tensors == (name,) and (v := one.alone) is not None]


def at_sizes(one: Assumption, at: Mapping[Expr, int]) -> Assumption:
    """An assumption where some variables are numbers."""
    elements = (replace(e, subscripts=tuple(simplify(substitute(s, at)) for s in e.subscripts)) for e in one.elements)
    return replace(one, holds=substitute(one.holds, at), elements=tuple(elements))


def _type_ends(dtype: str) -> tuple[int, int]:
    """The least and the greatest integer of a type; of a float, far ones."""
    bits = DTYPES[dtype].bits
    if dtype.startswith("u"):
        return 0, (1 << bits) - 1
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if dtype.startswith("i") else (-(1 << 62), 1 << 62)


def _one_by_one(condition: Expr, v: Expr, low: int, high: int, name: str) -> Ends:
    """Numbers near 0 that satisfy a condition, each by itself; where there is none, one that a solver finds."""
    near = np.arange(low, high + 1)
    found = near[np.broadcast_to(array([condition], {v: near})[0] != 0, near.shape)]
    return tuple((int(n), int(n)) for n in found) if len(found) else ((n := _solution(condition, name).get(v, low), n),)


def _nearer(low: int, high: int) -> tuple[int, int]:
    """The part of an interval of floats that numbers are drawn from: sixteen about 0, or next to the end it has."""
    if low == -(1 << 62):
        low = min(-8, high)
    return low, max(8, low) if high == 1 << 62 else high


def _grid(one: Assumption, shapes: Mapping[str, tuple[int, ...]]) -> Mapping[Expr, Array]:
    """The values of its indices at which all its elements are in their tensors, spread over a grid."""
    ends: dict[Expr, tuple[int, int]] = dict.fromkeys(one.indices, (0, MOST))
    for element in one.elements:
        for subscript, length in zip(element.subscripts, shapes[element.tensor], strict=True):
            for v in (v for v in variables(subscript) if v in ends):
                behind = value(subscript, {v: 0})
                ends[v] = max(ends[v][0], -behind), min(ends[v][1], length - behind)
    if math.prod(max(0, high - low) for low, high in ends.values()) > MOST:
        raise LaunchError(f"{one.text} is of too many elements to be looked at")
    axes = np.meshgrid(*(np.arange(low, max(low, high)) for low, high in ends.values()), indexing="ij", sparse=True)
    return dict(zip(ends, axes, strict=True))


def _reached(one: AssumedElement, axes: Mapping[Expr, Array], shape: tuple[int, ...]) -> tuple[Array, ...] | None:
    """Where in its tensor an element is, for each of its indices; None where a number leads outside."""
    at = tuple(np.asarray(array([subscript], dict(axes))[0]) for subscript in one.subscripts)
    return at if all(((n >= 0) & (n < length)).all() for n, length in zip(at, shape, strict=True)) else None


def holds_in(one: Assumption, contents: Mapping[str, Array]) -> bool:
    """Whether an assumption holds of contents."""
    axes = _grid(one, {name: contents[name].shape for name in one.tensors})
    at: dict[Expr, Any] = dict(axes)
    for element in one.elements:
        reached = _reached(element, axes, contents[element.tensor].shape)
        if reached is None:
            return True  # of no element that there is
        at[element.variable] = contents[element.tensor][reached]
    if any(np.size(axis) == 0 for axis in axes.values()):
        return True
    return bool(np.all(array([one.holds], at)[0])) if one.holds is not TRUE else True


def _unknowns(name: str, dtype: str, shape: tuple[int, ...]) -> Array:
    """A variable for each element."""
    low, high = _type_ends(dtype)
    found = np.empty(shape, object)
    for index in np.ndindex(*shape):
        found[index] = symbol(f"{name}{list(index)}", min=low, max=high)
    return found


def _axes(one: Assumption, shapes: Mapping[str, tuple[int, ...]]) -> Mapping[Expr, Array] | None:
    """The numbers of each index of an assumption on these tensors; None of one that speaks of others too.

    LaunchError where they are too many for a solver.
    """
    if not all(name in shapes for name in one.tensors):
        return None
    axes = _grid(one, {name: shapes[name] for name in one.tensors})
    if math.prod(np.size(axis) for axis in axes.values()) > SOLVED:
        raise LaunchError(f"{one.text} is of too many elements for a solver")
    return axes


def _instances(one: Assumption, unknowns: Mapping[str, Array]) -> Iterator[Expr]:
    """What an assumption says of each of its indices, where it speaks of these tensors alone."""
    axes = _axes(one, {name: each.shape for name, each in unknowns.items()})
    if axes is None:
        return
    reached = {e: _reached(e, axes, unknowns[e.tensor].shape) for e in one.elements}
    if any(place is None for place in reached.values()):
        return
    for point in np.ndindex(*(np.size(axis) for axis in axes.values())):
        budget.check()
        numbers: dict[Expr, Expr | int] = {
            v: int(axis.flat[n]) for (v, axis), n in zip(axes.items(), point, strict=True)
        }
        for element in one.elements:
            index = tuple(value(s, {v: int(n) for v, n in numbers.items() if v in axes}) for s in element.subscripts)
            numbers[element.variable] = unknowns[element.tensor][index]
        yield substitute(one.holds, numbers)


def _solution(condition: Expr, what: str) -> Mapping[Expr, int]:
    """Numbers that satisfy a condition; ContradictionError where there are none, LaunchError where none are found."""
    outcome = solved(condition, LIMITS)
    if isinstance(outcome, Fails):
        return outcome.points[0]
    if isinstance(outcome, Holds):
        raise ContradictionError(f"nothing is in {what} at these sizes, by what is assumed")
    raise LaunchError(f"no contents of {what} were found that satisfy what is assumed")
