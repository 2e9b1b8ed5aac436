"""What the machine writes into registers before the first instruction.

By LLVM's AMDGPUUsage, "Initial Kernel Execution State":

| registers | hold |
|---|---|
| user registers | the pointers that the descriptor asks for, then the arguments that are preloaded |
| those that follow; on gfx12, trap temporaries | the block's indices; on gfx12 the wave's number in its block |
| v0 | the thread's indices, ten bits each |

All else is noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from layoutalg.isa.container.descriptor import BUFFER, PRELOADED
from layoutalg.isa.decode.instructions import Operand
from layoutalg.isa.run.arguments import Triple
from layoutalg.isa.run.registers import WaveRegisters
from layoutalg.isa.run.scratch import SCRATCH_BUFFER, SCRATCH_OFFSET


def initialise(
    registers: WaveRegisters, pointers: Mapping[str, int], arguments: Sequence[int | None], block: Triple
) -> None:
    """Registers as the machine finds them: `pointers` by their names, `arguments` as dwords, None of undefined ones."""
    kernel = registers.kernel
    register = 0
    for name, dwords in kernel.user_sgprs:
        if name in pointers:
            registers.write_scalar(Operand("s", register), 64, registers.w.const(pointers[name], 64))
        elif name == "private_segment_size":
            scratch = -(-kernel.scratch_bytes // 4) * 4
            registers.write_scalar(Operand("s", register), 32, registers.w.const(scratch, 32))
        elif name == "flat_scratch_init":
            registers.write_scalar(Operand("s", register), 64, registers.w.const(0, 64))
        elif name == BUFFER:
            for k, word in enumerate(SCRATCH_BUFFER):
                registers.write_scalar(Operand("s", register + 2 * k), 64, registers.w.const(word, 64))
        elif name == PRELOADED and kernel.preloaded:
            for k, dword in enumerate(arguments[kernel.preload_offset :][:dwords]):
                if dword is not None:
                    registers.write_scalar(Operand("s", register + k), 32, registers.w.const(dword, 32))
        register += dwords
    register = kernel.user_sgpr_count
    indices = registers.blocks.astype(np.uint32)[None, :, None]
    if kernel.architecture.block_registers:
        first, second = kernel.architecture.block_registers
        x, y, z = (
            indices[..., k : k + 1] if wanted else registers.undefined(1, 1 << 16)
            for k, wanted in enumerate(kernel.block_indices)
        )
        if not kernel.block_indices[2]:  # LLVM takes y whole (SITargetLowering, WorkGroupIDY)
            z = registers.w.const(0, 32)
        registers.write_scalar(Operand("s", first), 32, x)
        registers.write_scalar(Operand("s", second), 32, y | z << np.uint32(16))
    else:
        for dimension, wanted in enumerate(kernel.block_indices):
            if wanted:
                registers.write_scalar(Operand("s", register), 32, indices[..., dimension : dimension + 1])
                register += 1
        if kernel.machine.scratch_base == "kernel" and kernel.extra_sgprs[1]:
            offset = Operand("s", register + kernel.extra_sgprs[0])
            registers.write_scalar(offset, 32, registers.w.const(SCRATCH_OFFSET, 32))
    if kernel.architecture.wave_number:
        number, lowest, highest = kernel.architecture.wave_number
        mask = np.uint32(((1 << highest - lowest + 1) - 1) << lowest)
        wave = np.arange(registers.waves_per_block, dtype=np.uint32)[:, None] << np.uint32(lowest)
        registers.write_scalar(Operand("s", number), 32, registers.undefined(1) & ~mask | wave & mask)
    thread = registers.thread
    parts = (thread % block[0], thread // block[0] % block[1], thread // (block[0] * block[1]))
    given = [np.asarray(part) for part in parts[: kernel.thread_dimensions]]
    if kernel.architecture.packs_threads:
        given = [np.asarray(sum(part << 10 * k for k, part in enumerate(given)))]
    all_there = registers.enabled.all()
    for k, index in enumerate(given):
        words = index.astype(np.uint32)
        registers.vectors["v", k] = (
            words if all_there else np.where(registers.enabled, words, registers.undefined(registers.lanes))
        )
