"""Strided memory as torch, numpy and DLPack have it: sizes, strides of any sign, an offset, a storage of some length.

    offset(i) = offset + Σ iₙ·strideₙ          for 0 ≤ iₙ < sizeₙ, in a memory of `storage` elements

Every question about one is decided exactly, most in microseconds:

| question                      | is decided by                                                                       |
|-------------------------------|-------------------------------------------------------------------------------------|
| does it leave its storage?    | the least and the greatest offset                                                   |
| do two indices share memory?  | the difference query: is Σ dₙ·strideₙ = 0 for a d ≠ 0, each −sizeₙ < dₙ < sizeₙ?     |
| is it dense?                  | as many indices as places from the least offset to the greatest, and none shared    |
| how wide may an access be?    | what divides the size, the offset and all other strides                             |

Each is also a claim of the prover on the descriptor (`claims`), which says the same.

>>> import numpy as np
>>> windows = np.lib.stride_tricks.sliding_window_view(np.zeros(10, np.float32), 3)
>>> view = from_numpy(windows)
>>> view.sizes, view.strides, view.is_inside, view.overlap
((8, 3), (1, 1), True, ((1, 0), (0, 1)))

What it cannot represent: a stride or an offset that is no whole number of elements, and memory that is no one block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import gcd, prod
from typing import Any

from layoutalg.display import Displayed
from layoutalg.errors import LayoutError
from layoutalg.index import ZERO, Term
from layoutalg.index.integers import integer
from layoutalg.interop.dlpack import read_capsule
from layoutalg.layout import (
    Freeze,
    TensorDescriptor,
    attach,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_with_offset,
)
from layoutalg.layout.adaptor import make_identity
from layoutalg.layout.transform import MAX_ELEMENTS, parameter
from layoutalg.layout.vectors import LONGEST
from layoutalg.lazy import lazy_imports
from layoutalg.prove import Bijective, Claim, Contiguous, InBounds, Injective, Proved, Refuted, prove
from layoutalg.prove.strategies.difference import solve
from layoutalg.records import dataclass

with lazy_imports():
    import numpy as np
    import numpy.typing as npt

Top = tuple[int, ...]
"""An index: one number for each dimension."""


@dataclass(frozen=True)
class Strided(Displayed):
    """A view of one block of memory; sizes, strides, offset and storage are counted in elements.

    `names` are those of torch's named tensors, None where a dimension has none.  LayoutError for a size or a storage
    below 0, and where there are not as many strides or names as sizes.

    >>> Strided((3, 4), (-4, 1), offset=8, storage=12).is_inside
    True
    >>> Strided((3, 4), (-4, 1), offset=7, storage=12).escape
    (2, 0)
    """

    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    storage: int
    names: tuple[str | None, ...] = ()

    def __post_init__(self) -> None:
        try:
            for name in ("sizes", "strides"):
                object.__setattr__(self, name, _integers(getattr(self, name)))
            for name in ("offset", "storage"):
                object.__setattr__(self, name, integer(getattr(self, name)))
        except TypeError as error:
            raise LayoutError(f"a view is of whole numbers: {error}; make_strided takes sizes that are open") from None
        object.__setattr__(self, "names", tuple(self.names) or (None,) * len(self.sizes))
        for what, given in (("strides", self.strides), ("names", self.names)):
            if len(given) != len(self.sizes):
                raise LayoutError(f"{len(self.sizes)} sizes but {len(given)} {what}; give one for each")
        if min((*self.sizes, self.storage)) < 0:
            raise LayoutError(f"sizes {self.sizes} in a storage of {self.storage}: none is less than 0")
        if max(self.reach.stop - self.reach.start, prod(self.sizes), self.storage) >= MAX_ELEMENTS:
            raise LayoutError(f"{self.sizes} by {self.strides} in {self.storage}: 2^62 elements or more are refused")

    @property
    def is_empty(self) -> bool:
        """Whether it has no index: a size is 0."""
        return 0 in self.sizes

    @cached_property
    def reach(self) -> range:
        """From the least offset to the greatest; of an empty view, nothing."""
        if self.is_empty:
            return range(self.offset, self.offset)
        moved = [(n - 1) * s for n, s in zip(self.sizes, self.strides, strict=True)]
        low = self.offset + sum(m for m in moved if m < 0)
        return range(low, self.offset + sum(m for m in moved if m > 0) + 1)

    @property
    def is_inside(self) -> bool:
        """Whether every index stays in the storage."""
        return self.is_empty or (self.reach.start >= 0 and self.reach.stop <= self.storage)

    @property
    def escape(self) -> Top | None:
        """An index that leaves the storage, the furthest one; None where none does."""
        if self.is_inside:
            return None
        upwards = self.reach.stop > self.storage
        return tuple(n - 1 if (s > 0) == upwards and s else 0 for n, s in zip(self.sizes, self.strides, strict=True))

    @cached_property
    def overlap(self) -> tuple[Top, Top] | None:
        """Two indices of one element; None where no two share any.

        LayoutError where search, lattice and prover all give up: of 1000 hostile views that were drawn, on none.
        """
        if self.is_empty:
            return None
        try:
            found = solve(self.strides, self.sizes)
        except TimeoutError:
            return self._overlap_by_proof()
        if found is None:
            return None
        return tuple(max(d, 0) for d in found), tuple(max(-d, 0) for d in found)

    def _overlap_by_proof(self) -> tuple[Top, Top] | None:
        verdict = prove(Injective(self.descriptor))
        if isinstance(verdict, Proved):
            return None
        if not isinstance(verdict, Refuted):
            raise LayoutError(f"whether {self.sizes} by {self.strides} overlaps is not decided: {verdict.reason}")
        one, other = (tuple(point[v.value.name] for v in self.descriptor.index) for point in verdict.witness.points)
        return one, other

    @property
    def is_dense(self) -> bool:
        """Whether it fills the memory that it spans, each element once."""
        return prod(self.sizes) == len(self.reach) and self.overlap is None

    @property
    def is_contiguous(self) -> bool:
        """Whether it lies packed, row by row, the last dimension fastest: torch's `is_contiguous`."""
        return self.is_empty or self.packed == 0

    @cached_property
    def packed(self) -> int:
        """The first dimension from which on all lie packed, row by row; the rank where the last does not.

        >>> Strided((2, 3, 4), (24, 4, 1), 0, 48).packed
        1
        """
        block = 1
        for n in reversed(range(len(self.sizes))):
            if self.sizes[n] > 1 and self.strides[n] != block:
                return n + 1
            block *= self.sizes[n]
        return 0

    @property
    def contiguous(self) -> tuple[int, ...]:
        """The dimensions along which neighbours are neighbours in memory: of stride 1, and more than one element."""
        return tuple(n for n, (size, s) in enumerate(zip(self.sizes, self.strides, strict=True)) if s == 1 < size)

    @cached_property
    def vectors(self) -> tuple[int, ...]:
        """The most elements that one access may take along each dimension: a power of two, of any index aligned.

        Vectors start at multiples of their length, and so do they in memory; the storage's beginning counts as aligned.

        >>> Strided((64, 24), (72, 1), offset=8, storage=5000).vectors
        (1, 8)
        """
        if self.is_empty:
            return (1,) * len(self.sizes)
        moving = [s if n > 1 else 0 for n, s in zip(self.sizes, self.strides, strict=True)]
        others = [gcd(self.offset, *moving[:n], *moving[n + 1 :]) for n in range(len(moving))]
        return tuple(
            gcd(self.sizes[n], others[n], LONGEST) if n in self.contiguous else 1 for n in range(len(self.sizes))
        )

    @cached_property
    def descriptor(self) -> TensorDescriptor:
        """The view as a descriptor over its storage."""
        return make_strided(self.sizes, self.strides, self.offset, self.storage)

    @property
    def index_map(self) -> TensorDescriptor:
        """What claims and pictures take it for: its descriptor."""
        return self.descriptor

    @property
    def claims(self) -> Mapping[str, Claim]:
        """What is decided here, each as a claim of the prover on the descriptor.

        >>> from layoutalg.prove import prove
        >>> view = Strided((4, 8), (8, 1), offset=0, storage=32)
        >>> [(name, prove(claim).name) for name, claim in view.claims.items()]
        [('inside', 'proved'), ('no overlap', 'proved'), ('dense', 'proved'), ('vectors of 8', 'proved')]
        """
        spanned = make_strided(self.sizes, self.strides, self.offset - self.reach.start, len(self.reach))
        vectors = {
            f"vectors of {width}": Contiguous(self.descriptor, n, width)
            for n, width in enumerate(self.vectors)
            if width > 1
        }
        d = self.descriptor
        return {"inside": InBounds(d), "no overlap": Injective(d), "dense": Bijective(spanned), **vectors}

    def align_to(self, *names: str) -> Strided:
        """Its dimensions by name, in this order, as torch's `align_to`: one that it lacks has size 1.

        >>> view = Strided((2, 8, 3), (24, 3, 1), 0, 48, ("batch", "time", "head"))
        >>> view.align_to("batch", "head", "one", "time").strides
        (24, 1, 0, 3)
        """
        for name in names:
            if names.count(name) > 1:
                raise LayoutError(f"the name {name!r} is given {names.count(name)} times")
        own = {name: n for n, name in enumerate(self.names)}
        for missing in own:
            if missing not in names:
                raise LayoutError(
                    f"dimension {own[missing]} ({missing or 'without a name'}) is not in {', '.join(names)}"
                )
        at = [own.get(name) for name in names]
        sizes = tuple(1 if n is None else self.sizes[n] for n in at)
        strides = tuple(0 if n is None else self.strides[n] for n in at)
        return Strided(sizes, strides, self.offset, self.storage, names)

    def __str__(self) -> str:
        lines = [f"sizes {self.sizes}, strides {self.strides}, offset {self.offset}, in {self.storage} elements"]
        lines.append("inside its storage" if self.is_inside else f"leaves its storage at index {self.escape}")
        if self.overlap is None:
            lines.append("dense" if self.is_dense else "no two indices share an element, and there are gaps")
        else:
            one, other = self.overlap
            lines.append(f"overlaps: indices {one} and {other} are one element")
        lines.append(f"contiguous along {list(self.contiguous)}, widest vectors {self.vectors}")
        return "\n".join(lines)


