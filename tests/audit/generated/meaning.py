"""What a kernel means, by numpy: all threads of all blocks do one statement, then the next.

A kernel without a race does the same in every order; what a race gives is not represented, so this holds for plans as
they are drawn. What several threads store at once, what LDS holds before it is stored, and what a lane gives that does
not take part, is `Undefined`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.audit.generated.language import (
    GROUP,
    Add,
    Body,
    Break,
    Const,
    Copy,
    For,
    Hide,
    If,
    Kernel,
    Let,
    Load,
    Op,
    Set,
    Statement,
    Store,
    Sync,
    Term,
    Var,
)

Array = NDArray[Any]

DTYPES = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "u32": np.uint32, "u16": np.uint16, "u8": np.uint8}


class Undefined(ValueError):
    """What the source leaves open."""


_OPERATIONS = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "&": np.bitwise_and, "^": np.bitwise_xor, "|": np.bitwise_or,
    "<<": np.left_shift, ">>": np.right_shift, "%": np.remainder, "/": np.floor_divide, "<": np.less,
    "<=": np.less_equal, "==": np.equal, "!=": np.not_equal, ">": np.greater, ">=": np.greater_equal,
}  # fmt: skip


def meant(kernel: Kernel, sizes: Mapping[str, int], tensors: Mapping[str, Array]) -> dict[str, Array]:
    """The tensors after a launch, of what they hold before; IndexError where an index leads out of a memory."""
    machine = _Machine(kernel, sizes, {name: one.reshape(-1).copy() for name, one in tensors.items()})
    machine.body(kernel.body, np.ones(machine.threads, np.bool_))
    return {name: machine.memories[name].reshape(one.shape) for name, one in tensors.items()}


class _Machine:
    """All threads at once."""

    def __init__(self, kernel: Kernel, sizes: Mapping[str, int], memories: dict[str, Array]) -> None:
        blocks = sizes.get("G", 1)
        self.threads, self.memories = blocks * kernel.block, memories
        number = np.arange(self.threads)
        self.known: dict[str, Array] = {"t": number % kernel.block, "g": number // kernel.block}
        self.known |= {name: np.full(self.threads, n) for name, n in sizes.items()}
        self.first = {one.name: self.known["g"] * one.length for one in kernel.buffers}  # a block's part of LDS
        self.length = {one.name: one.length for one in kernel.buffers}
        for one in kernel.buffers:
            memories[one.name] = np.zeros(blocks * one.length, DTYPES[one.dtype])
        self.stored = {one.name: np.zeros(blocks * one.length, np.bool_) for one in kernel.buffers}

    def body(self, body: Body, live: Array) -> Array:
        """Which of the live threads are still in the loop behind the statements."""
        for one in body:
            live = self.statement(one, live)
        return live

    def statement(self, one: Statement, live: Array) -> Array:
        match one:
            case Let() | Set():
                value = self.term(one.value, live)
                dtype = DTYPES[one.dtype] if isinstance(one, Let) else self.known[one.name].dtype
                dtype = np.dtype(np.int64) if dtype in (np.int32, np.uint32) else dtype
                before = self.known.get(one.name, np.zeros(self.threads, dtype)).astype(dtype)
                self.known[one.name] = np.where(live, _as(value, dtype), before)
            case Store():
                at = self.place(one.memory, one.index, live)
                memory = self.memories[one.memory]
                values = _as(np.broadcast_to(self.term(one.value, live), live.shape)[live], memory.dtype)
                memory[at[live]] = values
                if (memory[at[live]] != values).any():
                    raise Undefined("threads that store something else to one element")
                self.store(one.memory, at[live])
            case Add():
                at = self.place(one.memory, one.index, live)
                value = np.broadcast_to(self.term(one.value, live), live.shape)
                self.load(one.memory, at[live])
                np.add.at(self.memories[one.memory], at[live], _as(value[live], self.memories[one.memory].dtype))
            case Copy():
                to, source = self.place(one.memory, one.index, live), self.place(one.source, one.at, live)
                for k in range(one.count):
                    self.load(one.source, source[live] + k)
                    self.store(one.memory, to[live] + k)
                    self.memories[one.memory][to[live] + k] = self.memories[one.source][source[live] + k]
            case If():
                when = live & (np.broadcast_to(self.term(one.when, live), live.shape) != 0)
                then = self.body(one.then, when)
                return then | self.body(one.otherwise, live & ~when)
            case Break():
                return live & (np.broadcast_to(self.term(one.when, live), live.shape) == 0)
            case For():
                self.loop(one, live)
            case Sync() | Hide():
                pass
        return live

    def loop(self, one: For, live: Array) -> None:
        """Each thread leaves by itself."""
        self.known[one.var] = np.broadcast_to(self.term(one.first, live), live.shape).astype(np.int64)
        while True:
            live = live & (self.known[one.var] < self.term(one.end, live))
            live = self.body(one.body, live)
            if not live.any():
                return
            self.known[one.var] = np.where(live, self.known[one.var] + one.step, self.known[one.var])

    def store(self, memory: str, places: Array) -> None:
        """From here on LDS holds something there."""
        if memory in self.stored:
            self.stored[memory][places] = True

    def load(self, memory: str, places: Array) -> None:
        """Something must be there."""
        if memory in self.stored and not self.stored[memory][places].all():
            raise Undefined(f"what {memory} holds before it is stored")

    def place(self, memory: str, index: Term, live: Array) -> Array:
        """Where elements lie in what holds a memory of all blocks; 0 of threads that are not there."""
        at = np.broadcast_to(self.term(index, live), live.shape)
        length = self.length.get(memory, self.memories[memory].size)
        if ((at < 0) | (at >= length))[live].any():
            raise IndexError(f"{memory}[{at[live].min()} … {at[live].max()}]")
        return np.where(live, at + self.first.get(memory, 0), 0)

    def term(self, one: Term, live: Array) -> Array:
        """Its value for each thread."""
        match one:
            case Const():
                return np.asarray(one.value, np.int64)
            case Var():
                return self.known[one.name]
            case Load():
                at = self.place(one.memory, one.index, live)
                self.load(one.memory, at[live])
                return _wide(self.memories[one.memory][at])
            case Op("!", (a,)):
                return np.asarray(self.term(a, live) == 0).astype(np.int64)
            case Op("shfl", (value, lane)):
                first = np.arange(self.threads) // GROUP * GROUP
                there = first + np.broadcast_to(self.term(lane, live), live.shape) % GROUP
                if (live & ~live[there]).any():
                    raise Undefined("a lane that takes no part")
                return np.broadcast_to(self.term(value, live), live.shape)[there]
            case Op("?:", (when, a, b)):
                yes = np.broadcast_to(self.term(when, live), live.shape) != 0
                return np.where(yes, *_alike(self.term(a, live & yes), self.term(b, live & ~yes)))
        a, b = _alike(*(self.term(part, live) for part in one.args))
        with np.errstate(all="ignore"):
            found = np.asarray(_OPERATIONS[one.name](a, b))
        return found.astype(np.int64) if found.dtype == np.bool_ else found


def _wide(values: Array) -> Array:
    """As arithmetic has it: integers as C promotes them."""
    return values if values.dtype.kind == "f" else values.astype(np.int64)


def _alike(a: Array, b: Array) -> tuple[Array, Array]:
    """Two operands in the type of both: a float's, where one is."""
    dtype = a.dtype if a.dtype.kind == "f" else b.dtype
    return a.astype(dtype), b.astype(dtype)


def _as(values: Array, dtype: Any) -> Array:
    """Converted as C does it."""
    return np.asarray(values).astype(dtype)
