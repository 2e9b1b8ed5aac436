"""The kernels to read and to take away: `python -m layoutalg.cli.golden [FOLDER] [--check]`.

Each kernel has a folder with

| file         | what                                                                                             |
|--------------|--------------------------------------------------------------------------------------------------|
| `spec.toml`  | its tensors' and LDS tiles' descriptors, as `layoutalg check` reads them                         |
| `NAME.hip`   | the HIP source; `NAME.TARGET.hip` for each target where the text depends on it (matrix cores)    |
| `report.md`  | the sizes it is for, every obligation with its verdict, and what each LDS access costs by target |

All is made from the programs; nothing is edited by hand.  With `--check`, nothing is written, and a difference is an
error: what the builders make is what the folder holds.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from layoutalg.formats import DescriptorItem, SpecFile, StatedClaim, dump
from layoutalg.kernel.access.prices import priced
from layoutalg.kernel.emit import emit
from layoutalg.kernel.emit.kernel import REORDERED, adds_up, conditions, laid_out, preconditions
from layoutalg.kernel.library import folder, folders, tuned_targets
from layoutalg.kernel.program import Program, StoreShared
from layoutalg.kernel.verify import Verified, verify


def programs() -> Mapping[str, Mapping[str, Program]]:
    """Every kernel's programs, by folder and target."""
    return {name: folder(name) for name in folders()}


def files(by_target: Mapping[str, Program]) -> dict[str, str]:
    """The texts of one kernel's folder, by file name."""
    distinct: dict[Program, Verified] = {}
    for program in by_target.values():
        if program not in distinct:
            distinct[program] = verify(program)
    found = {}
    for target, program in by_target.items():
        name = f"{program.name}{f'.{target}' if target else ''}.hip"
        found[name] = emit(distinct[program], target or None)
    found["spec.toml"] = spec_of(next(iter(by_target.values())))
    of = {p: [t for t, q in by_target.items() if q == p and t] or list(tuned_targets()) for p in distinct}
    parts = [report(distinct[p], of[p]) for p in distinct]
    found["report.md"] = "\n".join(parts)
    return found


def spec_of(program: Program) -> str:
    """The descriptors of a program's tensors and LDS tiles, as a spec file; overlapping views claim bounds alone."""
    target = program.target
    items = []
    for tensor in program.tensors:
        claims = ("in_bounds", "bijective" if program.fills else "injective") if tensor is target else ("in_bounds",)
        items.append(DescriptorItem(name=tensor.name, descriptor=tensor.descriptor, dtype=tensor.dtype.name,
                                    claims=tuple(map(StatedClaim, claims)), stated=True))  # fmt: skip
    seen = set()
    for _, s in program.statements():
        if isinstance(s, StoreShared) and s.shared.name not in seen:
            seen.add(s.shared.name)
            claims = ("in_bounds", "injective")
            items.append(DescriptorItem(name=s.shared.name, descriptor=s.descriptor, dtype=s.shared.dtype.name,
                                        claims=tuple(map(StatedClaim, claims)), stated=True))  # fmt: skip
    symbols = {s.value.name: s for s in program.sizes}
    return dump(SpecFile("", symbols, tuple(items), title=f"{program.name}: {program.summary}"))


def report(verified: Verified, targets: list[str]) -> str:
    """What was proved of a program, and what its LDS accesses cost on targets."""
    program = verified.program
    lines = [f"# {program.name}", "", f"`{program.summary}`, laid out so:", ""]
    lines += [*(f"- `{line}`" for line in laid_out(program)), ""]
    if program.sizes:
        lines += [f"Proved for all {conditions(program)}.", ""]
    threads = program.block[0] * program.block[1] * program.block[2]
    lines += [f"A block has {threads} threads and {program.lds_bytes} bytes of LDS.", ""]
    if adds_up(program):
        lines += [f"{REORDERED[0].upper()}{REORDERED[1:]}.", ""]
    lines += [f"Before a launch: {preconditions(program)}.", ""]
    lines += ["| obligation | verdict | by |", "|---|---|---|"]
    lines += [f"| {_cell(about)} | {v.name} | {_cell(v.strategy)} |" for about, v in verified.verdicts]
    if program.shared and len(program.threads) == 1:
        lines += ["", "| LDS access | " + " | ".join(targets) + " |", "|---|" + "---|" * len(targets)]
        lines += list(_conflicts(program, targets))
        lines += ["", "Cycles of the busiest phase; 1 is free of conflicts."]
    return "\n".join(lines) + "\n"


def _conflicts(program: Program, targets: list[str]) -> Iterator[str]:
    costs = [priced(program, target) for target in targets]
    for same in zip(*costs, strict=True):
        what = str(same[0]).split(" by ")[0].split(": not priced")[0]
        cells = [f"{p.cycles} ({p.instruction})" if p.cycles is not None else "not priced" for p in same]
        yield f"| {what} | {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main(arguments: list[str]) -> int:
    """Writes every folder, or with --check says what differs (exit code 1)."""
    check = "--check" in arguments
    root = Path(next((a for a in arguments if not a.startswith("-")), "kernels"))
    wanted = {root / name / file: text for name, made in programs().items() for file, text in files(made).items()}
    there = {path for path in root.rglob("*") if path.is_file()} if root.is_dir() else set()
    stale = sorted(there - set(wanted) - {root / "README.md"})
    changed = [path for path, text in wanted.items() if path not in there or path.read_text() != text]
    if check:
        for path in (*changed, *stale):
            print(f"{path}: differs from what the builders make; run `make kernels`", file=sys.stderr)
        return 1 if changed or stale else 0
    for path in changed:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted[path])
    for path in stale:
        path.unlink()
    print(f"{len(wanted)} files, {len(changed)} written, {len(stale)} removed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
