"""Registers go through shared memory as Triton's own code does, and cost what the bank model says of each address."""

import json
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from layoutalg.errors import LayoutError
from layoutalg.interop.triton import conflict_free, from_triton, linear_layout
from layoutalg.interop.triton.accesses import Conflicts, meeting_of
from layoutalg.interop.triton.attribute import parse
from layoutalg.interop.triton.shared import shared
from layoutalg.layout import TileDistribution
from layoutalg.memory.banks import AccessError, phase_cycles
from layoutalg.prove import Proved, Refuted
from layoutalg.target.model import TargetError
from tests.interop.triton.record import element_of
from tests.matrix import turns

HERE = Path(__file__).parent
MFMA = "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>"
OPERAND = f"#ttg.dot_op<{{opIdx = 0, parent = {MFMA}, kWidth = 8}}>"
TILE = "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>"


@cache
def recorded(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / f"{name}.jsonl").read_text().splitlines()]


def by_enumeration(one: dict[str, Any], found: Conflicts, size: int) -> int:
    """The most cycles of a phase, from each element's place: nothing of formulas, descriptors or F₂."""
    memory = shared(parse(one["shared"]), one["shape"]).joined
    place = {}
    for offset in range(int(np.prod(one["shape"]))):
        place[tuple(memory.linear.apply(offset=offset).values())] = offset
    held = linear_layout(one["registers"], one["shape"]).without_copies()
    sizes, most = held.places, 0
    for register in range(sizes["register"]):
        if place[tuple(held.apply(register=register).values())] % found.access.lanes.width:
            continue
        for warp in range(sizes["warp"]):
            at = [held.apply(register=register, lane=lane, warp=warp) for lane in range(sizes["lane"])]
            addresses = [memory.padded(place[tuple(index.values())]) * size for index in at]
            cycles = phase_cycles(found.access.target, found.access.instruction, addresses)
            most = max(most, int(cycles.max()))
    return most


def _asked(one: dict[str, Any], target: str) -> Conflicts:
    dtype = {"i8": "u8"}.get(element_of(one["shared"]), element_of(one["shared"]))
    return conflict_free(one["shared"], one["registers"], target, shape=one["shape"], dtype=dtype)


def test_vectors_are_as_wide_as_triton_stores_them() -> None:
    assert len(recorded("widths")) == 80
    for one in recorded("widths"):
        memory, held = shared(parse(one["shared"]), one["shape"]), linear_layout(one["registers"], one["shape"])
        lanes = meeting_of(memory, held, "f16").lanes
        assert lanes.width == one["width"], one


