"""Arithmetic instructions: sources read, the table's entry computed, results written.

An instruction is looked at once; what comes of it carries it out.

What an encoding adds to an operation is written here: signs of floating-point sources, and two operations at once (dual
instructions, whose halves both read before either writes).  Parts of registers are in `sub_dword`, data of other lanes
in `parallel`.
What it cannot represent: output modifiers, and clamping of several numbers at once.
"""

from __future__ import annotations

from functools import partial
from typing import cast

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.decode.modes import NO_MODE, OVERFLOW
from layoutalg.isa.interpreter.operands import CONSTANTS, Action, Operands, Source, Target, refuse_fields
from layoutalg.isa.interpreter.parallel import Parallel
from layoutalg.isa.interpreter.storage import Lanes
from layoutalg.isa.interpreter.sub_dword import SubDword
from layoutalg.isa.semantics.dpp import DPP_FIELDS
from layoutalg.isa.semantics.entries import Alu, Effect, bits_of
from layoutalg.isa.semantics.floats import FLOAT_MODE
from layoutalg.isa.semantics.flushed import KEPT, UNSAID, FlushedValues
from layoutalg.isa.semantics.overflow import HeldValues
from layoutalg.isa.semantics.packed import BRAIN
from layoutalg.isa.semantics.table import ALU
from layoutalg.isa.semantics.values import Values, Word


class Arithmetic:
    """Carries out entries of the table on operands."""

    def __init__(self, operands: Operands, lanes: Lanes) -> None:
        self.operands, self.kernel, self.w = operands, operands.kernel, operands.w
        self.parallel, self.parts = Parallel(operands, lanes), SubDword(operands)

    def one(self, instruction: Instruction, alu: Alu) -> Action:
        """Reads, computes and writes one arithmetic instruction."""
        where: Source | None = None
        if "_DPP" in instruction.form:
            self.parallel.refuse(instruction, alu)
            where = self.parallel.written(instruction)
        effect, sources = self._computed(instruction, alu)
        if instruction.form.endswith("_SDWA"):
            targets = [self.parts.target(instruction, token) for token in alu.writes]
        else:
            targets = [self.operands.target(instruction, token, where) for token in alu.writes]
        if len(targets) == 1:
            (write,) = targets
            return lambda: write(effect(*[read() for read in sources]))

        def several() -> None:
            for write, word in zip(targets, effect(*[read() for read in sources]), strict=True):
                write(word)

        return several

    def _computed(self, instruction: Instruction, alu: Alu) -> tuple[Effect, list[Source]]:
        """The function that the instruction is, and what reads its sources."""
        known = alu.fields | ({"simm16"} if "k" in alu.reads else frozenset())
        if alu.signs and not _turned(instruction) & ~bits_of(alu.signs):
            known |= {"neg", "abs"}
        values = self._values(instruction) if alu.floats else self.w
        clamped = _clamped(instruction, alu) if self.kernel.clamps_nan else ""
        known |= {"clmp"} if clamped else frozenset()
        in_parts, parallel = instruction.form.endswith("_SDWA"), "_DPP" in instruction.form
        parts = self.parts.fields(instruction, alu) if in_parts else frozenset()
        refuse_fields(instruction, known | parts | (DPP_FIELDS if parallel else frozenset()))
        _refuse_beyond(instruction, alu)
        if in_parts:
            sources = [self.parts.source(instruction, alu, token) for token in alu.reads]
        else:
            sources = [
                self.operands.source(instruction, token, _number(instruction, alu, token)) for token in alu.reads
            ]
        if parallel:
            first = next(k for k, token in enumerate(alu.reads) if token[0] == "a")
            sources[first] = partial(self.parallel.moved, instruction, sources[first])
        if alu.signs:
            pairs = zip(alu.reads, sources, strict=True)
            sources = [self._signed_source(instruction, token, source) for token, source in pairs]
        fields = {key: value for key, value in instruction.fields.items() if key in alu.fields}
        if "fnuz" in alu.fields:
            fields["fnuz"] = self.kernel.machine.eights == "fnuz"
        if "ftz" in alu.fields:
            fields["ftz"] = self.kernel.machine.dots_flush
        effect = self._limited(instruction, alu, partial(alu.effect, values, **fields))
        if clamped and instruction.fields.get("clmp"):
            return lambda *words: values.function(clamped, effect(*words)), sources
        return effect, sources

    def _limited(self, instruction: Instruction, alu: Alu, effect: Effect) -> Effect:
        """The function, which gives anything where a source in registers is more than it is described for."""
        w, anything = self.w, self.operands.registers.anything
        at = {token[0]: k for k, token in enumerate(alu.reads)}
        limits = {at[r]: most for r, most in alu.limits.items() if instruction.operands[r].kind not in CONSTANTS}
        if not limits:
            return effect

        def limited(*words: Word) -> Word:
            word = effect(*words)
            for k, most in limits.items():
                word = w.ite(w.ult(words[k], w.const(most + 1, 32)), word, w.pair(anything(), anything()))
            return word

        return limited

    def _values(self, instruction: Instruction) -> Values:
        """The operations of the float mode that the instruction is carried out in."""
        mode = self.kernel.float_mode if instruction.mode is None else instruction.mode
        if mode == NO_MODE or mode & ~(OVERFLOW | KEPT) != FLOAT_MODE & ~KEPT or mode & KEPT not in (0, KEPT):
            which = "a float mode that depends on the way there" if mode == NO_MODE else f"the float mode {mode:#x}"
            raise UnsupportedInstructionError(f"{instruction.name} in {which}")
        if (not mode & KEPT and instruction.name in UNSAID) or (mode != FLOAT_MODE and instruction.name in BRAIN):
            which = "overflows are held" if mode & KEPT else "denormals are flushed"
            raise UnsupportedInstructionError(f"{instruction.name} where {which}")
        values = self.w if mode & KEPT else cast(Values, FlushedValues(self.w))
        return cast(Values, HeldValues(values)) if mode & OVERFLOW else values

    def _signed_source(self, instruction: Instruction, token: str, read: Source) -> Source:
        """A floating-point source with the encoding's absolute value and negation."""
        bit = bits_of(token[0])
        absolute, negated = (bool(instruction.fields.get(field, 0) & bit) for field in ("abs", "neg"))
        if not absolute and not negated:
            return read
        bits = int(token[1:])
        sign = self.w.const(1 << bits - 1, max(bits, 32))

        def signed() -> Word:
            word = read() & ~sign if absolute else read()
            return word ^ sign if negated else word

        return signed

    def dual(self, instruction: Instruction) -> Action:
        """Both halves of a dual instruction read before either writes."""
        parts: list[tuple[Effect, list[Source], Target]] = []
        for half in instruction.halves:
            if half.name not in ALU or len(ALU[half.name].writes) != 1:
                raise UnsupportedInstructionError(f"{half.name} (half of a dual instruction) at {half.address:#x}")
            (token,) = ALU[half.name].writes
            parts.append((*self._computed(half, ALU[half.name]), self.operands.target(half, token)))

        def both() -> None:
            results = [effect(*[read() for read in sources]) for effect, sources, _ in parts]
            for (_, _, write), word in zip(parts, results, strict=True):
                write(word)

        return both


