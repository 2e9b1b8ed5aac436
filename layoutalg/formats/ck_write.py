"""Layouts as CK or CK Tile C++ that, read back, is the same layout.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> print(to_ck(make_naive_tensor_descriptor((3, 4), (8, 1)), "rows"))
    // 3 x 4 over 20 elements
    CK_TILE_HOST_DEVICE constexpr auto make_rows()
    {
        return make_naive_tensor_descriptor(make_tuple(number<3>{}, number<4>{}), make_tuple(number<8>{}, number<1>{}));
    }
    <BLANKLINE>

Sizes that are symbols become parameters of the function.  What it cannot write: a transform that the dialect does not
have (CK Tile has no xor without modulo, CK no offset), a `functor` that divides what may be negative (C rounds it
towards zero) or looks into a table, and the modelled defects of CK.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from layoutalg.formats.bases import base_of
from layoutalg.formats.layers import Layer, layers
from layoutalg.index import Expr, as_expr, postorder, unused, var, variables
from layoutalg.index.c import RESERVED, c_expression
from layoutalg.layout import Functor, LayoutError, TensorDescriptor, TileDistribution, Transform, ck
from layoutalg.layout.bind import expressions
from layoutalg.records import dataclass

WIDTH = 120
INDENT = "    "
STEPS = 64


@dataclass(frozen=True)
class Dialect:
    """The spellings of one of the two libraries, by the name of its field in `CkFunction`."""

    name: str
    qualifiers: str
    number: str
    sequence: str
    functions: Mapping[str, object]


DIALECTS: Mapping[str, Dialect] = {
    "ck_tile": Dialect("ck_tile", "CK_TILE_HOST_DEVICE", "number", "sequence", ck.CK_TILE),
    "ck": Dialect("ck", "__host__ __device__", "Number", "Sequence", ck.CK),
}


def to_ck(layout: TensorDescriptor | TileDistribution, name: str = "layout", dialect: str = "ck_tile") -> str:
    """A function make_<name> of C++ that builds the layout; LayoutError where the dialect cannot say it.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> print(to_ck(make_naive_tensor_descriptor((8, 8), (9, 1)), "a").splitlines()[-2].strip())
    return make_naive_tensor_descriptor(make_tuple(number<8>{}, number<8>{}), make_tuple(number<9>{}, number<1>{}));
    """
    write = _Writer(DIALECTS[dialect], _parameters(layout, DIALECTS[dialect]))
    if isinstance(layout, TileDistribution):
        return write.function(name, layout, [f"return {write.distribution(layout)};"])
    return write.function(name, layout, write.descriptor(layout))


@dataclass(frozen=True)
class _Writer:
    dialect: Dialect
    names: Mapping[Expr, str]

    def function(self, name: str, layout: TensorDescriptor | TileDistribution, body: Sequence[str]) -> str:
        """The function with its comment, parameters and body."""
        found = sizes(layout)
        lengths = " x ".join(map(repr, layout.lengths))
        space = (
            f" over {layout.element_space_size} elements" if isinstance(layout, TensorDescriptor) else ", distributed"
        )
        comment = [f"// {lengths}{space}", *(f"// {self.names[v]}: {_limits(v)}" for v in found)]
        listed = ", ".join(f"index_t {self.names[v]}" for v in found)
        lines = "".join(f"{INDENT}{line}\n" for text in body for line in text.split("\n"))
        head = "\n".join(comment)
        return f"{head}\n{self.dialect.qualifiers} constexpr auto make_{name}({listed})\n{{\n{lines}}}\n"

    def descriptor(self, descriptor: TensorDescriptor) -> list[str]:
        """One statement for the base, one for each step."""
        found = layers(descriptor.adaptor)
        base, rest = self.base(found)
        if not rest:
            return [f"return {base};"]
        steps = [f"const auto step_0 = {base};"]
        for n, layer in enumerate(rest):
            call = self.step(f"step_{n}", layer)
            steps.append(f"return {call};" if n == len(rest) - 1 else f"const auto step_{n + 1} = {call};")
        return steps

    def base(self, found: Sequence[Layer]) -> tuple[str, Sequence[Layer]]:
        """The first layers as a make_naive_tensor_descriptor…, and those above it."""
        base, given, rest = base_of(found)
        call = base.make.__name__
        self.require(call, "a base with an offset")
        return f"{call}({', '.join(self.tuple(v) if isinstance(v, tuple) else self.number(v) for v in given)})", rest

    def step(self, below: str, layer: Layer) -> str:
        args = [
            below,
            f"make_tuple({', '.join(map(self.transform, layer.transforms))})",
            self.dimensions(layer.lower),
            self.dimensions(layer.upper),
        ]
        return "transform_tensor_descriptor(\n" + ",\n".join(INDENT + arg for arg in args) + ")"

    def transform(self, transform: Transform) -> str:
        """A call of the transform's function."""
        name: str = getattr(transform.ck, self.dialect.name)
        self.require(name, repr(transform))
        if isinstance(transform, Functor):
            return f"{name}({self.function_of(transform)}, {self.number(transform.length)})"
        given = [getattr(transform, key.field) for key in transform.parameters()]
        if transform.ck.counted:
            given = [as_expr(len(given[0])), *given]
        args = [self.tuple(v) if isinstance(v, tuple) else self.number(v) for v in given]
        return f"{name}({', '.join(args)})"

    def require(self, name: str, what: str) -> None:
        """LayoutError unless the dialect has the function."""
        if name not in self.dialect.functions:
            library = "CK Tile" if self.dialect.name == "ck_tile" else "CK"
            raise LayoutError(f"{library} has no function for {what}")

    def distribution(self, tile: TileDistribution) -> str:
        """A make_static_tile_distribution of the encoding written out."""
        self.require("make_static_tile_distribution", "a tile distribution")
        e = tile.sole_encoding
        args = [
            self.sequence(e.rs),
            self.types([self.sequence(h) for h in e.hs]),
            self.types([self.sequence(p) for p in e.ps_major]),
            self.types([self.sequence(p) for p in e.ps_minor]),
            self.sequence(e.ys_major),
            self.sequence(e.ys_minor),
        ]
        inner = ",\n".join(INDENT + arg for arg in args)
        return f"make_static_tile_distribution(tile_distribution_encoding<\n{inner}>{{}})"

    def types(self, parts: Sequence[str]) -> str:
        return f"tuple<{', '.join(parts)}>"

    def dimensions(self, groups: Sequence[Sequence[int]]) -> str:
        return f"make_tuple({', '.join(f'{self.sequence(group)}{{}}' for group in groups)})"

    def sequence(self, values: Sequence[Expr | int]) -> str:
        listed = ", ".join(str(v) if isinstance(v, int) else self.c(v) for v in values)
        return f"{self.dialect.sequence}<{listed}>"

    def tuple(self, values: Sequence[Expr]) -> str:
        return f"make_tuple({', '.join(map(self.number, values))})"

    def number(self, value: Expr) -> str:
        """A constant is known to the compiler by its type, a size is a value."""
        return f"{self.dialect.number}<{int(value)}>{{}}" if value.op == "const" else self.c(value)

    def function_of(self, transform: Functor) -> str:
        """The formula as a lambda of its index in 0 … length − 1; LayoutError where C++ would compute another."""
        index = var(transform.index.value.name, transform.length)
        (function,) = transform.lower([index])
        parts = postorder(function)
        if any(e.op == "lookup" or (e.op in ("div", "mod") and e.args[0].lo < 0) for e in parts):
            raise LayoutError(
                f"{transform}: a table, or a division of what may be negative, is no plain C++ expression"
            )
        name = unused(index.value.name, {*_words(self.dialect), *self.names.values()})
        return f"[=](auto {name}) {{ return {self.c(function, {index: name})}; }}"

    def c(self, e: Expr, names: Mapping[Expr, str] | None = None) -> str:
        """An expression over symbols; that it fits the index type is a claim of its own (`fits_index`)."""
        return c_expression(e, {**self.names, **(names or {})}, bits=64, proved=True)


