"""Bank conflicts as statements for a solver: about two lanes, or about all lanes written out.

Two lanes of one phase conflict where their units (aligned blocks of the instruction's width) are different and fall
into the same banks:

    conflict-free    ∀ lanes l, m of one phase, ∀ variables:  unit(l) mod B = unit(m) mod B  ⇒  unit(l) = unit(m)
    cycles of a phase    max over lanes l of |{unit(m) : m in the phase, unit(m) mod B = unit(l) mod B}|

for lanes m that take part, with B = banks · 4 / unit bytes.  The first is one small statement, whatever the tile's
size.  Where a size multiplies the lane (a symbolic stride), the lanes are written out and equal differences counted
once: 31 for a stride and 32 lanes.

Lanes that want one dword share it.  Of reads that merge phases where neighbouring lanes agree
(`LdsInstruction.pairs_merge`), both ways are stated, each under its condition on the addresses.  What it cannot say:
accesses of which no unit holds each lane's bytes (`UndividedError`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, inf

from layoutalg.index import (
    TRUE,
    Expr,
    InexpressibleError,
    add,
    all_of,
    any_of,
    eq,
    lookup,
    negation,
    postorder,
    select,
    substitute,
    variables,
    xor,
)
from layoutalg.index.f2 import parity_checks
from layoutalg.index.normal import normal, recover
from layoutalg.index.poly import Poly
from layoutalg.index.primed import primed
from layoutalg.memory.bank_cost import unit
from layoutalg.memory.banks import phase_subgroup
from layoutalg.memory.reach import Access
from layoutalg.memory.waves import relative
from layoutalg.prove.obligation import ForAll, Shown
from layoutalg.target import LdsInstruction
from layoutalg.target.model import DWORD

Phases = Sequence[Sequence[int]]


class UndividedError(InexpressibleError):
    """An instruction whose conflicts cannot be counted in units: only enumeration prices it.

    >>> from dataclasses import replace
    >>> from layoutalg.index import var
    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.memory import access, lane_map
    >>> from layoutalg.target import target
    >>> lane, how = var("lane", 64), replace(target("gfx942").instruction("ds_read_b64"), alignment=4)
    >>> units(access(naive((64, 4), (4, 1)), lane_map(lane, (lane, 0), width=4), "f16", "gfx942", how))
    Traceback (most recent call last):
        ...
    layoutalg.memory.conflict_statements.UndividedError: ds_read_b64 moves 8 bytes from a multiple of 4: no common unit
    """


def two_lanes(access: Access) -> ForAll:
    one = access.lanes.lane
    copies = primed([one])
    here, other = units(access), copies[one]
    there = substitute(here, copies)
    size = _banks(access)
    goal = any_of(negation(eq(here % size, there % size)), eq(here, there))
    bounded = all(node.lo > -inf and node.hi < inf for node in postorder(here))
    together = _same_phase(access.instruction, one, other, bounded)
    shown = (Shown("lanes", (one, other)), Shown("units", (here, there)))
    both = all_of(access.taking_part, substitute(access.mask, copies))
    return ForAll("no two lanes of a phase conflict", goal, all_of(both, together), shown)


def units(access: Access) -> Expr:
    """The number of each lane's unit, counted from one that all lanes share; UndividedError where there is no unit."""
    size = unit(access.instruction)
    if size is None:
        how = access.instruction
        raise UndividedError(f"{how.name} moves {how.bytes} bytes from a multiple of {how.alignment}: no common unit")
    return relative(access.start, access.lanes.lane, size) // size


def _banks(access: Access) -> int:
    size = unit(access.instruction)
    assert size is not None
    return access.instruction.banks * DWORD // size


def _bitwise(*exprs: Expr) -> bool:
    return any(node.op in ("xor", "and") for node in postorder(*exprs))


def _same_phase(how: LdsInstruction, one: Expr, other: Expr, bitwise: bool) -> Expr:
    """Whether two lanes are served together: the checks of the subgroup that the phases are cosets of, or a table."""
    basis = phase_subgroup(how)
    if basis is None:
        return eq(lookup(how.phase_of, one), lookup(how.phase_of, other))
    checks = parity_checks(basis, how.lanes.bit_length() - 1)
    low = min((c.bit_length() - 1 for c in checks), default=0)
    if checks == [1 << n for n in range(low, how.lanes.bit_length() - 1)]:
        return eq(one >> low, other >> low)
    return all_of(*(eq(_parity(one, c, bitwise), _parity(other, c, bitwise)) for c in checks))


