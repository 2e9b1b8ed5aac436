"""What a GPU is to us: waves, memory sizes, and which lanes meet in the LDS for each instruction; as data.

A target is a TOML file: those that come with the package and a user's own have one format (`read` states it).
Each fact carries its evidence: who says so, whether it was measured, and what is doubtful about it, so that a verdict
that rests on a guess can say so.

| evidence     | means                                                                       |
|--------------|-----------------------------------------------------------------------------|
| `measured`   | read off hardware counters by the named source                              |
| `documented` | stated by the named source (a manual, a vendor's document, a compiler)      |
| `assumed`    | nobody was found who says it; taken from a neighbour, and `doubt` says which |

>>> from layoutalg.target import target
>>> read = target("gfx942").instruction("ds_read_b128")
>>> read.phases[0], read.banks, read.evidence.confidence
((0, 1, 2, 3, 20, 21, 22, 23), 32, 'measured')
>>> print(target("gfx906").instruction("ds_read_b128").evidence.doubt)
no measurement on gfx906 was found: taken from gfx942

What it cannot represent: an instruction whose lane groups depend on the addresses (`memory.banks` says what that
costs on sm_90), and memories that are not split into banks of four bytes.
"""

from layoutalg.lazy import exports

with exports():  # a check of layouts alone asks for types of elements, and for no GPU
    from layoutalg.target.model import (
        DEFAULT,
        DEFAULT_EXPLAINED,
        DEFAULT_MEASURED,
        DEFAULT_READ,
        Card,
        CodeFormat,
        Evidence,
        LdsInstruction,
        Target,
        TargetError,
        UnknownInstructionError,
        UnknownTargetError,
    )
    from layoutalg.target.read import is_target, load_target, target, target_names
    from layoutalg.target.tables import TargetFileError

__all__ = [
    "DEFAULT", "DEFAULT_EXPLAINED", "DEFAULT_MEASURED", "DEFAULT_READ", "Card", "CodeFormat", "Evidence",
    "LdsInstruction", "Target", "TargetError", "TargetFileError", "UnknownInstructionError", "UnknownTargetError",
    "is_target", "load_target", "target", "target_names",
]  # fmt: skip
