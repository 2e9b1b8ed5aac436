"""Runs of a kernel as it is launched: at sizes near those of a witness, and small ones, with contents that are allowed.

| contents | first | then |
|---|---|---|
| of what is only read, within what is assumed of it | its ends; anything where nothing is assumed | anything |
| of what is written, before: integers of which nothing is assumed | 0 | 0 |
| of named values, within what is assumed of them | 1, or what is next to it | anything, and the ends |

Sizes are a witness's, the least, those at which the grid gets a block more (of `(N + 31) // 32` 32 and 33), and small.

Unaligned accesses are done, as amdhsa sets the machine up, but where a run is strict.  A run that needs more than
`STEPS` instructions, or that cannot be carried out, shows nothing.
What it cannot represent: the contents that a witness has, and sizes beyond `BYTES` and `BLOCKS`; those has `alone`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from layoutalg.errors import DeviceError, Fault, LaunchError, LayoutError, StepLimit
from layoutalg.formats.launch import Assumption, Given
from layoutalg.formats.model import SpecFile
from layoutalg.index import Expr, InexpressibleError, budget, postorder, value, variables
from layoutalg.index.evaluate import admits
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.launch import Execution, execute
from layoutalg.launch.concrete import BoundLaunch, bound
from layoutalg.launch.report import address_of
from layoutalg.launch.symbolic import MOST_BLOCKS, KernelLaunch
from layoutalg.launch.tensors import Draw, drawn, numpy_of, shape_of
from layoutalg.launch.tensors import Sizes as SizesOf
from layoutalg.target.dtypes import DTYPES

#: Bytes of all tensors, blocks, and instructions of a run at most; a search makes no more runs after so many in all.
BYTES, BLOCKS, STEPS, ALL_STEPS = 1 << 22, 1 << 10, 60_000, 240_000

#: Contents that are tried.
SEEDS = range(2)

#: Contents with which named values are at the least, and at the greatest, that is assumed of them.
LEAST, GREATEST = 2, 3

#: Small sizes that a search tries: the k-th symbol is so great and k more, so that they differ.
SMALL = (2, 33, 7, 70, 150, 300)

#: Sizes at which what a kernel leaves is looked at first: more than lanes of a wave, so that each wave has some.
TELLING = 70

#: Blocks of so many elements at most give sizes that a search tries.
MOST_EDGE = 1 << 12

#: Seconds of all runs at most.
SECONDS = 10.0

Sizes = Mapping[str, int]

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
        """That of the instruction."""
        return address_of(self.fault.where)

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
        self._found: dict[tuple[tuple[tuple[str, int], ...], bool], tuple[FaultyRun, ...]] = {}
        self._faultless: dict[tuple[tuple[tuple[str, int], ...], int], int] = {}  # sizes, contents → steps of the run
        self._ignored = ignored
        self.ended: dict[str, None] = {}  # barriers that waves passed without others of their block, which had ended

    def nearest(self, near: Sizes, otherwise: int = 1) -> dict[str, int]:
        """The sizes next to these, of those that symbols may have; of others the ones next to a number."""
        return {name: _next(symbol, near.get(name, otherwise)) for name, symbol in self.file.symbols.items()}

    def _candidates(self, near: Sizes) -> Iterator[Sizes]:
        """A witness's sizes, the least ones, then small ones: those that the launch allows."""
        symbols = self.file.symbols
        least = self.nearest({})
        wanted = [self.nearest(near), least]
        wanted += [{**least, **{name: _next(symbols[name], n) for name in near_one}} for near_one, n in self._edges()]
        wanted += [{name: _next(one, scale + k) for k, (name, one) in enumerate(symbols.items())} for scale in SMALL]
        seen: list[Sizes] = []
        for sizes in wanted:
            if sizes not in seen and self.allowed(sizes):
                seen.append(sizes)
                yield sizes

    def _edges(self) -> Iterator[tuple[tuple[str, ...], int]]:
        """Sizes at which the grid has a block more: of what is divided by a number that number, and one more."""
        named = {symbol: name for name, symbol in self.file.symbols.items()}
        found: dict[tuple[tuple[str, ...], int], None] = {}
        for node in postorder(*self.launched.grid):
            if node.op == "div" and node.args[1].op == "const" and 1 < node.args[1].value <= MOST_EDGE:
                names = tuple(sorted(named[v] for v in variables(node.args[0]) if v in named))
                found |= dict.fromkeys((names, int(node.args[1].value) + more) for more in (0, 1)) if names else {}
        return iter(found)

    @property
    def _seeds(self) -> tuple[int, ...]:
        """The contents that are tried."""
        launch = self.file.launch
        assert launch is not None
        named = {one.name for one in launch.given}
        return (*SEEDS, *((LEAST, GREATEST) if any(one.of in named for one in launch.assume) else ()))

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
            bytes_ = sum(value(one.bytes, at) for one in self.launched.tensors.values())
        except (InexpressibleError, ArithmeticError, KeyError):
            return False
        return bool(grid) and bytes_ <= BYTES and math.prod(grid) <= BLOCKS

    def faulty(self, near: Sizes = NOTHING, *, strict: bool = False) -> Iterator[FaultyRun]:
        """The runs that fault at some sizes, the least, and small ones; `strict`: where an access is unaligned, too."""
        for sizes in self._candidates(near):
            yield from self._faulty(sizes, strict)

    def _faulty(self, sizes: Sizes, strict: bool) -> tuple[FaultyRun, ...]:
        key = tuple(sorted(sizes.items())), strict
        if key not in self._found:
            if self.steps >= ALL_STEPS or self.seconds <= 0:
                return ()
            start = budget.spent()
            self._found[key] = budget.in_time(self.seconds, lambda: tuple(self._run(sizes, strict)), lambda why: ())
            self.seconds -= budget.spent() - start
        return self._found[key]

    def _run(self, sizes: Sizes, strict: bool) -> Iterator[FaultyRun]:
        for seed in self._seeds:
            known = None if strict else self._faultless.get((tuple(sizes.items()), seed))
            if known is not None:
                self.steps += known
                continue
            try:
                made, _ = self.made(sizes, seed)
                run = execute(self.code, made.grid, made.block, made.arguments, STEPS, strict=strict, lds=made.lds)
                self.steps += run.steps
                self.made_of += [] if sizes in self.made_of else [sizes]
                self.ended |= dict.fromkeys(run.ended)
            except StepLimit:
                self.steps += STEPS
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
        `TELLING` else.  `empty`: tensors that are written hold nothing before.
        """
        edges = {name: n - 1 for names, n in self._edges() for name in names}
        telling = dict.fromkeys(self.file.symbols, TELLING)
        telling |= {name: n * blocks + 1 for blocks, (name, n) in enumerate(edges.items(), 1)}
        for sizes in self._candidates(telling):
            for seed in self._seeds[SEEDS[-1] :]:
                if self.steps >= ALL_STEPS:
                    break
                try:
                    made, values = self.made(sizes, seed, empty)
                    run = execute(self.code, made.grid, made.block, made.arguments, STEPS, strict=False, lds=made.lds)
                except (DeviceError, LayoutError, InexpressibleError, ArithmeticError):
                    break
                self.steps += run.steps
                self.ended |= dict.fromkeys(run.ended)
                if not empty:
                    self._faultless[tuple(sizes.items()), seed] = run.steps
                yield sizes, made, values, run

    def made(
        self, sizes: Sizes, seed: int, empty: bool = False, given: Sizes = NOTHING, held: int = BYTES
    ) -> tuple[BoundLaunch, Mapping[str, Any]]:
        """The launch at these sizes, its contents within what is assumed of them, and the values that it is given.

        `given` are values; of tensors of more bytes than are `held` what runs touch is there.
        """
        launch, generator = self.file.launch, np.random.default_rng((seed, 1))  # none of these is drawn again below
        assert launch is not None
        limits = {one.of: (one.min, one.max) for one in launch.assume}
        at, metadata = self._at(sizes), self.code.kernel.metadata
        values = {one.name: _value(one, limits.get(one.name, (None, None)), at, seed, generator)
                  for one in launch.given}  # fmt: skip
        values |= {name: n for name, n in given.items() if isinstance(values[name], int)}
        inputs: dict[str, Array | Draw] = {}
        for name in launch.tensors:
            item, tensor = self.file.descriptor(name), self.launched.tensors[name]
            if empty and tensor.written:
                continue
            draw, simple = self._draw(name, at, seed), self._limits_alone(name)
            if value(tensor.bytes, at) > (held if simple else BYTES):
                if not simple:
                    raise LaunchError(f"{name} is too large for what is assumed of it")
                inputs[name] = draw
            elif name in limits or tensor.written:
                inputs[name] = draw(shape_of(item, SizesOf(self.file, sizes)), generator)
        return bound(self.file, metadata, sizes, inputs, values, seed), values

    def _limits_alone(self, name: str) -> bool:
        """Whether of a tensor's elements no more is assumed than what they are at least, and at most."""
        launch = self.file.launch
        assert launch is not None
        return all(one == Assumption(name, one.min, one.max) for one in launch.assume if one.of == name)

    def may_hold(self, name: str, data: bytes, sizes: Sizes) -> bool:
        """Whether bytes may be an element or several of a tensor: within limits, where no more is assumed of it."""
        launch, tensor, dtype = self.file.launch, self.launched.tensors[name], self.file.descriptor(name).dtype or ""
        assert launch is not None
        said = [one for one in launch.assume if one.of == name]
        if not said or len(data) % tensor.element:
            return not said
        each = [data[k : k + tensor.element] for k in range(0, len(data), tensor.element)]
        numbers = [int.from_bytes(one, "little", signed=tensor.signed) for one in each]
        limits = [_within(name, dtype, (one.min, one.max), self._at(sizes)) for one in said]
        plain = dtype.startswith(("i", "u")) and self._limits_alone(name)
        return plain and all(low <= number <= high for number in numbers for low, high in limits)

    def _draw(self, name: str, at: Mapping[Expr, int], seed: int) -> Draw:
        """How the elements of a tensor are drawn."""
        launch, dtype = self.file.launch, self.file.descriptor(name).dtype or ""
        assert launch is not None
        said = next((one for one in launch.assume if one.of == name), None)
        if said is not None:
            within = _within(name, dtype, (said.min, said.max), at)
            drawn_so = _distinct if said.distinct else _contents
            return lambda shape, generator: drawn_so(name, dtype, shape, within, seed, generator)
        kind = numpy_of(dtype)
        if self.launched.tensors[name].written and kind.kind in "iu":
            return lambda shape, _: np.zeros(shape, kind)
        return lambda shape, generator: drawn(dtype, shape, generator)


