"""Whether every element is stored to: from an element, the block, thread, iteration and store that do it.

A store's index is taken for a number with mixed digits: i = 64·block + 4·k + thread // 64, for stores k = 0 … 15.

    block = i // 64     k = i % 64 // 4     thread // 64 = i % 4

What is found so is put into the store's own condition, index and limits, and the prover is asked whether they hold for
every element; a wrong guess only fails. So it is right for every block, thread and iteration that the launch has, and
says nothing of how often an element is stored to.

| a digit | is |
|---|---|
| a block's number, an iteration of a loop | the variable |
| a thread's number | parts of it, where quotients and remainders by constants stand in the store |
| which of several stores that differ by constants | their number, or digits of it |

Where the digits' strides are a chain, each a multiple of the one before, any index i has such digits, and what is asked
is asked of these, without quotients: 64·block + 4·k + thread₀ is in the tensor, so store k of that thread is made.

Where no guess holds, and sizes are fixed, all that is stored is enumerated (`everywhere`).

A variable that is in no digit is 0, or what the store's condition says that it equals. With two dimensions that share
a variable, the offset itself is the number. What it cannot represent: digits that overlap, as a halo's.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce

from layoutalg.audit.estimates import without_errors
from layoutalg.audit.meaning.places import Decide, WantedPlace
from layoutalg.audit.parts import Parts, parts_of, said_of_launch, said_to_equal
from layoutalg.index import (
    ONE,
    TRUE,
    ZERO,
    Expr,
    all_of,
    any_of,
    conjuncts,
    const,
    div,
    eq,
    extent_of,
    select,
    simplify,
    var,
    variables,
)
from layoutalg.index.box import box
from layoutalg.index.radix import Affine, affine
from layoutalg.prove import Onto
from layoutalg.records import dataclass
from layoutalg.symex.values.instances import moved
from layoutalg.symex.values.unknowns import kind_of

Numbers = Mapping[Expr, Expr]


@dataclass(frozen=True)
class PlacedStore:
    """A store of a part of an element, at an index of its thread's variables."""

    index: tuple[Expr, ...]
    offset: Expr  # bytes, of the part
    part: int  # bytes from the element's first
    guard: Expr
    own: tuple[Expr, ...]  # blocks, threads, iterations of the loops around it

    @property
    def is_launched(self) -> bool:
        """Whether the launch alone decides where and whether it happens: nothing that was loaded does."""
        extents = (v.value.extent for v in self.own if v.value.extent is not None)
        return all(kind_of(v) is None for v in variables(self.offset, self.guard, *self.index, *extents))

    def settled(self, given: Expr, decide: Decide) -> PlacedStore:
        """The store without errors of estimates, where it is seen to happen as surely, and there."""
        if self.is_launched:
            return self
        common = said_of_launch(self.guard)
        if decide(self.guard, all_of(given, common)):
            return replace(self, guard=common)
        mine = (self.guard, self.offset, *self.index)
        found = without_errors(mine, mine)
        if found is None:
            return self
        guard, offset, *index = found
        same = all_of(self.guard, eq(self.offset, offset), *map(eq, self.index, index))
        if not decide(same, all_of(given, guard)):
            return self
        return replace(self, guard=guard, offset=offset, index=tuple(index))


@dataclass(frozen=True)
class CoverageQuestion:
    """That every element where something is given is stored to by one of these stores."""

    given: Expr
    goal: Expr


def ways(
    stores: Sequence[PlacedStore], place: WantedPlace, element: tuple[Expr, ...], given: Expr
) -> Iterator[list[CoverageQuestion]]:
    """Lists of questions; where all of one list hold, every element where something is given is stored to by these."""
    families = [_families(stores, by_offset) for by_offset in (False, True)]
    solved = [[_Solved.of(one, place, element, by_offset) for one in found] for by_offset, found in enumerate(families)]
    found = [one for each in solved for one in each if one is not None]
    for one in (one for one in solved[0] if one is not None and one.spelled):
        yield list(one.questions(given))
    plain = [replace(one, spelled={}) for one in found]
    for one in plain:
        yield list(one.questions(given))
    for one in (replace(one, spelled={}) for one in solved[0] if one is not None and len(one.stores) > 1):
        yield list(replace(one, by_index=True).questions(given))
    if len(found) > 1:
        yield [CoverageQuestion(given, any_of(*(one.covered for one in plain)))]


