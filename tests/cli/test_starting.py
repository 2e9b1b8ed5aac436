"""The files that `init` and `schema` write: each works as it is."""

import json
import tomllib

import jsonschema
import pytest

from layoutalg.cli.starting import Template
from tests.cli.command import refused, run
from tests.matrix import each

TWICE = """
#include <hip/hip_runtime.h>
extern "C" __global__ void twice(const float* x, float* o, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) o[i] = 2 * x[i];
}
"""


@pytest.mark.parametrize("what", each(["spec", "launch"], "launch"))
def test_what_is_written_is_all_proved_and_keeps_the_schema(tmp_path, what):
    file, schema = tmp_path / "a.toml", tmp_path / "spec.schema.json"
    assert run("init", what, "-o", file).returncode == run("schema", "-o", schema).returncode == 0
    assert run("check", file).returncode == 0
    jsonschema.validate(tomllib.loads(file.read_text()), json.loads(schema.read_text()))
    assert file.read_text().startswith(f"#:schema {schema.name}\n")


@pytest.mark.slow
def test_the_launch_file_audits_a_kernel(tmp_path):
    source, code, launch = tmp_path / "k.hip", tmp_path / "k.co", tmp_path / "k.toml"
    source.write_text(TWICE)
    run("init", "launch", "-o", launch)
    assert run("compile", source, "--target", "gfx942", "-o", code).returncode == 0
    assert run("audit", code, "--launch", launch).returncode == 0


def test_the_entry_for_pytest_has_the_plugin_s_options():
    entry = tomllib.loads(run("init", "pytest").stdout)["tool"]["pytest"]["ini_options"]
    assert entry == {"addopts": "--layoutalg layouts --layoutalg-seconds 10"}


def test_without_a_file_the_text_is_printed_and_a_file_that_is_there_stays(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text("mine")
    assert run("init").stdout == run("init", Template.SPEC).stdout != ""
    refused(run("init", "-o", file), "mine.toml", "is there already")
    refused(run("schema", "-o", tmp_path / "no" / "a.json"), "no")
    refused(run("init", "something"), "something")
    assert file.read_text() == "mine"
