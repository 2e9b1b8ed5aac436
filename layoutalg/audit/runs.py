"""Runs of a kernel as it is launched: at sizes near those of a witness, and small ones, with contents that are allowed.

What is in memory and in named values satisfies what the launch assumes of it (`contents`).
Sizes are a witness's, the least, those at which the grid gets a block more (of `(N + 31) // 32` 32 and 33), and small.

Unaligned accesses are done, as amdhsa sets the machine up, but where a run is strict.  A run that needs more than
`STEPS` instructions, or that cannot be carried out, shows nothing.
What it cannot represent: the contents that a witness has, and sizes beyond `BYTES` and `BLOCKS`; those has `alone`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count, islice
from types import MappingProxyType
from typing import Any

import numpy as np

from layoutalg.device.checked import execute_checked
from layoutalg.errors import DeviceError, Fault, LaunchError, LayoutError, Livelock, StepLimit
from layoutalg.formats.model import SpecFile
from layoutalg.index import Expr, InexpressibleError, budget, postorder, value, variables
from layoutalg.index.evaluate import admits
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.launch import Execution
from layoutalg.launch.concrete import BoundLaunch, addresses_in, bound
from layoutalg.launch.contents import GREATEST, LEAST, ContradictionError, DrawnMemory
from layoutalg.launch.report import address_of
from layoutalg.launch.symbolic import MOST_BLOCKS, KernelLaunch
from layoutalg.launch.tensors import Draw, shape_of
from layoutalg.launch.tensors import Sizes as SizesOf
from layoutalg.records import dataclass

#: Bytes of all tensors, blocks, and instructions of a run at most; a search makes no more runs after so many in all.
BYTES, BLOCKS, STEPS, ALL_STEPS = 1 << 22, 1 << 10, 60_000, 120_000

#: Contents that are drawn; where a run of more instructions than `LONG` does no wrong, no others are drawn for it.
SEEDS, LONG = range(2), 1_500

#: Sizes at which contents are sought that satisfy what is assumed.
TRIED = 3

#: Small sizes that a search tries: the k-th symbol is so great and k more, so that they differ.
SMALL = (2, 33, 7, 70, 150, 300)

#: Sizes at which what a kernel leaves is looked at first: more than lanes of a wave, so that each wave has some.
TELLING = 70

#: Of sizes that the grid does not speak of, loops' above all, the first, the second and the third.
FIRST = range(3)

#: Blocks of so many elements at most give sizes that a search tries.
MOST_EDGE = 1 << 12

#: Seconds of all runs at most.
SECONDS = 10.0

Sizes = Mapping[str, int]
_At = tuple[tuple[str, int], ...]

NOTHING: Sizes = MappingProxyType({})


@dataclass(frozen=True)
class FaultyRun:
    """A run that did what no correct kernel does."""

    sizes: Sizes
    seed: int
    fault: Fault
    wave_size: int
    alone: str = ""  # the blocks that ran, where they were not all

    @property
    def address(self) -> int:
        """That of the instruction; of waves that go round, of the first loop's head."""
        return address_of(self.fault.where)

    @property
    def addresses(self) -> Collection[int]:
        """That of the instruction; of waves that go round, of each loop's head."""
        heads: Sequence[int] | None = self.fault.facts.get("heads")
        return heads or (self.address,)

    @property
    def facts(self) -> dict[str, Any]:
        """What is known of it, as data: sizes, block, thread, wave and lane, address, tensor and byte."""
        found: dict[str, Any] = {**self.fault.facts}
        thread = found.pop("thread", None)
        if thread is not None:
            wave, lane = divmod(int(thread.number), self.wave_size)
            found |= {"block": [*map(int, thread.block)], "thread": int(thread.number), "wave": wave, "lane": lane}
        fault = self.fault
        alone = {"alone": self.alone} if self.alone else {}
        return {
            "sizes": dict(self.sizes), **alone, "kind": fault.kind, "what": fault.what, "where": fault.where, **found
        }  # fmt: skip

    def __str__(self) -> str:
        of = f" of {self.alone} alone" if self.alone else ""
        return f"a run{of}{at_sizes(self.sizes)}: {self.fault}"


def at_sizes(sizes: Sizes) -> str:
    """Sizes in words."""
    return f" at {', '.join(f'{name} = {n}' for name, n in sizes.items())}" if sizes else ""


