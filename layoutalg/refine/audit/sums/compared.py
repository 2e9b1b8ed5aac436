"""Whether what a kernel stores is what an equation says, over the reals: the questions of each element that it stores.

The element's index is found from the place of the store, the stored word is read as addends (`reals`), the equation as
others (`wanted`), and `families` says what is to be shown for the two to be one sum.
What it cannot represent: stores of parts of elements, and of several at once that are no elements of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from layoutalg.formats.model import SpecFile
from layoutalg.index import Expr, all_of, simplify, variables
from layoutalg.index.normal import normal
from layoutalg.prove import ForAll
from layoutalg.refine.audit.launched import Launched
from layoutalg.refine.audit.sums.families import matched
from layoutalg.refine.audit.sums.reals import Reals
from layoutalg.refine.audit.sums.wanted_sum import WantedSum
from layoutalg.refine.loops.invariants import Loops
from layoutalg.refine.symbolic.state import TracedElement
from layoutalg.refine.values.word import NotReadable

Shows = Callable[[ForAll], bool]
"""Whether a formula is proved."""


class Sums:
    """What one kernel stores, read over the reals."""

    def __init__(self, launched: Launched, file: SpecFile, trace: Sequence[TracedElement], loops: Loops) -> None:
        self.launched, self.file = launched, file
        dtypes = {name: file.descriptor(name).dtype or "" for name in file.launch.tensors} if file.launch else {}
        self.reals, self.dtypes = Reals(launched, trace, loops, dtypes), dtypes

    def questions(self, store: TracedElement, wanted: WantedSum, shows: Shows) -> Iterator[ForAll]:
        """What is to be shown for a whole element to be what it should be.  Raises `NotReadable` where it is no sum."""
        reals, size = self.reals, self.launched.tensors[store.buffer].element
        env = {**{v: v for v in self.launched.threads}, **{t: t for t in store.loops}}
        given = all_of(self.launched.given, reals.placed(store.guard, env).value)
        offset = reals.placed(store.offset, env).value
        place = next((e for e in _over(offset, size)), None)
        if place is None or store.size != size:
            raise NotReadable("a store of a part of an element")
        for subscripts in wanted.subscripts(place):
            inside = ForAll("the element is there", wanted.inside(subscripts), given)
            if simplify(wanted.place(store.buffer, subscripts) - place).value == 0 and shows(inside):
                break
        else:
            raise NotReadable(f"the index of the element at {place} is not seen")
        before = len(reals.questions)
        found = reals.read(store.value, self.dtypes[store.buffer], env, wanted.how)
        every = (*reals.questions[before:], *matched(found, wanted.addends(subscripts), given, wanted.how == "add"))
        for one in every:
            known = (reals.indices[v] for v in variables(one.goal, one.given) if v in reals.indices)
            yield replace(one, given=all_of(self.launched.given, one.given, *known))


def _over(offset: Expr, size: int) -> Iterator[Expr]:
    over = normal(offset).exactly_over(normal(offset * 0 + size))
    if over is not None:
        yield simplify(over.expr())


def whole(trace: Sequence[TracedElement], tensor: str, size: int) -> Iterator[TracedElement]:
    """The elements of a tensor that are stored, each put together of its parts."""
    parts: list[TracedElement] = []
    for one in trace:
        if one.buffer != tensor or not one.store:
            continue
        parts = [*parts, one] if parts and one.within == parts[-1].within + one.size else [one]
        if sum(part.size for part in parts) == size:
            value = sum((part.value * (1 << 8 * k * one.size) for k, part in enumerate(parts)), start=one.value * 0)
            yield replace(parts[0], value=simplify(value), size=size)
            parts = []
        elif sum(part.size for part in parts) > size:
            raise NotReadable(f"{one.instruction.place} stores parts of elements")
    if parts:
        raise NotReadable("a store of a part of an element")
