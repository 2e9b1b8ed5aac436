"""The code objects of a file that hipcc wrote: in a bundle, compressed or not, and in the host's libraries.

A bundle has a code object for each target; a library has a bundle for each of its sources, in the section
`.hip_fatbin`, which the HIP runtime is given when the library is loaded.

| part | bytes (clang, "Clang Offload Bundler") |
|---|---|
| bundle | `__CLANG_OFFLOAD_BUNDLE__`, a count, entries, what they name |
| entry | offset from the bundle's start, size, length of its name, its name: `hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-` |
| compressed bundle | `CCOB`, version, method; since 2 the whole size; size of the bundle within, hash, the bundle |
| method | 0 zlib, 1 zstd (LLVM, `Support/Compression.h`, `Format`); since 3 sizes have 8 bytes, 4 before |

A file without that section, and which is no bundle, is searched for whole bundles; what only looks like the start of
one is passed over there.  What it cannot represent: SPIR-V, which is passed over.
"""

from __future__ import annotations

import struct
import sys
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from layoutalg.errors import CodeObjectError
from layoutalg.isa.container.elf import Elf, damaged
from layoutalg.isa.container.loader import EM_AMDGPU
from layoutalg.isa.container.target_id import TargetId
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass

with lazy_imports():
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd

_PLAIN, _COMPRESSED = b"__CLANG_OFFLOAD_BUNDLE__", b"CCOB"
_ENTRY = struct.Struct("<QQQ")

#: Version of a compressed bundle → its fields after the method: sizes, and the hash.
_HEADERS = {1: struct.Struct("<IQ"), 2: struct.Struct("<IIQ"), 3: struct.Struct("<QQQ")}
_ZLIB, _ZSTD = 0, 1

#: A name is not longer, nor is a compressed bundle larger.
_LONGEST_NAME, _LARGEST_LOG = 1 << 10, 30

SECTION = b".hip_fatbin"

#: How files begin that may hold code objects: bundles, and ELF files, code objects and hosts' alike.
BEGINNINGS = (_PLAIN, _COMPRESSED, b"\x7fELF")


class NoCodeError(CodeObjectError):
    """A file that holds no code object, or none for the target that was asked for."""


@dataclass(frozen=True)
class Bundled:
    """A code object, and the target that its bundle says."""

    target: TargetId
    payload: bytes
    bundle: int  # where the bundle begins in the file; that of the file itself where it is a code object


def code_objects(payload: bytes, target: str = "") -> Sequence[Bundled]:
    """The AMD code objects of a code object, a bundle, or a host's library or executable, in their order.

    With a target, such as `gfx90a` or `gfx90a:xnack-`, those alone that a device of it takes.
    Raises `CodeObjectError` for a bundle that is not whole, and where there is nothing for the target.

    >>> code_objects(b"GIF89a")
    Traceback (most recent call last):
    layoutalg.isa.container.bundle.NoCodeError: neither an AMD code object nor a bundle of them, and none is within
    """
    found = list(_all(payload))
    if not found:
        raise NoCodeError("neither an AMD code object nor a bundle of them, and none is within")
    if not target:
        return found
    device = TargetId.parse(target)
    if device is None:
        raise CodeObjectError(f"{target!r} is no AMD target: give one such as gfx942 or gfx90a:xnack-")
    taken = [one for one in found if device.takes(one.target)]
    if not taken:
        there = ", ".join(sorted({str(one.target) for one in found}))
        raise NoCodeError(f"there is no code object for {target}: there are those for {there}")
    return taken


def _all(payload: bytes) -> Iterator[Bundled]:
    if payload.startswith((_PLAIN, _COMPRESSED)):
        yield from _within(payload, 0, len(payload))
        return
    if not payload.startswith(b"\x7fELF\x02\x01"):
        yield from _within(payload, 0, len(payload), surely=False)
        return
    file = Elf.read(payload)
    if file.machine == EM_AMDGPU:
        target = TargetId.of_flags(file.flags)
        if target is None:
            raise CodeObjectError(f"a code object for the processor {file.flags & 0xFF:#x}, which no target's file has")
        yield Bundled(target, payload, 0)
        return
    sections = list(file.named(SECTION))
    for section in sections:
        file.contents(section)  # is whole
        yield from _within(payload, section.offset, section.offset + section.size)
    if not sections:
        yield from _within(payload, 0, len(payload), surely=False)


