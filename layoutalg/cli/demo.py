"""`demo`: a transposition, from a symbolic descriptor to machine code and a checked result."""

from __future__ import annotations

import sys
import time
from typing import Any

from layoutalg.cli.output import console_for
from layoutalg.lazy import lazy_imports

with lazy_imports():
    import numpy as np
    from rich import console as terminal
    from rich import table as tables
    from rich import text

    from layoutalg import device as machines
    from layoutalg.device import isa, kernels
    from layoutalg.kernel import program as statements
    from layoutalg.kernel import verify as verifying
    from layoutalg.kernel.library import transpose
    from layoutalg.refine import cycles, refinement
    from layoutalg.target import known

SIZE = (4096, 4096)
ISA_SIZE = (256, 512)
"""What the machine code of each target transposes, instruction by instruction, where its sizes are free."""


def demo() -> int:
    """Prove, emit, compile and run a matrix transposition."""
    console = console_for(sys.stdout)
    programs = (transpose.register_transpose(), transpose.lds_transpose(vector=4))
    console.print("[bold]1. The layout[/]: the tile in LDS, a descriptor whose words are swizzled by xor")
    console.print(str(next(s.descriptor for s in programs[1].body if isinstance(s, statements.StoreShared))))
    console.print("\n[bold]2. What must hold[/], each obligation for all sizes")
    verified = [verifying.verify(program) for program in programs]
    for each in verified:
        console.print(_obligations(each))
    if not all(each.proved for each in verified):
        return 1
    console.print("\n[bold]3. The machine code[/] of the HIP source that these proofs allow")
    with console.status(f"compiling for {len(_read())} GPUs (the first time unpacks the compiler)"):
        tables = [_targets(each) for each in verified]
    console.print(*tables)
    console.print("\n[bold]4. The result[/]")
    return _run(console, verified[1])


def _read() -> list[str]:
    """The library's targets whose machine code is read."""
    return [name for name in known.library_targets() if name in known.decoded()]


def _obligations(verified: verifying.Verified) -> Any:
    table = tables.Table(title=verified.program.name, title_justify="left")
    for column, justify in (("obligation", "left"), ("verdict", "left"), ("method", "left"), ("ms", "right")):
        table.add_column(column, justify=justify)  # type: ignore[arg-type]
    for about, v in verified.verdicts:
        style = {"proved": "green", "refuted": "red"}.get(v.name, "yellow")
        table.add_row(text.Text(about), text.Text(v.name, style), v.strategy, f"{v.seconds * 1e3:.2f}")
    total = sum(v.seconds for _, v in verified.verdicts)
    table.add_section()
    table.add_row(f"{len(verified.verdicts)} obligations", "", "", f"{total * 1e3:.2f}")
    return table


def _targets(verified: verifying.Verified) -> Any:
    table = tables.Table(title=verified.program.name, title_justify="left")
    columns = ("target", "VGPRs", "SGPRs", "LDS bytes", "spills", "code bytes", "LDS cycles", "machine code",
               "executed")  # fmt: skip
    for column in columns:
        table.add_column(column, justify="right" if column in columns[1:6] else "left")
    sizes = dict(zip("MN", ISA_SIZE, strict=True))
    for target in _read():
        code = kernels.build(verified, target)
        k = code.kernels[verified.program.name]
        proof = refinement.prove_binary(isa.machine_code(code, k.name), verified.program)
        device = isa.IsaDevice(target)
        exact = _executed(verified, device)
        claimed = cycles.lds_cycles(device, verified.program, sizes)
        good = "green" if proof.proved and exact else "red"
        numbers = (str(n) for n in (k.vgprs, k.sgprs, k.lds_bytes, k.spills, k.code_size))
        said = (text.Text(proof.name, good), text.Text("exact" if exact else "WRONG", good))
        table.add_row(target, *numbers, _cycles(claimed), *said)
    return table


def _executed(verified: verifying.Verified, device: isa.IsaDevice) -> bool:
    """Whether the machine code, carried out in numpy, transposes a matrix exactly."""
    program = verified.program
    rows, columns = ISA_SIZE if program.sizes else (int(n) for n in program.source.descriptor.lengths)
    source = np.random.default_rng(7).standard_normal((rows, columns), dtype=np.float32)
    sizes = {"M": rows, "N": columns} if program.sizes else {}
    result = kernels.run(verified, device, source, (columns, rows), **sizes)
    return bool(np.array_equal(result.output, source.T))


def _cycles(found: cycles.LdsCycles | None) -> str:
    """The LDS cycles of the run, and whether they are those that the layouts claim."""
    if found is None:
        return "none"
    if found.equal and found.idle:
        return f"{found.cycles} as claimed, {found.idle} phases idle"
    return f"{found.cycles} as claimed" if found.equal else f"{found.cycles} of {found.claimed[1]} claimed"


def _run(console: terminal.Console, verified: verifying.Verified) -> int:
    device = machines.choose_device("auto")
    source = np.random.default_rng(2026).standard_normal(SIZE, dtype=np.float32)
    start = time.perf_counter()
    with console.status(f"running on {device.name}"):
        result = kernels.run(verified, device, source, SIZE[::-1], M=SIZE[0], N=SIZE[1])
    error = float(np.abs(result.output - source.T).max())
    seconds = time.perf_counter() - start
    console.print(f"{verified.program.name}, {SIZE[0]} x {SIZE[1]} f32, on {device.name} ({device.kind}):")
    console.print(f"  {result.milliseconds:.1f} ms ({seconds:.1f} s with compilation and check)")
    console.print(f"  max error against numpy: {error:g}")
    return 0 if error == 0 else 1
