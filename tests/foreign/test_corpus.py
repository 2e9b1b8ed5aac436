"""The corpus: every kernel compiles, and runs as numpy says; every broken one shows what a run can show of it.

A kernel that has an instruction without an entry, or asks for a feature that the machine has not yet, is expected to
fail: the reason names it.
"""

import contextlib
from collections.abc import Iterator

import pytest

from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.index.evaluate import admits
from tests.foreign.corpus import HERE, KINDS, NOTHING, TARGETS, WRONG, Broken, Kernel, Sizes
from tests.foreign.running import binary, differing, machine_code, run
from tests.foreign.survey import Survey
from tests.foreign.table import FAMILIES, KERNELS

BUILDS = [(name, target) for name, kernel in KERNELS.items() for target in TARGETS if target in kernel.targets]
BROKEN = [(name, broken) for name, kernel in KERNELS.items() for broken in kernel.broken]
LINES = (HERE / "missing.txt").read_text().splitlines()
MISSING = {name: builds.split() for name, builds in (line.split(": ") for line in LINES)}
"""The builds that today's machine cannot carry out; any other that it cannot is a failure."""
ABI = {"queue_ptr", "dispatch_id"}


@contextlib.contextmanager
def what_is_missing_is_named(kernel: Kernel, target: str, opt_level: int = 3) -> Iterator[None]:
    """Turns what today's machine lacks into an expected failure."""
    try:
        unknown = ABI & dict(binary(kernel, target, opt_level).user_sgprs).keys()
        if unknown:
            pytest.xfail(f"the machine sets up no {', '.join(unknown)}")
        yield
    except UnsupportedInstructionError as error:
        pytest.xfail(str(error))


def test_the_corpus_is_large_and_plain() -> None:
    assert len(KERNELS) == sum(len(family.KERNELS) for family in FAMILIES) >= 110
    for kernel in KERNELS.values():
        assert len(kernel.broken) >= 2, kernel.name
        assert "layoutalg" not in kernel.source
        assert kernel.source.startswith("#include <hip/hip_runtime.h>\n")
    assert {path.stem for path in (HERE / "launch").iterdir()} == set(KERNELS)


def test_the_kinds_of_faults_are_those_of_the_machine() -> None:
    assert Fault.__doc__
    assert all(kind in Fault.__doc__ for kind in KINDS)


def test_a_survey_counts_how_far_kernels_get() -> None:
    survey = Survey()
    survey.add(KERNELS["copy_plain"], "gfx942", 3)
    assert set(survey.count.values()) == {1}
    assert len(survey.count) == len(("kernels", "compiled", "decoded", "described", "exact"))
    assert not survey.missing
    assert not survey.odd


@pytest.mark.parametrize("name", KERNELS)
def test_launch_files_fit_their_kernels(name: str) -> None:
    file = KERNELS[name].launch
    assert file.launch
    assert {item.name for item in file.items} == set(file.launch.tensors)
    assert {one.name for one in file.launch.given} == set(KERNELS[name].values)
    for sizes in KERNELS[name].sizes:
        assert sizes.keys() == file.symbols.keys()
        assert all(admits(symbol, {symbol: sizes[name]}) for name, symbol in file.symbols.items())


@pytest.mark.parametrize(("name", "broken"), BROKEN, ids=[f"{name}-{broken.name}" for name, broken in BROKEN])
def test_edits_apply_once(name: str, broken: Broken) -> None:
    assert KERNELS[name].edited(broken) != KERNELS[name].source


@pytest.mark.slow
@pytest.mark.parametrize("opt_level", [1, 3])
@pytest.mark.parametrize(("name", "target"), BUILDS)
def test_results_are_those_of_numpy(name: str, target: str, opt_level: int) -> None:
    kernel = KERNELS[name]
    assert binary(kernel, target, opt_level).code
    lacking = f"{target}-O{opt_level}" in MISSING.get(name, ())
    with what_is_missing_is_named(kernel, target, opt_level) if lacking else contextlib.nullcontext():
        code = machine_code(kernel, target, opt_level)
        for sizes in kernel.sizes:
            assert not differing(kernel, run(kernel, code, sizes)), sizes
    assert not lacking, "it runs: take it out of missing.txt"


def shown(kernel: Kernel, target: str, broken: Broken, sizes: Sizes) -> str:
    """What a run of a broken kernel shows."""
    code = machine_code(kernel, target, source=kernel.edited(broken))
    try:
        outcome = run(kernel, code, sizes)
    except Fault as fault:
        return fault.kind
    return "barrier" if outcome.left else WRONG if differing(kernel, outcome) else NOTHING


@pytest.mark.slow
@pytest.mark.parametrize(("name", "broken"), BROKEN, ids=[f"{name}-{broken.name}" for name, broken in BROKEN])
def test_broken_kernels_show_what_a_run_can_show(name: str, broken: Broken) -> None:
    kernel = KERNELS[name]
    target = "gfx942" if "gfx942" in kernel.targets else "gfx1100"
    with what_is_missing_is_named(kernel, target):
        found = {shown(kernel, target, broken, sizes) for sizes in broken.sizes or kernel.sizes}
        assert found == {NOTHING} if broken.shows == NOTHING else broken.shows in found, found
