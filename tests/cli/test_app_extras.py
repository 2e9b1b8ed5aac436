"""Without an extra: what needs none of it works, and what needs it says which."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from layoutalg.lazy import EXTRA
from tests.cli.command import GOOD

ROOT = Path(__file__).parents[2]
WITHOUT = """
import sys
absent = sys.argv.pop(1).split(",")
class Finder:
    def __init__(self, inner):
        self.inner = inner
    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] in absent else self.inner.find_spec(name, path, target)
sys.meta_path[:] = map(Finder, sys.meta_path)
from layoutalg.cli import main
main()
"""
KERNELS = ("ziglang", "tinygrad", "msgpack", "elftools", "backports")


@pytest.fixture
def without(tmp_path: Path):
    (tmp_path / "tile.layout.toml").write_text(GOOD)
    (tmp_path / "copy.hip").write_text(
        'extern "C" __attribute__((global)) void copy(const float* x, float* o) { o[0] = x[0]; }'
    )

    def run(absent: tuple[str, ...], *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", WITHOUT, ",".join(absent), *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)

    return run


@pytest.mark.parametrize(
    "command",
    [
        "check tile.layout.toml",
        "explain tile.layout.toml",
        "draw tile.layout.toml -o page.html",
        "synth --tile 128x64 --read mfma_f32_32x32x16_f16 --target gfx950",
        "emit transpose",
        "--version",
    ],
)
def test_layouts_need_nothing_that_reads_machine_code(without, command: str) -> None:
    done = without(KERNELS, *command.split())
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("absent", ["tinygrad", "msgpack"])
def test_machine_code_says_what_is_missing(without, absent: str) -> None:
    done = without((absent,), "audit", str(ROOT / "tests/foreign/triton/builds/add-gfx1201.co"))
    missing = f"layoutalg: {absent}, of layoutalg's extra `kernels`, is not installed"
    assert (done.returncode, done.stderr) == (3, f"{missing}: in a clone, pip install '.[kernels]'\n")


def test_a_compiler_is_missing_by_name(without) -> None:
    done = without(("ziglang",), "compile", "copy.hip", "--target", "gfx942")
    assert done.returncode == 3
    assert "no ziglang==0.17.0 in this Python" in done.stderr


@pytest.mark.parametrize(
    ("absent", "command"), [("pygls", "lsp"), ("mcp", "mcp"), ("distributed", "check tile.layout.toml --executor dask")]
)
def test_what_other_extras_bring(without, absent: str, command: str) -> None:
    done = without((absent,), *command.split())
    assert done.returncode == 3
    assert f"{absent}, of layoutalg's extra `{EXTRA[absent]}`, is not installed" in done.stderr


def test_each_extra_is_one_of_pyproject_s() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(EXTRA.values()) <= set(extras)
