"""Our kernels under NVIDIA's compute-sanitizer: memory, races, barriers, and what nothing wrote.

    python -m benchmarks.gpu.sanitize prepare build/sanitize            # where the prover is
    python3 benchmarks/gpu/sanitize.py check build/sanitize             # where the GPU is; no torch, no prover

`check` starts itself again under each tool, and each planted fault under the tool that must find it: a tool that finds
none of them says nothing of the rest.

| tool      | finds                                        | the planted fault                                     |
|-----------|----------------------------------------------|-------------------------------------------------------|
| memcheck  | accesses outside an allocation, unaligned    | a target that is one element short                    |
| racecheck | hazards in shared memory                     | the first kernel with a barrier, its barriers removed |
| synccheck | barriers that threads of a block do not meet | a barrier that only the first warp's half comes to    |
| initcheck | reads of memory that nothing wrote           | a source that nothing wrote                           |

Sizes are small and odd, so that every tile has an edge: the tools make kernels some hundred times slower.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from layoutalg.bench.cases import Case
from layoutalg.bench.numpy_lab import NumpyLab
from layoutalg.bench.prepare import PreparedCandidate, TimedLaunch, prepare, read_prepared
from layoutalg.device import choose_device
from layoutalg.device.codeobject import CodeObject
from layoutalg.device.runtime import BoxOf
from layoutalg.target.dtypes import DTYPES

TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")

_TINY = (4, 6, 8, 10, 12)
_IM2COL = {"filter": (3, 3), "stride": (1, 1), "pad": (1, 1)}
_CONV = {"stride": (1, 1), "pad": (1, 1)}
_BARRIER = re.compile(r"^\s*(bar\.sync|barrier\.sync(\.aligned)?)\s[^;]*;", re.MULTILINE)
_TOLERANCE = {"f32": 1e-5, "f16": 2e-3}


def cases() -> Iterator[Case]:
    """Every kind that is measured, at sizes with edges and at whole tiles."""
    for dtype in ("f32", "f16"):
        for shape in ((256, 256), (517, 301), (192, 32), (130, 132)):
            yield Case("transpose", (shape,), dtype)
        for shape, axes in (
            ((3, 17, 20, 12), (0, 2, 3, 1)), ((3, 12, 20, 17), (0, 3, 1, 2)), ((18, 24, 36, 16), (3, 2, 1, 0)),
            ((18, 24, 36, 16), (2, 0, 3, 1)), (_TINY, (4, 3, 2, 1, 0)), (_TINY, (0, 2, 1, 4, 3)),
        ):  # fmt: skip
            yield Case("permute", (shape,), dtype, {"axes": axes})
        yield Case("im2col", ((2, 9, 11, 8),), dtype, _IM2COL)
        for shape, axis, how in (
            ((300, 70), 1, "sum"),
            ((300, 70), 0, "sum"),
            ((5, 33, 130), 1, "max"),
            ((5000,), 0, "max"),
        ):
            yield Case("reduce", (shape,), dtype, {"axes": (axis,), "how": how})
    for dtype in ("f32", "f16"):
        for i, j, k in ((1024, 256, 128), (96, 96, 96), (130, 66, 34)):
            yield Case("contraction", ((i, k), (j, k)), dtype, {"einsum": "ik,jk->ij"})
            yield Case("contraction", ((i, k), (k, j)), dtype, {"einsum": "ik,kj->ij"})
        for image, outputs in (((2, 14, 14, 64), 64), ((1, 9, 9, 8), 8)):
            yield Case("conv", (image, (outputs, 3, 3, image[-1])), dtype, _CONV)

    for shape, keys, causal in (
        ((3, 200, 64), 77, False), ((2, 130, 128), 256, False), ((3, 200, 64), 200, True), ((2, 67, 128), 67, True),
    ):  # fmt: skip
        yield Case("attention", (shape, *((shape[0], keys, shape[2]),) * 2), "f16", {"causal": causal})
    for einsum, a, b in (
        ("ik,jk->ij", (200, 136), (264, 136)), ("ki,kj->ij", (136, 200), (136, 264)),
        ("bik,bkj->bij", (3, 130, 72), (3, 72, 136)), ("ik,kj->ij", (128, 4096), (4096, 128)),
    ):  # fmt: skip
        yield Case("contraction", (a, b), "f16", {"einsum": einsum})
    for filter, stride, pad in (((72, 3, 3, 64), (1, 1), (1, 1)), ((72, 3, 5, 64), (2, 1), (1, 2))):
        yield Case("conv", ((2, 13, 11, 64), filter), "f16", {"stride": stride, "pad": pad})
    # rows that a block shares, whose waves add up the parts
    for dtype, length in (("f32", 4100), ("f16", 8200)):
        yield Case("reduce", ((961, length),), dtype, {"axes": (1,), "how": "sum"})
    # more blocks than processors, which compute tiles in turns
    yield Case("contraction", ((2048, 256), (2304, 256)), "f16", {"einsum": "ik,jk->ij"})
    yield Case("conv", ((5, 97, 66, 64), (64, 3, 3, 64)), "f16", _CONV)


class Runs:
    """Every prepared candidate, once."""

    def __init__(self, folder: Path) -> None:
        self.prepared, self.device = read_prepared(folder), choose_device("nvidia")
        self.lab = NumpyLab("reference")
        self.loaded: dict[str, object] = {}

    def all(self) -> int:
        """Launches each candidate and compares with numpy; 1 where one is wrong."""
        wrong = 0
        for candidate in self.prepared.candidates:
            case = candidate.case
            operands = [self.lab.random(shape, case.dtype) for shape in case.shapes]
            found = self.result(candidate, [self.device.array(one) for one in operands])
            wanted = self.lab.wanted(case, operands)
            right = (
                self.lab.same(found, wanted) if case.exact else self.lab.error(found, wanted) <= _TOLERANCE[case.dtype]
            )
            wrong += not right
            if not right:
                print(f"WRONG: {case.name}: {candidate.name}")
        kernels = {launch.kernel for one in self.prepared.candidates for launch in one.launches}
        print(f"RAN {len(self.prepared.candidates)} launches of {len(kernels)} kernels, {wrong} wrong")
        return int(bool(wrong))

    def result(self, candidate: PreparedCandidate, sources: list[object]) -> np.ndarray:
        """What a candidate's launches make of its operands."""
        for launch in candidate.launches:
            out = self.device.empty(launch.shape, DTYPES[launch.dtype].numpy)
            boxes = [BoxOf((*sources, out)[n], *told) for n, told in launch.boxes]
            self.start(launch, (*sources, out, *launch.sizes, *boxes))
            sources = [out]
        self.device.synchronize()
        return out.numpy().reshape(candidate.case.result)

    def start(self, launch: TimedLaunch, arguments: tuple[object, ...], code: CodeObject | None = None) -> None:
        """One launch, of the kernel as it was compiled or as it is given."""
        module = self.device.load(code or CodeObject.read((self.prepared.folder / launch.file).read_bytes()))
        module.launch(launch.kernel, launch.grid, launch.block, arguments)

    def planted(self, tool: str) -> None:
        """The fault that the tool must find."""
        launch, shape = next(
            (one.launches[0], one.case.shapes[0]) for one in self.prepared.candidates
            if _BARRIER.search(self.text(one.launches[0])) and one.case.kind == "transpose"
        )  # fmt: skip
        kind = DTYPES[launch.dtype].numpy
        source = self.device.array(self.lab.random(shape, launch.dtype))
        out, code = self.device.empty(launch.shape, kind), None
        if tool == "memcheck":
            out = self.device.empty(int(np.prod(launch.shape)) - 1, kind)
        elif tool == "initcheck":
            source = self.device.empty(shape, kind)
        else:
            change = "" if tool == "racecheck" else "@%half bar.sync 0;"
            code = self.changed(launch, change)
        self.start(launch, (source, out, *launch.sizes), code)
        self.device.synchronize()

    def text(self, launch: TimedLaunch) -> str:
        """A kernel's PTX."""
        return (self.prepared.folder / launch.file).read_text()

    def changed(self, launch: TimedLaunch, barrier: str) -> CodeObject:
        """The kernel with other barriers."""
        text = _BARRIER.sub(barrier, self.text(launch))
        if barrier:
            text = text.replace("{", "{\n.reg .pred %half;\n.reg .u32 %lane;\nmov.u32 %lane, %laneid;\n"
                                "setp.lt.u32 %half, %lane, 16;\n", 1)  # fmt: skip
        return CodeObject.read(text.encode())


