"""Attention by threads that each have a batch: proved, as it is carried out, and not proved where it is wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.index import TRUE, ZERO, Expr, all_of, any_of, as_expr, eq, symbol, var
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.copies import LARGEST
from layoutalg.kernel.library.product import blocks
from layoutalg.kernel.obligations.limits import launchable
from layoutalg.kernel.program import (
    Attend,
    Clear,
    Divide,
    Exponentiate,
    Fold,
    Load,
    Loop,
    MaskScores,
    Multiply,
    Program,
    Registers,
    Rescale,
    Rows,
    Statement,
    Store,
    Tensor,
)
from layoutalg.kernel.program.fragments import FMA, encoded
from layoutalg.kernel.verify import verify
from layoutalg.layout import LayoutError, make_naive_tensor_descriptor
from layoutalg.refine.trial import attempt, make_case
from layoutalg.target.dtypes import DTYPES

THREADS, SIDE = 64, 4
"""A block's batches; its rows, the keys of a tile and the elements of a head, so that one may stand for another."""
F32 = DTYPES["f32"]
BATCH, ROW, KEY = (var(name, LARGEST) for name in ("batch", "row", "key"))
G, M, N = (symbol(name, min=1, max=LARGEST) for name in "GMN")


def held(name: str, rank: int) -> Registers:
    """Each thread a batch's tile, whole."""
    lengths = [[THREADS], *([SIDE] for _ in range(rank))]
    return Registers(name, F32, encoded([], lengths, [[(1, 0)]], [(d + 2, 0) for d in range(rank)]))


def tensor(name: str, rows: Expr, turned: bool = False) -> Tensor:
    lengths, strides = (G, rows, as_expr(SIDE)), (rows * SIDE, as_expr(SIDE), as_expr(1))
    order = (0, 2, 1) if turned else (0, 1, 2)
    shape, steps = (tuple(of[d] for d in order) for of in (lengths, strides))
    return Tensor(name, F32, make_naive_tensor_descriptor(shape, steps), ("g", "i", "j"))


