"""Names of what can be compiled for: AMD's gfx names, NVIDIA's sm names, and this machine's own processor.

| family | targets | code object |
|---|---|---|
| `amd` | gfx90a, gfx942, gfx950, gfx1100, gfx1201 | ELF, loaded by the HIP runtime |
| `nvidia` | sm_80, sm_90 | PTX, compiled further by the driver; it also runs on every later card |
| `cpu` | cpu | a shared library of this machine |

What a target can do (banks, waves, matrix instructions) is not said here.
"""

from layoutalg.errors import UnknownTargetError

FAMILIES = {
    "gfx90a": "amd",
    "gfx942": "amd",
    "gfx950": "amd",
    "gfx1100": "amd",
    "gfx1201": "amd",
    "sm_80": "nvidia",
    "sm_90": "nvidia",
    "cpu": "cpu",
}

TARGETS = tuple(FAMILIES)


def runs(target: str, machine: str) -> bool:
    """Whether a machine of one target runs code for another: PTX runs on every later card, all else on its own only.

    >>> runs("sm_80", "sm_90"), runs("sm_90", "sm_80"), runs("gfx90a", "gfx942")
    (True, False, False)
    """
    if FAMILIES.get(target) == FAMILIES.get(machine) == "nvidia":
        return int(target.removeprefix("sm_")) <= int(machine.removeprefix("sm_"))
    return target == machine


def family(target: str) -> str:
    """The family of a target: `amd`, `nvidia` or `cpu`.

    Raises `UnknownTargetError` for any other name.

    >>> family("gfx942")
    'amd'
    """
    if target not in FAMILIES:
        raise UnknownTargetError(f"unknown target {target!r}: give one of {', '.join(TARGETS)}")
    return FAMILIES[target]
