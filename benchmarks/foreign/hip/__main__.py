"""HIP sources of others, compiled as they are: how many compile, what the others miss, what comes of those that do.

    python -m benchmarks.foreign.hip --hecbench DIR --rocm-examples DIR [--every] [--target gfx942] [--json FILE]

Checkouts of zjin-lcf/HeCBench and ROCm/rocm-examples.  Which files: `sources.py`.  A file compiles, is refused by name
(it needs a library that layoutalg does without, and the message says which), makes no kernel (what it says of them is
in strings), or fails.  Kernels of those that compile
are audited with no launch file, and where there is a case (`rocm_examples.py`, `hecbench.py`) executed against numpy.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.foreign.hip import hecbench, rocm_examples, sources
from benchmarks.foreign.hip.compiled import COMPILES, Outcome, tried
from benchmarks.foreign.hip.sources import Source

CASES = (*rocm_examples.CASES, *hecbench.CASES)


def main() -> int:
    """A line of each file, then counts; 1 where anything crashes or a run differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hecbench", type=Path)
    parser.add_argument("--rocm-examples", type=Path)
    parser.add_argument("--every", action="store_true", help="all files of HeCBench, not 60")
    parser.add_argument("--with-cases", action="store_true", help="only files of which a kernel is executed")
    parser.add_argument("--no-audit", action="store_true", help="compile and execute alone")
    parser.add_argument("--only", default="", help="files whose path holds this")
    parser.add_argument("--target", default="gfx942")
    parser.add_argument("--json", type=Path, help="write all that was found")
    given = parser.parse_args()
    outcomes = [told(one, given.target, not given.no_audit) for one in chosen(given)]
    if given.json:
        given.json.write_text(json.dumps([vars(one) for one in outcomes], indent=1))
    summary(outcomes)
    return int(any(one.crashes or any(one.runs.values()) for one in outcomes))


def chosen(given: argparse.Namespace) -> list[Source]:
    """The files that are asked for."""
    named = {case.file for case in CASES}
    found: list[Source] = []
    if given.hecbench:
        every = sources.hecbench(given.hecbench.resolve())
        found += every if given.every or given.with_cases else sources.spread(sources.COUNT, every)
    if given.rocm_examples:
        found += sources.rocm_examples(given.rocm_examples.resolve())
    return [one for one in found if given.only in one.name and (one.name in named or not given.with_cases)]


def told(source: Source, target: str, audit: bool) -> Outcome:
    """What came of a file, in a line and one for each case."""
    outcome = tried(source, target, [case for case in CASES if case.file == source.name], audit)
    print(f"{outcome.name}: {outcome.what} {outcome.said}", flush=True)
    for kernel, how in outcome.runs.items():
        print(f"    {kernel}: {how or 'as numpy says'}", flush=True)
    return outcome


def summary(outcomes: Sequence[Outcome]) -> None:
    """How many files compile, of each collection; the runs; what audits say; the names that are missing."""
    for collection in dict.fromkeys(one.name.partition("/")[0] for one in outcomes):
        counted = Counter(one.what for one in outcomes if one.name.startswith(collection))
        said = ", ".join(f"{n} {what}" for what, n in counted.most_common())
        print(f"{collection}: {counted.total()} files, {said}: {counted[COMPILES] / counted.total():.0%}")
    runs = [how for one in outcomes for how in one.runs.values()]
    print(f"{len(runs)} executed, {runs.count('')} as numpy says")
    audits = Counter(how.partition(":")[0] for one in outcomes for how in one.audits.values())
    print(f"{audits.total()} kernels audited: " + ", ".join(f"{n} {what}" for what, n in audits.most_common()))
    files, times = Counter[str](), Counter[str]()
    for one in outcomes:
        files.update(set(one.missing))
        times.update(one.missing)
    print("| missing | files | times |", "|---|---|---|", sep="\n")
    for name, n in sorted(files.items(), key=lambda pair: (-pair[1], pair[0])):
        print(f"| `{name}` | {n} | {times[name]} |")


if __name__ == "__main__":
    sys.exit(main())