def make_strided(lengths: Sequence[Term], strides: Sequence[Term], offset: Term, storage: Term) -> TensorDescriptor:
    """The descriptor of strides of any sign from an offset on, over a memory of `storage` elements.

    Lengths may be sizes that are not fixed.  Without dimensions it is the one element at the offset.

    >>> d = make_strided((2, 3), (-3, 0), 3, 6)
    >>> d.element_space_size, d.offset((1, 2))
    (6, 0)
    """
    if not lengths and not strides:
        return TensorDescriptor(attach(make_identity(1), [Freeze(parameter(offset))], [[0]], [[]]), parameter(storage))
    upwards = parameter(offset) is ZERO and all(parameter(s).lo >= 0 for s in strides)
    made = (
        make_naive_tensor_descriptor(lengths, strides)
        if upwards
        else make_naive_tensor_descriptor_with_offset(lengths, strides, offset)
    )
    return TensorDescriptor(made.adaptor, parameter(storage))


def from_torch(t: Any) -> Strided:
    """The strides of a torch tensor over its storage, and its names; torch itself is not imported.

    LayoutError for what has no strides: a sparse tensor, an object that is none.

    >>> from types import SimpleNamespace  # stands in for torch.empty(4, 8, dtype=torch.float32).T
    >>> memory = {"storage_offset": lambda: 0, "untyped_storage": lambda: SimpleNamespace(nbytes=lambda: 128)}
    >>> t = SimpleNamespace(shape=(8, 4), stride=lambda: (1, 8), element_size=lambda: 4, **memory)
    >>> view = from_torch(t)
    >>> view.strides, view.storage, view.is_dense
    ((1, 8), 32, True)
    """
    try:
        sizes, strides = _integers(t.shape), _integers(t.stride())
        offset, storage = integer(t.storage_offset()), integer(t.untyped_storage().nbytes()) // t.element_size()
    except (AttributeError, NotImplementedError, RuntimeError, TypeError) as error:
        raise LayoutError(f"a {type(t).__name__} has no strides of a torch tensor: {error}") from error
    return Strided(sizes, strides, offset, storage, tuple(getattr(t, "names", ())))


