"""Who stored what is read of LDS: of each byte that a thread reads, the store that it is forwarded from.

Between two barriers a thread reads what its own wave stored last, else what any wave stored before the barrier, the
last store in the order of the code (`buffers`).  Where addresses speak of the thread alone, a read of every thread has
a table of origins (`tables`); it is written down as a map of the reader's coordinates (`digits`):

    partial[t] += partial[t + 64]      reads   the store two barriers up,   thread t + 64

| the store stands | the read gives |
|---|---|
| in the loops that the read stands in | what the same iteration stored |
| in a loop that is left before the read | what its last iteration stored |
| before a loop around the read in which nothing is stored there | what was stored then |

That the store happens whenever the read does is a question of its own.  All of this holds where `race_free` does: then
no other wave stores to these bytes after the barrier before the read, so the order of the code is the order of time.

`initialised` walks the same buffers otherwise, and neither walk can do for both:

| | it asks for some store | this asks for the last one |
|---|---|---|
| a store that is left out | is sound: one that is seen suffices | is not: it may be the last |
| a loop | the iterations of a period, of which behind it the first is certain | any iteration, by its variable |
| a barrier | where it is certain, else stores are not seen | each: a buffer that is not drained hides newer stores |

Where waves pass barriers that others of their block do not, the order of the code is none of time, and nothing is said.
What it cannot represent: addresses that go with a loop, bytes that another iteration of a loop around the read stores.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from layoutalg.audit.ask import Open
from layoutalg.audit.lds.block import BlockThreads, Ints
from layoutalg.audit.lds.buffers import NOBODY, NOTHING, Origins, StoreBuffers
from layoutalg.audit.lds.digits import digits
from layoutalg.audit.lds.tables import LdsRow, bytes_of
from layoutalg.index import ZERO, Expr, eq, simplify
from layoutalg.isa.semantics.accesses import ACCESSES
from layoutalg.isa.semantics.tensor import TENSOR_COPIES
from layoutalg.launch.symbolic import LDS, KernelLaunch
from layoutalg.records import dataclass
from layoutalg.symex.machine.tracing import TracedElement
from layoutalg.symex.values.instances import moved

Env = Mapping[Expr, Expr]
"""What threads' coordinates and loops' iterations are."""


@dataclass(frozen=True)
class Forwarded:
    """For readers of which a number is this piece's: the byte that was stored, by which thread in which iteration, …

    … and if it was.
    """

    form: Expr  # the number, by the reader's coordinates
    piece: int
    element: TracedElement
    writer: Env
    needed: Expr  # what the readers' guard must imply of the writer for the store to have happened
    threads: tuple[Ints, Ints]  # by their numbers: those that read, and of each the one that stored

    @property
    def where(self) -> Expr:
        """That a reader is one of them."""
        return eq(self.form, self.piece)


@dataclass(frozen=True, eq=False)
class LdsMove:
    """One access of LDS in the trace, in the order of the code: its row, and its bytes one by one."""

    number: int
    row: LdsRow
    elements: tuple[TracedElement, ...]

    @property
    def first(self) -> TracedElement:
        """The first byte, which stands for the access."""
        return self.elements[0]

    @property
    def about(self) -> str:
        """What it reads, as messages have it."""
        return f"what {self.first.instruction.address:#x} reads of LDS"

    @property
    def threads(self) -> Ints:
        """The threads that make it."""
        return self.row.at({})[0]

    @property
    def bytes(self) -> Ints:
        """The bytes of each of these threads."""
        return bytes_of(self.row.at({})[1], len(self.elements))


@dataclass(frozen=True, eq=False)
class History:
    """The accesses of LDS of one block, and the origin of each byte that each thread reads."""

    block: BlockThreads
    moves: tuple[LdsMove, ...]
    read: Mapping[Expr, tuple[int, int]]  # what was read → by which access, and its byte
    origins: Mapping[int, Origins]  # of each access that reads, of each thread and byte

    @classmethod
    def of(cls, launched: KernelLaunch, trace: Sequence[TracedElement], updates: bool = False) -> History | Open:
        """What a trace shows of LDS; or why not all that is stored there is seen.

        `updates`: atomic operations are stores of what is not known.
        """
        block, moves = BlockThreads(launched), list[LdsMove]()
        for number, elements in enumerate(_accesses(trace)):
            row = _row(block, elements[0], updates)
            if isinstance(row, Open):
                return row
            if not elements[0].in_step:
                return Open(f"waves have passed other barriers than others at {elements[0].instruction.place}")
            moves.append(LdsMove(number, row, elements))
        origins = _origins(block, moves)
        if isinstance(origins, Open):
            return origins
        read = {e.value: (m.number, k) for m in moves if not m.first.store for k, e in enumerate(m.elements)}
        return cls(block, tuple(moves), read, origins)

    def forwarded(self, unknown: Expr, env: Env) -> list[Forwarded] | Open:
        """Where a byte is from that was read as this unknown: of several stores, where the reader is one of whose."""
        number, k = self.read[unknown]
        read, thread = self.moves[number], self.block.number(env)
        readers = read.threads if thread is None else read.threads[read.threads == thread]
        if not readers.size:
            return Open(f"thread {thread} reads no LDS at {read.first.instruction.address:#x}")
        origins = self.origins[number][readers, k]
        bytes_ = np.stack([origins["store"], origins["byte"]], axis=1)
        alone = len(bytes_) == 1  # as where threads are read one by one
        stored, which = (bytes_, np.zeros(1, int)) if alone else np.unique(bytes_, axis=0, return_inverse=True)
        which = which.reshape(-1)
        if (stored[:, 0] == NOBODY).any():
            return Open(f"{read.about} nobody stores before")
        here = {v: held[readers] for v, held in self.block.indices.items()}
        form = ZERO if len(stored) == 1 else digits(which, here)
        if form is None:
            return Open(f"{read.about} is of several stores")
        each = self._writer(readers, origins["thread"].astype(np.int64), env)  # of all of them, where there is one map
        found: list[Forwarded] = []
        for piece, (store, byte) in enumerate(stored.tolist()):
            mine = which == piece
            threads = readers[mine], origins["thread"][mine].astype(np.int64)
            one = self._piece((form, piece), read, k, self.moves[store], byte, threads, each, env)
            if isinstance(one, Open):
                return one
            found.append(one)
        return found

    def _piece(
        self, which: tuple[Expr, int], read: LdsMove, k: int, store: LdsMove, byte: int, threads: tuple[Ints, Ints],
        each: Env | None, env: Env,
    ) -> Forwarded | Open:  # fmt: skip
        """What some threads read of one byte of one store."""
        if store.first.atomic:
            return Open(f"{read.about} is what an atomic operation has left")
        if self._stored_by_another_iteration(read, store, k, threads[0]):
            return Open(f"{read.about} another turn may store")
        writer = self._writer(*threads, env) if each is None else each
        if writer is None:
            return Open(f"{read.about}: its writer is no map of digits")
        iterations = {t: env[t] for t in store.first.loops if t in read.first.loops and t in env}
        return Forwarded(*which, store.elements[byte], {**writer, **iterations}, store.row.rest, threads)

    def _writer(self, readers: Ints, writers: Ints, env: Env) -> Env | None:
        """Each coordinate of the writer, by the reader's."""
        if len(readers) == 1:
            return self.block.coordinates(int(writers[0]))
        here = {v: held[readers] for v, held in self.block.indices.items()}
        found: dict[Expr, Expr] = {}
        for v, held in self.block.indices.items():
            form = digits(held[writers], here)
            if form is None:
                return None
            found[v] = simplify(moved(form, env))
        return found

    def _stored_by_another_iteration(self, read: LdsMove, store: LdsMove, k: int, readers: Ints) -> bool:
        """Whether any iteration of a loop around the read, but not around the store, may store there.

        Wherever in the code: what stands before the read was stored in an iteration before, too, by another wave also
        where no barrier stands between the two in one iteration.
        """
        inside = [t for t in read.first.loops if t not in store.first.loops]
        if not inside:
            return False
        mine = read.bytes[np.isin(read.threads, readers), k]
        again = (m for m in self.moves if m.first.store and any(t in m.first.loops for t in inside))
        return any(bool(np.isin(m.bytes, mine).any()) for m in again)


