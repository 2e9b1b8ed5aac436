"""Kernels from source to audit, and what was found of a claim."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from layoutalg.audit.audit import Audit, audit
from layoutalg.device.compile import compile_source
from layoutalg.formats.spec import loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel

#: From the best to the worst.
VERDICTS = ("proved", "unknown", "refuted")

HIP = "#include <hip/hip_runtime.h>\n"


@functools.lru_cache(64)
def kernels(source: str, target: str = "gfx942", level: int = 3, flags: tuple[str, ...] = ()) -> dict[str, MachineCode]:
    """All kernels of a source, by their names."""
    found = read_kernels(compile_source(source, target, opt_level=level, flags=flags).payload)
    return {name: decode_kernel(kernel) for name, kernel in found.items()}


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
