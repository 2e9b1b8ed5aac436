"""Many claims at once: in processes of this machine, or on any `concurrent.futures` executor, a Dask cluster included.

Whatever happens to a worker, every claim gets a verdict, in the order of the claims: a claim whose worker is lost, or
that an interrupt leaves undecided, is Unknown and says why.

Most claims take a millisecond, so that what goes with them decides whether several processes pay: the processes are
forked (30 ms; a spawned one imports the prover again, a second), and take claims a batch at a time.  A claim that takes
its worker with it costs those of its batch nothing: they are handed over again, each alone.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence

from layoutalg.lazy import lazy_imports
from layoutalg.prove.claims import Claim
from layoutalg.prove.obligation import Obligation
from layoutalg.prove.outcome import Limits
from layoutalg.prove.portfolio import DEFAULT, prove
from layoutalg.prove.verdict import Unknown, Verdict
from layoutalg.records import dataclass

with lazy_imports():
    import multiprocessing
    import pickle
    from concurrent import futures

MOST_BATCHED = 16
"""Claims that a process takes at a time: enough that handing them over costs little, few enough to share out."""

SHARES = 64
"""Batches at least, for an executor of which nobody says how many workers it has."""


def _lost() -> tuple[type[Exception], ...]:
    """What becomes of a batch whose worker is killed, cannot be reached, or lacks this package."""
    return RuntimeError, futures.CancelledError, OSError, EOFError, pickle.PicklingError, MemoryError, ImportError


def _untold(count: int) -> None:
    """Nobody asks how far it is."""


def prove_all(
    claims: Sequence[Claim | Obligation],
    *,
    jobs: int = 1,
    executor: futures.Executor | None = None,
    strategy: str | None = None,
    limits: Limits = DEFAULT,
    told: Callable[[int], None] = _untold,
) -> list[Verdict]:
    """The verdict on each claim: one after another, in `jobs` processes, or on an executor that is given.

    `told`: is called with the number of claims that were just decided.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as strided
    >>> from layoutalg.prove import Injective
    >>> [v.name for v in prove_all([Injective(strided((4, 2), s)) for s in ((2, 1), (1, 1))])]
    ['proved', 'refuted']
    """
    how = _How(strategy, limits, told)
    if executor is not None:
        return _on(executor, claims, min(MOST_BATCHED, -(-len(claims) // SHARES)), how)
    if min(jobs, len(claims)) <= 1:
        return _one_by_one(claims, how)
    size = min(MOST_BATCHED, -(-len(claims) // (jobs * 4)))
    context = multiprocessing.get_context("fork" if _forks() else "spawn")
    with futures.ProcessPoolExecutor(min(jobs, len(claims)), mp_context=context) as pool:
        return _on(pool, claims, size, how)


@dataclass(frozen=True)
class _How:
    """How claims are decided, and who is told."""

    strategy: str | None
    limits: Limits
    told: Callable[[int], None]


def _forks() -> bool:
    """Whether processes may be forked: on Linux, where no other thread of this process may hold a lock."""
    return sys.platform == "linux" and threading.active_count() == 1


def _one_by_one(claims: Sequence[Claim | Obligation], how: _How) -> list[Verdict]:
    found: list[Verdict] = []
    try:
        for claim in claims:
            found.append(prove(claim, strategy=how.strategy, limits=how.limits))
            how.told(1)
    except KeyboardInterrupt:
        found += _undecided(claims[len(found) :], "interrupted")
    return found


def _on(executor: futures.Executor, claims: Sequence[Claim | Obligation], size: int, how: _How) -> list[Verdict]:
    """The verdicts by an executor that is handed `size` claims at a time."""
    batches = [claims[start : start + size] for start in range(0, len(claims), size)] if claims else []
    pending: list[futures.Future[list[Verdict]]] = []
    found: list[Verdict] = []
    try:
        for batch in batches:
            pending.append(executor.submit(_batch, batch, how.strategy, how.limits))
        for batch, future in zip(batches, pending, strict=True):
            found += _result(executor, batch, future, how)
            how.told(len(batch))
    except KeyboardInterrupt:
        for future in pending:
            future.cancel()
        found += _undecided(claims[len(found) :], "interrupted")
    except RuntimeError as error:  # a pool that is broken takes no more claims
        for batch, future in zip(batches, pending, strict=False):
            found += _own(batch, future)
        found += _undecided(claims[len(found) :], f"the executor stopped: {error}")
    return found


def _batch(claims: Sequence[Claim | Obligation], strategy: str | None, limits: Limits) -> list[Verdict]:
    """What a worker does: one claim that cannot be decided costs no other its verdict."""
    found: list[Verdict] = []
    for claim in claims:
        try:
            found.append(prove(claim, strategy=strategy, limits=limits))
        except (RuntimeError, OSError, EOFError, MemoryError) as error:
            found += _undecided([claim], f"its worker was lost: {error}")
    return found


def _result(
    executor: futures.Executor, claims: Sequence[Claim | Obligation], future: futures.Future[list[Verdict]], how: _How
) -> list[Verdict]:
    """The verdicts of a batch; where it was lost, by handing over each of its claims alone."""
    try:
        return future.result()
    except _lost():
        if len(claims) == 1:
            return _own(claims, future)
    try:
        alone = [executor.submit(_batch, [claim], how.strategy, how.limits) for claim in claims]
    except RuntimeError:
        return _own(claims, future)
    return [verdict for claim, one in zip(claims, alone, strict=True) for verdict in _own([claim], one)]


def _own(claims: Sequence[Claim | Obligation], future: futures.Future[list[Verdict]]) -> list[Verdict]:
    try:
        return future.result()
    except _lost() as error:
        return _undecided(claims, f"its worker was lost: {str(error) or type(error).__name__}")


def _undecided(claims: Sequence[Claim | Obligation], why: str) -> list[Verdict]:
    statements = (claim.statement() if isinstance(claim, Claim) else claim.label for claim in claims)
    return [Unknown(statement, "none", 0.0, why=why) for statement in statements]