def _accesses(trace: Sequence[TracedElement]) -> Iterator[tuple[TracedElement, ...]]:
    """The bytes of each access of LDS."""
    found: list[TracedElement] = []
    for one in trace:
        if one.buffer != LDS:
            continue
        if found and not one.within:
            yield tuple(found)
            found = []
        found.append(one)
    if found:
        yield tuple(found)


def _row(block: BlockThreads, first: TracedElement, updates: bool) -> LdsRow | Open:
    """The table of an access, if it has one for all iterations."""
    access, name = ACCESSES.get(first.instruction.name), first.instruction.name
    if (access is None and name not in TENSOR_COPIES) or (access is not None and access.atomic and not updates):
        return Open(f"{first.instruction.place} does more than load or store")
    row = LdsRow.of_any_iteration(block, first)
    return row or Open(f"an LDS address depends on more than the thread: {first.offset}")


def _origins(block: BlockThreads, moves: Sequence[LdsMove]) -> dict[int, Origins] | Open:
    """Of each read, in the order of the code, the last stores to its bytes."""
    for move in moves:
        if move.bytes.min(initial=0) < 0 or move.bytes.max(initial=0) >= block.most_lds:
            return Open(f"an LDS address that no LDS has at {move.first.instruction.address:#x}")
    size = max((int(m.bytes.max(initial=0)) + 1 for m in moves), default=0)
    buffers, epoch = StoreBuffers(block.waves, size), None
    found: dict[int, Origins] = {}
    for move in moves:
        if epoch is not move.first.barriers:
            buffers.drain()
            epoch = move.first.barriers
        threads, bytes_ = move.threads, move.bytes
        if move.first.store:
            buffers.store(move.number, threads, bytes_)
            continue
        found[move.number] = np.full((block.count, len(move.elements)), NOTHING)
        found[move.number][threads] = buffers.newest(threads, bytes_)
    return found
