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

import importlib.util
import json
import multiprocessing
import time
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from layoutalg.disk import read_whole
from layoutalg.lazy import lazy
from layoutalg.prove.certificates import MANIFEST
from layoutalg.prove.content import digest

if TYPE_CHECKING:
    import bitwuzla
    import cvc5
else:
    bitwuzla = lazy("bitwuzla")
    cvc5 = lazy("cvc5")

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
    by_file = {c["file"]: (entry["name"], c) for entry in _claims(folder)[::-1] for c in entry["certificates"]}
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
    return [e["name"] for e in _claims(Path(directory)) if e["uncertified"] or not e["certificates"]]


def _claims(folder: Path) -> list[dict[str, Any]]:
    """The manifest's claims; ValueError where it is none that `write_certificates` wrote."""
    try:
        claims = json.loads(read_whole(folder / MANIFEST))["claims"]
        certificates = [c for entry in claims for c in (entry["name"], entry["uncertified"], entry["certificates"])[2]]
        texts = [c[key] for c in certificates for key in ("file", "label", "expected", "sha256")]
        known = all(c["arithmetic"] in SOLVER for c in certificates)
    except (TypeError, KeyError, RecursionError) as error:
        raise ValueError(f"its manifest is none: {error!r}"[:200]) from None
    if not (isinstance(claims, list) and known and all(isinstance(text, str) for text in texts)):
        raise ValueError("its manifest is none: fields of other types")
    return list(claims)


SOLVER = {"integers": "cvc5", "bit-vectors": "bitwuzla"}
"""Which solver decides which arithmetic."""


def _require(arithmetics: set[str]) -> None:
    missing = sorted(SOLVER[a] for a in arithmetics if importlib.util.find_spec(SOLVER[a]) is None)
    if missing:
        raise ImportError(f"{' and '.join(missing)} cannot be imported: pip install {' '.join(missing)}")


def _is_whole(path: Path, sha256: str) -> bool:
    try:
        return digest(read_whole(path).decode()) == sha256
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
        printed = command.invoke(solver, symbols).strip()
        if printed in ("sat", "unsat", "unknown"):
            answer = printed


def _bitwuzla(path: str, seconds: float) -> str:
    options = bitwuzla.Options()
    options.set(bitwuzla.Option.TIME_LIMIT_PER, int(seconds * 1000))
    manager = bitwuzla.TermManager()
    parser = bitwuzla.Parser(manager, options)
    parser.parse(path, True)
    result = parser.bitwuzla().check_sat()
    return {bitwuzla.Result.SAT: "sat", bitwuzla.Result.UNSAT: "unsat"}.get(result, "unknown")
