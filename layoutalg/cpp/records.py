"""What the compiler records of a layout (`layoutalg/ck_stub.h`), as the layout.

| recorded                                             | is                                                            |
|------------------------------------------------------|---------------------------------------------------------------|
| a number, a list of values                           | `Expr`, a tuple                                               |
| `{"size": [...]}`                                    | what was computed of sizes that are not fixed                 |
| `{"call": "make_unmerge_transform", "arguments": …}` | the transform, descriptor, adaptor, distribution of that call |
| `{"cases": [[answers, value], …]}`                   | one value: chosen by what was compared                        |

Two libraries share most names.  Where they differ, the file's own decides (`old`: CK's):

| name                              | CK                        | CK Tile                  |
|-----------------------------------|---------------------------|--------------------------|
| `make_xor_transform`              | u₁ ^ u₀ (no modulo)       | u₁ ^ (u₀ mod L₁)         |
| `make_xor_with_modulo_transform`  | u₁ ^ (u₀ mod L₁)          | (not there)              |
| `Xor<L, true>{l}`                 | the one with the modulo   | (not there)              |

`make_merge_transform` is CK's merge by any computation (they agree on valid indices); the variants by name are read as
those.  Hints (guaranteed vector lengths and strides) are read and not believed: what they promise is proved elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from layoutalg.errors import LayoutError
from layoutalg.formats.bases import BASES
from layoutalg.index import Expr, as_expr, eq, select, unlimited
from layoutalg.layout import (
    TRANSFORMS,
    Functor,
    PassThrough,
    RightPad,
    TensorAdaptor,
    TensorDescriptor,
    TileDistribution,
    TileDistributionEncoding,
    Transform,
    Xor,
    XorNoModulo,
    attach,
    chain_tensor_adaptors,
    ck,
    make_single_stage_tensor_adaptor,
    transform_tensor_descriptor,
)
from layoutalg.layout.c_arithmetic import truncated_div, truncated_mod
from layoutalg.layout.encodings import make_embed_tile_distribution_encoding
from layoutalg.records import dataclass

Value = Any
"""An Expr, a tuple, a Transform, TensorDescriptor, TensorAdaptor, TileDistributionEncoding or TileDistribution."""

Args = tuple[Value, ...]

_TILE = {"pass_through", "pad", "left_pad", "right_pad", "embed", "merge_v2_magic_division", "merge_v3_division_mod",
         "unmerge", "freeze", "insert", "replicate", "slice", "modulo", "offset"}  # fmt: skip
_OLD = {
    "PassThrough": "pass_through", "Pad": "pad", "LeftPad": "left_pad", "RightPad": "right_pad", "Embed": "embed",
    "Merge_v1_carry_check": "merge_v1_carry_check", "Merge_v2_magic_division": "merge_v2_magic_division",
    "Merge_v2r2_magic_division": "merge_v2r2_magic_division", "Merge_v3_division_mod": "merge_v3_division_mod",
    "Merge_v4_no_carry": "merge_v4_no_carry", "UnMerge": "unmerge", "Freeze": "freeze", "Insert": "insert",
    "Slice": "slice", "Modulo": "modulo", "Vectorize": "vectorize",
}  # fmt: skip
CLASSES: Mapping[str, type[Transform]] = {
    **{name: TRANSFORMS[name] for name in sorted(_TILE)}, **{name: TRANSFORMS[kind] for name, kind in _OLD.items()},
    "xor_t": Xor, "Xor": XorNoModulo,
}  # fmt: skip
"""The class templates of namespaces ck and ck_tile; in ck, `Xor<L, true>` is the one with the modulo."""


def has_flag(name: str, kind: type[Transform]) -> bool:
    """Whether a class takes a truth value after its types."""
    return bool(kind.ck.flags) or name == "Xor"


@dataclass(frozen=True)
class Records:
    """How what is recorded is read: over which sizes, and in whose names."""

    sizes: Sequence[Expr] = ()
    old: bool = False
    index: Expr | None = None
    """The index of the function that is being read."""

    def value(self, data: Any) -> Value:
        """The value of some data; LayoutError where it makes none."""
        if isinstance(data, list):
            return tuple(map(self.value, data))
        if not isinstance(data, Mapping):
            return as_expr(int(data))
        if "size" in data:
            return self.size(data["size"])
        if "cases" in data:
            return self.value(self._chosen(data["cases"]))
        if "select" in data:
            condition, yes, no = data["select"]
            return select(condition, self.value(yes), self.value(no))
        return self.called(data["call"], data["arguments"])

    def size(self, tokens: Sequence[Any]) -> Expr:
        """What was computed of sizes, operands first.

        >>> from layoutalg.index import symbol
        >>> Records([symbol("M", min=1)]).size(["s0", 63, "+", 64, "/"])
        (M + 63) // 64
        """
        stack = list[Expr]()
        for token in tokens:
            if isinstance(token, int):
                stack.append(as_expr(token))
            elif token == "s-1" and self.index is not None:
                stack.append(self.index)
            elif token.startswith("s"):
                stack.append(self.sizes[int(token[1:])])
            else:
                right = stack.pop()
                stack.append(OPERATORS[token](stack.pop(), right))
        (result,) = stack
        return result

    def _chosen(self, cases: Sequence[Any], depth: int = 0) -> Any:
        """One record of several runs: where they differ, a number is chosen by what was answered."""
        first, value = cases[0]
        if depth == len(first):
            return value
        left, relation, right, _ = first[depth]
        yes = [case for case in cases if case[0][depth][3]]
        no = [case for case in cases if not case[0][depth][3]]
        made = self._chosen(yes, depth + 1)
        if not no:
            return made
        compared = eq if relation == "=" else (lambda a, b: a < b)
        return _merged(compared(self.value(left), self.value(right)), made, self._chosen(no, depth + 1))

    def called(self, name: str, data: Sequence[Any]) -> Value:
        """What a function of CK's makes."""
        if name == "make_functor_transform":
            u = unlimited("u")
            return Functor(u, Records(self.sizes, self.old, u).value(data[0]), self.value(data[1]))
        args = tuple(map(self.value, data))
        if name in CALLS:
            return CALLS[name](args)
        if name in CLASSES:
            return _of_class(name, args)
        mine, other = ("ck", "ck_tile") if self.old else ("ck_tile", "ck")
        kind = ck.TRANSFORMS_OF[mine].get(name) or ck.TRANSFORMS_OF[other][name]
        least = kind.ck.counted + len(kind.parameters())
        return _of_ck(name, kind, args, least)


