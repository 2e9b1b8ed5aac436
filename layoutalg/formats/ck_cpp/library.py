"""What the reader knows of CK and CK Tile: the functions that build layouts, and the small ones that they are fed with.

Two dialects share most names.  Where they differ, the file's own decides: `Sequence<…>` and `Number<…>` are CK's,
`sequence<…>` and `number<…>` CK Tile's.

| name                              | CK                        | CK Tile                  |
|-----------------------------------|---------------------------|--------------------------|
| `make_xor_transform`              | u₁ ^ u₀ (no modulo)       | u₁ ^ (u₀ mod L₁)         |
| `make_xor_with_modulo_transform`  | u₁ ^ (u₀ mod L₁)          | (not there)              |

`make_merge_transform` is CK's merge by any computation (they agree on valid indices); the variants by name are read as
those.  Hints (guaranteed vector lengths and strides) are read and not believed: what they promise is proved elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from layoutalg.formats.bases import BASES
from layoutalg.formats.ck_cpp.convert import (
    constant,
    descriptor,
    dimensions,
    entries,
    kind_of,
    number,
    numbers,
    transforms,
    truncated,
)
from layoutalg.formats.ck_cpp.values import Open, Unreadable, Value
from layoutalg.index import Expr, as_expr, le, prod, select
from layoutalg.layout import (
    PassThrough,
    RightPad,
    TensorAdaptor,
    TensorDescriptor,
    TileDistribution,
    TileDistributionEncoding,
    Transform,
    attach,
    chain_tensor_adaptors,
    ck,
    make_single_stage_tensor_adaptor,
    transform_tensor_descriptor,
)
from layoutalg.layout.encodings import make_embed_tile_distribution_encoding
from layoutalg.target.dtypes import DTYPES

Args = tuple[Value, ...]


@dataclass(frozen=True)
class Entry:
    """A function: the least and the greatest number of its arguments, and what it computes."""

    least: int
    most: int
    call: Callable[[Args], Value]


READ: Mapping[str, Callable[[Value], Value]] = {"n": number, "t": numbers, "c": constant}
"""How an argument is read: an integer, a tuple, a constant."""


def of_ck(kind: type[Transform], args: Args, counted: bool = False) -> Transform:
    """A transform of the arguments that CK makes it of; `counted`: the number of entries stands before the list."""
    shapes = ["n" * counted, *("n" if key.entries is None else "t" for key in kind.parameters()), "c" * kind.ck.flags]
    return kind.from_ck(*(READ[shape](arg) for shape, arg in zip("".join(shapes), args, strict=False)))


def _transform(kind: type[Transform]) -> Entry:
    """A make_*_transform: its parameters, then what may be left out."""
    needed = kind.ck.counted + len(kind.parameters())

    def call(args: Args) -> Value:
        return of_ck(kind, args, kind.ck.counted)

    return Entry(needed, needed + kind.ck.flags, call)


def _transforms(dialect: str, other: str) -> Mapping[str, Entry]:
    known = {**ck.TRANSFORMS_OF[other], **ck.TRANSFORMS_OF[dialect]}
    return {name: _transform(kind) for name, kind in known.items() if not any(k.is_variable for k in kind.parameters())}


DIALECTS: Mapping[str, Mapping[str, Entry]] = {
    "ck": _transforms("ck", "ck_tile"),
    "ck_tile": _transforms("ck_tile", "ck"),
}
"""The transforms of each dialect; a name that only the other one has is read as that one's."""


def _base(kind: str, after: int = 0) -> Entry:
    """The function of a base; of a view, `after` the memory's arguments."""
    base = BASES[kind]
    least = after + len(base.lists) + len(base.numbers)

    def call(args: Args) -> TensorDescriptor:
        lists, others = args[after : after + len(base.lists)], args[after + len(base.lists) : least]
        return base.make(*map(numbers, lists), *map(number, others))

    return Entry(least, least + base.hints, call)


def _transformed(args: Args) -> Value:
    if isinstance(args[0], TensorAdaptor):
        return attach(args[0], transforms(args[1]), dimensions(args[2]), dimensions(args[3]))
    return transform_tensor_descriptor(
        descriptor(args[0]), transforms(args[1]), dimensions(args[2]), dimensions(args[3])
    )


def _single_stage(args: Args) -> TensorAdaptor:
    return make_single_stage_tensor_adaptor(transforms(args[0]), dimensions(args[1]), dimensions(args[2]))


