"""What a stretch of code reads before it writes it, so that a run knows whether it has read what nothing wrote.

    v_add_f32 v2, v0, v1      reads v0 and v1, writes v2
    v_mul_f32 v3, v2, v2      reads what is written here
                              →  W->noise |= EXEC & ~(dv[0] & dv[1]); dv[2] |= EXEC; dv[3] |= EXEC

Of each vector register a wave has a bit for each lane that was written, of each scalar one bit; the statements are
written before EXEC changes and where the stretch ends, so a register costs no more than one of them there.
A half that is kept is read: what it cannot represent is a register of which a half is written.

Compilers add a sum of 32 bits by V_MAD_U64_U32 and leave the upper half of its addend undefined, as nobody looks at
that of the result: so the upper half of such a sum is as undefined as that of the addend, and the carry.
"""

from __future__ import annotations

from collections.abc import Callable

from layoutalg.isa.compiled.emission import Emission
from layoutalg.isa.decode.instructions import Instruction, Operand

#: A product of 32 bits and a sum of 64 with `c`, whose lower half is that of the lower halves (ISA manuals, VOP3).
SUMS = frozenset({"V_MAD_U64_U32", "V_MAD_I64_I32"})

#: The bits of what is no numbered scalar register, behind those of the 128 that are.
_OTHERS = {"m0": 128, "scc": 129}


class Definedness:
    """Registers that were read and written since EXEC changed; statements that say so to the wave `W`."""

    def __init__(self, emission: Emission) -> None:
        self.emission = emission
        self._forget()

    def _forget(self) -> None:
        self._read, self._written = dict[str, None](), dict[str, None]()
        self._read_bits = self._written_bits = 0

    def read(self, operand: Operand) -> None:
        """A register, in the active lanes."""
        if operand.kind in ("v", "a"):
            word = f"W->d{operand.kind}[{operand.index}]"
            if word not in self._written:
                self._read[word] = None
        elif operand.kind != "null":
            self._read_bits |= _bit(operand) & ~self._written_bits

    def write(self, operand: Operand) -> None:
        """A register, in the active lanes."""
        if operand.kind in ("v", "a"):
            self._written[f"W->d{operand.kind}[{operand.index}]"] = None
        elif operand.kind != "null":
            self._written_bits |= _bit(operand)

    def read_lane(self, operand: Operand, lane: str) -> None:
        """One lane of a register, active or not."""
        self.tell()
        self.emission.statement(f"if (CHECKED) W->noise |= ~W->d{operand.kind}[{operand.index}] >> ({lane}) & 1;")

    def write_lane(self, operand: Operand, lane: str) -> None:
        """The same."""
        self.tell()
        self.emission.statement(f"if (CHECKED) W->d{operand.kind}[{operand.index}] |= 1ull << ({lane});")

    def read_all_lanes(self) -> None:
        """What was read is looked at in lanes that may not be active."""
        self.emission.statement("if (CHECKED) W->noise |= !W->full;")

    def sum(self, instruction: Instruction, step: Callable[[Instruction], None]) -> None:
        """One of `SUMS`, carried out."""
        operands = instruction.operands
        addend = operands["c"]
        upper = Operand(addend.kind, addend.index + 1)
        if addend.kind != "v" or upper in (operands["a"], operands["b"]):
            step(instruction)
            return
        self.tell()
        step(instruction)
        source, target = (f"W->dv[{index}]" for index in (upper.index, operands["d"].index + 1))
        self._read.pop(source, None)
        self._written.pop(target, None)
        carry, number = operands.get("m", Operand("null")), self.emission.name()
        self.emission.statement(f"const uint64_t {number} = CHECKED ? W->exec & ~{source} : 0;")
        self.tell()
        self.emission.statement(f"if (CHECKED) {target} = ({target} | W->exec) & ~{number};")
        if carry.kind != "null":
            mask = 3 << carry.index % 64 & (1 << 64) - 1
            self.emission.statement(f"if ({number}) W->ds[{carry.index // 64}] &= ~{mask}ull;")

    def tell(self) -> None:
        """Writes the statements, for EXEC as it is."""
        parts = list[str]()
        if self._read:
            parts.append(f"W->noise |= W->exec & ~({' & '.join(self._read)});")
        parts += (f"{word} |= W->exec;" for word in self._written)
        for number in range(3):
            read, written = (one >> 64 * number & (1 << 64) - 1 for one in (self._read_bits, self._written_bits))
            parts += [f"W->noise |= {read}ull & ~W->ds[{number}];"] if read else []
            parts += [f"W->ds[{number}] |= {written}ull;"] if written else []
        if parts:
            self.emission.statement(f"if (CHECKED) {{ {' '.join(parts)} }}")
        self._forget()


def _bit(operand: Operand) -> int:
    return 1 << _OTHERS.get(operand.kind, operand.index)