def _merged(condition: Expr, yes: Any, no: Any) -> Any:
    if yes == no:
        return yes
    if isinstance(yes, list) and isinstance(no, list) and len(yes) == len(no):
        return [_merged(condition, a, b) for a, b in zip(yes, no, strict=True)]
    if isinstance(yes, Mapping) and "call" in yes and isinstance(no, Mapping) and yes["call"] == no.get("call"):
        return {"call": yes["call"], "arguments": _merged(condition, yes["arguments"], no["arguments"])}
    if _is_number(yes) and _is_number(no):
        return {"select": [condition, yes, no]}
    raise LayoutError(f"it is another layout where {condition} than where it is not")


def _is_number(data: Any) -> bool:
    return isinstance(data, int) or (isinstance(data, Mapping) and ("size" in data or "select" in data))


def _divided(divide: Callable[[Expr, Expr], Expr]) -> Callable[[Expr, Expr], Expr]:
    def by(left: Expr, right: Expr) -> Expr:
        if right.lo < 1:
            raise LayoutError(f"{left} is divided by {right}, which may be zero or negative")
        return divide(left, right)

    return by


def _shift(left: Expr, right: Expr) -> int:
    if right.op != "const" or not 0 <= int(right) < 64:
        raise LayoutError(f"{left} is shifted by {right}")
    return int(right)


OPERATORS: Mapping[str, Callable[[Expr, Expr], Expr]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _divided(truncated_div),
    "%": _divided(truncated_mod),
    "^": lambda a, b: a ^ b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a + b - (a & b),
    "l": lambda a, b: a << _shift(a, b),
    "r": lambda a, b: a >> _shift(a, b),
    "m": lambda a, b: select(a <= b, a, b),
    "M": lambda a, b: select(a >= b, a, b),
}
"""What `layoutalg/size.h` writes of each operator; `l` and `r` shift, `m` and `M` are min and max."""


def _constant(value: Value) -> int:
    if not isinstance(value, Expr) or value.op != "const":
        raise LayoutError(f"{value} stands where a number is expected")
    return int(value)


