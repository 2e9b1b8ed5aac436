"""What a file claims of its accesses: conflict_free, cycles, coalesced and lands, on each target."""

from __future__ import annotations

import pytest

from layoutalg.formats import SpecError, loads
from layoutalg.formats.check import check
from layoutalg.prove import Unknown, Verdict
from layoutalg.target.model import TargetError

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
targets = ["gfx942", "gfx950"]
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


STRAIGHT = """descriptor = "a"
variables = { block = "B", step = 8 }
index = ["block*64 + step*8 + lane//8", "lane%8*8"]
width = 8
targets = ["gfx950"]
"""


@pytest.mark.parametrize(
    ("access", "expected"),
    [
        (STRAIGHT, "proved"),
        (STRAIGHT.replace("width = 8", "width = 2").replace("lane%8*8", "lane%8*2"), "refuted"),
        (STRAIGHT.replace("lane%8*8", "(lane%8 ^ 1)*8"), "refuted"),  # neighbours change places
        (STRAIGHT.replace("lane//8", "7 - lane//8"), "refuted"),
        (STRAIGHT.replace("width = 8", 'width = 8\ngiven = ["lane < 32"]'), "proved"),
        (STRAIGHT.replace("width = 8", "width = 2").replace("step*8 + lane//8", "step*8").replace("%8*8", "%32*2"),
         "refuted"),  # lanes from 32 on bring what those before them bring
    ],
)  # fmt: skip
def test_what_comes_straight_to_lds_lies_lane_after_lane(access: str, expected: str) -> None:
    assert verdict(access, "lands").name == expected


def test_a_piece_that_begins_inside_a_dword_does_not_land() -> None:
    rows = STRAIGHT.replace("lane%8*8", "lane%8*8 + step%2").replace("step*8 + lane//8", "lane//8")
    found = verdict(rows, "lands")
    assert found.name == "refuted"
    assert "coordinate 1 is in range" in found.reason or "a dword's" in found.reason


@pytest.mark.parametrize(
    ("access", "why"),
    [
        (
            STRAIGHT.replace("gfx950", "gfx942"),
            "gfx942 has no load of 16 bytes a lane to LDS: it has of 4 bytes a lane",
        ),
        (STRAIGHT.replace("gfx950", "gfx1201"), "gfx1201 has no load of 16 bytes a lane to LDS: it has none"),
        (STRAIGHT.replace("width = 8", "width = 4"), "gfx950 has no load of 8 bytes a lane to LDS"),
    ],
)
def test_a_load_straight_to_lds_that_a_target_lacks_is_bad_input(access: str, why: str) -> None:
    with pytest.raises(TargetError, match=why):
        verdict(access, "lands")


def test_more_lanes_than_a_wave_bring_nothing() -> None:
    found = verdict(STRAIGHT + "lanes = 128\n", "lands")
    assert isinstance(found, Unknown)
    assert found.why == "a load of gfx950 is of 64 lanes and whole bytes, not of 128 and 128 bits"


@pytest.mark.parametrize(("strategy", "expected"), [("z3", "proved"), ("mixed-radix", "unknown")])
def test_a_strategy_that_is_forced_is_the_one_that_decides(strategy: str, expected: str) -> None:
    access = LOAD.replace(', "gfx950"', "")
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
        (READ, "conflict_free", 'dtype = "i4"', "8 elements of i4 are 4 bytes a lane; ds_read_b128 moves 16"),
        (READ, "conflict_free", 'dtype = "f32"', "8 elements of f32 are 32 bytes a lane; ds_read_b128 moves 16"),
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


# Lanes that leave the lengths, and lanes that take no part ------------------------------------------------------------

EIGHT = """
symbols = {{ M = {{ min = 1, max = 4096 }} }}
[[descriptor]]
name = "eight"
dtype = "f32"
base = {{ kind = "packed", lengths = [8] }}
[[descriptor]]
name = "padded"
dtype = "f32"
base = {{ kind = "packed", lengths = [8] }}
steps = [[{{ transform = "right_pad", length = 8, right = 56, lower = [0], upper = [0] }}]]
[[descriptor]]
name = "torn"
dtype = "f16"
base = {{ kind = "packed", lengths = [9] }}
steps = [[{{ transform = "right_pad", length = 9, right = 119, lower = [0], upper = [0] }}]]
[[descriptor]]
name = "rows"
dtype = "f32"
base = {{ kind = "packed", lengths = ["M"] }}
[[distribution]]
name = "by_lane"
rs = []
hs = [[64]]
ps_major = [[1]]
ps_minor = [[0]]
ys_major = []
ys_minor = []
[[access]]
name = "it"
targets = ["gfx942"]
claims = ["{claim}"]
{access}
"""
ALL = ("in_bounds", "injective", "coalesced", "conflict_free", "cycles(2)")


