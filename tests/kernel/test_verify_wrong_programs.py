"""Programs that once passed for right, each wrong in a way of its own: refuted with a witness, or refused by name."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from layoutalg.index import ONE, ZERO, Expr, as_expr, symbol, var
from layoutalg.kernel.library.contraction import contraction
from layoutalg.kernel.library.einsum import parse_einsum
from layoutalg.kernel.library.transpose import lds_transpose, register_transpose
from layoutalg.kernel.library.views import pad
from layoutalg.kernel.program import (
    Barrier,
    Clear,
    Elementwise,
    Fold,
    Load,
    LoadShared,
    Loop,
    Multiply,
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
    Pad,
    PassThrough,
    make_naive_tensor_descriptor,
    make_single_stage_tensor_adaptor,
    transform_tensor_descriptor,
)
from tests.kernel.wrong_programs import (
    BF16,
    F16,
    F32,
    ROWS,
    STEP,
    Body,
    I,
    batched,
    every,
    looped,
    refused,
    refuted,
    summing,
)


def test_the_programs_that_are_made_wrong_here_are_right() -> None:
    for program in (summing(looped), summing(looped, dtype=F16), lds_transpose(), register_transpose(128, 32)):
        assert verify(program).failures == ()


# --- blocks, tiles, launches ------------------------------------------------------------------------------------------


def test_a_grid_of_fewer_blocks_than_tiles_is_refuted() -> None:
    program = lds_transpose()
    fewer = replace(program, grid=(var("bx", 1), program.grid[1]))
    assert "tiles" in refuted(every(fewer, (Load, Store), origin=fewer.origin), "as many blocks as tiles")


def test_more_blocks_in_y_than_a_launch_has_are_refuted() -> None:
    reason = refuted(replace(lds_transpose(), linear=False), "blocks in y")
    assert "blocks 65536" in reason


def test_more_work_items_than_a_launch_has_are_refuted() -> None:
    program = lds_transpose()
    m, n = program.sizes
    refuted(replace(program, requires=m * n < 1 << 31), "blocks in x")


def test_lds_beyond_what_every_target_has_is_refuted() -> None:
    program = lds_transpose()
    big = Shared("lds", F32, 16385)
    assert "gfx" in refuted(every(program, (StoreShared, LoadShared), shared=big), "LDS: 65540 bytes of 65536")


def test_a_vector_of_64_bytes_is_refuted() -> None:
    held = encoded([], [[8], [8, 16]], [[(1, 0)], [(2, 0)]], [(2, 1)])
    r = Registers("r", F32, held)
    square = make_naive_tensor_descriptor((8, 128), (128, 1))
    source, target = (Tensor(name, F32, square, ("row", "column")) for name in ("source", "target"))
    grid, threads = (var("bx", 1), var("by", 1)), (var("tx", 8), var("ty", 8))
    tiles = make_single_stage_tensor_adaptor([PassThrough(ONE)] * 2, [[0], [1]], [[0], [1]])
    o = (grid[0] * 8, grid[1] * 128)
    body = (Load(r, source, o, 0), Store(target, r, o, 0))
    program = Program("wide", source, target, (), grid, threads, threads, tiles, (8, 128), body)
    assert "bytes 64" in refuted(program, "a vector of source is one access")


# --- element types ----------------------------------------------------------------------------------------------------


def test_values_rounded_on_the_way_are_refuted() -> None:
    program = register_transpose(32, 32)
    half = replace(program.registers[0], dtype=F16)
    assert "rounded to f16" in refuted(every(program, (Load, Store), registers=half), "rounded once")
    through = replace(lds_transpose().shared[0], dtype=F16)
    assert "f16" in refuted(every(lds_transpose(), (StoreShared, LoadShared), shared=through), "rounded once")


def test_a_value_rounded_to_the_targets_type_at_once_is_proved_and_by_way_of_another_is_refuted() -> None:
    program = register_transpose(32, 32)
    to_half = replace(program, target=replace(program.target, dtype=F16))
    to_half = every(to_half, Store, tensor=to_half.target)
    held = program.registers[0]
    assert verify(every(to_half, (Load, Store), registers=replace(held, dtype=F16))).proved
    assert "bf16" in refuted(every(to_half, (Load, Store), registers=replace(held, dtype=BF16)), "rounded once")


def test_sums_in_f16_are_refuted() -> None:
    assert "f32, not f16" in refuted(summing(looped, sums=F16), "sums are f32")


def test_a_product_of_other_elements_than_the_instructions_is_refuted() -> None:
    program = contraction(parse_einsum("ik,kj->ij"), "f16", target="gfx942")

    def wide(s: Statement) -> Statement:
        if isinstance(s, Loop):
            return replace(s, body=tuple(map(wide, s.body)))
        if isinstance(s, Multiply):
            return replace(s, b=replace(s.b, dtype=F32))
        if isinstance(s, LoadShared) and s.registers.name == "b_held":
            return replace(s, registers=replace(s.registers, dtype=F32))
        return s

    assert "not f16 and f32" in refuted(replace(program, body=tuple(map(wide, program.body))), "the instruction's")


# --- lanes and registers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lanes", [lambda t: (t % 4, t // 4), lambda t: (t // 64, t % 64 ^ 1)])
def test_lanes_that_are_not_the_hardwares_are_refuted(lanes: Callable[[Expr], tuple[Expr, ...]]) -> None:
    program = contraction(parse_einsum("ik,kj->ij"), "f16", target="gfx942")
    assert "thread" in refuted(replace(program, lanes=lanes(program.threads[0])), "lanes are the hardware's")


def test_a_product_of_different_batches_is_refuted() -> None:
    assert verify(batched(False)).proved
    assert "holds (1, 0, 0), wanted (2, 0, 0)" in refuted(batched(True), "ra lies as fma takes it")


def test_a_fold_of_fewer_rows_than_its_result_has_is_refuted() -> None:
    def body(a: Registers, c: Registers, s: Tensor, t: Tensor, o: Expr) -> tuple[Statement, ...]:
        one = Registers("a", F32, encoded([], [[ROWS, 1], [STEP]], [[(1, 0)]], [(1, 1), (2, 0)]))
        two = replace(c, distribution=encoded([2], [[ROWS // 2, 2]], [[(0, 0), (1, 0)]], [(1, 1)]))
        return Clear(two), Load(one, s, (o, ZERO)), Fold(two, one), Store(t, two, (o,))

    refuted(summing(body, columns=STEP), "as many rows")


# --- loops ------------------------------------------------------------------------------------------------------------


def test_a_loop_that_clears_what_it_has_summed_is_refused() -> None:
    def body(a: Registers, c: Registers, s: Tensor, t: Tensor, o: Expr) -> tuple[Statement, ...]:
        return (
            Clear(c), Load(a, s, (o, ZERO)), Fold(c, a), Loop(var("j", 3), (Fold(c, a), Clear(c))), Store(t, c, (o,))
        )  # fmt: skip

    refused(summing(body, columns=STEP), "adds to c, and clears or fills it")


def test_a_loop_that_reads_a_sum_before_it_adds_to_it_is_refused() -> None:
    def body(a: Registers, c: Registers, s: Tensor, t: Tensor, o: Expr) -> tuple[Statement, ...]:
        copy = Registers("copy", F32, c.distribution)
        inner = (Elementwise(copy, "relu", (c,)), Fold(c, a))
        return Clear(c), Load(a, s, (o, ZERO)), Loop(var("j", 3), inner), Store(t, c, (o,))

    refused(summing(body, columns=STEP), "reads c, and then adds to it")


def test_two_loops_over_one_index_are_refused() -> None:
    def body(a: Registers, c: Registers, s: Tensor, t: Tensor, o: Expr) -> tuple[Statement, ...]:
        return Clear(c), Loop(I, (Loop(I, (Load(a, s, (o, I * STEP)), Fold(c, a))),)), Store(t, c, (o,))

    refused(summing(body), "'i' names two things")


def test_a_loop_that_may_not_run_is_refuted() -> None:
    times = symbol("R", min=0, max=4)
    z = var("z", times)

    def fills(a: Registers, c: Registers, s: Tensor, t: Tensor, o: Expr) -> tuple[Statement, ...]:
        return Loop(z, (Clear(c), Load(a, s, (o, ZERO)), Fold(c, a))), Store(t, c, (o,))

    def stores(a: Registers, c: Registers, s: Tensor, t: Tensor, o: Expr) -> tuple[Statement, ...]:
        return Clear(c), Load(a, s, (o, ZERO)), Fold(c, a), Loop(z, (Store(t, c, (o,)),))

    for body in (fills, stores):
        assert "times 0" in refuted(summing(body, columns=STEP, sizes=(times,)), "at least once")


def test_a_tile_that_a_loop_overwrites_while_others_still_read_it_is_a_race() -> None:
    """One buffer where two are needed: a thread that is ahead stores the next tile over the one that others read."""
    lds = Shared("lds", F32, ROWS * (STEP + 1))
    layout = make_naive_tensor_descriptor((ROWS, STEP), (STEP + 1, 1))
    by_column = Registers("loaded", F32, encoded([], [[8, 8], [STEP]], [[(1, 1), (2, 0)]], [(1, 0)]))

    def body(last: tuple[Statement, ...]) -> Body:
        def made(a: Registers, c: Registers, s: Tensor, t: Tensor, o: Expr) -> tuple[Statement, ...]:
            moved = (Load(by_column, s, (o, I * STEP)), StoreShared(lds, layout, by_column), Barrier())
            return Clear(c), Loop(I, (*moved, LoadShared(a, lds, layout), Fold(c, a), *last)), Store(t, c, (o,))

        return made

    assert verify(summing(body((Barrier(),)))).failures == ()
    assert "tx_other" in str(verify(summing(body(()))).failures)
    refuted(summing(body(())), "no race in lds")


# --- LDS and padding --------------------------------------------------------------------------------------------------


def test_an_lds_map_with_padding_is_refuted() -> None:
    row = make_naive_tensor_descriptor((1, 64), (64, 1))
    padded = transform_tensor_descriptor(
        row, [Pad(ONE, ZERO, as_expr(63)), PassThrough(as_expr(64))], [[0], [1]], [[0], [1]]
    )
    small = Shared("lds", F32, 64)
    program = every(lds_transpose(), (StoreShared, LoadShared), shared=small, descriptor=padded)
    assert "index (1, 0)" in refuted(program, "every element has a word")


def test_padding_that_is_not_0_is_refuted() -> None:
    refuted(every(pad((1, 1), (1, 1)), Load, fill="max"), "0 in padding")
