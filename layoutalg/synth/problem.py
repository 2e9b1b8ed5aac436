"""What a layout in LDS is wanted for: a tile, and every access that writes or reads it, on every target.

A `Use` is a lane map over the tile's (row, column) with its direction; the tile's columns run through memory, in
vectors.  A descriptor of the tile solves the problem when each use is free of bank conflicts on each of its targets:

    Problem(lengths, dtype, uses, targets)  ──descriptor──▶  one `Access` for each use and target

Where loads bring the tile straight to LDS (`direct`), the write is no use, but what `layoutalg.synth.direct` asks of
the layout.

What it cannot represent: a tile whose vectors run along different dimensions in different uses (a transposition in
registers; one by the LDS itself reads along the same dimension: `transposed_problem`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd

import numpy as np

from layoutalg.index import TRUE, Expr, var
from layoutalg.index.evaluate import grids
from layoutalg.layout import LayoutError, TensorDescriptor
from layoutalg.memory import Access, LaneMap, access, lane_map, operand, transposing
from layoutalg.memory.banks import LaneMapError
from layoutalg.records import dataclass
from layoutalg.synth.gemm import packed
from layoutalg.target import target
from layoutalg.target.dtypes import DTYPES, dtype_of
from layoutalg.target.known import having, matrix_instructions
from layoutalg.target.matrix import matrix_instruction
from layoutalg.target.operand import MatrixInstruction, OperandMap
from layoutalg.target.transposed import TRANSPOSED

GRANULE = 16
"""Bytes of the widest vector that an LDS instruction moves."""


@dataclass(frozen=True)
class Use:
    """A lane map that writes or reads the tile: on some of the targets (all, unless said).

    `instruction`: by name, else the one of the vector's width.  `given`: which lanes take part, and at what values.
    """

    lanes: LaneMap
    way: str = "read"
    targets: tuple[str, ...] | None = None
    instruction: str | None = None
    given: Expr = TRUE

    def __post_init__(self) -> None:
        if self.way not in ("read", "write"):
            raise LayoutError(f"a use is a read or a write, not {self.way!r}")


@dataclass(frozen=True)
class Problem:
    """A tile of rows and columns, and its uses; LaneMapError, WidthError, UnknownInstructionError, OutsideLdsError
    where a use or the tile does not fit a target.  `notes` say what a reader of the result must know beside it.

    >>> problem = gemm_problem(128, 64, "f16", "mfma_f32_32x32x16_f16", ("gfx942", "gfx950"))
    >>> problem.vector, [f"{use.way}: {use.lanes.name}" for use in problem.uses]
    (8, ['write: the copy to LDS', 'read: a of mfma_f32_32x32x16_f16'])
    """

    lengths: tuple[int, int]
    dtype: str
    uses: tuple[Use, ...]
    targets: tuple[str, ...]
    notes: tuple[str, ...] = ()
    direct: int = 0
    """Bytes that a lane of each load brings straight to LDS; 0 where none does."""

    def __post_init__(self) -> None:
        if self.dtype not in DTYPES:
            raise LayoutError(f"no element type {self.dtype!r}; there are {', '.join(DTYPES)}")
        if not self.targets or not self.uses:
            raise LayoutError("at least one target and one access are needed to say what is free of conflicts")
        if self.direct:
            _refuse_direct(self.direct, self.bits, self.targets)
        if min(self.lengths) < 1 or self.lengths[1] % self.vector:
            rows, columns = self.lengths
            raise LayoutError(f"a tile of {rows} × {columns} is no whole number of vectors of {self.vector}")
        for _ in self.accesses(packed(*self.lengths)):
            pass

    @property
    def bits(self) -> int:
        """Bits of an element."""
        return DTYPES[self.dtype].bits

    @property
    def vector(self) -> int:
        """Elements of the widest vector of any use: what stays together."""
        return max(8 * self.direct // self.bits, *(use.lanes.width for use in self.uses), 1)

    @property
    def vector_bytes(self) -> int:
        """Bytes of such a vector: whole ones, as each use's are."""
        return self.vector * self.bits // 8

    @property
    def packed_bytes(self) -> int:
        """Bytes of the tile without gaps."""
        return self.lengths[0] * self.lengths[1] * self.bits // 8

    def accesses(self, descriptor: TensorDescriptor) -> Iterator[Access]:
        """Each use on each of its targets, on a layout."""
        for name in self.targets:
            for use in self.uses:
                if use.targets is None or name in use.targets:
                    yield access(descriptor, use.lanes, self.dtype, target(name), use.instruction or use.way, use.given)


def _refuse_direct(bytes: int, bits: int, targets: tuple[str, ...]) -> None:
    """UnknownLoadError where a target has no such load; LayoutError where its piece is no whole number of elements."""
    for name in targets:
        target(name).require_straight(bytes)
    if 8 * bytes % bits:
        raise LayoutError(f"a load of {bytes} bytes a lane brings no whole number of elements of {bits} bits")


