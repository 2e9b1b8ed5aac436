"""Audits every kernel of the corpora, and says how often the verdict is right, unknown or wrong.

    python -m benchmarks.foreign.audit [--targets gfx942 …] [--corpora corpus kernelbench triton twins FOLDER …]
                                       [--kernels …] [--seconds 20] [--jobs 2] [--no-edits] [--fresh]
    python -m benchmarks.foreign.audit --report

A record for each case goes to `build/foreign/audits.jsonl`, and what has one is not audited again; `--report` prints
the tables of all records.

| the kernel | proved safe | refuted | `computes` proved |
|---|---|---|---|
| is right | right | wrong | right |
| breaks | wrong | right | wrong |
| differs: only what comes out is wrong | nothing is said | nothing is said | wrong |
| is in doubt: no run shows anything | to be looked at | to be looked at | to be looked at |

Of `twins` (right kernels with one seeded fault each, `twins.toml`) it says too whether a run names the fault's line.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import resource
import signal
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from benchmarks.foreign.cases import BREAKS, DOUBT, RIGHT, Case, cases
from benchmarks.foreign.twins import TWINS, TwinCase, twin_cases
from layoutalg.audit.audit import Audit, audit
from layoutalg.errors import DeviceError
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.prove import Refuted

STATE = Path("build/foreign/audits.jsonl")
COMPUTES = "computes"
PROVED, REFUTED, UNKNOWN, NONE = "proved", "refuted", "unknown", ""
Record = dict[str, Any]

#: A clock's tick in /proc (proc_pid_stat(5)).
TICK = 1 / os.sysconf("SC_CLK_TCK")


def cpu_seconds() -> float:
    """CPU time of this process and its children, the solver among them."""
    ended, own = resource.getrusage(resource.RUSAGE_CHILDREN), str(os.getpid())
    found = time.process_time() + ended.ru_utime + ended.ru_stime
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent, *rest = path.read_text().rpartition(")")[2].split()[1:]
        except OSError:  # it has just ended
            continue
        found += sum(map(int, rest[9:13])) * TICK if parent == own else 0
    return found


def verdict(found: Audit, of: Callable[[str], bool]) -> str:
    """The verdict of those claims: proved where all are; empty where there are none."""
    names = {one.name for claim, _, one in found.claims if of(claim)}
    for worst in (REFUTED, UNKNOWN, PROVED):
        if worst in names:
            return worst
    return NONE


def judged(truth: str, safe: str, computes: str) -> str:
    """Whether verdicts are right, by what is true of the kernel; unknown where nothing wrong is said, and too little.

    >>> judged(RIGHT, "proved", ""), judged(BREAKS, "proved", ""), judged("differs", "proved", "refuted")
    ('right', 'wrong', 'right')
    """
    if truth == DOUBT:
        return DOUBT
    if truth == RIGHT:
        if REFUTED in (safe, computes):
            return "wrong"
        return "right" if safe == PROVED else UNKNOWN
    if PROVED in ((safe, computes) if truth == BREAKS else (computes,)):
        return "wrong"
    return "right" if REFUTED in (safe, computes) else UNKNOWN


def audited(case: Case, seconds: float) -> Record:
    """What an audit says of a case."""
    record: Record = {"name": case.name, "corpus": case.corpus, "kernel": case.kernel, "target": case.target,
                      "kind": case.kind, "edit": case.edit, "truth": case.truth, "claims": {}, "why": []}  # fmt: skip
    try:
        code, file = decode_kernel(case.binary()), case.file
    except DeviceError as error:
        return record | {
            "safe": UNKNOWN,
            "computes": NONE,
            "judged": UNKNOWN,
            "why": [f"not read: {error}"],
            "cpu": 0.0,
        }
    start = cpu_seconds()
    try:
        found = audit(code, file, seconds)
    except DeviceError as error:
        spent = cpu_seconds() - start
        return record | {
            "safe": UNKNOWN,
            "computes": NONE,
            "judged": UNKNOWN,
            "why": [f"refused: {error}"],
            "cpu": spent,
        }
    spent = cpu_seconds() - start
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for claim, _, one in found.claims:
        counted[claim][one.name] += 1
    safe, computes = (verdict(found, of) for of in (lambda claim: claim != COMPUTES, lambda claim: claim == COMPUTES))
    why = [(claim, about, one.name, str(one.reason)[:200]) for claim, about, one in found.claims if not one]
    why.sort(key=lambda one: one[2] != REFUTED)
    run = any(isinstance(one, Refuted) and "a run" in str(one.reason) for _, _, one in found.claims)
    if isinstance(case, TwinCase):
        record |= case.named(run.address for run in found.shown.values())
    return record | {"safe": safe, "computes": computes, "judged": judged(case.truth, safe, computes), "run": run,
                     "claims": counted, "why": why[:3], "cpu": round(spent, 2)}  # fmt: skip


def _cases(target: str, corpora: Sequence[str], edits: bool) -> Iterator[Case]:
    """The cases of some corpora, twins among them."""
    yield from cases(target, [one for one in corpora if one != TWINS], edits)
    yield from twin_cases(target) if TWINS in corpora else ()


class TooLongError(Exception):
    """An audit that takes far longer than it was given."""


def _late(_signal: int, _frame: FrameType | None) -> None:
    raise TooLongError


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raises `TooLongError` where so many seconds have passed."""
    signal.signal(signal.SIGALRM, _late)
    signal.alarm(math.ceil(seconds))
    try:
        yield
    finally:
        signal.alarm(0)


