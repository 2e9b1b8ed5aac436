"""LDS banks: which lanes meet in a cycle, what that costs, and when it costs nothing.

The LDS is split into banks of one dword (4 bytes) each, and an instruction serves its lanes in phases.  In a phase a
bank hands out one dword a cycle; lanes that want the same dword share it (a broadcast), lanes that want different
dwords of one bank wait for each other.  So a phase takes as many cycles as the most distinct dwords in one bank:

    bank(address) = (address / 4) mod banks          cycles(phase) = max over banks of |{dwords wanted of that bank}|

| 8 lanes read 16 bytes each, row-major tile of 128-byte rows, 32 banks   | cycles |
|-------------------------------------------------------------------------|--------|
| lane l reads row 0, column 16·l: every bank once                        | 1      |
| lane l reads row l, column 0: banks 0–3 eight times                     | 8      |
| lane l reads row l, column 16·(0 xor l): that column of a swizzled tile | 1      |
| every lane reads row 0, column 0: one broadcast                         | 1      |

Which lanes share a phase is the target's data (`layoutalg.target`), and is not "lanes in order" for 128-bit reads on
AMD.  A write to a dword that another lane writes too costs no more: one of them wins.

Some hardware does better when neighbours agree (`LdsInstruction.pairs_merge`; measured on sm_90 for reads of 8 and 16
bytes, exact on each of 1160 accesses): where every lane l of the wave reads the address of lane l xor 1, or every lane
that of lane l xor 2, phases 0 and 1 are served as one, and so are 2 and 3.

A lane may take no part (a tail, a partial wave: `active`).  It keeps its place in its phase, asks for nothing and so
costs nothing, and its address is not looked at; a phase of which no lane takes part takes no cycle.  That is the
formula, not a measurement: whoever rests on it lists `LANES_OFF`.  What merging does then was not measured, so it is
refused.

An instruction of two addresses (`ds_read2_b32`, …) is two accesses of one address each, one after the other, and an
access of several dwords at a multiple of 4 that is not its own width is served in the phases of an aligned one: both
are taken so, and said (`doubts`).  This is the one price of `audit`, `execute` and `banks`: `instruction_cycles`.

What it cannot represent: accesses that begin within a dword and end in the next (refused), and requests of several
waves in flight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import TypeAlias

from layoutalg.index.f2 import image, independent, rank
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass
from layoutalg.target import LdsInstruction, Target
from layoutalg.target import target as named
from layoutalg.target.model import DWORD

with lazy_imports():
    import numpy as np
    import numpy.typing as npt

Ints: TypeAlias = "npt.NDArray[np.int64]"
Bools: TypeAlias = "npt.NDArray[np.bool_]"

NOTHING = -1
"""In place of a dword: what a lane asks for that takes no part."""

LANES_OFF = (
    "a lane that takes no part asks no bank, and a phase of which no lane takes part takes no cycle: "
    "on an MI250 AMD's profiler counts a cycle for it, and no conflict; elsewhere it was not measured"
)
"""What every price of an access rests on in which not all lanes take part.  AMD, ROCm Compute Profiler, "Profiling by
example", Bank conflicts: n work items on one bank are n + 1 cycles of LDS and n - 1 conflicts.  AMD's ISA and the
definitions of counters say nothing, and the sources of the lane groups were measured with all lanes on."""

TWO_ADDRESSES = "no source on accesses of two addresses was found: taken as two accesses, one after the other"
"""AMD, CK tutorial 14 (April 2026), counts 96 conflicts a tile of padded `ds_write2_b32`, as this gives."""

BY_DWORDS = "an access below its width's alignment is taken to be served in the phases of an aligned one"
"""AMD, CK tutorial 14 (April 2026), counts no conflict of `ds_write_b128` at multiples of 4 bytes."""


class AccessError(ValueError):
    """An access that the model does not price; the message says what is wrong and what would do."""


class LaneMapError(AccessError):
    """Not one address for each lane of the wave."""


class MisalignedError(AccessError):
    """An address that the instruction's alignment forbids."""


class OutsideLdsError(AccessError):
    """An address before or past the LDS."""


