"""Bases in the neighbours' notations: what they make, how they are written again, and what is wrong with one, where."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from layoutalg.errors import SpecError
from layoutalg.formats import dump, loads
from layoutalg.formats.check import check
from layoutalg.formats.notations import NOTATIONS
from layoutalg.interop import cute
from layoutalg.interop.strided import Strided
from tests.optional import needed

SWIZZLED = "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>"
GIVEN = {
    "strided": "lengths = [8, 64], strides = [-64, 1], offset = 448, storage = 512",
    "cute": 'layout = "((4,2),8):((2,1),16)"',
    "triton": f'layout = "{SWIZZLED}", shape = [64, 64]',
}
FILE = '[[descriptor]]\nname = "d"\nbase = {{ kind = "{kind}", {given} }}\n'


@pytest.mark.parametrize("kind", NOTATIONS)
def test_a_notation_is_a_descriptor_and_is_written_as_one(kind: str) -> None:
    file = loads(FILE.format(kind=kind, given=GIVEN[kind]))
    made = file.descriptor("d").descriptor
    again = dump(file)
    assert loads(again).descriptor("d").descriptor == made
    assert all(check(file)), kind


def test_each_is_the_map_that_its_room_makes() -> None:
    strided = loads(FILE.format(kind="strided", given=GIVEN["strided"])).descriptor("d").descriptor
    assert strided == Strided((8, 64), (-64, 1), 448, 512).descriptor
    of_cute = loads(FILE.format(kind="cute", given=GIVEN["cute"])).descriptor("d").descriptor
    assert of_cute == cute.descriptor(cute.parse("((4,2),8):((2,1),16)"))


def test_a_view_that_leaves_its_storage_is_refuted_with_the_index() -> None:
    file = loads(FILE.format(kind="strided", given="lengths = [4, 5], strides = [6, 1], offset = 3, storage = 25"))
    inside, no_overlap, _ = check(file)
    assert inside.verdict.name == "refuted"
    assert "index (3, 4), offset 25, elements 25" in inside.verdict.reason
    assert no_overlap


def test_symbols_are_the_files() -> None:
    text = "symbols = { M = { max = 4096, multiple_of = 8 } }\n"
    file = loads(text + FILE.format(kind="cute", given='layout = "(M,64):(64,1)"'))
    assert all(check(file))
    lengths = 'lengths = ["M", 8], strides = [8, 1], offset = 0, storage = "M * 8"'
    assert all(check(loads(text + FILE.format(kind="strided", given=lengths))))


BAD = {
    'kind = "cute", layout = "(4,8:(1,4)"': "3:25: descriptor[0].base.layout: '(4,8:(1,4)', column 5: ',' or ')' is",
    'kind = "cute", layout = "(M,8)"': "3:25: descriptor[0].base.layout: '(M,8)', column 2: ",
    'kind = "cute", layout = "(4,0):(1,4)"': "descriptor[0].base.layout: ",
    'kind = "cute", layout = "(4):(-1)"': "before memory begins",
    'kind = "cute", layout = 4': "descriptor[0].base.layout: ",
    'kind = "cute"': "the key 'layout' is missing",
    'kind = "cute", layout = "(4)", strides = [1]': "unknown key 'strides'",
    'kind = "triton", layout = "#ttg.swizzled<{}>", shape = [8]': "descriptor[0].base.layout: ",
    'kind = "triton", layout = "#ttg.linear<{register = [[1]], lane = [], warp = [], block = []}>", shape = [2]': (
        "descriptor[0].base.layout: a layout in registers"
    ),
    f'kind = "triton", layout = "{SWIZZLED}", shape = [-4, 4]': "descriptor[0].base.layout: ",
    f'kind = "triton", layout = "{SWIZZLED}"': "the key 'shape' is missing",
    'kind = "cutlass", layout = "(4)"': "'cutlass' is none of naive, packed, aligned, naive_with_offset, strided",
    'kind = "strided", lengths = [4], strides = [1], offset = 0': "the key 'storage' is missing",
    'kind = "strided", lengths = [4], strides = [1, 2], offset = 0, storage = 9': "1 lengths but 2 strides",
    'kind = "strided", lengths = [4], strides = ["K"], offset = 0, storage = 9': "descriptor[0].base.strides[0]: ",
    'kind = "strided", lengths = [-4], strides = [1], offset = 0, storage = 9': "a length is at least",
}


@pytest.mark.parametrize("inner", BAD)
def test_what_is_wrong_is_one_line_with_its_place(inner: str) -> None:
    with pytest.raises(SpecError) as refused:
        loads('[[descriptor]]\nname = "d"\nbase = { ' + inner + " }\n")
    assert BAD[inner] in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.slow
def test_the_schema_admits_them() -> None:
    jsonschema = needed("jsonschema", "test")
    schema = json.loads((Path(__file__).parents[2] / "layoutalg/formats/spec.schema.json").read_text())
    base = {"kind": "cute", "layout": "(4,8):(8,1)"}
    claims = ["in_bounds", {"equals": "other", "expect": "refuted"}]
    jsonschema.validate({"descriptor": [{"name": "d", "base": base, "claims": claims}]}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"descriptor": [{"name": "d", "base": {"kind": "cute"}}]}, schema)


THREE = """
[[descriptor]]
name = "ck"
base = { kind = "naive", lengths = [8, 2, 4], strides = [16, 1, 2] }
steps = [[
  { transform = "merge",        lengths = [2, 4], lower = [1, 2], upper = [0] },
  { transform = "pass_through", length = 8,       lower = [0],    upper = [1] },
]]
claims = [{ equals = "cute" }]

