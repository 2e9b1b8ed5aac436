"""`demo`: a transposition, from a symbolic descriptor to machine code and a checked result."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from layoutalg.kernel.verify import Verified
    from layoutalg.refine.cycles import LdsCycles

SIZE = (4096, 4096)
ISA_SIZE = (256, 512)
"""What the machine code of each target transposes, instruction by instruction, where its sizes are free."""
AMD = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command()(demo)


def demo() -> int:
    """Prove, emit, compile and run a matrix transposition."""
    from layoutalg.cli.output import console_for
    from layoutalg.kernel.library.transpose import lds_transpose, register_transpose
    from layoutalg.kernel.program import StoreShared
    from layoutalg.kernel.verify import verify

    console = console_for(sys.stdout)
    programs = (register_transpose(), lds_transpose(vector=4))
    console.print("[bold]1. The layout[/]: the tile in LDS, a descriptor whose words are swizzled by xor")
    console.print(str(next(s.descriptor for s in programs[1].body if isinstance(s, StoreShared))))
    console.print("\n[bold]2. What must hold[/], each obligation for all sizes")
    verified = [verify(program) for program in programs]
    for each in verified:
        console.print(_obligations(each))
    if not all(each.proved for each in verified):
        return 1
    console.print("\n[bold]3. The machine code[/] of the HIP source that these proofs allow")
    with console.status("compiling for five GPUs (the first time unpacks the compiler)"):
        tables = [_targets(each) for each in verified]
    console.print(*tables)
    console.print("\n[bold]4. The result[/]")
    return _run(console, verified[1])


def _obligations(verified: Verified) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=verified.program.name, title_justify="left")
    for column, justify in (("obligation", "left"), ("verdict", "left"), ("method", "left"), ("ms", "right")):
        table.add_column(column, justify=justify)  # type: ignore[arg-type]
    for about, v in verified.verdicts:
        style = {"proved": "green", "refuted": "red"}.get(v.name, "yellow")
        table.add_row(Text(about), Text(v.name, style), v.strategy, f"{v.seconds * 1e3:.2f}")
    total = sum(v.seconds for _, v in verified.verdicts)
    table.add_section()
    table.add_row(f"{len(verified.verdicts)} obligations", "", "", f"{total * 1e3:.2f}")
    return table


def _targets(verified: Verified) -> Any:
    from rich.table import Table
    from rich.text import Text

    from layoutalg.cli.binaries import decided, executed
    from layoutalg.device.isa import IsaDevice
    from layoutalg.device.kernels import build
    from layoutalg.refine.cycles import lds_cycles

    table = Table(title=verified.program.name, title_justify="left")
    columns = ("target", "VGPRs", "SGPRs", "LDS bytes", "spills", "code bytes", "LDS cycles", "machine code",
               "executed")  # fmt: skip
    for column in columns:
        table.add_column(column, justify="right" if column in columns[1:6] else "left")
    sizes = dict(zip("MN", ISA_SIZE, strict=True))
    for target in AMD:
        code = build(verified, target)
        k = code.kernels[verified.program.name]
        proof = decided(code, verified.program, k.name)
        device = IsaDevice(target)
        exact = executed(code, verified, ISA_SIZE, device)
        cycles = lds_cycles(device, verified.program, sizes)
        good = "green" if proof.proved and exact else "red"
        numbers = (str(n) for n in (k.vgprs, k.sgprs, k.lds_bytes, k.spills, k.code_size))
        said = (Text(proof.name, good), Text("exact" if exact else "WRONG", good))
        table.add_row(target, *numbers, _cycles(cycles), *said)
    return table


def _cycles(found: LdsCycles | None) -> str:
    """The LDS cycles of the run, and whether they are those that the layouts claim."""
    if found is None:
        return "none"
    if found.equal and found.idle:
        return f"{found.cycles} as claimed, {found.idle} phases idle"
    return f"{found.cycles} as claimed" if found.equal else f"{found.cycles} of {found.claimed[1]} claimed"


def _run(console: Console, verified: Verified) -> int:
    import numpy as np

    from layoutalg.device import choose_device
    from layoutalg.device.kernels import run

    device = choose_device("auto")
    source = np.random.default_rng(2026).standard_normal(SIZE, dtype=np.float32)
    start = time.perf_counter()
    with console.status(f"running on {device.name}"):
        result = run(verified, device, source, SIZE[::-1], M=SIZE[0], N=SIZE[1])
    error = float(np.abs(result.output - source.T).max())
    seconds = time.perf_counter() - start
    console.print(f"{verified.program.name}, {SIZE[0]} x {SIZE[1]} f32, on {device.name} ({device.kind}):")
    console.print(f"  {result.milliseconds:.1f} ms ({seconds:.1f} s with compilation and check)")
    console.print(f"  max error against numpy: {error:g}")
    return 0 if error == 0 else 1
