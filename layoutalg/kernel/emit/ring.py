"""Programs that copy boxes, as text: one thread copies, the program's own multiply (`obligations.ring`).

    barriers are made;  all threads meet
    the threads beyond the program's:   give up registers;  the first of them copies all tiles;  they are done
    the program's:                      take registers;  the ring's loop;  what comes after it

Behind the ring they meet among themselves, by a barrier of their own.  In a persistent program both sorts go through
the blocks of the grid in turns, and the ring goes on: tiles of the next turn are copied while results are stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod
from textwrap import indent

from layoutalg.index import TRUE, Expr, var
from layoutalg.index import prod as prod_of
from layoutalg.index.normal import simplify
from layoutalg.kernel.access.boxes import beside, box_of, boxes_of, first_of
from layoutalg.kernel.access.matrix_operands import ROW
from layoutalg.kernel.emit.positions import block_position
from layoutalg.kernel.emit.registers import guarded
from layoutalg.kernel.emit.statements import Writer, hold
from layoutalg.kernel.obligations.ring import Ring, TileCopies
from layoutalg.kernel.program import (
    LOADERS,
    Await,
    Barrier,
    BoxCopy,
    Commit,
    LoadShared,
    Loop,
    MultiplyShared,
    Program,
    SharedAccess,
    Statement,
)

REGISTERS = 1 << 16
"""Registers of a processor, which a block of copied boxes has alone (CUDA C++ Programming Guide, 9.0)."""
GIVEN_UP_TO = 24
"""Registers that a thread keeps which copies, or waits for the end (the least that setmaxnreg allows)."""
MOST = 240
"""Registers that a thread takes at most (PTX ISA, setmaxnreg: up to 256)."""
STEP = 8
"""What registers of a thread are a multiple of, at a launch and later (PTX ISA, setmaxnreg)."""

BOXES = """\
// Boxes of tensors are copied to LDS by a thread beside the others. A barrier counts phases: await_phase() waits for
// the end of the phase of this number, by its being even or odd; expect_bytes(): it ends when so many have arrived.
struct __attribute__((aligned(64))) TensorBox { unsigned long long words[16]; };  // CUtensorMap
typedef unsigned long long PhaseBarrier;
static __device__ inline __attribute__((always_inline)) unsigned lds_at(const void* lds) {
    return (unsigned)(__SIZE_TYPE__)(__attribute__((address_space(3))) const void*)lds;
}
template <int slots, int waves> static __device__ inline __attribute__((always_inline)) void make_barriers(
    PhaseBarrier* full, PhaseBarrier* empty
) {
    if (threadIdx.x == 0) {
        #pragma unroll
        for (int i = 0; i < slots; ++i) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(lds_at(full + i)) : "memory");
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(lds_at(empty + i)), "n"(waves) : "memory");
        }
        asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
        asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
    }
    __syncthreads();
}
static __device__ inline __attribute__((always_inline)) void await_phase(PhaseBarrier* barrier, unsigned phase) {
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra again; }"
        : : "r"(lds_at(barrier)), "r"(phase & 1) : "memory");
}
static __device__ inline __attribute__((always_inline)) void expect_bytes(PhaseBarrier* barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
        : : "r"(lds_at(barrier)), "r"(bytes) : "memory");
}
static __device__ inline __attribute__((always_inline)) void leave(PhaseBarrier* barrier) {  // one lane of each wave
    if (threadIdx.x % 32 == 0)
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(lds_at(barrier)) : "memory");
}
static __device__ inline __attribute__((always_inline)) void copy_box(
    void* lds, const TensorBox* box, PhaseBarrier* barrier, int x, int y, int z
) {
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, %4, %5}], [%2];"
        : : "r"(lds_at(lds)), "l"(box), "r"(lds_at(barrier)), "r"(x), "r"(y), "r"(z) : "memory");
}
static __device__ inline __attribute__((always_inline)) void copy_pixels(  // of windows, the pixel (along, down)
    void* lds, const TensorBox* box, PhaseBarrier* barrier, int c, int w, int h, int n, int along, int down
) {
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, %4, %5, %6}], [%2], {%7, %8};"
        : : "r"(lds_at(lds)), "l"(box), "r"(lds_at(barrier)), "r"(c), "r"(w), "r"(h), "r"(n),
            "h"((unsigned short)along), "h"((unsigned short)down) : "memory");
}
template <int count> static __device__ inline __attribute__((always_inline)) void keep_registers() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(count));
}
template <int count> static __device__ inline __attribute__((always_inline)) void take_registers() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(count));
}
template <int threads> static __device__ inline __attribute__((always_inline)) void meet() {
    asm volatile("bar.sync 1, %0;" : : "n"(threads) : "memory");
}
"""
"""The device functions of copied boxes; NVIDIA's alone."""

TURNS = """\
// Where a ring of slots is, counted on from one turn to the next: the slot is the rest by `slots`, the phase the
// quotient, even or odd.
template <int slots> static __device__ inline __attribute__((always_inline)) unsigned next_turn(unsigned turn) {
    return turn + 1 == 2 * slots ? 0 : turn + 1;
}
"""
"""The device function of persistent programs."""


