"""Every function of `cute` is its definition, of layouts of every kind, or refuses by a LayoutError, and by no other.

A failure names its seed.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from layoutalg.errors import LayoutError
from layoutalg.index import symbol
from layoutalg.interop import cute
from layoutalg.interop.cute import BitSwizzle, ComposedLayout, Layout
from layoutalg.layout import TensorDescriptor, TileDistribution
from layoutalg.prove import Agree, prove
from tests.fuzzing import FIRST, KNOWN, count
from tests.interop.cute import definitions as of
from tests.interop.cute import parts
from tests.interop.cute.open_sizes import M, check_open, check_open_descriptor

CHECKS: Mapping[str, tuple[Callable[[random.Random], None], int]] = {
    "numbers": (of.check_numbers, 40),
    "parts": (of.check_parts, 40),
    "make_layout": (of.check_made, 30),
    "composition": (of.check_composition, 60),
    "a swizzle alone": (of.check_swizzle_alone, 20),
    "by mode": (of.check_by_mode, 30),
    "inverses": (of.check_inverses, 40),
    "complement": (of.check_complement, 40),
    "divide": (of.check_divide, 20),
    "tiles, parts, slices": (parts.check_parts_of_tiles, 30),
    "recast": (parts.check_recast, 60),
    "tile_to_shape": (parts.check_tile_to_shape, 20),
    "divide by a layout": (of.check_divide_by_a_layout, 40),
    "product": (of.check_product, 40),
    "blocked and raked": (of.check_blocked, 40),
    "descriptor": (of.check_descriptor, 40),
    "layout_of": (of.check_layout_of, 20),
    "distribution": (of.check_distribution, 40),
    "make_tiled_copy": (of.check_tiled_copy, 30),
    "tiled_mma": (of.check_tiled_mma, 2),
    "open sizes": (check_open, 40),
    "descriptors of open sizes": (check_open_descriptor, 10),
}
"""Each check, and how many arguments it is given."""


@pytest.mark.fuzz
@pytest.mark.parametrize("name", CHECKS)
def test_every_answer_is_the_definition_or_refused(name: str) -> None:
    check, usual = CHECKS[name]
    answered = 0
    for seed in range(FIRST, FIRST + count(usual, dear=40 // usual or 1)):
        try:
            check(random.Random(f"{name} {seed}"))
            answered += 1
        except LayoutError:
            continue
        except BaseException as error:
            error.add_note(f"LAYOUTALG_SEED={seed} ({name})")
            raise
    if KNOWN:
        assert answered > usual // 8


NO_LAYOUTS = [
    None, "4:1", "", 2.5, True, -1, 0, (), [], (0,), (4, -2), {"a": 1}, np.zeros(3), np.int64(0), float("nan"),
    object(), symbol("Z", min=0), Layout, BitSwizzle(1, 0, 1), TensorDescriptor, cute.descriptor(Layout((4, 2))),
    cute.distribution(Layout((4, 2)), (8,)), cute.mma_atom("mfma_f32_32x32x8f16"),
]  # fmt: skip
MOVED = [cute.parse("Sw<1,0,1> o 0 o (4,2):(2,1)"), cute.parse("Sw<0,0,0> o 3 o (4,2):(2,1)")]
GOOD, TILED = Layout((4, 2)), cute.TiledMma(cute.mma_atom("mfma_f32_32x32x8f16"), Layout((2, 2)))


def tiled_copy(threads: Any, values: Any) -> cute.TiledCopy:
    """A tiled copy of single elements."""
    return cute.make_tiled_copy(cute.copy_atom("UniversalCopy<uint8_t>", 8), threads, values)


ONE = [
    cute.size, cute.cosize, cute.rank, cute.make_layout, cute.select, cute.filter, cute.coalesce, cute.complement,
    cute.right_inverse, cute.left_inverse, cute.descriptor, cute.layout_of, cute.thread_value, cute.flydsl,
]  # fmt: skip
TWO = [
    cute.composition, cute.logical_divide, cute.zipped_divide, cute.tiled_divide, cute.flat_divide,
    cute.logical_product, cute.zipped_product, cute.tiled_product, cute.blocked_product, cute.raked_product,
    tiled_copy, cute.descriptor, cute.make_layout, cute.distribution,
]  # fmt: skip


@pytest.mark.parametrize("asked", ONE, ids=lambda f: f.__name__)
def test_what_is_no_layout_is_refused(asked: Callable[[Any], object]) -> None:
    taken = {cute.layout_of: TensorDescriptor, cute.thread_value: TileDistribution}.get(asked, Layout)
    for odd in NO_LAYOUTS:
        if not isinstance(odd, taken):
            with pytest.raises(LayoutError):
                asked(odd)


@pytest.mark.parametrize("asked", TWO, ids=lambda f: f.__name__)
def test_with_what_is_no_layout_nothing_else_is_raised(asked: Callable[[Any, Any], object]) -> None:
    for one, other in itertools.product([*NO_LAYOUTS, *MOVED, GOOD], repeat=2):
        try:
            asked(one, other)
        except LayoutError:
            continue
        assert isinstance(one, Layout | ComposedLayout | BitSwizzle), (one, other)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (lambda: GOOD(None), "None is not an integer"),
        (lambda: MOVED[0]("1"), "'1' is not an integer"),
        (lambda: GOOD(1, 2, 3), "coordinate .1,2,3. for shape"),
        (lambda: ComposedLayout(BitSwizzle(1, 0, 1), 0, "4:1"), "a BitSwizzle over a Layout is wanted"),
        (lambda: ComposedLayout(GOOD, 0, GOOD), "a BitSwizzle over a Layout is wanted"),
        (lambda: ComposedLayout(BitSwizzle(1, 0, 1), 0.5, GOOD), "0.5 is not an integer"),
        (lambda: BitSwizzle(M, 0, 8), "bits M of a swizzle: a number is wanted"),
        (lambda: BitSwizzle("1", 0, 1), "'1' is not an integer"),
        (lambda: cute.select(GOOD, "0"), "'0' is not an integer"),
        (lambda: cute.select(GOOD, M), "mode M of"),
        (lambda: cute.TiledMma(TILED.atom, Layout(4)), "modes over m and n, or over m, n and k are wanted"),
        (lambda: cute.TiledMma(TILED.atom, "(2,2)"), "a layout is wanted, not a str"),
        (lambda: TILED.a((64,)), "two lengths are wanted"),
        (lambda: TILED.c((64, 0)), "a shape of 0"),
        (lambda: TILED.b((63, 8)), "a tile of 63 for atoms of 32 and 2 warps"),
        (lambda: cute.cosize(ComposedLayout(BitSwizzle(1, 0, 1), 0, Layout(M))), "how far a swizzle carries"),
        (lambda: cute.distribution(GOOD, ((2, 2), 2)), "is not an integer"),
        (lambda: cute.distribution(GOOD, 8), "a length for each dimension is wanted"),
        (lambda: cute.complement(GOOD, symbol("Z", min=0)), "it is at least 1"),
        (lambda: cute.descriptor(GOOD, Layout(4, -1)), "which is no coordinate of .4,2.:.1,4."),
    ],
)
def test_why_it_is_refused(asked: Callable[[], object], why: str) -> None:
    with pytest.raises(LayoutError, match=why):
        asked()


def test_cutes_composition_keeps_the_swizzle_below() -> None:
    """Dropped, it would be proved to be the layout above alone."""
    outer, inner = cute.parse("64:1"), cute.parse("Sw<1,2,1> o 4 o 60:1")
    made = cute.descriptor(outer, inner)
    assert made[12] == 16
    assert prove(Agree(made, cute.descriptor(inner)))
    refuted = prove(Agree(made, cute.descriptor(Layout(60))))
    assert refuted.name == "refuted"
    assert cute.cosize(cute.parse("Sw<1,0,1> o 0 o 3:1")) == 4  # 0, 1, 3


def test_cosize_of_a_swizzle_of_whole_periods_is_known_for_all_sizes() -> None:
    rows = symbol("R", multiple_of=8)
    tile = ComposedLayout(BitSwizzle(3, 3, 3), 0, Layout((rows, 64), (64, 1)))
    assert cute.cosize(tile) == rows * 64
