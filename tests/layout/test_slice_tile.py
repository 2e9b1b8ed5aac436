"""Slices of tiles: every slice that is given holds the elements asked for, and every other one is refused."""

import itertools

import numpy as np
import pytest

from layoutalg.layout import LayoutError, TileDistribution, TileDistributionEncoding
from layoutalg.layout.distributed_tensor import from_tile, make_static_distributed_tensor
from layoutalg.layout.slice_tile import get_slice_tile, set_slice_tile, shuffle_tile, sliced_distribution
from layoutalg.layout.tensor_view import make_tensor_view
from layoutalg.layout.tile_window import make_tile_window

# CK Tile's own example: X0 = Y1 · P4 · P32, X1 = Y4 · P1 · Y4 · P2 · Y4.
CK = TileDistribution(
    TileDistributionEncoding.of(
        (), ((1, 4, 32), (4, 1, 4, 2, 4)), [[(1, 1), (2, 1)], [(1, 2), (2, 3)]], [(1, 0), (2, 0), (2, 2), (2, 4)]
    )
)
SMALL = {
    "a Y before the lanes": [(2, 4), (1, 1), (1, 0)],
    "a Y after them": [(4, 2), (1, 0), (1, 1)],
}


@pytest.mark.parametrize(("end", "ys"), [(32, (1, 1, 4, 4)), (8, (1, 1, 1, 4)), (16, (1, 1, 2, 4))])
def test_the_slices_of_ck_tiles_own_comment(end: int, ys: tuple[int, ...]) -> None:
    sliced, _ = sliced_distribution(CK, (0, 0), (-1, end))
    assert tuple(map(int, sliced.ys)) == ys
    tile = np.arange(128 * 128).reshape(128, 128)
    for n in range(128 // end):
        part = get_slice_tile(from_tile(CK, tile), (0, n * end), (-1, (n + 1) * end))
        assert np.array_equal(part.to_tile(), tile[:, n * end : (n + 1) * end])


def test_a_slice_through_what_lanes_share_is_refused() -> None:
    with pytest.raises(LayoutError, match="X1: the slice goes through what lanes share"):
        sliced_distribution(CK, (0, 0), (-1, 4))


@pytest.mark.parametrize(("h", "p", "y"), SMALL.values(), ids=SMALL)
def test_every_slice_is_right_or_refused(h: tuple[int, int], p: tuple[int, int], y: tuple[int, int]) -> None:
    distribution = TileDistribution(TileDistributionEncoding.of((), (h,), [[p]], [y]))
    held, given = from_tile(distribution, np.arange(8)), set()
    for begin, end in itertools.product(range(-2, 10), repeat=2):
        try:
            part = get_slice_tile(held, (begin,), (end,))
        except LayoutError:
            continue
        last = 8 if end == -1 else end
        assert part.to_tile().tolist() == list(range(begin, last))
        given.add((begin, last))
    assert given == ({(0, 4), (4, 8), (0, 8)} if p == (1, 1) else {(0, 8)})


def test_what_is_set_is_got() -> None:
    zeros = make_static_distributed_tensor(np.int64, CK)
    part = get_slice_tile(from_tile(CK, np.ones((128, 128), dtype=np.int64)), (0, 32), (-1, 64))
    tile = set_slice_tile(zeros, part, (0, 32), (-1, 64)).to_tile()
    assert (tile.sum(), tile[:, 32:64].sum()) == (128 * 32, 128 * 32)
    with pytest.raises(LayoutError, match="not that of the slice"):
        set_slice_tile(zeros, part, (0, 32), (-1, 48))


def test_a_slice_of_a_window_overrides_its_origin() -> None:
    view = make_tensor_view(np.arange(48).reshape(6, 8))
    window = make_tile_window(view, (4, 4), (2, 4))
    assert get_slice_tile(window, (1, 0), (3, 2)).load().tolist() == [[8, 9], [16, 17]]
    for begins, ends in (((0, 0), (-1, 4)), ((0, 0), (5, 4)), ((2, 0), (2, 4)), ((0,), (4,))):
        with pytest.raises(LayoutError):
            get_slice_tile(window, begins, ends)


def test_nothing_else_has_slices() -> None:
    with pytest.raises(LayoutError, match="a ndarray has no slices"):
        get_slice_tile(np.arange(4), (0,), (2,))


def test_a_shuffle_keeps_lanes_and_elements() -> None:
    ys = [(1, 0), (2, 0), (2, 2), (2, 4)]
    tile = np.arange(128 * 128).reshape(128, 128)
    held = from_tile(CK, tile)
    for order in itertools.permutations(ys):
        new = TileDistribution(TileDistributionEncoding.of((), CK.encoding.hs, CK.encoding.ps, order))
        shuffled = shuffle_tile(new, held)
        assert np.array_equal(shuffled.data, from_tile(new, tile).data)
        assert sorted(shuffled.thread_buffer((3, 9))) == sorted(held.thread_buffer((3, 9)))
    other = TileDistribution(
        TileDistributionEncoding.of((), ((1, 4, 32), (128,)), [[(1, 1)], [(1, 2)]], [(1, 0), (2, 0)])
    )
    with pytest.raises(LayoutError, match="and nothing else"):
        shuffle_tile(other, held)
