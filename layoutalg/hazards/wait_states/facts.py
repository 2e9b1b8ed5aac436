"""What the rules of wait states ask of one instruction: what it does first to registers, and what second.

| instruction, gfx942 | does first | does second |
|---|---|---|
| `v_readfirstlane_b32 s4, v1` | "vector writes scalar" to s4 | "vector reads" v1, … |
| `buffer_load_dword v0, v1, s[4:7], s8 offen` | – | "memory's scalar" s4 … s8, "memory reads" v1 |

What is done is named as in `rules`; a register is a number, so that one table has all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import field
from functools import lru_cache

from layoutalg.hazards.wait_states.classes import (
    MatrixPasses,
    is_dot,
    is_packing,
    is_transcendental,
    matrix_of,
    unit_of,
)
from layoutalg.hazards.wait_states.rules import MANUALS, RULES, WaitRule, ruled_as
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.decode.instructions import EXEC, NO_REGISTER, Instruction, Operand
from layoutalg.isa.effects import spans_of
from layoutalg.isa.semantics.control import BARRIERS, BRANCHES, JUMPS
from layoutalg.records import dataclass

Registers = tuple[int, ...]

#: Where each file of registers begins among the numbers; `hw` are the machine's own, of s_setreg.
_FILES = {"v": 0, "a": 1024, "s": 1280, "m0": 1408, "hw": 1409}

_EXEC, _M0 = (_FILES["s"] + EXEC, _FILES["s"] + EXEC + 1), _FILES["m0"]

#: Operations of a quarter of the rate (LLVM, SISchedule.td, WriteQuarterRate32, WriteTrans32).
_QUARTER = ("V_MUL_LO_", "V_MUL_HI_", "V_MAD_U64_", "V_MAD_I64_")

#: Time that nobody knows: what waits; a branch's, taken or not (LLVM, SISchedule.td, WriteBranch).
UNKNOWN, _BRANCH = 1000, 8

#: Instructions that are kept at most.
_MOST_KEPT = 1 << 16


@dataclass(frozen=True)
class RuledInstruction:
    """One instruction as the rules see it: what it does first, what second, and the wait states that it counts as.

    `time`: those that it takes at most where it need not wait for another one's unit; `result`, `c`: of a matrix
    product.
    """

    name: str
    waits: int
    time: int
    matrix: MatrixPasses | None
    first: tuple[tuple[str, Registers], ...]
    second: tuple[tuple[int, tuple[WaitRule, ...]], ...]  # by register
    written: Registers
    result: Registers
    c: Registers

    def follows_same(self, rule: WaitRule, first: RuledInstruction) -> bool:
        """Whether this is the second to the same: C is the whole result; of dot products, of one opcode."""
        return self.c == first.result if rule.first != "dot product writes" else self.name == first.name


@dataclass(eq=False)
class KnownInstructions:
    """What the rules ask of instructions that were seen, of kernels of one target and size of waves.

    Kernels repeat few encodings, which the decoder keeps: one that it gives again is found by its operands' identity.
    """

    _kept: dict[tuple[int, int], tuple[Instruction, RuledInstruction]] = field(default_factory=dict)

    def facts_of(self, instruction: Instruction, kernel: KernelBinary) -> RuledInstruction:
        """As the function of this name."""
        key = id(instruction.operands), id(instruction.fields)
        kept = self._kept.get(key)
        if kept is None or instruction.halves:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            kept = self._kept[key] = instruction, facts_of(instruction, kernel)
        return kept[1]


@lru_cache(maxsize=16)
def known_of(target: str, wave_size: int) -> KnownInstructions:
    """What is known of instructions of this target, in waves of so many lanes."""
    return KnownInstructions()


def facts_of(instruction: Instruction, kernel: KernelBinary) -> RuledInstruction:
    """What the rules of the kernel's target ask of an instruction.

    Raises `UnsupportedInstructionError` for one that no table describes.
    """
    view, target = _View.of(instruction, kernel), ruled_as(kernel.target)
    asked: dict[int, list[WaitRule]] = {}
    for name, which in _SECOND.get(view.unit, {}).items():
        for register in which(view) if (name, target) in _ASKING else ():
            asked.setdefault(register, []).extend(_ASKING[name, target])
    waits = _wait_states(view, kernel)
    return RuledInstruction(
        instruction.name, waits, _time(instruction, kernel, waits), view.matrix,
        tuple((name, registers) for name, which in _FIRST.get(view.unit, {}).items() if (registers := which(view))),
        tuple((register, tuple(rules)) for register, rules in asked.items()),
        view.written(), view.written("d") if view.matrix else (), view.c,
    )  # fmt: skip


def _wait_states(view: _View, kernel: KernelBinary) -> int:
    """What an instruction counts as: of RDNA's, one where it is of lanes."""
    if kernel.architecture.tables != "cdna":
        return int(view.unit in ("valu", "matrix"))
    return (view.instruction.fields.get("simm16", 0) & 15) + 1 if view.name == "S_NOP" else 1


