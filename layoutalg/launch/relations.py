"""What is known of several loaded elements together: what the launch assumes of them, and that a place has one value.

    scatter, o[index[i]] = x[i]: threads i and i′ that meet have loaded v = v′, from index + 4·i and index + 4·i′; of
    `index[i] != index[j] for i != j` the instance at i, i′ says that i = i′: the two are one thread

An assumption holds for all indices; it is said at those at which elements were loaded that a question speaks of, of
whichever thread and iteration: each of its elements is taken for each loaded one of its tensor in turn (and for those
that it names itself, `start[0]`), an index is what the first of them makes it, and the others are conditions.

| in a question occur | and it says | the instance |
|---|---|---|
| v, loaded from start + 4·r; w, from start + 4·(r + 1) | start[i + 1] - start[i] <= L | w − v ≤ L |
| v, from start + 4·r; w, from start + 4·k | the same | w − v ≤ L or not (k = r + 1) |

Each is said where its elements are in their tensors: of what a thread does not load nothing is known.
What it cannot represent: elements that no question speaks of, tensors whose elements' places are not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import combinations, islice, product

from layoutalg.formats.assumptions import is_symmetric, ordered
from layoutalg.formats.launch import AssumedElement, Assumption
from layoutalg.index import ZERO, Expr, all_of, any_of, div, eq, mod, negation, simplify, substitute, variables
from layoutalg.launch.memory import TensorMemory, is_written
from layoutalg.records import dataclass
from layoutalg.symex.machine.environment import TracedLoad
from layoutalg.symex.values.instances import At, moved
from layoutalg.symex.values.unknowns import Kind, unknown_value

#: Instances of one assumption in one question at most, and pairs of elements that may be one.
MOST, MOST_PAIRS = 256, 64


@dataclass(frozen=True)
class LoadedElement:
    """An element that was loaded: what number it is, at which index, and where it is one."""

    tensor: str
    number: Expr
    index: tuple[Expr, ...]
    is_element: Expr

    def at(self, place: At) -> LoadedElement:
        """What another thread has loaded in its place, or the same one in another iteration."""
        index = tuple(moved(e, place) for e in self.index)
        return replace(self, number=moved(self.number, place), index=index, is_element=moved(self.is_element, place))


@dataclass(frozen=True, eq=False)
class Relations:
    """What is assumed of several elements together, or of one by its index, of these tensors."""

    tensors: Mapping[str, TensorMemory]
    assumed: tuple[Assumption, ...] = ()
    _said: dict[tuple[LoadedElement, ...], Expr] = field(default_factory=dict)  # what was asked once

    @cached_property
    def every(self) -> tuple[Assumption, ...]:
        """These, and what follows of all pairs where neighbours are in order."""
        return (*self.assumed, *(each for one in self.assumed for each in ordered(one)))

    def loaded(self, load: TracedLoad) -> tuple[LoadedElement, ...]:
        """The elements that were loaded at once, of a tensor of integers that is only read."""
        tensor = self.tensors.get(load.buffer)
        if tensor is None or not tensor.related:
            return ()
        found = (
            (begin, word) for begin, word in tensor.loaded(load.offset, load.size, load.values) if is_written(word)
        )
        made = (self._element(tensor, begin, word) for begin, word in found)
        return tuple(one for one in made if one is not None)

    def _element(self, tensor: TensorMemory, begin: Expr, word: Expr) -> LoadedElement | None:
        index = tensor.elements.index(simplify(div(begin, tensor.element)))
        if index is None:
            return None
        return LoadedElement(tensor.name, tensor.number(word), index, tensor.inside(begin, tensor.element, store=True))

    def said(self, found: Sequence[LoadedElement]) -> Expr:
        """What is known of these elements together."""
        known = tuple(dict.fromkeys(found))
        if known not in self._said:
            self._said[known] = self._all_said(known)
        return self._said[known]

    def _all_said(self, known: Sequence[LoadedElement]) -> Expr:
        tensors = {one.tensor for one in known}
        named = [one for one in self._named if one.tensor in tensors]
        facts = [self._alone(one) for one in named]
        pairs = (pair for pair in combinations([*known, *named], 2) if pair[0].tensor == pair[1].tensor)
        facts += [_one_value(*pair) for pair in islice(pairs, MOST_PAIRS)]
        for assumption in self.every:
            facts += self._instances(assumption, [*known, *named])
        return all_of(*dict.fromkeys(facts))

    @cached_property
    def _named(self) -> tuple[LoadedElement, ...]:
        """The elements that assumptions name by numbers and sizes: what stands there is one unknown for all."""
        every = dict.fromkeys(
            e for one in self.every for e in one.elements if not _indices(e) and e.tensor in self.tensors
        )
        return tuple(
            self._unknown(tensor, tensor.elements.axes, one)
            for one in every
            if (tensor := self.tensors[one.tensor]).related and tensor.elements.axes is not None
        )

    def _unknown(self, tensor: TensorMemory, axes: Sequence[tuple[Expr, Expr]], one: AssumedElement) -> LoadedElement:
        inside = (all_of(at >= 0, at < n) for at, (_, n) in zip(one.subscripts, axes, strict=True))
        word = unknown_value(f"{one.variable}", 1 << 8 * tensor.element, Kind.DATA, function="element")
        return LoadedElement(tensor.name, tensor.number(word), one.subscripts, all_of(*inside))

    def _alone(self, one: LoadedElement) -> Expr:
        """What is assumed of each element, of one that an assumption names."""
        return any_of(negation(one.is_element), self.tensors[one.tensor].allows(one.number))

    def _instances(self, one: Assumption, known: Sequence[LoadedElement]) -> Iterator[Expr]:
        """What an assumption says of each choice of known elements for its own."""
        each = [[e for e in known if e.tensor == element.tensor] for element in one.elements]
        pairs = is_symmetric(one)
        chosen: Iterable[tuple[LoadedElement, ...]] = combinations(each[0], 2) if pairs else product(*each)
        yield from islice((_instance(one, choice) for choice in chosen), MOST)


def _indices(one: AssumedElement) -> tuple[Expr, ...]:
    return tuple(v for v in variables(*one.subscripts) if v.value.index)


def _one_value(one: LoadedElement, other: LoadedElement) -> Expr:
    """Where two elements are at one index, they are one."""
    same = simplify(all_of(*(eq(a, b) for a, b in zip(one.index, other.index, strict=True))))
    return any_of(negation(all_of(same, one.is_element)), eq(one.number, other.number))


def _instance(one: Assumption, chosen: Sequence[LoadedElement]) -> Expr:
    """What an assumption says where its elements are these."""
    at: dict[Expr, Expr] = {}
    where: list[Expr] = []
    for element, loaded in zip(one.elements, chosen, strict=True):
        where.append(loaded.is_element)
        for subscript, place in zip(element.subscripts, loaded.index, strict=True):
            new = [v for v in variables(subscript) if v.value.index and v not in at]
            if new:
                at[new[0]] = simplify(place - substitute(subscript, {new[0]: ZERO}))
                where.append(at[new[0]] >= 0)
            else:
                where.append(eq(substitute(subscript, at), place))
    numbers = {element.variable: loaded.number for element, loaded in zip(one.elements, chosen, strict=True)}
    return any_of(negation(simplify(all_of(*where))), substitute(one.holds, {**at, **numbers}))


def stated_value(tensor: TensorMemory, one: Assumption, size: int, offset: Expr) -> Expr | None:
    """So many bytes of a tensor, from an offset on, where an assumption says of each element what it is; else None.

    >>> from layoutalg.formats.assumptions import Known, assumption
    >>> from layoutalg.index import const, var
    >>> from layoutalg.launch.elements import Elements
    >>> said = assumption("x[i] == i + 1", Known({"x": ("i32", 1)}, {}, {}))
    >>> x, i = TensorMemory("x", const(64), 4, written=False), var("i", 16)
    >>> stated_value(replace(x, elements=Elements(ZERO, const(16), axes=((const(1), const(16)),))), said, 4, i * 4)
    i + 1
    """
    if len(one.elements) != 1 or one.holds.op != "eq":
        return None
    (element,) = one.elements
    free = all(v.op == "var" and v.value.index for v in element.subscripts)
    index = tensor.elements.index(simplify(div(offset, tensor.element)))
    part = simplify(mod(offset, tensor.element))
    sides = [side for side in one.holds.args if side is not element.variable]
    stated = len(sides) == 1 and element.variable not in variables(*sides)
    if not (free and stated and len({*element.subscripts}) == len(element.subscripts)):
        return None
    if index is None or part.op != "const" or part.value % size:
        return None
    value = substitute(sides[0], dict(zip(element.subscripts, index, strict=True)))
    return simplify(mod(div(value, 1 << 8 * int(part.value)), 1 << 8 * size))
