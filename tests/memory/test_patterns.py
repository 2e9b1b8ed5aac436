"""Lanes that take part, and lanes that leave the lengths: every verdict against enumeration of lanes and sizes.

Each failure names its seed (`tests.fuzzing`).  The oracle counts dwords and bytes one by one and shares nothing with
what it judges but the expressions' values and the target's lane groups.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

import numpy as np
import pytest

from layoutalg.index import TRUE, Expr, all_of, eq, symbol, var, variables
from layoutalg.index.evaluate import array, value
from layoutalg.layout import PassThrough, RightPad, TensorDescriptor, transform_tensor_descriptor
from layoutalg.layout import make_naive_tensor_descriptor as naive
from layoutalg.memory import Coalesced, ConflictDegree, ConflictFree, Cycles, LaneMap, Reach, access, lane_map
from layoutalg.memory.lanes import within
from layoutalg.prove import InjectiveMap, Proved, Refuted, Verdict, prove
from layoutalg.prove.claims.given import ExplicitClaim
from layoutalg.target import target
from layoutalg.target.dtypes import DTYPES
from tests.fuzzing import FIRST, count
from tests.matrix import some

CASES = count(24, dear=20)
LANE = var("lane", 64)


@dataclass(frozen=True)
class Case:
    """An access, and the values of its variables that are looked at: all of them where `exact`."""

    tile: TensorDescriptor
    lanes: LaneMap
    size: int
    given: Expr
    over: tuple[tuple[Expr, range], ...]
    exact: bool
    gpu: str = "gfx942"


@dataclass(frozen=True)
class Wave:
    """What one wave does: who takes part, the first byte of each, and what is wrong with it (nothing: '')."""

    there: np.ndarray
    where: np.ndarray
    wrong: str


def points(case: Case) -> Iterator[dict[Expr, int]]:
    """Every choice of values that the variables can have."""

    def further(at: dict[Expr, int], rest: tuple[tuple[Expr, range], ...]) -> Iterator[dict[Expr, int]]:
        if not rest:
            yield at
            return
        v, choices = rest[0]
        for n in choices:
            s = v.value
            if n <= s.hi and (s.extent is None or n < value(s.extent, at)) and n % s.multiple_of == 0:
                yield from further({**at, v: n}, rest[1:])

    yield from further({}, case.over)


def wave(case: Case, at: dict[Expr, int]) -> Wave | None:
    """What a wave does at these values; None where they are not given."""
    m, width = case.lanes, case.lanes.width
    lane = np.arange(m.lanes)[:, None]
    known: dict[Expr, object] = {**at, m.lane: lane}
    if width > 1:
        known[m.element] = np.arange(width)[None, :]
    shape = (m.lanes, width)
    given, valid, offset, *index = (
        np.broadcast_to(one, shape)
        for one in array([case.given, case.tile.valid(m.index), case.tile.offset(m.index), *m.index], known)
    )
    let = given[:, 0] != 0
    lone = all_of(
        *(p for p in (case.given.args if case.given.op == "all" else (case.given,)) if m.lane not in variables(p))
    )
    if not value(lone, at):
        return None
    lengths = [value(n, at) for n in case.tile.lengths]
    outside = np.zeros(shape, bool)
    for i, n in zip(index, lengths, strict=True):
        outside |= (i < 0) | (i >= n)
    some = valid != 0
    torn = some.any(axis=1) != some.all(axis=1)
    there = let & some[:, 0]
    apart = (offset != offset[:, :1] + np.arange(width)).any(axis=1)
    wrong = "outside" if outside[let].any() else "torn" if torn[let].any() else "apart" if apart[there].any() else ""
    return Wave(there, offset[:, 0] * case.size, wrong)


def cycles(case: Case, one: Wave, instruction: str) -> list[int] | str:
    """Of each phase: the most different dwords that lanes which take part want of one bank."""
    how, gpu = target(case.gpu).instruction(instruction), target(case.gpu)
    mine = one.where[one.there]
    if one.wrong:
        return one.wrong
    if (mine % how.alignment).any() or (mine < 0).any() or (mine + how.bytes > gpu.lds_bytes).any():
        return "no address"
    found = []
    for group in how.phases:
        wanted: dict[int, set[int]] = {}
        for lane in group:
            if one.there[lane]:
                for dword in range(one.where[lane] // 4, (one.where[lane] + how.bytes + 3) // 4):
                    wanted.setdefault(dword % how.banks, set()).add(dword)
        found.append(max(map(len, wanted.values()), default=0))
    return found


def wasted(case: Case, one: Wave, segment: int) -> int:
    """Segments touched beyond the fewest that could hold the bytes."""
    width = case.lanes.width * case.size
    all_bytes = {int(a) + n for a in one.where[one.there] for n in range(width)}
    touched = {b // segment for b in all_bytes}
    return len(touched) - -(-len(all_bytes) // segment)


def random_case(rng: Random) -> Case:
    """A tile, perhaps padded, at sizes that are numbers, bounded or not; who takes part in many ways."""
    kind = rng.choice(["numbers", "bounded", "free"])
    m: Expr | int = rng.choice([8, 40, 64, 100, 130, 256])
    top = 96 if kind == "bounded" else None
    if kind != "numbers":
        m = symbol("M", min=rng.choice([1, 1, 33, 64]), max=top, multiple_of=1)
    over: list[tuple[Expr, range]] = [] if kind == "numbers" else [(m, range(int(m.lo), 97 if top else 200))]
    size = rng.choice([2, 4])
    width = rng.choice([1, 2, 4]) if size == 4 else rng.choice([2, 4, 8])
    pad = rng.choice([0, 8])
    columns = rng.choice([8, 16, 32])
    step = rng.choice([16, 32, 64])
    block = var("block", (m + (step - 1)) // step if kind != "numbers" else (m + step - 1) // step)
    if block.op == "var":
        over.append((block, range(260 // step + 2)))
    each = columns // width if columns >= width else 1
    row = block * step + rng.choice([LANE // each, LANE % step, LANE // each])
    column = rng.choice([LANE % each * width, LANE // step * width % columns, 0])
    if rng.random() < 0.3:  # one long row
        tile, index = naive((m * 8 if rng.random() < 0.5 else m,), (1,)), (block * step * width + LANE * width,)
    else:
        tile, index = naive((m, columns), (columns + pad, 1)), (row, column)
        if rng.random() < 0.3:
            tile = transform_tensor_descriptor(
                tile,
                (RightPad(m, rng.choice([8, 64, 72])), PassThrough(columns)),
                ((0,), (1,)),
                ((0,), (1,)),
            )
    masks = [
        row < m, row < m, index[0] < tile.lengths[0], index[-1] + width <= tile.lengths[-1], LANE < 32, LANE < 10,
        LANE % 4 < 3, LANE >= 7, block * step + LANE < m, eq(LANE % 2, 0), LANE + block < 50, m > LANE // 8 * 8, TRUE,
    ]  # fmt: skip
    given = all_of(*(rng.choice(masks) for _ in range(rng.randint(1, 3))))
    if kind != "numbers" and rng.random() < 0.3:
        given = all_of(given, rng.choice([m >= 48, eq(m % 8, 0), eq(m % 64, 0)]))
    return Case(tile, lane_map(LANE, index, width), size, given, tuple(over), kind != "free",
                rng.choice(["gfx942", "gfx950"]))  # fmt: skip


def instruction_of(case: Case, rng: Random) -> str:
    bits = case.lanes.width * case.size * 8
    return f"{rng.choice(['ds_read', 'ds_write'])}_b{bits}"


def judge(verdict: Verdict, holds: bool, some: bool, case: Case, about: object) -> str:
    """The verdict's name, once it is none that the oracle contradicts."""
    if not some:  # where nobody ever takes part, only what leaves the lengths can be said
        assert not isinstance(verdict, Proved), (about, verdict)
        return "nobody"
    if isinstance(verdict, Proved):
        assert holds, (about, verdict)
    elif isinstance(verdict, Refuted) and case.exact:
        assert not holds, (about, verdict)
    return verdict.name


