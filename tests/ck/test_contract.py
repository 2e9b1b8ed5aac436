"""A launch file from what a kernel says: it loads as it stands, each line by a view, a grid or a guess."""

from dataclasses import replace

import pytest

from layoutalg.ck.contract import contract
from layoutalg.ck.probe import KernelView, ProbedKernel, TiledLength
from layoutalg.formats import loads
from layoutalg.index import ONE, div, symbol, var
from layoutalg.interop.parameters import KernelParameter

NAMES = (
    "batch_size",
    "heads",
    "ratio",
    "seqlen",
    "hdim",
    "stride",
    "head_stride",
    "batch_stride",
    "m",
    "n",
    "x_stride",
)
BATCH, HEADS, RATIO, SEQLEN, HDIM, STRIDE, HEAD_STRIDE, BATCH_STRIDE, M, N, X_STRIDE = (
    symbol(name, max=1000) for name in NAMES
)
BLOCK = [var(f"block.{axis}", symbol(f"grid_{axis}", max=1000)) for axis in "xyz"]


def pointer(name: str, at: int, constant: bool = True) -> KernelParameter:
    return KernelParameter(name, 8, points=True, constant=constant, written="void*", at=at)


def number(name: str, at: int, dtype: str = "i32") -> KernelParameter:
    return KernelParameter(name, 4, dtype, written="index_t", at=at)


ROWS = ProbedKernel(
    "rows", "Kernel",
    (KernelParameter("k", 48, fields=(
        pointer("x", 0), pointer("lengths", 8), pointer("y", 16, constant=False), number("epsilon", 24, "f32"),
        number("m", 28), number("n", 32), number("x_stride", 36), number("mode", 40),
    )),),
    (KernelView("x", ONE * 0, "bf16", 2, 8, (M, N), (X_STRIDE, ONE)),
     KernelView("y", ONE * 0, "bf16", 2, 8, (M, N), (X_STRIDE, ONE))),
    (TiledLength(M, 1, False), TiledLength(N, 2048, True)), frozenset({"lengths"}), (M, ONE, ONE), (256, 1, 1), 16,
)  # fmt: skip


def test_rows_are_of_what_their_views_and_the_grid_say():
    text = contract(ROWS, 16, "own.hip")
    file = loads(text)
    launch = file.launch
    assert (launch.kernel, launch.guessed, launch.writes) == ("rows", True, ("y",))
    assert [str(one) for one in launch.grid] == ["m"]
    assert [str(n) for n in file.descriptor("x").descriptor.lengths] == ["m", "n"]
    assert file.descriptor("x").dtype == "bf16"
    assert "n = { min = 8, max = 16384, multiple_of = 8 }  # guess" in text  # the vector of a padded row
    assert '{ value = "n", bytes = 4 },  # x_stride: guess: packed' in text
    assert "{ value = 0, bytes = 8 },  # lengths: guess: null" in text
    assert '{ name = "mode", dtype = "i32" },  # any index_t' in text


def test_a_row_that_is_not_padded_is_of_whole_tiles():
    text = contract(replace(ROWS, tiled=(TiledLength(N, 48, False),)), 16, "own.hip")
    assert "n = { min = 48, max = 16368, multiple_of = 48 }" in text


def test_what_blocks_walk_along_are_outer_dimensions():
    offset = (BLOCK[2] * BATCH_STRIDE + div(BLOCK[0], RATIO) * HEAD_STRIDE) * 2
    view = KernelView("x", offset, "f16", 2, 8, (SEQLEN, HDIM), (STRIDE, ONE))
    names = ("seqlen", "hdim", "stride", "head_stride", "batch_stride", "ratio")
    fields = (pointer("x", 0), *(number(name, 8 + 4 * n) for n, name in enumerate(names)))
    grid = (HEADS, div(SEQLEN + 127, 128), BATCH)
    tiled = (TiledLength(HDIM, 128, False), TiledLength(SEQLEN, 128, False))
    kernel = ProbedKernel(
        "heads", "Kernel", (KernelParameter("k", 32, fields=fields),), (view,), tiled, frozenset(), grid, (), 0
    )
    text = contract(kernel, 0, "own.hip")
    file = loads(text)
    (item,) = file.descriptors
    assert [str(n) for n in item.descriptor.lengths] == ["batch_size", "(heads - 1) // ratio + 1", "seqlen", "hdim"]
    assert 'value = "hdim * seqlen", bytes = 4 },  # head_stride: guess: packed' in text
    assert "hdim = { min = 128, max = 128" in text  # whole tiles shrink first where memory would be too large
    assert "seqlen = { min = 1, max = 1024 }" in text  # and is no multiple of a tile: it is not contiguous
    assert "block = [256]  # guess" in text


def test_a_view_that_begins_elsewhere_is_left_to_a_person():
    elsewhere = replace(ROWS.views[1], offset=ONE * 4 + M)
    text = contract(replace(ROWS, views=(ROWS.views[0], elsewhere)), 0, "own.hip")
    assert "# y is to be written by hand: its view begins at byte" in text
    assert "{ unused = true, bytes = 8 },  # y: no view of it is made" in text
    assert loads(text).launch.tensors == ("x",)


def test_a_truth_is_any_and_what_it_decides_of_views_a_guess():
    (said,) = ROWS.arguments
    truth = KernelParameter("grouped", 1, "u8", written="bool", at=44)
    text = contract(replace(ROWS, arguments=(replace(said, fields=(*said.fields, truth)),)), 0, "own.hip")
    assert '{ name = "grouped", dtype = "u8" },  # any bool; guess: views are those where it is false' in text


def test_a_block_has_its_axes():
    assert "block = [32, 2]  # BlockSize" in contract(replace(ROWS, block=(32, 2, 1)), 0, "own.hip")


@pytest.mark.parametrize(
    ("said", "static", "line"),
    [
        (16, 16, "lds = 0  # beside 16 bytes of the kernel's own; GetSmemSize is 16"),
        (16, 0, "lds = 16  # guess: beside 0 bytes of the kernel's own; GetSmemSize is 16"),
        # what it says that it needs, and has not: the host adds nothing
        (16, 8, "lds = 0  # guess: beside 8 bytes of the kernel's own; GetSmemSize is 16"),
    ],
)
def test_a_launch_adds_no_lds_to_a_kernel_that_has_its_own(said, static, line):
    assert line in contract(replace(ROWS, lds_bytes=said), static, "own.hip")


@pytest.mark.parametrize("columns", [False, True])
def test_a_matrix_by_columns_keeps_its_strides(columns):
    strides = (ONE, X_STRIDE) if columns else (X_STRIDE, ONE)
    view = replace(ROWS.views[0], strides=strides)
    text = contract(replace(ROWS, views=(view,)), 0, "own.hip")
    assert ('strides = ["1", "m"]' in text) == columns
    assert f'{{ value = "{"m" if columns else "n"}", bytes = 4 }},  # x_stride: guess: packed' in text
