"""Synthesis: what is found is free of conflicts by counting, and what is said not to do does not."""

from __future__ import annotations

import json

import numpy as np
import pytest

from layoutalg.formats import SpecError, loads
from layoutalg.formats.check import check
from layoutalg.index import var
from layoutalg.index.evaluate import grid, grids
from layoutalg.layout import LayoutError, TensorDescriptor
from layoutalg.memory import lane_map
from layoutalg.memory.banks import LaneMapError, OutsideLdsError, phase_cycles
from layoutalg.prove import Proved, Refuted
from layoutalg.synth.command import from_spec, gemm, shown, tile_of
from layoutalg.synth.families import candidates, round_of_banks
from layoutalg.synth.gemm import cyclic, in_blocks, lined, packed, padded, row_padded, swizzled
from layoutalg.synth.problem import Problem, Use, gemm_problem, rowwise
from layoutalg.synth.report import ck, data, spec, text, toml
from layoutalg.synth.search import Synthesis, least_padding, synthesize
from layoutalg.target import target
from layoutalg.target.matrix import UnknownMatrixInstructionError
from tests.matrix import some

LARGE, SMALL = "mfma_f32_32x32x16_f16", "mfma_f32_16x16x32_f16"
BOTH = ("gfx942", "gfx950")


def counted(problem: Problem, descriptor: TensorDescriptor) -> int:
    """The most cycles of a phase, by evaluating every address of every wave: no proof, no F₂."""
    most = 0
    for name in problem.targets:
        for use in problem.uses:
            axes = [*use.lanes.variables, use.lanes.lane, use.lanes.element]
            index = grids(use.lanes.index, axes)
            offsets = tabulated(descriptor)[tuple(index)]
            assert (np.diff(offsets, axis=-1) == 1).all()
            how = target(name).for_width("write" if use.way == "write" else "read", use.lanes.width * 2)
            most = max(most, int(phase_cycles(name, how, 2 * offsets[..., 0]).max()))
    return most


def tabulated(descriptor: TensorDescriptor) -> np.ndarray:
    """Every offset of a tile."""
    return grid(descriptor.offset(descriptor.index), descriptor.index)


TILES = [(128, 32), (128, 64), (256, 64), (64, 128), (64, 48), (64, 96)]


@pytest.mark.parametrize("targets", [("gfx942",), ("gfx950",), BOTH], ids="+".join)
@pytest.mark.parametrize("instruction", [LARGE, SMALL])
@pytest.mark.parametrize("tile", some([((m, k),) for m, k in TILES], 3))
def test_every_gemm_tile_has_a_layout(tile: tuple[int, int], instruction: str, targets: tuple[str, ...]) -> None:
    if tile[1] % 32 and instruction == SMALL:
        pytest.skip("operands of 32 columns do not fill it")
    problem = gemm_problem(*tile, "f16", instruction, targets)
    found = synthesize(problem)
    assert found.conflict_free
    assert counted(problem, found.descriptor) == 1
    offsets = tabulated(found.descriptor).reshape(-1)
    assert len(set(offsets.tolist())) == offsets.size
    assert 2 * (offsets.max() + 1) == found.bytes
    assert all(isinstance(v, Proved) for v in found.verdicts)


def test_one_layout_serves_two_targets_where_no_policy_of_ck_does() -> None:
    problem = gemm_problem(128, 64, "f16", LARGE, BOTH)
    for layers in (1, 2, 4):
        for mixed in (swizzled, cyclic):
            assert counted(problem, mixed(128, 64, layers=layers)) > 1
    found = synthesize(problem)
    assert (found.name, found.extra) == ("linear swizzle", 0)
    assert [t.degree for t in found.trials][-1] == 1
    assert all(t.degree > 1 for t in found.trials[:-1])