def at_witness(case: Case, verdict: Refuted) -> dict[Expr, int]:
    """The values of the variables that a witness names, the least of those that it leaves out."""
    named = verdict.witness.points[0]
    return {v: int(named.get(v.value.name, v.lo)) for v, _ in case.over}


@pytest.mark.fuzz
@pytest.mark.parametrize("block", some(range(6), 1))
def test_verdicts_are_those_of_enumeration(block: int) -> None:
    seen: Counter[str] = Counter()
    for number in range(block, CASES, 6):
        rng = Random(FIRST + number)
        case = random_case(rng)
        waves = [one for at in points(case) if (one := wave(case, at)) is not None]
        some = any(one.there.any() for one in waves)
        seed = FIRST + number
        seen |= {f"conflicts: {name}": n for name, n in _conflicts(case, waves, some, rng, seed).items()}
        seen[f"coalesced: {_coalesced(case, waves, some, seed)}"] += 1
        seen[f"injective: {_injective(case, some, seed)}"] += 1
    for kind in ("conflicts", "coalesced", "injective"):
        known = seen[f"{kind}: proved"] + seen[f"{kind}: refuted"]
        assert CASES < 60 or known > 0, seen


def _conflicts(case: Case, waves: list[Wave], some: bool, rng: Random, seed: int) -> Counter[str]:
    seen: Counter[str] = Counter()
    how = instruction_of(case, rng)
    if case.tile.element_space_size.lo * case.size > target(case.gpu).lds_bytes:
        return seen
    one = access(case.tile, case.lanes, f"u{8 * case.size}", case.gpu, how, case.given)
    each = [cycles(case, w, how) for w in waves]
    fine = all(isinstance(c, list) for c in each)
    most = max((max(c) for c in each if isinstance(c, list)), default=0)
    totals = {sum(c) for c in each if isinstance(c, list)}
    total = rng.choice(sorted(totals) or [1])
    claims = [
        (ConflictFree(one), fine and most <= 1),
        (ConflictDegree(one, 2), fine and most <= 2),
        (Cycles(one, total), fine and totals == {total}),
    ]
    for claim, holds in claims:
        verdict = prove(claim)
        about = (seed, claim.statement(), one.start, case.tile.lengths, case.given)
        seen[judge(verdict, holds, some, case, about)] += 1
        if isinstance(verdict, Refuted):
            here = wave(case, at_witness(case, verdict))
            assert here is not None, (about, verdict)
            found = cycles(case, here, how)
            most_allowed = {"conflict_free": 1, "conflict_degree": 2}.get(claim.name, 64)
            bad = (
                isinstance(found, str) or max(found) > most_allowed or (claim.name == "cycles" and sum(found) != total)
            )
            assert bad, (about, verdict, found)
    return seen


