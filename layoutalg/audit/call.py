"""A kernel's call in Python as its launch: tensors with their shapes, numbers by their names, for all sizes.

    la.audit("scale.co", x, o, n, 0.5, grid=["(n + 255) // 256"], block=256)

| an argument is | in the launch it is |
|---|---|
| a numpy array, a torch tensor | a descriptor; a length or stride that is a size, or a product of two, is that |
| an integer from 1 on | a size of its parameter's name, from 1 to `most` |
| another integer, a truth value | that number |
| a fraction | a named value |
| None | not used |

Names are those of the kernel's source (`-g`, Triton's IR), else `p0`, `a1`; `sizes` names further ones.  A length that
is no size stays as it is.  Struct arguments are given field by field.  What is stored to is seen in the code.
What it cannot represent: what tensors hold; say it in `assume`, as a launch file does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import prod
from pathlib import Path
from typing import Any

from layoutalg.audit.figures.template import NOTHING, SIZE, leaves, named
from layoutalg.disk import LARGEST_LIBRARY, read_whole
from layoutalg.errors import LaunchError
from layoutalg.formats.model import SpecFile
from layoutalg.index import symbol
from layoutalg.interop.parameters import KernelParameter
from layoutalg.lazy import lazy_imports
from layoutalg.target.dtypes import DTYPES

with lazy_imports():
    from layoutalg.audit import audit as audits
    from layoutalg.audit import followed
    from layoutalg.formats import spec
    from layoutalg.interop import strided
    from layoutalg.interop.triton import build as builds
    from layoutalg.isa.container import chosen, signature
    from layoutalg.isa.decode import code as codes
    from layoutalg.launch import symbolic

Grid = Sequence[int | str] | Callable[[Mapping[str, Any]], Sequence[Any]]


def audit(
    kernel: Any, *arguments: Any, grid: Grid, block: int | Sequence[int] | None = None, name: str | None = None,
    target: str = "", sizes: Mapping[str, int] | None = None, most: int = SIZE, seconds: float = 60.0, **launch: Any,
) -> audits.Audit:  # fmt: skip
    """Every claim on a kernel, called so: for all sizes, of which the call's are one case.

    `kernel`: the path of a code object (Triton's metadata are read beside it), its bytes, or what has them as
    `payload`; `name` says which, where it holds several.  `grid`: numbers, expressions as text, or a function of the
    sizes.  Further keys are those of a launch file: `writes`, `assume`, `claims`, `computes`, `lds`.

    Raises `LaunchError` for arguments that are none of the kernel's, and for a length that may be either of two sizes.
    """
    code, said, build = _kernel(kernel, name, target)
    parameters = named(code.kernel.metadata.visible, build.parameters if build else said)
    call = KernelCall(parameters, arguments, sizes or {}, most)
    threads = block or (build.threads if build else None) or code.kernel.metadata.required_block
    if not threads:
        raise LaunchError(f"{code.kernel.name} takes blocks of any size: say block=…")
    frame = {"block": [threads] if isinstance(threads, int) else [*threads], "grid": call.grid(grid)}
    frame |= {"lds": build.shared} if build else {}
    data = call.document(frame | launch)
    if "writes" not in launch:
        data["launch"]["writes"] = _stored(code, data)
    return audits.audit(code, _loaded(data), seconds)


def _kernel(
    kernel: Any, name: str | None, target: str
) -> tuple[codes.MachineCode, Sequence[KernelParameter], builds.TritonBuild | None]:
    """The code, what its source says of its parameters, and what Triton does."""
    build = None
    if isinstance(kernel, str | Path):
        path = Path(kernel)
        beside = {ending: path.with_suffix(ending) for ending in (".json", ".ttir")}
        if path.suffix == ".hsaco" and beside[".json"].is_file():
            texts = [spec.read_text(one) if one.is_file() else "" for one in beside.values()]
            build = builds.read_build(*texts)
        kernel = read_whole(path, LARGEST_LIBRARY)
    wanted = name or (build.name if build else None)
    payload, found = chosen.chosen_kernel(getattr(kernel, "payload", kernel), wanted, target)
    return codes.decode_kernel(found), signature.parameters(payload, found.entry), build


def _loaded(data: Mapping[str, Any]) -> SpecFile:
    return spec.loads(json.dumps(data), "the call", is_json=True)


def _stored(code: codes.MachineCode, data: Mapping[str, Any]) -> list[str]:
    """The tensors that the code stores to; of code that is not followed, all that may be."""
    trace = followed.LaunchedKernel.of(code, _loaded(data)).follow()
    if trace.stopped is not None:
        return [one["name"] for one in data["descriptor"]]
    return sorted({one.memory for one in trace.accesses if one.store and one.memory != symbolic.LDS})


@dataclass(frozen=True)
class KernelCall:
    """A call: what the kernel takes, what it is given, further sizes by name, and how large sizes may be."""

    parameters: tuple[KernelParameter, ...]
    arguments: tuple[Any, ...]
    named: Mapping[str, int]
    most: int

    def __post_init__(self) -> None:
        takes = [one for one in leaves(self.parameters) if one.written != NOTHING]
        if len(takes) != len(self.arguments):
            names = ", ".join(one.name for one in takes)
            given = len(self.arguments)
            raise LaunchError(f"the kernel takes {len(takes)} arguments ({names}); the call gives {given}")

    @property
    def given(self) -> Iterator[tuple[KernelParameter, Any]]:
        """Each parameter, fields in place of structs, with its argument."""
        return zip((one for one in leaves(self.parameters) if one.written != NOTHING), self.arguments, strict=True)

    @property
    def sizes(self) -> dict[str, int]:
        """Sizes by name, as the call has them."""
        return {**{one.name: int(value) for one, value in self.given if _is_size(value)}, **self.named}

    @property
    def _symbols(self) -> dict[str, dict[str, int]]:
        """The sizes' limits: what the call has among them, what is no multiple of what its compiler was told not."""
        found = {name: {"min": 1, "max": max(self.most, value)} for name, value in self.named.items()}
        for one, value in self.given:
            if _is_size(value):
                step, top = one.divisible, max(min(self.most, (1 << 8 * one.bytes - 1) - 1), int(value))
                found[one.name] = {"min": step, "max": top - top % step, "multiple_of": step}
        return found

    def grid(self, said: Grid) -> list[int | str]:
        """The blocks, as expressions of the sizes."""
        if callable(said):
            said = said({name: symbol(name, min=1) for name in self.sizes})
        return [one if isinstance(one, int) else str(one) for one in said]

    def document(self, launch: Mapping[str, Any]) -> dict[str, Any]:
        """A launch file, as data."""
        tensors = {one.name: value for one, value in self.given if hasattr(value, "shape") and not _is_whole(value)}
        described = [self._descriptor(name, value) for name, value in tensors.items()]
        arguments = iter(self.arguments)
        passed = [_passed(one, tensors, arguments) for one in self.parameters]
        return {"symbols": self._symbols, **({"descriptor": described} if described else {}),
                "launch": {"arguments": passed, "writes": [*tensors], **launch}}  # fmt: skip

    def _descriptor(self, name: str, value: Any) -> dict[str, Any]:
        view = strided.from_torch(value) if hasattr(value, "untyped_storage") else strided.from_numpy(value)
        said = {"name": name, "dtype": _dtype(value)}
        lengths = [self._size(n, f"dimension {at} of {name}") for at, n in enumerate(view.sizes)] or [1]
        dense = [prod(view.sizes[at + 1 :]) for at in range(len(view.sizes))]
        if view.strides == tuple(dense):
            return {**said, "base": {"kind": "packed", "lengths": lengths}}
        strides = [self._size(n, f"the stride of dimension {at} of {name}") for at, n in enumerate(view.strides)]
        return {**said, "base": {"kind": "naive", "lengths": lengths, "strides": strides}}

    def _size(self, number: int, what: str) -> int | str:
        """A number as the size, or the product of two sizes, that it is; itself where it is none."""
        for factors in (1, 2):
            found = [many for many in combinations_with_replacement(self.sizes, factors)
                     if number > 1 and prod(self.sizes[one] for one in many) == number
                     and (factors == 1 or 1 not in (self.sizes[one] for one in many))]  # fmt: skip
            if len(found) > 1:
                either = " or ".join(" * ".join(many) for many in found)
                raise LaunchError(f"{what} is {number}, which is {either}: call it with sizes that tell them apart")
            if found:
                return " * ".join(found[0])
        return number


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) or (getattr(value, "shape", None) == () and getattr(value, "dtype", "") in _WHOLE)


