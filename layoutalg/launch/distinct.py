"""Elements that differ: of a tensor of which the launch says so, two that are equal are one, and have one place.

    scatter, o[index[i]] = x[i]: threads i and i′ that meet have loaded v = v′, from index + 4·i and index + 4·i′; so
    4·i = 4·i′, and the two are one thread

It is said of what stands in memory: of two places that lie in the tensor and are elements there, whether or not the
threads load them.
What it cannot represent: tensors whose elements' places are not known, elements that are loaded across two of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from layoutalg.index import TRUE, ZERO, Expr, all_of, any_of, div, eq, mod, negation, simplify, variables
from layoutalg.launch.memory import TensorMemory
from layoutalg.symex.values.instances import At, moved, origin_of, place_of
from layoutalg.symex.values.unknowns import kind_of


@dataclass(frozen=True)
class DistinctElement:
    """What was loaded of a tensor whose elements differ: its bits, its place among the elements, and if it is one."""

    tensor: str
    word: Expr
    place: Expr
    is_element: Expr

    def has(self, unknown: Expr) -> bool:
        """Whether an unknown is a part of it."""
        return unknown in variables(self.word)

    def at(self, place: At) -> DistinctElement:
        """What another thread has loaded in its place, or the same one in another iteration."""
        word, where, is_element = (moved(e, place) for e in (self.word, self.place, self.is_element))
        return replace(self, word=word, place=where, is_element=is_element)


def distinct_elements(
    tensor: TensorMemory, offset: Expr, size: int, values: Sequence[Expr]
) -> Iterator[DistinctElement]:
    """Those of which unknowns of `size` bytes each are the parts, loaded from `offset` on, bytes behind the first."""
    if tensor.elements.assumed or simplify(mod(offset, tensor.element)) is not ZERO:
        return
    for behind, word in tensor.words(size, values):
        place = simplify(div(offset + behind, tensor.element))
        inside = tensor.inside(offset + behind, tensor.element, store=True)
        yield DistinctElement(tensor.name, word, place, inside)


def apart(found: Sequence[DistinctElement], mine: Sequence[Expr], theirs: Sequence[Expr]) -> Expr:
    """What holds of the elements that two threads' expressions speak of."""
    facts = []
    for one, another in product(_spoken_of(found, mine), _spoken_of(found, theirs)):
        if one.tensor == another.tensor and one is not another:
            neither = negation(all_of(one.is_element, another.is_element))
            facts.append(any_of(neither, negation(eq(one.word, another.word)), eq(one.place, another.place)))
    return all_of(*facts) if facts else TRUE


def _spoken_of(found: Sequence[DistinctElement], exprs: Sequence[Expr]) -> tuple[DistinctElement, ...]:
    """The elements that occur in expressions, each of the thread and the iteration that loaded it."""
    spoken = [(origin_of(v), place_of(v)) for v in variables(*exprs) if kind_of(v) is not None]
    return tuple(dict.fromkeys(one.at(place) for origin, place in spoken for one in found if one.has(origin)))