def _coalesced(case: Case, waves: list[Wave], some: bool, seed: int) -> str:
    gpu = target(case.gpu)
    claim = Coalesced(Reach(case.tile, case.lanes, DTYPES[f"u{8 * case.size}"], given=case.given), gpu)
    holds = all(not w.wrong and not any(wasted(case, w, s) for s in gpu.segments) for w in waves)
    verdict = prove(claim)
    about = (seed, claim.statement(), claim.access.start, case.tile.lengths, case.given)
    if isinstance(verdict, Refuted):
        here = wave(case, at_witness(case, verdict))
        assert here is not None, (about, verdict)
        assert here.wrong or any(wasted(case, here, s) for s in gpu.segments), (about, verdict)
    return judge(verdict, holds, some, case, about)


def _injective(case: Case, some: bool, seed: int) -> str:
    m = case.lanes
    over = tuple(v for v in (m.lane, m.element, *(v for v, _ in case.over if v.value.name == "block")) if v.op == "var")
    words = InjectiveMap(
        "offsets differ", over, (case.tile.offset(m.index),), all_of(case.given, case.tile.valid(m.first))
    )
    claim = ExplicitClaim("lanes reach different elements", (*within(case.tile, m, case.given), words))
    reached: dict[tuple[tuple[Expr, int], ...], list[int]] = {}
    wrong = False
    for at in points(case):
        one = wave(case, at)
        if one is None:
            continue
        wrong |= one.wrong in ("outside", "torn")
        sizes = tuple((v, n) for v, n in at.items() if v.value.name != "block")
        offsets = np.broadcast_to(
            array([case.tile.offset(m.index)], {**at, m.lane: np.arange(m.lanes)[:, None],
                  **({m.element: np.arange(m.width)} if m.width > 1 else {})})[0], (m.lanes, m.width),
        )  # fmt: skip
        reached.setdefault(sizes, []).extend(offsets[one.there].reshape(-1).tolist())
    holds = not wrong and all(len(set(o)) == len(o) for o in reached.values())
    return judge(prove(claim), holds, some, case, (seed, case.tile.lengths, m.index, case.given))


def test_traffic_is_refuted_only_where_what_is_given_holds() -> None:
    shift, rows = symbol("S"), symbol("M", min=0)
    line = Reach(naive((shift + 64,), (1,)), lane_map(LANE, (LANE + shift,)), DTYPES["f16"], given=eq(shift % 64, 0))
    assert not isinstance(prove(Coalesced(line, target("gfx942"))), Refuted)  # S = 1 wastes, and is not given
    column = Reach(naive((rows, 128), (144, 1)), lane_map(LANE, (LANE % 16, 0)), DTYPES["f16"], given=rows >= 20)
    verdict = prove(Coalesced(column, target("gfx942")))
    assert isinstance(verdict, Refuted)
    assert verdict.witness.points[0]["M"] >= 20
