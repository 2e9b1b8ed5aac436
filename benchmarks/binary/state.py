"""Rows of results as data: one JSON document a line, each under a key; a later row of a key replaces an earlier one."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

STATE = Path("build/binary")
"""Where rows are gathered."""

Key = tuple[str, ...]


class State:
    """The rows of one file.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "rows.jsonl"
    >>> State(path).put(("one", "gfx942"), {"result": "proved"})
    >>> State(path).rows["one", "gfx942"]["result"]
    'proved'
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        lines = path.read_text().splitlines() if path.exists() else []
        self.rows: dict[Key, dict[str, Any]] = {tuple(row["key"]): row for row in map(json.loads, lines)}

    def put(self, key: Key, row: dict[str, Any]) -> None:
        """Keeps a row."""
        self.rows[key] = {"key": key, **row}
        with self.path.open("a") as file:
            file.write(json.dumps(self.rows[key]) + "\n")

    def merge(self, others: Iterable[Path]) -> int:
        """Takes up the rows of other files, the later files' before the earlier ones'; how many rows there are then.

        Each key has one line then, and the lines are in order.
        """
        for other in others:
            self.rows |= State(other).rows
        lines = (json.dumps(self.rows[key]) + "\n" for key in sorted(self.rows))
        self.path.write_text("".join(lines))
        return len(self.rows)


def gathered(name: str) -> State:
    """The rows of one step."""
    return State(STATE / f"{name}.jsonl")
