"""Compiles instances of CK Tile's kernels with our own headers and compiler, audits them, and runs some.

    python -m benchmarks.ck.instances CK [--targets gfx942 …] [--instances …] [--seconds 60] [--jobs 1] [--left]
                                         [--no-audit] [--sizes 5]
    python -m benchmarks.ck.instances --report [--targets gfx942 …]

`CK` is a folder of composable_kernel (the wheel amd-aiter==0.1.7.post2.dev18 has one in aiter_meta/3rdparty). Objects
and filled-in launch files go to `build/ck`, and each record as soon as it is there, a line of `records.jsonl`; what has
an object is not compiled again, and with `--left` what has a verdict is left out. With `--sizes` each is carried out
at so many sizes beside numpy, too, compiled (`benchmarks.ck.runs`). `--report` prints the tables of the last record of
each instance and target.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from benchmarks.ck.recorded import BUILD, Record, Records, audited, parser, table
from benchmarks.ck.runs import run, several
from benchmarks.ck.table import CDNA, INSTANCES, Instance
from benchmarks.foreign.audit import TooLongError, cpu_seconds, within
from layoutalg.errors import DeviceError, LayoutError
from layoutalg.formats.model import SpecFile
from layoutalg.formats.spec import load
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from layoutalg.isa.run.described import Surveyor

RECORDS = Records(BUILD / "records.jsonl", ("instance", "target"))

NAMED = {one.name: one for one in INSTANCES}

#: An instance takes so many times as long as its audit is given, and so many seconds more, at most.
MOST_TIMES, MOST_BESIDE = 4, 600

WRONG = ("wrong", "fault")
"""How what a run is begins where it is not right."""


def compiled(one: Instance, target: str, ck: Path) -> tuple[bytes, SpecFile, Record]:
    """The code object, from `build/ck` where it is there, the launch file, which lies there too, and the seconds.

    Raises `DeviceError`.
    """
    include = (ck / "include",)
    path, spent, source = BUILD / f"{one.built_as or one.name}.{target}.co", Record(), one.source(target, include)
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        start = cpu_seconds()
        payload = source.compiled(target, include)
        new = path.with_suffix(f".{os.getpid()}")
        new.write_bytes(payload)
        new.replace(path)  # another job may compile the same
        spent = {"compile": round(cpu_seconds() - start, 1)}
    (text,) = source.launches.values()
    file = BUILD / f"{one.name}.toml"
    file.write_text(text)
    return path.read_bytes(), load(file), spent


def sized(one: Instance, file: SpecFile, code: MachineCode, count: int) -> Sequence[Record]:
    """So many runs beside numpy or more, compiled: the sizes, and what comes of each."""
    found: list[Record] = []
    for sizes in several(file, count, one.name):
        start = cpu_seconds()
        try:
            said = run(one, file, code, sizes, plainly=True)
        except DeviceError as error:
            said = f"fault: {str(error)[:200]}"
        found.append({"sizes": sizes, "run": said, "cpu": round(cpu_seconds() - start, 1)})
    return found


def record(one: Instance, target: str, ck: Path, seconds: float, asked: bool, count: int) -> Record:
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
            found["run"] = run(one, file, code, one.sizes)
        except DeviceError as error:
            found["run"] = f"fault: {str(error)[:200]}"
        found["run_cpu"] = round(cpu_seconds() - start, 1)
    if count:
        found["sized"] = sized(one, file, code, count)
    return found | audited(code, file, seconds) if asked else found


def recorded(name: str, target: str, ck: Path, seconds: float, asked: bool, count: int) -> Record:
    """The same of a name, whatever happens: what crashes is a finding, and what does not end."""
    one = NAMED[name]
    try:
        with within(MOST_TIMES * seconds + MOST_BESIDE):
            return record(one, target, ck, seconds, asked, count)
    except TooLongError:
        verdict, why = "unknown", "no end"
    except Exception as error:
        verdict, why = "crash", f"{type(error).__name__}: {str(error)[:200]}"
    return {"instance": name, "target": target, "verdict": verdict, "claims": {}, "why": [why]}


def report(of: Sequence[Record]) -> str:
    """What all comes to, and three tables: what was compiled, what is proved of it, and runs at several sizes."""
    order = {one.name: place for place, one in enumerate(INSTANCES)}
    of = sorted(
        (one for one in of if one["instance"] in order), key=lambda one: (order[one["instance"]], one["target"])
    )
    targets = dict.fromkeys(one["target"] for one in of)
    parts = [table(
        ("target", "instances", "of kinds", "all proved", "of them with computes", "refuted", "unknown", "crash",
         "refused", "a run is wrong"),
        (_shares([one for one in of if one["target"] == target]) for target in targets),
    ), table(
        ("instance", "target", "instructions", "not described", "MFMA", "LDS", "vector", "acc.", "scalar", "spills",
         "compiled in", "a run is"),
        (_figures(one) for one in of),
    ), table(
        ("instance", "target", "verdict", "proved", "not proved", "CPU"),
        (_verdict(one) for one in of if "verdict" in one),
    ), table(
        ("instance", "target", "sizes", "runs are", "CPU"),
        (_sized(one) for one in of if "sized" in one),
    )]  # fmt: skip
    return "\n".join(parts)


def _runs(one: Record) -> Sequence[str]:
    """What each run of it came to."""
    return [*([one["run"]] if "run" in one else []), *(each["run"] for each in one.get("sized", ()))]


def _shares(of: Sequence[Record]) -> Sequence[Any]:
    verdicts = Counter("refused" if "refused" in one else one.get("verdict", "") for one in of)
    computed = (one for one in of if one.get("verdict") == "proved" and "computes" in one["claims"])
    wrong = (one for one in of if any(said.startswith(WRONG) for said in _runs(one)))
    return (of[0]["target"], len(of), len({NAMED[one["instance"]].kind for one in of}), verdicts["proved"],
            sum(1 for _ in computed), *(verdicts[name] for name in ("refuted", "unknown", "crash", "refused")),
            sum(1 for _ in wrong))  # fmt: skip


def _figures(one: Record) -> Sequence[Any]:
    if "refused" in one:
        return one["instance"], one["target"], one["refused"], *[""] * 9
    if "instructions" not in one:
        return one["instance"], one["target"], *one["why"][:1], *[""] * 9
    counted = ("mfma", "lds", "vgprs", "agprs", "sgprs", "spills")
    spent = f"{one['compile']} s" if "compile" in one else ""
    return (one["instance"], one["target"], one["instructions"], ", ".join(one["missing"]) or 0,
            *(one[what] for what in counted), spent, one.get("run", ""))  # fmt: skip


def _verdict(one: Record) -> Sequence[Any]:
    proved = [claim for claim, counts in one["claims"].items() if set(counts) == {"proved"}]
    others = [f"{claim} ({', '.join(f'{n} {name}' for name, n in counts.items())})"
              for claim, counts in one["claims"].items() if set(counts) != {"proved"}]  # fmt: skip
    left = ", ".join(others) or "".join(one["why"][:1])
    return (
        one["instance"],
        one["target"],
        one["verdict"],
        ", ".join(proved),
        left,
        f"{one['cpu']} s" if "cpu" in one else "",
    )


def _sized(one: Record) -> Sequence[Any]:
    sizes = "; ".join(" ".join(f"{name}={size}" for name, size in each["sizes"].items()) for each in one["sized"])
    said = ", ".join(f"{n} {what}" for what, n in Counter(each["run"] for each in one["sized"]).items())
    return one["instance"], one["target"], sizes, said, f"{round(sum(each['cpu'] for each in one['sized']), 1)} s"


def main(arguments: Sequence[str]) -> int:
    """Compiles, runs and audits; 1 where a run is wrong, or an audit crashes."""
    options = parser(__doc__, "instances", [one.name for one in INSTANCES], 60)
    options.add_argument("--targets", nargs="+", default=list(CDNA))
    options.add_argument("--no-audit", action="store_true")
    options.add_argument("--sizes", type=int, default=0, help="run at so many sizes or more, compiled")
    options.add_argument("--jobs", type=int, default=1, help="instances at once")
    options.add_argument("--left", action="store_true", help="those alone that have no verdict yet")
    given = options.parse_args(arguments)
    last = RECORDS.last()
    if given.report:
        print(report([one for one in last.values() if one["target"] in given.targets]))
        return 0
    if given.ck is None:
        options.error("name CK's folder")
    work = [(one.name, target) for one in sorted(INSTANCES, key=lambda one: one.gemm is None)  # longest first
            for target in one.targets if one.name in given.instances and target in given.targets
            and not (given.left and "verdict" in last.get((one.name, target), ()))]  # fmt: skip
    bad = False
    with ProcessPoolExecutor(given.jobs) as pool:
        under_way = [
            pool.submit(recorded, *one, given.ck, given.seconds, not given.no_audit, given.sizes) for one in work
        ]
        for ended in as_completed(under_way):
            found = ended.result()
            bad |= found.get("verdict") == "crash" or any(said.startswith(WRONG) for said in _runs(found))
            RECORDS.add(found)
    return int(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