def of_eight(access: str, claim: str, strategy: str | None = None) -> Verdict:
    spec = loads(EIGHT.format(access=access, claim=claim))
    (found,) = [r.verdict for r in check(spec, strategy=strategy) if r.item.name == "it"]
    return found


ONE = 'descriptor = "eight"\nindex = ["lane"]\ninstruction = "ds_read_b32"\n'


@pytest.mark.parametrize("claim", ALL)
def test_a_lane_outside_the_lengths_refutes_every_claim_with_lane_and_coordinate(claim: str) -> None:
    found = of_eight(ONE, claim)
    assert found.name == "refuted"
    assert found.reason == "coordinate 0 is in range: not at lane 8, index 8, length 8"


@pytest.mark.parametrize("strategy", ["z3", "enumeration"])
@pytest.mark.parametrize("claim", ALL)
def test_so_does_every_strategy(claim: str, strategy: str) -> None:
    assert of_eight(ONE, claim, strategy).name == "refuted"


@pytest.mark.parametrize("claim", [*ALL[:-1], "cycles(1)"])
def test_a_lane_that_takes_no_part_may_lie_outside(claim: str) -> None:
    found = of_eight(ONE + 'given = ["lane < 8"]\n', claim)
    assert found.name == "proved", found
    if claim not in ALL[:2]:
        assert "a lane takes part where lane < 8" in found.assumptions
    assert of_eight(ONE + 'given = ["lane < 9"]\n', claim).name == "refuted"


@pytest.mark.parametrize("claim", [*ALL[:-1], "cycles(1)"])
def test_padding_masks_as_the_predicate_of_ck_does(claim: str) -> None:
    assert of_eight(ONE.replace("eight", "padded"), claim).name == "proved"
    assert of_eight(ONE.replace("eight", "padded").replace('"lane"', '"lane + 1"'), "in_bounds").name == "refuted"


@pytest.mark.parametrize("claim", ["in_bounds", "injective", "coalesced"])
def test_a_vector_that_is_padding_in_part_is_refuted(claim: str) -> None:
    found = of_eight('descriptor = "torn"\nindex = ["lane*2"]\nwidth = 2\n', claim)
    assert found.name == "refuted"
    assert "a vector is data as a whole, or padding: not at lane 4" in found.reason


def test_a_mask_is_of_whole_vectors() -> None:
    """Lane 4 takes part, so its whole vector does, and element 9 lies outside."""
    access = 'descriptor = "rows"\nindex = ["lane*2"]\nwidth = 2\ngiven = ["lane*2 < M", "M == 9"]\n'
    found = of_eight(access, "coalesced")
    assert found.name == "refuted"
    assert "lane 4, index 9, length 9" in found.reason


@pytest.mark.parametrize("claim", ["in_bounds", "injective", "coalesced"])
def test_the_lane_of_a_distribution_is_masked_by_its_name(claim: str) -> None:
    access = 'descriptor = "rows"\ndistribution = "by_lane"\ngiven = ["lane < M"]\n'
    assert of_eight(access, claim).name == "proved"
    assert of_eight(access.replace('given = ["lane < M"]\n', ""), claim).name == "refuted"


@pytest.mark.parametrize("claim", ALL)
def test_where_nobody_takes_part_nothing_is_proved(claim: str) -> None:
    assert of_eight(ONE + 'given = ["lane < 8", "lane > 8"]\n', claim).name == "unknown"


def test_several_waves_are_no_wave() -> None:
    """The lanes of 4 waves together fill each segment, and each wave alone touches every fourth dword."""
    access = 'descriptor = "rows"\nlanes = 256\nindex = ["lane // 64 + lane % 64 * 4"]\ngiven = ["M >= 256"]\n'
    found = of_eight(access, "coalesced")
    assert isinstance(found, Unknown)
    assert "a lane map of 256 lanes; a wave of gfx942 has 64; give threads of a block as (wave, lane)" in found.reason


@pytest.mark.parametrize("claim", ["contiguous(4)", "aligned(4)"])
def test_a_claim_of_descriptors_about_an_access_is_bad_input(claim: str) -> None:
    with pytest.raises(SpecError, match="is a claim about descriptor, not about access"):
        of_eight(ONE, claim)