class Runs:
    """Runs of one kernel and its launch; each is made once."""

    def __init__(
        self, code: MachineCode, launched: KernelLaunch, file: SpecFile, seconds: float = SECONDS,
        ignored: frozenset[str] = frozenset(),
    ) -> None:  # fmt: skip
        """`seconds` of all runs at most; a fault of an `ignored` kind shows nothing."""
        self.code, self.launched, self.file = code, launched, file
        self.seconds, self.steps = min(seconds, SECONDS), 0
        self.made_of: list[Sizes] = []  # the sizes at which whole grids ran
        self.met: list[FaultyRun] = []  # that were made for what they leave
        self._found: dict[tuple[_At, bool], tuple[list[FaultyRun], Iterator[FaultyRun]]] = {}  # and those to come
        self._faultless: dict[tuple[_At, int, bool], int] = {}  # sizes, contents, whether strict → steps of the run
        self._ignored = ignored
        self.ended: dict[str, None] = {}  # barriers that waves passed without others of their block, which had ended

    def nearest(self, near: Sizes, otherwise: int = 1) -> dict[str, int]:
        """The sizes next to these, of those that symbols may have; of others the ones next to a number."""
        return {name: _next(symbol, near.get(name, otherwise)) for name, symbol in self.file.symbols.items()}

    def _candidates(self, near: Sizes, *further: Sizes) -> Iterator[Sizes]:
        """A witness's sizes, further ones, the least, then small ones: those that the launch allows."""
        symbols = self.file.symbols
        least = self.nearest({})
        wanted = [*map(self.nearest, (near, *further)), least]
        wanted += [{**least, **{name: _next(symbols[name], n) for name in near_one}} for near_one, n in self._edges()]
        wanted += [{name: _next(one, scale + k) for k, (name, one) in enumerate(symbols.items())} for scale in SMALL]
        seen: list[Sizes] = []
        for sizes in wanted:
            if sizes not in seen and self.allowed(sizes):
                seen.append(sizes)
                yield sizes

    def _nth(self, name: str, n: int) -> int:
        """The n-th size that a symbol may have, from 0 on."""
        symbol = self.file.symbols[name]
        found = _next(symbol, int(symbol.lo))
        for _ in range(n):
            found = _next(symbol, found + 1)
        return found

    def _edges(self) -> Iterator[tuple[tuple[str, ...], int]]:
        """Sizes at which the grid has a block more: of what is divided by a number that number, and one more."""
        named = {symbol: name for name, symbol in self.file.symbols.items()}
        found: dict[tuple[tuple[str, ...], int], None] = {}
        for node in postorder(*self.launched.grid):
            if node.op == "div" and 1 < node.args[1].lo == node.args[1].hi <= MOST_EDGE:
                names = tuple(sorted(named[v] for v in variables(node.args[0]) if v in named))
                found |= dict.fromkeys((names, int(node.args[1].lo) + more) for more in (0, 1)) if names else {}
        return iter(found)

    @property
    def _seeds(self) -> tuple[int, ...]:
        """The contents that are tried."""
        launch = self.file.launch
        assert launch is not None
        return (*SEEDS, *((LEAST, GREATEST) if any(one.values for one in launch.assumed) else ()))

    def at(self, what: Expr, sizes: Sizes) -> int:
        """The value of an expression at these sizes; 0 where it has none."""
        try:
            return value(what, self._at(sizes))
        except (InexpressibleError, ArithmeticError, KeyError):
            return 0

    def _at(self, sizes: Sizes) -> dict[Expr, int]:
        return {symbol: sizes[name] for name, symbol in self.file.symbols.items()}

    def grid(self, sizes: Sizes) -> tuple[int, ...]:
        """The blocks along each axis; none where the launch does not speak of these sizes, or cannot start so many."""
        at = self._at(sizes)
        try:
            if all(admits(symbol, at) for symbol in at) and value(self.launched.limits, at):
                found = tuple(value(one, at) for one in self.launched.grid)
                return found if max(found) <= MOST_BLOCKS else ()
        except (InexpressibleError, ArithmeticError, KeyError):
            pass
        return ()

    def allowed(self, sizes: Sizes) -> bool:
        """Whether the launch speaks of these sizes, and they are few enough."""
        grid, at = self.grid(sizes), self._at(sizes)
        try:
            bytes_ = sum(value(one.bytes, at) * self._count(name, at) for name, one in self.launched.tensors.items())
        except (InexpressibleError, ArithmeticError, KeyError):
            return False
        return bool(grid) and bytes_ <= BYTES and math.prod(grid) <= BLOCKS

    @property
    def _points(self) -> tuple[tuple[str, str], ...]:
        assert self.file.launch is not None
        return self.file.launch.points

    def _count(self, name: str, at: Mapping[Expr, int]) -> int:
        """How many tensors there are of a name: of what addresses point to as many as these."""
        tables = (self.launched.tensors[table] for table, of in self._points if of == name)
        return math.prod(value(one.elements.space, at) for one in tables)

    def faulty(self, near: Sizes = NOTHING, *, strict: bool = False) -> Iterator[FaultyRun]:
        """The runs that fault at some sizes, the least, and small ones; `strict`: where an access is unaligned, too."""
        for sizes in self._candidates(near):
            yield from self._faulty(sizes, strict)

    def _faulty(self, sizes: Sizes, strict: bool) -> Iterator[FaultyRun]:
        """Those at these sizes, made as far as they are asked for."""
        key = _at(sizes), strict
        found, coming = self._found.setdefault(key, ([], self._run(sizes, strict)))
        for k in count():
            if k == len(found):
                found += self._next(coming)
            if k == len(found):
                return
            yield found[k]

    def _next(self, coming: Iterator[FaultyRun]) -> Sequence[FaultyRun]:
        """The next of them, where there is one and time for it."""
        if self.steps >= ALL_STEPS or self.seconds <= 0:
            return ()
        start = budget.spent()
        found = budget.in_time(self.seconds, lambda: tuple(islice(coming, 1)), lambda why: ())
        self.seconds -= budget.spent() - start
        return found

    def _run(self, sizes: Sizes, strict: bool) -> Iterator[FaultyRun]:
        at = _at(sizes)
        for seed in self._seeds:
            known = None if strict else self._faultless.get((at, seed, False))
            if known is not None:
                self.steps += known
                continue
            if seed in SEEDS and any(self._faultless.get((at, other, strict), 0) > LONG for other in SEEDS):
                continue
            try:
                made, _ = self.made(sizes, seed)
                run = execute_checked(self.code, made.grid, made.block, made.arguments, STEPS, strict=strict,
                                      lds=made.lds)  # fmt: skip
                self.steps += run.steps
                self._faultless[at, seed, strict] = self._faultless[at, seed, False] = run.steps
                self.made_of += [] if sizes in self.made_of else [sizes]
                self.ended |= dict.fromkeys(run.ended)
            except StepLimit as stopped:
                self.steps += stopped.steps
                if isinstance(stopped, Livelock):
                    yield FaultyRun(sizes, seed, stopped, self.code.kernel.wave_size)
                return
            except Fault as fault:
                if self.shows(fault, strict):
                    yield FaultyRun(sizes, seed, fault, self.code.kernel.wave_size)
            except (DeviceError, LayoutError, InexpressibleError, ArithmeticError):
                return  # what cannot be launched or carried out shows nothing

    @property
    def said(self) -> str:
        """At how many sizes runs did no wrong."""
        count = len(self.made_of)
        return f"runs at {count} size{'s' * (count > 1)} do no wrong" if count else "no whole grid could be run"

    def shows(self, fault: Fault, strict: bool) -> bool:
        """Whether a fault shows that something is wrong."""
        return (strict or fault.kind != "alignment") and fault.kind not in self._ignored

    def results(self, empty: bool = False) -> Iterator[tuple[Sizes, BoundLaunch, Mapping[str, Any], Execution]]:
        """Runs at small sizes that do no wrong: the launch, what it was given, what it left.

        Those come first that show most: two, three … blocks along the grid, so that its directions differ, and
        `TELLING` else, then the first few of what the grid does not speak of, as loops are of.  `empty`: tensors that
        are written hold nothing before.
        """
        edges = {name: n - 1 for names, n in self._edges() for name in names}
        telling = dict.fromkeys(self.file.symbols, TELLING)
        telling |= {name: n * blocks + 1 for blocks, (name, n) in enumerate(edges.items(), 1)}
        within = [name for name in self.file.symbols if name not in edges]
        few = [{**telling, **{name: self._nth(name, n) for name in within}} for n in FIRST] if within else []
        unended = 0  # steps of runs that did not end here: `faulty` has its own
        for sizes in self._candidates(telling, *few):
            for seed in self._seeds[SEEDS[-1] :]:
                if self.steps + unended >= ALL_STEPS:
                    break
                try:
                    made, values = self.made(sizes, seed, empty)
                    run = execute_checked(self.code, made.grid, made.block, made.arguments, STEPS, strict=False,
                                          lds=made.lds)  # fmt: skip
                except StepLimit as stopped:
                    unended += stopped.steps
                    break
                except Fault as fault:
                    if not empty and self.shows(fault, strict=False):
                        self.met.append(FaultyRun(sizes, seed, fault, self.code.kernel.wave_size))
                    break
                except (DeviceError, LayoutError, InexpressibleError, ArithmeticError):
                    break
                self.steps += run.steps
                self.ended |= dict.fromkeys(run.ended)
                if not empty:
                    self._faultless[_at(sizes), seed, False] = run.steps
                yield sizes, made, values, run

    def made(
        self, sizes: Sizes, seed: int, empty: bool = False, given: Sizes = NOTHING, held: int = BYTES
    ) -> tuple[BoundLaunch, Mapping[str, Any]]:
        """The launch at these sizes, its contents within what is assumed of them, and the values that it is given.

        `given` are values; of tensors of more bytes than are `held` what runs touch is there.
        """
        launch, generator = self.file.launch, np.random.default_rng((seed, 1))  # none of these is drawn again below
        assert launch is not None
        at = self._at(sizes)
        contents = DrawnMemory(self.file, at, seed, generator)
        values = {**contents.values(launch.given)}
        values |= {name: n for name, n in given.items() if isinstance(values[name], int)}
        if not contents.admits(values):
            raise LaunchError("the launch excludes what is given of its named values")
        shapes, inputs, sized = {}, dict[str, Array | Draw](), SizesOf(self.file, sizes)
        counts = {of: (addresses_in(sized, table),) for table, of in launch.points}
        for name in (one for one in launch.memories if one not in dict(launch.points)):
            item, tensor, related = self.file.descriptor(name), self.launched.tensors[name], contents.is_related(name)
            if empty and tensor.written:
                continue
            if value(tensor.bytes, at) <= (BYTES if related else held):
                shapes[name] = (*counts.get(name, ()), *shape_of(item, sized))
            elif related:
                raise LaunchError(f"{name} is too large for what is assumed of it")
            else:
                inputs[name] = contents.draw(name, values, tensor.written)
        inputs |= contents.tensors(shapes, values, launch.writes)
        return bound(self.file, self.code.kernel.metadata, sizes, inputs, values, seed), values

    def may_hold(self, name: str, data: bytes, sizes: Sizes) -> bool:
        """Whether bytes may be an element or several of a tensor, where no more is assumed of it than of each alone."""
        tensor = self.launched.tensors[name]
        contents = DrawnMemory(self.file, self._at(sizes), SEEDS[0], np.random.default_rng(0))
        if not contents.is_assumed(name) or len(data) % tensor.element:
            return not contents.is_assumed(name)
        each = [data[k : k + tensor.element] for k in range(0, len(data), tensor.element)]
        return contents.allows(name, [int.from_bytes(one, "little", signed=tensor.signed) for one in each])

    def contradictions(self) -> Iterator[str]:
        """In words, at which of a few sizes nothing can be in memory that satisfies what is assumed of it.

        LaunchError where that is so at all of them: what is assumed contradicts itself.
        """
        launch = self.file.launch
        assert launch is not None
        found, wrong, left = False, dict[str, str](), ""
        for sizes in islice(self._candidates({}), TRIED) if launch.assumed else ():
            try:
                self.made(sizes, SEEDS[0])
                found = True
            except ContradictionError as error:
                wrong[at_sizes(sizes)] = str(error)
            except (DeviceError, LayoutError, InexpressibleError, ArithmeticError) as error:
                left = str(error)
        if wrong and not found and not left:
            raise LaunchError(f"what is assumed contradicts itself: {next(iter(wrong.values()))}")
        if self.launched.relations.assumed:  # of single elements it is told for all sizes
            yield from (f"nothing is shown{at}: {why}" for at, why in wrong.items())
        if launch.assumed and not found:
            yield f"no contents were found that satisfy all that is assumed{f' ({left})' if left else ''}"


def _at(sizes: Sizes) -> _At:
    """Sizes as a key."""
    return tuple(sorted(sizes.items()))


def _next(symbol: Expr, wanted: int) -> int:
    """The number nearest to one that is wanted, of those that a symbol may be."""
    step, low = int(symbol.value.multiple_of), int(symbol.lo)
    least = -(-low // step) * step
    high = symbol.hi
    most = wanted if math.isinf(high) else min(wanted, int(high))
    return max(least, -(-most // step) * step if -(-most // step) * step <= high else most // step * step)
