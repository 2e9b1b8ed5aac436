"""Measurements on the CPU: what is not exact is not timed, and what is prepared is what is measured."""

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from layoutalg.bench.cases import Case, full, small
from layoutalg.bench.measure import Results, Row, measure
from layoutalg.bench.numpy_lab import NumpyLab
from layoutalg.bench.prepare import prepare, read_prepared
from layoutalg.bench.report import plot, table
from layoutalg.cli.app import application
from layoutalg.cli.benching import _cases
from layoutalg.cli.errors import InputError
from layoutalg.device import choose_device, devices
from layoutalg.errors import NoDeviceError
from layoutalg.kernel.emit.kernel import NotProvedError

TRANSPOSE = Case("transpose", ((70, 33),), "f32")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    return prepare([TRANSPOSE], "cpu", tmp_path_factory.mktemp("prepared"))


def test_a_manifest_reads_as_it_was_written(prepared):
    assert read_prepared(prepared.folder) == prepared


def test_what_is_not_proved_is_left_out_and_the_others_are_kept(tmp_path, monkeypatch):
    def unproved(program):
        raise NotProvedError(f"{program.name}: out of time")

    monkeypatch.setattr("layoutalg.bench.prepare.verify", unproved)
    told = []
    found = prepare([TRANSPOSE], "cpu", tmp_path, told.append)
    assert not found.candidates
    assert found.left_out
    assert all("out of time" in text for text in (*found.left_out, *told))
    assert read_prepared(tmp_path) == found


@pytest.mark.slow
def test_every_kind_of_kernel_is_exact_on_the_processor(tmp_path):
    cases = [c for c in small() if c.kind in ("im2col", "reduce", "conv")]
    results = measure(prepare(cases, "cpu", tmp_path), choose_device("cpu"))
    assert [(row.kind, row.exact) for row in results.rows] == [("im2col", True), ("reduce", True), ("conv", True)]
    assert all(row.microseconds and row.instead and row.limit > 0 for row in results.rows)


def test_a_wrong_result_is_told_and_not_timed(prepared):
    wrong = replace(prepared.candidates[0], case=Case("permute", ((70, 33),), "f32", {"axes": (0, 1)}))
    (row,) = measure(replace(prepared, candidates=(wrong,)), choose_device("cpu")).rows
    assert not row.exact
    assert row.microseconds is None
    assert "WRONG" in table(Results("cpu", "today", "numpy", (row,)))


def test_a_poison_that_was_left_is_no_result():
    lab = NumpyLab("cpu")
    assert lab.error(lab.poisoned((3,), "f32"), np.ones(3)) == float("inf")
    assert not lab.same(lab.poisoned((3,), "f16"), np.ones(3, "f2"))


def test_the_best_candidate_of_a_case_is_the_fastest_exact_one():
    rows = [
        Row("c", "transpose", name, 1, exact, 0.0, time, {"numpy": 9.0, "slower": 12.0}, 1.0)
        for name, exact, time in (("wrong", False, None), ("slow", True, 4.0), ("fast", True, 2.0))
    ]
    (best,) = Results("d", "today", "numpy", tuple(rows)).best
    assert (best.kernel, best.of_limit, best.over_instead) == ("fast", 0.5, 4.5)
    assert (best.fastest_rival, best.instead) == ("numpy", 9.0)
    assert "50.0 %" in plot(Results("d", "today", "numpy", tuple(rows)))


def test_what_is_moved_and_computed_is_counted():
    conv = Case("conv", ((2, 5, 6, 8), (4, 3, 3, 8)), "f16", {"stride": (1, 1), "pad": (1, 1)})
    assert conv.result == (2, 5, 6, 4)
    assert conv.operations == 2 * (2 * 5 * 6 * 4) * (3 * 3 * 8)
    assert conv.bytes == 2 * (2 * 5 * 6 * 8 + 4 * 3 * 3 * 8 + 2 * 5 * 6 * 4)


def test_cases_have_names_of_their_own():
    names = [case.name for case in (*full(), *small())]
    assert len(set(names)) == len(names)


@pytest.mark.slow
def test_the_command_prepares_and_measures(tmp_path):
    run = CliRunner().invoke
    folder, figures, drawn = tmp_path / "prepared", tmp_path / "figures.json", tmp_path / "plot.svg"
    assert run(application(), ["bench", "transpose", "--prepare", str(folder), "--target", "cpu"]).exit_code == 0
    done = run(
        application(),
        ["bench", "--device", "cpu", "--prepared", str(folder), "--json", str(figures), "--plot", str(drawn)],
    )
    assert done.exit_code == 0, done.output
    assert all(row["exact"] for row in json.loads(figures.read_text())["results"])
    assert drawn.read_text().startswith("<svg")


def test_all_is_every_kind_as_the_help_says():
    assert _cases(["all"], small=True) == _cases(None, small=True) == small()
    with pytest.raises(InputError, match="transposition"):
        _cases(["all", "transposition"], small=True)


def test_an_unknown_kernel_is_refused(tmp_path):
    done = CliRunner().invoke(application(), ["bench", "transposition", "--prepare", str(tmp_path)])
    assert done.exit_code != 0
    assert "transposition" in str(done.exception)


def test_what_was_compiled_for_a_gpu_is_not_measured_without_one(tmp_path):
    if any(device.kind == "nvidia" for device in devices().devices):
        pytest.skip("there is one")
    done = CliRunner().invoke(application(), ["bench", "--device", "nvidia", "--prepared", str(tmp_path)])
    assert isinstance(done.exception, NoDeviceError)
