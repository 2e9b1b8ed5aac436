"""The scratch of every lane that runs, and how it is described to a wave."""

from __future__ import annotations

import numpy as np

from layoutalg.errors import Fault
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.chosen import Chosen
from layoutalg.isa.run.spaces import Describe, TwoCopies

#: What a wave finds where scratch is described to it, and the offset that it is to add: any numbers do.
SCRATCH_BUFFER, SCRATCH_OFFSET = (0x5C7A7C40000, 0x5C7A7C400000FFFF), 0x1000


def scratch_stride(kernel: KernelBinary) -> int:
    """Bytes from one lane's scratch to the next's."""
    return -(-max(kernel.scratch_bytes, 4) // 16) * 16


class ScratchMemory:
    """A piece of memory for each lane of so many waves, in both copies of their blocks."""

    def __init__(self, kernel: KernelBinary, waves: int, noise: np.random.Generator) -> None:
        self.size, self.lanes, self.stride = kernel.scratch_bytes, kernel.wave_size, scratch_stride(kernel)
        self.bytes = TwoCopies(waves * self.lanes * self.stride if self.size else 0, noise)

    def positions(self, addresses: Array, lanes: Chosen, size: int, describe: Describe, where: str) -> Array:
        """Places in the bytes; a `Fault` for an address outside a lane's piece."""
        bad = addresses.astype(np.int64) > self.size - size
        if bad.any():
            k = int(np.argmax(bad))
            byte, thread = int(addresses[k]), describe(k)
            what = f"scratch byte {byte:#x} is not there, {thread}"
            raise Fault("address", what, where, thread=thread, address=byte, tensor="scratch")
        return (lanes.rows * self.lanes + lanes.lanes) * self.stride + addresses.astype(np.int64)
