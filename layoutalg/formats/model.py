"""What a file says, as data: layouts that are built, and what is claimed of them, for `layoutalg.prove` to decide.

| item               | about                                             | a claim's subject                  |
|--------------------|---------------------------------------------------|------------------------------------|
| `DescriptorItem`   | a tensor descriptor                               | `.descriptor`                      |
| `TransformItem`    | one transform                                     | `.transform`                       |
| `AdaptorItem`      | transforms over dimensions without memory         | `.adaptor`                         |
| `DistributionItem` | which lane and register holds which element       | `.distribution`                    |
| `AccessItem`       | which lane reaches which index of a descriptor    | `.descriptor` at `.index`          |
| `LemmaItem`        | a formula                                         | `.given` ⇒ `.goal`                 |
| `BoxItem`          | a box that the Tensor Data Mover copies           | `.tensor` at `.at`, and `.lds`     |
| `AgreeItem`        | two descriptors that address the same word        | `.left` and `.right`               |
| `Refusal`          | a layout that must not be built                   | `.reason`, None where it was built |

Examples of a file (`index` … `offset` …) are lemmas without variables.  Nothing here proves anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, ClassVar, Literal

from layoutalg.index import TRUE, Expr, simplify, substitute, variables
from layoutalg.layout import (
    TensorAdaptor,
    TensorDescriptor,
    TileDistribution,
    Transform,
    make_single_stage_tensor_adaptor,
)
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass

with lazy_imports():
    from layoutalg.formats import launch as launches

Expect = Literal["proved", "refuted"]


Place = tuple[int, int]
"""Line and column, from 1."""


@dataclass(frozen=True)
class StatedClaim:
    """One claim: its name in CLAIMS, its arguments, whether it must be proved or refuted, and why the latter.

    `other` is the name of the item that it speaks of besides its own, and that item's layout; `place` is where the file
    says it.

    >>> from layoutalg.index import as_expr
    >>> str(StatedClaim("contiguous", (as_expr(8),), expect="refuted", because="offset 82"))
    'contiguous(8)'
    """

    name: str
    args: tuple[Expr, ...] = ()
    expect: Expect = "proved"
    because: str = ""
    other: tuple[str, TensorDescriptor | TileDistribution] | None = None
    place: Place | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        if self.other is not None:
            return f"{self.name} {self.other[0]}"
        return f"{self.name}({', '.join(map(repr, self.args))})" if self.args else self.name


@dataclass(frozen=True, kw_only=True)
class Item:
    r"""What every item has: its name, where it stands, what is assumed (`given`) and what is claimed.

    `limits` is what the file's `given` says of sizes alone, in its symbols: the sizes in the item's expressions have
    these limits already, under the same names.  `stated` tells whether the file names the claims; otherwise they are
    the kind's usual ones.

    >>> from layoutalg.formats import loads
    >>> (item,) = loads('[[lemma]]\nname = "even"\nvariables = { i = 9 }\ngoal = "2 * i % 2 == 0"', "sums.toml").items
    >>> isinstance(item, Item), item.kind, item.name, item.line
    (True, 'lemma', 'even', 1)
    """

    kind: ClassVar[str]
    """What a file's table of such items is called."""

    name: str
    line: int | None = None
    note: str = ""
    source: str = ""
    given: Expr = TRUE
    limits: Expr = TRUE
    claims: tuple[StatedClaim, ...] = ()
    stated: bool = False


@dataclass(frozen=True, kw_only=True)
class LemmaItem(Item):
    r"""`given` ⇒ `goal`, for all values of the symbols and the variables.

    >>> from layoutalg.formats import loads
    >>> from layoutalg.formats.check import check
    >>> file = loads('[[lemma]]\nname = "even"\nvariables = { i = 9 }\ngoal = "2 * i % 2 == 0"')
    >>> file.items[0].goal, [result.verdict.name for result in check(file)]
    (i * 2 % 2 == 0, ['proved'])
    """

    kind: ClassVar[str] = "lemma"
    goal: Expr
    variables: tuple[Expr, ...] = ()
    expect: Expect = "proved"
    because: str = ""


@dataclass(frozen=True, kw_only=True)
class Example(LemmaItem):
    r"""What one index must reach: the goal says so, and the other fields are what the file states.

    >>> from layoutalg.formats import loads
    >>> text = '[[descriptor]]\nname = "a"\nbase = { kind = "packed", lengths = [4, 8] }\n'
    >>> file = loads(text + 'examples = [{ index = [1, 2], offset = 10 }]')
    >>> one = file.descriptors[0].examples[0]
    >>> one.index, one.lower, one.goal
    ((1, 2), (10,), 1)
    """

    index: tuple[Expr, ...]
    lower: tuple[Expr, ...] | None = None
    hidden: tuple[Expr, ...] | None = None
    valid: bool | None = None


