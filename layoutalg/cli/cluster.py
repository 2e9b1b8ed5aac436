"""A Dask cluster as a `concurrent.futures` executor: its workers are waited for, and given up when none is left.

| address              | is                                                                                      |
|----------------------|-----------------------------------------------------------------------------------------|
| `tcp://host:8786`    | the scheduler that listens there                                                        |
| none                 | that of Dask's own configuration (`DASK_SCHEDULER_ADDRESS`), else a cluster made here   |

A task whose worker is killed is done by another one, three times at most (Dask's `retries`).  A cluster may be up
before its workers are, and may lose all of them: then it says that it waits, and after a limit every task is cancelled,
so that nobody waits for ever.  A worker with another version of this package does nothing.  What it cannot tell: a
worker that is slow from one that hangs; claims have limits.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager
from typing import Any

from layoutalg import __version__
from layoutalg.lazy import lazy_imports

with lazy_imports():
    import dask
    import distributed

WAIT = 60.0
"""Seconds that are waited for a first worker, or for another one when the last is lost."""

EVERY = 1.0
"""Seconds between two looks at how many there are."""


class SameVersion(Executor):
    """An executor whose workers have this version of the package; on another one a task is an OSError.

    Once it is shut down without waiting every task is done or cancelled, those too that Dask says nothing more of.
    """

    def __init__(self, inner: Executor) -> None:
        self.inner = inner
        self._left: set[Future[Any]] = set()
        self._is_open, self._lock = True, threading.Lock()

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Hands it on; RuntimeError after a shutdown."""
        with self._lock:
            if not self._is_open:
                raise RuntimeError("it was shut down")
            future = self.inner.submit(_done, __version__, function, *args, **kwargs)
            self._left.add(future)
        future.add_done_callback(self._left.discard)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Cancels what is left, or waits for it."""
        with self._lock:
            self._is_open, left = False, [*self._left]
        self.inner.shutdown(wait)
        for future in left:
            future.cancel()


def _done(version: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What a worker does."""
    if version != __version__:
        raise OSError(f"it has layoutalg {__version__}, and {version} asks")
    return function(*args, **kwargs)


@contextmanager
def dask_executor(
    address: str | None = None,
    *,
    workers: int | None = None,
    wait: float = WAIT,
    say: Callable[[str], None] = lambda _: None,
) -> Iterator[Executor]:
    """An executor on a Dask cluster (the extra `dask`).

    `workers`: processes of a cluster that is made here; one for each core where nothing is said.
    `say`: is told when workers are waited for.  Raises OSError where no scheduler answers, or no worker within `wait`.
    """
    with ExitStack() as stack:
        address = address or dask.config.get("scheduler-address", None)
        if address is None:
            address = stack.enter_context(
                distributed.LocalCluster(
                    n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=40
                )
            ).scheduler_address
        client = stack.enter_context(distributed.Client(address))
        if not client.nthreads():
            say(f"waiting for a worker of {address}, {wait:g} s at most")
        try:
            client.wait_for_workers(1, timeout=wait)
        except TimeoutError:
            raise OSError(f"no worker of {address} came within {wait:g} s") from None
        executor = SameVersion(client.get_executor(retries=3, pure=False))
        done = threading.Event()
        watching = threading.Thread(target=_watch, args=(client, executor, done, wait, say), daemon=True)
        watching.start()
        try:
            yield executor
        finally:
            done.set()
            watching.join()


def _watch(
    client: distributed.Client, executor: Executor, done: threading.Event, wait: float, say: Callable[[str], None]
) -> None:
    """Cancels every task when no worker has been there for so long."""
    last = time.monotonic()
    told = False
    while not done.wait(min(EVERY, wait / 4)):
        if _workers(client):
            last, told = time.monotonic(), False
        elif time.monotonic() - last > wait:
            say(f"no worker came within {wait:g} s: what is left stays undecided")
            executor.shutdown(wait=False)
            return
        elif not told:
            say(f"no worker is left; waiting {wait:g} s at most")
            told = True


def _workers(client: distributed.Client) -> int:
    """How many there are; none where the scheduler does not answer."""
    try:
        return len(client.nthreads())
    except (OSError, RuntimeError):
        return 0
