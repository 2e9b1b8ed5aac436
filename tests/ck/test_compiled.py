"""Questions are answered by threads, or by whoever is given; what a lost worker was asked is not answered."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, Future
from typing import Any

import pytest

from layoutalg.ck import compiled
from layoutalg.cli.cluster import dask_executor
from layoutalg.errors import CompileError, NoCompilerError
from layoutalg.formats.cpp import CppError, CppUnit, CppUnitError
from tests.optional import needed

UNIT = CppUnit("gfx942", ())
MANY = [f"{n} * 2" for n in range(60)]


class LosesTheSecond(Executor):
    """Does what it is given at once, and loses the second piece."""

    def __init__(self) -> None:
        self.given = 0

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.given += 1
        done: Future[Any] = Future()
        if self.given == 2:
            done.set_exception(RuntimeError("killed"))
        else:
            done.set_result(function(*args, **kwargs))
        return done


@pytest.fixture
def doubled(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A compiler that doubles, and how many questions it was asked at a time."""
    asked: list[int] = []

    def constants(unit: CppUnit, expressions: Mapping[str, str]) -> dict[str, int]:
        asked.append(len(expressions))
        return {name: int(text.split()[0]) * 2 for name, text in expressions.items()}

    monkeypatch.setattr(compiled, "constants", constants)
    return asked


def test_each_question_is_asked_once_in_units_of_a_few_dozen(doubled: list[int]) -> None:
    found = dict(compiled.answers(UNIT, [*MANY, *MANY], 2))
    assert found == {text: 2 * n for n, text in enumerate(MANY)}
    assert sorted(doubled) == [20, 20, 20]


def test_what_a_lost_worker_was_asked_is_no_answer(doubled: list[int]) -> None:
    found = dict(compiled.answers(UNIT, MANY, 1, LosesTheSecond()))
    assert len(found) == 60
    lost = [text for text, answer in found.items() if isinstance(answer, CompileError)]
    assert lost == MANY[1::3]
    assert str(found[lost[0]]) == "its worker was lost: killed"
    assert all(found[text] == 2 * n for n, text in enumerate(MANY) if text not in lost)


def test_too_much_at_once_is_halved_and_no_compiler_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def constants(unit: CppUnit, expressions: Mapping[str, str]) -> dict[str, int]:
        if "0" in expressions and expressions["0"] == "none":
            raise NoCompilerError("no compiler")
        if len(expressions) > 1 or "7 * 2" in expressions.values():
            raise CompileError("took over 120 s")
        return dict.fromkeys(expressions, 1)

    monkeypatch.setattr(compiled, "constants", constants)
    found = dict(compiled.answers(UNIT, MANY[:9], 1))
    assert [text for text, answer in found.items() if isinstance(answer, CompileError)] == ["7 * 2"]
    with pytest.raises(NoCompilerError):
        dict(compiled.answers(UNIT, ["none"], 1))


def test_an_error_of_the_headers_comes_whole_from_another_process() -> None:
    error = pickle.loads(pickle.dumps(CppUnitError(CppError("not found", "headers", 1))))
    assert (error.error, str(error)) == (CppError("not found", "headers", 1), "not found")


def _asked_elsewhere(address: str, questions: Sequence[str]) -> dict[str, Any]:
    with dask_executor(address) as executor:
        return dict(compiled.answers(UNIT, questions, 1, executor))


@pytest.mark.slow
def test_a_dask_clusters_workers_compile() -> None:
    distributed = needed("distributed", "dask")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as cluster:
        found = _asked_elsewhere(cluster.scheduler_address, [*MANY[:30], "nothing"])
    assert isinstance(found.pop("nothing"), CppError)
    assert found == {text: 2 * n for n, text in enumerate(MANY[:30])}
