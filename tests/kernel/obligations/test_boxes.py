"""Boxes of windows: what the hardware walks is the convolution's image, for strides, dilations and padding."""

from dataclasses import replace
from functools import cache
from itertools import product as every

import numpy as np
import pytest

from layoutalg.device.codeobject import CodeObject
from layoutalg.device.compile import compile_source
from layoutalg.device.kernels import told_boxes
from layoutalg.index import as_expr, substitute, value, variables
from layoutalg.kernel.access.boxes import box_of, boxes_of, first_of, walked
from layoutalg.kernel.emit.kernel import emit
from layoutalg.kernel.library.convolution import convolution_task
from layoutalg.kernel.library.entry import Task
from layoutalg.kernel.library.plans import WGMMA, Cut, copied, plan_for
from layoutalg.kernel.obligations.boxes import box_copy
from layoutalg.kernel.program import BoxCopy, Pixels, Program, Statement
from layoutalg.kernel.verify import verify
from layoutalg.layout import LayoutError
from layoutalg.prove import Proved, prove
from tests.kernel.obligations.test_asynchronous import changed as with_statements

PLAIN = ((2, 9, 8, 64), (64, 3, 3, 64), (1, 1), (1, 1), (1, 1))
AWKWARD = ((2, 13, 10, 128), (72, 3, 2, 128), (2, 1), (1, 2), (1, 3))


@cache
def task(image=PLAIN[0], filter=PLAIN[1], stride=PLAIN[2], pad=PLAIN[3], dilation=PLAIN[4]) -> Task:
    plan = copied(plan_for("sm_90", "f16"), Cut((1, 1), (1, 1), 64, 3, 1, False, WGMMA.format(64), True, True))
    how = {"stride": stride, "pad": pad, "dilation": dilation, "target": "sm_90", "plan": plan}
    return convolution_task(image, filter, "f16", **how)


def image_copy(program: Program) -> BoxCopy:
    return next(s for s in program.of(BoxCopy) if s.pixels)


@pytest.mark.parametrize("case", [PLAIN, pytest.param(AWKWARD, marks=pytest.mark.slow)])
def test_a_convolution_by_boxes_is_proved(case):
    assert verify(task(*case).program).failures == ()


@pytest.mark.slow
def test_one_pixel_windows_are_proved():
    assert verify(task((2, 9, 8, 64), (64, 1, 1, 64), (1, 1), (0, 0), (1, 1)).program).failures == ()


def test_the_text_names_first_pixel_and_the_windows_pixel():
    text = emit(verify(task().program), "sm_90")
    assert "copy_pixels(a_lds + 0, &a_box, &full[slot], 0, " in text
    assert "copy_box(b_lds" in text
    code = compile_source(text, "sm_90")
    assert "cp.async.bulk.tensor.4d.shared::cluster.global.im2col" in code.payload.decode()
    (kernel,) = CodeObject.read(code.payload).kernels.values()
    assert [p.size for p in kernel.parameters[-2:]] == [128, 128]


def test_the_text_says_what_a_launch_passes():
    a, b = (box.told for box in boxes_of(task().program))
    assert a.startswith("a_box: cuTensorMapEncodeIm2col, corners (-1, -1) and (-1, -1), steps (1, 1, 1, 1): a of 16")
    assert "lengths 576, K, 1, strides 1152, 16 bytes" in b  # one index, whose stride is any


# --- what the hardware does -------------------------------------------------------------------------------------------


def copied_rows(image, first, pixel, walk, rows):
    """The rows of 64 channels that the instruction brings: windows along W, then H, then N; 0 outside of the image."""
    (c, w, h, n), (along, down), (lower, upper, steps) = first, pixel, walk
    count, high, wide, _ = image.shape
    found = np.zeros((rows, 64), image.dtype)
    for row in found:
        y, x = h + down, w + along
        if n < count and 0 <= y < high and 0 <= x < wide:
            row[:] = image[n, y, x, c : c + 64]
        w += steps[1]
        if w > wide - 1 + upper[0]:
            w, h = lower[0], h + steps[2]
        if h > high - 1 + upper[1]:
            h, n = lower[1], n + 1
    return found


