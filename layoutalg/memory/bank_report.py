"""One LDS access, reported: the cost of each phase as data, in a sentence, and as a picture for the terminal.

The picture has a row for each lane of the worst phase and a column for each bank, with a mark where the lane wants a
dword of that bank:

| mark | the lane's dword in this bank                              |
|------|------------------------------------------------------------|
| `#`  | is the only one wanted of the bank, and by this lane alone |
| `=`  | is the only one wanted of the bank, by several lanes       |
| `X`  | waits for another dword of the bank: a conflict            |

An instruction of two addresses (`ds_read2_b64`, …) has a pair of them for each lane, and the phases of both.

What it cannot show: more than one phase at a time; `picture(…, phase=n)` draws any of them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from layoutalg.lazy import lazy_imports
from layoutalg.memory.banks import AccessError, LaneMapError, Phase, doubts, instruction_cycles, lookup, phases
from layoutalg.target import LdsInstruction, Target
from layoutalg.target import target as named
from layoutalg.target.model import DWORD

with lazy_imports():
    import numpy as np
    import numpy.typing as npt

RULER = 8
"""Banks between two numbers of the picture's ruler."""


_TWO_ADDRESSES = re.compile(r"ds_(?:(read|write)2(?:st64)?|(load|store)_2addr(?:_stride64)?)_b(32|64)")


