"""`draw` of a file that has accesses: lanes, banks and phases are of those, never of an invented read."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.command import refused, run

TAILS = "proofs/lds/tails.toml"
FILE = """
symbols = { M = { min = 1, max = 64 } }

[[descriptor]]
name = "tile"
dtype = "f32"
base = { kind = "packed", lengths = [64, 32] }

[[access]]
name = "column"
descriptor = "tile"
index = ["lane", "0"]
given = ["lane < M", "M > 32"]
instruction = "ds_read_b32"
targets = ["gfx950"]

[[access]]
name = "row"
descriptor = "tile"
index = ["lane // 32", "lane % 32"]
instruction = "ds_write_b32"
targets = ["gfx950", "gfx942"]

[[access]]
name = "from_memory"
descriptor = "tile"
index = ["lane", "0"]
targets = ["gfx942"]

[[descriptor]]
name = "plain"
dtype = "f16"
base = { kind = "packed", lengths = [64, 64] }
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tile.toml"
    path.write_text(FILE)
    return path


def accesses(page: str) -> list[list[str]]:
    """The names of the accesses of each layout of a page."""
    return [re.findall(r'name: "([^"]+)", index', one) for one in page.split('  name: "')[1:]]


def first_shown(page: str) -> dict[str, object]:
    """What a page shows first."""
    (found,) = re.findall(r"const START = (.*);", page)
    return json.loads(found)


def test_the_page_offers_the_files_own_accesses_and_the_usual_reads_where_there_are_none(file: Path) -> None:
    where = file.with_suffix(".html")
    assert run("draw", file, "-o", where).returncode == 0
    text = where.read_text()
    own, usual = accesses(text)
    assert own == ["column", "row", "from_memory", *usual]
    assert "operand of 32 rows" in usual
    assert first_shown(text) == {"layout": 0, "access": 0, "target": "gfx950", "instruction": "ds_read_b32"}
    assert re.findall(r"elementBits: (\d+)", text) == ["32", "16"]
    assert run("draw", file, "--target", "gfx942", "-o", where).returncode == 0
    assert first_shown(where.read_text())["target"] == "gfx942"
    backwards = FILE.split("[[descriptor]]")
    file.write_text("[[descriptor]]".join([backwards[0], backwards[2], backwards[1]]))
    assert run("draw", file, "-o", where).returncode == 0
    assert accesses(where.read_text())[1] == own
    assert first_shown(where.read_text())["layout"] == 1  # the first that has accesses


def test_the_text_has_each_access_after_the_transforms(file: Path) -> None:
    found = run("draw", file, "--descriptor", "tile")
    assert found.returncode == 0
    column, row, memory = found.stdout.split("\n\n")[1:]
    assert column.startswith("column: phase 0 of 1: ")  # at some M above 32
    assert row.startswith("row: phase 0 of ")
    assert memory.strip() == (
        "from_memory: not drawn: lanes × banks are of an instruction on a target; the access names no such pair"
    )
    assert "phase" not in run("draw", file, "--descriptor", "plain").stdout
    at_40 = run("draw", file, "--descriptor", "tile", "-D", "M=40").stdout
    assert "column: phase 0 of 1: 20 cycles, bank 0 is asked for 20 dwords" in at_40
    assert at_40.count("takes no part") == 24
    assert "M = 65" in run("draw", file, "--descriptor", "tile", "-D", "M=65").stderr


def test_an_index_grid_by_lane_is_of_the_files_accesses(file: Path) -> None:
    where = file.with_suffix(".svg")
    for by in ("lane", "phase", "bank"):
        assert run("draw", file, "--descriptor", "tile", "--by", by, "-o", where).returncode == 0
        text = where.read_text()
        assert ">column<" in text
        assert ">row<" in text
        assert "on gfx950" in text
    refused(run("draw", file, "--descriptor", "plain", "--by", "lane", "-o", where), "no access of it", "no lane to")
    assert run("draw", file, "--descriptor", "plain", "--by", "bank", "--target", "gfx950", "-o", where).returncode == 0
    assert "64 banks of 4 bytes on gfx950" in where.read_text()


