"""`layoutalg execute`: results, figures, faults and bad input as a user sees them."""

import json
from pathlib import Path

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from tests.cli.command import refused, run, start
from tests.isa.container.bundles import bundled, library

SOURCE = """
#include <hip/hip_runtime.h>
extern "C" __global__ void scale(const float* x, float* o, int n, float alpha) {
  __shared__ float lds[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) lds[threadIdx.x] = x[i];
  __syncthreads();
  if (i < n) o[i] = alpha * lds[threadIdx.x ^ 0];
}
extern "C" __global__ void beyond(const float* x, float* o, int n, float alpha) {
  int i = blockIdx.x * 64 + threadIdx.x;
  o[i] = alpha * x[i];
}
extern "C" __global__ void gather(const int* x, float* o, int n, float alpha) { o[x[0]] = o[x[1]]; }
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
arguments = ["x", "o", "N", { name = "alpha", dtype = "f32" }]
writes = ["o"]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A code object with source lines, and launch files of its kernels."""
    made = tmp_path_factory.mktemp("execute")
    (made / "scale.hip").write_text(SOURCE)
    assert run("compile", made / "scale.hip", "--target", "gfx942", "-g").returncode == 0
    (made / "scale.toml").write_text(LAUNCH)
    (made / "beyond.toml").write_text(LAUNCH.replace('"scale"', '"beyond"'))
    (made / "gather.toml").write_text(LAUNCH.replace('"scale"', '"gather"').replace('"f32"', '"i32"', 1))
    return made


def given(folder: Path, kernel: str = "scale", *more: object) -> tuple[object, ...]:
    return ("execute", folder / "scale.co", "--launch", folder / f"{kernel}.toml", "-D", "N=100", "--argument",
            "alpha=2.0", *more)  # fmt: skip


def test_a_result_and_what_it_cost(folder):
    x, out = folder / "x.npy", folder / "o.npy"
    np.save(x, np.arange(100, dtype=np.float32))
    found = start(*given(folder, "scale", "--input", f"x={x}", "--output", f"o={out}"))
    assert (found.returncode, found.stderr) == (0, "")
    assert np.array_equal(np.load(out), 2 * np.arange(100))
    lines = found.stdout.splitlines()
    assert lines[0] == "scale for gfx942: 2 blocks of 64 threads"
    assert lines[1:3] == ["  x: 100 float32, only read", "  o: 100 float32, written"]
    assert "global memory: 800 bytes, 14 segments of 64 where 14 would do" in lines
    assert any(line.startswith("LDS: ") and line.endswith(" 0 of them lost to bank conflicts") for line in lines)
    assert any("(scale.hip:6): 2 accesses, 400 bytes, 7 segments" in line for line in lines)


def test_the_same_as_one_document(folder):
    found = json.loads(run(*given(folder, "scale", "--json", "--trace")).stdout)
    assert found["tensors"][0] | {"drawn": True, "written": False} == found["tensors"][0]
    assert found["tensors"][1]["never_written"] == 0
    kinds = found["instructions"]
    assert kinds["lds"] == kinds["global"] == 4
    assert sum(one["waves"] for one in found["counts"]) == kinds["waves"] == sum(kinds.values()) - kinds["waves"]
    loads = [one for one in found["trace"] if "global_load" in one["where"]]
    (load,) = loads
    assert [b - a for a, b in zip(load["addresses"], load["addresses"][1:], strict=False)] == [4] * 63


def test_results_alone(folder):
    """The same numbers and faults, and it is said what was not looked at."""
    checked, out = folder / "c.npy", folder / "u.npy"
    run(*given(folder, "scale", "--output", f"o={checked}"))
    found = run(*given(folder, "scale", "--unchecked", "--output", f"o={out}"))
    assert np.array_equal(np.load(out), np.load(checked))
    assert found.stdout.splitlines()[2] == "  o: 100 float32, written"
    assert "instructions by waves; races, waits, undefined values and what accesses cost were not" in found.stdout
    document = json.loads(run(*given(folder, "scale", "--unchecked", "--json")).stdout)
    assert "never_written" not in document["tensors"][1]
    faults = [run(*given(folder, "beyond", *more)) for more in ((), ("--unchecked",))]
    assert [one.returncode for one in faults] == [1, 1]
    assert faults[0].stdout == faults[1].stdout
    refused(run(*given(folder, "scale", "--unchecked", "--order", "1")), "--unchecked is for results alone")


