"""Proofs of honest builds: compilers × levels × kernels × targets, in portions, each proof with a limit of its own.

    python -m benchmarks.binary.run proofs --levels 3
    python -m benchmarks.binary.run proofs --compilers WHEELS/0.15.2 --only --levels 3 --targets gfx942 gfx1100
    python -m benchmarks.binary.run proofs --again unknown --kernels permute
    python -m benchmarks.binary.run proofs --fresh
    python -m benchmarks.binary.run merge OTHER/proofs.jsonl

What is known (`benchmarks/binary/proofs.jsonl`) is not proved again, unless its result is named by `--again`, or with
`--fresh` where other code of this library proved it.  A proof runs in a process of its own, which is ended when it
takes much longer than it may; that is `unknown`, too.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import layoutalg
from benchmarks.binary.builds import built, compilers, kernels
from benchmarks.binary.state import Key, State
from layoutalg.device.compilers import Compiler
from layoutalg.errors import CompileError, Fault, UnsupportedInstructionError
from layoutalg.isa.decode.code import MachineCode
from layoutalg.kernel.program import Program
from layoutalg.refine.refinement import prove_binary
from layoutalg.refine.trial import attempt, make_case, small_sizes
from layoutalg.target.known import formats_of

Row = dict[str, Any]

PROOFS = Path(__file__).parent / "proofs.jsonl"
DEPENDS = ("index", "layout", "target", "prove", "memory", "kernel", "isa", "device", "refine")
"""Packages on which a proof depends."""
GRACE = 1.5
"""How much longer than its limit a proof may take before its process is ended."""
TOLD = 300
"""Characters of a reason that are kept."""


@dataclass(frozen=True)
class Portion:
    """What to prove, and how long."""

    folders: tuple[Path, ...] = ()  # of compilers
    only: bool = False  # those alone, not the usual one
    levels: str = "3"
    kernels: tuple[str, ...] = ()  # all
    targets: tuple[str, ...] = ()
    again: frozenset[str] = frozenset()  # results that are not kept
    fresh: bool = False  # nor those of other code
    seconds: float = 60.0  # of one proof
    limit: float = 240.0  # of all; the proof that is under way then is finished

    def keeps(self, row: Row | None) -> bool:
        """Whether a row, if there is one, stays as it is."""
        return row is not None and row["result"] not in self.again and not (self.fresh and row["code"] != code())

    def builds(self) -> Iterator[tuple[Key, Compiler]]:
        """Each build by its key: compiler, level, kernel, target."""
        found = list(compilers(list(self.folders)))
        for name, compiler in found[1:] if self.only else found:
            for level in self.levels:
                for kernel in self.kernels or kernels():
                    for target in self.targets:
                        yield (name, level, kernel, target), compiler


@cache
def code() -> str:
    """The code on which a proof depends, as a number: of each row it is kept which code proved it."""
    found = hashlib.sha256()
    for folder in DEPENDS:
        for path in sorted((Path(layoutalg.__file__).parent / folder).rglob("*.py")):
            found.update(path.read_bytes())
    return found.hexdigest()[:12]


def run_proofs(portion: Portion, state: State) -> bool:
    """Proves what is not known yet, a line for each; false when time ran out."""
    begin = time.monotonic()
    for key, compiler in portion.builds():
        if portion.keeps(state.rows.get(key)):
            continue
        if time.monotonic() - begin > portion.limit:
            return False
        state.put(key, row := {**_row(key, compiler, portion.seconds), "code": code()})
        said = "" if row["result"] == "not built" else row["why"]
        run = f"(a run: {row['run']})" if "run" in row else ""
        print(" · ".join(key), row["result"], f"{row.get('seconds', 0):.1f} s", run, said, flush=True)
    return True


def _row(key: Key, compiler: Compiler, seconds: float) -> Row:
    _, level, kernel, target = key
    try:
        binary = built(kernel, target, level, compiler)
    except CompileError as error:
        return {"result": "not built", "why": str(error)[:TOLD]}
    except UnsupportedInstructionError as error:
        return {"result": "refused", "why": str(error)[:TOLD]}
    return limited(binary, kernels()[kernel][target], seconds)


def limited(binary: MachineCode, program: Program, seconds: float) -> Row:
    """The row of a proof, made by a process of its own."""
    start, context = time.monotonic(), multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(there, binary, program, seconds))
    process.start()
    there.close()
    try:
        if here.poll(seconds * GRACE):
            row: Row = here.recv()
        else:
            row = {"result": "unknown", "why": f"ended after {seconds * GRACE:.0f} s"}
    except EOFError:
        row = {"result": "unknown", "why": "its process ended without a result"}
    process.kill()
    process.join()
    return {**row, "seconds": round(time.monotonic() - start, 2)}


def _send(pipe: Connection, binary: MachineCode, program: Program, seconds: float) -> None:
    row = proved(binary, program, seconds)
    pipe.send(row if row["result"] == "proved" else {**row, "run": seen(binary, program)})


def seen(binary: MachineCode, program: Program) -> str:
    """What a run shows of a binary that is not proved: `exact`, `WRONG`, or a fault in words."""
    try:
        return (
            "exact"
            if attempt(
                binary, program, make_case(program, small_sizes(program), formats=formats_of(binary.kernel.target))
            ).exact
            else "WRONG"
        )
    except (Fault, UnsupportedInstructionError) as error:
        return str(error)[:TOLD]


def proved(binary: MachineCode, program: Program, seconds: float) -> Row:
    """The row of a proof."""
    start = time.monotonic()
    found = prove_binary(binary, program, seconds=seconds)
    why = "; ".join(f"{about}: {v.reason}" for about, v in found.failures)[:TOLD]
    return {"result": found.name, "why": why, "seconds": round(time.monotonic() - start, 2)}
