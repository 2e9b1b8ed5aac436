"""Where sources differ on an LDS instruction: the accesses that tell them apart.

    python3 benchmarks/banks/rivals.py > benchmarks/banks/RIVALS.md        (and writes rivals.json beside it)

For each `[[rival]]` of the targets' data it looks at every access that moves each bit of the lane to a place of its
own, lane l at Σ lᵢ·v·2^pᵢ with different pᵢ (v the instruction's alignment), and keeps two: the one by which the data
file's model loses most cycles against the rival, and the other way round; of equals the one that spans fewest bytes.
`measure.py hip --rivals TARGET` executes them on the card.
"""

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

from layoutalg.memory.banks import phase_cycles
from layoutalg.target import LdsInstruction, Target, target, target_names

FILE = Path(__file__).with_name("rivals.json")
MOST = 4096
"""Bytes that an access spans at most."""


def strided(gpu: Target, how: LdsInstruction) -> tuple[np.ndarray, np.ndarray]:
    """Every access of that form: addresses, one row each, and the places pᵢ; those of fewest bytes first."""
    bits = gpu.wave_size.bit_length() - 1
    places = np.array(list(permutations(range((MOST // how.alignment).bit_length() - 1), bits)))
    places = places[np.argsort(places.max(axis=1), kind="stable")]
    lanes = np.arange(gpu.wave_size)[:, None] >> np.arange(bits) & 1
    return (how.alignment << places) @ lanes.T, places


def lost(gpu: Target, how: LdsInstruction, addresses: np.ndarray) -> np.ndarray:
    """The cycles that each access loses to conflicts: what SQ_LDS_BANK_CONFLICT counts."""
    return np.maximum(phase_cycles(gpu, how, addresses) - 1, 0).sum(axis=-1)


def telling(gpu: Target, own: LdsInstruction, rival: LdsInstruction) -> list[dict[str, Any]]:
    """The two accesses on which the models differ most, one each way; fewer where one never loses more."""
    addresses, places = strided(gpu, own)
    each = np.stack([lost(gpu, how, addresses) for how in (own, rival)])
    found = []
    for more, less in ((0, 1), (1, 0)):
        difference = each[more] - each[less]
        best = int(difference.argmax())
        if difference[best] > 0:
            found.append(
                {
                    "target": gpu.name, "instruction": own.name, "places": places[best].tolist(),
                    "conflicts": {"data": int(each[0, best]), "rival": int(each[1, best])},
                    "models": [
                        {"banks": how.banks, "phases": len(how.phases), "sources": list(how.evidence.sources)}
                        for how in (own, rival)
                    ],
                    "access": own.access, "bytes": own.bytes, "addresses": addresses[best].tolist(),
                }
            )  # fmt: skip
    return found


def all_of_them() -> list[dict[str, Any]]:
    """Of every target and instruction; of names for one instruction the first."""
    found = []
    for gpu in map(target, target_names()):
        widths: set[tuple[str, int]] = set()
        for name, rivals in gpu.rivals.items():
            own = gpu.instruction(name)
            if (own.access, own.bytes) not in widths:
                widths.add((own.access, own.bytes))
                found += [one for rival in rivals for one in telling(gpu, own, rival)]
    return found


HEAD = """# Accesses that tell models of the LDS apart

    python3 benchmarks/banks/rivals.py > benchmarks/banks/RIVALS.md

Lane l is at Σ lᵢ·v·2^pᵢ, v the alignment.  `data`: the model in layoutalg/target/data.  Conflicts are cycles lost, by
one execution: what `SQ_LDS_BANK_CONFLICT` counts (README.md says how that is known).

| instruction | v | p₀ … | data: banks, phases, conflicts | rival: banks, phases, conflicts | the rival's source |
|---|---|---|---|---|---|"""


def row(one: dict[str, Any]) -> str:
    """A line of the table."""
    gpu, models = target(one["target"]), zip(one["models"], one["conflicts"].values(), strict=True)
    said = [f"{model['banks']}, {model['phases']}, {lost}" for model, lost in models]
    cells = [
        f"{gpu.name} {one['instruction']}", gpu.instruction(one["instruction"]).alignment,
        " ".join(map(str, one["places"])), *said, "; ".join(one["models"][1]["sources"]),
    ]  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """Writes the accesses, and prints the table."""
    found = all_of_them()
    FILE.write_text("[\n" + ",\n".join(json.dumps(one, ensure_ascii=False) for one in found) + "\n]\n")
    print("\n".join([HEAD, *map(row, found)]))


if __name__ == "__main__":
    main()
