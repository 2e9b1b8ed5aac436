"""Layouts in Triton's notation are what Triton says they are: 3820 of them against its recorded answers, and back."""

import json
import random
import zlib
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from layoutalg.errors import LayoutError
from layoutalg.index import symbol
from layoutalg.index.evaluate import grids
from layoutalg.interop import cute
from layoutalg.interop.strided import Strided
from layoutalg.interop.triton import LinearLayout, conflict_free, from_triton, linear_layout, to_linear, to_triton
from layoutalg.interop.triton.attribute import parse
from layoutalg.interop.triton.shared import SharedLayout, shared
from layoutalg.layout import (
    TensorDescriptor,
    TileDistribution,
    TileDistributionEncoding,
    make_naive_tensor_descriptor,
)
from layoutalg.layout.index_map import index_map
from layoutalg.prove import Bijective, Injective, prove
from layoutalg.target.matrix import matrix_instruction
from tests.fuzzing import FIRST, KNOWN, count
from tests.interop.cute import definitions
from tests.interop.triton.cases import MAKERS, cases
from tests.interop.triton.record import asked

ANSWERS = Path(__file__).parent / "answers.jsonl"
SHARED = ("swizzled_shared", "padded_shared", "shared_linear", "nvmma_shared")
CLUSTERS = ("clusters", "nvmma_clusters")
"""Their cases are of the kinds that are spread over a cluster."""


@cache
def answers() -> list[dict[str, Any]]:
    return [json.loads(line) for line in ANSWERS.read_text().splitlines()]


def _linear(text: str, shape: list[int]) -> LinearLayout:
    attribute = parse(text)
    if "shared" not in attribute.name:
        return linear_layout(text, shape)
    found = shared(attribute, shape)
    return with_gap(found) if attribute.name == "nvmma_shared" and found.pads else found.linear


def with_gap(memory: SharedLayout) -> LinearLayout:
    """Of n elements after each n, Triton says a bit of the offset that leads nowhere."""
    ((interval, padding),) = memory.pads
    assert interval == padding
    bases, bit = {name: list(vectors) for name, vectors in memory.linear.bases}, interval.bit_length() - 1
    bases["offset"].insert(bit, (0,) * len(memory.linear.sizes))
    return LinearLayout.of(bases, memory.linear.shape)


def _offsets(layout: TensorDescriptor) -> Any:
    (found,) = grids([layout.offset(layout.index)], list(layout.index))
    return found


@pytest.mark.slow
def test_the_answers_are_those_of_the_cases() -> None:
    told = [(one["kind"], one["text"], tuple(one["shape"])) for one in answers()]
    assert told == [(case.kind, case.text, case.shape) for case in cases()]
    assert len(told) == 3820


@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", [kind for kind in MAKERS if kind not in CLUSTERS])
def test_bases_are_those_of_triton(kind: str, step: int) -> None:
    mine = [one for one in answers() if one["kind"] == kind][::step]
    refused = 0
    for one in mine:
        if one["bases"] is None:
            refused += 1
            continue
        found = _linear(one["text"], one["shape"])
        assert {n: [list(b) for b in found.of_place(n)] for n in one["bases"]} == one["bases"], one
        assert list(found.shape.values()) == one["shape"]
    assert refused < len(mine) / 10


def test_what_triton_aborts_on_is_refused() -> None:
    """But for memory of one element in a block, or in a piece, which Gluon has no bases to give."""
    passed = ("swizzled_shared", "padded_shared", "shared_linear", "partitioned_shared")
    aborted = [one for one in answers() if one["bases"] is None and one["kind"] not in passed]
    assert len({one["kind"] for one in aborted}) > 1
    for one in aborted:
        with pytest.raises(LayoutError, match=r"kWidth|is less than a tile of 8 rows"):
            _linear(one["text"], one["shape"])