def parameter_names(layout: TensorDescriptor | TileDistribution, dialect: str = "ck_tile") -> Mapping[Expr, str]:
    """What each size of a layout is called in the text that `to_ck` writes."""
    return _parameters(layout, DIALECTS[dialect])


def _parameters(layout: TensorDescriptor | TileDistribution, dialect: Dialect) -> dict[Expr, str]:
    """What each size is called in C++: its name, unless that is a word of the language or of the text around it."""
    names: dict[Expr, str] = {}
    for v in (found := sizes(layout)):
        others = {w.value.name for w in found if w is not v} | set(names.values())
        names[v] = unused(v.value.name, {*_words(dialect), *others})
    return names


def _words(dialect: Dialect) -> set[str]:
    steps = (f"step_{n}" for n in range(STEPS))
    return {*RESERVED, *dialect.functions, *steps, dialect.number, dialect.sequence, "index_t", "make_tuple", "tuple",
            "transform_tensor_descriptor", "tile_distribution_encoding"}  # fmt: skip


def sizes(layout: TensorDescriptor | TileDistribution) -> list[Expr]:
    """The symbols below a layout, by name."""
    own = {t.index for t in layout.adaptor.transforms if isinstance(t, Functor)}
    found = variables(*(e for t in layout.adaptor.transforms for e in expressions(t)))
    return sorted((v for v in found if v not in own), key=str)


def _limits(v: Expr) -> str:
    known = v.value
    parts = [f"{known.lo} … {known.hi}" if known.hi < float("inf") else f"at least {known.lo}"]
    parts += [f"a multiple of {known.multiple_of}"] if known.multiple_of > 1 else []
    return ", ".join([*parts, "a power of two"] if known.power_of_two else parts)