def _next(symbol: Expr, wanted: int) -> int:
    """The number nearest to one that is wanted, of those that a symbol may be."""
    step, low = int(symbol.value.multiple_of), int(symbol.lo)
    least = -(-low // step) * step
    high = symbol.hi
    most = wanted if math.isinf(high) else min(wanted, int(high))
    return max(least, -(-most // step) * step if -(-most // step) * step <= high else most // step * step)


def _within(what: str, dtype: str, limits: tuple[Expr | None, Expr | None], at: Mapping[Expr, int]) -> tuple[int, int]:
    """The least and the greatest of a type's values that are assumed; LaunchError where there is none."""
    bits = DTYPES[dtype].bits
    low, high = (None if limit is None else value(limit, at) for limit in limits)
    if dtype.startswith("u"):
        least, most = 0, (1 << bits) - 1
    elif dtype.startswith("i"):
        least, most = -(1 << bits - 1), (1 << bits - 1) - 1
    else:
        least, most = -8 if high is None else min(-8, high), 8 if low is None else max(8, low)
    low, high = least if low is None else max(low, least), most if high is None else min(high, most)
    if low > high:
        raise LaunchError(f"nothing is in {what} at these sizes, by what is assumed of it")
    return low, high


def _contents(
    name: str, dtype: str, shape: tuple[int, ...], ends: tuple[int, int], seed: int, generator: np.random.Generator
) -> Array:
    """Elements between two ends; by the first seed these alone."""
    kind = numpy_of(dtype)
    if dtype == "bf16" or kind.kind not in "iuf":
        return drawn(dtype, shape, generator)
    if seed == SEEDS[0]:
        return generator.choice(np.array(ends, kind), shape)
    if kind.kind == "f":
        return generator.uniform(*ends, shape).round().astype(kind)
    return generator.integers(*ends, shape, kind, endpoint=True)


def _distinct(
    name: str, dtype: str, shape: tuple[int, ...], ends: tuple[int, int], seed: int, generator: np.random.Generator
) -> Array:
    """Integers between two ends that differ; by the first seed those next to the ends."""
    count, (low, high) = math.prod(shape), ends
    if high - low + 1 < count:
        raise LaunchError(f"{name} has {count} elements at these sizes, which cannot all differ")
    if seed == SEEDS[0]:
        found = [high - k // 2 if k % 2 else low + k // 2 for k in range(count)]
    else:
        found = random.Random(int(generator.integers(1 << 32))).sample(range(low, high + 1), count)
    return np.array(found, numpy_of(dtype)).reshape(shape)


def _value(
    one: Given, limits: tuple[Expr | None, Expr | None], at: Mapping[Expr, int], seed: int,
    generator: np.random.Generator,
) -> int | float:  # fmt: skip
    """What a named value is."""
    dtype = one.dtype or f"u{8 * (one.bytes or 4)}"
    low, high = _within(one.name, dtype, limits, at) if dtype in DTYPES else (0, 1)
    drawn_one = low + int.from_bytes(generator.bytes(16), "little") % (high - low + 1)
    number = {SEEDS[0]: min(max(1, low), high), LEAST: low, GREATEST: high}.get(seed, drawn_one)
    return float(number) if dtype.startswith(("f", "bf")) else number
