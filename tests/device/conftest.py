"""The device tests compile for themselves: they neither see nor fill the user's cache."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

SOURCES = Path(__file__).parent / "sources"


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("LAYOUTALG_CACHE", str(folder))
        yield folder


@pytest.fixture(scope="session")
def source() -> Callable[[str], str]:
    """The text of a kernel source of these tests, by its name."""
    return lambda name: (SOURCES / f"{name}.hip").read_text()
