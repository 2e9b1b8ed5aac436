"""Instructions with too few wait states between them, as hazards.

Of one pair the worst that its rules say is told.  Of targets that no rule knows none is looked for (`knows`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from layoutalg.hazards.flow import ControlFlow
from layoutalg.hazards.hazard import Hazard
from layoutalg.hazards.wait_states.facts import known_of, register_name
from layoutalg.hazards.wait_states.rules import MANUALS, ruled_as
from layoutalg.hazards.wait_states.walk import TooFew, Walker

KIND = "wait_states"

#: Wait states of one s_nop at most (CDNA 3 ISA, S_NOP).
_ONE_NOP = 16


def knows(target: str) -> bool:
    """Whether rules of a target's wait states are known."""
    return ruled_as(target) in MANUALS


def find(flow: ControlFlow) -> Iterator[Hazard]:
    """Every pair of instructions that AMD's manual or LLVM wants farther apart."""
    kernel, target = flow.kernel, ruled_as(flow.kernel.target)
    if not knows(target):
        return
    known = known_of(target, kernel.wave_size)
    facts = {address: known.facts_of(step.instruction, kernel) for address, step in flow.steps.items()}
    for address in flow.skippable:  # skipped, it is no wait state, and writes nothing
        facts[address] = replace(facts[address], waits=0, written=())
    worst: dict[tuple[int, int], TooFew] = {}
    for one in Walker(target, flow.blocks, facts).walk():
        pair = one.first, one.second
        if pair not in worst or _rank(one) > _rank(worst[pair]):
            worst[pair] = one
    yield from (_hazard(one, MANUALS[target]) for one in worst.values())


def _rank(one: TooFew) -> tuple[bool, int]:
    return one.certain, one.asked - one.between


def _hazard(one: TooFew, manual: str) -> Hazard:
    sources = {manual: one.manual, "LLVM": one.compiler}
    said = ", ".join(f"{count} by {source}" for source, count in sources.items() if count is not None)
    what = f"{register_name(one.register)}: {one.rule}; {one.between} wait states between, asked are {said}"
    states = one.asked - one.between
    missing = _nops(states, vector=one.rule.first == "wmma")
    condition = _condition(one, sources)
    return Hazard(KIND, one.second, what, missing, one.first, condition, undecided=not one.certain, states=states)


def _condition(one: TooFew, sources: dict[str, int | None]) -> str:
    if one.certain:
        return ""
    if one.longer:
        return "what lies between (a wait, a branch, a product that has to wait) takes no longer than it counts"
    return " or ".join(f"{source} is right" for source, count in sources.items() if count and one.between < count)


def _nops(count: int, *, vector: bool = False) -> str:
    """So many wait states, or `vector` instructions.

    >>> _nops(1), _nops(17), _nops(1, vector=True)
    ('s_nop 0', 's_nop 15; s_nop 0', 'v_nop')
    """
    if vector:
        return "; ".join(["v_nop"] * count)
    whole, rest = divmod(count, _ONE_NOP)
    return "; ".join(["s_nop 15"] * whole + [f"s_nop {rest - 1}"] * bool(rest))
