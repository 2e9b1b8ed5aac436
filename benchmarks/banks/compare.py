"""Compares the model's cycles with a file of measured counts.

    python3 benchmarks/banks/compare.py benchmarks/banks/data/sm_90.json [--target sm_90]

On NVIDIA the counter is the cycles themselves, so equal is exact.  On AMD it counts cycles lost (in a unit that this
project has not measured), so what is compared is whether it is zero, and the table shows the ratio where both are not.
"""

import argparse
import json
from collections import defaultdict
from pathlib import Path

import numpy as np

from layoutalg.memory.banks import conflicts, cycles
from layoutalg.target import load_target, target, target_names


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--target", default="sm_90", help="a target's name, or its TOML file")
    arguments = parser.parse_args()
    gpu = target(arguments.target) if arguments.target in target_names() else load_target(arguments.target)
    data = json.loads(arguments.data.read_text())
    exact = "wavefronts" in data["counters"]["read"]
    table = defaultdict(list)
    for one in data["accesses"]:
        for access in ("read", "write"):
            how = gpu.for_width(access, one["bytes"])
            found = int((cycles if exact else conflicts)(gpu, how, one["addresses"]))
            table[how.name, len(set(one["addresses"])) == len(one["addresses"])].append((found, one[access]))
    print(f"{data['device']}, {data['date']}, {len(data['accesses'])} accesses\n")
    print("| instruction   | addresses | accesses | agree | model less | model more | ratio |")
    print("|---------------|-----------|----------|-------|------------|------------|-------|")
    for (name, distinct), pairs in table.items():
        model, counted = np.array(pairs).T
        agree = model == counted if exact else (model == 0) == (counted == 0)
        both = (model > 0) & (counted > 0)
        ratio = f"{np.median(counted[both] / model[both]):.2f}" if both.any() else ""
        less, more = int((~agree & (model < counted)).sum()), int((~agree & (model > counted)).sum())
        kind = "distinct" if distinct else "shared"
        print(f"| {name:13} | {kind:9} | {len(pairs):8} | {agree.sum():5} | {less:10} | {more:10} | {ratio:5} |")


if __name__ == "__main__":
    main()