def everywhere(stores: Sequence[PlacedStore], element: tuple[Expr, ...], given: Expr) -> Onto | None:
    """That the stores' indices together are all elements, at fixed sizes; None where these are none, or no store."""
    if not stores or any(one.own != stores[0].own for one in stores):
        return None
    number = var("store", len(stores))
    over = (*stores[0].own, number)
    if box((*over, *element)) is None:
        return None
    outputs = (
        reduce(lambda rest, n: select(eq(number, n), line[n], rest), range(1, len(line)), line[0])
        for line in zip(*(one.index for one in stores), strict=True)
    )
    happens = any_of(*(all_of(eq(number, n), one.guard) for n, one in enumerate(stores)))
    return Onto("every element is stored to", over, tuple(outputs), element, all_of(given, happens))


def _families(stores: Sequence[PlacedStore], by_offset: bool) -> list[list[PlacedStore]]:
    """Stores whose numbers differ by constants."""
    found: list[list[PlacedStore]] = []
    for store in stores:
        for family in found:
            first = family[0]
            gaps = [
                simplify(a - b) for a, b in zip(_numbers(store, by_offset), _numbers(first, by_offset), strict=True)
            ]
            if first.own == store.own and all(gap.op == "const" for gap in gaps):
                family.append(store)
                break
        else:
            found.append([store])
    return found


def _numbers(store: PlacedStore, by_offset: int | bool) -> tuple[Expr, ...]:
    return (store.offset,) if by_offset else store.index


@dataclass(frozen=True)
class _Solved:
    """A family's stores, each with the digits of its own number and the variables that an element gives."""

    place: WantedPlace
    element: tuple[Expr, ...]
    stores: Sequence[tuple[PlacedStore, Mapping[Expr, int]]]
    digits: Numbers  # of which store it is
    numbers: Numbers  # of the variables of its thread
    inside: Expr  # that these are numbers of the launch
    spelled: Numbers  # an element's index as digits, where any index has such; those of which store it is by their name
    by_index: bool = False  # whether it is the index that is compared, and not the offset

    @classmethod
    def of(
        cls, family: Sequence[PlacedStore], place: WantedPlace, element: tuple[Expr, ...], by_offset: int | bool
    ) -> _Solved | None:
        """The family with what its numbers are for an element; None where they are no such digits."""
        targets = (place.at(element) + family[0].part,) if by_offset else element
        first = _numbers(family[0], by_offset)
        gaps = [[int(simplify(a - b)) for a, b in zip(_numbers(one, by_offset), first, strict=True)] for one in family]
        speaking = [e for s in family for e in (*s.index, s.offset, s.guard)]
        split = {v: parts for v in family[0].own if (parts := parts_of(v, speaking))}
        digits: dict[Expr, Expr] = {}
        numbers: dict[Expr, Expr] = {}
        which: list[dict[Expr, int]] = [{} for _ in family]
        spelled: dict[Expr, Expr] = {}
        for axis, (line, target) in enumerate(zip(first, targets, strict=True)):
            steps = [gap[axis] for gap in gaps]
            low = min(steps)
            line = simplify(moved(line, {v: parts.whole for v, parts in split.items()})) + low
            left = [gap - low for gap in steps]
            for step, count in reversed(grid(left)):
                number = var(f"store {axis} {step}", count)
                line = line + number * step
                for place_, gap in zip(which, left, strict=True):
                    place_[number] = gap // step
                left = [gap % step for gap in left]
            own = [v for v in variables(line) if v in which[0] or _is_own(v, family[0], split)]
            form = _without_doubles(affine(line, own), which[0])
            solved = None if form is None else form.solve(target, lambda v: extent_of(v) - 1)
            if form is None or solved is None or any(v in digits or v in numbers for v in solved):
                return None
            digits |= {v: e for v, e in solved.items() if v in which[0]}
            numbers |= {v: e for v, e in solved.items() if v not in which[0]}
            spelled |= {} if by_offset else _spelled(target, form, which[0])
        return cls(place, element, list(zip(family, which, strict=True)), digits, *_wholes(family, split, numbers),
                   spelled if all(at in spelled or extent_of(at) is ONE for at in element) else {})  # fmt: skip

    def questions(self, given: Expr) -> Iterator[CoverageQuestion]:
        """That the digits are some store's, and that it does it, of each element where something is given."""
        if self.spelled:
            yield CoverageQuestion(self._at(given, {}), self._at(self._some_store, {}))
            for store, which in self.stores:
                known = self._at(given, which)
                for part in conjuncts(self._at(replace(self, by_index=True)._does(store), which)):
                    yield CoverageQuestion(known, part)
        elif len(self.stores) == 1:
            yield CoverageQuestion(given, self.covered)
        else:
            yield CoverageQuestion(given, self._some_store)
            for store, which in self.stores:
                yield CoverageQuestion(all_of(given, self._is(which)), self._does(store))

    def _at(self, e: Expr, which: Mapping[Expr, int]) -> Expr:
        """What is said of an element, of its digits, of which some are a store's."""
        return simplify(moved(e, {at: simplify(moved(digits, {v: const(n) for v, n in which.items()}))
                                  for at, digits in self.spelled.items()}))  # fmt: skip

    @property
    def _some_store(self) -> Expr:
        """That the digits are those of some store."""
        cases = [self._is(which) for _, which in self.stores]
        digits = {tuple(which.values()) for _, which in self.stores}
        every = math.prod(int(v.hi) + 1 for v in self.digits) == len(digits)
        in_range = (part for v, e in self.digits.items() for part in (e >= 0, e <= int(v.hi)))
        return all_of(*in_range) if every else any_of(*cases)

    @property
    def covered(self) -> Expr:
        """That an element is stored to by one of the family."""
        return any_of(*(all_of(self._is(which), self._does(store)) for store, which in self.stores))

    def _is(self, which: Mapping[Expr, int]) -> Expr:
        return all_of(TRUE, *(eq(self.digits[v], n) for v, n in which.items()))

    def _does(self, store: PlacedStore) -> Expr:
        """That a store's condition holds, and its index is the element's."""
        offset, guard, *index = (simplify(moved(e, self.numbers)) for e in (store.offset, store.guard, *store.index))
        by_offset = eq(offset, self.place.at(self.element) + store.part)
        return all_of(self.inside, guard, *(map(eq, index, self.element) if self.by_index else (by_offset,)))


