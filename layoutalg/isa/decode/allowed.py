"""Instructions that no assembler writes: what the machine makes of them is not said, so they are refused.

| rule | source |
|---|---|
| two scalar registers begin at an even one, more at a multiple of 4 | ISA manuals, "SGPR Alignment" |
| scalar registers lie whole among those for programs, in VCC, in trap temporaries or in EXEC | LLVM, SIRegisterInfo |
| trap temporaries are not written | ISA manuals, "Trap Temporary SGPRs" |
| a vector instruction reads one scalar operand on CDNA, two on RDNA | LLVM, validateConstantBusLimitations |
| a scalar load brings its data to such registers | ISA manuals, SMEM |
| CDNA's vector registers that are named together begin at an even one | LLVM, AMDGPUAsmParser, validateVGPRAlign |
| registers are among those that the descriptor asks for | LLVM's AMDGPUUsage, COMPUTE_PGM_RSRC1 and 3 |
| a large matrix product lies on no factor (`@earlyclobber`) | LLVM, VOP3PInstructions |
| a large matrix product lies on the sum whole or not at all | LLVM, AMDGPUAsmParser, validateMFMA |
| a barrier is that of the block, number -1 | RDNA 4 ISA, S_BARRIER_SIGNAL, S_BARRIER_WAIT |
| two registers are named together where there are two | LLVM, SIRegisterInfo |
| sources are negated, made absolute and picked by halves where there are some | ISA manuals, VOP3 and VOP3P |
| a matrix product is that of the wave's size | LLVM, VOP3PInstructions, WaveSizePredicate |
| an immediate has no bits but those that say something | ISA manuals, S_ENDPGM, S_BARRIER; LLVM, AMDGPUBaseInfo |
| a wait takes no register along | RDNA 3 ISA, S_WAITCNT_VSCNT |
| vector registers that were given back are not used | RDNA 3 ISA, S_SENDMSG |
| a flat offset has no sign bit where it has no sign: the machine ignores it | CDNA 4 ISA, 10.1 |
| two elements in LDS have two offsets; else the machine accesses one | CDNA 4 ISA, 11.3.1 |

What it cannot represent: the rules of dual instructions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.container.descriptor import code_format
from layoutalg.isa.decode.instructions import NO_REGISTER, Instruction, Operand
from layoutalg.isa.semantics.accesses import ACCESSES, DEALLOCATE_VGPRS, NO_EFFECT, MemoryInstruction, access_of
from layoutalg.isa.semantics.entries import bits_of
from layoutalg.isa.semantics.matrix import SCALES, matrix_instruction_of, registers_of
from layoutalg.isa.semantics.table import ALU
from layoutalg.isa.semantics.tensor import GROUPS, TENSOR_COPIES

#: Scalar registers that may be named together: first and last of each kind.
_SCALARS = ((0, 105), (106, 107), (108, 123), (126, 127))

#: From here on, scalar registers have places apart: FLAT_SCRATCH, XNACK_MASK, VCC (AMDGPUUsage, SGPR and VGPR Counts).
_OF_THE_MACHINE = 102

#: Trap temporaries, which only a trap's handler can write.
_TRAPS = range(108, 124)

#: Operands that come to vector units over the bus for scalars.
_ON_BUS = frozenset({"s", "m0", "scc", "bits", "wide", "aperture"})

#: Wide buffer loads, that go to LDS where those of global memory do (LLVM, GCNSubtarget::hasLDSLoadB96_B128).
_WIDE_TO_LDS = {f"BUFFER_LOAD_DWORDX{n}": f"GLOBAL_LOAD_LDS_DWORDX{n}" for n in (3, 4)}

#: What needs no even register though it names several (CDNA 4 ISA, 11.4; LLVM, AMDGPUAsmParser, validateVGPRAlign).
_MAY_BE_ODD = frozenset({"DS_READ_B96_TR_B6"})

#: The bits of a flat offset that count where it has no sign.
_FLAT_OFFSET = 12

#: Results of more registers than this are written before all factors are read.
_SMALL = 4

#: RDNA 4's instructions that name a barrier: whether it is the block's.
_BLOCKS_BARRIER: Mapping[str, Callable[[Instruction], bool]] = {
    "S_BARRIER_SIGNAL": lambda instruction: instruction.operands.get("a") == Operand("int", -1),
    "S_BARRIER_WAIT": lambda instruction: instruction.fields.get("simm16") == 0xFFFF,
}

Span = tuple[str, Operand, int]
"""A role, its first register, and how many there are."""


def refuse_what_is_not_allowed(kernel: KernelBinary, instructions: Sequence[Instruction]) -> None:
    """Raises `UnsupportedInstructionError` with the first instruction that breaks a rule."""
    given_back = False
    registers = kernel.scalar_registers, kernel.vector_registers, kernel.accumulators
    known = _known(kernel.target, kernel.wave_size, *registers)
    for instruction in instructions:
        if given_back and instruction.name not in NO_EFFECT and instruction.name != "S_ENDPGM":
            raise UnsupportedInstructionError(f"{instruction.place}: the vector registers have been given back")
        given_back = _gives_back(instruction) or (given_back and instruction.name != "S_ENDPGM")
        key = id(instruction.operands), id(instruction.fields), instruction.name
        if key not in known:
            if len(known) == _MOST:
                known.clear()
            known[key] = instruction, next(_faults(kernel, instruction), "")
        why = known[key][1]
        if why:
            raise UnsupportedInstructionError(f"{instruction.place}: {why}")


Known = dict[tuple[int, int, str], tuple[Instruction, str]]
"""By the identity of operands and fields, which the decoder keeps: such an instruction, and what is wrong with it."""

#: Instructions that are kept for kernels of some registers.
_MOST = 1 << 17


@lru_cache(maxsize=16)
def _known(target: str, wave_size: int, scalars: int, vectors: int, accumulators: int) -> Known:
    """What was asked of kernels of so many registers, on which the answer hangs."""
    return {}


def _gives_back(instruction: Instruction) -> bool:
    """Whether the wave gives its vector registers back."""
    return instruction.name == "S_SENDMSG" and instruction.fields.get("simm16") == DEALLOCATE_VGPRS


def _faults(kernel: KernelBinary, instruction: Instruction) -> Iterator[str]:
    """What is wrong with an instruction."""
    if any(_has_not(kernel.target, one.name) for one in instruction.halves or (instruction,)):
        yield f"an instruction that {kernel.target} has not"
    if instruction.fields.get("lds") and kernel.machine.has_not(_WIDE_TO_LDS.get(instruction.name, "")):
        yield f"a load to LDS that {kernel.target} has not"
    spans = list(operand_spans(instruction, kernel.target, kernel.wave_size))
    for role, operand, count in spans:
        if operand.kind in ("v", "a"):
            yield from _vector_faults(kernel, operand, count, role == "d" and instruction.name in _MAY_BE_ODD)
        elif operand.kind == "s":
            yield from _scalar_faults(kernel, operand, count)
            if role in ("d", "m", "m2") and operand.index in _TRAPS:
                yield f"it writes s{operand.index}, a trap temporary"
        elif role == "d" and instruction.name in ACCESSES:
            yield f"it loads to {operand}"
        elif count > 1 and operand.kind in ("m0", "scc"):
            yield f"{count} registers from {operand} on are not there"
    if not of_the_block(instruction):
        yield "a barrier that is not the block's"
    matrix = matrix_instruction_of(instruction.name, kernel.target)
    if matrix and matrix.wave != kernel.wave_size:
        yield f"it is described of waves of {matrix.wave} lanes"
    wait = kernel.architecture.waits.get(instruction.name)
    said = wait.bits if wait else 0 if instruction.name in ("S_ENDPGM", "S_BARRIER") else 0xFFFF
    if instruction.fields.get("simm16", 0) & ~said:
        yield "bits of its immediate that say nothing"
    if instruction.name == "S_WAITCNT_VSCNT" and instruction.operands["d"].kind != "null":
        yield f"it adds {instruction.operands['d']} to what it waits for"
    yield from _offset_faults(kernel, instruction)
    yield from _overlaps(kernel, instruction, spans)
    for one in instruction.halves or (instruction,):
        yield from _modifier_faults(one)
    yield from _bus_faults(kernel, instruction)


@lru_cache(maxsize=1 << 14)
def _has_not(target: str, name: str) -> bool:
    return code_format(target).has_not(name)


def _vector_faults(kernel: KernelBinary, operand: Operand, count: int, may_be_odd: bool) -> Iterator[str]:
    most = kernel.vector_registers if operand.kind == "v" else kernel.accumulators
    if operand.index + count > most:
        yield f"the kernel asks for {most} registers {operand.kind}"
    if count > 1 and kernel.architecture.even_vectors and operand.index % 2 and not may_be_odd:
        yield f"{count} registers from {operand} on, which is odd"


def _scalar_faults(kernel: KernelBinary, operand: Operand, count: int) -> Iterator[str]:
    first, last = operand.index, operand.index + count - 1
    if count > 1 and first % (2 if count == 2 else 4):
        yield f"{count} registers from s{first} on, which is not aligned"
    if not any(low <= first and last <= high for low, high in _SCALARS):
        yield f"{count} registers from s{first} on are not there"
    if kernel.scalar_registers <= last < _OF_THE_MACHINE:
        yield f"the kernel asks for {kernel.scalar_registers} registers s"


def of_the_block(instruction: Instruction) -> bool:
    """Whether a barrier, if it is one, is that of all waves of the block."""
    return instruction.name not in _BLOCKS_BARRIER or _BLOCKS_BARRIER[instruction.name](instruction)


def operand_spans(instruction: Instruction, target: str, wave_size: int) -> Iterator[Span]:
    """Each operand by its role, and how many registers it takes; of an instruction without an entry, one."""
    for one in instruction.halves or (instruction,):
        name, matrix = one.name, matrix_instruction_of(one.name, target)
        counts: Mapping[str, int]
        if name in ALU:
            counts = _alu_counts(name, wave_size)
        elif name in ACCESSES:
            counts = _access_counts(one, access_of(name, one.fields))
        elif matrix is not None:
            counts = dict(registers_of(matrix))
        elif name in TENSOR_COPIES:
            counts = dict(GROUPS)
        else:
            counts = dict.fromkeys(one.operands, 1)
        yield from ((role, operand, counts[role]) for role, operand in one.operands.items() if role in counts)


@lru_cache(maxsize=1 << 12)
def _alu_counts(name: str, wave_size: int) -> Mapping[str, int]:
    tokens = dict.fromkeys((*ALU[name].writes, *ALU[name].reads))
    counts = {token[0]: _count(token, wave_size) for token in tokens if token[0] in "abcdmn"}
    return counts | ({"m2": counts["m"]} if "m" in counts else {})


def _count(token: str, lanes: int) -> int:
    return lanes // 32 if token in ("m", "n") else 2 if token.endswith("64") else 1


def _access_counts(instruction: Instruction, access: MemoryInstruction) -> dict[str, int]:
    """Registers of a memory instruction; its vector address is of 64 bits where it has no scalar base."""
    elements = 2 if access.pair_step else 1
    counts = {"d": access.registers * elements, "data": access.registers, "data2": access.registers}
    if access.atomic and access.atomic.operands == 2 and access.space != "lds":
        counts["data"] *= 2
    if access.by_lane:
        counts |= {"d": 1, "data": 1}  # where in LDS
    elif access.to_lds or (access.atomic and not access.returns(instruction.fields)):
        del counts["d"]
    if access.space == "constant":
        return {"d": counts["d"], "base": 2, "soffset": 1}
    if access.space == "buffer":
        both = instruction.fields.get("idxen", 0) & instruction.fields.get("offen", 0)
        return counts | {"resource": 4, "addr": 1 + both, "soffset": 1}
    has_base = instruction.operands.get("base", NO_REGISTER) != NO_REGISTER
    if access.space == "scratch":
        return counts | ({"base": 1} if has_base else {})
    whole = access.space in ("global", "flat") and not has_base
    return counts | {"addr": 2 if whole else 1} | ({"base": 2} if has_base else {})


def _offset_faults(kernel: KernelBinary, instruction: Instruction) -> Iterator[str]:
    """Immediates of memory instructions."""
    fields, access = instruction.fields, ACCESSES.get(instruction.name)
    unsigned = instruction.form == "FLAT" and "FLAT" not in kernel.architecture.signed_offsets
    if unsigned and fields.get("offset", 0) >> _FLAT_OFFSET:
        yield f"the offset {fields['offset']:#x}, of which the machine ignores the highest bit"
    if access and access.pair_step and fields.get("offset0", 0) == fields.get("offset1", 0):
        yield "two elements at one offset"


def _overlaps(kernel: KernelBinary, instruction: Instruction, spans: Sequence[Span]) -> Iterator[str]:
    """Registers of a matrix product that lie on its result's."""
    if matrix_instruction_of(instruction.name, kernel.target) is None:
        return
    places = {role: (operand, count) for role, operand, count in spans if operand.kind in ("v", "a")}
    result, count = places["d"]
    if count <= _SMALL and not instruction.name.startswith("V_WMMA"):
        return
    for role in ("a", "b", "c", *SCALES):
        other, size = places.get(role, (Operand("int"), 0))
        meet = other.kind == result.kind and other.index < result.index + count and result.index < other.index + size
        if meet and not (role == "c" and other == result):
            yield f"the result lies on {other}"


