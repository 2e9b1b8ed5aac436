"""Which line of a source an instruction comes from, where the code object says so (DWARF, `.debug_line`).

A line program (DWARF 5, 6.2) lists addresses with file and line; a row holds up to the address of the next one of its
sequence.  Compilers write it with `-g` or `-gline-tables-only`; without it, nothing is known.  Where functions were
inlined (3.3.8), a line is that of the innermost one, and each of these says where it was called: the kernel's own line
comes first, `kernel.hip:12 > block_reduce.hpp:80 > warp.hpp:7`.
What it cannot represent: columns, and several lines that one instruction comes from.
"""

from __future__ import annotations

import io
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Self, TypeVar

from layoutalg.errors import shortened
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass

with lazy_imports():
    import elftools.elf.elffile as elffile

T = TypeVar("T")


#: What a file with DWARF has in the name of a section, whether or not it is compressed.
_SECTION = b"debug_info"

#: How many lines are told of one instruction, of functions that were inlined in each other.
MOST_LINES = 4

ARROW = " > "


class InlinedCall(NamedTuple):
    """A call that was inlined: what of the code is its function's, and where it stands."""

    begin: int
    end: int
    line: str


@dataclass(frozen=True)
class SourceLines:
    """Source lines of code: addresses in order, and what holds from each on ("" where nothing is known).

    `calls`: those that were inlined, each before those in its function.
    """

    addresses: tuple[int, ...]
    lines: tuple[str, ...]
    calls: tuple[InlinedCall, ...] = ()

    @classmethod
    def read(cls, payload: bytes) -> Self:
        """Those of a code object; none where it says none, or not in a way that can be read.

        >>> SourceLines.read(b"").of(0x1000)
        ''
        """
        if _SECTION not in payload:
            return cls((), ())
        found = sorted(dict(_read(_rows, payload)).items())
        addresses, lines = (address for address, _ in found), (line for _, line in found)
        return cls(tuple(addresses), tuple(lines), tuple(_read(_calls, payload)))

    def of(self, address: int) -> str:
        """Files and lines of an instruction, the kernel's own first, such as `scale.hip:12`; "" of none."""
        at = bisect_right(self.addresses, address) - 1
        if at < 0 or not self.lines[at]:
            return ""
        whole = [one.line for one in self.calls if one.begin <= address < one.end]
        whole = [*dict.fromkeys([*whole, self.lines[at]])]
        few = whole if len(whole) <= MOST_LINES else [whole[0], "…", *whole[2 - MOST_LINES :]]
        return ARROW.join(few)


def _read(reader: Callable[[bytes], Iterator[T]], payload: bytes) -> list[T]:
    """What is read; nothing of what is damaged, which pyelftools meets with errors of many kinds."""
    try:
        return [*reader(payload)]
    except Exception:
        return []


def _calls(payload: bytes) -> Iterator[InlinedCall]:
    file = elffile.ELFFile(io.BytesIO(payload))
    if not file.has_dwarf_info():
        return
    info = file.get_dwarf_info()
    for unit in info.iter_CUs():
        program = info.line_program_for_CU(unit)
        for die in unit.iter_DIEs() if program is not None else ():
            if die.tag == "DW_TAG_inlined_subroutine" and "DW_AT_call_line" in die.attributes:
                number, line = (die.attributes[f"DW_AT_call_{what}"].value for what in ("file", "line"))
                name = f"{_name(program, number)}:{line}"
                yield from (InlinedCall(begin, end, name) for begin, end in _ranges(info, unit, die))


def _ranges(info: Any, unit: Any, die: Any) -> Iterator[tuple[int, int]]:
    """The parts of the code that are a function's."""
    if "DW_AT_low_pc" in die.attributes:
        begin, high = die.attributes["DW_AT_low_pc"].value, die.attributes["DW_AT_high_pc"]
        yield begin, high.value if high.form == "DW_FORM_addr" else begin + high.value
    elif "DW_AT_ranges" in die.attributes:
        start = unit.get_top_DIE().attributes.get("DW_AT_low_pc")
        base = start.value if start is not None else 0
        for one in info.range_lists().get_range_list_at_offset(die.attributes["DW_AT_ranges"].value, unit):
            if hasattr(one, "base_address"):
                base = one.base_address
            else:
                from_ = 0 if one.is_absolute else base
                yield from_ + one.begin_offset, from_ + one.end_offset


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
