"""One launch of a kernel of somebody's file, and what numpy says comes of it.

A case names the file and the kernel, and draws its arguments; the kernel's text stays where it is.  What a kernel may
read alone is passed read-only, and what it is to write is undefined before, so a run shows an access that is neither.
Sums of floats are of small whole numbers, in whatever order exact; what rounds is compared in units in the last place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.isa.run.spaces import Buffer

Array = NDArray[Any]
Draw = np.random.Generator

#: Instructions of a run, at most.
STEPS = 400_000


@dataclass(frozen=True)
class Given:
    """The arguments of a launch, and what is in those that it writes afterwards, by their places."""

    arguments: Sequence[Any]
    wanted: Mapping[int, Array]


@dataclass(frozen=True)
class Case:
    """A launch of a kernel."""

    file: str  # from the collection's name on
    kernel: str  # its name; of a template, with the start of what its symbol has behind that
    grid: int | tuple[int, ...]
    block: int | tuple[int, ...]
    given: Callable[[Draw], Given]
    ulp: float = 0  # how far a result may be from numpy's; 0: bit for bit
    lds: int = 0

    def symbol(self, symbols: Sequence[str]) -> str:
        """That of the kernel among those of its file. LookupError where it is not there once."""
        name, _, template = self.kernel.partition(" ")
        found = [one for one in symbols if one == name or f"{len(name)}{name}{template}" in one]
        if len(found) != 1:
            raise LookupError(f"{self.kernel} is {found or 'none'} of {', '.join(symbols)}")
        return found[0]

    def differs(self, kernel: KernelBinary) -> str:
        """Where a run is not what numpy says; nothing where it is. Raises what `execute` raises."""
        given = self.given(np.random.default_rng(0))
        arguments = [_number(one) for one in given.arguments]
        run = execute(decode_kernel(kernel), _triple(self.grid), _triple(self.block), arguments, STEPS, lds=self.lds)
        places = [place for place, one in enumerate(arguments) if isinstance(one, Buffer)]
        results = dict(zip(places, run.outputs, strict=True))
        for place, wanted in given.wanted.items():
            wrong = ~self._near(results[place], np.asarray(wanted).reshape(results[place].shape))
            if wrong.any():
                at = tuple(int(k) for k in np.argwhere(wrong)[0])
                said = f"{results[place][at]} for {np.asarray(wanted).reshape(wrong.shape)[at]}"
                return f"argument {place} at {at}: {said}, and {np.count_nonzero(wrong)} of {wrong.size} differ"
        return ""

    def _near(self, result: Array, wanted: Array) -> Array:
        """Which elements are as near as is said."""
        if not self.ulp:
            same: Array = np.equal(result, wanted.astype(result.dtype))
            return same
        unit = np.spacing(np.abs(wanted.astype(result.dtype))).astype(float)
        near: Array = np.abs(result.astype(float) - wanted.astype(float)) <= self.ulp * unit
        return near


def _triple(sizes: int | tuple[int, ...]) -> tuple[int, ...]:
    return sizes if isinstance(sizes, tuple) else (sizes, 1, 1)


def _number(one: Any) -> Any:
    """A whole number as C's int; whatever else as it is."""
    return np.int32(one) if isinstance(one, int) else one


# --- Arguments --------------------------------------------------------------------------------------------------------


def read(array: Array) -> Buffer:
    """An array that is read alone."""
    return Buffer(array, "what is read", writable=False)


def both(array: Array) -> Buffer:
    """An array that is read and written."""
    return Buffer(array, "what is changed")


def write(shape: int | tuple[int, ...], dtype: Any = np.float32) -> Buffer:
    """An array of which nothing is defined before."""
    return Buffer(np.zeros(shape, dtype), "what is written", defined=False)


def whole(draw: Draw, *shape: int, dtype: Any = np.float32, low: int = -8, high: int = 9) -> Array:
    """Small whole numbers."""
    return draw.integers(low, high, shape).astype(dtype)


def between(draw: Draw, low: float, high: float, *shape: int, dtype: Any = np.float32) -> Array:
    """Numbers of an interval."""
    return draw.uniform(low, high, shape).astype(dtype)
