"""Two decoders over code: each encoding that occurs is decoded by both once, and counted as often as it occurs.

| kind of difference | is |
|---|---|
| not decoded | LLVM knows it, ours refuses it: the message says what |
| unknown to LLVM | ours decodes it |
| size, name, operands, modifiers | both decode it, differently |
| registers | an operand takes another number of registers than the table of semantics says |
| counts | a wait says other numbers of accesses |
| only ours | ours keeps bits of which LLVM says nothing, such as a sign of what has none |
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from benchmarks.decoders.llvm import Llvm
from benchmarks.decoders.ours import alike, compared, said
from benchmarks.decoders.said import Said, left, read
from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.architecture import ARCHITECTURES, Architecture
from layoutalg.isa.container.descriptor import code_format
from layoutalg.isa.decode.allowed import operand_spans
from layoutalg.isa.decode.instructions import Instruction, decode
from layoutalg.isa.semantics.accesses import ACCESSES
from layoutalg.isa.semantics.matrix import matrix_instruction_of
from layoutalg.isa.semantics.table import ALU

SIZES = (4, 8, 12, 16)
"""Bytes of an encoding."""
_NUMBERS = re.compile(r"bytes [0-9a-f]+: |, at 0x[0-9a-f]+|(?<= word=)0x[0-9a-f]+| 0x[0-9a-f]+$")


@dataclass(frozen=True)
class Difference:
    """How the decoders differ, on what, and what both say of it."""

    kind: str
    what: str
    code: bytes
    target: str
    ours: str
    theirs: str


@dataclass
class Comparison:
    """What was compared so far."""

    llvm: Llvm
    instructions: Counter[str] = field(default_factory=Counter)  # by target
    encodings: Counter[str] = field(default_factory=Counter)
    differences: Counter[tuple[str, str, str]] = field(default_factory=Counter)  # family, kind, what
    examples: dict[tuple[str, str, str], Difference] = field(default_factory=dict)
    texts: dict[tuple[str, bytes], str] = field(default_factory=dict)  # LLVM's, by target and encoding
    _seen: dict[tuple[str, bytes], Difference | None] = field(default_factory=dict)
    _codes: set[tuple[str, bytes]] = field(default_factory=set)

    def add(self, code: bytes, target: str) -> None:
        """The instructions of a piece of code; one that was there before is not counted again."""
        if (target, code) in self._codes:
            return
        self._codes.add((target, code))
        at = 0
        while at < len(code):
            at += self.add_one(code[at : at + 20], target)

    def add_one(self, code: bytes, target: str) -> int:
        """The first instruction of some bytes; returns how many it takes."""
        size = next((size for size in SIZES if (target, code[:size]) in self._seen), 0)
        if size:
            self._count(target, code[:size])
            return size
        size, text = self.llvm.instruction(code, target)
        self.take(code[: size or SIZES[0]], target, text, code)
        return size or SIZES[0]

    def take(self, code: bytes, target: str, text: str, whole: bytes = b"") -> None:
        """An encoding and what LLVM says of it ("": it is none, and more bytes may be `whole`)."""
        if (target, code) not in self._seen:
            self._seen[target, code] = difference(code if text else whole or code, target, text)
            self.encodings[target] += 1
            if text:
                self.texts[target, code] = text
        self._count(target, code)

    def _count(self, target: str, code: bytes) -> None:
        self.instructions[target] += 1
        found = self._seen[target, code]
        if found:
            key = (code_format(target).decoder, found.kind, found.what)
            self.differences[key] += 1
            self.examples.setdefault(key, found)


def difference(code: bytes, target: str, text: str) -> Difference | None:
    """How the decoders differ on an encoding, of which LLVM says the text ("": it is none)."""
    machine = code_format(target)
    architecture = ARCHITECTURES[machine.decoder]
    name = text.partition(" ")[0]

    def differs(kind: str, what: str, ours: object = "") -> Difference:
        return Difference(kind, what, code, target, str(ours), text)

    try:
        ours = next(decode(code, 0, architecture, target))
    except UnsupportedInstructionError as error:
        return differs("not decoded", f"{name}: {_NUMBERS.sub('', str(error))}") if text else None
    if not text:
        return differs("unknown to LLVM", ours.name, ours)
    if "/*Invalid" in text or "Warning:" in text:
        return None  # registers that it cannot have, by LLVM: `allowed` refuses them
    if ours.size != len(code):
        return differs("size", ours.name, ours)
    one = said(ours, architecture, machine)
    other = compared(one, read(text), target)
    if one.name != other.name:
        return differs("name", f"{one.name} {other.name}", ours)
    words = dict(other.modifiers).get("words")
    if words is not None:
        wait = architecture.waits.get(ours.name)
        wrong = wait is not None and left(str(words), wait) != wait.left(ours.fields.get("simm16", 0))
        return differs("counts", ours.name, ours) if wrong else None
    if (one.operands, one.modifiers) != (other.operands, other.modifiers):
        if alike(one, other):
            return differs("only ours", ours.name, ours)
        return differs("operands" if one.operands != other.operands else "modifiers", ours.name, ours)
    try:
        wrong_role = next(_other_widths(ours, one, other, target, architecture), None)
    except UnsupportedInstructionError:
        return None  # a modifier of which no table says what it makes of registers
    return differs("registers", f"{ours.name} {wrong_role}", ours) if wrong_role else None


def _other_widths(ours: Instruction, one: Said, other: Said, target: str, architecture: Architecture) -> Iterator[str]:
    """Roles of operands that take another number of registers; LLVM says it of registers."""
    named = {half.name for half in ours.halves or (ours,)}
    if not (named <= ALU.keys() or named <= ACCESSES.keys() or matrix_instruction_of(ours.name, target)):
        return
    lanes = 64 if architecture.tables == "cdna" else 32
    counts: dict[str, set[int]] = defaultdict(set)
    status = ours.fields.get("tfe", 0)  # a register more, of what failed
    for role, operand, count in operand_spans(ours, target, lanes):
        counts[f"{operand.kind}{operand.index}"].add(count + (status if role in ("d", "data") else 0))
    for text, width in zip(one.operands, other.widths, strict=False):
        said_of = counts.get(text.strip("-|").removesuffix(".h"), set())
        if width and len(said_of) == 1 and width not in said_of:
            yield f"{text}: {min(said_of)}, {width} of LLVM" if ours.halves else f"{width} of LLVM"
