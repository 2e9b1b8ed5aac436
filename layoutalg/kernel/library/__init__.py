"""The library of kernels: builders of programs, from sizes and element types, and an entry for each kernel.

>>> list(kernels())[:3]
['transpose', 'batched_transpose', 'permute']
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from layoutalg.lazy import lazy_imports
from layoutalg.target import target
from layoutalg.target.known import library_targets

with lazy_imports():
    from layoutalg.kernel import program as statements
    from layoutalg.kernel.library import (
        attention_entry,
        block_scaled,
        contraction,
        convolution,
        entry,
        im2col,
        permute,
        reduce,
        transpose,
        views,
    )

MODULES = (transpose, permute, views, im2col, contraction, block_scaled, convolution, reduce, attention_entry)
"""The modules that have entries (`KERNELS`), in the order of the commands."""


@cache
def kernels() -> Mapping[str, entry.Kernel]:
    """Every kernel, by its name on the command line."""
    return {kernel.name: kernel for module in MODULES for kernel in module.KERNELS}


def tuned_targets() -> tuple[str, ...]:
    """The library's targets that have plans of their own.

    >>> tuned_targets()
    ('gfx90a', 'gfx942', 'gfx950', 'gfx1100', 'gfx1201', 'gfx1250', 'sm_90')
    """
    return tuple(name for name in library_targets() if target(name).tilings)


def folders() -> tuple[str, ...]:
    """The folders that the library's programs are written to, those for all targets first."""
    entries = kernels().values()
    return tuple(name for kind in ("golden", "golden_for") for entry in entries for name in getattr(entry, kind))


@cache
def folder(name: str) -> Mapping[str, statements.Program]:
    """The programs of one folder, by target; "" is the one for all.  KeyError where there is no such folder.

    >>> folder("gemm_f16").keys() == set(tuned_targets()), list(folder("cast")), list(folder("contraction_f8"))
    (True, [''], ['gfx942', 'gfx950', 'gfx1201', 'gfx1250'])
    """
    for entry in kernels().values():
        if name in entry.golden:
            return {"": entry.golden[name]()}
        if name in entry.golden_for:
            of = ((own, entry.golden_for[name](own)) for own in tuned_targets())
            return {own: program for own, program in of if program}
    raise KeyError(name)
