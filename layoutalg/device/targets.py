"""Names of what can be compiled for: the targets of `layoutalg.target` that have a vendor, and this machine's own.

| family | code object |
|---|---|
| `amd` | ELF, loaded by the HIP runtime |
| `nvidia` | PTX, compiled further by the driver; it also runs on every later card |
| `cpu` | a shared library of this machine |
"""

from layoutalg.target import UnknownTargetError
from layoutalg.target.known import builds

CPU = "cpu"


def targets() -> tuple[str, ...]:
    """Every target.

    >>> targets()[-3:]
    ('sm_80', 'sm_90', 'cpu')
    """
    return (*builds(), CPU)


def targets_of(family: str) -> tuple[str, ...]:
    """The targets of a family.

    >>> targets_of("nvidia")
    ('sm_80', 'sm_90')
    """
    return tuple(name for name, one in builds().items() if one.vendor == family)


def runs(target: str, machine: str) -> bool:
    """Whether a machine of one target runs code for another: its processor's, and that of the older ones that it names.

    >>> runs("sm_80", "sm_90"), runs("sm_90", "sm_80"), runs("gfx90a", "gfx942")
    (True, False, False)
    """
    one = builds().get(machine)
    return target == machine or (one is not None and one.name == machine and target in (one.processor, *one.older))


def family(target: str) -> str:
    """The family of a target: `amd`, `nvidia` or `cpu`.

    Raises `UnknownTargetError` for any other name.

    >>> family("gfx942")
    'amd'
    """
    if target not in targets():
        raise UnknownTargetError(f"unknown target {target!r}: give one of {', '.join(targets())}")
    return CPU if target == CPU else builds()[target].vendor


def processor(target: str) -> str:
    """What compilers call a target.

    >>> processor("gfx942"), processor("sm_80")
    ('gfx942', 'sm_80')
    """
    one = builds()[target]
    return target if target in one.older else one.processor
