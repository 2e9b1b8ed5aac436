"""Compiles instances of CK Tile's kernels with our own headers and compiler, audits them, and runs some.

    python -m benchmarks.ck.instances CK [--targets gfx942 …] [--instances …] [--seconds 60] [--no-audit]
    python -m benchmarks.ck.instances --report

`CK` is a folder of composable_kernel (the wheel amd-aiter==0.1.7.post2.dev18 has one in aiter_meta/3rdparty). Objects,
filled-in launch files and a record for each instance and target go to `build/ck`; what has an object is not compiled
again. `--report` prints the table of all records.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.ck.recorded import BUILD, Record, Records, audited, parser, table
from benchmarks.ck.table import CDNA, INSTANCES, Instance
from benchmarks.foreign.audit import cpu_seconds
from layoutalg.errors import DeviceError, LayoutError
from layoutalg.formats.model import SpecFile
from layoutalg.formats.spec import load
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from layoutalg.isa.run.described import Surveyor
from layoutalg.isa.run.launch import execute
from layoutalg.launch.concrete import bound

RECORDS = Records(BUILD / "records.jsonl", ("instance", "target"))


def compiled(one: Instance, target: str, ck: Path) -> tuple[bytes, SpecFile, Record]:
    """The code object, from `build/ck` where it is there, the launch file, which lies there too, and the seconds.

    Raises `DeviceError`.
    """
    include = (ck / "include",)
    path, spent, source = BUILD / f"{one.built_as or one.name}.{target}.co", Record(), one.source(target, include)
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        start = cpu_seconds()
        path.write_bytes(source.compiled(target, include))
        spent = {"compile": round(cpu_seconds() - start, 1)}
    (text,) = source.launches.values()
    file = BUILD / f"{one.name}.toml"
    file.write_text(text)
    return path.read_bytes(), load(file), spent


def run(one: Instance, file: SpecFile, code: MachineCode) -> str:
    """Carries it out at the instance's sizes: `exact`, `close`, or what is wrong.

    What is read holds whole numbers, whose sums are exact, or where results are to be close, normal ones.
    """
    given = bound(file, code.kernel.metadata, one.sizes, {}, one.values)
    if one.tolerance:
        generator = np.random.default_rng(0)
        inputs = {name: generator.standard_normal(tensor.places.shape).astype(tensor.buffer.array.dtype)
                  for name, tensor in given.tensors.items() if not tensor.written}  # fmt: skip
        given = bound(file, code.kernel.metadata, one.sizes, inputs, one.values)
    before = {name: tensor.read(tensor.buffer.array) for name, tensor in given.tensors.items()}
    wanted = one.reference({name: array.astype(np.float64) for name, array in before.items()})
    result = execute(code, given.grid, given.block, given.arguments, lds=given.lds)
    after = {tensor.buffer.name: tensor.read(array) for tensor, array in zip(given.passed, result.outputs, strict=True)}
    worst = "exact"
    for name, array in wanted.items():
        found = after[name]
        if (found == array.astype(found.dtype)).all():
            continue
        if not np.allclose(found.astype(np.float64), array, rtol=one.tolerance, atol=one.tolerance):
            return f"wrong: {name}"
        worst = "close"
    return worst


def record(one: Instance, target: str, ck: Path, seconds: float, asked: bool) -> Record:
    """What is found of one instance for one target."""
    found: Record = {"instance": one.name, "target": target}
    try:
        payload, file, spent = compiled(one, target, ck)
    except (DeviceError, LayoutError) as error:
        return found | {"refused": re.sub(r"/\S*/", "", str(error).splitlines()[0])[:300]}
    assert file.launch is not None
    kernel = read_kernels(payload)[file.launch.kernel or ""]
    code, said = decode_kernel(kernel), kernel.metadata
    found |= spent | {
        "instructions": len(code.instructions),
        "mfma": sum(instruction.name.startswith("V_MFMA") for instruction in code.instructions),
        "lds": said.lds_bytes, "vgprs": said.vgprs, "agprs": said.agprs, "sgprs": said.sgprs,
        "spills": (said.vgpr_spills or 0) + (said.sgpr_spills or 0),
        "missing": dict(Surveyor(kernel.target).survey(kernel.code, kernel.wave_size, kernel.float_mode).missing),
    }  # fmt: skip
    if one.sizes:
        start = cpu_seconds()
        try:
            found["run"] = run(one, file, code)
        except DeviceError as error:
            found["run"] = f"fault: {str(error)[:200]}"
        found["run_cpu"] = round(cpu_seconds() - start, 1)
    return found | audited(code, file, seconds) if asked else found


def report(of: Sequence[Record]) -> str:
    """Two tables: what was compiled, and what is proved of it."""
    order = {one.name: place for place, one in enumerate(INSTANCES)}
    of = sorted(
        (one for one in of if one["instance"] in order), key=lambda one: (order[one["instance"]], one["target"])
    )
    parts = [table(
        ("instance", "target", "instructions", "not described", "MFMA", "LDS", "vector", "acc.", "scalar", "spills",
         "compiled in", "a run is"),
        (_figures(one) for one in of),
    ), table(
        ("instance", "target", "verdict", "proved", "not proved", "CPU"),
        (_verdict(one) for one in of if "verdict" in one),
    )]  # fmt: skip
    return "\n".join(parts)


def _figures(one: Record) -> Sequence[Any]:
    if "refused" in one:
        return one["instance"], one["target"], one["refused"], *[""] * 9
    counted = ("mfma", "lds", "vgprs", "agprs", "sgprs", "spills")
    spent = f"{one['compile']} s" if "compile" in one else ""
    return (one["instance"], one["target"], one["instructions"], ", ".join(one["missing"]) or 0,
            *(one[what] for what in counted), spent, one.get("run", ""))  # fmt: skip


def _verdict(one: Record) -> Sequence[Any]:
    proved = [claim for claim, counts in one["claims"].items() if set(counts) == {"proved"}]
    others = [f"{claim} ({', '.join(f'{n} {name}' for name, n in counts.items())})"
              for claim, counts in one["claims"].items() if set(counts) != {"proved"}]  # fmt: skip
    left = ", ".join(others) or "".join(one["why"][:1])
    return one["instance"], one["target"], one["verdict"], ", ".join(proved), left, f"{one['cpu']} s"


def main(arguments: Sequence[str]) -> int:
    """Compiles, runs and audits; 1 where a run is wrong, or an audit crashes."""
    options = parser(__doc__, "instances", [one.name for one in INSTANCES], 60)
    options.add_argument("--targets", nargs="+", default=list(CDNA))
    options.add_argument("--no-audit", action="store_true")
    given = options.parse_args(arguments)
    if given.report:
        print(report([*RECORDS.last().values()]))
        return 0
    if given.ck is None:
        options.error("name CK's folder")
    bad = False
    for one in INSTANCES:
        for target in one.targets:
            if one.name in given.instances and target in given.targets:
                found = record(one, target, given.ck, given.seconds, not given.no_audit)
                bad |= found.get("verdict") == "crash" or found.get("run", "").startswith(("wrong", "fault"))
                RECORDS.add(found)
    return int(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
