"""Bank conflicts by the GPU's own counters, beside what was proved of each LDS access.

    python3 benchmarks/gpu/counters.py build/bench conflicts.json    # on a GPU's machine, with Nsight Compute

Each prepared kernel runs once under `ncu --clock-control none`.  A kernel whose every LDS access was proved free of
conflicts must take no more wavefronts of its LDS accesses than their bytes need at least; the others are listed with
what they take beyond.  (The counters `l1tex__data_bank_conflicts_…` also count waiting for other traffic of the same
data stage, global loads and stores: they are written out, but prove nothing.)
"""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

METRICS = {
    "load_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "store_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "dram_read": "dram__bytes_read.sum",
    "dram_written": "dram__bytes_write.sum",
    "tensor_active_percent": "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active",
    "lsu_active_percent": "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
    "issue_active_percent": "sm__issue_active.avg.pct_of_peak_sustained_elapsed",
    "registers": "launch__registers_per_thread",
    "nanoseconds": "gpu__time_duration.sum",
    "shared_wavefronts": "memory_l1_wavefronts_shared",
    "shared_wavefronts_ideal": "memory_l1_wavefronts_shared_ideal",
}


def launch_all(folder: Path) -> None:
    """Every candidate once, with random data; what is profiled."""
    import numpy as np

    from layoutalg.bench.measure import Runner
    from layoutalg.bench.prepare import read_prepared
    from layoutalg.device import choose_device

    class Plain:
        """Arrays, and nothing else."""

        def __init__(self, device: Any) -> None:
            self.device = device

        def random(self, shape: tuple[int, ...], dtype: str) -> Any:
            kind = {"f32": "f4", "f16": "f2"}[dtype]
            return self.device.array(np.random.default_rng().standard_normal(shape, "f4").astype(kind))

        poisoned = random

    device = choose_device("nvidia")
    prepared = read_prepared(folder)
    runner = Runner(prepared, device, Plain(device))
    seen: set[str] = set()
    for candidate in prepared.candidates:
        case = candidate.case
        if candidate.name in seen or case.bytes > 1 << 30:
            continue
        seen.add(candidate.name)
        operands = [runner.lab.random(shape, case.dtype) for shape in case.shapes]
        runner.work(candidate, operands, runner.lab.random(case.result, case.dtype))()
        device.synchronize()


def profiled(folder: Path) -> list[dict[str, Any]]:
    """Each kernel's counters."""
    command = ["ncu", "--clock-control", "none", "--csv", "--print-units", "base", "--metrics",
               ",".join(METRICS.values()), sys.executable, __file__, "--launch", str(folder)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    start = done.stdout.find('"ID"')
    if start < 0:
        raise SystemExit(f"ncu gave no table:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    found: dict[str, dict[str, Any]] = {}
    names = {metric: name for name, metric in METRICS.items()}
    for row in csv.DictReader(io.StringIO(done.stdout[start:])):
        kernel = found.setdefault(row["ID"], {"kernel": row["Kernel Name"]})
        if row["Metric Name"] in names:
            kernel[names[row["Metric Name"]]] = float(row["Metric Value"].replace(",", ""))
    return list(found.values())


def main() -> None:
    """Profiles a folder, compares, writes the counters."""
    if sys.argv[1] == "--launch":
        launch_all(Path(sys.argv[2]))
        return
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    manifest = json.loads((folder / "manifest.json").read_text())
    free = {n["kernel"]: n["conflict_free"] for c in manifest["candidates"] for n in c["launches"]}
    rows = profiled(folder)
    broken = 0
    for row in rows:
        row["proved_free"] = free.get(row["kernel"])
        beyond = row["shared_wavefronts"] - row["shared_wavefronts_ideal"]
        broken += bool(row["proved_free"] and beyond)
        share = f"{beyond:12.0f} of {row['shared_wavefronts_ideal']:.0f}"
        print(f"{row['kernel']:56s} proved free: {row['proved_free']!s:5s} beyond the least: {share}", flush=True)
    out.write_text(json.dumps(rows, indent=1))
    print(f"{len(rows)} kernels; {broken} proved free that take more wavefronts")


if __name__ == "__main__":
    main()
