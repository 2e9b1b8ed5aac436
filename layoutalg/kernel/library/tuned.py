"""What was fastest where it was measured: `tuned.toml`, by kernel and bytes of an element."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from layoutalg.kernel.library.copies import dtype_named


def table(kernel: str, dtype: str | None = None) -> list[dict[str, Any]]:
    """The entries of a kernel, for elements as long as these.

    >>> [entry["threads"] for entry in table("permute", "bf16")]
    [256]
    """
    found = _entries()[kernel]
    return found if dtype is None else [e for e in found if e["bytes"] == dtype_named(dtype).bytes]


@cache
def _entries() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(files("layoutalg.kernel.library").joinpath("tuned.toml").read_text())
