"""The inner loops of our products with scales of blocks (f8, a scale for each 32 along k) by count.

    python -m benchmarks.ck.scaled

Each is proved as a program, run once on small integers by the executor, which prices its LDS accesses, and its inner
loop counted as `benchmarks.ck.loops` counts; no GPU is needed.  CK's loops with scales are not counted here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from benchmarks.ck.loops import measured
from layoutalg.device.compile import compile_source
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.kernel.emit import emit
from layoutalg.kernel.library.block_scaled import INSTRUCTIONS, contraction_mx, plan_mx
from layoutalg.kernel.library.plans import Plan
from layoutalg.kernel.verify import verify
from layoutalg.refine.trial import attempt, make_case
from layoutalg.target.known import formats_of
from layoutalg.target.matrix import matrix_instruction

SIZES = 256, 1024, 256
"""Rows, k and columns: eight turns of the loop, several blocks."""


def plans() -> Iterator[tuple[str, Plan]]:
    """The library's, and gfx950's with the larger instruction."""
    for target in INSTRUCTIONS:
        yield target, plan_mx(target, "f8")
    larger = matrix_instruction("mfma_scale_f32_32x32x64_f8f6f4.fp8.fp8")
    yield "gfx950", replace(plan_mx("gfx950", "f8"), instruction=larger, repeats=(2, 2), step=larger.k)


def row(target: str, plan: Plan) -> str:
    """A row of the table."""
    program = contraction_mx(target, plan=plan)
    compiled = compile_source(emit(verify(program), target), target)
    code = decode_kernel(read_kernels(compiled.payload)[program.name])
    case = make_case(program, dict(zip(program.sizes, SIZES, strict=True)), 0, formats_of(target))
    trial = attempt(code, program, case)
    loop = measured(code, trial.execution, plan.threads)
    assert trial.exact
    assert loop is not None
    count = len(loop.instructions)
    products = sum("MFMA" in one.name or "WMMA" in one.name for one in loop.instructions)
    tile = f"{plan.m}×{plan.n}×{plan.k}"
    used = compiled.kernels[program.name].vgprs
    name = plan.instruction.name
    return f"| {target} | {name} | {tile} | {count} | {products} | {products / count:.0%} | {used} |"


def main() -> int:
    """Prints the table."""
    head = ("target", "instruction", "tile", "instructions a turn", "products", "share", "registers")
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for target, plan in plans():
        print(row(target, plan))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
