"""Measures every access on the GPU of this machine and writes what its counters say.

    python3 benchmarks/banks/measure.py cuda --out benchmarks/banks/data/sm_90.json      (an NVIDIA GPU, nvcc, ncu)
    python3 benchmarks/banks/measure.py hip  --out …/gfx942.json --lanes 64              (an AMD GPU, hipcc, rocprofv3)

It builds the program of `kernels.py`, runs it under the profiler, and stores for each access of `accesses.py` the
count for reading and for writing.  It needs Python and numpy only, not layoutalg: what is measured knows nothing of the
model.  The hip part has not been run: see README.md.  With `--rivals TARGET` the accesses are those of rivals.json, on
which two models of that target's LDS differ.

| backend | counter                                                    | what it counts                                |
|---------|------------------------------------------------------------|-----------------------------------------------|
| cuda    | l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{ld,st}.sum  | cycles in which the data pipe served the wave |
| hip     | SQ_LDS_BANK_CONFLICT (with SQ_LDS_IDX_ACTIVE), 64 lanes    | cycles lost to conflicts                      |
| hip     | SQC_LDS_BANK_CONFLICT (with SQC_LDS_IDX_ACTIVE), 32 lanes  | the same, by RDNA's names                     |
"""

import argparse
import csv
import json
import shlex
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from accesses import Access, accesses
from kernels import KERNELS, program

WAVEFRONTS = {
    "read": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "write": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
}
BUILD = {"cuda": "nvcc -O2 -arch=native -o {binary} {source}", "hip": "hipcc -O2 -o {binary} {source}"}
PROFILE = {
    "cuda": "ncu --csv --page raw --print-units base --clock-control none --cache-control none --metrics {metrics} "
    "{binary} {lines}",
    "hip": "rocprofv3 --pmc {metrics} --output-format csv -d {folder} -o counters -- {binary} {lines}",
}
DEVICE = {
    "cuda": "nvidia-smi --query-gpu=name,driver_version --format=csv,noheader",
    "hip": "rocminfo",
}


def counters_of(backend: str, lanes: int) -> dict[str, str]:
    """The counter of reads, and that of writes; AMD's have another name where waves have 32 lanes."""
    conflict = f"{'SQC' if lanes == 32 else 'SQ'}_LDS_BANK_CONFLICT"
    return WAVEFRONTS if backend == "cuda" else {"read": conflict, "write": conflict}


def sh(command: str) -> str:
    done = subprocess.run(shlex.split(command), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command}\nfailed with {done.returncode}:\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def all_accesses(lanes: int, seed: int, families: Sequence[str]) -> list[Access]:
    """What is measured: 4, 8 and 16 bytes in full, 1 and 2 bytes with fewer draws; of all families or some."""
    found = accesses(lanes, seed) + accesses(lanes, seed + 1, widths=(1, 2), draws=1)
    return [one for one in found if not families or one.family in families]


def rivals(name: str) -> list[Access]:
    """The accesses of rivals.json for a target; the parameters say what each model predicts of reads or writes."""
    found = json.loads((Path(__file__).parent / "rivals.json").read_text())
    return [
        Access("rivals", f"{one['instruction']}: {one['conflicts']}", one["bytes"], tuple(one["addresses"]))
        for one in found
        if one["target"] == name
    ]


def launches(backend: str, measured: Sequence[Access]) -> list[tuple[int, int, str]]:
    """Each launch: the access's place, the kernel's number, and read or write."""
    number = {(k.access, k.width): n for n, k in enumerate(KERNELS[backend])}
    return [(i, number[way, a.width], way) for i, a in enumerate(measured) for way in ("read", "write")]


