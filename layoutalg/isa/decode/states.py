"""What the instructions before each leave of a state that the code sets: a fact of it, where all ways agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from layoutalg.isa.decode.instructions import Instruction

#: Where ways differ.
UNKNOWN = -1


def states_of(
    blocks: Mapping[int, tuple[Sequence[Instruction], Sequence[int]]], starts: Sequence[int], first: int,
    after: Callable[[Instruction, int], int],
) -> Mapping[int, int]:  # fmt: skip
    """The state at each instruction, by its address; of one that is not reached none.

    `blocks`: by the address of the first, the instructions of a block, and where control goes after them.
    `first`: the state where control starts.  `after`: the state behind an instruction, of the one before it.

    >>> one, other = (Instruction(at, 4, name, "SOPP") for at, name in ((0, "S_NOP"), (4, "S_ENDPGM")))
    >>> states_of({0: ([one], [4]), 4: ([other], [])}, [0], 7, lambda instruction, state: state + 1)
    {0: 7, 4: 8}
    """
    before = dict.fromkeys(starts, first)
    left, found = list(before), dict[int, int]()
    while left:
        start = left.pop()
        now = before[start]
        instructions, following = blocks[start]
        for instruction in instructions:
            found[instruction.address] = now
            now = after(instruction, now)
        for other in following:
            joined = now if before.get(other, now) == now else UNKNOWN
            if other in blocks and before.get(other) != joined:
                before[other] = joined
                left.append(other)
    return found
