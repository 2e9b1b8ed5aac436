"""The device tests compile for themselves: they neither see nor fill the user's cache."""

from collections.abc import Callable
from pathlib import Path

import pytest

SOURCES = Path(__file__).parent / "sources"


@pytest.fixture(scope="session")
def empty_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def own_cache(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAYOUTALG_CACHE", str(empty_cache))


@pytest.fixture(scope="session")
def source() -> Callable[[str], str]:
    """The text of a kernel source of these tests, by its name."""
    return lambda name: (SOURCES / f"{name}.hip").read_text()
