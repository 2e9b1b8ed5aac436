"""Transforms that are not linear: remainders, bits, tables and functions; moving one recomputes its lower index.

With u the upper index and d the lower one, m = u₀ mod L₁:

| transform           | lower = f(upper)             | a bijection where                          |
|---------------------|------------------------------|--------------------------------------------|
| modulo m            | u mod m                      | the upper length is at most m              |
| xor (L₀, L₁)        | (u₀, u₁ ^ (u₀ mod L₁))       | L₁ is a power of two                       |
| xor_no_modulo       | (u₀, u₁ ^ u₀)                | L₁ is a power of two and L₀ ≤ L₁           |
| cyclic_shift        | (u₀, (u₁ + u₀) mod L₁)       | always                                     |
| cyclic_shift_inverse| (u₀, (u₁ + L₁ − m) mod L₁)   | always                                     |
| indexing            | table[u]                     | no entry occurs twice                      |
| functor             | f(u)                         | for the prover to say                      |
| conv_bwd_data_out   | see `ConvBwdDataOut`         | for the prover to say                      |

Xor permutes a row also where L₁ is a multiple of a power of two greater than all it is xor-ed with: (2, 6), (4, 12).

What they cannot represent: an index that depends on data, other than through the table of `indexing`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any, ClassVar

from layoutalg.errors import LayoutError
from layoutalg.index import Expr, Term, all_of, as_expr, lookup, mod, select, substitute, unlimited, xor
from layoutalg.index.normal import nonnegative
from layoutalg.layout.transform import CkFunction, Index, Transform, index_variable, parameter, several
from layoutalg.records import dataclass

LARGEST_TABLE = 1 << 16
"""An inverse table longer than this is not built."""


@dataclass(frozen=True, repr=False)
class Modulo(Transform):
    """lower = upper mod modulus.

    >>> Modulo(4, 16).lower([13])
    (1,)
    """

    modulus: Expr
    length: Expr
    name: ClassVar[str] = "modulo"
    ck: ClassVar[CkFunction] = CkFunction.of_both("make_modulo_transform")

    def check(self) -> None:
        if self.modulus.hi < 1:
            raise LayoutError(f"modulo: modulus {self.modulus} is not at least 1")

    @property
    def conditions(self) -> tuple[Expr, ...]:
        return (self.modulus >= 1,)

    def lower(self, upper: Sequence[Term]) -> Index:
        return (mod(upper[0], self.modulus),)

    def upper(self, lower: Sequence[Term]) -> Index:
        if nonnegative(self.modulus - self.length):
            return (as_expr(lower[0]),)
        return super().upper(lower)

    def words(self, low: Sequence[str], up: Sequence[str]) -> str:
        return f"{up[0]} goes round {low[0]}: index {self.modulus} is index 0 again."


@dataclass(frozen=True, repr=False)
class ModuloAddedTwice(Modulo):
    """Modulo whose increment adds the difference to an index that already has it."""

    name: ClassVar[str] = "modulo_added_twice"
    ck: ClassVar[CkFunction] = CkFunction()

    def update_lower_index(
        self, diff_upper: Sequence[Term], lower: Sequence[Term], upper: Sequence[Term]
    ) -> tuple[Index, Index]:
        new = mod(as_expr(upper[0]) + diff_upper[0], self.modulus)
        return (new - lower[0],), (new,)


@dataclass(frozen=True, repr=False)
class _Pairwise(Transform):
    """A map of two dimensions that leaves the first index as it is."""

    lengths: Index = field(metadata=several(2, 2))

    def check(self) -> None:
        if len(self.lengths) != 2:
            raise LayoutError(f"{self.name}: {len(self.lengths)} lengths; it works on two dimensions")

    @property
    def lower_lengths(self) -> tuple[Expr | None, ...]:
        return self.lengths


def _swapped(up: Sequence[str], by: str) -> str:
    return f"Each {up[0]} swaps the places along {up[1]}: they are xor-ed with {by}."


@dataclass(frozen=True, repr=False)
class Xor(_Pairwise):
    """lower = (u₀, u₁ ^ (u₀ mod L₁)), CK Tile's xor; a bijection where L₁ is a power of two.

    >>> Xor((8, 8)).lower([3, 5])
    (3, 6)
    """

    name: ClassVar[str] = "xor"
    ck: ClassVar[CkFunction] = CkFunction("make_xor_transform", "make_xor_with_modulo_transform")

    def lower(self, upper: Sequence[Term]) -> Index:
        return as_expr(upper[0]), xor(upper[1], mod(upper[0], self.lengths[1]))

    def upper(self, lower: Sequence[Term]) -> Index:
        return self.lower(lower)  # xor undoes itself

    def words(self, low: Sequence[str], up: Sequence[str]) -> str:
        return _swapped(up, f"{up[0]} mod {self.lengths[1]}")


@dataclass(frozen=True, repr=False)
class XorNoModulo(_Pairwise):
    """lower = (u₀, u₁ ^ u₀): the transform that old CK calls `make_xor_transform`.

    >>> XorNoModulo((8, 8)).lower([3, 5])
    (3, 6)
    """

    name: ClassVar[str] = "xor_no_modulo"
    ck: ClassVar[CkFunction] = CkFunction(ck="make_xor_transform")

    def lower(self, upper: Sequence[Term]) -> Index:
        return as_expr(upper[0]), xor(upper[1], upper[0])

    def upper(self, lower: Sequence[Term]) -> Index:
        return self.lower(lower)

    def words(self, low: Sequence[str], up: Sequence[str]) -> str:
        return _swapped(up, up[0])


@dataclass(frozen=True, repr=False)
class CyclicShift(_Pairwise):
    """lower = (u₀, (u₁ + u₀) mod L₁).

    >>> CyclicShift((4, 8)).lower([3, 6])
    (3, 1)
    """

    name: ClassVar[str] = "cyclic_shift"
    ck: ClassVar[CkFunction] = CkFunction("make_cyclic_shift_transform")

    def lower(self, upper: Sequence[Term]) -> Index:
        return as_expr(upper[0]), mod(as_expr(upper[1]) + upper[0], self.lengths[1])

    def upper(self, lower: Sequence[Term]) -> Index:
        return CyclicShiftInverse(self.lengths).lower(lower)

    def words(self, low: Sequence[str], up: Sequence[str]) -> str:
        return f"Each {up[0]} turns the {self.lengths[1]} places along {up[1]} forwards by {up[0]}."


@dataclass(frozen=True, repr=False)
class CyclicShiftInverse(_Pairwise):
    """lower = (u₀, (u₁ + L₁ − u₀ mod L₁) mod L₁).

    >>> CyclicShiftInverse((4, 8)).lower([3, 1])
    (3, 6)
    """

    name: ClassVar[str] = "cyclic_shift_inverse"
    ck: ClassVar[CkFunction] = CkFunction("make_inverse_cyclic_shift_transform")

    def lower(self, upper: Sequence[Term]) -> Index:
        n = self.lengths[1]
        return as_expr(upper[0]), mod(as_expr(upper[1]) + n - mod(upper[0], n), n)

    def upper(self, lower: Sequence[Term]) -> Index:
        return CyclicShift(self.lengths).lower(lower)

    def words(self, low: Sequence[str], up: Sequence[str]) -> str:
        return f"Each {up[0]} turns the {self.lengths[1]} places along {up[1]} backwards by {up[0]}."


@dataclass(frozen=True, repr=False)
class Indexing(Transform):
    """lower = table[upper], the entries being numbers or sizes that are not fixed.

    Where padding or a faulty chain leaves the table, at the index modulo its length: CK would read past its table.  No
    valid index of a chain that stays within its dimensions does.

    >>> Indexing((4, 0, 2)).lower([1])
    (0,)
    """

    table: Index = field(metadata=several(most=1 << 16))
    name: ClassVar[str] = "indexing"
    ck: ClassVar[CkFunction] = CkFunction("make_indexing_transform", counted=True)

    def check(self) -> None:
        if not self.table:
            raise LayoutError("indexing: the table holds at least one entry")

    @property
    def upper_lengths(self) -> Index:
        return (as_expr(len(self.table)),)

    @property
    def constants(self) -> Index:
        return self.table

    def lower(self, upper: Sequence[Term]) -> Index:
        u = mod(upper[0], len(self.table))
        return (lookup([int(entry) for entry in self.table], u) if self._constant else _chosen(self.table, u, 0),)

    def upper(self, lower: Sequence[Term]) -> Index:
        """By the inverse table; what stands in its gaps means nothing."""
        if not self._constant:
            return super().upper(lower)
        entries = [int(entry) for entry in self.table]
        first, span = min(entries), max(entries) - min(entries) + 1
        if len(set(entries)) < len(entries) or span > LARGEST_TABLE:
            return super().upper(lower)
        inverse = [0] * span
        for n, entry in enumerate(entries):
            inverse[entry - first] = n
        return (lookup(inverse, mod(as_expr(lower[0]) - first, span)),)

    @classmethod
    def from_ck(cls, *given: Any) -> Transform:
        """CK's length and table; LayoutError unless there is one entry for each upper index."""
        length, indices = given
        if parameter(length) != len(indices):
            raise LayoutError(f"indexing: {len(indices)} entries for a length of {length}; give one for each index")
        return cls(tuple(indices))

    @property
    def _constant(self) -> bool:
        return all(entry.op == "const" for entry in self.table)

    def words(self, low: Sequence[str], up: Sequence[str]) -> str:
        return f"{low[0]} is looked up for each {up[0]} in a table of {len(self.table)} entries."


