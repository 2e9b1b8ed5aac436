"""Bases that are not CK's: strided memory, and a layout's text in a neighbour's notation.

Of a descriptor:

| base      | is                                                                                                    |
|-----------|-------------------------------------------------------------------------------------------------------|
| `strided` | strides of any sign from `offset` on, in a memory of `storage` elements: a torch tensor, a numpy array |
| `cute`    | CuTe's `layout`: "((4,2),8):((2,1),16)", one dimension for each mode; sizes are the file's symbols     |
| `triton`  | Triton's shared `layout` on a tensor of `shape`: "#ttg.swizzled_shared<{vec = 8, …}>"                  |

    base = { kind = "strided", lengths = [8, 64], strides = [-64, 1], offset = 448, storage = 512 }
    base = { kind = "cute", layout = "Sw<3,3,3> o 0 o (64,64):(64,1)" }
    base = { kind = "triton", shape = [64, 64],
             layout = "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>" }

Of a distribution:

| base      | is                                                                                                    |
|-----------|-------------------------------------------------------------------------------------------------------|
| `cute`    | CuTe's thread-value `layout` on a tile of `shape`, in waves of `wave` threads                         |
| `triton`  | Triton's `layout` of registers on a tensor of `shape`: "#ttg.blocked<{…}>"                            |

    base = { kind = "cute", shape = [16, 8], wave = 32, layout = "((4,8),(2,2)):((32,1),(16,8))" }

Once read, each is a descriptor or distribution as any other: it is written again in CK's words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from layoutalg.errors import LayoutError
from layoutalg.index import Expr
from layoutalg.layout import TensorDescriptor, TileDistribution
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass

with lazy_imports():  # a check of CK's layouts starts without what others need
    from layoutalg.interop import cute, strided, triton

Given = Any
"""What stands at a key, read: expressions, a list of them, or a text."""


T = TypeVar("T")


@dataclass(frozen=True)
class Notation(Generic[T]):
    """A base: its keys, by what stands there, in the order in which `make` takes them after the file's symbols."""

    kind: str
    make: Callable[..., T]
    lists: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


def _strided(symbols: Mapping[str, Expr], *given: Given) -> TensorDescriptor:
    return strided.make_strided(*given)


def _cute(symbols: Mapping[str, Expr], text: str) -> TensorDescriptor:
    return cute.descriptor(cute.parse(text, symbols))


def _triton(symbols: Mapping[str, Expr], shape: Sequence[Expr], text: str) -> TensorDescriptor:
    made = _of_triton(shape, text)
    if isinstance(made, TensorDescriptor):
        return made
    raise LayoutError("a layout in registers, which no memory lies under; a base is a shared layout")


def _cute_lanes(symbols: Mapping[str, Expr], tile: Sequence[Expr], wave: Expr, text: str) -> TileDistribution:
    layout = cute.parse(text, symbols)
    if isinstance(layout, cute.Layout):
        return cute.distribution(layout, tile, wave)
    raise LayoutError(f"{text} is swizzled; who holds what is a layout of threads and values")


def _triton_lanes(symbols: Mapping[str, Expr], shape: Sequence[Expr], text: str) -> TileDistribution:
    made = _of_triton(shape, text)
    if isinstance(made, TileDistribution):
        return made
    raise LayoutError("a shared layout, which says of no thread what it holds; a distribution is a layout in registers")


def _of_triton(shape: Sequence[Expr], text: str) -> TensorDescriptor | TileDistribution:
    if any(n.op != "const" for n in shape):
        raise LayoutError(f"a shape of {shape}: Triton's layouts are of numbers")
    return triton.from_triton(text, [int(n) for n in shape])


NOTATIONS: Mapping[str, Notation[TensorDescriptor]] = {
    one.kind: one
    for one in (
        Notation("strided", _strided, ("lengths", "strides"), ("offset", "storage")),
        Notation("cute", _cute, texts=("layout",)),
        Notation("triton", _triton, ("shape",), texts=("layout",)),
    )
}

LANES: Mapping[str, Notation[TileDistribution]] = {
    one.kind: one
    for one in (
        Notation("cute", _cute_lanes, ("shape",), ("wave",), texts=("layout",)),
        Notation("triton", _triton_lanes, ("shape",), texts=("layout",)),
    )
}
