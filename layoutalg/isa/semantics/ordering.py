"""What makes the accesses of one wave seen by waves of other blocks: caches between them, written back and invalidated.

By LLVM's AMDGPUUsage ("Memory Model" of each generation) and its SIMemoryLegalizer, at the scope of an agent:

| targets | a release waits, and | an acquire invalidates |
|---|---|---|
| gfx906, gfx908, gfx90a | | the first cache: `buffer_wbinvl1_vol` |
| gfx942, gfx950 | writes back the second, of several: `buffer_wbl2 sc1` | the first and the second: `buffer_inv sc1` |
| gfx10, gfx11 | | both before the second: `buffer_gl0_inv`, `buffer_gl1_inv` |
| gfx12 | | those up to the device's: `global_inv scope:SCOPE_DEV` |
| gfx1250 | writes back the second: `global_wb scope:SCOPE_DEV` (TensileLite's `HasInvWbDevFences`, too) | as gfx12 |

Atomic operations are carried out behind all of these caches.
What is written back is all that the second cache has, whoever stored it; a wait is for the own wave's accesses alone
(llvm-project #161638 says so of RDNA; CDNA's "Memory Model" has a queue to each channel of the second cache).
What it cannot represent: memory that the host or another device accesses meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping

#: The architectures whose instructions name their scope (LLVM, SIMemoryLegalizer, SIGfx12CacheControl), and the least
#: scope that is all blocks of a device (RDNA 4 ISA, "Memory Scopes").
SCOPED, DEVICE = frozenset({"rdna4", "cdna5"}), 2

#: Architecture → the caches that an acquire invalidates, each by what stands for it here.
CACHES: Mapping[str, tuple[str, ...]] = {
    "cdna": ("near",),
    "cdna1": ("near",),
    "rdna2": ("gl0", "gl1"),
    "rdna3": ("gl0", "gl1"),
    "rdna4": ("near",),
    "cdna5": ("near",),
}

_INVALIDATES: Mapping[str, str] = {
    "BUFFER_WBINVL1_VOL": "near", "BUFFER_INV": "near", "GLOBAL_INV": "near",
    "BUFFER_GL0_INV": "gl0", "BUFFER_GL1_INV": "gl1",
}  # fmt: skip

#: All that writes such a cache back, or invalidates it, where its fields say so.
CONTROLS_CACHES = frozenset({*_INVALIDATES, "BUFFER_WBL2", "GLOBAL_WB"})


def goes_through(fields: Mapping[str, int]) -> bool:
    """Whether a store itself goes past such a cache: an atomic one, at the scope of an agent or more.

    >>> goes_through({"sc1": 1}), goes_through({"sc0": 1})
    (True, False)
    """
    return bool(fields.get("sc1")) or fields.get("scope", 0) >= DEVICE


def reaches_device(fields: Mapping[str, int], architecture: str, keeps_stores: bool, store: bool) -> bool:
    """Whether a load or a store of a word is carried out where all blocks of the device meet.

    LLVM's AMDGPUUsage, "Memory Model": what a monotonic atomic load or store at the scope of an agent is made of.
    Where no cache before that keeps stores, every store is.

    >>> reaches_device({"sc1": 1}, "cdna", True, True), reaches_device({"sc0": 1}, "cdna", True, False)
    (True, False)
    >>> reaches_device({"glc": 1}, "rdna2", False, False), reaches_device({"glc": 1, "dlc": 1}, "rdna2", False, False)
    (False, True)
    >>> reaches_device({"glc": 1}, "rdna3", False, False), reaches_device({"scope": 1}, "rdna4", False, True)
    (True, False)
    """
    if architecture in SCOPED:
        return fields.get("scope", 0) >= DEVICE
    if keeps_stores:
        return bool(fields.get("sc1"))
    if architecture == "rdna2":
        return store or bool(fields.get("glc") and fields.get("dlc"))  # each is past one of both caches
    return store or bool(fields.get("glc") or fields.get("sc0"))  # gfx90a has its GLC under the later name


def renews(name: str, fields: Mapping[str, int]) -> str | None:
    """The cache of `CACHES` that an instruction invalidates for the whole device; None where it does not.

    >>> renews("BUFFER_INV", {"sc1": 1}), renews("BUFFER_INV", {"sc0": 1}), renews("GLOBAL_INV", {"scope": 1})
    ('near', None, None)
    """
    if name == "BUFFER_INV" and not fields.get("sc1"):
        return None
    if name == "GLOBAL_INV" and fields.get("scope", 0) < DEVICE:
        return None
    return _INVALIDATES.get(name)


def writes_back(name: str, fields: Mapping[str, int]) -> bool:
    """Whether an instruction writes back what a cache keeps from other blocks of the device.

    >>> writes_back("BUFFER_WBL2", {"sc1": 1}), writes_back("BUFFER_WBL2", {"sc0": 1})
    (True, False)
    """
    if name == "GLOBAL_WB":
        return fields.get("scope", 0) >= DEVICE
    return name == "BUFFER_WBL2" and bool(fields.get("sc1"))
