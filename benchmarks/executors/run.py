"""Carries our kernels and the corpus out on an executor that others wrote, and compares it with ours bit for bit.

    python -m benchmarks.executors.run tinygrad CHECKOUT [--targets …] [--kernels …] [--corpora …] [--fresh]
    python -m benchmarks.executors.run mgpusim BINARY
    python -m benchmarks.executors.run remu LIBRARY
    python -m benchmarks.executors.run report

A record for each case goes to `build/executors/EXECUTOR.jsonl`, and what has one is not run again; `report` writes
RESULTS.md of them. README.md says how CHECKOUT, BINARY and LIBRARY are made.

| outcome | says |
|---|---|
| `exact` | all memory is as our executor leaves it, bit for bit |
| `differs` | it is not: who is right is said by `right`, the result that must come out |
| `unknown` | the executor does not know an instruction, or what the kernel asks to be set up |
| `died` | it ended, or took too long |
| `alone` | our executor does not know an instruction: only what must come out judges |
"""

from __future__ import annotations

import argparse
import functools
import json
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.executors.cases import STEPS, Case, foreign_cases, library_cases, odd_cases
from benchmarks.executors.dispatch import Dispatch, differences, dispatch
from benchmarks.executors.executors import EXECUTORS, Worker
from benchmarks.executors.results import write
from layoutalg.errors import DeviceError
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.run.arguments import LaunchSizes, as_buffers, buffers_of
from layoutalg.isa.run.launch import execute

STATE = Path("build/executors")
SHOWN = ("target", "build", "kernel", "sizes", "ours", "outcome", "why")
CORPORA: Mapping[str, Callable[[str, Sequence[str]], Iterator[Case]]] = {
    "library": library_cases,
    "odd": odd_cases,
    "O3": lambda target, names: foreign_cases(target, 3, names),
    "O1": lambda target, names: foreign_cases(target, 1, names),
}
"""What is carried out, by its name on the command line."""


def ours(case: Case) -> list[Any] | str:
    """What our executor leaves in the buffers; or why it leaves nothing."""
    if not isinstance(case.code, MachineCode):
        return "not decoded"
    try:
        found = execute(case.code, case.grid, case.block, case.arguments, STEPS, strict=case.strict, lds=case.lds)
        return list(found.outputs)
    except DeviceError as error:
        return str(error)


@functools.cache
def _commit() -> str:
    """Ours, in short."""
    said = subprocess.run(("git", "rev-parse", "--short", "HEAD"), capture_output=True, text=True, check=False)
    return said.stdout.strip()


def judged(case: Case, worker: Worker) -> dict[str, Any]:
    """One case on both executors: a record."""
    found: dict[str, Any] = {"kernel": case.kernel, "build": case.build, "target": case.target, "sizes": case.sizes,
                             "at": _commit()}  # fmt: skip
    ran = ours(case)
    found["ours"] = "right" if isinstance(ran, list) and case.right(ran) else "wrong" if isinstance(ran, list) else ran
    instructions = case.code.instructions if isinstance(case.code, MachineCode) else ()
    try:
        grid, block = ((*sizes, 1, 1)[:3] for sizes in (case.grid, case.block))
        args = as_buffers(case.arguments)
        sent = dispatch(case.binary, instructions, LaunchSizes(grid, block, case.lds), args)
    except DeviceError as error:
        return found | {"outcome": "unknown", "why": f"not dispatched: {error}"}
    if sent.substituted:
        found["substituted"] = sent.substituted
    answer = worker.carry_out(sent)
    if answer.memory is None:
        why = named(answer.unknown, case) or answer.died
        return found | {"outcome": "unknown" if answer.unknown else "died", "why": why}
    found["right"] = case.right(arrays(args, sent, answer.memory))
    if not isinstance(ran, list):
        return found | {"outcome": "alone"}
    places = dict(zip(buffers_of(args), ran, strict=True))
    apart = differences(sent, list(places.values()), answer.memory)
    return found | {"outcome": "differs" if apart else "exact", "where": [vars(one) for one in apart]}


def named(unknown: str, case: Case) -> str:
    """What an executor does not know; by our decoder's name where it says the instruction's first word."""
    word = re.fullmatch("word ([0-9A-F]{8})", unknown)
    if not word or not isinstance(case.code, MachineCode):
        return unknown
    raw, at = int(word[1], 16).to_bytes(4, "little"), case.binary.entry
    return ", ".join({one.name for one in case.code.instructions if case.binary.code[one.address - at :][:4] == raw})


def arrays(args: Sequence[Any], sent: Dispatch, memory: Mapping[int, bytes]) -> list[Any]:
    """The buffers of a memory, as arrays like those given, in the order of the arguments."""
    given = list(buffers_of(args))
    places = dict(zip(dict.fromkeys(given), zip(sent.buffers, sent.sizes, strict=True), strict=True))
    return [
        np.frombuffer(memory[region.address][:size], np.uint8).view(one.array.dtype).reshape(one.array.shape).copy()
        for one in given
        for region, size in [places[one]]
    ]


def cases(target: str, corpora: Sequence[str], names: Sequence[str]) -> Iterator[Case]:
    """Those of the corpora, one after the other."""
    for corpus in corpora:
        yield from CORPORA[corpus](target, names)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=[*EXECUTORS, "report"])
    parser.add_argument("given", nargs="*", help="the executor's checkout, or what was built of it")
    parser.add_argument("--targets", nargs="*")
    parser.add_argument("--kernels", nargs="*", default=[])
    parser.add_argument("--corpora", nargs="*", default=["library", "odd", "O3"], choices=CORPORA)
    parser.add_argument("--fresh", action="store_true", help="run what has a record, too")
    asked = parser.parse_args()
    if asked.what == "report":
        write(STATE)
        return
    executor = EXECUTORS[asked.what]
    STATE.mkdir(parents=True, exist_ok=True)
    records = STATE / f"{executor.name}.jsonl"
    lines = records.read_text().splitlines() if records.exists() and not asked.fresh else []
    done = {key(json.loads(line)) for line in lines}
    worker = Worker(executor, asked.given)
    with records.open("a") as out:
        for target in asked.targets or executor.targets:
            for case in cases(target, asked.corpora, asked.kernels):
                if key(vars(case)) in done:
                    continue
                found = judged(case, worker)
                print(json.dumps(found), file=out, flush=True)
                print(*(found.get(name, "") for name in SHOWN))
    worker.close()


def key(record: Any) -> str:
    """What makes a case one."""
    return json.dumps([record["kernel"], record["build"], record["target"], dict(record["sizes"])])


if __name__ == "__main__":
    main()
