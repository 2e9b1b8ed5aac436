"""What would be released: a wheel and a source archive, tried outside the tree as whoever installs them does."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

import layoutalg
from layoutalg.cli.app import COMMANDS
from tests.cli.command import GOOD

ROOT = Path(__file__).parents[1]
CLIENT = """
import layoutalg as la
from layoutalg.testing import assert_proved

tile: la.TensorDescriptor = la.make_naive_tensor_descriptor((8, 64), (72, 1))
assert_proved(la.Injective(tile))
reveal_type(la.prove(la.Injective(tile)))
tile.nothing
"""


OUTSIDE = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
"""What the tree's own tests may set is not there."""


def done(*command: object, cwd: Path) -> str:
    result = subprocess.run([*map(str, command)], cwd=cwd, env=OUTSIDE, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, f"{command}: {result.stdout}{result.stderr}"
    return result.stdout


def test_the_version_and_the_changelog_agree():
    assert f"## {layoutalg.__version__} " in (ROOT / "CHANGELOG.md").read_text()
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dynamic"] == ["version"]


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """Both archives, of the files that git has."""
    folder = tmp_path_factory.mktemp("release")
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in files.splitlines():
        if (ROOT / name).is_file() and name.split("/")[0] in ("layoutalg", "pyproject.toml", "README.md", "LICENSE"):
            (folder / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "tree" / name).write_bytes((ROOT / name).read_bytes())
    done(sys.executable, "-m", "build", "--outdir", folder / "dist", folder / "tree", cwd=folder)
    return folder / "dist"


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory) -> Path:
    """An environment with the wheel; what it depends on is that of the one that runs the tests."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "env", with_pip=False)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder / "env")}))
    (packages / "others.pth").write_text(sysconfig.get_path("purelib"))
    (wheel,) = built.glob("*.whl")
    done(
        sys.executable,
        "-m",
        "pip",
        "--python",
        folder / "env/bin/python",
        "install",
        "-q",
        "--no-deps",
        wheel,
        cwd=folder,
    )
    return folder


@pytest.mark.slow
def test_an_index_would_take_them(built):
    assert "PASSED" in done(sys.executable, "-m", "twine", "check", "--strict", *built.iterdir(), cwd=built)


@pytest.mark.slow
def test_both_hold_every_file_of_the_package(built):
    (wheel,), (source,) = built.glob("*.whl"), built.glob("*.tar.gz")
    ours = {p.relative_to(ROOT).as_posix() for p in (ROOT / "layoutalg").rglob("*") if p.is_file()}
    ours = {name for name in ours if "__pycache__" not in name}
    assert ours <= {*zipfile.ZipFile(wheel).namelist()}
    with tarfile.open(source) as archive:
        assert ours <= {name.partition("/")[2] for name in archive.getnames()}
    assert any(name.endswith("licenses/LICENSE") for name in zipfile.ZipFile(wheel).namelist())


@pytest.mark.slow
def test_every_command_of_the_wheel_starts_and_a_proof_is_one(installed):
    command = installed / "env/bin/layoutalg"
    (installed / "a.toml").write_text(GOOD)
    assert done(command, "--version", cwd=installed) == f"layoutalg {layoutalg.__version__}\n"
    for name in COMMANDS:
        assert name in done(command, name, "--help", cwd=installed)
    assert "all as expected" in done(command, "check", "a.toml", cwd=installed)
    place = done(installed / "env/bin/python", "-c", "import layoutalg; print(layoutalg.__file__)", cwd=installed)
    assert place.startswith(str(installed))


@pytest.mark.slow
def test_pytest_finds_the_wheel_s_plugin(installed):
    (installed / "a.layout.toml").write_text(GOOD)
    assert "3 passed" in done(installed / "env/bin/python", "-m", "pytest", "-p", "no:xdist", cwd=installed)


@pytest.mark.slow
def test_a_typed_client_sees_types(installed):
    (installed / "client.py").write_text(CLIENT)
    command = [installed / "env/bin/python", "-m", "mypy", "--strict", "client.py"]
    told = subprocess.run(command, cwd=installed, env=OUTSIDE, capture_output=True, text=True, timeout=300).stdout
    assert 'Revealed type is "layoutalg.prove.verdict.Verdict"' in told
    errors = [line for line in told.splitlines() if "error:" in line]
    assert errors == ['client.py:8: error: "TensorDescriptor" has no attribute "nothing"  [attr-defined]']