def register_name(number: int) -> str:
    """A register by its name.

    >>> register_name(3), register_name(1027), register_name(1284), register_name(1408)
    ('v3', 'a3', 's4', 'm0')
    """
    kind = max((kind for kind, first in _FILES.items() if first <= number), key=_FILES.__getitem__)
    index = number - _FILES[kind]
    return f"hwreg({index})" if kind == "hw" else str(Operand(kind, index))


def _time(instruction: Instruction, kernel: KernelBinary, waits: int) -> int:
    name = instruction.name
    if kernel.architecture.tables != "cdna":
        return waits  # no time is known to help
    if name in kernel.architecture.waits or name in BARRIERS or name == "S_SLEEP":
        return UNKNOWN
    if name in BRANCHES or name in JUMPS:
        return _BRANCH
    return max(waits, 4 if is_transcendental(name) or name.startswith(_QUARTER) else 1)


@dataclass(frozen=True)
class _View:
    """An instruction with the numbers of the registers that it reads and writes, by role."""

    instruction: Instruction
    unit: str
    matrix: MatrixPasses | None
    reads: Mapping[str, Registers]
    writes: Mapping[str, Registers]

    @classmethod
    def of(cls, instruction: Instruction, kernel: KernelBinary) -> _View:
        """What is asked of an instruction of this kernel."""
        reads: dict[str, Registers] = {}
        writes: dict[str, Registers] = {}
        for span in spans_of(instruction, kernel):
            first = _FILES.get(span.operand.kind)
            if first is not None:
                first += span.operand.index
                numbers = tuple(range(first, first + span.count))
                for sort in (reads,) * span.read + (writes,) * span.written:
                    sort[span.role] = sort.get(span.role, ()) + numbers
        return cls(instruction, unit_of(instruction), matrix_of(instruction, ruled_as(kernel.target)), reads, writes)

    @property
    def name(self) -> str:
        return self.instruction.name

    def read(self, *roles: str) -> Registers:
        """What is read in these roles, or in any."""
        return tuple(one for role in roles or self.reads for one in self.reads.get(role, ()))

    def written(self, *roles: str) -> Registers:
        """What is written in these roles, or in any."""
        return tuple(one for role in roles or self.writes for one in self.writes.get(role, ()))

    @property
    def _sparse(self) -> bool:
        return self.name.startswith(("V_SMFMAC", "V_SWMMAC"))

    @property
    def c(self) -> Registers:
        """C of a matrix product: of a sparse one, what the result held."""
        return () if self.matrix is None else self.written("d") if self._sparse else self.read("c")

    @property
    def a_or_b(self) -> Registers:
        """A and B of a matrix product, and what says which elements a sparse one has."""
        return self.read("a", "b", "c") if self._sparse else self.read("a", "b")


def _vectors(registers: Registers) -> Registers:
    return tuple(one for one in registers if one < _FILES["s"])


def _scalars(registers: Registers) -> Registers:
    return tuple(one for one in registers if _FILES["s"] <= one < _M0 and one not in _EXEC)


def _executes(registers: Registers) -> Registers:
    return tuple(one for one in registers if one in _EXEC)


def _if(condition: bool, registers: Registers) -> Registers:
    return registers if condition else ()


def _machine_register(view: _View, names: str) -> Registers:
    said = view.instruction.fields.get("simm16", 0) & 63
    return _if(view.name.startswith(names), (_FILES["hw"] + said,))


def _wide_data(view: _View) -> Registers:
    """The data of a store of more than two registers, of buffers without a scalar offset (CDNA 3 ISA, table 11)."""
    offset = view.instruction.operands.get("soffset", NO_REGISTER).kind in ("s", "m0")
    data = view.read("data")
    return _if(len(data) > 2 and not (view.instruction.form == "MUBUF" and offset), data)


def _constants(view: _View) -> Registers:
    """Scalar sources besides masks; of a lane that is selected another rule speaks."""
    read = view.read("a") if view.name in _LANES else view.read("a", "b", "c")
    return (*_scalars(read), *_executes(read))


def _of(kinds: Collection[str], view: _View, registers: Registers) -> Registers:
    """Registers of a matrix product of one of these kinds."""
    return _if(view.matrix is not None and view.matrix.kind in kinds, registers)


_LANES = frozenset({"V_READLANE_B32", "V_READFIRSTLANE_B32", "V_WRITELANE_B32"})
_SELECTING = _LANES - {"V_READFIRSTLANE_B32"}
_DOUBLE = frozenset({"sgemm", "dgemm16", "dgemm4"})

Which = Callable[[_View], Registers]

