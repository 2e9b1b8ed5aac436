"""Sums of strides and their digits, against every index of small ones."""

import itertools
from collections.abc import Iterator
from random import Random

import pytest

from layoutalg.index import (
    Expr,
    add,
    as_expr,
    const,
    extent_of,
    mul,
    nonnegative,
    substitute,
    symbol,
    unlimited,
    value,
    values,
    var,
)
from layoutalg.index.radix import (
    affine,
    digits,
    digits_by,
    horner,
    injective,
    multiples_of,
    slowest_first,
)

N = symbol("N", min=1, max=9)
STRIDES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 48, N, N * 4, N * 16, N + 3)


def last(index: Expr) -> Expr:
    return extent_of(index) - 1


def sums(seeds: range) -> Iterator[tuple[list[Expr], list[Expr], Expr, Expr]]:
    """Indices, their strides (some fall), the start, and the sum."""
    for r in (r for r in map(Random, seeds) for _ in range(5)):
        index = [var(name, r.choice((1, 2, 3, 4, 5))) for name in "ijk"[: r.randint(1, 3)]]
        strides = [as_expr(r.choice(STRIDES)) * r.choice((1, 1, 1, -1)) for _ in index]
        start = as_expr(r.choice((0, 5, -7, N, N // 2 * 3)))
        yield index, strides, start, add(start, *map(mul, index, strides))


def points(index: list[Expr], n: int) -> Iterator[dict[Expr, int]]:
    for at in itertools.product(*(range(int(v.hi) + 1) for v in index)):
        yield {N: n, **dict(zip(index, at, strict=True))}


@pytest.mark.fuzz(20)
def test_a_sum_of_strides_is_taken_apart_into_its_index(seeds: range) -> None:
    solved = 0
    for index, strides, start, total in sums(seeds):
        form = affine(total, index)
        assert form is not None
        long = [v for v in index if v.hi > 0]
        for n in (1, 2, 5, 9):
            assert value(form.start, {N: n}) == value(start, {N: n})
            for v, stride in zip(index, strides, strict=True):
                assert v not in long or value(form.strides[v], {N: n}) == value(stride, {N: n})
        form = affine(total, long)
        x = unlimited("x")
        found = form.solve(x, last) if form else None
        if form is None or found is None:
            assert any(stride.lo <= 0 <= stride.hi for stride in strides)
            continue
        apart = injective(form.strides, {v: extent_of(v) for v in long})
        for n in (1, 2, 5, 9):
            seen: dict[int, list[dict[Expr, int]]] = {}
            for at in points(index, n):
                seen.setdefault(value(total, at), []).append(at)
            if value(apart, {N: n}):
                solved += 1
                assert all(len(each) == 1 for each in seen.values())
                for number, (at,) in seen.items():
                    assert {v: value(e, {N: n, x: number}) for v, e in found.items()} == {v: at[v] for v in long}
    assert solved


@pytest.mark.fuzz(20)
def test_digits_and_what_remains_are_the_number(seeds: range) -> None:
    for r in map(Random, seeds):
        strides = [as_expr(r.choice(STRIDES)) for _ in range(r.randint(0, 3))]
        i, j = var("i", 8), var("j", N)
        number = r.choice((1, 3, 16)) * i + r.choice((1, 4, N)) * j * r.choice((1, 2, -1)) + r.randint(-9, 50)
        for way in (digits_by, multiples_of):
            found, rest = way(number, strides)
            whole = add(rest, *map(mul, found, strides))
            for n in (1, 4, 9):
                at = [{N: n, i: a, j: b} for a in range(8) for b in range(n)]
                assert all(value(whole, one) == value(number, one) for one in at)
                if way is digits_by and strides:
                    assert all(0 <= value(rest, one) < value(strides[-1], one) for one in at)


@pytest.mark.fuzz(20)
def test_where_strides_are_injective_no_two_indices_have_one_sum(seeds: range) -> None:
    for index, strides, _, total in sums(seeds):
        each = dict(zip(index, strides, strict=True))
        for n in (1, 2, 9):
            fixed = {v: const(value(stride, {N: n})) for v, stride in each.items()}
            reached = [value(total, at) for at in points(index, n)]
            if value(injective(fixed, {v: extent_of(v) for v in index}), {}):
                assert len(set(reached)) == len(reached)


@pytest.mark.fuzz(20)
def test_an_order_in_which_strides_are_beyond_all_later_ones_is_found(seeds: range) -> None:
    for index, strides, _, _ in sums(seeds):
        each = dict(zip(index, strides, strict=True))

        def reach(others: list[Expr], each: dict[Expr, Expr] = each) -> Expr:
            return add(0, *(each[v] * last(v) for v in others))

        def beyond(v: Expr, others: list[Expr], each: dict[Expr, Expr] = each) -> bool:
            return nonnegative(each[v] - 1 - reach(others, each))

        found = slowest_first(index, beyond)
        orders = [
            list(order)
            for order in itertools.permutations(index)
            if all(beyond(v, list(order[n + 1 :])) for n, v in enumerate(order))
        ]
        assert found in orders if orders else found is None


def test_what_is_no_sum_of_strides_has_no_form() -> None:
    i, j = var("i", 4), var("j", 8)
    for e in (i * j, i * i, i // 2 + j, i + j % 3, i ^ 1, (i + j) % N):
        assert affine(e, (i, j)) is None
    assert affine(i // 2 + j, (j,)) is not None


def test_a_stride_that_may_be_zero_or_of_either_sign_is_not_solved() -> None:
    i, j = var("i", 4), var("j", 8)
    for stride in (as_expr(0), symbol("S", min=0), symbol("T", min=-1, max=1)):
        form = affine(substitute(i * 64 + j * symbol("Q"), {symbol("Q"): stride}), (i, j))
        assert form is not None
        assert form.solve(unlimited("x"), last) is None


@pytest.mark.fuzz(20)
def test_numbers_and_their_digits_below_lengths_are_inverse(seeds: range) -> None:
    for r in map(Random, seeds):
        lengths = [as_expr(r.choice((1, 2, 3, 5, N))) for _ in range(r.randint(1, 3))]
        x = symbol("x", min=0, max=2000)
        found = digits(x, lengths)
        back = horner(found, lengths)
        for n in (1, 4, 9):
            for number in range(40):
                at = {x: number, N: n}
                assert value(back, at) == number
                assert all(0 <= d < value(m, at) for d, m in zip(values(found[1:], at), lengths[1:], strict=True))
