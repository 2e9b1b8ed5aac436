"""CuTe's operations here beside NVIDIA's own pycute, each answer judged by enumeration of the definition.

    pip download nvidia-cutlass==4.2.0.0 --no-deps && unzip nvidia_cutlass-*.whl 'pycute/*'    # pure Python, no GPU
    PYTHONPATH=. python -m benchmarks.cute.against_pycute [--cases 1500] > benchmarks/cute/RESULTS.md

An answer is `right` where it is the function of its definition (the table in RESULTS.md), `wrong` where it is another,
`refused` where an error is raised.  Of what ours refuses it is asked whether a layout is that function (`a layout is`).
"""

from __future__ import annotations

import argparse
import importlib
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any

from layoutalg.errors import LayoutError
from layoutalg.interop import cute
from layoutalg.interop.cute import BitSwizzle, ComposedLayout, Layout
from tests.interop.cute import oracle

MOST = 1 << 9
"""Coordinates of a drawn layout, at most."""
SHOWN = 2
"""Examples of each pair of verdicts that differ."""

MISSED = "refused, a layout is"

Given = tuple[Any, ...]
Judge = Callable[..., bool]


@dataclass(frozen=True)
class Operation:
    """One operation: what is drawn, whether a result is its definition's, and whether any layout can be it."""

    name: str
    defined: str
    draw: Callable[[random.Random], Given]
    right: Judge  # the result, then what was given
    exists: Judge | None = None  # of what was given; None: that is not decided
    refusal: str = MISSED  # what a refusal is where `exists`


@dataclass
class Compared:
    """How often which pair of verdicts, ours first, was met; and examples of those that differ."""

    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    same: int = 0  # both right, and written alike
    examples: dict[tuple[str, str], list[str]] = field(default_factory=dict)


# --- definitions ------------------------------------------------------------------------------------------------------


def is_composition(made: Layout, outer: Layout, inner: Layout) -> bool:
    return oracle.values(made) == [oracle.at(outer, n) for n in oracle.values(inner)]


def is_coalesced(made: Layout, layout: Layout) -> bool:
    return oracle.values(made) == oracle.values(layout)


def is_complement(made: Layout, layout: Layout, target: int) -> bool:
    """Increasing, one-to-one with the layout, and so many that a copy more would begin at the target or beyond it."""
    each, starts = set(oracle.values(layout)), oracle.values(made)
    apart = len({a + b for a in each for b in starts}) == len(each) * len(starts)
    modes = [mode for mode in layout.modes if mode[0] != 1 and mode[1] != 0]
    period = max((d * n for n, d in modes), default=1)
    return apart and starts == sorted(set(starts)) and max(starts) + period >= target


def is_right_inverse(made: Layout, layout: Layout) -> bool:
    return [oracle.at(layout, n) for n in oracle.values(made)] == list(range(oracle.count(made)))


def is_left_inverse(made: Layout, layout: Layout) -> bool:
    return [oracle.at(made, n) for n in oracle.values(layout)] == list(range(oracle.count(layout)))


def is_divide(made: Layout, layout: Layout, tile: Layout) -> bool:
    """(i, j) is element tile(i) + rest(j), rest increasing, and every element lies in exactly one tile."""
    if len(made) != 2:
        return False
    within = oracle.values(tile)
    starts = oracle.values(cute.complement(tile, oracle.count(layout)))
    reached = Counter(i + j for i in within for j in starts)
    whole = len(within) * len(starts) == oracle.count(made) and oracle.count(made[0]) == len(within)
    covered = whole and all(reached[n] == reached[0] for n in range(oracle.count(layout)))
    return covered and oracle.values(made) == [oracle.at(layout, i + j) for j in starts for i in within]


def can_divide(layout: Layout, tile: Layout) -> bool:
    """Whether the tile has a complement, both reach each element alike often, and A of both is a layout."""
    try:
        rest = cute.complement(tile, oracle.count(layout))
    except LayoutError:
        return False
    both = cute.make_layout(tile, rest)
    reached = Counter(oracle.values(both))
    alike = all(reached[n] == reached[0] for n in range(oracle.count(layout)))
    return alike and oracle.is_composition(layout, both)


