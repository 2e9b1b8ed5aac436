"""The claims on a binary: what its machine code does to memory is what the kernel program says, for all sizes at once.

| claim, of each element that the binary accesses | says |
|---|---|
| place | its byte offset is that of an element of the program, in the same buffer, of the same kind |
| condition | a store happens exactly when the program's does; a load only when the program's does |
| value | a store stores what the program says, in terms of what was loaded |
| barriers | as many barriers stand before it as in the program (LDS) |
| complete | each store of the program is one store of the binary, and no other store is there |

The symbolic machine itself refuses a binary whose data are used before their wait, whose LDS accesses are under way at
a barrier, or whose barriers only some waves reach.  With the claims, what was proved of the program holds of the
binary: `target = the map of source`.

Assumed: buffers do not overlap and lie in the address space whole; the code is not changed while it runs; the machine
does what AMD's pseudocode says.  Not modelled: time, cache policy, wait states between dependent instructions.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from layoutalg.device.amdgcn.expected import ExpectedElement, expected_elements
from layoutalg.device.amdgcn.program import Program
from layoutalg.device.amdgcn.reciprocal import ASSUMPTION
from layoutalg.device.amdgcn.symbolic import Argument, Element, SymbolicMachine
from layoutalg.device.amdgcn.words import NotReadable
from layoutalg.device.errors import DeviceError
from layoutalg.index import (
    Expr,
    all_of,
    as_expr,
    conjuncts,
    eq,
    simplify,
    substitute,
    value,
    variables,
)
from layoutalg.kernel.program import Program as Kernel
from layoutalg.prove import ForAll, Limits, Proved, Refuted, Shown, Unknown, Verdict, Witness, prove

#: Seconds that one question about the range of a value may take; not knowing costs a longer formula, nothing else.
QUICK = 2.0

#: Seconds for a first try with few assumptions.
AT_FIRST = 0.5


@dataclass(frozen=True)
class BinaryVerdict:
    """Every claim on a binary with its verdict."""

    kernel: str
    target: str
    verdicts: tuple[tuple[str, Verdict], ...]
    narrow: tuple[str, ...] = ()  # accesses that the compiler split into narrower ones; slow, not wrong
    assumptions: tuple[str, ...] = ()  # what was taken from elsewhere

    @property
    def proved(self) -> bool:
        """Whether every claim is proved."""
        return bool(self.verdicts) and all(isinstance(verdict, Proved) for _, verdict in self.verdicts)

    @property
    def name(self) -> str:
        """`proved`; `refuted` when some claim is; else `unknown`."""
        if self.proved:
            return "proved"
        return "refuted" if any(isinstance(verdict, Refuted) for _, verdict in self.verdicts) else "unknown"

    @property
    def failures(self) -> tuple[tuple[str, Verdict], ...]:
        """The claims that are not proved."""
        return tuple((about, verdict) for about, verdict in self.verdicts if not isinstance(verdict, Proved))


def prove_binary(binary: Program, kernel: Kernel, limits: Limits | None = None, seconds: float = 60) -> BinaryVerdict:
    """Decides every claim on a decoded kernel against the program that it was compiled from.

    What cannot be followed or decided is `Unknown`, with the reason; `Refuted` carries block, thread and sizes, and is
    the last verdict then.  `limits` are those of one claim, `seconds` is the time for all.
    """
    prover = _Prover(kernel, limits or Limits(), time.monotonic() + seconds)
    verdicts: list[tuple[str, Verdict]] = []
    narrow: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    try:
        wanted = expected_elements(kernel)
        found, assumptions = _trace(binary, kernel, prover)
        narrow = _narrow(wanted, found)
        for about, verdict in _Comparison(kernel, wanted, found, prover).verdicts():
            verdicts.append((about, verdict))
            if isinstance(verdict, Refuted):
                break
    except DeviceError as error:
        verdicts.append(("the binary is followed", _unknown(str(error))))
    return BinaryVerdict(kernel.name, binary.kernel.target, tuple(verdicts), narrow, assumptions)


def _trace(binary: Program, kernel: Kernel, prover: _Prover) -> tuple[Sequence[Element], tuple[str, ...]]:
    """The binary's accesses, and what was assumed in reading them."""
    arguments = [Argument(tensor.name) for tensor in kernel.tensors]
    arguments += [Argument(number=size) for size in kernel.sizes]
    visible = [a for a in binary.kernel.arguments if not a.kind.startswith("hidden_")]
    if [bool(a.buffer) for a in arguments] != [a.kind == "global_buffer" for a in visible]:
        raise NotReadable(f"{binary.kernel.name} has other arguments than {kernel.name}")
    size = min(int(tensor.dtype.bytes) for tensor in kernel.tensors)
    if binary.kernel.lds_bytes < kernel.lds_bytes:
        raise NotReadable(f"{binary.kernel.lds_bytes} bytes of LDS, the program has {kernel.lds_bytes}")
    blocks = (_linear(kernel),) if kernel.linear else kernel.grid
    given = all_of(kernel.requires, *(simplify(block < 1 << 31) for block in blocks))  # HIP launches no more
    machine = SymbolicMachine(binary, arguments, blocks, kernel.threads, given, size, prover.shown)
    machine.run()
    return machine.trace, (ASSUMPTION,) if machine.w.divisions.errors else ()


