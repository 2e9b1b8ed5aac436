"""Which line of a source an instruction comes from, where the code object says so (DWARF, `.debug_line`).

A line program (DWARF 5, 6.2) lists addresses with file and line; a row holds up to the address of the next one of its
sequence.  Compilers write it with `-g` or `-gline-tables-only`; without it, nothing is known.
What it cannot represent: functions that were inlined: the line is that of the innermost one.
"""

from __future__ import annotations

import io
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

from layoutalg.errors import shortened
from layoutalg.lazy import lazy_imports

with lazy_imports():
    import elftools.elf.elffile as elffile


@dataclass(frozen=True)
class SourceLines:
    """Source lines of code: addresses in order, and what holds from each on ("" where nothing is known)."""

    addresses: tuple[int, ...]
    lines: tuple[str, ...]

    @classmethod
    def read(cls, payload: bytes) -> Self:
        """Those of a code object; none where it says none, or not in a way that can be read.

        >>> SourceLines.read(b"").of(0x1000)
        ''
        """
        try:
            found = dict(_rows(payload))
        except Exception:  # a damaged table says nothing, and pyelftools meets it with errors of many kinds
            found = {}
        return cls(*zip(*sorted(found.items()), strict=True)) if found else cls((), ())

    def of(self, address: int) -> str:
        """The file and line of an instruction, such as `scale.hip:12`; "" where that is not known."""
        at = bisect_right(self.addresses, address) - 1
        return self.lines[at] if at >= 0 else ""


def _rows(payload: bytes) -> Iterator[tuple[int, str]]:
    file = elffile.ELFFile(io.BytesIO(payload))
    if not file.has_dwarf_info():
        return
    info = file.get_dwarf_info()
    for unit in info.iter_CUs():
        program = info.line_program_for_CU(unit)
        if program is None:
            continue
        known = ""
        for state in (entry.state for entry in program.get_entries() if entry.state is not None):
            if state.end_sequence:
                yield state.address, ""
                continue
            if state.line:  # 0: of no line; what stood before holds, as debuggers show it
                known = f"{_name(program, state.file)}:{state.line}"
            yield state.address, known


def _name(program: Any, number: int) -> str:
    """A file's name without its folder; files are counted from 1 before DWARF 5."""
    files = program.header.file_entry
    entry = files[number if program.header.version >= 5 else number - 1]
    return shortened(entry.name.decode(errors="replace").rpartition("/")[2], 80)
