"""Counters by formula beside counters by a run: every kernel of tests/foreign, at three of its sizes each.

    python -m benchmarks.counters.formulas [--target gfx942] [NAME…]

Of each kernel the formulas are made once, for all sizes, and evaluated; at each size the whole grid is run, and each
counter of the formulas is compared with the run's.  A formula that is one term must be the run's number; of one that is
bounded the run's bounds lie within.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import process_time

from layoutalg.counters.call import counters_of
from layoutalg.counters.formulas.call import CounterFormulas, formulas_of
from layoutalg.errors import Fault, LayoutError
from layoutalg.isa.run.launch import STEP_LIMIT
from tests.foreign.corpus import Kernel, Sizes
from tests.foreign.running import launched, machine_code
from tests.foreign.table import KERNELS

MOVED = ("bytes read", "bytes written")
SIZES = 3
"""Sizes at which each kernel is run, at most."""


@dataclass(frozen=True)
class Compared:
    """One kernel: counters by formula, those of them in one term, and where a run counts another number."""

    name: str
    formulas: CounterFormulas
    sizes: int
    differ: tuple[str, ...]
    seconds: float

    @property
    def by_formula(self) -> int:
        """How many counters have a formula."""
        return sum(one.least is not None for one in self.formulas.formulas)

    @property
    def whole(self) -> bool:
        """Whether every counter of instructions has one."""
        others = ("SQ_LDS", "SQC_LDS", "TCP_", *MOVED, "segments")
        return all(one.least is not None for one in self.formulas.formulas if not one.name.startswith(others))

    @property
    def moved(self) -> bool:
        """Whether bytes read and written have one."""
        return set(MOVED) <= self._known

    @property
    def touched(self) -> bool:
        """Whether segments have one."""
        return "segments" in self._known

    @property
    def _known(self) -> set[str]:
        return {one.name for one in self.formulas.formulas if one.least is not None}


def sizes_of(kernel: Kernel) -> Sequence[Sizes]:
    """The first sizes of a kernel."""
    return kernel.sizes[:SIZES]


def compared(kernel: Kernel, target: str) -> Compared:
    """A kernel's formulas beside runs."""
    code, begun = machine_code(kernel, target), process_time()
    formulas = formulas_of(code, kernel.launch)
    seconds, differ = process_time() - begun, list[str]()
    for sizes in sizes_of(kernel):
        made, _ = launched(kernel, code.kernel.metadata, sizes)
        run = {one.name: one for one in counters_of(code, made, STEP_LIMIT).figures}
        by_formula = formulas.at(sizes)
        for name, found in by_formula.items():
            one = run.get(name)
            if found is None or (one is not None and one.least is None):
                continue
            if not agrees(found, (0, 0) if one is None or one.least is None else (one.least, one.most)):
                differ.append(f"{name} at {sizes}: {found} by formula, {one and one.text} by the run")
    return Compared(kernel.name, formulas, len(sizes_of(kernel)), tuple(differ), seconds)


def agrees(found: tuple[int, int | None], run: tuple[int, int | None]) -> bool:
    """Whether a formula's bounds are the run's, or hold them; a run of one block for many bounds what lanes move."""
    (low, high), (least, most) = found, run
    if high is None or most is None:
        return low == least and high is most
    if low == high and least < most:
        return least <= low <= most
    return low <= least and high == most and (low == least or low < high)


def all_compared(names: Sequence[str], target: str) -> Iterator[Compared]:
    """Those kernels that are compiled for a target and can be run."""
    for name in names:
        if target not in KERNELS[name].targets:
            continue
        try:
            yield compared(KERNELS[name], target)
        except (Fault, LayoutError) as error:
            print(f"{name}: not compared: {error}")


def main() -> int:
    """Prints a line a kernel, and the sums."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("names", nargs="*", default=[*KERNELS])
    given.add_argument("--target", default="gfx942")
    wanted = given.parse_args()
    found = []
    for one in all_compared(wanted.names, wanted.target):
        found.append(one)
        told = f"{one.by_formula} of {len(one.formulas.formulas)} counters, {one.sizes} sizes, {one.seconds:.1f} s"
        print(f"{one.name}: {told}", *one.formulas.unproved, *one.differ, sep="\n    ", flush=True)
    whole = [one for one in found if one.whole and not one.formulas.unproved]
    agree = [one for one in whole if not one.differ and one.sizes == SIZES]
    differ = sum(bool(one.differ) for one in found)
    moved, touched = (sum(getattr(one, name) for one in found) for name in ("moved", "touched"))
    print(f"{moved} have bytes by formula, {touched} segments")
    print(f"{len(found)} kernels; {len(whole)} have every counter of instructions by formula, proved; of these "
          f"{len(agree)} agree with runs at {SIZES} sizes; {differ} kernels differ")  # fmt: skip
    return int(any(one.differ for one in found))


if __name__ == "__main__":
    raise SystemExit(main())
