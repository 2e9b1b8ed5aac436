"""How an address is computed: a tensor's coordinates, the digits that its merges take them apart into, the offset.

A merged coordinate is a mixed-radix number.  Named digits keep the emitted text short and its proofs easy: the offset
is a polynomial in digits that run freely, each over its own length.  A tensor in coordinates (m, n), m = (a, b) merged:

    m0 = m / B;  m1 = m % B;         digits
    offset = m0·sA + m1·sB + n·sN    in normal form

An index below padding is named too: where there is data it lies in its dimension, and the offset, which is computed
there only, is a polynomial in it (for a window of an image, `at0 = 2·ho + y − 1` is the row).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache

from layoutalg.index import TRUE, ZERO, Expr, add, all_of, postorder, prod, var, variables
from layoutalg.index.normal import normal, simplify
from layoutalg.index.radix import horner
from layoutalg.kernel.program import Tensor
from layoutalg.layout import Merge, TensorDescriptor
from layoutalg.records import dataclass


@dataclass(frozen=True)
class Address:
    """A tensor's address, from its coordinates.

    * `coordinates`: one variable for each, by its name.
    * `digits`: each digit variable with its value as it is computed, in coordinates and earlier digits.
    * `meant`: each digit variable with its value as the merge says it.
    * `padded`: each index below padding with its value, in digits; in range where `valid`.
    * `top`: the coordinates, written in digits.
    * `valid`: in normal form, in digits and the coordinates that have none; `offset` (see `written`) in padded
      indices too.
    """

    coordinates: tuple[Expr, ...]
    digits: Mapping[Expr, Expr]
    meant: Mapping[Expr, Expr]
    padded: Mapping[Expr, Expr]
    merges: tuple[Merge, ...]
    top: tuple[Expr, ...]
    offset: Expr
    valid: Expr

    @property
    def is_polynomial(self) -> bool:
        """Whether the offset is a polynomial in the coordinates and sizes alone, and there is data everywhere."""
        named = self.digits or self.padded or self.valid is not TRUE
        return not named and all(part.op in ("const", "var", "add", "mul") for part in postorder(self.offset))


@lru_cache(maxsize=1024)
def address_of(tensor: Tensor) -> Address:
    """The address of a tensor's element.

    >>> from layoutalg.target.dtypes import DTYPES
    >>> from layoutalg.layout import PassThrough, make_naive_tensor_descriptor, transform_tensor_descriptor
    >>> cube = make_naive_tensor_descriptor((6, 5, 4), (4, 24, 1))
    >>> matrix = transform_tensor_descriptor(cube, [Merge((6, 5)), PassThrough(4)], [[0, 1], [2]], [[0], [1]])
    >>> address = address_of(Tensor("t", DTYPES["f32"], matrix, ("m", "n")))
    >>> dict(address.digits), address.offset
    ({m0: m // 5, m1: m % 5}, m1 * 24 + m0 * 4 + n)
    """
    return _Digits(tensor).address()


class _Digits:
    """Follows a descriptor's merges from the top, naming their digits."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor, self.adaptor = tensor, tensor.descriptor.adaptor
        self.makers = {i: k for k, ids in enumerate(self.adaptor.upper_ids) for i in ids}
        self.digits: dict[Expr, Expr] = {}
        self.meant: dict[Expr, Expr] = {}
        self.merges: list[Merge] = []
        self.known: dict[int, Expr] = {}

    def address(self) -> Address:
        coordinates = coordinate_variables(self.tensor)
        for i, x in zip(self.adaptor.top_ids, coordinates, strict=True):
            self.descend(i, x)
        top = tuple(self.known[i] for i in self.adaptor.top_ids)
        padded: dict[Expr, Expr] = {}
        conditions: list[Expr] = []
        for transform, lower, upper in reversed(self.adaptor.linked):
            above = [self.known[i] for i in upper]
            conditions.append(transform.valid(above))
            for i, index in zip(lower, transform.lower(above), strict=True):
                self.known.setdefault(i, self.below_padding(padded, i, index) if conditions[-1] is not TRUE else index)
        (bottom,) = self.adaptor.bottom_ids
        valid = simplify(all_of(*conditions))
        offset = written(self.known[bottom])
        return Address(coordinates, self.digits, self.meant, padded, tuple(self.merges), top, offset, valid)

    def below_padding(self, padded: dict[Expr, Expr], i: int, index: Expr) -> Expr:
        """A name for an index that is in range only where there is data."""
        name = var(f"at{len(padded)}", self.adaptor.hidden_lengths[i])
        padded[name] = simplify(index)
        return name

    def descend(self, i: int, x: Expr) -> None:
        """What is known of hidden dimension i, whose index is the variable x: x itself, or the digits of a merge."""
        maker = self.makers.get(i)
        merge = self.adaptor.transforms[maker] if maker is not None else None
        if maker is None or type(merge) is not Merge or len(merge.lengths) < 2:
            self.known[i] = x
            return
        parts = tuple(var(f"{x.value.name}{n}", length) for n, length in enumerate(merge.lengths))
        self.merges.append(merge)
        for part, value in zip(parts, merge.lower((x,)), strict=True):
            self.digits[part] = simplify(value)
            self.meant[part] = value
        for child, part in zip(self.adaptor.lower_ids[maker], parts, strict=True):
            self.descend(child, part)
        self.known[i] = horner([self.known[child] for child in self.adaptor.lower_ids[maker]], merge.lengths)


def summands(address: Address, moving: Collection[Expr]) -> tuple[tuple[Expr, Collection[Expr]], ...]:
    """The offset as a sum of what these coordinates move and of all else, each with its coordinates, else as a whole.

    A sum it is where no part has coordinates of both and none is taken away, or may be by a stride below 0: then each
    is at most the offset of an element, wherever its own coordinates are in range.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> from layoutalg.target.dtypes import DTYPES
    >>> a = address_of(Tensor("a", DTYPES["f16"], make_naive_tensor_descriptor((64, 32), (32, 1)), ("m", "k")))
    >>> summands(a, {a.coordinates[1]})
    ((m * 32, (m,)), (k, (k,)))
    """
    still, along = list[Expr](), list[Expr]()
    for monomial, factor in normal(address.offset).terms.items():
        found = {v for v in variables(*monomial) if v.value.index}
        away = factor < 0 or any(v.lo < 0 for v in variables(*monomial))
        if not moving or away or (found.intersection(moving) and not found <= {*moving}):
            return (ZERO, ()), (address.offset, address.coordinates)
        (along if found.intersection(moving) else still).append(prod([*monomial, factor]))
    own = tuple(c for c in address.coordinates if c in moving)
    others = tuple(c for c in address.coordinates if c not in moving)
    return (simplify(add(*still)), others), (simplify(add(*along)), own)


def written(offset: Expr) -> Expr:
    """The offset as it is computed: in normal form, but where that has parts that are taken away again.

    (H − 2)·(W − 2)·n is less than a tensor's size; its normal form's first part H·W·n may be more, and so overflow.
    """
    taken_away = any(k < 0 and monomial for monomial, k in normal(offset).terms.items())
    return offset if taken_away else simplify(offset)


def coordinate_variables(tensor: Tensor) -> tuple[Expr, ...]:
    """A variable for each coordinate of a tensor, under its name."""
    return tuple(var(name, n) for name, n in zip(tensor.names, tensor.descriptor.lengths, strict=True))


def offset_of(descriptor: TensorDescriptor, x: tuple[Expr, ...]) -> Expr:
    """The offset as it is emitted where no digits are named: the descriptor's map in normal form."""
    return simplify(descriptor.offset(x))
