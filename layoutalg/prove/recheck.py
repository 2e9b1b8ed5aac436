"""Certificates decided again by other solvers: cvc5 for integers, bitwuzla for bit-vectors (the extra `recheck`).

What a directory says is not believed.  Whoever asks brings the claims, made anew from their source; what certificates
they come to is made anew as well, and the directory must hold that: each claim, its words, its layout, its verdict, its
certificates, and of each of them every byte.  The other solver is asked the text that was made anew.  From the
directory come only the steps of a proof, the points of a counterexample, and whether transforms are looked at one by
one: a step is true by its form, a point is replayed, so it does not matter who found them.

| of a claim  | means                                                                                       |
|-------------|---------------------------------------------------------------------------------------------|
| agrees      | the directory holds what the claim comes to, and the other solver agrees with each text     |
| disagrees   | the other solver gives the opposite of an answer: one of the two is wrong                   |
| undecided   | the other solver has used its seconds, says unknown, or refuses a text; or the claim is     |
|             | neither proved nor refuted when it is made anew                                             |
| altered     | the directory says something else than the claim comes to, or lacks it                      |

A certificate has the same four results.  Only the first is a pass, and what of a claim has no certificate rests on this
library alone.  Each text is decided in a process that is ended when it overruns: its seconds are the processor's, so
that a busy machine gives the same answers, later; the clock ends what takes `SLACK` times as long.

What it cannot see: a claim that was never the source's, and that the source was another one when it was checked.
"""

from __future__ import annotations

import importlib.util
import json
import multiprocessing
import signal
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from pathlib import Path
from typing import Any

from layoutalg.disk import read_whole
from layoutalg.index.budget import SLACK
from layoutalg.lazy import lazy_imports
from layoutalg.prove.certificates import FORMAT, MANIFEST, Claims, certified
from layoutalg.prove.outcome import Limits
from layoutalg.prove.portfolio import DEFAULT
from layoutalg.records import dataclass

with lazy_imports():
    import bitwuzla
    import cvc5

GRACE = 5.0
"""Seconds of the clock that a process gets to start."""


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


@dataclass(frozen=True)
class RecheckedClaim:
    """What became of one claim: its verdict made anew, what is altered, its certificates; true where all agrees.

    `alone`: what of it no other solver was asked, and what decided it.
    """

    name: str
    verdict: str
    altered: str = ""
    certificates: tuple[Rechecked, ...] = ()
    alone: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.result == "agrees"

    @property
    def result(self) -> str:
        """`agrees`, `disagrees`, `undecided` or `altered`."""
        if self.verdict == "unknown":
            return "undecided"
        found = {"altered" if self.altered else "agrees", *(c.result for c in self.certificates)}
        return next(kind for kind in ("altered", "disagrees", "undecided", "agrees") if kind in found)


def recheck(
    directory: str | Path,
    claims: Claims,
    *,
    strategy: str | None = None,
    limits: Limits = DEFAULT,
    jobs: int = 2,
    seconds: float = 10.0,
) -> list[RecheckedClaim]:
    """The claims made anew, each held against what the directory says of it, and its certificates decided again.

    `seconds`: what the other solver gets for each text, which it decides once, whatever claims rest on it.
    ImportError says what to install where a solver is missing; OSError and ValueError, that there is no manifest.
    """
    folder = Path(directory)
    said = _said(folder)
    _require({str(c["arithmetic"]) for entry in said.values() for c in entry["certificates"]})
    made = certified(claims, strategy=strategy, limits=limits, told=said)
    every = {c["file"]: c["arithmetic"] for entry in made.entries for c in entry["certificates"]}
    whole = [file for file in every if _holds(folder / file, made.texts[file])]
    _require({every[file] for file in whole})
    answers = _answers([(made.texts[file], every[file], seconds) for file in whole], jobs, seconds)
    by_file = dict(zip(whole, answers, strict=True))
    found = [_rechecked(entry, said.pop(entry["name"], None), by_file) for entry in made.entries]
    return [*found, *(RecheckedClaim(name, "none", "nothing claims it") for name in said)]


def source(directory: str | Path) -> Mapping[str, Any]:
    """What the manifest says that its claims were made from; OSError and ValueError where there is none."""
    found = _manifest(Path(directory)).get("source")
    if not isinstance(found, dict):
        raise ValueError("its manifest does not say what the claims were made from")
    return found


def is_empty(directory: str | Path) -> bool:
    """Whether there is nothing to check: the manifest has no claims."""
    return _manifest(Path(directory)).get("claims") == []


def _said(folder: Path) -> dict[str, dict[str, Any]]:
    """The manifest's entries by name; ValueError where it is none that `write_certificates` writes."""
    entries = _manifest(folder).get("claims")
    if not (isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries)):
        raise ValueError("its manifest is none: claims")
    names = [entry.get("name") for entry in entries]
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise ValueError("its manifest is none: each claim has a name, its own")
    for entry in entries:
        parts = entry.get("certificates")
        if not (
            isinstance(parts, list) and all(isinstance(c, dict) and c.get("arithmetic") in tuple(SOLVER) for c in parts)
        ):
            raise ValueError(f"its manifest is none: certificates of {entry['name']:.100}")
    return dict(zip(names, entries, strict=True))


