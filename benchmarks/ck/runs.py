"""Instances carried out beside numpy: at one size with every check of a run, or at several, compiled.

| sizes of `several` | are                                                                              |
|--------------------|----------------------------------------------------------------------------------|
| least              | every size at its least                                                          |
| edges              | each size in turn at its greatest, or at what a run can hold, the others at least |
| drawn              | odd multiples where there are any, more than one block                           |

What is read holds whole numbers, whose sums are exact, or where results are to be close, normal ones; or what an
instance draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any
from zlib import crc32

import numpy as np

from benchmarks.ck.table import Instance
from layoutalg.device.plain import execute_plainly
from layoutalg.errors import LaunchError, UnsupportedInstructionError
from layoutalg.formats.model import SpecFile
from layoutalg.index.evaluate import value
from layoutalg.index.variable import Symbol
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.run.launch import Execution, execute
from layoutalg.launch.concrete import BoundLaunch, bound
from layoutalg.launch.tensors import Sizes
from layoutalg.target.dtypes import DTYPES
from layoutalg.target.elements import numbers, stored

MOST, MOST_DRAWN, THREAD = 1 << 21, 1 << 18, 8
"""Elements of all tensors of a run, at most: at an edge, and of sizes that are drawn; what a thread counts as."""

DRAWS = 400
"""Sizes that are drawn until some are admitted, at most."""


def run(one: Instance, file: SpecFile, code: MachineCode, sizes: Mapping[str, int], plainly: bool = False) -> str:
    """Carries it out: `exact`, `close`, or what is wrong; compiled, where each instruction has a text."""
    given = bound(file, code.kernel.metadata, sizes, {}, one.values)
    assert file.launch is not None
    left = {name for assumed in file.launch.assumed for name in assumed.tensors}  # these are drawn as is assumed
    generator = np.random.default_rng(0)
    inputs: dict[str, Any] = {}
    for name, tensor in given.tensors.items():
        shape, dtype = tensor.places.shape, DTYPES[file.descriptor(name).dtype or ""]
        if name in one.draws:
            inputs[name] = stored(one.draws[name](generator, shape), dtype)
        elif one.tolerance and not tensor.written and name not in left:
            inputs[name] = stored(generator.standard_normal(shape), dtype)
    given = bound(file, code.kernel.metadata, sizes, inputs, one.values)
    before = {name: numbers(tensor.read(tensor.buffer.array), DTYPES[file.descriptor(name).dtype or ""])
              for name, tensor in given.tensors.items()}  # fmt: skip
    wanted = one.reference({name: array.astype(np.float64) for name, array in before.items()})
    result = (_plainly if plainly else _checked)(code, given)
    after = {tensor.buffer.name: tensor.read(array) for tensor, array in zip(given.passed, result.outputs, strict=True)}
    worst = "exact"
    for name, array in wanted.items():
        dtype = DTYPES[file.descriptor(name).dtype or ""]
        found = after[name]
        with np.errstate(over="ignore"):  # what is infinite in numpy is to be so here
            same = found == stored(array, dtype)
        if same.all():
            continue
        if not np.allclose(numbers(found, dtype).astype(np.float64), array, rtol=one.tolerance, atol=one.tolerance):
            return f"wrong: {name}"
        worst = "close"
    return worst


def _checked(code: MachineCode, given: BoundLaunch) -> Execution:
    return execute(code, given.grid, given.block, given.arguments, lds=given.lds)


def _plainly(code: MachineCode, given: BoundLaunch) -> Execution:
    try:
        return execute_plainly(code, given.grid, given.block, given.arguments, lds=given.lds)
    except UnsupportedInstructionError:
        return _checked(code, given)


def several(file: SpecFile, count: int, name: str) -> list[dict[str, int]]:
    """So many sizes or more, that the file admits: the least, the edges, two drawn ones at least."""
    made = _Sizes(file, np.random.default_rng(crc32(name.encode())))
    found = [one for one in (made.least, *made.edges()) if made.cost(one) is not None]
    found += made.drawn(max(count - len(found), 2))
    return [dict(each) for each in dict.fromkeys(tuple(one.items()) for one in found)]


@dataclass(frozen=True)
class _Sizes:
    file: SpecFile
    generator: np.random.Generator

    @property
    def symbols(self) -> dict[str, Symbol]:
        return {name: one.value for name, one in self.file.symbols.items()}

    @property
    def least(self) -> dict[str, int]:
        return {name: int(one.lo) for name, one in self.symbols.items()}

    def cost(self, sizes: Mapping[str, int]) -> int | None:
        """Elements, and what threads count as; None where the sizes are not admitted."""
        at, launch = Sizes(self.file, sizes), self.file.launch
        assert launch is not None
        try:
            givens = [self.file.given, *(item.given for item in self.file.descriptors)]
            if not all(value(one, at.of(one)) for one in givens):
                return None
            elements = [at.number(item.descriptor.element_space_size) for item in self.file.descriptors]
            return sum(elements) + prod(map(at.number, (*launch.grid, *launch.block))) * THREAD
        except LaunchError:
            return None

    def edges(self) -> Iterator[dict[str, int]]:
        """Each size at its greatest, the others at their least, or where that is not admitted, drawn."""
        for name, one in self.symbols.items():
            for most in _down(one):
                found = {**self.least, name: most}
                if self.cost(found) is None:
                    found = next(self._drawn(MOST, {name: most}), {})
                if found and (self.cost(found) or 0) <= MOST:
                    yield found
                    break

    def drawn(self, count: int) -> list[dict[str, int]]:
        """Of more than one block, where there are such."""
        assert self.file.launch is not None
        found = []
        for one in self._drawn(MOST_DRAWN, {}):
            blocks = prod(map(Sizes(self.file, one).number, self.file.launch.grid))
            if blocks > 1 and one not in found:
                found.append(one)
            if len(found) == count:
                break
        return found

    def _drawn(self, most: int, fixed: Mapping[str, int]) -> Iterator[dict[str, int]]:
        for _ in range(DRAWS):
            found = {name: _any(one, self.generator) for name, one in self.symbols.items()} | fixed
            cost = self.cost(found)
            if cost is not None and cost <= most:
                yield found


def _down(one: Symbol) -> Iterator[int]:
    """The greatest, and half of it, and so on, more than the least."""
    most = int(min(one.hi, 1 << 31))
    while most > one.lo:
        yield most
        most = most // 2 // one.multiple_of * one.multiple_of


def _any(one: Symbol, generator: np.random.Generator) -> int:
    """One that it may be, small ones more often; an odd multiple where there is any."""
    low, step = int(one.lo), one.multiple_of
    count = int(min(one.hi, 1 << 31) - low) // step
    if one.power_of_two:
        return low << int(generator.integers(0, (int(one.hi) // low).bit_length()))
    times = min(int(np.exp(generator.uniform(0, np.log(count + 2)))) - 1, count)
    found = low + step * times
    return found + step if found // step % 2 == 0 and times < count else found