def test_a_dword_is_of_the_files_dtype(file: Path) -> None:
    where = file.with_suffix(".svg")
    assert run("draw", file, "--descriptor", "tile", "--by", "dword", "-o", where).returncode == 0
    assert ">2047<" in where.read_text()  # 64 × 32 elements of 4 bytes


def test_one_access_alone_has_a_page_too(file: Path) -> None:
    where = file.with_suffix(".html")
    assert run("draw", file, "--access", "column", "-o", where).returncode == 0
    assert accesses(where.read_text()) == [["column"]]
    refused(run("draw", file, "--access", "from_memory", "-o", where), "names no such pair")
    assert "breaks" not in run("draw", file, "--access", "column", "-D", "M=33").stderr
    refused(run("draw", file, "--access", "column", "-D", "M=20"), "the file does not allow this value")


def test_what_is_no_access_is_left_out_and_said(file: Path) -> None:
    where = file.with_suffix(".html")
    file.write_text(FILE.replace('"ds_write_b32"', '"ds_write_b128"'))
    found = run("draw", file, "-o", where)
    assert found.returncode == 0
    assert "note: row: not drawn: 1 element of f32 are 4 bytes a lane; ds_write_b128 moves 16" in found.stderr
    assert accesses(where.read_text())[0][:2] == ["column", "from_memory"]


def test_frames_are_a_picture_of_each_phase_the_same_each_time(file: Path) -> None:
    folder = file.parent / "frames"
    found = run("draw", file, "--frames", folder, "-D", "M=40")
    assert found.returncode == 0
    assert found.stdout.splitlines() == [
        f"column: 1 phase, {folder / 'column-0.svg'}", f"row: 2 phases, {folder / 'row-0.svg'} to row-1.svg"
    ]  # fmt: skip
    first = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert set(first) == {"column-0.svg", "row-0.svg", "row-1.svg"}
    assert b"40 of 64 lanes take part" in first["column-0.svg"]
    assert run("draw", file, "--frames", folder, "-D", "M=40", "--access", "column").stdout.count("\n") == 1
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == first
    assert run("draw", file, "--frames", folder, "--by", "lane", "--target", "gfx942").returncode == 0
    assert len(list(folder.iterdir())) == 4  # the column has two phases there


def test_frames_of_nothing_are_refused(file: Path) -> None:
    folder = file.parent / "frames"
    refused(run("draw", file, "--frames", folder, "--descriptor", "plain"), "no access by an LDS instruction")
    refused(run("draw", file, "--frames", folder, "--access", "from_memory"), "names no such pair")
    refused(run("draw", file, "--frames", folder / "deeper"), "there is no folder")
    refused(run("draw", file, "--frames", folder, "-o", file.with_suffix(".svg")), "give -o or --frames, not both")
    refused(run("draw", file, "--frames", folder, "--by", "colour"), "is coloured by one of")
    assert not folder.exists()
    refused(run("draw", file, "--frames", file), "")


def test_explain_tells_of_accesses_at_the_sizes_given(file: Path) -> None:
    found = run("explain", file, "--descriptor", "tile", "-D", "M=40").stdout
    assert "a lane takes part where lane < 40" in found
    assert "up to 20 cycles a phase, 20 in all instead of 1" in found


def test_tails_are_drawn_with_their_masks() -> None:
    found = run("draw", TAILS, "--descriptor", "tile")
    assert found.returncode == 0
    assert found.stdout.count("takes no part") >= 31
    assert found.stdout.count("not drawn") == 0


def test_elements_of_half_a_byte_are_drawn_by_the_bank_of_their_bits(tmp_path: Path) -> None:
    file = tmp_path / "narrow.toml"
    file.write_text('[[descriptor]]\nname = "tile"\ndtype = "f4"\nbase = { kind = "packed", lengths = [8, 8] }\n')
    for by, most in (("offset", 63), ("bank", 7), ("dword", 7)):  # eight elements a dword
        assert run("draw", file, "--by", by, "-o", file.with_suffix(".svg")).returncode == 0
        numbers = map(int, re.findall(r">(\d+)</text>", file.with_suffix(".svg").read_text()))
        assert max(numbers) == (31 if by == "bank" else most)  # the legend has all banks
    page = file.with_suffix(".html")
    assert run("draw", file, "-o", page).returncode == 0
    assert "elementBits: 4," in page.read_text()
