"""Configurations by name and by Tile Engine's files."""

import json

import pytest

from layoutalg.ck.space import Configuration, Tile, named, other_operation, space
from layoutalg.errors import LayoutError
from tests.composable_kernel import composable_kernel

FILE = {
    "tile_config": {
        **{f"tile_{side}": {"min": 64, "max": 128, "step": 64} for side in "mnk"},
        **{f"warp_{side}": {"values": [1]} for side in "mnk"},
        **{f"warp_tile_{side}": {"values": [16]} for side in "mnk"},
    },
    "trait_config": {"pipeline": {"values": ["mem", "compv4"]}, "epilogue": {"values": ["default"]}},
}


def test_a_files_configurations_are_every_choice_of_its_values() -> None:
    found = list(space(FILE, "fp16", "rcr"))
    assert len(found) == len(set(found)) == 2**3 * 2
    assert str(found[0]) == "fp16_rcr_mem_default_64x64x64_1x1x1_16x16x16"


def test_a_name_says_all() -> None:
    text = "gemm_bf16_ccr_mem_default_interwave_False_True_False_False_64x64x64_4x1x1_16x16x16"
    assert named(text, "fp16", "rcr") == Configuration(
        "bf16", "ccr", Tile((64, 64, 64), (4, 1, 1), (16, 16, 16)), "mem", "default"
    )


def test_tile_engines_own_file_is_read() -> None:
    file = composable_kernel() / "tile_engine" / "ops" / "gemm" / "configs" / "default_config.json"
    found = list(space(json.loads(file.read_text()), "fp16", "rcr"))
    assert len(found) == 4**3 * 3**2 * 3**2 * 5 * 3 * 2


@pytest.mark.parametrize(("text", "why"), [
    ("128x128", "no tile"), ("128x128x0_1x1x1_16x16x16", "each side"), ("9999x8x8_1x1x1_16x16x16", "each side"),
    ("fp16_rcr_compv3_64x64x64_1x1x1_16x16x16", "no instance's name"),
    ("fp16_rcr_compv9_cshuffle_intrawave_64x64x64_1x1x1_16x16x16", "no pipeline"),
    ("fp12_rcr_compv3_cshuffle_intrawave_64x64x64_1x1x1_16x16x16", "no element type"),
    ("fp16_rrc_compv3_cshuffle_intrawave_64x64x64_1x1x1_16x16x16", "no layout"),
])  # fmt: skip
def test_a_wrong_name_is_refused(text: str, why: str) -> None:
    with pytest.raises(LayoutError, match=why):
        named(text, "fp16", "rcr")


@pytest.mark.parametrize(("key", "value", "why"), [
    ("tile_m", {"min": 64}, "min, max and step"), ("tile_m", None, "missing"), ("tile_m", {"values": []}, "numbers"),
    ("tile_m", {"values": ["64"]}, "numbers"), ("warp_tile_k", {"values": [1 << 40]}, "numbers"),
    ("tile_n", {"min": 1, "max": 4096, "step": 1}, "at most"),
])  # fmt: skip
def test_a_wrong_file_is_refused(key: str, value: object, why: str) -> None:
    wide = {f"tile_{side}": {"min": 1, "max": 4096, "step": 1} for side in "mk"} if "most" in why else {}
    table = {**FILE["tile_config"], **wide, key: value}
    with pytest.raises(LayoutError, match=why):
        list(space({**FILE, "tile_config": table}, "fp16", "rcr"))


@pytest.mark.parametrize(("where", "key"), [
    ("", "group_size_k"), ("", "permute_n"), ("trait_config", "a_preshuffle_quant"), ("tile_config", "warp_tile_l"),
])  # fmt: skip
def test_a_key_that_the_gemm_has_not_is_named(where: str, key: str) -> None:
    """Of Tile Engine's other operations, whose files are alike but for it."""
    known = {**FILE, "k_block_per_cu": 1}
    more = {key: {"values": [True]}} if where else {key: 128}
    with pytest.raises(LayoutError, match=f"the universal GEMM has no {key}"):
        list(space({**known, where: {**known[where], **more}} if where else {**known, **more}, "fp16", "rcr"))
    assert list(space(known, "fp16", "rcr"))


def test_what_is_said_of_a_key_otherwise_is_named_and_so_is_another_scheduler() -> None:
    tiles, traits = FILE["tile_config"], FILE["trait_config"]
    with pytest.raises(LayoutError, match="has no exclude of tile_m"):
        list(space({**FILE, "tile_config": {**tiles, "tile_m": {"values": [64], "exclude": [64]}}}, "fp16", "rcr"))
    with pytest.raises(LayoutError, match="scheduler: default is none"):
        list(space({**FILE, "trait_config": {**traits, "scheduler": {"values": ["default"]}}}, "fp16", "rcr"))


def test_files_of_other_operations_are_known_by_their_folder() -> None:
    engine = composable_kernel() / "tile_engine" / "ops"
    found = {file.parent.parent.name: other_operation(file) for file in engine.glob("*/configs/*.json")}
    assert found == {"gemm": "", "gemm_multi_d": "", "gemm_preshuffle": "gemm_preshuffle"}


def test_a_d_is_no_part_of_a_configuration() -> None:
    tile = "128x128x32_2x2x1_32x32x16"
    one = named(f"gemm_multi_d_fp16_rcrr_compv3_cshuffle_intrawave_False_False_False_True_{tile}", "", "")
    assert one == named(f"gemm_fp16_rcr_compv3_cshuffle_intrawave_False_False_False_True_{tile}", "", "")
    assert Configuration("fp16", "crrr", Tile.parse(tile)).layout == "crr"
    for layout in ("rcrc", "rcrrr", "rc", ""):
        with pytest.raises(LayoutError, match="no layout"):
            Configuration("fp16", layout, Tile.parse(tile))


def test_what_is_no_file_of_tile_engine_is_refused() -> None:
    for data in ({}, {"tile_config": 3}, [1], {"tile_config": {}, "trait_config": {}}):
        with pytest.raises(LayoutError):
            list(space(data, "fp16", "rcr"))  # type: ignore[arg-type]
