"""Step two, on the GPU: each prepared kernel checked for exactness, then timed beside PyTorch and a plain copy.

    python3 benchmarks/gpu/measure.py build/gpu results.json

Inputs are random, outputs poisoned before the check.  Times are medians of CUDA-event intervals around several
launches, in a replayed graph or in a row, whichever is faster (for all alike); "copy" is `copy_` of a contiguous
tensor of the same size, "torch" is `copy_` of the permuted view, all in one run on one device.
"""

from __future__ import annotations

import datetime
import json
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cupy
import numpy as np
import torch

STREAM = torch.cuda.Stream()
torch.cuda.set_stream(STREAM)


def microseconds(work: Callable[[], None], small: bool) -> float:
    """The median time of one call: of a replayed graph, or of launches in a row, whichever is less.

    A graph hides launch latency, but makes a large `copy_` a memory node that can be slower than its kernel.
    """
    launches = 20 if small else 4
    work()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=STREAM):
        for _ in range(launches):
            work()

    def in_a_row() -> None:
        for _ in range(launches):
            work()

    return min(_median(graph.replay), _median(in_a_row)) / launches


def _median(work: Callable[[], None]) -> float:
    times = []
    for _ in range(25):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record(STREAM)
        work()
        stop.record(STREAM)
        stop.synchronize()
        times.append(start.elapsed_time(stop) * 1e3)
    return statistics.median(times[5:])


def baselines(source: torch.Tensor, axes: list[int], small: bool) -> dict[str, float]:
    """The plain copy and PyTorch's own way."""
    plain, permuted = torch.empty_like(source), torch.empty_like(source.permute(axes).contiguous())
    return {
        "copy": microseconds(lambda: plain.copy_(source), small),
        "torch": microseconds(lambda: permuted.copy_(source.permute(axes)), small),
    }


def case(entry: dict[str, Any], folder: Path, known: dict[Any, dict[str, float]]) -> dict[str, Any]:
    """One kernel: whether it is exact, and its time beside the baselines."""
    dtype = getattr(torch, entry["dtype"])
    source = torch.randn(entry["shape"], device="cuda", dtype=torch.float32).to(dtype)
    wanted = source.permute(entry["axes"])
    target = torch.full(wanted.shape, float("nan"), device="cuda", dtype=dtype)
    kernel = cupy.RawModule(path=str(folder / f"{entry['kernel']}.ptx")).get_function(entry["kernel"])
    number = np.int32 if entry["bits"] == 32 else np.int64
    arguments = (source.data_ptr(), target.data_ptr(), *map(number, entry["sizes"]))

    def launch() -> None:
        with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
            kernel(tuple(entry["grid"]), tuple(entry["block"]), arguments)

    launch()
    torch.cuda.synchronize()
    exact = torch.equal(target, wanted)
    small = source.numel() < 1 << 20
    key = (*entry["shape"], *entry["axes"], entry["dtype"])
    if key not in known:
        known[key] = baselines(source, entry["axes"], small)
    ours = microseconds(launch, small)
    return {**entry, "exact": exact, "microseconds": ours, **known[key],
            "of_copy": known[key]["copy"] / ours, "over_torch": known[key]["torch"] / ours}  # fmt: skip


def main() -> None:
    """Measures every case of a folder, and writes the results."""
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    known: dict[Any, dict[str, float]] = {}
    results = []
    for entry in json.loads((folder / "manifest.json").read_text()):
        found = case(entry, folder, known)
        results.append(found)
        shape = "x".join(map(str, found["shape"]))
        verdict = "exact" if found["exact"] else "WRONG"
        ratios = f"{100 * found['of_copy']:6.1f} % of copy {found['over_torch']:5.2f} x torch"
        print(f"{found['kernel']:42s} {shape:20s} {verdict} {found['microseconds']:9.2f} us {ratios}", flush=True)
        torch.cuda.empty_cache()
    document = {"device": torch.cuda.get_device_name(), "date": str(datetime.date.today()), "torch": torch.__version__,
                "command": "measure.py", "results": results}  # fmt: skip
    out.write_text(json.dumps(document, indent=1))


if __name__ == "__main__":
    main()
