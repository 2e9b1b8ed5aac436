"""Triton's linear layouts: a map over F₂ from places in the hardware to coordinates of a tensor, given by its bases.

A place is a number for each of some input dimensions (register, lane, warp, block; or offset), a coordinate one for
each output dimension (dim0, dim1, …).  All sizes are powers of two, and a layout is said by where each bit leads:

    L(a) = ⊕ (basis of each bit that is set in a)          (Triton, `include/triton/Tools/LinearLayout.h`)

| bases of                                       | places           | is                                          |
|------------------------------------------------|------------------|---------------------------------------------|
| lane [1] [2], register [4]                     | 4 lanes, 2 each  | x = 4·register + lane                       |
| offset [0, 1] [0, 2] [1, 1] [2, 2]             | a 4 × 4 tile     | rows whose columns are xor-ed with the row  |
| lane [1] [0]                                   | 4 lanes          | lanes 2 and 3 hold what 0 and 1 hold        |

What it cannot represent: a length that is no power of two, and padding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, reduce
from itertools import accumulate
from operator import index

from layoutalg.display import Displayed
from layoutalg.errors import LayoutError
from layoutalg.index import f2
from layoutalg.interop.triton.descriptors import Pads, descriptor_of
from layoutalg.interop.triton.distributions import distribution_of
from layoutalg.interop.triton.places import OFFSET, REGISTER, bits_of
from layoutalg.layout import TensorDescriptor, TileDistribution
from layoutalg.records import dataclass

Basis = tuple[int, ...]
"""Where one bit leads: a number for each output dimension."""


@dataclass(frozen=True)
class LinearLayout(Displayed):
    """`bases`: the input dimensions, each with a basis for each of its bits; `sizes`: the output dimensions.

    The order of dimensions counts where they are numbered through: the first one changes fastest.  LayoutError where a
    size is no power of two, or a basis leaves the sizes.

    >>> swizzled = LinearLayout.of({"offset": [[0, 1], [0, 2], [1, 1], [2, 2]]}, {"dim0": 4, "dim1": 4})
    >>> swizzled.apply(offset=6), swizzled.inverse().apply(dim0=1, dim1=3)
    ({'dim0': 1, 'dim1': 3}, {'offset': 6})
    """

    bases: tuple[tuple[str, tuple[Basis, ...]], ...]
    sizes: tuple[tuple[str, int], ...]

    def __post_init__(self) -> None:
        for name, size in self.sizes:
            if size < 1 or size & (size - 1):
                raise LayoutError(f"{name} has size {size}; a linear layout's sizes are powers of two")
        for name, vectors in self.bases:
            for bit, basis in enumerate(vectors):
                if len(basis) != len(self.sizes):
                    raise LayoutError(f"{name} = {1 << bit} leads to {list(basis)}: give {len(self.sizes)} coordinates")
                for at, (out, size) in zip(basis, self.sizes, strict=True):
                    if not 0 <= at < size:
                        raise LayoutError(f"{name} = {1 << bit} leads to {out} = {at}, which is outside 0…{size - 1}")

    @staticmethod
    def of(bases: Mapping[str, Sequence[Sequence[int]]], sizes: Mapping[str, int]) -> LinearLayout:
        """The layout of bases by input dimension and sizes by output dimension."""
        try:
            listed = tuple((name, tuple(tuple(map(index, one)) for one in vectors)) for name, vectors in bases.items())
            return LinearLayout(listed, tuple((out, index(size)) for out, size in sizes.items()))
        except (AttributeError, TypeError) as error:
            raise LayoutError(f"bases are lists of whole numbers by place, sizes whole numbers: {error}") from None

    @staticmethod
    def identity(size: int, place: str, out: str) -> LinearLayout:
        """out = place, in 0 … size − 1."""
        return LinearLayout.strided(size, 1, place, out)

    @staticmethod
    def strided(size: int, stride: int, place: str, out: str) -> LinearLayout:
        """out = stride · place, for place in 0 … size − 1."""
        return LinearLayout.of({place: [[stride << n] for n in range(bits_of(size))]}, {out: size * stride})

    @staticmethod
    def zeros(size: int, place: str, out: str, out_size: int = 1) -> LinearLayout:
        """out = 0 at each of `size` places."""
        return LinearLayout.of({place: [[0]] * bits_of(size)}, {out: out_size})

    # --- what it is ---------------------------------------------------------------------------------------------------

    @property
    def places(self) -> Mapping[str, int]:
        """The size of each input dimension."""
        return {name: 1 << len(vectors) for name, vectors in self.bases}

    @property
    def shape(self) -> Mapping[str, int]:
        """The size of each output dimension."""
        return dict(self.sizes)

    def of_place(self, name: str) -> tuple[Basis, ...]:
        """The bases of an input dimension; none where there is no such dimension."""
        return dict(self.bases).get(name, ())

    @cached_property
    def _shifts(self) -> list[int]:
        return list(accumulate((bits_of(size) for _, size in self.sizes), initial=0))

    def packed(self, basis: Sequence[int]) -> int:
        """Coordinates as one number, the first of them fastest."""
        return sum(at << shift for at, shift in zip(basis, self._shifts, strict=False))

    def unpacked(self, number: int) -> Basis:
        """The coordinates of such a number."""
        return _split(number, [size for _, size in self.sizes])

    @cached_property
    def columns(self) -> f2.Columns:
        """The image of each bit of all input dimensions, the first of them fastest, packed."""
        return tuple(self.packed(basis) for _, vectors in self.bases for basis in vectors)

    @cached_property
    def rank(self) -> int:
        """The dimension of what is reached."""
        return f2.rank(self.columns)

    @property
    def is_injective(self) -> bool:
        """Whether no element is held twice."""
        return self.rank == len(self.columns)

    @property
    def is_surjective(self) -> bool:
        """Whether each element is held."""
        return self.rank == self._shifts[-1]

    def apply(self, **place: int) -> dict[str, int]:
        """The coordinates at a place (0 in each dimension that is not given); LayoutError where there is no such."""
        total = 0
        for name, number in place.items():
            if name not in self.places or not 0 <= number < self.places[name]:
                raise LayoutError(f"{name} = {number} is no place; there are {dict(self.places)}")
            total ^= f2.image([self.packed(basis) for basis in self.of_place(name)], number)
        return dict(zip(self.shape, self.unpacked(total), strict=True))

    @cached_property
    def index_map(self) -> TensorDescriptor | TileDistribution:
        """What claims and pictures take it for: a descriptor of offsets, a distribution of registers and lanes.

        LayoutError where it is neither: an element of memory is held twice, a basis leads along two dimensions,
        registers of one lane hold the same.
        """
        if self.without_copies() != self:
            raise LayoutError("registers of a lane hold the same, which no distribution says: take without_copies()")
        return descriptor(self) if OFFSET in self.places else distribution(self)

    # --- new layouts from it ------------------------------------------------------------------------------------------

    def __mul__(self, outer: LinearLayout) -> LinearLayout:
        """This layout repeated at each place of another: shared dimensions are this one's low bits, then the other's.

        >>> (LinearLayout.identity(4, "lane", "dim0") * LinearLayout.identity(2, "lane", "dim1")).of_place("lane")
        ((1, 0), (2, 0), (0, 1))
        """
        if not isinstance(outer, LinearLayout):
            return NotImplemented
        outs = list(dict.fromkeys([*self.shape, *outer.shape]))
        sizes = {out: self.shape.get(out, 1) * outer.shape.get(out, 1) for out in outs}
        bases: dict[str, list[list[int]]] = {}
        for layout, inner in ((self, None), (outer, self.shape)):
            for name, vectors in layout.bases:
                given = bases.setdefault(name, [])
                for basis in vectors:
                    at = dict(zip(layout.shape, basis, strict=True))
                    given.append([at.get(out, 0) * (inner.get(out, 1) if inner else 1) for out in outs])
        return LinearLayout.of(bases, sizes)

    def ordered(self, outs: Sequence[str]) -> LinearLayout:
        """The same map with its output dimensions in another order; those left out are left out of it."""
        if missing := set(outs) - set(self.shape):
            raise LayoutError(
                f"no output dimension {', '.join(sorted(map(str, missing)))}; there are {list(self.shape)}"
            )
        where = [list(self.shape).index(out) for out in outs]
        bases = {name: [[basis[n] for n in where] for basis in vectors] for name, vectors in self.bases}
        return LinearLayout.of(bases, {out: self.shape[out] for out in outs})

    def then(self, after: LinearLayout) -> LinearLayout:
        """First this map, then another one, whose input dimensions are this one's outputs."""
        if not isinstance(after, LinearLayout):
            raise LayoutError(f"a {type(after).__name__} after a linear layout: a linear layout is wanted")
        if not set(self.shape) == set(after.places) or any(self.shape[n] > after.places[n] for n in self.shape):
            raise LayoutError(f"a map to {dict(self.shape)} before one of {dict(after.places)}")
        bases = {}
        for name, vectors in self.bases:
            reached = [after.apply(**dict(zip(self.shape, basis, strict=True))) for basis in vectors]
            bases[name] = [list(at.values()) for at in reached]
        return LinearLayout.of(bases, after.shape)

    def inverse(self) -> LinearLayout:
        """The places of each coordinate; LayoutError where some element is held by none, or by several."""
        if not self.is_injective:
            raise LayoutError("an element is held at several places: there is no inverse")
        return self.pseudoinverse()

    def pseudoinverse(self) -> LinearLayout:
        """A place of each coordinate: of several, the one that needs no later bit than it must; LayoutError where an
        element is held by none.
        """
        found = f2.preimages(self.columns, [1 << n for n in range(self._shifts[-1])])
        if None in found:
            at = dict(zip(self.shape, self.unpacked(1 << found.index(None)), strict=True))
            raise LayoutError(f"no place holds the element at {at}: there is no inverse")
        vectors = iter([_split(one, list(self.places.values())) for one in found if one is not None])
        bases = {out: [next(vectors) for _ in range(bits_of(size))] for out, size in self.sizes}
        return LinearLayout.of(bases, self.places)

    def without_copies(self, name: str = REGISTER) -> LinearLayout:
        """Without the bits of an input dimension that lead nowhere: what they repeat."""
        kept = {n: [b for b in vectors if n != name or any(b)] for n, vectors in self.bases}
        return LinearLayout.of(kept, self.shape)

    def __str__(self) -> str:
        parts = (f"{name} = {[list(basis) for basis in vectors]}" for name, vectors in self.bases)
        return f"{', '.join(parts)} → {' × '.join(f'{out} {size}' for out, size in self.sizes)}"


def descriptor(layout: LinearLayout, pads: Pads = ()) -> TensorDescriptor:
    """From an element's coordinates to its offset, padding included; LayoutError where that is no function."""
    if any(vectors for name, vectors in layout.bases if name != OFFSET):
        raise LayoutError("the layout is spread over the blocks of a cluster; a descriptor is of one block's memory")
    inverse = LinearLayout.of({OFFSET: layout.of_place(OFFSET)}, layout.shape).inverse()
    return descriptor_of(inverse.columns, list(layout.shape.values()), pads)


def distribution(layout: LinearLayout) -> TileDistribution:
    """The tile distribution of a register layout; registers that repeat others are left out.

    LayoutError where an element is missing, or a basis leads along two dimensions or where another one leads.
    """
    return distribution_of(dict(layout.without_copies(REGISTER).bases), list(layout.shape.values()))


def product(layouts: Sequence[LinearLayout]) -> LinearLayout:
    """All of them, each repeated at each place of the next."""
    return reduce(lambda inner, outer: inner * outer, layouts)


def _split(number: int, sizes: Sequence[int]) -> Basis:
    """A number's digits, the first of them fastest."""
    found = []
    for size in sizes:
        number, digit = divmod(number, size)
        found.append(digit)
    return tuple(found)