@pytest.mark.parametrize("case", [PLAIN, AWKWARD])
def test_a_walk_step_by_step_brings_the_tile_of_the_descriptor(case):
    program, image = task(*case).program, np.arange(1, np.prod(case[0]) + 1).reshape(case[0])
    *_, s = (s for s in program.of(BoxCopy) if s.pixels)  # the loop's, which is of any tile
    flat = image.reshape(-1)
    tensor, box = s.load.tensor, box_of(s)
    at = {size: task(*case).sizes[size.value.name] for size in program.sizes}
    (_, told), _ = told_boxes(program, at)
    assert told[0] == case[0][::-1]
    walk = told[3:]
    windows, columns = (value(n, at) for n in tensor.descriptor.lengths[1:])
    tile = s.load.origin[2]
    (bm,) = (block for block in program.grid if block.value.name == "bm")
    (kt,) = (v for v in variables(tile) if v.value.name == "kt")
    for m0, k0 in every(range(0, windows, 64), range(0, columns, 64)):
        number = (k0 - value(substitute(tile, {kt: 0}), at)) // 64
        place = at | {bm: m0 // 64, kt: number}
        first, pixel = (tuple(value(e, place) for e in part) for part in first_of(s, 0))
        got = copied_rows(image, first, pixel, walk, box.rows)
        for r, j in every(range(0, 64, 7), range(0, 64, 21)):
            x = tuple(map(as_expr, (0, m0 + r, k0 + j)))
            there = m0 + r < windows and bool(value(tensor.descriptor.valid(x), at))
            assert got[r, j] == (flat[value(tensor.descriptor.offset(x), at)] if there else 0), (m0, k0, r, j)


# --- wrong ones -------------------------------------------------------------------------------------------------------


def wrong(pixels: Pixels) -> str:
    """The first thing that is wrong with a program whose image is walked so."""
    program = task(*AWKWARD).program
    s = replace(image_copy(program), pixels=pixels)
    try:
        return next((r.about for r in box_copy(program, 0, s) if not isinstance(prove(r.claim), Proved)), "")
    except LayoutError as error:
        return str(error)


def test_another_walk_is_refuted():
    right = image_copy(task(*AWKWARD).program).pixels
    assert wrong(right) == ""
    n, h, w, c = right.lengths
    for changed in (
        replace(right, pad=(2, 1)), replace(right, pad=(1, 1)), replace(right, stride=(1, 2)),
        replace(right, stride=(1, 1)), replace(right, dilation=(1, 2)), replace(right, dilation=(3, 1)),
        replace(right, filter=(2, 3)), replace(right, filter=(3, 3)), replace(right, lengths=(n, w, h, c)),
        replace(right, lengths=(n, h, w + 1, c)), replace(right, lengths=(n + 1, h, w, c)),
    ):  # fmt: skip
        assert wrong(changed) != "", changed


def test_windows_that_the_hardware_cannot_walk_are_refused():
    right = image_copy(task(*AWKWARD).program).pixels
    for changed, about in (
        (replace(right, filter=(3,), stride=(2,), dilation=(1,), pad=(1,)), "two dimensions"),
        (replace(right, stride=(9, 1)), "takes no such ones"),
        (replace(right, pad=(1, 129)), "takes no such ones"),
        (replace(right, dilation=(200, 1)), "takes no such ones"),
    ):
        assert about in wrong(changed)


def test_what_is_no_window_at_all_is_refused():
    program, right = task(*AWKWARD).program, image_copy(task(*AWKWARD).program).pixels
    n, h, w, c = right.lengths
    for pixels, about in (
        (replace(right, filter=(3,)), "windows of 1 dimensions in an image of 2"),
        (replace(right, lengths=(n, h, c)), "windows of 2 dimensions in an image of 1"),
        (replace(right, stride=(0, 1)), "at least 1"), (replace(right, filter=(0, 2)), "at least 1"),
        (replace(right, lengths=(as_expr(0), h, w, c)), "at least 1"),
        (replace(right, lengths=(program.grid[0], h, w, c)), "the image of a uses bn"),
    ):  # fmt: skip
        body = with_statements(program.body, lambda s, p=pixels: walking(p, s))
        with pytest.raises(LayoutError, match=about):
            verify(replace(program, body=body))


def walking(pixels: Pixels, s: Statement) -> list[Statement] | None:
    return [replace(s, pixels=pixels)] if isinstance(s, BoxCopy) and s.pixels else None


def test_a_box_that_leaves_the_window_is_refuted():
    plan = copied(plan_for("sm_90", "f16"), Cut((1, 1), (1, 1), 128, 2, 1, False, WGMMA.format(64), True, True))
    how = {"stride": (1,), "pad": (1,), "dilation": (1,), "target": "sm_90", "plan": plan}
    program = convolution_task((2, 9, 8, 64), (64, 3, 3, 64), "f16", **how).program  # 4.5 tiles of two boxes
    about, verdict = verify(program).failures[0]
    assert "of a pixel of the window" in about
    assert "last column 639, columns 576" in verdict.reason


def test_channels_that_are_no_whole_rows_are_refuted():
    s = image_copy(task().program)
    n, h, w, _ = s.pixels.lengths
    few = replace(s, pixels=replace(s.pixels, lengths=(n, h, w, as_expr(72))))
    told = [r.about for r in box_copy(task().program, 0, few) if not isinstance(prove(r.claim), Proved)]
    assert any("a box is of one pixel" in about for about in told)


@pytest.mark.parametrize(
    ("image", "filter", "groups"), [((1, 9, 8, 72), (64, 3, 3, 72), 1), ((1, 9, 8, 128), (128, 3, 3, 64), 2)]
)
def test_the_library_walks_no_others(image, filter, groups):
    how = {"stride": (1,), "pad": (1,), "dilation": (1,), "groups": groups, "target": "sm_90"}
    assert not any(convolution_task(image, filter, "f16", **how).program.of(BoxCopy))


def test_the_element_of_a_window_is_its_pixel():
    s = image_copy(task().program)
    found = walked(s.load.tensor, s.pixels)
    assert [v.value.name for v in found.letters] == ["in'", "io0'", "io1'", "iy0'", "iy1'", "ic'"]
