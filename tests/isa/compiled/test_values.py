"""Compiled text against the numpy machine: each entry of the table, on numbers that are worth trying."""

import pytest

from layoutalg.isa.semantics.table import ALU
from tests.isa.compiled.sides import chunks, differences, plain


def names_of(target, lanes, every=1):
    return chunks([name for name in ALU if plain(name)][::every], target, lanes)


@pytest.mark.parametrize(("target", "lanes"), [("gfx942", 64), ("gfx1201", 32)])
def test_some_entries_are_the_same(target, lanes):
    first, *_ = names_of(target, lanes, every=23)
    assert len(first) >= 10
    assert not differences(first, target, lanes)


@pytest.mark.slow
@pytest.mark.parametrize(("target", "lanes"), [("gfx942", 64), ("gfx1201", 32)])
def test_all_entries_are_the_same(target, lanes):
    found = names_of(target, lanes)
    assert sum(map(len, found)) > 450
    assert [differences(chunk, target, lanes, seed) for seed, chunk in enumerate(found)] == [set()] * len(found)


def test_a_difference_is_seen(monkeypatch):
    """Text that takes one function for another."""
    from layoutalg.isa.compiled import values

    monkeypatch.setattr(values, "HEADER", values.HEADER)
    monkeypatch.setattr(values.TextValues, "mul_high", lambda self, a, b: a * b)
    assert differences(["V_ADD3_U32", "V_MUL_HI_U32"], "gfx942", 64) == {"V_MUL_HI_U32"}