@dataclass(frozen=True)
class Worst:
    """The busiest bank of a phase: the distinct dwords wanted of it, and for each the first lane that wants it."""

    bank: int
    dwords: tuple[int, ...]
    lanes: tuple[int, ...]


@dataclass(frozen=True)
class Phase:
    """Lanes served together, the cycles that takes, the bank that costs them, and which of the lanes take no part."""

    lanes: tuple[int, ...]
    cycles: int
    worst: Worst
    masked: tuple[int, ...] = ()


def lookup(target: Target | str, instruction: LdsInstruction | str) -> tuple[Target, LdsInstruction]:
    """The target and its instruction, from their names or themselves; UnknownTargetError, UnknownInstructionError."""
    gpu = named(target) if isinstance(target, str) else target
    return gpu, gpu.instruction(instruction) if isinstance(instruction, str) else instruction


def phases(
    target: Target | str,
    instruction: LdsInstruction | str,
    addresses: npt.ArrayLike,
    active: npt.ArrayLike | None = None,
) -> tuple[Phase, ...]:
    """Every phase of one access, with its cycles and its busiest bank.

    `addresses`: byte addresses, one a lane; `active`: which lanes take part (all, unless said).  Raises LaneMapError,
    MisalignedError, OutsideLdsError, and what the target raises for an instruction that it lacks.

    >>> column = [128 * lane for lane in range(64)]  # one column of a row-major tile: every lane in banks 0–3
    >>> first = phases("gfx942", "ds_read_b128", column)[0]
    >>> first.lanes, first.cycles
    ((0, 1, 2, 3, 20, 21, 22, 23), 8)
    >>> first.worst.bank, first.worst.dwords[:2], first.worst.lanes[:2]
    (0, (0, 32), (0, 1))
    """
    gpu, how = lookup(target, instruction)
    where, there = checked(gpu, how, addresses, active)
    if where.ndim != 1:
        raise LaneMapError(f"one wave's addresses are a list of {how.lanes}; for many waves at once use phase_cycles")
    return tuple(_phase(how, lanes, where, there) for lanes in served(how, where).phases)


def _phase(how: LdsInstruction, lanes: tuple[int, ...], where: Ints, there: Bools) -> Phase:
    wanted: dict[int, dict[int, int]] = {}
    masked = tuple(lane for lane in lanes if not there[lane])
    for lane in lanes:
        if lane in masked:
            continue
        first = int(where[lane]) // DWORD
        for dword in range(first, first + how.dwords):
            wanted.setdefault(dword % how.banks, {}).setdefault(dword, lane)
    bank = min(wanted, key=lambda b: (-len(wanted[b]), b), default=0)
    asked = wanted.get(bank, {})
    return Phase(lanes, len(asked), Worst(bank, tuple(asked), tuple(asked.values())), masked)


def phase_cycles(
    target: Target | str,
    instruction: LdsInstruction | str,
    addresses: npt.ArrayLike,
    active: npt.ArrayLike | None = None,
) -> Ints:
    """The cycles of each phase of many accesses at once.

    `addresses` has the shape (…, lanes), `active` one that broadcasts to it; the result (…, phases), where a phase that
    is served with the one before it, or of which no lane takes part, counts 0.  Errors as for `phases`.

    >>> import numpy as np
    >>> lane, stride = np.arange(32), np.arange(1, 6)[:, None]
    >>> phase_cycles("sm_90", "ld.shared.32", 4 * stride * lane)[:, 0].tolist()
    [1, 2, 1, 4, 1]
    >>> lane = np.arange(64)
    >>> phase_cycles("gfx942", "ds_read_b32", 128 * lane, lane < 10).tolist()
    [10, 0]
    """
    gpu, how = lookup(target, instruction)
    where, there = checked(gpu, how, addresses, active)
    found = _each_phase(how, where, there)
    if how.pairs_merge and (agree := _pairs_agree(where)).any():
        found[agree, 0::2] = _each_phase(_merged(how), where[agree], there[agree])
        found[agree, 1::2] = 0
    return found


