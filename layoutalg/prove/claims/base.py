"""What every claim is: its words, and the obligations that it comes down to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from functools import cached_property, lru_cache
from typing import ClassVar

from layoutalg.index import TRUE, Expr, all_equal, all_of, conjuncts, fresh, names, simplify, variables
from layoutalg.index.evaluate import limits
from layoutalg.index.normal import normal
from layoutalg.layout import TensorAdaptor, TensorDescriptor, TileDistribution, Transform
from layoutalg.prove.claims.read import read_layouts
from layoutalg.prove.domain import Layout, adaptor_of, lower_index, parameters, taken
from layoutalg.prove.obligation import ForAll, InjectiveMap, Obligation
from layoutalg.prove.outcome import Fails, Limits, Outcome
from layoutalg.prove.verdict import Witness, witness
from layoutalg.records import dataclass


@dataclass(frozen=True)
class Route:
    """A claim's own way to be decided whole, as a strategy decides an obligation.

    `name`: what `strategy` forces, and what `decide` is then given; `needs`: what must be shown before, by whatever
    strategy; `names_needs`: whether a proof says by which.
    """

    name: str
    decide: Callable[[Limits, str | None], Outcome]
    needs: Sequence[ForAll] = ()
    names_needs: bool = False


@dataclass(frozen=True)
class Claim:
    """What is claimed of a layout, or of an access to one.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> from layoutalg.prove import Injective
    >>> claim = Injective(make_naive_tensor_descriptor((8, 64), (60, 1)))
    >>> claim.name, claim.statement(), [one.label for one in claim.obligations()]
    ('injective', 'different valid indices have different offsets', ['offsets differ'])
    """

    name: ClassVar[str]

    def __post_init__(self) -> None:
        read_layouts(self)

    def statement(self) -> str:
        """The claim in words."""
        raise NotImplementedError

    def obligations(self) -> Iterator[Obligation]:
        """Statements that hold together, where there is a layout, exactly when the claim does."""
        raise NotImplementedError

    def local_obligations(self) -> Iterator[Obligation] | None:
        """Statements that suffice, transform by transform; None where the claim has no such form."""
        return None

    def routes(self) -> Iterator[Route]:
        """Ways of its own to decide it whole, in their order; without any its obligations are decided one by one."""
        return iter(())

    def witness(self, failed: Fails, obligation: Obligation | None) -> Witness | None:
        """What a counterexample shows (to an obligation, or found by a route); None where it does not replay."""
        return None if obligation is None else witness(obligation, failed)

    def about(self) -> Iterator[Layout | Transform]:
        """The layouts and transforms that it speaks of."""
        return (one for field in fields(self) for one in _layouts(getattr(self, field.name)))

    @property
    def is_empty(self) -> bool:
        """Whether it speaks of a tensor without elements: a length is the number 0."""
        return any(isinstance(one, TensorDescriptor | TensorAdaptor) and one.is_empty for one in self.about())

    def of_nothing(self) -> ForAll | None:
        """What must hold where the tensor has no elements; None where the claim says nothing of one."""
        return None

    @cached_property
    def exists(self) -> Expr:
        """What sizes must satisfy for there to be a layout: lengths of at least 1, no padding below 0.

        >>> from layoutalg.index import symbol
        >>> from layoutalg.layout import make_naive_tensor_descriptor_packed
        >>> from layoutalg.prove import Injective
        >>> Injective(make_naive_tensor_descriptor_packed((symbol("M", min=-8, max=8), 8))).exists
        1 <= M
        """
        return all_of(*map(exists, self.about()))

    @property
    def assumed(self) -> Expr:
        """All that is assumed, beyond the limits of each size."""
        return self.exists

    def expressions(self) -> Iterator[Expr]:
        """Expressions that hold every size that the claim speaks of."""
        yield self.assumed
        for one in self.about():
            yield from parameters(one)
            if isinstance(one, TensorDescriptor):
                yield one.element_space_size

    @property
    def sizes(self) -> tuple[Expr, ...]:
        """The sizes that it holds for all of: those of lengths and parameters, and of what is assumed."""
        return variables(*self.expressions())

    @property
    def assumptions(self) -> tuple[str, ...]:
        """All that a verdict on it assumes, in words."""
        return assumptions((v for v in self.sizes if not v.value.index), self.assumed)

    def posed(self) -> Iterator[Obligation]:
        """The obligations where there is a layout."""
        condition = self.exists
        return self.obligations() if condition is TRUE else (o.assuming(condition) for o in self.obligations())


def _layouts(value: object) -> Iterator[Layout | Transform]:
    """The layouts and transforms in a value of a claim's field."""
    if isinstance(value, TensorDescriptor | TensorAdaptor | Transform):
        yield value
    elif isinstance(value, TileDistribution):
        yield value.adaptor
    elif isinstance(value, Claim):
        yield from value.about()
    elif isinstance(value, tuple):
        for one in value:
            yield from _layouts(one)


def assumptions(sizes: Iterable[Expr], condition: Expr) -> tuple[str, ...]:
    """What a verdict assumes, whole and in words: the limits of each size, and each part of a condition on them.

    >>> from layoutalg.index import symbol
    >>> n = symbol("N", max=64)
    >>> assumptions([n], n * n <= 1024)
    ('1 <= N <= 64', 'N * N <= 1024')
    """
    parts = () if condition is TRUE else conjuncts(condition)
    return tuple(dict.fromkeys((*map(limits, sizes), *map(str, parts))))


NO_INDEX = ForAll("the tensor is empty: no index is there to break it", TRUE)
"""What is left of a claim on every index where there is none."""


def in_range(index: Expr, length: Expr) -> Expr:
    """0 ≤ index < length."""
    return all_of(index >= 0, index < length)


def lengths_of(one: Layout | Transform) -> tuple[Expr, ...]:
    """The lengths of all dimensions, hidden ones too."""
    if isinstance(one, Transform):
        return (*(n for n in one.lower_lengths if n is not None), *one.upper_lengths)
    return tuple(adaptor_of(one).hidden_lengths.values())


@lru_cache(maxsize=4096)
def exists(one: Layout | Transform) -> Expr:
    """Whether every length that is no number is at least 1, and parameters are what transforms take."""
    unsaid = (n for n in lengths_of(one) if n.lo < 1 and n.op != "const")
    transforms = (one,) if isinstance(one, Transform) else adaptor_of(one).transforms
    stated = (simplify(condition) for t in transforms for condition in t.conditions)
    return all_of(*(e >= 1 for n in unsaid for e in _factors(n) if e.lo < 1), *stated)


def _factors(length: Expr) -> Sequence[Expr]:
    """What must be at least 1 for a length to be: itself, or each factor of a product of variables."""
    terms = normal(length).terms
    (monomial, k), *others = terms.items() or [((), 0)]
    plain = not others and k >= 1 and all(e.op == "var" for e in monomial)
    return monomial if plain and (len(monomial) == 1 or all(e.lo >= 0 for e in monomial)) else [simplify(length)]


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
