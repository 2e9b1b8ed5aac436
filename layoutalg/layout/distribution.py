"""Tile distributions: which lane holds which elements of a tile, in which register, as CK Tile's encoding says it.

A tile of lengths X is cut into factors, `Hs[x]` for each dimension x; `Rs` are copies that reach the same elements.
Each factor belongs either to a P (hardware: the lane, or the warp and the lane) or to a Y (a register of one lane):

    P0 … Pn      Y0 … Ym       top: who holds it, and where
      │ merge      │
    R0 …  H00 H01 …  H10 …     factors, named (major, minor): major 0 is R, major i + 1 is Xi
      │     │ unmerge  │ unmerge
    (none)  X0         X1      bottom: which element

| encoding                                 | lane p, register y        | reaches x          |
|------------------------------------------|---------------------------|--------------------|
| Hs [4, 2], P ((1, 0)), Y ((1, 1))        | p in 0…3, y in 0…1        | 2·p + y            |
| Hs [4, 2], P ((1, 1)), Y ((1, 0))        | p in 0…1, y in 0…3        | 2·y + p            |
| Rs [2], Hs [4], P ((0, 0), (1, 0)), no Y | p in 0…7                  | p mod 4 (two each) |

Since every factor has exactly one owner, the map from (P, Y) to (R, X) is a bijection by construction; what breaks that
is refused.  What it cannot represent: a factor split between two owners (give it as two factors).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TypeVar

from layoutalg.display import Displayed
from layoutalg.errors import LayoutError
from layoutalg.index import ONE, ZERO, Expr, Term, all_of, as_expr, fresh, names, prod
from layoutalg.layout.adaptor import Ids, TensorAdaptor, chain_tensor_adaptors, same_length
from layoutalg.layout.bind import expressions
from layoutalg.layout.linear import Freeze, Replicate
from layoutalg.layout.merge import Merge, Unmerge
from layoutalg.layout.transform import MAX_ELEMENTS, Index, Transform, parameter
from layoutalg.records import dataclass

T = TypeVar("T")
Owner = tuple[int, int]
"""A factor: (major, minor). Major 0 is R, major i + 1 is Xi."""


@dataclass(frozen=True)
class TileDistributionEncoding:
    """CK Tile's `tile_distribution_encoding<Rs, Hs, Ps→major, Ps→minor, Ys→major, Ys→minor>`.

    Lengths may be sizes that are not fixed.  LayoutError names the P or the Y and the factor where an obligation fails.

    >>> TileDistributionEncoding((), ((4, 2),), ((1,),), ((1,),), (1,), (1,))
    Traceback (most recent call last):
        ...
    layoutalg.errors.LayoutError: factor (1, 1) is owned by both P0 and Y0; each must be owned exactly once
    """

    rs: Index
    hs: tuple[Index, ...]
    ps_major: tuple[Ids, ...]
    ps_minor: tuple[Ids, ...]
    ys_major: Ids
    ys_minor: Ids

    def __post_init__(self) -> None:
        given = {
            "rs": _lengths("Rs", self.rs),
            "hs": tuple(_lengths(f"Hs[{x}]", h) for x, h in enumerate(_listed("Hs", self.hs))),
            "ps_major": tuple(_ids(f"P{n} majors", p) for n, p in enumerate(_listed("P majors", self.ps_major))),
            "ps_minor": tuple(_ids(f"P{n} minors", p) for n, p in enumerate(_listed("P minors", self.ps_minor))),
            "ys_major": _ids("Y majors", self.ys_major),
            "ys_minor": _ids("Y minors", self.ys_minor),
        }
        for name, value in given.items():
            object.__setattr__(self, name, value)
        if prod([n for h in self.hs for n in h]).lo >= MAX_ELEMENTS:
            raise LayoutError(f"a tile of {self.lengths}: 2^62 elements or more are refused")
        _refuse_shape(self)
        _refuse_factors(self)
        _refuse_owners(self)

    @staticmethod
    def of(
        rs: Sequence[Term], hs: Sequence[Sequence[Term]], ps: Sequence[Sequence[Owner]], ys: Sequence[Owner]
    ) -> TileDistributionEncoding:
        """The encoding with its factors written as (major, minor) pairs, as `ps` and `ys` show them.

        >>> TileDistributionEncoding.of([], [[4, 2]], [[(1, 0)]], [(1, 1)]).ys_minor
        (1,)
        """
        return TileDistributionEncoding(
            tuple(map(parameter, rs)),
            tuple(tuple(map(parameter, h)) for h in hs),
            tuple(tuple(major for major, _ in p) for p in ps),
            tuple(tuple(minor for _, minor in p) for p in ps),
            tuple(major for major, _ in ys),
            tuple(minor for _, minor in ys),
        )

    @property
    def lengths(self) -> Index:
        """The lengths of the tile: the product of each dimension's factors."""
        return tuple(prod(h) for h in self.hs)

    @property
    def ps(self) -> tuple[tuple[Owner, ...], ...]:
        """The factors of each P, the slowest first."""
        return tuple(tuple(zip(*p, strict=True)) for p in zip(self.ps_major, self.ps_minor, strict=True))

    @property
    def ys(self) -> tuple[Owner, ...]:
        """The factor of each Y."""
        return tuple(zip(self.ys_major, self.ys_minor, strict=True))

    def length(self, factor: Owner) -> Expr:
        """The length of a factor."""
        major, minor = factor
        return self.factors[major][minor]

    @property
    def factors(self) -> tuple[Index, ...]:
        """The lengths of all factors: [major][minor]."""
        return (self.rs, *self.hs)

    def owners(self) -> Iterator[tuple[str, Owner]]:
        """Each owner by name with each factor that it owns."""
        for n, p in enumerate(self.ps):
            for factor in p:
                yield f"P{n}", factor
        for n, factor in enumerate(self.ys):
            yield f"Y{n}", factor

    @property
    def unowned(self) -> tuple[Owner, ...]:
        """The factors that nobody owns (only an R of length 1 may be one)."""
        owned = {factor for _, factor in self.owners()}
        return tuple(
            (major, minor)
            for major, lengths in enumerate(self.factors)
            for minor in range(len(lengths))
            if (major, minor) not in owned
        )