[[descriptor]]
name = "cute"
base = { kind = "cute", layout = "((4,2),8):((2,1),16)" }
claims = ["in_bounds", { equals = "ck" }]
"""


def test_a_descriptor_of_ck_is_a_layout_of_cute_and_the_other_way_round() -> None:
    file = loads(THREE)
    found = list(check(file))
    assert [r.claim for r in found] == ["equals cute", "in_bounds", "equals ck"]
    assert all(found)
    assert dump(loads(dump(file))) == dump(file)
    assert '{ equals = "ck" }' in dump(file)


@pytest.mark.parametrize(
    ("layout", "why"),
    [
        ("((4,2),8):((2,1),17)", "offsets are equal: not at index (0, 1), offsets (17, 16)"),
        ("((2,4),8):((2,1),16)", "offsets are equal: not at index (2, 0), offsets (1, 4)"),
        ("(8,4):(1,16)", "the shapes are equal: not at shape (8, 4), other shape (8, 8)"),
        ("8:1", "the lengths are 8, the other's (8, 8): not as many dimensions"),
    ],
)
def test_another_map_is_refuted_with_a_witness(layout: str, why: str) -> None:
    file = loads(THREE.replace("((4,2),8):((2,1),16)", layout))
    result = next(r for r in check(file) if r.claim == "equals ck")
    assert result.verdict.name == "refuted"
    assert result.verdict.reason.startswith(why)


def test_a_swizzle_is_one_in_all_three_notations() -> None:
    """CK's xor of rows of 8 vectors, CuTe's Sw<3,3,3>, Triton's maxPhase 8; and not with another phase."""
    text = f"""
[[descriptor]]
name = "ck"
base = {{ kind = "packed", lengths = [64, 8, 8] }}
steps = [
  [{{ transform = "xor", lengths = [64, 8], lower = [0, 1], upper = [0, 1] }},
   {{ transform = "pass_through", length = 8, lower = [2], upper = [2] }}],
  [{{ transform = "pass_through", length = 64, lower = [0], upper = [0] }},
   {{ transform = "merge", lengths = [8, 8], lower = [1, 2], upper = [1] }}],
]
claims = [{{ equals = "cute" }}, {{ equals = "triton" }}]
[[descriptor]]
name = "cute"
base = {{ kind = "cute", layout = "Sw<3,3,3> o 0 o (64,64):(64,1)" }}
claims = [{{ equals = "triton" }}, {{ equals = "other", expect = "refuted", because = "offsets are equal" }}]
[[descriptor]]
name = "triton"
base = {{ kind = "triton", layout = "{SWIZZLED}", shape = [64, 64] }}
[[descriptor]]
name = "other"
base = {{ kind = "triton", layout = "{SWIZZLED.replace("perPhase = 1", "perPhase = 2")}", shape = [64, 64] }}
"""
    found = list(check(loads(text)))
    assert all(found), [str(r.verdict) for r in found if not r]
    assert sum(r.claim.startswith("equals") for r in found) == 4


def test_padding_is_part_of_the_map() -> None:
    padded = """
[[descriptor]]
name = "a"
base = { kind = "packed", lengths = [6] }
steps = [[{ transform = "right_pad", length = 6, right = 2, lower = [0], upper = [0] }]]
claims = [{ equals = "b", expect = "refuted", because = "both reach data at the same indices" }]
[[descriptor]]
name = "b"
base = { kind = "cute", layout = "8:1" }
"""
    assert all(check(loads(padded)))


EQUALS_BAD = {
    'claims = [{ equals = "nobody" }]': "no descriptor named 'nobody' in this file; it has d",
    "claims = [{ equals = 3 }]": "is expected, not 3",
    'claims = ["equals(d)"]': 'equals is a claim on two layouts; write { equals = "the other\'s name" }',
    'claims = [{ equals = "d", claim = "in_bounds" }]': "unknown key 'claim'",
    'claims = [{ equals = "d", because = "x" }]': "because is what the reason says where expect",
}


