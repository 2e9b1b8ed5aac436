"""What is audited: kernels with their launch files, what is known of them, and how one of them is run.

| corpus | from |
|---|---|
| `corpus` | `tests/foreign`: kernels as people write them, and edits that break them |
| `kernelbench` | `tests/foreign/kernelbench`: problems of KernelBench in HIP, edits, and kernels that pretend |
| `triton` | `tests/foreign/triton`: code objects |
| a folder | any other: `NAME.co` with `NAME.toml` beside it, taken for right |

A kernel is right, breaks (a run shows a fault), differs (what comes out is wrong, though nothing faults), or is in
doubt: an edit of which no run shows anything.
What it cannot represent: whether an edit in doubt is right; the table beside its name says why no run shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from layoutalg.formats.model import SpecFile
from layoutalg.formats.spec import load
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.container.chosen import chosen_kernel
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.run.launch import execute
from layoutalg.launch.concrete import BoundLaunch, bound
from layoutalg.launch.tensors import drawn, numpy_of
from tests.foreign import table as plain
from tests.foreign.corpus import NOTHING, WRONG, Kernel, Sizes
from tests.foreign.kernelbench import table as kernelbench
from tests.foreign.running import binary
from tests.foreign.triton import table as triton

RIGHT, BREAKS, DIFFERS, DOUBT = "right", "breaks", "differs", "doubt"

#: Instructions of a run, and blocks, at most.
STEPS, BLOCKS = 60_000, 300

HIP: Mapping[str, Mapping[str, Kernel]] = {"corpus": plain.KERNELS, "kernelbench": kernelbench.KERNELS}


@dataclass(frozen=True)
class Case:
    """One kernel for one target, with what is known of it."""

    corpus: str
    kernel: str
    target: str
    kind: str = ""  # the family that the kernel is of
    edit: str = ""  # of an edited one: its name
    truth: str = RIGHT
    sizes: tuple[Sizes, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    folder: Path = triton.BUILDS

    @property
    def name(self) -> str:
        """How the case is called."""
        return f"{self.corpus}/{self.kernel}/{self.target}" + (f"/{self.edit}" if self.edit else "")

    @property
    def _hip(self) -> Kernel | None:
        return HIP.get(self.corpus, {}).get(self.kernel)

    @property
    def file(self) -> SpecFile:
        """The launch file."""
        return self._hip.launch if self._hip else load(self._stem.with_suffix(".toml"))

    @property
    def _stem(self) -> Path:
        return self.folder / (f"{self.kernel}-{self.target}" if self.corpus == "triton" else self.kernel)

    def binary(self) -> KernelBinary:
        """The machine code, compiled where it is HIP. Raises `CompileError`."""
        if self._hip is None:
            launch = self.file.launch
            assert launch is not None
            return chosen_kernel(self._stem.with_suffix(".co").read_bytes(), launch.kernel or None, self.target)[1]
        source = "" if not self.edit else self._hip.edited(self._broken[self.edit])
        return binary(self._hip, self.target, source=source)

    @property
    def _broken(self) -> Mapping[str, Any]:
        return {one.name: one for one in self._hip.broken} if self._hip else {}

    def outputs(self, code: MachineCode, sizes: Sizes, seed: int = 0) -> list[bytes]:
        """What a run at some sizes leaves in each tensor that is passed; empty where the grid is too large.

        What is written holds something before, as a launch file allows.
        """
        made = self._bound(code, sizes, {}, seed)
        generator = np.random.default_rng(seed)
        inputs = {
            name: drawn(self.file.descriptor(name).dtype, one.places.shape, generator)
            for name, one in made.tensors.items()
            if one.written
        }
        made = self._bound(code, sizes, inputs, seed)
        if np.prod(made.grid) > BLOCKS:
            return []
        strict = not (self._hip and self._hip.unaligned)
        run = execute(code, made.grid, made.block, made.arguments, STEPS, strict=strict, lds=made.lds)
        return [np.ascontiguousarray(one).tobytes() for one in run.outputs]

    def _bound(self, code: MachineCode, sizes: Sizes, inputs: Mapping[str, Any], seed: int) -> BoundLaunch:
        values = self.values
        if self._hip:
            special = self._hip.inputs(np.random.default_rng(seed), SimpleNamespace(**sizes))
            kinds = {name: numpy_of(self.file.descriptor(name).dtype) for name in special}
            inputs = {**inputs, **{name: one.astype(kinds[name]) for name, one in special.items()}}
            values = self._hip.values
        return bound(self.file, code.kernel.metadata, sizes, inputs, values, seed)


def cases(target: str, corpora: Sequence[str], edits: bool = True) -> Iterator[Case]:
    """The cases of some corpora for a target; corpora by their names, or as folders."""
    for corpus in corpora:
        if corpus in HIP:
            for name, kernel in HIP[corpus].items():
                if target not in kernel.targets:
                    continue
                yield Case(corpus, name, target, kernel.file, sizes=kernel.sizes)
                for one in kernel.broken if edits else ():
                    truth = {WRONG: DIFFERS, NOTHING: DOUBT}.get(one.shows, BREAKS)
                    yield Case(corpus, name, target, kernel.file, one.name, truth, kernel.sizes)
        elif corpus == "triton":
            for name, one in triton.KERNELS.items():
                yield Case("triton", name, target, "triton", sizes=one.sizes, values=one.values)
        else:
            folder = Path(corpus)
            for path in sorted(folder.glob("*.co")):
                if path.with_suffix(".toml").exists():
                    yield Case(folder.name, path.stem, target, folder.name, folder=folder)
