"""Atoms by name: NVIDIA's as its headers have them, AMD's by the operand maps, FlyDSL's as its documents print them."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from layoutalg.index import var
from layoutalg.index.evaluate import array
from layoutalg.interop.cute import Layout, MmaAtom, NoLayoutError, coalesce, distribution, mma_atom, parse, thread_value
from layoutalg.layout import TileDistribution
from layoutalg.target.matrix import UnknownMatrixInstructionError, matrix_table
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
    lane, register = var("lane", lanes), var("register", registers)
    at = {lane: np.arange(lanes)[:, None], register: np.arange(registers)}
    found = array([*made.lower((lane,), made.ys_to_d.upper([register]))], at)
    return np.stack([np.broadcast_to(one, (lanes, registers)) for one in found])


@pytest.mark.parametrize("name", [*AMDS, *NVIDIAS])
def test_an_atom_and_its_distribution_are_the_operand_maps(name: str) -> None:
    check_operand(name, "c")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "which"), every_operand())
def test_every_atom_and_its_distribution_are_the_operand_maps(name: str, which: str) -> None:
    check_operand(name, which)


def recorded() -> Iterator[tuple[str, list[str]]]:
    """Shape and layouts as CuTe prints them, and the names of the atoms that have them."""
    for line in (Path(__file__).parent / "atoms.txt").read_text().splitlines():
        told, names = line.split(" : ")
        yield told, names.split()


def plainly(shape: str, *layouts: Layout) -> list[object]:
    """A shape and layouts, however their modes are nested."""
    return [shape, *(coalesce(one, (1, 1)) for one in layouts)]


def printed(atom: MmaAtom) -> list[object]:
    return plainly(f"({','.join(map(str, atom.shape))})", atom.a, atom.b, atom.c)


def told_plainly(text: str) -> list[object]:
    shape, *layouts = text.split()
    return plainly(shape, *map(parse, layouts))


FOUR_BITS = r"SM80_16x8x32_S32[SU]4[SU]4S32_TN(_SATURATE)?"
ONE_BIT = r"SM80_16x8x128_S32U1U1S32_TN_(AND|XOR)POPC"


def test_every_atom_of_cutlass_is_read_as_its_headers_have_it() -> None:
    """1137 names, but for two misprints: an operand whose lanes hold the same, and a stride that is of no shape."""
    names, misprinted = 0, 0
    for told, atoms in recorded():
        names += len(atoms)
        if re.fullmatch(f"{FOUR_BITS}|{ONE_BIT}", atoms[0]):
            misprinted += len(atoms)
            told = told.replace("((16,8))", "(16,8)").replace("((4,8),(8)):((32,1),(8))", "((4,8),8):((64,1),8)")
        wanted = told_plainly(told)
        for name in atoms:
            assert printed(mma_atom(name)) == wanted, name
    assert (names, misprinted) == (1137, 10)


def test_what_is_misprinted_holds_no_operand() -> None:
    """CUTLASS 4.2's B of 4 bits and k = 32: lanes 4 elements apart hold 8 each, and 96 of 256 are held by nobody."""
    theirs = parse("((4,8),8):((32,1),8)")
    assert len(set(oracle.values(theirs))) == 160
    with pytest.raises(NoLayoutError, match="held by nobody or twice"):
        distribution(theirs, (8, 32))
    ours = mma_atom("SM80_16x8x32_S32S4S4S32_TN").b
    assert sorted(oracle.values(ours)) == list(range(256))


@pytest.mark.parametrize(
    "name",
    [
        "SM80_16x8x24_F32F16F16F32_TN", "SM80_16x8x16_F32F16BF16F32_TN", "SM80_16x8x16_F32F16F16F32_NN",
        "SM90_64x12x16_F32F16F16_SS", "SM90_64x264x16_F32F16F16_SS", "SM90_64x64x16_F32F16F16_SR",
        "SM90_64x64x32_F32E4M3E4M3_SS", "SM70_8x8x4_F32F16F16F32_TN", "SM61_DP4A", "SM100_64x64x16_F32F16F16_SS",
        "!fly_rocdl.cdna3.mfma<32x32x9, (f16, f16) -> f32>", "",
    ],
)  # fmt: skip
def test_other_names_are_no_atoms(name: str) -> None:
    with pytest.raises(UnknownMatrixInstructionError):
        mma_atom(name)


def test_what_is_no_name_is_refused() -> None:
    with pytest.raises(NoLayoutError, match="an atom's name is wanted"):
        mma_atom(None)  # type: ignore[arg-type]


def test_cutlass_and_ptx_name_one_instruction() -> None:
    by_ptx = mma_atom("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")
    for name in ("SM80_16x8x16_F32F16F16F32_TN", "SM80_16x8x16_F32BF16BF16F32_TN"):
        assert printed(mma_atom(name)) == printed(by_ptx)
    assert printed(mma_atom("SM80_16x8x8_F32F16F16F32_TN")) != printed(by_ptx)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("cdna3.mfma<16x16x16, (f16, f16) -> f32>", "mfma_f32_16x16x16f16"),
        ("cdna3.mfma<32x32x8, (bf16,bf16)->f32>", "mfma_f32_32x32x8bf16_1k"),
        ("cdna3.mfma<16x16x32, (f8E4M3FNUZ, f8E4M3FNUZ) -> f32>", "mfma_f32_16x16x32_fp8_fp8"),
        ("cdna3.mfma<16x16x4, (f32,f32) -> f32>", "mfma_f32_16x16x4f32"),
        ("cdna4.mfma<16x16x32, (f16,f16)->f32>", "mfma_f32_16x16x32_f16"),
    ],
)
def test_flydsls_types_are_instructions(said: str, name: str) -> None:
    """As its documents and tests write them (ROCm/FlyDSL, tests/mlir/Conversion/mma_atom.mlir)."""
    for text in (f"!fly_rocdl.{said}", f"!fly.mma_atom<!fly_rocdl.{said}>"):
        assert mma_atom(text) == mma_atom(name)
