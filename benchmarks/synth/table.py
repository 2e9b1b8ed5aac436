"""Layouts in LDS for the GEMM tiles of Composable Kernel, found for gfx942, gfx950, and both; and the time of proofs.

    python3 benchmarks/synth/table.py > benchmarks/synth/RESULTS.md

Each tile is written by the row-wise copy (16 bytes a lane) and read as operands of a matrix instruction: 8 consecutive
k a lane (16 of fp8), which is one instruction of gfx950 and two of gfx942.  The cycles of CK's own layouts on the same
accesses stand beside.  Every figure but the times is proved, for all row blocks and K steps.
"""

import platform
import time
from collections.abc import Callable
from statistics import median

import numpy as np

from layoutalg.index.evaluate import grid
from layoutalg.layout import TensorDescriptor
from layoutalg.memory import ConflictFree, access, operand, price
from layoutalg.memory.banks import phase_cycles
from layoutalg.prove import Unknown, prove
from layoutalg.synth.gemm import packed, padded, swizzled
from layoutalg.synth.problem import Problem, gemm_problem
from layoutalg.synth.report import ck
from layoutalg.synth.search import Synthesis, synthesize
from layoutalg.target.matrix import matrix_instruction

TARGETS = (("gfx942",), ("gfx950",), ("gfx942", "gfx950"))
LARGE, SMALL = "mfma_f32_32x32x16_f16", "mfma_f32_16x16x32_f16"
TILES = (  # rows, K, type, instruction, k a lane
    (64, 32, "f16", LARGE, None), (64, 32, "f16", SMALL, None),
    (128, 32, "f16", LARGE, None), (128, 32, "f16", SMALL, None),
    (128, 64, "f16", LARGE, None), (128, 64, "f16", SMALL, None),
    (256, 64, "f16", LARGE, None), (256, 64, "f16", SMALL, None),
    (128, 128, "f16", LARGE, None), (128, 128, "f16", SMALL, None),
    (64, 48, "f16", LARGE, None), (64, 96, "f16", LARGE, None), (64, 96, "f16", SMALL, None),
    (128, 64, "f8", "mfma_f32_32x32x16_fp8_fp8", 16), (128, 128, "f8", "mfma_f32_16x16x32_fp8_fp8", 16),
)  # fmt: skip


def cycles(problem: Problem, descriptor: TensorDescriptor) -> str:
    """The most cycles of a phase on a layout, proved."""
    found = [price(one) for one in problem.accesses(descriptor)]
    known = [one.degree for one in found if not isinstance(one, Unknown)]
    return str(max(known)) if len(known) == len(found) else "?"


def policies(problem: Problem) -> str:
    """Cycles of CK's layouts: v1's padding, the universal pipeline's xor."""
    (rows, columns), vector = problem.lengths, problem.vector
    layers = max(1, 1024 // columns // problem.bits)
    line = columns // vector * layers
    xor = cycles(problem, swizzled(rows, columns, vector, layers)) if line & (line - 1) == 0 else "–"
    return f"{cycles(problem, padded(rows, columns, vector))} | {xor}"


def described(found: Synthesis) -> str:
    """Name and extra bytes, and whether it is free of conflicts."""
    extra = f" +{found.extra} B" if found.extra else ""
    return f"{found.name}{extra}" + ("" if found.conflict_free else f" ({found.degree} cycles)")


def tiles() -> None:
    """The table of layouts, and the slowest search."""
    print("| tile | operand | targets | CK padded: cycles | CK xor: cycles | fewest bytes | s | padding alone | s |")
    print("|---|---|---|---|---|---|---|---|---|")
    slowest = 0.0
    for rows, k, dtype, instruction, k_pack in TILES:
        for targets in TARGETS:
            problem = gemm_problem(rows, k, dtype, instruction, targets, k_pack=k_pack)
            found, gaps = synthesize(problem), synthesize(problem, "padding")
            slowest = max(slowest, found.seconds, gaps.seconds)
            shape = instruction.split("_")[2]
            print(
                f"| {rows} × {k} {dtype} | {shape} | {' + '.join(targets)} | {policies(problem)} | {described(found)} "
                f"| {found.seconds:.2f} | {described(gaps)} | {gaps.seconds:.2f} |"
            )
    print(f"\nSlowest search: {slowest:.2f} s.")


def least(work: Callable[[], object], repeats: int = 50) -> tuple[float, float]:
    """Least and median milliseconds."""
    taken = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        taken.append(1e3 * (time.perf_counter() - begin))
    return min(taken), median(taken)


def times() -> None:
    """One conflict claim by each strategy, descriptor and access made anew each time."""
    matrix = matrix_instruction(LARGE).a
    mixed, gapped = swizzled(128, 64), padded(128, 64)

    def claim(tile: TensorDescriptor) -> ConflictFree:
        return ConflictFree(access(tile, operand(matrix, (128, 64)), "f16", "gfx942"))

    offset = mixed.offset(mixed.index)
    lane = np.arange(64)
    addresses = 2 * grid(offset, mixed.index)[lane % 32, 8 * (lane // 32)]
    rows: tuple[tuple[str, Callable[[], object]], ...] = (
        ("xor tile, all rows and K steps, portfolio (F₂)", lambda: prove(claim(mixed))),
        ("xor tile, all rows and K steps, enumeration", lambda: prove(claim(mixed), strategy="enumeration")),
        ("xor tile, all rows and K steps, z3 alone", lambda: prove(claim(mixed), strategy="z3")),
        ("padded tile, all rows and K steps, portfolio", lambda: prove(claim(gapped))),
        ("padded tile, all rows and K steps, z3 alone", lambda: prove(claim(gapped), strategy="z3")),
        ("xor tile, one read, numpy (no proof)", lambda: phase_cycles("gfx942", "ds_read_b128", addresses)),
        ("packed tile, refuted with its witness", lambda: prove(claim(packed(128, 64)))),
    )
    print("| claim: ds_read_b128 of a 128 × 64 fp16 tile is free of conflicts on gfx942 | least ms | median ms |")
    print("|---|---|---|")
    for name, work in rows:
        work()
        low, middle = least(work)
        print(f"| {name} | {low:.2f} | {middle:.2f} |")


def both() -> None:
    """The layouts that serve both targets where none of CK's does, as C++."""
    for k in (32, 64):
        found = synthesize(gemm_problem(128, k, "f16", LARGE, ("gfx942", "gfx950")))
        assert found.conflict_free
        print(f"128 × {k} f16, {found.bytes} bytes:\n\n```cpp\n{ck(found, f'a_lds_128x{k}')}```\n")


def main() -> None:
    """Prints both tables as Markdown."""
    print("# Layouts in LDS for GEMM tiles, free of bank conflicts\n")
    print("    python3 benchmarks/synth/table.py > benchmarks/synth/RESULTS.md\n")
    print("\n".join((__doc__ or "").strip().split("\n")[4:]))
    print("`+n B`: bytes more than the packed tile.  Times are of one search, proofs included.\n")
    tiles()
    print("\n## One layout for gfx942 and gfx950\n")
    print("As many bytes as packed.  CK's xor, of one or two rows a line, has conflicts on one of the two here.\n")
    both()
    print(f"## Proofs\n\nOn {platform.machine()}, Python {platform.python_version()}; other work was running.\n")
    times()


if __name__ == "__main__":
    main()
