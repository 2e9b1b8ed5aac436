"""The normal form: never wrong on any point, and strong enough for what layouts need."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from layoutalg.index import (
    FALSE,
    TRUE,
    ZERO,
    Expr,
    array,
    const,
    eq,
    holds,
    le,
    lookup,
    lt,
    negation,
    nonnegative,
    postorder,
    prod,
    select,
    simplify,
    symbol,
    value,
    values,
    var,
    variables,
    xor,
)
from layoutalg.index.normal import normal
from layoutalg.index.poly import Poly
from tests.fuzzing import KNOWN
from tests.index.expressions import Chain, Generator, every_point, points


def check(random: Random, e: Expr, f: Expr, count: int = 10) -> None:
    """Everything that is decided about two expressions, against their values at points.

    Sharp by construction: `e ≥ least seen + 1` is false at a point that was seen, so it must not be "certain".
    """
    simple = simplify(e)
    nodes, simple_nodes = postorder(e), postorder(simple)
    seen: list[tuple[int, int]] = []
    for at in points(random, [e, f], count):
        for node, v in [
            *zip(nodes, values(nodes, at), strict=True),
            *zip(simple_nodes, values(simple_nodes, at), strict=True),
        ]:
            assert node.lo <= v <= node.hi, f"{node} is {v}, outside {node.lo}…{node.hi}, at {at}"
        assert value(simple, at) == value(e, at), f"{e} became {simple}, at {at}"
        seen.append((value(e, at), value(f, at)))
    if not seen:
        return
    least, most = min(a for a, _ in seen), max(a for a, _ in seen)
    assert not nonnegative(e - (least + 1)), e
    assert not nonnegative(most - 1 - e), e
    difference = [a - b for a, b in seen]
    claims = {
        lt(e, f): all(d < 0 for d in difference),
        le(e, f): all(d <= 0 for d in difference),
        eq(e, f): all(d == 0 for d in difference),
        negation(eq(e, f)): all(d != 0 for d in difference),
        lt(f, e): all(d > 0 for d in difference),
        le(f, e): all(d >= 0 for d in difference),
    }
    for claim, possible in claims.items():
        assert possible or not holds(claim), claim
    assert min(difference) >= 0 or not nonnegative(e - f), (e, f)


@pytest.mark.fuzz
@pytest.mark.fuzz(500)
def test_nothing_decided_is_wrong(seeds: range) -> None:
    for seed in seeds:
        random = Random(seed)
        g = Generator(random, symbolic=random.random() < 0.75)
        e = (
            g.strided()
            if random.random() < 0.2
            else (g.number if random.random() < 0.85 else g.truth)(random.randint(1, 4))
        )
        try:
            check(random, e, g.number(2))
        except AssertionError as wrong:
            raise AssertionError(f"seed {seed}: {wrong}") from wrong


@pytest.mark.fuzz
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
@given(st.randoms(use_true_random=False), st.integers(1, 3), st.booleans())
def test_nothing_decided_is_wrong_shrunk(random: Random, depth: int, symbolic: bool) -> None:
    g = Generator(random, symbolic=symbolic)
    check(random, g.number(depth), g.number(1), 4)


@pytest.mark.fuzz(300)
def test_nothing_decided_about_transform_chains_is_wrong_on_any_point(seeds: range) -> None:
    """Small domains are gone through whole, so a bound that is one too sharp cannot hide."""
    tight = decided = 0
    for seed in seeds:
        c = Chain(Random(seed))
        e, f = c.coordinate(seed % 4 + 1), c.coordinate(seed % 3)
        all_points = list(every_point([e, f], 1000))
        if not all_points or not variables(e, f):
            continue
        at = {v: np.array([p[v] for p in all_points]) for v in variables(e, f)}
        simple = simplify(e)
        nodes = postorder(e, simple, f)
        seen = dict(zip(nodes, (np.broadcast_to(a, len(all_points)) for a in array(nodes, at)), strict=True))
        assert all(node.lo <= a.min() and a.max() <= node.hi for node, a in seen.items()), seed
        assert (seen[simple] == seen[e]).all(), (seed, e, simple)
        least, most, difference = int(seen[e].min()), int(seen[e].max()), seen[e] - seen[f]
        assert not nonnegative(e - (least + 1)), (seed, e)
        assert not nonnegative(most - 1 - e), (seed, e)
        assert difference.min() >= 0 or not nonnegative(e - f), (seed, e, f)
        assert difference.max() <= 0 or not nonnegative(f - e), (seed, e, f)
        for claim, right in ((lt(e, f), difference < 0), (eq(e, f), difference == 0), (le(f, e), difference >= 0)):
            assert right.all() or not holds(claim), (seed, claim)
            assert not right.any() or not holds(negation(claim)), (seed, claim)
        decided += 1
        tight += nonnegative(e - least)
    if KNOWN:
        assert tight > decided // 2  # not by knowing nothing


# --- strength ---------------------------------------------------------------------------------------------------------

M, N, K = symbol("M"), symbol("N"), symbol("K", multiple_of=8)
IX, J, X = var("i", M), var("j", N), var("x", 64)


@pytest.mark.parametrize(
    ("e", "simple"),
    [
        ((IX * N + J) // N, IX),
        ((IX * N + J) % N, J),
        (X // 8 * 8 + X % 8, X),
        (X // 2 // 4, X // 8),
        ((X * 6 + 5) // 4, X + X // 2 + 1),
        ((X * 6 + 1) // 6, X),
        ((X * 6 + 4) // 4, X + X // 2 + 1),
        (K % 8, ZERO),
        ((K * IX + 8) % 4, ZERO),
        (xor(X, 5) // 8, X // 8),
        (xor(xor(X, J), X), J),
        (xor(X % 8, X // 8) % 8, xor(X % 8, X // 8)),
        (lt(IX * N + J, M * N), TRUE),
        (eq(IX + J, J + IX), TRUE),
        (eq(X, X + 1), FALSE),
        (lt(X, X), FALSE),
        ((X + 1) * (X - 1) - X * X, const(-1)),
        (var("one", 1) + X, X),
        (select(IX < M, X, J), X),
    ],
)
def test_simplifies(e: Expr, simple: Expr) -> None:
    assert simplify(e) is simple


def digits(whole: Expr, lengths: list[Expr]) -> list[Expr]:
    """The unmerge of an index, most significant first."""
    found: list[Expr] = []
    for n in reversed(lengths[1:]):
        found.append(whole % n)
        whole = whole // n
    return [whole, *reversed(found)]


def merged(parts: list[Expr], lengths: list[Expr]) -> Expr:
    """The mixed-radix number of digits."""
    whole = parts[0]
    for n, part in zip(lengths[1:], parts[1:], strict=True):
        whole = whole * n + part
    return whole


@pytest.mark.parametrize("rank", range(1, 7))
def test_symbolic_round_trips_are_identities(rank: int) -> None:
    lengths = [symbol(f"N{d}") for d in range(rank)]
    parts = [var(f"x{d}", n) for d, n in enumerate(lengths)]
    x = var("x", prod(lengths))
    assert [simplify(d) for d in digits(merged(parts, lengths), lengths)] == parts
    assert simplify(merged(digits(x, lengths), lengths)) is x


@pytest.mark.parametrize(
    ("claim", "certain"),
    [
        (M * N - 1 - (IX * N + J), True),
        (M * N - 2 - (IX * N + J), False),
        (M * N - N, True),
        (M * N - N - 1, False),
        ((M + 3) * (N + 2) - 12, True),
        ((M + 3) * (N + 2) - 13, False),
        (M * N * 4 - M - N - 2, True),
        (M * M - M * 2 + 1, True),
        (M * M - M * 2, False),
        (symbol("A", min=-3) + 3, True),
        (symbol("A", min=-3) + 2, False),
        (symbol("A", min=-3) * -1, False),
        (K - 8, True),
        (K - 9, False),
        (X * -1 + 63, True),
        (X * -1 + 62, False),
        (IX % 8 * -1 + 7, True),
        (IX % N * -1 + N - 1, True),
    ],
)
def test_nonnegative(claim: Expr, certain: bool) -> None:
    assert nonnegative(claim) is certain


# --- regressions ------------------------------------------------------------------------------------------------------


def test_a_divisor_whose_product_shows_no_range_is_kept() -> None:
    a = symbol("A", min=2)
    e = IX // (a - 1) // a  # (A − 1)·A prints as A² − A, whose range does not exclude 0
    for at in points(Random(1), [e], 20):
        assert value(simplify(e), at) == value(e, at)


def test_an_index_whose_range_is_lost_leaves_its_lookup_alone() -> None:
    index = (X // 2 + var("y", 7)) % 4
    e = lookup([3, 1, 4, 1], index)
    for at in points(Random(1), [e], 20):
        assert value(simplify(e), at) == value(e, at)


def test_a_size_with_one_value_is_that_value() -> None:
    assert simplify(symbol("Z", min=0, max=5, multiple_of=8) + 1) is TRUE
    assert simplify(symbol("Z", min=8, max=15, multiple_of=8) * 2) is const(16)


def test_names_that_sort_differently_alone_and_in_products_divide_and_end() -> None:
    i, i2, n = symbol("i"), symbol("i2"), symbol("i2 x")
    den = i * i2 + i2 * n + i * n + 1
    assert simplify((den * i + i2) // den * den + (den * i + i2) % den - den * i) is i2


def test_a_negative_constant_divided_by_a_greater_size_is_minus_one() -> None:
    assert const(-1) // M is const(-1)
    assert const(-8) % symbol("L", min=8) is not ZERO


def test_remainders_of_remainders_are_read_back() -> None:
    once = X % (M + 1)
    for e in (xor(once % 3, J), once // 2 % 3 + J):
        assert simplify(e) is simplify(simplify(e))
    assert repr(simplify(xor(once % 2, J))) == "j ^ x % (M + 1) % 2"


def test_depth_is_not_limited_by_recursion() -> None:
    e: Expr = X
    for _ in range(1200):
        e = (e + 1) // 2 + X
    assert simplify(e).op
    assert len(repr(e)) > 1000


def test_inequalities_do_not_explode() -> None:
    sizes = [symbol(f"S{n}") for n in range(8)]
    indices = [var(f"i{n}", s) for n, s in enumerate(sizes)]
    e = prod(sizes) - sum((prod(sizes[n:]) * i for n, i in enumerate(indices)), const(0))
    nonnegative(e)
    assert not nonnegative(-e)


# --- polynomials ------------------------------------------------------------------------------------------------------


@pytest.mark.fuzz(500)
def test_division_of_polynomials_is_exact(seeds: range) -> None:
    for seed in seeds:
        random = Random(seed)
        atoms = [symbol("a"), symbol("b"), symbol("c")]
        terms = [prod(random.choices(atoms, k=random.randint(0, 3))) * random.randint(-9, 9) for _ in range(8)]
        num = sum((normal(t) for t in terms[:5]), Poly({}))
        den = sum((normal(t) for t in terms[5:]), Poly({}))
        if den.terms:
            quotient, rest = num.split(den)
            assert quotient * den + rest == num, seed
            assert (num * den).exactly_over(den) == num, seed
