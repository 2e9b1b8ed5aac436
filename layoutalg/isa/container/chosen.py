"""One kernel of a file that holds code objects: by its name, as people write it, and the target."""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.errors import CodeObjectError
from layoutalg.formats.shape import nearest
from layoutalg.isa.container import names
from layoutalg.isa.container.binary import KernelBinary, Kernels, read_kernels
from layoutalg.isa.container.bundle import Bundled, code_objects

FEW = 20
"""Kernels that are named where there is none of a name."""


def chosen_kernel(file: bytes, name: str | None, target: str) -> tuple[bytes, KernelBinary]:
    """The kernel of that name (a symbol, or as C++ writes it), or the only one, and the code object that holds it.

    Raises `CodeObjectError` where there is none, or several.
    """
    kernels, unread = _code_objects(file, target)
    known = [*dict.fromkeys(one for _, found in kernels for one in (*found, *found.refused))]
    among = known if name is None else names.meant(name, known)
    if len(among) != 1:
        said = [names.spoken(one) for one in among or known]
        what = f"{name} is several kernels" if among and name else f"no kernel {name!r}" if name else "several kernels"
        ask = "; say which with --kernel, or in the launch file" if among else nearest(str(name), said).rstrip("?")
        left = f"; {len(unread)} of its code objects are not read: {unread[0]}" if unread else ""
        raise CodeObjectError(f"{what}{ask}; it has {_listed(said)}{left}")
    (symbol,) = among
    holding = [(held, found) for held, found in kernels if symbol in (*found, *found.refused)]
    if len({str(held.target) for held, _ in holding}) > 1:
        there = ", ".join(sorted({str(held.target) for held, _ in holding}))
        raise CodeObjectError(f"{names.spoken(symbol)} is there for {there}; say which with --target")
    held, found = holding[0]
    return held.payload, found[symbol]


def _code_objects(file: bytes, target: str) -> tuple[list[tuple[Bundled, Kernels]], list[CodeObjectError]]:
    """The code objects of a file, and why some are not read; CodeObjectError where none is."""
    read, unread = [], list[CodeObjectError]()
    for held in code_objects(file, target):
        try:
            read.append((held, read_kernels(held.payload)))
        except CodeObjectError as error:
            unread.append(error)
    if not read:
        raise unread[0]
    return read, unread


def _listed(said: Sequence[str]) -> str:
    few = ", ".join(said[:FEW]) or "none"
    return f"{few} and {len(said) - FEW} more" if len(said) > FEW else few
