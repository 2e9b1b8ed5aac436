"""`layoutalg survey`: what is in a file, and what of it has no description."""

import json
import zipfile

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.isa.run.described import Surveyor
from tests.cli.command import refused, run, start
from tests.isa.container.bundles import bundled, compressed, library

SOURCE = """
#include "layoutalg_device.h"
extern "C" __global__ void plain(float* o) {
  __shared__ float lds[32];
  lds[threadIdx.x] = o[threadIdx.x];
  __syncthreads();
  o[threadIdx.x] = lds[31 - threadIdx.x];
}
extern "C" __global__ void trapped(float* o) { o[0] = 1; asm volatile("s_sethalt 1"); }
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A host's library with kernels for two targets."""
    names = ("gfx942", "gfx1201")
    parts = [(f"hipv4-amdgcn-amd-amdhsa--{name}", compile_source(SOURCE, name).payload) for name in names]
    path = tmp_path_factory.mktemp("survey") / "lib.so"
    path.write_bytes(library(bundled(parts), b".hip_fatbin"))
    return path


def test_kernels_are_listed_with_what_lacks(file):
    found = json.loads(run("survey", file, "--json").stdout)
    assert (found["kernels"], found["described"], found["unread"]) == (4, 2, [])
    assert found["missing"] == {"S_SETHALT": 2}
    by_name = {(one["target"], one["kernel"]): one for one in found["list"]}
    plain = by_name["gfx942", "plain"]
    assert plain["missing"] == {}
    assert (plain["lds_bytes"], plain["scratch_bytes"]) == (128, 0)
    assert 10 < plain["instructions"] < 40
    assert by_name["gfx1201", "trapped"]["missing"] == {"S_SETHALT": 1}


def test_a_table_for_one_target(file):
    found = start("survey", file, "--target", "gfx942")
    assert (found.returncode, found.stderr) == (0, "")
    assert "gfx1201" not in found.stdout
    assert "trapped" in found.stdout
    assert found.stdout.splitlines()[-1] == "2 kernels, 1 of them wholly described, 50 %"


def test_bad_input_is_one_line(file, tmp_path):
    refused(run("survey", tmp_path / "none.so"), "none.so: no such file or folder")
    refused(run("survey", file, "--target", "gfx90a"), "there is no code object for gfx90a")
    (tmp_path / "text").write_text("text")
    refused(run("survey", tmp_path / "text", "--json"), "neither an AMD code object nor a bundle of them")


def test_what_cannot_be_read_is_a_line_each_and_loses_nothing(file, tmp_path):
    """Half a file, a bundle of another vendor, a folder without code, beside a wheel and a folder of code."""
    code = compile_source(SOURCE, "gfx942").payload
    (tmp_path / "half.co").write_bytes(code[: len(code) // 2])
    (tmp_path / "other.bundle").write_bytes(bundled([("hip-spirv64-amd-amdhsa-unknown-amdgcnspirv", b"\3\2\x23\7")]))
    (tmp_path / "empty").mkdir()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "one.co").write_bytes(code)
    with zipfile.ZipFile(tmp_path / "some.whl", "w") as wheel:
        wheel.writestr("pkg/two.co", code)
        wheel.writestr("pkg/three.co", code[: len(code) // 2])
        wheel.writestr("pkg/code.py", "import this")
    names = ("half.co", "other.bundle", "empty", "folder", "some.whl")
    found = start("survey", *(tmp_path / name for name in names), "--json", "--jobs", "2")
    told = json.loads(found.stdout)
    assert [one["file"].removeprefix(f"{tmp_path}/") for one in told["list"] if one["kernel"] == "plain"] == [
        "folder/one.co", "some.whl/pkg/two.co",
    ]  # fmt: skip
    lines = found.stderr.splitlines()
    assert [line.removeprefix(f"layoutalg: {tmp_path}/").split(":")[0] for line in lines] == [
        "half.co", "other.bundle", "empty", "some.whl/pkg/three.co",
    ]  # fmt: skip
    assert found.returncode == 3


def test_one_code_is_surveyed_once_and_the_same_way():
    code = bytes.fromhex("00810080ffff7fbf00810080")  # s_add_u32, a word that is none, s_add_u32
    surveyor = Surveyor("gfx942")
    first = surveyor.survey(code, 64)
    assert surveyor.survey(bytes(code), 64) is first
    (name,) = first.missing
    assert name.startswith("not decoded: ")
    assert Surveyor("gfx942").survey(code[:4] * 3, 64).missing == {}
    assert Surveyor("gfx942").survey(code[:4] * 3, 64).instructions == 3


def test_each_target_is_told_and_what_nothing_decodes_is_listed(tmp_path):
    """gfx1101's code is read as gfx1100's; nothing here reads gfx1010's, and its kernels have their resources."""
    names = ("gfx1010", "gfx1101")
    parts = [(f"hipv4-amdgcn-amd-amdhsa--{name}", compile_source(SOURCE, name).payload) for name in names]
    (tmp_path / "lib.so").write_bytes(library(compressed(bundled(parts), 3), b".hip_fatbin"))
    found = json.loads(run("survey", tmp_path / "lib.so", "--json").stdout)
    assert {name: (one["kernels"], one["described"]) for name, one in found["targets"].items()} == {
        "gfx1010": (2, 0), "gfx1101": (2, 1),
    }  # fmt: skip
    assert found["missing"] == {"not decoded: gfx1010": 2, "S_SETHALT": 1}
    unread = next(one for one in found["list"] if (one["target"], one["kernel"]) == ("gfx1010", "plain"))
    assert (unread["instructions"], unread["lds_bytes"], unread["missing"]) == (None, 128, {"not decoded: gfx1010": 1})
    shown = run("survey", tmp_path / "lib.so").stdout.splitlines()
    assert shown[-1] == "4 kernels, 1 of them wholly described, 25 %"
    (row,) = [line for line in shown if line.startswith("│ gfx1010 │ 2 ")]
    assert row.split("│")[2:5] == [" 2       ", " 0 (0 %)          ", " not decoded  "]