def can_multiply(block: Layout, copies: Layout) -> bool:
    """Whether the block has a complement, of which the copies are a layout."""
    try:
        starts = cute.complement(block, oracle.count(block) * (max(oracle.values(copies)) + 1))
    except LayoutError:
        return False
    return oracle.is_composition(starts, copies)


def can_zip(layout: Layout, tiles: tuple[int, ...]) -> bool:
    """Whether each mode has its tile and its rest as layouts."""
    pairs = zip(layout, tiles, strict=True)
    return all(oracle.is_composition(mode, Layout((n, oracle.count(mode) // n), (1, n))) for mode, n in pairs)


def can_invert(layout: Layout) -> bool:
    """Whether offsets differ, so that the other way is a function; a layout it need not be."""
    return len(set(oracle.values(layout))) == oracle.count(layout)


def is_product(made: Layout, block: Layout, copies: Layout) -> bool:
    """The block, and where copy number copies(j) of a tiling by blocks begins."""
    if len(made) != 2:
        return False
    reach = oracle.count(block) * (max(oracle.values(copies)) + 1)
    starts = cute.complement(block, reach)
    firsts = [oracle.at(starts, n) for n in oracle.values(copies)]
    return oracle.values(made[0]) == oracle.values(block) and oracle.values(made[1]) == firsts


def is_zipped(made: Layout, layout: Layout, tiles: tuple[int, ...]) -> bool:
    """((tiles), (rests)): element i of tile r of a mode is its i + n·r."""
    return _divided(made, layout, tiles, opened=False)


def is_tiled(made: Layout, layout: Layout, tiles: tuple[int, ...]) -> bool:
    """((tiles), rest, rest …)."""
    return _divided(made, layout, tiles, opened=True)


def _divided(made: Layout, layout: Layout, tiles: tuple[int, ...], opened: bool) -> bool:
    rests = [-(-oracle.count(mode) // n) for mode, n in zip(layout, tiles, strict=True)]
    for inner in product(*map(range, tiles)):
        for rest in product(*map(range, rests)):
            at = [i + n * r for i, n, r in zip(inner, tiles, rest, strict=True)]
            wanted = sum(oracle.at(mode, n) for mode, n in zip(layout, at, strict=True))
            if (made(inner, *rest) if opened else made(inner, rest)) != wanted:
                return False
    return True


def is_swizzled(made: ComposedLayout, swizzle: BitSwizzle, offset: int, layout: Layout) -> bool:
    """Bit by bit."""
    for n in range(oracle.count(layout)):
        at = found = offset + oracle.at(layout, n)
        for bit in range(swizzle.bits):
            source, target = (swizzle.base + bit + max(step, 0) for step in (swizzle.shift, -swizzle.shift))
            found ^= (at >> source & 1) << target
        if made(n) != found:
            return False
    return True


def is_slice(made: tuple[Layout, int], coordinate: tuple[Any, ...], layout: Layout) -> bool:
    """What is left where some modes are fixed, and where it begins."""
    left, offset = made
    free = [n for n, one in enumerate(coordinate) if one is None]
    for at in product(*(range(oracle.count(layout[n])) for n in free)):
        whole = [0 if one is None else one for one in coordinate]
        for n, one in zip(free, at, strict=True):
            whole[n] = one
        wanted = sum(oracle.at(mode, n) for mode, n in zip(layout, whole, strict=True))
        number, below = 0, 1
        for n, one in zip(free, at, strict=True):
            number, below = number + one * below, below * oracle.count(layout[n])
        if offset + oracle.at(left, number) != wanted:
            return False
    return True


# --- what is drawn ----------------------------------------------------------------------------------------------------


def _layout(draw: random.Random, packed: bool = False) -> Layout:
    while True:
        one = (oracle.packed_layout if packed else oracle.any_layout)(draw)
        if oracle.count(one) <= MOST:
            return one


def _inside(draw: random.Random) -> tuple[Layout, Layout]:
    """Two of which the second gives numbers of the first."""
    while True:
        outer, inner = _layout(draw), _layout(draw)
        if max(oracle.values(inner)) < oracle.count(outer):
            return outer, inner


def _division(draw: random.Random) -> tuple[Layout, Layout]:
    while True:
        layout, tile = _layout(draw), _layout(draw, packed=True)
        if max(oracle.values(tile)) < oracle.count(layout):
            return layout, tile


def _tiles(draw: random.Random) -> tuple[Layout, tuple[int, ...]]:
    layout = _layout(draw)
    counts = [oracle.count(mode) for mode in layout]
    return layout, tuple(draw.choice([n for n in range(1, count + 1) if count % n == 0]) for count in counts)


def _swizzled(draw: random.Random) -> tuple[BitSwizzle, int, Layout]:
    shift = draw.choice((-3, -2, -1, 1, 2, 3))
    return BitSwizzle(draw.randint(0, abs(shift)), draw.randint(0, 3), shift), draw.choice((0, 4, 13)), _layout(draw)


def _sliced(draw: random.Random) -> tuple[tuple[int | None, ...], Layout]:
    while True:
        layout = _layout(draw)
        at = tuple(draw.choice((None, draw.randrange(oracle.count(mode)))) for mode in layout)
        if any(one is None for one in at):
            return at, layout


OPERATIONS = (
    Operation("coalesce", "R(i) = L(i)", lambda draw: (_layout(draw),), is_coalesced),
    Operation("composition", "R(i) = A(B(i)), B within A", _inside, is_composition, oracle.is_composition),
    Operation("composition", "the same, any B; A's last mode goes on",
              lambda draw: (_layout(draw), _layout(draw)), is_composition, oracle.is_composition),
    Operation("complement", "R increases, one-to-one with L, as far as the target",
              lambda draw: (_layout(draw), draw.choice((1, 16, 60)))  , is_complement),
    Operation("right_inverse", "L(R(i)) = i", lambda draw: (_layout(draw),), is_right_inverse),
    Operation("left_inverse", "R(L(i)) = i", lambda draw: (_layout(draw),), is_left_inverse, can_invert,
              "refused, one-to-one"),
    Operation("logical_divide", "R(i, j) = A(T(i) + rest(j)), each of A once; T one-to-one in A",
              _division, is_divide, can_divide),
    Operation("logical_divide", "the same, any T",
              lambda draw: (_layout(draw), _layout(draw)), is_divide, can_divide),
    Operation("logical_product", "R(i, j) = A(i) + start of copy B(j)",
              lambda draw: (_layout(draw, packed=True), _layout(draw)), is_product, can_multiply),
    Operation("zipped_divide", "by numbers: element i of tile r is i + n·r", _tiles, is_zipped, can_zip),
    Operation("tiled_divide", "the same, the rests opened", _tiles, is_tiled, can_zip),
    Operation("swizzle", "bit by bit", _swizzled, is_swizzled),
    Operation("slice_and_offset", "what is left where modes are fixed", _sliced, is_slice),
)  # fmt: skip


KINDS = """Kinds, judged:

- refused / wrong: pycute takes a length that a cut does not divide as ⌊length / cut⌋ (6 cut every 4 is left with 4), or
  modes whose sum carries from one of A's to the next; where two coordinates have one offset there is no left inverse.
- right / refused: pycute asserts that a stride and A's length divide one another, also where the mode ends before that
  matters (length 1, or shorter than the first cut).
- right / wrong: B goes beyond A, whose last mode has length 1: pycute coalesces it away before. Left inverses of those
  with gaps: pycute's is the right inverse of (layout, complement), packed only where the complement fills the gaps.
- refused, one-to-one: our left inverse wants strides of which each is a multiple of the one before.

Examples:
"""


# --- both answers -----------------------------------------------------------------------------------------------------


def ours(name: str, given: Given) -> Any:
    """Our answer; LayoutError where there is none."""
    if name == "swizzle":
        return ComposedLayout(*given)
    if name == "slice_and_offset":
        return cute.slice_and_offset(given[1], given[0])
    return getattr(cute, name)(*given)


def theirs(pycute: Any, name: str, given: Given) -> Any:
    """pycute's answer, as ours would be; AssertionError where there is none."""
    if name == "swizzle":
        swizzle, offset, layout = given
        below = pycute.Layout(layout.shape, layout.stride)
        made = pycute.ComposedLayout(pycute.Swizzle(swizzle.bits, swizzle.base, swizzle.shift), offset, below)
        return cute.parse(made)
    arguments = [pycute.Layout(one.shape, one.stride) if isinstance(one, Layout) else one for one in given]
    made = getattr(pycute, name)(*arguments)
    if name == "slice_and_offset":
        return cute.parse(made[0]), made[1]
    return cute.parse(made)


def compared(pycute: Any, operation: Operation, cases: Sequence[int]) -> Compared:
    """Both answers for seeds."""
    found = Compared()
    for seed in cases:
        given = operation.draw(random.Random(f"{operation.name} {seed}"))
        both = [answered(ours, operation.name, given), answered(partial(theirs, pycute), operation.name, given)]
        verdicts = [_verdict(operation, one, given) for one in both]
        if verdicts[0] == "refused" and operation.exists is not None and operation.exists(*given):
            verdicts[0] = operation.refusal
        pair = verdicts[0], verdicts[1]
        found.pairs[pair] += 1
        found.same += pair == ("right", "right") and str(both[0]) == str(both[1])
        examples = found.examples.setdefault(pair, [])
        if (pair[0] != pair[1] or "wrong" in pair) and len(examples) < SHOWN:
            said = ", ".join(str(one) for one in given)
            examples.append(f"{operation.name}({said}): {_told(both[0])}; pycute: {_told(both[1])}")
    return found


def answered(answer: Callable[[str, Given], Any], name: str, given: Given) -> Any:
    """An answer, or the error by which it is refused."""
    try:
        return answer(name, given)
    except (AssertionError, LayoutError, ZeroDivisionError) as error:
        return error


def _verdict(operation: Operation, made: Any, given: Given) -> str:
    if isinstance(made, Exception):
        return "refused"
    try:
        return "right" if operation.right(made, *given) else "wrong"
    except LayoutError:  # what it is held against does not exist, or the answer has another form
        return "wrong"


def _told(made: Any) -> str:
    if isinstance(made, Exception):
        text = str(made).split(";")[0]
        return f"refused ({text})" if text else f"refused ({type(made).__name__})"
    return str(made)


def report(found: Sequence[tuple[Operation, Compared]], cases: int) -> Iterator[str]:
    """The page."""
    yield "# CuTe's operations beside NVIDIA's pycute\n"
    yield "    python -m benchmarks.cute.against_pycute > benchmarks/cute/RESULTS.md\n"
    yield f"nvidia-cutlass 4.2.0.0; {cases} random layouts or pairs of each operation; each answer is judged by"
    yield "enumeration of the definition. Columns: ours / pycute's.\n"
    columns = list(dict.fromkeys(pair for _, one in found for pair in sorted(one.pairs)))
    yield "| operation | definition | written alike | " + " | ".join(f"{a} / {b}" for a, b in columns) + " |"
    yield "|---" * (3 + len(columns)) + "|"
    for operation, one in found:
        cells = " | ".join(str(one.pairs[pair]) for pair in columns)
        yield f"| {operation.name} | {operation.defined} | {one.same} | {cells} |"
    yield f"\n{KINDS}"
    for _, one in found:
        for (a, b), examples in sorted(one.examples.items()):
            yield from (f"- {a} / {b}: `{example}`" for example in examples)


def main() -> int:
    """Prints the page; 1 where an answer of ours is wrong."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--cases", type=int, default=1500)
    wanted = given.parse_args()
    pycute = importlib.import_module("pycute")
    found = [(one, compared(pycute, one, range(wanted.cases))) for one in OPERATIONS]
    print("\n".join(report(found, wanted.cases)))
    return int(any(pair[0] in ("wrong", MISSED) for _, one in found for pair in one.pairs))


if __name__ == "__main__":
    raise SystemExit(main())
