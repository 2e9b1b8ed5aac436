"""Which turns of two accesses may lie between the same two barriers, and how offsets repeat."""

from itertools import product

from layoutalg.audit.epochs import in_one_epoch, is_linear, period
from layoutalg.index import FALSE, as_expr, symbol, value, var
from layoutalg.symex.values.instances import others

N = symbol("N", min=1, max=4096)
T = var("t", N)
THERE = others([T])


def test_meetings_are_those_of_all_turns() -> None:
    """What is said of two turns holds of every pair that has as many barriers before it."""
    t, n = var("t", 7), 7
    there = others([t])
    for b, c, d, e in product((0, 1, 2, 3), (0, 1, 2, 5), (0, 1, 2, 3), (0, 1, 4)):
        one, other = as_expr(c) + t * b, as_expr(e) + t * d
        pairs = [(x, y) for x in range(n) for y in range(n) if c + b * x == e + d * y]
        solved = in_one_epoch(one, other, [t], there)
        if solved is None:
            assert not pairs
            continue
        for x, y in pairs:
            at = {t: x, there[t]: y}
            assert all(at[v] == value(turn, at) for v, turn in solved.items()), (b, c, d, e, x, y)


def test_what_comes_behind_a_loop_meets_none_of_its_turns() -> None:
    assert in_one_epoch(N * 2, T * 2, [], THERE) is None
    assert in_one_epoch(N * 2, T * 2 + 1, [], THERE) is None
    assert in_one_epoch(N * 2, T * 2 + 2, [], THERE) == {THERE[T]: N - 1}


def test_what_stands_before_a_loop_meets_its_first_turn_alone() -> None:
    assert in_one_epoch(as_expr(0), T, [], THERE) == {THERE[T]: FALSE}
    assert in_one_epoch(as_expr(0), T + 1, [], THERE) is None


def test_a_loop_without_barriers_meets_itself_in_all_turns() -> None:
    assert in_one_epoch(as_expr(0), as_expr(0), [T], THERE) == {}


def test_periods() -> None:
    assert [period(e, T) for e in (T % 2 ^ 1, (T + 3) % 4, T % 2 + T % 3, T // 2 % 2, T * T)] == [2, 4, 6, 4, None]


def test_turns_of_a_loop_within_one_that_counts_on_it_are_no_line() -> None:
    u = var("u", N)
    assert is_linear(T * 2 + u * N + 1, [u, T])
    assert not is_linear(T * u, [u, T])
