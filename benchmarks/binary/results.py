"""RESULTS.md of honest builds and of mutants: tables, and every row that is not as it should be."""

from __future__ import annotations

import datetime
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.binary.mutants import OPERATORS

Row = Mapping[str, Any]

IN_LOOP = "in a loop"
"""Begins the key of a mutant of a loop."""

INTRODUCTION = """# Machine code: honest builds and mutants

Can the verifier of machine code be fooled?  Every kernel of `kernels/` is compiled for five AMD targets by compilers of
several versions at several levels, carried out instruction by instruction on small ragged sizes, and compared to the
bit; then binaries with one thing wrong are carried out and proved.

    python -m benchmarks.binary.run builds --compilers WHEELS
    python -m benchmarks.binary.run proofs --levels 3
    python -m benchmarks.binary.run proofs --levels 123s --compilers WHEELS --targets gfx942 gfx1100
    python -m benchmarks.binary.run mutants
    python -m benchmarks.binary.run mutants --loops --each 16
    python -m benchmarks.binary.run report
"""


FOUND = """These are a compiler's own faults: clang 16.0.6 at -O0 reloads registers at the head of a block before it
restores EXEC (LLVM's pull request 69924).  In `reduce_max` for gfx1100 `scratch_load_b64` and `scratch_load_b32` stand
before `s_or_b32 exec_lo, exec_lo, s0`; for gfx90a it is the same defect with another place to spill to: seven
`v_accvgpr_read_b32` stand before `s_or_b64 exec, exec, s[4:5]`.  Lanes that come back have no values in what was
reloaded, compute an address from it, and store to no buffer.  Here nothing is changed but that order, and what comes
out is carried out and proved.  Later versions restore EXEC first.

    python -m benchmarks.binary.run mended --compilers WHEELS/0.11.0 --only --levels 0
"""


CUTTING = ("clang 16", "clang 17", "clang 18")
ROUNDED = """Found and mended: clang 17 and 18 turn f32 into bf16 by cutting off the low half (`v_lshrrev_b32 16`,
`global_store_short_d16_hi`), not by rounding to nearest, and clang 16 refuses the cast; `cast` was refuted and
`contraction_bf16` not proved.  Kernels carry their own rounding for such compilers now, which is what is run and proved
here (`layoutalg/kernel/emit/conversions.py`).
"""


MENDED = """Found and mended: a gfx12 barrier whose signal is left out (so its wait hangs) was proved.  Signal and
wait must be pairs now (`tests/refine/test_refinement_barriers.py`).  Refuted where no run differs: the witness has
sizes beyond those of the runs (a sign extension cut off), or what is stored to LDS differs where nothing reads it.
Also an `s_load` of more bytes than the arguments' segment has, of which nothing was used
(`tests/symex/machine/test_machine_arguments.py`), and, found by hand, two estimates of equal quotients taken for one
(`tests/symex/idioms/test_reciprocal.py`).
"""


LOOPS = """Each changes an instruction of the loop over k, or one that leaves it, and was run on ragged sizes for which
the loop is gone through at least three times.
"""


def write(builds: Iterable[Row], proofs: Iterable[Row], mended: Iterable[Row], mutants: Iterable[Row]) -> None:
    """Writes RESULTS.md beside this file."""
    rows = list(mutants)
    elsewhere = [row for row in rows if row["key"][0] != IN_LOOP]
    in_loops: list[Row] = [{**row, "key": row["key"][1:]} for row in rows if row["key"][0] == IN_LOOP]
    today = datetime.datetime.now(tz=datetime.UTC).date()
    tools = ", ".join(f"{name} {version(name)}" for name in ("ziglang", "tinygrad", "numpy", "z3-solver"))
    parts = [INTRODUCTION, f"{today}; {tools}.\n", *_builds(list(builds)), *_proofs(list(proofs)),
             *_mended(list(mended)), *_mutants(elsewhere, "Mutants", MENDED),
             *_mutants(in_loops, "Mutants in loops", LOOPS)]  # fmt: skip
    (Path(__file__).parent / "RESULTS.md").write_text("\n".join(parts) + "\n")