def _manifest(folder: Path) -> dict[str, Any]:
    try:
        manifest = json.loads(read_whole(folder / MANIFEST), object_pairs_hook=_unique)
    except RecursionError:
        raise ValueError("its manifest is none: nested too deep") from None
    if not isinstance(manifest, dict):
        raise ValueError("its manifest is none: no table")
    if manifest.get("format") != FORMAT and manifest.get("claims") != []:
        raise ValueError(f"it is of format {manifest.get('format')!r:.20}, read is {FORMAT}: write it anew")
    return manifest


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A table; ValueError where a key stands twice, of which one reader takes the first and another the last."""
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError("its manifest is none: a key twice in one table")
    return table


def _holds(path: Path, text: str) -> bool:
    """Whether a file says this text, byte for byte."""
    try:
        return read_whole(path) == text.encode()
    except OSError:
        return False


def _rechecked(
    made: Mapping[str, Any], said: Mapping[str, Any] | None, answers: Mapping[str, tuple[str, float]]
) -> RecheckedClaim:
    found = []
    for c in made["certificates"]:
        answer, spent = answers.get(c["file"], ("altered", 0.0))
        solver = SOLVER[c["arithmetic"]]
        found.append(Rechecked(c["file"], made["name"], c["label"], c["expected"], answer, solver, spent))
    alone = tuple(f"{u['label']} ({u['strategy']}): {u['why']}" for u in made["uncertified"])
    if not (alone or found):
        alone = ("the ranges of its values settle it",)
    return RecheckedClaim(made["name"], made["verdict"], _difference(said, made), tuple(found), alone)


def _difference(said: Mapping[str, Any] | None, made: Mapping[str, Any]) -> str:
    """What the manifest says otherwise than the claim made anew; empty where it says the same."""
    if said is None:
        return "it is left out"
    if said.keys() != made.keys():
        return f"other keys: {', '.join(sorted(said.keys() ^ made.keys()))}"[:200]
    if said["verdict"] != made["verdict"]:
        return f"verdict: {said['verdict']!r:.20}, it is {made['verdict']}"
    return ", ".join(key for key, value in made.items() if _told(said[key]) != _told(value))


def _told(value: Any) -> Any:
    """What is held against each other: not which strategy decided, which the machine's speed has a part in."""
    if isinstance(value, list):
        return [_told(part) for part in value]
    return {key: v for key, v in value.items() if key != "strategy"} if isinstance(value, dict) else value


SOLVER = {"integers": "cvc5", "bit-vectors": "bitwuzla"}
"""Which solver decides which arithmetic."""


def _require(arithmetics: set[str]) -> None:
    missing = sorted(SOLVER[a] for a in arithmetics if importlib.util.find_spec(SOLVER[a]) is None)
    if missing:
        raise ImportError(f"{' and '.join(missing)} cannot be imported: pip install {' '.join(missing)}")


def _answers(texts: Sequence[tuple[str, str, float]], jobs: int, seconds: float) -> list[tuple[str, float]]:
    """Each text's answer; a process that overruns or dies leaves its text undecided, and the rest to a new pool.

    It ends the others of its pool as well: whose text it was is seen where each that was lost is decided alone.
    """
    found: list[tuple[str, float]] = []
    while len(found) < len(texts):
        pool = ProcessPoolExecutor(min(jobs, len(texts)), mp_context=multiprocessing.get_context("spawn"))
        futures = [pool.submit(_decide, *text) for text in texts[len(found) :]]
        for future in futures:
            found.append(_result(future, seconds))
            if found[-1][0] == "lost":
                break
        for process in list(pool._processes.values()):
            process.kill()
        pool.shutdown(wait=False, cancel_futures=True)
        if found[-1][0] == "lost" and len(futures) > 1:
            found[-1:] = _answers(texts[len(found) - 1 : len(found)], 1, seconds)
    return found


def _result(future: Future[tuple[str, float]], seconds: float) -> tuple[str, float]:
    try:
        return future.result(timeout=SLACK * seconds + GRACE)
    except (FutureTimeoutError, BrokenExecutor, OSError, EOFError):
        return "lost", seconds
    except RuntimeError as error:  # the solver refuses the text
        return f"an error: {error}", 0.0


def _decide(text: str, arithmetic: str, seconds: float) -> tuple[str, float]:
    """The other solver's answer to one text, and the seconds of the processor that it took; more than these end it."""
    with suppress(AttributeError):  # Windows has no such timer: there the clock alone stops
        signal.setitimer(signal.ITIMER_PROF, seconds)
    start = time.process_time()
    answer = (_cvc5 if arithmetic == "integers" else _bitwuzla)(text)
    took = time.process_time() - start
    with suppress(AttributeError):
        signal.setitimer(signal.ITIMER_PROF, 0)
    return answer, took


def _cvc5(text: str) -> str:
    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "certificate")
    symbols = parser.getSymbolManager()
    answer = "unknown"
    while True:
        command = parser.nextCommand()
        if command.isNull():
            return answer
        if command.getCommandName() == "set-info":
            continue  # it would hold its answer against the status that the text tells, and give none
        printed = command.invoke(solver, symbols).strip()
        if printed in ("sat", "unsat", "unknown"):
            answer = printed


def _bitwuzla(text: str) -> str:
    manager = bitwuzla.TermManager()
    parser = bitwuzla.Parser(manager, bitwuzla.Options())
    parser.parse(text, True, False)
    result = parser.bitwuzla().check_sat()
    return {bitwuzla.Result.SAT: "sat", bitwuzla.Result.UNSAT: "unsat"}.get(result, "unknown")
