"""Tiled MMAs: each warp its atoms, and the parts of each thread as NVIDIA's own CuTe has them."""

import itertools
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from layoutalg.errors import LayoutError
from layoutalg.index import as_expr, value, var
from layoutalg.interop.cute import (
    Layout,
    NoLayoutError,
    TiledCopy,
    TiledMma,
    coalesce,
    cosize,
    distribution,
    make_tiled_mma,
    mma_atom,
    parse,
    size,
)
from layoutalg.interop.cute.layout import AnyLayout, ComposedLayout
from layoutalg.prove import Covers, prove
from tests.interop.cute import definitions, oracle
from tests.interop.cute.tiled import MMAS, Case, Part, cases


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


@cache
def recorded() -> tuple[dict[str, Any], ...]:
    """What CuTe says of the cases (`record`)."""
    lines = (Path(__file__).parent / "tiled.jsonl").read_text().splitlines()
    return tuple(json.loads(line) for line in lines)


def check_parts(told: dict[str, Any], case: Case) -> None:
    """One line: a thread-value layout, or what a thread has of a tensor, mode by mode and offset by offset."""
    if "tv" in told:
        ours = {"A": "a", "B": "b", "C": "c", "S": "source", "D": "destination"}[told["of"]]
        made, theirs = getattr(case.made, ours)(), parse(told["tv"])
        if told["of"] == "C" and deep(case.made):
            assert cosize(theirs) > size(Layout(case.made.tile[:2]))
            return
        assert coalesce(made, (1, 1)) == coalesce(theirs, (1, 1))
        return
    for one in case.parts:
        if one.method == told["method"]:
            check_part(told, case, one)


def deep(made: TiledMma | TiledCopy) -> bool:
    """Whether several atoms lie along k: then CUTLASS's get_layoutC_TV leaves C's tile; its partition_C does not."""
    return isinstance(made, TiledMma) and made.atoms.shape[2] > 1


def check_part(told: dict[str, Any], case: Case, one: Part) -> None:
    part, offset = getattr(case.made, one.method.lower())(one.tensor, told["thread"])
    below = part.layout if isinstance(part, ComposedLayout) else part
    assert definitions.lengths(below) == told["modes"], (case.cpp, told)
    assert [offset + part(n) for n in range(len(told["offsets"]))] == told["offsets"], (case.cpp, told)


def test_parts_are_those_of_nvidias_cute() -> None:
    """18 tiled MMAs of nine atoms: permuted, swizzled, staged; 108 parts. Of C with atoms along k, see `deep`."""
    every = dict(enumerate(cases()))
    mine = [told for told in recorded() if told["case"] < MMAS]
    assert len(mine) == MMAS * (3 + 3 * 2)
    for told in mine:
        check_parts(told, every[told["case"]])
    assert sum(deep(every[n].made) for n in range(MMAS)) == 5


def test_flydsls_worked_example() -> None:
    """Its printed tiled MMA: warps (2,2,1):(1,2,0), k permuted by (4,4,2):(1,8,4): 32 × 32 of A, in (m, k) steps.

    ((16,4,2,2),(4,(1,2))) : ((1m,8k,16m,0),(1k,(0,4k))) (FlyDSL's users' notes on its thrfrg, mfma 16x16x16 f16).
    """
    atom = "!fly_rocdl.cdna3.mfma<16x16x16, (f16, f16) -> f32>"
    tiled = make_tiled_mma(atom, Layout((2, 2, 1), (1, 2, 0)), (None, None, Layout((4, 4, 2), (1, 8, 4))))
    assert tiled.tile == (32, 32, 32)
    k = 32
    wanted = parse(f"((16,4,2,2),(4,(1,2))):((1,{8 * k},16,0),({k},(0,{4 * k})))")
    assert oracle.values(tiled.a()) == oracle.values(wanted)


def test_a_permutation_counts() -> None:
    """A neighbour of a tiled MMA, its n not permuted, has other parts: 8 columns of an atom are not 8 of the tile."""
    reordered = make_tiled_mma(
        "SM80_16x8x16_F32F16F16F32_TN", Layout((2, 1, 1)), (None, Layout((2, 4, 2), (1, 4, 2)), None)
    )
    plain = make_tiled_mma("SM80_16x8x16_F32F16F16F32_TN", Layout((2, 1, 1)), (None, 16, None))
    assert reordered.tile == plain.tile == (32, 16, 16)
    assert sorted(oracle.values(reordered.c())) == sorted(oracle.values(plain.c()))
    assert oracle.values(reordered.c()) != oracle.values(plain.c())
    assert prove(Covers(distribution(plain.c(), (32, 16), wave=32)))


def test_every_element_of_c_is_in_one_part() -> None:
    tiled = make_tiled_mma("SM90_64x32x16_F32F16F16_RS", Layout((2, 1, 1)))
    tensor = Layout((256, 64), (64, 1))
    held: list[int] = []
    for thread in range(int(tiled.threads)):
        part, offset = tiled.partition_c(tensor, thread)
        held += offsets_of(part, offset)
    assert sorted(held) == list(range(256 * 64))


def offsets_of(part: AnyLayout, offset: Any) -> list[int]:
    return [offset + part(n) for n in range(definitions.count_of(part))]


def test_a_thread_may_be_open() -> None:
    """Its part is one layout for all, and begins at a formula of it."""
    tiled = make_tiled_mma("SM80_16x8x16_F32F16F16F32_TN", Layout((2, 2, 1)))
    tensor, thread = Layout((64, 32)), var("thread", 128)
    part, begin = tiled.partition_b(tensor, thread)
    for number in (0, 33, 127):
        assert tiled.partition_b(tensor, number) == (part, value(as_expr(begin), {thread: number}))


@pytest.mark.parametrize("thread", [-1, 128, "3", None, 2.5])
def test_threads_that_do_not_take_part_are_refused(thread: Any) -> None:
    tiled = make_tiled_mma("SM80_16x8x16_F32F16F16F32_TN", Layout((2, 2, 1)))
    with pytest.raises(LayoutError, match=f"thread {thread!r}"):
        tiled.partition_a(Layout((64, 32)), thread)


def test_tiles_that_do_not_fit_are_refused() -> None:
    tiled = TiledMma(mma_atom("mfma_f32_16x16x16f16"), Layout((2, 2)))
    with pytest.raises(NoLayoutError, match="a tile of 48 for atoms of 16 and 2 warps"):
        tiled.c((48, 32))
    with pytest.raises(NoLayoutError, match="one of each of m, n and k is wanted"):
        make_tiled_mma("SM80_16x8x16_F32F16F16F32_TN", None, (32, 32))
    with pytest.raises(NoLayoutError, match="they are not numbered from 0 on"):
        make_tiled_mma("SM80_16x8x16_F32F16F16F32_TN", Layout((2, 2), (1, 4)))
    with pytest.raises(NoLayoutError, match="an MmaAtom or its name is wanted"):
        make_tiled_mma(None)  # type: ignore[arg-type]
    with pytest.raises(NoLayoutError, match="has two modes or more"):
        tiled.partition_a(Layout(64), 0)
