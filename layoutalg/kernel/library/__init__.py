"""The library of kernels: builders of programs, from sizes and element types, and an entry for each kernel.

>>> list(kernels())[:3]
['transpose', 'batched_transpose', 'permute']
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from layoutalg.kernel.library.entry import Kernel

MODULES = ("transpose", "permute", "views", "im2col", "contraction", "convolution", "reduce")
"""The modules that have entries (`KERNELS`), in the order of the commands."""


@cache
def kernels() -> Mapping[str, Kernel]:
    """Every kernel, by its name on the command line."""
    modules = (import_module(f"{__name__}.{name}") for name in MODULES)
    return {kernel.name: kernel for module in modules for kernel in module.KERNELS}
