"""Writes RESULTS.md of the records, each disagreement with the cause that was found for it (`causes.toml`).

What differs, or dies, and has no cause is listed as not traced.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "RESULTS.md"
HEAD = """# Our executor beside other people's

`README.md` says what was done, and how to do it again; what was dispatched is in `cases.py`: the library's folders of
`kernels/` at sizes drawn by seeds (*library*), what the library chooses for odd shapes (*odd*), and the corpus
`tests/foreign` at two of each kernel's sizes, a ragged one and the last. Compared are all bytes of all buffers, and
what lies around them. *Ours at* is the commit of our executor.

| executor | version | built with |
|---|---|---|
| tinygrad's emulator | tinygrad/tinygrad a9069c177a9d, 2026-08-22 | Python 3.11, LLVM 19 (`DEV=CPU:LLVM`) |
| MGPUSim | sarchlab/mgpusim d01e70d5632a, 2026-03-14; sarchlab/akita v4.9.0 | Go 1.27.3 |
| remu | Qazalin/remu 043fe6297065, 2026-04-16; half 2.3.1, num-traits 0.2.17 | rustc 1.95.0 |
"""

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Cause:
    """A cause, and the kernels in which it shows: those whose names begin so."""

    executor: str
    what: str
    decided: str
    kernels: Sequence[str]
    targets: Sequence[str] = ()  # empty: all
    report: str = ""
    owner: str = "theirs"
    mended: bool = False  # with the line changed, the cases are exact
    seen: str = "none of these"  # where, if in no case

    def fits(self, kernel: str, target: str) -> bool:
        """Whether it is the cause of what a kernel does on a target."""
        return (not self.targets or target in self.targets) and kernel.startswith(tuple(self.kernels))


CAUSES = [Cause(**one) for one in tomllib.loads((Path(__file__).parent / "causes.toml").read_text())["cause"]]


@dataclass(frozen=True)
class Kind:
    """A column of the table."""

    title: str
    meaning: str


EXACT = Kind("exact", "all memory as our executor leaves it, bit for bit")
ALONE = Kind("right, ours unknown", "our executor does not know an instruction; the result is what must come out")
UNKNOWN = Kind("does not know", "an instruction, or what the kernel asks to be set up, is not known to the executor")
WRONG = Kind("theirs wrong", "it differs from ours, or died, and the cause is found in it")
OURS = Kind("ours wrong", "it differs from ours, and what must come out is theirs")
NEAR = Kind("both right", "not alike to the bit, and both within the kernel's stated tolerance")
OPEN = Kind("not traced", "it differs, or died, and no cause is known")
KINDS = (EXACT, NEAR, ALONE, UNKNOWN, WRONG, OURS, OPEN)


def cause(record: Record, executor: str) -> Cause | None:
    """What was found to be the cause of a disagreement."""
    fits = (one for one in CAUSES if one.executor == executor and one.fits(record["kernel"], record["target"]))
    return next(fits, None)


def kind(record: Record, executor: str) -> Kind:
    """The column of a record."""
    ours, outcome, right = record["ours"], record["outcome"], record.get("right")
    if outcome == "unknown":
        return UNKNOWN
    if outcome == "exact":
        return EXACT if ours == "right" else OPEN
    if outcome == "alone" and right:
        return ALONE
    if outcome == "differs" and right and ours == "wrong":
        return OURS
    if ours != "wrong" and cause(record, executor):
        return WRONG
    return NEAR if outcome == "differs" and right else OPEN


def write(state: Path) -> None:
    """RESULTS.md of the records in a folder."""
    records = {
        path.stem: [json.loads(line) for line in path.read_text().splitlines()]
        for path in sorted(state.glob("*.jsonl"), key=lambda path: ORDER.index(path.stem))
    }
    lines = [HEAD, *_table(records), "", *_unknown(records), "", *_disagreements(records)]
    RESULTS.write_text("\n".join(lines) + "\n")


ORDER = ("tinygrad", "mgpusim", "remu")
BUILDS = ("library", "odd", "foreign -O3", "foreign -O1")


def _table(records: Mapping[str, Sequence[Record]]) -> Iterator[str]:
    yield f"| executor | target | kernels | ours at | cases | {' | '.join(kind.title for kind in KINDS)} |"
    yield "|---|---|---|---|---|" + "---|" * len(KINDS)
    for executor, found in records.items():
        rows: dict[tuple[str, str, str], list[Record]] = defaultdict(list)
        for record in found:
            rows[record["target"], record["build"], record["at"]].append(record)
        for (target, build, at), some in sorted(rows.items(), key=lambda row: (row[0][0], BUILDS.index(row[0][1]))):
            count = Counter(kind(record, executor) for record in some)
            numbers = " | ".join(str(count[one] or "") for one in KINDS)
            yield f"| {executor} | {target} | {build} | {at} | {len(some)} | {numbers} |"
    yield ""
    yield from (f"- *{one.title}*: {one.meaning}." for one in KINDS)


def _unknown(records: Mapping[str, Sequence[Record]]) -> Iterator[str]:
    yield "## What they do not know"
    yield "By kernels and targets; of each case the first instruction that stops it.\n"
    for executor, found in records.items():
        by_reason: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for record in found:
            if record["outcome"] == "unknown":
                by_reason[_reason(record["why"])].add((record["kernel"], record["target"]))
        listed = sorted(by_reason.items(), key=lambda item: (-len(item[1]), item[0]))
        yield f"- **{executor}**: {'; '.join(f'{reason} ({len(builds)})' for reason, builds in listed)}."


def _reason(why: str) -> str:
    """A reason without what is only of one place."""
    for pattern, text in _REASONS:
        if found := re.match(pattern, why):
            return found.expand(text)
    return why


_REASONS = (
    (r"panic: instruction format (\w+), opcode (\d+) not found.*", r"opcode \2 of \1"),
    (r"panic: Opcode (\d+) for (\w+) format is not implemented", r"opcode \1 of \2"),
    (r"panic: (.*)", r"\1"),
    (r"(\w+)\(.*?\): \w+: (.*)", r"`\1`: \2"),
    (r"unknown \w+ format word=(0x\w+)", r"the format of \1"),
    (r"assertion `left == right` failed", r"an operand selection that it asserts not to be"),
)


def _disagreements(records: Mapping[str, Sequence[Record]]) -> Iterator[str]:
    yield "## Disagreements, by their cause"
    yield "Where the cause is marked ✓, the line was changed in a copy of the executor, and the cases are exact then.\n"
    yield "| executor | cause | owner | decided by | ✓ | cases |"
    yield "|---|---|---|---|---|---|"
    for one in CAUSES:
        hit = [record for record in records.get(one.executor, ()) if kind(record, one.executor) in (WRONG, OURS)
               and cause(record, one.executor) is one]  # fmt: skip
        kernels = ", ".join(dict.fromkeys(record["kernel"].split(" ")[0] for record in hit))
        report = f" ([report](reports/{one.report}.md))" if one.report else ""
        cases = f"{len(hit)}: {kernels}" if hit else one.seen
        yield f"| {one.executor} | {one.what}{report} | {one.owner} | {one.decided} | {'✓' * one.mended} | {cases} |"
    yield ""
    rest = [
        (executor, record) for executor, found in records.items() for record in found if kind(record, executor) is OPEN
    ]
    yield f"Not traced: {len(rest)}."
    for executor, record in rest:
        shown = [record[name] for name in ("target", "build", "kernel", "sizes", "ours", "outcome")]
        yield f"- {executor}: {' '.join(map(str, shown))} {record.get('why', '')}"