def _chosen(table: Index, u: Expr, first: int) -> Expr:
    """The entry at `u`, where the table's first one is at `first`: by halves."""
    if len(table) == 1:
        return table[0]
    middle = len(table) // 2
    low, high = _chosen(table[:middle], u, first), _chosen(table[middle:], u, first + middle)
    return select(u < first + middle, low, high)


@dataclass(frozen=True, repr=False)
class Functor(Transform):
    """lower = f(upper), f an expression over a variable that may be any integer.

    Not over one of 0 … length − 1: what lies above may leave these, CK computes f there too, and an expression that was
    simplified by a range means nothing outside it.

    >>> u = unlimited("u")
    >>> Functor(u, u // 4 * 5 + u % 4, 16).lower((7,))
    (8,)
    """

    index: Expr = field(metadata=index_variable("variable"))
    function: Expr
    length: Expr
    name: ClassVar[str] = "functor"
    ck: ClassVar[CkFunction] = CkFunction("make_functor_transform")

    @staticmethod
    def of(function: Callable[[Expr], Term], length: Term) -> Functor:
        """The transform of a Python function of expressions.

        >>> Functor.of(lambda u: u * 2 + 1, 8).lower([3])
        (7,)
        """
        u = unlimited("u")
        return Functor(u, as_expr(function(u)), parameter(length))

    @classmethod
    def from_ck(cls, *given: Any) -> Transform:
        """CK's function, here a Python function of expressions, and the length."""
        return cls.of(*given)

    def check(self) -> None:
        v = self.index
        if v.op != "var" or v.lo > -math.inf or v.hi < math.inf:
            raise LayoutError(
                f"functor: its formula over {v} holds for {v.lo}…{v.hi} only; write it over unlimited({str(v)!r}), or"
                " as Functor.of(function, length)"
            )

    def lower(self, upper: Sequence[Term]) -> Index:
        return (substitute(self.function, {self.index: upper[0]}),)

    def words(self, low: Sequence[str], up: Sequence[str]) -> str:
        return f"{low[0]} is a formula of {up[0]}."