@pytest.mark.parametrize(
    ("style", "name", "degree"),
    [
        ("any", "linear swizzle", 1),
        ("swizzle", "linear swizzle", 1),
        ("xor", "linear swizzle", 1),
        ("cyclic", "cyclic shift", 2),
        ("padding", "columns of vectors, each padded by 1", 1),
    ],
)
def test_a_style_uses_its_own_layouts_only(style: str, name: str, degree: int) -> None:
    problem = gemm_problem(128, 64, "f16", LARGE, BOTH)
    found = synthesize(problem, style)
    assert (found.name, found.degree) == (name, degree)
    assert found.degree == counted(problem, found.descriptor)


def test_a_mix_and_a_gap_together_serve_too() -> None:
    problem = gemm_problem(128, 32, "f16", LARGE, BOTH)
    found = synthesize(problem, "both")
    assert (found.name, found.extra) == ("xor of 2 rows, padded by 2 vectors", 2016)
    assert found.conflict_free
    assert counted(problem, found.descriptor) == 1


# Padding --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tile", [(128, 64), (64, 128)], ids=str)
def test_no_padding_under_the_least_works_and_each_is_refuted(tile: tuple[int, int]) -> None:
    problem = gemm_problem(*tile, "f16", LARGE, ("gfx942",))
    result = least_padding(problem, lambda p: row_padded(*tile, p))
    assert result is not None
    padding, refuted = result
    assert len(refuted) == padding > 0
    assert counted(problem, row_padded(*tile, padding)) == 1
    for p, verdict in enumerate(refuted):
        assert isinstance(verdict, Refuted)
        assert verdict.claim.startswith(f"a gap of {p} elements: ")
        if p % 8:
            assert "every address is a multiple of 16: not at" in verdict.reason
        else:
            assert "of bank" in verdict.reason
            assert counted(problem, row_padded(*tile, p)) > 1


def test_every_smaller_gap_was_looked_at() -> None:
    found = synthesize(gemm_problem(128, 64, "f16", LARGE, BOTH), "padding")
    assert (found.name, found.extra) == ("columns of vectors, each padded by 1", 112)
    assert found.smallest
    assert found.excluded[0].claim.startswith("every layout of fewer than 112 bytes more takes more than 1 cycle")


def test_where_no_layout_will_do_all_were_looked_at_and_the_best_is_given() -> None:
    problem = gemm_problem(128, 32, "f16", SMALL, BOTH)
    found = synthesize(problem, "cyclic")
    assert not found.conflict_free
    assert not found.smallest
    assert (found.degree, counted(problem, found.descriptor)) == (2, 2)
    assert [v.name for v in found.excluded] == ["proved", "refuted"]
    assert text(found).startswith("No layout of the families is free of conflicts. The best is ")


def test_gaps_repeat_after_one_round_of_the_banks() -> None:
    problem = gemm_problem(64, 64, "f16", SMALL, ("gfx950",))
    whole = round_of_banks(problem)
    assert whole == 16
    for gap in range(whole):
        for make in (lambda g: lined(64, 64, gap=g), lambda g: padded(64, 64, 8, g)):
            assert counted(problem, make(gap)) == counted(problem, make(gap + whole))


# None at all ----------------------------------------------------------------------------------------------------------


def rows_by(*basis: int) -> Use:
    lane = var("lane", 64)
    row = lane % 2 * basis[0] ^ lane // 2 % 2 * basis[1] ^ lane // 4 % 2 * basis[2]
    return Use(lane_map(lane, (row, 0), 8, name=f"rows by {basis}"), "write")


def test_where_no_swizzle_exists_that_is_proved_and_the_fewest_cycles_are_found() -> None:
    problem = Problem((16, 8), "f16", (rows_by(2, 4, 8), rows_by(1, 4, 8), rows_by(3, 4, 8)), ("gfx942",))
    found = synthesize(problem, "swizzle")
    assert not found.conflict_free
    assert found.degree == 2 == counted(problem, found.descriptor)
    assert isinstance(found.excluded[0], Proved)
    assert found.excluded[0].claim.startswith("every linear swizzle takes more than 1 cycle")
    assert all(isinstance(v, Proved) for v in found.verdicts)
    anything = synthesize(problem)
    assert counted(problem, anything.descriptor) == anything.degree


