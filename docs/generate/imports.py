"""The rooms of the package and what they import of each other, read from the source, as a triangle.

A row is a room, the highest first; a column is a room that is imported.  Every cell lies right of the diagonal: nothing
imports upwards.
"""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from layoutalg.draw.svg import Picture, outlined, shape, words

ROOT = Path(__file__).parents[2]
CELL, MARGIN, TOP = 30, 92, 64


def rooms() -> list[str]:
    """Every room, the highest layer first, as the import contract in pyproject.toml has them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = next(c["layers"] for c in contracts["contracts"] if c["name"].startswith("imports go one way"))
    return [room.strip().removeprefix("layoutalg.") for layer in layers for room in layer.split("|")]


def modules() -> Mapping[str, Path]:
    """Every module of the package by its name."""
    paths = sorted((ROOT / "layoutalg").rglob("*.py"))
    return {".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): p for p in paths}


def imported(module: str, known: Mapping[str, Path]) -> set[str]:
    """The modules of ours that a module imports, also those that are for types alone or loaded later."""
    found = {f"{base}.{name}" if name and f"{base}.{name}" in known else base for base, name in _said(known[module])}
    return (found & set(known)) - {module}


@cache
def _said(path: Path) -> frozenset[tuple[str, str]]:
    """The module, and the name in it where one is said, of each import of a file."""
    found: set[tuple[str, str]] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {(alias.name, "") for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {(node.module, alias.name) for alias in node.names}
    return frozenset(found)


def between_rooms() -> Counter[tuple[str, str]]:
    """How many modules of one room import something of another."""
    known = modules()
    counts: Counter[tuple[str, str]] = Counter()
    for module in known:
        if module.count(".") and not module.endswith("__main__"):
            room = module.split(".")[1]
            others = {name.split(".")[1] for name in imported(module, known) if "." in name}
            counts.update((room, other) for other in others - {room})
    return counts


def picture() -> Picture:
    """The triangle: in each cell, how many modules of the row's room import something of the column's."""
    order, counts = rooms(), between_rooms()
    parts = [*_names(order), *_cells(order, counts)]
    side = len(order) * CELL
    return Picture(MARGIN + side + 8, TOP + side + 8, "".join(parts), title="Which room imports which")


def _names(order: Sequence[str]) -> Iterator[str]:
    for n, room in enumerate(order):
        yield words(MARGIN - 8, TOP + (n + 0.62) * CELL, room, anchor="end")
        x, y = MARGIN + (n + 0.62) * CELL, TOP - 8
        yield shape("g", inner=words(0, 0, room, anchor="start"), transform=f"translate({x:g} {y:g}) rotate(-60)")


def _cells(order: Sequence[str], counts: Counter[tuple[str, str]]) -> Iterator[str]:
    for row, room in enumerate(order):
        for column, other in enumerate(order):
            x, y = MARGIN + column * CELL, TOP + row * CELL
            if row == column:
                yield shape("rect", "gap", x=x, y=y, width=CELL, height=CELL)
            elif counts[room, other]:
                yield shape("rect", "box" if column > row else "bad-box", x=x, y=y, width=CELL, height=CELL)
                yield words(x + CELL / 2, y + CELL * 0.63, str(counts[room, other]), "ink num", size=10)
    yield outlined(MARGIN, TOP, len(order) * CELL, len(order) * CELL)
