"""A long run of drawn programs, numpy's machine beside compiled text: `python -m tests.isa.compiled 10000 --seed 0`.

A program is a kernel of one target in turn, launched as it should be and on a tensor that is too short.  The text is
compiled as it stands (-O0), a sixth of the usual time; the tests in this folder take it as users do.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

from layoutalg.device import plain
from layoutalg.device.plain import execute_plainly
from layoutalg.isa.run.launch import execute
from layoutalg.isa.semantics.accesses import ACCESSES
from tests.isa.compiled.test_memory import TARGETS, drawn, left

#: Programs of one source.
MANY = 12


def found(seed: int) -> tuple[Counter[str], list[str]]:
    """What became of the programs of a seed, with the accesses that they have, and those of which the two differ."""
    plain.FLAGS = (*(flag for flag in plain.FLAGS if flag != "-O0"), "-O0")
    target = TARGETS[seed % len(TARGETS)]
    counts, differ = Counter[str](), list[str]()
    for code, short in itertools.product(drawn(seed, target, MANY), (False, True)):
        one, other = (left(run, code, short) for run in (execute, execute_plainly))
        counts["ran" if isinstance(one, list) else one if one == "refused" else "faulted"] += 1
        if not short:
            counts["programs"] += 1
            counts.update({f"  {i.name}" for i in code.instructions if i.name in ACCESSES})
        if one != other:
            differ.append(
                f"seed {seed}, {target}, {code.kernel.name}{', short' if short else ''}: {one} and {other}"[:200]
            )
    return counts, differ


def results(seed: int, many: int) -> Iterator[tuple[Counter[str], list[str]]]:
    """Those of all seeds."""
    with ProcessPoolExecutor(2) as pool:
        yield from pool.map(found, range(seed, seed + -(-many // MANY)))


def main() -> int:
    read = argparse.ArgumentParser(description=__doc__)
    read.add_argument("many", type=int)
    read.add_argument("--seed", type=int, default=0)
    given = read.parse_args()
    total, wrong = Counter[str](), 0
    for n, (counts, differ) in enumerate(results(given.seed, given.many)):
        total += counts
        wrong += len(differ)
        print(*differ, sep="\n", end="\n" if differ else "", flush=True)
        if n % 50 == 49:
            print(f"{total['programs']} programs: {wrong} runs differ", flush=True)
    print(*(f"{name}: {count}" for name, count in total.items()), f"differ: {wrong}", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
