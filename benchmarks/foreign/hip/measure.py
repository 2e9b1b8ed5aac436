"""Kernels that people ship in HIP, compiled from checkouts and audited.

    python -m benchmarks.foreign.hip.measure --checkouts FOLDER [--targets gfx942 …] [--kernels …] [--seconds 60]
                                             [--builds build/hip] [--compile]

FOLDER holds a checkout of each collection that `kernels.toml` names, under the name that it has there.  `kernels.toml`
says where each kernel stands, `launch/NAME.toml` how its host launches it; a launch file names the kernel.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.foreign.audit import Record, _work
from benchmarks.foreign.cases import Case
from benchmarks.foreign.hip.cut import kept
from benchmarks.foreign.hip.sources import Source, in_checkout
from benchmarks.foreign.triton.__main__ import line, report
from layoutalg.device.compile import compile_file
from layoutalg.errors import CompileError

HERE = Path(__file__).parent
Kernel = Mapping[str, Any]


def kernels(names: Sequence[str] = ()) -> list[Kernel]:
    """The kernels of the measure, or some by name, with what is said of their collections."""
    about = tomllib.loads((HERE / "kernels.toml").read_text())
    every = ({**about["collection"][one["collection"]], **one} for one in about["kernel"])
    return [one for one in every if not names or one["name"] in names]


def source(kernel: Kernel, checkouts: Path, builds: Path) -> Source:
    """What is compiled of a kernel's file, and with which flags: a copy where a part of it is kept."""
    root = checkouts / kernel["collection"]
    whole = in_checkout(root / kernel["file"], root, kernel["collection"])
    include = (*whole.include, HERE / "stubs", *(root / one for one in kernel.get("include", ())))
    flags = (*whole.flags, *kernel.get("flags", ()))
    path = whole.path
    if "keep" in kernel:
        path = builds / "sources" / f"{kernel['name']}.hip"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(kept(whole.path.read_text(), kernel["keep"], kernel.get("taken", ())))
    return Source(path, whole.name, include, flags)


def built(kernel: Kernel, target: str, checkouts: Path, builds: Path) -> str:
    """Compiles a kernel's file and writes the launch file beside it; why not, where it does not compile."""
    one = source(kernel, checkouts, builds)
    out = builds / target / f"{kernel['name']}.co"
    out.parent.mkdir(parents=True, exist_ok=True)
    launch = HERE / "launch" / f"{kernel['name']}.toml"
    out.with_suffix(".toml").write_text(launch.read_text())
    try:
        out.write_bytes(compile_file(one.path, target, include=one.include, flags=one.flags).payload)
    except CompileError as error:
        return str(error).partition("\n")[0]
    return ""


def main(arguments: Sequence[str]) -> int:
    """Compiles, audits and prints the table; 1 where a verdict is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkouts", type=Path, required=True)
    parser.add_argument("--builds", type=Path, default=Path("build/hip"))
    parser.add_argument("--targets", nargs="+", default=["gfx942"])
    parser.add_argument("--kernels", nargs="+", default=[])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--compile", action="store_true", help="compile only")
    given = parser.parse_args(arguments)
    builds, records = given.builds.resolve(), list[Record]()
    for target in given.targets:
        for one in kernels(given.kernels):
            if why := built(one, target, given.checkouts.resolve(), builds):
                print(f"{target} {one['name']}: not compiled: {why}", flush=True)
            elif not given.compile:
                case = Case(one["collection"], one["name"], target, folder=builds / target)
                records.append(_work((case, given.seconds)))
                print(line(records[-1]), flush=True)
    print(report(records))
    return int(any(one["judged"] in ("wrong", "crash") for one in records))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
