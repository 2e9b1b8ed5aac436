"""`explain`: words that match the maps, grades that match the verdicts, and fixes that hold."""

import json
from pathlib import Path

import pytest

from layoutalg.explain import data, explain, latex, steps, text
from layoutalg.formats import AccessItem, DescriptorItem, load, loads
from layoutalg.formats.check import check
from layoutalg.formats.sized import sized
from layoutalg.layout import TRANSFORMS, LayoutError, Transform, make_naive_tensor_descriptor
from layoutalg.layout.transforms import DEFECTS
from layoutalg.memory.banks import LANES_OFF
from tests.cli.command import run

PADDED = """
symbols = { M = { min = 8, max = 4096, multiple_of = 8 } }
[[descriptor]]
name = "a_lds"
dtype = "f16"
base = { kind = "naive", lengths = [8, "M", 8], strides = ["(M+1)*8", 8, 1] }
steps = [[
  { transform = "pass_through", length = "M",     lower = [1],    upper = [0] },
  { transform = "merge",        lengths = [8, 8], lower = [0, 2], upper = [1] },
]]
"""


def item(base: str, steps: str = "", more: str = "") -> DescriptorItem:
    chain = f"steps = [[{steps}]]\n" if steps else ""
    return loads(f'[[descriptor]]\nname = "d"\nbase = {{ {base} }}\n{chain}{more}').descriptors[0]


def grades(found: DescriptorItem) -> dict[str, str]:
    return {f.about: f.grade for f in explain(found).findings}


def test_every_transform_has_words() -> None:
    for kind in (*TRANSFORMS.values(), *DEFECTS.values()):
        assert kind.words is not Transform.words, kind.name


def test_a_sound_tile_has_no_fault_and_says_how_it_is_known() -> None:
    found = explain(loads(PADDED).descriptors[0])
    assert {f.grade for f in found.findings} == {"fine", "cost"}
    assert all(f.how for f in found.findings)
    assert [f.text for f in found.risks] == ["56 of (M + 1) * 56 + (M - 1) * 8 + 8 elements are never used."]
    assert "sizes are symbols" in found.untold


def test_the_padded_tile_of_pipeline_v1_conflicts_in_16_rows_on_gfx942_and_a_proved_layout_replaces_it() -> None:
    found = explain(sized(loads(PADDED).descriptors[0], {"M": 64}))
    told = {f.text.split(":")[0]: f.grade for f in found.findings if f.about == "banks"}
    assert told["A of mfma_f32_32x32x16_f16 by ds_read_b128 on gfx942"] == "fine"
    assert told["A of mfma_f32_16x16x32_f16 by ds_read_b128 on gfx942"] == "cost"
    (fix,) = found.fixes
    assert all(v.name == "proved" for v in fix.verdicts)
    assert all(result.passed for result in check(loads(fix.spec)))


def test_a_size_that_the_file_does_not_allow_is_refused() -> None:
    descriptor = loads(PADDED).descriptors[0]
    with pytest.raises(LayoutError, match="M = 63"):
        sized(descriptor, {"M": 63})
    with pytest.raises(LayoutError, match="no size 'Q'; it has M"):
        sized(descriptor, {"Q": 1})


def test_overlapping_strides_are_a_fault_and_the_packed_ones_are_proposed() -> None:
    found = explain(item('kind = "naive", lengths = [6, 6], strides = [4, 1]'))
    overlap = next(f for f in found.findings if f.about == "overlap")
    assert overlap.grade == "fault"
    assert "36 indices reach 26 elements" in overlap.text
    assert "strides (6, 1) in place of (4, 1)" in found.fixes[0].text


def test_windows_that_state_in_bounds_only_are_no_fault() -> None:
    windows = item('kind = "naive", lengths = [4, 3], strides = [1, 1]', more='claims = ["in_bounds"]')
    assert grades(windows)["overlap"] == "fine"


def test_a_xor_of_six_is_replaced_by_a_shift_that_is_proved() -> None:
    xor = '{ transform = "xor", lengths = [6, 6], lower = [0, 1], upper = [0, 1] }'
    found = explain(item('kind = "packed", lengths = [6, 6]', xor))
    assert grades(found.item)["bounds"] == "fault"
    assert found.fixes[0].text.startswith("Replace xor((6, 6)) by cyclic_shift((6, 6))")


