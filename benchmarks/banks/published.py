"""Counters that others read on AMD's GPUs beside ours: every row of data/published.toml and data/counters.toml.

    python3 benchmarks/banks/published.py > benchmarks/banks/PUBLISHED.md

| rows | ours |
|---|---|
| strided reads | the bank model, of 64 reads |
| the tutorial's tiles | the bank model on addresses; instructions as listed, of 8192 tiles of four waves |
| work items on one bank | `layoutalg counters`, of a kernel that is compiled here |

A row that is not computed says what is missing; one that differs is told as a miss.
"""

import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import layoutalg as la
from layoutalg.device.compile import compile_source
from layoutalg.memory.banks import conflicts, instruction_cycles
from layoutalg.target import target

DATA = Path(__file__).parent / "data"
TILES, WAVES = 65536 * 256 // (64 * 32), 4
THREADS = np.arange(64 * WAVES).reshape(WAVES, 64)
WAVE, LANE = THREADS // 64, THREADS % 64
ROW, COLUMN = WAVE * 16 + LANE // 4, LANE % 4 * 8  # of the eight elements that a thread stores in a row
K, M = WAVE * 8 + LANE // 8, LANE % 8 * 8  # of those that it reads in a column

Access = tuple[str, Sequence[np.ndarray]]

ONE_BANK = """
#include <hip/hip_runtime.h>
extern "C" __global__ void one_bank(int* o, int flag) {
  __shared__ int a[32 * 256];
  int i = threadIdx.x * 32;
  if (flag) a[256 + i] = i;
  __syncthreads();
  int x = a[i];
  if (x == -1234567) o[threadIdx.x] = x;
}
"""
LAUNCH = """
[[descriptor]]
name = "o"
dtype = "i32"
base = {{ kind = "packed", lengths = [256] }}
[launch]
grid = [1]
block = [{}]
arguments = ["o", 0]
writes = ["o"]
"""


def transposition(how: str) -> list[Access]:
    """The LDS accesses of a tile, of all its waves."""
    if how == "rows":
        reads = [("ds_read_u16", [2 * ((M + j) * 32 + K)]) for j in range(8)]
        return [("ds_write_b128", [2 * (ROW * 32 + COLUMN)]), *reads]
    if how == "columns":
        stores = [("ds_write_b16", [2 * ((COLUMN + j) * 64 + ROW)]) for j in range(8)]
        return [*stores, ("ds_read_b128", [2 * (K * 64 + M)])]
    first = 2 * (ROW * 34 + COLUMN)
    pairs = [("ds_write_b32", [first + at, first + at + 4]) for at in (0, 8)]
    return [*pairs, *(("ds_read_u16", [2 * ((M + j) * 34 + K)]) for j in range(8))]


def ours(how: str) -> dict[str, int]:
    """The counters by a row's `how`."""
    kernel, _, threads = how.partition(" ")
    if kernel == "one_bank":
        launch = la.loads(LAUNCH.format(threads))
        found = la.counters(compile_source(ONE_BANK, "gfx90a").payload, launch)
        return {one.name: one.least for one in found.figures if one.least is not None}
    accesses = transposition(how)
    lost = sum(int(np.maximum(instruction_cycles("gfx942", *one) - 1, 0).sum()) for one in accesses)
    return {"SQ_LDS_BANK_CONFLICT": TILES * lost, "SQ_INSTS_LDS": TILES * WAVES * len(accesses)}


def strided() -> Iterator[tuple[str, str, str, Any, Any, str]]:
    """The strided reads whose conflicts were counted."""
    data = tomllib.loads((DATA / "published.toml").read_text())
    for table in data["table"]:
        gpu = target(table["target"])
        for stride, counted in zip(table["stride"], table.get("conflicts", []), strict=False):
            where = stride * np.arange(gpu.wave_size) % gpu.lds_bytes
            found = data["reads"] * int(conflicts(gpu, table["instruction"], where))
            what = f"{table['device']}, {data['reads']} × {table['instruction']}, {stride} bytes apart"
            yield "shark-ai", what, "SQ_LDS_BANK_CONFLICT", counted, found, ""


def rows() -> list[tuple[str, str, str, Any, Any, str]]:
    """Source, what, counter, the published figure, ours, and what is missing."""
    found = [*strided()]
    for row in tomllib.loads((DATA / "counters.toml").read_text())["row"]:
        mine = ours(row["how"]) if "how" in row else {}
        for name, figure in row["counters"].items():
            found.append((row["source"], row["what"], name, figure, mine.get(name), row.get("why", "")))
    return found


def verdict(figure: Any, mine: Any, why: str) -> str:
    """exact, MISS, or what is missing."""
    return f"not computed: {why}" if mine is None else "exact" if mine == figure else "MISS"


def text() -> str:
    """The page."""
    found = rows()
    told = [verdict(*one[3:]) for one in found]
    exact, missed = told.count("exact"), told.count("MISS")
    sources = tomllib.loads((DATA / "counters.toml").read_text())["source"]
    shark = tomllib.loads((DATA / "published.toml").read_text())["source"]
    lines = [
        "# Counters that were read on AMD's GPUs, and ours",
        "",
        "    python3 benchmarks/banks/published.py > benchmarks/banks/PUBLISHED.md",
        "",
        f"{len(found)} figures: {exact} exact, {missed} missed, {len(found) - exact - missed} not computed.",
        "",
        "| source | what | counter | published | ours | |",
        "|---|---|---|---|---|---|",
        *(
            f"| {source} | {what} | `{name}` | {figure} | {'' if mine is None else mine} | {said} |"
            for (source, what, name, figure, mine, _), said in zip(found, told, strict=True)
        ),
        "",
        *(f"- {one['name']}: {one['text']}" for one in [{"name": "shark-ai", "text": shark}, *sources]),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(text())
