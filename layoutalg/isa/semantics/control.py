"""Control: what ends a wave or the program, which branch is taken when, where a jump leads, what a barrier does.

| a branch looks at | and is taken where |
|---|---|
| nothing | always |
| `scc` | the scalar condition code is set (or is not) |
| `exec`, `vcc` | some lane has its bit of the mask (or none has) |
"""

from __future__ import annotations

from collections.abc import Mapping

#: What ends a wave.
ENDS = frozenset({"S_ENDPGM"})

#: What gives the wave to the trap handler, which ends the program: a failed assertion, `__builtin_trap` (LLVM's
#: AMDGPUUsage, "Trap Handler ABI").
TRAPS = frozenset({"S_TRAP"})

#: The number of `llvm.trap`; that of a debugger does nothing where there is none (LLVM, D46769, "Trap Handler ABI").
ENDS_PROGRAM = 2

#: Branch → what it looks at, and whether it is taken where that holds (ISA manuals, SOPP).
BRANCHES: Mapping[str, tuple[str, bool]] = {
    "S_BRANCH": ("", True),
    "S_CBRANCH_SCC0": ("scc", False),
    "S_CBRANCH_SCC1": ("scc", True),
    "S_CBRANCH_EXECZ": ("exec", False),
    "S_CBRANCH_EXECNZ": ("exec", True),
    "S_CBRANCH_VCCZ": ("vcc", False),
    "S_CBRANCH_VCCNZ": ("vcc", True),
}

#: Jump → whether it keeps the address behind it in its result: a call of a function (ISA manuals, SOP1 and SOPK).
#: S_CALL_B64 leads to a relative address, the others to that in their source.
JUMPS: Mapping[str, bool] = {"S_SETPC_B64": False, "S_SWAPPC_B64": True, "S_CALL_B64": True}

#: Barrier instruction → (the wave signals, the wave waits).  RDNA 4 splits the two; -1 is the block's barrier.
BARRIERS: Mapping[str, tuple[bool, bool]] = {
    "S_BARRIER": (True, True),
    "S_BARRIER_SIGNAL": (True, False),
    "S_BARRIER_WAIT": (False, True),
}

#: What happens at a named barrier of CDNA 5 → the instruction, by the decoder's name: without `.NAMED`, signal and wait
#: are of the block's barrier (LLVM, AMDGPUExecutionSynchronization).
NAMED_BARRIERS: Mapping[str, str] = {
    "init": "S_BARRIER_INIT", "join": "S_BARRIER_JOIN", "signal": "S_BARRIER_SIGNAL.NAMED",
    "wait": "S_BARRIER_WAIT.NAMED",
}  # fmt: skip

#: Whether a wave skips vector instructions from here on: the bit of the first source that the second numbers
#: (Vega ISA, S_SETVSKIP; the mode is 0 where a wave begins).
SETS_SKIPPING = "S_SETVSKIP"

#: What the names begin with of instructions that such a wave does not issue: its accesses are not counted either.
VECTOR = ("V_", "BUFFER_", "GLOBAL_", "FLAT_", "SCRATCH_", "DS_")

#: What lets M0 name vector registers from here on, and what ends it (CDNA 4 ISA, 6.6, "VGPR Indexing").
BEGINS_INDEXING, ENDS_INDEXING = "S_SET_GPR_IDX_ON", "S_SET_GPR_IDX_OFF"

#: What says meanwhile which operands M0 names, and what says the number that is added.
SETS_INDEXED, SETS_INDEX = "S_SET_GPR_IDX_MODE", "S_SET_GPR_IDX_IDX"