def instruction_cycles(
    target: Target | str,
    instruction: LdsInstruction | str,
    parts: Sequence[npt.ArrayLike],
    active: npt.ArrayLike | None = None,
) -> Ints:
    """The cycles of each phase of whole instructions: of one address, or those of the first and then of the second.

    Each of `parts` is as the addresses of `phase_cycles`.

    >>> import numpy as np
    >>> lane = np.arange(64)
    >>> instruction_cycles("gfx942", "ds_read_b32", [4 * lane, 128 * lane]).tolist()
    [1, 1, 32, 32]
    """
    return np.concatenate([phase_cycles(target, instruction, part, active) for part in parts], axis=-1)


def doubts(
    target: Target, instruction: LdsInstruction, parts: Sequence[npt.ArrayLike], active: npt.ArrayLike | None = None
) -> tuple[str, ...]:
    """What the price of whole instructions rests on without a source that says so."""
    there = True if active is None else np.asarray(active, dtype=bool)
    below = any((np.where(there, part, 0) % instruction.alignment != 0).any() for part in parts)
    found = (
        (instruction.evidence.doubt, not instruction.evidence.certain),
        (TWO_ADDRESSES, len(parts) > 1),
        (BY_DWORDS, below),
        (LANES_OFF, not np.all(there)),
    )
    return tuple(doubt for doubt, said in found if said)


def _each_phase(how: LdsInstruction, where: Ints, there: Bools) -> Ints:
    order = np.array(how.phases)
    dwords = where[..., order, None] // DWORD + np.arange(how.dwords)
    if not there.all():
        dwords = np.where(there[..., order, None], dwords, NOTHING)
    return _most_in_one_bank(dwords.reshape(*where.shape[:-1], len(order), -1), how.banks)


def served(instruction: LdsInstruction, addresses: Ints) -> LdsInstruction:
    """The instruction with the phases in which one wave's addresses are served: its own, or merged in twos."""
    return _merged(instruction) if instruction.pairs_merge and _pairs_agree(addresses) else instruction


def _pairs_agree(where: Ints) -> npt.NDArray[np.bool_]:
    """Whether all lanes l and l xor 1 have one address, or all l and l xor 2."""
    lanes = np.arange(where.shape[-1])
    one, two = ((where == where[..., lanes ^ bit]).all(axis=-1) for bit in (1, 2))
    return np.asarray(one | two)


@cache
def _merged(how: LdsInstruction) -> LdsInstruction:
    pairs = zip(how.phases[0::2], how.phases[1::2], strict=True)
    return replace(how, phases=tuple(first + second for first, second in pairs), pairs_merge=False)


def cycles(target: Target | str, instruction: LdsInstruction | str, addresses: npt.ArrayLike) -> Ints:
    """The cycles of many accesses: `phase_cycles` summed over the phases.

    >>> cycles("gfx942", "ds_read_b64", [8 * lane for lane in range(64)]).item()
    4
    """
    return np.asarray(phase_cycles(target, instruction, addresses).sum(axis=-1))


def conflicts(target: Target | str, instruction: LdsInstruction | str, addresses: npt.ArrayLike) -> Ints:
    """The cycles lost to conflicts: `cycles` less one for each phase; 0 says conflict-free.

    >>> conflicts("gfx942", "ds_read_b64", [16 * lane for lane in range(64)]).item()
    4
    """
    found = phase_cycles(target, instruction, addresses)
    return np.asarray(np.maximum(found - 1, 0).sum(axis=-1))


def _most_in_one_bank(dwords: Ints, banks: int) -> Ints:
    """For each row of the last axis: the most distinct dwords that fall into one bank; NOTHING falls into none."""
    rows = np.sort(dwords.reshape(-1, dwords.shape[-1]), axis=-1)
    new = rows != NOTHING
    new[:, 1:] &= rows[:, 1:] != rows[:, :-1]
    slots = np.arange(len(rows))[:, None] * banks + rows % banks
    counts = np.bincount(slots[new], minlength=len(rows) * banks).reshape(-1, banks)
    return np.asarray(counts.max(axis=-1, initial=0).reshape(dwords.shape[:-1]))


