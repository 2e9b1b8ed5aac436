"""How many wave instructions a second the executor carries out, on one core, beside another version of itself.

    python -m benchmarks.executor.speed [--before CHECKOUT] [--rounds 5] [--target gfx942] [KERNEL …]

writes RESULTS.md beside this file.  A wave instruction is one instruction of one wave, counted once though each block
is carried out in two copies.  Seconds are CPU seconds of `execute` alone, the best of some rounds, in each of which
every version runs once in its own process: what else the machine does slows all of them.  Results are compared with
numpy's before anything is timed.
"""

from __future__ import annotations

import argparse
import math
import os
import pickle
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from layoutalg.device.compile import compile_source
from layoutalg.index import value
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.isa.run.observer import Observer
from layoutalg.isa.run.spaces import Buffer
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.contraction import contraction_task
from layoutalg.kernel.library.entry import Task
from layoutalg.kernel.library.permute import permute_task
from layoutalg.launch.concrete import bound
from tests.foreign.corpus import Array
from tests.foreign.running import differing, machine_code, run
from tests.foreign.table import KERNELS

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

SIZES: Mapping[str, Mapping[str, int]] = {
    "copy_plain": {"N": 999_936}, "copy_float4": {"N": 999_936}, "copy_grid_stride": {"N": 99_840},
    "transpose_naive": {"M": 1024, "N": 1024}, "transpose_padded": {"M": 1024, "N": 1024},
    "jacobi_2d": {"H": 512, "W": 512}, "stencil_1d": {"N": 1 << 18},
    "reduce_tree": {"N": 1 << 18}, "row_max": {"M": 512, "N": 1024},
    "matmul_naive": {"M": 128, "N": 128, "K": 128}, "matmul_tiled": {"M": 256, "N": 256, "K": 256},
}  # fmt: skip
"""Kernels of the corpus in `tests/foreign`, and the sizes of their launches: whole blocks."""
GOALS = {"transpose_padded": 0.3, "matmul_tiled": 1.0}
"""The CPU seconds that are asked for; of plain kernels, 2 × 10⁶ wave instructions a second."""


@dataclass(frozen=True)
class Case:
    """A launch: a code object's kernel, and what it is called with."""

    payload: bytes
    symbol: str
    grid: Sequence[int]
    block: Sequence[int]
    arguments: Sequence[Any]

    @property
    def plain(self) -> tuple[Any, ...]:
        """As `carry_out` takes it."""
        return self.payload, self.symbol, list(self.grid), list(self.block), list(self.arguments)

    @cached_property
    def program(self) -> MachineCode:
        """Its code, decoded."""
        return decode_kernel(read_kernels(self.payload)[self.symbol])


def corpus_case(name: str, target: str) -> Case:
    """A kernel of the corpus, its result compared with numpy's."""
    kernel, sizes = KERNELS[name], SIZES[name]
    code = machine_code(kernel, target)
    wrong = differing(kernel, run(kernel, code, sizes))
    if wrong:
        raise SystemExit(f"{name}: {', '.join(wrong)} is not what numpy says")
    launch = bound(kernel.launch, code.kernel.metadata, sizes, {}, kernel.values)
    arguments = [one.array if isinstance(one, Buffer) else one for one in launch.arguments]
    payload = compile_source(kernel.source, target, opt_level=3).payload
    return Case(payload, code.kernel.name, launch.grid, launch.block, arguments)


def library_case(task: Task, target: str, inputs: Sequence[Array], expected: Array) -> Case:
    """A kernel of the library, its result compared with what is expected."""
    program = task.program
    payload = compile_source(emit_unverified(program), target).payload
    sizes = {s: task.sizes[s.value.name] for s in program.sizes}
    out = np.zeros(expected.shape, expected.dtype)
    grid = [value(e, sizes) for e in program.launch]
    case = Case(payload, program.name, grid, program.block, [*inputs, out, *sizes.values()])
    if not np.array_equal(execute(case.program, grid, program.block, case.arguments).outputs[-1], expected):
        raise SystemExit(f"{program.name}: the result is not what numpy says")
    return case