def _refuse_beyond(instruction: Instruction, alu: Alu) -> None:
    """Constants beyond what the instruction is described for; compilers that do not optimise have them in registers."""
    for role, most in alu.limits.items():
        operand = instruction.operands[role]
        if operand.kind in CONSTANTS and (operand.kind != "int" or not 0 <= operand.index <= most):
            raise UnsupportedInstructionError(f"{instruction.place}: {operand}, where it is described for 0 to {most}")


def _number(instruction: Instruction, alu: Alu, token: str) -> int:
    """The bits of the floating-point number that a source is, or of each that it holds; 0 of other sources."""
    mixed = alu.mixed and token[0] in "abc"
    if instruction.name in BRAIN and not mixed and instruction.operands[token[0]].kind == "float":
        raise UnsupportedInstructionError(f"{instruction.place}: a constant of two bf16")
    return _number_in_mixture(instruction, token) if mixed else alu.number(token)


def _number_in_mixture(instruction: Instruction, token: str) -> int:
    """The bits of a source of a mixed operation; refused are the half of an f32, and the upper half of a constant.

    An inline constant as f16 is one in the lower half (LLVM, VOP3PInstructions, MadFmaMixFP32Pats: FP16_ONE), as bf16
    the upper half of an f32 (there, BF16_ONE); of a literal, and of the other half, no source says.
    """
    fields, bit, operand = instruction.fields, bits_of(token[0]), instruction.operands[token[0]]
    upper, brain = bool(fields.get("opsel", 0) & bit), instruction.name in BRAIN
    if not (fields.get("opsel_hi", 3) | fields.get("opsel_hi2", 1) << 2) & bit:
        if upper:
            raise UnsupportedInstructionError(f"{instruction.place}: the half of an f32")
        return 32
    said = operand.kind in ("s", "v", "m0") or (operand.kind == "float" and upper == brain)
    if operand.index and not said and not (operand.kind == "int" and not upper and not brain):
        raise UnsupportedInstructionError(f"{instruction.place}: the constant {operand} as {'b' * brain}f16")
    return 32 if brain else 16


#: What the name of an operation whose result is one number ends with; conversions and those of several begin so.
_NUMBERS, _NO_NUMBER = ("F16", "F32", "F64"), ("V_CMP", "V_CVT", "V_PK", "V_FREXP_EXP", "V_FMA_MIXLO", "V_FMA_MIXHI")


def _clamped(instruction: Instruction, alu: Alu) -> str:
    """The function that holds the result between 0 and 1, and makes 0 of a NaN; empty where it is no number.

    (ISA manuals, VOP3, CLMP.)  A sum of products of halves is an f32.
    """
    name = instruction.name
    kind = "F32" if name.startswith(("V_DOT2_F32", "V_DOT2C_F32", "V_DOT2ACC_F32")) else name.rpartition("_")[2]
    if not alu.floats or kind not in _NUMBERS or name.startswith(_NO_NUMBER) or len(alu.writes) > 1:
        return ""
    return f"clamp_{kind.lower()}"


def _turned(instruction: Instruction) -> int:
    """The bits of the sources whose sign the encoding changes."""
    return instruction.fields.get("neg", 0) | instruction.fields.get("abs", 0)
