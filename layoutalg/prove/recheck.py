"""Certificates decided again by other solvers: cvc5 for integers, bitwuzla for bit-vectors (the extra `recheck`).

| answer      | means                                                              |
|-------------|--------------------------------------------------------------------|
| agrees      | the other solver gives the answer that the certificate expects     |
| disagrees   | it gives the opposite: one of the two is wrong                     |
| undecided   | it stops at its time limit, says unknown, or refuses the text      |
| altered     | the file is not the one that the manifest names, or it is missing  |

Only the first is a pass.  Each file is decided in a process that is ended when it overruns.
"""

from __future__ import annotations

import json
import multiprocessing
import time
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass
from pathlib import Path

from layoutalg.prove.certificates import MANIFEST
from layoutalg.prove.content import digest

GRACE = 5.0
"""Seconds that a process gets beyond the solver's own limit, its start included."""


@dataclass(frozen=True)
class Rechecked:
    """What became of one certificate; true where the other solver agrees."""

    file: str
    claim: str
    label: str
    expected: str
    answer: str
    solver: str
    seconds: float

    def __bool__(self) -> bool:
        return self.result == "agrees"

    @property
    def result(self) -> str:
        """`agrees`, `disagrees`, `undecided` or `altered`."""
        if self.answer in ("sat", "unsat"):
            return "agrees" if self.answer == self.expected else "disagrees"
        return "altered" if self.answer == "altered" else "undecided"


def recheck(directory: str | Path, *, jobs: int = 2, seconds: float = 10.0) -> list[Rechecked]:
    """Every certificate that the manifest names, decided again (once, whatever claims rest on it).

    ImportError says what to install where a solver is missing; OSError and ValueError, that there is no manifest.
    """
    folder = Path(directory)
    manifest = json.loads((folder / MANIFEST).read_text())
    by_file = {c["file"]: (entry["name"], c) for entry in manifest["claims"][::-1] for c in entry["certificates"]}
    wanted = list(by_file.values())[::-1]
    _require({c["arithmetic"] for _, c in wanted})
    whole = {c["file"] for _, c in wanted if _is_whole(folder / c["file"], c["sha256"])}
    files = [(str(folder / c["file"]), c["arithmetic"], seconds) for _, c in wanted if c["file"] in whole]
    answers = iter(_answers(files, jobs, seconds))
    found = []
    for name, c in wanted:
        answer, spent = next(answers) if c["file"] in whole else ("altered", 0.0)
        solver = SOLVER[c["arithmetic"]]
        found.append(Rechecked(c["file"], name, c["label"], c["expected"], answer, solver, spent))
    return found


def uncovered(directory: str | Path) -> list[str]:
    """The claims that do not rest on certificates alone: what ranges settle, or no solver can be asked, has none."""
    claims = json.loads((Path(directory) / MANIFEST).read_text())["claims"]
    return [entry["name"] for entry in claims if entry["uncertified"] or not entry["certificates"]]


SOLVER = {"integers": "cvc5", "bit-vectors": "bitwuzla"}
"""Which solver decides which arithmetic."""


def _require(arithmetics: set[str]) -> None:
    import importlib.util

    missing = sorted(SOLVER[a] for a in arithmetics if importlib.util.find_spec(SOLVER[a]) is None)
    if missing:
        raise ImportError(f"{' and '.join(missing)} cannot be imported: pip install {' '.join(missing)}")


def _is_whole(path: Path, sha256: str) -> bool:
    try:
        return digest(path.read_text()) == sha256
    except (OSError, UnicodeDecodeError):
        return False


def _answers(files: Sequence[tuple[str, str, float]], jobs: int, seconds: float) -> list[tuple[str, float]]:
    """Each file's answer; a process that overruns or dies leaves its file undecided, and the rest to a new pool."""
    found: list[tuple[str, float]] = []
    while len(found) < len(files):
        pool = ProcessPoolExecutor(min(jobs, len(files)), mp_context=multiprocessing.get_context("spawn"))
        futures = [pool.submit(_decide, *file) for file in files[len(found) :]]
        for future in futures:
            answer = _result(future, seconds + GRACE)
            found.append(answer)
            if answer[0] == "lost":
                break
        for process in list(pool._processes.values()):
            process.kill()
        pool.shutdown(wait=False, cancel_futures=True)
    return found


def _result(future: Future[tuple[str, float]], limit: float) -> tuple[str, float]:
    try:
        return future.result(timeout=limit)
    except (FutureTimeoutError, BrokenExecutor, OSError, EOFError):
        return "lost", limit
    except RuntimeError as error:  # the solver refuses the text
        return f"an error: {error}", 0.0


def _decide(path: str, arithmetic: str, seconds: float) -> tuple[str, float]:
    """The other solver's answer to one file, and the seconds that it took."""
    start = time.perf_counter()
    answer = (_cvc5 if arithmetic == "integers" else _bitwuzla)(path, seconds)
    return answer, time.perf_counter() - start


def _cvc5(path: str, seconds: float) -> str:
    import cvc5

    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    solver.setOption("tlimit-per", str(int(seconds * 1000)))
    parser = cvc5.InputParser(solver)
    parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, path)
    symbols = parser.getSymbolManager()
    answer = "unknown"
    while True:
        command = parser.nextCommand()
        if command.isNull():
            return answer
        said = command.invoke(solver, symbols).strip()
        if said in ("sat", "unsat", "unknown"):
            answer = said


def _bitwuzla(path: str, seconds: float) -> str:
    import bitwuzla

    options = bitwuzla.Options()
    options.set(bitwuzla.Option.TIME_LIMIT_PER, int(seconds * 1000))
    manager = bitwuzla.TermManager()
    parser = bitwuzla.Parser(manager, options)
    parser.parse(path, True)
    result = parser.bitwuzla().check_sat()
    return {bitwuzla.Result.SAT: "sat", bitwuzla.Result.UNSAT: "unsat"}.get(result, "unknown")
