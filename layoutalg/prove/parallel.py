"""Many claims at once: in processes of this machine, or on any `concurrent.futures` executor, a Dask cluster included.

Whatever happens to a worker, every claim gets a verdict, in the order of the claims: a claim whose worker is lost, or
that an interrupt leaves undecided, is Unknown and says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from layoutalg.prove.claims import Claim
from layoutalg.prove.obligation import Obligation
from layoutalg.prove.outcome import Limits
from layoutalg.prove.portfolio import DEFAULT, prove
from layoutalg.prove.verdict import Unknown, Verdict

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

Prover = Callable[..., Verdict]
"""What decides one claim: `prover(claim, strategy=…, limits=…)`."""


def prove_all(
    claims: Sequence[Claim | Obligation],
    *,
    jobs: int = 1,
    executor: Executor | None = None,
    strategy: str | None = None,
    limits: Limits = DEFAULT,
    prover: Prover = prove,
) -> list[Verdict]:
    """The verdict on each claim: one after another, in `jobs` processes, or on an executor that is given.

    `prover` decides one claim, as `prove` does; a function of a module, so that other processes find it.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as strided
    >>> from layoutalg.prove import Injective
    >>> [v.name for v in prove_all([Injective(strided((4, 2), s)) for s in ((2, 1), (1, 1))])]
    ['proved', 'refuted']
    """
    if executor is not None:
        return _on(executor, claims, prover, strategy, limits)
    if jobs == 1:
        return _one_by_one(claims, prover, strategy, limits)
    import multiprocessing  # here, so that what proves in one process starts without them
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        return _on(pool, claims, prover, strategy, limits)


@contextmanager
def dask_executor(address: str) -> Iterator[Executor]:
    """An executor on the Dask cluster whose scheduler listens at `address` (the extra `layoutalg[dask]`)."""
    from distributed import Client

    with Client(address) as client:
        yield client.get_executor(retries=3, pure=False)


def _one_by_one(
    claims: Sequence[Claim | Obligation], prover: Prover, strategy: str | None, limits: Limits
) -> list[Verdict]:
    found: list[Verdict] = []
    try:
        for claim in claims:
            found.append(prover(claim, strategy=strategy, limits=limits))
    except KeyboardInterrupt:
        found += [_undecided(claim, "interrupted") for claim in claims[len(found) :]]
    return found


def _on(
    executor: Executor, claims: Sequence[Claim | Obligation], prover: Prover, strategy: str | None, limits: Limits
) -> list[Verdict]:
    futures: list[Future[Verdict]] = []
    found: list[Verdict] = []
    try:
        for claim in claims:
            futures.append(executor.submit(prover, claim, strategy=strategy, limits=limits))
        for claim, future in zip(claims, futures, strict=True):
            found.append(_result(claim, future))
    except KeyboardInterrupt:
        for future in futures:
            future.cancel()
        found += [_undecided(claim, "interrupted") for claim in claims[len(found) :]]
    except RuntimeError as error:  # a pool that is broken takes no more claims
        found += [_result(c, f) for c, f in zip(claims[len(found) :], futures[len(found) :], strict=False)]
        found += [_undecided(claim, f"the executor stopped: {error}") for claim in claims[len(found) :]]
    return found


def _result(claim: Claim | Obligation, future: Future[Verdict]) -> Verdict:
    from concurrent.futures import CancelledError
    from pickle import PicklingError

    try:
        return future.result()
    except (RuntimeError, CancelledError, OSError, EOFError, PicklingError, MemoryError) as error:
        return _undecided(claim, f"its worker was lost: {error}")


def _undecided(claim: Claim | Obligation, why: str) -> Unknown:
    statement = claim.statement() if isinstance(claim, Claim) else claim.label
    return Unknown(statement, "none", 0.0, why=why)