def ncu_counts(output: str, plan: Sequence[tuple[int, int, str]]) -> list[int]:
    """The counts from ncu's raw page: a row a launch, in order, after a row of units."""
    lines = output.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith('"ID"'))
    rows = list(csv.DictReader(lines[start:]))[1:]
    if len(rows) != len(plan):
        sys.exit(f"ncu reports {len(rows)} launches of {len(plan)}")
    counts = [int(float(row[WAVEFRONTS[way]].replace(",", ""))) for row, (_, _, way) in zip(rows, plan, strict=True)]
    if min(counts) < 1:
        sys.exit(f"launch {counts.index(min(counts))} made no access: did the compiler drop it?")
    return counts


def rocprof_counts(folder: Path, plan: Sequence[tuple[int, int, str]], counter: str) -> list[int]:
    """The counts from rocprofv3's table: a row for each dispatch and counter."""
    by_dispatch: dict[int, int] = {}
    for file in folder.rglob("*counter_collection.csv"):
        for row in csv.DictReader(file.open()):
            if row["Counter_Name"] == counter:
                by_dispatch[int(row["Dispatch_Id"])] = int(float(row["Counter_Value"]))
    if len(by_dispatch) != len(plan):
        sys.exit(f"rocprofv3 reports {len(by_dispatch)} dispatches of {len(plan)}")
    return [by_dispatch[key] for key in sorted(by_dispatch)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("backend", choices=sorted(KERNELS))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--lanes", type=int, default=32)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--families", nargs="*", default=[], help="only these families of accesses.py")
    parser.add_argument("--rivals", default="", help="a target: only the accesses on which its models differ")
    parser.add_argument("--build", type=Path, default=Path("build/banks"))
    arguments = parser.parse_args()
    backend, folder = arguments.backend, arguments.build.resolve()
    folder.mkdir(parents=True, exist_ok=True)

    measured = (
        rivals(arguments.rivals)
        if arguments.rivals
        else all_accesses(arguments.lanes, arguments.seed, arguments.families)
    )
    plan = launches(backend, measured)
    source, binary, lines = (
        folder / name for name in (f"banks.{'cu' if backend == 'cuda' else 'hip'}", "banks", "lines")
    )
    source.write_text(program(backend, arguments.lanes))
    lines.write_text("".join(f"{k} {' '.join(map(str, measured[i].addresses))}\n" for i, k, _ in plan))
    sh(BUILD[backend].format(binary=binary, source=source))
    sass = sh(f"cuobjdump --dump-sass {binary}") if backend == "cuda" else ""
    counters = counters_of(backend, arguments.lanes)
    names = [*dict.fromkeys(counters.values())]
    names += [one.replace("BANK_CONFLICT", "IDX_ACTIVE") for one in names if backend == "hip"]
    metrics = ("," if backend == "cuda" else " ").join(names)
    command = PROFILE[backend].format(metrics=metrics, binary=binary, lines=lines, folder=folder / "counters")
    output = sh(command)
    counts = (
        ncu_counts(output, plan) if backend == "cuda" else rocprof_counts(folder / "counters", plan, counters["read"])
    )

    found: list[dict[str, int]] = [{} for _ in measured]
    for (i, _, way), count in zip(plan, counts, strict=True):
        found[i][way] = count
    head = {
        "device": sh(DEVICE[backend]).strip().splitlines()[0],
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "command": " ".join(["python3", "benchmarks/banks/measure.py", *sys.argv[1:]]),
        "profiler": command.replace(str(folder), "build/banks"),
        "counters": counters,
        "instructions": sorted(
            line.split("*/")[1].split(";")[0].strip() for line in sass.splitlines() if " LDS" in line or " STS" in line
        ),
        "seed": arguments.seed,
    }
    rows = [
        json.dumps({"family": a.family, "parameters": a.parameters, "bytes": a.width, **f, "addresses": a.addresses})
        for a, f in zip(measured, found, strict=True)
    ]
    body = json.dumps(head, indent=2)[:-2] + ',\n  "accesses": [\n' + ",\n".join(rows) + "\n  ]\n}\n"
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(body)
    print(f"{len(measured)} accesses, {len(plan)} launches -> {arguments.out}")


if __name__ == "__main__":
    main()