def _counted(number: Expr, plane: Expr, row: Expr) -> tuple[Expr, Expr, Expr]:
    """A number as planes, rows and what remains."""
    return number // plane, number % plane // row, number % plane % row


@dataclass(frozen=True, repr=False)
class ConvBwdDataOut(Transform):
    """The output gradient (N, Ho, Wo, K) of a 2-D convolution as the matrix (K0, M, K1) of its backward data pass.

    m counts (n, h, w) of a slice of H̃ × W̃ and k = k₀·K1 + k₁ counts (y, x, k) of the filter's dots, row by row:

        lower = (n, h + begin_h + y·ratio_h, w + begin_w + x·ratio_w, k)

    The last `pads` of M and of K0·K1 hold no data; h and w outside Ho and Wo are for a pad below to refuse, as in CK.
    The fields are the members of CK's `ConvBwdDataImplicitGemmOutTransform`
    (`ck/tensor_description/multi_index_transform.hpp`), whose magic divisions are divisions below 2³¹.

    >>> made = ConvBwdDataOut((2, 5, 5, 8), 4, 2, (0, 0), (-1, -1), 16, (4, 8, 8), (0, 0))
    >>> made.lower((1, 3, 2))  # m = 3 is (0, 1, 1), k = 10 is (0, 1, 2)
    (0, 1, 0, 2)
    """

    out_lengths: Index = field(metadata=several(4, 4))
    tilde_slice: Expr
    w_tilde_slice: Expr
    begins: Index = field(metadata=several(2, 2))
    ratios: Index = field(metadata=several(2, 2))
    x_dot_slice_k: Expr
    gemm_lengths: Index = field(metadata=several(3, 3))
    pads: Index = field(metadata=several(2, 2))
    name: ClassVar[str] = "conv_bwd_data_out"
    ck: ClassVar[CkFunction] = CkFunction(ck="make_conv_bwd_data_out_transform")

    def check(self) -> None:
        for key in self.parameters():
            given = getattr(self, key.field)
            if key.entries is not None and len(given) != key.entries[1]:
                raise LayoutError(f"{self.name}: {len(given)} {key.field}; it takes {key.entries[1]}")
        divisors = {"tilde_slice": self.tilde_slice, "w_tilde_slice": self.w_tilde_slice, "x_dot_slice_k":
                    self.x_dot_slice_k, "K": self.out_lengths[3]}  # fmt: skip
        for name, divisor in divisors.items():
            if divisor.lo < 1:
                raise LayoutError(f"{self.name}: {name} is {divisor}, by which an index is divided; it is at least 1")

    @property
    def lower_lengths(self) -> tuple[Expr | None, ...]:
        return self.out_lengths

    @property
    def upper_lengths(self) -> Index:
        return self.gemm_lengths

    def lower(self, upper: Sequence[Term]) -> Index:
        m, k = self._counts(upper)
        n, h, w = _counted(m, self.tilde_slice, self.w_tilde_slice)
        y, x, c = _counted(k, self.x_dot_slice_k, self.out_lengths[3])
        return n, h + self.begins[0] + y * self.ratios[0], w + self.begins[1] + x * self.ratios[1], c

    def valid(self, upper: Sequence[Term]) -> Expr:
        m, k = self._counts(upper)
        k0, height, k1 = self.gemm_lengths
        return all_of(m < height - self.pads[0], k < k0 * k1 - self.pads[1])

    def _counts(self, upper: Sequence[Term]) -> tuple[Expr, Expr]:
        """Of an upper index, m and k."""
        return as_expr(upper[1]), as_expr(upper[0]) * self.gemm_lengths[2] + upper[2]

    @classmethod
    def from_ck(cls, *given: Any) -> Transform:
        """Of the 22 arguments of CK's function, which pads M and K up to multiples of a block.

        >>> made = ConvBwdDataOut.from_ck(2, 5, 5, 8, 2, 2, 2, 2, 1, 1, 3, 3, 2, 2, 0, 0, 2, 2, 4, 8, 16, 32)
        >>> made.upper_lengths, made.pads
        ((4, 32, 8), (14, 0))
        """
        (n, ho, wo, k, _, _, _, _, dilation_h, dilation_w, h_slice, w_slice, y_slice, x_slice, begin_h, begin_w,
         gcd_h, gcd_w, k0, k1, m_block, k_block) = map(parameter, given)  # fmt: skip
        rows, columns = n * h_slice * w_slice, y_slice * x_slice * k
        padded, deep = (
            (length + block - 1) // block * block for length, block in ((rows, m_block), (columns, k_block))
        )
        return cls(
            (n, ho, wo, k), h_slice * w_slice, w_slice, (begin_h, begin_w), (-(dilation_h // gcd_h),
            -(dilation_w // gcd_w)), x_slice * k, (k0, padded, k1), (padded - rows, deep - columns),
        )  # fmt: skip

    def words(self, low: Sequence[str], up: Sequence[str]) -> str:
        rows = f"{up[1]} counts {low[0]} and a slice of {low[1]} and {low[2]}"
        return f"{rows}; {up[0]} and {up[2]} count the filter's dots and {low[3]}."
