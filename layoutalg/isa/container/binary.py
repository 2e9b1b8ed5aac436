"""A kernel to be run or proved: its code, what the machine sets up for it, and its arguments.

The container says where code, descriptor and metadata are (`loader`), the descriptor what the machine does
(`descriptor`), the metadata what the runtime does (`metadata`). Where both size a thing they must agree: the runtime
allocates by the one, the packet processor sets up by the other.

A kernel with preloaded arguments has two entries: current firmware fills their registers in and enters 256 bytes on,
older firmware enters at the first instruction, from where the kernel loads them itself (`preloading`).
What it cannot represent: several code objects linked together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from layoutalg.errors import CodeObjectError
from layoutalg.isa.architecture import ARCHITECTURES, Architecture
from layoutalg.isa.container.descriptor import PRELOADED, Descriptor, code_format, read_descriptor
from layoutalg.isa.container.elf import Segment
from layoutalg.isa.container.loader import Container, LoadedKernel
from layoutalg.isa.container.metadata import KernelMetadata
from layoutalg.records import dataclass
from layoutalg.target import CodeFormat

#: How far on firmware that preloads arguments enters (AMDGPUUsage, "Preloaded Kernel Arguments").
_PRELOADED_ENTRY = 256

#: What the descriptor and the metadata both say: the fields of this name.  A descriptor that says 0 bytes of arguments
#: leaves them to the metadata (AMDGPUUsage, "Kernel Descriptor", KERNARG_SIZE).
_SAID_TWICE: Mapping[str, str] = {
    "lds_bytes": "bytes of LDS", "scratch_bytes": "bytes of scratch", "kernarg_bytes": "bytes of arguments",
    "wave_size": "lanes in a wave", "dynamic_stack": "as its stack's growth",
}  # fmt: skip


@dataclass(frozen=True)
class KernelBinary(Descriptor):
    """One kernel of a code object: what its descriptor and its metadata say, and its code."""

    metadata: KernelMetadata
    target: str
    code: bytes
    entry: int  # address of the first instruction in the image
    image: tuple[Segment, ...]  # what is loaded
    sized: bool = True  # whether the file says how long the code is; if not, `code` is all that may belong to it
    unprinted: tuple[int, ...] = ()  # addresses at which calls of printf were left out
    preloading: bool = True  # the firmware fills in what is to be preloaded, as current firmware does

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self.metadata.name

    @cached_property
    def machine(self) -> CodeFormat:
        """How the target's machine code is read."""
        return code_format(self.target)

    @cached_property
    def architecture(self) -> Architecture:
        """The instruction set."""
        return ARCHITECTURES[self.machine.decoder]

    @property
    def preloaded(self) -> int:
        """The dwords of the arguments that the firmware fills in."""
        return dict(self.user_sgprs).get(PRELOADED, 0) if self.preloading else 0

    @property
    def start(self) -> int:
        """The address at which a wave begins."""
        return self.entry + _PRELOADED_ENTRY if self.preloaded else self.entry

    @property
    def argument_segment(self) -> int:
        """Bytes of the arguments' segment: it is aligned to 16, and loads may be widened to what is addressable so."""
        return -(-self.kernarg_bytes // 16) * 16


class Kernels(Mapping[str, KernelBinary]):
    """The kernels of a code object by name; of those that are not modelled, in `refused`, the reason is raised."""

    def __init__(self, read: Mapping[str, KernelBinary], refused: Mapping[str, CodeObjectError]) -> None:
        self._read, self.refused = read, refused

    def __getitem__(self, name: str) -> KernelBinary:
        if name in self.refused:
            raise self.refused[name]
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        return name in self._read

    def __iter__(self) -> Iterator[str]:
        return iter(self._read)

    def __len__(self) -> int:
        return len(self._read)


def read_kernels(payload: bytes) -> Kernels:
    """The kernels of an AMD code object, by name.

    Raises `CodeObjectError` when the bytes are damaged or use what is not supported (named in the message).  One kernel
    whose descriptor asks for what is not modelled stands in `Kernels.refused`, and the others are read.

    >>> read_kernels(b"GIF89a")
    Traceback (most recent call last):
    layoutalg.errors.CodeObjectError: not a 64-bit little-endian ELF file: copy it again, or compile its source
    """
    container = Container.read(payload)
    code_format(container.target)
    read: dict[str, KernelBinary] = {}
    refused: dict[str, CodeObjectError] = {}
    for name, loaded in container.kernels.items():
        try:
            read[name] = _binary(container, loaded)
        except CodeObjectError as error:
            refused[name] = error
    return Kernels(read, refused)


def _binary(container: Container, loaded: LoadedKernel) -> KernelBinary:
    metadata = loaded.metadata
    descriptor = read_descriptor(loaded.descriptor, container.target, metadata.name)
    if not descriptor.kernarg_bytes:
        descriptor = replace(descriptor, kernarg_bytes=metadata.kernarg_bytes)
    for field, what in _SAID_TWICE.items():
        one, other = getattr(descriptor, field), getattr(metadata, field)
        if one != other:
            raise CodeObjectError(f"{metadata.name}: its descriptor asks for {one} {what}, its metadata for {other}")
    if len(metadata.required_block) not in (0, 3):
        raise CodeObjectError(f"{metadata.name} has blocks of {metadata.required_block}, which are no three sizes")
    kernel = KernelBinary(
        **vars(descriptor), metadata=metadata, target=container.target, code=loaded.code, entry=loaded.entry,
        image=container.segments, sized=loaded.sized, unprinted=container.unprinted_by(loaded),
    )  # fmt: skip
    _refuse_preload(kernel)
    return kernel


def _refuse_preload(kernel: KernelBinary) -> None:
    """There are arguments to preload, and code where the firmware enters then."""
    last = kernel.preload_offset + kernel.preloaded
    if kernel.preloaded and (4 * last > kernel.argument_segment or len(kernel.code) <= _PRELOADED_ENTRY):
        raise CodeObjectError(
            f"{kernel.name}: its descriptor asks for dwords {kernel.preload_offset} to {last - 1} of the arguments to "
            f"be preloaded, with {kernel.kernarg_bytes} bytes of arguments and {len(kernel.code)} bytes of code"
        )
