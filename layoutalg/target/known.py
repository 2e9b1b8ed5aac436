"""What all targets together say: for which names code can be built, who has an instruction, whose code can be read.

| question                                        | answer                 |
|-------------------------------------------------|------------------------|
| which names can a compiler be asked for?        | `builds()`             |
| who has a matrix instruction?                   | `having(instruction)`  |
| which target has an ELF's machine number?       | `processors()`         |
| whose machine code is decoded?                  | `decoded()`            |
| for which targets are the library's kernels?    | `library_targets()`    |

Names are sorted as people do: by vendor, then gfx942 before gfx1100.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from layoutalg.target.matrix import matrix_instruction
from layoutalg.target.model import Target
from layoutalg.target.operand import MatrixInstruction
from layoutalg.target.read import kin, target, target_names
from layoutalg.target.tables import TargetFileError


@cache
def builds() -> Mapping[str, Target]:
    """The names that code can be built for, each with the target whose data it is built by.

    >>> builds()["sm_80"].name, [name for name in builds() if name.startswith("gfx9")]
    ('sm_90', ['gfx906', 'gfx908', 'gfx90a', 'gfx942', 'gfx950'])
    """
    known = [one for one in map(target, (*target_names(), *kin())) if one.vendor]
    named = [(one.vendor, len(name), name, one) for one in known for name in (one.name, *one.older)]
    return {name: one for _, _, name, one in sorted(named, key=lambda entry: entry[:3])}


def library_targets() -> tuple[str, ...]:
    """The targets for whose limits the library's kernels are proved.

    >>> library_targets()
    ('gfx90a', 'gfx942', 'gfx950', 'gfx1100', 'gfx1201', 'gfx1250', 'sm_90')
    """
    return tuple(name for name, one in builds().items() if one.library and one.name == name)


@cache
def having(instruction: str) -> tuple[str, ...]:
    """The names for which code with a matrix instruction can be built.

    Older processors, whose code a target runs, have none that takes its operands from LDS (PTX ISA: wgmma is sm_90a's).

    >>> having("mfma_f32_32x32x16_f16"), having("mfma_f32_32x32x8f16")
    (('gfx950',), ('gfx908', 'gfx90a', 'gfx942', 'gfx950'))
    >>> having("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16")
    ('sm_90',)
    """
    able = {name: one for name, one in builds().items() if one.matrix and instruction in one.matrix.instructions}
    own = bool(able) and matrix_instruction(instruction).operands_in_lds
    return tuple(name for name, one in able.items() if name == one.name or not own)


def matrix_instructions(name: str) -> tuple[MatrixInstruction, ...]:
    """The matrix instructions of a target.

    >>> [one.k for one in matrix_instructions("gfx950") if (one.m, one.a_dtype) == (32, "f16")]
    [8, 16]
    """
    one = builds().get(name)
    return tuple(map(matrix_instruction, one.matrix.instructions)) if one and one.matrix else ()


def formats_of(name: str) -> Mapping[str, str]:
    """The format of each narrow type that instructions of a target read; none of what is no target, as `cpu`.

    >>> formats_of("gfx942")["f8"], formats_of("gfx950")["f8"], dict(formats_of("cpu"))
    ('e4m3fnuz', 'e4m3fn', {})
    """
    one = builds().get(name)
    return one.types.formats if one and one.types else {}


def is_tiled(target: str, dtype: str) -> bool:
    """Whether a target's file has a plan for elements of a type."""
    return target in builds() and dtype in builds()[target].tilings


@cache
def processors() -> Mapping[int, Target]:
    """By EF_AMDGPU_MACH, the target that has the processor; of several, one with a file of its own, called like it.

    TargetFileError where two targets give one number to different processors.

    >>> processors()[0x4C].name
    'gfx942'
    """
    found: dict[int, Target] = {}
    for one in sorted(builds().values(), key=lambda one: (one.name in kin(), one.name != one.processor)):
        if one.machine:
            first = found.setdefault(one.machine.number, one)
            if first.processor != one.processor:
                raise TargetFileError(f"{one.name}.toml: machine.number: {first.name}.toml has it of another")
    return found


@cache
def decoded() -> Mapping[str, Target]:
    """The targets whose machine code is decoded.

    >>> sorted({one.machine.decoder for one in decoded().values()})
    ['cdna', 'cdna1', 'cdna5', 'rdna2', 'rdna3', 'rdna4']
    """
    return {name: one for name, one in builds().items() if one.machine and one.machine.decoder}
