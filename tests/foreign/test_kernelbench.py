"""KernelBench's problems in HIP: each kernel gives what numpy gives, and none that is broken, or pretends, does."""

import pytest

from tests.foreign.corpus import NOTHING, TARGETS, Broken
from tests.foreign.kernelbench.cheats import FOLDER
from tests.foreign.kernelbench.table import KERNELS, PROBLEMS
from tests.foreign.running import differing, machine_code, run
from tests.foreign.test_corpus import edits_apply_once, named, shown
from tests.matrix import all_hold, parts

BROKEN = [(name, broken) for name, kernel in KERNELS.items() for broken in kernel.broken]

#: One of each kind in the fast tests.
FAST = ("relu_float4", "upper_triangular_product", "huber_loss")


def test_all_have_a_problem_and_a_launch_file() -> None:
    assert set(KERNELS) == set(PROBLEMS) == {path.stem for path in (FOLDER / "launch").iterdir()}
    assert len(set(PROBLEMS.values())) >= 50
    for kernel in KERNELS.values():
        assert any(broken.name in ("constant", "copy", "half", "nothing", "tail") for broken in kernel.broken)
        assert "layoutalg" not in kernel.source


def test_edits_apply_once() -> None:
    edits_apply_once(KERNELS)


def exact(build: tuple[str, str]) -> None:
    kernel = KERNELS[build[0]]
    code = machine_code(kernel, build[1])
    for sizes in kernel.sizes:
        assert not differing(kernel, run(kernel, code, sizes)), sizes


@pytest.mark.parametrize("name", FAST)
def test_results_of_a_few_are_those_of_numpy(name: str) -> None:
    exact((name, "gfx942"))


@pytest.mark.slow
@pytest.mark.parametrize("part", parts(14))
def test_results_are_those_of_numpy(part: slice) -> None:
    all_hold([(name, target) for target in TARGETS for name in KERNELS][part], exact)


@pytest.mark.slow
@pytest.mark.parametrize("part", parts(14))
def test_broken_kernels_show_what_a_run_can_show(part: slice) -> None:
    def holds(case: tuple[str, Broken]) -> None:
        name, broken = case
        kernel = KERNELS[name]
        found = {shown(kernel, "gfx942", broken, sizes) for sizes in broken.sizes or kernel.sizes}
        assert found == {NOTHING} if broken.shows == NOTHING else broken.shows in found, found

    all_hold(BROKEN[part], holds, named)
