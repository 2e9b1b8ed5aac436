"""Programs with copied boxes and products from LDS carried out on numbers, as the hardware's words say, block by block.

Copies land where they stand or as late as their `Await` allows, products are taken where they stand or before the next
one: what is right is so either way.  Nothing of a proof is used: only the expressions that are written into the text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutalg.index import Expr, extent_of, value, var
from layoutalg.index.evaluate import array, extent
from layoutalg.kernel.access.boxes import beside, box_of, first_of
from layoutalg.kernel.access.matrix_operands import ROW, first_word, leading_of
from layoutalg.kernel.access.places import bounds, coordinates, first_copy, word_of
from layoutalg.kernel.program import (
    AsyncCopy,
    Await,
    Barrier,
    BoxCopy,
    Clear,
    Commit,
    Exchange,
    GlobalAccess,
    LoadShared,
    Loop,
    MultiplyShared,
    Pixels,
    Program,
    Reading,
    Registers,
    Shared,
    SharedAccess,
    StoreShared,
)
from layoutalg.target.elements import stored

Numbers = NDArray[Any]
Point = Mapping[Expr, int]


def run(program: Program, inputs: Mapping[str, Numbers], sizes: Mapping[str, int], late: bool) -> Numbers:
    """What the target's memory holds afterwards: NaN where nothing is written."""
    at = {s: sizes[s.value.name] for s in program.sizes}
    space = int(value(program.target.descriptor.element_space_size, at))
    memory = {**inputs, program.target.name: np.full(space, np.nan)}
    for block in product(*(range(int(extent(v, at))) for v in program.grid)):
        _Block(program, memory, {**at, **dict(zip(program.grid, block, strict=True))}, late).body(program.body)
    return memory[program.target.name]


