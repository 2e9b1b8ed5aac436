"""What is refuted or refused as expected was so for the reason that the file states, where it states one."""

from __future__ import annotations

import pytest

from layoutalg.formats import loads
from layoutalg.formats.check import Result, check, facts
from layoutalg.prove import Limits

FILE = """
[[descriptor]]
name = "rows"
base = {{ kind = "naive", lengths = [3, 4], strides = [8, 1] }}
claims = [{{ claim = "element_space_size(24)", expect = "refuted", because = "{space}" }}]
examples = [{{ index = [1, 2], offset = 11, expect = "refuted", because = "{offset}" }}]

[[descriptor]]
name = "misattached"
base = {{ kind = "packed", lengths = [2, 6] }}
steps = [[
  {{ transform = "pass_through", length = 9, lower = [0], upper = [0] }},
  {{ transform = "pass_through", length = 6, lower = [1], upper = [1] }},
]]
expect = "refused"
because = "{lower}"

[[lemma]]
name = "every_index_is_even"
variables = {{ i = 8 }}
goal = "i % 2 == 0"
expect = "refuted"
because = "{witness}"
"""
RIGHT = {"space": "size 20", "offset": "offset 10", "lower": "its lower length is 9", "witness": "i 1"}


def results(**given: str) -> list[Result]:
    return list(check(loads(FILE.format(**{**RIGHT, **given}))))


def test_the_right_reasons_pass() -> None:
    assert [r.passed for r in results()] == [True] * 4


@pytest.mark.parametrize("which", range(4))
def test_another_reason_does_not(which: int) -> None:
    found = results(**{list(RIGHT)[which]: "another reason"})
    assert [r.passed for r in found] == [n != which for n in range(4)]


def test_a_layout_that_is_refused_for_another_reason_is_unknown() -> None:
    refused = results(lower="it is too large")[2]
    assert refused.verdict.name == "unknown"
    assert refused.verdict.reason.startswith("refused, but because pass_through(9) is attached to dimension 0")


def test_an_item_s_reason_is_that_of_its_claims() -> None:
    text = """
    [[descriptor]]
    name = "rows"
    base = { kind = "packed", lengths = [3, 4] }
    claims = ["element_space_size(13)", { claim = "element_space_size(14)", expect = "refuted" }]
    expect = "refuted"
    because = "size 12"
    """
    one, other = check(loads(text))
    assert (one.because, other.because) == ("size 12", "")
    assert one.passed
    assert other.passed


HARD = """
symbols = { M = { max = 4096 }, N = { max = 65536 }, K = { max = 3 } }
[[descriptor]]
name = "hard"
base = { kind = "packed", lengths = ["(M+N+K+1)*(M+N+K+2)*(M+N+K+3)*(M+N+K+4)*(M+N+K+5)", "M"] }
"""


def test_what_is_told_beside_the_claims_of_hard_lengths() -> None:
    (item,) = loads(HARD).descriptors
    assert facts(item, Limits(seconds=1.0))["vector"] == 1


def test_what_is_told_beside_the_claims_holds_where_the_item_is() -> None:
    text = 'symbols = { M = {} }\n[[descriptor]]\nname = "d"\ngiven = ["M * M == 256"]\n'
    (item,) = loads(text + 'base = { kind = "packed", lengths = [4, "M"] }\n').descriptors
    assert facts(item)["vector"] == 16


SEVERAL = """
[[descriptor]]
name = "tile"
dtype = "f16"
base = { kind = "packed", lengths = [64, 64] }
examples = [{ index = [1, 2], offset = 67 }, { index = [1, 3], offset = 67, valid = true }]
[[access]]
name = "read"
descriptor = "tile"
lanes = 64
width = 8
index = ["lane % 32", "lane // 32 * 8"]
instruction = "ds_read_b128"
targets = ["gfx942", "gfx950"]
claims = ["cycles(64)"]
"""


def test_a_refutation_names_its_target_and_an_example_what_was_wanted() -> None:
    reasons = [r.verdict.reason for r in check(loads(SEVERAL)) if r.verdict.name == "refuted"]
    assert reasons[0] == "tile at (1, 2) has offset 66; the file says 67"
    assert reasons[1].startswith(
        "it is not true that read by ds_read_b128 on gfx950 takes exactly 64 cycles: lanes 0, 2, 12, 14 and"
    )
