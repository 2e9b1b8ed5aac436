"""What is known of a kernel without its launch."""

import pytest

from layoutalg.formats.spec import loads
from layoutalg.refine.audit.figures import figures
from layoutalg.refine.audit.launched import Launched
from tests.foreign.running import machine_code
from tests.foreign.table import KERNELS


def test_lds_cycles_are_those_of_the_banks() -> None:
    padded, unpadded = (
        figures(machine_code(KERNELS[f"transpose_{name}"], "gfx942")) for name in ("padded", "unpadded")
    )
    assert not any(one.cycles > one.least for one in padded.lds)
    reads = [one for one in unpadded.lds if not one.store]
    assert reads
    assert all(one.cycles == 32 * one.least for one in reads)  # a column lies in one bank
    assert not padded.unread
    assert padded.occupancy["waves_per_simd"] == padded.occupancy["most"] == 8


def test_a_kernel_that_is_not_followed_has_a_template_all_the_same() -> None:
    found = figures(machine_code(KERNELS["call_function"], "gfx942"))
    assert found.unread
    assert loads(found.template).launch.writes


@pytest.mark.slow
@pytest.mark.parametrize("name", KERNELS)
def test_every_template_loads_and_fits_its_kernel(name: str) -> None:
    code = machine_code(KERNELS[name], "gfx942" if "gfx942" in KERNELS[name].targets else "gfx1201")
    found = figures(code, 5)
    assert Launched.of(code.kernel, loads(found.template)).arguments
