"""Kernels that only pretend: what stands in for a result, as edits of kernels that are right.

| a kernel that pretends | which is |
|---|---|
| `constant` | a constant where a result should be |
| `copy` | what it was given, unchanged |
| `half` | the first half of it is done |
| `nothing` | what another launch wrote there; of a fresh output nobody wrote anything |
| `tail` | what is left of a whole vector or tile is skipped |

They are safe, all of them: only what comes out says what they are.
"""

from pathlib import Path

from tests.foreign.corpus import WRONG, Broken

FOLDER = Path(__file__).parent


def cheats(line: str, constant: str = "0.0f", copy: str = "", half: str = "") -> tuple[Broken, ...]:
    """Of a kernel that stores its result in `line`, which is `TARGET = …`, under `half`, which is `INDEX < EXTENT`.

    >>> [one.new for one in cheats("y[i] = -x[i]", copy="x[i]", half="i < n")]
    ['y[i] = 0.0f', 'y[i] = x[i]', 'i < (n + 1) / 2 - 1', '(void)0']
    """
    target, _, _ = line.partition(" = ")
    index, _, extent = half.partition(" < ")
    return (
        Broken("constant", line, f"{target} = {constant}", WRONG),
        *((Broken("copy", line, f"{target} = {copy}", WRONG),) if copy else ()),
        *((Broken("half", half, f"{index} < ({extent} + 1) / 2 - 1", WRONG),) if half else ()),
        Broken("nothing", line, "(void)0", WRONG),
    )