# What comes out -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def both() -> Synthesis:
    return synthesize(gemm_problem(128, 64, "f16", LARGE, BOTH))


def test_the_spec_file_proves_it_again(both: Synthesis) -> None:
    again = loads(toml(both))
    assert again.descriptor("tile").descriptor == both.descriptor
    results = list(check(again))
    assert {r.claim for r in results} >= {"conflict_free", "in_bounds", "injective", "fits_index"}
    assert all(r.passed for r in results)


def test_the_spec_file_of_another_layout_is_refuted(both: Synthesis) -> None:
    changed = toml(both).replace('transform = "xor"', 'transform = "xor_no_modulo"', 1)
    first = next(step for step in changed.split("\n") if "xor_no_modulo" in step)
    broken = changed.replace(first, first.replace("lower = [", "lower = [").replace("xor_no_modulo", "cyclic_shift"))
    assert all(r.passed for r in check(loads(broken))), "an xor of two bits is their sum"
    packed_tile = spec(synthesize(gemm_problem(128, 64, "f16", LARGE, BOTH), "swizzle"))
    assert packed_tile.descriptors[0].dtype == "f16"


def test_the_ck_source_has_an_xor_for_each_pair_of_fields(both: Synthesis) -> None:
    source = ck(both)
    assert "constexpr auto make_tile()" in source
    xors = [t for t in both.descriptor.adaptor.transforms if t.name == "xor"]
    assert source.count("make_xor_transform(") == len(xors) <= 3


def test_text_and_json_say_the_same(both: Synthesis) -> None:
    words, data = shown(both), shown(both, as_json=True)
    assert "free of bank conflicts" in str(words)
    assert isinstance(data, dict)
    assert json.loads(json.dumps(data)) == data
    assert (data["bytes"], data["conflict_free"]) == (16384, True)
    assert "Rests on" not in str(words), "nothing is in doubt"


def test_text_says_what_a_layout_rests_on() -> None:
    words = shown(synthesize(gemm_problem(64, 32, "f16", "mfma_f32_32x32x8f16", ("gfx90a",))))
    assert "Rests on: lane groups of ds_write_b128 on gfx90a: documented (" in str(words)


# From a file ----------------------------------------------------------------------------------------------------------

FILE = """
[[descriptor]]
name = "tile"
dtype = "f16"
base = { kind = "packed", lengths = [128, 64] }
[[access]]
name = "read"
descriptor = "tile"
variables = { block = 8, step = 2 }
index = ["block*16 + lane % 16", "step*32 + lane//16*8"]
width = 8
instruction = "ds_read_b128"
targets = ["gfx942", "gfx950"]
[[access]]
name = "write"
descriptor = "tile"
variables = { block = 16 }
index = ["block*8 + lane//8", "lane%8*8"]
width = 8
instruction = "ds_write_b128"
targets = ["gfx942"]
"""


def test_a_files_accesses_are_the_problem() -> None:
    found, code = from_spec(loads(FILE), "tile")
    assert (found.name, code) == ("xor", 0)
    assert len(found.verdicts) == 3 + 3
    for wrong, message in (
        (FILE.replace('dtype = "f16"', ""), "tile has no dtype"),
        (FILE.split("[[access]]")[0], "no access of tile names an instruction"),
        (FILE.replace("lengths = [128, 64]", "lengths = [8192]").split("[[access]]")[0], "a tile is of two numbers"),
    ):
        with pytest.raises(LayoutError, match=message):
            from_spec(loads(wrong), "tile")
    with pytest.raises(LayoutError, match="no descriptor 'other'"):
        from_spec(loads(FILE), "other")


