"""An absent package is a skip, and where it was promised a failure."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.optional import REQUIRED, needed

ROOT = Path(__file__).parent.parent


def test_an_absent_package_skips_unless_it_was_promised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(REQUIRED, raising=False)
    with pytest.raises(pytest.skip.Exception, match=r"pip install '\.\[some\]' in a clone"):
        needed("no_such_package", "some")
    monkeypatch.setenv(REQUIRED, "1")
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        needed("no_such_package", "some")


def test_make_installs_and_promises_every_extra_that_tests_need() -> None:
    makefile = (ROOT / "Makefile").read_text()
    assert "[kernels,test,lint,docs,recheck,dask,lsp,mcp]" in makefile
    runs = [line for line in makefile.splitlines() if "/pytest" in line]
    assert runs
    assert all("$(EXTRAS)" in line for line in runs)
    assert f"EXTRAS := {REQUIRED}=1" in makefile


TOLD = [
    path
    for pattern in ("*.md", "layoutalg/**/*.py", "docs/pages/**/*.md", "notebooks/*.ipynb")
    for path in sorted(ROOT.glob(pattern))
]
"""Every text that tells a user what to install."""


def test_what_users_are_told_to_install_is_ours_by_path_or_a_package_that_we_depend_on() -> None:
    """layoutalg is on no index: `pip install layoutalg` would take whatever a stranger puts there under that name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = [*project["dependencies"], *(r for extra in project["optional-dependencies"].values() for r in extra)]
    known = {re.split(r"[^\w.-]", requirement)[0] for requirement in listed}
    told = {
        name
        for path in TOLD
        for given in re.findall(r"pip install ([^`\n\"(]+)", path.read_text())
        for name in re.split(" #| && pytest", given.replace("'", ""))[0].split()
        if not name.startswith(("-", ".", "{"))
    }
    asked = {re.split(r"[=<>,:;)]", name)[0] for name in told}
    assert {"hip-python", "cuda-bindings", "cvc5", "bitwuzla"} <= asked
    assert asked <= known