def _dimensions(value: Value) -> list[list[int]]:
    return [[_constant(d) for d in group] for group in value]


def _of_ck(name: str, kind: type[Transform], args: Args, least: int) -> Transform:
    if not least <= len(args) <= least + kind.ck.flags:
        most = f"…{least + kind.ck.flags}" if kind.ck.flags else ""
        raise LayoutError(f"{name} takes {least}{most} arguments, not {len(args)}")
    return kind.from_ck(*args[:least], *map(_constant, args[least:]))


def _of_class(name: str, args: Args) -> Transform:
    kind = CLASSES[name]
    count = len(kind.parameters())
    if name == "Xor":
        return (Xor if _constant(args[1]) else XorNoModulo).from_ck(args[0])
    return kind.from_ck(*args[:count], *map(_constant, args[count:]))


def _base(kind: str) -> Callable[[Args], TensorDescriptor]:
    base = BASES[kind]
    count = len(base.lists) + len(base.numbers)

    def call(args: Args) -> TensorDescriptor:
        if not count <= len(args) <= count + base.hints:
            raise LayoutError(f"{base.make.__name__} takes {count}…{count + base.hints} arguments, not {len(args)}")
        return base.make(*args[:count])

    return call


def _transformed(args: Args) -> Value:
    below, transforms, lower, upper = args
    make = attach if isinstance(below, TensorAdaptor) else transform_tensor_descriptor
    return make(below, list(transforms), _dimensions(lower), _dimensions(upper))


def _written_out(args: Args) -> TensorDescriptor:
    """`TensorDescriptor<Ts, Lower, Upper, Top, S>{ts, s}`: by its hidden ids."""
    transforms, lower, upper, top, space = args
    below, above = (tuple(tuple(ids) for ids in _dimensions(one)) for one in (lower, upper))
    return TensorDescriptor(TensorAdaptor(tuple(transforms), below, above, (0,), tuple(map(_constant, top))), space)


def _padded(args: Args) -> TensorDescriptor:
    """pad_tensor_view(view, tile lengths, which dimensions): a right_pad up to a multiple of the tile's length."""
    below, tiles, wanted = args
    if not len(tiles) == len(wanted) == below.rank:
        raise LayoutError(f"{len(tiles)} tile lengths and {len(wanted)} flags for {below.rank} dimensions")
    made = [
        RightPad(n, (n + t - 1) // t * t - n) if _constant(w) else PassThrough(n)
        for n, t, w in zip(below.lengths, tiles, wanted, strict=True)
    ]
    dims = [[d] for d in range(below.rank)]
    return transform_tensor_descriptor(below, made, dims, dims)


def _encoding(args: Args) -> TileDistributionEncoding:
    rs, hs, *owners = args
    majors, minors = _dimensions(owners[0]), _dimensions(owners[1])
    ys = [tuple(map(_constant, owner)) for owner in owners[2:]]
    return TileDistributionEncoding(rs, tuple(hs), tuple(map(tuple, majors)), tuple(map(tuple, minors)), *ys)


def _embedded(args: Args) -> TileDistributionEncoding:
    outer, inner = args
    if len(outer.hs) != len(inner.hs):
        raise LayoutError(f"encodings of {len(outer.hs)} and {len(inner.hs)} dimensions are not put together")
    return make_embed_tile_distribution_encoding(outer, inner)


CALLS: Mapping[str, Callable[[Args], Value]] = {
    **{base.make.__name__: _base(kind) for kind, base in BASES.items()},
    "transform_tensor_descriptor": _transformed,
    "transform_tensor_adaptor": _transformed,
    "pad_tensor_view": _padded,
    "make_single_stage_tensor_adaptor": lambda args: make_single_stage_tensor_adaptor(
        list(args[0]), _dimensions(args[1]), _dimensions(args[2])
    ),
    "chain_tensor_adaptors": lambda args: chain_tensor_adaptors(*args),
    "make_tensor_descriptor_from_adaptor": lambda args: TensorDescriptor(*args),
    "TensorDescriptor": _written_out,
    "tile_distribution_encoding": _encoding,
    "make_embed_tile_distribution_encoding": _embedded,
    "make_static_tile_distribution": lambda args: TileDistribution(args[0]),
}
"""What each function and class of CK's makes of its arguments."""
