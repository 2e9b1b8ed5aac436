"""What CK tutorial 14 (April 2026) counts on MI300: SQ_LDS_BANK_CONFLICT of each 64 × 32 tile of f16 transposed."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from layoutalg.memory.bank_report import load_addresses, report
from layoutalg.memory.banks import BY_DWORDS, TWO_ADDRESSES, Ints, instruction_cycles
from layoutalg.target import target

THREADS = np.arange(256).reshape(4, 64)  # four waves
WAVE, LANE = THREADS // 64, THREADS % 64
ROW, COLUMN = WAVE * 16 + LANE // 4, LANE % 4 * 8  # of the eight elements that a thread stores in a row
K, M = WAVE * 8 + LANE // 8, LANE % 8 * 8  # of those that it reads in a column


def conflicts(instruction: str, parts: Sequence[Ints]) -> int:
    return int(np.maximum(instruction_cycles("gfx942", instruction, parts) - 1, 0).sum())


def test_rows_of_b128_are_read_with_448_conflicts() -> None:
    assert conflicts("ds_write_b128", [2 * (ROW * 32 + COLUMN)]) == 0
    assert sum(conflicts("ds_read_u16", [2 * ((M + j) * 32 + K)]) for j in range(8)) == 448


def test_rows_padded_by_two_have_96_conflicts_by_two_addresses_at_once() -> None:
    first = 2 * (ROW * 34 + COLUMN)
    stored = sum(conflicts("ds_write_b32", [first + at, first + at + 4]) for at in (0, 8))
    assert stored + sum(conflicts("ds_read_u16", [2 * ((M + j) * 34 + K)]) for j in range(8)) == 96


def test_sixteen_bytes_at_a_multiple_of_four_may_have_no_conflict() -> None:
    """Each two rows begin a dword further on."""
    where = 2 * (ROW * 32 + ROW // 2 * 2 + COLUMN)
    assert (where % 16 != 0).any()
    assert conflicts("ds_write_b128", [where]) == 0
    assert BY_DWORDS in report("gfx942", "ds_write_b128", where[0])["evidence"]["doubt"]


def test_a_report_of_two_addresses_adds_both(tmp_path) -> None:
    pairs = [[4 * lane, 128 * lane] for lane in range(64)]
    (tmp_path / "pairs.json").write_text(json.dumps(pairs))
    found = report("gfx942", "ds_read2_b32", load_addresses(tmp_path / "pairs.json"))
    each = [report("gfx942", "ds_read_b32", [pair[k] for pair in pairs]) for k in (0, 1)]
    assert found["instruction"] == "ds_read2_b32"
    assert found["cycles"] == sum(one["cycles"] for one in each) == 66
    assert found["ideal"] == len(found["phases"]) == 2 * len(target("gfx942").instruction("ds_read_b32").phases)
    assert TWO_ADDRESSES in found["evidence"]["doubt"]
    assert report("gfx1100", "ds_load_2addr_stride64_b64", [[0, 512]] * 32)["conflict_free"]


FOLDER = Path(__file__).parents[2] / "benchmarks" / "banks"


def test_the_page_of_published_counters_is_what_comes_out_and_misses_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.delitem(sys.modules, "published", raising=False)
    import published

    told = [published.verdict(*one[3:]) for one in published.rows()]
    assert (FOLDER / "PUBLISHED.md").read_text() == published.text() + "\n"
    assert told.count("exact") >= 30
    assert "MISS" not in told