def _bus_faults(kernel: KernelBinary, instruction: Instruction) -> Iterator[str]:
    """Scalar registers, masks and literals that a vector instruction reads; dual instructions are not looked at."""
    alu = ALU.get(instruction.name)
    if alu is None or not instruction.form.startswith("VOP") or instruction.halves:
        return
    roles = {token[0] for token in alu.reads} & set("abcn")
    scalar = {o for role, o in instruction.operands.items() if role in roles and o.kind in _ON_BUS}
    most = kernel.architecture.scalar_operands
    if len(scalar) > most:
        yield f"it reads {len(scalar)} scalar operands, the machine {most}"


def _modifier_faults(instruction: Instruction) -> Iterator[str]:
    alu, fields = ALU.get(instruction.name), instruction.fields
    if alu is None or not fields:
        return
    there = bits_of({token[0] for token in alu.reads})
    of_numbers = bits_of(alu.signs) if alu.signs else there
    own = sorted(alu.fields & {"neg", "neg_hi", "opsel"})
    for field in own or ("neg", "abs"):
        said = (alu.picks or there) if field == "opsel" else there if own else of_numbers
        if fields.get(field, 0) & ~said:
            yield f"{field} of a source that it has not"
    upper = fields.get("opsel_hi", 3) | fields.get("opsel_hi2", 1) << 2
    if ~upper & 7 & ~there:
        yield "opsel_hi of a source that it has not"
