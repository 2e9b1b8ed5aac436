"""CuTe's layouts: a function from coordinates to offsets, given by a tree of shapes and a tree of strides.

A layout counts its first mode fastest.  A coordinate is one number, or a number (or a coordinate) for each mode; read
with one number x, the flat modes (n₀, n₁ …):(d₀, d₁ …) take its digits, the last of which is what remains, not reduced,
so that a layout is a function of every x ≥ 0:

    L(x) = d₀·(x mod n₀) + d₁·(x div n₀ mod n₁) + … + dₖ·(x div n₀…nₖ₋₁)

| layout                       | coordinate    | offset                            |
|------------------------------|---------------|-----------------------------------|
| `(4,8):(8,1)`                | (3, 5)        | 3·8 + 5 = 29                      |
| `(4,8):(8,1)`                | 23 = (3, 5)   | the same                          |
| `((2,2),8):((1,16),2)`       | (3, 5)        | 3 = (1, 1): 1 + 16 + 5·2 = 27     |
| `Sw<2,0,3> o 0 o (4,8):(8,1)`| (3, 5)        | 29 ^ (29 div 8 mod 4) = 30        |

Shapes and strides are integers or index expressions over sizes; a shape is at least 1, a stride any integer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TypeVar, cast

from layoutalg.display import Displayed
from layoutalg.errors import LayoutError
from layoutalg.index import Term, as_expr
from layoutalg.interop.cute.descriptors import FlatLayout, descriptor_of
from layoutalg.interop.cute.sizes import plus, quotient, remainder, size_of, times
from layoutalg.interop.cute.swizzle import BitSwizzle
from layoutalg.interop.cute.trees import Mode, Tree, leaves, packed, tree_text
from layoutalg.layout import TensorDescriptor
from layoutalg.records import dataclass

DEEPEST = 32
"""How deep a shape may be nested."""
MOST_VALUES = 1 << 22
"""More coordinates than these are not gone through one by one."""


class NoLayoutError(LayoutError):
    """No layout is the function that was asked for; `coordinate` is one where that shows, where there is one.

    >>> from layoutalg.interop.cute import left_inverse
    >>> try:
    ...     left_inverse(Layout((2, 2), (1, 1)))
    ... except NoLayoutError as error:
    ...     print(error.coordinate)
    (1, 0)
    """

    def __init__(self, reason: str, coordinate: Tree | None = None) -> None:
        super().__init__(reason)
        self.coordinate = coordinate


@dataclass(frozen=True, repr=False, init=False)
class Layout(Displayed):
    """A layout `shape:stride`; without a stride, the packed one whose first mode is fastest.

    LayoutError where a shape is not at least 1, or shape and stride are no trees of one form.

    >>> Layout((4, (2, 8)))
    (4,(2,8)):(1,(4,8))
    >>> Layout((4, 8), (8, 1))(3, 5), Layout((4, 8), (8, 1))(23)
    (29, 29)
    """

    shape: Tree
    stride: Tree

    def __init__(self, shape: object, stride: object = None) -> None:
        made = _shape(shape, 0)
        self.__dict__["shape"] = made
        self.__dict__["stride"] = packed(made) if stride is None else _stride(stride, made)

    @cached_property
    def modes(self) -> tuple[Mode, ...]:
        """The numbers of the shape, from left to right, each with its stride."""
        return tuple(zip(leaves(self.shape), leaves(self.stride), strict=True))

    @cached_property
    def index_map(self) -> TensorDescriptor:
        """What claims and pictures take it for: its descriptor, one dimension for each mode."""
        return descriptor(self)

    def __call__(self, *coordinate: Tree) -> Term:
        """The offset of a coordinate: one number, or one for each mode; LayoutError where it has another form."""
        at: Tree = coordinate[0] if len(coordinate) == 1 else coordinate
        return evaluated(self.modes, at) if type(at) is int else _offset(at, self.shape, self.stride)

    def __len__(self) -> int:
        """The number of modes."""
        return len(self.shape) if isinstance(self.shape, tuple) else 1

    def __getitem__(self, mode: int) -> Layout:
        """One mode, itself a layout."""
        if not -len(self) <= mode < len(self):
            raise IndexError(f"mode {mode} of {self}: it has {len(self)}")
        if isinstance(self.shape, tuple) and isinstance(self.stride, tuple):
            return made(self.shape[mode], self.stride[mode])
        return self

    def __iter__(self) -> Iterator[Layout]:
        return (self[n] for n in range(len(self)))

    def __repr__(self) -> str:
        return f"{tree_text(self.shape)}:{tree_text(self.stride)}"


def made(shape: Tree, stride: Tree) -> Layout:
    """The layout of trees that are known to be right."""
    layout = object.__new__(Layout)
    layout.__dict__["shape"], layout.__dict__["stride"] = shape, stride
    return layout


@dataclass(frozen=True, repr=False)
class ComposedLayout(Displayed):
    """CuTe's `Sw<B,M,S> o offset o layout`: the swizzle of the layout's offset, counted from an offset on.

    >>> ComposedLayout(BitSwizzle(2, 0, 3), 0, Layout((4, 8), (8, 1)))(3, 5)
    30
    """

    swizzle: BitSwizzle
    offset: Term
    layout: Layout

    def __post_init__(self) -> None:
        if not (isinstance(self.swizzle, BitSwizzle) and isinstance(self.layout, Layout)):
            over, under = type(self.swizzle).__name__, type(self.layout).__name__
            raise LayoutError(f"a {over} over a {under}: a BitSwizzle over a Layout is wanted")
        object.__setattr__(self, "offset", size_of(self.offset))

    @property
    def shape(self) -> Tree:
        """The shape of its coordinates."""
        return self.layout.shape

    @cached_property
    def index_map(self) -> TensorDescriptor:
        """What claims and pictures take it for: its descriptor, one dimension for each mode."""
        return descriptor(self)

    def __call__(self, *coordinate: Tree) -> Term:
        """The offset of a coordinate."""
        return self.swizzle(plus(self.offset, self.layout(*coordinate)))

    def __len__(self) -> int:
        return len(self.layout)

    def __getitem__(self, mode: int) -> ComposedLayout:
        """One mode, under the same swizzle from the same offset on: what it is where the others are 0."""
        return replace(self, layout=self.layout[mode])

    def __iter__(self) -> Iterator[ComposedLayout]:
        return (self[n] for n in range(len(self)))

    def __repr__(self) -> str:
        return f"{self.swizzle} o {tree_text(self.offset)} o {self.layout}"


AnyLayout = Layout | ComposedLayout
A = TypeVar("A", bound=AnyLayout)


def mapped(layout: A, operation: Callable[[Layout], Layout]) -> A:
    """The operation on a layout, or on the one below a swizzle, which takes whatever offset comes.

    >>> mapped(ComposedLayout(BitSwizzle(1, 0, 1), 0, Layout((4, 2), (2, 1))), lambda one: one[0])
    Sw<1,0,1> o 0 o 4:2
    """
    if isinstance(layout, ComposedLayout):
        return cast("A", replace(layout, layout=operation(layout.layout)))
    return cast("A", operation(plain(layout, "an operation")))


def any_layout(given: object, what: str) -> AnyLayout:
    """A layout, swizzled or not; LayoutError of another thing, of which `what` is asked.

    >>> any_layout("8:1", "size")
    Traceback (most recent call last):
        ...
    layoutalg.errors.LayoutError: size of '8:1': a layout is wanted, not a str; layoutalg.interop.cute.parse reads \
