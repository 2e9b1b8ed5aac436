"""Reductions whose rows threads share: right against numpy, and refuted where a part is lost or counted twice."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
import pytest

from layoutalg.index import as_expr, var
from layoutalg.kernel.emit import emit
from layoutalg.kernel.library.entry import Task
from layoutalg.kernel.library.reduce import NAMES, reduce_tasks, reduction, sharing_for
from layoutalg.kernel.library.sharing import Sharing
from layoutalg.kernel.program import (
    Barrier,
    Clear,
    Fold,
    Load,
    LoadShared,
    Loop,
    Program,
    Registers,
    Shared,
    Statement,
    Store,
    StoreShared,
    Tensor,
)
from layoutalg.kernel.program.fragments import encoded
from layoutalg.kernel.verify import verify
from layoutalg.layout import (
    LayoutError,
    PassThrough,
    make_naive_tensor_descriptor,
    make_single_stage_tensor_adaptor,
)
from layoutalg.prove import Refuted
from layoutalg.target.dtypes import DTYPES, KERNEL_DTYPES
from layoutalg.target.elements import numbers, stored
from tests.matrix import each, some

Launch, Random = Callable[..., Any], Callable[..., Any]
F32 = DTYPES["f32"]

SHAPES = [
    ((1,), (0,)),
    ((1, 1), (1,)),
    ((257, 31), (1,)),
    ((7, 127), (1,)),
    ((5, 129), (0,)),
    ((13, 515), (1,)),
    ((3, 1024), (1,)),
    ((65, 64), (0,)),
    ((2, 3, 5, 7), (0, 2)),
    ((2, 3, 5, 8), (1, 3)),
    ((300001,), (0,)),
    ((2, 1 << 17), (1,)),
]


@pytest.mark.parametrize("dtype", each(KERNEL_DTYPES, "f32"))
@pytest.mark.parametrize("how", ["sum", "max"])
@pytest.mark.parametrize(("shape", "axes"), some(SHAPES, 2))
def test_any_reduction_is_numpys(
    shape: tuple[int, ...], axes: tuple[int, ...], how: str, dtype: str, launch: Launch, random: Random
) -> None:
    source = random(dtype, *shape)
    found = numbers(launch(reduce_tasks(shape, axes, how, dtype, "f32"), source), F32)
    wide = numbers(source, DTYPES[dtype]).astype(np.float64)
    wanted, size = (wide.sum(axes), np.abs(wide).sum(axes)) if how == "sum" else (wide.max(axes), 0)
    assert found.shape == wanted.shape
    assert (np.abs(found - wanted) <= 1e-6 * size).all()


@pytest.mark.parametrize("kinds", some(["kr", "rk", "krk", "rkr"], 2))
@pytest.mark.parametrize("parts", some([4, 8, 16, 64], 2))
@pytest.mark.parametrize("vector", each([1, 4], 4))
def test_every_sharing_is_proved_and_right(kinds: str, parts: int, vector: int, launch: Launch, random: Random) -> None:
    sharing = Sharing(parts, vector, 2, min(2, parts), 128)
    program = reduction(kinds, "sum", "f32", sharing=sharing)
    lengths = (*(3, 37, 12)[: len(kinds) - 1], 44)
    source = random("f32", *lengths)
    axes = tuple(d for d, kind in enumerate(kinds) if kind == "r")
    wanted = source.astype(np.float64).sum(axes)
    task = Task(program, dict(zip((f"N_{x}" for x in NAMES), lengths, strict=False)), wanted.shape)
    assert np.abs(launch(task, source) - wanted).max() < 1e-4


def test_the_greatest_with_a_nan_is_nan(launch: Launch) -> None:
    """As numpy's max."""
    source = np.full((3, 600), -np.inf, np.float32)
    source[1, 577], source[2, 3] = np.nan, -5
    found = launch(reduce_tasks(source.shape, (1,), "max", "f32"), source)
    assert np.array_equal(found, source.max(1), equal_nan=True)


def test_long_rows_are_cut_where_few_and_sums_are_rounded_once(launch: Launch) -> None:
    tasks = reduce_tasks((4, 1 << 16), (1,), "sum", "f16")
    assert [t.program.target.dtype.name for t in tasks] == ["f32", "f16"]
    source = np.ones((4, 1 << 16), np.float16)
    source[:, ::2] = np.float16(0.0004883)
    wanted = stored(source.astype(np.float64).sum(1).astype(np.float32), DTYPES["f16"])
    assert np.array_equal(launch(tasks, source), wanted)