def _within(payload: bytes, start: int, end: int, surely: bool = True) -> Iterator[Bundled]:
    """The code objects of the bundles in a part of a file, where all that begins as one `surely` is one, or may be."""
    while True:
        plain = payload.find(_PLAIN, start, end)
        packed = payload.find(_COMPRESSED, start, end if plain < 0 else plain)
        at = plain if packed < 0 else packed
        if at < 0:
            return
        try:
            objects, start = (_plain if packed < 0 else _unpacked)(payload, at, end)
        except CodeObjectError:
            if surely:
                raise
            objects, start = [], at + 4
        yield from objects


def _plain(payload: bytes, at: int, end: int) -> tuple[list[Bundled], int]:
    """The code objects of a bundle, and where it ends."""
    place = at + len(_PLAIN) + 8
    count = int.from_bytes(payload[place - 8 : place], "little")
    if place > end or count > (end - place) // _ENTRY.size:
        raise damaged(f"the bundle at {at:#x} has {count} entries")
    found: list[Bundled] = []
    last, total = place, 0
    for _ in range(count):
        if place + _ENTRY.size > end:
            raise damaged(f"the entries of the bundle at {at:#x} are not whole")
        offset, size, length = _ENTRY.unpack_from(payload, place)
        name_at, place = place + _ENTRY.size, place + _ENTRY.size + length
        total, last = total + size, max(last, at + offset + size)
        if length > _LONGEST_NAME or max(place, last) > end or total > end - at:
            raise damaged(f"the bundle at {at:#x} names {size} bytes at {offset:#x}, and is not as large")
        name = payload[name_at:place].decode(errors="backslashreplace")
        found += _entry(name, payload[at + offset : at + offset + size], at)
    return found, max(last, place)


def _entry(name: str, payload: bytes, bundle: int) -> Iterator[Bundled]:
    """The code object of an entry; none of a host's, which is empty, and of what is no ELF file of AMD's."""
    said = TargetId.parse(name)
    if said is None or not payload:
        return
    file = Elf.read(payload)
    flagged = TargetId.of_flags(file.flags)
    if file.machine != EM_AMDGPU or (flagged and name.startswith("hipv4-") and flagged != said):
        raise CodeObjectError(f"the bundle at {bundle:#x} has code for {flagged} under the name {name}")
    yield Bundled(flagged or said, payload, bundle)


def _unpacked(payload: bytes, at: int, end: int) -> tuple[list[Bundled], int]:
    """The code objects of a compressed bundle, and where it ends."""
    version, method = struct.unpack("<HH", payload[at + 4 : at + 8].ljust(4, b"\0"))
    header = _HEADERS.get(version)
    if header is None or method not in (_ZLIB, _ZSTD) or at + 8 + header.size > end:
        raise damaged(f"the compressed bundle at {at:#x} has version {version} and method {method}")
    *sizes, _ = header.unpack_from(payload, at + 8)
    whole, size = (end - at, *sizes) if version == 1 else sizes
    if not 8 + header.size <= whole <= end - at or size >> _LARGEST_LOG:
        raise damaged(f"the compressed bundle at {at:#x} has {whole} bytes, and {size} unpacked")
    machine, its_error = _decompressor(method, at)
    try:
        bundle = machine.decompress(payload[at + 8 + header.size : at + whole], size + 1)
    except its_error as error:
        raise damaged(f"the compressed bundle at {at:#x}: {error}") from error
    if len(bundle) != size or not machine.eof or not bundle.startswith(_PLAIN):
        raise damaged(f"the compressed bundle at {at:#x} is not one of {size} bytes")
    objects, _ = _plain(bundle, 0, len(bundle))
    return [Bundled(one.target, one.payload, at) for one in objects], at + whole - len(machine.unused_data)


def _decompressor(method: int, at: int) -> tuple[Any, type[Exception]]:
    """What unpacks a method's data, and the error by which it refuses some."""
    if method == _ZLIB:
        return zlib.decompressobj(), zlib.error
    try:
        options: dict[int, int] = {zstd.DecompressionParameter.window_log_max: _LARGEST_LOG}
        return zstd.ZstdDecompressor(options=options), zstd.ZstdError
    except ImportError:
        raise CodeObjectError(
            f"the bundle at {at:#x} is compressed with zstd, which this Python has not: pip install backports.zstd"
        ) from None
