"""An assumption more never loses an answer: what is decided for plain sizes is decided for powers of two."""

import pytest

from layoutalg.formats import loads
from layoutalg.formats.check import check

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


def answers(limits: str, spec: str = SPEC) -> dict[str, str]:
    return {f"{r.item.name}: {r.claim}": r.verdict.name for r in check(loads(spec.format(limits=limits)))}


@pytest.mark.parametrize("least", [1, 2])
def test_a_power_of_two_without_a_maximum_has_the_answers_of_a_plain_size(least: int) -> None:
    plain = answers(f"min = {least}")
    assert plain["rows: fits_index"] == "refuted"
    assert "unknown" not in plain.values()
    assert answers(f"min = {least}, power_of_two = true") == plain


LDS = """
symbols = {{ S = {{ {limits} }} }}
[[descriptor]]
name = "tile"
dtype = "f32"
base = {{ kind = "naive", lengths = [64, 32], strides = ["S", 1] }}
steps = [[{{ transform = "xor", lengths = [64, 32], lower = [0, 1], upper = [0, 1] }}]]
claims = ["injective"]
[[access]]
name = "rows"
descriptor = "tile"
targets = ["gfx942"]
instruction = "ds_read_b32"
index = ["lane // 32", "lane % 32"]
claims = ["conflict_free", "cycles(2)"]
"""


def test_a_row_stride_without_a_maximum_leaves_the_lds_beside_xor_too() -> None:
    """What a maximum makes a question of banks is without one a question of memory, and it is answered."""
    free = {f"rows: {claim}": "proved" for claim in ("conflict_free", "cycles(2)")}
    for limits in ("min = 32", "min = 32, multiple_of = 8", "min = 32, power_of_two = true"):
        told = {f"{r.item.name}: {r.claim}": r.verdict for r in check(loads(LDS.format(limits=limits)))}
        assert {claim: told[claim].name for claim in free} == dict.fromkeys(free, "refuted")
        assert "every address lies in the 65536 bytes of LDS: not at" in told["rows: conflict_free"].reason
        assert answers(f"{limits}, max = 256", LDS) == {"tile: injective": "proved", **free}