def test_bad_words_have_messages_of_their_own() -> None:
    with pytest.raises(LayoutError, match="a tile is written ROWSxCOLUMNS"):
        tile_of("128 by 64")
    with pytest.raises(LayoutError, match="no element type 'f3'"):
        gemm("128x64", "f3", LARGE, BOTH)
    with pytest.raises(LayoutError, match="multiplies fp8; a tile of f16 does not fit"):
        gemm("128x64", "f16", "mfma_f32_32x32x16_fp8_fp8", BOTH)
    with pytest.raises(LayoutError, match="the operand is a or b, not 'c'"):
        gemm("128x64", "f16", f"{LARGE}:c", BOTH)
    with pytest.raises(LayoutError, match="no style 'magic'"):
        gemm("128x64", "f16", LARGE, BOTH, "magic")
    with pytest.raises(LayoutError, match="at least one target"):
        gemm("128x64", "f16", LARGE, ())
    with pytest.raises(UnknownMatrixInstructionError):
        gemm("128x64", "f16", "mfma_f32_64x64", BOTH)
    with pytest.raises(OutsideLdsError, match="the layout takes 131072 bytes; gfx942 has 65536"):
        gemm("512x128", "f16", LARGE, BOTH)
    with pytest.raises(LaneMapError, match="a tile of 100 × 64 is no whole number of operands"):
        gemm("100x64", "f16", LARGE, BOTH)
    with pytest.raises(LayoutError, match="gfx1100 has no mfma_f32_32x32x16_f16"):
        gemm("128x64", "f16", LARGE, ("gfx1100",))
    with pytest.raises(LaneMapError, match="64 lanes do not divide a tile of 24 × 8"):
        rowwise(24, 8, 8)
    with pytest.raises(LayoutError, match="a use is a read or a write"):
        Use(rowwise(64, 64, 8), "move")


def test_other_element_types_and_operands_and_wave_sizes() -> None:
    for tile, dtype, operand, targets in (
        ("128x128", "f8", "mfma_f32_32x32x16_fp8_fp8:a:16", BOTH),
        ("128x32", "f32", "mfma_f32_32x32x2f32:b:4", BOTH),
        ("128x64", "bf16", "mfma_f32_16x16x32_bf16:b", BOTH),
        ("128x64", "f16", "wmma_f32_16x16x16_f16_w32", ("gfx1100",)),
        ("128x64", "f16", "wmma_f32_16x16x16_f16_w32_gfx12", ("gfx1201",)),
        ("128x64", "f16", "wmma_f32_16x16x32_f16", ("gfx1250",)),
    ):
        found, code = gemm(tile, dtype, operand, targets)
        assert code == 0, (tile, operand, found.name, found.degree)


def test_vectors_that_are_read_by_halves_cannot_be_free_of_conflicts_on_gfx950() -> None:
    """32 lanes want 8 bytes of 32 different vectors, all the same half: half of the 64 banks serve all of them."""
    found, code = gemm("64x64", "", "mfma_f32_32x32x16_fp8_fp8", ("gfx950",))
    assert (code, found.degree) == (1, 2)
    assert isinstance(found.excluded[0], Proved)


# The families ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tile", [(64, 64), (64, 48)], ids=str)
def test_every_candidate_is_injective_and_takes_the_bytes_that_it_says(tile: tuple[int, int]) -> None:
    problem = gemm_problem(*tile, "f16", LARGE, ("gfx942",))
    names = set()
    for candidate in candidates(problem):
        descriptor = candidate.make()
        offsets = tabulated(descriptor).reshape(-1)
        assert len(set(offsets.tolist())) == offsets.size, candidate.name
        assert 2 * (int(offsets.max()) + 1) == problem.packed_bytes + candidate.extra, candidate.name
        assert 2 * int(descriptor.element_space_size) == problem.packed_bytes + candidate.extra, candidate.name
        assert tuple(map(int, descriptor.lengths)) == tile
        names.add(candidate.name)
    assert {"packed", "xor", "cyclic shift"} <= names or tile[1] == 48


