"""Step one, where a compiler and the prover are: every candidate is proved, compiled to PTX and listed in a manifest.

    python benchmarks/gpu/prepare.py build/gpu

Step two is measure.py, which needs a GPU, torch and cupy, and neither compiler nor prover.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from layoutalg.device import compile_source
from layoutalg.index.evaluate import extent
from layoutalg.kernel.emit import emit
from layoutalg.kernel.library.choose import transpose_for
from layoutalg.kernel.library.permute import merged, permute
from layoutalg.kernel.library.transpose import lds_transpose, register_transpose
from layoutalg.kernel.program import Program
from layoutalg.kernel.verify import verify

Case = tuple[Program, str, tuple[int, ...], tuple[int, ...], dict[str, int]]
"""A program, what it does, the source's shape, the axes as numpy has them, and its sizes."""

SQUARES = [(n, n) for n in (4096, 8192, 16384)]
TILES = [((64, 64), 256), ((64, 64), 512), ((64, 32), 256), ((128, 128), 512), ((128, 128), 1024)]
PERMUTES = [
    ((32, 64, 112, 112), (0, 2, 3, 1)), ((32, 112, 112, 64), (0, 3, 1, 2)), ((64, 48, 128, 64), (3, 2, 1, 0)),
    ((64, 48, 128, 64), (2, 0, 3, 1)), ((64, 48, 128, 64), (1, 0, 2, 3)), ((16, 24, 32, 40, 48), (4, 3, 2, 1, 0)),
    ((16, 24, 32, 40, 48), (0, 2, 1, 4, 3)), ((16, 24, 32, 40, 48), (2, 0, 4, 1, 3)),
]  # fmt: skip


def transposes() -> Iterator[Case]:
    """Candidates for f32 and f16 at each shape."""
    for dtype, wide in (("f32", 4), ("f16", 8)):
        for tile, threads in TILES:
            for shape in (*SQUARES, (2560, 32), (10240, 8191)):
                vectors = tuple(max(v for v in (1, 2, 4, 8) if v <= wide and n % v == 0) for n in reversed(shape))
                try:
                    program = lds_transpose(dtype, "xor", (vectors[0], vectors[1]), 32, threads, tile)
                except ValueError:
                    continue
                yield program, "transpose", shape, (1, 0), {"M": shape[0], "N": shape[1]}
    yield register_transpose(), "transpose", (2560, 32), (1, 0), {}
    for shape in ((70000, 40000),):
        yield transpose_for(*shape, "f32"), "transpose", shape, (1, 0), {"M": shape[0], "N": shape[1]}


def permutes() -> Iterator[Case]:
    """Rank 4 and 5, f32."""
    for shape, axes in PERMUTES:
        small, order = merged(shape, axes)
        last = small[-1], small[order[-1]]
        vectors = tuple(max(v for v in (1, 2, 4) if n % v == 0) for n in last)
        program = permute(order, "f32", (vectors[0], vectors[1]))
        yield program, "permute", shape, axes, {f"D{n}": size for n, size in enumerate(small)}


def entry(case: Case, folder: Path) -> dict[str, Any]:
    """Proves and compiles one case; what measure.py needs to know of it."""
    program, what, shape, axes, sizes = case
    verified = verify(program)
    path = folder / f"{program.name}.ptx"
    path.write_bytes(compile_source(emit(verified), "sm_90").payload)
    at = {s: sizes[s.value.name] for s in program.sizes}
    grid = [extent(g, at) for g in program.grid]
    if program.linear:
        total = 1
        for n in grid:
            total *= n
        grid = [total]
    return {
        "kernel": program.name, "what": what, "shape": shape, "axes": axes, "dtype": program.source.dtype.numpy,
        "grid": [*grid, 1, 1][:3], "block": program.block, "sizes": [sizes[s.value.name] for s in program.sizes],
        "bits": program.index_bits, "obligations": len(verified.verdicts),
    }  # fmt: skip


def main() -> None:
    """Writes the folder given on the command line."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    manifest = [entry(case, folder) for case in (*transposes(), *permutes())]
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1))
    print(f"{len(manifest)} cases, every obligation proved")


if __name__ == "__main__":
    main()
