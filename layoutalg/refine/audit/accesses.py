"""What one lane of any wave accesses, instruction by instruction, and the claims that need no other lane.

| claim | says, of every access that happens |
|---|---|
| `in_bounds` | its bytes lie in the tensor's memory, and those of a store in its elements |
| `lds_in_bounds` | its bytes lie in the LDS that the kernel and the launch ask for |
| `aligned` | its address is a multiple of what its instruction needs |
| `no_overflow` | no word of 32 or 64 bits that its address is made of was cut: see below |
| `read_only` | a tensor that the launch does not name under `writes` is not stored to |
| `defined` | what is stored is made of what was given, loaded or computed, of nothing that nobody wrote |

A word that a sum or product does not fit in is followed modulo 2ⁿ; where its value is looked at, and is not seen to be
in range (without a sign or with one, as the code takes it), the remainder stands in the address.  So an address without
such remainders is the number that its indices make, and `no_overflow` says that each remainder changes nothing.  Of
words that are made of loaded data it says nothing: hashes wrap.  It fails where sizes and indices alone show it: the
remainder is what the machine computes there, so no run is needed, which at such sizes would be long.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace

from layoutalg.index import FALSE, Expr, all_of, const, eq, mod, postorder
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.semantics.accesses import alignment_of
from layoutalg.refine.audit.launched import Launched
from layoutalg.refine.symbolic.state import TracedElement
from layoutalg.refine.values.unknowns import Kind, dependencies, kind_of

LDS = "lds"

#: What words are cut to.
WORDS = (const(1 << 32), const(1 << 64))


@dataclass(frozen=True)
class Access:
    """What one instruction moves at once for one lane: bytes from the start of a tensor, or of LDS."""

    instruction: Instruction
    store: bool
    memory: str  # a tensor's name, or `lds`
    offset: Expr
    width: int  # bytes
    guard: Expr
    barriers: Expr
    undefined: bool  # whether what is stored may be made of what nothing wrote
    loops: tuple[Expr, ...] = ()  # the turns of the loops around it, the outermost first
    atomic: bool = False  # an atomic operation, which reads and stores at once

    def __str__(self) -> str:
        verb = "stores to" if self.store else "loads from"
        return f"{self.instruction.address:#x} {self.instruction.name.lower()} {verb} {self.memory}"


@dataclass(frozen=True)
class Question:
    """One formula of a claim: in all cases that are given, the goal."""

    claim: str
    about: str
    goal: Expr
    given: Expr


def accesses(trace: Sequence[TracedElement]) -> tuple[Access, ...]:
    """The accesses of a trace, whose elements are put together again."""
    found: list[Access] = []
    for one in trace:
        undefined = one.store and any(kind_of(v) is Kind.UNDEFINED for v in dependencies(one.value))
        if one.within and found:
            found[-1] = replace(found[-1], undefined=found[-1].undefined or undefined)
        else:
            this = one.instruction, one.store, one.buffer, one.offset, one.width, one.guard, one.barriers
            found.append(Access(*this, undefined, one.loops))
    return tuple(found)


def questions(found: Sequence[Access], launched: Launched, loaded: Container[Expr] = ()) -> Iterator[Question]:
    """What is to be decided of each access by itself; `loaded` are the unknowns that stand for data."""
    for access in found:
        in_lds = access.memory == LDS
        given, about = all_of(launched.given, access.guard), str(access)
        if in_lds:
            inside = all_of(access.offset >= 0, access.offset + access.width <= launched.lds_bytes)
        else:
            inside = launched.tensors[access.memory].inside(access.offset, access.width, access.store)
        yield Question("lds_in_bounds" if in_lds else "in_bounds", about, inside, given)
        needed = alignment_of("lds" if in_lds else "global", access.width)
        if needed > 1:
            yield Question("aligned", about, eq(mod(access.offset, needed), 0), given)
        yield Question("no_overflow", about, _uncut(access.offset, loaded), given)
        if access.store and not in_lds and not launched.tensors[access.memory].written:
            yield Question("read_only", about, FALSE, given)
        if access.store and access.undefined:
            yield Question("defined", about, FALSE, given)


def _uncut(offset: Expr, loaded: Container[Expr]) -> Expr:
    """Whether what is cut to a word in an offset is in range, but for what was loaded."""
    cuts = [node for node in postorder(offset) if node.op == "mod" and node.args[1] in WORDS]
    cuts = [node for node in cuts if not any(v in loaded for v in dependencies(node))]
    return all_of(*(all_of(node.args[0] >= 0, node.args[0] < node.args[1]) for node in cuts))
