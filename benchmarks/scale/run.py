"""A sweep of 10⁵ claims: one process, `--jobs 2`, and a Dask cluster of two workers, by the command line itself.

`python -m benchmarks.scale.run [CLAIMS]` writes a table to stdout.  The files are padded LDS tiles for every M up to a
limit: lengths, paddings and vectors differ, so that no claim is asked twice; nothing is kept (`--no-cache`).  CPU
seconds are those of a command and of all its processes: on a machine with other work they say more than a clock.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path

WAYS = {
    "one process": (),
    "`--jobs 2`": ("--jobs", "2"),
    "`--executor dask --jobs 2`": ("--executor", "dask", "--jobs", "2"),
}
CLAIMS = ("in_bounds", "injective", "fits_index", "contiguous({vector})")
EACH = 25
"""Descriptors in a file."""


def descriptors() -> Iterator[str]:
    """Tiles of K0 × M × K1 elements, K1 together and M padded, seen as M × K."""
    for vector, rows, pad in product((8, 4, 16, 2), range(2, 130), range(1, 65)):
        claims = ", ".join(f'"{claim.format(vector=vector)}"' for claim in CLAIMS)
        yield f"""[[descriptor]]
name = "tile_{rows}_{pad}_{vector}"
base = {{ kind = "naive", lengths = [{rows}, "M", {vector}], strides = ["(M + {pad}) * {vector}", {vector}, 1] }}
steps = [[
  {{ transform = "pass_through", length = "M", lower = [1], upper = [0] }},
  {{ transform = "merge", lengths = [{rows}, {vector}], lower = [0, 2], upper = [1] }},
]]
claims = [{claims}]
"""


def written(folder: Path, claims: int) -> None:
    """Spec files of so many claims."""
    found = islice(descriptors(), claims // len(CLAIMS))
    number = 0
    while some := [*islice(found, EACH)]:
        head = "symbols = { M = { min = 8, max = 4096, multiple_of = 8 } }\n"
        (folder / f"{number:05}.toml").write_text(head + "\n".join(some), encoding="utf-8")
        number += 1


def main(claims: int) -> None:
    """Prints the table."""
    with tempfile.TemporaryDirectory() as name:
        written(Path(name), claims)
        print(f"{claims} claims in {len([*Path(name).iterdir()])} files\n\n| | wall s | CPU s |\n|---|---|---|")
        for way, options in WAYS.items():
            before, start = os.times(), time.perf_counter()
            command = [sys.executable, "-m", "layoutalg", "check", name, "--no-cache", *options]
            told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            wall, after = time.perf_counter() - start, os.times()
            assert told.endswith(f"{claims} claims: all as expected\n")
            spent = after.children_user + after.children_system - before.children_user - before.children_system
            print(f"| {way} | {wall:.1f} | {spent:.1f} |", flush=True)


if __name__ == "__main__":
    main(int(*sys.argv[1:]) if sys.argv[1:] else 100_000)
