"""Linear swizzles: what the solver finds and what it says cannot be, against every choice tried one by one."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

from layoutalg.index import var
from layoutalg.index.evaluate import grid
from layoutalg.index.f2 import span
from layoutalg.memory import lane_map, price
from layoutalg.prove import Bijective, Proved, prove
from layoutalg.synth.fields import placed
from layoutalg.synth.linear import demands, find_swizzle, swizzle_descriptor
from layoutalg.synth.problem import Problem, Use, gemm_problem
from tests.matrix import some

LANE = var("lane", 64)


def rows_by(*basis: int) -> Use:
    """Lane l writes the row that is the sum over F₂ of the basis vectors of l's low three bits, for all l alike."""
    row = LANE % 2 * basis[0] ^ LANE // 2 % 2 * basis[1] ^ LANE // 4 % 2 * basis[2]
    return Use(lane_map(LANE, (row, 0), 8, name=f"rows by {basis}"), "write")


def tiny(*uses: Use) -> Problem:
    """16 rows of one vector: 16 places, of which a phase of eight lanes may use each of eight slots once."""
    return Problem((16, 8), "f16", uses, ("gfx942",))


def slot(columns: tuple[int, ...], vector: int) -> int:
    """The columns of the vector's bits, xor-ed."""
    found = 0
    for j, q in enumerate(columns):
        found ^= q if vector >> j & 1 else 0
    return found


def phases_of(problem: Problem) -> set[frozenset[int]]:
    """The rows that each phase of each access wants."""
    found = set()
    for use in problem.uses:
        rows = grid(use.lanes.index[0], [LANE, use.lanes.element])[:, 0]
        found |= {frozenset(rows[first : first + 8].tolist()) for first in range(0, 64, 8)}
    return found


def fits(columns: tuple[int, ...], wanted: set[frozenset[int]], most: int) -> bool:
    """Whether these columns serve every phase, by counting."""
    return all(max(Counter(slot(columns, v) for v in vectors).values()) <= most for vectors in wanted)


@pytest.mark.parametrize("seed", some(range(12), 2))
@pytest.mark.parametrize("most", [1, 2])
def test_the_solver_agrees_with_every_choice_tried(seed: int, most: int) -> None:
    rng = np.random.default_rng(seed)
    uses = [rows_by(*(int(b) for b in rng.choice(np.arange(1, 16), 3))) for _ in range(int(rng.integers(1, 6)))]
    problem = tiny(*uses)
    found = find_swizzle(problem, most)
    assert found is not None
    wanted = phases_of(problem)
    exists = any(fits(columns, wanted, most) for columns in product(range(8), repeat=4))
    assert (found.columns is not None) == exists
    if found.columns is None:
        assert isinstance(found.verdict, Proved)
    else:
        assert fits(found.columns, wanted, most)
        descriptor = swizzle_descriptor(problem, found.columns)
        assert isinstance(prove(Bijective(descriptor)), Proved)
        assert max(price(access).degree for access in problem.accesses(descriptor)) <= most  # type: ignore[union-attr]


def test_three_planes_that_no_swizzle_serves() -> None:
    """Free of conflicts on planes x·h = 0 needs x·h = 1 for the vector that shares a slot; h₁ + h₂ = h₃ forbids it."""
    problem = tiny(rows_by(2, 4, 8), rows_by(1, 4, 8), rows_by(3, 4, 8))
    none = find_swizzle(problem)
    assert none is not None
    assert none.columns is None
    assert isinstance(none.verdict, Proved)
    assert none.verdict.claim.startswith(
        "every linear swizzle takes more than 1 cycle in some phase of: rows by (2, 4, 8)"
    )
    two = find_swizzle(problem, 2)
    assert two is not None
    assert two.columns is not None


@pytest.mark.parametrize("seed", some(range(20), 3))
def test_a_descriptor_puts_every_vector_into_its_slot(seed: int) -> None:
    rng = np.random.default_rng(seed)
    problem = gemm_problem(64, 32, "f16", "mfma_f32_16x16x32_f16", ("gfx942", "gfx950"))
    columns = tuple(int(q) for q in rng.integers(0, 16, 8))
    while len(span([sum((q >> k & 1) << j for j, q in enumerate(columns)) for k in range(4)])) < 16:
        columns = tuple(int(q) for q in rng.integers(0, 16, 8))
    descriptor = swizzle_descriptor(problem, columns)
    assert isinstance(prove(Bijective(descriptor)), Proved)
    row, vector = var("row", 64), var("vector", 4)
    slots = grid(descriptor.offset((row, vector * 8)), [row, vector]).reshape(-1) // 8 % 16
    wanted = [slot(columns, u) for u in range(256)]
    changed: dict[int, int] = {}
    for found, want in zip(slots.tolist(), wanted, strict=True):
        assert changed.setdefault(want, found) == found, "slots differ exactly where the columns say"
    assert len(set(changed.values())) == 16
    low = {want % 8: found % 8 for want, found in changed.items()}
    assert all(low[want % 8] == found % 8 for want, found in changed.items()), "and so for a target of eight slots"


def test_undetermined_slots_are_filled() -> None:
    pivots, masks = placed((1, 0, 0, 1), 8)
    assert (pivots, masks) == ([0, 1, 2], [9, 2, 4])


def test_a_tile_that_is_no_power_of_two_asks_nothing() -> None:
    assert demands(gemm_problem(64, 96, "f16", "mfma_f32_32x32x16_f16", ("gfx942",))) is None
    assert find_swizzle(gemm_problem(96, 64, "f16", "mfma_f32_32x32x16_f16", ("gfx942",))) is None
