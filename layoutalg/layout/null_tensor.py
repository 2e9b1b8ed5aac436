"""Nothing, where a tile is asked for: CK Tile's `null_tensor`, `null_tensor_view` and `null_tile_window`.

A kernel with an optional operand (a bias, an LSE) has one of these where the operand is left out, and the same code:

| operation                                      | with a null operand                    |
|------------------------------------------------|----------------------------------------|
| `make_tile_window(NullTensorView(), …)`        | a `NullTileWindow` of these lengths    |
| `move_tile_window`, a window's distribution    | the window as it is                    |
| `load_tile`                                    | `NullTensor`                           |
| `tile_elementwise(f, …)`                       | `NullTensor`, `f` is not called        |
| `store_tile`, `update_tile`                    | CK Tile has none: an error             |

Source: CK Tile's `core/tensor/null_tensor.hpp`, `null_tile_window.hpp`, `load_tile.hpp`, `tile_elementwise.hpp`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NullTensor:
    """What is loaded through a null window: no registers."""


@dataclass(frozen=True)
class NullTensorView:
    """The view of no memory."""


@dataclass(frozen=True)
class NullTileWindow:
    """A window on no memory: it has lengths, and its origin is 0 wherever it is moved."""

    lengths: tuple[int, ...]

    @property
    def origin(self) -> tuple[int, ...]:
        """Zeros."""
        return (0,) * len(self.lengths)
