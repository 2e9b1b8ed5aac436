"""`layoutalg counters`: tables, JSON, two builds side by side, and bad input, as a user sees them."""

import json
from pathlib import Path

import pytest

from tests.cli.command import refused, run

SOURCE = """
#include <hip/hip_runtime.h>
extern "C" __global__ void scale(const float* x, float* o, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) o[i] = 2 * x[i];
}
"""
LAUNCH = """
symbols = { N = { min = 1, max = 10000 } }
[[descriptor]]
name = "x"
dtype = "f32"
base = { kind = "packed", lengths = ["N"] }
[[descriptor]]
name = "o"
dtype = "f32"
base = { kind = "packed", lengths = ["N"] }
[launch]
kernel = "scale"
grid = ["(N + 63) // 64"]
block = [64]
arguments = ["x", "o", "N"]
writes = ["o"]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("counting")
    (made / "scale.toml").write_text(LAUNCH)
    (made / "scale.hip").write_text(SOURCE)
    (made / "twice.hip").write_text(SOURCE.replace("2 * x[i];", "2 * x[i]; if (i < n) o[i] = o[i] + x[0];"))
    (made / "beyond.hip").write_text(SOURCE.replace("i < n", "true"))
    for name in ("scale", "twice", "beyond"):
        assert run("compile", made / f"{name}.hip", "--target", "gfx942").returncode == 0
    return made


def given(folder: Path, kernel: str = "scale") -> tuple[object, ...]:
    return ("counters", folder / f"{kernel}.co", "--launch", folder / "scale.toml", "-D", "N=100")


def test_a_table_says_how_surely(folder: Path) -> None:
    shown = run(*given(folder)).stdout.splitlines()
    assert [line.split()[1:3] for line in shown if "SQ_WAVES " in line] == [["2", "exact"]]
    assert [line.split()[-1] for line in shown if line.startswith("roofline")]


def test_json_is_one_document(folder: Path) -> None:
    found = json.loads(run(*given(folder), "--format", "json").stdout)
    read = next(one for one in found["counters"] if one["name"] == "bytes read")
    assert (read["least"], read["certainty"], found["grid"]) == (400, "exact", [2])


def test_two_builds_stand_side_by_side(folder: Path) -> None:
    command = (*given(folder), "--compare", folder / "twice.co")
    row = next(line for line in run(*command).stdout.splitlines() if "SQ_INSTS_VMEM_WR" in line)
    assert row.split()[1:5] == ["2", "exact", "4", "exact"]
    assert len(json.loads(run(*command, "--format", "json").stdout)) == 2


def test_a_fault_has_no_counters(folder: Path) -> None:
    shown = run(*given(folder, "beyond"))
    assert shown.returncode == 1
    assert "address" in shown.stdout
    assert "fault" in json.loads(run(*given(folder, "beyond"), "--format", "json").stdout)


def test_without_sizes_there_are_formulas(folder: Path) -> None:
    command = ("counters", folder / "scale.co", "--launch", folder / "scale.toml")
    shown = run(*command)
    assert shown.returncode == 0
    row = next(line for line in shown.stdout.splitlines() if "SQ_INSTS_VMEM_WR" in line)
    assert row.split()[1:6] == ["(N", "+", "63)", "//", "64"]
    found = json.loads(run(*command, "--format", "json").stdout)
    waves = next(one for one in found["formulas"] if one["name"] == "SQ_WAVES")
    assert (waves["least"], waves["certainty"]) == ("(N + 63) // 64", "exact")


def test_a_size_that_is_none_is_bad_input(folder: Path) -> None:
    refused(run("counters", folder / "scale.co", "--launch", folder / "scale.toml", "-D", "K=3"), "K")


def test_execute_and_audit_have_the_counters_too(folder: Path) -> None:
    execute = ("execute", folder / "scale.co", "--launch", folder / "scale.toml", "-D", "N=100", "--counters")
    assert any(line.split()[:3] == ["SQ_WAVES", "2", "exact"] for line in run(*execute).stdout.splitlines())
    found = json.loads(run(*execute, "--json").stdout)["counters"]
    assert next(one for one in found["counters"] if one["name"] == "SQ_INSTS_VMEM_WR")["least"] == 2
    audit = ("audit", folder / "scale.co", "--launch", folder / "scale.toml", "--counters")
    shown = run(*audit)
    assert shown.returncode == 0
    assert any(line.split()[0] == "SQ_WAVES" for line in shown.stdout.splitlines() if line.strip())
    told = json.loads(run(*audit, "--format", "json").stdout)
    assert told["counters"]["formulas"][0]["least"] == "(N + 63) // 64"


def test_counters_of_an_audit_need_a_launch(folder: Path) -> None:
    refused(run("audit", folder / "scale.co", "--counters"), "--launch")
