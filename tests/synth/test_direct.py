"""Layouts that loads straight to LDS can fill: against loads that are carried out, piece by piece."""

import pytest

from layoutalg.formats import loads
from layoutalg.formats.check import check
from layoutalg.index.evaluate import grid
from layoutalg.layout import LayoutError, TensorDescriptor, make_naive_tensor_descriptor, transform_tensor_descriptor
from layoutalg.layout.ck import make_merge_transform, make_pass_through_transform
from layoutalg.prove import Proved, Refuted
from layoutalg.synth.command import from_spec, gemm
from layoutalg.synth.direct import brought, lands
from layoutalg.synth.gemm import cyclic, packed, padded, row_padded, swizzled
from layoutalg.synth.problem import Problem, gemm_problem, transposed_problem
from layoutalg.synth.report import toml
from layoutalg.synth.search import synthesize
from layoutalg.target.model import UnknownLoadError

LARGE, SMALL = "mfma_f32_32x32x16_f16", "mfma_f32_16x16x32_f16"


def filled(problem: Problem, descriptor: TensorDescriptor) -> bool:
    """Whether loads fill every element: each puts 64 pieces side by side, wherever the layout has one of its own."""
    rows, columns = problem.lengths
    piece = 8 * problem.direct // problem.bits
    offsets = grid(descriptor.offset(descriptor.index), descriptor.index)
    holes = set(range(int(offsets.max()) + 1)) - set(offsets.reshape(-1).tolist())
    at, loads = 0, 0
    while at <= offsets.max():
        if at in holes:
            at += 1
            continue
        if holes & set(range(at, at + 64 * piece)):
            return False
        at, loads = at + 64 * piece, loads + 1
    return loads * 64 * piece == rows * columns


