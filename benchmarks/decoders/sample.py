"""A sample of what was compared: one encoding of each name, form and set of modifiers, with LLVM's text.

A line is target, bytes and text; the tests compare our decoder with it where there is no LLVM.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from benchmarks.decoders.compare import Comparison


def lines(path: Path) -> Iterator[tuple[str, bytes, str]]:
    """Target, bytes and LLVM's text of each line."""
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            target, code, text = line.split(" ", 2)
            yield target, bytes.fromhex(code), text


def shape(text: str) -> str:
    """What makes two encodings alike: the text without numbers.

    >>> shape("v_add_f32_e64 v1, -|v20|, s[4:5] mul:2"), shape("s_mov_b32 s0, 0x10")
    ('v_add_f32_e64 v, -|v|, s[:] mul:', 's_mov_b32 s, ')
    """
    name, _, rest = text.partition(" ")
    return f"{name} {re.sub(r'-?0x[0-9a-f]+|-?[0-9.]+', '', rest)}"


def write(path: Path, comparison: Comparison) -> None:
    """Adds what is new in a comparison to a sample."""
    kept = {(target, shape(text)): (target, code, text) for target, code, text in lines(path)} if path.is_file() else {}
    for (target, code), text in comparison.texts.items():
        kept.setdefault((target, shape(text)), (target, code, text))
    head = f"# LLVM {comparison.llvm.version}; python -m benchmarks.decoders.run … --sample\n"
    rows = (f"{target} {code.hex()} {text}\n" for target, code, text in sorted(kept.values(), key=_order))
    path.write_text(head + "".join(rows))


def _order(row: tuple[str, bytes, str]) -> tuple[str, str, bytes]:
    return row[0], row[2], row[1]
