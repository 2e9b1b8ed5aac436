"""Tile distributions: the documentation's examples, every obligation with its message, the inverse, and copies."""

import numpy as np
import pytest

from layoutalg.draw.holders import holders
from layoutalg.formats.ck_write import to_ck
from layoutalg.index import prod, symbol
from layoutalg.index.evaluate import grids
from layoutalg.interop.cute import thread_value
from layoutalg.layout import (
    LayoutError,
    NoInverseError,
    SwizzledDistribution,
    Xor,
    make_single_stage_tensor_adaptor,
)
from layoutalg.layout.distributed_tensor import coordinates
from layoutalg.layout.distribution import TileDistribution, TileDistributionEncoding
from layoutalg.layout.encodings import make_embed_tile_distribution_encoding, make_reduce_tile_distribution_encoding

encoding = TileDistributionEncoding.of
GUIDE = encoding(
    [], [[4, 2, 8, 4], [4, 2, 8, 4]], [[(1, 1), (2, 1)], [(1, 2), (2, 2)]], [(1, 0), (1, 3), (2, 0), (2, 3)]
)


def ints(index) -> tuple[int, ...]:
    """An index of constants as integers."""
    return tuple(map(int, index))


def reached(tile: TileDistribution) -> np.ndarray:
    """The row-major number of the element that each (P…, Y…) holds."""
    xs = grids(tile.adaptor.lower(tile.adaptor.index), tile.adaptor.index)
    return np.ravel_multi_index(xs, [int(n) for n in tile.lengths])


def test_256_by_256_with_256_elements_a_lane_is_a_bijection():
    tile = TileDistribution(GUIDE)
    assert ints(tile.lengths) == (256, 256)
    assert (ints(tile.ps), ints(tile.ys), int(tile.registers)) == ((4, 64), (4, 4, 4, 4), 256)
    assert ints(tile.lower((1, 10), (2, 3, 1, 0))) == (135, 104)
    assert tuple(map(ints, tile.upper((135, 104)))) == ((1, 10), (2, 3, 1, 0))
    assert np.array_equal(np.sort(reached(tile).ravel()), np.arange(256 * 256))


def test_hidden_ids_are_those_of_ck_tile():
    adaptor = TileDistribution(GUIDE).adaptor
    assert adaptor.bottom_ids == (0, 1)
    assert adaptor.upper_ids == ((), (2, 3, 4, 5), (6, 7, 8, 9), (10,), (11,))
    assert adaptor.lower_ids == ((), (0,), (1,), (3, 7), (4, 8))
    assert adaptor.top_ids == (10, 11, 2, 5, 6, 9)
    assert ints(adaptor.bottom_lengths) == (256, 256)


def test_a_lane_beyond_the_encoding_leaves_the_tile():
    tile = TileDistribution(encoding([], [[2, 2], [2, 2]], [[(1, 0), (2, 0)]], [(1, 1), (2, 1)]))
    with pytest.raises(LayoutError, match="P0 has length 4, but the lanes of a wave are 64: others would leave"):
        tile.require_lanes(64)
    assert not tile.valid((63,))
    assert ints(tile.lower((63,), (0, 0))) == (62, 2)
    assert tile.valid((3,))


def test_the_documentations_4_by_4_tile_leaves_itself():
    tile = TileDistribution(encoding([], [[2, 2], [2, 2]], [[(2, 0)]], [(1, 0), (1, 1), (2, 1)]))
    assert [int(tile.lower((63,), (0, 0, y))[1]) for y in (0, 1)] == [126, 127]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (([], [[4, 2]], [[(1, 1)]], [(1, 1)]), r"factor \(1, 1\) is owned by both P0 and Y0"),
        (([], [[4, 2]], [[(1, 0), (1, 0)]], [(1, 1)]), r"factor \(1, 0\) is owned by both P0 and P0"),
        (([], [[4, 2]], [[(1, 1)]], []), r"factor \(1, 0\) of length 4 is owned by no P and no Y"),
        (([2], [[4, 2]], [[(1, 1)]], [(1, 0)]), r"factor \(0, 0\) of length 2 is owned by no P"),
        (([], [[4, 2]], [[(2, 1)]], [(1, 0)]), r"P0: major 2 does not exist; 0 is R, 1…1 are the Hs"),
        (([], [[4, 2]], [[(1, 2)]], [(1, 0)]), r"P0: minor 2 of Hs\[0\] does not exist; it has 2"),
        (([2], [[4, 2]], [[(0, 1)]], [(1, 0)]), r"P0: minor 1 of Rs does not exist; it has 1"),
        (([], [[4, 2]], [[(1, 1)]], [(1, -1)]), r"Y0: minor -1 of Hs\[0\] does not exist"),
        (([2], [[4, 2]], [[(1, 0), (1, 1)]], [(0, 0)]), r"Y0 is on major 0 \(R\)"),
        (([], [[4, 0]], [[(1, 0)]], [(1, 1)]), r"Hs\[0\]: length 1 is 0; a length is at least 1"),
        (([-1], [[4]], [[(1, 0)]], []), r"Rs: length 0 is -1"),
        (([], [[1 << 31, 1 << 31]], [[(1, 0)]], [(1, 1)]), r"2\^62 elements or more are refused"),
    ],
)
def test_every_obligation_has_its_own_message(given, message):
    with pytest.raises(LayoutError, match=message):
        encoding(*given)


