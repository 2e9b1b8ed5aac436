"""Any linear swizzle over F₂: found, or proved not to exist, by asking the solver to refute that there is none.

Number the tile's vectors in the packed order, u = Σ uⱼ·2ʲ.  A linear swizzle puts vector u into the slot (of those in
one round of the banks) whose number is Q·u: each bit uⱼ contributes a column qⱼ, and columns are xor-ed.  A phase of an
access wants the vectors of a subspace W (shifted; `memory.banks.phase_subgroup`), and two of them meet exactly where
Q·w = 0 for a difference w of theirs.  So, with S slots on the target of the access:

    free of conflicts    ⇔    for every access and every w ≠ 0 in its W:   (⊕ of the qⱼ with wⱼ = 1) mod S ≠ 0

The negation, "every choice of columns has a conflict", is a statement of few bits about all swizzles: the solver proves
it (then there is none), or its counterexample is the swizzle, of which `fields` makes a descriptor.

| tile 128 × 64 fp16, operands of 32 × 32 × 16 | q of the part's bits | q of the row's bits          |
|----------------------------------------------|----------------------|------------------------------|
| packed                                       | 1, 2, 4              | 8 (gfx950), then 0           |
| CK's xor                                     | 1, 2, 4              | 9, 2, 4, then 0              |

What it cannot represent: a tile whose vectors' number in a row, or rows, is no power of two; uses with carries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations, product

import numpy as np

from layoutalg.index import Expr, add, any_of, as_expr, eq, lookup, select, var, xor
from layoutalg.index.f2 import image, span
from layoutalg.layout import TensorDescriptor
from layoutalg.memory import Access
from layoutalg.memory.bank_cost import address_columns
from layoutalg.memory.banks import phase_subgroup, served
from layoutalg.prove import ForAll, Limits, Proved, Refuted, Verdict, prove
from layoutalg.records import dataclass
from layoutalg.synth.fields import descriptor_of
from layoutalg.synth.gemm import packed
from layoutalg.synth.problem import Problem
from layoutalg.target.model import DWORD


@dataclass(frozen=True)
class Demand:
    """What one access on one target asks: no two of these vectors, differing by `apart`, in one of `slots` slots."""

    name: str
    slots: int
    apart: frozenset[int]


@dataclass(frozen=True)
class Swizzle:
    """Columns qⱼ, one for each bit of the vector's number; None where there are none, with the solver's verdict."""

    columns: tuple[int, ...] | None
    verdict: Verdict | None = None


def demands(problem: Problem) -> tuple[Demand, ...] | None:
    """What each access asks of a linear swizzle; None where the tile or an access is not linear over F₂."""
    rows, columns = problem.lengths
    size = problem.vector_bytes
    parts = columns // problem.vector
    if rows < 2 or rows & (rows - 1) or parts & (parts - 1) or size & (size - 1) or size < DWORD:
        return None
    found = []
    for access in problem.accesses(packed(rows, columns)):
        one = _demand(access, size)
        if one is None:
            return None
        found.append(one)
    return tuple(found)


def _demand(access: Access, size: int) -> Demand | None:
    lanes = address_columns(access)
    if lanes is None or access.instruction.dwords & (access.instruction.dwords - 1):
        return None
    addresses = np.array([image(lanes, lane) for lane in range(access.instruction.lanes)])
    how = served(access.instruction, addresses)
    group = phase_subgroup(how)
    if group is None or how.banks * DWORD % size:
        return None
    wanted = [image(lanes, lane) // DWORD for lane in group]
    wanted += [1 << n for n in range(how.dwords.bit_length() - 1)]
    inside = size // DWORD
    apart = {w // inside for w in span(wanted) if w and w % inside == 0}
    return Demand(access.name, how.banks * DWORD // size, frozenset(apart))


def fewest_cycles(problem: Problem) -> int:
    """What no swizzle goes below, where a phase wants more vectors than there are slots; else 1."""
    return max((-(-(len(d.apart) + 1) // d.slots) for d in demands(problem) or ()), default=1)


def no_fewer(problem: Problem) -> tuple[Verdict]:
    """That no layout goes below `fewest_cycles`: a slot holds so many of the vectors that one phase wants."""
    cycles = fewest_cycles(problem)
    text = f"every layout that keeps vectors of {problem.vector} elements whole takes {cycles} cycles in some phase"
    return (Proved(text, "pigeonhole", 0.0),)


def find_swizzle(problem: Problem, most: int = 1, limits: Limits | None = None) -> Swizzle | None:
    """A swizzle with at most `most` cycles a phase for every access, or the proof that no linear one has so few.

    First the regular ones, of which the one of fewest xors; then the solver's, with the slot's bits where the packed
    tile has them, then anywhere, and again with fewer bits set as long as there is one.  None where the problem is not
    linear.
    """
    asked = demands(problem)
    if asked is None:
        return None
    limits = limits or Limits()
    if fewest_cycles(problem) > most:
        return Swizzle(None, *no_fewer(problem))
    bits = (problem.packed_bytes // problem.vector_bytes).bit_length() - 1
    natural = min(bits, max(d.slots for d in asked).bit_length() - 1)
    part_bits = (problem.lengths[1] // problem.vector).bit_length() - 1
    fit = [q for q in regular(bits, part_bits, natural) if serves(q, asked, most)]
    if fit:
        return Swizzle(min(fit, key=lambda q: (xors_of(problem, q), sum(c.bit_count() for c in q))))
    found = Swizzle(None)
    for fixed in (natural, 0):
        found = _asked(asked, bits, fixed, most, None, limits)
        if found.columns is not None:
            ask = partial(_asked, asked, bits, fixed, most, limits=FEWER)
            return _sparser(found, ask)
        if not isinstance(found.verdict, Proved):
            break
    return found


def regular(bits: int, part_bits: int, slot_bits: int) -> Iterator[tuple[int, ...]]:
    """Columns that few CK xors make: neighbouring bits of the row xor-ed into neighbouring bits of the slot.

    The slot's low bits are the vector's bits in the row, and, where these are too few, some of the row's.

    >>> (1, 2, 4, 1, 2, 4, 0) in set(regular(7, 3, 3))  # CK's xor
    True
    """
    rows = bits - part_bits
    parts = [1 << j if j < slot_bits else 0 for j in range(part_bits)]
    for above in combinations(range(rows), max(0, slot_bits - part_bits)):
        for first, length in product(range(rows), range(slot_bits + 1)):
            columns = parts + [0] * rows
            for n, row in enumerate(above):
                columns[part_bits + row] |= 1 << part_bits + n
            for n in range(min(length, rows - first)):
                columns[part_bits + first + n] ^= 1 << n
            yield tuple(columns)


def serves(columns: Sequence[int], asked: Sequence[Demand], most: int = 1) -> bool:
    """Whether no phase takes more than `most` cycles."""
    return all(sum(image(columns, w) % d.slots == 0 for w in d.apart) < most for d in asked)


def xors_of(problem: Problem, columns: Sequence[int]) -> int:
    """The xor transforms that a swizzle's descriptor has."""
    return sum(t.name == "xor" for t in swizzle_descriptor(problem, columns).adaptor.transforms)


