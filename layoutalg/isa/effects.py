"""Which registers an instruction reads and writes: what can be said of it without carrying it out.

| instruction | reads | writes |
|---|---|---|
| V_FMAC_F32 d=v0, a=v1, b=s2 | v0, v1, s2 | v0 |
| GLOBAL_LOAD_DWORDX2 d=v[4:5], addr=v[2:3] | v2, v3 | v4, v5: later, as its counter says |
| V_MFMA_F32_32X32X8_F16 d=a[0:15], … | its sources | a0 … a15 |
| V_MOV_B32 d=v5, a=v[m0]+8 | none that is known: perhaps one from v8 on | v5 |

A set of registers is a number: one bit for each scalar register, two for each vector register, whose halves may be
read, written and loaded apart.  So to ask what two instructions have in common is one operation.
Operands and their widths are those of `decode.allowed`, from the tables of `semantics`; the run on numbers asks the
wait counters of the same registers (`run.registers`), and the test suite holds the two against each other.
What it cannot represent: EXEC, which every vector instruction reads; which register M0 names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.decode.allowed import operand_spans
from layoutalg.isa.decode.instructions import EXEC, NO_REGISTER, VCC, Instruction, Operand
from layoutalg.isa.decode.modes import NO_FLOAT_MODE, SETS_MODE, bits_written
from layoutalg.isa.interpreter.exchanges import EXCHANGES
from layoutalg.isa.interpreter.moves import BY_NUMBER, MOVES
from layoutalg.isa.interpreter.operands import half_of, keeps_other_half, selected
from layoutalg.isa.interpreter.sub_dword import keeps_rest
from layoutalg.isa.semantics.accesses import ACCESSES, CLOCKS, MemoryInstruction, access_of, has_no_effect
from layoutalg.isa.semantics.control import (
    BARRIERS,
    BEGINS_INDEXING,
    BRANCHES,
    ENDS,
    ENDS_INDEXING,
    JUMPS,
    SETS_INDEX,
    SETS_INDEXED,
    SETS_SKIPPING,
    TRAPS,
)  # fmt: skip
from layoutalg.isa.semantics.counted import SCALAR_STORES
from layoutalg.isa.semantics.entries import Alu
from layoutalg.isa.semantics.matrix import matrix_instruction_of
from layoutalg.isa.semantics.table import ALU
from layoutalg.isa.semantics.tensor import TENSOR_COPIES
from layoutalg.records import dataclass

Registers = int
"""A set of registers and halves of them."""

#: Where each file of registers begins among the bits of a set, and how many bits each of its registers has.
_FIRST = {"v": 0, "a": 2048, "s": 2560, "m0": 2688, "scc": 2689}
_HALVES = {"v": 2, "a": 2}

#: What the kind of an operand ends with that is so many registers further on as M0 says; registers of a file.
BY_M0, _FILE = "[m0]+", 256

#: How many bits a set has.
END = 2690


class Effects(NamedTuple):
    """The registers that an instruction reads, and those that it writes, at once or later; one of some, as M0 says."""

    reads: Registers
    writes: Registers
    perhaps_reads: Registers = 0
    perhaps_writes: Registers = 0


@dataclass(frozen=True)
class TouchedRegisters:
    """Registers that one operand of an instruction is."""

    role: str
    operand: Operand
    count: int
    half: str = ""  # "low" or "high" where it is that half alone
    read: bool = False
    written: bool = False

    @property
    def registers(self) -> Registers:
        """As a set; none where M0 says which they are."""
        return registers(self.operand.kind, self.operand.index, self.count, self.half)

    @property
    def perhaps(self) -> Registers:
        """Those that they are among, where M0 says which."""
        kind, first = self.operand.kind, self.operand.index
        return registers(kind.removesuffix(BY_M0), first, _FILE - first) if kind.endswith(BY_M0) else 0


#: What branches look at → its kind and number.
_LOOKED_AT = {"scc": ("scc", 0), "exec": ("s", EXEC), "vcc": ("s", VCC)}

#: Tokens of signatures that are no operand → what they are.
_STATE = {
    "scc": TouchedRegisters("scc", Operand("scc"), 1), "exec32": TouchedRegisters("exec", Operand("s", EXEC), 1),
    "exec64": TouchedRegisters("exec", Operand("s", EXEC), 2),
}  # fmt: skip


def registers(kind: str, index: int, count: int = 1, half: str = "") -> Registers:
    """So many registers of a kind, or a half of one; none of what is no register.

    >>> registers("v", 1) == registers("v", 1, half="low") | registers("v", 1, half="high")
    True
    """
    if kind not in _FIRST:
        return 0
    bits = _HALVES.get(kind, 1)
    if half and bits == 2:
        return 1 << _FIRST[kind] + 2 * index + (half == "high")
    return (1 << bits * count) - 1 << _FIRST[kind] + bits * index


def named(some: Registers) -> Iterator[str]:
    """Registers of a set by their names, those in a row together.

    >>> [*named(registers("v", 2, 3) | registers("s", 106) | registers("v", 9, half="high"))]
    ['v[2:4]', 'v9.h', 'vcc_lo']
    """
    for kind, first in _FIRST.items():
        bits = _HALVES.get(kind, 1)
        inside = some >> first & (1 << min(n for n in (*_FIRST.values(), END) if n > first) - first) - 1
        at = 0
        while inside >> at:
            if not inside >> at & (1 << bits) - 1:
                at += bits
                continue
            start, part = at, inside >> at & (1 << bits) - 1
            while inside >> at & (1 << bits) - 1 == part:
                at += bits
                if part != (1 << bits) - 1 or kind in ("m0", "scc"):
                    break
            yield _name(kind, start // bits, at // bits - 1) + {1: ".l", 2: ".h"}.get(part if bits == 2 else 0, "")


def scalars(some: Registers) -> Iterator[tuple[str, int]]:
    """The scalar registers of a set, M0 and the condition code among them, by kind and number.

    >>> [*scalars(registers("s", 7, 2) | registers("scc", 0) | registers("v", 3))]
    [('s', 7), ('s', 8), ('scc', 0)]
    """
    for kind in ("s", "m0", "scc"):
        inside = some >> _FIRST[kind]
        last = min(n for n in (*_FIRST.values(), END) if n > _FIRST[kind]) - _FIRST[kind]
        yield from ((kind, k) for k in range(last) if inside >> k & 1)


def _name(kind: str, first: int, last: int) -> str:
    if kind in ("m0", "scc"):
        return kind
    named = {VCC: "vcc", EXEC: "exec"}.get(first)
    if kind == "s" and named and last <= first + 1:
        return named if last > first else f"{named}_lo"
    if kind == "s" and first == last and first - 1 in (VCC, EXEC):
        return f"{ {VCC: 'vcc', EXEC: 'exec'}[first - 1] }_hi"
    return f"{kind}{first}" if first == last else f"{kind}[{first}:{last}]"


def effects_of(instruction: Instruction, kernel: KernelBinary) -> Effects:
    """What an instruction reads and writes.

    Raises `UnsupportedInstructionError` for one that no table describes.
    """
    reads = writes = perhaps_reads = perhaps_writes = 0
    for one in spans_of(instruction, kernel):
        if one.read:
            reads |= one.registers
            perhaps_reads |= one.perhaps
        if one.written:
            writes |= one.registers
            perhaps_writes |= one.perhaps
    return Effects(reads, writes, perhaps_reads, perhaps_writes)


def by_m0(operand: Operand) -> Operand:
    """The vector register so many further on than an operand as M0 says; another operand as it is.

    >>> str(by_m0(Operand("v", 8)))
    'v[m0]+8'
    """
    return replace(operand, kind=operand.kind + BY_M0) if operand.kind in _HALVES else operand


def spans_of(instruction: Instruction, kernel: KernelBinary) -> Iterator[TouchedRegisters]:
    """Each operand's registers, those that are not written out in the code among them."""
    for one in instruction.halves or (instruction,):
        yield from _spans(one, kernel)


