"""Fragments of matrix operations as tile distributions, made from the instruction's operand maps.

An operand map of a matrix instruction sends each bit of the lane and each bit of the element number to one bit of the
row or of the column (or to none: a copy).  So it is a tile distribution, whose factors are runs of such bits:

    mfma_f32_32x32x8f16, D: row = 8·(i / 4) + 4·(lane / 32) + i mod 4          column = lane mod 32
                     rows    4 (i / 4) × 2 (lane / 32) × 4 (i mod 4)           columns  32 (lane mod 32)

A block's tile has further factors before these: how often a wave repeats the fragment, and the waves side by side.
`FMA` is the instruction of one lane that multiplies one pair: what there is without matrix cores.

What it cannot represent: operand maps that mix bits (there are none in the target tables; they are refused).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from layoutalg.index import ZERO, Expr, as_expr, substitute, var
from layoutalg.index.radix import digits
from layoutalg.layout import LayoutError, TileDistribution, TileDistributionEncoding
from layoutalg.records import dataclass
from layoutalg.target.matrix import matrix_instruction
from layoutalg.target.operand import MatrixInstruction, OperandMap

Side = Literal["row", "column", "copy"]
Role = Literal["a", "b", "c"]
"""Which operand: (g, m, k), (g, n, k) or (g, m, n)."""
Factor = tuple[int, int]
"""(major, minor) of a factor: major 0 is the copies, i + 1 the coordinate i."""


def _one() -> OperandMap:
    lane, element = var("lane", 1), var("element", 1)
    return OperandMap(lane, element, lane, element, (1, 1))


FMA = MatrixInstruction("fma", 1, 1, 1, 1, "any", "any", "f32", _one(), _one(), _one(), ("the definition of ·",))
"""One lane, one product: c ← c + a·b."""


def paired(one: MatrixInstruction) -> MatrixInstruction:
    """Two of an instruction side by side along n, as one: of b and d a lane holds first the one's, then the other's.

    >>> from layoutalg.target.matrix import matrix_instruction
    >>> two = paired(matrix_instruction("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"))
    >>> two.n, one_of(two).n, two.d.at(5, 6)
    (16, 8, (9, 10))
    """

    def twice(operand: OperandMap) -> OperandMap:
        count = int(operand.element.hi) + 1
        element = var("element", 2 * count)
        at: dict[Expr, Expr | int] = {operand.element: element % count}
        row, column = substitute(operand.row, at), substitute(operand.column, at) + element // count * one.n
        shape = operand.shape[0], 2 * operand.shape[1]
        return OperandMap(operand.lane, element, row, column, shape, operand.copies)

    return replace(one, name=one.name + TWICE, n=2 * one.n, b=twice(one.b), d=twice(one.d))


def holding(one: MatrixInstruction) -> MatrixInstruction:
    """An instruction that reads LDS, with its a in registers: a lane's are those rows of d, and as many columns as k.

    Source: PTX ISA, wgmma, register fragments of A and D.

    >>> from layoutalg.target.matrix import matrix_instruction
    >>> held = holding(matrix_instruction("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16"))
    >>> held.a.at(5, 6), one_of(held).name == held.name.removesuffix(HELD)
    ((9, 10), True)
    """
    element = var("element", one.k * one.m // one.wave)
    at: dict[Expr, Expr | int] = {one.d.element: element}
    row, column = (substitute(e, at) for e in (one.d.row, one.d.column))
    return replace(one, name=one.name + HELD, a=OperandMap(one.d.lane, element, row, column, (one.m, one.k)))


TWICE, HELD = ", twice", ", a in registers"
"""What the name of a pair of instructions ends in, and that of one with its a in registers."""


def one_of(instruction: MatrixInstruction) -> MatrixInstruction:
    """The hardware's instruction: of a pair, the one that is done twice; of one with its a in registers, its name's."""
    name = instruction.name.removesuffix(TWICE).removesuffix(HELD)
    return instruction if name == instruction.name else matrix_instruction(name)


def instruction_named(name: str) -> MatrixInstruction:
    """The instruction of a name, pairs and `FMA` too; UnknownMatrixInstructionError where there is none."""
    if name == FMA.name:
        return FMA
    if name.startswith("wgmma") and name.endswith(HELD):
        return holding(matrix_instruction(name.removesuffix(HELD)))
    return paired(matrix_instruction(name.removesuffix(TWICE))) if name.endswith(TWICE) else matrix_instruction(name)


@dataclass(frozen=True)
class BitRun:
    """Bits of a lane or an element number, from `bit` upward, that are bits `place` and up of a side of the matrix."""

    owner: Literal["lane", "element"]
    bit: int
    side: Side
    place: int
    bits: int = 1

    @property
    def length(self) -> int:
        """The length of the factor."""
        return 1 << self.bits


def runs(operand: OperandMap) -> list[BitRun]:
    """The runs of bits that an operand map consists of; LayoutError where it is no such map.

    >>> from layoutalg.target.matrix import matrix_instruction
    >>> [(r.owner, r.length, r.side, r.place) for r in runs(matrix_instruction("mfma_f32_32x32x8f16").d)]
    [('lane', 32, 'column', 0), ('lane', 2, 'row', 2), ('element', 4, 'row', 0), ('element', 4, 'row', 3)]
    """
    found: list[BitRun] = []
    for owner, limit in (("lane", operand.lane.hi), ("element", operand.element.hi)):
        for bit in range(int(limit).bit_length()):
            found.append(_place(operand, "lane" if owner == "lane" else "element", bit))
            if len(found) > 1 and _goes_on(found[-2], found[-1]):
                last = found[-2]
                found[-2:] = [BitRun(last.owner, last.bit, last.side, last.place, last.bits + 1)]
    return found


def _place(operand: OperandMap, owner: Literal["lane", "element"], bit: int) -> BitRun:
    row, column = operand.at(*((1 << bit, 0) if owner == "lane" else (0, 1 << bit)))
    if row & (row - 1) or column & (column - 1) or (row and column):
        raise LayoutError(f"bit {bit} of the {owner} moves row by {row} and column by {column}: not one bit of either")
    side: Side = "row" if row else "column" if column else "copy"
    return BitRun(owner, bit, side, (row or column or 1).bit_length() - 1)


def _goes_on(one: BitRun, next_: BitRun) -> bool:
    follows = next_.place == one.place + one.bits or one.side == "copy"
    return (one.owner, one.side) == (next_.owner, next_.side) and follows and next_.bit == one.bit + one.bits


def _cut(run: BitRun, widest: int) -> list[BitRun]:
    """A run of elements in parts of at most so many."""
    bits = widest.bit_length() - 1
    if run.owner == "lane" or run.bits <= bits:
        return [run]
    rest = BitRun(run.owner, run.bit + bits, run.side, run.place + bits, run.bits - bits)
    return [replace(run, bits=bits), *_cut(rest, widest)]


def holder(operand: OperandMap, side: Side, place: Expr) -> tuple[Expr, Expr]:
    """The lane and the element number that hold this row (or column) of the other side's first.

    >>> from layoutalg.target.matrix import matrix_instruction
    >>> holder(matrix_instruction("mfma_f32_32x32x8f16").a, "column", as_expr(6))
    (32, 2)
    """
    found = {"lane": ZERO, "element": ZERO}
    for run in runs(operand):
        if run.side == side:
            found[run.owner] += place // (1 << run.place) % run.length * (1 << run.bit)
    return found["lane"], found["element"]


@dataclass(frozen=True)
class Outer:
    """What lies around a fragment along one side: repetitions by a wave, and waves side by side."""

    repeat: int
    waves: int = 1


def fragment_tile(
    operand: OperandMap, role: Role, first: Outer, second: Outer, others: int = 1, widest: int = 16,
    packed: bool = False,
) -> TileDistribution:  # fmt: skip
    """A block's tile of a matrix instruction's operand, in coordinates (g, m, n), (g, m, k) or (g, n, k); one g.

    `first` and `second` are what lies around the fragment along coordinates 1 and 2; `others` is the number of waves
    along the side that the operand lacks, which hold copies.  P is (wave, lane); waves along m come before those along
    n in the wave's number.  Ys: the repetitions along coordinates 1 and 2, then the elements, in runs of at most
    `widest` (a power of two), so that a run is one vector.

    `packed`: along coordinate 2 a lane's elements of all repetitions lie together, lanes outside.  The order of k
    within a step does not matter to a sum of products, if a and b have the same; so a lane reads them all at once.
    """
    parts = [cut for run in runs(operand) for cut in _cut(run, widest)]
    majors: Mapping[Side, int] = {"copy": 0, **(_COLUMN_FIRST if role == "b" else _ROW_FIRST)}
    factors = [[others], [], [first.repeat, first.waves], [second.waves] if packed else [second.repeat, second.waves]]
    where: dict[BitRun, Factor] = {}
    again: Factor = (3, 0)

    def inside(run: BitRun) -> bool:
        return packed and run.owner == "element" and majors[run.side] == 3

    for run in sorted(parts, key=lambda r: (inside(r), -r.place)):
        lengths = factors[majors[run.side]]
        if inside(run) and again == (3, 0):
            again = (3, len(factors[3]))
            factors[3].append(second.repeat)
        where[run] = (majors[run.side], len(lengths))
        lengths.append(run.length)
    slowest_first = sorted(parts, key=lambda r: -r.bit)
    lane, element = ([where[r] for r in slowest_first if r.owner == owner] for owner in ("lane", "element"))
    waves = [(3, 0) if packed and f == (3, 1) else f for f in _WAVES[role]]
    return encoded(factors[0], factors[1:], (waves, lane), [(2, 0), again, *element])


_ROW_FIRST: Mapping[Side, int] = {"row": 2, "column": 3}
_COLUMN_FIRST: Mapping[Side, int] = {"column": 2, "row": 3}
_WAVES: Mapping[Role, tuple[Factor, ...]] = {
    "a": ((2, 1), (0, 0), (3, 1)),
    "b": ((0, 0), (2, 1), (3, 1)),
    "c": ((2, 1), (3, 1), (0, 0)),
}
"""The factors of the wave's number: waves along m, along n (copies, where the operand lacks that side)."""