def _linear(kernel: Kernel) -> Expr:
    """The number of a block in a grid that is launched as one row, the first variable fastest."""
    total, step = as_expr(0), as_expr(1)
    for index, extent in zip(kernel.grid, kernel.extents, strict=True):
        total, step = total + index * step, step * extent
    return total


class _Prover:
    """Asks the prover, first with the assumptions that speak only of what the goal speaks of."""

    def __init__(self, kernel: Kernel, limits: Limits, deadline: float) -> None:
        self.kernel, self.limits, self.deadline = kernel, limits, deadline
        self.shown_values = (
            Shown("block", kernel.grid),
            Shown("thread", kernel.threads),
            *((Shown("sizes", kernel.sizes),) if kernel.sizes else ()),
        )

    def shown(self, goal: Expr, given: Expr) -> bool:
        """Whether the goal is proved, soon."""
        quick = replace(self.limits, seconds=min(self.limits.seconds, QUICK))
        return isinstance(self._decide("a value is in range", goal, given, (), quick), Proved)

    def decide(self, label: str, goal: Expr, given: Expr, show: tuple[Shown, ...] = ()) -> Verdict:
        """The verdict on `given ⇒ goal`."""
        return self._decide(label, goal, given, show, self.limits)

    def _decide(self, label: str, goal: Expr, given: Expr, show: tuple[Shown, ...], limits: Limits) -> Verdict:
        if time.monotonic() > self.deadline:
            return _unknown("the time for all claims is used up")
        mentioned = set(variables(goal))
        near = all_of(*(part for part in conjuncts(given) if set(variables(part)) <= mentioned))
        if near is not given:
            verdict = prove(ForAll(label, goal, near), limits=replace(limits, seconds=min(limits.seconds, AT_FIRST)))
            if isinstance(verdict, Proved):
                return verdict
        return prove(ForAll(label, goal, given, (*self.shown_values, *show)), limits=limits)


