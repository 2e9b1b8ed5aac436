"""`layoutalg audit`: verdicts, exit codes and bad input as a user sees them."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from layoutalg.cli.auditing import faults
from layoutalg.formats.spec import loads
from tests.cli.command import refused, run
from tests.cli.test_executing import LAUNCH, SOURCE


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A code object with source lines, and launch files of its kernels."""
    made = tmp_path_factory.mktemp("audit")
    (made / "scale.hip").write_text(SOURCE)
    assert run("compile", made / "scale.hip", "--target", "gfx942", "-g").returncode == 0
    (made / "scale.toml").write_text(LAUNCH)
    (made / "beyond.toml").write_text(LAUNCH.replace('"scale"', '"beyond"'))
    return made


def test_a_safe_kernel_exits_0_and_says_what_was_assumed(folder) -> None:
    done = run("audit", folder / "scale.co", "--launch", folder / "scale.toml")
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("scale for gfx942: proved (")
    assert "  race_free: proved" in done.stdout
    assert "assumed: sizes: 1 <= N <= 10000" in done.stdout


def test_an_unsafe_one_exits_1_and_names_the_source_line(folder) -> None:
    done = run("audit", folder / "scale.co", "--launch", folder / "beyond.toml", "--format", "json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    jsonschema.validate(found, json.loads(run("schema", "audit").stdout))
    assert found["verdict"] == "refuted"
    wrong = [one for one in found["claims"] if one["verdict"] == "refuted" and one["claim"] == "in_bounds"]
    assert wrong[0]["source"].endswith(":12")
    assert "N = 1" in wrong[0]["reason"]
    run_ = wrong[0]["run"]
    assert run_["sizes"] == {"N": 1}
    assert (run_["kind"], run_["block"], run_["wave"], run_["source"]) == ("address", [0, 0, 0], 0, wrong[0]["source"])
    assert wrong[0]["witness"][0]["N"] == 1


def test_other_tools_are_told_at_the_line_of_the_source(folder) -> None:
    done = run("audit", folder / "scale.co", "--launch", folder / "beyond.toml", "--format", "github")
    assert done.returncode == 1
    assert any(line.startswith("::error file=") and ",line=12," in line for line in done.stdout.splitlines())
    refused(run("audit", folder / "scale.co", "--format", "sarif"), "give --launch")


def test_what_cannot_be_followed_exits_2_and_says_why(folder) -> None:
    """One claim at the time-out: nothing of it is proved."""
    done = run("audit", folder / "scale.co", "--launch", folder / "scale.toml", "--seconds", "0.1", "--format", "json")
    found = json.loads(done.stdout)
    assert done.returncode == {"proved": 0, "unknown": 2}[found["verdict"]]
    assert all(one["reason"] for one in found["claims"] if one["verdict"] != "proved")


def test_without_a_launch_file_a_template_of_one_is_written(folder, tmp_path) -> None:
    done = run("audit", folder / "scale.co", "--kernel", "scale")
    assert done.returncode == 2  # nothing was proved
    assert "#   registers: " in done.stdout
    assert "spills: 0 vector, 0 scalar" in done.stdout
    written = loads(done.stdout).launch
    assert written.kernel == "scale"
    assert len(written.arguments) == 4
    assert written.writes == ("o",)
    assert written.guessed
    (tmp_path / "k.toml").write_text(done.stdout)
    assert run("audit", folder / "scale.co", "--launch", tmp_path / "k.toml").returncode in (1, 2)  # lengths are to say


def test_a_template_goes_to_its_file(folder, tmp_path) -> None:
    done = run("audit", folder / "scale.co", "--kernel", "scale", "--template", tmp_path / "k.toml", "--format", "json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert (tmp_path / "k.toml").read_text().endswith(found["template"])
    assert found["figures"]["registers"]["vgprs"] > 0
    assert found["figures"]["occupancy"]["waves_per_simd"] > 0
    assert found["figures"]["not_described"] == {}
    refused(
        run("audit", folder / "scale.co", "--launch", folder / "scale.toml", "--template", tmp_path / "k.toml"),
        "leave --launch out",
    )


def test_of_several_kernels_one_is_to_be_named(folder) -> None:
    refused(run("audit", folder / "scale.co"), "several kernels; say which with --kernel")


OVERLOADED = """
#include <hip/hip_runtime.h>
namespace own {
template <class T, int n> __global__ void fill(T* o) { if (threadIdx.x < n) o[threadIdx.x] = 1; }
__global__ void clear(float* o) { o[threadIdx.x] = 0.0f; }
}
template __global__ void own::fill<float, 8>(float*);
template __global__ void own::fill<int, 8>(int*);
"""


def test_kernels_of_cpp_have_the_names_that_are_written(tmp_path) -> None:
    (tmp_path / "k.hip").write_text(OVERLOADED)
    assert run("compile", tmp_path / "k.hip", "--target", "gfx942").returncode == 0
    for name, shown in (("clear", "own::clear"), ("own::fill<int, 8>", "own::fill<int, 8>"),
                        ("void own::fill<float,8>(float*)", "own::fill<float, 8>")):  # fmt: skip
        done = run("audit", tmp_path / "k.co", "--kernel", name)
        assert done.stdout.startswith(f"# {shown} for gfx942"), done.stderr
    several = run("audit", tmp_path / "k.co", "--kernel", "fill")
    refused(several, "fill is several kernels; say which with --kernel", "own::fill<int, 8>")


@pytest.mark.parametrize(("old", "new", "why"), [
    ("", "", "bad.toml"),
    ('kernel = "scale"', 'kernel = "scalar"', "no kernel 'scalar'"),
    ("[launch]", "[lunch]", "lunch"),
    ('writes = ["o"]', 'writes = ["o"]\nclaims = ["bank_free"]', "bank_free"),
    ('writes = ["o"]', 'writes = ["o"]\nassume = ["0 <= q[i]"]', "q"),
    ('writes = ["o"]', 'writes = ["o"]\nassume = ["3 <= x[i] <= 2"]', "x"),
    ('writes = ["o"]', 'writes = ["o"]\nassume = ["0 <= 1"]', "speaks of no element x[i] and of no named value"),
    ("max = 10000", "max = 0", "leave it no value"),
    ('writes = ["o"]', 'writes = ["o"]\ncomputes = ["q[i] = x[i]"]', "'q' is none"),
    ('arguments = ["x", ', 'arguments = ["x", "x", ', "takes 4 arguments"),
    ("block = [", "block = [0, ", "block"),
])  # fmt: skip
def test_bad_launch_files_are_one_line(folder, tmp_path, old: str, new: str, why: str) -> None:
    file = tmp_path / "bad.toml"
    if old:
        assert old in LAUNCH
        file.write_text(LAUNCH.replace(old, new, 1))
    refused(run("audit", folder / "scale.co", "--launch", file), why)


@pytest.mark.parametrize("content", [b"", b"garbage", b"\x7fELF" + bytes(60), b"GIF89a" * 100])
def test_what_is_no_code_object_is_one_line(folder, tmp_path, content: bytes) -> None:
    (tmp_path / "k.co").write_bytes(content)
    refused(run("audit", tmp_path / "k.co"), "k.co")
    refused(run("audit", tmp_path / "k.co", "--launch", folder / "scale.toml"), "k.co")


def test_a_launch_of_another_kernel_exits_3(folder, tmp_path) -> None:
    (tmp_path / "other.toml").write_text(LAUNCH.replace(', { name = "alpha", dtype = "f32" }', ""))
    refused(run("audit", folder / "scale.co", "--launch", tmp_path / "other.toml"), "takes 4 arguments")


METADATA = '{"name": "softmax", "target": {"arch": "gfx942", "warp_size": 64}, "num_warps": 4, "shared": 16}'
TTIR = "tt.func public @softmax(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %N: i32 {tt.divisibility = 16 : i32}) attributes {"


def test_what_triton_wrote_of_a_kernel_is_in_its_template_and_held_against_its_launch(tmp_path) -> None:
    builds = Path(__file__).parent.parent / "foreign" / "triton" / "builds"
    (tmp_path / "softmax.hsaco").write_bytes((builds / "softmax-gfx942.co").read_bytes())
    (tmp_path / "softmax.json").write_text(METADATA)
    (tmp_path / "softmax.ttir").write_text(TTIR)
    template = run("audit", "--triton", tmp_path / "softmax.json").stdout
    file = loads(template)
    assert file.launch.tensors == ("x", "o")
    assert file.launch.writes == ("o",)
    assert ([str(one) for one in file.launch.block], str(file.launch.lds)) == (["256"], "16")
    assert file.symbols["N"].value.multiple_of == 16
    launch = tmp_path / "softmax.toml"
    launch.write_text(template)
    done = run("audit", tmp_path / "softmax.hsaco", "--launch", launch)
    assert done.returncode == 0, done.stdout
    assert "not claimed: that it is launched so (guessed = true)" in done.stdout
    for old, new, why in (
        ("block = [256]", "block = [128]", "a block of 128 threads; Triton compiled softmax for 4 waves of 64 lanes"),
        ("lds = 16", "lds = 8", "8 bytes of LDS; Triton compiled softmax for 16"),
    ):
        launch.write_text(template.replace(old, new))
        refused(run("audit", "--triton", tmp_path / "softmax.json", "--launch", launch), why)
    (tmp_path / "softmax.json").write_text("{}")
    refused(run("audit", "--triton", tmp_path / "softmax.json"), "no metadata of a kernel of Triton")
    refused(run("audit"), "give a code object, or with --triton what Triton wrote of one")


def failing(claim: str, about: str, reason: str, verdict: str = "unknown", **more: object) -> dict[str, Any]:
    return {"claim": claim, "about": about, "reason": reason, "verdict": verdict, **more}


def test_what_one_fault_makes_fail_is_told_once() -> None:
    barrier = {"source": "k.hip:6", "meets": "k.hip:9"}
    pairs = [f"0x{n} ds_write_b32 stores to lds; 0x{n + 50} ds_read_b32 loads from lds" for n in range(4)]
    unshown: dict[str, Any] = {"witness": [{"thread": 3}]}
    claims = [
        failing("race_free", pairs[0], "no run shows it", **unshown, **barrier),
        failing("race_free", pairs[1], "a run: race", "refuted", **barrier),
        failing("race_free", pairs[2], "the time is up", **barrier),  # of this one nothing is known
        failing("race_free", pairs[3], "no run shows it", **unshown, source="k.hip:6", meets="k.hip:12"),
        failing("initialised", pairs[0], "no run shows it", **unshown, **barrier),
        failing("in_bounds", "", "", "proved"),
    ]
    assert [[claims.index(one) for one in each] for each in faults(claims)] == [[1, 0], [2], [3], [4]]
    for one in claims:
        one.pop("source", None)
        one.pop("meets", None)
    assert [[claims.index(one) for one in each] for each in faults(claims)] == [[1, 0, 3], [2], [4]]  # one memory
