"""What the command line says before any command is imported, and what an interruption leaves."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from docs.generate.help import PATH, help_text

STARTED = "import sys; sys.argv = ['layoutalg', *sys.argv[1:]]; import layoutalg.cli; layoutalg.cli.main()"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    told = [sys.executable, "-X", "importtime", "-c", STARTED, *arguments]
    return subprocess.run(told, capture_output=True, text=True, timeout=60)


def test_the_kept_help_is_what_the_application_says() -> None:
    assert PATH.read_text(encoding="utf-8") == help_text(), "python docs/generate/help.py makes it anew"
    assert run("--help").stdout == PATH.read_text(encoding="utf-8")


@pytest.mark.parametrize("asked", ["--help", "--version"])
def test_version_and_help_import_no_command(asked: str) -> None:
    imported = {line.rsplit("|", 1)[-1].strip() for line in run(asked).stderr.splitlines()}
    assert not imported & {"typer", "rich", "numpy", "z3", "sympy", "layoutalg.cli.app"}


def test_a_check_of_layouts_alone_asks_for_no_gpu_no_solver_and_no_pool(tmp_path: Path) -> None:
    path = tmp_path / "tile.toml"
    path.write_text('[[descriptor]]\nname = "tile"\nbase = { kind = "naive", lengths = [64, 64], strides = [72, 1] }')
    said = run("check", str(path), "--no-cache")
    assert said.returncode == 0
    imported = {line.rsplit("|", 1)[-1].strip() for line in said.stderr.splitlines()}
    heavy = {"numpy", "z3", "sympy", "rich", "concurrent.futures", "multiprocessing", "pickle", "layoutalg.memory"}
    assert not imported & {*heavy, "layoutalg.target.model", "layoutalg.target.read"}


@pytest.mark.parametrize("seconds", [0.05, 0.3, 1.0])
def test_an_interruption_is_130_and_says_nothing_also_while_modules_are_imported(seconds: float) -> None:
    begun = STARTED.replace("layoutalg.cli.main()", "print('begun', flush=True); layoutalg.cli.main()")
    begun = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); " + begun  # as in a terminal
    process = subprocess.Popen(
        [sys.executable, "-c", begun, "demo"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, "")
