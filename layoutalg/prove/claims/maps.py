"""Claims on one map: in bounds, one-to-one, onto, there and back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import ClassVar

from layoutalg.index import TRUE, Expr, InexpressibleError, Term, all_equal, all_of, as_expr, eq, fresh, prod, simplify
from layoutalg.layout import LayoutError, NoInverseError, TensorAdaptor, TensorDescriptor
from layoutalg.prove.claims.base import NO_INDEX, Claim, in_range, is_injective, stays_in_range
from layoutalg.prove.domain import (
    Layout,
    adaptor_of,
    at,
    bottom_limits,
    digit_form,
    limits,
    names_in,
    upper_index,
)
from layoutalg.prove.obligation import ForAll, InjectiveMap, Obligation, Onto, Shown
from layoutalg.records import dataclass


@dataclass(frozen=True)
class Stored(Claim):
    """What is claimed of a layout over its own space, or over a memory of `storage` elements."""

    descriptor: Layout
    storage: Term | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.storage is not None:
            memory = TensorDescriptor(adaptor_of(self.descriptor), as_expr(self.storage))
            if memory.element_space_size.hi < 0:
                raise LayoutError(f"a memory of {self.storage} elements: there are 0 or more")
            object.__setattr__(self, "descriptor", memory)


@dataclass(frozen=True)
class InBounds(Stored):
    """No valid index leaves a dimension on its way down, nor the memory: the element space, or `storage` elements.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> from layoutalg.prove import prove
    >>> view = make_naive_tensor_descriptor((5, 10), (10, 1))
    >>> prove(InBounds(view, storage=50)).name, prove(InBounds(view, storage=49)).name
    ('proved', 'refuted')
    """

    name: ClassVar[str] = "in_bounds"

    def statement(self) -> str:
        return "every valid index stays in its dimensions and in the element space"

    def of_nothing(self) -> ForAll:
        return NO_INDEX

    def obligations(self) -> Iterator[Obligation]:
        form, known = digit_form(self.descriptor), limits(self.descriptor)
        adaptor = adaptor_of(self.descriptor)
        for _, lower, _ in reversed(adaptor.linked):
            for i in lower:
                if i not in known:
                    continue
                bottom = i in adaptor.bottom_ids
                what = "offset" if bottom else f"hidden index of dimension {i}"
                where = "elements" if bottom else "length"
                yield ForAll(
                    f"{what} is in range",
                    in_range(form.hidden[i], known[i]),
                    form.valid,
                    (Shown("index", form.top), Shown(what, (form.hidden[i],)), Shown(where, (known[i],))),
                )

    def local_obligations(self) -> Iterator[Obligation] | None:
        known = limits(self.descriptor)
        return (
            stays_in_range(transform, tuple(map(known.get, lower)))
            for transform, lower, _ in adaptor_of(self.descriptor).linked
        )


@dataclass(frozen=True)
class Injective(Claim):
    """No two valid indices share an offset.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.prove import prove
    >>> prove(Injective(naive((8, 64), (60, 1)))).reason
    'offsets differ: not at index (0, 60), offset 60 and index (1, 0), offset 60'
    """

    descriptor: Layout
    name: ClassVar[str] = "injective"

    def statement(self) -> str:
        return "different valid indices have different offsets"

    def of_nothing(self) -> ForAll:
        return NO_INDEX

    def obligations(self) -> Iterator[Obligation]:
        form = digit_form(self.descriptor)
        shown = (Shown("index", form.top), Shown("offset", form.bottom))
        yield InjectiveMap("offsets differ", form.variables, form.bottom, form.valid, shown)

    def local_obligations(self) -> Iterator[Obligation] | None:
        """Each transform is injective on indices in range, and keeps them in range for the next."""
        bounds = InBounds(self.descriptor).local_obligations() or ()
        return chain(bounds, map(is_injective, adaptor_of(self.descriptor).transforms))


@dataclass(frozen=True)
class Surjective(Stored):
    """Every element of the space, or of a memory of `storage` elements, has a valid index.

    LayoutError where nothing says which elements there are; refuted where there are none.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.prove import prove
    >>> prove(Surjective(naive((8, 64), (66, 1)))).reason
    'every element has an index: not at element 64'
    """

    name: ClassVar[str] = "surjective"

    def statement(self) -> str:
        return f"every element of {codomain(self.descriptor)} has a valid index"

    def of_nothing(self) -> ForAll:
        return _nothing_below(self.descriptor)

    def obligations(self) -> Iterator[Obligation]:
        bounds, one_to_one = InBounds(self.descriptor), Injective(self.descriptor)
        yield onto(self.descriptor, (*bounds.obligations(), *one_to_one.obligations()))


def onto(layout: Layout, bijection: tuple[Obligation, ...] | None = None) -> Obligation:
    """Every element is reached: by a right inverse, or (`bijection`: in bounds and injective) by counting."""
    form = digit_form(layout)
    spaces = elements_of(layout)
    count, total = prod(adaptor_of(layout).lengths), prod(spaces)
    counted = ForAll("as many indices as elements", eq(count, total), TRUE,
                     (Shown("indices", (count,)), Shown("elements", (total,))))  # fmt: skip
    if bijection is None and form.valid is TRUE:
        return counted
    if any(space.hi < 1 for space in spaces):
        return _has_elements(spaces)
    avoid = names_in(layout)
    targets = tuple(fresh(f"element{n or ''}", space, avoid) for n, space in enumerate(spaces))
    ways: list[tuple[ForAll | InjectiveMap, ...]] = []
    if (section := _section(layout, targets)) is not None:
        ways.append((section,))
    if bijection is not None and form.valid is TRUE:
        ways.append((counted, *(o for o in bijection if not isinstance(o, Onto))))
    shown = (Shown("element", targets),)
    return Onto("every element has an index", form.variables, form.bottom, targets, form.valid, tuple(ways), shown)


def _has_elements(spaces: list[Expr]) -> ForAll:
    """That there is something below; where a space has none, no variable counts its elements."""
    some = all_of(*(space >= 1 for space in spaces))
    return ForAll(f"the space has elements ({ASK})", some, TRUE, (Shown("elements", (prod(spaces),)),))


def _section(layout: Layout, targets: tuple[Expr, ...]) -> ForAll | None:
    """That the adaptor's inverse finds a valid index of each element; None where it has none."""
    adaptor = adaptor_of(layout)
    try:
        form = at(layout, upper_index(adaptor, targets))
    except (NoInverseError, InexpressibleError):
        return None
    ranges = [in_range(i, n) for i, n in zip(form.top, adaptor.lengths, strict=True)]
    goal = all_of(*ranges, form.valid, all_equal(form.bottom, targets))
    return ForAll("the inverse of an element is one of its indices", goal, TRUE, (Shown("element", targets),))


