"""The numpy machine: all waves of many blocks at once, one instruction at a time.

Waves whose program counters differ take turns: the lowest address goes first, so waves that skipped ahead wait for the
others.

Every block is run **twice side by side**, and all that is not defined (registers, LDS, scratch) starts as noise, other
noise in the second copy.  Where the copies store, address or branch differently, the program has used an undefined
value: a `Fault`.  Copying undefined values about, as compilers do, is none.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.decode.instructions import Instruction, Operand
from layoutalg.isa.machine import PRIVATE_APERTURE, SHARED_APERTURE, operand_of
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.cycles import LdsMeter
from layoutalg.isa.run.lds import Barriers, Lds
from layoutalg.isa.run.matrix import multiply
from layoutalg.isa.run.races import BlockRaces
from layoutalg.isa.run.registers import RegisterMachine
from layoutalg.isa.run.spaces import Bytes, Describe, GlobalMemory
from layoutalg.isa.semantics.accesses import ACCESSES, KEEP_OTHER_HALF, Access, alignment_of

#: What a wave finds where scratch is described to it, and the offset that it is to add: any numbers do.
SCRATCH_BUFFER, SCRATCH_OFFSET = (0x5C7A7C40000, 0x5C7A7C400000FFFF), 0x1000


def scratch_stride(kernel: KernelBinary) -> int:
    """Bytes from one lane's scratch to the next's."""
    return -(-max(kernel.private_bytes, 4) // 16) * 16


class ConcreteMachine(RegisterMachine):
    """Registers and memories of `blocks` blocks, each in two copies (the second half of the waves)."""

    def __init__(
        self, kernel: KernelBinary, blocks: Array, waves_per_block: int, threads: int, memory: GlobalMemory,
        place: int, meter: LdsMeter, strict: bool = True, races: BlockRaces | None = None, first: int = 0,
    ) -> None:  # fmt: skip
        """`blocks` has a row (x, y, z) for each block; `place` is the smallest element of LDS that is accessed.

        Where it is `strict`, an unaligned access is a fault, else it is noted.  `races` watches what blocks do to
        each other, the first of which has the number `first`.
        """
        self.races, self.first = races, first
        super().__init__(kernel, blocks, waves_per_block, threads)
        self.memory, self.meter, self.strict = memory, meter, strict
        self.barriers = Barriers(self.waves, waves_per_block)
        self.lds = Lds(2 * len(blocks), len(blocks), kernel.lds_bytes, place, self.noise)
        self.scratch_stride = scratch_stride(kernel)
        self.scratch = Bytes(self.noise.integers(0, 256, self.waves * self.lanes * self.scratch_stride, np.uint8))
        self.unaligned: dict[str, None] = {}  # instructions that accessed memory across their width, in order

    # Memory

    def describes_scratch(self, low: Array, high: Array, offset: Array) -> bool:
        """Whether it is the buffer of the start, moved on by the wave's offset."""
        meant = (SCRATCH_BUFFER[0] + SCRATCH_OFFSET, SCRATCH_BUFFER[1], 0)
        held = (np.broadcast_to(word, (self.waves, 1))[self.live] for word in (low, high, offset))
        return all(bool((word == number).all()) for word, number in zip(held, meant, strict=True))

    def access(self, instruction: Instruction, access: Access, addresses: tuple[Array, ...]) -> None:
        """Carries out a load or store of every active lane (a constant load: of every live wave)."""
        counters = self.counters[access.space, access.store]
        self.track.issue(counters, self.live, access.space in self.unordered)
        active = self.live[:, None] if access.space == "constant" else self.active
        self.agree("which lanes are active", active)
        for number, address in enumerate(addresses):
            address = np.broadcast_to(address, active.shape)
            self.agree("an address", np.where(active, address, address.dtype.type(0)))
            if access.store:
                self._store(instruction, access, "data2" if number else "data", address, active)
            else:
                self._load(instruction, access, number, address, active, counters)

    def _split(self, access: Access, address: Array, active: Array) -> list[tuple[str, Array, Array]]:
        """A flat access as accesses of the spaces that its addresses lie in."""
        if access.space != "flat":
            return [(access.space, address, active)]
        upper = self.w.high(address)
        parts = {"lds": upper == SHARED_APERTURE, "scratch": upper == PRIVATE_APERTURE}
        parts["global"] = ~(parts["lds"] | parts["scratch"])
        return [
            (space, address if space == "global" else self.w.low(address), active & part)
            for space, part in parts.items()
            if (active & part).any()
        ]

    def _positions(self, space: str, address: Array, active: Array, size: int) -> tuple[Bytes, Array]:
        describe, chosen = self.describe(active), address[active]
        self._check_alignment(chosen, 4 if space == "constant" else alignment_of(space, size), size, describe)
        if space in ("global", "constant"):
            return self.memory.bytes, self.memory.positions(chosen, size, describe, self.where)
        rows, lanes = np.nonzero(active)
        if space == "lds":
            blocks = rows // self.waves_per_block
            return self.lds.bytes, self.lds.positions(chosen, blocks, size, describe, self.where)
        bad = chosen.astype(np.int64) > self.kernel.private_bytes - size
        if bad.any():
            k = int(np.argmax(bad))
            raise Fault("address", f"scratch byte {int(chosen[k]):#x} is not there, {describe(k)}", self.where)
        return self.scratch, (rows * self.lanes + lanes) * self.scratch_stride + chosen.astype(np.int64)

    def _check_alignment(self, addresses: Array, needed: int, size: int, describe: Describe) -> None:
        bad = (addresses & addresses.dtype.type(needed - 1)) != 0
        if not bad.any():
            return
        if self.strict:
            k = int(np.argmax(bad))
            what = f"{size} bytes at {int(addresses[k]):#x}, which is no multiple of {needed}, {describe(k)}"
            raise Fault("alignment", what, self.where)
        self.unaligned.setdefault(self.where)

    def dwords(self, part: Array) -> Array:
        """A `Fault` in every mode where bits would be dropped: the load would be from another place."""
        self.agree("an address", np.where(self.live[:, None], part, np.uint64(0)))
        bad = np.broadcast_to((part & np.uint64(3)) != 0, (self.waves, 1))[:, 0] & self.live
        if bad.any():
            first = int(np.broadcast_to(part, (self.waves, 1))[int(np.argmax(bad)), 0])
            raise Fault("alignment", f"a scalar address has the part {first:#x}, which is no multiple of 4", self.where)
        return part

    def _load(
        self,
        instruction: Instruction,
        access: Access,
        number: int,
        address: Array,
        active: Array,
        counters: tuple[str, ...],
    ) -> None:
        target = operand_of(instruction, "d")
        count = access.registers
        results = [np.zeros(active.shape, np.uint32) for _ in range(count)]
        for space, where_to, lanes in self._split(access, address, active):
            memory, positions = self._positions(space, where_to, lanes, access.size)
            if space == "lds":
                self._watch(positions, lanes, access, store=False)
                self._meter(access, where_to, lanes)
            elif space in ("global", "constant") and self.races:
                rows, described = np.nonzero(lanes)[0], self.describe(lanes)
                own = rows < self.waves // 2
                self.races.read(positions[own], access.size, self._blocks(rows[own]), described, self.where)
            for result, dword in zip(results, memory.gather(positions, access.size), strict=True):
                result[lanes] = dword
        keys = [(target.kind, target.index + number * count + k) for k in range(count)]
        for key, result in zip(keys, results, strict=True):
            word = self._widened(access, key, result)
            if access.space == "constant":
                self.scalars[key] = self._kept(key, word)
            else:
                self._store_lanes(key, word, active, self.full)
        ordered = access.space not in self.overtaking
        self.track.load(keys, counters, self.live, ordered, self.where)

    def _widened(self, access: Access, key: tuple[str, int], word: Array) -> Array:
        if access.signed:
            shift = 32 - 8 * access.size
            return self.w.ashr(self.w.shl(word, self.w.const(shift, 32)), self.w.const(shift, 32))
        if not access.half:
            return word
        old = self.vectors.get(key)
        if old is None or self.kernel.architecture not in KEEP_OTHER_HALF:
            old = self.noise.integers(0, 1 << 32, word.shape, np.uint32)
        if access.half == "low":
            return old & np.uint32(0xFFFF0000) | word
        return old & np.uint32(0xFFFF) | word << np.uint32(16)

    def _store(self, instruction: Instruction, access: Access, role: str, address: Array, active: Array) -> None:
        source = operand_of(instruction, role)
        dwords = [self._vector_of(source.kind, source.index + k) for k in range(access.registers)]
        if access.half == "high":
            dwords = [dword >> np.uint32(16) for dword in dwords]
        for space, where_to, lanes in self._split(access, address, active):
            if space in ("global", "constant"):
                self._store_global(dwords, access.size, where_to, lanes)
                continue
            memory, positions = self._positions(space, where_to, lanes, access.size)
            if space == "lds":
                self._watch(positions, lanes, access, store=True)
                self._meter(access, where_to, lanes)
            if not memory.scatter(positions, access.size, [dword[lanes] for dword in dwords]):
                raise Fault("collision", "two lanes store different values to one LDS address", self.where)

    def _store_global(self, dwords: list[Array], size: int, address: Array, active: Array) -> None:
        """Both copies must store the same; the first one does."""
        mask = np.uint32((1 << 8 * min(size, 4)) - 1)
        for dword in dwords:
            self.agree("a stored value", np.where(active, dword & mask, np.uint32(0)))
        first = active.copy()
        first[self.waves // 2 :] = False
        memory, positions = self._positions("global", address, first, size)
        stored = [dword[first] for dword in dwords]
        if self.races:
            there = memory.gather(positions, size)
            changed = np.any([old != new & mask for old, new in zip(there, stored, strict=True)], axis=0)
            blocks = self._blocks(np.nonzero(first)[0])
            self.races.write(positions, size, blocks, changed, self.describe(first), self.where)
        if not memory.scatter(positions, size, stored):
            raise Fault("collision", "two lanes store different values to one address", self.where)

    def _blocks(self, rows: Array) -> Array:
        """The numbers of the blocks that these waves of the first copy are of."""
        return np.asarray(self.first + rows // self.waves_per_block)

    def _watch(self, positions: Array, active: Array, access: Access, *, store: bool) -> None:
        rows, _ = np.nonzero(active)
        first = rows < self.waves // 2
        positions, rows, describe = positions[first], rows[first], self.describe(active)
        if store:
            name = self.counters["lds", True][-1]
            tickets = self.track.issued[name][rows]
            self.lds.write(positions, access.size, rows, tickets, self.barriers, describe, self.where)
        else:
            self.lds.read(positions, access.size, rows, self.barriers, describe, self.where)

    def _meter(self, access: Access, addresses: Array, active: Array) -> None:
        """Counts the cycles of the first copy."""
        half = self.waves // 2
        self.meter.count(self.where, access, np.broadcast_to(addresses, active.shape)[:half], active[:half])

    def wait(self, left: Mapping[str, int]) -> None:
        """The live waves wait."""
        self.track.wait(left, self.live)

    def arrive(self) -> None:
        """The live waves come to a barrier: accesses of LDS that are under way are not covered by it."""
        name = self.counters["lds", False][-1]
        self.barriers.arrive(self.live, self.track.done[name])
        self.agree("which waves come to the barrier", self.live[:, None])

    # Instructions between lanes

    def special(self, instruction: Instruction) -> None:
        """Lane moves and register indexing."""
        handler = _SPECIAL.get(instruction.name)
        if instruction.name.startswith(("V_MFMA", "V_WMMA")):
            multiply(self, instruction)
            return
        if handler is None:
            raise UnsupportedInstructionError(
                f"{instruction.name} ({instruction.form}) at {instruction.address:#x} has no entry in the semantics"
            )
        handler(self, instruction)

    def read_lane(self, instruction: Instruction) -> None:
        """V_READLANE_B32: one lane of a vector register, active or not."""
        source = operand_of(instruction, "a")
        lane = self._constant(operand_of(instruction, "b"), 32) & np.uint32(self.lanes - 1)
        column = np.broadcast_to(lane, (self.waves, 1)).astype(np.int64)
        word = np.take_along_axis(self._vector_of(source.kind, source.index), column, axis=1)
        self.write_scalar(operand_of(instruction, "d"), 32, word)

    def write_lane(self, instruction: Instruction) -> None:
        """V_WRITELANE_B32: one lane of a vector register, active or not."""
        target = operand_of(instruction, "d")
        lane = self._constant(operand_of(instruction, "b"), 32) & np.uint32(self.lanes - 1)
        chosen = (np.arange(self.lanes, dtype=np.uint32) == lane) & self.live[:, None]
        key = (target.kind, target.index)
        self.track.check(key, self.live, self.where, "written")
        self._store_lanes(key, self._constant(operand_of(instruction, "a"), 32), chosen, False)

    def read_first_lane(self, instruction: Instruction) -> None:
        """V_READFIRSTLANE_B32: the lowest active lane, lane 0 when none is."""
        source = operand_of(instruction, "a")
        column = np.argmax(self.exec_lanes, axis=1)[:, None]
        word = np.take_along_axis(self._vector_of(source.kind, source.index), column, axis=1)
        self.write_scalar(operand_of(instruction, "d"), 32, word)

    def set_index_mode(self, instruction: Instruction) -> None:
        """S_SET_GPR_IDX_ON: M0's low byte from the source, the mode from the second source's raw field."""
        index = self._constant(operand_of(instruction, "a"), 32) & np.uint32(0xFF)
        mode = operand_of(instruction, "b")
        if mode.kind != "s" or mode.index > 15:
            raise UnsupportedInstructionError(f"{instruction}: a mode that is not a number")
        m0 = self._scalar(Operand("m0")) & np.uint32(0xFFFF0F00)
        self.write_scalar(Operand("m0"), 32, m0 | index | np.uint32(mode.index << 12))
        self.index_mode = mode.index

    def end_index_mode(self, instruction: Instruction) -> None:
        """S_SET_GPR_IDX_OFF."""
        self.index_mode = 0

    def move_relative(self, instruction: Instruction) -> None:
        """V_MOVRELS_B32, V_MOVRELD_B32: M0 is added to the number of the source or of the result."""
        source, target = operand_of(instruction, "a"), operand_of(instruction, "d")
        offset = self.register_offset()
        if instruction.name == "V_MOVRELS_B32":
            source = self.further(source, offset)
        else:
            target = self.further(target, offset)
        plain = source.kind not in ("v", "a")
        word = self._constant(source, 32) if plain else self._vector_of(source.kind, source.index)
        self.write_register(target, 32, word)


_SPECIAL = {
    "V_READLANE_B32": ConcreteMachine.read_lane,
    "V_WRITELANE_B32": ConcreteMachine.write_lane,
    "V_READFIRSTLANE_B32": ConcreteMachine.read_first_lane,
    "S_SET_GPR_IDX_ON": ConcreteMachine.set_index_mode,
    "S_SET_GPR_IDX_OFF": ConcreteMachine.end_index_mode,
    "V_MOVRELS_B32": ConcreteMachine.move_relative,
    "V_MOVRELD_B32": ConcreteMachine.move_relative,
}


def lds_place(instructions: tuple[Instruction, ...]) -> int:
    """The smallest element of LDS that instructions access: 1, 2 or 4 bytes."""
    sizes = [
        ACCESSES[i.name].size for i in instructions if i.name in ACCESSES and ACCESSES[i.name].space in ("lds", "flat")
    ]
    return min(4, *sizes, 4)


def global_place(instructions: tuple[Instruction, ...]) -> int:
    """The smallest element of global memory that instructions access: 1, 2 or 4 bytes."""
    accesses = [ACCESSES[i.name] for i in instructions if i.name in ACCESSES]
    return min(4, *(access.size for access in accesses if access.space in ("global", "flat")), 4)
