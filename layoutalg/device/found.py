"""Which devices this machine has, and the one to use: a GPU if there is one, else the processor."""

from __future__ import annotations

from layoutalg.device.runtime import Device, Found
from layoutalg.errors import NoDeviceError
from layoutalg.lazy import lazy_imports

with lazy_imports():
    from layoutalg.device import amd, cpu, isa, nvidia

KINDS = {"amd": amd, "nvidia": nvidia, "cpu": cpu}
"""Kinds of device, the preferred one first, and who finds those of it."""


def devices() -> Found:
    """Looks for devices of each kind.

    >>> [device.target for device in devices().devices if device.kind == "cpu"]
    ['cpu']
    """
    results = [kind.find() for kind in KINDS.values()]
    return Found(
        tuple(device for result in results for device in result.devices),
        tuple(one for result in results for one in result.absent),
    )


def choose_device(kind: str = "auto") -> Device:
    """The first device of a kind; with `auto`, a GPU if there is one, else the CPU.

    Raises `NoDeviceError` with the reason why there is none.

    >>> choose_device("cpu").kind
    'cpu'
    """
    if kind.endswith("-isa"):
        return isa.find(kind)
    if kind not in ("auto", *KINDS):
        wanted = ", ".join(("auto", *KINDS))
        raise NoDeviceError(f"unknown device {kind!r}: give one of {wanted}, or an AMD target's machine: gfx942-isa")
    if kind == "auto":
        return devices().devices[0]
    result: Found = KINDS[kind].find()
    if not result.devices:
        raise NoDeviceError(f"no {kind} device: {'; '.join(absent.reason for absent in result.absent)}")
    return result.devices[0]
