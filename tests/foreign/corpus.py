"""Kernels as people write them: what each computes, how it is launched, and how it can be broken.

`kernels/*.hip` are plain HIP, with nothing of layoutalg in them; `launch/NAME.toml` says how a kernel is launched: a
spec file with a `[launch]` table (`layoutalg.formats.launch`).

A descriptor of bf16 holds words of 16 bits. A reference takes what was given, by name (tensors, sizes, values), and
returns each tensor that is written, or is left as it was where it returns none.
What it cannot represent: a result that depends on the order of blocks (a sum of floats by atomics is of integers).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutalg.formats import SpecFile, load

HERE = Path(__file__).parent

Array = NDArray[Any]
Tensors = Mapping[str, Array]
Sizes = Mapping[str, int]

CDNA = ("gfx90a", "gfx942", "gfx950")
RDNA = ("gfx1100", "gfx1201")
TARGETS = CDNA + RDNA

#: What a run of a broken kernel shows, besides the kinds of `Fault`.
WRONG, NOTHING = "wrong result", "none"
KINDS = (
    "address",
    "read_only",
    "uninitialised",
    "wait",
    "race",
    "collision",
    "barrier",
    "control",
    "alignment",
    "livelock",
)


@dataclass(frozen=True)
class Tolerance:
    """|result − reference| ≤ absolute + relative · |reference|; both 0: bit for bit (any NaN is as good as another)."""

    absolute: float = 0.0
    relative: float = 0.0
    why: str = ""

    def accepts(self, result: Array, reference: Array) -> bool:
        """Whether a result is as near to the reference as stated."""
        if not (self.absolute or self.relative):
            return np.array_equal(result, reference, equal_nan=result.dtype.kind == "f")
        return np.allclose(result.astype(float), reference.astype(float), self.relative, self.absolute, equal_nan=True)


EXACT = Tolerance()


@dataclass(frozen=True)
class Broken:
    """An edit of a kernel's text that makes it wrong, and what a run at some of `sizes` can show of it."""

    name: str
    old: str  # occurs once in the kernel's text
    new: str
    shows: str  # a kind of Fault, WRONG, or NOTHING
    why: str = ""  # of NOTHING: why a run cannot show it
    sizes: tuple[Sizes, ...] = ()  # where it shows; empty: at one of the kernel's own

    def __post_init__(self) -> None:
        if self.shows not in (*KINDS, WRONG, NOTHING) or (self.shows == NOTHING) != bool(self.why):
            raise ValueError(f"{self.name}: it shows {self.shows!r}, because {self.why!r}")


Given = SimpleNamespace
Reference = Callable[[Given], Tensors]
Inputs = Callable[[np.random.Generator, SimpleNamespace], Tensors]


@dataclass(frozen=True)
class Kernel:
    """One kernel of the corpus."""

    name: str  # of its launch file, and of its function
    file: str
    sizes: tuple[Sizes, ...]
    reference: Reference
    broken: tuple[Broken, ...]
    tolerance: Tolerance = EXACT
    targets: tuple[str, ...] = TARGETS
    inputs: Inputs = lambda generator, sizes: {}  # tensors that are not random; of those written: what is there before
    values: Mapping[str, Any] = field(default_factory=dict)  # arguments that the launch file names
    unaligned: bool = False  # LLVM joins its loads to such as are wider than their addresses are aligned
    folder: Path = HERE  # of its `kernels` and `launch`

    @cached_property
    def launch(self) -> SpecFile:
        """Its launch file."""
        return load(self.folder / "launch" / f"{self.name}.toml")

    @property
    def source(self) -> str:
        """The text of its file."""
        return (self.folder / "kernels" / f"{self.file}.hip").read_text()

    def edited(self, broken: Broken) -> str:
        """The file with one kernel broken; ValueError where what is to be edited is not there once."""
        whole = self.source
        start = whole.index(f" {self.name}(") + 1 if f" {self.name}(" in whole else whole.index(f"\n{self.name}(") + 1
        end = whole.index("\n}\n", start)
        text = whole[start:end]
        if text.count(broken.old) != 1:
            raise ValueError(f"{self.name}, {broken.name}: {broken.old!r} is there {text.count(broken.old)} times")
        return whole[:start] + text.replace(broken.old, broken.new) + whole[end:]


def sizes(names: str, *rows: tuple[int, ...]) -> tuple[Sizes, ...]:
    """Sizes to run, a row each.

    >>> sizes("M N", (1, 2), (3, 4))
    ({'M': 1, 'N': 2}, {'M': 3, 'N': 4})
    """
    return tuple(dict(zip(names.split(), row, strict=True)) for row in rows)


def bf16(numbers: Array) -> Array:
    """f32 to words of bf16, rounded to nearest even; of finite numbers."""
    bits = np.ascontiguousarray(numbers, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def f32(words: Array) -> Array:
    """Words of bf16 as f32."""
    return (words.astype(np.uint32) << 16).view(np.float32)
