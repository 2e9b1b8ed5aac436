"""The text of copies straight to LDS, and the device functions that it calls.

Where a wave's loads land is said by its first thread's place, a number that is the same in all lanes; a ranged load's
address is the tile's first element, the same in all lanes too, and what a lane is away from it
(`obligations.straight`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from textwrap import indent

from layoutalg.index import TRUE, Expr, extent_of, postorder, prod, substitute, var
from layoutalg.index.c import c_code
from layoutalg.kernel.access.address import address_of, offset_of
from layoutalg.kernel.access.places import bounds, starts, tile_start, word_of
from layoutalg.kernel.emit.registers import each_register, guarded
from layoutalg.kernel.emit.rows import RowWriter
from layoutalg.kernel.obligations.asynchronous import Flight
from layoutalg.kernel.obligations.straight import lane_part
from layoutalg.kernel.program import AsyncCopy, Load, Program, SharedAccess, StoreShared, StraightCopy
from layoutalg.kernel.program.names import index_type, shared_names

STRAIGHT = """\
// Loads of a wave go straight to LDS: lane after lane from the place of the thread landing_of(), its first; gfx1250's
// lanes each say where. All but the newest so many have come after await_copies(); where there are none, copies are
// done at once. Ranged ones are of memory at a lane's bytes and a tile's, and bring zeros where not inside.
#if defined(__gfx942__) || defined(__gfx950__)
static __device__ inline __attribute__((always_inline)) int landing_of(int thread) {
    return __builtin_amdgcn_readfirstlane(thread / 64) * 64;
}
template <int bytes> static __device__ inline __attribute__((always_inline)) void copy_straight(
    void* lds, const void* memory
) {
    typedef unsigned Copied __attribute__((ext_vector_type(bytes / 4)));
    auto first = (__attribute__((address_space(3))) void*)lds;
    auto from = (__attribute__((address_space(1))) void*)memory;
    if constexpr (bytes == 4)
        __builtin_amdgcn_global_load_lds(from, first, 4, 0, 0);
#if defined(__gfx950__)
    else if constexpr (bytes == 16)
        __builtin_amdgcn_global_load_lds(from, first, 16, 0, 0);
#endif
    else
        *(Copied*)(__UINTPTR_TYPE__)((__UINTPTR_TYPE__)lds + threadIdx.x % 64 * bytes) = *(const Copied*)memory;
}
template <int bytes> static __device__ inline __attribute__((always_inline)) void copy_straight_ranged(
    void* lds, const void* memory, unsigned lane, unsigned tile, bool inside = true
) {
    typedef unsigned Copied __attribute__((ext_vector_type(bytes / 4)));
    auto first = (__attribute__((address_space(3))) void*)lds;
    auto from = __builtin_amdgcn_make_buffer_rsrc((void*)memory, 0, 0x80000000, 0x00020000);
    const unsigned at = inside ? lane : 0x80000000;
    if constexpr (bytes == 4)
        __builtin_amdgcn_raw_ptr_buffer_load_lds(from, first, 4, at, tile, 0, 0);
#if defined(__gfx950__)
    else if constexpr (bytes == 16)
        __builtin_amdgcn_raw_ptr_buffer_load_lds(from, first, 16, at, tile, 0, 0);
#endif
    else
        *(Copied*)(__UINTPTR_TYPE__)((__UINTPTR_TYPE__)lds + threadIdx.x % 64 * bytes)
            = inside ? *(const Copied*)((const char*)memory + lane + tile) : (Copied)(0);
}
template <int loads> static __device__ inline __attribute__((always_inline)) void await_copies() {
    asm volatile("" : : : "memory");
    __builtin_amdgcn_s_waitcnt((loads & 15) | loads >> 4 << 14 | 0xf70);  // vmcnt alone; what clang waits for joins it
}
static __device__ inline __attribute__((always_inline)) void meet_under_way() {  // __syncthreads() awaits all loads
    asm volatile("s_waitcnt lgkmcnt(0)\\n\\ts_barrier" : : : "memory");
}
#elif defined(__gfx1250__)
static __device__ inline __attribute__((always_inline)) int landing_of(int thread) { return thread; }
template <int bytes> static __device__ inline __attribute__((always_inline)) void copy_straight_ranged(
    void* lds, const void* memory, unsigned lane, unsigned tile, bool inside = true
) {
    typedef unsigned Copied __attribute__((ext_vector_type(bytes / 4)));
    *(Copied*)lds = inside ? *(const Copied*)((const char*)memory + lane + tile) : (Copied)(0);
}
template <int bytes> static __device__ inline __attribute__((always_inline)) void copy_straight(
    void* lds, const void* memory
) {
    typedef int Word;
    typedef int Words __attribute__((ext_vector_type(4)));
    if constexpr (bytes == 4)
        __builtin_amdgcn_global_load_async_to_lds_b32((__attribute__((address_space(1))) Word*)memory,
            (__attribute__((address_space(3))) Word*)lds, 0, 0);
    else
        __builtin_amdgcn_global_load_async_to_lds_b128((__attribute__((address_space(1))) Words*)memory,
            (__attribute__((address_space(3))) Words*)lds, 0, 0);
}
template <int loads> static __device__ inline __attribute__((always_inline)) void await_copies() {
    asm volatile("s_wait_asynccnt %0" : : "n"(loads) : "memory");
}
static __device__ inline __attribute__((always_inline)) void meet_under_way() {
    asm volatile("s_wait_dscnt 0\\n\\ts_barrier_signal -1\\n\\ts_barrier_wait -1" : : : "memory");
}
#else
static __device__ inline __attribute__((always_inline)) int landing_of(int thread) { return thread; }
template <int bytes> static __device__ inline __attribute__((always_inline)) void copy_straight_ranged(
    void* lds, const void* memory, unsigned lane, unsigned tile, bool inside = true
) {
    typedef unsigned Copied __attribute__((ext_vector_type(bytes / 4)));
    *(Copied*)lds = inside ? *(const Copied*)((const char*)memory + lane + tile) : (Copied)(0);
}
template <int bytes> static __device__ inline __attribute__((always_inline)) void copy_straight(
    void* lds, const void* memory
) {
    typedef unsigned Copied __attribute__((ext_vector_type(bytes / 4)));
    *(Copied*)lds = *(const Copied*)memory;
}
template <int loads> static __device__ inline __attribute__((always_inline)) void await_copies() {}
static __device__ inline __attribute__((always_inline)) void meet_under_way() { __syncthreads(); }
#endif
static __device__ inline __attribute__((always_inline)) void commit_copies() {
    asm volatile("" : : : "memory");  // what is counted later is issued later
}
"""
"""The device functions of copies straight to LDS."""

MOST_LEFT = 63
"""The most accesses that a wait of gfx9 can leave under way: vmcnt has 6 bits (LLVM, AMDGPUUsage, s_waitcnt)."""

AWAIT_READS = """\
#if defined(__gfx942__) || defined(__gfx950__)
asm volatile("s_waitcnt lgkmcnt(0)" : : : "memory");
#elif defined(__gfx1250__)
asm volatile("s_wait_dscnt 0" : : : "memory");
#endif
"""
"""What a thread has read of LDS has come: clang takes a load to LDS for one more of these reads, and waits for too few
of them where it begins beside them (LLVM, pull request 179305); gfx1250's copies are in no order with reads."""

