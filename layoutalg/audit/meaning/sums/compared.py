"""Whether what a kernel stores is what an equation says, over the reals: the questions of each element that it stores.

The stored word is read as addends (`reals`), the equation as others (`wanted_sum`), and `families` says what is to be
shown for the two to be one sum.  It holds of kernels of which the other claims hold: LDS hands on what was stored last
only where no threads race.
What it cannot represent: stores of parts of elements, and of several at once that are no elements of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from layoutalg.audit.ask import Open
from layoutalg.audit.lds.history import Env, History
from layoutalg.audit.meaning.agreement import Agreement
from layoutalg.audit.meaning.before import FirstLoads
from layoutalg.audit.meaning.places import Decide, WantedPlace, index_at
from layoutalg.audit.meaning.sums.addends import Sum
from layoutalg.audit.meaning.sums.anywhere import AnyThread
from layoutalg.audit.meaning.sums.reading import KernelWords, PerThread, Roundings, WordAt
from layoutalg.audit.meaning.sums.reals import Reals, by_rules
from layoutalg.audit.meaning.sums.wanted_sum import WantedSum
from layoutalg.audit.meaning.wanted import Wanted
from layoutalg.audit.parts import said_of_launch
from layoutalg.formats.equation import Equation
from layoutalg.formats.model import SpecFile
from layoutalg.index import FALSE, ZERO, Expr, all_of, simplify
from layoutalg.symex.loops.record import LoopRecord
from layoutalg.symex.machine.tracing import TracedElement
from layoutalg.symex.values.instances import moved

#: What a proof of a sum leaves out.
ROUNDING = "sums and products over an index are compared over reals: rounding, underflow and infinities are left out"

NARROW = "rounding in types narrower than f32 is left out, too"
"""What begins the words of those types, where a kernel has such."""

Exact = Callable[[Expr], Wanted]
"""What an equation's functions are, exactly, under a condition."""


class Sums:
    """What one kernel stores, read over the reals."""

    def __init__(self, kernel: KernelWords, file: SpecFile, trace: Sequence[TracedElement], decide: Decide) -> None:
        self.kernel, self.launched, self.file, self.trace, self.decide = kernel, kernel.launched, file, trace, decide
        self.agreement, self.rounded = Agreement(decide), Roundings()
        self.anywhere: AnyThread | None = None

    @property
    def left_out(self) -> tuple[str, ...]:
        """What a proof leaves out, of what was compared so far."""
        narrow = self.rounded.narrow
        return (f"{ROUNDING}{self.rounded.said}", *((f"{NARROW}: {', '.join(narrow)}",) if narrow else ()))

    @classmethod
    def of(
        cls,
        file: SpecFile,
        trace: Sequence[TracedElement],
        loops: LoopRecord,
        history: History | Open,
        first: FirstLoads,
    ) -> Sums | Open:
        """What a kernel stores as it is launched, where it is seen what LDS forwards."""
        assert file.launch is not None
        dtypes = {name: file.descriptor(name).dtype or "" for name in file.launch.tensors}
        if isinstance(history, Open):
            return history
        return cls(KernelWords(trace, loops, dtypes, history, first), file, trace, first.decide)

    def compared(self, equation: Equation, place: WantedPlace, exact: Exact) -> tuple[str, ...] | Open:
        """What is taken for granted where each element is what an equation says; or why one is not seen to be."""
        assumed: dict[str, None] = {}
        for store in whole(self.trace, equation.tensor, self.launched.tensors[equation.tensor].element):
            if isinstance(store, Open):
                return store
            found = self._element(store, equation, place, exact)
            if isinstance(found, Open):
                return found
            for one in dict.fromkeys(found.obligations):
                if not self.decide(one.goal, all_of(self.launched.given, one.given)):
                    where = f"{store.instruction.address:#x} {store.instruction.name.lower()}"
                    return Open(f"{where}: over the reals it is not seen that {one.label}")
            assumed |= dict.fromkeys(found.assumed)
        return tuple(assumed)

    def _element(self, store: TracedElement, equation: Equation, place: WantedPlace, exact: Exact) -> Sum | Open:
        """What must hold for a whole element to be what it should be, and what is taken for granted."""
        env = {**{v: v for v in self.launched.threads}, **{t: t for t in store.loops}}
        guard, offset = self.kernel.placed(said_of_launch(store.guard), env), self.kernel.placed(store.offset, env)
        if isinstance(guard, Open):
            return guard
        given = all_of(self.launched.given, guard.value)
        if given is FALSE:
            return Sum()
        index = offset if isinstance(offset, Open) else index_at(place, offset.value, given, self.decide)
        if index is None:
            return Open(f"which element is at {store.offset} is not seen")
        if isinstance(index, Open):
            return index
        given = all_of(given, place.has(index))  # which is shown: index_at asks it
        found = self._stored(store, equation, exact, index, env, given)
        if not isinstance(found, PerThread):
            return found
        each = Sum()
        block = self.kernel.history.block
        for at in map(block.coordinates, range(block.count)):
            here, mine = simplify(moved(given, at)), tuple(simplify(moved(one, at)) for one in index)
            if here is FALSE:
                continue
            one = self._stored(store, equation, exact, mine, {**env, **at}, here)
            if isinstance(one, Open):
                return one
            each = each.asking(one.obligations, one.assumed)
        return each

    def _stored(
        self, store: TracedElement, equation: Equation, exact: Exact, index: tuple[Expr, ...], env: Env, given: Expr
    ) -> Sum | Open:
        """What must hold for the element at an index to be what a thread stores, where that is given."""
        wanted = WantedSum(self.launched, self.file, equation, index, exact(given))
        self.anywhere = self.anywhere or AnyThread(self.kernel, wanted.exact.terms, self.rounded, by_rules)
        reals = Reals(self.kernel, wanted, given, self.decide, self.agreement, self.rounded, store.value, self.anywhere)
        word = WordAt(store.value, self.kernel.dtypes[store.buffer], tuple(env.items()), wanted.how)
        found = reals.read(word)
        target = found if isinstance(found, Open) else wanted.whole
        if isinstance(found, Open) or isinstance(target, Open):
            return target
        obligations = reals.obligations(word, found, target)
        return obligations if isinstance(obligations, Open) else Sum((), obligations, target.assumed)


def whole(trace: Sequence[TracedElement], tensor: str, size: int) -> Iterator[TracedElement | Open]:
    """The elements of a tensor that are stored, each put together of its parts."""
    parts: list[TracedElement] = []
    for one in trace:
        if one.buffer != tensor or not one.store:
            continue
        if parts and (one.moment != parts[0].moment or one.within != parts[-1].within + one.size):
            yield Open(f"{parts[0].instruction.place} stores parts of elements")
            return
        parts.append(one)
        if sum(part.size for part in parts) == size:
            value = sum((part.value * (1 << 8 * k * one.size) for k, part in enumerate(parts)), start=ZERO)
            yield replace(parts[0], value=simplify(value), size=size)
            parts = []
        elif sum(part.size for part in parts) > size:
            yield Open(f"{one.instruction.place} stores parts of elements")
            return
    if parts:
        yield Open("a store of a part of an element")
