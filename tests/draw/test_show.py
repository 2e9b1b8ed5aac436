"""`show` finds the picture; the terminal and LaTeX say the same."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from layoutalg.draw import DrawError, LaneAccess, latex, page, plain, show, svg, table, tree
from layoutalg.draw.fields import FieldInputs, descriptor_field
from layoutalg.index import var
from layoutalg.kernel.library.transpose import lds_transpose, register_transpose
from layoutalg.layout import (
    Pad,
    PassThrough,
    TileDistribution,
    TileDistributionEncoding,
    Xor,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    transform_tensor_descriptor,
)
from layoutalg.memory import ConflictFree, access, lane_map
from layoutalg.prove import Refuted, prove


def test_each_kind_has_its_picture(guide, column):
    tile = TileDistribution(TileDistributionEncoding((), ((4, 2),), ((1,),), ((0,),), (1,), (1,)))
    titles = {
        "Transform graph": show(guide),
        "bank of each": show(guide, by="bank"),
        "lane of each of 8": show(tile, by="lane"),
        "lane of each of 64": show(column, by="lane"),
        "ds_read_b128 on gfx942: 64": show(column),
        "transpose_lds": show(lds_transpose()),
    }
    for start, picture in titles.items():
        assert picture.title.startswith(start)
        assert ET.fromstring(str(picture)).tag.endswith("svg")
    assert svg(guide) == str(show(guide))
    assert show(guide.adaptor).title == show(guide).title


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d: show(3), "nothing is drawn of int"),
        (lambda d: show(d, 3), "nothing is drawn of TensorDescriptor and int"),
        (lambda d: show(d.adaptor, by="bank"), "no memory to colour"),
        (lambda d: show(lds_transpose(), by="bank"), "not coloured"),
    ],
)
def test_what_has_no_picture_is_refused(guide, call, message):
    with pytest.raises(DrawError, match=message):
        call(guide)


def test_the_tree_has_every_dimension_with_its_length(guide):
    assert plain(tree(guide)).splitlines() == [
        "0 offset",
        "└── embed (256, 128), (128, 1)",
        "    ├── 1 (256)",
        "    │   └── unmerge (4, 64)",
        "    │       ├── 3 (4) i0",
        "    │       └── 4 (64) i1",
        "    └── 2 (128)",
        "        └── pass_through 128",
        "            └── 5 (128) i2",
    ]


def test_a_transform_of_several_lower_dimensions_stands_once():
    tile = transform_tensor_descriptor(make_naive_tensor_descriptor_packed((8, 8)), [Xor((8, 8))], [[0, 1]], [[0, 1]])
    text = plain(tree(tile))
    assert text.count("xor (8, 8)") == 1
    assert "… to the xor above" in text


def test_the_table_shows_padding_as_dots_and_says_what_it_leaves_out(guide):
    packed = make_naive_tensor_descriptor_packed((2, 2))
    padded = transform_tensor_descriptor(packed, [Pad(2, 1, 0), PassThrough(2)], [[0], [1]], [[0], [1]])
    shown = plain(table(descriptor_field(FieldInputs(padded), "offset")))
    assert [line.split()[1:] for line in shown.splitlines()[1:]] == [
        ["·", "·"], ["0", "1"], ["2", "3"],
    ]  # fmt: skip
    assert plain(table(descriptor_field(FieldInputs(guide), "bank"), 2)).endswith("the first 32 × 32 of 256 × 128")


def test_latex_names_each_hidden_dimension_once(guide):
    assert latex(guide) == (
        "\\begin{aligned}\n"
        "d_{2} &= i_{2} && 0 \\le i_{0} < 4,\\; 0 \\le i_{1} < 64,\\; 0 \\le i_{2} < 128 \\\\\n"
        "d_{1} &= 64 i_{0} + i_{1} \\\\\n"
        "\\mathrm{offset} &= 128 d_{1} + i_{2}\n"
        "\\end{aligned}"
    )


def test_latex_states_the_condition_of_a_padded_layout():
    packed = make_naive_tensor_descriptor_packed((2, 2))
    padded = transform_tensor_descriptor(packed, [Pad(2, 1, 1), PassThrough(2)], [[0], [1]], [[0], [1]])
    assert r"\mathrm{valid} &\iff" in latex(padded)


@pytest.mark.parametrize("make", [lds_transpose, register_transpose])
def test_a_kernels_data_flow_names_every_piece_of_data(make, texts):
    program = make()
    shown = texts(show(program))
    names = {program.source.name, program.target.name}
    assert names <= set(shown)
    assert sum(text.startswith(f"{n}  ") for n in range(len(program.body)) for text in shown) == len(program.body)


def test_a_page_is_shown_of_no_layouts_is_refused():
    with pytest.raises(DrawError, match="at least one"):
        page({})


def test_a_refuted_access_is_drawn_at_its_witness():
    lane, block = var("lane", 64), var("block", 4)
    rows = lane_map(lane, (lane % 16 + 16 * block, lane // 16 * 8), 8)
    reached = access(make_naive_tensor_descriptor((64, 32), (32, 1)), rows, "f16", "gfx942")
    verdict = prove(ConflictFree(reached))
    assert isinstance(verdict, Refuted)
    picture = show(reached, verdict)
    number = max(range(8), key=lambda n: LaneAccess.from_proof(reached).phases[n].cycles)
    assert f"phase {number}: {LaneAccess.from_proof(reached).phases[number].cycles} cycles" in str(picture)
    assert show(reached, at={"block": 3}, by="lane").title == "lane of each of 64 × 32 elements"
