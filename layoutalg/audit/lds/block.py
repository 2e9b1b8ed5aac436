"""The threads of a block: which indices and which wave each has, by its number in the block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from layoutalg.index import TRUE, Expr, all_of, array, conjuncts, const, div, mod, postorder, simplify, values, var
from layoutalg.launch.symbolic import KernelLaunch
from layoutalg.symex.values.instances import moved, own_coordinates
from layoutalg.target import target

Ints = NDArray[np.int64]
Threads = NDArray[np.bool_]
"""Whether each thread of a block is one of some."""


class BlockThreads:
    """The threads of a block: their indices and their waves, by their number in it."""

    def __init__(self, launched: KernelLaunch) -> None:
        self.launched, self.wave_size = launched, launched.kernel.wave_size
        self.threads, self.sizes = launched.threads, launched.most
        self.count = prod(self.sizes)
        self.lane = var("lane of a wave", self.wave_size)
        self.waves = np.arange(self.count) // self.wave_size
        self.indices: dict[Expr, Ints] = {}
        rest = np.arange(self.count, dtype=np.int64)
        for thread, size in zip(self.threads, self.sizes, strict=False):
            self.indices[thread], rest = rest % size, rest // size

    @property
    def most_lds(self) -> int:
        """The bytes of LDS that a block may have on the target."""
        return target(self.launched.kernel.target).lds_bytes

    def wave(self, at: Mapping[Expr, Expr] | None = None) -> Expr:
        """The wave of the thread, or of one with these indices."""
        return moved(div(self.launched.thread_number, self.wave_size), at or {})

    def table(self, e: Expr) -> Ints | None:
        """What a term is for every thread, where it is of the thread alone."""
        e = simplify(e)
        if not {v for v in postorder(e) if v.op == "var"} <= self.indices.keys():
            return None
        return self.values([e])[0]

    def values(self, exprs: Sequence[Expr], iterations: Mapping[Expr, int] | None = None) -> list[Ints]:
        """What terms are for every thread, in these iterations; OverflowError where int64 does not hold one."""
        fixed = iterations or {}
        try:
            here = {t: np.array(number, np.int64) for t, number in fixed.items()}
            return [np.broadcast_to(found, (self.count,)) for found in array(exprs, self.indices | here)]
        except OverflowError:  # perhaps in between alone, as of a comparison of 64-bit words
            each = zip(*(held.tolist() for held in self.indices.values()), strict=True)
            points = (dict(zip(self.indices, place, strict=True)) | {**fixed} for place in each)
            return [*np.array([values(exprs, point) for point in points], np.int64).T]

    def may_hold(self, guard: Expr) -> Threads:
        """The threads for which a condition may hold."""
        found = np.ones(self.count, np.bool_)
        for part in conjuncts(guard):
            holds = self.table(part)
            found &= True if holds is None else holds != 0
        return found

    def alike(self, guard: Expr) -> Expr:
        """The parts of a condition that all waves of the block have alike, whatever the iteration."""
        own = set(own_coordinates(guard)) - self.launched.alike
        return all_of(TRUE, *(part for part in conjuncts(guard) if own.isdisjoint(own_coordinates(part))))

    def coordinates(self, thread: int) -> dict[Expr, Expr]:
        """The indices of the thread of a number."""
        return {v: const(int(held[thread])) for v, held in self.indices.items()}

    def in_wave(self, wave: int) -> dict[Expr, Expr]:
        """The indices of any lane's thread in the wave of a number, by the lane."""
        at, rest = dict[Expr, Expr](), wave * self.wave_size + self.lane
        for v, size in zip(self.threads, self.sizes, strict=False):
            at[v], rest = simplify(mod(rest, size)), div(rest, size)
        return at

    def number(self, at: Mapping[Expr, Expr]) -> int | None:
        """The number of the thread with these indices, where it is one."""
        found = {v: simplify(at[v]) for v in self.indices}
        if any(one.op != "const" for one in found.values()):
            return None
        mine = np.all([self.indices[v] == int(one.value) for v, one in found.items()], axis=0)
        return int(np.argmax(mine))

    def named(self, thread: int) -> str:
        """A thread, as messages have it."""
        wave, lane = divmod(int(thread), self.wave_size)
        return f"thread {thread} (wave {wave}, lane {lane})"
