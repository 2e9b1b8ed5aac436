"""That each byte that is read of LDS was stored before, as a question of all threads and iterations.

The prover is given the thread that stored: the address is inverted, as digits of a number in mixed radix,

    offset = c + Σ sₖ·iₖ, s₁ > s₂ > …    →    iₖ = (byte − c) mod s₁ mod … / sₖ

and asked whether these are indices of a thread (and an iteration) that stored the byte before.  Of a thread's number
they may be digits (`parts`): t // 64, if the address has it not, is the first number that the store's guard allows.  In
loops that each lane leaves for itself, of the iterations in which the store is surely made (`certain`).
What it cannot represent: a byte whose writer is none of these, as where the offset is loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from math import gcd

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.ask import Ask
from layoutalg.audit.certain import certain_iterations
from layoutalg.audit.epochs import is_counted
from layoutalg.audit.lds.block import BlockThreads
from layoutalg.audit.parts import parts_of, said_to_equal
from layoutalg.index import FALSE, ZERO, Expr, all_of, any_of, const, eq, extent_of, simplify, var, variables
from layoutalg.index.radix import affine
from layoutalg.prove import ForAll, Shown
from layoutalg.records import dataclass
from layoutalg.symex.values.instances import moved, own_coordinates
from layoutalg.symex.values.unknowns import kind_of

#: Numbers that a digit may be, of which the guard is asked.
MOST_VALUES = 64

#: Stores among which the prover looks for that of a byte.
MOST_STORES = 24


@dataclass(frozen=True)
class StoredBefore:
    """The accesses of LDS of one block, in the order of the code."""

    block: BlockThreads
    accesses: Sequence[TracedAccess]
    ask: Ask

    def obligation(self, number: int) -> ForAll | None:
        """Whether, for all threads and iterations, each byte that is read was stored; None where nothing is."""
        reads = self.accesses[number]
        made = ((m, way) for m, one in enumerate(self.accesses) for way in self._certain(one))
        stores = [(m, one) for m, one in made if m < number or self._shared(one, reads) or _out_of_step(one, reads)]
        if not stores:
            return None
        unit = reduce(gcd, (one.width for _, one in stores), reads.width)
        piece = var("a piece", reads.width // unit) if reads.width > unit else ZERO
        byte = reads.offset + piece * unit
        cases: list[Expr] = []
        for m, store in stores:
            ahead = m > number and not self._shared(store, reads)  # by waves that have passed more barriers alone
            for earlier in self._earlier(reads, store, m < number or ahead):
                stored = self._stored(reads, store, earlier, byte, unit, ahead)
                cases += (case for case in stored if self._speaks_of(reads, case))
        if not cases or len(cases) > MOST_STORES:
            return None
        given = all_of(self.block.launched.given, reads.guard)
        shown = (Shown("thread and iteration", (*self.block.threads, *reads.loops)),)
        return ForAll("what is read of LDS was stored before", any_of(*cases), given, shown)

    def _certain(self, access: TracedAccess) -> Iterator[TracedAccess]:
        """A store as it is surely made, in one way or another."""
        if not access.store or access.atomic:
            return
        loops, launched = self.ask.trace.loops, self.block.launched
        given = all_of(launched.given, launched.exists)  # no guard of a thread that does not exist holds
        for way in certain_iterations(access.guard, access.loops, loops, given, self.ask.holds):
            offset, guard, barriers = (moved(e, way.at) for e in (access.offset, access.guard, access.barriers))
            yield replace(access, offset=offset, guard=guard, barriers=barriers, loops=way.loops)

    def _speaks_of(self, reads: TracedAccess, case: Expr) -> bool:
        """Whether a case is of the reader's coordinates: of another one all values would be meant, or none."""
        known = {*self.block.threads, *reads.loops, *self.block.launched.alike}
        return all(v.value.extent is None or v in known or kind_of(v) is not None for v in variables(case))

    def _shared(self, one: TracedAccess, other: TracedAccess) -> int:
        """How many loops are around both."""
        pairs = zip(one.loops, other.loops, strict=False)
        return next((k for k, (a, b) in enumerate(pairs) if a is not b), min(len(one.loops), len(other.loops)))

    def _earlier(self, reads: TracedAccess, store: TracedAccess, before: bool) -> Iterator[dict[Expr, Expr]]:
        """Iterations in which a store was made that comes before the reader in its iteration, or an iteration back."""
        shared = store.loops[: self._shared(store, reads)]
        inner = store.loops[len(shared) :]
        ends: list[dict[Expr, Expr]] = [dict.fromkeys(inner, ZERO)]
        if set(inner) & set(variables(store.offset, store.guard)):
            lasts: dict[Expr, Expr] = {}
            for t in inner:
                lasts[t] = moved(extent_of(t) - 1, lasts)
            ends += [lasts, {}] if all(map(is_counted, inner)) else [{}]
        for end in ends:
            if before:
                yield end
            if shared and (end or not inner):  # an iteration of an inner loop that is not said is none of a question
                back = {shared[-1]: shared[-1] - 1}
                yield back | {t: moved(e, back) for t, e in end.items()}

    def _stored(
        self, reads: TracedAccess, store: TracedAccess, earlier: Mapping[Expr, Expr], byte: Expr, unit: int, ahead: bool
    ) -> Iterator[Expr]:
        """When a store was made of a byte that is read, by the thread that its address says, or by the reader."""
        block = self.block
        iterations = {t: earlier[t] for t in store.loops if t in earlier}
        offset, guard, barriers = (moved(e, iterations) for e in (store.offset, store.guard, store.barriers))
        own = set(own_coordinates(*(v for v in variables(offset, guard) if kind_of(v) is not None)))
        unknown = not own.isdisjoint(block.threads)
        free = store.loops[self._shared(store, reads) :] if not earlier else ()
        ranges = [all_of(e >= 0, e < moved(extent_of(t), iterations)) for t, e in iterations.items() if e.op != "const"]
        for others in self._others(guard):
            writer = others if unknown else self._writer(offset, guard, byte, free, others)
            if writer is None:
                return
            start, holds, passed = (moved(e, writer) for e in (offset, guard, barriers))
            sizes = dict(zip(block.threads, block.sizes, strict=False))
            inside = [all_of(e >= 0, e < sizes[v]) for v, e in writer.items() if v in sizes]
            inside += [all_of(e >= 0, e < moved(extent_of(v), writer)) for v, e in writer.items() if v in free]
            seen = passed + store.spans < reads.barriers
            if not ahead and store.in_order:
                seen = any_of(seen, eq(block.wave(writer), block.wave()))
            yield all_of(*ranges, *inside, start <= byte, byte + unit <= start + store.width, holds, seen)
            if unknown or not set(block.threads) & set(variables(guard)) - set(variables(offset)):
                return

    def _others(self, guard: Expr) -> Iterator[dict[Expr, Expr]]:
        """What coordinates of the thread that stores are of which the address says nothing: the reader's, or others."""
        threads = self.block.threads
        yield dict(zip(threads, threads, strict=True))
        yield dict.fromkeys(threads, ZERO)
        said = {t: e for t in threads for e in said_to_equal(t, guard)}
        if said:
            yield {**dict.fromkeys(threads, ZERO), **said}

    def _writer(
        self, offset: Expr, guard: Expr, byte: Expr, free: Sequence[Expr], others: Mapping[Expr, Expr]
    ) -> dict[Expr, Expr] | None:
        """Indices of the thread (and iteration) that stores a byte, if its address is a sum of them, and `others`.

        A digit of an index that the address has not is the first number that the guard allows.
        """
        split = {t: parts for t in self.block.threads if (parts := parts_of(t, [offset]))}
        offset = simplify(moved(offset, {t: parts.whole for t, parts in split.items()}))
        digits = (v for t in self.block.threads for v in (split[t].digits if t in split else (t,)))
        over = [v for v in (*digits, *free) if v in variables(offset)]
        form = affine(offset, over)
        if form is None or set(variables(*map(extent_of, over))) & set(over):
            return None
        found = form.solve(byte, lambda v: extent_of(v) - 1)
        if found is None:
            return None
        said = simplify(moved(guard, {t: parts.whole for t, parts in split.items()}))
        for v in (v for parts in split.values() for v in parts.digits if v not in found):
            may_be = (const(k) for k in range(min(int(v.hi) + 1, MOST_VALUES)))
            found[v] = next((k for k in may_be if simplify(moved(said, {v: k})) is not FALSE), ZERO)
        whole = {t: moved(parts.whole, {v: found.pop(v) for v in parts.digits}) for t, parts in split.items()}
        return {**others, **found, **whole}


def _out_of_step(one: TracedAccess, other: TracedAccess) -> bool:
    """Whether waves pass barriers that others do not, so that the order of the code is none of time."""
    return not (one.in_step and other.in_step)