class _Comparison:
    """Both sides, and which element of the one is which of the other."""

    def __init__(
        self, kernel: Kernel, wanted: Sequence[ExpectedElement], found: Sequence[Element], prover: _Prover
    ) -> None:
        self.kernel, self.prover = kernel, prover
        self.wanted, self.found = wanted, found
        self.points = _sample_points(kernel)
        self.places = {self._place(w): w for w in wanted}
        self.same: dict[Expr, Expr] = {}  # what the binary loaded → what the program calls it

    def _place(self, element: Element | ExpectedElement) -> tuple[bool, str, tuple[int, ...]]:
        return *self._kind(element), tuple(value(element.offset, point) for point in self.points)

    def _kind(self, element: Element | ExpectedElement) -> tuple[bool, str]:
        return element.store, element.buffer

    def verdicts(self) -> Iterator[tuple[str, Verdict]]:
        """Loads first, since stores speak of them."""
        if len(self.places) != len(self.wanted):
            yield "elements are told apart", _unknown("two elements of the program have one place")
            return
        partners = [(element, self._partner(element)) for element in self.found]
        for element, partner in partners:
            if partner is not None and not element.store:
                self.same[element.value] = partner.value
        strays = [element for element, partner in partners if partner is None]
        for element in strays:
            yield self._about(element), self._stray(element)
        if strays:
            return  # what is loaded there is not known, so nothing can be said of the rest
        for element, partner in partners:
            if partner is not None:
                yield from self._compared(element, partner)
        yield from self._complete([p for element, p in partners if p is not None and element.store])

    def _about(self, element: Element) -> str:
        verb = "stores to" if element.store else "loads from"
        return f"{element.instruction.address:#x} {element.instruction.name.lower()} {verb} {element.buffer}"

    def _partner(self, element: Element) -> ExpectedElement | None:
        if not set(variables(element.offset)) <= set(self.points[0]):
            return None
        return self.places.get(self._place(element))

    def _stray(self, element: Element) -> Verdict:
        """An access that is none of the program's: refuted where it is seen to happen."""
        if not set(variables(element.offset, element.guard)) <= set(self.points[0]):
            return _unknown(f"the address {element.offset} or its condition is not known")
        for point in self.points:
            meant = {value(w.offset, point) for w in self.wanted if self._kind(w) == self._kind(element)}
            if value(element.guard, point) and value(element.offset, point) not in meant:
                at = {v.value.name: n for v, n in point.items()}
                text = f"byte {value(element.offset, point)} of {element.buffer}, which the program does not touch"
                return Refuted("an access of the program", "evaluation", 0.0, (), Witness((at,), text))
        return _unknown("an access that is none of the program's, under a condition that no sample meets")

    def _compared(self, element: Element, partner: ExpectedElement) -> Iterator[tuple[str, Verdict]]:
        about, given = self._about(element), all_of(self.kernel.requires, element.guard)
        yield (
            f"{about}: place",
            self.prover.decide(
                "the offset is the program's",
                eq(element.offset, partner.offset),
                given,
                (Shown("binary", (element.offset,)), Shown("program", (partner.offset,))),
            ),
        )
        yield (
            f"{about}: condition",
            self._follows("it happens only when the program's does", partner.guard, element.guard),
        )
        if element.size != partner.size:
            yield f"{about}: size", _unknown(f"{element.size} bytes for {partner.size}")
        if element.buffer == "lds":
            yield f"{about}: barriers", self._barriers(element, partner)
        if element.store:
            yield f"{about}: happens", self._follows("it happens when the program's does", element.guard, partner.guard)
            yield f"{about}: value", self._value(element, partner, given)

    def _follows(self, label: str, goal: Expr, condition: Expr) -> Verdict:
        """The condition implies the goal; parts that are the same once simplified need no proof."""
        known = {simplify(part) for part in conjuncts(condition)}
        rest = (part for part in map(simplify, conjuncts(goal)) if part not in known)
        return self.prover.decide(label, all_of(*rest), all_of(self.kernel.requires, condition))

    def _barriers(self, element: Element, partner: ExpectedElement) -> Verdict:
        if element.barriers == partner.barriers:
            return Proved("barriers before it", "counting", 0.0)
        text = f"{element.barriers} barriers before it, {partner.barriers} in the program"
        return Refuted("barriers before it", "counting", 0.0, (), Witness((), text))

    def _value(self, element: Element, partner: ExpectedElement, given: Expr) -> Verdict:
        """In the program's names for what was loaded; given the program's own condition, which holds (`condition`)."""
        named: Mapping[Expr, Expr | int] = dict(self.same)
        got = simplify(substitute(element.value, named))
        goal = eq(got, simplify(partner.value))
        return self.prover.decide("the stored value is the program's", goal, all_of(given, partner.guard))

    def _complete(self, stored: Sequence[ExpectedElement]) -> Iterator[tuple[str, Verdict]]:
        for element in self.wanted:
            if element.store:
                count = sum(one is element for one in stored)
                if count != 1:
                    text = f"the binary has {count} stores for it"
                    yield (
                        f"{element.what}: stored once",
                        Refuted("each store is there", "counting", 0.0, (), Witness((), text)),
                    )


def _unknown(why: str) -> Unknown:
    return Unknown("the binary does what the program says", "comparison", 0.0, (), why)


def _sample_points(kernel: Kernel, count: int = 4) -> tuple[Mapping[Expr, int], ...]:
    """Some blocks and threads of a problem of several tiles, where every guard holds."""
    rng, points = random.Random(0), []
    for k in range(count):
        point: dict[Expr, int] = {}
        for size in kernel.sizes:
            point[size] = min(math.lcm(64, size.value.multiple_of) * (rng.randrange(2, 6) + k), int(size.hi))
        for index in (*kernel.grid, *kernel.threads):
            extent = index.value.extent
            limit = value(as_expr(extent), point) if extent is not None else int(index.hi) + 1
            point[index] = rng.randrange(limit)
        if not value(kernel.requires, point):
            raise NotReadable(f"no sample of {kernel.name} meets {kernel.requires}")
        points.append(point)
    return tuple(points)


def _narrow(wanted: Sequence[ExpectedElement], found: Sequence[Element]) -> tuple[str, ...]:
    """Buffers where the binary's widest access is narrower than the program's."""
    notes = []
    for store, buffer in dict.fromkeys((w.store, w.buffer) for w in wanted):
        meant = max(w.width for w in wanted if (w.store, w.buffer) == (store, buffer))
        widths = [f.width for f in found if (f.store, f.buffer) == (store, buffer)]
        if widths and min(widths) < meant:
            verb = "stores to" if store else "loads from"
            notes.append(f"{verb} {buffer}: {min(widths)} bytes at a time, the program has {meant}")
    return tuple(notes)
