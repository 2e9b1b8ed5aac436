"""Faults in CK's headers: what `ck sweep` says of each, and what `ck audit`."""

import json
from pathlib import Path

import pytest

from tests.ck.mutants import MUTANTS
from tests.cli.command import run
from tests.matrix import some


def include(name: str, folder: Path) -> list[object]:
    return [part for one in MUTANTS[name].written(folder / "changed") for part in ("--include", one)]


@pytest.mark.slow
@pytest.mark.parametrize("name", some(MUTANTS, 1))
def test_a_sweep_refutes_a_fault_in_a_layout(name: str, tmp_path: Path) -> None:
    one = MUTANTS[name]
    told = run("ck", "sweep", one.tile, "--layout", one.layout, "--json", "--jobs", 1, *include(name, tmp_path))
    (found,) = json.loads(told.stdout)["configurations"]
    assert found["outcome"] == ("wrong" if one.swept else "valid")
    assert not one.swept or any(reason.startswith(f"{one.swept}:") for reason in found["reasons"]), found["reasons"]


@pytest.mark.slow
@pytest.mark.parametrize("name", some([name for name, one in MUTANTS.items() if one.audited], 1))
def test_an_audit_refutes_a_fault_in_the_code(name: str, tmp_path: Path) -> None:
    one = MUTANTS[name]
    launched = ("--sizes", one.sizes) if one.sizes else ("--turns", 3, "--rows", one.rows)
    given = ("--layout", one.layout, *launched, "--json", *include(name, tmp_path))
    (kernel,) = json.loads(run("ck", "audit", one.tile, *given).stdout)["kernels"]
    assert kernel["verdict"] == "refuted"
    assert one.audited in {each["claim"] for each in kernel["claims"] if each["verdict"] == "refuted"}
