"""Can the verifier of machine code be fooled?  Honest builds of every compiler and level, and mutants of binaries.

    python -m benchmarks.binary.run builds [--compilers FOLDER …] [--levels 0123s] [--limit SECONDS]
    python -m benchmarks.binary.run proofs [--compilers FOLDER … [--only]] [--levels 3] [--targets …] [--kernels …]
                                           [--again unknown] [--fresh] [--seconds EACH] [--limit SECONDS]
    python -m benchmarks.binary.run merge FILE …
    python -m benchmarks.binary.run mended --compilers FOLDER … --only --levels 0
    python -m benchmarks.binary.run mutants [--loops] [--each N] [--kernels …] [--limit SECONDS]
    python -m benchmarks.binary.run report

Each step goes on from where the last one stopped (`build/binary/*.jsonl`; proofs are kept in `proofs.jsonl` beside this
file, and `merge` takes up those of another file) and ends after its limit; `report` writes RESULTS.md.  Without
`verdicts.jsonl` all mutants are proved again.

A build is *executed* on small random inputs, ragged sizes, and its result compared to the bit.  A mutant *differs* when
one of several runs (other sizes, other inputs, waves in random order, undefined memory filled with noise) faults, is
refused or gives another result.  A mutant that differs and is proved is a defect of the verifier.  Mutants of `--loops`
change an instruction of a loop, its exit included, and run on sizes for which the loop is gone through three times.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any

from benchmarks.binary.builds import LEVELS, PRODUCTS, TARGETS, built, compilers, kernels
from benchmarks.binary.mutants import mutants
from benchmarks.binary.proofs import PROOFS, Portion, proved, run_proofs
from benchmarks.binary.reloads import MENDED, run_mended
from benchmarks.binary.results import IN_LOOP, write
from benchmarks.binary.state import State, gathered
from layoutalg.errors import CompileError, Fault, UnsupportedInstructionError
from layoutalg.index import Expr, extent_of, value
from layoutalg.isa.decode.code import MachineCode
from layoutalg.kernel.program import Loop, Program
from layoutalg.refine.trial import LaunchCase, attempt, make_case, small_sizes
from layoutalg.target.known import formats_of

MUTATED = ("transpose_lds", "transpose_register", "cast", "batched_transpose", "pad", "slice")
"""Kernels whose mutants are judged, unless others are named."""
LOOPED = ("contraction_f32", "gemm_f16")
"""Kernels whose mutants in loops are judged, unless others are named; for `LOOP_TARGETS`."""
LOOP_TARGETS = ("gfx942", "gfx1100")
ITERATIONS = 3
"""How often a loop is gone through in a run of its mutants, at least."""
PROOF_SECONDS = 20.0
RUNS = ((200, None), (8, None), (30, 1), (140, None), (16, 2))
"""Runs of a mutant: the most that a size is, and the seed of the waves' order."""
ELEMENTS = 1 << 14
"""The most elements of a tensor in a run; of some choices of sizes the largest is taken, to have several tiles."""
MANY = 50
"""Sizes are up to so many times the iterations that are wanted."""
STEPS = 60_000
SLOWER = 4
"""A mutant that runs for more instructions, and for so many times those of the binary itself, hangs."""


def run_builds(folders: list[Path], levels: str, names: list[str], limit: float) -> bool:
    """Builds and carries out what is not known yet; false when time ran out."""
    state, begin = gathered("builds"), time.monotonic()
    for name, compiler in compilers(folders):
        for level in levels:
            for kernel, target in ((k, t) for k in names or kernels() for t in kernels()[k]):
                key = (name, level, kernel, target)
                if key in state.rows:
                    continue
                if time.monotonic() - begin > limit:
                    return False
                program = kernels()[kernel][target]
                try:
                    binary = built(kernel, target, level, compiler)
                except CompileError as error:
                    state.put(key, {"result": "not built", "why": str(error)[:200]})
                    continue
                except UnsupportedInstructionError as error:
                    state.put(key, {"result": "refused", "why": str(error)[:200]})
                    continue
                state.put(key, _executed(binary, program, kernel, level))
    return True


def _executed(binary: MachineCode, program: Program, kernel: str, level: str) -> dict[str, Any]:
    small = level == "0" and kernel in PRODUCTS
    sizes = small_sizes(program, 1, 8 if small else 24, 600 if small else 1 << 13)
    start = time.monotonic()
    try:
        trial = attempt(binary, program, make_case(program, sizes, 1, formats_of(binary.kernel.target)))
    except (Fault, UnsupportedInstructionError) as error:
        return {"result": "fault" if isinstance(error, Fault) else "refused", "why": str(error)[:200]}
    return {
        "result": "exact" if trial.exact else "WRONG", "seconds": time.monotonic() - start,
        "instructions": len(binary.instructions), "scratch": binary.kernel.scratch_bytes,
    }  # fmt: skip


