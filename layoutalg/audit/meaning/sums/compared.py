"""Whether what a kernel stores is what an equation says, over the reals: the questions of each element that it stores.

The stored word is read as addends (`reals`), the equation as others (`wanted_sum`), and `families` says what is to be
shown for the two to be one sum.  It holds of kernels of which the other claims hold: LDS hands on what was stored last
only where no threads race.
What it cannot represent: stores of parts of elements, and of several at once that are no elements of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from layoutalg.audit.lds.history import Env
from layoutalg.audit.meaning.agreement import Agreement
from layoutalg.audit.meaning.sums.families import matched
from layoutalg.audit.meaning.sums.functions import FunctionsOfSums
from layoutalg.audit.meaning.sums.reals import OfOneThreadError, Reals
from layoutalg.audit.meaning.sums.wanted_sum import WantedSum
from layoutalg.audit.meaning.wanted import Wanted
from layoutalg.formats.equation import Equation
from layoutalg.formats.model import SpecFile
from layoutalg.index import FALSE, TRUE, ZERO, Expr, all_of, conjuncts, simplify, variables
from layoutalg.launch.symbolic import KernelLaunch
from layoutalg.prove import ForAll
from layoutalg.symex.loops.record import LoopRecord
from layoutalg.symex.machine.tracing import TracedElement
from layoutalg.symex.values.instances import moved
from layoutalg.symex.values.unknowns import kind_of
from layoutalg.symex.values.word import NotReadable

#: What a proof of a sum leaves out.
ROUNDING = "sums and products over an index are compared over the real numbers: rounding and infinities are left out"

Decide = Callable[[Expr, Expr], bool]
"""Whether what is given implies a goal."""

Locate = Callable[[Expr, Expr], tuple[Expr, ...] | None]
"""The index of the element at an offset in bytes, under a condition."""

Exact = Callable[[Expr], Wanted]
"""What an equation's functions are, exactly, under a condition."""


class Sums:
    """What one kernel stores, read over the reals."""

    def __init__(
        self, launched: KernelLaunch, file: SpecFile, trace: Sequence[TracedElement], loops: LoopRecord, decide: Decide
    ) -> None:
        assert file.launch is not None
        self.launched, self.file, self.trace, self.decide = launched, file, trace, decide
        self.dtypes = {name: file.descriptor(name).dtype or "" for name in file.launch.tensors}
        self.reals = Reals(launched, trace, loops, self.dtypes)
        self.agreement = Agreement(decide)
        self.rests: dict[str, None] = {}  # what is taken for granted of functions

    def why(self, equation: Equation, locate: Locate, exact: Exact) -> str:
        """Why some element that is stored is not seen to be what an equation says; empty where none is.

        Raises `NotReadable` where it is no sum that is read here.
        """
        wanted = WantedSum(self.launched, self.file, equation)
        for store in whole(self.trace, equation.tensor, self.launched.tensors[equation.tensor].element):
            where = f"{store.instruction.address:#x} {store.instruction.name.lower()}"
            for question in self.questions(store, wanted, locate, exact):
                if not self.decide(question.goal, question.given):
                    return f"{where}: over the reals it is not seen that {question.label}"
        return ""

    def questions(self, store: TracedElement, wanted: WantedSum, locate: Locate, exact: Exact) -> Iterator[ForAll]:
        """What is to be shown for a whole element to be what it should be.  Raises `NotReadable` where it is no sum."""
        reals = self.reals
        env = {**{v: v for v in self.launched.threads}, **{t: t for t in store.loops}}
        known = [one for one in conjuncts(store.guard) if all(kind_of(v) is None for v in variables(one))]
        given = all_of(self.launched.given, reals.placed(all_of(TRUE, *known), env).value)
        if given is FALSE:
            return
        index = locate(reals.placed(store.offset, env).value, given)
        if index is None:
            raise NotReadable(f"which element is at {store.offset} is not seen")
        reals.questions = {}
        try:
            every = [*self._held(store, wanted, exact, index, env, given)]
        except OfOneThreadError:
            every = []
            for number in range(reals.history.block.count):
                at = reals.history.block.coordinates(number)
                here, place = simplify(moved(given, at)), tuple(simplify(moved(one, at)) for one in index)
                if here is not FALSE:
                    every += self._held(store, wanted, exact, place, {**env, **at}, here)
        for one in dict.fromkeys((*reals.questions, *every)):
            ranges = (reals.indices[v] for v in variables(one.goal, one.given) if v in reals.indices)
            yield replace(one, given=all_of(self.launched.given, one.given, *ranges))

    def _held(
        self, store: TracedElement, wanted: WantedSum, exact: Exact, index: tuple[Expr, ...], env: Env, given: Expr
    ) -> Iterator[ForAll]:
        """What is to be shown for the element at an index to be what a thread stores, where that is given."""
        self.reals.given = given
        functions = FunctionsOfSums(self.reals, wanted, exact(given), index, given, self.decide, self.agreement)
        self.reals.function, wanted.function = functions.of_machine, functions.of_equation
        found, target = self.reals.read(store.value, self.dtypes[store.buffer], env, wanted.how), wanted.addends(index)
        self.rests |= functions.exact.expanded
        yield from wanted.there(target, given)
        yield from matched(found, target, given, functions, wanted.how == "add")


def whole(trace: Sequence[TracedElement], tensor: str, size: int) -> Iterator[TracedElement]:
    """The elements of a tensor that are stored, each put together of its parts."""
    parts: list[TracedElement] = []
    for one in trace:
        if one.buffer != tensor or not one.store:
            continue
        if parts and (one.moment != parts[0].moment or one.within != parts[-1].within + one.size):
            raise NotReadable(f"{parts[0].instruction.place} stores parts of elements")
        parts.append(one)
        if sum(part.size for part in parts) == size:
            value = sum((part.value * (1 << 8 * k * one.size) for k, part in enumerate(parts)), start=ZERO)
            yield replace(parts[0], value=simplify(value), size=size)
            parts = []
        elif sum(part.size for part in parts) > size:
            raise NotReadable(f"{one.instruction.place} stores parts of elements")
    if parts:
        raise NotReadable("a store of a part of an element")
