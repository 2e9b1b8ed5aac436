"""Solvers that hang, crash, starve or are interrupted give Unknown with the reason; a broken cache gives nothing."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from layoutalg.formats import load
from layoutalg.formats.check import check, check_all
from layoutalg.index import FALSE, TRUE, eq, negation, symbol, var, xor
from layoutalg.layout import make_naive_tensor_descriptor
from layoutalg.prove import ForAll, Injective, InjectiveMap, Limits, Onto, Verdict, parallel, prove, prove_all, solver
from layoutalg.prove.cache import Cache
from layoutalg.prove.content import content
from layoutalg.prove.decide import STRATEGIES
from layoutalg.prove.outcome import Holds
from layoutalg.prove.parallel import _batch

P, Q = symbol("p", min=2), symbol("q", min=2)
HARD = ForAll("no product is this", eq(eq(P * Q * P, 1_000_003 * 998_244_353 * 7), 0))
EASY = ForAll("a square is no less", P * P >= P)
WRONG = ForAll("x ^ 5 is not 13", negation(eq(xor(var("x", 64), 5), 13)))  # but for x = 8


def by_z3(obligation: Any, **limits: Any) -> Verdict:
    return prove(obligation, strategy="z3", limits=Limits(**limits))


def test_a_time_out_is_unknown_and_the_next_query_is_answered() -> None:
    by_z3(EASY)
    verdict = by_z3(HARD, seconds=0.3)
    assert verdict.name == "unknown"
    assert "z3" in verdict.reason or "0.3 s" in verdict.reason
    assert by_z3(EASY).name == "proved"


def test_a_solver_without_memory_is_unknown() -> None:
    verdict = by_z3(EASY, memory_mb=64)
    assert verdict.name == "unknown"
    assert "64 MB" in verdict.reason
    assert by_z3(EASY).name == "proved"


def test_a_solver_that_is_killed_is_started_again() -> None:
    assert by_z3(EASY).name == "proved"
    running = solver._PROCESS._running
    assert running is not None
    os.kill(running.pid, signal.SIGKILL)
    time.sleep(0.05)
    assert by_z3(ForAll("again", Q * Q >= Q)).name == "proved"


@pytest.mark.slow
def test_what_is_nested_too_deeply_for_the_solver_is_unknown() -> None:
    x = symbol("x")
    for _ in range(30_000):
        x = xor(x, Q) + 1
    verdict = by_z3(ForAll("deep", negation(eq(x, 7))), seconds=1)
    assert verdict.name == "unknown"
    assert "too deeply" in verdict.reason


def test_an_interrupt_leaves_no_half_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    by_z3(EASY)
    with monkeypatch.context() as patch:
        patch.setattr(solver._PROCESS, "_receive", interrupted)
        with pytest.raises(KeyboardInterrupt):
            by_z3(EASY)
    assert by_z3(WRONG).name == "refuted"
    assert by_z3(EASY).name == "proved"


@pytest.mark.parametrize("strategy", [None, "z3", "enumeration"])
def test_nothing_is_proved_from_assumptions_that_never_hold(strategy: str | None) -> None:
    i, j = var("i", 8), var("j", 8)
    for given in (FALSE, i + j >= 15, eq(i * 2, j * 2 + 1)):
        for obligation in (ForAll("i < j", i < j, given), InjectiveMap("i + j", (i, j), (i + j,), given)):
            assert prove(obligation, strategy=strategy).name == "unknown"


def test_the_cache_answers_without_the_solver_and_only_the_same_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = {"cache": str(tmp_path / "new" / "cache")}
    assert by_z3(EASY, **kept).name == "proved"
    assert by_z3(WRONG, **kept).name == "refuted"

    def unreachable(*_: Any) -> Any:
        raise AssertionError("the solver was asked")

    monkeypatch.setattr(solver._PROCESS, "ask", unreachable)
    assert by_z3(ForAll("under another name", P * P >= P), **kept).name == "proved"
    refuted = by_z3(WRONG, **kept)
    assert refuted.name == "refuted"
    assert "x" in refuted.reason
    with pytest.raises(AssertionError, match="the solver was asked"):
        by_z3(ForAll("another", Q * Q >= Q), **kept)


@pytest.mark.parametrize(
    "damage",
    [
        "",
        "{",
        "[]",
        "1",
        '{"key": "x"}',
        '{"points": []}',
        '{"points": [[1]]}',
        "[" * 200_000,
        '{"points": ' + "9" * 5000 + "}",
    ],
)
def test_a_damaged_entry_is_ignored_and_written_anew(tmp_path: Path, damage: str) -> None:
    kept = {"cache": str(tmp_path)}
    assert by_z3(WRONG, **kept).name == "refuted"
    (entry,) = tmp_path.glob("*.json")
    good = entry.read_text()
    entry.write_text(damage)
    assert by_z3(WRONG, **kept).name == "refuted"
    assert entry.read_text() == good


def test_an_entry_that_says_something_else_is_not_believed(tmp_path: Path) -> None:
    kept = {"cache": str(tmp_path)}
    assert by_z3(WRONG, **kept).name == "refuted"
    (entry,) = tmp_path.glob("*.json")
    good = json.loads(entry.read_text())
    assert by_z3(EASY, **kept).name == "proved"
    (other,) = {*tmp_path.glob("*.json")} - {entry}
    easy = json.loads(other.read_text())
    assert (good["answer"], easy["answer"], easy["points"]) == ("fails", "holds", [])
    wrong_points = [[n + 1 for n in point] for point in good["points"]]
    for forged in (
        {**good, "points": []}, {**good, "answer": "holds"}, {**good, "points": wrong_points}, easy,
        {**good, "points": [[10**30] * len(good["points"][0])]}, {**easy, "by": good["by"]},
        {**good, "points": [[True] * len(good["points"][0])]}, {**good, "points": [[0.5] * len(good["points"][0])]},
        {key: value for key, value in {**good, "answer": "holds", "points": []}.items() if key != "statement"},
    ):  # fmt: skip
        entry.write_text(json.dumps(forged))
        assert by_z3(WRONG, **kept).name == "refuted"
        assert json.loads(entry.read_text()) == good


def test_a_cache_that_cannot_be_written_keeps_nothing_and_hurts_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert by_z3(EASY, cache=str(tmp_path / "file")).name == "proved"


def test_a_full_disk_leaves_no_half_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("layoutalg.disk.os.replace", full)
    Cache(tmp_path).put(EASY, Holds("z3 integers"))
    assert list(tmp_path.iterdir()) == []


def test_content_tells_statements_apart_and_labels_not() -> None:
    assert content(EASY) == content(ForAll("another label", P * P >= P))
    others = [HARD, WRONG, ForAll("", symbol("p", min=1) * 2 >= P), ForAll("", P * P >= P, P >= 3)]
    assert len({content(o) for o in [EASY, *others]}) == 5


CLAIMS = [Injective(make_naive_tensor_descriptor((4, 3), (s, 1))) for s in (3, 2, 1, 4, 5)]
VERDICTS = ["proved", "refuted", "refuted", "proved", "proved"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_verdicts_come_in_the_order_of_the_claims(jobs: int) -> None:
    assert [v.name for v in prove_all(CLAIMS, jobs=jobs)] == VERDICTS


def test_any_executor_does() -> None:
    with ThreadPoolExecutor(3) as pool:
        assert [v.name for v in prove_all(CLAIMS, executor=pool, strategy="z3")] == VERDICTS


def test_a_forked_process_asks_a_solver_of_its_own() -> None:
    assert by_z3(EASY).name == "proved"
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
        found = prove_all([EASY, WRONG, EASY, WRONG], executor=pool, strategy="z3")
    assert [v.name for v in found] == ["proved", "refuted"] * 2
    assert by_z3(EASY).name == "proved"


class Dies(Injective):
    """A claim whose prover's process ends."""

    def local_obligations(self) -> None:
        os._exit(1)


