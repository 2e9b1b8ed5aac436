"""Lanes × banks, phase by phase: who asks which bank for which dword, and where lanes wait for each other.

A phase is a table: its lanes down, the banks across, in each cell the dword that the lane wants there.  A bank that is
asked for one dword is blue, however many lanes want it (a broadcast); a bank asked for n > 1 dwords costs n cycles and
is orange to vermilion.  Under the table stands the witness: the lanes that meet in the busiest bank.

          bank 0   1   2   3   4 …
    lane 0   [ 0] [ 1] [ 2] [ 3]            lanes 0 and 1 want dwords 0 and 32 of bank 0: two cycles
    lane 1   [32] [33] [34] [35]

What it cannot represent: the order in which the hardware serves a bank's dwords.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from layoutalg.draw.access import LaneAccess
from layoutalg.draw.palette import ink_on
from layoutalg.draw.svg import SMALL, Picture, below, beside, boxes, number, shape, text_width, words
from layoutalg.errors import DrawError
from layoutalg.memory.banks import LANES_OFF, Phase
from layoutalg.target.model import DWORD

CALM, HEAT = "#8ecae6", ("#f3c14b", "#ee9b3a", "#e57526", "#d55e00")
"""A bank asked for one dword; for 2, 3 to 4, 5 to 8, and more (from Okabe and Ito's orange to their vermilion)."""


def heat(dwords: int) -> str:
    """The colour of a bank that is asked for so many dwords."""
    return CALM if dwords < 2 else HEAT[min((dwords - 1).bit_length(), len(HEAT)) - 1]


def conflicts(access: LaneAccess, phases: Sequence[int] | None = None) -> Picture:
    """Lanes × banks of every phase of an access, or of those named.

    DrawError for a phase that the access has not.

    >>> from layoutalg.draw.access import operand
    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> tile = make_naive_tensor_descriptor((64, 64), (64, 1))
    >>> conflicts(LaneAccess.of(tile, operand(32, 8)), phases=[0]).title
    'ds_read_b128 on gfx942: 64 cycles, 8 without conflicts'
    """
    every = access.phases
    chosen = range(len(every)) if phases is None else phases
    if any(not 0 <= n < len(every) for n in chosen):
        raise DrawError(f"{access.instruction.name} on {access.target.name} has phases 0 to {len(every) - 1}")
    total, best = sum(phase.cycles for phase in every), sum(phase.cycles > 0 for phase in every)
    title = f"{access.instruction.name} on {access.target.name}: {total} cycles, {best} without conflicts"
    pictures = [phase_table(access, every[n], f"phase {n}") for n in chosen]
    across = 2 if len(pictures) > 1 and access.instruction.banks <= 32 else 1
    lines = [beside(pictures[n : n + across], title) for n in range(0, len(pictures), across)]
    return below([*lines, key_of_heat()], title).headed(title, *doubts(access))


def doubts(access: LaneAccess) -> list[str]:
    """What to know of a picture of lanes × banks: who takes part, how the phases are known, what is in doubt."""
    evidence, whole = access.instruction.evidence, bool(access.active.all())
    masked = f"{int(access.active.sum())} of {len(access.active)} lanes take part; masked lanes have no bank."
    known = f"Cells hold the dword wanted. Lanes of a phase: {evidence.confidence}."
    in_doubt = [evidence.doubt] * bool(evidence.doubt) + [LANES_OFF] * (not whole)
    return [*([] if whole else [masked]), known, *(f"In doubt: {one}" for one in in_doubt)]


def wanted(access: LaneAccess, phase: Phase) -> dict[int, dict[int, list[int]]]:
    """Bank → dword → the lanes of the phase that want it."""
    found: dict[int, dict[int, list[int]]] = {}
    for lane in phase.lanes:
        if lane in phase.masked:
            continue
        first = int(access.addresses[lane]) // DWORD
        for dword in range(first, first + access.instruction.dwords):
            found.setdefault(dword % access.instruction.banks, {}).setdefault(dword, []).append(lane)
    return found


def widest_dword(access: LaneAccess) -> int:
    """The most digits of a dword that an access asks for."""
    return max(
        (len(str(d)) for phase in access.phases for one in wanted(access, phase).values() for d in one), default=1
    )


def phase_table(access: LaneAccess, phase: Phase, name: str, digits: int = 0) -> Picture:
    """One phase as a table, its witness below; its columns have room for its dwords, and for so many digits."""
    asked = wanted(access, phase)
    banks = access.instruction.banks
    widest = max(digits, 1, *(len(str(dword)) for one in asked.values() for dword in one))
    w, h, left, top = max(18.0, text_width("0" * widest, 9) + 3), 15.0, 62.0, 42.0
    height = len(phase.lanes) * h
    cells = [
        (phase.lanes.index(lane), bank, dword, len(dwords))
        for bank, dwords in asked.items()
        for dword, lanes in dwords.items()
        for lane in lanes
    ]
    table = shape("rect", "gap", width=banks * w, height=height)
    for depth in sorted({len(dwords) for dwords in asked.values()}):
        many = ((bank * w, row * h, w, h) for row, bank, _, meets in cells if meets == depth)
        table += shape("path", fill=heat(depth), stroke="#fff", stroke_width=0.7, d=boxes(many))
    table += "".join(
        words((bank + 0.5) * w, (row + 0.5) * h, str(dword), f"num {ink_on(heat(meets))}", 9)
        for row, bank, dword, meets in cells
    )
    masked = [phase.lanes.index(lane) for lane in phase.masked]
    table += "".join(words(banks * w / 2, (row + 0.5) * h, "takes no part", "soft", 9) for row in masked)
    table += shape("rect", "frame", width=banks * w, height=height)
    if phase.cycles > 1:
        table += shape("rect", "bad", x=phase.worst.bank * w, y=-1, width=w, height=height + 2)
    body = _headings(phase, name, w, h, banks) + shape("g", transform=f"translate({number(left)} {top:g})", inner=table)
    body += words(left, top + height + 14, witness(phase), "soft" if phase.cycles < 2 else "bad-ink", 11, "start")
    return Picture(left + banks * w + 12, top + height + 26, body, name)


def _headings(phase: Phase, name: str, w: float, h: float, banks: int) -> str:
    cost = "1 cycle" if phase.cycles == 1 else f"{phase.cycles} cycles"
    head = words(62, 8, f"{name}: {cost}", "ink bold", 12, "start")
    lanes = "".join(
        words(56, 42 + (row + 0.5) * h, f"lane {lane}", "soft num", SMALL, "end")
        for row, lane in enumerate(phase.lanes)
    )
    step = 1 if w >= 18 else 2
    return head + lanes + "".join(
        words(62 + (bank + 0.5) * w, 33, str(bank), "soft num", 9) for bank in range(0, banks, step)
    ) + words(56, 33, "bank", "soft", SMALL, "end")  # fmt: skip


def witness(phase: Phase) -> str:
    """Why a phase takes its cycles, in words: the lanes that meet in its busiest bank.

    >>> from layoutalg.memory.banks import Worst
    >>> witness(Phase((0, 1), 2, Worst(5, (5, 37), (0, 1))))
    'bank 5: lane 0 wants dword 5, lane 1 dword 37'
    """
    if not phase.cycles:
        return "no lane takes part"
    if phase.cycles == 1:
        return "no two lanes want different dwords of one bank"
    pairs = list(zip(phase.worst.lanes, phase.worst.dwords, strict=True))
    shown = pairs[:4]
    text = ", ".join(f"lane {lane} {'wants ' * (n == 0)}dword {dword}" for n, (lane, dword) in enumerate(shown))
    return f"bank {phase.worst.bank}: {text}" + (f" and {len(pairs) - 4} more" if len(pairs) > 4 else "")


def key_of_heat() -> Picture:
    """What the colours of banks mean."""
    entries: Iterable[tuple[str, str]] = [
        (CALM, "one dword"), (HEAT[0], "2 dwords"), (HEAT[1], "3–4"), (HEAT[2], "5–8"), (HEAT[3], "more"),
    ]  # fmt: skip
    body, x = words(16, 12, "a bank is asked for", "soft", 12, "start"), 160.0
    for colour, text in entries:
        body += shape("rect", x=x, y=4, width=16, height=16, rx=3, fill=colour) + words(
            x + 21, 12, text, "ink", 11, "start"
        )
        x += 40 + text_width(text, 11)
    return Picture(x, 30, body, "legend of banks")