def _table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    titles = list(head)
    lines = [titles, ["---"] + ["---:"] * (len(titles) - 1), *([str(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _builds(rows: list[Row]) -> Iterator[str]:
    yield "## Executed\n"
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row in rows:
        counts[row["key"][0], row["key"][1]][row["result"]] += 1
    total = Counter(row["result"] for row in rows)
    yield f"{len(rows)} builds: {', '.join(f'{n} {name}' for name, n in total.most_common())}.\n"
    kinds = ("exact", "WRONG", "fault", "refused", "not built")
    yield _table(
        ("compiler", "level", *kinds),
        ([name, f"-O{level}", *(found[kind] for kind in kinds)] for (name, level), found in sorted(counts.items())),
    )
    unbuilt = Counter((r["key"][0], r["key"][3], _reason(r["why"])) for r in rows if r["result"] == "not built")
    if unbuilt:
        yield "Not built, by the compiler's own words:\n"
        yield _table(
            ("compiler", "target", "builds", "why"),
            ([*key[:2], count, key[2]] for key, count in sorted(unbuilt.items())),
        )
    others = [r for r in rows if r["result"] in ("WRONG", "fault", "refused")]
    yield from _listed("Executed otherwise", others)
    if any(row["key"][0].startswith(CUTTING) for row in rows):
        yield ROUNDED


def _reason(why: str) -> str:
    return why.split("mend this first: ")[-1][:70].replace("|", "\\|")


def _listed(title: str, rows: list[Row]) -> Iterator[str]:
    if rows:
        yield f"{title}:\n"
        yield "\n".join(f"- {' · '.join(r['key'])}: {r.get('result', '')} {r.get('why', '')}" for r in rows) + "\n"


def _proofs(rows: list[Row]) -> Iterator[str]:
    if not rows:
        return
    yield "## Proved\n"
    built = [row for row in rows if row["result"] != "not built"]
    total = Counter(_told(row) for row in built)
    codes = len({row["code"] for row in built})
    by = "" if codes == 1 else f", by {codes} states of the code"
    yield f"{len(built)} proofs{by}: {', '.join(f'{n} {name}' for name, n in total.most_common())}.\n"
    by_kernel: dict[tuple[str, str, str], dict[str, Row]] = defaultdict(dict)
    for row in rows:
        compiler, level, kernel, target = row["key"]
        by_kernel[compiler, level, kernel][target] = row
    targets = sorted({row["key"][3] for row in rows})
    yield _table(
        ("compiler", "level", "kernel", *targets),
        ([c, f"-O{level}", k, *(_cell(found.get(t)) for t in targets)] for (c, level, k), found in by_kernel.items()),
    )
    yield from _reasons([row for row in built if row["result"] != "proved"])


def _told(row: Row) -> str:
    return row["result"] if row.get("run", "exact") == "exact" else f"{row['result']} and at fault in a run"


def _reasons(rows: list[Row]) -> Iterator[str]:
    """What stood in the way of proofs, the most frequent first, with one build for each."""
    if not rows:
        return
    grouped: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for row in rows:
        grouped[row["result"], row.get("run", ""), shape(row["why"])].append(row)
    yield "What stood in the way, the most frequent first:\n"
    yield _table(
        ("result", "a run", "builds", "for one", "reason"),
        (
            [result, run, len(found), " · ".join(found[0]["key"]), why.replace("|", "\\|")]
            for (result, run, why), found in sorted(grouped.items(), key=lambda item: -len(item[1]))
        ),
    )


_SHAPES = (
    (r"0x[0-9a-f]+ |at 0x[0-9a-f]+ ?|(?<=s) at 0x[0-9a-f]+", ""),  # where it is
    (r" \(for .*", ""),  # the witness
    (r"_\d+(_\d+)*|\d+", "…"),  # numbers of registers, elements and unknowns
)
"""What differs between reasons that are the same."""


def shape(why: str) -> str:
    """A reason without addresses, numbers and witnesses."""
    first = why.split("; ")[0]
    for pattern, said in _SHAPES:
        first = re.sub(pattern, said, first)
    return first[:160]


def _mended(rows: list[Row]) -> Iterator[str]:
    if not rows:
        return
    yield "## Mended\n"
    yield FOUND
    heads = ("build", "as it was built", "blocks in another order", "then", "and")
    cells = ([" · ".join(r["key"]), r["before"], r["blocks"], r["run"], _cell(r)] for r in rows)
    yield _table(heads, cells)


def _cell(row: Row | None) -> str:
    if row is None:
        return ""
    if row["result"] == "not built":
        return "–"
    return f"{row['result']} {row['seconds']:.1f} s" if "seconds" in row else str(row["result"])


def _mutants(rows: list[Row], title: str, said: str) -> Iterator[str]:
    if not rows:
        return
    yield f"## {title}\n"
    where = Counter((row["key"][0]) for row in rows)
    yield f"{len(rows)} mutants of -O3 binaries of {', '.join(f'{k} ({n})' for k, n in where.items())}.\n"
    groups: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        differs = "differs" if row["behaviour"] else "same"
        groups[row["key"][2]][f"{differs} {row['result']}"] += 1
        groups["all"][f"{differs} {row['result']}"] += 1
    kinds = [f"{differs} {v}" for differs in ("differs", "same") for v in ("refuted", "unknown", "refused", "proved")]
    order = [*(operator for operator in OPERATORS if operator in groups), "all"]
    yield _table(("operator", *kinds), ([name, *(groups[name][k] for k in kinds)] for name in order))
    seen = Counter(row["behaviour"] for row in rows if row["behaviour"])
    yield f"How a run shows it: {', '.join(f'{name} {n}' for name, n in seen.most_common())}.\n"
    yield "*differs* and *proved* must be empty.  *same* and not *proved*: no run differed, and no proof came.\n"
    yield said
    yield from _listed("Proved, and a run differs", [r for r in rows if r["behaviour"] and r["result"] == "proved"])
    yield from _listed(
        "Refuted, and no run differs", [r for r in rows if not r["behaviour"] and r["result"] == "refuted"]
    )
