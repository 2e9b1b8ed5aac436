"""Many claims at once: in processes of this machine, or on any `concurrent.futures` executor, a Dask cluster included.

Whatever happens to a worker, every claim gets a verdict, in the order of the claims: a claim whose worker is lost, or
that an interrupt leaves undecided, is Unknown and says why.

Most claims take a millisecond, so that what goes with them decides whether several processes pay: the processes are
forked (30 ms; a spawned one imports the prover again, a second), and take claims a batch at a time.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent import futures
from contextlib import contextmanager
from pickle import PicklingError
from typing import TYPE_CHECKING

from layoutalg.lazy import lazy
from layoutalg.prove.claims import Claim
from layoutalg.prove.obligation import Obligation
from layoutalg.prove.outcome import Limits
from layoutalg.prove.portfolio import DEFAULT, prove
from layoutalg.prove.verdict import Unknown, Verdict

if TYPE_CHECKING:
    import multiprocessing

    import distributed
else:
    distributed = lazy("distributed")
    multiprocessing = lazy("multiprocessing")


def prove_all(
    claims: Sequence[Claim | Obligation],
    *,
    jobs: int = 1,
    executor: futures.Executor | None = None,
    strategy: str | None = None,
    limits: Limits = DEFAULT,
) -> list[Verdict]:
    """The verdict on each claim: one after another, in `jobs` processes, or on an executor that is given.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as strided
    >>> from layoutalg.prove import Injective
    >>> [v.name for v in prove_all([Injective(strided((4, 2), s)) for s in ((2, 1), (1, 1))])]
    ['proved', 'refuted']
    """
    if executor is not None:
        return _on(executor, claims, 1, strategy, limits)
    if min(jobs, len(claims)) <= 1:
        return _one_by_one(claims, strategy, limits)
    size = min(MOST_BATCHED, -(-len(claims) // (jobs * 4)))
    context = multiprocessing.get_context("fork" if _forks() else "spawn")
    with futures.ProcessPoolExecutor(min(jobs, len(claims)), mp_context=context) as pool:
        return _on(pool, claims, size, strategy, limits)


MOST_BATCHED = 16
"""Claims that a process takes at a time: enough that handing them over costs little, few enough to share out."""


def _forks() -> bool:
    """Whether processes may be forked: on Linux, where no other thread of this process may hold a lock."""
    return sys.platform == "linux" and threading.active_count() == 1


@contextmanager
def dask_executor(address: str) -> Iterator[futures.Executor]:
    """An executor on the Dask cluster whose scheduler listens at `address` (the extra `dask`)."""
    with distributed.Client(address) as client:
        yield client.get_executor(retries=3, pure=False)


def _one_by_one(claims: Sequence[Claim | Obligation], strategy: str | None, limits: Limits) -> list[Verdict]:
    found: list[Verdict] = []
    try:
        for claim in claims:
            found.append(prove(claim, strategy=strategy, limits=limits))
    except KeyboardInterrupt:
        found += [_undecided(claim, "interrupted") for claim in claims[len(found) :]]
    return found


def _on(
    executor: futures.Executor, claims: Sequence[Claim | Obligation], size: int, strategy: str | None,
    limits: Limits,
) -> list[Verdict]:  # fmt: skip
    """The verdicts by an executor that is handed `size` claims at a time."""
    batches = [claims[start : start + size] for start in range(0, len(claims), size)]
    pending: list[futures.Future[list[Verdict]]] = []
    found: list[Verdict] = []
    try:
        for batch in batches:
            pending.append(executor.submit(_batch, batch, strategy, limits))
        for batch, future in zip(batches, pending, strict=True):
            found += _result(batch, future)
    except KeyboardInterrupt:
        for future in pending:
            future.cancel()
        found += [_undecided(claim, "interrupted") for claim in claims[len(found) :]]
    except RuntimeError as error:  # a pool that is broken takes no more claims
        for batch, future in zip(batches, pending, strict=False):
            found += _result(batch, future)
        found += [_undecided(claim, f"the executor stopped: {error}") for claim in claims[len(found) :]]
    return found


def _batch(claims: Sequence[Claim | Obligation], strategy: str | None, limits: Limits) -> list[Verdict]:
    """What a worker does: one claim that cannot be decided costs no other its verdict."""
    found: list[Verdict] = []
    for claim in claims:
        try:
            found.append(prove(claim, strategy=strategy, limits=limits))
        except (RuntimeError, OSError, EOFError, MemoryError) as error:
            found.append(_undecided(claim, f"its worker was lost: {error}"))
    return found


def _result(claims: Sequence[Claim | Obligation], future: futures.Future[list[Verdict]]) -> list[Verdict]:
    try:
        return future.result()
    except (RuntimeError, futures.CancelledError, OSError, EOFError, PicklingError, MemoryError) as error:
        return [_undecided(claim, f"its worker was lost: {error}") for claim in claims]


def _undecided(claim: Claim | Obligation, why: str) -> Unknown:
    statement = claim.statement() if isinstance(claim, Claim) else claim.label
    return Unknown(statement, "none", 0.0, why=why)
