"""What is known of a kernel without its launch."""

import pytest

from layoutalg.audit.figures.figures import figures
from layoutalg.formats.spec import loads
from layoutalg.launch.symbolic import KernelLaunch
from tests.foreign.running import machine_code
from tests.foreign.table import KERNELS
from tests.matrix import all_hold, parts


def test_lds_cycles_are_those_of_the_banks() -> None:
    padded, unpadded = (
        figures(machine_code(KERNELS[f"transpose_{name}"], "gfx942")) for name in ("padded", "unpadded")
    )
    banks = [[one for one in each.costs if one.memory == "lds"] for each in (padded, unpadded)]
    assert all(one.worst == one.least for one in banks[0])
    reads = [one for one in banks[1] if "loads" in one.about]
    assert reads
    assert all(one.worst == 32 * one.least for one in reads)  # a column lies in one bank
    assert not padded.unread
    assert padded.occupancy["waves_per_simd"] == padded.occupancy["most"] == 8


def test_a_kernel_that_is_not_followed_has_a_template_all_the_same() -> None:
    found = figures(machine_code(KERNELS["call_function"], "gfx942"))
    assert found.unread
    assert loads(found.template).launch.writes


@pytest.mark.slow
@pytest.mark.parametrize("part", parts(7))
def test_every_template_loads_and_fits_its_kernel(part: slice) -> None:
    def holds(name: str) -> None:
        code = machine_code(KERNELS[name], "gfx942" if "gfx942" in KERNELS[name].targets else "gfx1201")
        assert KernelLaunch.of(code.kernel, loads(figures(code, 5).template)).arguments

    all_hold([*KERNELS][part], holds)
