"""`banks`, `targets`, `devices`: what an LDS access costs, what is known of GPUs, which machines were found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from layoutalg.lazy import lazy_imports

with lazy_imports():
    from layoutalg import device
    from layoutalg import target as gpus
    from layoutalg.memory import bank_report
    from layoutalg.target import sheet as sheets


def banks(
    target: Annotated[str, typer.Option(help="The GPU, e.g. gfx942; or a target file (.toml).")],
    instruction: Annotated[str, typer.Option(help="As in assembly: ds_read_b128, ld.shared.64 …")],
    addresses: Annotated[Path, typer.Option(help="A JSON list of byte addresses, one a lane, or two of ds_read2_…")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Count the cycles of one LDS access, phase by phase; exit 0 when it is free of bank conflicts, 1 when not."""
    chosen = _target(target)
    lanes = bank_report.load_addresses(addresses)
    found = bank_report.report(chosen, instruction, lanes)
    if as_json:
        print(json.dumps(found, ensure_ascii=False))
    else:
        print(bank_report.picture(chosen, instruction, lanes))
        print(bank_report.sentence(found))
    return 0 if found["conflict_free"] else 1


def targets(
    target: Annotated[str, typer.Argument(help="A GPU, or its file (.toml): each of its facts.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """List the GPUs that are described, or each fact of one with who says so and what is doubtful."""
    rows = sheets.sheet(_target(target)) if target else sheets.overview()
    if as_json:
        print(json.dumps(rows, ensure_ascii=False))
    else:
        print(*(", ".join(f"{key} {value}" for key, value in row.items() if value != "") for row in rows), sep="\n")
    return 0


def _target(name: str) -> gpus.Target:
    """A target by its name, or of a file."""
    return gpus.load_target(name) if name.endswith(".toml") else gpus.target(name)


def devices(as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False) -> int:
    """List the devices that were found and, for kinds that were not, why."""
    found = device.devices()
    if as_json:
        here = [{"kind": d.kind, "name": d.name, "target": d.target} for d in found.devices]
        absent = [{"kind": a.kind, "reason": a.reason} for a in found.absent]
        print(json.dumps({"devices": here, "absent": absent}))
    else:
        for d in found.devices:
            print(f"{d.kind}: {d.name} ({d.target})")
        for a in found.absent:
            print(f"{a.kind}: none: {a.reason}")
    return 0
