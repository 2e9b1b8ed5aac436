"""`check --watch`: again after each change, until it is interrupted."""

from pathlib import Path

import pytest

from layoutalg.cli import watching
from tests.cli.command import GOOD, run

REFUTED = GOOD.replace("520", "500")


@pytest.fixture
def changes(monkeypatch):
    """Each wait for a change makes the next one; after the last, somebody presses Ctrl-C."""
    pending = []

    def wait(seconds: float) -> None:
        assert seconds == watching.EVERY
        if not pending:
            raise KeyboardInterrupt
        pending.pop(0)()

    monkeypatch.setattr("layoutalg.cli.watching.time.sleep", wait)
    return pending


def test_a_file_is_checked_again_after_each_change_and_the_last_code_counts(tmp_path, changes):
    file = tmp_path / "a.toml"
    file.write_text(GOOD)
    texts = ["x = [", REFUTED, GOOD + "\n"]
    changes += [lambda text=text: file.write_text(text) for text in texts]
    result = run("check", file, "--watch")
    assert result.stdout.count("all as expected") == 2
    assert result.stdout.count("1 not as expected") == 1
    assert result.stderr.count("watching") == 4
    assert "a.toml:1:6: not TOML" in result.stderr
    assert result.returncode == 0


def test_a_new_file_of_a_folder_is_a_change_and_so_is_one_that_goes(tmp_path, changes):
    (tmp_path / "a.toml").write_text(GOOD)
    changes += [lambda: (tmp_path / "b.toml").write_text(REFUTED), lambda: (tmp_path / "b.toml").unlink(), lambda: None]
    result = run("check", tmp_path, "--watch")
    assert result.stdout.count("a.toml") == 3
    assert result.stdout.count("b.toml") == 1


def test_a_file_that_is_not_there_yet_is_waited_for(tmp_path, changes):
    changes += [lambda: Path(tmp_path / "a.toml").write_text(REFUTED)]
    result = run("check", tmp_path / "a.toml", "--watch")
    assert "a.toml" in result.stderr.splitlines()[0]
    assert result.returncode == 1
