"""A compiled kernel run over its grid: memory laid out as for the numpy machine, blocks on a few threads.

A fault is that of the first block that has one; what is not an address, a barrier or control is not looked at.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import prod
from typing import Any

import numpy as np

from layoutalg.errors import Fault, LaunchError, StepLimit, UnsupportedInstructionError
from layoutalg.isa.compiled.kernel import KernelText
from layoutalg.isa.compiled.values import Call
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.floats import FUNCTIONS, RELATIONS
from layoutalg.isa.run.initial import initialise
from layoutalg.isa.run.laid_out import LaidOut
from layoutalg.isa.run.launch import Execution
from layoutalg.isa.run.registers import APERTURES, WaveRegisters
from layoutalg.isa.run.scratch import scratch_stride
from layoutalg.isa.run.spaces import Thread
from layoutalg.isa.semantics.buffers import NOTHING, RULES

_Word = ctypes.c_uint64
_Pointer = ctypes.c_void_p
CALL = ctypes.CFUNCTYPE(None, _Word, _Word, _Pointer, _Pointer)
_BUFFER = ctypes.CFUNCTYPE(ctypes.c_int64, _Word, _Word)

#: The kinds of faults of machine.h.
_ADDRESS, _READ_ONLY, _ALIGNMENT, _REFUSED, _CONTROL, _STEPS, _STUCK = range(1, 8)
_GLOBAL, _LDS, _SCRATCH, _FLAT, _CONSTANT, _M0 = range(6)


class _Region(ctypes.Structure):
    _fields_ = (
        ("address", _Word), ("size", _Word), ("data", _Pointer), ("writable", _Pointer), ("defined", _Pointer),
        ("writer", _Pointer), ("reader", _Pointer), ("places", _Word), ("touched", _Word),
    )  # fmt: skip


class RunState(ctypes.Structure):
    """`Run` of machine.h."""

    _fields_ = (
        *((name, _Word) for name in (
            "regions", "blocks", "waves", "lds_bytes", "scratch_bytes", "scratch_stride", "strict", "step_limit",
            "start", "scalars", "varying", "vectors")),
        *((name, _Pointer) for name in (
            "region", "scalar_number", "scalar", "varying_number", "vary", "thread", "exec")),
        ("call", CALL), ("buffer", _BUFFER),
        *((name, _Word) for name in (
            "lds_base", "scratch_base", "next", "limit", "steps", "unaligned", "lock", "fault", "where", "block",
            "wave", "lane", "address", "size", "space")),
        ("why", ctypes.c_char_p),
        ("place", _Word), ("place_in_lds", _Word), ("noise", _Pointer), ("traces", _Pointer), ("most", _Word),
        ("orders", _Word), ("work", _Word), ("defined", _Pointer), ("noisy", _Word),
        ("kind", _Word),
    )  # fmt: skip


def run_plainly(
    program: MachineCode, text: KernelText, library: ctypes.CDLL, laid_out: LaidOut, step_limit: int, strict: bool,
    blocks: Array, workers: int = 2,
) -> Execution:  # fmt: skip
    """Runs these blocks, a row (x, y, z) each; errors as `run.launch.execute`.

    Of instructions that are not aligned, where that is allowed, it is not told which they are.
    """
    launched = LaunchState(text, laid_out, step_limit, strict, blocks)
    launched.run(library, 1 if text.in_turn else workers)
    if launched.state.fault:
        raise _fault(program, laid_out, launched.state, blocks)
    return Execution(laid_out.outputs(), int(launched.state.steps))


class LaunchState:
    """What a compiled kernel is given, and what came of it."""

    def __init__(
        self, text: KernelText, laid_out: LaidOut, step_limit: int, strict: bool, blocks: Array, copy: int = 0
    ) -> None:
        """`copy`, 0 or 1: which of two kinds of noise registers have where nothing defines them."""
        kernel, memory = laid_out.kernel, laid_out.memory
        if memory.unheld:
            raise LaunchError(f"{kernel.name}: memory that is not held whole has no compiled text")
        threads = prod(laid_out.launch.block)
        registers = WaveRegisters(kernel, blocks, -(-threads // kernel.wave_size), threads)
        initialise(registers, laid_out.pointers, laid_out.arguments, laid_out.launch.block)
        rules = RULES[kernel.architecture.name]
        self._kept, self.laid_out, self.copy = list[Array](), laid_out, copy

        def buffer(upper: int, flags: int) -> int:
            return -1 if rules.why_not(upper, flags) else int(rules.mode(flags) == NOTHING)

        self.regions = self._regions()
        held = {number: word for (kind, number), word in registers.scalars.items() if kind == "s" and number < 126}
        fixed = {number: word for number, word in held.items() if word.shape[1] == 1}
        varying = {number: word for number, word in held.items() if word.shape[1] > 1}
        waves, vectors = registers.waves_per_block, registers.vectors
        alike = sum(1 << number for number, word in held.items() if (word == word[:1]).all())  # in both copies
        defined = [alike & (1 << 64) - 1, alike >> 64 | 0b11 << 62]  # and EXEC
        exec_mask = registers.w.pair(registers.scalars["s", 126], registers.scalars["s", 127])
        given = [np.broadcast_to(self._one(word)[..., 0], (len(blocks), waves)) for word in varying.values()]
        threads_of = [self._of_waves(vectors["v", k], waves) for k in range(len(vectors))]
        self.state = RunState(
            regions=len(self.regions), blocks=len(blocks), waves=waves, lds_bytes=kernel.lds_bytes,
            scratch_bytes=kernel.scratch_bytes, scratch_stride=scratch_stride(kernel) if kernel.scratch_bytes else 0,
            strict=strict, step_limit=step_limit, start=kernel.start, scalars=len(fixed), varying=len(varying),
            vectors=len(vectors), region=ctypes.addressof(self.regions),
            scalar_number=self.pointer(np.array(list(fixed), np.uint32)),
            scalar=self.pointer(np.array([self._of_waves(one, waves)[:, 0] for one in fixed.values()], np.uint32).T),
            varying_number=self.pointer(np.array(list(varying), np.uint32)),
            vary=self.pointer(np.array(given, np.uint32)), thread=self.pointer(np.array(threads_of, np.uint32)),
            exec=self.pointer(self._of_waves(exec_mask, waves)[:, 0].astype(np.uint64)),
            call=CALL(called(text.calls)), buffer=_BUFFER(buffer),
            lds_base=APERTURES["lds"], scratch_base=APERTURES["scratch"], limit=len(blocks),
            place=text.places[0], place_in_lds=text.places[1], defined=self.pointer(np.array(defined, np.uint64)),
        )  # fmt: skip

    def pointer(self, array: Array) -> int:
        """Where an array lies, which is kept as long as this is."""
        self._kept.append(np.ascontiguousarray(array))
        return int(self._kept[-1].ctypes.data)

    def run(self, library: ctypes.CDLL, workers: int) -> None:
        """Runs all blocks."""
        run = library.layoutalg_run
        run.argtypes = (ctypes.POINTER(RunState), _Word)
        workers = max(1, min(workers, int(self.state.blocks), os.cpu_count() or 1))
        with ThreadPoolExecutor(workers) as pool:
            for future in [pool.submit(run, ctypes.byref(self.state), n) for n in range(workers)]:
                future.result()

    def _one(self, word: Array) -> Array:
        """A word in the copy that is run, by block, wave and lane."""
        return np.asarray(word[self.copy % len(word)])

    def _of_waves(self, word: Array, waves: int) -> Array:
        """A word that all blocks have alike, by wave and lane."""
        return np.asarray(np.broadcast_to(self._one(word)[0], (waves, word.shape[3])))

    def _regions(self) -> Any:
        """The regions of memory, with the bytes' own addresses in this process."""
        memory = self.laid_out.memory
        found, data = (_Region * len(memory.regions))(), memory.bytes.data.ctypes.data
        for number, address in enumerate(memory.addresses):
            writable = None
            if memory.shut[number]:
                truths = np.zeros(memory.held[number], np.bool_)
                truths |= memory.regions[number].writable
                writable = self.pointer(truths)
            found[number] = _Region(address, memory.held[number], data + int(memory.starts[number]), writable)
        return found


