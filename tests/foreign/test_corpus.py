"""The corpus: every kernel compiles, and runs as numpy says; every broken one shows what a run can show of it.

A build that has an instruction without an entry, or asks for a feature that the machine has not yet, is named in
missing.txt, and is not carried out.
"""

from collections.abc import Mapping

import pytest

from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.index.evaluate import admits
from tests.foreign.corpus import HERE, KINDS, NOTHING, TARGETS, WRONG, Broken, Kernel, Sizes
from tests.foreign.running import binary, differing, machine_code, run
from tests.foreign.survey import Survey
from tests.foreign.table import FAMILIES, KERNELS
from tests.matrix import all_hold, parts

LEVELS = (1, 3)
BUILDS = [(name, t, level) for name, k in KERNELS.items() for t in TARGETS if t in k.targets for level in LEVELS]
BROKEN = [(name, broken) for name, kernel in KERNELS.items() for broken in kernel.broken]
LINES = (HERE / "missing.txt").read_text().splitlines()
MISSING = {(name, build) for name, builds in (line.split(": ") for line in LINES) for build in builds.split()}
"""The builds that today's machine cannot carry out; any other that it cannot is a failure."""
ABI = {"queue_ptr", "dispatch_id"}


def carried_out(kernel: Kernel, target: str, opt_level: int = 3) -> bool:
    """Whether today's machine sets up what a build asks for, and has all of its instructions."""
    if ABI & dict(binary(kernel, target, opt_level).user_sgprs).keys():
        return False
    try:
        run(kernel, machine_code(kernel, target, opt_level), kernel.sizes[0])
    except UnsupportedInstructionError:
        return False
    return True


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


def test_launch_files_fit_their_kernels() -> None:
    def holds(name: str) -> None:
        file = KERNELS[name].launch
        assert file.launch
        assert {item.name for item in file.items} == set(file.launch.tensors)
        assert {one.name for one in file.launch.given} == set(KERNELS[name].values)
        for sizes in KERNELS[name].sizes:
            assert sizes.keys() == file.symbols.keys()
            assert all(admits(symbol, {symbol: sizes[name]}) for name, symbol in file.symbols.items())

    all_hold(KERNELS, holds)


def named(case: tuple[str, Broken]) -> str:
    return f"{case[0]}: {case[1].name}"


def edits_apply_once(kernels: Mapping[str, Kernel]) -> None:
    def holds(case: tuple[str, Broken]) -> None:
        name, broken = case
        assert kernels[name].edited(broken) != kernels[name].source

    all_hold([(name, broken) for name, kernel in kernels.items() for broken in kernel.broken], holds, named)


def test_edits_apply_once() -> None:
    edits_apply_once(KERNELS)


@pytest.mark.slow
@pytest.mark.parametrize("part", parts(14))
def test_results_are_those_of_numpy(part: slice) -> None:
    def holds(build: tuple[str, str, int]) -> None:
        name, target, opt_level = build
        kernel = KERNELS[name]
        assert binary(kernel, target, opt_level).code
        if (name, f"{target}-O{opt_level}") in MISSING:
            assert not carried_out(kernel, target, opt_level), "it runs: take it out of missing.txt"
            return
        code = machine_code(kernel, target, opt_level)
        for sizes in kernel.sizes:
            assert not differing(kernel, run(kernel, code, sizes)), sizes

    all_hold(BUILDS[part], holds)


#: What no clang compiles for gfx1250: the matrix instructions of others.
NOT_ON_GFX1250 = frozenset(name for name in KERNELS if name.startswith(("mfma_", "wmma_")))


def is_exact_on_gfx1250(name: str) -> None:
    """Its results are numpy's at its first sizes."""
    kernel = KERNELS[name]
    assert not differing(kernel, run(kernel, machine_code(kernel, "gfx1250"), kernel.sizes[0]))


@pytest.mark.slow
@pytest.mark.parametrize("part", parts(7))
def test_results_on_gfx1250_are_those_of_numpy(part: slice) -> None:
    assert len(NOT_ON_GFX1250) < 10
    all_hold(sorted(KERNELS.keys() - NOT_ON_GFX1250)[part], is_exact_on_gfx1250)


def shown(kernel: Kernel, target: str, broken: Broken, sizes: Sizes) -> str:
    """What a run of a broken kernel shows."""
    code = machine_code(kernel, target, source=kernel.edited(broken))
    try:
        outcome = run(kernel, code, sizes)
    except Fault as fault:
        return fault.kind
    return "barrier" if outcome.left else WRONG if differing(kernel, outcome) else NOTHING


@pytest.mark.slow
@pytest.mark.parametrize("part", parts(14))
def test_broken_kernels_show_what_a_run_can_show(part: slice) -> None:
    def holds(case: tuple[str, Broken]) -> None:
        name, broken = case
        kernel = KERNELS[name]
        target = "gfx942" if "gfx942" in kernel.targets else "gfx1100"
        if carried_out(kernel, target):
            found = {shown(kernel, target, broken, sizes) for sizes in broken.sizes or kernel.sizes}
            assert found == {NOTHING} if broken.shows == NOTHING else broken.shows in found, found

    all_hold(BROKEN[part], holds, named)
