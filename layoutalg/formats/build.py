"""From checked data to layouts: names are looked up, expressions read, transforms attached; each error has its path.

The shapes are already right (`grammar`), so only meaning can be wrong here: an unknown name, a cycle of bases, a length
below 1, a dimension used twice.  A file's variables are its symbols (sizes) and, in formulas, the item's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from functools import cached_property
from typing import Any, TypeVar

from layoutalg.formats.bases import BASES
from layoutalg.formats.ck_structure import WarpGemm
from layoutalg.formats.context import Context, Data, RefusedLayoutError, meaning
from layoutalg.formats.cpp import Constants, claims_beside, constant_of, lengths_of
from layoutalg.formats.examples import examples
from layoutalg.formats.model import (
    AdaptorItem,
    DescriptorItem,
    DistributionItem,
    TransformItem,
)
from layoutalg.formats.notations import LANES, NOTATIONS, Notation
from layoutalg.formats.reading import DocumentError, Path
from layoutalg.index import Expr, unlimited
from layoutalg.layout import (
    TRANSFORMS,
    LayoutError,
    TensorAdaptor,
    TensorDescriptor,
    TileDistribution,
    TileDistributionEncoding,
    Transform,
    attach,
)
from layoutalg.layout.adaptor import make_identity
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass
from layoutalg.target.dtypes import NAMES

with lazy_imports():
    from layoutalg.target import read as targets

T = TypeVar("T")

DEEPEST = 64
"""Descriptors that are built on one another."""

Named = tuple[str, tuple[Expr, ...]]
"""An item's name, and the symbols that it is built with: those of the item that asks for it."""