def _spans(instruction: Instruction, kernel: KernelBinary) -> Iterator[TouchedRegisters]:
    name = instruction.name
    if name in ALU:
        yield from _arithmetic(instruction, ALU[name], kernel)
    elif name in ACCESSES:
        yield from _access(instruction, access_of(name, instruction.fields), kernel)
    elif name in BRANCHES:
        what = BRANCHES[name][0]
        if what:
            yield TouchedRegisters(
                what, Operand(*_LOOKED_AT[what]), 1 if what == "scc" else kernel.wave_size // 32, read=True
            )
    elif name in CLOCKS or name == "S_GETPC_B64":
        yield TouchedRegisters("d", instruction.operands["d"], 2, written=True)
    elif name in JUMPS:
        source, target = instruction.operands.get("a", NO_REGISTER), instruction.operands.get("d", NO_REGISTER)
        yield TouchedRegisters("a", source, 2, read=True)
        yield TouchedRegisters("d", target, 2, written=True)
    elif name.startswith(SCALAR_STORES):
        yield from _stored_by_scalar(instruction)
    elif name in (BEGINS_INDEXING, SETS_INDEXED, SETS_INDEX):
        yield TouchedRegisters("a", instruction.operands.get("a", NO_REGISTER), 1, read=True)
        yield TouchedRegisters("m0", Operand("m0"), 1, read=True, written=True)  # a part of it
    elif name == SETS_SKIPPING:
        yield from (TouchedRegisters(role, operand, 1, read=True) for role, operand in instruction.operands.items())
    elif name in EXCHANGES or name in MOVES:
        yield from _moved(instruction)
    elif name in TENSOR_COPIES:
        for role, operand, count in operand_spans(instruction, kernel.target, kernel.wave_size):
            yield TouchedRegisters(role, operand, count, read=True)
    elif matrix_instruction_of(name, kernel.target):
        for role, operand, count in operand_spans(instruction, kernel.target, kernel.wave_size):
            yield TouchedRegisters(role, operand, count, read=role != "d", written=role == "d")
    elif not _is_plain(instruction, kernel):
        raise UnsupportedInstructionError(f"{instruction.place} has no entry in the semantics")


