"""What a statement may not be, and proofs that would say nothing."""

import pytest

from layoutalg.index import all_of, eq, var
from layoutalg.layout import make_naive_tensor_descriptor
from layoutalg.prove import All, FitsIndexType, ForAll, InBounds, InjectiveMap, Proved, Refuted, Unknown, prove
from layoutalg.prove.obligation import SharedNameError


def test_two_variables_of_one_name_are_refused() -> None:
    a, b = var("i", 8), var("i", 16)
    for statement in (
        InjectiveMap("both", (a, b), (a % 4, a // 4, b // 4)),
        ForAll("both", eq(a, b), all_of(a < 4, b < 4)),
    ):
        with pytest.raises(SharedNameError, match="two variables are named i"):
            prove(statement)


def test_an_assumption_that_never_holds_proves_nothing() -> None:
    i = var("i", 10)
    verdict = prove(ForAll("three", eq(i, 3), all_of(i < 2, i > 5)))
    assert isinstance(verdict, Unknown)
    assert "never holds" in verdict.reason
    assert isinstance(prove(ForAll("three", i < 3, all_of(i < 2, i >= 0))), Proved)


@pytest.mark.parametrize("strategy", [None, "z3"])
def test_claims_on_several_layouts_may_name_their_indices_alike(strategy: str | None) -> None:
    tiles = [make_naive_tensor_descriptor((n, 8), (8, 1)) for n in (4, 16, 32)]
    assert isinstance(prove(All(tuple(map(InBounds, tiles))), strategy=strategy), Proved)
    verdict = prove(All((*map(FitsIndexType, tiles), FitsIndexType(tiles[2], 8))), strategy=strategy)
    assert isinstance(verdict, Refuted)