@dataclass(frozen=True)
class TileDistribution(Displayed):
    """Which element each lane and register holds: the map from (P, Y) down to X, and up where nothing is replicated.

    >>> encoding = TileDistributionEncoding((), ((4, 2), (8, 2)), ((1, 2),), ((0, 0),), (1, 2), (1, 1))
    >>> tile = TileDistribution(encoding)
    >>> tile.lengths, tile.ps, tile.ys
    ((8, 16), (32,), (2, 2))
    >>> tile.lower((9,), (1, 0)), tile.upper((3, 2))
    ((3, 2), ((9,), (1, 0)))
    """

    encoding: TileDistributionEncoding

    @cached_property
    def adaptor(self) -> TensorAdaptor:
        """Top [P…, Y…], bottom X; the hidden ids are CK Tile's (X, then R, then H by H, then P)."""
        return _adaptor(self.encoding)

    @property
    def lengths(self) -> Index:
        """The lengths of the tile (X)."""
        return self.encoding.lengths

    @property
    def sole_encoding(self) -> TileDistributionEncoding:
        """The encoding, which says all of the map; LayoutError where it does not."""
        return self.encoding

    @cached_property
    def ps(self) -> Index:
        """The length of each P."""
        return tuple(prod([self.encoding.length(f) for f in p]) for p in self.encoding.ps)

    @cached_property
    def ys(self) -> Index:
        """The length of each Y."""
        return tuple(self.encoding.length(f) for f in self.encoding.ys)

    @property
    def spans(self) -> tuple[Index, ...]:
        """The Y lengths of each tile dimension (CK Tile's distributed spans: what a sweep over it visits)."""
        ys, length = self.encoding.ys, self.encoding.length
        return tuple(tuple(length(y) for y in ys if y[0] == x + 1) for x in range(len(self.encoding.hs)))

    @property
    def registers(self) -> Expr:
        """The number of elements that one lane holds: the product of the Y lengths."""
        return prod(self.ys)

    @cached_property
    def p_index(self) -> Index:
        """One variable for each P, p0, p1 … (p0_ where a size is called p0)."""
        return self._index("p", self.ps)

    @cached_property
    def y_index(self) -> Index:
        """One variable for each Y, y0, y1 … (y0_ where a size is called y0)."""
        return self._index("y", self.ys)

    def _index(self, letter: str, lengths: Index) -> Index:
        sizes = names(*expressions(self.encoding))
        return tuple(fresh(f"{letter}{n}", length, sizes) for n, length in enumerate(lengths))

    @property
    def ys_to_d(self) -> Unmerge:
        """The register number of a Y index: a packed unmerge, the last Y fastest (CK's ys_to_d descriptor)."""
        return Unmerge(self.ys)

    def lower(self, p: Sequence[Term], y: Sequence[Term]) -> Index:
        """The element (X index) that lane p holds in register y."""
        if (len(p), len(y)) != (len(self.ps), len(self.ys)):
            raise LayoutError(f"{len(p)} P and {len(y)} Y coordinates for {len(self.ps)} P and {len(self.ys)} Y")
        return self.adaptor.lower((*p, *y))

    def upper(self, x: Sequence[Term]) -> tuple[Index, Index]:
        """The lane and the register that hold an element; NoInverseError where Rs makes copies of it."""
        top = self.adaptor.upper(x)
        return top[: len(self.ps)], top[len(self.ps) :]

    def valid(self, p: Sequence[Term]) -> Expr:
        """Whether a lane number is one that the encoding means; a greater one leaves the tile."""
        return all_of(*(as_expr(i) < n for i, n in zip(p, self.ps, strict=True)))

    def require_lanes(self, wave_size: Term, warps: Term = 1) -> None:
        """LayoutError unless P is (lane) or (warp, lane), the lanes fill the wave and the warps fill the block."""
        if len(self.ps) not in (1, 2):
            raise LayoutError(f"{len(self.ps)} P dimensions; P is (lane) or (warp, lane)")
        wanted = (as_expr(wave_size),) if len(self.ps) == 1 else (as_expr(warps), as_expr(wave_size))
        if len(self.ps) == 1 and not same_length(as_expr(warps), ONE):
            raise LayoutError(f"P has no warp dimension, but the block has {warps} warps; give P as (warp, lane)")
        for n, (length, want) in enumerate(zip(self.ps, wanted, strict=True)):
            if not same_length(length, want):
                of = "the lanes of a wave" if n == len(self.ps) - 1 else "the warps of the block"
                raise LayoutError(f"P{n} has length {length}, but {of} are {want}: others would leave the tile")

    def require_window(self, lengths: Sequence[Term]) -> None:
        """LayoutError unless the window's lengths are the tile's (the products of Hs)."""
        whole = " × ".join(map(str, self.lengths))
        if len(lengths) != len(self.lengths):
            raise LayoutError(f"a window of {len(lengths)} dimensions for a tile of {len(self.lengths)}: {whole}")
        for x, (window, tile) in enumerate(zip(map(parameter, lengths), self.lengths, strict=True)):
            if not same_length(window, tile):
                also = f": the tile is {whole}" if len(lengths) > 1 else ""
                raise LayoutError(f"window dimension {x} has length {window}, but Hs[{x}] multiplies to {tile}{also}")


