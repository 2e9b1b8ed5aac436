"""Mixed layouts to try, cheapest first: what CK's policies are made of, with every free number left open.

All of them keep vectors of V elements whole and put L rows side by side in a line, which is mixed with its number and
may be followed by a gap of p vectors (what is not mixed is in `nested`):

| family        | address of row r, vector c, in vectors (line = r / L, inside = place of (r mod L, c) in the line) |
|---------------|---------------------------------------------------------------------------------------------------|
| packed        | line·(K0·L) + inside                                                                              |
| xor           | line·(K0·L + p) + (inside ^ line mod K0·L), K0·L a power of two                                   |
| cyclic shift  | line·(K0·L + p) + (inside + line) mod K0·L                                                        |
| in blocks     | c / B · (M·B) + one of the above in each block of B columns, the power of two in K0               |

A gap of one whole round of the banks more moves every line by whole rounds: no bank changes, and no two elements meet.
So gaps up to one round are all gaps.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from math import lcm

from layoutalg.layout import TensorDescriptor
from layoutalg.records import dataclass
from layoutalg.synth.gemm import MIXES, in_blocks, lined, packed
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


def mixes(problem: Problem, kinds: Container[str]) -> str:
    """Those of some kinds, in words."""
    parts, whole = problem.lengths[1] // problem.vector, round_of_banks(problem)
    layers = ", ".join(map(str, _layers(problem.lengths[0], parts, whole)))
    text = "packed"
    if named := [mix for mix in MIXES if mix in kinds or "both" in kinds]:
        text += f", {' or '.join(named)} of lines of {layers} rows in both orders"
        text += f", with gaps of 0 … {whole - 1} vectors" if "both" in kinds else ""
        text += ", and of blocks of columns" if parts & (parts - 1) else ""
    return text


def _all(problem: Problem) -> Iterator[Candidate]:
    (rows, columns), vector = problem.lengths, problem.vector
    parts, size = columns // vector, problem.vector_bytes
    whole = round_of_banks(problem)
    yield Candidate("packed", 0, lambda: packed(rows, columns), "packed")
    yield from _blocks(rows, columns, vector, whole)
    for gap in range(whole):
        for layers in _layers(rows, parts, whole):
            lines, line = rows // layers, parts * layers
            for mix, outside in _mixes(line, layers, lines):
                make = _lined(rows, columns, vector, layers, outside, mix, gap)
                name = _name(mix, layers, outside, gap)
                yield Candidate(name, (lines - 1) * gap * size, make, "both" if gap else mix)


def _blocks(rows: int, columns: int, vector: int, whole: int) -> Iterator[Candidate]:
    """A tile whose vectors in a row are no power of two: blocks of columns that are one, each mixed by itself."""
    parts = columns // vector
    block = parts & -parts
    count = parts // block
    for layers in _layers(rows, block, whole) if count > 1 else ():
        for mix, outside in _mixes(block * layers, layers, rows // layers):
            make = _lined(count * rows, columns // count, vector, layers, outside, mix, 0)
            name = f"{_name(mix, layers, outside, 0)}, in {count} blocks of {block * vector} columns"
            yield Candidate(name, 0, _in_blocks(make, count), mix)


def _in_blocks(make: Callable[[], TensorDescriptor], count: int) -> Callable[[], TensorDescriptor]:
    return lambda: in_blocks(make(), count)


def _layers(rows: int, parts: int, whole: int) -> list[int]:
    """How many rows lie in a line that is mixed: divisors, until it is a round of the banks, and twice that."""
    return [n for n in divisors(rows) if parts * n <= max(2 * whole, parts)]


def divisors(rows: int) -> list[int]:
    """All divisors, least first."""
    return [n for n in range(1, rows + 1) if rows % n == 0]


def _mixes(line: int, layers: int, lines: int) -> Iterator[tuple[str, bool]]:
    for mix in MIXES:
        if (mix == "xor" and line & (line - 1)) or lines == 1:
            continue
        yield mix, True
        if layers > 1:
            yield mix, False


def _name(mix: str, layers: int, outside: bool, gap: int) -> str:
    text = {"xor": "xor", "cyclic": "cyclic shift"}[mix]
    text += f" of {layers} rows" if layers > 1 else ""
    return padded(text + ("" if outside else ", (K0, L)"), gap)


def padded(text: str, gap: int) -> str:
    """A layout's name with its gap."""
    return f"{text}, padded by {gap} vector{'s' * (gap > 1)}" if gap else text


def _lined(
    rows: int, columns: int, vector: int, layers: int, outside: bool, mix: str, gap: int
) -> Callable[[], TensorDescriptor]:
    return lambda: lined(rows, columns, vector, layers, outside, mix, gap)