def _without_doubles(form: Affine | None, kept: Collection[Expr]) -> Affine | None:
    """A form without digits of a stride that another one has which goes further: these are 0."""
    if form is None:
        return None
    furthest = {s: v for v, s in sorted(form.strides.items(), key=lambda one: one[0].hi)}
    strides = {v: s for v, s in form.strides.items() if furthest[s] is v or v in kept}
    return replace(form, strides=strides)


def _spelled(at: Expr, form: Affine, by_name: Collection[Expr]) -> Numbers:
    """An index below a length as digits with a form's strides, where any has such: each stride counts the one before.

    The digits are 0 ≤ d < next stride / stride, of the greatest stride as many as the length has.
    """
    strides = sorted(((s.value, v) for v, s in form.strides.items() if s.op == "const"), key=lambda one: one[0])
    reach = [*(int(s) for s, _ in strides[1:]), 0]
    if len(strides) < len(form.strides) or form.start is not ZERO or not strides or strides[0][0] != 1:
        return {}
    found = ZERO
    for (stride, v), beyond in zip(strides, reach, strict=True):
        count = const(beyond // stride) if beyond else div(extent_of(at) - 1, stride) + 1
        if beyond % stride or (v in by_name and count.hi > int(v.hi) + 1):
            return {}
        found = found + (v if v in by_name else var(f"{at.value.name} by {stride}", count)) * stride
    return {at: found}


def grid(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Steps and counts, least first, so that numbers from 0 on are sums of multiples; of others one, of all between.

    >>> grid([0, 1, 2, 3, 8, 9, 10, 11]), grid([0, 2, 6])
    ([(1, 4), (8, 2)], [(2, 4)])
    """
    left, found = sorted(set(numbers)), []
    while len(left) > 1:
        step = left[1] - left[0]
        count = next((k for k in range(len(left)) if left[k] != left[0] + k * step), len(left))
        if left != [first + k * step for first in left[::count] for k in range(count)]:
            step = reduce(math.gcd, numbers)
            return [(step, max(numbers) // step + 1)]
        found.append((step, count))
        left = left[::count]
    return found


def _is_own(v: Expr, store: PlacedStore, split: Mapping[Expr, Parts]) -> bool:
    return v in store.own or any(v in parts.digits for parts in split.values())


def _wholes(
    family: Sequence[PlacedStore], split: Mapping[Expr, Parts], digits: Mapping[Expr, Expr]
) -> tuple[Numbers, Expr]:
    """What an element's own variables are, of their digits; and that all are in range."""
    numbers: dict[Expr, Expr] = {}
    inside: list[Expr] = []
    for v in family[0].own:
        if v in split:
            for digit in split[v].digits:
                number = digits.get(digit, ZERO)
                inside += [number >= 0, number <= int(digit.hi)]
            whole = simplify(moved(split[v].whole, {d: digits.get(d, ZERO) for d in split[v].digits}))
            numbers[v] = whole
        else:
            numbers[v] = digits[v] if v in digits else _said(v, family[0].guard)
    for v in family[0].own:
        inside += [numbers[v] >= 0, numbers[v] < simplify(moved(extent_of(v), numbers))]
    return numbers, all_of(*inside)


def _said(v: Expr, guard: Expr) -> Expr:
    """What a condition says that a variable equals, else 0."""
    known = (e for e in said_to_equal(v, guard) if not any(kind_of(u) is not None for u in variables(e)))
    return next(known, ZERO)
