"""The order in which a kernel's blocks are followed: every way to a block before the block, each loop as one.

A block *dominates* another when every way there leads through it.  A branch back to a block that dominates the branch
closes a natural loop: the blocks that reach the branch without passing its head.  Without those branches back the
blocks have an order in which each comes after all that lead to it, so that they can be followed once each, where ways
meet their states being joined.  For a loop around B with its exit at C:

    A → B,  B → C,  C → B,  C → D         order A B C D,  loop of head B: {B, C}

What it cannot represent: branches into the middle of a loop (irreducible code), which are refused.
"""

from __future__ import annotations

from collections.abc import Mapping

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.decode.code import Block
from layoutalg.records import dataclass


@dataclass(frozen=True)
class Flow:
    """Blocks in the order to follow them, and the blocks of each loop by its head."""

    order: tuple[int, ...]
    loops: Mapping[int, frozenset[int]]


def flow_of(entry: int, blocks: Mapping[int, Block]) -> Flow:
    """The order of the blocks that the entry leads to.

    Raises `UnsupportedInstructionError` for a branch back to a block that does not dominate it.
    """
    order = _reverse_postorder(entry, blocks)
    place = {start: n for n, start in enumerate(order)}
    above = _dominators(order, blocks)
    loops: dict[int, frozenset[int]] = {}
    for start in order:
        for target in blocks[start].successors:
            if target in place and place[target] <= place[start]:
                if target not in above[start]:
                    raise UnsupportedInstructionError(f"the branch back to {target:#x} enters the middle of a loop")
                loops[target] = loops.get(target, frozenset()) | _body(target, start, order, blocks)
    return Flow(order, loops)


def _reverse_postorder(entry: int, blocks: Mapping[int, Block]) -> tuple[int, ...]:
    found: dict[int, None] = {}
    seen = {entry}
    stack = [(entry, iter(blocks[entry].successors))]
    while stack:
        start, rest = stack[-1]
        following = next((s for s in rest if s in blocks and s not in seen), None)
        if following is None:
            found[start] = None
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(blocks[following].successors)))
    return tuple(reversed(found))


def _predecessors(order: tuple[int, ...], blocks: Mapping[int, Block]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {start: [] for start in order}
    for start in order:
        for target in blocks[start].successors:
            if target in found:
                found[target].append(start)
    return found


def _dominators(order: tuple[int, ...], blocks: Mapping[int, Block]) -> Mapping[int, set[int]]:
    """For each block the blocks that every way there leads through, itself among them."""
    before = _predecessors(order, blocks)
    found = {start: set(order) for start in order}
    found[order[0]] = {order[0]}
    changed = True
    while changed:
        changed = False
        for start in order[1:]:
            new = {start} | set.intersection(*(found[p] for p in before[start]))
            if new != found[start]:
                found[start], changed = new, True
    return found


def _body(head: int, latch: int, order: tuple[int, ...], blocks: Mapping[int, Block]) -> frozenset[int]:
    """The blocks that reach the latch without passing the head."""
    before = _predecessors(order, blocks)
    body, stack = {head}, [latch]
    while stack:
        start = stack.pop()
        if start not in body:
            body.add(start)
            stack += before[start]
    return frozenset(body)
