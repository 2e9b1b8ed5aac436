"""Thread-value layouts as distributions: CuTe's atoms by value, ours by the operand maps, tiled copies and MMAs."""

import itertools

import numpy as np
import pytest

from layoutalg.interop.cute import (
    Layout,
    NoLayoutError,
    TiledMma,
    distribution,
    mma_atom,
    parse,
    thread_value,
    tiled_copy,
)
from layoutalg.layout import TileDistribution
from layoutalg.prove import Covers, prove
from layoutalg.target.matrix import matrix_table
from layoutalg.target.operand import OperandMap
from tests.interop.cute import oracle

AMDS = {
    "mfma_f32_32x32x8f16": ("((32,2),4):((1,128),32)", "((32,2),4):((1,128),32)", "((32,2),(4,4)):((32,4),(1,8))"),
    "mfma_f32_16x16x16f16": ("((16,4),4):((1,64),16)", "((16,4),4):((1,64),16)", "((16,4),4):((16,4),1)"),
    "mfma_f64_16x16x4f64": ("64:1", "64:1", "((16,4),4):((16,1),4)"),
    "wmma_f32_16x16x16_f16_w32": ("((16,2),16):((1,0),16)", "((16,2),16):((1,0),16)", "((16,2),8):((16,1),2)"),
}
"""A, B and C, read off the published formulas by hand."""
NVIDIAS = {  # NVIDIA/cutlass, include/cute/atom/mma_traits_sm80.hpp, by value
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32": (
        "((4,8),(2,2,2)):((32,1),(16,8,128))", "((4,8),(2,2)):((16,1),(8,64))", "((4,8),(2,2)):((32,1),(16,8))",
    ),
    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32": (
        "((4,8),(2,2)):((16,1),(8,64))", "((4,8),2):((8,1),32)", "((4,8),(2,2)):((32,1),(16,8))",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", [*AMDS, *NVIDIAS])
def test_atoms_are_the_published_ones(name: str) -> None:
    atom = mma_atom(name)
    for made, text in zip((atom.a, atom.b, atom.c), (AMDS | NVIDIAS)[name], strict=True):
        wanted = parse(text)
        assert oracle.values(made) == oracle.values(wanted), f"{made} is {wanted}"
        assert len(made) == 2


def every_operand() -> list[tuple[str, str]]:
    return [(name, which) for name in matrix_table() for which in "abc"]


def check_operand(name: str, which: str) -> None:
    """The atom's layout and its distribution, against the operand map, for every lane and element."""
    instruction, atom = matrix_table()[name], mma_atom(name)
    held: OperandMap = getattr(instruction, which)
    layout: Layout = getattr(atom, which)
    rows, columns = (held.places[1], held.places[0]) if which == "b" else held.places
    tile = held.shape[::-1] if which == "b" else held.shape
    elements = rows.shape[1]
    numbers = [[layout(lane, i) for i in range(elements)] for lane in range(instruction.wave)]
    assert np.array_equal(numbers, rows + columns * tile[0]), f"{name} {which}: {layout}"
    made = distribution(layout, tile)
    assert made.lengths == tile
    assert oracle.values(thread_value(made)) == oracle.values(layout)
    assert np.array_equal(elements_of(made), np.stack([rows, columns]))


def elements_of(made: TileDistribution) -> np.ndarray:
    """Row and column of each lane's registers."""
    lanes, registers = int(made.ps[-1]), int(made.registers)
    found = [
        [made.lower((lane,), made.ys_to_d.upper([register])) for register in range(registers)] for lane in range(lanes)
    ]
    return np.array(found, dtype=int).transpose(2, 0, 1)


@pytest.mark.parametrize("name", [*AMDS, *NVIDIAS])
def test_an_atom_and_its_distribution_are_the_operand_maps(name: str) -> None:
    check_operand(name, "c")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "which"), every_operand())
def test_every_atom_and_its_distribution_are_the_operand_maps(name: str, which: str) -> None:
    check_operand(name, which)


