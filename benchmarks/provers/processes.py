"""What asking costs, in processor time: a claim in a process that runs, files checked by the command line.

    python -m benchmarks.provers.processes

writes PROCESSES.md beside this file.  Processor time (user and system, child processes such as z3's included), not the
clock, so that other work on the machine counts little; of several runs the least and the median.  "first" has all of
the prover's caches emptied and the expressions of before forgotten; "new" expects nothing kept on disk either.
"""

from __future__ import annotations

import datetime
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.builders import universal_row_major
from benchmarks.provers.run import forget, must
from layoutalg.index.f2 import rank_of
from layoutalg.prove import Bijective, domain, prove

HERE = Path(__file__).parent
FILES = {
    "a file that needs no numpy": "proofs/examples/distributions.toml",
    "a file with enumerations": "proofs/examples/descriptors.toml",
    "all proofs": "proofs",
}
BY_HAND = """## By hand, 2026-11-26: processor time in seconds, other work on both cores

| command | seconds | of them |
|---|---:|---|
| `make demo` in a fresh clone, nothing kept | 38.9 | 32.4 in pip, 6.5 in the demo |
| `make demo` again | 4.7 | |
| machine code at -O3 (ziglang 0.17.0), median of 16 kernels × gfx942, gfx1100 | 0.79 | z3 is asked in 14 of the 32 |
| the same, of the 11 kernels without a product of matrices | 0.53 | z3 is asked in 4 of the 22 |

Machine code is `prove_binary` in a process of its own, forked from one that has compiled the kernel; the ten slowest
proofs, of products (4 to 17 s), were measured a state of the code earlier.  By the clock, on a busy machine, the demo
took 88 and 164 s at first and 10 to 37 s again; on a quiet one it was not seen.
"""
"""What no part of this file measures."""

PROCESSES, CLAIMS = 7, 300
"""How often a process is run, and a claim asked."""


def asked(question: Callable[[], object], before: Callable[[], None] = lambda: None) -> str:
    """The least and the median time of a question, in microseconds."""
    times = []
    for _ in range(CLAIMS):
        before()
        start = time.process_time_ns()
        question()
        times.append((time.process_time_ns() - start) / 1e3)
    return f"{min(times):,.0f} | {statistics.median(times):,.0f}"


def run(arguments: list[str], folder: str) -> float:
    """The processor time of one command, its children's included, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "layoutalg", *arguments], check=True, capture_output=True,
                   env={**os.environ, "LAYOUTALG_CACHE": folder})  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def claims() -> list[str]:
    """The rows of claims in a process that runs."""
    claim = Bijective(universal_row_major(64, 32))
    form = domain.digit_form(claim.descriptor)
    rows = {
        "first": asked(lambda: must(prove(claim)), forget),
        "again": asked(lambda: must(prove(claim))),
        "F₂ rank alone": asked(lambda: rank_of(form.bottom, form.variables)),
    }
    return [f"| {name} | {times} |" for name, times in rows.items()]


def commands() -> list[str]:
    """The rows of `layoutalg check`."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, path in FILES.items():
            for kept, options in (("new", ["--no-cache"]), ("kept", [])):
                times = [run(["check", *options, path], folder) for _ in range(PROCESSES)]
                times = times[1:]  # the first one makes byte code, and keeps what the others find
                rows.append(f"| {name}, {kept} | {min(times):.2f} | {statistics.median(times):.2f} |")
    return rows


def main() -> None:
    """Measures, prints and writes."""
    today = datetime.datetime.now(tz=datetime.UTC).date()
    lines = [
        "# Asking, in processor time", "", (__doc__ or "").strip(), "",
        f"{today}; Python {platform.python_version()}, {platform.machine()}", "",
        "## Is the swizzled fp16 tile of 64×32 a bijection?  µs", "", "| | least | median |", "|---|---:|---:|",
        *claims(), "", "## `layoutalg check`, seconds of a process", "", "| | least | median |", "|---|---:|---:|",
        *commands(), "", BY_HAND.rstrip(), "",
    ]  # fmt: skip
    print("\n".join(lines))
    (HERE / "PROCESSES.md").write_text("\n".join(lines))


if __name__ == "__main__":
    main()
