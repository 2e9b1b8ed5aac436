"""What every claim is: its words, and the obligations that it comes down to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from layoutalg.index import Expr, all_of, as_expr, eq, names
from layoutalg.layout import TensorAdaptor, Transform
from layoutalg.prove.domain import fresh, lower_index, taken
from layoutalg.prove.obligation import ForAll, InjectiveMap, Obligation


@dataclass(frozen=True)
class Claim:
    """What is claimed of a layout."""

    name: ClassVar[str]

    def statement(self) -> str:
        """The claim in words."""
        raise NotImplementedError

    def obligations(self) -> Iterator[Obligation]:
        """Statements that hold together exactly when the claim does."""
        raise NotImplementedError

    def local_obligations(self) -> Iterator[Obligation] | None:
        """Statements that suffice, transform by transform; None where the claim has no such form."""
        return None


def in_range(index: Expr, length: Expr) -> Expr:
    """0 ≤ index < length."""
    return all_of(index >= 0, index < length)


def all_equal(one: tuple[Expr, ...], other: tuple[Expr, ...]) -> Expr:
    """Each of one equals its partner."""
    return all_of(*(eq(a, b) for a, b in zip(one, other, strict=True)))


def exists(adaptor: TensorAdaptor) -> Expr:
    """Whether every length is at least 1 (for concrete sizes, it is)."""
    return all_of(*(as_expr(1) <= n for n in adaptor.hidden_lengths.values() if n.lo < 1))


def layers(adaptor: TensorAdaptor) -> list[tuple[Transform, tuple[int, ...], tuple[int, ...]]]:
    """Each transform with the ids below and above it."""
    return list(zip(adaptor.transforms, adaptor.lower_ids, adaptor.upper_ids, strict=True))


@lru_cache(maxsize=1 << 14)
def stays_in_range(transform: Transform, lengths: tuple[Expr | None, ...]) -> ForAll:
    """Of one transform: a valid index in range above is in range below (None: there is no limit)."""
    upper = _upper_variables(transform, tuple(n for n in lengths if n is not None))
    lower = lower_index(transform, upper)
    goal = all_of(*(in_range(i, n) for i, n in zip(lower, lengths, strict=True) if n is not None))
    return ForAll(f"{transform} stays in range", goal, transform.valid(upper))


@lru_cache(maxsize=1 << 14)
def is_injective(transform: Transform) -> ForAll | InjectiveMap:
    """Of one transform: by its inverse where it has one, else as it stands."""
    upper = _upper_variables(transform, ())
    lower = lower_index(transform, upper)
    try:
        back = transform.upper(lower)
    except ValueError:  # it has none, or none for some sizes
        return InjectiveMap(f"{transform} is injective", upper, lower, transform.valid(upper))
    return ForAll(f"{transform} has a left inverse", all_equal(back, upper), transform.valid(upper))


def _upper_variables(transform: Transform, lengths: tuple[Expr, ...]) -> tuple[Expr, ...]:
    avoid = taken(transform) | names(*lengths)
    return tuple(fresh(f"u{n}", length, avoid) for n, length in enumerate(transform.upper_lengths))
