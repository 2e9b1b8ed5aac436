"""Lanes that Triton takes to be served together: triton-lang/triton #11365 and #9662, beside our lane groups."""

import re
from itertools import product

import pytest

from layoutalg.interop.triton import conflict_free
from layoutalg.prove import Proved, Refuted
from layoutalg.target import target

MI300 = "0-3 20-23, 32-35 52-55, 4-7 16-19, 36-39 48-51, 8-11 28-31, 40-43 60-63, 12-15 24-27, 44-47 56-59"
"""#11365, its table of ds_read_b128 on MI300; the table of #9662's unit test has the same groups."""
MI350 = "0-3 12-15 20-23 24-27, 32-35 44-47 52-55 56-59, 4-7 8-11 16-19 28-31, 36-39 40-43 48-51 60-63"
GFX12 = "0-7, 8-15, 16-23, 24-31"
"""#11365, ds_load_b128: in order, as gfx1250 is taken to serve them too."""


def groups(text: str) -> set[frozenset[int]]:
    ranges = (re.findall(r"(\d+)-(\d+)", phase) for phase in text.split(","))
    return {frozenset(n for low, high in phase for n in range(int(low), int(high) + 1)) for phase in ranges}


def ours(name: str, instruction: str) -> set[frozenset[int]]:
    return set(map(frozenset, target(name).instruction(instruction).phases))


def cosets(lanes: int, *basis: int) -> set[frozenset[int]]:
    """The lanes that differ by a sum of the basis, over F₂."""
    span = {0}
    for one in basis:
        span |= {at ^ one for at in span}
    return {frozenset(lane ^ at for at in span) for lane in range(lanes)}


@pytest.mark.parametrize(
    ("name", "instruction", "table"),
    [("gfx942", "ds_read_b128", MI300), ("gfx950", "ds_read_b128", MI350), ("gfx1201", "ds_load_b128", GFX12)],
)
def test_lane_groups_are_those_of_tritons_tables(name: str, instruction: str, table: str) -> None:
    assert ours(name, instruction) == groups(table)


def test_spans_are_those_that_triton_takes() -> None:
    """#11365: V0 = span(l0, l1, l2 ⊕ l4) on MI300, span(l0, l1, l2 ⊕ l3, l2 ⊕ l4) on MI350; others are its shifts."""
    assert ours("gfx942", "ds_read_b128") == cosets(64, 1, 2, 4 ^ 16)
    assert ours("gfx950", "ds_read_b128") == cosets(64, 1, 2, 4 ^ 8, 4 ^ 16)
    assert ours("gfx950", "ds_read_b128") != cosets(64, 1, 2, 4 ^ 8)


def test_a_phase_that_its_review_derives_is_not_its_table() -> None:
    """#9662's review reads phase[2] = t[3] ⊕ t[4] off the table, whose lanes 20 to 23 are in phase 0: it is t[3]."""
    bits = [[lane >> n & 1 for n in range(6)] for lane in range(64)]
    said = [(t[5], t[2] ^ t[4], t[3] ^ t[4]) for t in bits]
    table = [(t[5], t[2] ^ t[4], t[3]) for t in bits]
    assert {frozenset(n for n in range(64) if table[n] == phase) for phase in table} == groups(MI300)
    assert {frozenset(n for n in range(64) if said[n] == phase) for phase in said} != groups(MI300)


@pytest.mark.parametrize(
    ("name", "instruction", "banks", "phases"),
    [("sm_90", "ld.shared.64", 32, 2), ("gfx942", "ds_read_b64", 32, 4), ("gfx950", "ds_read_b64", 64, 2)],
)
def test_phases_of_64_bits_are_as_many_as_triton_drops_lanes_for(
    name: str, instruction: str, banks: int, phases: int
) -> None:
    """#9662's table: log2(threads · bits / (banks · 32)) lane bases are dropped."""
    one = target(name).instruction(instruction)
    assert (one.banks, len(one.phases)) == (banks, phases)


def test_gfx1250_is_taken_in_order_too() -> None:
    """Ours are a guess that says so: as many as 64 banks serve; Triton's groups of 8 lie within them."""
    wide = ours("gfx1250", "ds_load_b128")
    assert all(any(group <= one for one in wide) for group in groups(GFX12))


ROWS = "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [64, 1], warpsPerCTA = [1, 1], order = [1, 0]}>"


@pytest.mark.parametrize(("name", "phase"), list(product(("gfx942", "gfx950"), (1, 2, 4))))
def test_what_the_groups_are_worth(name: str, phase: int) -> None:
    """A lane a row of 128 bytes, xor-ed with the row: free where the rows of a group differ, and in no other way."""
    tile = f"#ttg.swizzled_shared<{{vec = 8, perPhase = {phase}, maxPhase = 8, order = [1, 0]}}>"
    found = conflict_free(tile, ROWS, name, shape=(64, 64), dtype="f16")
    banks = target(name).instruction("ds_read_b128").banks // 4
    crowded = 0
    for group in ours(name, "ds_read_b128"):
        slots = [(lane * 8 + lane // phase % 8) % banks for lane in group]
        crowded = max(crowded, *map(slots.count, slots))
    assert isinstance(found.verdict, Proved if crowded == 1 else Refuted)
    assert found.cost is not None
    assert found.cost.degree == crowded
