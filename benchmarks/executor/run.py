"""The numpy machine and compiled text over the same machine code of gfx942, in one run.

    python -m benchmarks.executor.run [--large] [NAME …]

Prints for each kernel its instructions, the seconds of processor time that compiling it takes with checks (0 where it
was compiled before), those of a launch in numpy with its checks and the price of LDS accesses (the best of two),
compiled with checks and without (the best of seven), the ratios of numpy's to each, and whether results are the same
to the bit.
`--large`: a transposition of 8192² f32 and a product of 1024³ f16 without checks and with them, as they lie on the
clock and in seconds of processor time, and whether they are what numpy itself makes of the same matrices.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from layoutalg.device.checked import execute_compiled
from layoutalg.device.compile import compile_source
from layoutalg.device.plain import compiled, execute_plainly
from layoutalg.index import value
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.contraction import contraction_task
from layoutalg.kernel.library.convolution import convolution_task
from layoutalg.kernel.library.permute import permute_task
from layoutalg.kernel.library.reduce import reduce_tasks

TARGET = "gfx942"

Launch = tuple[MachineCode, list[int], Any, list[Any]]
"""Machine code, grid, block, arguments."""

_SCALE = """#include "layoutalg_device.h"
extern "C" __global__ void scale(const float* in, float* out, float by) {
  unsigned n = blockIdx.x * 256 + threadIdx.x;
  out[n] = in[n] * by + 1.0f;
}
"""


_WALK = """#include "layoutalg_device.h"
extern "C" __global__ void walk(const float* in, float* out, int n) {
  float sum = 0;
  for (int i = 0; i < n; i++) sum += in[(i * 64 + threadIdx.x) % 4096] * 0.5f;
  out[threadIdx.x] = sum;
}
"""


def random(*shape: int, dtype: type = np.float32) -> Any:
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(dtype)


def code(source: str, name: str) -> MachineCode:
    return decode_kernel(read_kernels(compile_source(source, TARGET).payload)[name])


def launch(task: Any, inputs: list[Any], dtype: type) -> Launch:
    program = task.program
    sizes = {s: task.sizes[s.value.name] for s in program.sizes}
    grid = [value(e, sizes) for e in program.launch]
    binary = code(emit_unverified(program), program.name)
    return binary, grid, program.block, [*inputs, np.zeros(task.shape, dtype), *sizes.values()]


def product(n: int) -> Launch:
    task = contraction_task("mk,nk->mn", (n, n), (n, n), "f16", target=TARGET)
    return launch(task, [random(n, n, dtype=np.float16), random(n, n, dtype=np.float16)], np.float16)


def transposition(n: int) -> Launch:
    return launch(permute_task((n, n), (1, 0), "f32"), [random(n, n)], np.float32)


def scale() -> Launch:
    given = random(1 << 20)
    return code(_SCALE, "scale"), [4096], (256,), [given, np.zeros_like(given), np.float32(1.5)]


def reduction() -> Launch:
    task, *_ = reduce_tasks((512, 512), (0,), "max", "f16")
    return launch(task, [random(512, 512, dtype=np.float16)], np.float32)  # each block's, which another kernel joins


def walk() -> Launch:
    return code(_WALK, "walk"), [1], (64,), [random(4096), np.zeros(64, np.float32), np.int32(10_000)]


def convolution() -> Launch:
    image, filters = random(1, 14, 14, 64, dtype=np.float16), random(64, 3, 3, 64, dtype=np.float16)
    task = convolution_task(
        image.shape, filters.shape, "f16", target=TARGET, stride=(1, 1), pad=(1, 1), dilation=(1, 1)
    )
    return launch(task, [image, filters], np.float16)


KERNELS: dict[str, Callable[[], Launch]] = {
    "scale, 2^20 f32": scale,
    "transposition, 1024^2 f32": lambda: transposition(1024),
    "greatest of rows, 512^2 f16": reduction,
    "product, 512^3 f16": lambda: product(512),
    "a wave's loop, 10 000 turns": walk,
    "convolution, 14^2 x 64, 3 x 3 f16": convolution,
}


def seconds(function: Callable[[], Any], times: int) -> tuple[float, Any]:
    """The least processor time of so many times, of all threads, and what came of it."""
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        found = function()
        best = min(best, time.process_time() - start)
    return best, found


def processor_seconds(function: Callable[[], Any]) -> float:
    """Of this process and of those that it starts."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    before = [resource.getrusage(kind) for kind in kinds]
    function()
    after = [resource.getrusage(kind) for kind in kinds]
    return sum(b.ru_utime + b.ru_stime - a.ru_utime - a.ru_stime for a, b in zip(before, after, strict=True))


def rows(names: list[str]) -> Iterator[str]:
    """A row of the table for each kernel."""
    yield "| kernel | instructions | compiling, s | numpy, s | checked, s | ratio | unchecked, s | ratio | same |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---|"
    for name, make in KERNELS.items():
        if names and not any(one in name for one in names):
            continue
        given = make()
        compiling = processor_seconds(lambda given=given: compiled(given[0], checked=True))
        checked, one = seconds(lambda given=given: execute_compiled(*given), 7)
        plain, two = seconds(lambda given=given: execute_plainly(*given), 7)
        exact, other = seconds(lambda given=given: execute(*given), 2)
        same = one is not None and all(
            np.array_equal(a.view(np.uint8), b.view(np.uint8))
            for some in (one, two)
            for a, b in zip(some.outputs, other.outputs, strict=True)
        )
        yield (
            f"| {name} | {len(given[0].instructions)} | {compiling:.1f} | {exact:.2f} | {checked:.4f} | "
            f"{exact / checked:.0f} | {plain:.4f} | {exact / plain:.0f} | {'yes' if same else 'NO'} |"
        )


def large() -> Iterator[str]:
    """A row of each of the two large ones."""
    yield "| kernel | compiling, s | unchecked: clock, s | processor, s | checked: clock, s | processor, s | right |"
    yield "|---|---:|---:|---:|---:|---:|---|"
    for name, given in (("transposition, 8192^2 f32", transposition(8192)), ("product, 1024^3 f16", product(1024))):
        compiling = processor_seconds(lambda given=given: [compiled(given[0], checked=one) for one in (False, True)])
        times, right = list[str](), True
        for function in (execute_plainly, execute_compiled):
            start = time.perf_counter()
            took, found = seconds(lambda given=given, function=function: function(*given), 1)
            times += [f"{time.perf_counter() - start:.2f}", f"{took:.2f}"]
            right &= found is not None and is_right(name, given, found.outputs[-1])
        yield f"| {name} | {compiling:.1f} | {' | '.join(times)} | {'yes' if right else 'NO'} |"


def is_right(name: str, given: Launch, found: Any) -> bool:
    """Whether a result is that of numpy's own transposition, or as near to that of its product as f16 is."""
    if name.startswith("transposition"):
        return np.array_equal(found, given[3][0].T)
    wanted = given[3][0].astype(np.float64) @ given[3][1].astype(np.float64).T
    return bool(np.abs(found - wanted).max() <= np.abs(wanted).max() * 2**-10)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--large", action="store_true")
    given = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.0f}")
    for line in large() if given.large else rows(given.names):
        print(line, flush=True)


if __name__ == "__main__":
    main()