def test_a_worker_that_dies_leaves_its_claims_unknown() -> None:
    found = prove_all([Dies(CLAIMS[0].descriptor), *CLAIMS], jobs=2)
    assert len(found) == len(CLAIMS) + 1
    assert found[0].name == "unknown"
    assert "lost" in found[0].reason
    for verdict, expected in zip(found[1:], VERDICTS, strict=True):
        assert verdict.name in (expected, "unknown")


class Interrupted(Executor):
    """Runs one task and is then interrupted."""

    def __init__(self) -> None:
        self.done = 0

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.done += 1
        if self.done > 1:
            raise KeyboardInterrupt
        future: Future[Any] = Future()
        future.set_result(function(*args, **kwargs))
        return future


def test_an_interrupt_gives_every_claim_a_verdict() -> None:
    found = prove_all(CLAIMS, executor=Interrupted())
    assert [v.name for v in found] == ["unknown"] * len(CLAIMS)
    assert {v.reason for v in found} == {"interrupted"}
    assert prove(ForAll("still here", TRUE)).name == "proved"


class Counting(ThreadPoolExecutor):
    """An executor that counts the claims that it is given, in batches."""

    count = 0

    def submit(self, function: Any, claims: Any, /, *args: Any, **kwargs: Any) -> Any:
        self.count += len(claims)
        return super().submit(function, claims, *args, **kwargs)


