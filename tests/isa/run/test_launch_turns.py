"""Which waves go before others: what a kernel with a race gives may depend on it, what a right one gives does not."""

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.errors import LaunchError
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from layoutalg.isa.run.launch import execute
from tests.matrix import each

WAVES = 4

#: Each wave takes a ticket before and behind a barrier, and waits behind it for the wave that had the first one.
TICKETS = """
#include <hip/hip_runtime.h>
extern "C" __global__ void tickets(unsigned* next, unsigned* o, unsigned* told) {
    int wave = threadIdx.x / LANES;
    if (threadIdx.x % LANES == 0) {
        unsigned mine = atomicAdd(next, 1u);
        o[wave] = mine;
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x % LANES == 0) {
        o[4 + wave] = atomicAdd(next, 1u);
        if (wave == 1) atomicExch(told, 1u);
        else while (atomicAdd(told, 0u) == 0) {}
    }
}
"""


def tickets(target: str) -> MachineCode:
    source = TICKETS.replace("LANES", "32" if target == "gfx1201" else "64")
    return decode_kernel(read_kernels(compile_source(source, target).payload)["tickets"])


@pytest.mark.parametrize("target", each(["gfx942", "gfx1201"], "gfx1201"))
@pytest.mark.parametrize("ahead", each([((3,),), ((2, 0),), ((3, 2, 1, 0),), ((0, 1, 2, 3),)], ((2, 0),)))
def test_waves_ahead_go_first_up_to_a_barrier_and_behind_it(target: str, ahead: tuple[int, ...]) -> None:
    code = tickets(target)
    block = WAVES * code.kernel.wave_size
    given = [np.zeros(1, np.uint32), np.zeros(8, np.uint32), np.zeros(1, np.uint32)]
    _, o, _ = execute(code, (1,), (block,), given, ahead=ahead).outputs
    before, behind = np.argsort(o[:4]), np.argsort(o[4:])
    assert tuple(before[: len(ahead)]) == ahead
    assert behind[0] == ahead[0]  # it then waits for wave 1, so that one that stands goes on


@pytest.mark.parametrize("ahead", [(4,), (-1,), (1, 1)])
def test_waves_that_a_block_has_not_are_refused(ahead: tuple[int, ...]) -> None:
    given = [np.zeros(1, np.uint32), np.zeros(8, np.uint32), np.zeros(1, np.uint32)]
    with pytest.raises(LaunchError, match="ahead of others: give numbers from 0 to 3, each once"):
        execute(tickets("gfx942"), (1,), (256,), given, ahead=ahead)