def lane_by_lane(role: str, lanes: tuple[int, int], each: tuple[int, int], step: int = 1) -> TileDistribution:
    """A tile where each lane multiplies for itself, for a block of results; lanes along m come before those along n."""
    if role == "c":
        hs = [[], [lanes[0], each[0]], [lanes[1], each[1]]]
        return encoded([], hs, [[(2, 0), (3, 0)]], [(2, 1), (3, 1)])
    side, copies = (0, lanes[1]) if role == "a" else (1, lanes[0])
    owners: list[Factor] = [(2, 0), (0, 0)] if role == "a" else [(0, 0), (2, 0)]
    return encoded([copies], [[], [lanes[side], each[side]], [step]], [owners], [(2, 1), (3, 0)])


def encoded(
    rs: Sequence[int], hs: Sequence[Sequence[int]], ps: Sequence[Sequence[Factor]], ys: Sequence[Factor]
) -> TileDistribution:
    """The tile distribution with these copies, factors and owners."""
    return TileDistribution(
        TileDistributionEncoding(
            tuple(map(as_expr, rs)),
            tuple(tuple(map(as_expr, h)) for h in hs),
            tuple(tuple(major for major, _ in p) for p in ps),
            tuple(tuple(minor for _, minor in p) for p in ps),
            tuple(major for major, _ in ys),
            tuple(minor for _, minor in ys),
        )
    )


