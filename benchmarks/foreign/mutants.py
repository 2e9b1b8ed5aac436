"""Edits of one bit of binaries that others compiled, carried out: none may crash the executor, or keep it for long.

    python -m benchmarks.foreign.mutants [--count 2000] [--seed 1] FILE.co …

Each file has its launch file beside it (`FILE.toml`), as `tests/foreign/triton/builds` has; without files, those are
taken.  An edit is anywhere in the file.  What came of each is counted:

| came of it | is |
|---|---|
| refused | no loader takes the file, or an instruction or a launch is not described |
| fault | the executor names what no correct kernel does |
| other result, same result | it ran |
| crash | an error that is not the library's own |
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

import numpy as np

from layoutalg.errors import DeviceError, Fault
from layoutalg.formats.spec import load
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.launch.concrete import bound

BUILDS = Path(__file__).parents[2] / "tests" / "foreign" / "triton" / "builds"

#: Sizes of symbols, values that launches ask for, and instructions after which a run is stopped.
SIZE, VALUE, STEPS = 70, 1, 20_000


def outputs(payload: bytes, launch_file: Path) -> list[bytes]:
    """What the kernel of a code object leaves in its tensors."""
    file = load(launch_file)
    kernels = read_kernels(payload)
    assert file.launch is not None
    kernel = kernels[file.launch.kernel or next(iter(kernels))]
    sizes = {name: min(SIZE if name != "H" else 2, int(v.hi)) for name, v in file.symbols.items()}
    values = {one.name: VALUE if one.dtype is None else 1.0 for one in file.launch.given}
    made = bound(file, kernel.metadata, sizes, {}, values)
    run = execute(decode_kernel(kernel), made.grid, made.block, made.arguments, STEPS, lds=made.lds)
    return [np.ascontiguousarray(one).tobytes() for one in run.outputs]


def outcome(payload: bytes, launch_file: Path, wanted: list[bytes]) -> str:
    """What came of an edit."""
    try:
        return "same result" if outputs(payload, launch_file) == wanted else "other result"
    except Fault:
        return "fault"
    except (DeviceError, KeyError):  # a kernel of another name is one that is not there
        return "refused"


def main() -> int:
    """Edits and counts; 1 where something crashed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    files = given.files or sorted(BUILDS.glob("*.co"))
    wanted = {file: outputs(file.read_bytes(), file.with_suffix(".toml")) for file in files}
    draw, counted, slowest = random.Random(given.seed), Counter[str](), (0.0, "")
    for number in range(given.count):
        file = draw.choice(files)
        payload = bytearray(file.read_bytes())
        place, bit = draw.randrange(len(payload)), draw.randrange(8)
        payload[place] ^= 1 << bit
        about, start = f"{file.name} byte {place} bit {bit}", time.process_time()
        try:
            counted[outcome(bytes(payload), file.with_suffix(".toml"), wanted[file])] += 1
        except Exception:
            counted["crash"] += 1
            print(f"crash: {about}", file=sys.stderr)
            traceback.print_exc()
        slowest = max(slowest, (time.process_time() - start, about))
        if number % 200 == 199:
            print(f"{number + 1}: {dict(counted)}; the slowest {slowest[0]:.1f} s of CPU: {slowest[1]}", flush=True)
    return int(counted["crash"] > 0)


if __name__ == "__main__":
    sys.exit(main())
