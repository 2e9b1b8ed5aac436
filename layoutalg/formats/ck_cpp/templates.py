"""Class templates of CK and of the standard library that are values, questions or other names for a type."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tree_sitter import Node

from layoutalg.formats.ck_cpp.convert import MOST_ENTRIES, ask, constant, kind_of, number, numbers, truth
from layoutalg.formats.ck_cpp.library import PACKED, SAME_TYPE, SIZES, encoding
from layoutalg.formats.ck_cpp.nodes import text
from layoutalg.formats.ck_cpp.scope import Scope, Struct
from layoutalg.formats.ck_cpp.values import Open, Unreadable, Value
from layoutalg.index import FALSE, TRUE, const
from layoutalg.layout import LayoutError, TensorDescriptor, TileDistributionEncoding, make_naive_tensor_descriptor

Args = tuple[Value, ...]
Template = Callable[[Args], Value]

LAYOUTS = frozenset({
    "RowMajor", "ColumnMajor", "NHWC", "NCHW", "NWC", "NDHWC", "NHWGC", "GNHWC", "KYXC", "GKYXC", "NHWK", "NHWGK",
    "GNHWK",
})  # fmt: skip
"""Layout tags: two of them are the same exactly when their names are."""


def sized(value: Value) -> int | None:
    """The size of a type in bytes, None where the value is no type of a known size."""
    return SIZES.get(value.last) if isinstance(value, Open) else None


def _traits(args: Args) -> Value:
    """numeric_traits<T>, of which PackedSize is read: the elements that a T holds."""
    kind = _first(args)
    if isinstance(kind, Open) and kind.last in PACKED:
        return Struct("numeric_traits", Scope(None, {}, {"PackedSize": const(PACKED[kind.last])}))
    if isinstance(kind, Open):
        raise ask(kind, "half_t")
    raise Unreadable(f"numeric_traits of {kind_of(kind)}")


def same(args: Args) -> Value:
    """Whether two names mean one type or enumerator.

    One path means one thing.  Two paths are compared by their last names where both are known types or layout tags, or
    where `-D` gives one and the other is a qualified name; else the open one is asked for.
    """
    first, second = _two(args)
    if not (isinstance(first, Open) and isinstance(second, Open)):
        return TRUE if first == second else _different(first, second)
    if first.path == second.path:
        return TRUE
    names = [SAME_TYPE.get(kind.last, kind.last) for kind in (first, second)]
    settled = [
        kind.given or name in LAYOUTS or name in SIZES for kind, name in zip((first, second), names, strict=True)
    ]
    if all(settled) or _named(first, second) or _named(second, first):
        return TRUE if names[0] == names[1] else FALSE
    raise ask(*((second, names[0]) if settled[0] else (first, names[1])))


def _named(given: Open, other: Open) -> bool:
    """Whether `-D` gives one, and the other is the name of something fixed, not of what could be anything."""
    return given.given and "::" in other.path and not other.variable


def _different(first: Value, second: Value) -> Value:
    for kind in (first, second):
        if isinstance(kind, Open | Struct):
            raise Unreadable(f"whether {kind_of(kind)} is the same type as another cannot be told")
    return FALSE


def _two(args: Args) -> tuple[Value, Value]:
    if len(args) != 2:
        raise Unreadable(f"a question about two types has {len(args)} arguments")
    return args[0], args[1]


def _chosen(args: Args) -> Value:
    """std::conditional_t<c, A, B>."""
    if len(args) != 3:
        raise Unreadable(f"conditional_t has {len(args)} arguments")
    condition = truth(args[0])
    if condition.op != "const":
        raise Unreadable(f"conditional_t depends on {condition}")
    return args[1] if int(condition) else args[2]


def _first(args: Args) -> Value:
    if not args:
        raise Unreadable("a template without arguments")
    return args[0]


def _constant(args: Args) -> Value:
    """integral_constant<T, v> and constant<v>."""
    return number(args[-1]) if args else TRUE


def _encoding(args: Args) -> TileDistributionEncoding:
    if len(args) != 6:
        raise Unreadable(f"tile_distribution_encoding has 6 arguments, not {len(args)}")
    try:
        return encoding(args)
    except LayoutError as error:
        raise Unreadable(str(error), refused=True) from error


def _arithmetic(args: Args) -> Value:
    """arithmetic_sequence_gen<begin, end, step>."""
    if len(args) != 3:
        raise Unreadable(f"arithmetic_sequence_gen has 3 arguments, not {len(args)}")
    begin, end, step = map(constant, args)
    if step == 0 or abs(end - begin) > MOST_ENTRIES * abs(step):
        raise Unreadable(f"a sequence from {begin} to {end} by {step}")
    return tuple(const(n) for n in range(begin, end, step))


def _uniform(args: Args) -> Value:
    """uniform_sequence_gen<count, value>."""
    count, value = map(constant, _two(args))
    if not 0 <= count <= MOST_ENTRIES:
        raise Unreadable(f"a sequence of {count} entries")
    return (const(value),) * count


def _strided(args: Args) -> TensorDescriptor:
    """TensorDescriptor<Sequence<lengths…>, Sequence<strides…>>, as documentation writes a naive descriptor."""
    lengths, strides = _two(args)
    try:
        return make_naive_tensor_descriptor(numbers(lengths), numbers(strides))
    except LayoutError as error:
        raise Unreadable(str(error), refused=True) from error


TEMPLATES: Mapping[str, Template] = {
    **dict.fromkeys(("number", "Number", "constant", "bool_constant", "integral_constant"), _constant),
    **dict.fromkeys(("sequence", "Sequence", "index_sequence"), numbers),
    **dict.fromkeys(("tuple", "Tuple"), lambda args: args),
    **dict.fromkeys(("remove_cvref_t", "remove_reference_t", "remove_cv_t", "decay_t", "type_identity_t"), _first),
    "numeric_traits": _traits,
    **dict.fromkeys(("is_same", "is_same_v"), same),
    **dict.fromkeys(("conditional_t", "conditional"), _chosen),
    **dict.fromkeys(("tile_distribution_encoding", "TileDistributionEncoding"), _encoding),
    "TensorDescriptor": _strided,
    "arithmetic_sequence_gen": _arithmetic,
    "uniform_sequence_gen": _uniform,
}


def known_alias(kind: Node) -> bool:
    """Whether a type is another name for its argument (`remove_cvref_t<T>`), so that T's own name stays."""
    return kind.type == "template_type" and text(kind.child_by_field_name("name")) in TEMPLATES


def template(name: str) -> Template | None:
    """The meaning of a class template, None where it has none here."""
    return TEMPLATES.get(name)
