"""The layouts of a configuration, and what is claimed of them; what LDS accesses cost beside the least.

| claim          | says                                                                                          |
|----------------|-----------------------------------------------------------------------------------------------|
| `lengths`      | a layout has the tile's lengths, and a window those of the distribution that is used with it  |
| `threads`      | a distribution's P are the threads of the block                                               |
| `in_bounds`, `injective` | of an LDS descriptor: every element has a place of its own in its space             |
| `contiguous`   | of an LDS descriptor: the elements of a vector lie side by side, as many as the policy packs  |
| `covers`       | a distribution holds every element of the tile, as often as its encoding's Rs say             |
| `handed_on`    | each thread stores to LDS the elements that it loaded from memory; of C, the epilogue stores  |
|                | each accumulator as the element of C that it is, once                                         |
| `multiplied`   | what an accumulator sums are the products of its row of A and its column of B                 |
| `lands`        | where loads go straight to LDS: the pieces of a wave's lanes lie side by side, as it puts them |
| `exchanged`    | where LDS is read transposed: the exchange gives each lane the operand's elements             |
| `lds_bytes`    | the descriptors fit in what the policy asks for, and that in the target's LDS                 |
| `whole`        | C's window divides the tile                                                                   |

`covers` is the claim of spec files, under its one rule: copies that the Rs say are no fault, of what is stored neither:
each of them is the same element, and who stores it twice leaves what it was. (An atomic addition would count it twice;
no configuration here has one.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from layoutalg.ck import accumulated
from layoutalg.ck.accumulated import held
from layoutalg.ck.space import DTYPES, Configuration
from layoutalg.errors import LayoutError
from layoutalg.formats import ck_structure
from layoutalg.index import array, prod
from layoutalg.layout import TensorDescriptor, TileDistribution
from layoutalg.memory import access, distributed, price
from layoutalg.memory.banks import AccessError
from layoutalg.prove import (
    Claim,
    Contiguous,
    Covers,
    InBounds,
    Injective,
    Proved,
    Refuted,
    Unknown,
    Verdict,
    Witness,
    prove,
)
from layoutalg.records import dataclass
from layoutalg.target import target as gpu
from layoutalg.target.dtypes import DType, element_type
from layoutalg.target.model import Access as Way
from layoutalg.target.model import UnknownLoadError
from layoutalg.target.transposed import TRANSPOSED, TransposedLoad

ELEMENTS: Mapping[str, DType] = {name: element_type(name) for name in DTYPES}
RESULTS: Mapping[str, DType] = {
    **ELEMENTS, "fp8": element_type("f16"), "bf8": element_type("f16"), "int8": element_type("i32"),
}  # fmt: skip
SUMS: Mapping[str, str] = {"int8": "i32", "fp64": "f64"}  # all others are summed in f32
BYTES = {name: kind.bytes for name, kind in ELEMENTS.items()}
_WIDEST = 16
"""Bytes of one LDS access of a lane at most."""


@dataclass(frozen=True)
class LayoutClaim:
    """A claim on a layout, and its verdict."""

    claim: str
    about: str
    verdict: Verdict


@dataclass(frozen=True)
class LdsCost:
    """What one instruction of a wave costs: cycles at most, the least that its width can take, bytes of a lane."""

    about: str
    cycles: int
    least: int
    width: int


@dataclass(frozen=True)
class OperandLayouts:
    """A's or B's way through LDS: loaded from memory, stored to LDS, read as operands.

    Where it is read transposed, `asked` is where lanes look, and `read` what they get; else the two are one.
    """

    name: str
    lds: TensorDescriptor
    loaded: TileDistribution
    stored: TileDistribution
    read: TileDistribution
    transposed: bool  # by the load from LDS
    asked: TileDistribution
    pack: int  # elements of a vector in LDS


@dataclass(frozen=True)
class EpilogueLayouts:
    """C's way through LDS: `taken` warp tiles at each place, where the window on C in memory moves on."""

    lds: TensorDescriptor
    stored: TileDistribution
    read: TileDistribution
    window: tuple[int, ...]
    lds_bytes: int
    taken: tuple[int, ...]
    places: tuple[tuple[int, ...], ...]
    moves: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class GemmLayouts:
    """All layouts of a configuration."""

    of: Configuration
    a: OperandLayouts
    b: OperandLayouts
    lds_bytes: int
    summed: TileDistribution  # C's accumulators
    c: EpilogueLayouts | None

    @classmethod
    def read(cls, of: Configuration, pipeline: Any, epilogue: Any | None) -> GemmLayouts:
        """Of the compiler's answers; LayoutError where they make no layouts."""
        parts = ck_structure.layout(pipeline)
        a = OperandLayouts("a", parts[0], parts[1], parts[2], parts[3], int(parts[9]) == 1, parts[11], int(parts[14]))
        b = OperandLayouts("b", parts[4], parts[5], parts[6], parts[7], int(parts[10]) == 1, parts[12], int(parts[15]))
        c = None
        if epilogue is not None:
            lds, stored, read, window, bytes_, taken, places, moves = ck_structure.layout(epilogue)
            steps = (tuple(tuple(map(int, one)) for one in each) for each in (places, moves))
            c = EpilogueLayouts(lds, stored, read, tuple(map(int, window)), int(bytes_), tuple(map(int, taken)), *steps)
        twice = 2 if of.twice else 1
        return cls(of, a, b, twice * int(parts[8]), parts[13], c)

    def lacking(self, target: str) -> str:
        """Why the target has no loads to LDS of as many bytes a lane as A's and B's; empty where it has."""
        size = ELEMENTS[self.of.dtype].bytes
        try:
            for one in (self.a, self.b) if self.of.straight else ():
                gpu(target).require_straight(int(one.loaded.ys[-1]) * size)
        except UnknownLoadError as error:
            return str(error)
        return ""

    def claims(self, target: str) -> Iterator[LayoutClaim]:
        """Every claim, decided."""
        m, n, k = self.of.tile.block
        threads = self.of.tile.waves * gpu(target).wave_size
        for one, rows, column_major in ((self.a, m, self.of.layout[0] == "c"), (self.b, n, self.of.layout[1] == "r")):
            in_lds = (k, rows) if one.transposed else (rows, k)
            yield from _layout(one.name, one.lds, in_lds, one.pack)
            in_memory = (k, rows) if column_major else (rows, k)
            yield from _distribution(f"{one.name} from memory", one.loaded, in_memory, threads)
            yield from _distribution(f"{one.name} to LDS", one.stored, in_lds, threads)
            yield from _distribution(f"{one.name} as operand", one.read, (rows, k), threads)
            yield _said("handed_on", one.name, _handed_on(one, column_major and not one.transposed))
            if self.of.straight:
                yield _said("lands", one.name, _lands(one, gpu(target).wave_size))
            if one.transposed:
                yield from _distribution(f"{one.name} as asked for", one.asked, in_lds, threads)
                yield _said("exchanged", one.name, _exchanged(one, self._turned_by(target), gpu(target).wave_size))
        yield from self._room(target)
        yield from _distribution("c as summed", self.summed, (m, n), threads)
        if all(int(prod(one.ps)) == threads for one in (self.a.read, self.b.read, self.summed)):
            yield self._multiplied(target)
        if self.c is not None:
            yield from self._epilogue(self.c, m, n, threads)

    def costs(self, target: str) -> Iterator[LdsCost]:
        """What storing to LDS and reading from it costs, of each operand.

        Of loads straight to LDS nobody says what their stores cost there: they are left out.
        """
        kind = ELEMENTS[self.of.dtype]
        ways: list[tuple[str, TensorDescriptor, TileDistribution, DType, Way | TransposedLoad]] = []
        for one in (self.a, self.b):
            if not self.of.straight:
                ways.append((f"{one.name} to LDS", one.lds, one.stored, kind, "write"))
            how: Way | TransposedLoad = self._turned_by(target) if one.transposed else "read"
            ways.append((f"{one.name} as operand", one.lds, one.asked, kind, how))
        if self.c is not None:
            kind = RESULTS[self.of.dtype]
            ways += [
                ("c to LDS", self.c.lds, self.c.stored, kind, "write"),
                ("c from LDS", self.c.lds, self.c.read, kind, "read"),
            ]
        for about, lds, lanes, kind, way in ways:
            cost = lds_cost(about, lds, lanes, kind, target, way)
            if cost is not None:
                yield cost

    def _multiplied(self, target: str) -> LayoutClaim:
        """That accumulators are the products' own elements of C."""
        m, n, _ = self.of.tile.warp
        maps = accumulated.instruction_maps(target, (m, n), SUMS.get(self.of.dtype, "f32"))
        if maps is None:
            why = f"no matrix instruction of {m} × {n} is known of {target}"
            return LayoutClaim("multiplied", "c", Unknown("multiplied", "constants", 0.0, (), why))
        depth = self.of.tile.block[2]
        return _said("multiplied", "c", accumulated.multiplied(self.a.read, self.b.read, self.summed, maps, depth))

    def _turned_by(self, target: str) -> TransposedLoad:
        """The load that transposes its elements; LayoutError where the target has none."""
        bits = ELEMENTS[self.of.dtype].bits
        for one in TRANSPOSED.values():
            if one.bits == bits and target in one.targets:
                return one
        raise LayoutError(f"{target} has no load from LDS that transposes elements of {bits} bits")

    def _room(self, target: str) -> Iterator[LayoutClaim]:
        size, most = BYTES[self.of.dtype], gpu(target).lds_bytes
        a, b = (int(one.lds.element_space_size) * size for one in (self.a, self.b))
        needed = -(-a // 16) * 16 + b
        asked = self.lds_bytes // (2 if self.of.twice else 1)
        yield _said("lds_bytes", "a and b", "" if needed <= asked else f"{needed} bytes in {asked}")
        whole = max(self.lds_bytes, self.c.lds_bytes if self.c else 0)
        yield _said("lds_bytes", target, "" if whole <= most else f"{whole} bytes; {target} has {most}")

    def _epilogue(self, c: EpilogueLayouts, m: int, n: int, threads: int) -> Iterator[LayoutClaim]:
        yield from _layout("c", c.lds, c.window, int(c.read.ys[-1]))
        yield from _distribution("c to LDS", c.stored, c.window, threads)
        yield from _distribution("c from LDS", c.read, c.window, threads)
        whole = m % c.window[0] == 0 and n % c.window[1] == 0
        yield _said("whole", "c", "" if whole else f"a window of {c.window[0]} × {c.window[1]} in a tile of {m} × {n}")
        if not _lengths(c.stored.lengths, c.window):
            handed = accumulated.handed_on(self.summed, c.stored, c.window, c.taken, c.places, c.moves)
            yield _said("handed_on", "c", handed)
        space = int(c.lds.element_space_size) * RESULTS[self.of.dtype].bytes
        yield _said("lds_bytes", "c", "" if space <= c.lds_bytes else f"{space} bytes in {c.lds_bytes}")


def _layout(name: str, lds: TensorDescriptor, lengths: tuple[int, ...], vector: int) -> Iterator[LayoutClaim]:
    yield _said("lengths", f"{name} in LDS", _lengths(lds.lengths, lengths))
    yield LayoutClaim("in_bounds", f"{name} in LDS", _proved(InBounds(lds)))
    yield LayoutClaim("injective", f"{name} in LDS", _proved(Injective(lds)))
    yield LayoutClaim("contiguous", f"{name} in LDS", _proved(Contiguous(lds, len(lds.lengths) - 1, vector)))


def _distribution(
    about: str, one: TileDistribution, lengths: tuple[int, ...], threads: int
) -> Iterator[LayoutClaim]:  # fmt: skip
    yield _said("lengths", about, _lengths(one.lengths, lengths))
    over = int(prod(one.ps))
    yield _said("threads", about, "" if over == threads else f"{over} of {threads}")
    yield LayoutClaim("covers", about, _proved(Covers(one, None)))


def lds_cost(
    about: str, lds: TensorDescriptor, lanes: TileDistribution, dtype: DType, target: str, way: Way | TransposedLoad
) -> LdsCost | None:
    """The price of an access by the widest instruction that it can take; None where lanes reach no LDS that way."""
    last = int(lanes.ys[-1])
    turned = isinstance(way, TransposedLoad)
    width = way.elements if isinstance(way, TransposedLoad) else _WIDEST // dtype.bytes
    while width:
        if last % width == 0:
            try:
                made = access(lds, distributed(lanes, width), dtype, target, str(way))
                cost = price(made)
            except (AccessError, LayoutError):
                cost = None
            if cost is not None and not isinstance(cost, Unknown):
                return LdsCost(about, cost.total[1], len(made.instruction.phases), made.width)
        width = 0 if turned else width // 2
    return None


def _lengths(found: Sequence[Any], wanted: Sequence[int]) -> str:
    lengths = tuple(map(int, found))
    return "" if lengths == tuple(wanted) else f"{' × '.join(map(str, lengths))}, not {' × '.join(map(str, wanted))}"


def _said(claim: str, about: str, wrong: str) -> LayoutClaim:
    """A verdict that numbers give; `wrong` is empty where it holds."""
    if wrong:
        return LayoutClaim(claim, about, Refuted(claim, "constants", 0.0, (), Witness((), wrong)))
    return LayoutClaim(claim, about, Proved(claim, "constants", 0.0))


def _proved(claim: Claim) -> Verdict:
    try:
        return prove(claim)
    except LayoutError as error:
        return Unknown(claim.name, "statement", 0.0, why=str(error))


def _handed_on(one: OperandLayouts, turned: bool) -> str:
    """Why a thread stores other elements than it loaded; `turned`: the tile is loaded the other way round."""
    loaded, stored = (held(each) for each in (one.loaded, one.stored))
    if loaded.shape != stored.shape:
        return f"{loaded.shape[1]} elements of a thread are loaded, {stored.shape[1]} are stored"
    if turned:
        loaded = loaded[:, :, ::-1]
    rows = [np.sort(each[:, :, 0] * (1 << 20) + each[:, :, 1], axis=1) for each in (loaded, stored)]
    wrong = np.argwhere(rows[0] != rows[1])
    return f"thread {wrong[0][0]} stores others than it loaded" if len(wrong) else ""


def _lands(one: OperandLayouts, lanes: int) -> str:
    """Why the pieces that a wave's lanes load do not lie side by side in LDS, the first lane's at the first place."""
    each = int(one.stored.ys[-1])
    at = held(one.stored)
    row, column = at[:, :, 0], at[:, :, 1]
    offsets = array([one.lds.offset(one.lds.index)], dict(zip(one.lds.index, (row, column), strict=True)))[0]
    pieces = offsets.reshape(-1, lanes, offsets.shape[1] // each, each)
    places = np.arange(lanes)[:, None, None] * each + np.arange(each)
    wrong = np.argwhere(pieces != pieces[:, :1, :, :1] + places)
    if not len(wrong):
        return ""
    wave, lane, load, k = map(int, wrong[0])
    found, goes = int(pieces[wave, lane, load, k]), int(pieces[wave, 0, load, 0]) + lane * each + k
    return f"wave {wave}, load {load}: element {k} of lane {lane} belongs at {found}, and goes to {goes}"


def _exchanged(one: OperandLayouts, load: TransposedLoad, lanes: int) -> str:
    """Why what lanes ask for, exchanged, is not the operand's: the first element that is another."""
    asked, got = (held(each).reshape(-1, lanes, held(each).shape[1], 2) for each in (one.asked, one.read))
    if asked.shape != got.shape or got.shape[2] % load.elements:
        return f"{asked.shape[2]} elements of a lane are asked for by {load}, {got.shape[2]} are wanted"
    for lane in range(lanes):
        for e in range(got.shape[2]):
            other, k = load.at(lane, e % load.elements)
            brought = asked[:, other, e - e % load.elements + k, ::-1]
            if (brought != got[:, lane, e]).any():
                found, wanted = (tuple(map(int, at[0])) for at in (brought, got[:, lane, e]))
                return f"element {e} of lane {lane} is {found}, not {wanted}"
    return ""