def _is_plain(instruction: Instruction, kernel: KernelBinary) -> bool:
    """Whether an instruction is known, and has to do with no register."""
    name = instruction.name
    if name in SETS_MODE:
        first, count = bits_written(instruction)
        for bit in NO_FLOAT_MODE.keys() & set(range(first, first + count)):
            raise UnsupportedInstructionError(f"{instruction.place} sets bit {bit} of MODE: {NO_FLOAT_MODE[bit]}")
        return True
    known = name in BARRIERS or name in ENDS or name in TRAPS or name == ENDS_INDEXING
    return known or name in kernel.architecture.waits or has_no_effect(name, instruction.fields)


def _arithmetic(instruction: Instruction, alu: Alu, kernel: KernelBinary) -> Iterator[TouchedRegisters]:
    spans = operand_spans(instruction, kernel.target, kernel.wave_size)
    places = {role: (operand, count) for role, operand, count in spans}
    in_parts = instruction.form.endswith("_SDWA")
    kept = "_DPP" in instruction.form or (in_parts and keeps_rest(instruction))  # lanes, or the rest of a register
    part = _part_picked(instruction, alu)
    for token in alu.reads:
        if token in _STATE:
            yield replace(_STATE[token], read=True)
        elif token[0] == "d" and part:
            continue  # what is kept, which is no source
        elif token[0] in places:
            operand, count = places[token[0]]
            if token.endswith("64") and instruction.name.startswith("V_PK_"):
                picked = selected(instruction, "abc".index(token[0]))
                yield from (
                    TouchedRegisters(token[0], replace(operand, index=operand.index + k), 1, read=True) for k in picked
                )
            else:
                half = half_of(operand) if token.endswith("16") and not in_parts else ""
                yield TouchedRegisters(token[0], operand, count, half, read=True)
    halves = keeps_other_half(instruction.name, kernel.architecture) and not in_parts
    for token in alu.writes:
        if token in _STATE:
            yield replace(_STATE[token], written=True)
        for role in ("m", "m2") if token == "m" else (token[0],):
            if token not in _STATE and role in places:
                operand, count = places[role]
                half = part or (half_of(operand) if halves and token.endswith("16") else "")
                yield TouchedRegisters(role, operand, count, half, kept or bool(part), True)