def _excess(found: Conflicts) -> int:
    """Cycles of each phase over one, as Gluon counts: phases that are served in twos are two."""
    assert found.cost is not None
    assert found.cost.exact
    return max(0, -(-found.cost.total[0] // found.ideal) - 1)


def _agrees_with_gluon(ones: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those that Gluon counts otherwise than we do."""
    others = []
    for one in ones:
        found = _asked(one, "sm_90")
        if _excess(found) != one["conflicts"]:
            assert found.cost is not None
            assert found.cost.degree == by_enumeration(one, found, 2), one
            others.append(one)
    return others


def test_conflicts_are_those_that_gluon_counts() -> None:
    """But where a swizzle exchanges the halves of a dword: there Gluon counts half of what lanes really ask for."""
    others = _agrees_with_gluon(recorded("conflicts")[::25])
    assert all("vec = 1," in one["shared"] for one in others)


@pytest.mark.slow
def test_all_conflicts_are_those_that_gluon_counts() -> None:
    others = _agrees_with_gluon(recorded("conflicts"))
    assert len(others) == 13
    for one in others:
        assert "vec = 1," in one["shared"]
        assert _excess(_asked(one, "sm_90")) == 2 * one["conflicts"] + 1


@pytest.mark.parametrize(("target", "part"), turns(product(["gfx942", "gfx950"], range(4))))
def test_verdicts_are_those_of_enumeration(target: str, part: int) -> None:
    """Of registers and memory by chance, padded too: what is proved free is so at every address."""
    proved = 0
    for one in recorded("widths")[part::4]:
        found = _asked(one, target)
        if found.cost is None:
            assert "is a multiple of" in found.witness
            continue
        most = by_enumeration(one, found, 2)
        assert (found.cost.degree, bool(found)) == (most, most == 1), one
        proved += bool(found)
    assert 0 < proved < len(recorded("widths")[part::4])


def test_tritons_padded_layouts_for_gfx950_are_free() -> None:
    """The twelve of 16-bit elements with k contiguous that are read 16 bytes at a time, and aligned."""
    chosen = [
        one for one in recorded("padded")
        if one["along_k"] and one["bits"] == 16 and one["registers"].endswith("kWidth = 8}>")
    ]  # fmt: skip
    assert len(chosen) == 12
    for one in chosen:
        found = _asked(one, "gfx950")
        assert isinstance(found.verdict, Proved)
        assert found.cycles == (4, 4)
    assert by_enumeration(chosen[0], _asked(chosen[0], "gfx950"), 2) == 1


def test_a_padding_that_unaligns_vectors_is_told() -> None:
    """Triton 3.9 takes 4 elements of padding, 8 bytes, where kWidth = 16 reads 16 bytes at a time."""
    (one, *_) = (
        one for one in recorded("padded")
        if one["along_k"] and one["bits"] == 16 and one["registers"].endswith("kWidth = 16}>")
    )  # fmt: skip
    assert "[512:+4]" in one["shared"]
    found = _asked(one, "gfx950")
    assert isinstance(found.verdict, Refuted)
    assert "every address is a multiple of 16: not at" in found.witness


@pytest.mark.parametrize(("target", "free"), [("gfx942", True), ("gfx950", False)])
def test_one_layout_is_free_on_one_target_and_not_on_the_next(target: str, free: bool) -> None:
    """As the table of lane groups has it: 64 xor, one layer, 32 × 32."""
    found = conflict_free(TILE, OPERAND, target, shape=(128, 64), dtype="f16")
    assert bool(found) is free
    assert found.cycles == (8, 8)
    assert found.ideal == (8 if free else 4)
    assert ("lanes 0 and 24 of phase 0 want dwords" in found.witness) is not free


def test_a_neighbour_of_a_free_layout_is_not_free() -> None:
    for text in (TILE.replace("maxPhase = 8", "maxPhase = 4"), TILE.replace("perPhase = 1", "perPhase = 4")):
        found = conflict_free(text, OPERAND, "gfx942", shape=(128, 64), dtype="f16")
        assert isinstance(found.verdict, Refuted)


def test_distributions_and_ours_are_taken_too() -> None:
    tile = from_triton(OPERAND, (128, 64))
    assert isinstance(tile, TileDistribution)
    found = conflict_free(TILE, tile, "gfx942", shape=(128, 64), dtype="f16")
    assert str(found) == "load by ds_read_b128 on gfx942: proved, 8 cycles of 8"


def test_what_is_no_access_is_refused() -> None:
    with pytest.raises(LayoutError, match="no element type 'f17'"):
        conflict_free(TILE, OPERAND, "gfx942", shape=(128, 64), dtype="f17")
    with pytest.raises(TargetError, match=r"gfx942 has no f4; of such types it has tf32 \(e8m10\), f8 \(e4m3fnuz\)"):
        conflict_free(TILE, OPERAND, "gfx942", shape=(128, 64), dtype="f4")
    with pytest.raises(TargetError, match="unknown target 'gfx1'"):
        conflict_free(TILE, OPERAND, "gfx1", shape=(128, 64), dtype="f16")
    with pytest.raises(AccessError, match="a lane map of 64 lanes; ds_load_b128 on gfx1201 takes 32"):
        conflict_free(TILE, OPERAND, "gfx1201", shape=(128, 64), dtype="f16")
    with pytest.raises(LayoutError, match="no shared layout of that name"):
        conflict_free(OPERAND, OPERAND, "gfx942", shape=(128, 64), dtype="f16")
    with pytest.raises(LayoutError, match=r"registers of \[64\] for a memory of"):
        meeting_of(
            shared(parse(TILE), (128, 64)), linear_layout(f"#ttg.slice<{{dim = 0, parent = {MFMA}}}>", [64]), "f16"
        )
