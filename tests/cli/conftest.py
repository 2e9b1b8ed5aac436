"""A spec file that all commands take."""

from pathlib import Path

import pytest

from tests.cli.command import GOOD


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "good.toml"
    path.write_text(GOOD)
    return path