@dataclass(frozen=True, repr=False)
class SwizzledDistribution(TileDistribution):
    """A distribution whose elements are those of a tile in another order: `order` leads from the one to the other.

    It is how loads of a wave that land one after the other fill an LDS tile that is swizzled.  LayoutError unless the
    order is one of the tile's dimensions.

    >>> from layoutalg.layout import Xor, make_single_stage_tensor_adaptor
    >>> encoding = TileDistributionEncoding((), ((4,), (8,)), ((1, 2),), ((0, 0),), (), ())
    >>> order = make_single_stage_tensor_adaptor([Xor((4, 8))], [[0, 1]], [[0, 1]])
    >>> SwizzledDistribution(encoding, order).lower((3 * 8 + 5,), ())
    (3, 6)
    """

    order: TensorAdaptor

    def __post_init__(self) -> None:
        wanted, found = self.encoding.lengths, self.order.bottom_lengths
        same = (n is not None and same_length(m, n) for m, n in zip(wanted, found, strict=False))
        if len(found) != len(wanted) or not all(same):
            raise LayoutError(f"an order of {found} for a tile of {wanted}")

    @property
    def sole_encoding(self) -> TileDistributionEncoding:
        """None is: the order is no part of an encoding."""
        raise LayoutError("a tile whose elements are in another order has no encoding that says so")

    @cached_property
    def adaptor(self) -> TensorAdaptor:
        """Top [P…, Y…], bottom X, by way of the order."""
        return chain_tensor_adaptors(self.order, _adaptor(self.encoding))


