"""Right kernels of the corpora with one seeded fault each: the table is `twins.toml`, and nothing of it is code.

| of a twin | is |
|---|---|
| `corpus`, `kernel` | the right one (`cases`) |
| `file`, `line` | where the fault is, in the corpus's `kernels` |
| `old`, `new` | what stands there once, and what stands there in its place |
| `fault` | what kind it is of |
| `at` | lines at which it may show besides: of accesses that are no longer in order, in bounds, or initialised |

A twin does what no correct kernel does, at some sizes of its launch file; it differs from every edit of the corpora.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.foreign.cases import BREAKS, HIP, Case
from layoutalg.device.compile import compile_source
from layoutalg.isa.container.binary import KernelBinary, read_kernels
from layoutalg.isa.container.lines import SourceLines
from tests.foreign.corpus import Kernel

TABLE = Path(__file__).with_suffix(".toml")

#: A line of a twin's source, as `SourceLines` has it.
_LINE = re.compile(r"kernel\.hip:(\d+)")

#: What the corpus is called.
TWINS = "twins"


@dataclass(frozen=True)
class Twin:
    """One seeded fault."""

    corpus: str
    kernel: str
    file: str
    line: int
    old: str
    new: str
    fault: str
    at: tuple[int, ...] = ()

    @property
    def source(self) -> str:
        """The file with the fault; ValueError where what is to be replaced is not there once."""
        lines = HIP[self.corpus][self.kernel].source.split("\n")
        if lines[self.line - 1].count(self.old) != 1:
            raise ValueError(f"{self.file}.hip:{self.line} has not {self.old!r} once")
        lines[self.line - 1] = lines[self.line - 1].replace(self.old, self.new)
        return "\n".join(lines)


@dataclass(frozen=True)
class TwinCase(Case):
    """A twin for one target."""

    twin: Twin | None = None

    @property
    def _hip(self) -> Kernel | None:
        return HIP[self.twin.corpus][self.twin.kernel] if self.twin else None

    @cached_property
    def _payload(self) -> bytes:
        assert self.twin is not None
        return compile_source(self.twin.source, self.target, flags=("-g",)).payload

    def binary(self) -> KernelBinary:
        """The machine code, with the lines of its source."""
        launch = self.file.launch
        assert launch is not None
        return read_kernels(self._payload)[launch.kernel or self.kernel]

    def named(self, addresses: Iterable[int]) -> Mapping[str, Any]:
        """Which lines instructions are of, and whether one of them is the fault's or one where it may show."""
        assert self.twin is not None
        where = SourceLines.read(self._payload).of
        lines = sorted({int(line) for address in addresses for line in _LINE.findall(where(address))})
        return {"lines": lines, "named": bool({self.twin.line, *self.twin.at} & {*lines})}


def twins() -> tuple[Twin, ...]:
    """All of the table."""
    return tuple(
        Twin(**{**one, "at": tuple(one.get("at", ()))})
        for one in tomllib.loads(TABLE.read_text(encoding="utf-8"))["twin"]
    )


def twin_cases(target: str) -> Iterator[TwinCase]:
    """The twins of kernels that are for a target."""
    for one in twins():
        kernel = HIP[one.corpus][one.kernel]
        if target in kernel.targets:
            edit = f"{one.file}.hip:{one.line} {one.new or 'nothing'}"
            yield TwinCase(TWINS, one.kernel, target, one.fault, edit, BREAKS, kernel.sizes, twin=one)
