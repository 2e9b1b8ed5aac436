"""Tiled copies: each thread its block, and the parts of each thread as NVIDIA's own CuTe has them."""

import itertools

import pytest

from layoutalg.errors import LayoutError
from layoutalg.interop.cute import (
    Layout,
    NoLayoutError,
    copy_atom,
    descriptor,
    distribution,
    local_tile,
    make_tiled_copy,
    make_tiled_copy_a,
    make_tiled_mma,
    parse,
)
from layoutalg.memory import ConflictFree, access
from layoutalg.memory.lanes import distributed
from layoutalg.prove import Covers, Proved, Refuted, prove
from tests.interop.cute import oracle
from tests.interop.cute.test_mma import check_parts, recorded
from tests.interop.cute.tiled import COPIES, MMAS, cases

WORDS = copy_atom("UniversalCopy<uint32_t>", 16)


def test_a_tiled_copy_gives_every_thread_its_block() -> None:
    copy = make_tiled_copy(WORDS, Layout((32, 8), (8, 1)), Layout((1, 4)))
    layout, tile = copy.layout_tv, copy.tile
    assert tile == (32, 32)
    for thread, value in itertools.product(range(256), range(4)):
        assert layout(thread, value) == thread // 8 + 32 * (thread % 8 * 4 + value)
    made = distribution(layout, tile, wave=64)
    assert made.ps == (4, 64)
    assert made.lower((2, 9), (3,)) == (17, 7)
    assert prove(Covers(made))


def test_parts_are_those_of_nvidias_cute() -> None:
    """24 tiled copies, whose atoms are plain, ldmatrix and stmatrix, over layouts or for tiled MMAs; 96 parts."""
    every = dict(enumerate(cases()))
    mine = [told for told in recorded() if told["case"] >= MMAS]
    assert len(mine) == COPIES * (2 + 2 * 2)
    for told in mine:
        check_parts(told, every[told["case"]])


def test_ldmatrix_points_to_rows_and_gets_pairs() -> None:
    """Of 32 × 8 elements whose row r is of matrix r mod 4: lane 5 points to row 5 of the first one, which is row 20;
    it gets columns 2 and 3 of the second row of each."""
    copy = make_tiled_copy(copy_atom("SM75_U32x4_LDSM_N", 16), Layout((8, 4), (4, 1)), Layout((4, 2), (2, 1)))
    rows = Layout((32, 8), (8, 1))
    by_row, begin = copy.partition_s(rows, 5)
    assert [begin + by_row(n) for n in range(8)] == [8 * 20 + column for column in range(8)]
    own, begin = copy.partition_d(rows, 5)
    assert [begin + own(n) for n in range(8)] == [8 * (4 + m) + column for m in range(4) for column in (2, 3)]


def test_a_copy_for_an_mma_gives_what_the_mma_wants() -> None:
    """What ldmatrix.x4 leaves in each thread is what the tiled MMA says it holds of A; .x2, halves of it in turns."""
    mma = make_tiled_mma("SM80_16x8x16_F32F16F16F32_TN", Layout((2, 2, 1)), (32, 32, 16))
    for name in ("SM75_U32x4_LDSM_N", "SM75_U32x2_LDSM_N"):
        copy = make_tiled_copy_a(copy_atom(name, 16), mma)
        assert oracle.values(copy.destination()) == oracle.values(mma.a())
        assert oracle.values(copy.source()) != oracle.values(mma.a())


@pytest.mark.parametrize(
    ("layout", "target", "free"),
    [
        ("Sw<3,3,3> o 0 o (64,64):(64,1)", "gfx942", True),
        ("Sw<3,3,3> o 0 o (64,64):(64,1)", "gfx950", False),
        ("Sw<2,3,3> o 0 o (64,64):(64,1)", "gfx942", False),
        ("(64,64):(64,1)", "gfx942", False),
    ],
)
def test_a_copy_for_an_mfma_is_priced(layout: str, target: str, free: bool) -> None:
    """16 bytes of A a lane from rows of 64 xor-ed: as Triton's layout of the same tile, free on MI300 alone."""
    tile = (None, None, Layout((4, 2, 2), (1, 8, 4)))
    copy = make_tiled_copy_a(
        copy_atom("UniversalCopy<uint128_t>", 16), make_tiled_mma("mfma_f32_32x32x8f16", None, tile)
    )
    held = distribution(copy.source(), copy.tile, wave=64)
    part, _ = local_tile(parse(layout), copy.tile, (0, 0))
    reached = access(descriptor(part), distributed(held), "f16", target, "read")
    assert reached.lanes.width == 8
    assert isinstance(prove(ConflictFree(reached)), Proved if free else Refuted)


def test_tiles_that_do_not_fit_are_refused() -> None:
    with pytest.raises(NoLayoutError, match=r"threads \(32,8\):\(8,2\): they are not numbered from 0 on"):
        make_tiled_copy(WORDS, Layout((32, 8), (8, 2)), Layout((1, 4)))
    with pytest.raises(NoLayoutError, match="they are not numbered from 0 on"):  # 8 to 15 would be values
        make_tiled_copy(WORDS, Layout((32, 8), (16, 1)), Layout((1, 4)))
    with pytest.raises(NoLayoutError, match="1 values of a tiled copy for 2 of UniversalCopy"):
        make_tiled_copy(WORDS, Layout((32, 8)))
    with pytest.raises(NoLayoutError, match="16 threads of a tiled copy for 32 of SM75"):
        make_tiled_copy(copy_atom("SM75_U32x4_LDSM_N", 16), Layout((8, 2)), Layout((1, 8)))
    with pytest.raises(NoLayoutError, match="a CopyAtom is wanted"):
        make_tiled_copy("UniversalCopy<uint32_t>", Layout((32, 8)), Layout((1, 2)))  # type: ignore[arg-type]
    with pytest.raises(LayoutError, match="thread 256 of 256"):
        make_tiled_copy(WORDS, Layout((32, 8)), Layout((1, 2))).partition_s(Layout((32, 16)), 256)


@pytest.mark.parametrize(
    ("name", "bits", "reason"),
    [
        ("SM75_U32x3_LDSM_N", 16, "no copy of the name"),
        ("UniversalCopy<float>", 32, "no copy of the name"),
        ("SM75_U16x8_LDSM_T", 32, "no whole number of elements of 32"),
        ("UniversalCopy<uint32_t>", 64, "no whole number of elements of 64"),
        ("UniversalCopy<uint32_t>", 0, "elements of 0 bits"),
    ],
)
def test_what_is_no_copy_atom_is_refused(name: str, bits: int, reason: str) -> None:
    with pytest.raises(NoLayoutError, match=reason):
        copy_atom(name, bits)