texts and pycute's objects
    """
    if isinstance(given, Layout | ComposedLayout):
        return given
    raise LayoutError(
        f"{what} of {given!r}: a layout is wanted, not a {type(given).__name__}; "
        "layoutalg.interop.cute.parse reads texts and pycute's objects"
    )


def plain(given: object, what: str) -> Layout:
    """A layout as it stands; NoLayoutError of a swizzled one, of which `what` is asked, LayoutError of what is none.

    >>> plain(ComposedLayout(BitSwizzle(0, 4, 3), 0, Layout(8)), "complement")
    8:1
    >>> plain(ComposedLayout(BitSwizzle(1, 0, 1), 0, Layout(8)), "complement")
    Traceback (most recent call last):
        ...
    layoutalg.interop.cute.layout.NoLayoutError: complement of Sw<1,0,1> o 0 o 8:1: it is one of layouts alone, \
without a swizzle or an offset; layoutalg.interop.cute.descriptor is the map
    """
    given = any_layout(given, what)
    if isinstance(given, Layout):
        return given
    if given.swizzle.bits == 0 and given.offset == 0:
        return given.layout
    raise NoLayoutError(
        f"{what} of {given}: it is one of layouts alone, without a swizzle or an offset; "
        "layoutalg.interop.cute.descriptor is the map"
    )


def descriptor(layout: AnyLayout, *inner: AnyLayout) -> TensorDescriptor:
    """The descriptor of a layout: one dimension for each mode, counted as CuTe does inside it.

    With `inner`, of the composition layout o inner o …, whether that is a layout or not.  LayoutError for an offset
    or a coordinate that is negative: memory begins at 0, and so do a layout's coordinates.

    >>> d = descriptor(Layout((4, (2, 8)), (2, (1, 8))))
    >>> d.lengths, d.offset((3, 5))
    ((4, 16), 23)
    >>> descriptor(Layout((4, 8), (8, 1)), Layout((3, 2), (1, 3))).offset((1, 1))
    1
    >>> descriptor(Layout(64, 2), ComposedLayout(BitSwizzle(1, 2, 1), 4, Layout(48))).offset((12,))
    32
    """
    return descriptor_of(*map(_parts, (layout, *inner)))


def _parts(given: AnyLayout) -> FlatLayout:
    one = any_layout(given, "descriptor")
    if isinstance(one, Layout):
        one = ComposedLayout(BitSwizzle(0, 0, 0), 0, one)
    groups = tuple(len(leaves(mode.shape)) for mode in one.layout)
    return FlatLayout(one.swizzle, as_expr(one.offset), one.layout.modes, groups, str(given), str(one.layout))


def of_modes(modes: Sequence[Mode]) -> Layout:
    """The flat layout of some modes; one mode is no tuple, and none is `1:0`."""
    if len(modes) == 1:
        return made(*modes[0])
    return made(tuple(n for n, _ in modes), tuple(d for _, d in modes)) if modes else made(1, 0)


def _shape(given: object, depth: int) -> Tree:
    if isinstance(given, tuple | list):
        if depth == DEEPEST:
            raise LayoutError(f"a shape that is nested more than {DEEPEST} deep")
        if not given:
            raise LayoutError("a shape without modes; the layout of one element is 1:0")
        return tuple(_shape(part, depth + 1) for part in given)
    n = size_of(given)
    if (n if type(n) is int else as_expr(n).lo) < 1:
        raise LayoutError(f"a shape of {n}: it is at least 1" + ("" if type(n) is int else " for all sizes"))
    return n


def _stride(given: object, shape: Tree) -> Tree:
    if isinstance(shape, tuple):
        if not isinstance(given, tuple | list) or len(given) != len(shape):
            raise LayoutError(f"stride {_given(given)} for shape {tree_text(shape)}: they are trees of one form")
        return tuple(_stride(one, part) for one, part in zip(given, shape, strict=True))
    if isinstance(given, tuple | list):
        raise LayoutError(f"stride {_given(given)} for shape {shape}: they are trees of one form")
    return size_of(given)


def _given(given: object) -> str:
    return f"({','.join(map(_given, given))})" if isinstance(given, tuple | list) else str(given)


def _offset(at: Tree, shape: Tree, stride: Tree) -> Term:
    if isinstance(at, tuple | list):
        if not isinstance(shape, tuple) or len(at) != len(shape):
            raise LayoutError(f"coordinate {_given(at)} for shape {tree_text(shape)}: one number, or one for each mode")
        assert isinstance(stride, tuple)
        total: Term = 0
        for one, part, step in zip(at, shape, stride, strict=True):
            total = plus(total, _offset(one, part, step))
        return total
    if type(at) is not int:
        at = size_of(at)
    if not isinstance(shape, tuple):
        assert not isinstance(stride, tuple)
        return times(at, stride)
    return evaluated(list(zip(leaves(shape), leaves(stride), strict=True)), at)


def evaluated(modes: Sequence[Mode], number: Term) -> Term:
    """The offset of a number; of a negative one LayoutError, for it has no digits.

    >>> evaluated([(4, 8), (8, 1)], 23)
    29
    """
    if (number if type(number) is int else as_expr(number).hi) < 0:
        raise LayoutError(f"coordinate {number}: it is at least 0")
    total: Term = 0
    for n, d in modes[:-1]:
        total = plus(total, times(d, remainder(number, n)))
        number = quotient(number, n)
    return plus(total, times(modes[-1][1], number)) if modes else total