@pytest.mark.parametrize("lengths", [(8192, 8192), (3, 5), (1, 1 << 20), (1 << 20, 8)])
@pytest.mark.parametrize("kinds", ["kr", "rk"])
@pytest.mark.parametrize("dtype", each(KERNEL_DTYPES, "f16"))
def test_loads_are_as_wide_as_a_row_allows(kinds: str, lengths: tuple[int, int], dtype: str) -> None:
    sharing = sharing_for(kinds, lengths, dtype)
    widest = 16 // DTYPES[dtype].bytes
    assert sharing.vector == max(w for w in (1, 2, 4, 8) if w <= widest and lengths[1] % w == 0)


def test_one_thread_of_each_row_stores() -> None:
    text = emit(verify(reduction("kr", sharing=Sharing(32, 4, 4, 1))))
    assert "if (tx >> 3 == 0 && m < N_a)" in text


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: reduction("kr", sharing=Sharing(3)), "power of two"),
        (lambda: reduction("kr", sharing=Sharing(128)), "at most 64"),
        (lambda: reduction("kr", sharing=Sharing(4, rows=8)), "at most 4 rows a thread"),
        (lambda: reduction("rk", sharing=Sharing(2, 4)), "at least as many parts"),
        (lambda: reduction("rk", sharing=Sharing(8, 8)), "at most 16 bytes"),
    ],
)
def test_a_sharing_that_makes_no_sense_is_refused(make: Callable[[], Program], message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        make()


# --- wrong ones -------------------------------------------------------------------------------------------------------


def changed(body: Sequence[Statement], number: Sequence[int], new: Statement) -> tuple[Statement, ...]:
    """The body with one statement (its place; in a loop, the place in it too) replaced."""
    place, *rest = number
    loop = body[place]
    one = replace(loop, body=changed(loop.body, rest, new)) if rest and isinstance(loop, Loop) else new
    return (*body[:place], one, *body[place + 1 :])


PROGRAM = reduction("kr", sharing=Sharing(32, 4, 2, 1))
CLEAR, LOOP, STORE, BARRIER, READ, AGAIN, FOLD, PUT = PROGRAM.body


def failures(body: Sequence[Statement]) -> dict[str, Refuted]:
    return {about: v for about, v in verify(replace(PROGRAM, body=tuple(body))).failures if isinstance(v, Refuted)}


def test_the_program_itself_is_proved() -> None:
    assert verify(PROGRAM).failures == ()


def test_parts_of_another_row_are_refuted() -> None:
    """A thread adds to the part of a row that it does not hold."""
    assert isinstance(LOOP, Loop)
    fold = LOOP.body[1]
    assert isinstance(fold, Fold)
    turned = replace(fold.c, distribution=encoded([], [[1, 8], [32]], [[(2, 0), (1, 1)]], [(1, 0)]))
    swap = {fold.c: turned}
    body = changed(changed(PROGRAM.body, (1, 1), replace(fold, c=turned)), (0,), replace(CLEAR, registers=turned))
    body = changed(body, (2,), replace(STORE, registers=swap[STORE.registers]))
    assert any("by the thread that holds the result" in about for about in failures(body))


def test_elements_that_two_threads_hold_are_refuted() -> None:
    """Each lane takes the elements of a neighbour too: (thread, register) to (m, k) is not one to one."""
    assert isinstance(LOOP, Loop)
    load, fold = LOOP.body
    twice = replace(load.registers, distribution=encoded([2], [[1, 8], [4, 16, 4]], [[(1, 1), (0, 0), (2, 1)]],
                                                         [(1, 0), (2, 0), (2, 2)]))  # fmt: skip
    body = changed(PROGRAM.body, (1, 0), replace(load, registers=twice))
    body = changed(body, (1, 1), replace(fold, a=twice))
    assert any("loaded is held once" in about for about, _ in verify(replace(PROGRAM, body=body)).failures)


def test_half_of_the_parts_is_refuted() -> None:
    assert isinstance(READ, LoadShared)
    half = replace(READ.registers, distribution=encoded([32], [[8], [4, 4]], [[(0, 0), (1, 0)]], [(2, 0), (2, 1)]))
    body = changed(changed(PROGRAM.body, (4,), replace(READ, registers=half)), (6,), replace(FOLD, a=half))
    assert set(failures(body)) == {"8: every part of the sums in parts"}


def test_parts_that_are_taken_in_twice_are_refuted() -> None:
    body = (*PROGRAM.body[:7], FOLD, PUT)
    assert any("what is stored is what is meant" in about for about in failures(body))


def test_parts_of_an_unfinished_sum_are_refused() -> None:
    """Parts that leave the loop before it ends are no whole sums."""
    assert isinstance(LOOP, Loop)
    inner = replace(LOOP, body=(*LOOP.body, STORE, BARRIER, READ, FOLD, BARRIER))
    with pytest.raises(LayoutError, match="nor parts of a sum"):
        verify(replace(PROGRAM, body=(CLEAR, AGAIN, inner, PUT)))


def test_parts_cannot_be_stored_as_sums() -> None:
    """The sum of one part is not said to be the row's: it is a part until all are taken in."""
    rows = encoded([], [[64], [1]], [[(1, 0), (2, 0)]], [])
    loaded = Registers("loaded", F32, encoded([], [[64], [4]], [[(1, 0)]], [(2, 0)]))
    partial = Registers("partial", F32, rows)
    source = Tensor("source", F32, make_naive_tensor_descriptor((64, 4), (4, 1)), ("m", "k"))
    target = Tensor("target", F32, make_naive_tensor_descriptor((64, 1), (1, 1)), ("m", "p"))
    tiles = make_single_stage_tensor_adaptor([PassThrough(as_expr(1)), PassThrough(as_expr(1))], [[0], [1]], [[0], [1]])
    grid, thread = (var("bx", 1), var("by", 1)), (var("tx", 64),)
    body = (Clear(partial), Load(loaded, source, grid), Fold(partial, loaded), Store(target, partial, grid))
    wrong = Program("parts", source, target, (), grid, thread, thread, tiles, (64, 1), body)
    found = {about for about, v in verify(wrong).failures if isinstance(v, Refuted)}
    assert "3: what is stored is what is meant" in found


def test_sums_and_parts_do_not_mix() -> None:
    """A tile that took in parts takes in no whole rows, which would count for every part."""
    assert isinstance(LOOP, Loop)
    fold = LOOP.body[1]
    assert isinstance(fold, Fold)
    deep = encoded([], [[1, 8], [32], [2, 4]], [[(1, 1), (2, 0)]], [(1, 0), (3, 0), (3, 1)])
    whole = Registers("whole", F32, deep)
    cube = make_naive_tensor_descriptor((8, 32, 8), (256, 8, 1))
    other = Tensor("other", F32, cube, ("x", "y", "z"))
    zero = PROGRAM.grid[0] * 0
    body = (CLEAR, LOOP, Load(whole, other, (zero, zero, zero)), Fold(fold.c, whole), *PROGRAM.body[2:])
    with pytest.raises(LayoutError, match="parts of sums and whole ones"):
        verify(replace(PROGRAM, body=body, inputs=(other,)))


def test_a_missing_barrier_between_parts_and_sums_is_a_race() -> None:
    body = tuple(s for s in PROGRAM.body if not isinstance(s, Barrier))
    assert any("no race in lds" in about for about in failures(body))


def test_parts_in_halves_are_rounded_on_the_way() -> None:
    assert isinstance(STORE, StoreShared)
    half = Shared("lds", DTYPES["f16"], STORE.shared.elements)
    body = changed(changed(PROGRAM.body, (2,), replace(STORE, shared=half)), (4,), replace(READ, shared=half))
    assert any("takes values as they are" in about for about in failures(body))


def test_the_first_copy_stores_everything_once() -> None:
    """The obligations hold of the copies that the library makes; a tile of another length is refuted."""
    assert isinstance(PUT, Store)
    abouts = [about for about, _ in verify(PROGRAM).verdicts if about.startswith("taken: ")]
    assert "taken: the first copy is whole" in abouts
    assert "taken: copies are alike" in abouts
    assert prod(PROGRAM.block) == 256