def _row(address: int, count: int) -> Array:
    """Words of 64 bits where they lie."""
    return np.ctypeslib.as_array((ctypes.c_uint64 * count).from_address(address))


def called(calls: Sequence[Call]) -> Callable[[int, int, int, int], None]:
    """What carries out a function of the numpy reading."""

    def call(number: int, lanes: int, words: int, result: int) -> None:
        name, widths = calls[number]
        step = (result - words) // len(widths)
        given = [
            _row(words + k * step, lanes).astype(np.uint64 if bits == 64 else np.uint32)
            for k, bits in enumerate(widths)
        ]
        function = (FUNCTIONS if name[0] == "f" else RELATIONS)[name[2:]]
        with np.errstate(all="ignore"):
            found = function(*(word.reshape(1, 1, 1, -1) for word in given))
        _row(result, lanes)[:] = found.ravel()

    return call


def _fault(program: MachineCode, laid_out: LaidOut, state: RunState, blocks: Array) -> Exception:
    """The error that a run ended with, in the words of the numpy machine."""
    kernel, memory = laid_out.kernel, laid_out.memory
    instruction = program.by_address.get(state.where)
    where = instruction.place if instruction else f"{state.where:#x}"
    why = (state.why or b"").decode()
    if state.fault == _REFUSED:
        return UnsupportedInstructionError(why if instruction and instruction.name in why else f"{where}: {why}")
    if state.fault == _STEPS:
        return StepLimit(int(state.step_limit), where)
    x, y, z = map(int, blocks[state.block])
    thread = Thread((x, y, z), int(state.wave) * kernel.wave_size + int(state.lane))
    if state.fault in (_CONTROL, _STUCK):
        kind = "barrier" if state.fault == _STUCK else "control"
        return Fault(kind, f"{why}, {thread}", where, thread=thread)
    address, size, needed = int(state.address), int(state.size), int(state.space) >> 8
    space = int(state.space) & 0xFF
    if why:  # a part of an address
        what = f"a scalar address has the part {address:#x}, which is no multiple of 4"
        if space == _M0:
            what = f"M0 is {address:#x}, of which a load to LDS takes bits 2 to {size - 1}"
        return Fault("alignment", what, where)
    kind = {_ADDRESS: "address", _READ_ONLY: "read_only", _ALIGNMENT: "alignment"}[int(state.fault)]
    aligned = f"which is no multiple of {needed}" if kind == "alignment" else ""
    if space in (_GLOBAL, _CONSTANT, _FLAT):
        one, bad = np.array([address], np.uint64), np.ones(1, np.bool_)
        return memory.fault(kind, one, bad, size, lambda _: thread, where, aligned)
    if kind == "alignment":
        return Fault(kind, f"{size} bytes at {address:#x}, {aligned}, {thread}", where, thread=thread, address=address)
    if space == _LDS:
        what = f"{size} bytes at {address:#x} of an LDS allocation of {kernel.lds_bytes}, {thread}"
    else:
        what = f"scratch byte {address:#x} is not there, {thread}"
    return Fault(kind, what, where, thread=thread, address=address, tensor="LDS" if space == _LDS else "scratch")
