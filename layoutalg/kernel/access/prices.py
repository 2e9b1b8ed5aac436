"""What each LDS access of a program costs on a target: cycles of its busiest phase, 1 where no two lanes conflict.

The wave's lanes are threads one after another; every wave, register and loop index is counted.  The target's lane
groups and banks are data (`layoutalg.target`), and the price is exact (`layoutalg.memory`).

| access                                   | priced as                                       |
|------------------------------------------|-------------------------------------------------|
| n elements at once                       | the instruction of that width                   |
| a width that the target's table lacks    | not priced                                      |
| of a block that is no whole waves        | not priced                                      |
| a read that transposes, of no known banks | not priced                                      |
"""

from __future__ import annotations

from layoutalg.index import ZERO, Expr, as_expr, internal, substitute
from layoutalg.index.radix import digits
from layoutalg.kernel.access.matrix_loads import in_row, matrix_load
from layoutalg.kernel.program import AsyncCopy, BoxCopy, LoadShared, MultiplyShared, Program, SharedAccess
from layoutalg.memory import Cost, LaneMap, access, price
from layoutalg.records import dataclass
from layoutalg.target import target as named
from layoutalg.target.model import UnknownInstructionError
from layoutalg.target.transposed import TRANSPOSED

COPY = "what an asynchronous copy writes at a time is not documented"
BY_DESCRIPTOR = "what an instruction reads at a time by a matrix descriptor is not documented"


@dataclass(frozen=True)
class Priced:
    """An LDS access with its instruction and the cycles of its busiest phase (None: not priced, `why` says so).

    `cost` is the whole price: of each phase, and of one access of a wave in total.
    """

    number: int
    access: SharedAccess
    instruction: str
    cycles: int | None
    why: str = ""
    cost: Cost | None = None

    def __str__(self) -> str:
        what = f"{self.number}: {self.access.what}"
        if self.cycles is None:
            return f"{what}: not priced: {self.why}"
        free = "free of conflicts" if self.cycles == 1 else f"{self.cycles} cycles in the busiest phase"
        return f"{what} by {self.instruction}: {free}"


def priced(program: Program, target: str) -> tuple[Priced, ...]:
    """Every LDS access of a program on a target; a block of one dimension.

    >>> from layoutalg.kernel.library.permute import batched_transpose
    >>> [str(p) for p in priced(batched_transpose(), "gfx942")][1]
    '3: load from lds by ds_read_b32: free of conflicts'
    """
    (thread,) = program.threads
    accesses = ((n, s) for n, s in program.statements() if isinstance(s, SharedAccess))
    others = {
        id(s.store): ("cp.async.bulk.tensor" if isinstance(s, BoxCopy) else "cp.async", COPY)
        for s in program.of(AsyncCopy)
    }
    for s in program.of(MultiplyShared):
        others |= dict.fromkeys((id(one) for one, *_ in s.sides), (s.product.instruction.name, BY_DESCRIPTOR))
    return tuple(
        Priced(n, s, others[id(s)][0], None, others[id(s)][1])
        if id(s) in others
        else price_of(s, thread, program.coordinates(s, s.registers.distribution.y_index), target, n)
        for n, s in accesses
    )


def price_of(s: SharedAccess, thread: Expr, tile: tuple[Expr, ...], target: str, number: int = 0) -> Priced:
    """One access, given which tile coordinates a thread reaches at each Y index."""
    gpu = named(target)
    waves, rest = divmod(int(thread.hi) + 1, gpu.wave_size)
    if rest:
        why = f"{int(thread.hi) + 1} threads are no whole waves of {gpu.wave_size}: lanes that are off have no price"
        return Priced(number, s, "", None, why)
    lane, width = internal("lane", gpu.wave_size), s.width
    element = internal("element", width) if width > 1 else ZERO
    at: dict[Expr, Expr | int] = {thread: internal("wave", waves) * gpu.wave_size + lane}
    moved = s.vector_ys
    parts = digits(element, [s.registers.distribution.ys[y] for y in moved])
    at |= {s.registers.distribution.y_index[y]: part for y, part in zip(moved, parts, strict=True)}
    index = tuple(substitute(i, at) for i in tile)
    if isinstance(s, LoadShared) and s.by:  # as many lanes' rows in a phase as a read of 16 bytes a lane has lanes
        index = in_row(s, (as_expr(at[thread]) // matrix_load(s).wave,), lane, element)
    turned = isinstance(s, LoadShared) and s.by in TRANSPOSED
    way = s.by if isinstance(s, LoadShared) and turned else "read" if s.loads else "write"
    try:
        one = access(s.descriptor, LaneMap(lane, element, index), s.shared.dtype, gpu, way)
    except UnknownInstructionError:
        bytes_each = width * s.shared.dtype.bytes
        return Priced(number, s, "", None, f"{gpu.name} has no table for {way}s of {bytes_each} bytes a lane")
    if turned and not one.instruction.evidence.certain:
        return Priced(number, s, one.instruction.name, None, one.instruction.evidence.doubt)
    cost = price(one)
    if not isinstance(cost, Cost):
        return Priced(number, s, one.instruction.name, None, cost.reason)
    return Priced(number, s, one.instruction.name, cost.degree, cost=cost)