def _is_size(value: Any) -> bool:
    """Whether a number may be any size: flags, zeros and what is below stay as they are."""
    return _is_whole(value) and not isinstance(value, bool) and int(value) >= 1


_WHOLE = ("int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool")


def _dtype(value: Any) -> str:
    """The element type of an array: numpy's name, or torch's."""
    name = str(value.dtype).removeprefix("torch.")
    of_torch = {"bfloat16": "bf16", "float8_e4m3fn": "f8", "float8_e4m3fnuz": "f8", "float8_e5m2": "bf8",
                "float8_e5m2fnuz": "bf8", "bool": "u8"}  # fmt: skip
    found = of_torch.get(name) or next((one.name for one in DTYPES.values() if one.numpy == name), "")
    if not found:
        raise LaunchError(f"elements of {name} are none of a launch file: {', '.join(DTYPES)}")
    return found


def _passed(one: KernelParameter, tensors: Mapping[str, Any], arguments: Iterator[Any]) -> Any:
    """A parameter as a launch file has it."""
    if one.fields:
        return {"fields": [_field(each, tensors, next(arguments)) for each in one.fields]}
    if one.written == NOTHING:
        return {"unused": True}
    return _field(one, tensors, next(arguments), whole=False)


def _field(one: KernelParameter, tensors: Mapping[str, Any], value: Any, whole: bool = True) -> Any:
    size = {"bytes": one.bytes} if whole else {}
    if value is None:
        return {"unused": True, **size}
    if one.name in tensors:
        return one.name
    if _is_whole(value):
        number = one.name if _is_size(value) else int(value)
        return {"value": number, **size} if whole else number
    sort = {"dtype": one.dtype} if one.dtype else {"dtype": "f32"} if one.bytes == 4 else {"bytes": one.bytes}
    return {"name": one.name, **sort}
