"""An LDS access as time: cycles down, banks across, in each cell the lane that is served; and who shares a phase.

    phase 0  cycle 0   │ 0│ 0│ 0│ 0│ 1│ 1│ 1│ 1│ …      lanes 0, 1, … take four banks each: one cycle
    phase 1  cycle 1   │ 4│ 4│ 4│ 4│  │  │  │  │ …      lanes 4 and 5 want the same banks: two cycles,
             cycle 2   │ 5│ 5│ 5│ 5│  │  │  │  │ …      and the other banks wait

A cell is coloured by how many dwords its bank is asked for in the phase, as in `layoutalg.draw.conflicts`.  Which lanes
share a phase, and how sure that is, are the target's data; that phases come one after another in their order, and that
a bank serves its dwords in the order of lanes, is how it is drawn: the number of cycles does not depend on it.

What it cannot represent: several waves at once, and what the hardware does in the cycles before and after.
"""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.draw.access import LaneAccess
from layoutalg.draw.conflicts import heat, key_of_heat, wanted
from layoutalg.draw.palette import colours, ink_on
from layoutalg.draw.svg import SMALL, Picture, boxes, line, shape, text_width, words
from layoutalg.errors import DrawError
from layoutalg.memory.banks import LANES_OFF
from layoutalg.target import DEFAULT, LdsInstruction, Target
from layoutalg.target import target as named

CELLS, HEIGHT = 800.0, 13.0
"""How wide the banks are together, and how high a cycle is."""
USUAL = tuple(f"ds_{how}_b{bits}" for how in ("read", "write") for bits in (32, 64, 128))
"""The instructions whose lanes are shown where none are named, as far as the target has them."""


def timeline(access: LaneAccess, phases: Sequence[int] | None = None) -> Picture:
    """Every cycle of an access, or of some of its phases: which lane each bank serves, and which banks are idle.

    A lane's number has + after it where other lanes share the dword.  DrawError for a phase that the access has
    not.  (No access has more cycles than lanes: it is at worst one lane a cycle.)

    >>> from layoutalg.draw.access import operand
    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> tile = make_naive_tensor_descriptor((64, 64), (64, 1))
    >>> timeline(LaneAccess.of(tile, operand(32, 8)), phases=[0]).title
    'ds_read_b128 on gfx942, phase 0: 8 cycles, banks busy 12 % of the time'
    """
    every, banks = access.phases, access.instruction.banks
    chosen = list(range(len(every)) if phases is None else phases)
    if any(not 0 <= n < len(every) for n in chosen):
        raise DrawError(f"{access.instruction.name} on {access.target.name} has phases 0 to {len(every) - 1}")
    cycles = sum(every[n].cycles for n in chosen)
    width, left, top = CELLS / banks, 134.0, 26.0
    body, row, cells = "", 0, list[Cell]()
    for n in chosen:
        asked = wanted(access, every[n])
        y = top + row * HEIGHT
        body += words(16, y + HEIGHT / 2, f"phase {n}", "ink bold", 11, "start") if every[n].cycles else ""
        body += "".join(
            words(left - 6, y + (k + 0.5) * HEIGHT, f"cycle {row + k}", "soft num", SMALL, "end")
            for k in range(every[n].cycles)
        )
        cells += [
            (left + bank * width, y + k * HEIGHT, len(dwords), f"{lanes[0]}{'+' * (len(lanes) > 1)}")
            for bank, dwords in asked.items()
            for k, lanes in enumerate(dwords.values())
        ]
        row += every[n].cycles
        body += line(16, top + row * HEIGHT, left + CELLS, top + row * HEIGHT, "rule")
    ground = shape("rect", "gap", x=left, y=top, width=CELLS, height=row * HEIGHT)
    ground += shape("rect", "frame", x=left, y=top, width=CELLS, height=row * HEIGHT)
    step = 1 if width >= 18 else 4
    axis = words(left - 6, top - 9, "bank", "soft", SMALL, "end") + "".join(
        words(left + (bank + 0.5) * width, top - 9, str(bank), "soft num", SMALL) for bank in range(0, banks, step)
    )
    which = "" if phases is None else f", phase{'s' * (len(chosen) > 1)} {', '.join(map(str, chosen))}"
    part = 100 * len(cells) // max(cycles * banks, 1)
    title = (
        f"{access.instruction.name} on {access.target.name}{which}: {_cycles(cycles)}, banks busy {part} % of the time"
    )
    legend = key_of_heat()
    high = top + row * HEIGHT + 10
    picture = Picture(
        left + CELLS + 16,
        high + legend.height,
        ground + body + _served(cells, width) + axis + legend.at(0, high),
        title,
    )
    evidence = access.instruction.evidence
    doubts = [evidence.doubt] * bool(evidence.doubt) + [LANES_OFF] * (not access.active.all())
    known = f"A cell holds the lane that is served. Lanes of a phase: {evidence.confidence}."
    return picture.headed(title, known, *(f"In doubt: {one}" for one in doubts))


