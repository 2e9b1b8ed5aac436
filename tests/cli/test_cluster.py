"""Proving on a Dask cluster of several processes, one of them killed in mid-run: nothing lost, nothing proved twice."""

from __future__ import annotations

import os
import signal
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pytest

from layoutalg.cli.cluster import SameVersion, dask_executor
from layoutalg.index import eq, negation, symbol
from layoutalg.prove import ForAll, Injective, Limits, prove_all
from tests.optional import needed
from tests.prove.test_solver_robustness import CLAIMS, VERDICTS

distributed = needed("distributed", "dask")


class KillsOneWorker(Executor):
    """Hands on to an executor, and kills a worker of the cluster once some answers have come."""

    def __init__(self, inner: Executor, worker: int, after: int) -> None:
        self.inner, self.worker, self.left = inner, worker, after

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = self.inner.submit(function, *args, **kwargs)
        future.add_done_callback(self._one_done)
        return future

    def _one_done(self, _: Future[Any]) -> None:
        self.left -= 1
        if self.left == 0:
            os.kill(self.worker, signal.SIGKILL)


def squares(count: int) -> list[ForAll]:
    """Claims that take the solver a while."""
    x = symbol("x")
    return [ForAll(f"square {n}", negation(eq(x * x + x, 10**6 + 2 * n + 1))) for n in range(count)]


@pytest.mark.slow
def test_a_killed_worker_loses_nothing_and_nothing_is_proved_twice(tmp_path: Path) -> None:
    hard = squares(12)
    limits = Limits(seconds=5, cache=str(tmp_path / "cache"))
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as cluster,
        dask_executor(cluster.scheduler_address) as pool,
    ):
        pids = [w.process.pid for w in cluster.workers.values() if w.process is not None]
        assert len(pids) == 2
        killer = KillsOneWorker(pool, pids[0], after=6)
        found = prove_all(hard, executor=killer, strategy="z3", limits=limits)
        assert [v.name for v in found] == ["proved"] * len(hard)
        assert killer.left <= 0
        entries = {p: p.stat().st_mtime_ns for p in (tmp_path / "cache").glob("*.json")}
        assert len(entries) == len(hard)
        again = prove_all([*hard, *CLAIMS], executor=pool, strategy="z3", limits=limits)
    assert [v.name for v in again] == ["proved"] * len(hard) + VERDICTS
    assert all(p.stat().st_mtime_ns == written for p, written in entries.items())
    assert isinstance(CLAIMS[0], Injective)


def local(workers: int) -> Any:
    """A cluster of this machine."""
    return distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    )


def test_nobody_waits_for_ever_for_a_worker_that_does_not_come() -> None:
    said: list[str] = []
    with local(0) as cluster:
        executor = dask_executor(cluster.scheduler_address, wait=0.2, say=said.append)
        with pytest.raises(OSError, match=r"no worker of tcp://.* came within 0.2 s"), executor:
            pass
    assert said == [f"waiting for a worker of {cluster.scheduler_address}, 0.2 s at most"]


@pytest.mark.slow
def test_what_is_left_when_every_worker_is_lost_stays_undecided() -> None:
    said: list[str] = []
    with local(1) as cluster, dask_executor(cluster.scheduler_address, wait=0.4, say=said.append) as pool:
        assert [v.name for v in prove_all(CLAIMS, executor=pool)] == VERDICTS
        cluster.scale(0)
        found = prove_all(squares(40), executor=pool, strategy="z3", limits=Limits(seconds=5))
    left = [v for v in found if v.name == "unknown"]  # the last worker may decide some before it goes
    assert {v.name for v in found} <= {"proved", "unknown"}
    assert "its worker was lost" in left[0].reason
    assert said == ["no worker is left; waiting 0.4 s at most",
                    "no worker came within 0.4 s: what is left stays undecided"]  # fmt: skip


def test_what_a_cluster_says_nothing_more_of_is_cancelled() -> None:
    class Silent(Executor):
        def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            return Future()

    executor = SameVersion(Silent())
    future = executor.submit(len, "a")
    executor.shutdown(wait=False)
    assert future.cancelled()
    with pytest.raises(RuntimeError, match="shut down"):
        executor.submit(len, "b")


def test_a_worker_with_another_version_decides_nothing() -> None:
    class Old(Executor):
        def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            future: Future[Any] = Future()
            with pytest.raises(OSError, match="asks") as raised:
                function("0.1.0", *args[1:], **kwargs)
            future.set_exception(raised.value)
            return future

    (found,) = prove_all(CLAIMS[:1], executor=SameVersion(Old()))
    assert found.name == "unknown"
    assert "its worker was lost: it has layoutalg" in found.reason