FEWER = Limits(seconds=0.3)
"""What one search for a sparser swizzle may cost."""


def _sparser(found: Swizzle, ask: Callable[[int], Swizzle]) -> Swizzle:
    while found.columns is not None:
        fewer = ask(sum(q.bit_count() for q in found.columns) - 1)
        if fewer.columns is None:
            break
        found = fewer
    return found


def _asked(asked: Sequence[Demand], bits: int, fixed: int, most: int, ones: int | None, limits: Limits) -> Swizzle:
    columns, statement = _every_choice_fails(asked, bits, fixed, most, ones)
    verdict = prove(statement, strategy="z3", limits=limits)
    if not isinstance(verdict, Refuted):
        return Swizzle(None, verdict)
    at = verdict.witness.points[0]
    return Swizzle(tuple(int(q) if q.op == "const" else at.get(q.value.name, 0) for q in columns), verdict)


def _every_choice_fails(
    asked: Sequence[Demand], bits: int, fixed: int, most: int, ones: int | None
) -> tuple[list[Expr], ForAll]:
    """The columns as variables (the first `fixed` of them the slot's own bits), and that no choice serves all.

    `ones`: choices with more bits set do not count.
    """
    slots = min(max(d.slots for d in asked), 1 << bits)
    columns = [as_expr(1 << j) if j < fixed else var(f"q{j}", slots) for j in range(bits)]
    fails = []
    for demand in asked:
        at = [eq(_sum(columns, w) % demand.slots, 0) for w in sorted(demand.apart)]
        if most == 1:
            fails += at
        elif len(at) >= most:
            fails.append(add(*(select(zero, 1, 0) for zero in at)) >= most)
    if ones is not None:
        fails.append(add(*(lookup([n.bit_count() for n in range(slots)], q) for q in columns)) > ones)
    names = ", ".join(dict.fromkeys(d.name for d in asked))
    label = f"every linear swizzle takes more than {most} cycle{'s' * (most > 1)} in some phase of: {names}"
    return columns, ForAll(label, any_of(*fails))


def _sum(columns: Sequence[Expr], w: int) -> Expr:
    total: Expr = add(0)
    for j, column in enumerate(columns):
        if w >> j & 1:
            total = xor(total, column)
    return total


def swizzle_descriptor(problem: Problem, columns: Sequence[int]) -> TensorDescriptor:
    """The tile with its vectors in the slots that the columns say."""
    asked = demands(problem)
    assert asked is not None, "columns come from demands"
    parts = problem.lengths[1] // problem.vector
    return descriptor_of(columns, max(d.slots for d in asked), parts.bit_length() - 1, problem.vector)