def _one_block(one: dict[str, Any]) -> bool:
    """Whether memory is of one block: a descriptor is."""
    return one["kind"] not in SHARED or not one["bases"]["block"]


def _some(kinds: tuple[str, ...], one_in: int) -> list[dict[str, Any]]:
    chosen = (one for one in answers() if one["kind"] in kinds and one["bases"] and _one_block(one))
    chosen = (one for one in chosen if np.prod(one["shape"]) <= 1 << 21)
    return [one for one in chosen if zlib.crc32(one["text"].encode()) % one_in == 0]


@pytest.mark.parametrize("one_in", [40, pytest.param(1, marks=pytest.mark.matrix(0))])
def test_a_descriptor_lays_elements_where_triton_does(one_in: int) -> None:
    for one in _some(SHARED, one_in):
        layout = from_triton(one["text"], one["shape"])
        assert isinstance(layout, TensorDescriptor)
        pads = shared(parse(one["text"]), one["shape"]).pads
        offsets = _offsets(layout)
        assert list(offsets.shape) == one["shape"]
        for place in range(0, offsets.size, 7):
            filled = filter(any, one["bases"]["offset"])  # nvmma_shared says padding as a bit that leads nowhere
            bases = [b for n, b in enumerate(filled) if place >> n & 1]
            at = np.bitwise_xor.reduce([[0] * len(one["shape"]), *bases], axis=0)
            assert offsets[tuple(at)] == place + sum(place // i * p for i, p in pads), (one, place)
        assert prove(Injective(layout) if pads else Bijective(layout)), one


@pytest.mark.parametrize("one_in", [60, pytest.param(1, marks=pytest.mark.matrix(1))])
def test_a_distribution_holds_what_triton_holds(one_in: int) -> None:
    registers = tuple(kind for kind in MAKERS if "shared" not in kind)
    for one in _some(registers, one_in):
        layout = from_triton(one["text"], one["shape"])
        assert isinstance(layout, TileDistribution)
        wanted = {n: [b for b in vectors if n != "register" or any(b)] for n, vectors in one["bases"].items()}
        found = to_linear(layout)
        assert {n: [list(b) for b in found.of_place(n)] for n in wanted} == wanted, one
        again = from_triton(to_triton(layout), one["shape"])
        assert isinstance(again, TileDistribution)
        assert again.encoding == layout.encoding


@pytest.mark.parametrize("one_in", [40, pytest.param(1, marks=pytest.mark.matrix(0))])
def test_a_descriptor_written_and_read_is_the_same_map(one_in: int) -> None:
    for one in _some(SHARED, one_in):
        layout = from_triton(one["text"], one["shape"])
        assert isinstance(layout, TensorDescriptor)
        if "fp4Padded = true" in one["text"]:  # Triton's maps of bits say of each offset which element is there
            with pytest.raises(LayoutError, match="no place holds the element"):
                to_triton(layout)
            continue
        again = from_triton(to_triton(layout), one["shape"])
        assert isinstance(again, TensorDescriptor)
        assert np.array_equal(_offsets(again), _offsets(layout)), one


ROTATING = {
    (1, 1, 2, 8): "0 1 2 3, 5 4 7 6, 9 8 11 10, 12 13 14 15, 16 17 18 19, 21 20 23 22, 25 24 27 26, 28 29 30 31",
    (1, 2, 2, 8): "0 1 2 3, 4 5 6 7, 9 8 11 10, 13 12 15 14, 17 16 19 18, 21 20 23 22, 24 25 26 27, 28 29 30 31",
    (1, 1, 4, 8): "0 1 2 3, 5 4 7 6, 10 11 8 9, 15 14 13 12, 17 16 19 18, 20 21 22 23, 27 26 25 24, 30 31 28 29",
}
"""Triton's three examples of amd_rotating_shared (`TritonGPUAttrDefs.td`): (vec, perPhase, maxPhase, rows)."""


@pytest.mark.parametrize("given", ROTATING)
def test_rotating_layouts_are_those_of_the_manual(given: tuple[int, int, int, int]) -> None:
    vec, per, most, rows = given
    text = f"#ttg.amd_rotating_shared<{{vec = {vec}, perPhase = {per}, maxPhase = {most}, order = [1, 0]}}>"
    layout = from_triton(text, (rows, 4))
    assert isinstance(layout, TensorDescriptor)
    memory = np.zeros(4 * rows, int)
    memory[_offsets(layout).reshape(-1)] = np.arange(4 * rows)
    assert ", ".join(" ".join(map(str, row)) for row in memory.reshape(rows, 4)) == ROTATING[given]


@pytest.mark.parametrize(
    ("text", "name", "transposed"),
    [
        ("amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [32, 32, 8], isTransposed = false}>",
         "mfma_f32_32x32x8f16", False),
        ("amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = [16, 16, 32], isTransposed = true}>",
         "mfma_f32_16x16x32_f16", True),
        ("amd_wmma<{version = 1, isTranspose = false, ctaLayout = {warp = []}}>",
         "wmma_f32_16x16x16_f16_w32", False),
        ("amd_wmma<{version = 2, isTranspose = false, ctaLayout = {warp = []}}>",
         "wmma_f32_16x16x16_f16_w32_gfx12", False),
    ],
)  # fmt: skip
def test_tiles_are_those_of_our_matrix_instructions(text: str, name: str, transposed: bool) -> None:
    """Their elements, lane by lane, and their operands'."""
    instruction = matrix_instruction(name)
    one = from_triton(f"#ttg.{text}", (instruction.m, instruction.n))
    assert isinstance(one, TileDistribution)
    held = linear_layout(f"#ttg.{text}", (instruction.m, instruction.n))
    for lane in range(instruction.wave):
        for element in range(held.places["register"]):
            at = tuple(held.apply(register=element, lane=lane).values())
            assert (at[::-1] if transposed else at) == instruction.d.at(lane, element)
    each = int(instruction.a.element.hi) + 1
    parent = f"#ttg.{text}"
    a = linear_layout(f"#ttg.dot_op<{{opIdx = 0, parent = {parent}, kWidth = {each}}}>", (instruction.m, instruction.k))
    b = linear_layout(f"#ttg.dot_op<{{opIdx = 1, parent = {parent}, kWidth = {each}}}>", (instruction.k, instruction.n))
    for lane in range(instruction.wave):
        for element in range(each):
            assert tuple(a.apply(register=element, lane=lane).values()) == instruction.a.at(lane, element)
            assert tuple(b.apply(register=element, lane=lane).values()) == instruction.b.at(lane, element)


class BlockedLayout(SimpleNamespace):
    """As Gluon's."""


class SliceLayout(SimpleNamespace):
    """As Gluon's."""


def test_objects_are_read_by_their_names() -> None:
    parent = BlockedLayout(
        size_per_thread=[1, 4], threads_per_warp=[8, 8], warps_per_cta=[4, 1], order=[1, 0], cga_layout=[]
    )
    found = linear_layout(SliceLayout(dim=0, parent=parent), [64])
    assert found.of_place("lane") == ((4,), (8,), (16,), (0,), (0,), (0,))
    with pytest.raises(LayoutError, match="SimpleNamespace is no layout of Triton's that is known"):
        from_triton(SimpleNamespace(), [64])
    del parent.order
    with pytest.raises(LayoutError, match=r"BlockedLayout lacks what the one of Triton 3\.9 has"):
        from_triton(parent, [64, 64])


BAD = {
    "": "^a value is wanted, not 'the end'",
    "#ttg.blocked<{": "character 15: a field's name is wanted, not 'the end'",
    "#mma": "nothing says what #mma stands for",
    "#nvgpu.x<{}>": "is no layout of Triton's GPU dialect",
    "#ttg.wonder<{}>": "no register layout of that name is known",
    "#ttg.linear<{register = [[1]], lane = [[2]], warp = [], block = []}> x": "nothing more is wanted, not 'x'",
    "#ttg.linear<{register = [[1]], lane = 4, warp = [], block = []}>": "character 39: linear: lane is 4; a list",
    "#ttg.linear<{register = [[1, 2]], lane = [], warp = [], block = []}>": "one number for each of 1 dimensions",
    "#ttg.linear<{register = [[1]], register = []}>": "register is given twice",
    "#ttg.linear<{register = [[1]]}>": "lane is missing",
    "#ttg.swizzled_shared<{vec = 3, perPhase = 1, maxPhase = 8, order = [0]}>": "vec is 3; a power of two is wanted",
    "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 8, order = [1]}>": "order is \\[1\\]; each of 0…0 once",
    "#ttg.swizzled_shared<{vec = 1, perPhase = 0, maxPhase = 8, order = [0]}>": "perPhase is 0; a whole number",
    "#ttg.padded_shared<[64:+3] {order = [0], shape = [64]}>": "64:\\+3: interval and padding are powers of two",
    "#ttg.padded_shared<[64:+8] {order = [0], shape = [32]}>": "do not fit a tensor of \\[64\\]",
    "#ttg.shared_linear<{offset = [[1], [2]]}, alignment = 16>": "its bases reach a tensor of \\[4\\], not \\[64\\]",
    "#ttg.swizzled_blocks_shared<{vec = 1}>": "no shared layout of that name",
    "#ttg.dot_op<{opIdx = 2, parent = #ttg.amd_mfma<{}>, kWidth = 4}>": "opIdx is 2; a product has",
    "#ttg.blocked<{sizePerThread = [99999999999]}>": "the number 99999999999 is too large",
    "#ttg.slice<{dim = 0, parent = " * 40: "more than 32 brackets within brackets",
    "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0], CTAsPerCGA = [2]}>":
        "several blocks are said by CGALayout",
    "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0], vec = 1}>":
        "character 97: blocked: no field 'vec' is known",
    "\x1b[31m": "means nothing in a layout",
}  # fmt: skip


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_layout_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(LayoutError, match=BAD[text]) as told:
        from_triton(text, [64])
    assert len(str(told.value).splitlines()) == 1
    assert "\x1b" not in str(told.value)


def test_what_has_no_layout_in_triton_says_why() -> None:
    with pytest.raises(LayoutError, match="dimension 0 has length 96, no power of two; padded to 128"):
        to_triton(make_naive_tensor_descriptor((96, 64), (64, 1)))
    with pytest.raises(LayoutError, match=r"may carry.*to_triton tries padded_shared"):
        to_triton(make_naive_tensor_descriptor((8, 8), (11, 1)))
    with pytest.raises(LayoutError, match="two elements share an offset"):
        to_triton(make_naive_tensor_descriptor((8, 8), (0, 1)))
    with pytest.raises(LayoutError, match="lane bit 0 leads to \\[1, 1\\]"):
        from_triton("#ttg.linear<{register = [[1, 0]], lane = [[1, 1]], warp = [], block = []}>", (2, 2))


def test_copies_that_are_no_power_of_two_have_no_layout() -> None:
    """Three lanes that hold the same are not four."""
    encoding = TileDistributionEncoding.of([3], [[4, 2]], [[(0, 0), (1, 0)]], [(1, 1)])
    with pytest.raises(LayoutError, match="P 0 has length 12, no power of two"):
        to_linear(TileDistribution(encoding))
    two = to_linear(TileDistribution(TileDistributionEncoding.of([2], [[4, 2]], [[(0, 0), (1, 0)]], [(1, 1)])))
    assert two.of_place("lane") == ((2,), (4,), (0,))


@pytest.mark.slow
def test_the_recorded_answers_are_those_of_the_wheel() -> None:
    """Where Triton is installed: a sample is asked anew."""
    pytest.importorskip("triton", reason="pip install '.[triton]' in a clone")
    sample = list(zip(cases(), answers(), strict=True))[::50]
    assert list(asked([case for case, _ in sample])) == [told["bases"] for _, told in sample]


def test_pads_that_are_no_triton_layout_are_not_called_one() -> None:
    """16 + 8 in every row; 3 more in the second half is no padding of Triton's, 2 more are."""
    assert to_triton(make_naive_tensor_descriptor((4, 16), (24, 1))).startswith("#ttg.padded_shared<[16:+8]")
    assert to_triton(make_naive_tensor_descriptor((2, 2, 16), (50, 24, 1))).startswith(
        "#ttg.padded_shared<[16:+8, 32:+2]"
    )
    with pytest.raises(LayoutError):
        to_triton(make_naive_tensor_descriptor((2, 2, 16), (51, 24, 1)))


REGISTERS = "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 8], warpsPerCTA = [1, 1], order = [1, 0]}>"
TILE = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 4, order = [1, 0]}>"