def _nothing_below(layout: Layout) -> ForAll:
    """That there is no element that an index could miss."""
    total = prod(elements_of(layout))
    return ForAll("an empty tensor is over no elements", total < 1, TRUE, (Shown("elements", (total,)),))


ASK = "give storage = the number of elements"


def elements_of(layout: Layout) -> list[Expr]:
    """How many elements there are in each dimension below; LayoutError where that is not known."""
    found = [n for n in bottom_limits(layout) if n is not None]
    if len(found) < len(bottom_limits(layout)):
        raise LayoutError(f"a bottom dimension has no prescribed length: which elements are to be reached? {ASK}")
    if not found:
        raise LayoutError("there is no dimension below: nothing is there to be reached")
    return found


def codomain(layout: Layout) -> str:
    """The elements that a layout may reach, in words."""
    spaces = ["ℤ" if n is None else f"[0, {simplify(n)})" for n in bottom_limits(layout)]
    return " × ".join(spaces) or "nothing"


@dataclass(frozen=True)
class Bijective(Stored):
    """In bounds, injective, and every element of the space, or of a memory of `storage` elements, is reached.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.prove import prove
    >>> prove(Bijective(naive((8, 64), (64, 1)))).name, prove(Bijective(naive((8, 64), (66, 1)))).name
    ('proved', 'refuted')
    """

    name: ClassVar[str] = "bijective"

    def statement(self) -> str:
        return f"every element of {codomain(self.descriptor)} has exactly one valid index"

    def of_nothing(self) -> ForAll:
        return _nothing_below(self.descriptor)

    def obligations(self) -> Iterator[Obligation]:
        yield from InBounds(self.descriptor).obligations()
        yield from Injective(self.descriptor).obligations()
        yield onto(self.descriptor)

    def local_obligations(self) -> Iterator[Obligation] | None:
        return chain(Injective(self.descriptor).local_obligations() or (), [onto(self.descriptor)])