def run_mutants(names: list[str], each: int, limit: float, in_loops: bool) -> bool:
    """Judges mutants of the usual compiler's -O3 binaries that are not known yet; false when time ran out."""
    behaviours, verdicts, begin = gathered("behaviours"), gathered("verdicts"), time.monotonic()
    _, compiler = next(compilers([]))
    targets, least = (LOOP_TARGETS, ITERATIONS) if in_loops else (TARGETS, 0)
    for seed, (kernel, target) in enumerate((k, t) for k in names for t in targets if t in kernels()[k]):
        program = kernels()[kernel][target]
        binary, runs = built(kernel, target, "3", compiler), list[Run]()
        for mutant in mutants(binary, each, seed, in_loops=in_loops):
            key = (*((IN_LOOP,) if in_loops else ()), kernel, target, mutant.operator, mutant.what)
            if key in behaviours.rows and key in verdicts.rows:
                continue
            if time.monotonic() - begin > limit:
                return False
            try:
                changed = mutant.applied(binary)
            except UnsupportedInstructionError as error:
                behaviours.put(key, {"behaviour": "refused"})
                verdicts.put(key, {"result": "refused", "why": str(error)[:200]})
                continue
            if key not in behaviours.rows:
                runs = runs or _runs(binary, program, least)
                behaviours.put(key, {"behaviour": next(filter(None, _behaviours(changed, program, runs)), "")})
            if key not in verdicts.rows:
                verdicts.put(key, proved(changed, program, PROOF_SECONDS))
    return True


@dataclass(frozen=True)
class Run:
    """A run of a binary's mutants: what with, the seed of the waves' order, and the most instructions."""

    case: LaunchCase
    order: int | None
    steps: int


def _runs(binary: MachineCode, program: Program, least: int) -> list[Run]:
    """The runs, where loops are gone through so often at least; a mutant may take some times the binary's own steps."""
    found, formats = [], formats_of(binary.kernel.target)
    for seed, (most, order) in enumerate(RUNS):
        drawn = _drawn(program, seed, max(most, MANY * least), least)
        case = make_case(program, max(drawn, key=lambda sizes: math.prod(sizes.values())), seed, formats)
        steps = attempt(binary, program, case, order=order).execution.steps
        found.append(Run(case, order, max(STEPS, SLOWER * steps)))
    return found


def _behaviours(binary: MachineCode, program: Program, runs: list[Run]) -> Iterator[str]:
    """How each run shows that the binary is not the program; empty where it does not."""
    for run in runs:
        try:
            yield "" if attempt(binary, program, run.case, run.steps, run.order).exact else "result"
        except Fault as fault:
            yield fault.kind
        except UnsupportedInstructionError:
            yield "refused"


def _drawn(program: Program, seed: int, most: int, least: int) -> list[dict[Expr, int]]:
    drawn = (small_sizes(program, 100 * seed + k, most, ELEMENTS) for k in count())
    return list(islice((sizes for sizes in drawn if all(n >= least for n in _counts(program, sizes))), 20))


def _counts(program: Program, sizes: Mapping[Expr, int]) -> list[int]:
    """How often each loop of the program is gone through."""
    return [value(extent_of(s.index), sizes) for s in program.body if isinstance(s, Loop)]


def _report() -> None:
    builds, behaviours, verdicts = (gathered(name).rows for name in ("builds", "behaviours", "verdicts"))
    judged = [{**row, **verdicts[key]} for key, row in behaviours.items() if key in verdicts]
    write(builds.values(), State(PROOFS).rows.values(), State(MENDED).rows.values(), judged)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.binary.run")
    parser.add_argument("step", choices=("builds", "proofs", "merge", "mended", "mutants", "report"))
    parser.add_argument("files", type=Path, nargs="*", help="of merge: files of proofs")
    parser.add_argument("--compilers", type=Path, nargs="*", default=[])
    parser.add_argument("--only", action="store_true", help="those compilers alone, not the usual one")
    parser.add_argument("--levels", help="of builds all, of proofs 3")
    parser.add_argument("--loops", action="store_true", help="mutants of loops alone")
    parser.add_argument("--each", type=int, default=12, help="mutants of a binary")
    parser.add_argument("--kernels", nargs="*", default=[], help="folders of kernels/; all builds, some mutants")
    parser.add_argument("--targets", nargs="*", default=TARGETS, help="of proofs")
    parser.add_argument("--again", nargs="*", default=[], help="results of proofs that are not kept")
    parser.add_argument("--fresh", action="store_true", help="proofs by other code are not kept")
    parser.add_argument("--seconds", type=float, default=Portion.seconds, help="of one proof")
    parser.add_argument("--limit", type=float, default=240.0, help="seconds of all; what is under way is finished")
    return parser


def main(arguments: list[str]) -> int:
    """The command; exit code 1 when a step ended before it was done."""
    given, done = _parser().parse_args(arguments), True
    match given.step:
        case "report":
            _report()
        case "merge":
            print(State(PROOFS).merge(given.files), "proofs")
        case "mended":
            run_mended(_portion(given), State(MENDED))
        case "builds":
            done = run_builds(given.compilers, given.levels or "".join(LEVELS), given.kernels, given.limit)
        case "proofs":
            done = run_proofs(_portion(given), State(PROOFS))
        case _:
            names = given.kernels or list(LOOPED if given.loops else MUTATED)
            done = run_mutants(names, given.each, given.limit, given.loops)
    print("done" if done else "not done: the limit was reached; run it again to go on")
    return 0 if done else 1


def _portion(given: argparse.Namespace) -> Portion:
    return Portion(tuple(given.compilers), given.only, given.levels or "3", tuple(given.kernels), tuple(given.targets),
                   frozenset(given.again), given.fresh, given.seconds, given.limit)  # fmt: skip


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
