"""Bases of a descriptor that are not CK's: strided memory, and a layout's text in a neighbour's notation.

| base      | is                                                                                                    |
|-----------|-------------------------------------------------------------------------------------------------------|
| `strided` | strides of any sign from `offset` on, in a memory of `storage` elements: a torch tensor, a numpy array |
| `cute`    | CuTe's `layout`: "((4,2),8):((2,1),16)", one dimension for each mode; sizes are the file's symbols     |
| `triton`  | Triton's shared `layout` on a tensor of `shape`: "#ttg.swizzled_shared<{vec = 8, …}>"                  |

    base = { kind = "strided", lengths = [8, 64], strides = [-64, 1], offset = 448, storage = 512 }
    base = { kind = "cute", layout = "Sw<3,3,3> o 0 o (64,64):(64,1)" }
    base = { kind = "triton", shape = [64, 64],
             layout = "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>" }

Once read, each is a descriptor as any other: it is written again in CK's bases and steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from layoutalg.errors import LayoutError
from layoutalg.index import Expr
from layoutalg.layout import TensorDescriptor
from layoutalg.lazy import lazy

if TYPE_CHECKING:  # a check of CK's layouts starts without what others need
    from layoutalg.interop import cute, strided, triton
else:
    cute = lazy("layoutalg.interop.cute")
    strided = lazy("layoutalg.interop.strided")
    triton = lazy("layoutalg.interop.triton")

Given = Any
"""What stands at a key, read: expressions, a list of them, or a text."""


@dataclass(frozen=True)
class Notation:
    """A base: its keys, by what stands there, in the order in which `make` takes them after the file's symbols."""

    kind: str
    make: Callable[..., TensorDescriptor]
    lists: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


def _strided(symbols: Mapping[str, Expr], *given: Given) -> TensorDescriptor:
    return strided.make_strided(*given)


def _cute(symbols: Mapping[str, Expr], text: str) -> TensorDescriptor:
    return cute.descriptor(cute.parse(text, symbols))


def _triton(symbols: Mapping[str, Expr], shape: Sequence[Expr], text: str) -> TensorDescriptor:
    if any(n.op != "const" for n in shape):
        raise LayoutError(f"a shape of {shape}: Triton's layouts are of numbers")
    made = triton.from_triton(text, [int(n) for n in shape])
    if isinstance(made, TensorDescriptor):
        return made
    raise LayoutError("a layout in registers, which no memory lies under; a base is a shared layout")


NOTATIONS: Mapping[str, Notation] = {
    one.kind: one
    for one in (
        Notation("strided", _strided, ("lengths", "strides"), ("offset", "storage")),
        Notation("cute", _cute, texts=("layout",)),
        Notation("triton", _triton, ("shape",), texts=("layout",)),
    )
}
