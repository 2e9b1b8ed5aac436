"""The report of one LDS access: its data, its sentence and its picture."""

import json
from pathlib import Path

import pytest

from layoutalg.memory.bank_report import load_addresses, picture, report, sentence
from layoutalg.memory.banks import AccessError, LaneMapError

ROWS = [128 * (lane % 16) + 16 * (lane // 16) for lane in range(64)]  # packed fp16 rows of 64, read for 16×16 MFMA


def test_a_report_is_json_and_adds_up() -> None:
    found = report("gfx942", "ds_read_b128", ROWS)
    assert json.loads(json.dumps(found)) == found
    assert found["cycles"] == sum(phase["cycles"] for phase in found["phases"])
    assert found["conflicts"] == found["cycles"] - found["ideal"] == 24
    assert sorted(lane for phase in found["phases"] for lane in phase["lanes"]) == list(range(64))
    worst = found["worst"]
    for dword, lane in zip(worst["dwords"], worst["lanes"], strict=True):
        assert dword % found["banks"] == worst["bank"]
        assert ROWS[lane] <= 4 * dword < ROWS[lane] + 16
        assert lane in found["phases"][worst["phase"]]["lanes"]


def test_a_verdict_that_rests_on_a_doubtful_entry_says_so() -> None:
    assert "In doubt: one source only" in sentence(report("gfx90a", "ds_read_b128", ROWS))
    assert "In doubt: no measurement on gfx906" in sentence(report("gfx906", "ds_read_b128", ROWS))
    assert "In doubt" not in sentence(report("gfx942", "ds_read_b128", ROWS))


def test_where_sources_differ_each_one_s_cycles_are_reported() -> None:
    found = report("gfx950", "ds_read_b32", [8 * lane for lane in range(64)])
    assert (found["cycles"], found["conflicts"]) == (2, 1)
    assert [(one["banks"], one["cycles"], one["conflicts"]) for one in found["rivals"]] == [(32, 4, 2)]
    assert sentence(found).endswith(" With 32 banks and 2 phases: 4 cycles.")
    assert report("gfx950", "ds_read_b64", [8 * lane for lane in range(64)])["rivals"] == []


def test_merged_phases_are_reported_as_served() -> None:
    found = report("sm_90", "ld.shared.64", [8 * (lane // 2) for lane in range(32)])
    assert [phase["cycles"] for phase in found["phases"]] == [1]
    assert found["conflict_free"]


def test_the_picture_marks_conflicts_broadcasts_and_lone_dwords() -> None:
    addresses = [4 * lane for lane in range(32)]
    addresses[1], addresses[3] = 128, 8  # lane 1 wants another dword of lane 0's bank; lane 3 wants lane 2's dword
    title, ruler, *rows = picture("sm_90", "ld.shared.32", addresses).splitlines()
    assert title == "phase 0 of 1: 2 cycles, bank 0 is asked for 2 dwords"
    start = ruler.index("0")
    assert ruler[start + 8] == "8"
    assert [row[start:].rstrip(".") for row in rows[:5]] == ["X", "X", "..=", "..=", "....#"]
    assert all(len(row) == start + 32 for row in rows)


def test_any_phase_can_be_drawn_and_no_other() -> None:
    assert picture("gfx942", "ds_read_b128", ROWS, phase=7).splitlines()[-1].startswith("  59 ")
    with pytest.raises(AccessError, match="has phases 0 to 7 here, not 8"):
        picture("gfx942", "ds_read_b128", ROWS, phase=8)


def test_addresses_come_from_a_json_list(tmp_path: Path) -> None:
    file = tmp_path / "addresses.json"
    file.write_text(json.dumps(ROWS))
    assert load_addresses(file) == ROWS
    for text, message in (("[1,", "not JSON"), ("[1, 2.0]", "whole number"), ("[true]", "whole"), ('{"a": 1}', "list")):
        file.write_text(text)
        with pytest.raises(AccessError, match=message):
            load_addresses(file)
    file.write_text("[]")
    with pytest.raises(LaneMapError):
        report("gfx942", "ds_read_b128", load_addresses(file))