def exchanged(tile: TileDistribution) -> tuple[TileDistribution, int, int]:
    """A tile whose lanes side by side have given each other words (`exchange`); the Y, and how many lanes.

    The lanes are the last factor of the last P, the Y runs over the factor before it; LayoutError where there is none.

    >>> from layoutalg.target.matrix import matrix_instruction
    >>> one = matrix_instruction("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16")
    >>> tile, y, lanes = exchanged(fragment_tile(one.d, "c", Outer(1), Outer(1)))
    >>> tile.ys, y, lanes
    ((1, 1, 2, 4, 4, 2, 2), 3, 4)
    """
    of = tile.encoding
    major, minor = of.ps_major[-1][-1], of.ps_minor[-1][-1]
    ys = list(zip(of.ys_major, of.ys_minor, strict=True))
    if (major, minor - 1) not in ys or (lengths := of.hs[major - 1])[minor - 1] % lengths[minor] is not ZERO:
        raise LayoutError(f"lanes side by side exchange what a Y runs over around them; {of} has none")
    y, lanes = ys.index((major, minor - 1)), int(lengths[minor])
    split = (*lengths[: minor - 1], lengths[minor - 1] // lanes, lengths[minor], lengths[minor], *lengths[minor + 1 :])

    def now(m: int, n: int) -> int:
        return n + 1 if m == major and n > minor else n

    minors = [now(m, n) for m, n in ys]
    return TileDistribution(replace(
        of, hs=(*of.hs[: major - 1], split, *of.hs[major:]),
        ps_minor=tuple(tuple(map(now, m, n)) for m, n in zip(of.ps_major, of.ps_minor, strict=True)),
        ys_major=(*of.ys_major[: y + 1], major, *of.ys_major[y + 1 :]),
        ys_minor=(*minors[: y + 1], minor + 1, *minors[y + 1 :]),
    )), y, lanes  # fmt: skip


def element_index(distribution: TileDistribution, element: Expr | int) -> tuple[Expr, ...]:
    """The Ys of one element of a fragment: all but the first two, as digits of its number."""
    return digits(element, distribution.ys[2:])


def along_k(tile: TileDistribution) -> tuple[int, ...]:
    """The Ys of an operand's tile that run along k."""
    return tuple(y for y, major in enumerate(tile.encoding.ys_major) if major == 3)