def test_a_tiled_mma_gives_every_warp_its_atoms() -> None:
    atom = mma_atom("mfma_f32_16x16x16f16")
    for warps in (Layout((2, 2)), Layout((2, 2), (2, 1))):
        tiled, tile = TiledMma(atom, warps), (64, 32, 32)
        a, b, c = tiled.a((64, 32)), tiled.b((32, 32)), tiled.c((64, 32))
        for wave, lane in itertools.product(range(4), (0, 17, 63)):
            m, n = next((m, n) for m in range(2) for n in range(2) if warps(m, n) == wave)
            thread = lane + 64 * wave
            for i, (r, s) in itertools.product(range(4), itertools.product(range(2), range(1))):
                row, column = atom.c(lane, i) % 16, atom.c(lane, i) // 16
                wanted = row + 16 * (m + 2 * r) + tile[0] * (column + 16 * (n + 2 * s))
                assert c((thread), (i, (r, s))) == wanted
            for i, (r, k) in itertools.product(range(4), itertools.product(range(2), range(2))):
                row, column = atom.a(lane, i) % 16, atom.a(lane, i) // 16
                assert a(thread, (i, (r, k))) == row + 16 * (m + 2 * r) + tile[0] * (column + 16 * k)
                row, column = atom.b(lane, i) % 16, atom.b(lane, i) // 16
                assert b(thread, (i, (0, k))) == row + 16 * n + tile[1] * (column + 16 * k)
        assert prove(Covers(distribution(c, (64, 32), wave=64)))
        assert prove(Covers(distribution(a, (64, 32), wave=64), 2))  # the warps along n hold the same


def test_a_tiled_copy_gives_every_thread_its_block() -> None:
    layout, tile = tiled_copy(Layout((32, 8), (8, 1)), Layout((1, 4)))
    assert tile == (32, 32)
    for thread, value in itertools.product(range(256), range(4)):
        assert layout(thread, value) == thread // 8 + 32 * (thread % 8 * 4 + value)
    made = distribution(layout, tile, wave=64)
    assert made.ps == (4, 64)
    assert made.lower((2, 9), (3,)) == (17, 7)
    assert prove(Covers(made))


def test_distributions_and_back() -> None:
    for text, tile in (
        ("((32,2),(4,4)):((32,4),(1,8))", (32, 32)),
        ("((4,8,2),(2,2)):((32,1,0),(16,8))", (16, 8)),  # two copies
        ("(8,4):(1,8)", (4, 8)),  # a mode over two dimensions
        ("(16,1):(1,0)", (1, 16)),
    ):
        layout = parse(text)
        made = distribution(layout, tile)
        assert oracle.values(thread_value(made)) == oracle.values(layout)
        assert made.lengths == tile


@pytest.mark.parametrize(
    ("text", "tile", "wave", "reason"),
    [
        ("(8,2):(1,0)", (8,), None, "two registers would hold one element"),
        ("(8,2):(1,16)", (8, 2), None, "steps along no dimension"),
        ("(8,2):(1,8)", (8, 4), None, "along dimension 1 it holds 2 of 4 elements"),
        ("(8,2):(2,16)", (16, 2), None, "nothing steps by 1"),
        ("(6,2):(1,8)", (8, 2), None, "it holds 6 of 8 elements"),
        ("(6,2):(1,6)", (4, 3), None, "leaves dimension 0 of the tile after 4"),
        ("(8,2):(1,8)", (8, 2), 3, "are no waves of 3"),
        ("(8,2,2):(1,8,16)", (8, 4), None, "two modes, thread and value"),
    ],
)
def test_what_no_distribution_is_is_refused(text: str, tile: tuple[int, ...], wave: int | None, reason: str) -> None:
    with pytest.raises(NoLayoutError, match=reason):
        distribution(parse(text), tile, wave)


def test_tiles_that_do_not_fit_are_refused() -> None:
    tiled = TiledMma(mma_atom("mfma_f32_16x16x16f16"), Layout((2, 2)))
    with pytest.raises(NoLayoutError, match="a tile of 48 for atoms of 16 and 2 warps"):
        tiled.c((48, 32))
    with pytest.raises(NoLayoutError, match=r"threads \(32,8\):\(8,2\): they are not numbered from 0 on"):
        tiled_copy(Layout((32, 8), (8, 2)), Layout((1, 4)))
    with pytest.raises(NoLayoutError, match="they are not numbered from 0 on"):  # 8 to 15 would be values
        tiled_copy(Layout((32, 8), (16, 1)), Layout((1, 4)))