def check(folder: Path) -> int:
    """Every tool over every candidate, and over the fault that it must find; 1 where one is not as it should be."""
    failed = 0
    for tool in TOOLS:
        for mode, wanted in (("run", 0), ("plant", 1)):
            command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "7", sys.executable, __file__, mode]
            more = [tool] if mode == "plant" else []
            done = subprocess.run([*command, str(folder), *more], capture_output=True, text=True)
            said = [
                line.strip("= ")
                for line in done.stdout.splitlines()
                if "SUMMARY" in line or "RAN" in line or "WRONG" in line
            ]
            good = (done.returncode == 7) == bool(wanted) and (wanted or done.returncode == 0)
            failed += not good
            print(
                f"{tool} {mode}: {'as it should be' if good else f'exit {done.returncode}'}: {'; '.join(said)}",
                flush=True,
            )
            if not good:
                print(done.stdout[-3000:], done.stderr[-2000:])
    return int(bool(failed))


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("prepare", "check", "run", "plant"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("tool", nargs="?", choices=TOOLS)
    given = parser.parse_args()
    if given.what == "prepare":
        prepare(list(cases()), "sm_90", given.folder, told=print)
    elif given.what == "check":
        return check(given.folder)
    elif given.what == "run":
        return Runs(given.folder).all()
    else:
        Runs(given.folder).planted(given.tool)
    return 0


if __name__ == "__main__":
    sys.exit(main())
