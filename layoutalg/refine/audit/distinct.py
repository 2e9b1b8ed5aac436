"""Elements that differ: of a tensor of which the launch says so, two that are equal are one, and have one place.

    scatter, o[index[i]] = x[i]: threads i and i′ that meet have loaded v = v′, from index + 4·i and index + 4·i′; so
    4·i = 4·i′, and the two are one thread

It is said of what stands in memory: of two places that lie in the tensor and are elements there, whether or not the
threads load them.  In a place stand the thread and sizes; a turn of a loop there is any turn, in each thread its own.
What it cannot represent: tensors whose elements' places are not known, elements that are loaded across two of them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace

from layoutalg.index import (
    FALSE,
    TRUE,
    Expr,
    all_of,
    any_of,
    div,
    eq,
    mod,
    negation,
    simplify,
    substitute,
    var,
    variables,
)
from layoutalg.refine.audit.launched import TensorMemory

#: What a turn, or what else a place speaks of, is less than.
MOST = 1 << 64


@dataclass(frozen=True)
class DistinctElement:
    """What was loaded of a tensor whose elements differ: its bits, its place among the elements, and if it is one."""

    tensor: str
    word: Expr
    place: Expr
    is_element: Expr


def distinct_elements(
    tensor: TensorMemory, offset: Expr, size: int, values: Sequence[Expr]
) -> Iterator[DistinctElement]:
    """Those of which unknowns of `size` bytes each are the parts, loaded from `offset` on, bytes behind the first."""
    if tensor.elements.assumed or simplify(mod(offset, tensor.element)) is not FALSE:
        return
    for behind, word in tensor.words(size, values):
        place = simplify(div(offset + behind, tensor.element))
        inside = tensor.inside(offset + behind, tensor.element, store=True)
        yield DistinctElement(tensor.name, word, place, inside)


def apart(
    found: Sequence[DistinctElement], mine: Sequence[Expr], theirs: Sequence[Expr], kept: Container[Expr],
    other: Callable[[Expr], Expr],
) -> Expr:  # fmt: skip
    """What holds of the elements that two threads' expressions speak of.

    `kept`: the places of threads and the sizes, of which alone places speak; `other` says what the other thread's are.
    """
    spoken = set(variables(*mine)), set(variables(*theirs))
    here = [_freed(one, k, kept) for k, one in enumerate(found) if spoken[0].intersection(variables(one.word))]
    there = [_freed(one, k, kept) for k, one in enumerate(found) if spoken[1].intersection(variables(one.word))]
    facts = []
    for one, another in ((one, another) for one in here for another in there if one.tensor == another.tensor):
        names = {v: other(v) for v in variables(another.word, another.place, another.is_element)}
        word, place, is_element = (substitute(e, names) for e in (another.word, another.place, another.is_element))
        neither = negation(all_of(one.is_element, is_element))
        facts.append(any_of(neither, negation(eq(one.word, word)), eq(one.place, place)))
    return all_of(*facts) if facts else TRUE


def _freed(one: DistinctElement, number: int, kept: Container[Expr]) -> DistinctElement:
    """The same in any turn, and with anything else that was loaded: what its place speaks of beside is its own."""
    own = [v for v in variables(one.place, one.is_element) if v not in kept]
    names = {v: var(f"{v.value.name} of element {number}", int(min(v.hi, MOST)) + 1) for v in own}
    return replace(one, place=substitute(one.place, names), is_element=substitute(one.is_element, names))
