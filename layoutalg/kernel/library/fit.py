"""How a program for all sizes is fitted to given ones: the widest vectors, the narrowest index type, sizes by name."""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.kernel.library.copies import dtype_named
from layoutalg.layout import LayoutError
from layoutalg.target.dtypes import OPERAND_DTYPES


def widest(dtype: str, *lengths: int) -> int:
    """The most elements that one access of at most 16 bytes moves, where it divides all lengths.

    >>> widest("f32", 12), widest("f16", 12), widest("f32", 7), widest("f8", 64)
    (4, 4, 1, 16)
    """
    most = 16 // dtype_named(dtype, OPERAND_DTYPES).bytes
    return next(w for w in (16, 8, 4, 2, 1) if w <= most and all(n % w == 0 for n in lengths))


def bits_for(*elements: int) -> int:
    """The index type for tensors of so many elements."""
    return 32 if max(elements) < 1 << 31 else 64


def each(what: str, name: str, values: Sequence[int], rank: int) -> tuple[int, ...]:
    """One number for each dimension; a single one counts for all."""
    if len(values) not in (1, rank):
        raise LayoutError(f"{what}: {name} {list(values)} for {rank} dimensions; give one number, or one for each")
    return tuple(values) if len(values) == rank else tuple(values) * rank


def same_rank(what: str, shape: Sequence[int], *others: Sequence[int]) -> None:
    """LayoutError unless there is a number for each dimension of a tensor that has elements."""
    if 0 in shape or not shape:
        raise LayoutError(f"{what}: a tensor of shape {tuple(shape)} has no elements")
    for one in others:
        if len(one) != len(shape):
            raise LayoutError(f"{what}: {len(one)} numbers for a tensor of {len(shape)} dimensions; give one for each")


def numbered(letter: str, lengths: Sequence[int]) -> dict[str, int]:
    """Lengths by name: a letter and the dimension's number."""
    return {f"{letter}{d}": n for d, n in enumerate(lengths)}
