"""Index grids: the numbers that are shown are the library's, at every size."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from layoutalg.draw import DrawError, LaneAccess, cells, grid, in_order, operand
from layoutalg.draw.fields import Field, FieldInputs, descriptor_field, distribution_field
from layoutalg.draw.grid import equal_runs, flat
from layoutalg.index import symbol
from layoutalg.layout import (
    Merge,
    Pad,
    PassThrough,
    TileDistribution,
    TileDistributionEncoding,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    transform_tensor_descriptor,
)
from layoutalg.target import target

SVG = "{http://www.w3.org/2000/svg}"


def numbers(picture) -> list[str]:
    """The texts inside of cells."""
    root = ET.fromstring(str(picture))
    return [node.text or "" for node in root.iter(f"{SVG}text") if "on-" in node.get("class", "")]


def test_eight_by_eight_shows_every_offset():
    tile = make_naive_tensor_descriptor((8, 8), (12, 1))
    assert numbers(grid(tile)) == [str(12 * i + j) for i in range(8) for j in range(8)]


def test_padding_is_hatched_and_has_no_number(texts):
    packed = make_naive_tensor_descriptor_packed((3, 3))
    tile = transform_tensor_descriptor(packed, [Pad(3, 1, 1), PassThrough(3)], [[0], [1]], [[0], [1]])
    picture = grid(tile)
    assert numbers(picture) == [str(n) for n in range(9)]
    assert "Hatched: padding, no data" in texts(picture)


@pytest.mark.parametrize("name", ["gfx942", "gfx950", "sm_90"])
@pytest.mark.parametrize(("dtype", "size"), [("f16", 2), ("f32", 4)])
def test_bank_is_the_dword_modulo_the_banks_of_the_instruction(name, dtype, size):
    tile = make_naive_tensor_descriptor((16, 64), (72, 1))
    how = next(iter(target(name).instructions.values()))
    found = descriptor_field(FieldInputs(tile, dtype, name, how.name), "bank").values
    offset = 72 * np.arange(16)[:, None] + np.arange(64)
    assert (found == offset * size // 4 % how.banks).all()


def test_the_lane_of_an_element_is_the_one_that_reads_it(plain):
    access = LaneAccess.of(plain, operand(32, 8))
    found = descriptor_field(FieldInputs(plain, access=access), "lane")
    for lane in range(64):
        row, column = lane % 32, 8 * (lane // 32)
        assert (found.values[row, column : column + 8] == lane).all()
    assert int(found.known.sum()) == 64 * 8


def test_lanes_that_share_an_element_are_counted(plain):
    access = LaneAccess.of(plain, lambda lane, tile: (lane % 4, 0))
    found = descriptor_field(FieldInputs(plain, access=access), "lane")
    assert found.values[:4, 0].tolist() == [0, 1, 2, 3]
    assert found.note.endswith("16 lanes an element")


def test_phase_and_register_follow_the_lane(plain):
    access = LaneAccess.of(plain, in_order(8))
    phase, register = (descriptor_field(FieldInputs(plain, access=access), by) for by in ("phase", "register"))
    assert phase.values[2, 32] == access.instruction.phase_of[20] == 0
    assert register.values[5, :8].tolist() == list(range(8))


@pytest.fixture
def tile():
    return TileDistribution(TileDistributionEncoding((), ((4, 2), (8, 2)), ((1, 2),), ((0, 0),), (1, 2), (1, 1)))


@pytest.mark.parametrize("by", ["lane", "register"])
def test_a_distributions_grid_is_its_map_upside_down(tile, by):
    found = distribution_field(tile, by)
    for lane in range(32):
        for n, (a, b) in enumerate([(0, 0), (0, 1), (1, 0), (1, 1)]):
            x = tuple(int(i) for i in tile.lower((lane,), (a, b)))
            assert found.values[x] == (lane if by == "lane" else n)
    assert found.known.all()


def test_copies_of_an_element_are_counted():
    copies = TileDistribution(TileDistributionEncoding((2,), ((4,),), ((0, 1),), ((0, 0),), (), ()))
    found = distribution_field(copies, "lane")
    assert found.values.tolist() == [0, 1, 2, 3]
    assert found.note.startswith("2 copies")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d, t: grid(d, "wave"), "one of offset, dword, bank"),
        (lambda d, t: grid(d, "lane"), "needs an access"),
        (lambda d, t: grid(t, "bank"), "one of lane, wave, register"),
        (lambda d, t: grid(t, "wave"), "one P, the lane"),
        (lambda d, t: grid(make_naive_tensor_descriptor((4096, 4096), (4096, 1))), "at most 1048576"),
    ],
)
def test_what_cannot_be_coloured_is_refused(plain, tile, call, message):
    with pytest.raises(DrawError, match=message):
        call(plain, tile)


def test_a_large_tile_is_drawn_whole_beside_a_lens(texts):
    picture = grid(make_naive_tensor_descriptor((256, 128), (136, 1)))
    assert numbers(picture) == [str(136 * i + j) for i in range(8) for j in range(8)]
    assert "the outlined 8 × 8 corner" in texts(picture)
    assert picture.height < 1300
    assert picture.width < 1300
    assert len(str(picture)) < 200_000


def test_sizes_are_fixed_by_at():
    m = symbol("M", max=64)
    tile = make_naive_tensor_descriptor((m, 4), (4, 1))
    assert numbers(grid(tile, at={m: 2})) == [str(n) for n in range(8)]


def test_a_run_of_equal_numbers_is_one_label_in_small_cells():
    field = Field("bank", np.repeat(np.arange(32), 2)[None, :].repeat(64, axis=0), np.ones((64, 64), bool), 32)
    assert numbers(cells(field))[:4] == ["0", "1", "2", "3"]
    assert len(numbers(cells(field))) == 64 * 32


def test_runs_stop_at_unknown_cells():
    assert equal_runs(np.array([1, 1, 1]), np.array([True, False, True])) == [(0, 1), (2, 3)]


def test_three_dimensions_are_laid_out_row_major():
    tile = transform_tensor_descriptor(
        make_naive_tensor_descriptor_packed((4, 3, 5)), [Merge((4, 3)), PassThrough(5)], [[0, 1], [2]], [[0], [1]]
    )
    cube = make_naive_tensor_descriptor_packed((4, 3, 5))
    found = [flat(descriptor_field(FieldInputs(d), "offset"), rows) for d, rows in ((tile, 1), (cube, 2))]
    assert (found[0].values == found[1].values).all()
