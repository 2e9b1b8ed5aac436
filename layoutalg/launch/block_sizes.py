"""A launch whose blocks' sizes hang on sizes of the file, or of which `each` value of a size is asked: one each.

    block = ["B"]                    64 <= B <= 1024, a multiple of 64        16 launches, of B = 64, 128, …
    block = ["min(hidden, 1024)"]    64 <= hidden <= 9999, a multiple of 64   16, the last for hidden >= 1024
    each = ["step"]                  0 <= step <= 9                           10, in which 1 << step is a number

In each the threads are numbers, and of sizes is given which of them lead there: as a formula, and as limits of each
size, the least and the greatest that do. So together they speak of all sizes of the file, and each of no others; but
for those of which a block has no threads, at which nothing is launched.
What it cannot represent: more launches than are looked at, or sizes without an upper limit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from layoutalg.errors import LaunchError
from layoutalg.formats.items import is_as_read, of_block
from layoutalg.formats.launch import Launch
from layoutalg.formats.model import SpecFile
from layoutalg.index import Expr, all_of, array, variables
from layoutalg.index.evaluate import INT64, values
from layoutalg.launch.symbolic import has_blocks, limits_of
from layoutalg.prove.vacuity import met

#: Sizes of a block at most: the multiples of a wave of 32 lanes up to 1024 threads; and where all are looked at.
MOST, EVERY = 32, 1024

#: Values of sizes that are looked at to find them, at most.
MOST_VALUES = 1 << 20


class ManyBlocksError(ValueError):
    """A block has more sizes than are looked at one by one."""


def of_each_block(file: SpecFile, most: int = MOST) -> Sequence[tuple[str, SpecFile]]:
    """The file for each of at most so many sizes that its blocks may have, or values of a size looked at by itself.

    By its name: 64, 16 × 8, step = 3, or 64, step = 3; as it is where there is but one.
    """
    launch = file.launch
    if launch is None or not (launch.each or variables(*launch.block)):
        return [("", file)]
    if not is_as_read(file):
        raise LaunchError(f"{file.path}: a launch that was not read so from a file has blocks of numbers alone")
    axes = len(launch.block)
    found = [(_named(launch, size), of_block(file, size[:axes], given)) for size, given in _sizes(file, launch, most)]
    return [one for one in found if met(all_of(limits_of(one[1]), has_blocks(one[1]))) is not False] or found[:1]


def _named(launch: Launch, size: Sequence[int]) -> str:
    """A size of a block, where it is none of numbers, and the values of sizes that are looked at one by one."""
    axes = len(launch.block)
    block = [" × ".join(map(str, size[:axes]))] if variables(*launch.block) else []
    return ", ".join((*block, *(f"{name} = {n}" for name, n in zip(launch.each, size[axes:], strict=True))))


def _sizes(file: SpecFile, launch: Launch, most: int) -> Iterator[tuple[tuple[int, ...], Sequence[str]]]:
    """Each size of a block with each of those values, and what is given of sizes where it is that."""
    block = (*launch.block, *(file.symbols[name] for name in launch.each))
    over = variables(*block)
    points = np.meshgrid(*_values(over), indexing="ij")
    all_sizes = np.stack(_evaluated(block, dict(zip(over, (one.ravel() for one in points), strict=True))), axis=1)
    sizes, which = np.unique(all_sizes, axis=0, return_inverse=True)
    axes = len(launch.block)
    launched = [n for n, size in enumerate(sizes.tolist()) if min(size[:axes]) > 0]
    if len(launched) > most:
        raise ManyBlocksError(f"{_said(block)} has {len(launched)} sizes, and each is looked at by itself, at most "
                              f"{most}: give what it is a multiple of, or power_of_two")  # fmt: skip
    texts = [*file.data["launch"]["block"], *launch.each]
    for n in launched or range(len(sizes)):
        size, here = sizes[n].tolist(), which.ravel() == n
        given = [f"({text}) == {one}" for text, one in zip(texts, size, strict=True) if isinstance(text, str)]
        for v, all_values in zip(over, points, strict=True):
            own = all_values.ravel()[here]
            given += [f"{own.min()} <= {v.value.name}", f"{v.value.name} <= {own.max()}"]
        yield tuple(size), given


def _evaluated(block: Sequence[Expr], at: Mapping[Expr, np.ndarray[Any, Any]]) -> Sequence[np.ndarray[Any, Any]]:
    """Each formula where sizes have these values; exactly, where int64 does not hold what is computed between."""
    count = len(next(iter(at.values())))
    try:
        return [np.broadcast_to(one, count) for one in array(block, at)]
    except OverflowError:
        exact = [values(block, dict(zip(at, map(int, point), strict=True))) for point in zip(*at.values(), strict=True)]
    if any(abs(size) >= INT64 for sizes in exact for size in sizes):
        raise ManyBlocksError(f"a block has more threads than int64 holds ({_said(block)})")
    return [*np.array(exact, dtype=np.int64).T]


def _values(over: Sequence[Expr]) -> Iterator[np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """All values of each size."""
    count = 1.0
    for v in over:
        s = v.value
        span = s.hi - s.lo
        count *= span if math.isinf(span) else span // s.multiple_of + 1
        if count > MOST_VALUES:
            raise ManyBlocksError(f"of {', '.join(one.value.name for one in over)} there are more values than are "
                                  f"looked at for the sizes of a block, {MOST_VALUES}: give max")  # fmt: skip
        found = np.arange(-(-int(s.lo) // s.multiple_of) * s.multiple_of, int(s.hi) + 1, s.multiple_of, dtype=np.int64)
        yield found[(found > 0) & (found & (found - 1) == 0)] if s.power_of_two else found


def _said(block: Sequence[Expr]) -> str:
    return " × ".join(map(str, block))
