"""Accesses by themselves: what is said of a number that wraps on the way to an address; cases are in `cases`."""

from layoutalg.prove import Refuted
from tests.audit.test_audit_cases import asking


def overflow(case: str, kernel: str) -> Refuted:
    found = asking(case, kernel).audited()
    (verdict,) = (one for claim, _, one in found.claims if claim == "no_overflow" and isinstance(one, Refuted))
    return verdict


def test_a_product_that_leaves_32_bits_names_its_block() -> None:
    assert "no_overflow: not at block" in overflow("leaves_32_bits_by_one", "product").reason


def test_the_thread_that_is_named_has_an_element_beyond_32_bits() -> None:
    point = overflow("wraps_below_zero", "last_of_a_row").witness.points[0]
    assert point["N"] * point["thread.x"] + point["N"] - 1 >= 1 << 32
