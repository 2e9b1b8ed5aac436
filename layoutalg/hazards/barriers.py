"""Barriers that waves of one block reach unequally: after a branch that parts them, some come to more than others.

The hardware counts arrivals and looks at no address: a barrier lets the waves of a block go on when each of them has
come to one, wherever in the code, or has ended (CDNA 4 ISA, S_BARRIER).  So where waves part,

| barriers of one wave, and of another | is |
|---|---|
| A, B and B: `if (wave == 0) barrier A;` barrier B | a hazard: A meets B, which the two come to at different times |
| A, B and A, C: each way has as many | none: A meets A, B meets C, as kernels in two phases want it |
| A, B and A: the one has ended | none: B waits for those alone that still run |
| A, B and C: the one has ended | none: each way has barriers of its own, and A meets C |

A block's waves are carried out together (`block_runs`).  Where only thread numbers and constants part them, and decide
every branch of theirs, it is certain; with branches that arguments or memory decide it is possible, for those; where
an argument parts them, as `i < n` in each thread's loop does, it is undecided: launches may never have such a one.
What it cannot represent: named barriers; waves that are parted by what memory holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from layoutalg.hazards.block_runs import BlockRun, Turn, Way
from layoutalg.hazards.flow import ControlFlow
from layoutalg.hazards.hazard import Hazard
from layoutalg.hazards.thread_values import BlockInARow
from layoutalg.isa.decode.allowed import of_the_block
from layoutalg.isa.semantics.control import BARRIERS

KIND = "barriers"

#: Runs of a block.
_RUNS = 4


def find(flow: ControlFlow) -> Iterator[Hazard]:
    """The branches that part waves of a block so that their barriers meet others."""
    block = BlockInARow.of(flow.kernel)
    barriers = [step.instruction for step in flow.steps.values() if step.instruction.name in BARRIERS]
    if block is None or block.threads <= flow.kernel.wave_size or not barriers or not all(map(of_the_block, barriers)):
        return
    run, told = BlockRun(flow, block.threads), dict[int, Hazard]()
    for seed in range(_RUNS if run.may_part else 0):
        for one, other in combinations([way for way in run.ways(seed) if way.ended], 2):
            found = _unequal(one, other, block)
            if found and (found.consumer not in told or _doubt(found) < _doubt(told[found.consumer])):
                told[found.consumer] = found
    yield from told.values()


def _unequal(one: Way, other: Way, block: BlockInARow) -> Hazard | None:
    """What two ways' barriers show."""
    fewer, more = sorted((one, other), key=lambda way: len(way.barriers))
    at = next(
        (k for k, (a, b) in enumerate(zip(fewer.barriers, more.barriers, strict=False)) if a != b), len(fewer.barriers)
    )
    if len(fewer.barriers) == len(more.barriers) or at == len(fewer.barriers) or fewer.chosen != more.chosen:
        return None
    if not _out_of_step(fewer.barriers[at:], more.barriers[at:]):
        return None
    address, parted = _parted(fewer, more, at)
    what = (
        f"wave {fewer.waves[0]} comes to {len(fewer.barriers)} barriers, wave {more.waves[0]} to {len(more.barriers)}: "
        f"the barrier at {fewer.barriers[at]:#x} of the one meets that at {more.barriers[at]:#x} of the other"
    )
    condition = "; ".join(
        text for text, is_one in (
            (f"a block has {block.threads} threads in a row", not block.required),
            ("arguments are such that waves part here", parted.free),
            ("branches go as in a run of its scalars", one.picked or other.picked),
        ) if is_one
    )  # fmt: skip
    return Hazard(KIND, address, what, "as many barriers on each way", None, condition,
                  undecided=parted.free or not block.is_said)  # fmt: skip


def _out_of_step(one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether two ways come to one barrier, each at its own time."""
    return any(a in other and b != a for a, b in zip(one, other, strict=False))


def _parted(one: Way, other: Way, barriers: int) -> tuple[int, Turn]:
    """The last branch at which the ways part before they have come to more than so many barriers."""
    apart = (
        (when[0], turn)
        for when, turn in reversed(one.turns.items())
        if when in other.turns and other.turns[when].taken != turn.taken
        and max(turn.barriers, other.turns[when].barriers) <= barriers
    )  # fmt: skip
    return next(apart)


def _doubt(found: Hazard) -> tuple[bool, int]:
    return found.undecided, len(found.condition)
