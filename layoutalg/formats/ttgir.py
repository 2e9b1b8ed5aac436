"""Triton's GPU IR as a file to check: a descriptor for each allocation in shared memory, an access for each user.

    file = load("matmul.ttgir", ["gfx942", "gfx950"])

Of each allocation is claimed what is claimed of every descriptor; of each load and store, that it stays inside and is
free of bank conflicts, on the module's own target or on those that are given.  A part that is not priced (a copy
straight into LDS, a load that may transpose) is among `unchecked`, by its line and why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from layoutalg.errors import LayoutError, SpecError
from layoutalg.formats.model import AccessItem, DescriptorItem, SpecFile, StatedClaim, Unread
from layoutalg.interop.triton.accesses import meeting_of
from layoutalg.interop.triton.attribute import TritonTextError
from layoutalg.interop.triton.registers import registers
from layoutalg.interop.triton.shared import shared
from layoutalg.interop.triton.ttgir import LineError, LocalAccess, ShapedType, Ttgir, ttgir
from layoutalg.target.dtypes import element_type
from layoutalg.target.known import builds
from layoutalg.target.read import is_target

TRANSPOSING = ("gfx950", "gfx1250")
"""Targets with LDS loads that transpose (`ds_read_b64_tr_b16`, `ds_load_tr16_b128`: LLVM's BuiltinsAMDGPU)."""

_DTYPES = {"f8E4M3FN": "f8", "f8E4M3FNUZ": "f8", "f8E5M2": "bf8", "f8E5M2FNUZ": "bf8", "i1": "i8"}
"""Element types that Triton calls otherwise; i1 takes a byte in memory."""


def load(path: str | Path, targets: Sequence[str] = ()) -> SpecFile:
    """What a `.ttgir` file has in shared memory; SpecError with line and column where it cannot be read."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise SpecError(f"not UTF-8: {error}", str(path)) from error
    return loads(text, str(path), targets)


def loads(text: str, file: str = "", targets: Sequence[str] = ()) -> SpecFile:
    """The same of a text; errors name `file`."""
    try:
        module = ttgir(text)
    except LineError as error:
        raise SpecError(error.reason, file, error.line, error.at + 1) from None
    chosen = tuple(targets) or (_target(module, file),)
    unchecked = [Unread(what, line, why) for line, what, why in module.passed]
    items = list(_items(module, chosen, unchecked))
    met = {one.root for one in module.accesses}
    for name, (line, _) in module.allocations.items():
        if name not in met:
            unchecked.append(Unread(name, line, "no load or store of it is looked at"))
    order = sorted(items, key=lambda item: item.line or 0)
    return SpecFile(file, {}, tuple(order), unchecked=tuple(sorted(unchecked, key=lambda one: one.line)))


def _target(module: Ttgir, file: str) -> str:
    """The module's own target by our name."""
    kind, _, name = module.target.partition(":")
    own = f"sm_{name}" if kind == "cuda" else name.partition(":")[0]
    if is_target(own):
        return own
    if own in builds():
        return builds()[own].name
    said = f"{module.target} is a target that is not known" if module.target else "the module says no ttg.target"
    raise SpecError(f"{said}: give one with --target, e.g. --target gfx942", file)


def _items(module: Ttgir, targets: Sequence[str], unchecked: list[Unread]) -> Iterator[DescriptorItem | AccessItem]:
    """Each view of an allocation that an access meets, and the accesses."""
    seen: dict[tuple[str, str, tuple[int, ...], str], DescriptorItem] = {}
    views: dict[str, int] = {}
    for one in module.accesses:
        key = (one.root, str(one.memory.layout), one.memory.shape, one.memory.dtype)
        try:
            if key not in seen:
                views[one.root] = views.get(one.root, 0) + 1
                name = one.root.strip("%") + (f".view{views[one.root]}" if views[one.root] > 1 else "")
                line = module.allocations.get(one.root, (one.line,))[0]
                seen[key] = _descriptor(name, line, one.memory)
                yield seen[key]
            yield _access(one, seen[key], targets)
        except TritonTextError as error:
            unchecked.append(Unread(_name(one), one.line, error.reason))
        except LayoutError as error:
            unchecked.append(Unread(_name(one), one.line, str(error)))


def _descriptor(name: str, line: int, memory: ShapedType) -> DescriptorItem:
    assert memory.layout is not None
    dtype = _DTYPES.get(memory.dtype, "i64" if memory.dtype.startswith("!tt.ptr") else memory.dtype)
    element_type(dtype)
    text = f"{'×'.join(map(str, memory.shape))} {memory.dtype}, {memory.layout}"
    built = shared(memory.layout, memory.shape).descriptor
    return DescriptorItem(name=name, line=line, descriptor=built, dtype=dtype, source=text)


def _name(one: LocalAccess) -> str:
    """A load or store, in words."""
    return f"{'load' if one.way == 'read' else 'store'} of {one.root} in line {one.line}"


def _access(one: LocalAccess, item: DescriptorItem, targets: Sequence[str]) -> AccessItem:
    assert one.memory.layout is not None
    assert one.registers.layout is not None
    assert item.dtype is not None
    kind, shape = element_type(item.dtype), one.memory.shape
    held = registers(one.registers.layout, one.registers.shape)
    met = meeting_of(shared(one.memory.layout, shape), held, kind)
    transposing = [name for name in targets if name in TRANSPOSING]
    if one.way == "read" and kind.bits <= 16 and met.lanes.width * kind.bits < 64 and transposing:
        raise LayoutError(f"{', '.join(transposing)} may read it by an instruction that transposes, "
                          "whose banks no source says")  # fmt: skip
    return AccessItem(
        name=_name(one),
        line=one.line,
        descriptor=item,
        lane=met.lanes.lane,
        variables=met.variables,
        index=met.lanes.index,
        element=met.lanes.element,
        width=met.lanes.width,
        instruction=one.way,
        targets=tuple(targets),
        claims=(StatedClaim("in_bounds"), StatedClaim("conflict_free")),
        stated=True,
    )
