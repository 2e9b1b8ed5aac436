"""What only a process of its own shows: that each command starts and ends well and what it imports."""

import json
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.main import get_command

from layoutalg.cli.app import COMMANDS, application
from tests.cli.command import GOOD, run, start
from tests.optional import needed


def test_check_imports_no_more_than_it_needs(spec: Path) -> None:
    heavy = "{'numpy', 'z3', 'sympy'}"
    program = f"import sys, layoutalg.cli as cli\ntry: cli.main()\nfinally: print({heavy} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", program, "check", str(spec)], capture_output=True, text=True)
    assert result.stdout.splitlines()[-1] == "set()"


@pytest.mark.slow
def test_the_demo_ends_well() -> None:
    result = start("demo")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "every coordinate is in a tile" in result.stdout
    assert "max error against numpy: 0" in result.stdout
    for target in ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"):
        assert target in result.stdout


def test_parallel_proofs_say_the_same(spec: Path) -> None:
    assert json.loads(start("check", spec, "-j", "2", "--format", "json").stdout)["proved"] == 3


@pytest.mark.slow
def test_two_processes_do_no_more_work_than_one() -> None:
    """Of processor time, their own included: the machine may have other work, a second pool may not cost any."""

    def spent(jobs: int) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert start("check", "proofs/", "-j", str(jobs)).returncode == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert spent(2) < 1.5 * min(spent(1), spent(1))


STARTED = {
    "check": ("good.toml",),
    "lsp": (),
    "mcp": (),
    "init": ("launch",),
    "schema": (),
    "diff": ("good.toml", "good.toml"),
    "offsets": ("good.toml", "--descriptor", "a_lds"),
    "recheck": ("certificates",),
    "explain": ("good.toml",),
    "draw": ("good.toml",),
    "synth": ("--tile", "128x64", "--read", "mfma_f32_32x32x16_f16", "--target", "gfx950"),
    "emit": ("gemm",),
    "compile": ("t.hip",),
    "binary": ("t.co", "--against", "transpose_lds"),
    "execute": ("k.co", "--launch", "k.toml", "-D", "N=100"),
    "counters": ("k.co", "--launch", "k.toml", "-D", "N=100"),
    "judge": (
        "k.hip",
        "--reference",
        "o[i] = x[i]",
        "--shape",
        "x=n",
        "--shape",
        "o=n",
        "--block",
        "64",
        "--grid",
        "(n + 63) // 64",
    ),
    "audit": ("k.co", "--launch", "k.toml"),
    "survey": ("k.co",),
    "hazards": ("k.co",),
    "ck": ("sweep", "64x64x64_4x1x1_32x32x8", "--include", "."),
    "convert": ("good.toml", "--to", "cute"),
    "run": ("permute", "--axes", "1,0", "--input", "a.npy", "--output", "b.npy", "--device", "gfx942-isa"),
    "banks": ("--target", "gfx942", "--instruction", "ds_read_b128", "--addresses", "addresses.json"),
    "devices": (),
    "targets": (),
    "bench": ("permute", "--prepare", ".", "--target", "cpu"),
}
"""Arguments of each command but the demo, with which it ends well."""
KERNEL = """
#include <hip/hip_runtime.h>
extern "C" __global__ void k(const float* x, float* o, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) o[i] = x[i];
}
"""
LAUNCH = """
symbols = { N = { min = 1, max = 1000 } }
[[descriptor]]
name = "x"
dtype = "f32"
base = { kind = "packed", lengths = ["N"] }
[[descriptor]]
name = "o"
dtype = "f32"
base = { kind = "packed", lengths = ["N"] }
[launch]
grid = ["(N + 63) // 64"]
block = [64]
arguments = ["x", "o", "N"]
writes = ["o"]
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of all that commands are given."""
    folder = tmp_path_factory.mktemp("files")
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.chdir(folder)
        Path("good.toml").write_text(GOOD)
        np.save("a.npy", np.ones((40, 50), np.float32))
        Path("addresses.json").write_text(json.dumps([lane * 16 for lane in range(64)]))
        Path("k.hip").write_text(KERNEL)
        Path("k.toml").write_text(LAUNCH)
        for words in (
            ("compile", "k.hip", "--target", "gfx942", "-o", "k.co"),
            ("emit", "transpose", "--target", "gfx942", "--vector", "4", "-o", "t.hip"),
            ("compile", "t.hip", "--target", "gfx942", "-o", "t.co"),
            ("check", "good.toml", "--certificates", "certificates"),
        ):
            assert run(*words).returncode == 0
    return folder


@pytest.mark.parametrize(
    "command", ["check", *(pytest.param(c, marks=pytest.mark.slow) for c in STARTED if c != "check")]
)
def test_a_command_ends_well_in_a_process_of_its_own(
    command: str, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shutil.copytree(files, tmp_path / "files"))
    if command == "recheck":
        needed("cvc5", "recheck")
        needed("bitwuzla", "recheck")
    result = start(command, *STARTED[command])
    assert result.returncode == 0, result.stderr


def test_every_command_is_started_and_found_by_its_name() -> None:
    assert {*COMMANDS} == {*STARTED, "demo"}
    assert {*get_command(application()).commands} == {*COMMANDS}
    for name in COMMANDS:
        assert name in get_command(application(name)).commands


def test_the_package_runs_as_a_module(spec: Path) -> None:
    command = [sys.executable, "-m", "layoutalg", "check", str(spec), "--format", "json"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (result.returncode, result.stderr) == (0, "")
    assert json.loads(result.stdout)["proved"] == 3