@dataclass(frozen=True)
class RoundTrip(Claim):
    """Down and up again is where one was, and up and down again.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.layout import Merge, make_single_stage_tensor_adaptor as one
    >>> from layoutalg.prove import prove
    >>> prove(RoundTrip(one([Merge((4, 8))], [[0, 1]], [[0]]))).name
    'proved'
    """

    adaptor: Layout
    name: ClassVar[str] = "round_trip"

    def statement(self) -> str:
        return "upper(lower(u)) = u and lower(upper(d)) = d"

    def obligations(self) -> Iterator[Obligation]:
        yield from RoundTripUpper(self.adaptor).obligations()
        yield from RoundTripLower(self.adaptor).obligations()


@dataclass(frozen=True)
class RoundTripUpper(Claim):
    """Down and up again is where one was, for every valid index.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.prove import prove
    >>> prove(RoundTripUpper(naive((4, 8), (10, 1)))).name
    'proved'
    """

    adaptor: Layout
    name: ClassVar[str] = "round_trip_upper"

    def statement(self) -> str:
        return "upper(lower(u)) = u"

    def obligations(self) -> Iterator[Obligation]:
        form = digit_form(self.adaptor)
        back = upper_index(adaptor_of(self.adaptor), form.bottom)
        shown = (Shown("u", form.top), Shown("upper(lower(u))", back))
        yield ForAll("upper(lower(u)) = u", all_equal(back, form.top), form.valid, shown)


@dataclass(frozen=True)
class RoundTripLower(Claim):
    """Up and down again is where one was, for every bottom index, and the index above is in range.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.prove import prove
    >>> prove(RoundTripLower(naive((4, 8), (8, 1)))).name
    'proved'
    >>> prove(RoundTripLower(naive((4, 8), (10, 1)))).witness.points  # between the rows is what no index reaches
    ({'d0': 8},)
    """

    adaptor: Layout
    name: ClassVar[str] = "round_trip_lower"

    def statement(self) -> str:
        return "lower(upper(d)) = d"

    def obligations(self) -> Iterator[Obligation]:
        a: TensorAdaptor = adaptor_of(self.adaptor)
        spaces = elements_of(self.adaptor)
        if any(space.hi < 1 for space in spaces):
            yield _has_elements(spaces)
            return
        avoid = names_in(self.adaptor)
        bottom = tuple(fresh(f"d{k}", n, avoid) for k, n in enumerate(spaces))
        top = upper_index(a, bottom)
        form = at(self.adaptor, top)
        inside = all_of(*(in_range(i, n) for i, n in zip(top, a.lengths, strict=True)))
        shown = (Shown("d", bottom), Shown("upper(d)", top), Shown("lower(upper(d))", form.bottom))
        yield ForAll("lower(upper(d)) = d, in range", all_of(all_equal(form.bottom, bottom), inside), TRUE, shown)