Cell = tuple[float, float, int, str]
"""One bank in one cycle: where it is drawn, how many dwords the bank is asked for, and the lane that is served."""


def _served(cells: Sequence[Cell], width: float) -> str:
    """The cells, one path and one group of numbers for a colour."""
    body = ""
    for colour in sorted({heat(meets) for _, _, meets, _ in cells}):
        mine = [(x, y, text) for x, y, meets, text in cells if heat(meets) == colour]
        size = min(9.0, *((width - 1) / text_width(text, 1) for _, _, text in mine))
        places = boxes((x, y, width, HEIGHT) for x, y, _ in mine)
        body += shape("path", fill=colour, stroke="#fff", stroke_width=0.5, d=places)
        numbers = "".join(
            shape("text", inner=text, x=x + width / 2, y=y + HEIGHT / 2 + 0.36 * size) for x, y, text in mine
        )
        body += shape("g", f"num {ink_on(colour)}", numbers, font_size=size, text_anchor="middle")
    return body


def _cycles(count: int) -> str:
    return "1 cycle" if count == 1 else f"{count} cycles"


def lane_groups(target: Target | str = DEFAULT, instructions: Sequence[str] | None = None) -> Picture:
    """The lanes of a wave, coloured and numbered by their phase, a line for each instruction, with what it rests on.

    Where sources differ, another line shows what the others say.

    UnknownTargetError and UnknownInstructionError for names that are none.

    >>> lane_groups("gfx950", ["ds_read_b128"]).title
    'Which lanes are served together on gfx950'
    """
    gpu = named(target) if isinstance(target, str) else target
    names = [one for one in USUAL if one in gpu.instructions] if instructions is None else instructions
    title, body, y, width = f"Which lanes are served together on {gpu.name}", "", 0.0, 0.0
    for name in names:
        for how in (gpu.instruction(name), *gpu.rivals.get(name, ())):
            strip = _strip(how, "" if how is gpu.instruction(name) else "others say of ")
            body, y, width = body + strip.at(0, y), y + strip.height + 10, max(width, strip.width)
    return Picture(width, y, body, title).headed(title, "A cell is a lane; its number and colour are its phase.")


def _strip(how: LdsInstruction, whose: str) -> Picture:
    """One instruction's lanes, in a line, above them what it is."""
    width, many = CELLS / how.lanes, colours(max(len(how.phases), 2))
    each = len(how.phases[0])
    head = f"{whose}{how.name}: {len(how.phases)} phase{'s' * (len(how.phases) > 1)} of {each} lanes, {how.banks} banks"
    body = words(16, 8, head, "ink bold", 12, "start")
    evidence = how.evidence
    said = f"In doubt: {evidence.doubt}" if evidence.doubt else evidence.confidence
    body += words(16, 24, said, "bad-ink" if evidence.doubt else "soft", 11, "start")
    for lane, phase in enumerate(how.phase_of):
        x, colour = 16 + lane * width, many[phase]
        body += shape("rect", x=x, y=36, width=width, height=16, fill=colour, stroke="#fff", stroke_width=0.6)
        body += words(x + width / 2, 44, str(phase), f"num {ink_on(colour)}", 9)
    body += "".join(words(16 + (lane + 0.5) * width, 60, str(lane), "soft num", 9) for lane in range(0, how.lanes, 4))
    return Picture(max(CELLS + 32, 32 + text_width(said, 11)), 66, body, head)
