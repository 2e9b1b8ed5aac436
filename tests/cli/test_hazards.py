"""`layoutalg hazards`: files, folders, wheels; exit codes; the forms that tools read; what is kept."""

import json
import zipfile

import pytest

from tests.cli.command import refused, run
from tests.hazards.assembly import assembled

LOAD = "global_load_dword v1, v0, s[0:1]\n"
RIGHT = LOAD + "s_waitcnt vmcnt(0)\nv_add_f32 v3, v1, v1"
WRONG = LOAD + "v_add_f32 v3, v1, v1"
UNREAD = "s_sethalt 1"


@pytest.fixture
def folder(tmp_path):
    """Code objects, one of them in a wheel, and a text that is none."""
    (tmp_path / "right.co").write_bytes(assembled(RIGHT))
    (tmp_path / "wrong.co").write_bytes(assembled(WRONG))
    (tmp_path / "unread.co").write_bytes(assembled(UNREAD))
    (tmp_path / "notes.txt").write_text("no code")
    with zipfile.ZipFile(tmp_path / "some.whl", "w") as wheel:
        wheel.writestr("lib/wrong.co", assembled(WRONG))
        wheel.writestr("lib/notes.txt", "no code")
    return tmp_path


def test_exit_codes(folder):
    assert run("hazards", folder / "right.co").returncode == 0
    assert run("hazards", folder / "wrong.co").returncode == 1
    assert run("hazards", folder / "unread.co").returncode == 2
    assert run("hazards", folder / "unread.co", folder / "wrong.co").returncode == 1
    assert run("hazards", folder / "unread.co", folder / "wrong.co", "--exhaustive").returncode == 2
    refused(run("hazards", folder / "none.co"), "none.co: no such file or folder")


def test_what_is_not_looked_for_is_no_pass(tmp_path):
    (tmp_path / "older.co").write_bytes(assembled("s_nop 0", "gfx908"))
    done = run("hazards", tmp_path / "older.co")
    assert done.returncode == 2
    assert "not looked for in code of gfx908, of which no rules are known here: wait_states" in done.stdout


def test_exhaustive_lists_what_is_undecided_and_what_is_not_analysed(folder):
    load = "s_load_dwordx4 s[4:7], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\ns_mov_b32 m0, 0\n"
    (folder / "open.co").write_bytes(assembled(load + "buffer_load_dword v0, s[4:7], 0 offen lds"))
    short, whole = (run("hazards", folder / "open.co", *more) for more in ((), ("--exhaustive",)))
    assert (short.returncode, whole.returncode) == (2, 2)
    assert "1 undecided, 0 not analysed" in short.stdout
    assert "undecided: LLVM is right" not in short.stdout
    assert "undecided: LLVM is right" in whole.stdout
    assert "not analysed: 0x" in run("hazards", folder / "unread.co", "--exhaustive").stdout


def test_the_text_says_who_is_too_early_and_what_is_missing(folder):
    told = run("hazards", folder / "wrong.co").stdout.splitlines()
    assert told[0].endswith("wrong.co: k for gfx942: 1 hazard")
    assert "v_add_f32 d=v3, a=v1, b=v1 reads v1, which" in told[1]
    assert told[1].endswith("is still to write; missing: s_waitcnt vmcnt(0)")
    assert told[2].startswith("  again: layoutalg hazards ")
    assert told[3] == "1 kernel of 3 instructions: 1 hazard in 1 kernel, 0 undecided, 0 not analysed"


def test_a_folder_a_wheel_and_a_member_of_it(folder):
    found = json.loads(run("hazards", folder, "--format", "json").stdout)
    assert {one["file"].removeprefix(f"{folder}/"): len(one["findings"]) for one in found["kernels"]} == {
        "right.co": 0, "wrong.co": 1, "unread.co": 0, "some.whl/lib/wrong.co": 1,
    }  # fmt: skip
    assert (found["findings"], found["undecided"], found["not_analysed"], found["errors"]) == (2, 0, 1, [])
    member = json.loads(run("hazards", folder / "some.whl" / "lib" / "wrong.co", "--format", "json").stdout)
    assert member["findings"] == 1


def test_bad_input_is_a_line_each_and_nothing_of_the_rest_is_lost(folder, tmp_path):
    (tmp_path / "half.co").write_bytes(assembled(RIGHT)[:1500])
    (tmp_path / "empty").mkdir()
    found = run("hazards", tmp_path / "half.co", tmp_path / "empty", folder / "notes.txt", folder / "wrong.co")
    assert found.returncode == 3
    assert [line.partition(": ")[0] for line in found.stderr.splitlines()] == ["layoutalg"] * 3
    assert "1 hazard in 1 kernel" in found.stdout


def test_a_line_of_json_for_each_kernel_and_what_other_tools_read(folder):
    lines = run("hazards", folder / "wrong.co", folder / "right.co", "--format", "jsonl").stdout.splitlines()
    assert [len(json.loads(line)["findings"]) for line in lines] == [1, 0]
    (result,) = json.loads(run("hazards", folder / "wrong.co", "--format", "sarif").stdout)["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("wait", "error")
    assert run("hazards", folder / "wrong.co", "--format", "github").stdout.startswith("::error file=")


def test_several_processes_find_the_same(folder):
    one, two = (
        json.loads(run("hazards", folder, "--no-cache", "--format", "json", *more).stdout)
        for more in ((), ("--jobs", "2"))
    )
    assert one == two


def test_a_library_of_a_target_and_a_kernel_by_its_name(folder):
    assert run("hazards", folder / "wrong.co", "--kernel", "other").stdout.startswith("0 kernels of 0 instructions")
    refused(run("hazards", folder / "wrong.co", "--target", "gfx1100"), "there is no code object for gfx1100")