def load_addresses(path: str | Path) -> list[Any]:
    """Byte addresses, one a lane or a pair, from a file that holds a JSON list; AccessError where it does not."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise AccessError(f"{path}: not JSON: {error}") from error
    if not isinstance(found, list) or not (all(type(one) is int for one in found) or all(map(_is_pair, found))):
        raise AccessError(
            f"{path}: a JSON list of byte addresses, one whole number a lane, is needed; or a pair of them a lane"
        )
    return found


def _is_pair(one: object) -> bool:
    return isinstance(one, list) and len(one) == 2 and all(type(each) is int for each in one)


def parts_of(
    target: Target | str, instruction: LdsInstruction | str, addresses: npt.ArrayLike
) -> tuple[Target, LdsInstruction, list[npt.NDArray[Any]]]:
    """The target, the instruction that moves as much at one address, and the addresses of each that a lane gives.

    >>> gpu, how, parts = parts_of("gfx942", "ds_write2st64_b64", [[8 * lane, 8 * lane + 512] for lane in range(64)])
    >>> how.name, [int(part[1]) for part in parts]
    ('ds_write_b64', [8, 520])
    """
    two = _TWO_ADDRESSES.fullmatch(instruction) if isinstance(instruction, str) else None
    where = np.asarray(addresses)
    if two is None:
        return *lookup(target, instruction), [where]
    gpu, reads = named(target) if isinstance(target, str) else target, two[1] == "read" or two[2] == "load"
    if where.ndim != 2 or where.shape[1] != 2:
        raise LaneMapError(f"{two[0]} takes two addresses a lane")
    return gpu, gpu.for_width("read" if reads else "write", int(two[3]) // 8), [where[:, 0], where[:, 1]]


def report(target: Target | str, instruction: LdsInstruction | str, addresses: npt.ArrayLike) -> dict[str, Any]:
    """The cost of one access, as JSON data; errors as for `layoutalg.memory.banks.phases`.

    `cycles` is the sum over phases, `ideal` one a phase, `conflicts` their difference; `rivals`: these by what other
    sources say of the instruction, where it is in doubt; `worst` names, in the phase of
    most cycles, the busiest bank, the dwords wanted of it and a lane for each.

    >>> found = report("gfx942", "ds_read_b128", [128 * (lane % 16) + 16 * (lane // 16) for lane in range(64)])
    >>> found["cycles"], found["ideal"], found["conflicts"], found["conflict_free"]
    (32, 8, 24, False)
    >>> found["worst"]
    {'phase': 0, 'cycles': 4, 'bank': 0, 'dwords': [0, 32, 64, 96], 'lanes': [0, 1, 2, 3]}
    """
    gpu, how, parts = parts_of(target, instruction, addresses)
    found = [phase for part in parts for phase in phases(gpu, how, part)]
    number = max(range(len(found)), key=lambda n: found[n].cycles)
    cycles, ideal = _cost(gpu, how, parts)
    worst, evidence = found[number].worst, how.evidence
    return {
        "target": gpu.name,
        "instruction": how.name if isinstance(instruction, LdsInstruction) else instruction,
        "bytes": how.bytes,
        "banks": how.banks,
        "phases": [{"lanes": list(phase.lanes), "cycles": phase.cycles} for phase in found],
        "cycles": cycles,
        "ideal": ideal,
        "conflicts": cycles - ideal,
        "conflict_free": cycles == ideal,
        "worst": {
            "phase": number,
            "cycles": found[number].cycles,
            "bank": worst.bank,
            "dwords": list(worst.dwords),
            "lanes": list(worst.lanes),
        },
        "evidence": {
            "confidence": evidence.confidence,
            "sources": list(evidence.sources),
            "doubt": "; ".join(doubts(gpu, how, parts)),
        },
        "rivals": [_by_rival(gpu, one, parts) for one in gpu.rivals.get(how.name, ())],
    }


def _cost(gpu: Target, how: LdsInstruction, parts: Sequence[npt.ArrayLike]) -> tuple[int, int]:
    """Cycles, and one for each phase."""
    found = instruction_cycles(gpu, how, parts)
    return int(found.sum()), int(np.count_nonzero(found))


def _by_rival(gpu: Target, how: LdsInstruction, parts: Sequence[npt.ArrayLike]) -> dict[str, Any]:
    """What the access costs if another source is right about the instruction."""
    cycles, ideal = _cost(gpu, how, parts)
    return {
        "banks": how.banks, "ideal": ideal, "cycles": cycles, "conflicts": cycles - ideal,
        "sources": list(how.evidence.sources),
    }  # fmt: skip


def sentence(found: dict[str, Any]) -> str:
    """A report in plain words.

    >>> print(sentence(report("gfx942", "ds_read_b32", [8 * lane for lane in range(64)])))
    ds_read_b32 on gfx942 takes 4 cycles where 2 would do: in phase 0 bank 0 is asked for 2 dwords, 0 by lane 0, \
32 by lane 16.
    """
    name = f"{found['instruction']} on {found['target']}"
    worst, doubt = found["worst"], found["evidence"]["doubt"]
    if found["conflict_free"]:
        text = f"{name} is free of conflicts: {found['cycles']} cycles, one for each phase."
    else:
        wants = zip(worst["dwords"], worst["lanes"], strict=True)
        text = f"{name} takes {found['cycles']} cycles where {found['ideal']} would do: "
        text += f"in phase {worst['phase']} bank {worst['bank']} is asked for {worst['cycles']} dwords, "
        text += ", ".join(f"{dword} by lane {lane}" for dword, lane in wants) + "."
    if doubt:
        text += f" In doubt: {doubt}."
    for one in found["rivals"]:
        text += f" With {one['banks']} banks and {one['ideal']} phases: {one['cycles']} cycles."
    return text


def picture(
    target: Target | str,
    instruction: LdsInstruction | str,
    addresses: npt.ArrayLike,
    phase: int | None = None,
    active: npt.ArrayLike | None = None,
) -> str:
    """Lanes × banks of one phase (the worst, unless said), conflicts marked; errors as for `phases`.

    `active`: which lanes take part (all, unless said).

    >>> print(picture("sm_90", "ld.shared.128", [512 * (lane % 4) + 16 * lane for lane in range(32)], phase=1))
    phase 1 of 4: 1 cycle
    lane  bank 0       8       16      24
       8       ####............................
       9       ....####........................
      10       ........####....................
      11       ............####................
      12       ................####............
      13       ....................####........
      14       ........................####....
      15       ............................####
    """
    gpu, how, parts = parts_of(target, instruction, addresses)
    each = [phases(gpu, how, part, active) for part in parts]
    found = [phase for part in each for phase in part]
    number = max(range(len(found)), key=lambda n: found[n].cycles) if phase is None else phase
    if not 0 <= number < len(found):
        raise AccessError(f"{how.name} has phases 0 to {len(found) - 1} here, not {number}")
    one = found[number]
    ruler = "".join(f"{bank:<{RULER}}" for bank in range(RULER, how.banks, RULER)).rstrip()
    title = f"phase {number} of {len(found)}: {one.cycles} cycle{'s' * (one.cycles != 1)}"
    if one.cycles > 1:
        title += f", bank {one.worst.bank} is asked for {one.cycles} dwords"
    return "\n".join(
        [title, f"lane  bank 0{' ' * (RULER - 1)}{ruler}", *_rows(how, one, parts[number // len(each[0])])]
    )


def _rows(how: LdsInstruction, phase: Phase, where: npt.NDArray[Any]) -> list[str]:
    first = {lane: int(where[lane]) // DWORD for lane in phase.lanes}
    touched = {
        lane: range(0) if lane in phase.masked else range(dword, dword + how.dwords) for lane, dword in first.items()
    }
    wanted_by = Counter(dword for dwords in touched.values() for dword in dwords)
    in_bank = Counter(dword % how.banks for dword in wanted_by)
    lines = []
    for lane, dwords in touched.items():
        row = ["."] * how.banks
        for dword in dwords:
            bank = dword % how.banks
            row[bank] = "X" if in_bank[bank] > 1 else "=" if wanted_by[dword] > 1 else "#"
        lines.append(f"{lane:4}       {''.join(row)}{'  takes no part' * (lane in phase.masked)}")
    return lines