@pytest.mark.parametrize("inner", EQUALS_BAD)
def test_what_is_wrong_with_a_claim_is_one_line(inner: str) -> None:
    with pytest.raises(SpecError) as refused:
        loads(FILE.format(kind="cute", given=GIVEN["cute"]) + inner + "\n")
    assert EQUALS_BAD[inner] in str(refused.value)
    assert "4:" in str(refused.value)


def test_a_transform_equals_none() -> None:
    text = '[[transform]]\nname = "t"\ntransform = "pass_through"\nlength = 4\nclaims = [{ equals = "d" }]\n'
    with pytest.raises(SpecError, match="equals is a claim about descriptor or distribution, not about transform"):
        loads(text)


BLOCKED = "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 16], warpsPerCTA = [WARPS, 1], order = [1, 0]}>"
LANES = {
    "ck": "hs = [[2, 4, 8], [16, 8]]\nps_major = [[1], [1, 2]]\nps_minor = [[1], [2, 0]]\n"
    "ys_major = [1, 2]\nys_minor = [0, 1]",
    "one_p": "hs = [[2, 4, 8], [16, 8]]\nps_major = [[1, 1, 2]]\nps_minor = [[1, 2, 0]]\n"
    "ys_major = [1, 2]\nys_minor = [0, 1]",
    "cute": 'base = { kind = "cute", shape = [64, 128], wave = 64, '
    'layout = "(((16,8),4),(8,2)):(((512,1),8),(64,32))" }',
    "triton": f'base = {{ kind = "triton", shape = [64, 128], layout = "{BLOCKED.replace("WARPS", "4")}" }}',
}
OTHERS = {
    "ck": "offsets are equal",  # registers in another order
    "cute": "offsets are equal",
    "triton": "the shapes are equal",  # of two warps
}


def lanes(name: str, text: str, claims: str) -> str:
    return f'[[distribution]]\nname = "{name}"\n{text}\nclaims = ["covers", {claims}]\n'


def test_who_holds_what_is_one_map_in_all_notations() -> None:
    """Triton's blocked layout, CuTe's thread-value layout, CK's encoding with and without its waves apart."""
    claims = ", ".join(f'{{ equals = "{name}" }}' for name in LANES)
    found = list(check(loads("".join(lanes(name, text, claims) for name, text in LANES.items()))))
    assert all(found), [str(r.verdict) for r in found if not r]
    assert sum(r.claim.startswith("equals") for r in found) == len(LANES) ** 2


@pytest.mark.parametrize("name", OTHERS)
def test_who_holds_something_else_is_refuted_with_a_thread_and_its_register(name: str) -> None:
    other = {
        "ck": LANES["ck"].replace("ys_major = [1, 2]\nys_minor = [0, 1]", "ys_major = [2, 1]\nys_minor = [1, 0]"),
        "cute": LANES["cute"].replace("(64,32)", "(32,64)").replace("(8,2)", "(2,8)"),
        "triton": LANES["triton"].replace("[4, 1]", "[2, 1]"),
    }[name]
    claim = f'{{ equals = "other", expect = "refuted", because = "{OTHERS[name]}" }}'
    found = list(check(loads(lanes("one", LANES[name], claim) + lanes("other", other, '{ equals = "other" }'))))
    assert all(found), [str(r.verdict) for r in found if not r]


LANES_BAD = {
    f'base = {{ kind = "triton", shape = [64, 64], layout = "{SWIZZLED}" }}': "a shared layout, which says",
    LANES["triton"].replace("[64, 128]", '["M", 128]'): "Triton's layouts are of numbers",
    LANES["cute"].replace("(64,32)", "(64,64)"): "along dimension 0 it holds 32 of 64 elements",
    LANES["cute"].replace('layout = "', 'layout = "Sw<1,0,3> o 0 o '): "is swizzled",
    LANES["cute"].replace("wave = 64, ", ""): "the key 'wave' is missing",
    LANES["ck"] + '\nclaims = [{ equals = "nobody" }]': "no distribution named 'nobody' in this file",
}


@pytest.mark.parametrize("text", LANES_BAD)
def test_what_is_wrong_with_a_distribution_is_one_line(text: str) -> None:
    with pytest.raises(SpecError) as refused:
        loads(f'symbols = {{ M = {{ min = 1 }} }}\n[[distribution]]\nname = "d"\n{text}\n')
    assert LANES_BAD[text] in str(refused.value)
    assert "\n" not in str(refused.value).strip()