BEHIND_COPIES = 'asm volatile("" : : : "memory");\n'
"""What comes is not moved before what was begun."""


def certain_loads(s: AsyncCopy) -> int:
    """The loads that each thread makes for a copy: 0 where it may make none.

    A wait that leaves so many under way waits for all that were issued before them, since gfx9 counts loads down in
    the order of their issue (LLVM, SIInsertWaitcnts: one counter, in order within a type); whatever else a thread has
    under way makes it wait for more.
    """
    held = s.load.registers.distribution.ys
    each = prod([n for d, n in enumerate(held) if d not in s.load.vector_ys])
    return int(each) if s.load.only is TRUE else 0


def shared_coordinates(program: Program, s: SharedAccess) -> tuple[Expr, ...]:
    """A variable for each coordinate of the tile in LDS."""
    return tuple(var(name, n) for name, n in zip(shared_names(program, s), s.descriptor.lengths, strict=True))


def shared_line(program: Program, s: SharedAccess) -> str:
    """The map of a tile in LDS, as text."""
    x = shared_coordinates(program, s)
    names = ", ".join(i.value.name for i in x)
    return f"{s.shared.dtype.name} {s.shared.name}[{names}] at {offset_of(s.descriptor, x)}"


class StraightWriter(RowWriter):
    """Writes the copies of a program that go straight to LDS."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.flight = Flight[int]()  # of each straight copy, the loads that every thread certainly makes
        self.reading = False  # whether reads of LDS may be under way

    def named(self, values: Mapping[Expr, Expr]) -> list[str]:
        """A declaration of each variable with its value."""
        return [f"const {self.index} {v.value.name} = {self.text(e)};" for v, e in values.items()]

    def wrapped(self, e: Expr) -> str:
        """A polynomial in unsigned numbers, which may wrap: right where it fits, and defined where it does not."""
        if any(part.op not in ("const", "var", "add", "mul") for part in postorder(e)):
            raise ValueError(f"{self.program.name}: {e} is no polynomial")
        word = "unsigned" if self.bits == 32 else "unsigned long long"
        return f"({self.index})({re.sub(r'[A-Za-z_][A-Za-z_0-9]*', lambda v: f'({word}){v[0]}', self.text(e))})"

    def read_straight_copy(self, s: StraightCopy) -> str:
        """Begins a wave's loads to LDS, after its reads of LDS have come."""
        self.flight.begin(certain_loads(s))
        load, store = s.load, s.store
        begin = self.ranged_copy(load, store) if load.ranged else self.copy_of(load, store)
        text = [f"{self.index} place;", "{", *(indent(p, "    ") for p in self.landing_place(store)), "}", *begin]
        title = f"// {store.shared.name} <- {load.tensor.name}, without waiting"
        copies = f"{title}\n{each_register(load.registers, chr(10).join(text), load.together)}"
        copies = copies if load.only is TRUE else guarded([self.text(load.only)], copies)
        if self.reading:
            copies, self.reading = AWAIT_READS + copies, False
        return copies

    def landing_place(self, store: StoreShared) -> list[str]:
        """The place of the wave's first thread."""
        (thread,), names = self.program.threads, shared_coordinates(self.program, store)
        first = {thread: var(LANDING, extent_of(thread))}
        at = (substitute(x, first) for x in tile_start(self.program, store))
        within = dict(zip((n.value.name for n in names), at, strict=True))
        return [str(c_code(within, bits=self.bits, proved=True)), f"place = {self.text(word_of(store, names))};"]

    def copy_of(self, load: Load, store: StoreShared) -> list[str]:
        """A load whose coordinates are in range."""
        address, size = address_of(load.tensor), store.width * store.shared.dtype.bytes
        lines = [self.coordinates(load, starts(self.program, load)), *self.named(address.digits)]
        at = f"{load.tensor.name} + ({self.text(address.offset)})"
        return [*lines, f"copy_straight<{size}>(&{store.shared.name}[place], {at});"]

    def ranged_copy(self, load: Load, store: StoreShared) -> list[str]:
        """A load that brings zeros where its guard does not hold; a lane's own part may be wrong there."""
        each, size = load.tensor.dtype.bytes, store.width * store.shared.dtype.bytes
        offset = address_of(load.tensor).offset
        tests = [self.text(test) for test in bounds(load, starts(self.program, load)) if test is not TRUE]
        inside = "".join(f", {' & '.join(f'({test})' for test in tests)}" for _ in tests[:1])
        tile = [self.coordinates(load, load.origin), f"tile_at = {self.text(offset)};"]
        lane = f"(unsigned){self.wrapped(offset)} * {each}"
        return [
            f"{self.index} tile_at;", "{", *(indent(line, "    ") for line in tile), "}",
            self.coordinates(load, lane_part(self.program, load)),
            f"copy_straight_ranged<{size}>(&{store.shared.name}[place], {load.tensor.name}, {lane}, "
            f"(unsigned)tile_at * {each}{inside});",
        ]  # fmt: skip

    def coordinates(self, load: Load, x: Sequence[Expr]) -> str:
        """The declarations of a tensor's coordinates."""
        return str(c_code(dict(zip(load.tensor.names, x, strict=True)), bits=self.bits, proved=True))


LANDING = "landing"
"""The thread whose place says where its wave's loads to LDS land."""


def landing(program: Program) -> list[str]:
    """Its declaration, where there are such loads."""
    if not any(program.of(StraightCopy)):
        return []
    (thread,) = program.threads
    return [f"const {index_type(program)} {LANDING} = landing_of({thread.value.name});"]
