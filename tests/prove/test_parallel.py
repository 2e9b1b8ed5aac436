"""Claims in batches: a worker that is lost costs no claim but its own."""

from __future__ import annotations

from concurrent.futures import CancelledError, Executor, Future
from typing import Any

from layoutalg.layout import make_naive_tensor_descriptor as strided
from layoutalg.prove import Injective, prove_all

FATAL = Injective(strided((4, 3), (1, 1)))
CLAIMS = [Injective(strided((4, 2), (n, 1))) for n in range(1, 200)]


class Fragile(Executor):
    """Does at once what it is given, but loses every batch with one claim in it."""

    def __init__(self, most: int = 10**6) -> None:
        self.batches: list[int] = []
        self.most = most

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        if len(self.batches) == self.most:
            raise RuntimeError("no more")
        self.batches.append(len(args[0]))
        future: Future[Any] = Future()
        if FATAL in args[0]:
            future.set_exception(CancelledError())
        else:
            future.set_result(function(*args, **kwargs))
        return future


def test_claims_are_handed_over_in_batches_and_those_of_a_lost_one_again_each_alone() -> None:
    told: list[int] = []
    executor = Fragile()
    found = prove_all([*CLAIMS[:100], FATAL, *CLAIMS[100:]], executor=executor, told=told.append)
    assert max(executor.batches) > 1
    assert executor.batches.count(1) == max(executor.batches)
    assert [v.name for v in found[:100] + found[101:]] == ["refuted"] + ["proved"] * (len(CLAIMS) - 1)
    assert found[100].name == "unknown"
    assert "its worker was lost: CancelledError" in found[100].reason
    assert sum(told) == len(found)


def test_an_executor_that_stops_leaves_the_rest_undecided() -> None:
    found = prove_all(CLAIMS, executor=Fragile(most=2))
    assert {v.name for v in found[:4]} == {"refuted", "proved"}
    assert {v.reason.split(": ")[-1] for v in found if v.name == "unknown"} == {"no more"}
