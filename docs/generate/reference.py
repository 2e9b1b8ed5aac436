"""The reference: commands from their options, spec files from their schema, GPUs and the package from what they say."""

from __future__ import annotations

import importlib
import inspect
import json
from pathlib import Path
from typing import Any

Page = tuple[str, str, str]

PACKAGES = {
    "index": "Index expressions",
    "layout": "Layouts",
    "target": "Targets",
    "prove": "Proving",
    "memory": "Banks and coalescing",
    "interop": "Layouts of others",
    "formats": "Files",
    "synth": "Synthesis",
    "draw": "Drawing",
    "explain": "Explaining",
    "kernel": "Kernels",
    "isa": "The AMD machine",
    "device": "Devices",
    "cpp": "C++ by itself",
    "symex": "Symbolic execution",
    "launch": "Launches",
    "refine": "Binaries",
    "audit": "Audits",
    "counters": "Counters",
    "teach": "Teaching",
}
"""The parts of the package, in the order of its layers."""

ROOMS = (
    "draw", "explain", "formats", "cpp", "index", "interop.cute", "interop.einops", "interop.strided",
    "interop.triton", "layout", "memory", "prove", "synth.search", "target", "device", "kernel.emit", "kernel.program",
)  # fmt: skip
"""Those that list their names (`__all__`): what the package is used by."""


def pages(root: Path) -> list[Page]:
    """(title, path, Markdown) of each page."""
    package = root / "layoutalg"
    modules = [(title, f"reference/layoutalg-{n}.md", _package(package, n, title)) for n, title in PACKAGES.items()]
    return [
        ("Commands", "reference/commands.md", commands()),
        ("Spec files", "reference/spec-files.md", spec_files(package)),
        ("GPUs", "reference/gpus.md", gpus()),
        *modules,
    ]


# --- GPUs -------------------------------------------------------------------------------------------------------------


def gpus() -> str:
    """What is known of each GPU, from its file."""
    from layoutalg.target import target
    from layoutalg.target.sheet import overview, sheet

    rows = overview()
    about = "`layoutalg targets` prints the same. Each is a file of facts: [Add a GPU](../howto/add-a-gpu.md)."
    parts = ["# GPUs", about, _rows(rows)]
    for row in rows:
        parts += [f"## {row['target']}: {row['what']}", _rows(sheet(target(row["target"])))]
    return "\n\n".join(parts)


def _rows(rows: list[dict[str, Any]]) -> str:
    """A table of rows that have the same keys."""
    lines = [" | ".join(rows[0]), " | ".join("---" for _ in rows[0])]
    lines += [" | ".join(_cell(str(value)) for value in row.values()) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)


# --- commands ---------------------------------------------------------------------------------------------------------


def commands() -> str:
    """Every command with its arguments and options."""
    from typer.main import get_command

    from layoutalg.cli.app import application

    parts = ["# Commands", "`layoutalg COMMAND --help` prints the same.",
             "Exit codes: 0, all is as expected; 1, something was refuted (or is wrong); 2, something is unknown; "
             "3, bad input."]  # fmt: skip
    group: Any = get_command(application())
    for name, command in group.commands.items():
        parts += _command(name, command, 2)
    return "\n\n".join(parts)


def _command(name: str, command: Any, level: int) -> list[str]:
    parts = [f"{'#' * level} layoutalg {name}", _cell(command.help or "")]
    rows = [_parameter(p) for p in command.params if p.name != "help"]
    if rows:
        parts.append("\n".join(["| argument or option | what | default |", "|---|---|---|", *rows]))
    for inner, below in getattr(command, "commands", {}).items():
        parts += _command(f"{name} {inner}", below, level + 1)
    return parts


def _parameter(p: Any) -> str:
    is_option = any(o.startswith("-") for o in p.opts)
    name = ", ".join(f"`{o}`" for o in (*p.opts, *p.secondary_opts)) if is_option else f"`{p.name.upper()}`"
    shown = p.default is not None and not callable(p.default) and p.default not in (False, (), [])
    default = "required" if p.required else f"`{p.default}`" if shown else ""
    return f"| {name} | {_cell(p.help or '')} | {default} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


# --- spec files -------------------------------------------------------------------------------------------------------


def spec_files(package: Path) -> str:
    """The form of spec files: the reader's own words, the claims, and the schema."""
    import layoutalg.formats.claims as claims
    import layoutalg.formats.grammar as grammar

    schema = json.loads((package / "formats" / "spec.schema.json").read_text(encoding="utf-8"))
    lines = ["```json", *json.dumps(schema, indent=1, ensure_ascii=False).splitlines(), "```"]
    folded = "\n".join(['??? note "spec.schema.json"', *(f"    {line}" for line in lines)])
    return "\n\n".join(
        [
            "# Spec files", "TOML or JSON, one form. Data, never code.",
            grammar.__doc__ or "", "## Claims", claims.__doc__ or "", claims.table(), "## JSON Schema",
            "The same form for editors and other tools; a spec file that it refuses is refused by the reader.",
            folded,
        ]
    )  # fmt: skip


# --- the package ------------------------------------------------------------------------------------------------------


def _package(package: Path, name: str, title: str) -> str:
    """The modules of a part of the package, those below it included."""
    modules = [f"layoutalg.{name}"]
    folder = package / name
    if folder.is_dir():
        inside = sorted(p for p in folder.rglob("*.py") if p.name != "__init__.py" and not p.name.startswith("_"))
        modules += [".".join(p.relative_to(package.parent).with_suffix("").parts) for p in inside]
    first, *rest = modules
    parts = [f"# {title}", f"::: {first}\n    options:\n      members: {'false' if rest else 'null'}"]
    rooms = [room for room in ROOMS if room.partition(".")[0] == name]
    return "\n\n".join([*parts, *map(_names, rooms), *(f"::: {module}" for module in rest)])


def listed(room: str) -> dict[str, object]:
    """The functions and classes that a room lists, by name."""
    module = importlib.import_module(f"layoutalg.{room}")
    found = {name: getattr(module, name) for name in module.__all__}
    return {name: one for name, one in found.items() if inspect.isfunction(one) or inspect.isclass(one)}


def _names(room: str) -> str:
    """What a room lists: where each name is shown, and the first line of what it says."""
    rows = [f"| {_link(name, one)} | {_cell((one.__doc__ or '').partition(chr(10))[0])} |"
            for name, one in sorted(listed(room).items(), key=lambda row: row[0].lower())]  # fmt: skip
    about = f"`from layoutalg.{room} import …`; each has an example. What no list has may change with any version."
    return "\n".join([f"## Names of layoutalg.{room}", "", about, "", "| name | is |", "|---|---|", *rows])


def _link(name: str, one: object) -> str:
    """The name, linked to where it is shown, if a page shows it."""
    home = one.__module__
    shown = home.startswith("layoutalg.") and home.split(".")[1] in PACKAGES
    return f"[`{name}`][{home}.{name}]" if shown else f"`{name}`"