#: Unit → what an instruction of it does first → to which registers.
_FIRST: Mapping[str, Mapping[str, Which]] = {
    "valu": {
        "vector writes scalar": lambda v: _scalars(v.written()),
        "vector writes exec": lambda v: _executes(v.written()),
        "vector writes": lambda v: _if(not is_dot(v.name), _vectors(v.written())),
        "transcendental writes": lambda v: _if(is_transcendental(v.name), v.written("d")),
        "part of a register written": lambda v: _if(is_packing(v.instruction), _vectors(v.written())),
        "dot product writes": lambda v: _if(is_dot(v.name), v.written("d")),
    },
    "matrix": {
        "xdl": lambda v: _of(("xdl",), v, v.written("d")),
        "sgemm": lambda v: _of(("sgemm",), v, v.written("d")),
        "dgemm16": lambda v: _of(("dgemm16",), v, v.written("d")),
        "dgemm4": lambda v: _of(("dgemm4",), v, v.written("d")),
        "C of xdl": lambda v: _of(("xdl",), v, _vectors(v.c)),
        "wmma": lambda v: _of(("wmma",), v, v.written("d")),
    },
    "vmem": {"wide store's data": _wide_data},
    "salu": {
        "m0 written": lambda v: _if(_M0 in v.written(), (_M0,)),
        "register of the machine set": lambda v: _machine_register(v, "S_SETREG"),
    },
}

#: Unit → what an instruction of it does second → to which registers.
_SECOND: Mapping[str, Mapping[str, Which]] = {
    "valu": {
        "lane select": lambda v: _if(v.name in _SELECTING, _scalars(v.read("b"))),
        "mask of v_div_fmas": lambda v: _if(v.name.startswith("V_DIV_FMAS"), v.read("n")),
        "constant of a vector instruction": _constants,
        "data-parallel primitive": lambda v: _if("_DPP" in v.instruction.form, _EXEC),
        "v_readlane, v_readfirstlane, v_writelane": lambda v: _if(v.name in _LANES, _EXEC),
        "v_permlane": lambda v: _if(v.name.startswith("V_PERMLANE"), _EXEC),
        "source of a data-parallel primitive": lambda v: _if("_DPP" in v.instruction.form, _vectors(v.read("a"))),
        "source of v_readlane": lambda v: _if(v.name == "V_READLANE_B32", _vectors(v.read("a"))),
        "source of v_permlane": lambda v: _if(v.name.startswith("V_PERMLANE"), _vectors(v.read())),
        "source of another vector instruction": lambda v: _if(not is_transcendental(v.name), _vectors(v.read())),
        "source of a vector instruction": lambda v: _vectors(v.read()),
        "source of another instruction": lambda v: _vectors(v.read()),
        "A or B of the same dot product": lambda v: _if(is_dot(v.name), _vectors(v.read("a", "b"))),
        "result of another vector instruction": lambda v: _vectors(v.written()),
        "result of a vector instruction": lambda v: _vectors(v.written()),
        "vector reads": lambda v: _vectors(v.read()),
        "vector writes": lambda v: _vectors(v.written()),
    },
    "matrix": {
        "matrix product": lambda v: _EXEC,
        "source of a matrix product": lambda v: _vectors(v.read()),
        "C of xdl": lambda v: _of(("xdl",), v, _vectors(v.c)),
        "C of sgemm, dgemm": lambda v: _of(_DOUBLE, v, _vectors(v.c)),
        "A or B": lambda v: _vectors(v.a_or_b),
        "A or B of wmma": lambda v: _vectors(v.a_or_b),
    },
    "vmem": {
        "memory's scalar": lambda v: _scalars(v.read("base", "resource", "soffset")),
        "buffer load to LDS": lambda v: _if(v.instruction.form == "MUBUF" and _M0 in v.read(), (_M0,)),
        "load to LDS, LDS access by lane": lambda v: _if(v.instruction.form != "MUBUF" and _M0 in v.read(), (_M0,)),
        "source of another instruction": lambda v: _vectors(v.read()),
        "memory reads": lambda v: _vectors(v.read()),
    },
    "lds": {
        "load to LDS, LDS access by lane": lambda v: _if(v.name.endswith("_ADDTID_B32"), (_M0,)),
        "source of another instruction": lambda v: _vectors(v.read()),
        "memory reads": lambda v: _vectors(v.read()),
    },
    "salu": {
        "s_getreg": lambda v: _machine_register(v, "S_GETREG"),
        "s_setreg": lambda v: _machine_register(v, "S_SETREG"),
    },
}

#: What is done second, and the target → the rules that ask of it.
_ASKING: Mapping[tuple[str, str], list[WaitRule]] = {
    (second, target): [rule for rule in RULES if rule.second == second and target in rule.counts]
    for second in {rule.second for rule in RULES}
    for target in MANUALS
}
