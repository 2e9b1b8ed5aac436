"""What is known of a target, fact by fact, each with who says so: for the command line and the documentation.

    gfx942 | lds_bytes | 65536 | documented (AMD, ROCm documentation, AMD GPU specifications …)

`overview` is a line for each target: what can be done with it.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from layoutalg.target.known import builds
from layoutalg.target.model import Target
from layoutalg.target.read import kin, target, target_names


def sheet(gpu: Target) -> list[dict[str, Any]]:
    """Each fact of a target: its name, what it is, and who says so.

    >>> [(row["fact"], row["is"]) for row in sheet(target("gfx1030"))][:3]
    [('wave_size', '32'), ('lds_bytes', '65536'), ('max_workgroup', '1024')]
    """
    rows = [(name, _plain(getattr(gpu, name)), who.text) for name, who in gpu.evidence.items()]
    rows += [
        (one.name, f"{one.bytes} bytes a lane, {one.banks} banks, {len(one.phases)} phases", one.evidence.text)
        for one in gpu.instructions.values()
    ]
    stated = {part: getattr(gpu, part) for part in ("unit", "machine", "matrix", "straight", "counters", "types")}
    rows += [(part, _told(one), one.evidence.text) if one else (part, "not stated", "") for part, one in stated.items()]
    rows += [
        (f"plans.{dtype}", _told(plan), "a choice: nothing is claimed of it") for dtype, plan in gpu.tilings.items()
    ]
    rows += [(card.name, _told(card), f"{card.confidence} ({card.source})") for card in gpu.cards]
    return [dict(zip(("fact", "is", "by"), row, strict=True)) for row in rows]


def _told(record: Any) -> str:
    """The fields of a record that say something."""
    said = {field.name: getattr(record, field.name) for field in fields(record) if field.name not in _ELSEWHERE}
    usual = {field.name: field.default for field in fields(record)}
    return ", ".join(f"{name} {_plain(value)}" for name, value in said.items() if value not in (usual[name], {}))


_ELSEWHERE = frozenset({"name", "target", "evidence", "confidence", "source"})
"""Fields that the rest of a row says."""


def _plain(value: Any) -> str:
    if isinstance(value, dict):  # numbers by name, or several of them by what they are of
        texts = (f"={one:#x}" if isinstance(one, int) else f": {_plain(one)}" for one in value.values())
        return " ".join(f"{key}{text}" for key, text in zip(value, texts, strict=True))
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def overview() -> list[dict[str, Any]]:
    """A line for each target: what it is, and what can be done with it.

    >>> [(one["target"], one["decoder"]) for one in overview()][:3]
    [('gfx906', 'cdna1'), ('gfx908', 'cdna1'), ('gfx90a', 'cdna')]
    """
    names = sorted(target_names(), key=lambda name: list(builds()).index(name) if name in builds() else len(builds()))
    return [
        {
            "target": one.name, "what": one.title, "kin": " ".join(k for k, of in kin().items() if of == one.name),
            "wave": one.wave_size, "LDS bytes": one.lds_bytes,
            "compiled as": one.processor if one.vendor else "", "decoder": one.machine.decoder if one.machine else "",
            "matrix instructions": len(one.matrix.instructions) if one.matrix else 0,
            "in doubt": sum(not one.evidence.certain for one in one.instructions.values()),
        }
        for one in map(target, names)
    ]  # fmt: skip
