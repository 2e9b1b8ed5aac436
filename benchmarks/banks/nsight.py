"""Shared and global memory of an NVIDIA GPU in one call: built, run under Nsight Compute, held against the model.

    python3 benchmarks/banks/nsight.py --out nsight.json     # an NVIDIA GPU, nvcc, ncu; exit 1 where a count differs

Each access of `accesses.py` is executed once, alone, in shared memory and in global memory.

| memory | counter | ours |
|---|---|---|
| shared | wavefronts of loads, of stores | cycles of the bank model (`memory.banks`) |
| global | sectors of loads, of stores | distinct segments of 32 bytes (`memory.coalescing`) |
| both | instructions of loads, of stores | 1 |
"""

import argparse
import csv
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parent))

from accesses import Access
from kernels import global_program, program
from layoutalg.memory.banks import cycles
from layoutalg.memory.coalescing import segments
from layoutalg.target import target
from measure import all_accesses, launches, sh

LANES, SECTOR = 32, 32
WAY = {"read": "ld", "write": "st"}
COUNTED = {
    "shared": ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum", "smsp__sass_inst_executed_op_shared_{}.sum"),
    "global": ("l1tex__t_sectors_pipe_lsu_mem_global_op_{}.sum", "smsp__sass_inst_executed_op_global_{}.sum"),
}


def predicted(memory: str, one: Access, way: str) -> int:
    """Wavefronts, or sectors."""
    if memory == "global":
        return int(segments(np.array(one.addresses), one.width, SECTOR))
    gpu = target("sm_90")
    return int(cycles(gpu, gpu.for_width(way, one.width), one.addresses))


def counts(memory: str, plan: Sequence[tuple[int, int, str]], measured: Sequence[Access], folder: Path) -> list[dict]:
    """What Nsight Compute counts of each launch."""
    source, binary, lines = (folder / f"{memory}{end}" for end in (".cu", "", ".lines"))
    source.write_text(program("cuda", LANES) if memory == "shared" else global_program(LANES))
    lines.write_text("".join(f"{k} {' '.join(map(str, measured[i].addresses))}\n" for i, k, _ in plan))
    sh(f"nvcc -O2 -arch=native -o {binary} {source}")
    names = ",".join(name.format(way) for name in COUNTED[memory] for way in WAY.values())
    command = f"ncu --csv --page raw --print-units base --clock-control none --cache-control none --metrics {names}"
    output = subprocess.run([*command.split(), str(binary), str(lines)], capture_output=True, text=True, check=True)
    rows = output.stdout.splitlines()
    table = list(csv.DictReader(rows[next(n for n, row in enumerate(rows) if row.startswith('"ID"')) :]))[1:]
    if len(table) != len(plan):
        sys.exit(f"ncu reports {len(table)} launches of {len(plan)}")
    return table


def compared(memory: str, measured: Sequence[Access], folder: Path) -> Iterator[dict]:
    """Each access of a memory: what was predicted, and what was counted."""
    plan = launches("cuda", measured)
    for (i, _, way), row in zip(plan, counts(memory, plan, measured, folder), strict=True):
        one = measured[i]
        found, issued = (int(float(row[name.format(WAY[way])].replace(",", ""))) for name in COUNTED[memory])
        yield {"memory": memory, "way": way, "family": one.family, "parameters": one.parameters, "bytes": one.width,
               "addresses": one.addresses, "predicted": predicted(memory, one, way), "counted": found,
               "instructions": issued}  # fmt: skip


def kept(found: Sequence[dict]) -> list[dict]:
    """Each access once, with what was counted: as `tests/memory/test_coalescing.py` reads it."""
    accesses: dict[tuple, dict] = {}
    for one in found:
        about = {name: one[name] for name in ("family", "parameters", "bytes", "addresses")}
        there = accesses.setdefault((*about.values(),), about)
        there.setdefault(one["memory"], {})[one["way"]] = one["counted"]
    return list(accesses.values())


def main() -> int:
    """Prints a line for each memory, way and width; 1 where a count differs."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--out", type=Path, required=True)
    given.add_argument("--seed", type=int, default=20)
    given.add_argument("--every", type=int, default=1, help="one access of so many: all of them take over 8 minutes")
    given.add_argument("--build", type=Path, default=Path("build/nsight"))
    wanted = given.parse_args()
    wanted.build.mkdir(parents=True, exist_ok=True)
    measured = all_accesses(LANES, wanted.seed, ())[:: wanted.every]
    found = [one for memory in COUNTED for one in compared(memory, measured, wanted.build.resolve())]
    device = sh("nvidia-smi --query-gpu=name,driver_version --format=csv,noheader").strip()
    about = {"device": device, "date": str(date.today()), "command": " ".join(["python3", *sys.argv])}
    lines = ",\n".join(json.dumps(one) for one in kept(found))
    wanted.out.write_text(json.dumps(about)[:-1] + f', "accesses": [\n{lines}\n]}}\n')
    kinds = Counter((one["memory"], one["way"], one["bytes"], _kind(one)) for one in found)
    print(device)
    for key, n in sorted(kinds.items()):
        print(*key, n)
    return int(any(_kind(one) != "equal" for one in found))


def _kind(one: dict) -> str:
    if one["instructions"] != 1:
        return f"{one['instructions']} instructions"
    more = one["counted"] - one["predicted"]
    return "equal" if more == 0 else "counted more" if more > 0 else "counted less"


if __name__ == "__main__":
    raise SystemExit(main())