def test_layouts_refuse_what_does_not_divide() -> None:
    for make in (
        lambda: swizzled(128, 60),
        lambda: swizzled(127, 64, layers=2),
        lambda: in_blocks(packed(10, 8), 4),
    ):
        with pytest.raises(LayoutError, match="is no whole number of"):
            make()


def test_a_file_that_is_wrong_is_a_spec_error() -> None:
    with pytest.raises(SpecError):
        loads(FILE.replace("ds_read_b128", "ds_read_b256"))


@pytest.mark.parametrize(
    ("instruction", "which", "targets", "notes"),
    [
        ("mfma_f32_32x32x16_f16", "a", ("gfx90a", "gfx942", "gfx950"),
         "gfx90a, gfx942 have no mfma_f32_32x32x16_f16: 2 of mfma_f32_32x32x8f16 read the same, k in another order"),
        ("mfma_f32_16x16x32_f16", "b", ("gfx90a",),
         "gfx90a has no mfma_f32_16x16x32_f16: 2 of mfma_f32_16x16x16f16 read the same, k in another order"),
        ("mfma_f32_32x32x8f16", "a", ("gfx942",), ""),
        ("wmma_f32_16x16x16_f16_w32", "a", ("gfx1201",),
         "gfx1201 has no wmma_f32_16x16x16_f16_w32: none of its matrix instructions reads the same, "
         "so nothing is said of a product there"),
    ],
)  # fmt: skip
def test_a_target_that_lacks_the_instruction_is_told(
    instruction: str, which: str, targets: tuple[str, ...], notes: str
) -> None:
    problem = gemm_problem(128, 64, "f16", instruction, targets, which)
    assert "\n".join(problem.notes) == notes


@pytest.mark.parametrize(
    ("instruction", "targets", "said"),
    [
        ("mfma_f32_32x32x16_f16", ["gfx90a"],
         "gfx90a has no mfma_f32_32x32x16_f16 (it is of gfx950); 2 of mfma_f32_32x32x8f16 read the same, k in another "
         "order: ask for mfma_f32_32x32x8f16:a:8"),
        ("wmma_f32_16x16x16_f16_w64", ["gfx942"],
         "gfx942 has no wmma_f32_16x16x16_f16_w64 (it is of gfx1100, gfx1101, gfx1102, gfx1103, gfx1150, "
         "gfx1151, gfx1152, gfx1153), nor one that reads alike"),
        ("wmma_f32_16x16x16_f16_w32", ["gfx942"],
         "gfx942 has no wmma_f32_16x16x16_f16_w32 (it is of gfx1100, gfx1101, gfx1102, gfx1103, gfx1150, "
         "gfx1151, gfx1152, gfx1153), nor one that reads alike"),
        ("mfma_f32_32x32x16_f16", ["gfx950", "gfx1100"],
         "gfx1100 has no mfma_f32_32x32x16_f16 (it is of gfx950), nor one that reads alike"),
    ],
)  # fmt: skip
def test_an_instruction_that_no_target_has_is_refused_in_one_sentence(
    instruction: str, targets: list[str], said: str
) -> None:
    with pytest.raises(LayoutError) as refused:
        gemm("128x64", "", instruction, targets)
    assert str(refused.value) == said


def test_what_is_asked_for_in_its_place_is_found() -> None:
    assert gemm("128x64", "", "mfma_f32_32x32x8f16:a:8", ["gfx90a"])[1] == 0


def test_what_a_target_lacks_is_printed() -> None:
    found, _ = gemm("128x64", "f16", "mfma_f32_32x32x16_f16", ["gfx90a", "gfx950"])
    (note,) = found.problem.notes
    assert note in text(found).splitlines()
    assert data(found)["notes"] == [note]
