"""What a node of an expression is made of: `expr` gives it operators; `ranges` and `text` read it."""

from __future__ import annotations

from typing import Any

Bound = int | float
"""An integer, or ±infinity where a symbol has no limit."""


class Node:
    """An operation, its arguments, and the value of a leaf; with what is known of it."""

    __slots__ = ("__weakref__", "_normal", "_order", "_repr", "_simple", "_variables", "args", "choices", "depth",
                 "hi", "lo", "op", "value")  # fmt: skip
    op: str
    args: tuple[Node, ...]
    value: Any
    lo: Bound
    hi: Bound
    depth: int
    choices: int  # the most choices and truth values that stand within each other in it
    _repr: str | None  # these two are computed when first asked for
    _order: str | None