class RingWriter(Writer):
    """Writes a program that copies boxes: the loader's text, and what its own threads do."""

    def __init__(self, program: Program, ring: Ring) -> None:
        super().__init__(program)
        self.ring, self.threads = ring, prod(int(t.hi) + 1 for t in program.threads)

    def before(self) -> Iterator[str]:
        """Barriers, and the threads that copy."""
        ring, taken = self.ring, taken_registers(self.threads, self.program.resident)
        copies = "\n".join([*map(self.copies, ring.before), self.looped(ring.loop, self.copies(ring.group))])
        copies = self.in_turns(copies) if self.program.persistent else copies
        first = guarded([f"threadIdx.x == {self.threads}"], copies)
        kept = [f"keep_registers<{GIVEN_UP_TO}>();"] if taken else []
        yield f"make_barriers<{ring.slots}, {self.threads // 32}>(full, empty);"
        yield guarded([f"threadIdx.x >= {self.threads}"], "\n".join([*kept, first, "return;"]))
        if taken:
            yield f"take_registers<{taken}>();"

    def whole(self) -> Iterator[str]:
        if not self.program.persistent:
            yield from super().whole()
        else:
            yield self.in_turns("\n".join(super().whole()))

    def in_turns(self, text: str) -> str:
        """The text for each block of the grid that is this block's turn; `turn` counts the ring's tiles on."""
        blocks = f"(unsigned)({self.text(prod_of(self.program.extents))})"
        step = f"block0 = blockIdx.x; block0 < {blocks}; block0 += {self.program.persistent}"
        body = "\n".join([*block_position(self.program, "block0"), text])
        return f"unsigned turn = 0;\nfor (unsigned {step}) {{\n{indent(body, '    ')}\n}}"

    def copies(self, group: TileCopies) -> str:
        """A tile's copies, once its slot is empty."""
        tile, slots = group.tile, self.ring.slots
        slot, phase = self.text(simplify(tile % slots)), self.text(simplify(tile // slots - 1))
        if self.program.persistent:
            slot, phase = f"turn % {slots}", f"turn / {slots} + 1"
        lines = [
            f"const {self.index} slot = {slot};",
            f"await_phase(&empty[slot], {phase});  // of the tile before in its place",
            f"expect_bytes(&full[slot], {group.bytes});",
            *(line for s in group.copies for line in self.boxes(s)),
            *([f"turn = next_turn<{slots}>(turn);"] if self.program.persistent else []),
        ]
        text = "\n".join(lines)
        return guarded([self.text(group.only)], text) if group.only is not TRUE else f"{{\n{indent(text, '    ')}\n}}"

    def boxes(self, s: BoxCopy) -> Iterator[str]:
        """The boxes of a tile, side by side along memory."""
        box, shared = box_of(s), s.store.shared
        for n in range(beside(s)):
            there = self.text(self.slot_of(s.store) * shared.elements + n * box.rows * ROW)
            first, pixel = first_of(s, n)
            at = ", ".join(map(self.text, (*first, *pixel)))
            copy = "copy_pixels" if pixel else "copy_box"
            yield f"{copy}({shared.name} + {there}, &{box.name}, &full[slot], {at});"

    def slot_of(self, s: SharedAccess) -> Expr:
        """A tile's slot: the text's, or where the ring is in all turns."""
        return var("slot", self.ring.slots) if self.program.persistent else s.slot

    def is_written(self, s: Statement) -> bool:
        return not isinstance(s, BoxCopy | Commit | Await)

    def read_barrier(self, s: Barrier) -> str:
        return f"meet<{self.threads}>();"

    def read_loop(self, s: Loop) -> str:
        """The ring's: products of a tile are begun before those of the tile before are awaited."""
        if s is not self.ring.loop:
            return super().read_loop(s)
        name, slots, tile, on = s.index.value.name, self.ring.slots, s.index, self.program.persistent
        slot, phase, last = self.text(tile % slots), self.text(tile // slots), f"({name} - 1) % {slots}"
        if on:
            slot, phase, last = "slot", f"turn / {slots}", "last_slot"
        body = [
            *([f"const {self.index} slot = turn % {slots};"] if on else []),
            f"await_phase(&full[{slot}], {phase});",
            self.begun(self.product()),
            "await_products<1>();",
            guarded([f"{name} > 0"], f"leave(&empty[{last}]);"),
            *(["last_slot = slot;", f"turn = next_turn<{slots}>(turn);"] if on else []),
        ]
        product = self.ring.product.product
        held = hold(product.c)
        title = f"// {product.c.name} += the ring's tiles, by {product.instruction.name}"
        looped = [title, held, self.looped(s, "\n".join(body)), "await_products<0>();", held]
        return "\n".join([f"{self.index} last_slot = 0;", *looped, f"leave(&empty[{last}]);"] if on else looped)

    def product(self) -> MultiplyShared:
        """The ring's product, of the slots where its tiles are."""
        s = self.ring.product
        a = replace(s.a, slot=self.slot_of(s.a)) if isinstance(s.a, LoadShared) else s.a
        return replace(s, a=a, b=replace(s.b, slot=self.slot_of(s.b)))


def taken_registers(threads: int, resident: int = 1) -> int:
    """Registers for each of a program's threads, of so many blocks a processor; 0 where a launch gives enough to all.

    A launch gives all threads as many, in steps of 8; what those that copy give up is shared by the others, and what
    is beyond would be waited for without end.

    >>> taken_registers(256), taken_registers(384), taken_registers(512), taken_registers(128)
    (240, 160, 112, 0)
    >>> taken_registers(256, 2), taken_registers(128, 3)
    (104, 136)
    """
    launched = threads + LOADERS
    each = REGISTERS // (launched * resident) // STEP * STEP
    if each >= MOST:
        return 0
    return min(MOST, (each * launched - GIVEN_UP_TO * LOADERS) // threads // STEP * STEP)


def arguments(program: Program) -> list[str]:
    """The kernel's arguments that tell of boxes."""
    return [f"const __attribute__((grid_constant)) TensorBox {box.name}" for box in boxes_of(program)]


__all__ = ["BOXES", "TURNS", "RingWriter", "arguments", "taken_registers"]
