"""An operand that is not there goes through the same code, and no store reaches it."""

import numpy as np
import pytest

from layoutalg.layout import LayoutError, TileDistribution, TileDistributionEncoding
from layoutalg.layout.distributed_tensor import from_tile, tile_elementwise
from layoutalg.layout.null_tensor import NullTensor, NullTensorView, NullTileWindow
from layoutalg.layout.tile_window import load_tile, make_tile_window, move_tile_window, store_tile, update_tile

LANES = TileDistribution(TileDistributionEncoding.of((), ((4, 2),), [[(1, 0)]], [(1, 1)]))


def test_nothing_is_loaded_moved_and_computed() -> None:
    window = make_tile_window(NullTensorView(), (8,), (40,), LANES)
    assert window == NullTileWindow((8,))
    assert move_tile_window(window, (3,)).origin == (0,)
    bias = load_tile(window)
    assert bias == NullTensor()
    held = from_tile(LANES, np.arange(8))
    assert tile_elementwise(np.add, held, bias) == NullTensor()


@pytest.mark.parametrize("store", [store_tile, update_tile])
def test_nothing_can_be_stored_to(store) -> None:
    with pytest.raises(LayoutError, match="CK Tile has none"):
        store(make_tile_window(NullTensorView(), (8,), (0,)), from_tile(LANES, np.arange(8)))