def test_majors_and_minors_come_in_pairs():
    with pytest.raises(LayoutError, match="P0: 2 majors but 1 minors"):
        TileDistributionEncoding([], [[4]], [[1, 1]], [[0]], [], [])
    with pytest.raises(LayoutError, match="1 P lists of majors but 0 of minors"):
        TileDistributionEncoding([], [[4]], [[1]], [], [], [])
    with pytest.raises(LayoutError, match="Ys: 1 majors but 0 minors"):
        TileDistributionEncoding([], [[4]], [], [], [1], [])


def test_lanes_warps_and_window_must_agree():
    tile = TileDistribution(GUIDE)
    tile.require_lanes(64, warps=4)
    tile.require_window((256, 256))
    with pytest.raises(LayoutError, match="P0 has length 4, but the warps of the block are 8"):
        tile.require_lanes(64, warps=8)
    with pytest.raises(LayoutError, match=r"window dimension 1 has length 128, but Hs\[1\] multiplies to 256"):
        tile.require_window((256, 128))
    with pytest.raises(LayoutError, match="a window of 1 dimensions for a tile of 2"):
        tile.require_window((256,))
    one = TileDistribution(encoding([], [[64, 4]], [[(1, 0)]], [(1, 1)]))
    one.require_lanes(64)
    with pytest.raises(LayoutError, match="P has no warp dimension, but the block has 2 warps"):
        one.require_lanes(64, warps=2)


def test_copies_reach_the_same_element_and_have_no_inverse():
    tile = TileDistribution(encoding([2], [[4, 3]], [[(0, 0), (1, 0)]], [(1, 1)]))
    counts = np.bincount(reached(tile).ravel())
    assert counts.tolist() == [2] * 12
    with pytest.raises(NoInverseError, match="replicate"):
        tile.upper((5,))


def test_r_of_length_1_without_owner_is_no_copy():
    tile = TileDistribution(encoding([1], [[2, 4, 16], [4, 8]], [[(1, 1), (1, 2)], [(2, 0)]], [(1, 0), (2, 1)]))
    for x in [(0, 0), (77, 19), (127, 31)]:
        assert ints(tile.lower(*tile.upper(x))) == x


def test_gemm_v1_global_memory_distribution_for_all_sizes():
    m0, k1 = symbol("M0", max=16), symbol("K1", max=16)
    tile = TileDistribution(encoding([1], [[m0, 4, 16], [4, k1]], [[(1, 1)], [(1, 2), (2, 0)]], [(1, 0), (2, 1)]))
    tile.require_lanes(64, warps=4)
    tile.require_window((m0 * 64, k1 * 4))
    assert tile.registers is prod((m0, k1))


def test_a_tile_within_a_tile_and_a_reduced_one():
    warps = encoding([], [[2, 2], [2]], [[(1, 0), (2, 0)]], [(1, 1)])
    lanes = encoding([], [[16], [4, 8]], [[(1, 0), (2, 0)]], [(2, 1)])
    both = make_embed_tile_distribution_encoding(warps, lanes)
    assert both == encoding([], [[2, 2, 16], [2, 4, 8]], [[(1, 0), (2, 0)], [(1, 2), (2, 1)]], [(1, 1), (2, 2)])
    tile = TileDistribution(both)
    tile.require_lanes(64, warps=4)
    assert [ints(span) for span in tile.spans] == [(2,), (8,)]
    assert np.array_equal(np.sort(reached(tile).ravel()), np.arange(64 * 64))
    rows = TileDistribution(make_reduce_tile_distribution_encoding(both, [1]))
    assert ints(rows.encoding.rs) == (2, 4)
    rows.require_lanes(64, warps=4)
    rows.require_window((64,))
    assert np.bincount(reached(rows).ravel()).tolist() == [8] * 64
    for p in [(0, 0), (3, 63), (2, 17)]:
        of_rows, of_tile = ({*coordinates(one)[0][p].ravel().tolist()} for one in (rows, tile))
        assert of_rows == of_tile
    with pytest.raises(LayoutError, match="tile dimension 2 does not exist"):
        make_reduce_tile_distribution_encoding(both, [2])
    with pytest.raises(LayoutError, match="an outer tile of 1 dimensions around an inner one of 2"):
        make_embed_tile_distribution_encoding(encoding([], [[2]], [[(1, 0)]], []), lanes)


def test_encodings_are_values():
    again = encoding(
        [], [[4, 2, 8, 4], [4, 2, 8, 4]], [[(1, 1), (2, 1)], [(1, 2), (2, 2)]], [(1, 0), (1, 3), (2, 0), (2, 3)]
    )
    assert again == GUIDE
    assert hash(TileDistribution(again)) == hash(TileDistribution(GUIDE))


@pytest.mark.parametrize("written", [thread_value, to_ck, holders])
def test_a_tile_in_another_order_is_not_written_as_its_encoding(written):
    plain = TileDistribution(encoding([], [[4], [8]], [[(1, 0), (2, 0)]], []))
    order = make_single_stage_tensor_adaptor([Xor((4, 8))], [[0, 1]], [[0, 1]])
    swizzled = SwizzledDistribution(plain.encoding, order)
    assert not np.array_equal(reached(swizzled), reached(plain))
    assert written(plain)
    with pytest.raises(LayoutError, match="in another order"):
        written(swizzled)
