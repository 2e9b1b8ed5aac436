"""An assumption more never loses an answer: what is decided for plain sizes is decided for powers of two."""

import pytest

from layoutalg.check import check
from layoutalg.formats import loads

SPEC = """
symbols = {{ P = {{ {limits} }}, Q = {{ min = 1, max = 64 }} }}
[[lemma]]
name = "product"
variables = {{ i = "P", j = "P" }}
goal = "i * P + j < P * P"
[[lemma]]
name = "quadratic"
variables = {{ i = "P" }}
goal = "i * (P - 1) <= (P - 1) * (P - 1) + i"
[[lemma]]
name = "digits"
variables = {{ i = "P", j = "Q" }}
goal = "(j * P + (i + 3) % P) // P == j"
[[descriptor]]
name = "merged"
base = {{ kind = "naive", lengths = ["P", "Q"], strides = ["Q", 1] }}
steps = [[{{ transform = "merge", lengths = ["P", "Q"], lower = [0, 1], upper = [0] }}]]
claims = ["in_bounds", "injective", "bijective", "increments"]
[[descriptor]]
name = "rows"
base = {{ kind = "naive", lengths = ["P", "Q"], strides = ["Q + P", 1] }}
claims = ["in_bounds", "injective", "fits_index"]
"""


def answers(limits: str) -> dict[str, str]:
    return {f"{r.item.name}: {r.claim}": r.verdict.name for r in check(loads(SPEC.format(limits=limits)))}


@pytest.mark.parametrize("least", [1, 2])
def test_a_power_of_two_without_a_maximum_has_the_answers_of_a_plain_size(least: int) -> None:
    plain = answers(f"min = {least}")
    assert plain["rows: fits_index"] == "refuted"
    assert "unknown" not in plain.values()
    assert answers(f"min = {least}, power_of_two = true") == plain
