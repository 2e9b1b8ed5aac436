"""Blocks dealt to chiplets: proved one to one for any number of them; other orders and programs are refused."""

from dataclasses import replace

import pytest

from layoutalg.index import Expr, maximum, minimum
from layoutalg.kernel.library.transpose import lds_transpose
from layoutalg.kernel.obligations.blocks import dealt
from layoutalg.kernel.verify import verify
from layoutalg.layout import LayoutError
from layoutalg.prove import prove


def verdicts(chiplets: int, *order) -> list[str]:
    return [prove(one.claim).name for one in dealt(chiplets, *order)]


@pytest.mark.parametrize("chiplets", [2, 6, 8])
def test_any_number_of_blocks_is_dealt_one_to_one(chiplets: int) -> None:
    assert verdicts(chiplets) == ["proved", "proved"]


def as_if_whole(b: Expr, n: Expr, c: int) -> Expr:
    """One to one where chiplets divide the blocks, and only there."""
    return b % c * (n // c) + b // c


def rounded_up(b: Expr, n: Expr, c: int) -> Expr:
    """The same with too many blocks a chiplet: some are none of the grid's."""
    return b % c * ((n + c - 1) // c) + b // c


def most(b: Expr, n: Expr, c: int) -> Expr:
    return b % c * (n // c) + maximum(b % c, n % c) + b // c


def one_less(b: Expr, n: Expr, c: int) -> Expr:
    """Correct but where chiplets divide the blocks but for one."""
    return b % c * (n // c) + minimum(b % c, minimum(n % c, c - 2)) + b // c


def other_turns(b: Expr, n: Expr, c: int) -> Expr:
    return b % c * (n // c) + minimum(b % c, n % c) + b // (c // 2)


@pytest.mark.parametrize("order", [as_if_whole, rounded_up, most, one_less, other_turns])
def test_orders_that_take_a_block_twice_or_one_that_is_not_there_are_refuted(order) -> None:
    assert "refuted" in verdicts(8, order)


def test_a_program_states_it() -> None:
    verified = verify(replace(lds_transpose(), chiplets=8))
    stated = [
        about for about, verdict in verified.verdicts if "dealt to 8 chiplets" in about and verdict.name == "proved"
    ]
    assert len(stated) == 2
    assert verified.failures == ()


@pytest.mark.parametrize("wrong", [{"chiplets": 0}, {"chiplets": 8, "linear": False}, {"chiplets": 8, "persistent": 4}])
def test_programs_that_cannot_be_dealt_are_refused(wrong) -> None:
    with pytest.raises(LayoutError, match="chiplets"):
        verify(replace(lds_transpose(), **wrong))
