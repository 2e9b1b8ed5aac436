"""Our dataclasses beside the standard library's, of the same classes: what each says, and what each refuses."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from itertools import product
from typing import Any

import pytest

from layoutalg import records

BOTH = [pytest.param(dataclasses.dataclass, id="library"), pytest.param(records.dataclass, id="ours")]


class Plain:
    a: int
    b: str = "b"
    c: list[int] = field(default_factory=list)


class Hidden:
    a: int
    b: float = field(default=0.5, compare=False)
    c: str = field(default="", repr=False)
    d: int = field(default=3, hash=False, kw_only=True)


class One:
    only: float


class Nothing:
    pass


class Later:
    a: int
    doubled: int = field(init=False)
    always: int = field(default=7, init=False)
    made: list[int] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        object.__setattr__(self, "doubled", 2 * self.a)


class Own:
    a: int
    b: int = 2

    def __eq__(self, other: object) -> bool:
        return True

    def __repr__(self) -> str:
        return "own"


class OwnHash:
    a: int

    def __hash__(self) -> int:
        return 5


CLASSES: list[tuple[type[Any], list[tuple[tuple[Any, ...], dict[str, Any]]]]] = [
    (Plain, [((1,), {}), ((1, "b", []), {}), ((2,), {"c": [3]}), ((), {}), ((1, 2, 3, 4), {})]),
    (Hidden, [((1,), {}), ((1, 0.7, ""), {}), ((1,), {"d": 4}), ((1, 2, "", 4), {}), ((2,), {"c": "x"})]),
    (One, [((1.0,), {}), ((float("nan"),), {}), ((1,), {})]),
    (Nothing, [((), {}), ((1,), {})]),
    (Later, [((4,), {}), ((4, 8), {})]),
    (Own, [((1,), {}), ((2,), {})]),
    (OwnHash, [((1,), {}), ((2,), {})]),
]
OPTIONS = [
    {"frozen": frozen, "eq": eq, "repr": text, "init": True, "kw_only": keywords}
    for frozen, eq, text, keywords in product((False, True), repeat=4)
]


def said(make: Callable[[], Any]) -> Any:
    """What is made, or what is said of it: in words that hold for both."""
    try:
        return make()
    except (TypeError, FrozenInstanceError) as error:
        return type(error).__name__, str(error).replace("_HAS_DEFAULT_FACTORY_CLASS", "")


def told(decorator: Any, cls: type[Any], options: dict[str, bool], calls: Any) -> list[Any]:
    """All that one of the two says of a class and of what is made of it."""
    own = {name: one for name, one in vars(cls).items() if name not in ("__dict__", "__weakref__")}
    made = decorator(**options)(type(cls.__name__, (), own))
    objects = [said(lambda args=args, kw=kw: made(*args, **kw)) for args, kw in calls]
    found: list[Any] = [
        [*inspect.signature(made).parameters],
        made.__match_args__,
        [f.name for f in dataclasses.fields(made)],
    ]
    right = [one for one in objects if isinstance(one, made)]
    found += [one for one in objects if not isinstance(one, made)]
    found.append([[said(lambda x=x, y=y: x == y) for y in right] for x in right])
    found.append([[said(lambda x=x, y=y: hash(x) == hash(y)) for y in right] for x in right if options["eq"]])
    for one in right:
        values = dict(vars(one))
        found += [values, said(lambda one=one: isinstance(hash(one), int))]
        found.append("" if options["repr"] is False and "__repr__" not in cls.__dict__ else repr(one))
        found.append(said(lambda one=one: setattr(one, "a", 9)))
        found.append(said(lambda one=one: setattr(one, "other", 9)))
        found.append(said(lambda one=one: vars(dataclasses.replace(one))))
        found.append(said(lambda one=one: dataclasses.asdict(one)))
        found.append(copy.copy(one) == one)
        found.append(said(lambda one=one, values=values: [delattr(one, name) for name in values]))
    return found


@pytest.mark.parametrize(("cls", "calls"), CLASSES, ids=lambda one: getattr(one, "__name__", ""))
@pytest.mark.parametrize("options", OPTIONS, ids=lambda one: "-".join(name for name, on in one.items() if on))
def test_it_says_what_the_standard_library_says(cls: type[Any], options: dict[str, bool], calls: Any) -> None:
    assert told(records.dataclass, cls, options, calls) == told(dataclasses.dataclass, cls, options, calls)


@pytest.mark.parametrize("below", BOTH)
@pytest.mark.parametrize("above", BOTH)
def test_a_class_of_either_inherits_from_one_of_the_other(below: Any, above: Any) -> None:
    @below(frozen=True)
    class Base:
        a: int

    @above(frozen=True)
    class Derived(Base):
        b: int = 2

    class Free(Base):
        pass

    one = Derived(1)
    assert (one.a, one.b, one == Derived(1, 2), one == Base(1)) == (1, 2, True, False)
    with pytest.raises(FrozenInstanceError):
        one.b = 3
    free = Free(1)
    free.other = 4  # an attribute of its own
    assert free.other == 4
    for change in (lambda: setattr(free, "a", 2), lambda: delattr(free, "a")):
        with pytest.raises(FrozenInstanceError):
            change()
    with pytest.raises(TypeError, match="non-frozen"):
        above(type("Thawed", (Base,), {"__annotations__": {"c": "int"}}))


@records.dataclass(frozen=True)
class Kept:
    a: int
    b: tuple[int, ...] = ()


def test_what_is_pickled_comes_back() -> None:
    assert pickle.loads(pickle.dumps(Kept(1, (2,)))) == Kept(1, (2,))


def test_one_that_holds_itself_is_written() -> None:
    @records.dataclass
    class Ring:
        next: Any = None

    ring = Ring()
    ring.next = ring
    assert repr(ring).endswith("Ring(next=...)")


def test_classes_match_by_place() -> None:
    match Kept(1, (2,)):
        case Kept(a, b):
            assert (a, b) == (1, (2,))
