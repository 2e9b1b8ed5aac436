"""A kernel's call in Python as its launch: tensors with their shapes, numbers by their names, for all sizes.

    la.audit("scale.co", x, o, n, 0.5, grid=["(n + 255) // 256"], block=256)

| an argument is | in the launch it is |
|---|---|
| a numpy array, a torch tensor | a descriptor; of its lengths and strides: a size n, n + 1, n - 1, m * n, or a number |
| an integer from 2 on | a size of its parameter's name, from 1 to `most` |
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
from itertools import combinations, combinations_with_replacement
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
from layoutalg.records import dataclass
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

#: What buffers begin at multiples of, as every proof assumes.
ALIGNED = 16

Grid = Sequence[int | str] | Callable[[Mapping[str, Any]], Sequence[Any]]


def audit(
    kernel: Any, *arguments: Any, grid: Grid, block: int | Sequence[int] | None = None, name: str | None = None,
    target: str = "", sizes: Mapping[str, int] | None = None, most: int = SIZE, seconds: float = 60.0, **launch: Any,
) -> audits.Audit:  # fmt: skip
    """Every claim on a kernel, called so: for all sizes, of which the call's are one case.

    `kernel`: the path of a code object (Triton's metadata are read beside it), its bytes, or what has them as
    `payload`; `name` says which, where it holds several.  `grid`: numbers, expressions as text, or a function of the
    sizes.  Further keys are those of a launch file: `writes`, `assume`, `claims`, `computes`, `lds`.

    Raises `LaunchError` for arguments that are none of the kernel's, for a length that may be either of two sizes, and
    for tensors that overlap or begin within their memory.
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
        for one, value in self.given:
            if _is_size(one, value) and self.named.get(one.name, value) != value:
                raise LaunchError(f"{one.name} is {int(value)} in the call and {self.named[one.name]} in sizes")
            if _is_size(one, value) and int(value) % one.divisible:
                raise LaunchError(f"{one.name} is {int(value)}, and was compiled as a multiple of {one.divisible}")
        tensors = [(one.name, value) for one, value in self.given if _is_tensor(value)]
        for name, value in tensors:
            if _offset(value) % ALIGNED:
                raise LaunchError(f"{name} begins {_offset(value)} bytes into its memory: no multiple of {ALIGNED}")
        for (name, value), (other, its) in combinations(tensors, 2):
            if _overlap(value, its):
                raise LaunchError(f"{name} and {other} overlap: a launch file passes one descriptor twice")

    @property
    def given(self) -> Iterator[tuple[KernelParameter, Any]]:
        """Each parameter, fields in place of structs, with its argument."""
        return zip((one for one in leaves(self.parameters) if one.written != NOTHING), self.arguments, strict=True)

    @property
    def sizes(self) -> dict[str, int]:
        """Sizes by name, as the call has them."""
        return {**{one.name: int(value) for one, value in self.given if _is_size(one, value)}, **self.named}

    @property
    def _symbols(self) -> dict[str, dict[str, int]]:
        """The sizes' limits: what the call has among them, what is no multiple of what its compiler was told not."""
        found = {name: {"min": 1, "max": max(self.most, value)} for name, value in self.named.items()}
        for one, value in self.given:
            if _is_size(one, value):
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
        tensors = {one.name: value for one, value in self.given if _is_tensor(value)}
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
        """A number as what it is: a size, one more or less, or a product of two; itself where it is none."""
        if number <= 1:
            return number
        pairs = combinations_with_replacement(self.sizes.items(), 2)
        ways = {**self.sizes,
                **{f"{name} + 1": n + 1 for name, n in self.sizes.items()},
                **{f"{name} - 1": n - 1 for name, n in self.sizes.items()},
                **{f"{a} * {b}": m * n for (a, m), (b, n) in pairs if 1 not in (m, n)}}  # fmt: skip
        found = [way for way, n in ways.items() if n == number]
        if len(found) > 1:
            either = " or ".join(found)
            raise LaunchError(f"{what} is {number}, which is {either}: call it with sizes that tell them apart")
        return found[0] if found else number


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) or (getattr(value, "shape", None) == () and getattr(value, "dtype", "") in _WHOLE)


def _is_size(one: KernelParameter, value: Any) -> bool:
    """Whether a parameter's number may be any size: flags, what is below 2 and fractions stay as they are."""
    return _is_whole(value) and not isinstance(value, bool) and int(value) > 1 and not _is_fraction(one)


def _is_fraction(one: KernelParameter) -> bool:
    return (one.dtype or "").startswith(("f", "bf"))


def _is_tensor(value: Any) -> bool:
    return getattr(value, "shape", ()) != ()


def _span(value: Any) -> tuple[int, int]:
    """The addresses of an array's first byte, and behind its last."""
    if hasattr(value, "untyped_storage"):
        size = value.element_size()
        steps = [(n - 1) * step * size for n, step in zip(value.shape, value.stride(), strict=True)]
        first = value.data_ptr()
    else:
        size = value.itemsize
        steps = [(n - 1) * step for n, step in zip(value.shape, value.strides, strict=True)]
        first = value.__array_interface__["data"][0]
    return first + sum(one for one in steps if one < 0), first + sum(one for one in steps if one > 0) + size


def _offset(value: Any) -> int:
    """The bytes before an array in the memory that it is a view of."""
    if hasattr(value, "untyped_storage"):
        return int(value.storage_offset() * value.element_size())
    whole = value
    while getattr(whole, "base", None) is not None and hasattr(whole.base, "__array_interface__"):
        whole = whole.base
    return int(_span(value)[0] - _span(whole)[0])


def _overlap(one: Any, other: Any) -> bool:
    if 0 in (*one.shape, *other.shape):
        return False
    (first, behind), (its_first, its_behind) = _span(one), _span(other)
    return first < its_behind and its_first < behind


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
    if _is_whole(value) and not _is_fraction(one):
        number = one.name if _is_size(one, value) else int(value)
        return {"value": number, **size} if whole else number
    if one.dtype and not _is_fraction(one):
        raise LaunchError(f"{one.name} is a number of type {one.dtype}; the call gives {value!r}")
    sort = {"dtype": one.dtype} if one.dtype else {"dtype": "f32"} if one.bytes == 4 else {"bytes": one.bytes}
    return {"name": one.name, **sort}
