"""`diff`, as a shell and a pull request see it."""

import json
import subprocess
from pathlib import Path

import jsonschema
import pytest

from tests.cli.command import GOOD, refused, run

WIDER = GOOD.replace("520", "528")


@pytest.fixture
def versions(tmp_path: Path) -> tuple[Path, Path]:
    old, new = tmp_path / "old.toml", tmp_path / "new.toml"
    old.write_text(GOOD)
    new.write_text(WIDER)
    return old, new


def test_one_map_is_one_whatever_its_text(versions):
    old, _ = versions
    result = run("diff", old, old)
    assert (result.returncode, result.stdout) == (0, "a_lds: same\n")


def test_another_map_is_named_with_its_first_index_and_both_offsets(versions):
    result = run("diff", *versions)
    assert result.returncode == 1
    assert result.stdout == "a_lds: different: first at (0, 8): offset 528, was 520\n"
    (entry,) = json.loads(run("diff", *versions, "--format", "json").stdout)["layouts"]
    assert (entry["what"], entry["passed"], entry["index"], entry["offsets"]) == (
        "different",
        False,
        [0, 8],
        [520, 528],
    )


def test_other_tools_are_told_what_differs_and_where(versions):
    (line,) = run("diff", *versions, "--format", "github").stdout.splitlines()
    assert line.startswith("::error file=")
    assert (
        ",line=2,col=1,title=a_lds%3A same_map::a_lds: same_map: different: first at (0, 8): offset 528, was 520"
        in line
    )
    assert run("diff", versions[0], versions[0], "--format", "github").stdout == ""
    (found,) = json.loads(run("diff", *versions, "--format", "sarif").stdout)["runs"][0]["results"]
    assert found["ruleId"] == "same_map"
    schema = json.loads(run("schema", "diff").stdout)
    for given in (versions, (versions[0], versions[0]), ("no.toml", versions[0])):
        jsonschema.validate(json.loads(run("diff", *given, "--format", "json").stdout), schema)


def test_a_revision_of_git_is_a_version(tmp_path, monkeypatch, versions):
    monkeypatch.chdir(tmp_path)
    git = ("git", "-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false")
    for command in (("init", "-q"), ("add", "old.toml"), ("commit", "-q", "-m", "one")):
        subprocess.run([*git, *command], check=True, capture_output=True)
    assert run("diff", "HEAD:old.toml", "old.toml").returncode == 0
    Path("old.toml").write_text(WIDER)
    assert run("diff", "HEAD:old.toml", "old.toml").returncode == 1
    refused(run("diff", "HEAD:no.toml", "old.toml"), "HEAD:no.toml")
    refused(run("diff", "nowhere:old.toml", "old.toml"), "nowhere")


def test_cpp_is_compared_for_the_parameters_that_are_given(tmp_path):
    text = "constexpr auto d = make_naive_tensor_descriptor(make_tuple(kM, 8), make_tuple(%s, 1));\n"
    old, new = tmp_path / "old.hpp", tmp_path / "new.hpp"
    old.write_text(text % "8")
    new.write_text(text % "number<8>{}")
    assert run("diff", old, new, "-D", "kM=64").returncode == 0
    new.write_text(text % "9")
    assert run("diff", old, new, "-D", "kM=64").returncode == 1


def test_bad_input_is_one_line(tmp_path, versions):
    old, new = versions
    refused(run("diff", old, tmp_path / "no.toml"), "no.toml")
    refused(run("diff", old, new, "-D", "M=3"), "-D")
    (tmp_path / "a.txt").write_text("x")
    refused(run("diff", old, tmp_path / "a.txt", "--format", "json"), "a.txt")
    (tmp_path / "empty.toml").write_text("")
    refused(run("diff", tmp_path / "empty.toml", tmp_path / "empty.toml"), "no layouts")