def _chain(args: Args) -> TensorAdaptor:
    for arg in args:
        if not isinstance(arg, TensorAdaptor):
            raise Unreadable(f"{kind_of(arg)} where an adaptor is expected")
    chained: TensorAdaptor = args[0]
    for above in args[1:]:
        chained = chain_tensor_adaptors(chained, above)
    return chained


def _from_adaptor(args: Args) -> TensorDescriptor:
    if not isinstance(args[0], TensorAdaptor):
        raise Unreadable(f"{kind_of(args[0])} where an adaptor is expected")
    return TensorDescriptor(args[0], number(args[1]))


def _padded(args: Args) -> TensorDescriptor:
    """pad_tensor_view(view, tile lengths, which dimensions): a right_pad up to a multiple of the tile's length."""
    below = descriptor(args[0])
    tiles, wanted = numbers(args[1]), numbers(args[2])
    if not len(tiles) == len(wanted) == below.rank:
        raise Unreadable(f"{len(tiles)} tile lengths and {len(wanted)} flags for {below.rank} dimensions")
    made = [
        RightPad(n, (n + t - 1) // t * t - n) if constant(w) else PassThrough(n)
        for n, t, w in zip(below.lengths, tiles, wanted, strict=True)
    ]
    dims = [[d] for d in range(below.rank)]
    return transform_tensor_descriptor(below, made, dims, dims)


def encoding(args: Args) -> TileDistributionEncoding:
    """tile_distribution_encoding<Rs, Hs, Ps→major, Ps→minor, Ys→major, Ys→minor>."""
    rs, hs, *owners = args
    majors, minors = dimensions(owners[0]), dimensions(owners[1])
    ys = [tuple(constant(n) for n in entries(owner)) for owner in owners[2:]]
    return TileDistributionEncoding(
        numbers(rs), tuple(map(numbers, entries(hs))), tuple(map(tuple, majors)), tuple(map(tuple, minors)), *ys
    )


def _embedded(args: Args) -> TileDistributionEncoding:
    """make_embed_tile_distribution_encoding(outer, inner): each factor of inner stands right of outer's."""
    outer, inner = (_an_encoding(arg) for arg in args)
    if len(outer.hs) != len(inner.hs):
        raise Unreadable(f"encodings of {len(outer.hs)} and {len(inner.hs)} dimensions are not put together")
    return make_embed_tile_distribution_encoding(outer, inner)


def _an_encoding(value: Value) -> TileDistributionEncoding:
    if isinstance(value, TileDistributionEncoding):
        return value
    named = value.path if isinstance(value, Open) else kind_of(value)
    raise Unreadable(f"{named} is not a tile_distribution_encoding that is known here; -D can give one")


def _distribution(args: Args) -> TileDistribution:
    return TileDistribution(_an_encoding(args[0]))


LAYOUT_ENTRIES: Mapping[str, Entry] = {
    **{base.make.__name__: _base(kind) for kind, base in BASES.items()},
    "make_naive_tensor_view": _base("naive", after=1),
    "make_naive_tensor_view_packed": _base("packed", after=1),
    "make_tensor_view": Entry(2, 2, lambda args: descriptor(args[1])),
    "transform_tensor_descriptor": Entry(4, 4, _transformed),
    "transform_tensor_view": Entry(4, 4, _transformed),
    "transform_tensor_adaptor": Entry(4, 4, _transformed),
    "pad_tensor_view": Entry(3, 3, _padded),
    "make_single_stage_tensor_adaptor": Entry(3, 3, _single_stage),
    "chain_tensor_adaptors": Entry(2, 64, _chain),
    "make_tensor_descriptor_from_adaptor": Entry(2, 2, _from_adaptor),
    "make_embed_tile_distribution_encoding": Entry(2, 2, _embedded),
    "make_static_tile_distribution": Entry(1, 1, _distribution),
    "make_tile_distribution": Entry(1, 1, _distribution),
}


def _extreme(least: bool) -> Callable[[Args], Expr]:
    def call(args: Args) -> Expr:
        found = number(args[0])
        for arg in args[1:]:
            e = number(arg)
            found = select(le(found, e), *((found, e) if least else (e, found)))
        return found

    return call


def _divide_ceil(args: Args) -> Expr:
    a, b = map(number, args)
    return truncated(a + b - 1, b, remainder=False)


def _constant_fold(fold: Callable[[int, int], int]) -> Callable[[Args], Expr]:
    def call(args: Args) -> Expr:
        result = constant(args[0])
        for arg in args[1:]:
            result = fold(result, constant(arg))
        return as_expr(result)

    return call


def _gcd(a: int, b: int) -> int:
    return math.gcd(a, b)


def _lcm(a: int, b: int) -> int:
    return math.lcm(a, b)


def _concatenated(args: Args) -> Args:
    return tuple(entry for arg in args for entry in entries(arg))


def _product(args: Args) -> Expr:
    """reduce_on_sequence(numbers, multiplies{}, start); other reductions are not read."""
    if not isinstance(args[1], Open) or args[1].last not in ("multiplies", "multiplies_v2"):
        raise Unreadable(f"a reduction by {kind_of(args[1])}; only the one by multiplies is read")
    return prod([*numbers(args[0]), number(args[2])])


def _log2(args: Args) -> Expr:
    n = constant(args[0])
    if n < 1 or n & (n - 1):
        raise Unreadable(f"log2 of {n}, which is no power of two")
    return as_expr(n.bit_length() - 1)


ARITHMETIC_ENTRIES: Mapping[str, Entry] = {
    "make_tuple": Entry(0, 64, lambda args: args),
    "make_array": Entry(0, 64, lambda args: args),
    "make_multi_index": Entry(0, 64, lambda args: args),
    "tie": Entry(0, 64, lambda args: args),
    "container_concat": Entry(1, 64, _concatenated),
    "concat_tuple": Entry(1, 64, _concatenated),
    "tuple_cat": Entry(1, 64, _concatenated),
    "merge_sequences": Entry(1, 64, _concatenated),
    "to_sequence": Entry(1, 1, lambda args: entries(args[0])),
    "to_multi_index": Entry(1, 1, lambda args: entries(args[0])),
    "integer_divide_ceil": Entry(2, 2, _divide_ceil),
    "integer_divide_floor": Entry(2, 2, lambda args: truncated(*map(number, args), remainder=False)),
    "integer_least_multiple": Entry(2, 2, lambda args: _divide_ceil(args) * number(args[1])),
    "max": Entry(1, 8, _extreme(least=False)),
    "min": Entry(1, 8, _extreme(least=True)),
    "gcd": Entry(2, 8, _constant_fold(_gcd)),
    "lcm": Entry(2, 8, _constant_fold(_lcm)),
    "integer_log2_floor": Entry(1, 1, lambda args: as_expr(max(constant(args[0]), 1).bit_length() - 1)),
    "is_power_of_two_integer": Entry(
        1, 1, lambda args: as_expr(int(constant(args[0]) > 0 and constant(args[0]).bit_count() == 1))
    ),
    "log2": Entry(1, 1, _log2),
    "next_power_of_two": Entry(1, 1, lambda args: as_expr(1 << max(constant(args[0]) - 1, 0).bit_length())),
    "reduce_on_sequence": Entry(3, 3, _product),
    "get_warp_size": Entry(0, 0, lambda _: as_expr(64)),
    "get_n_lds_banks": Entry(0, 0, lambda _: as_expr(32)),
}
"""get_warp_size and get_n_lds_banks are CK Tile's constants for CDNA (`include/ck_tile/core/arch/arch.hpp`)."""

ENTRIES: Mapping[str, Entry] = {**LAYOUT_ENTRIES, **ARITHMETIC_ENTRIES}


def entry(name: str, dialect: str) -> Entry | None:
    """The function of that name in a dialect (`ck` or `ck_tile`), None where there is none."""
    return DIALECTS[dialect].get(name) or ENTRIES.get(name)


SIZES: Mapping[str, int] = {
    "char": 1, "bool": 1, **{name: size for d in DTYPES.values() for name, size in d.stored.items()}
}  # fmt: skip
"""sizeof of the types whose names are known."""

PACKED: Mapping[str, int] = {
    **dict.fromkeys(SIZES, 1), **{name: count for d in DTYPES.values() for name, count in d.packed.items()}
}  # fmt: skip
"""The elements that each of these types holds: `numeric_traits<T>::PackedSize`, by which CK divides offsets."""

SAME_TYPE: Mapping[str, str] = {name: d.ck[0] for d in DTYPES.values() for name in d.ck}
"""The own name of each type that has several."""
