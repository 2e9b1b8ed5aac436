"""How many waves of a kernel a unit holds at once, and which resource says so: by the target's own numbers.

| resource | is asked of the unit for blocks that take |
|---|---|
| wave slots | nothing else |
| vector registers | registers alone |
| LDS | LDS alone |

What it cannot represent: scalar registers, and how blocks are spread over the units.
"""

from __future__ import annotations

from collections.abc import Mapping

from layoutalg.records import dataclass
from layoutalg.target import Target


@dataclass(frozen=True)
class Occupancy:
    """Waves of one unit, the resources that allow no more, and what each alone would allow."""

    waves: int
    limited_by: tuple[str, ...]
    by_resource: Mapping[str, int]
    source: str


def occupancy(target: Target, threads: int, lds: int, registers: int) -> Occupancy | None:
    """The occupancy of blocks of so many threads and bytes of LDS, `registers` a lane; None where nobody describes it.

    >>> from layoutalg.target import target
    >>> found = occupancy(target("gfx942"), 256, 32768, 128)
    >>> found.waves, found.limited_by
    (8, ('LDS',))
    """
    unit, waves = target.unit, -(-threads // target.wave_size)
    if unit is None:
        return None
    alone = {
        "wave slots": waves * unit.resident(waves, 0),
        "vector registers": waves * unit.resident(waves, 0, registers),
        "LDS": waves * unit.resident(waves, lds),
    }
    most = waves * unit.resident(waves, lds, registers)
    limited = tuple(name for name, n in alone.items() if n == most < alone["wave slots"]) or ("wave slots",)
    return Occupancy(most, limited, alone, unit.evidence.text)
