"""What `check` decided is not decided again, and what has changed is."""

import json

import pytest

from layoutalg import cache
from layoutalg.cli import checking, kept
from layoutalg.target import files
from tests.cli.command import GOOD, run, start


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setenv("LAYOUTALG_KEEP_PROOFS", "yes")
    monkeypatch.setenv("LAYOUTALG_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "a.toml"
    path.write_text(GOOD)
    return path


@pytest.mark.parametrize("form", ["text", "json", "junit"])
def test_a_second_run_says_the_same_without_reading_the_file(file, form, monkeypatch):
    first = run("check", file, "--format", form)
    monkeypatch.setattr("layoutalg.cli.checking.read", None)
    second = run("check", file, "--format", form)
    assert second.stdout == first.stdout
    assert (first.stderr, second.returncode) == ("", 0)
    assert second.stderr == "note: 3 claims as an earlier run decided them; --no-cache decides them anew\n"


def test_what_changes_is_decided_anew(file, monkeypatch):
    run("check", file)
    assert run("check", file, "--no-cache").stderr == ""
    assert run("check", file, "--seconds", "9").stderr == ""
    file.write_text(GOOD.replace("520", "500"))
    changed = run("check", file)
    assert (changed.returncode, changed.stderr) == (1, "")
    assert run("check", file).returncode == 1
    file.write_text(GOOD)
    monkeypatch.setattr("layoutalg.cache.package", lambda: "another version")
    assert run("check", file).stderr == ""


def test_a_users_targets_count_as_they_are_now(file, tmp_path, monkeypatch):
    own = tmp_path / "targets"
    own.mkdir()
    monkeypatch.setenv("LAYOUTALG_TARGETS", str(own))
    said = []
    for name, text in [(None, ""), (None, ""), ("a.toml", "one"), ("a.toml", "one"), ("a.toml", "two")]:
        if name:
            (own / name).write_text(text)
        files.users_files.cache_clear()  # as in a process of its own
        said.append(run("check", file).stderr.startswith("note: 3 claims"))
    assert said == [False, True, False, True, False]


def test_an_unknown_and_a_file_with_cpp_are_not_kept(file):
    file.write_text("""
symbols = { I = {}, J = {}, K = {} }
[[lemma]]
name = "hard"
goal = "I * I * I + J * J * J != K * K * K"
""")
    assert run("check", file, "--seconds", "0.001").returncode == 2
    assert run("check", file, "--seconds", "0.001").stderr == ""
    file.write_text(f"{GOOD}\n[cpp]\ntarget = 'gfx942'\nheaders = ['x.hpp']\n")
    assert run("check", file).returncode == run("check", file).returncode == 0
    assert run("check", file).stderr == ""
    file.write_text(f"{GOOD}# no cpp\n")
    assert run("check", file).stderr == ""
    assert run("check", file).stderr != ""


def test_a_damaged_entry_is_as_good_as_none(file, tmp_path):
    run("check", file)
    (entry,) = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    entry.write_bytes(entry.read_bytes().replace(b'"proved"', b'"proven"'))
    assert run("check", file).stderr == ""
    assert run("check", file).stderr != ""


def test_old_and_new_files_are_told_together_in_their_order(file, tmp_path):
    run("check", file)
    (tmp_path / "0.toml").write_text(GOOD.replace("520", "500"))
    (tmp_path / "b.toml").write_text("x = [")
    found = run("check", tmp_path, "--format", "json")
    said = json.loads(found.stdout)
    assert found.returncode == 3
    assert [one["file"].rsplit("/")[-1] for one in said["files"]] == ["0.toml", "a.toml"]
    assert (said["proved"], said["refuted"], len(said["errors"])) == (5, 1, 1)


def test_a_file_that_is_edited_while_it_is_checked_is_decided_anew(file, monkeypatch):
    decide = checking._decide

    def edited(*args, **how):
        file.write_text(GOOD.replace("520", "500"))
        return decide(*args, **how)

    monkeypatch.setattr(checking, "_decide", edited)
    assert run("check", file).returncode == 0
    monkeypatch.undo()
    monkeypatch.setenv("LAYOUTALG_KEEP_PROOFS", "yes")
    monkeypatch.setenv("LAYOUTALG_CACHE", str(file.parent / "cache"))
    assert run("check", file).returncode == 1


def test_a_file_that_changes_and_changes_back_keeps_nothing_of_the_text_between(file, monkeypatch):
    """As an editor that saves, and undoes: the key is of the text that was decided, whatever the file says when."""
    wrong, get, put = GOOD.replace("520", "500"), kept.Kept.get, kept.Kept.put

    def read_then_saved(self, path):
        found = get(self, path)
        file.write_text(GOOD)
        return found

    def undone_then_kept(self, checked):
        file.write_text(wrong)
        return put(self, checked)

    file.write_text(wrong)
    with monkeypatch.context() as patch:
        patch.setattr(kept.Kept, "get", read_then_saved)
        patch.setattr(kept.Kept, "put", undone_then_kept)
        assert run("check", file).returncode == 1
    assert run("check", file).returncode == 1
    file.write_text(GOOD)
    assert run("check", file).returncode == 0


def test_what_was_decided_by_a_target_that_is_no_longer_there_is_not_kept(file, tmp_path, monkeypatch):
    own = tmp_path / "targets"
    own.mkdir()
    monkeypatch.setenv("LAYOUTALG_TARGETS", str(own))
    files.users_files.cache_clear()
    files.users_files()
    (own / "a.toml").write_text("of another time")
    assert run("check", file).stderr == run("check", file).stderr == ""
    files.users_files.cache_clear()


def test_what_is_no_file_among_a_users_targets_stops_nothing(file, tmp_path, monkeypatch):
    own = tmp_path / "targets"
    (own / "folder.toml").mkdir(parents=True)
    (own / ".#a.toml").symlink_to("user@host.1234:5678")  # the lock of an editor
    (own / "b.toml").symlink_to(own / "nowhere.toml")
    monkeypatch.setenv("LAYOUTALG_TARGETS", str(own))
    result = start("check", file)
    assert (result.returncode, result.stderr) == (0, "")
    unknown = start("banks", "--target", "b", "--instruction", "ds_read_b128", "--addresses", "0,16")
    assert unknown.stderr.startswith("layoutalg: unknown target 'b'")


@pytest.mark.parametrize("content", [b"[" * 200_000, b"{}", b"[]", b"1", b'{"key": 1, "checked": {}}', b"\xff", b""])
def test_what_is_no_entry_is_as_good_as_none(file, tmp_path, content):
    run("check", file)
    (entry,) = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    cache.write(entry.name, content)
    assert run("check", file).stderr == ""
    assert run("check", file).stderr != ""


def test_an_entry_that_was_moved_is_as_good_as_none(file, tmp_path):
    other = tmp_path / "b.toml"
    run("check", file)
    (right,) = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    kept_of_right = cache.read(right.name)
    other.write_text(GOOD.replace("520", "500"))
    run("check", other)
    (wrong,) = [path for path in (tmp_path / "cache").rglob("*") if path.is_file() and path != right]
    cache.write(wrong.name, kept_of_right)
    assert run("check", other).returncode == 1


@pytest.mark.slow
def test_processes_share_what_is_kept(file):
    assert start("check", file).stderr == ""
    assert start("check", file).stderr.startswith("note: 3 claims")