def test_a_trace_names_lines_and_values(folder):
    text = run(*given(folder, "scale", "--trace", "--trace-block", "1", "--trace-file", folder / "t.txt")).stdout
    assert "global_store_dword" in text
    trace = (folder / "t.txt").read_text()
    assert "  ; scale.hip:8" in trace
    assert "s_endpgm" not in trace
    assert f"    v1 = {40:x}" in trace or "    v0 = " in trace


def test_a_fault_names_line_thread_and_tensor(folder):
    found = run(*given(folder, "beyond"))
    assert found.returncode == 1
    assert "address: 4 bytes at" in found.stdout
    assert "0 bytes past the end of x, block (1, 0, 0) thread 36" in found.stdout
    assert "(scale.hip:12)" in found.stdout
    document = run(*given(folder, "beyond", "--json"))
    assert document.returncode == 1
    fault = json.loads(document.stdout)["fault"]
    expected = {"kind": "address", "tensor": "x", "byte": 400, "block": [1, 0, 0], "thread": 36}
    assert expected.items() <= fault.items()
    assert fault["source"] == "scale.hip:12"


def test_a_fault_by_what_was_not_given_says_what_to_give(folder):
    found = run(*given(folder, "gather"))
    assert found.returncode == 1
    assert "x was drawn at random: give what a kernel indexes by with --input x=FILE.npy" in found.stdout
    np.save(folder / "i.npy", np.zeros(100, np.int32))
    again = run(*given(folder, "gather", "--input", f"x={folder / 'i.npy'}"))
    assert "o has nothing in it before: give what a kernel reads with --input o=FILE.npy" in again.stdout


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--kernel", "scales"), ("no kernel 'scales'; did you mean 'scale'; it has scale, beyond, gather",)),
        (("--output", "out=o.npy"), ("the launch has no tensor 'out'; it has x, o",)),
        (("--input", "x=none.npy"), ("none.npy: no such file",)),
        (("--argument", "alpha=two"), ("give a number, 2 for an integer or 2.0 for a fraction",)),
        (("--argument", "beta=1"), ("its launch has no argument that is given 'beta'; it has alpha",)),
        (("-D", "M=1"), ("its launch has no symbol 'M'; it has N",)),
        (("-D", "N=0"), ("-D N=0: ", "says 1 <= N <= 10000")),
        (("--trace-block", "a"), ("--trace-block a: give the block's x,y,z, e.g. 1,0,0",)),
        (("--ahead", "3,"), ("--ahead 3,: give numbers of a block's waves, e.g. 3,1",)),
        (("--ahead", "9"), ("waves 9 ahead of others: give numbers from 0 to ",)),
        (("--output", "o=nowhere/o.npy"), ("there is no folder nowhere",)),
        (("--json", "-D", "N=x"), ("a size is an integer",)),
    ],
)
def test_bad_input_is_one_line(folder, more, words):
    refused(run(*given(folder, "scale", *more)), *words)


def test_files_that_are_none_are_refused(folder):
    refused(run("execute", folder / "none.co", "--launch", folder / "scale.toml"), "none.co")
    refused(
        run("execute", folder / "scale.hip", "--launch", folder / "scale.toml"),
        "neither an AMD code object nor a bundle",
    )
    refused(run("execute", folder / "scale.co", "--launch", folder / "none.toml"), "none.toml: cannot be read")
    plain = folder / "plain.toml"
    plain.write_text(LAUNCH[: LAUNCH.index("[launch]")])
    refused(run("execute", folder / "scale.co", "--launch", plain, "--kernel", "scale"), "it has no [launch] table")
    refused(run("execute", folder / "scale.co", "--launch", plain), "several kernels; say which with --kernel")


def test_a_bundle_asks_for_its_target_where_several_have_the_kernel(folder):
    code = (folder / "scale.co").read_bytes()
    other = compile_source(SOURCE, "gfx1100").payload
    damaged = code.replace(b"AMDGPU", b"AMDGPV")
    name = "hipv4-amdgcn-amd-amdhsa--"
    both = bundled([(f"{name}gfx942", code), (f"{name}gfx1100", other)]) + bundled([(f"{name}gfx942", damaged)])
    (folder / "both.co").write_bytes(library(both, b".hip_fatbin"))
    command = ("execute", folder / "both.co", *given(folder)[2:])
    refused(run(*command), "scale is there for gfx1100, gfx942; say which with --target")
    refused(run(*command, "--target", "gfx90a"), "there is no code object for gfx90a: there are those for gfx1100, ")
    refused(run(*command, "--kernel", "none"), "no kernel 'none'", "1 of its code objects are not read: ")
    found = run(*command, "--target", "gfx1100")
    assert found.returncode == 0
    assert found.stdout.startswith("scale for gfx1100: ")