def widest(bits: int) -> int:
    """The most elements of so many bits, a power of two, that one LDS instruction moves.

    >>> [widest(bits) for bits in (16, 8, 6, 4)]
    [8, 16, 16, 32]
    """
    return 1 << (8 * GRANULE // bits).bit_length() - 1


def rowwise(rows: int, columns: int, vector: int, lanes: int = 64, name: str = "the copy to LDS") -> LaneMap:
    """Neighbouring lanes take neighbouring vectors of a row, as many as divide both; for every wave and step.

    >>> rowwise(128, 64, 8).index
    (block * 8 + lane // 8, lane % 8 * 8 + element)
    >>> rowwise(64, 96, 8).index
    (block * 16 + lane // 4, part * 32 + lane % 4 * 8 + element)
    """
    parts = columns // vector
    across = gcd(parts, lanes)
    down = lanes // across
    if columns % vector or rows % down:
        raise LaneMapError(f"{lanes} lanes do not divide a tile of {rows} × {columns} in vectors of {vector} evenly")
    lane = var("lane", lanes)
    row, column = lane // across, lane % across * vector
    if rows > down:
        row = var("block", rows // down) * down + row
    if parts > across:
        column = var("part", parts // across) * (across * vector) + column
    return lane_map(lane, (row, column), vector, name)


def gemm_problem(
    rows: int,
    k: int,
    dtype: str,
    instruction: str,
    targets: tuple[str, ...],
    which: str = "a",
    k_pack: int | None = None,
    direct: int = 0,
    copy: int = 0,
) -> Problem:
    """A GEMM's A (or B, stored N × K) in LDS: copied in row by row, read as operands of a matrix instruction.

    The instruction gives the lanes' rows and consecutive k; `k_pack` (CK's KPack) more of them, for several executions
    on the same registers: the order of k cannot be seen in the product.  So a target that has only the shorter
    instruction is served too.  Without a `dtype` it is the instruction's.  `direct`: it is not copied, but brought by
    loads straight to LDS, of so many bytes a lane.  `copy`: bytes of a lane's store; as many as fit, unless said.
    """
    if dtype and dtype not in DTYPES:
        return Problem((rows, k), dtype, (), targets)  # which says what is wrong
    matrix = matrix_instruction(instruction)
    if which not in ("a", "b"):
        raise LayoutError(f"the operand is a or b, not {which!r}")
    map_, kind = (matrix.a, matrix.a_dtype) if which == "a" else (matrix.b, matrix.b_dtype)
    dtype = dtype or dtype_of(kind).name
    if dtype_of(kind).bits != DTYPES[dtype].bits:
        raise LayoutError(f"{instruction} multiplies {kind}; a tile of {dtype} does not fit it")
    map_ = map_ if k_pack is None else packed_k(map_, k_pack, which)
    width = min(int(map_.element.hi) + 1, widest(DTYPES[dtype].bits))
    tile = (rows, k) if which == "a" else (k, rows)
    name = f"{which} of {instruction}" + (f", {k_pack} k a lane" if k_pack else "")
    read = operand(map_, tile, transposed=which == "b", width=width, name=name)
    notes = tuple(_lacking(matrix, which, targets))
    copied = _copied(rows, k, dtype, matrix.wave, direct, copy)
    return Problem((rows, k), dtype, (*copied, Use(read)), targets, notes, direct)


def _copied(rows: int, k: int, dtype: str, wave: int, direct: int, copy: int) -> tuple[Use, ...]:
    """The copy to LDS; none where loads bring the tile straight."""
    if direct:
        return ()
    bits = DTYPES[dtype].bits
    width = 8 * copy // bits or widest(bits)
    if copy and (width * bits != 8 * copy or width & (width - 1) or width > widest(bits)):
        raise LayoutError(f"a copy of {copy} bytes a lane is no vector of {dtype} that one instruction stores")
    return (Use(rowwise(rows, k, width, wave), "write"),)


def transposed_problem(
    k: int,
    rows: int,
    dtype: str,
    instruction: str,
    targets: tuple[str, ...],
    which: str = "a",
    direct: int = 0,
    copy: int = 0,
) -> Problem:
    """A GEMM's A stored K × M (or B, K × N), read by loads that transpose: `gemm_problem` otherwise.

    >>> problem = transposed_problem(64, 128, "f16", "mfma_f32_32x32x16_f16", ("gfx950",), direct=16)
    >>> problem.vector, [use.instruction for use in problem.uses]
    (8, ['ds_read_b64_tr_b16'])
    """
    matrix = matrix_instruction(instruction)
    if which not in ("a", "b"):
        raise LayoutError(f"the operand is a or b, not {which!r}")
    map_, kind = (matrix.a, matrix.a_dtype) if which == "a" else (_turned(matrix.b), matrix.b_dtype)
    dtype = dtype or dtype_of(kind).name
    bits = dtype_of(kind).bits
    if dtype not in DTYPES or DTYPES[dtype].bits != bits:
        raise LayoutError(f"{instruction} multiplies {kind}; a tile of {dtype} does not fit it")
    loads = [one for one in TRANSPOSED.values() if one.bits == bits]
    if not loads:
        raise LayoutError(f"no load transposes elements of {bits} bits: there are {', '.join(TRANSPOSED)}")
    how = next((one for one in loads if set(targets) & set(one.targets)), loads[0])
    read = transposing(map_, (k, rows), how.elements, name=f"{which} of {instruction}, transposed")
    notes = tuple(_lacking(matrix, which, targets))
    copied = _copied(k, rows, dtype, matrix.wave, direct, copy)
    return Problem((k, rows), dtype, (*copied, Use(read, "read", None, how.name)), targets, notes, direct)


def _turned(map_: OperandMap) -> OperandMap:
    """A B operand (K × N) in A's order, (N, K)."""
    return OperandMap(map_.lane, map_.element, map_.column, map_.row, (map_.shape[1], map_.shape[0]))


def _lacking(matrix: MatrixInstruction, which: str, targets: tuple[str, ...]) -> Iterator[str]:
    """Which targets lack the instruction, and what of theirs reads the same operand."""
    lacking: dict[MatrixInstruction | None, list[str]] = {}
    for name in targets:
        if name not in having(matrix.name):
            lacking.setdefault(_instead(matrix, which, name), []).append(name)
    for instead, names in lacking.items():
        yield f"{', '.join(names)} {'has' if len(names) == 1 else 'have'} no {matrix.name}: {_alike(matrix, instead)}"


def _alike(matrix: MatrixInstruction, instead: MatrixInstruction | None) -> str:
    if instead is None:
        return "none of its matrix instructions reads the same, so nothing is said of a product there"
    return f"{matrix.k // instead.k} of {instead.name} read the same, k in another order"


def refuse_lacking(instruction: str, which: str, targets: Sequence[str]) -> None:
    """LayoutError where none of the targets has an instruction, or one has nothing that reads the same operand."""
    matrix = matrix_instruction(instruction)
    lacking = [name for name in targets if target(name).name not in having(matrix.name)]
    nowhere = len(lacking) == len(targets)
    for name in lacking:
        instead = _instead(matrix, which, name)
        if instead is None:
            raise LayoutError(
                f"{name} has no {instruction} (it is of {', '.join(having(matrix.name))}), nor one that reads alike"
            )
        if nowhere:
            held = int((matrix.a if which == "a" else matrix.b).element.hi) + 1
            raise LayoutError(
                f"{name} has no {instruction} (it is of {', '.join(having(matrix.name))}); {_alike(matrix, instead)}: "
                f"ask for {instead.name}:{which}:{held}"
            )


def _instead(matrix: MatrixInstruction, which: str, name: str) -> MatrixInstruction | None:
    """What a target has in the place of an instruction: a shorter one, executed several times on the same registers."""
    wanted = matrix.a if which == "a" else matrix.b
    for one in matrix_instructions(name):
        alike = [(m.m, m.n, m.a_dtype, m.b_dtype, m.wave) for m in (matrix, one)]
        if alike[0] == alike[1] and _reads(one.a if which == "a" else one.b, wanted, which):
            return one
    return None


def _reads(shorter: OperandMap, wanted: OperandMap, which: str) -> bool:
    """Whether several executions of one instruction take from each lane what another takes at once."""
    try:
        packed = packed_k(shorter, int(wanted.element.hi) + 1, which)
    except LayoutError:
        return False
    own, other = (grids((one.row, one.column), [one.lane, one.element]) for one in (packed, wanted))
    return all(np.array_equal(a, b) for a, b in zip(own, other, strict=True))


def packed_k(map_: OperandMap, k_pack: int, which: str = "a") -> OperandMap:
    """An operand of which each lane holds `k_pack` consecutive k: several of the instruction's, one after another.

    LayoutError where the instruction's own k are not runs, or k_pack is no multiple of them.
    """
    rows, columns = map_.shape if which == "a" else map_.shape[::-1]
    held, lanes = int(map_.element.hi) + 1, int(map_.lane.hi) + 1
    own = (map_.row, map_.column) if which == "a" else (map_.column, map_.row)
    runs = (map_.lane % rows, held * (map_.lane // rows) + map_.element)
    axes = [map_.lane, map_.element]
    if not all(np.array_equal(a, b) for a, b in zip(grids(own, axes), grids(runs, axes), strict=True)):
        raise LayoutError("the operand's k are not runs of each lane: more of them cannot be packed")
    if k_pack < 1 or k_pack % held:
        raise LayoutError(f"a k_pack of {k_pack} is no multiple of the {held} k that a lane holds")
    element, k = var("element", k_pack), columns // held * k_pack
    index = (map_.lane % rows, k_pack * (map_.lane // rows) + element)
    assert lanes // rows * k_pack == k
    row, column = index if which == "a" else index[::-1]
    return OperandMap(map_.lane, element, row, column, (rows, k) if which == "a" else (k, rows))
