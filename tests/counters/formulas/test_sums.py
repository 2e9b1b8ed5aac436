"""Points of boxes by formula, beside counting them."""

import random
from collections.abc import Sequence

import numpy as np
import pytest

from layoutalg.counters.formulas.sums import CountIndex, NotCountedError, count
from layoutalg.index import TRUE, Expr, any_of, array, const, div, eq, negation, simplify, symbol, value, var, variables
from layoutalg.prove import ForAll, Limits, holds

N = symbol("n", min=1, max=60)
B, T = var("b", 1 << 20), var("t", 1 << 20)


def shown(goal: Expr) -> bool:
    return simplify(goal) is TRUE or holds(ForAll("a step", goal, N >= 1), Limits(seconds=0.2))


def counted(indices: Sequence[CountIndex], conditions: Sequence[Expr], n: int) -> int:
    """One by one; an index without an extent below 300."""
    at = {N: n}
    extents = [300 if one.extent is None else value(one.extent, at if variables(one.extent) else {}) for one in indices]
    axes = np.meshgrid(*(np.arange(max(0, extent)) for extent in extents), indexing="ij")
    known = {N: np.array(n)} | {one.variable: axis for one, axis in zip(indices, axes, strict=True)}
    holds_at = np.ones(axes[0].shape, np.bool_)
    for one in conditions:
        found = array([one], {v: known[v] for v in variables(one)})[0]
        holds_at &= np.broadcast_to(found, holds_at.shape).astype(np.bool_)
    return int(holds_at.sum())


def box(draw: random.Random) -> tuple[list[CountIndex], list[Expr]]:
    waves = draw.choice([1, 2, 3, 4])
    w = var("w", waves)
    indices = [
        CountIndex(B, draw.choice([div(N + 7, 8), N, const(3), div(N, 4)])),
        CountIndex(w, const(waves)),
        CountIndex(T, draw.choice([N, const(4), div(N + 2, 3), None])),
    ]
    conditions = []
    for _ in range(draw.choice([1, 1, 2, 3])):
        room = const(draw.randint(-9, 9)) + N * draw.choice([0, 1, 2])
        for one in indices:
            if draw.random() < 0.6:
                room = room - one.variable * draw.choice([1, 2, 4, 8, 16, 8 * waves, -1, -3])
        conditions.append(negation(room >= 0) if draw.random() < 0.15 else room >= 0)
    if draw.random() < 0.1:
        conditions.append(eq(draw.choice([B, w, T]), draw.choice([const(2), N - 1])))
    if draw.random() < 0.2:
        conditions = [any_of(*conditions[:2]), *conditions[2:]]
    if indices[2].extent is None:
        conditions.append(N * 2 - T * 3 - B * draw.choice([0, 1]) >= 0)
    return indices, conditions


@pytest.mark.parametrize("seed", range(4))
def test_a_formula_counts_what_is_there(seed: int) -> None:
    draw, refused, rounds = random.Random(seed), 0, 60
    for _ in range(rounds):
        indices, conditions = box(draw)
        try:
            formula = count(indices, conditions, shown)
        except NotCountedError:
            refused += 1
            continue
        for n in (1, 2, 5, 13, 31, 60):
            by_formula = value(formula, dict.fromkeys(variables(formula), n))
            assert by_formula == counted(indices, conditions, n), (seed, n, indices, conditions, formula)
    assert refused < rounds / 2


def test_what_turns_round_lies_in_the_box() -> None:
    i = CountIndex(B, N)
    assert value(count([i], [B >= 5], shown), {N: 3}) == 0
    assert value(count([i], [B >= 5], shown), {N: 9}) == 4


def test_an_index_without_an_end_is_refused() -> None:
    with pytest.raises(NotCountedError, match="nothing is seen to limit t"):
        count([CountIndex(T, None)], [T >= 3], shown)


def test_an_extent_by_another_index_is_refused() -> None:
    with pytest.raises(NotCountedError, match="how far t goes is said by b"):
        count([CountIndex(B, N), CountIndex(T, B + 1)], [], shown)


def test_remainders_are_refused() -> None:
    with pytest.raises(NotCountedError):
        count([CountIndex(B, N)], [B % 7 >= 3], shown)
