"""Kernels of the kinds of KernelBench's first level, our own, right and wrong, as `layoutalg judge` sees them.

    python -m benchmarks.judge.table [KERNEL …]

One line each: the verdict, the row that says why, processor seconds of the command and all that it starts.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "kernels"
MATRICES = ("a=m,k", "b=k,n", "o=m,n")


@dataclass(frozen=True)
class Case:
    """A kernel, its reference and its tensors; what is wrong with its twin."""

    name: str
    reference: str
    shapes: tuple[str, ...]
    wrong: str
    given: tuple[str, ...] = ()


CASES = (
    Case("relu", "o[i] = max(x[i], 0.0)", ("x=n", "o=n"), "a hundredth of what is negative"),
    Case("add", "o[i] = a[i] + b[i]", ("a=n", "b=n", "o=n"), "every second step is left out"),
    Case("transpose", "o[j, i] = x[i, j]", ("x=m,n", "o=n,m"), "no barrier"),
    Case("matrix_vector", "o[i] = sum[j] a[i, j] * x[j]", ("a=m,k", "x=k", "o=m"), "the first term is left out"),
    Case("matmul", "o[i, j] = sum[l] a[i, l] * b[l, j]", MATRICES, "the other matrix's stride"),
    Case("matmul_tiled", "o[i, j] = sum[l] a[i, l] * b[l, j]", MATRICES, "no barrier before the next tile"),
    Case("matmul_of_transposed", "o[i, j] = sum[l] a[l, i] * b[l, j]", ("a=k,m", *MATRICES[1:]), "not transposed"),
    Case("row_sums", "o[i] = sum[j] x[i, j]", ("x=m,k", "o=m"), "half of the block's sums"),
    Case("row_maxima", "o[i] = max[j] x[i, j]", ("x=m,k", "o=m"), "begins at 0"),
    Case("mean_of_squares", "o[i] = (sum[j] x[i, j] * x[i, j]) / f32(k)", ("x=m,k", "o=m"), "divides by one more"),
    Case(
        "max_pool_2",
        "o[i, j] = max(max(x[2 * i, 2 * j], x[2 * i, 2 * j + 1]), max(x[2 * i + 1, 2 * j], x[2 * i + 1, 2 * j + 1]))",
        ("x=2*m,2*n", "o=m,n"),
        "one of four twice",
    ),
    Case("conv_1d", "o[i] = w[0] * x[i] + w[1] * x[i + 1] + w[2] * x[i + 2]", ("x=n+2", "w=3", "o=n"), "one too far"),
)


def judged(case: Case, kernel: str) -> tuple[str, str, float]:
    """The verdict of a kernel, the first row that is not proved, and processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "layoutalg", "judge", str(FOLDER / f"{kernel}.hip"), "--reference", case.reference]
    command += [word for shape in case.shapes for word in ("--shape", shape)]
    command += [word for given in case.given for word in ("--given", given)]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    found = json.loads(done.stdout)
    if "rows" not in found:
        return "refused", found["error"], seconds
    why = next((row for row in found["rows"] if row["verdict"] != "proved" and row["verdict"] != "nothing"), None)
    return found["verdict"], f"{why['row']}: {why['verdict']}" if why else "", seconds


def main(names: Sequence[str]) -> None:
    """Prints the table."""
    print("| kernel | verdict | s | its wrong twin | verdict | row | s |\n|---|---|---|---|---|---|---|")
    for case in CASES:
        if names and case.name not in names:
            continue
        right, why, took = judged(case, case.name)
        wrong, row, also = judged(case, f"{case.name}_wrong")
        told = f"{right} ({why})" if right != "proved" else right
        print(f"| {case.name} | {told} | {took:.1f} | {case.wrong} | {wrong} | {row} | {also:.1f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