def test_claims_on_accesses_go_to_the_executor_too() -> None:
    spec = load("proofs/lds/mfma-operands.toml")
    with Counting(1) as executor:
        found = list(check(spec, executor=executor))
    assert executor.count == len(found) > 0
    assert [r.verdict.name for r in found] == [r.verdict.name for r in check(spec)]


@pytest.mark.slow
def test_the_claims_of_all_files_are_shared_out_by_one_pool_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    class Pool(ProcessPoolExecutor):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.handed = 0
            started.append(self)

        def submit(self, *args: Any, **kwargs: Any) -> Any:
            self.handed += 1
            return super().submit(*args, **kwargs)

    monkeypatch.setattr(parallel.futures, "ProcessPoolExecutor", Pool)
    specs = [load(path) for path in sorted(Path("proofs/transforms").glob("*.toml"))]
    found = check_all(specs, jobs=2)
    claims = [r.verdict.name for results in found for r in results]
    assert claims == [r.verdict.name for spec in specs for r in check(spec)]
    assert len(specs) > 1
    assert len(started) == 1
    assert 2 <= started[0].handed <= max(8, len(claims) // 16 + 1)


def test_one_claim_that_fails_costs_no_other_its_verdict() -> None:
    class Fails(Injective):
        def local_obligations(self) -> None:
            raise MemoryError("too large")

    found = _batch([Fails(CLAIMS[0].descriptor), *CLAIMS], None, Limits())
    assert [v.name for v in found] == ["unknown", *VERDICTS]
    assert "too large" in found[0].reason


@pytest.mark.parametrize("strategy", [None, *STRATEGIES])
@pytest.mark.parametrize("top", [(1 << 31) - 1, (1 << 63) - 1, 1 << 63, 1 << 80])
def test_numbers_that_leave_64_bits_are_unknown_or_right(top: int, strategy: str | None) -> None:
    x, y, i = symbol("x", min=0, max=top), symbol("y", min=-top, max=top), var("i", top)
    hold = (
        ForAll("digits", eq(x // 3 * 3 + x % 3, x), x > 5),
        ForAll("square", x * x >= x, x >= y),
        ForAll("bits", xor(x, 1) >= 0, eq(x % 2, y % 2)),
        InjectiveMap("odd", (i,), (i * 2 + 1,), i > 7),
    )
    fail = (InjectiveMap("halves", (i,), (i // 2,), i > 7), Onto("half", (i,), (i // 2,), (var("t", top),)))
    for obligation in (*hold, *fail):
        verdict = prove(obligation, strategy=strategy, limits=Limits(seconds=1, points=1 << 16))
        assert verdict.name in ("unknown", "proved" if obligation in hold else "refuted"), verdict


def test_the_solver_s_process_starts_where_the_system_limits_no_memory() -> None:
    """As on Windows, which has no module `resource`."""
    program = "import sys; sys.modules['resource'] = None; from layoutalg.prove import worker; worker.main()"
    done = subprocess.run([sys.executable, "-c", program, "2048"], input=b"", capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"ready" in done.stdout
