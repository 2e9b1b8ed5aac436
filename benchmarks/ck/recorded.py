"""What the audits of CK's kernels here share: a record for each, one line of JSON, the last of each counts; tables."""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.foreign.audit import cpu_seconds
from layoutalg.audit.audit import audit
from layoutalg.formats.model import SpecFile
from layoutalg.isa.decode.code import MachineCode

BUILD = Path("build/ck")
Record = dict[str, Any]


@dataclass(frozen=True)
class Records:
    """A file of records, each known by the values of some keys."""

    path: Path
    keys: tuple[str, ...]

    def add(self, found: Record) -> None:
        """Keeps one, and prints it."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            file.write(json.dumps(found) + "\n")
        print(json.dumps(found), flush=True)

    def last(self) -> dict[tuple[str, ...], Record]:
        """The last of each; what a later one does not say stands as it was, where it was not refused."""
        found: dict[tuple[str, ...], Record] = {}
        for one in map(json.loads, self.path.read_text().splitlines() if self.path.exists() else ()):
            key = tuple(one[name] for name in self.keys)
            found[key] = (found.get(key, {}) if "refused" not in one else {}) | one
        return found


def audited(code: MachineCode, file: SpecFile, seconds: float) -> Record:
    """The verdict, how many of each claim are proved, refuted or unknown, the first reasons, and the time."""
    start, begun = cpu_seconds(), time.monotonic()
    try:
        result = audit(code, file, seconds)
    except Exception as error:  # an audit that crashes is a finding
        why, verdict, counts = [f"{type(error).__name__}: {str(error)[:200]}"], "crash", {}
    else:
        counts = defaultdict[str, Counter[str]](Counter)
        for claim, _, one in result.claims:
            counts[claim][one.name] += 1
        why = [f"{claim}: {about}: {one.reason}"[:300] for claim, about, one in result.claims if not one]
        verdict = result.name
    spent = {"cpu": round(cpu_seconds() - start, 1), "wall": round(time.monotonic() - begun, 1)}
    return {"verdict": verdict, "claims": counts, "why": why[:6], **spent}


def table(head: Sequence[str], rows: Iterator[Sequence[Any]]) -> str:
    """A table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(str(cell).replace('|', '/') for cell in line)} |" for line in lines) + "\n"


def parser(about: str, what: str, names: Sequence[str], seconds: float) -> argparse.ArgumentParser:
    """What both command lines take: CK's folder, some of the names, how long an audit may take, the table alone."""
    made = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("ck", type=Path, nargs="?")
    made.add_argument(f"--{what}", nargs="+", default=list(names))
    made.add_argument("--seconds", type=float, default=seconds)
    made.add_argument("--report", action="store_true")
    return made
