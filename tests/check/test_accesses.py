"""What a file claims of its accesses: conflict_free, cycles and coalesced, on each target."""

from __future__ import annotations

import pytest

from layoutalg.check import check
from layoutalg.formats import loads
from layoutalg.prove import Unknown, Verdict

FILE = """
symbols = {{ B = {{ min = 1, max = 1000000 }} }}
[[descriptor]]
name = "a_lds"
{dtype}
base = {{ kind = "naive", lengths = [8, 128, 8], strides = [1032, 8, 1] }}
steps = [[
  {{ transform = "pass_through", length = 128,     lower = [1],    upper = [0] }},
  {{ transform = "merge",        lengths = [8, 8], lower = [0, 2], upper = [1] }},
]]
[[descriptor]]
name = "a"
dtype = "f16"
base = {{ kind = "naive", lengths = ["B*64", 64], strides = [64, 1] }}
[[distribution]]
name = "copy"
rs = []
hs = [[2, 4, 8], [8, 8]]
ps_major = [[1], [1, 2]]
ps_minor = [[1], [2, 0]]
ys_major = [1, 2]
ys_minor = [0, 1]
[[distribution]]
name = "sideways"
rs = []
hs = [[8, 8], [64]]
ps_major = [[2]]
ps_minor = [[0]]
ys_major = [1, 1]
ys_minor = [0, 1]
[[access]]
name = "it"
{access}
"""
READ = """descriptor = "a_lds"
variables = { block = 4, step = 4 }
index = ["block*32 + lane % 32", "step*16 + lane//32*8"]
width = 8
instruction = "ds_read_b128"
targets = ["gfx942", "gfx950"]
"""
SMALL = READ.replace("32", "16").replace("step = 4", "step = 2").replace("step*16", "step*32")
WRITE = """descriptor = "a_lds"
distribution = "copy"
width = 8
instruction = "ds_write_b128"
targets = ["gfx942"]
"""
LOAD = """descriptor = "a"
variables = { block = "B", step = 8 }
index = ["block*64 + step*8 + lane//8", "lane%8*8"]
width = 8
targets = ["gfx942", "sm_90"]
lanes = 64
"""


def verdict(access: str, claim: str, dtype: str = 'dtype = "f16"') -> Verdict:
    spec = loads(FILE.format(dtype=dtype, access=f'{access}claims = ["{claim}"]'))
    (found,) = [result.verdict for result in check(spec) if result.item.name == "it"]
    return found


@pytest.mark.parametrize(
    ("access", "claim", "expected"),
    [
        (READ, "conflict_free", "proved"),
        (READ.replace(', "gfx950"', ""), "cycles(8)", "proved"),
        (READ, "cycles(8)", "refuted"),
        (SMALL, "conflict_free", "refuted"),
        (SMALL.replace(', "gfx950"', ""), "cycles(16)", "proved"),
        (WRITE, "conflict_free", "proved"),
        (LOAD, "coalesced", "proved"),
        (LOAD.replace("lane%8*8", "lane%8*4"), "coalesced", "refuted"),
    ],
)
def test_a_claim_of_an_access_is_decided_on_each_target(access: str, claim: str, expected: str) -> None:
    assert verdict(access, claim).name == expected


@pytest.mark.parametrize(("strategy", "expected"), [("z3", "proved"), ("mixed-radix", "unknown")])
def test_a_strategy_that_is_forced_is_the_one_that_decides(strategy: str, expected: str) -> None:
    access = LOAD.replace(', "sm_90"', "")
    spec = loads(FILE.format(dtype='dtype = "f16"', access=f'{access}claims = ["coalesced"]'))
    (found,) = [r.verdict for r in check(spec, strategy=strategy) if r.item.name == "it"]
    assert found.name == expected
    assert found.strategy.startswith(strategy)
    assert found.assumptions[0].startswith("segments of gfx942")


def test_the_refutation_names_the_target_that_fails() -> None:
    found = verdict(READ, "cycles(8)")
    assert found.claim == "it by ds_read_b128 on gfx950 takes exactly 8 cycles"
    assert "the phases take 1, 1, 1, 1 cycles" in found.reason


@pytest.mark.parametrize(
    ("access", "claim", "dtype", "why"),
    [
        (READ, "conflict_free", "", "a_lds has no dtype"),
        (READ, "conflict_free", 'dtype = "i4"', "elements of 4 bits"),
        (READ, "conflict_free", 'dtype = "f32"', "8 elements of 4 bytes are 32 bytes a lane; ds_read_b128 moves 16"),
        (READ.replace('instruction = "ds_read_b128"\n', ""), "conflict_free", 'dtype = "f16"', "names no instruction"),
        (
            WRITE.replace("copy", "sideways"), "conflict_free", 'dtype = "f16"',
            "the last Y of sideways does not run along the last dimension",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_said_is_unknown_with_the_reason(access: str, claim: str, dtype: str, why: str) -> None:
    found = verdict(access, claim, dtype)
    assert isinstance(found, Unknown)
    assert why in found.reason


@pytest.mark.parametrize("size", ["S", "elements", "element"])
def test_what_a_size_is_called_does_not_matter(size: str) -> None:
    spec = loads(f"""
[symbols]
{size} = {{ min = 4, max = 4 }}
[[descriptor]]
name = "rows"
base = {{ kind = "packed", lengths = [1, 256] }}
[[access]]
name = "by_lane"
descriptor = "rows"
index = ["0", "lane*{size}"]
width = 4
claims = ["injective"]
""")
    (found,) = [result.verdict for result in check(spec) if result.item.name == "by_lane"]
    assert found.name == "proved", found.reason
