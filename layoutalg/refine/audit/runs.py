"""What runs show: the kernel is carried out where a claim fails, with contents drawn as the launch allows.

A claim is refuted where a run at its witness's sizes faults at the claim's own instruction; where it faults at another,
the kernel is not safe, but of the claim nothing is shown.
What it cannot represent: the contents that a witness has; sizes beyond `ELEMENTS` and `BLOCKS`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from layoutalg.errors import DeviceError, Fault, LaunchError, StepLimit
from layoutalg.formats.model import SpecFile
from layoutalg.index import value
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.run.bound import BoundLaunch, bound
from layoutalg.isa.run.launch import execute
from layoutalg.isa.run.report import address_of
from layoutalg.isa.run.tensors import numpy_of
from layoutalg.refine.audit.launched import Launched
from layoutalg.target.dtypes import DTYPES

#: Bytes of all tensors, blocks, and instructions of a run at most.
BYTES, BLOCKS, STEPS = 1 << 22, 1 << 10, 60_000

#: Contents that are tried: with the first seed the ends of what is assumed, else anything between.
SEEDS = range(2)


class Runs:
    """Runs of one kernel and its launch; each is made once."""

    def __init__(self, code: MachineCode, launched: Launched, file: SpecFile) -> None:
        self.code, self.launched, self.file = code, launched, file
        self._found: dict[tuple[tuple[str, int], ...], tuple[Fault, ...]] = {}

    def shows(self, about: str, sizes: Mapping[str, int]) -> str:
        """The fault at the instruction that a claim is about; empty where no run has one."""
        instruction = about.split(" ", 1)[0]
        for fault in self._faults({name: n for name, n in sizes.items() if name in self.file.symbols}):
            if f"{address_of(fault.where):#x}" == instruction:
                return str(fault)
        return ""

    @property
    def faults(self) -> tuple[tuple[Mapping[str, int], Fault], ...]:
        """Every fault that was seen, with the sizes."""
        return tuple((dict(sizes), fault) for sizes, faults in self._found.items() for fault in faults)

    def _faults(self, sizes: Mapping[str, int]) -> tuple[Fault, ...]:
        key = tuple(sorted(sizes.items()))
        if key not in self._found:
            self._found[key] = tuple(self._run(sizes))
        return self._found[key]

    def _run(self, sizes: Mapping[str, int]) -> Iterator[Fault]:
        at = {symbol: sizes.get(name, int(symbol.lo)) for name, symbol in self.file.symbols.items()}
        bytes_ = [value(one.bytes, at) for one in self.launched.tensors.values()]
        blocks = math.prod(value(one, at) for one in self.launched.grid)
        if sum(bytes_) > BYTES or blocks > BLOCKS:
            return
        names = {name: at[symbol] for name, symbol in self.file.symbols.items()}
        for seed in SEEDS:
            try:
                made = self._made(names, seed)
                execute(self.code, made.grid, made.block, made.arguments, STEPS, lds=made.lds)
            except StepLimit:
                continue
            except Fault as fault:
                yield fault
            except DeviceError:  # what cannot be launched or carried out shows nothing
                return

    def _made(self, sizes: Mapping[str, int], seed: int) -> BoundLaunch:
        """The launch at these sizes, its contents within what is assumed of them."""
        launch, generator = self.file.launch, np.random.default_rng(seed)
        assert launch is not None
        values = {one.name: 1.0 if (one.dtype or "").startswith(("f", "bf")) else 1 for one in launch.given}
        first = bound(self.file, self.code.kernel.metadata, sizes, {}, values, seed)
        at = {symbol: sizes[name] for name, symbol in self.file.symbols.items()}
        inputs = {}
        for name, one in self.launched.tensors.items():
            if one.assumed == (None, None):
                continue
            dtype = self.file.descriptor(name).dtype or ""
            kind, bits = numpy_of(dtype), DTYPES[dtype].bits
            low, high = (None if limit is None else value(limit, at) for limit in one.assumed)
            least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if one.signed else (0, (1 << bits) - 1)
            low, high = least if low is None else max(low, least), most if high is None else min(high, most)
            if low > high:
                raise LaunchError(f"nothing is in {name} at these sizes, by what is assumed of it")
            shape = first.tensors[name].places.shape
            inputs[name] = (
                generator.choice(np.array([low, high], kind), shape)
                if seed == SEEDS[0]
                else generator.integers(low, high, shape, kind, endpoint=True)
            )
        return bound(self.file, self.code.kernel.metadata, sizes, inputs, values, seed)
