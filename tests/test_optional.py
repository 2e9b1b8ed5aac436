"""An absent package is a skip, and where it was promised a failure."""

from pathlib import Path

import pytest

from tests.optional import REQUIRED, needed


def test_an_absent_package_skips_unless_it_was_promised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(REQUIRED, raising=False)
    with pytest.raises(pytest.skip.Exception, match=r"pip install 'layoutalg\[some\]'"):
        needed("no_such_package", "some")
    monkeypatch.setenv(REQUIRED, "1")
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        needed("no_such_package", "some")


def test_make_installs_and_promises_every_extra_that_tests_need() -> None:
    root = Path(__file__).parent.parent
    makefile = (root / "Makefile").read_text()
    assert "[test,lint,docs,recheck,dask]" in makefile
    runs = [line for line in makefile.splitlines() if "/pytest" in line]
    assert runs
    assert all("$(EXTRAS)" in line for line in runs)
    assert f"EXTRAS := {REQUIRED}=1" in makefile