@dataclass
class Builder(Context):
    """Builds one file's layouts; descriptors on demand, so that they may stand in any order."""

    transforms: Mapping[str, type[Transform]] = field(default_factory=lambda: TRANSFORMS)
    descriptors: dict[Named, DescriptorItem] = field(default_factory=dict)
    layouts: dict[Named, TensorDescriptor] = field(default_factory=dict)
    distributions: dict[Named, DistributionItem] = field(default_factory=dict)
    building: list[str] = field(default_factory=list)
    constants: Constants = field(default_factory=dict)
    unread: list[tuple[str, DocumentError]] = field(default_factory=list)

    @cached_property
    def lds(self) -> int | None:
        """Bytes of LDS that a block has on the GPU that C++ is compiled for; None where the table says none known."""
        name = self.data.get("cpp", {}).get("target")
        return targets.target(name).lds_bytes if name and targets.is_target(name) else None

    def transform(self, path: Path, data: Data) -> TransformItem:
        """A bare transform."""
        made = self._make(path, data)
        about = self.about(path, data, "transform")
        return TransformItem(transform=made, examples=examples(self, path, data, made), **about)

    def adaptor(self, path: Path, data: Data) -> AdaptorItem:
        """Steps over as many dimensions as the first of them uses."""
        steps = data.get("steps", ())
        first = steps[0] if steps else ()
        rank = sum(len(entry["lower"]) for entry in first)
        below = self._constant(path, TensorAdaptor) if "cpp" in data else make_identity(rank)
        made = self._steps(below, (*path, "steps"), steps)
        about = self.about(path, data, "adaptor")
        return AdaptorItem(adaptor=made, examples=examples(self, path, data, made), **about)

    def resolve(self, path: Path, name: str) -> DescriptorItem:
        """The descriptor of a name, built now if it is not yet."""
        place, data = self.named("descriptor", path, name)
        with self.using(path, data):
            return self.descriptor(("descriptor", place), data)

    @contextmanager
    def using(self, path: Path, data: Data) -> Iterator[None]:
        """An item is used with the sizes of the one that uses it; where it needs its own given, that is said."""
        try:
            yield
        except DocumentError as problem:
            if self.symbols == self._narrowed(data):
                raise
            about = f"{data['name']} is built here without its own given: {problem.reason}; give this item that too"
            raise type(problem)(path, about) from problem

    def descriptor(self, path: Path, data: Data) -> DescriptorItem:
        """A descriptor: its base, and each step on it."""
        known = data["name"], tuple(self.symbols.values())
        if known in self.descriptors:
            return self.descriptors[known]
        made = self._descriptor(path, data)
        dtype = NAMES[data["dtype"]].name if "dtype" in data else None
        about = self.about(path, data, "descriptor", more=claims_beside(self.constants, path, dtype, self.lds))
        item = DescriptorItem(descriptor=made, dtype=dtype, examples=examples(self, path, data, made), **about)
        return self.descriptors.setdefault(known, item)

    def made(self, path: Path, name: str) -> TensorDescriptor:
        """The layout alone of the descriptor of a name, whatever that claims; a cycle of bases is refused."""
        if name in self.building:
            way = " -> ".join([*self.building[self.building.index(name) :], name])
            raise DocumentError(path, f"descriptors that are built on each other: {way}")
        place, data = self.named("descriptor", path, name)
        with self.using(path, data):
            return self._descriptor(("descriptor", place), data)

    def held(self, path: Path, name: str) -> TileDistribution:
        """The layout alone of the distribution of a name, whatever that claims."""
        place, data = self.named("distribution", path, name)
        with self.using(path, data):
            return self._distribution(("distribution", place), data)

    def _descriptor(self, path: Path, data: Data) -> TensorDescriptor:
        """A base, and each step on it."""
        name = data["name"]
        known = name, tuple(self.symbols.values())
        if known in self.layouts:
            return self.layouts[known]
        if len(self.building) >= DEEPEST:
            raise DocumentError(path, f"more than {DEEPEST} descriptors are built on one another")
        self.building.append(name)
        try:
            base = self._constant(path, TensorDescriptor) if "cpp" in data else self._base(path, data["base"])
        finally:
            self.building.pop()
        adaptor = self._steps(base.adaptor, (*path, "steps"), data.get("steps", ()))
        stated = self.expr((*path, "storage"), data["storage"]) if "storage" in data else None
        with meaning(path if stated is None else (*path, "storage")):
            made = TensorDescriptor(adaptor, base.element_space_size if stated is None else stated)
            if made.element_space_size.hi < 1 and stated is not None and not made.is_empty:
                raise LayoutError(f"a memory of {stated} elements; it has at least 1")
        return self.layouts.setdefault(known, made)

    def distribution(self, path: Path, data: Data) -> DistributionItem:
        """A tile distribution; lanes and window are checked where the file states them."""
        known = data["name"], tuple(self.symbols.values())
        if known in self.distributions:
            return self.distributions[known]
        made = self._distribution(path, data)
        window = self._window((*path, "window"), data["window"]) if "window" in data else None
        with meaning(path):
            if "wave_size" in data:
                made.require_lanes(data["wave_size"], data.get("warps", 1))
            if window is not None:
                made.require_window(window)
        item = DistributionItem(
            distribution=made, wave_size=data.get("wave_size"), warps=data.get("warps"), window=window,
            examples=examples(self, path, data, made.adaptor), **self.about(path, data, "distribution"),
        )  # fmt: skip
        return self.distributions.setdefault(known, item)

    def _distribution(self, path: Path, data: Data) -> TileDistribution:
        if "cpp" in data:
            return self._compiled_lanes(path, data)
        return self._notation(path, data["base"], LANES) if "base" in data else self._encoded(path, data)

    def _compiled_lanes(self, path: Path, data: Data) -> TileDistribution:
        """A distribution by the compiler: itself, or the lanes of a warp GEMM that hold one of its operands."""
        if "operand" not in data:
            return self._constant(path, TileDistribution)
        gemm = self._constant(path, WarpGemm)
        return {"a": gemm.a, "b": gemm.b, "c": gemm.c}[data["operand"]]

    def _window(self, path: Path, data: Any) -> tuple[Expr, ...]:
        """The lengths of a window: as the file has them, or as the compiler says."""
        if isinstance(data, Mapping):
            return lengths_of(self.constants, path, list(self.symbols.values()))
        return self.exprs(path, data)

    def _encoded(self, path: Path, data: Data) -> TileDistribution:
        hs = tuple(self.exprs((*path, "hs", n), h) for n, h in enumerate(data["hs"]))
        rs = self.exprs((*path, "rs"), data.get("rs", ()))
        with meaning(path):
            owners = [_tuples(data[key]) for key in ("ps_major", "ps_minor", "ys_major", "ys_minor")]
            return TileDistribution(TileDistributionEncoding(rs, hs, *owners))

    def _make(self, path: Path, data: Data) -> Transform:
        kind, params, scope = self.transforms[data["transform"]], list[Any](), self.symbols
        for key in kind.parameters():
            given, at = data[key.name], (*path, key.name)
            if key.is_variable:
                if given in self.symbols:
                    raise DocumentError(at, f"{given} is a symbol of this file; give the variable another name")
                scope = {**scope, given: unlimited(given)}
                params.append(scope[given])
            else:
                params.append((self.exprs if isinstance(given, list) else self.expr)(at, given, scope))
        with meaning(path):
            return kind(*params)

    def _attach(self, below: TensorAdaptor, path: Path, layer: Sequence[Data]) -> TensorAdaptor:
        made = [self._make((*path, n), entry) for n, entry in enumerate(layer)]
        lower, upper = ([entry[side] for entry in layer] for side in ("lower", "upper"))
        try:
            return attach(below, made, lower, upper)
        except LayoutError as error:
            named = [n for n, transform in enumerate(made) if str(error).startswith(repr(transform))]
            raise RefusedLayoutError((*path, *named[:1]), str(error)) from error

    def _steps(self, below: TensorAdaptor, path: Path, layers: Sequence[Sequence[Data]]) -> TensorAdaptor:
        for n, layer in enumerate(layers):
            below = self._attach(below, (*path, n), layer)
        return below

    def _constant(self, path: Path, wanted: type[T]) -> T:
        """What the compiler says of an item's expression."""
        return constant_of(self.constants, path, list(self.symbols.values()), wanted)

    def _base(self, path: Path, data: Data) -> TensorDescriptor:
        kind = data["kind"]
        if kind == "descriptor":
            return self.made((*path, "base", "name"), data["name"])
        if kind in NOTATIONS:
            return self._notation(path, data, NOTATIONS)
        base = BASES[kind]
        path = (*path, "base")
        lists = [self.exprs((*path, key), data[key]) for key in base.lists]
        numbers = [self.expr((*path, key), data[key]) for key in base.numbers]
        with meaning(path):
            return base.make(*lists, *numbers)

    def _notation(self, path: Path, data: Data, notations: Mapping[str, Notation[T]]) -> T:
        """A base in a neighbour's notation; an error in a text stands at its key."""
        base = notations[data["kind"]]
        path = (*path, "base")
        lists = [self.exprs((*path, key), data[key]) for key in base.lists]
        numbers = [self.expr((*path, key), data[key]) for key in base.numbers]
        with meaning((*path, *base.texts[:1])):
            return base.make(self.symbols, *lists, *numbers, *(data[key] for key in base.texts))


def _tuples(given: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(tuple(entry) if isinstance(entry, list) else entry for entry in given)
