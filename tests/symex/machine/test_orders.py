"""Blocks in another order: which block has an index of it, and what no index is made of."""

from __future__ import annotations

import pytest

from layoutalg.index import Expr, select, simplify, symbol, value, var, variables
from layoutalg.prove import ForAll, Limits, holds
from layoutalg.symex.machine.orders import BlockOrder, OrderFoundError, OrderWatch

M, N = symbol("M", min=1, max=99), symbol("N", min=1, max=99)
B, LOADED = var("block.x", simplify(M * N)), var("loaded", 4)


def _shows(goal: Expr, given: Expr) -> bool:
    return holds(ForAll("it is one to one", goal, given), Limits())


def _turns() -> Expr:
    """Every second block, then the others."""
    return simplify(select(B % 2 < 1, B // 2, (M * N + 1) // 2 + B // 2))


def _found(order: BlockOrder, *values: Expr) -> BlockOrder:
    """The order that is found where a kernel makes these values."""
    watch, (*first, last) = OrderWatch(order, _shows), values
    for one in first:
        watch.named(one)
    with pytest.raises(OrderFoundError) as found:
        watch.named(last)
    return order.having(found.value.order)


def test_a_tile_is_of_one_block() -> None:
    order = _found(BlockOrder.of([B]), _turns())
    (turn,) = order.index
    assert OrderWatch(order, _shows).named(_turns()) is turn
    order = _found(order, simplify(turn // N), simplify(turn % N))
    row, column = order.index
    assert order.stale == {B}
    assert OrderWatch(order, _shows).named(_turns()) is row * N + column
    for block in range(15):
        turn_of = value(_turns(), {M: 5, N: 3, B: block})
        assert order.block({M: 5, N: 3, row: turn_of // 3, column: turn_of % 3}) == (block,)


@pytest.mark.parametrize("made", [B // N, B % N, B * 4, B + 1, _turns() + LOADED, select(B % 2 < 1, B, B - 1)])
def test_what_is_no_order_of_blocks_stays(made: Expr) -> None:
    watch = OrderWatch(BlockOrder.of([B]), _shows)
    assert variables(watch.named(simplify(made))) == variables(simplify(made))


def test_a_grid_of_numbers_has_no_other_order() -> None:
    x = var("block.x", 12)
    order = BlockOrder.of([x])
    assert OrderWatch(order, _shows).named(11 - x) is 11 - x
    assert (order.index, order.block({x: 7})) == ((x,), (7,))


def test_each_axis_has_an_order_of_its_own() -> None:
    x, y = var("block.x", M), var("block.y", N)
    order = _found(BlockOrder.of([x, y]), simplify(N - 1 - y))
    turn = order.index[1]
    assert (order.index, order.stale) == ((x, turn), {y})
    assert order.block({M: 20, N: 30, x: 7, turn: 4}) == (7, 25)
