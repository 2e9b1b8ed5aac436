"""`layoutalg ck sweep`: what it tells, its exit codes, and bad input in one line."""

import json

import pytest

from layoutalg.ck import instances, sweep
from layoutalg.formats.cpp import CppError, CppUnitError
from tests.ck.answers import RIGHT, TALL, kept
from tests.cli.command import refused, run

SWEEP = ("ck", "sweep", "--include", ".")
RIGHT_TILE, TALL_TILE = str(RIGHT.tile), f"gemm_fp16_rcr_compv4_cshuffle_intrawave_{TALL.tile}"


@pytest.fixture(autouse=True)
def answered(monkeypatch):
    """Answers that were kept, in place of the compiler's."""
    known = {}
    for one in (RIGHT, TALL):
        known |= dict(zip((instances.pipeline(one), instances.epilogue(one)), kept(one), strict=True))
        known[instances.warp(one)] = True
    monkeypatch.setattr(sweep, "answers", lambda unit, texts, jobs, executor: [(text, known[text]) for text in texts])


def test_a_right_configuration_is_valid_and_what_it_costs_is_told():
    told = run(*SWEEP, RIGHT_TILE)
    assert told.returncode == 0
    row = [cell.strip() for cell in told.stdout.split("│") if cell.strip()]
    assert row[row.index("gfx942") - 1 :][:4] == [str(RIGHT), "gfx942", "16384", "8 > 4"]
    assert told.stdout.endswith(
        "1 configurations of the universal GEMM: 1 valid; of the valid ones 1 have bank conflicts\n"
    )


def test_headers_are_named_as_compilers_name_them():
    assert run("ck", "sweep", "-I", ".", RIGHT_TILE).stdout == run(*SWEEP, RIGHT_TILE).stdout


def test_a_sweep_fails_on_what_it_is_told_to(tmp_path):
    codes = {on: run(*SWEEP, RIGHT_TILE, "--fail-on", on).returncode for on in ("", "refused", "conflicts,unknown")}
    assert codes == {"": 0, "refused": 0, "conflicts,unknown": 1}
    refused(run(*SWEEP, RIGHT_TILE, "--fail-on", "refused,dear"), "--fail-on dear: give some of unknown, refused")


def test_a_wrong_one_is_told_with_its_claim():
    told = run(*SWEEP, RIGHT_TILE, TALL_TILE)
    assert told.returncode == 1
    assert "wrong: lengths, c to LDS: 128 × 16, not 64 × 16" in told.stdout


def test_a_file_is_swept_and_told_as_data(tmp_path):
    m, n, k = RIGHT.tile.block
    sides = dict(zip(("tile_m", "tile_n", "tile_k"), ([m, m + 8], [n], [k]), strict=True))
    sides |= dict(zip(("warp_m", "warp_n", "warp_k"), ([each] for each in RIGHT.tile.warps), strict=True))
    sides |= dict(zip(("warp_tile_m", "warp_tile_n", "warp_tile_k"), ([each] for each in RIGHT.tile.warp), strict=True))
    traits = {"pipeline": {"values": ["compv3", "mem"]}, "epilogue": {"values": ["cshuffle"]}}
    file = tmp_path / "config.json"
    file.write_text(
        json.dumps({"tile_config": {key: {"values": v} for key, v in sides.items()}, "trait_config": traits})
    )
    found = json.loads(run(*SWEEP, file, "--pipeline", "compv3", "--json").stdout)
    assert found["counts"] == {"no tile": 1, "valid": 1}
    assert [one["configuration"] for one in found["configurations"]] == [str(RIGHT)]
    assert [rule["outcome"] for rule in found["rules"]] == ["valid", "no tile"]


def test_where_tile_engine_differs_stands_beside(tmp_path):
    file = tmp_path / "validation_utils.py"
    file.write_text('WARP_SUPPORTED_COMBINATIONS = {"gfx942": [[4, 1, 1]]}\nWARP_TILE_SUPPORTED_COMBINATIONS = {}\n')
    told = run(*SWEEP, RIGHT_TILE, TALL_TILE, "--beside", file, "--json")
    assert told.returncode == 1
    assert [(one["outcome"], one["reason"], one["count"]) for one in json.loads(told.stdout)["differences"]] == [
        ("valid", "left out by warps, for gfx942", 1),
        ("wrong", "admitted for gfx942: lengths, c to LDS: … × …, not … × …", 1),
    ]
    assert "Where Tile Engine's own check differs" in run(*SWEEP, RIGHT_TILE, "--beside", file).stdout


@pytest.mark.parametrize(("given", "why"), [
    ([RIGHT_TILE, "--beside", "missing.py"], "missing.py: cannot be read"),
    (["missing.json"], "no such file"), (["64x64"], "no tile"), ([RIGHT_TILE, "--dtype", "f99"], "no element type"),
    ([RIGHT_TILE, "--layout", "xyz"], "no layout"), ([RIGHT_TILE, "--target", "gfx1"], "gfx1"),
])  # fmt: skip
def test_bad_input_is_a_line(given, why):
    refused(run(*SWEEP, *given), why)


def test_a_file_of_another_operation_is_a_line(tmp_path):
    traits = {"pipeline": {"values": ["compv3"]}, "epilogue": {"values": ["default"]}}
    file = tmp_path / "aquant.json"
    file.write_text(json.dumps({"tile_config": {}, "trait_config": traits, "group_size_k": 128}))
    refused(run(*SWEEP, file), "aquant.json: the universal GEMM has no group_size_k")
    file = tmp_path / "tile_engine/ops/gemm_preshuffle/configs/default_config.json"
    file.parent.mkdir(parents=True)
    file.write_text("{}")
    refused(run(*SWEEP, file), "is of gemm_preshuffle; what is swept is the universal GEMM")


def test_headers_that_do_not_compile_are_a_line(monkeypatch):
    def broken(*_, **__):
        raise CppUnitError(CppError("'ck_tile/core.hpp' file not found", "headers"))

    monkeypatch.setattr(sweep, "answers", broken)
    refused(run(*SWEEP, RIGHT_TILE), "CK's headers do not compile: 'ck_tile/core.hpp' file not found")