def _part_picked(instruction: Instruction, alu: Alu) -> str:
    """The half of its register that a result is or lies in, where bits of OP_SEL pick it and the rest is kept."""
    if not alu.picks & 8 or "d32" not in alu.reads:
        return ""
    return "high" if instruction.fields.get("opsel", 0) & 8 else "low"


def _access(instruction: Instruction, access: MemoryInstruction, kernel: KernelBinary) -> Iterator[TouchedRegisters]:
    """A memory instruction: addresses and data are read when it is issued, results are written later."""
    returns = access.returns(instruction.fields)
    loaded = access.half if kernel.architecture.loads_keep_other_half else ""
    if access.to_lds and not access.by_lane:
        yield TouchedRegisters("m0", Operand("m0"), 1, read=True)
    for role, operand, count in operand_spans(instruction, kernel.target, kernel.wave_size):
        if role == "d":
            yield TouchedRegisters(role, operand, count, loaded, read=access.by_lane, written=returns)
        elif role == "data" and access.atomic:
            result = returns and "d" not in instruction.operands
            yield TouchedRegisters(role, operand, count, read=True)
            if result:
                yield TouchedRegisters("d", operand, access.registers, written=True)
        elif role in ("data", "data2"):
            yield TouchedRegisters(role, operand, count, access.half_read, read=True)
        elif role != "addr" or _has_vector_address(instruction, access, kernel):
            yield TouchedRegisters(role, operand, count, read=True)


def _stored_by_scalar(instruction: Instruction) -> Iterator[TouchedRegisters]:
    """A scalar store, or an atomic operation, which gives what was there in its data's place where it says so."""
    name, operands, atomic = instruction.name, instruction.operands, "_ATOMIC_" in instruction.name
    count = int(name[-1]) if name[-2:] in ("X2", "X4") else 1
    yield TouchedRegisters("base", operands["base"], 4 if "_BUFFER_" in name else 2, read=True)
    yield TouchedRegisters("soffset", operands.get("soffset", NO_REGISTER), 1, read=True)
    yield TouchedRegisters("data", operands["d"], 2 * count if "CMPSWAP" in name else count, read=True)
    if atomic and instruction.fields.get("glc"):
        yield TouchedRegisters("d", operands["d"], count, written=True)


def _has_vector_address(instruction: Instruction, access: MemoryInstruction, kernel: KernelBinary) -> bool:
    """Whether the vector address is one; where it is none, the assembler names register 0."""
    fields = instruction.fields
    if access.space == "buffer":
        return bool(fields.get("offen") or fields.get("idxen"))
    if access.space == "scratch":
        no_base = instruction.operands.get("base", NO_REGISTER) == NO_REGISTER
        return bool(fields.get("sve")) if kernel.machine.scratch_sve else no_base
    return True


def _moved(instruction: Instruction) -> Iterator[TouchedRegisters]:
    """Moves between lanes, each of one register."""
    name = instruction.name
    if name in BY_NUMBER:
        yield TouchedRegisters("m0", Operand("m0"), 1, read=True)
    swaps, named_by_m0 = "_SWAP_" in name, BY_NUMBER.get(name)
    for role, operand in instruction.operands.items():
        kept = role == "d" and "PERMLANE" in name
        operand = by_m0(operand) if role == named_by_m0 else operand
        yield TouchedRegisters(role, operand, 1, read=role != "d" or kept, written=role == "d" or swaps)