def checked(
    target: Target, instruction: LdsInstruction, addresses: npt.ArrayLike, active: npt.ArrayLike | None = None
) -> tuple[Ints, Bools]:
    """Addresses (0 for a lane that takes no part) and who takes part, both of shape (…, lanes), once they are known to
    be what the instruction takes.
    """
    where = np.asarray(addresses)
    lanes, size = instruction.lanes, instruction.bytes
    if where.dtype.kind not in "iu":
        raise LaneMapError(f"addresses are byte addresses, whole numbers; these are {where.dtype}")
    if where.ndim == 0 or where.shape[-1] != lanes:
        given = where.shape[-1] if where.ndim else 1
        raise LaneMapError(f"{instruction.name} on {target.name} takes {lanes} addresses, one a lane: {given} given")
    try:
        there = np.broadcast_to(True if active is None else np.asarray(active, dtype=bool), where.shape)
    except ValueError:
        raise LaneMapError(
            f"who takes part is said by one truth value a lane, for addresses of {where.shape}"
        ) from None
    if instruction.pairs_merge and not there.all():
        raise LaneMapError(
            f"{instruction.name} on {target.name} merges phases where neighbouring lanes agree; "
            "how it does so where lanes take no part was not measured"
        )
    where = np.where(there, where, 0)
    needed = target.lds_alignment(instruction)
    if (bad := where % needed != 0).any():
        lane, address = _first(bad, where)
        raise MisalignedError(f"lane {lane}: address {address} is no multiple of {needed}, as {instruction.name} needs")
    if (bad := (where < 0) | (where > target.lds_bytes - size)).any():
        lane, address = _first(bad, where)
        raise OutsideLdsError(
            f"lane {lane}: bytes {address} to {address + size - 1} leave the LDS of {target.name}, "
            f"bytes 0 to {target.lds_bytes - 1}"
        )
    return where.astype(np.int64), there


def _first(bad: npt.NDArray[np.bool_], where: npt.NDArray[np.integer]) -> tuple[int, int]:
    at = tuple(int(i) for i in np.argwhere(bad)[0])
    return at[-1], int(where[at])


# Linear algebra over F₂ ----------------------------------------------------------------------------------------------


@cache
def phase_subgroup(instruction: LdsInstruction) -> tuple[int, ...] | None:
    """A basis of the lanes of phase 0 where all phases are cosets of it (as vectors over F₂), else None.

    >>> from layoutalg.target import target
    >>> phase_subgroup(target("gfx942").instruction("ds_read_b128"))
    (1, 2, 20)
    """
    first = set(instruction.phases[0])
    basis = independent(sorted(first))
    cosets = all({lane ^ phase[0] for lane in phase} == first for phase in instruction.phases)
    return tuple(basis) if cosets and 1 << len(basis) == len(first) else None


def linear_degree(instruction: LdsInstruction, columns: Sequence[int]) -> int | None:
    """The cycles of each phase of a map linear over F₂ (the same for every phase), found without going through lanes.

    `columns[i]` is what lane bit i contributes to the byte address (`index.f2`); a constant may be xor-ed on, or added
    if it is a multiple of a power of two above every column.  The dwords that a phase wants are a subspace V of F₂ⁿ,
    or a shift of it, and a bank is V's low bits; so each bank that is asked at all is asked for
    2^(rank V − rank (V mod banks)) dwords.  Broadcasts are counted exactly.  None where the phases are no cosets of a
    subgroup, or the width is no power of two: `phase_cycles` decides there.

    >>> from layoutalg.target import target
    >>> read = target("gfx942").instruction("ds_read_b128")
    >>> linear_degree(read, [16, 32, 64, 128, 256, 512]), linear_degree(read, [128, 256, 512, 1024, 2048, 16])
    (1, 8)
    """
    if instruction.pairs_merge and 0 in columns[:2]:
        instruction = _merged(instruction)
    group, dwords = phase_subgroup(instruction), instruction.dwords
    if group is None or dwords & (dwords - 1) or instruction.banks & (instruction.banks - 1):
        return None
    if any(column % instruction.alignment for column in columns):
        raise MisalignedError(f"columns {list(columns)} are no multiples of {instruction.alignment} bytes")
    wanted = [image(columns, lane) // DWORD for lane in group]
    wanted += [1 << bit for bit in range(dwords.bit_length() - 1)]
    return 1 << rank(wanted) - rank(dword & instruction.banks - 1 for dword in wanted)
