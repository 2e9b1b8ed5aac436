"""What an AMD code object says of its kernels: the note `NT_AMDGPU_METADATA`, a msgpack document.

The keys, and which of them must be there, are those of LLVM's AMDGPUUsage, "Code Object V4 Metadata" and "V5". The HIP
runtime lays a kernel's arguments out by it, and refuses launches by it:

| key | read here as | what a launch does with it |
|---|---|---|
| `.args`: `.offset`, `.size`, `.value_kind`, … | `arguments` | copies each argument there |
| `.kernarg_segment_size` | `kernarg_bytes` | allocates as much |
| `.group_segment_fixed_size`, `.private_segment_fixed_size` | `lds_bytes`, `scratch_bytes` | allocates as much |
| `.max_flat_workgroup_size`, `.reqd_workgroup_size` | `max_threads`, `required_block` | refuses other blocks |
| `.vgpr_count` … | `vgprs` … | reports it |

A value of the wrong kind, a key that is there twice, and arguments that lie on each other or beyond their segment are
refused. What it cannot represent: names of types and arguments, hints, printf.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from math import prod
from typing import Any

from layoutalg.errors import CodeObjectError
from layoutalg.isa.container.elf import damaged
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass

with lazy_imports():
    import msgpack

#: Bytes of the arguments whose size their kind says (AMDGPUUsage, "Code Object V5 Metadata"; hidden ones by the start
#: of their names).
_SIZES: Mapping[str, int] = {
    "global_buffer": 8, "hidden_block_count_": 4, "hidden_group_size_": 2, "hidden_remainder_": 2,
    "hidden_global_offset_": 8, "hidden_grid_dims": 2, "hidden_dynamic_lds_size": 4, "hidden_private_base": 4,
    "hidden_shared_base": 4,
}  # fmt: skip


@dataclass(frozen=True)
class Argument:
    """One argument of the kernel-argument segment, the hidden ones included."""

    offset: int  # bytes from the start of the segment
    size: int
    kind: str  # the metadata's value kind: global_buffer, by_value, hidden_block_count_x, …
    space: str = ""  # of what a pointer points to: global, local, …
    accesses: frozenset[str] = frozenset()  # what is said of how it is used: read_only, write_only, …

    @property
    def hidden(self) -> bool:
        """Whether the runtime gives it, not the caller."""
        return self.kind.startswith("hidden_")


@dataclass(frozen=True)
class KernelMetadata:
    """What the note says of one kernel."""

    name: str
    symbol: str  # of the kernel descriptor
    arguments: tuple[Argument, ...]
    kernarg_bytes: int
    lds_bytes: int
    scratch_bytes: int
    wave_size: int
    max_threads: int  # of a block
    required_block: tuple[int, ...]  # empty: any
    dynamic_stack: bool
    vgprs: int
    agprs: int
    sgprs: int
    vgpr_spills: int | None
    sgpr_spills: int | None

    @property
    def visible(self) -> tuple[Argument, ...]:
        """The arguments that a launch gives."""
        return tuple(argument for argument in self.arguments if not argument.hidden)

    def refuses(self, block: tuple[int, ...]) -> str:
        """Why the runtime starts no blocks of these sizes; empty where it does."""
        threads = prod(block)
        if threads > self.max_threads:
            return f"{self.name} has blocks of at most {self.max_threads} threads, not {threads}"
        if self.required_block and self.required_block != block:
            return f"{self.name} has blocks of {self.required_block}, not {block}"
        return ""


@dataclass(frozen=True)
class Metadata:
    """What the note says."""

    target: str  # as it is written: amdgcn-amd-amdhsa--gfx90a:xnack-; empty in those of version 1.0, which have none
    version: tuple[int, ...]
    kernels: tuple[KernelMetadata, ...]


def read_metadata(note: bytes) -> Metadata:
    """Reads the note's document.

    Raises `CodeObjectError` for what is missing in it, or of another kind than AMDGPUUsage says.

    >>> read_metadata(bytes([0x80]))
    Traceback (most recent call last):
    layoutalg.errors.CodeObjectError: the code object's metadata have no amdhsa.kernels
    """
    try:
        document = msgpack.unpackb(note, object_pairs_hook=_once)
    except (ValueError, TypeError, msgpack.UnpackException) as error:
        raise damaged(f"its metadata are no msgpack document: {error}") from error
    whole = _Entry("the code object", document)
    target = whole.text("amdhsa.target", "")
    kernels = tuple(_kernel(one) for one in whole.items("amdhsa.kernels"))
    for name, times in Counter(name for one in kernels for name in {one.name, one.symbol}).items():
        if times > 1:
            raise CodeObjectError(f"the code object's metadata have {name} twice")
    version = tuple(whole.numbers("amdhsa.version"))
    return Metadata(target, version, kernels)


def _once(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


@dataclass(frozen=True)
class _Entry:
    """A mapping of the document, whose values are taken by their kind."""

    owner: str
    values: Any

    def get(self, key: str, kind: type, default: Any = None) -> Any:
        """A value of a kind; where there is none the default, refused where that is None."""
        if not isinstance(self.values, Mapping):
            raise CodeObjectError(f"{self.owner}'s metadata are no mapping")
        value = self.values.get(key, default)
        if value is None:
            raise CodeObjectError(f"{self.owner}'s metadata have no {key}")
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
            raise CodeObjectError(f"{self.owner}'s metadata say {value!r} of {key}")
        return value

    def text(self, key: str, default: str | None = None) -> str:
        value = str(self.get(key, str, default))
        if not value.isprintable():  # it would be told as it is, over several lines
            raise CodeObjectError(f"{self.owner}'s metadata say {value!r} of {key}")
        return value

    def number(self, key: str, default: int | None = None) -> int:
        value = int(self.get(key, int, default))
        if not 0 <= value < 1 << 32:
            raise CodeObjectError(f"{self.owner}'s metadata say {value} of {key}")
        return value

    def numbers(self, key: str, default: list[int] | None = None) -> list[int]:
        numbers: list[int] = self.get(key, list, default)
        if not all(type(number) is int for number in numbers):
            raise CodeObjectError(f"{self.owner}'s metadata say {numbers} of {key}")
        return numbers

    def items(self, key: str, default: list[Any] | None = None) -> list[_Entry]:
        return [_Entry(self.owner, item) for item in self.get(key, list, default)]


def _kernel(entry: _Entry) -> KernelMetadata:
    name = entry.text(".name")
    entry = _Entry(name, entry.values)
    if entry.text(".kind", "normal") != "normal":
        raise CodeObjectError(f"{name} is a kernel of kind {entry.text('.kind')}, which the runtime starts by itself")
    kernel = KernelMetadata(
        name=name,
        symbol=entry.text(".symbol"),
        arguments=tuple(_argument(one) for one in entry.items(".args", [])),
        kernarg_bytes=entry.number(".kernarg_segment_size"),
        lds_bytes=entry.number(".group_segment_fixed_size"),
        scratch_bytes=entry.number(".private_segment_fixed_size"),
        wave_size=entry.number(".wavefront_size"),
        max_threads=entry.number(".max_flat_workgroup_size"),
        required_block=tuple(entry.numbers(".reqd_workgroup_size", [])),
        dynamic_stack=bool(entry.get(".uses_dynamic_stack", bool, False)),
        vgprs=entry.number(".vgpr_count"),
        agprs=entry.number(".agpr_count", 0),
        sgprs=entry.number(".sgpr_count"),
        vgpr_spills=entry.number(".vgpr_spill_count") if ".vgpr_spill_count" in entry.values else None,
        sgpr_spills=entry.number(".sgpr_spill_count") if ".sgpr_spill_count" in entry.values else None,
    )
    _refuse_overlaps(kernel)
    return kernel


def _argument(entry: _Entry) -> Argument:
    kind = entry.text(".value_kind")
    said = (entry.text(key, "") for key in (".access", ".actual_access"))
    space = entry.text(".address_space", "")
    argument = Argument(entry.number(".offset"), entry.number(".size"), kind, space, frozenset(said) - {""})
    size = next((size for start, size in _SIZES.items() if kind.startswith(start)), argument.size)
    if argument.size != size or not size:
        raise CodeObjectError(f"{entry.owner}: the argument {kind} at byte {argument.offset} has {argument.size} bytes")
    return argument


def _refuse_overlaps(kernel: KernelMetadata) -> None:
    """Arguments lie in the segment, each in bytes of its own."""
    ordered = sorted(kernel.arguments, key=lambda argument: argument.offset)
    for one, following in pairwise(ordered):
        if one.offset + one.size > following.offset:
            raise CodeObjectError(
                f"{kernel.name}: {one.size} bytes of the argument at byte {one.offset} lie on the argument at byte "
                f"{following.offset}"
            )
    for last in ordered[-1:]:
        if last.offset + last.size > kernel.kernarg_bytes:
            raise CodeObjectError(
                f"{kernel.name}: the argument at byte {last.offset} has {last.size} bytes, and all have "
                f"{kernel.kernarg_bytes}"
            )
