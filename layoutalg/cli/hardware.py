"""`banks` and `devices`: what an LDS access costs on a target, and which machines were found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command()(banks)
    app.command()(devices)


def banks(
    target: Annotated[str, typer.Option(help="The GPU, e.g. gfx942; or a target file (.toml).")],
    instruction: Annotated[str, typer.Option(help="As in assembly: ds_read_b128, ld.shared.64 …")],
    addresses: Annotated[Path, typer.Option(help="A JSON list of byte addresses, one a lane.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Count the cycles of one LDS access, phase by phase; exit 0 when it is free of bank conflicts, 1 when not."""
    from layoutalg.memory.bank_report import load_addresses, picture, report, sentence
    from layoutalg.target import load_target
    from layoutalg.target import target as known

    chosen = load_target(target) if target.endswith(".toml") else known(target)
    lanes = load_addresses(addresses)
    found = report(chosen, instruction, lanes)
    if as_json:
        print(json.dumps(found, ensure_ascii=False))
    else:
        print(picture(chosen, instruction, lanes))
        print(sentence(found))
    return 0 if found["conflict_free"] else 1


def devices(as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False) -> int:
    """List the devices that were found and, for kinds that were not, why."""
    from layoutalg.device import devices as look

    found = look()
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
