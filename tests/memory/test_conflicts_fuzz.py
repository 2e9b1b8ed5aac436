"""Every verdict on random accesses, on every target and instruction, against the bank model on every address.

`LAYOUTALG_FUZZ=20000 pytest tests/memory/test_conflicts_fuzz.py` is a long run; each failure names its seed, and
`LAYOUTALG_SEED` moves all of them.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest

from layoutalg.index import TRUE, Expr, as_expr, substitute, symbol, var
from layoutalg.index.evaluate import grid
from layoutalg.layout import make_naive_tensor_descriptor as naive
from layoutalg.memory import Access, ConflictDegree, ConflictFree, Cycles, Reach, access, lane_map
from layoutalg.memory.bank_cost import linear_cost
from layoutalg.memory.banks import phase_cycles
from layoutalg.memory.coalescing import fewest, segments
from layoutalg.memory.traffic import Traffic, traffic
from layoutalg.prove import Proved, Refuted, Unknown, prove
from layoutalg.target import target, target_names
from layoutalg.target.dtypes import DTYPES
from tests.fuzzing import FIRST, KNOWN, count
from tests.matrix import some

CASES = count(80, dear=4)


def term(rng: Random, v: Expr) -> Expr:
    """A multiple of some digits of a variable, or of its bits turned over."""
    e = v
    for _ in range(rng.randint(0, 2)):
        c = rng.choice([2, 3, 4, 5, 8, 16])
        e = rng.choice([e, e // c, e % c, e * c, e ^ c])
    return e * rng.choice([1, 2, 3, 4, 5, 8, 16, 32, 64])


def random_access(rng: Random) -> tuple[Access, np.ndarray] | None:
    """An access and its byte addresses, one row for each value of the variables; None where it leaves the LDS."""
    gpu = target(rng.choice(target_names()))
    how = rng.choice(list(gpu.instructions.values()))
    size = rng.choice([b for b in (1, 2, 4, 8) if how.bytes % b == 0])
    lane, s, u = var("lane", gpu.wave_size), var("s", rng.choice([2, 3, 5])), var("u", rng.choice([2, 3, 4]))
    total = term(rng, lane)
    for part in (term(rng, lane), term(rng, s), term(rng, u), as_expr(rng.randint(0, 3))):
        total = total ^ part if rng.random() < 0.4 else total + part
    total = total % 2048 if rng.random() < 0.5 else total
    offset = total * max(1, how.alignment // size)
    if offset.lo < 0 or offset.hi * size + how.bytes > gpu.lds_bytes:
        return None
    given = s < 2 if rng.random() < 0.2 else TRUE
    memory = naive((gpu.lds_bytes // size,), (1,))
    one = access(memory, lane_map(lane, (offset,), how.bytes // size), f"u{8 * size}", gpu, how, given)
    where = grid(offset * size, [s, u, lane])
    return one, (where if given is TRUE else where[:2]).reshape(-1, gpu.wave_size)


@pytest.mark.fuzz
@pytest.mark.parametrize("block", some(range(8), 3))
def test_verdicts_are_those_of_the_bank_model(block: int) -> None:
    seen: Counter[str] = Counter()
    for number in range(block, CASES, 8):
        seed = FIRST + number
        rng = Random(seed)
        made = random_access(rng)
        while made is None:
            made = random_access(rng)
        one, where = made
        cycles = phase_cycles(one.target, one.instruction, where)
        about = (seed, one.name, one.start, one.given)
        exact = linear_cost(one)
        if exact is not None:
            seen["linear"] += 1
            assert (cycles == np.array(exact.most)).all(), about
        for strategy in (None, "enumeration", "z3"):
            verdict = prove(ConflictFree(one), strategy=strategy)
            assert isinstance(verdict, Proved if cycles.max() == 1 else Refuted), (*about, verdict)
            seen[verdict.name] += 1
        for most in (1, 2, 4):
            verdict = prove(ConflictDegree(one, most))
            assert isinstance(verdict, Proved if cycles.max() <= most else Refuted), (*about, verdict)
        total = cycles.sum(axis=1)
        verdict = prove(Cycles(one, int(total[0])))
        assert isinstance(verdict, Proved if (total == total[0]).all() else Refuted), (*about, verdict)
    if KNOWN and CASES >= 160:  # of ten in a block too few may be free of conflicts
        assert min(seen["proved"], seen["refuted"]) > 5


@pytest.mark.fuzz
@pytest.mark.parametrize("block", range(4))
def test_the_traffic_of_symbolic_rows_bounds_that_of_every_size(block: int) -> None:
    known = 0
    for number in range(block, CASES // 2, 4):
        seed = FIRST + number
        rng = Random(seed)
        lane, n = var("lane", 64), symbol("N", min=rng.choice([1, 64, 256]), multiple_of=rng.choice([1, 8, 64, 256]))
        across = rng.choice([1, 4, 8, 16, 64])
        step = rng.choice([0, 1, 8, 64])
        offset = lane // across * n * rng.choice([1, 2]) + lane % across * rng.choice([1, 2, 8]) + n * step
        width, segment = rng.choice([1, 2, 4, 8]), rng.choice([32, 64, 128])
        found = traffic(Reach(naive((1 << 30,), (1,)), lane_map(lane, (offset,), width), DTYPES["f16"]), segment)
        if not isinstance(found, Traffic):
            continue
        known += 1
        for size in range(int(n.lo), int(n.lo) + 40 * n.value.multiple_of, n.value.multiple_of):
            where = 2 * grid(substitute(offset, {n: size}), [lane])
            touched, needed = int(segments(where, 2 * width, segment)), int(fewest(where, 2 * width, segment))
            assert found.touched[0] <= touched <= found.touched[1], (seed, size)
            assert found.fewest[0] <= needed <= found.fewest[1], (seed, size)
            assert touched - needed <= found.wasted, (seed, size)
    if KNOWN:
        assert known > 0 or CASES < 80


def test_nothing_is_left_unknown_where_everything_is_a_number() -> None:
    rng = Random(FIRST)
    for _ in range(20):
        made = random_access(rng)
        if made is not None:
            assert not isinstance(prove(ConflictFree(made[0])), Unknown)