def _listed(where: str, given: Sequence[T]) -> Sequence[T]:
    if not isinstance(given, tuple | list):
        raise LayoutError(f"{where}: a list is wanted, not {given!r}")
    return given


def _ids(where: str, given: Sequence[int]) -> Ids:
    return tuple(int(parameter(i)) for i in _listed(where, given))


def _lengths(where: str, lengths: Sequence[Term]) -> Index:
    made = tuple(map(parameter, _listed(where, lengths)))
    for n, length in enumerate(made):
        if length.hi < 1:
            raise LayoutError(f"{where}: length {n} is {length}; a length is at least 1")
    return made


def _refuse_shape(encoding: TileDistributionEncoding) -> None:
    """Majors and minors come in pairs."""
    if len(encoding.ps_major) != len(encoding.ps_minor):
        raise LayoutError(f"{len(encoding.ps_major)} P lists of majors but {len(encoding.ps_minor)} of minors")
    for n, (majors, minors) in enumerate(zip(encoding.ps_major, encoding.ps_minor, strict=True)):
        if len(majors) != len(minors):
            raise LayoutError(f"P{n}: {len(majors)} majors but {len(minors)} minors; give one for each")
    if len(encoding.ys_major) != len(encoding.ys_minor):
        raise LayoutError(f"Ys: {len(encoding.ys_major)} majors but {len(encoding.ys_minor)} minors; one for each")


def _refuse_factors(encoding: TileDistributionEncoding) -> None:
    """Every factor that is named exists, and no Y is a copy."""
    for owner, (major, minor) in encoding.owners():
        if not 0 <= major < len(encoding.factors):
            raise LayoutError(f"{owner}: major {major} does not exist; 0 is R, 1…{len(encoding.hs)} are the Hs")
        if not 0 <= minor < len(encoding.factors[major]):
            where = f"Hs[{major - 1}]" if major else "Rs"
            raise LayoutError(
                f"{owner}: minor {minor} of {where} does not exist; it has {len(encoding.factors[major])}"
            )
        if owner.startswith("Y") and major == 0:
            raise LayoutError(f"{owner} is on major 0 (R): a register cannot be a copy; only P may own R factors")


def _refuse_owners(encoding: TileDistributionEncoding) -> None:
    """Every factor has one owner; an R of length 1 may have none (CK writes `sequence<1>` for 'no copies')."""
    seen: dict[Owner, str] = {}
    for owner, factor in encoding.owners():
        if factor in seen:
            raise LayoutError(f"factor {factor} is owned by both {seen[factor]} and {owner}; "
                              "each must be owned exactly once")  # fmt: skip
        seen[factor] = owner
    for factor in encoding.unowned:
        length = encoding.length(factor)
        if factor[0] or not same_length(length, ONE):
            raise LayoutError(f"factor {factor} of length {length} is owned by no P and no Y; "
                              "each must be owned exactly once")  # fmt: skip


def _adaptor(encoding: TileDistributionEncoding) -> TensorAdaptor:
    """CK Tile's `make_adaptor_encoding_for_tile_distribution`; an R without owner is frozen at its only index, 0."""
    rank = len(encoding.hs)
    next_id, ids = rank, list[Ids]()
    for lengths in encoding.factors:
        ids.append(tuple(range(next_id, next_id + len(lengths))))
        next_id += len(lengths)
    layers: list[tuple[Transform, Ids, Ids]] = [(Replicate(encoding.rs), (), ids[0])]
    layers += [(Unmerge(h), (x,), ids[x + 1]) for x, h in enumerate(encoding.hs)]
    layers += [(Freeze(ZERO), (ids[major][minor],), ()) for major, minor in encoding.unowned]
    for n, p in enumerate(encoding.ps):
        below = tuple(ids[major][minor] for major, minor in p)
        layers.append((Merge(tuple(map(encoding.length, p))), below, (next_id + n,)))
    p_ids = tuple(range(next_id, next_id + len(encoding.ps)))
    y_ids = tuple(ids[major][minor] for major, minor in encoding.ys)
    transforms, lower, upper = zip(*layers, strict=True)
    return TensorAdaptor(transforms, lower, upper, tuple(range(rank)), (*p_ids, *y_ids))
