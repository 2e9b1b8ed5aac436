"""Where Tile Engine's own check and CK's compiler differ, of configurations drawn from its default space.

    python -m benchmarks.ck.validation …/composable_kernel

Half are drawn of what Tile Engine admits, half of what it leaves out although arithmetic does not (each of its rules
alike); the compiler decides which of the two is right.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from layoutalg.ck.space import Configuration, space
from layoutalg.ck.sweep import differences, rules, sweep, without_compiler
from layoutalg.ck.validation import Validation

DRAWN = (
    ("gfx942", "fp16", "rcr", 40), ("gfx950", "fp16", "crr", 24), ("gfx942", "int8", "rcr", 20),
    ("gfx90a", "fp8", "rcr", 12), ("gfx1201", "fp16", "rcr", 12),
)  # fmt: skip


def drawn(every: Sequence[Configuration], known: Validation, target: str, count: int) -> list[Configuration]:
    """So many configurations; no two of one tile."""
    by_rule: dict[str, dict[str, Configuration]] = {}
    for one in random.Random(count).sample(every, len(every)):
        if without_compiler(one, target) is None:
            by_rule.setdefault(known.refusal(one, target), {}).setdefault(str(one.tile), one)
    admitted = list(by_rule.pop("", {}).values())
    listed = {one.tile.warp for one in admitted}
    by_rule["warps"] = {name: one for name, one in by_rule.get("warps", {}).items() if one.tile.warp in listed}
    left_out = [one for of in by_rule.values() for one in list(of.values())[: count // 2 // len(by_rule)]]
    return [*admitted[: count - len(left_out)], *left_out]


def main(folder: Path) -> None:
    """Draws, sweeps, and prints a table of each."""
    data = json.loads((folder / "tile_engine" / "ops" / "gemm" / "configs" / "default_config.json").read_text())
    known = Validation.read(folder / "tile_engine" / "ops" / "commons" / "validation_utils.py")
    print("| of | outcome | count | Tile Engine | the least such |\n| --- | --- | --- | --- | --- |", flush=True)
    for target, dtype, layout, count in DRAWN:
        some = drawn(list(space(data, dtype, layout)), known, target, count)
        found = list(sweep(some, target, [folder / "include"]))
        of = f"{target} {dtype} {layout}"
        for outcome, agreed in Counter(one.outcome for one in found).items():
            admitted = sum(not known.refusal(one.configuration, target) for one in found if one.outcome == outcome)
            print(f"| {of} | {outcome} | {agreed} | admits {admitted} | |")
        unknown = [one for one in rules(found) if one.outcome == "unknown"]
        for rule in (*unknown, *differences(found, known)):
            print(f"| {of} | {rule.outcome} | {rule.count} | {rule.reason} | {rule.first} |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