@pytest.mark.parametrize("text", [REGISTERS, TILE])
@pytest.mark.parametrize(
    "shape", [None, 4, "44", (), (0, 4), (-4, 4), (4.0, 4), (symbol("M"), 4), (4, 3), (4,), [[4], 4]]
)
def test_what_is_no_shape_is_refused(text: str, shape: Any) -> None:
    for read in (from_triton, linear_layout):
        with pytest.raises(LayoutError):
            read(text, shape)
    with pytest.raises(LayoutError):
        conflict_free(TILE, REGISTERS, "gfx942", shape=shape, dtype="f16")


@pytest.mark.parametrize("given", [None, "8:1", 3, np.zeros(4), object(), [4]])
def test_what_is_no_layout_is_refused(given: Any) -> None:
    for write in (to_triton, to_linear):
        with pytest.raises(LayoutError, match="a descriptor or a distribution is wanted"):
            write(given)


@pytest.mark.fuzz
def test_layouts_of_others_are_written_as_they_lie_or_refused() -> None:
    """CuTe's layouts by chance, swizzled and moved too, and views of any stride: read again, each offset is there."""
    written = 0
    for seed in range(FIRST, FIRST + count(60)):
        draw = random.Random(f"others {seed}")
        layout = definitions.any_layout(draw) if draw.random() < 0.6 else a_view(draw)
        try:
            there = index_map(layout)
            text = to_triton(layout)
        except LayoutError:
            continue
        written += 1
        again = from_triton(text, [int(n) for n in there.lengths])
        assert np.array_equal(_offsets(again), np.broadcast_to(_offsets(there), _offsets(again).shape)), (seed, layout)
    if KNOWN:
        assert written > 5


@pytest.mark.parametrize("text", ["1:-8", "(1,4):(-1,1)", "Sw<0,2,-1> o 0 o (2,1):(1,-3)"])
def test_a_dimension_of_one_element_steps_nowhere(text: str) -> None:
    """Its stride was none of a linear layout, and padding without pads was written for it."""
    written = to_triton(cute.parse(text))
    assert written.startswith("#ttg.shared_linear")
    shape = [int(n) for n in cute.parse(text).index_map.lengths]
    assert np.array_equal(_offsets(from_triton(written, shape)).ravel(), np.arange(np.prod(shape)))


def a_view(draw: random.Random) -> Strided:
    sizes = [draw.choice((1, 2, 4, 8, 3, 0)) for _ in range(draw.randint(1, 3))]
    strides, reach = [0] * len(sizes), 1
    for n in draw.sample(range(len(sizes)), len(sizes)):
        strides[n] = reach = reach * draw.choice((1, 1, 1, 2))
        reach *= max(sizes[n], 1)
    if draw.random() < 0.2:
        strides[0] = draw.choice((0, -1, 1))
    return Strided(tuple(sizes), tuple(strides), draw.choice((0, 0, 3)), 4096)