Q, K, V, TARGET = tensor("queries", M), tensor("keys", N), tensor("values", N, turned=True), tensor("target", M)
COUNTS = ((G + (THREADS - 1)) // THREADS, (M + (SIDE - 1)) // SIDE, as_expr(1))
GRID, TILES = blocks(COUNTS, 1)
ORIGIN = tuple(n * length for n, length in zip(TILES.lower(GRID), (THREADS, SIDE, SIDE), strict=True))
TILE = var("kt", (N + (SIDE - 1)) // SIDE)
ASKED, KEYS, VALUES, SCORES, POWERS, SUMS = (held(n, 2) for n in ("q_r", "k_r", "v_r", "scores", "powers", "sums"))
TOP, GREATEST, WEIGHT = (held(name, 1) for name in ("top", "greatest", "weight"))

MASK = MaskScores(SCORES, (ORIGIN[0], ORIGIN[1], TILE * SIDE), (BATCH, ROW, KEY), KEY < N)
RESCALE = Rescale(TOP, GREATEST, 0.5, (Rows(WEIGHT, (0,)), Rows(SUMS, (0,))))
SCORING = (Load(KEYS, K, (ORIGIN[0], TILE * SIDE, ZERO)), Clear(SCORES), Multiply(SCORES, ASKED, KEYS, FMA))
RAISING = (Clear(GREATEST, "max"), Fold(GREATEST, SCORES, "max"), RESCALE)
SUMMING = (
    Exponentiate(POWERS, SCORES, TOP, 0.5),
    Fold(WEIGHT, POWERS),
    Load(VALUES, V, (ORIGIN[0], ZERO, TILE * SIDE)),
    Multiply(SUMS, POWERS, VALUES, FMA),
)


def program(each: Sequence[Statement], first: Sequence[Statement] = (), factor: float = 0.5) -> Program:
    thread = var("tx", THREADS)
    body = (
        Load(ASKED, Q, ORIGIN), Clear(TOP, "max"), Clear(WEIGHT), Clear(SUMS), *first, Loop(TILE, tuple(each)),
        Divide(SUMS, WEIGHT), Store(TARGET, SUMS, ORIGIN),
    )  # fmt: skip
    few = (G * length * SIDE < 1 << 31 for length in (M, N))
    return Program(
        "attention_by_threads", Q, TARGET, (G, M, N), GRID, (thread,), (thread,), TILES, (THREADS, SIDE, SIDE), body,
        32, all_of(*few, launchable(COUNTS[0] * COUNTS[1], THREADS)), Attend(Q, K, V, factor, (ROW, KEY), TRUE, F32),
        (K, V), (), linear=True,
    )  # fmt: skip


def masked(keep: Expr, coordinates: tuple[Expr, ...] = MASK.coordinates) -> Program:
    return program((*SCORING, replace(MASK, keep=keep, coordinates=coordinates), *RAISING, *SUMMING))


def rescaled(*totals: Rows) -> Program:
    raising = (*RAISING[:2], replace(RESCALE, totals=totals))
    return program((*SCORING, MASK, *raising, *SUMMING))


def at_first(s: Statement) -> Statement:
    """Of the first tile, outside of the loop."""
    return replace(s, origin=(ORIGIN[0], ZERO, ZERO)) if isinstance(s, Load) else s


def by_factor(factor: float) -> Program:
    each = (replace(s, factor=factor) if isinstance(s, Rescale | Exponentiate) else s for s in (*RAISING, *SUMMING))
    return program((*SCORING, MASK, *each), factor=factor)


RIGHT = program((*SCORING, MASK, *RAISING, *SUMMING))
NEAR = var("key", LARGEST - 1)
"""Another variable of a name that is taken."""
NOTHING = replace(MASK, origin=ORIGIN, keep=all_of(KEY < N, KEY < 0 * N - ROW))
WRONG: dict[str, Callable[[], Program]] = {
    "sums follow the greatest of another row": lambda: rescaled(Rows(WEIGHT, (0,)), Rows(SUMS, (1,), (0, 2))),
    "some batches have one key": lambda: masked(all_of(KEY < N, any_of(eq(KEY, 0), eq(BATCH % THREADS, 0)))),
    "scores beyond the end are among the greatest": lambda: program(
        (*SCORING, *RAISING[:2], MASK, RAISING[1], RESCALE, *SUMMING)
    ),
    "the greatest is first that of no score": lambda: program(
        (*SCORING, MASK, *RAISING, *SUMMING), (*map(at_first, SCORING), NOTHING, *RAISING)
    ),
    "a mask is in two variables of one name": lambda: masked(all_of(KEY < N, NEAR < M), (BATCH, NEAR, KEY)),
    "a mask has products that do not fit": lambda: masked(KEY * 1048577 < N * 1048577),
    "a mask is in a number": lambda: masked(KEY < N, (ZERO, ROW, KEY)),
    "a scale is none of f32": lambda: by_factor(0.1),
    "a scale is beyond f32": lambda: by_factor(1e39),
}


def proved(one: Program) -> bool:
    try:
        return verify(one).proved
    except LayoutError:
        return False


def test_attention_by_threads_is_proved() -> None:
    assert verify(RIGHT).failures == ()
    assert verify(by_factor(0.125)).failures == ()


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_in_one_place_is_not_proved(what: str) -> None:
    assert not proved(WRONG[what]())


@pytest.mark.slow
def test_machine_code_is_attention_where_it_is_proved() -> None:
    by_other_rows = WRONG["sums follow the greatest of another row"]()
    assert [_exact(one) for one in (RIGHT, by_other_rows)] == [True, False]


def _exact(one: Program) -> bool:
    payload = compile_source(emit_unverified(one), "gfx90a").payload
    code = decode_kernel(read_kernels(payload)[one.name])
    return attempt(code, one, make_case(one, {G: 2, M: 7, N: 9})).exact
