"""A slice of the mutation benchmark: what enumeration says of a mutant is what the prover says."""

from __future__ import annotations

from benchmarks.mutation.run import run, table


def test_every_mutant_gets_the_verdict_of_enumeration() -> None:
    judged = run(layouts=60)
    assert len({(j.operator, j.what) for j in judged}) > 300
    assert [j for j in judged if not j.right] == []
    assert {(j.operator == "formula", j.holds) for j in judged} == {
        (a, b) for a in (True, False) for b in (True, False)
    }
    assert "| formula | same formula |" in table(judged)


def test_a_wrong_verdict_would_be_counted() -> None:
    judged = run(layouts=5, strategy="normal-form")
    assert any(j.verdict == "unknown" for j in judged)
    assert not any(j.right for j in judged if not j.holds)
