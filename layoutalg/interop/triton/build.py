"""What Triton writes beside a kernel's code: its metadata (KERNEL.json) and its IR (KERNEL.ttir).

| of | is taken |
|---|---|
| metadata | the name, waves of a block, lanes of a wave, bytes of LDS that its launches add |
| IR | parameters: names, types, what they are multiples of |

What it cannot represent: arguments that Triton made constants (its `constexpr`, and those that were 1): they are in the
code; descriptors of tensors, which are several arguments.
"""

from __future__ import annotations

import json
import re
from typing import Any

from layoutalg.errors import LayoutError
from layoutalg.interop.parameters import KernelParameter
from layoutalg.records import dataclass

#: MLIR's types as element types; integers have no sign there, and Triton's are signed unless its source says other.
_TYPES = {
    "f64": "f64", "f32": "f32", "f16": "f16", "bf16": "bf16", "i64": "i64", "i32": "i32", "i16": "i16", "i8": "i8",
    "i1": "u8", "f8E4M3FN": "f8", "f8E4M3FNUZ": "f8", "f8E5M2": "bf8", "f8E5M2FNUZ": "bf8",
}  # fmt: skip
_BYTES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2, "i16": 2}

_HEAD = re.compile(r"tt\.func public @(\S+?)\((.*?)\)(?: attributes|\s*\{)", re.DOTALL)
_PARAMETER = re.compile(r"%([\w.$-]+): (!tt\.ptr<([^>,]+)[^%]*?>|!tt\.[^%]*?>|\w+)( \{([^}]*)\})?")
_MULTIPLE = re.compile(r"tt\.divisibility = (\d+)")


@dataclass(frozen=True)
class TritonBuild:
    """A kernel as Triton compiled it."""

    name: str
    warps: int
    lanes: int
    shared: int  # bytes of LDS that its launches add
    parameters: tuple[KernelParameter, ...] = ()

    @property
    def threads(self) -> int:
        """Threads of a block: the kernel is compiled for as many, and no others."""
        return self.warps * self.lanes


def read_build(metadata: str, ttir: str = "") -> TritonBuild:
    """What the two texts say; LayoutError where the first is no kernel's metadata.

    >>> text = '{"name": "add", "num_warps": 4, "warp_size": 64, "shared": 0}'
    >>> build = read_build(text, "tt.func public @add(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {")
    >>> build.threads, [(one.name, one.dtype, one.points) for one in build.parameters]
    (256, [('x', 'f32', True), ('n', 'i32', False)])
    """
    try:
        said = json.loads(metadata)
        name, warps, shared = said["name"], said["num_warps"], said["shared"]
        lanes = said.get("warp_size") or said["target"]["warp_size"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise LayoutError(f"no metadata of a kernel of Triton: it lacks {error}") from None
    if not (isinstance(name, str) and all(type(one) is int and 0 <= one < 1 << 20 for one in (warps, lanes, shared))):
        raise LayoutError("no metadata of a kernel of Triton: name, num_warps, warp_size or shared is none")
    head = next((found for found in _HEAD.finditer(ttir) if found[1].strip('"') == name), None)
    return TritonBuild(name, warps, lanes, shared, tuple(map(_parameter, _PARAMETER.finditer(head[2] if head else ""))))


def _parameter(found: re.Match[str]) -> KernelParameter:
    name, written, pointed, _, attributes = found.groups()
    multiple = _MULTIPLE.search(attributes or "")
    divisible: dict[str, Any] = {"divisible": int(multiple[1])} if multiple else {}
    points = written.startswith("!tt.ptr")
    size = 8 if points else _BYTES.get(written, 1)
    return KernelParameter(name, size, _TYPES.get(pointed or written, ""), points, written=written, **divisible)