def _parity(lane: Expr, mask: int, bitwise: bool) -> Expr:
    """The parity of some bits of a lane; an xor sends the query to bit-vectors, which need limits and are faster."""
    bits = [(lane >> n) % 2 for n in range(mask.bit_length()) if mask >> n & 1]
    if not bitwise:
        return add(*bits) % 2
    total = bits[0]
    for bit in bits[1:]:
        total = xor(total, bit)
    return total


# --- the lanes written out --------------------------------------------------------------------------------------------


def strided(access: Access) -> bool:
    """Whether something that is not a number multiplies or divides what depends on the lane."""
    lane = access.lanes.lane
    for node in postorder(access.start):
        if node.op in ("mul", "div", "mod") and node.args[1].op != "const" and lane in variables(node):
            return True
    return False


def unrolled(access: Access, phases: Phases, given: Expr) -> ForAll:
    """All pairs of lanes that take part at once, equal differences of their units counted once.

    The goal holds `given` in front, because it may be false for all values.
    """
    size = _banks(access)
    found: dict[Expr, None] = {}
    at, part = _each_lane(access), _each_mask(access)
    for lanes in phases:
        for n, one in enumerate(lanes):
            for other in lanes[:n]:
                both = all_of(part[one], part[other])
                found[any_of(negation(both), _apart(at[one], at[other], size))] = None
    goal = any_of(negation(given), all_of(*found))
    return ForAll("no two lanes of a phase conflict", goal, access.condition)


def _each_lane(access: Access) -> list[Expr]:
    number = units(access)
    return [substitute(number, {access.lanes.lane: n}) for n in range(access.instruction.lanes)]


def _each_mask(access: Access) -> list[Expr]:
    return [substitute(access.mask, {access.lanes.lane: n}) for n in range(access.instruction.lanes)]


def _apart(one: Expr, other: Expr, size: int) -> Expr:
    """That two units do not conflict: other banks, or the same unit."""
    banks, same = _meeting(one, other, size)
    return any_of(negation(banks), same)


def _meeting(one: Expr, other: Expr, size: int) -> tuple[Expr, Expr]:
    """Whether two units want the same banks, and whether they are one: of their difference, common factors cancelled.

    f·x mod n = 0  ⇔  x mod (n / gcd(f, n)) = 0, so that few different conditions are left of many pairs of lanes.
    """
    if _bitwise(one, other):
        return eq(one % size, other % size), eq(one, other)
    difference = recover(normal(one) - normal(other))
    if difference.terms and next(iter(difference.terms.values())) < 0:
        difference = -difference
    factor = gcd(*difference.terms.values())
    if not factor:
        return TRUE, TRUE
    d = Poly({m: k // factor for m, k in difference.terms.items()}).expr()
    return eq(d % (size // gcd(factor, size)), 0), eq(d, 0)


def wanted(access: Access, lanes: Sequence[int]) -> list[Expr]:
    """For each lane of a phase: how many different units the lanes that take part ask its banks for."""
    size, at, part = _banks(access), _each_lane(access), _each_mask(access)
    meets = {(m, n): _meeting(at[m], at[n], size) for m in lanes for n in lanes}
    new = {
        m: all_of(part[m], *(negation(all_of(part[k], meets[m, k][1])) for k in lanes[:n])) for n, m in enumerate(lanes)
    }
    return [add(*(select(all_of(new[m], meets[m, n][0]), 1, 0) for m in lanes)) for n in lanes]


def ways(access: Access) -> list[tuple[Expr, Phases]]:
    """The ways in which the access may be served: a condition on the addresses, and the phases then."""
    how = access.instruction
    if not how.pairs_merge:
        return [(TRUE, how.phases)]
    agree = _pairs_agree(access)
    merged = [(*a, *b) for a, b in zip(how.phases[0::2], how.phases[1::2], strict=True)]
    return [(negation(agree), how.phases), (agree, merged)]


def _pairs_agree(access: Access) -> Expr:
    """Whether all lanes l and l xor 1 have one address, or all l and l xor 2: then pairs of phases are one."""
    at = _each_lane(access)
    return any_of(*(all_of(*(eq(at[n], at[n ^ bit]) for n in range(len(at)) if n < n ^ bit)) for bit in (1, 2)))