def cases(target: str) -> Mapping[str, Callable[[], Case]]:
    """What is timed, by name."""
    rng = np.random.default_rng(1)
    image = rng.integers(-4, 5, (4, 64, 96, 40)).astype(np.float32)
    a, b = (rng.integers(-4, 5, (256, 256)).astype(np.float16) for _ in range(2))
    product = (a.astype(np.float32) @ b.astype(np.float32).T).astype(np.float16)
    permuted = permute_task(image.shape, (0, 2, 3, 1), "f32")
    contracted = contraction_task("mk,nk->mn", a.shape, b.shape, "f16", target=target)
    return {
        **{name: partial(corpus_case, name, target) for name in SIZES},
        "library: permute": lambda: library_case(permuted, target, [image], image.transpose(0, 2, 3, 1)),
        "library: contraction f16": lambda: library_case(contracted, target, [a, b], product),
    }


def wave_instructions(case: Case) -> int:
    """How many instructions its waves carry out."""
    observer = Observer()
    execute(case.program, case.grid, case.block, case.arguments, observer=observer)
    return sum(count for _, count in observer.counts(case.program))


def measured(found: Mapping[str, Case], checkouts: Sequence[Path], rounds: int) -> list[dict[str, float]]:
    """The least CPU seconds of each launch, for each checkout."""
    best: list[dict[str, float]] = [{} for _ in checkouts]
    with tempfile.NamedTemporaryFile(suffix=".pickle") as launches:
        launches.write(pickle.dumps({name: case.plain for name, case in found.items()}))
        launches.flush()
        for _ in range(rounds):
            for checkout, least in zip(checkouts, best, strict=True):
                command = [sys.executable, str(HERE / "carry_out.py"), launches.name]
                place = {**os.environ, "PYTHONPATH": str(checkout), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
                done = subprocess.run(command, env=place, cwd=checkout, capture_output=True, text=True, check=True)
                for line in done.stdout.splitlines():
                    name, seconds = line.rsplit(" ", 1)
                    least[name] = min(least.get(name, math.inf), float(seconds))
    return best


def report(target: str, rounds: int, counts: Mapping[str, int], best: Sequence[Mapping[str, float]]) -> str:
    """RESULTS.md."""
    now, before = best[0], best[1] if len(best) > 1 else {}
    machine = f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}"
    load = f"{os.getloadavg()[0]:.0f} processes wanted its {os.cpu_count()} cores at the end"
    lines = [
        "# How fast the executor is",
        "",
        f"Written by `python -m benchmarks.executor.speed`. Code for {target}; CPU seconds of `execute` alone, on one",
        f"core: the best of {rounds} rounds, in each of which every version ran once. {machine};",
        f"{load}, which costs CPU time too.",
        "A wave instruction is counted once, though each block is carried out in two copies. *Before* is commit",
        "5d2eee1, – what it could not carry out.",
        "",
        "| kernel | wave instructions | before, s | now, s | ratio | 10⁶ a second |",
        "|---|---|---|---|---|---|",
    ]
    for name, count in counts.items():
        old = before.get(name)
        was = (f"{old:.3f}", f"{old / now[name]:.1f}") if old else ("–", "–")
        goal = f" (goal: {GOALS[name]} s)" if name in GOALS else ""
        lines.append(
            f"| {name} | {count} | {was[0]} | {now[name]:.3f}{goal} | {was[1]} | {count / now[name] / 1e6:.2f} |"
        )
    return "\n".join([*lines, ""])


def main() -> None:
    """Compares, times and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", metavar="KERNEL")
    parser.add_argument("--before", type=Path, help="a checkout of another version")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--target", default="gfx942")
    parser.add_argument("--print", action="store_true", help="print the table, write nothing")
    options = parser.parse_args()
    wanted = {name: make for name, make in cases(options.target).items() if name in (options.kernels or [name])}
    found = {name: make() for name, make in wanted.items()}
    counts = {name: wave_instructions(case) for name, case in found.items()}
    checkouts = [ROOT, *([options.before.resolve()] if options.before else [])]
    text = report(options.target, options.rounds, counts, measured(found, checkouts, options.rounds))
    print(text)
    if not options.print:
        (HERE / "RESULTS.md").write_text(text)


if __name__ == "__main__":
    main()