def from_numpy(a: npt.NDArray[Any]) -> Strided:
    """The strides of a numpy array over the memory that it views: its own, or that of what it is a view of.

    LayoutError where a stride, or where the array begins, is no whole number of elements.

    >>> import numpy as np
    >>> from_numpy(np.zeros((4, 6))[::-1, 1:3])
    Strided(sizes=(4, 2), strides=(-6, 1), offset=19, storage=24, names=(None, None))
    """
    if not isinstance(a, np.ndarray):
        raise LayoutError(f"a {type(a).__name__} is no numpy array")
    begin, bytes_there = _memory(a)
    size = a.dtype.itemsize or 1
    strides = [_whole(s, size, f"the stride of dimension {n}") for n, s in enumerate(a.strides)]
    start = _whole(_address(a) - begin, size, "the array's beginning")
    return Strided(a.shape, tuple(strides), start, bytes_there // size)


def from_dlpack(x: Any, storage: int | None = None) -> Strided:
    """The strides of any array that DLPack lends, on any device; `storage`: the elements from its data pointer on.

    DLPack does not say how large the memory is: without `storage` it is what the view spans.

    >>> import numpy as np
    >>> from_dlpack(np.zeros((4, 6), np.float32)[::-1])
    Strided(sizes=(4, 6), strides=(-6, 1), offset=18, storage=24, names=(None, None))
    """
    lent = read_capsule(x)
    strides = lent.strides
    if strides is None:
        strides = tuple(prod(lent.sizes[n + 1 :]) for n in range(len(lent.sizes)))
    if storage is None:
        reach = Strided(lent.sizes, strides, 0, 0).reach
        return Strided(lent.sizes, strides, -reach.start, len(reach))
    start = _whole(lent.byte_offset * 8, lent.element_bits, "the array's beginning, in bits,")
    return Strided(lent.sizes, strides, start, storage)


def _integers(given: Sequence[Any]) -> tuple[int, ...]:
    return tuple(map(integer, given))


def _whole(count: int, size: int, what: str) -> int:
    if count % size:
        raise LayoutError(f"{what} is {count}, no multiple of an element's {size}: it lies between elements")
    return count // size


def _address(a: npt.NDArray[Any]) -> int:
    return int(a.__array_interface__["data"][0])


def _memory(a: npt.NDArray[Any]) -> tuple[int, int]:
    """Where the memory that an array views begins, and its bytes: of the last owner that says so."""
    owner, below = a, a.base
    while below is not None:
        if isinstance(below, np.ndarray):
            owner = below
        elif not hasattr(below, "base"):
            try:
                with memoryview(below) as view:
                    return _address(np.frombuffer(below, np.uint8)), view.nbytes
            except (TypeError, ValueError, BufferError):
                break
        below = getattr(below, "base", None)
    low, high = np.lib.array_utils.byte_bounds(owner)
    return low, high - low


__all__ = ["Strided", "from_dlpack", "from_numpy", "from_torch", "make_strided"]
