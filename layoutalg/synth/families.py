"""Layouts to try, cheapest first: what CK's policies are made of, with every free number left open.

All of them keep vectors of V elements whole and put L rows side by side in a line, which may be mixed with its number
and followed by a gap of p vectors:

| family        | address of row r, vector c, in vectors (line = r / L, inside = place of (r mod L, c) in the line) |
|---------------|---------------------------------------------------------------------------------------------------|
| packed        | line·(K0·L) + inside                                                                              |
| xor           | line·(K0·L + p) + (inside ^ line mod K0·L), K0·L a power of two                                   |
| cyclic shift  | line·(K0·L + p) + (inside + line) mod K0·L                                                        |
| lines padded  | line·(K0·L + p) + inside                                                                          |
| columns padded| c·(M + p) + r                                                                                     |
| rows apart    | lines padded, with rows in a line that are M / L apart; p is 0 or a power of two                  |
| in blocks     | c / B · (M·B) + one of the above in each block of B columns, the power of two in K0               |

A gap of one whole round of the banks more moves every line by whole rounds: no bank changes, and no two elements meet.
So gaps up to one round are all gaps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import lcm

from layoutalg.layout import TensorDescriptor
from layoutalg.synth.gemm import MIXES, columns_padded, in_blocks, lined, lines_padded, packed, padded, rows_apart
from layoutalg.synth.problem import Problem
from layoutalg.target import target
from layoutalg.target.model import DWORD


@dataclass(frozen=True)
class Candidate:
    """A layout to try: its name, the bytes that it takes more than the packed tile, and how it is made."""

    name: str
    extra: int
    make: Callable[[], TensorDescriptor]
    kind: str
    """packed, xor, cyclic, padding, both (mixed and padded) or linear: see `layoutalg.synth.search.STYLES`."""
    gap: int = 0
    """Vectors of each gap."""
    by_elements: Callable[[int], TensorDescriptor] | None = None
    """The same with a gap of any number of elements, for what is padded only."""


def round_of_banks(problem: Problem) -> int:
    """Vectors of the tile that fill a round of the banks, on the target that has most; or as few as are whole."""
    banks = max(a.instruction.banks for a in problem.accesses(packed(*problem.lengths)))
    size = problem.vector_bytes
    return lcm(banks * DWORD, size) // size


def candidates(problem: Problem) -> Iterator[Candidate]:
    """Every layout of the families, fewest bytes first; of those, CK's own first."""
    room = min(target(name).lds_bytes for name in problem.targets)
    found = [c for c in _all(problem) if problem.packed_bytes + c.extra <= room]
    yield from sorted(found, key=lambda c: c.extra)


def _all(problem: Problem) -> Iterator[Candidate]:
    (rows, columns), vector = problem.lengths, problem.vector
    parts, size = columns // vector, problem.vector_bytes
    whole = round_of_banks(problem)
    yield Candidate("packed", 0, lambda: packed(rows, columns), "packed")
    yield from _blocks(rows, columns, vector, whole)
    for gap in range(whole):
        for layers in _divisors(rows):
            lines, line = rows // layers, parts * layers
            for mix, outside in _mixes(line, layers, lines, gap):
                if mix is not None and layers not in _layers(rows, parts, whole):
                    continue
                yield Candidate(
                    _name(mix, layers, outside, gap),
                    (lines - 1) * gap * size,
                    _lined(rows, columns, vector, layers, outside, mix, gap),
                    "padding" if mix is None else "both" if gap else mix,
                    gap,
                    _lines_of_elements(rows, columns, layers) if mix is None else None,
                )
        if parts > 1:
            name = f"columns of vectors, each padded by {gap}" if gap else "columns of vectors"
            yield Candidate(name, (parts - 1) * gap * size, _columns(rows, columns, vector, gap), "padding", gap,
                            _columns_of_elements(rows, columns, vector))  # fmt: skip
        for layers in _apart(rows) if gap.bit_count() <= 1 else ():
            make = _rows_apart(rows, columns, layers)
            yield Candidate(
                _padded(f"lines of {layers} rows, {rows // layers} apart", gap),
                (rows // layers - 1) * gap * size, partial(make, gap * vector), "padding", gap, make,
            )  # fmt: skip


def _blocks(rows: int, columns: int, vector: int, whole: int) -> Iterator[Candidate]:
    """A tile whose vectors in a row are no power of two: blocks of columns that are one, each mixed by itself."""
    parts = columns // vector
    block = parts & -parts
    count = parts // block
    for layers in _layers(rows, block, whole) if count > 1 else ():
        for mix, outside in _mixes(block * layers, layers, rows // layers, 0):
            make = _lined(count * rows, columns // count, vector, layers, outside, mix, 0)
            name = f"{_name(mix, layers, outside, 0)}, in {count} blocks of {block * vector} columns"
            yield Candidate(name, 0, _in_blocks(make, count), mix or "packed")


def _in_blocks(make: Callable[[], TensorDescriptor], count: int) -> Callable[[], TensorDescriptor]:
    return lambda: in_blocks(make(), count)


def _layers(rows: int, parts: int, whole: int) -> list[int]:
    """How many rows lie in a line that is mixed: divisors, until it is a round of the banks, and twice that."""
    return [n for n in _divisors(rows) if parts * n <= max(2 * whole, parts)]


def _apart(rows: int) -> list[int]:
    """Divisors of the rows that leave several lines of several rows."""
    return _divisors(rows)[1:-1]


def _divisors(rows: int) -> list[int]:
    return [n for n in range(1, rows + 1) if rows % n == 0]


def _mixes(line: int, layers: int, lines: int, gap: int) -> Iterator[tuple[str | None, bool]]:
    for mix in (*MIXES, None):
        if (mix is None and not gap) or (mix == "xor" and line & (line - 1)) or lines == 1:
            continue
        yield mix, True
        if layers > 1 and mix is not None:
            yield mix, False


def _name(mix: str | None, layers: int, outside: bool, gap: int) -> str:
    what = {"xor": "xor", "cyclic": "cyclic shift"}.get(mix or "", "lines")
    text = f"{what} of {layers} row{'s' * (layers > 1)}" if layers > 1 or mix is None else what
    text += ", (K0, L)" if not outside else ""
    return _padded(text, gap)


def _padded(text: str, gap: int) -> str:
    return f"{text}, padded by {gap} vector{'s' * (gap > 1)}" if gap else text


def _lined(
    rows: int, columns: int, vector: int, layers: int, outside: bool, mix: str | None, gap: int
) -> Callable[[], TensorDescriptor]:
    return lambda: lined(rows, columns, vector, layers, outside, mix, gap)


def _columns(rows: int, columns: int, vector: int, gap: int) -> Callable[[], TensorDescriptor]:
    return lambda: padded(rows, columns, vector, gap)


def _lines_of_elements(rows: int, columns: int, layers: int) -> Callable[[int], TensorDescriptor]:
    return lambda gap: lines_padded(rows, columns, layers, gap)


def _rows_apart(rows: int, columns: int, layers: int) -> Callable[[int], TensorDescriptor]:
    return lambda gap: rows_apart(rows, columns, layers, gap)


def _columns_of_elements(rows: int, columns: int, vector: int) -> Callable[[int], TensorDescriptor]:
    return lambda gap: columns_padded(rows, columns, vector, gap)
