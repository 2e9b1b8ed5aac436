"""What is said of quotients by powers, of powers and of digits is so for all small numbers; nearly so is not."""

import itertools

import pytest

from layoutalg.index import ONE, const, eq, mod, substitute, symbol, value, var
from layoutalg.symex.loops.geometric import DIGITS, GeometricForms
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.values.unknowns import function_of

X, T, N = symbol("x", min=0, max=(1 << 32) - 1), symbol("t", min=0), symbol("n", min=0, max=(1 << 32) - 1)


def digits(m, base):
    return next(k for k in itertools.count() if base**k > m)


def forms(count=None):
    return GeometricForms(IndexValues(lambda goal, given: False), T, count)


def the(found):
    (v,) = found.found
    return v


def unknown_digits(w, base, of, limit):
    return w.functions.value(DIGITS, 33, const(base), of, const(limit))


@pytest.mark.parametrize("base", [2, 3, 8])
@pytest.mark.parametrize("limit", [1, 2, 5, 8])
def test_what_is_said_of_a_quotient_is_so(base, limit):
    u = var("u", 1 << 32)
    w = IndexValues(lambda goal, given: False)
    d = unknown_digits(w, base, X, limit)
    here = GeometricForms(w, T, d + 1)
    q = here.number(X, u, u // base, 32)
    assert q is the(here)
    assert here.following[q] is q // base
    fact = w.functions.known[q]
    for x, t in itertools.product((0, 1, 2, 7, 8, 9, 63, 64, 65, 1000, 2**32 - 1), range(40)):
        at = {X: x, T: t, q: x // base**t, d: digits(x // limit, base)}
        assert value(fact, at) == 1, at
        assert value(here.following[q], at) == x // base ** (t + 1)
        if t + 1 == at[d]:  # one less
            assert value(fact, {**at, d: t}) == 0


@pytest.mark.parametrize("base", [2, 3, 10])
def test_what_is_said_of_a_power_in_a_word_is_so(base):
    u = var("u", 1 << 32)
    w = IndexValues(lambda goal, given: False)
    d = unknown_digits(w, base, N, 1)
    here = GeometricForms(w, T, d + 1)
    form = here.number(ONE, u, u * base, 32)
    p = the(here)
    assert form is p
    fact = w.functions.known[p]
    for m, t in itertools.product((0, 1, 2, 3, 8, 9, 10, 99, 100, 2**30, 2**31 - 1, 2**31, 2**32 - 1), range(40)):
        at = {N: m, T: t, p: base**t % 2**32, d: digits(m, base)}
        assert value(fact, at) == 1, at
        assert (value(here.following[p], at) - base ** (t + 1)) % 2**32 == 0


def test_digits_are_said_to_be_there_of_what_is_not_zero():
    u = var("u", 1 << 32)
    here = forms()
    q = here.number(X, u, u // 2, 32)
    count = here.count(q // 2 < 5)
    (d,) = (v for v in here._functions.known if function_of(v) == DIGITS)
    assert count is not None
    for x in (0, 4, 5, 9, 10, 2**32 - 1):
        assert value(here._functions.known[d], {X: x, d: digits(x // 5, 2)}) == 1
        assert digits(x // 5, 2) <= d.hi


@pytest.mark.parametrize(
    ("leaves", "runs"),
    [
        (lambda q: eq(q // 2, 0), lambda x: max(1, digits(x, 2))), (lambda q: q < 1, lambda x: digits(x, 2) + 1),
        (lambda q: q // 2 <= 4, lambda x: max(1, digits(x // 5, 2))),
        (lambda q: q < 24, lambda x: digits(x // 24, 2) + 1),
    ],
)  # fmt: skip
def test_a_count_of_halvings_is_how_often_it_goes_on(leaves, runs):
    u = var("u", 1 << 32)
    here = forms()
    q = here.number(X, u, u // 2, 32)
    count = here.count(leaves(q))
    (d,) = (v for v in here._functions.known if function_of(v) == DIGITS)
    for x in (0, 1, 2, 5, 23, 24, 48, 100, 12345, 2**32 - 1):
        limit = int(d.value.arguments[2].value)
        found = value(count, {d: digits(x // limit, 2)})
        assert found == runs(x)
        assert found == 1 + next(t for t in itertools.count() if value(leaves(q), {q: x >> t}))


def test_a_count_of_doublings_is_how_often_it_goes_on():
    u = var("u", 1 << 32)
    here = forms()
    form = here.number(const(3), u, u * 2, 32)
    count = here.count(substitute(form, here.following) >= N)
    (d,) = (v for v in here._functions.known if function_of(v) == DIGITS)
    for n in (0, 1, 3, 6, 7, 12, 13, 1000):
        m = value(d.value.arguments[1], {N: n})
        assert value(count, {d: digits(m, 2)}) == 1 + next(t for t in itertools.count() if n <= 3 * 2 ** (t + 1))


@pytest.mark.parametrize(
    "end",
    [lambda u: u // 2 + 1, lambda u: u * 2 + 1, lambda u: (u + 1) // 2, lambda u: u * N, lambda u: mod(u, 2),
     lambda u: u * u],
)  # fmt: skip
def test_what_is_no_multiple_and_no_quotient_is_left(end):
    u = var("u", 1 << 32)
    assert forms().number(X, u, end(u), 32) is None


def test_what_grows_from_nothing_and_what_never_gets_below_zero_have_no_count():
    u = var("u", 1 << 32)
    here = forms()
    q = here.number(X, u, u // 2, 32)
    assert here.count(q // 2 < 0) is None
    here = forms()
    form = here.number(symbol("k", min=0, max=9), u, u * 2, 32)
    assert here.count(substitute(form, here.following) >= N) is None
