"""The command line's functions for synthesis: a problem from words or from a spec file, and the result with exit code.

| from                                       | the accesses are                                                     |
|--------------------------------------------|----------------------------------------------------------------------|
| a tile, an element type, an instruction    | the row-wise copy into LDS, and the operand read from it             |
| a spec file and a descriptor's name        | the file's accesses of that descriptor, on their targets             |

Exit codes: 0 where the layout found is free of conflicts and all that is needed is proved, 1 where there is none, 2
where something stayed unknown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from layoutalg.formats import AccessItem, SpecFile
from layoutalg.formats.accesses import lanes_of
from layoutalg.formats.sized import sized, sized_access
from layoutalg.index import variables
from layoutalg.layout import LayoutError
from layoutalg.prove import Limits, Unknown
from layoutalg.synth.problem import Problem, Use, gemm_problem, refuse_lacking, transposed_problem
from layoutalg.synth.relaxed import ways_out
from layoutalg.synth.report import data, text
from layoutalg.synth.search import Synthesis, synthesize
from layoutalg.target import target
from layoutalg.target.dtypes import DTYPES


def tile_of(words: str) -> tuple[int, int]:
    """Rows and columns of `128x64`; LayoutError where it is not written so.

    >>> tile_of("128x64")
    (128, 64)
    """
    match = re.fullmatch(r"(\d{1,6})[x×](\d{1,6})", words.strip())
    if match is None:
        raise LayoutError(f"a tile is written ROWSxCOLUMNS, such as 128x64, not {words!r}")
    return int(match[1]), int(match[2])


def gemm(
    tile: str,
    dtype: str,
    operand: str,
    targets: Sequence[str],
    style: str = "any",
    limits: Limits | None = None,
    *,
    transposed: bool = False,
    direct: int = 0,
    copy: int = 0,
) -> tuple[Synthesis, int]:
    """A GEMM tile: `operand` is a matrix instruction, `:a` or `:b` (a unless said), and `:KPack` where it is more.

    Without a `dtype` it is the instruction's.  `transposed`: the tile is K × M (or N), and loads that transpose read
    it; `direct`: loads straight to LDS bring it, of so many bytes a lane; `copy`: bytes of a lane's store to LDS, as
    many as an instruction stores unless said.  LayoutError where no target has the instruction: what is found would be
    for a read that nobody makes there.

    >>> found, code = gemm("128x64", "", "mfma_f32_32x32x16_f16:a", ["gfx942", "gfx950"])
    >>> found.name, found.extra, code
    ('linear swizzle', 0, 0)
    """
    instruction, which, k_pack = ([*operand.split(":"), "", ""])[:3]
    if k_pack and not k_pack.isdecimal():
        raise LayoutError(f"an operand is written INSTRUCTION:a:16, its KPack a number, not {operand!r}")
    rows, columns = tile_of(tile)
    refuse_lacking(instruction, which or "a", targets)
    if transposed and k_pack:
        raise LayoutError("loads that transpose bring the k of one instruction: no KPack beside them")
    common = (rows, columns, dtype, instruction, tuple(targets), which or "a")
    problem = (
        transposed_problem(*common, direct, copy)
        if transposed
        else gemm_problem(*common, int(k_pack) if k_pack else None, direct, copy)
    )
    return _run(problem, style, limits)


def from_spec(
    spec: SpecFile,
    descriptor: str,
    style: str = "any",
    limits: Limits | None = None,
    direct: int = 0,
    sizes: Mapping[str, int] = MappingProxyType({}),
) -> tuple[Synthesis, int]:
    """Another layout for a file's descriptor at sizes, for its accesses in the file; LayoutError says what is missing.

    `direct` as in `gemm`: then no access of the file need write.  An access that claims `lands` says so itself.
    """
    try:
        item = spec.descriptor(descriptor)
    except KeyError as error:
        raise LayoutError(str(error.args[0])) from error
    accesses = [a for a in spec.items if isinstance(a, AccessItem) and a.descriptor.name == descriptor]
    item, accesses = sized(item, sizes, accesses), [sized_access(a, sizes) for a in accesses]
    lengths = item.descriptor.lengths
    free = [v.value.name for v in variables(*lengths)]
    if free:
        values = " ".join(f"-D {name}=…" for name in free)
        raise LayoutError(f"{descriptor} has lengths ({', '.join(map(str, lengths))}): give them values ({values})")
    if len(lengths) != 2:
        raise LayoutError(f"{descriptor} has lengths {lengths}; a tile is of two numbers, rows and columns")
    if item.dtype is None:
        raise LayoutError(f"{descriptor} has no dtype: nothing says how many bytes an element has")
    uses = [_use(a) for a in accesses if a.instruction]
    if not uses:
        raise LayoutError(f"no access of {descriptor} names an instruction: nothing says what is wanted of it")
    landing = [a for a in accesses if any(claim.name == "lands" for claim in a.claims)]
    widths = {a.width * DTYPES[item.dtype].bits // 8 for a in landing} | ({direct} if direct else set())
    if len(widths) > 1:
        raise LayoutError(
            f"loads straight to LDS of {descriptor} are of one width, not of {sorted(widths)} bytes a lane"
        )
    named = [*(use.targets or () for use in uses), *(a.targets for a in landing)]
    targets = tuple(dict.fromkeys(name for names in named for name in names))
    problem = Problem(
        (int(lengths[0]), int(lengths[1])), item.dtype, tuple(uses), targets, direct=max(widths, default=0)
    )
    return _run(problem, style, limits)


def _use(item: AccessItem) -> Use:
    if not item.targets or item.instruction is None:
        raise LayoutError(f"access {item.name} names no targets")
    way = target(item.targets[0]).instruction(item.instruction).access
    return Use(lanes_of(item), way, item.targets, item.instruction, item.given)


def _run(problem: Problem, style: str, limits: Limits | None) -> tuple[Synthesis, int]:
    found = synthesize(problem, style, limits)
    if found.conflict_free:
        return found, 0
    found = replace(found, ways_out=ways_out(problem, style, limits))
    return found, 2 if any(isinstance(v, Unknown) for v in found.verdicts) else 1


def shown(found: Synthesis, as_json: bool = False) -> str | dict[str, Any]:
    """What the command prints: text, or JSON data."""
    return data(found) if as_json else text(found)