def lines_padded(layers: int, padding: int) -> TensorDescriptor:
    """128 rows of 64, so many of them side by side, then a gap."""
    below = make_naive_tensor_descriptor((128 // layers, layers, 64), (64 * layers + padding, 64, 1))
    row = make_merge_transform((128 // layers, layers))
    return transform_tensor_descriptor(below, [row, make_pass_through_transform(64)], [[0, 1], [2]], [[0], [1]])


LAYOUTS = {
    "packed": (packed(128, 64), True),
    "xor": (swizzled(128, 64), True),
    "gaps between rows": (row_padded(128, 64, 8), False),
    "gaps between loads": (lines_padded(8, 8), True),
    "gaps within loads": (lines_padded(4, 8), False),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_is_proved_to_be_filled_exactly_where_loads_fill_it(name: str) -> None:
    layout, good = LAYOUTS[name]
    problem = gemm_problem(128, 64, "f16", SMALL, ("gfx950",), direct=16)
    assert isinstance(lands(problem, layout), Proved if good else Refuted)
    assert filled(problem, layout) == good


def test_the_refutation_names_the_lanes() -> None:
    problem = gemm_problem(128, 64, "f16", SMALL, ("gfx950",), direct=16)
    assert lands(problem, row_padded(128, 64, 8)).reason == "lanes 7 and 8 of load 0 go to elements 56 and 72"


def test_pieces_of_many_rows_are_refused_though_they_land() -> None:
    problem = gemm_problem(128, 64, "f16", SMALL, ("gfx950",), direct=16)
    columns = padded(128, 64, padding=0)
    assert filled(problem, columns)
    assert lands(problem, columns).reason == "load 0 reads 64"


@pytest.mark.parametrize("instruction", [LARGE, SMALL])
def test_one_layout_for_loads_straight_to_lds_and_a_transposed_read(instruction: str) -> None:
    problem = transposed_problem(64, 128, "f16", instruction, ("gfx950",), direct=16)
    found = synthesize(problem)
    assert found.conflict_free
    assert found.extra == 0, "no layout takes fewer bytes"
    assert filled(problem, found.descriptor)
    assert "transposed by ds_read_b64_tr_b16 on gfx950 is free of bank conflicts" in found.verdicts[0].claim
    assert found.verdicts[-1].claim.startswith("each load of 64 × 16 bytes lands in one piece")


def test_rows_in_another_order_need_neither_a_gap_nor_a_mix() -> None:
    problem = gemm_problem(128, 64, "f16", SMALL, ("gfx950",), direct=16)
    found = synthesize(problem, "padding")
    assert (found.name, found.extra) == ("order of vector / 4, row / 8, vector mod 4, row mod 8", 0)
    assert found.conflict_free
    assert filled(problem, found.descriptor)
    assert found.verdicts[-1].claim.endswith("reads 16 segments of 64 bytes at most"), "as many as if packed"


def test_one_layout_for_two_targets_by_the_width_that_both_have() -> None:
    found, code = gemm("128x64", "", "mfma_f32_32x32x8f16:a:8", ["gfx942", "gfx950"], direct=4)
    assert (code, found.extra) == (0, 0)
    assert filled(found.problem, found.descriptor)


@pytest.mark.parametrize(
    ("targets", "bytes", "message"),
    [
        (["gfx942"], 16, "gfx942 has no load of 16 bytes a lane to LDS: it has of 4 bytes a lane"),
        (["gfx1201"], 4, "gfx1201 has no load of 4 bytes a lane to LDS: it has none that is described here"),
        (["gfx950"], 8, "it has of 4, 12, 16 bytes a lane"),
    ],
)
def test_a_load_that_a_target_lacks_is_refused_with_what_it_has(targets: list[str], bytes: int, message: str) -> None:
    with pytest.raises(UnknownLoadError, match=message):
        Problem((64, 64), "f16", gemm_problem(64, 64, "f16", LARGE, ("gfx950",)).uses, tuple(targets), direct=bytes)


FILLED = [  # what is written, and by which style
    (transposed_problem(64, 128, "f16", SMALL, ("gfx950",), direct=16), "any"),
    (gemm_problem(128, 64, "f16", SMALL, ("gfx950",), direct=16), "padding"),
    (gemm_problem(48, 64, "f16", SMALL, ("gfx950",), direct=16), "any"),
    (gemm_problem(128, 64, "f16", "mfma_f32_32x32x8f16", ("gfx942", "gfx950"), k_pack=8, direct=4), "any"),
    (gemm_problem(64, 128, "f4", "mfma_scale_f32_16x16x128_f8f6f4.fp4.fp4", ("gfx950",), direct=16), "any"),
]


@pytest.mark.parametrize(("problem", "style"), FILLED)
def test_the_written_file_says_what_lanes_bring_and_proves_that_it_lands(problem: Problem, style: str) -> None:
    found = synthesize(problem, style)
    results = {f"{r.item.name}: {r.claim}": r.verdict for r in check(loads(toml(found))) if r.item.name == "brought"}
    assert {name: verdict.name for name, verdict in results.items()} == {
        "brought: in_bounds": "proved", "brought: lands": "proved",
    }  # fmt: skip


def test_lanes_that_bring_a_packed_tiles_pieces_do_not_fill_a_swizzled_one() -> None:
    problem = gemm_problem(128, 64, "f16", SMALL, ("gfx950",), direct=16)
    text = toml(synthesize(problem)).replace("lane % 8 ^ lane // 8", "lane % 8")
    (verdict,) = [r.verdict for r in check(loads(text)) if str(r.claim) == "lands"]
    assert isinstance(verdict, Refuted)


def test_what_no_xor_of_bits_says_is_not_written() -> None:
    problem = gemm_problem(128, 64, "f16", SMALL, ("gfx950",), direct=16)
    assert brought(problem, cyclic(128, 64)) is None
    assert brought(problem, swizzled(128, 64)) is not None


def test_a_file_says_itself_what_comes_straight_to_lds() -> None:
    spec = loads(toml(synthesize(transposed_problem(64, 128, "f16", SMALL, ("gfx950",), direct=16))))
    found, code = from_spec(spec, "tile")
    assert (code, found.problem.direct, found.extra) == (0, 16, 0)
    assert found.verdicts[-1].claim.startswith("each load of 64 × 16 bytes lands in one piece")
    with pytest.raises(LayoutError, match=r"of one width, not of \[4, 16\] bytes a lane"):
        from_spec(spec, "tile", direct=4)


def test_a_transposing_read_is_of_one_instruction() -> None:
    with pytest.raises(LayoutError, match="no KPack"):
        gemm("64x128", "", f"{SMALL}:a:16", ["gfx950"], transposed=True)
    with pytest.raises(LayoutError, match="does not fit"):
        transposed_problem(64, 128, "f32", SMALL, ("gfx950",))
