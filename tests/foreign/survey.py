"""How much of the corpus today's machine takes: `python -m tests.foreign.survey [TARGET …]`.

A kernel is described when every instruction has an entry, and exact when all its sizes give what numpy gives, within
the stated tolerance.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from layoutalg.errors import CompileError, DeviceError, Fault
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.run.described import Surveyor
from tests.foreign.corpus import TARGETS, Kernel
from tests.foreign.running import binary, differing, machine_code, run
from tests.foreign.table import KERNELS


def lacking(kernel: KernelBinary) -> Iterator[str]:
    """What the machine does not set up that the kernel asks for."""
    known = {"kernarg_segment_ptr", "flat_scratch_init", "private_segment_buffer", "dispatch_ptr",
             "private_segment_size", "preloaded_arguments"}  # fmt: skip
    yield from (f"user registers: {name}" for name, _ in kernel.user_sgprs if name not in known)
    names = ("block_count_", "group_size_", "remainder_", "global_offset_", "grid_dims", "dynamic_lds_size")
    hidden = tuple(f"hidden_{name}" for name in names)
    unknown = {a.kind for a in kernel.metadata.arguments if a.hidden and not a.kind.startswith(hidden)}
    yield from (f"hidden argument: {kind}" for kind in unknown)


def result(kernel: Kernel, target: str, opt_level: int) -> str:
    """What came of all sizes: `exact`, or why not."""
    try:
        code = machine_code(kernel, target, opt_level)
        for sizes in kernel.sizes:
            wrong = differing(kernel, run(kernel, code, sizes))
            if wrong:
                return f"wrong: {', '.join(wrong)} at {dict(sizes)}"
    except Fault as fault:
        return f"fault: {fault}"
    except DeviceError as error:
        return f"missing: {error}"
    return "exact"


STEPS = ("kernels", "compiled", "decoded", "described", "exact")


@dataclass
class Survey:
    """What was found: kernels by missing instruction, by missing feature, and what is odd."""

    count: Counter[tuple[str, int, str]] = field(default_factory=Counter)  # target, level, step
    missing: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    where: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    features: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    odd: list[str] = field(default_factory=list)

    def add(self, kernel: Kernel, target: str, opt_level: int) -> None:
        """One build of a kernel: how far it gets."""
        build = f"{kernel.name} {target} -O{opt_level}"
        self.count[target, opt_level, "kernels"] += 1
        try:
            whole = binary(kernel, target, opt_level)
        except CompileError as error:
            self.odd.append(f"{build}: {error}")
            return
        names = set(Surveyor(whole.target).survey(whole.code, whole.wave_size, whole.float_mode).missing)
        for name in names:
            self.missing[name].add(kernel.name)
            self.where[name].add(target)
        for feature in lacking(whole):
            self.features[feature].add(build)
        came = result(kernel, target, opt_level)
        if came.startswith("ABI"):
            self.features[came].add(build)
        elif came != "exact" and (not names or came.startswith(("fault", "wrong"))):
            self.odd.append(f"{build}: {came}")
        reached = {"compiled": True, "decoded": not any(name.startswith("not decoded") for name in names),
                   "described": not names, "exact": came == "exact"}  # fmt: skip
        self.count.update((target, opt_level, step) for step, yes in reached.items() if yes)

    def show(self) -> None:
        """Prints the tables."""
        print("target    -O ", *(f"{step:>9}" for step in STEPS))
        for target, opt_level in dict.fromkeys(key[:2] for key in self.count):
            print(f"{target:9}  {opt_level} ", *(f"{self.count[target, opt_level, step]:9}" for step in STEPS))
        print("\nmissing instructions, by the number of kernels that have them:")
        for name in sorted(self.missing, key=lambda name: (-len(self.missing[name]), name)):
            targets = " ".join(sorted(self.where[name], key=TARGETS.index))
            print(f"{len(self.missing[name]):4}  {name}  ({targets})")
        print("\nmissing features, by the number of builds that ask for them:")
        for feature, builds in sorted(self.features.items()):
            print(f"{len(builds):4}  {feature}: {', '.join(sorted(builds)[:4])}")
        print("\nfaults, wrong results, and what is described and not exact:", *(self.odd or ["none"]), sep="\n  ")


def main(targets: list[str]) -> None:
    """Surveys the corpus for some targets."""
    survey = Survey()
    for target in targets:
        for opt_level in (1, 3):
            for kernel in (one for one in KERNELS.values() if target in one.targets):
                survey.add(kernel, target, opt_level)
    survey.show()


if __name__ == "__main__":
    main(sys.argv[1:] or list(TARGETS))
