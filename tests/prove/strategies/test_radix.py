"""Mixed radix under conditions on the point: what the guard of overhanging tiles says, and no more."""

import itertools

import pytest

from layoutalg.index import Expr, all_of, as_expr, symbol, value, var
from layoutalg.prove.obligation import InjectiveMap
from layoutalg.prove.outcome import Holds, Limits
from layoutalg.prove.strategies.radix import mixed_radix

H, Q = symbol("H", min=1, max=64), symbol("Q", min=1, max=4096)
B, J, T, L = var("b", 3), var("j", H), var("t", (Q + 3) // 4), var("l", 4)
X = var("x", 64)
ROW = T * 4 + L


def shown(output: Expr, over: tuple[Expr, ...], given: Expr) -> bool:
    return isinstance(mixed_radix(InjectiveMap("m", over, (output,), given), Limits(seconds=5)), Holds)


def injective(output: Expr, over: tuple[Expr, ...], given: Expr, sizes: dict[Expr, int]) -> bool:
    """By trying all points."""
    lengths = [value(as_expr(v.value.extent), sizes) if v.value.extent is not None else int(v.hi) + 1 for v in over]
    points = [dict(zip(over, at, strict=True)) | sizes for at in itertools.product(*map(range, lengths))]
    found = [value(output, at) for at in points if value(given, at)]
    return len(set(found)) == len(found)


@pytest.mark.parametrize(("output", "over", "given"), [
    (J * Q + ROW, (J, T, L), ROW < Q),
    ((B * H + J) * Q * 8 + ROW * 8, (B, J, T, L), ROW * 8 + 5 <= Q * 8),
    (J * Q + ROW, (J, T, L), all_of(J * 3 < 100, 2 * ROW + 2 <= 2 * Q)),
    (J * Q + X, (J, X), X < Q),
])  # fmt: skip
def test_tiles_that_overhang_are_apart_where_their_guard_holds(output, over, given):
    assert shown(output, over, given)
    for h, q in itertools.product((1, 2, 3), (1, 2, 3, 5, 7, 8)):
        assert injective(output, over, given, {H: h, Q: q})


@pytest.mark.parametrize(("output", "over", "given"), [
    (J * Q + ROW, (J, T, L), as_expr(True)),  # no guard
    (J * Q + ROW, (J, T, L), ROW <= Q),  # a row too many
    (J * Q + ROW, (J, T, L), T * 4 < Q),  # the tile begins inside, and overhangs
    (J * Q + ROW * 2, (J, T, L), ROW < Q),  # rows are two apart
    (J * Q + ROW, (J, T, L), Q < ROW + 3),  # what holds of rows that are outside
    (J * Q + X, (J, X), X // 2 < Q),
])  # fmt: skip
def test_what_a_guard_lets_meet_is_not_shown(output, over, given):
    assert not shown(output, over, given)
    sizes = [{H: h, Q: q} for h, q in itertools.product((2, 3), (1, 2, 3, 5, 7))]
    assert not all(injective(output, over, given, each) for each in sizes)


N = symbol("N", min=8, max=512, multiple_of=8)
Y, C, W = var("y", (N + 63) // 64), var("c", 2), var("w", 32)


@pytest.mark.parametrize(("given", "apart"), [
    (Y * 64 + W % 8 * 8 < N, True), (Y * 64 + W % 8 * 8 < N + 8, False), (Y * 64 < N, False), (W % 8 * 8 < N, False),
])  # fmt: skip
def test_a_guard_of_vectors_keeps_rows_apart_also_where_a_row_is_two_strides(given, apart):
    """Vectors of 8 along N: the strides are N div 8 and twice that, and the room between them is of N div 8, too."""
    output = N // 8 * (W // 8) * 2 + N // 8 * C + Y * 8 + W % 8
    assert shown(output, (Y, W, C), given) == apart
    assert all(injective(output, (Y, W, C), given, {N: n}) for n in (8, 16, 72, 80)) == apart


def test_a_condition_on_a_split_variable_is_read_in_its_digits():
    """x is split by 8: its row x div 8 is below Q, and columns stand apart."""
    output = J * Q * 8 + X // 8 * 8 + X - X // 8 * 8
    assert shown(output, (J, X), X // 8 < Q)
    assert injective(output, (J, X), X // 8 < Q, {H: 2, Q: 5})
    assert not shown(output, (J, X), X // 8 <= Q)
    assert not shown(output, (J, X), X // 4 < Q)