def _work(work: tuple[Case, float]) -> Record:
    case, seconds = work
    try:
        with within(4 * seconds + 30):
            return audited(case, seconds)
    except TooLongError:
        why, outcome = "no end", UNKNOWN
    except Exception as error:  # an audit that crashes is a finding
        why, outcome = f"crash: {type(error).__name__}: {error}", "crash"
    return {"name": case.name, "corpus": case.corpus, "kernel": case.kernel, "target": case.target, "kind": case.kind,
            "edit": case.edit, "truth": case.truth, "safe": UNKNOWN, "computes": NONE, "judged": outcome,
            "claims": {}, "why": [why], "cpu": 4 * seconds + 30}  # fmt: skip


def records() -> list[Record]:
    """All that was audited, the last word on each case."""
    lines = STATE.read_text().splitlines() if STATE.exists() else []
    return list({record["name"]: record for record in map(json.loads, lines)}.values())


def _table(head: Sequence[str], rows: Iterator[Sequence[Any]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines) + "\n"


def _shares(of: Sequence[Record]) -> Sequence[Any]:
    counted = Counter(one["judged"] for one in of)
    return [len(of), counted["right"], counted[UNKNOWN], counted["wrong"]]


def report(of: Sequence[Record]) -> str:
    """The tables of some records."""
    groups: dict[tuple[str, ...], list[Record]] = defaultdict(list)
    for one in of:
        groups[one["corpus"], one["truth"], one["target"]].append(one)
    parts = [_table(
        ("corpus", "kernels", "target", "count", "right", "unknown", "wrong", "a run shows it", "CPU: median", "worst"),
        ((corpus, truth, target, *_shares(part), sum(bool(one.get("run")) for one in part),
          f"{statistics.median(one['cpu'] for one in part):.2f} s", f"{max(one['cpu'] for one in part):.1f} s")
         for (corpus, truth, target), part in sorted(groups.items()))),
    ]  # fmt: skip
    parts += [_of_twins([one for one in of if one["corpus"] == TWINS])]
    right = [one for one in of if one["truth"] == RIGHT]
    kinds = {one["corpus"] + ": " + one["kind"]: None for one in right}
    parts.append(_table(("kind of right kernels", "count", "right", "unknown", "wrong"), (
        (kind, *_shares([one for one in right if f"{one['corpus']}: {one['kind']}" == kind])) for kind in sorted(kinds)
    )))  # fmt: skip
    claims = sorted({claim for one in right for claim in one["claims"]})
    parts.append(_table(("claim, of right kernels", "kernels", PROVED, UNKNOWN, REFUTED), (
        _of_claim(claim, [one["claims"][claim] for one in right if claim in one["claims"]]) for claim in claims
    )))  # fmt: skip
    reasons = Counter(_reason(one) for one in right if one["judged"] == UNKNOWN)
    parts.append(_table(("why right kernels stay unknown", "kernels"), iter(reasons.most_common(25))))
    parts += [
        f"{one['judged']}: {one['name']}: {one['why'][:2]}\n" for one in of if one["judged"] in ("wrong", "crash")
    ]
    parts += [
        f"in doubt, and {one['safe']}: {one['name']}\n"
        for one in of
        if one["truth"] == DOUBT and one["safe"] != UNKNOWN
    ]
    return "\n".join(parts)


def _of_twins(of: Sequence[Record]) -> str:
    """How twins are judged, by the kind of the fault, and all of them."""
    kinds = {kind: [one for one in of if one["kind"] == kind] for kind in sorted({one["kind"] for one in of})}
    head = ("seeded fault", "twins", PROVED, "refuted by a run that names the line", "by another", UNKNOWN)
    return _table(head, ((kind, *_of_kind(part)) for kind, part in [*kinds.items(), ("all", of)])) if of else ""


def _of_kind(of: Sequence[Record]) -> Sequence[Any]:
    refuted = [one for one in of if REFUTED in (one["safe"], one["computes"])]
    named, proved = sum(bool(one.get("named")) for one in refuted), sum(one["judged"] == "wrong" for one in of)
    return len(of), proved, named, len(refuted) - named, len(of) - len(refuted) - proved


def _of_claim(claim: str, counts: Sequence[Mapping[str, int]]) -> Sequence[Any]:
    refuted = sum(REFUTED in one for one in counts)
    unknown = sum(UNKNOWN in one and REFUTED not in one for one in counts)
    return claim, len(counts), len(counts) - refuted - unknown, unknown, refuted


def _reason(record: Record) -> str:
    first = record["why"][0] if record["why"] else "?"
    claim, text = (first[0], first[3]) if isinstance(first, list) else ("", first)
    return f"{claim}: {' '.join(word for word in text.split() if not any(map(str.isdigit, word)))[:70]}"


def main(arguments: Sequence[str]) -> int:
    """Audits, and prints what came of it; 1 where something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--targets", nargs="+", default=["gfx942"])
    parser.add_argument("--corpora", nargs="+", default=["corpus", "kernelbench", "triton"])
    parser.add_argument("--kernels", nargs="+", default=[])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--no-edits", action="store_true")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--report", action="store_true")
    given = parser.parse_args(arguments)
    if given.fresh:
        STATE.unlink(missing_ok=True)
    if not given.report:
        done = {one["name"] for one in records()}
        every = (case for target in given.targets for case in _cases(target, given.corpora, not given.no_edits))
        work = [(case, given.seconds) for case in every
                if case.name not in done and (not given.kernels or case.kernel in given.kernels)]  # fmt: skip
        STATE.parent.mkdir(parents=True, exist_ok=True)
        with multiprocessing.get_context("fork").Pool(given.jobs) as pool, STATE.open("a") as out:
            for number, record in enumerate(pool.imap_unordered(_work, work), 1):
                out.write(json.dumps(record) + "\n")
                out.flush()
                if record["judged"] in ("wrong", "crash"):
                    print(f"{record['judged']}: {record['name']}: {record['why'][:2]}", flush=True)
                if number % 50 == 0:
                    print(f"{number} of {len(work)}", file=sys.stderr, flush=True)
    found = records()
    print(report(found))
    return int(any(one["judged"] == "wrong" for one in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
