"""KernelBench's problems in HIP: each kernel gives what numpy gives, and none that is broken, or pretends, does."""

import pytest

from tests.foreign.corpus import NOTHING, TARGETS, Broken
from tests.foreign.kernelbench.cheats import FOLDER
from tests.foreign.kernelbench.table import KERNELS, PROBLEMS
from tests.foreign.running import differing, machine_code, run
from tests.foreign.test_corpus import shown

BROKEN = [(name, broken) for name, kernel in KERNELS.items() for broken in kernel.broken]

#: One of each kind in the fast tests.
FAST = ("relu_float4", "upper_triangular_product", "argmin_over_last_dim", "max_pool_2d", "huber_loss")


def test_all_have_a_problem_and_a_launch_file() -> None:
    assert set(KERNELS) == set(PROBLEMS) == {path.stem for path in (FOLDER / "launch").iterdir()}
    assert len(set(PROBLEMS.values())) >= 50
    for kernel in KERNELS.values():
        assert any(broken.name in ("constant", "copy", "half", "nothing", "tail") for broken in kernel.broken)
        assert "layoutalg" not in kernel.source


@pytest.mark.parametrize(("name", "broken"), BROKEN, ids=[f"{name}-{broken.name}" for name, broken in BROKEN])
def test_edits_apply_once(name: str, broken: Broken) -> None:
    assert KERNELS[name].edited(broken) != KERNELS[name].source


@pytest.mark.parametrize("name", [one if one in FAST else pytest.param(one, marks=pytest.mark.slow) for one in KERNELS])
@pytest.mark.parametrize(
    "target", [one if one == "gfx942" else pytest.param(one, marks=pytest.mark.slow) for one in TARGETS]
)
def test_results_are_those_of_numpy(name: str, target: str) -> None:
    kernel = KERNELS[name]
    code = machine_code(kernel, target)
    for sizes in kernel.sizes:
        assert not differing(kernel, run(kernel, code, sizes)), sizes


@pytest.mark.slow
@pytest.mark.parametrize(("name", "broken"), BROKEN, ids=[f"{name}-{broken.name}" for name, broken in BROKEN])
def test_broken_kernels_show_what_a_run_can_show(name: str, broken: Broken) -> None:
    kernel = KERNELS[name]
    found = {shown(kernel, "gfx942", broken, sizes) for sizes in broken.sizes or kernel.sizes}
    assert found == {NOTHING} if broken.shows == NOTHING else broken.shows in found, found
