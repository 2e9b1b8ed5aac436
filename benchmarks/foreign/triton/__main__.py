"""Kernels of public wheels, compiled by Triton and audited.

    python -m benchmarks.foreign.triton WHEELS [--triton PYTHON] [--builds build/triton] [--targets gfx942 …]
                                        [--kernels …] [--draw 1] [--twins] [--seconds 60] [--jobs 1]

WHEELS is a folder of what `pip download --no-deps` brings of the wheels that README.md names, and PYTHON has Triton;
no GPU is needed.  `kernels.toml` says where each kernel stands and how its framework compiles it, `launch/NAME.toml`
how its host launches it, `twins.toml` edits of one token that break it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.foreign.audit import COMPUTES, PROVED, Record, _table, _work
from benchmarks.foreign.cases import BREAKS, DIFFERS, RIGHT, Case
from benchmarks.foreign.triton.sources import Edit, Wheel

HERE = Path(__file__).parent
Kernel = Mapping[str, Any]


def kernels(names: Sequence[str] = (), draw: int = 0) -> list[Kernel]:
    """The kernels of the measure, or some by name, or a draw's."""
    every = tomllib.loads((HERE / "kernels.toml").read_text())["kernel"]
    return [one for one in every if (not names or one["name"] in names) and (not draw or one["draw"] == draw)]


def twins(names: Sequence[str]) -> list[Kernel]:
    """The broken twins of some kernels."""
    path = HERE / "twins.toml"
    every = tomllib.loads(path.read_text())["twin"] if path.exists() else []
    return [one for one in every if one["kernel"] in names]


def jobs(given: argparse.Namespace, chosen: Sequence[Kernel], broken: Sequence[Kernel]) -> Iterator[dict[str, Any]]:
    """What is to be compiled, the sources written: the kernels, and their twins."""
    known = {one["name"]: one for one in chosen}
    for one in chosen:
        yield from _jobs(given, one["name"], one)
    for twin in broken:
        one = known[twin["kernel"]]
        edit = Edit(one["file"], twin.get("function", one["function"]), twin["old"], twin["new"])
        yield from _jobs(given, f"{twin['kernel']}@{twin['name']}", one, edit)


def _jobs(given: argparse.Namespace, name: str, kernel: Kernel, *edits: Edit) -> Iterator[dict[str, Any]]:
    folder = given.builds / "sources" / name
    folder.mkdir(parents=True, exist_ok=True)
    wheel = Wheel(next(given.wheels.glob(kernel["wheel"] + "-*.whl")), folder, edits)
    job = {"name": name, "folder": str(folder), "module": wheel.extracted(kernel["file"], kernel["function"])}
    options = {"num_warps": kernel["warps"], **kernel.get("options", {})}
    for target in given.targets:
        out = str(given.builds / target / f"{name}.co")
        yield job | {key: kernel[key] for key in ("function", "signature")} | {
            "options": options, "target": target, "out": out
        }  # fmt: skip


def launched(text: str, about: Mapping[str, Any]) -> str:
    """A launch file, and what the build says of itself: the kernel's name, the block and the LDS."""
    known = f'[launch]\nkernel = "{about["kernel"]}"\nblock = [{about["threads"]}]\nlds = {about["lds"]}\n'
    return text.replace("[launch]\n", known)


def built(given: argparse.Namespace, name: str, target: str) -> bool:
    """Writes the launch file beside a build; whether there is one."""
    about = given.builds / target / f"{name}.json"
    path = HERE / "launch" / f"{name.partition('@')[0]}.toml"
    if not about.exists() or not path.exists():
        return False
    about.with_suffix(".toml").write_text(launched(path.read_text(), json.loads(about.read_text())))
    return True


def main(arguments: Sequence[str]) -> int:
    """Compiles, audits and prints the table; 1 where a verdict is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheels", type=Path)
    parser.add_argument("--triton", default=sys.executable)
    parser.add_argument("--builds", type=Path, default=Path("build/triton"))
    parser.add_argument("--targets", nargs="+", default=["gfx942"])
    parser.add_argument("--kernels", nargs="+", default=[])
    parser.add_argument("--draw", type=int, default=0)
    parser.add_argument("--twins", action="store_true")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--compile", action="store_true", help="compile only")
    given = parser.parse_args(arguments)
    given.builds = given.builds.resolve()
    chosen = kernels(given.kernels, given.draw)
    broken = twins([one["name"] for one in chosen]) if given.twins else []
    work = list(jobs(given, chosen, broken))
    (given.builds / "jobs.json").write_text(json.dumps(work))
    subprocess.run([given.triton, str(HERE / "make.py"), str(given.builds / "jobs.json")], check=True)
    if given.compile:
        return 0
    truths = {f"{one['kernel']}@{one['name']}": one.get("truth", BREAKS) for one in broken}
    records: list[Record] = []
    for target in given.targets:
        for name in [*(one["name"] for one in chosen), *truths]:
            if built(given, name, target):
                truth = truths.get(name, RIGHT)
                case = Case("wheels", name, target, truth=truth, folder=given.builds / target)
                records.append(_work((case, given.seconds)))
                print(line(records[-1]), flush=True)
    print(report(records))
    return int(any(one["judged"] in ("wrong", "crash") for one in records))


def line(one: Record) -> str:
    """What an audit says of a kernel, in a line."""
    why = " | ".join(
        f"{part[0]} {part[2]}: {part[3]}" if isinstance(part, (list, tuple)) else part for part in one["why"]
    )
    return f"{one['target']} {one['kernel']}: {one['safe']} {one['computes']} ({one['cpu']} s): {why}"


def report(records: Sequence[Record]) -> str:
    """How many were proved, refuted and unknown, by target and truth."""
    rows = []
    for target in dict.fromkeys(one["target"] for one in records):
        for truth in (RIGHT, BREAKS, DIFFERS):
            of = [one for one in records if (one["target"], one["truth"]) == (target, truth)]
            if of:
                counted = [sum(one["safe"] == word for one in of) for word in (PROVED, "unknown", "refuted")]
                equations = sum(one[COMPUTES] == PROVED for one in of)
                rows.append((target, truth, len(of), *counted, equations, sum(one["judged"] == "wrong" for one in of)))
    head = ("target", "kernels", "count", "proved safe", "unknown", "refuted", "equation proved", "wrong verdicts")
    return _table(head, iter(rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
