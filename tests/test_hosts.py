"""The GitHub Action and the pre-commit hook: their commands, carried out here as their hosts would."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.cli.command import GOOD

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / ".github" / "actions" / "check" / "action.yml").read_text())
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())


@pytest.fixture
def shell(tmp_path):
    """A shell with the command of this tree, in a folder with a good and a bad file; a step's inputs are variables."""
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "layoutalg"
    command.write_text(f'#!{sys.executable}\nimport sys; sys.path.insert(0, "{ROOT}")\n'
                       "from layoutalg.cli import main; main()\n")  # fmt: skip
    command.chmod(0o755)
    (tmp_path / "good.layout.toml").write_text(GOOD)
    (tmp_path / "bad.layout.toml").write_text(GOOD.replace("520", "500"))
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"

    def carry_out(text: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PATH": path, **variables}
        command = ["bash", "-e", "-o", "pipefail", "-c", text]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)

    return carry_out


def test_the_action_installs_this_package_then_checks_what_is_given():
    install, sarif, check = ACTION["runs"]["steps"]
    assert (ROOT / ".github/actions/check/../../..").resolve() == ROOT
    assert install["run"] == 'python -m pip install "$GITHUB_ACTION_PATH/../../..[kernels]"'
    given = {f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]}
    assert {*sarif["env"].values()} == given
    assert {*check["env"].values()} < given


@pytest.mark.slow
def test_the_action_s_steps_annotate_fail_and_leave_sarif(shell, tmp_path):
    _, sarif, check = ACTION["runs"]["steps"]
    good, bad = {"FILES": "good.layout.toml", "ARGUMENTS": ""}, {"FILES": "bad.layout.toml", "ARGUMENTS": "--seconds 9"}
    assert shell(check["run"], **good).returncode == 0
    failed = shell(check["run"], **bad)
    assert failed.returncode == 1
    assert failed.stdout.startswith("::error file=bad.layout.toml,line=2,")
    assert shell(sarif["run"], **bad, SARIF="found.sarif").returncode == 0
    assert '"ruleId": "injective"' in (tmp_path / "found.sarif").read_text()


@pytest.mark.slow
def test_the_hook_s_entry_takes_the_files_that_changed(shell):
    assert HOOK["language"] == "python"
    assert shell(f"{HOOK['entry']} good.layout.toml").returncode == 0
    assert shell(f"{HOOK['entry']} good.layout.toml bad.layout.toml").returncode == 1
