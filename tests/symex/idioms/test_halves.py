"""The sign of a word: 0 only of what is not negative, also where two such are xored."""

import pytest

from layoutalg.index import Expr, all_of, const, symbol, var, xor
from layoutalg.prove import ForAll, Limits
from layoutalg.prove.decide import holds
from layoutalg.symex.machine.arithmetic import IndexValues

M, N, S = symbol("M", max=1 << 20), symbol("N", max=1 << 20), symbol("S", min=-8, max=8)
B = var("block_x", 1 << 20)


def sign(e: Expr, given: Expr) -> Expr:
    """What an arithmetic shift of the word by 31 is."""
    w = IndexValues(lambda goal, given: holds(ForAll("in range", goal, given), Limits(steps=500_000)))
    w.ranges.assume(given)
    return w.ashr(w.word(e), w.const(31, 32)).expr


@pytest.mark.parametrize(("e", "given"), [
    (xor(M, N), const(1)),
    (xor(M, N - B), all_of(B <= N)),
    (B * N + M - 3 * B, all_of(N >= 3, M < 1 << 9, B < 1 << 9)),
])  # fmt: skip
def test_the_sign_of_what_is_not_negative_is_0(e: Expr, given: Expr) -> None:
    assert sign(e, given) is const(0)


@pytest.mark.parametrize(("e", "given"), [
    (xor(M, S), const(1)),
    (xor(M, N - B), all_of(B <= N + 1)),
    (B * N + M - 4 * B, all_of(N >= 3, M < 1 << 9, B < 1 << 9)),
    (xor(M * 4096, N), const(1)),  # as far as 2^32
])  # fmt: skip
def test_of_what_may_be_negative_it_is_not(e: Expr, given: Expr) -> None:
    assert sign(e, given) is not const(0)