class _Block(Reading[None]):
    """One block: its registers by thread and Ys, its LDS as numbers at words of 16 bits."""

    def __init__(self, program: Program, memory: dict[str, Numbers], at: Point, late: bool) -> None:
        self.program, self.memory, self.at, self.late = program, memory, dict(at), late
        self.registers: dict[Registers, Numbers] = {}
        self.lds = np.full(program.aligned_lds_bytes // 2 + ROW, np.nan)
        counts = [int(t.hi) + 1 for t in program.threads]
        index = np.meshgrid(*map(np.arange, counts), indexing="ij")
        self.threads = {t: i.reshape(-1) for t, i in zip(program.threads, index, strict=True)}
        self.groups: list[list[tuple[BoxCopy, Point]]] = []
        self.begun: list[tuple[BoxCopy, Point]] = []
        self.waiting: list[tuple[MultiplyShared, Point]] = []

    def body(self, statements: Sequence[Any]) -> None:
        for s in statements:
            if not isinstance(s, Commit | Await | AsyncCopy | Barrier | MultiplyShared):
                self.finish()
            self.read(s)

    def word_of(self, shared: Shared, word: Any) -> Any:
        """The number of a buffer's word of 16 bits in all of LDS."""
        return self.program.places[shared] // 2 + word * shared.dtype.bytes // 2

    def over(self, registers: Registers) -> tuple[dict[Expr, Any], tuple[int, ...]]:
        """Every thread and Y, as axes; and the shape of a thread's registers."""
        ys = [int(n) for n in registers.distribution.ys]
        axes: dict[Expr, Any] = dict(self.at)
        for t, numbers in self.threads.items():
            axes[t] = numbers.reshape(-1, *(1 for _ in ys))
        for d, (y, n) in enumerate(zip(registers.distribution.y_index, ys, strict=True)):
            axes[y] = np.arange(n).reshape(*(n if k == d + 1 else 1 for k in range(len(ys) + 1)))
        return axes, (len(next(iter(self.threads.values()))), *ys)

    # --- statements ---------------------------------------------------------------------------------------------------

    def read_loop(self, s: Loop) -> None:
        for turn in range(int(value(extent_of(s.index), self.at))):
            self.at[s.index] = turn
            self.body(s.body)
        del self.at[s.index]

    def read_clear(self, s: Clear) -> None:
        self.registers[s.registers] = np.zeros(self.over(s.registers)[1])

    def read_barrier(self, s: Barrier) -> None:
        pass

    def read_async_copy(self, s: AsyncCopy) -> None:
        assert isinstance(s, BoxCopy)
        if self.late:
            self.begun.append((s, dict(self.at)))
        else:
            self.copy(s, self.at)

    def read_commit(self, s: Commit) -> None:
        self.groups.append(self.begun)
        self.begun = []

    def read_await(self, s: Await) -> None:
        self.finish()
        done = max(0, len(self.groups) - s.groups)
        for group in self.groups[:done]:
            for one, at in group:
                self.copy(one, at)
        self.groups = self.groups[done:]

    def read_multiply_shared(self, s: MultiplyShared) -> None:
        self.finish()
        self.waiting.append((s, dict(self.at)))
        if not self.late:
            self.finish()

    def read_global_access(self, s: GlobalAccess) -> None:
        axes, shape = self.over(s.registers)
        x = coordinates(self.program, s)
        guards = (*bounds(s, x), *([] if s.loads else [first_copy(self.program, s.registers)]))
        offset, *passed = (np.broadcast_to(e, shape) for e in array([s.tensor.descriptor.offset(x), *guards], axes))
        inside = np.logical_and.reduce(passed)
        held, memory = np.zeros(shape), self.memory[s.tensor.name]
        if s.loads:
            held[inside] = memory[offset[inside]]
            self.registers[s.registers] = stored(held.astype(np.float32), s.registers.dtype).astype(np.float64)
        else:
            memory[offset[inside]] = self.registers[s.registers][inside]

    def read_shared_access(self, s: SharedAccess) -> None:
        axes, shape = self.over(s.registers)
        x = self.program.coordinates(s, s.registers.distribution.y_index)
        (word,) = array([word_of(s, x)], axes)
        place = self.word_of(s.shared, np.broadcast_to(word, shape))
        if isinstance(s, StoreShared):
            self.lds[place] = stored(self.registers[s.registers].astype(np.float32), s.shared.dtype).astype(np.float64)
        else:
            assert isinstance(s, LoadShared)
            self.registers[s.registers] = self.lds[place]

    def read_exchange(self, s: Exchange) -> None:
        """As the text does: bit by bit of the lane's number, each lane gives those words that the other one wants."""
        held = stored(self.registers[s.source].astype(np.float32), s.registers.dtype).astype(np.float64)
        shape = (*held.shape[: s.y + 1], held.shape[s.y + 1] // s.lanes, s.lanes, *held.shape[s.y + 2 :])
        words = np.moveaxis(held.reshape(shape), s.y + 2, 0)
        lane = np.arange(held.shape[0])
        for bit in (1 << n for n in range(s.lanes.bit_length() - 1)):
            upper = (lane & bit != 0).reshape(-1, *(1 for _ in words.shape[2:]))
            for i in (i for i in range(s.lanes) if not i & bit):
                low, high = words[i].copy(), words[i | bit].copy()
                found = np.where(upper, low, high)[lane ^ bit]
                words[i], words[i | bit] = np.where(upper, found, low), np.where(upper, high, found)
        self.registers[s.registers] = np.moveaxis(words, 0, s.y + 2)

    # --- what the hardware does --------------------------------------------------------------------------------------

    def copy(self, s: BoxCopy, at: Point) -> None:
        """Brings the boxes of a tile: rows of 64 elements, swizzled, 0 outside of the tensor."""
        if not value(s.load.only, at):
            return
        box, memory = box_of(s), self.memory[s.load.tensor.name]
        row, column = np.meshgrid(np.arange(box.rows), np.arange(ROW), indexing="ij")
        lengths, strides = ([int(value(e, at)) for e in es] for es in (box.lengths, box.strides))
        for n in range(beside(s)):
            first, pixel = ([int(value(e, at)) for e in es] for es in first_of(s, n))
            if s.pixels is None:
                index = [i + d for i, d in zip(first, (column, row, row * 0), strict=True)]
            else:
                index = [first[0] + column, *self.windows(s.pixels, first[1:], pixel, row, at)]
            inside = np.logical_and.reduce([(i >= 0) & (i < length) for i, length in zip(index, lengths, strict=True)])
            address = sum(i * stride for i, stride in zip(index, strides, strict=True))
            start = int(value(s.store.slot, at)) * s.store.shared.elements + n * box.rows * ROW
            here = swizzled(self.word_of(s.store.shared, start) + row * ROW + column)
            self.lds[here] = np.where(inside, memory[np.where(inside, address, 0)], 0.0)

    def windows(self, pixels: Pixels, first: list[int], pixel: list[int], row: Numbers, at: Point) -> list[Numbers]:
        """Where the windows from the first on lie: W, H and N of the pixel meant, going on along W, then H, then N."""
        (h, w), (down, along) = ([int(value(n, at)) for n in pixels.outputs], pixel[::-1])
        (sh, sw), (ph, pw) = pixels.stride, pixels.pad
        w0, h0, n0 = first
        number = (n0 * h + (h0 + ph) // sh) * w + (w0 + pw) // sw + row
        return [number % w * sw - pw + along, number // w % h * sh - ph + down, number // w // h]

    def finish(self) -> None:
        """Products that were begun are done."""
        for s, at in self.waiting:
            self.multiply(s, at)
        self.waiting = []

    def multiply(self, s: MultiplyShared, at: Point) -> None:
        i, c = s.product.instruction, self.registers[s.product.c]
        (ms, ns), ks = s.product.c.distribution.ys[:2], s.product.a.distribution.ys[1]
        number = next(iter(self.threads.values()))
        lanes, elements = i.d.places
        flat = c.reshape(len(number), int(ms), int(ns), -1)
        for wave in range(len(number) // i.wave):
            threads = {t: numbers[wave * i.wave] for t, numbers in self.threads.items()}
            for m, n, k in product(range(int(ms)), range(int(ns)), range(int(ks))):
                a = self.operand(s.a, s.along_k[0], i.m, i.k, {**at, **threads}, "m", m, k)
                b = self.operand(s.b, s.along_k[1], i.n, i.k, {**at, **threads}, "n", n, k)
                flat[wave * i.wave : (wave + 1) * i.wave, m, n] += (a @ b.T)[lanes, elements]

    def operand(
        self, s: LoadShared, along_k: bool, rows: int, depth: int, at: Point, letter: str, count: int, step: int
    ) -> Numbers:
        """The matrix that an instruction reads from a descriptor's first word on."""
        tile = s.registers.distribution
        counters = {var(letter, tile.ys[0]): count, var("k", tile.ys[1]): step}
        start = self.word_of(s.shared, int(value(first_word(self.program, s, letter), {**at, **counters})))
        leading = int(value(leading_of(s, along_k), at))
        row, k = np.meshgrid(np.arange(rows), np.arange(depth), indexing="ij")
        along = start + row // 8 * (8 * ROW) + row % 8 * ROW + k
        across = start + row // ROW * leading + k // 8 * (8 * ROW) + k % 8 * ROW + row % ROW
        return self.lds[swizzled(along if along_k else across)]


def swizzled(word: Numbers) -> Numbers:
    """Words of 16 bits, bits 3 … 5 of whose number are xor-ed with its bits 6 … 8."""
    return word ^ (word // ROW % 8) * 8
