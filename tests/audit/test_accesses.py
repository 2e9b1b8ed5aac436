"""Accesses by themselves: what is said of a number that wraps on the way to an address; cases are in `cases`."""

from layoutalg.audit.audit import Audit, audit
from layoutalg.formats.spec import load
from layoutalg.prove import Refuted
from tests.audit.auditing import kernels
from tests.audit.test_audit_cases import CASES


def of(source: str, name: str) -> Audit:
    return audit(kernels((CASES / f"{source}.hip").read_text())[name], load(CASES / f"{source}.toml"))


def overflow(found: Audit) -> Refuted:
    (verdict,) = (one for claim, _, one in found.claims if claim == "no_overflow" and isinstance(one, Refuted))
    return verdict


def test_a_product_that_leaves_32_bits_names_its_block() -> None:
    assert "no_overflow fails: block" in overflow(of("leaves_32_bits_by_one", "product")).reason


def test_the_thread_that_is_named_has_an_element_beyond_32_bits() -> None:
    point = overflow(of("wraps_below_zero", "last_of_a_row")).witness.points[0]
    assert point["N"] * point["thread.x"] + point["N"] - 1 >= 1 << 32
