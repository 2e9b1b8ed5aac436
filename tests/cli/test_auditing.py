"""`layoutalg audit`: verdicts, exit codes and bad input as a user sees them."""

import json

import pytest

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
    done = run("audit", folder / "scale.co", "--launch", folder / "beyond.toml", "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert found["verdict"] == "refuted"
    wrong = [one for one in found["claims"] if one["verdict"] == "refuted" and one["claim"] == "in_bounds"]
    assert wrong[0]["source"].endswith(":12")
    assert "N = 1" in wrong[0]["reason"]


def test_a_launch_of_another_kernel_exits_3(folder, tmp_path) -> None:
    (tmp_path / "other.toml").write_text(LAUNCH.replace(', { name = "alpha", dtype = "f32" }', ""))
    refused(run("audit", folder / "scale.co", "--launch", tmp_path / "other.toml"), "takes 4 arguments")
