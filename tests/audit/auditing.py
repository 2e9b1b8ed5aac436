"""Kernels from source to audit, and what was found of a claim."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping

from layoutalg.audit.audit import Audit, audit
from layoutalg.device.compile import compile_source
from layoutalg.formats.spec import loads
from layoutalg.isa.container.binary import KernelBinary, read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel

#: From the best to the worst.
VERDICTS = ("proved", "unknown", "refuted")

HIP = "#include <hip/hip_runtime.h>\n"


class Kernels(Mapping[str, MachineCode]):
    """Kernels by their names, each decoded when it is first asked for: a source may have dozens, a test wants one."""

    def __init__(self, binaries: Mapping[str, KernelBinary]) -> None:
        self._binaries, self._decoded = binaries, dict[str, MachineCode]()

    def __getitem__(self, name: str) -> MachineCode:
        if name not in self._decoded:
            self._decoded[name] = decode_kernel(self._binaries[name])
        return self._decoded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._binaries)

    def __len__(self) -> int:
        return len(self._binaries)


@functools.lru_cache(64)
def kernels(source: str, target: str = "gfx942", level: int = 3, flags: tuple[str, ...] = ()) -> Kernels:
    """All kernels of a source."""
    return Kernels(dict(read_kernels(compile_source(source, target, opt_level=level, flags=flags).payload)))


def kernel(source: str, target: str = "gfx942") -> MachineCode:
    """The only one of a source."""
    (found,) = kernels(source, target).values()
    return found


def audited(source: str, launch: str, target: str = "gfx942", seconds: float = 30) -> Audit:
    """The audit of a source's only kernel as a launch file says."""
    return audit(kernel(source, target), loads(launch), seconds)


def verdicts(found: Audit, claim: str) -> set[str]:
    """The names of a claim's verdicts, of all accesses or equations that it is made of."""
    return {verdict.name for name, _, verdict in found.claims if name == claim}


def failed(found: Audit) -> Mapping[str, str]:
    """The claims that are not proved, each with its worst verdict."""
    worst: dict[str, str] = {}
    for claim, _, verdict in found.claims:
        worst[claim] = max(worst.get(claim, "proved"), verdict.name, key=VERDICTS.index)
    return {claim: verdict for claim, verdict in worst.items() if verdict != "proved"}