def test_an_index_beyond_32_bits_is_a_fault_with_the_bits_that_do() -> None:
    found = explain(item('kind = "packed", lengths = [70000, 40000]'))
    index = next(f for f in found.findings if f.about == "index")
    assert index.grade == "fault"
    assert "33 bits suffice (proved)" in index.text


def test_the_largest_size_that_32_bits_hold_is_exact() -> None:
    spec = 'symbols = { M = { min = 8, max = 1000000, multiple_of = 8 } }\n[[descriptor]]\nname = "d"\n'
    found = explain(loads(spec + 'base = { kind = "packed", lengths = ["M", 40000] }').descriptors[0])
    largest = (2**31 - 1) // 40000 // 8 * 8
    assert any(f"32 bits suffice for M ≤ {largest:,} (proved)" in f.text for f in found.fixes)


def test_a_vector_that_straddles_the_padding_is_told_with_its_place() -> None:
    pad = """{ transform = "pass_through", length = 4, lower = [0], upper = [0] },
             { transform = "right_pad", length = 12, right = 4, lower = [1], upper = [1] }"""
    found = explain(item('kind = "packed", lengths = [4, 12]', pad))
    vectors = next(f for f in found.findings if f.about == "vectors")
    assert "4 elements are one aligned vector, 8 are not" in vectors.text
    assert "16 of 64 indices are padding" in next(f.text for f in found.findings if f.about == "padding")


def test_steps_name_the_hidden_dimensions_as_the_graph_does() -> None:
    (step,) = steps(make_naive_tensor_descriptor((3, 4), (8, 1)).adaptor)
    assert step.down == ("offset = i0 * 8 + i1",)
    assert step.back == ("i0 = offset // 8", "i1 = offset % 8")


def test_text_json_and_latex_say_the_same_claims() -> None:
    found = explain(loads(PADDED).descriptors[0])
    document = json.loads(json.dumps(data(found)))
    for claim in document["claims"]:
        assert f"{claim['name']}: {claim['verdict']}" in text(found)
    assert latex(found).count(r"\item") == len(found.results) + len(found.findings) + len(found.fixes)


def test_the_command_prints_one_json_document(tmp_path: Path) -> None:
    spec = tmp_path / "a.toml"
    spec.write_text(PADDED)
    result = run("explain", spec, "--json", "-D", "M=64")
    assert result.returncode == 0
    assert [d["name"] for d in json.loads(result.stdout)["descriptors"]] == ["a_lds"]


def test_bad_input_is_one_line_and_exit_3(tmp_path: Path) -> None:
    spec = tmp_path / "a.toml"
    spec.write_text(PADDED)
    for arguments in ([tmp_path / "none.toml"], [spec, "--descriptor", "b"], [spec, "--json", "--latex"]):
        result = run("explain", *arguments)
        assert (result.returncode, len(result.stderr.splitlines())) == (3, 1)


def test_the_files_own_accesses_are_told_of_in_place_of_the_usual_reads() -> None:
    spec = load(Path(__file__).parents[2] / "proofs" / "lds" / "tails.toml")
    own = [a for a in spec.items if isinstance(a, AccessItem)]
    tile = explain(spec.descriptor("tile"), accesses=[a for a in own if a.descriptor.name == "tile"])
    banks = [f.text for f in tile.findings if f.about == "banks"]
    assert not any("A of" in text for text in banks)
    assert banks[1].startswith("column_of_half_a_wave by ds_read_b32 on gfx942: bank conflicts: up to 32 cycles a")
    assert "32 in all instead of 1:" in banks[1]  # the other phase is of nobody
    assert banks[1].endswith("a lane takes part where lane < 32.")
    (half,) = (f.verdict for f in tile.findings if f.text == banks[1])
    assert LANES_OFF in half.assumptions
    vector = explain(spec.descriptor("vector"), accesses=[a for a in own if a.descriptor.name == "vector"])
    told = {f.text.split(":")[0]: f.grade for f in vector.findings}
    assert told["not_guarded"] == told["guarded_one_too_late"] == "fault"
    assert any(f.about == "memory" and f.grade == "fine" and f.text.startswith("guarded") for f in vector.findings)