@dataclass(frozen=True, kw_only=True)
class LayoutItem(Item):
    """A layout, with examples of what its indices reach."""

    examples: tuple[Example, ...] = ()

    @property
    def layout(self) -> TensorDescriptor | TensorAdaptor:
        """What its claims speak of."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class DescriptorItem(LayoutItem):
    """A tensor descriptor of elements of `dtype` (a key of DTYPES, or None).

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> item = DescriptorItem(name="a_lds", descriptor=make_naive_tensor_descriptor((8, 64), (66, 1)), dtype="f16")
    >>> item.layout.offset((7, 2))
    464
    """

    kind: ClassVar[str] = "descriptor"
    descriptor: TensorDescriptor
    dtype: str | None = None

    @property
    def layout(self) -> TensorDescriptor:
        return self.descriptor


@dataclass(frozen=True, kw_only=True)
class TransformItem(LayoutItem):
    """One transform, for claims about it alone.

    >>> from layoutalg.layout import Merge
    >>> TransformItem(name="split", transform=Merge((4, 8))).layout.lower((11,))
    (1, 3)
    """

    kind: ClassVar[str] = "transform"
    transform: Transform

    @property
    def layout(self) -> TensorAdaptor:
        lower, upper = (range(len(n)) for n in (self.transform.lower_lengths, self.transform.upper_lengths))
        return make_single_stage_tensor_adaptor([self.transform], [[*lower]], [[*upper]])


@dataclass(frozen=True, kw_only=True)
class AdaptorItem(LayoutItem):
    """Steps of transforms over dimensions that no memory lies under.

    >>> from layoutalg.layout import Merge
    >>> split = make_single_stage_tensor_adaptor([Merge((4, 8))], [[0, 1]], [[0]])
    >>> AdaptorItem(name="split", adaptor=split).layout.lower((11,))
    (1, 3)
    """

    kind: ClassVar[str] = "adaptor"
    adaptor: TensorAdaptor

    @property
    def layout(self) -> TensorAdaptor:
        return self.adaptor


@dataclass(frozen=True, kw_only=True)
class DistributionItem(LayoutItem):
    """A tile distribution; lanes and window were checked when the file states them.

    >>> from layoutalg.layout import TileDistributionEncoding
    >>> tile = TileDistribution(TileDistributionEncoding.of((), ((4, 2),), [[(1, 0)]], [(1, 1)]))
    >>> DistributionItem(name="pairs", distribution=tile).distribution.lower((3,), (1,))
    (7,)
    """

    kind: ClassVar[str] = "distribution"
    distribution: TileDistribution
    wave_size: int | None = None
    warps: int | None = None
    window: tuple[Expr, ...] | None = None

    @property
    def layout(self) -> TensorAdaptor:
        return self.distribution.adaptor


@dataclass(frozen=True, kw_only=True)
class AccessItem(Item):
    r"""Lane `lane` reaches `width` elements of the descriptor, the first at `index`, for each value of `variables`.

    `distribution` names the distribution that the index comes from, None where the file gives formulas.  `element`
    counts a vector's elements in the index; None: the last coordinate runs on through it.

    >>> from layoutalg.formats import loads
    >>> text = '[[descriptor]]\nname = "a"\nbase = { kind = "packed", lengths = [64, 8] }\n'
    >>> text += '[[access]]\nname = "rows"\ndescriptor = "a"\nindex = ["lane", "0"]\nwidth = 8'
    >>> read = loads(text).items[1]
    >>> read.descriptor.name, read.index, read.width
    ('a', (lane, 0), 8)
    """

    kind: ClassVar[str] = "access"
    descriptor: DescriptorItem
    lane: Expr
    variables: tuple[Expr, ...]
    index: tuple[Expr, ...]
    width: int = 1
    element: Expr | None = None
    instruction: str | None = None
    targets: tuple[str, ...] = ()
    distribution: str | None = None


@dataclass(frozen=True, kw_only=True)
class BoxItem(Item):
    r"""A box of `lengths` of a tensor, from its index `at` on, and what the mover's descriptor says of it.

    `inside` is an element's place in the box, which begins at the index `lds_at` of `lds`.  Elements that are not below
    `extents` are 0, or are not stored; strides are of all dimensions but the last, whose is 1; `padding`: after so many
    bytes of LDS so many are left out.

    >>> from layoutalg.formats import loads
    >>> text = '[[descriptor]]\nname = "a"\ndtype = "f16"\nbase = { kind = "packed", lengths = [8, 64] }\n'
    >>> text += '[[box]]\nname = "tile"\ntensor = "a"\nat = [4, 0]\nlengths = [8, 32]'
    >>> loads(text).items[1].extents, loads(text).items[1].strides
    ((4, 64), (64,))
    """

    kind: ClassVar[str] = "box"
    tensor: DescriptorItem
    at: tuple[Expr, ...]
    lengths: tuple[Expr, ...]
    inside: tuple[Expr, ...]
    extents: tuple[Expr, ...]
    strides: tuple[Expr, ...]
    variables: tuple[Expr, ...] = ()
    lds: DescriptorItem | None = None
    lds_at: tuple[Expr, ...] = ()
    padding: tuple[int, int] | None = None
    stores: bool = False


@dataclass(frozen=True, kw_only=True)
class AgreeItem(Item):
    """`left` at `left_index` and `right` at `right_index` are the same word, for all values of the variables.

    >>> from layoutalg.formats.check import check
    >>> from layoutalg.index import var
    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> a, i = DescriptorItem(name="a", descriptor=naive((8, 8), (8, 1))), var("i", 8)
    >>> turned = DescriptorItem(name="turned", descriptor=naive((8, 8), (1, 8)))
    >>> same = AgreeItem(name="diagonal", left=a, right=turned, variables=(i,), left_index=(i, i), right_index=(i, i))
    >>> [result.verdict.name for result in check(SpecFile("", items=(same,)))]
    ['proved']
    """

    kind: ClassVar[str] = "agree"
    left: DescriptorItem
    right: DescriptorItem
    variables: tuple[Expr, ...]
    left_index: tuple[Expr, ...]
    right_index: tuple[Expr, ...]
    expect: Expect = "proved"
    because: str = ""


@dataclass(frozen=True, kw_only=True)
class Refusal(Item):
    r"""A layout that must be refused: the reason it was refused for, None where it was built after all.

    `of` is the kind of item that it would be, `data` what the file says of it; the reason must hold `because`.

    >>> from layoutalg.formats import loads
    >>> text = '[[descriptor]]\nname = "x"\nexpect = "refused"\nbase = { kind = "packed", lengths = [3, -1] }'
    >>> (item,) = loads(text).items
    >>> item.of, item.reason
    ('descriptor', 'unmerge((3, -1)): lower length 0 is -3; a length is at least 0')
    """

    kind: ClassVar[str] = "refusal"
    of: str
    reason: str | None
    because: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Unread:
    """A part of a source file that was not read, and why; `refused`: it was, and makes no layout (bad input).

    >>> from layoutalg.cpp import loads
    >>> loads("auto f() { return make_naive_tensor_descriptor_packed(make_tuple(kM)); }").unread
    (Unread(name='f', line=1, reason='kM is not known here; give -D kM=64', refused=False),)
    """

    name: str
    line: int
    reason: str
    refused: bool = False


@dataclass(frozen=True)
class SpecFile:
    """A file's symbols and items, in the file's order; `unread` is what a C++ reader had to leave out.

    `unchecked`: what it saw and claims nothing of: windows, accesses, layouts that stay inside a function.
    `launch`: how a kernel is launched on the file's tensors, None where it does not say.
    `given`: what holds of its symbols, beyond their limits, in all items and in the launch.
    `data`: what it was built from, and `constants`: what C++ is in it (`items.of_block` builds it again).
    `unasked`: the names of `-D` that nothing in a C++ file asked for, and whether its text mentions them at all.

    >>> from layoutalg.formats import loads
    >>> loads("symbols = { M = { min = 1 } }").symbols
    {'M': M}
    """

    path: str
    symbols: Mapping[str, Expr] = field(default_factory=dict)
    items: tuple[Item, ...] = ()
    title: str = ""
    unread: tuple[Unread, ...] = ()
    unchecked: tuple[Unread, ...] = ()
    unasked: Mapping[str, bool] = field(default_factory=dict)
    launch: launches.Launch | None = None
    given: Expr = TRUE
    data: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    constants: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def descriptors(self) -> tuple[DescriptorItem, ...]:
        """The descriptors."""
        return tuple(item for item in self.items if isinstance(item, DescriptorItem))

    @property
    def distributions(self) -> tuple[DistributionItem, ...]:
        """The distributions."""
        return tuple(item for item in self.items if isinstance(item, DistributionItem))

    def in_own_symbols(self, e: Expr) -> Expr:
        """An item's expression in the file's symbols, of which what the item is given may have made narrower ones."""
        sizes = (v for v in variables(e) if not v.value.index)  # an index may have another size's name
        return simplify(substitute(e, {v: self.symbols.get(v.value.name, v) for v in sizes}))

    def descriptor(self, name: str) -> DescriptorItem:
        """The descriptor of that name; KeyError lists the names there are."""
        for item in self.descriptors:
            if item.name == name:
                return item
        names = ", ".join(item.name for item in self.descriptors) or "none"
        raise KeyError(f"no descriptor {name!r} in {self.path}: it has {names}")
