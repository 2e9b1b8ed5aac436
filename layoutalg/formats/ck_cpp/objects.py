"""Objects of CK's own class templates, written out: `UnMerge<Tuple<int, int>>{Tuple<int, int>{4, 64}}`.

AMD's guides write transforms and descriptors so, beside the `make_…` functions that give the same objects.  Of the
template arguments only the flags say something that the object's arguments do not:

| written                                              | is                                                      |
|------------------------------------------------------|---------------------------------------------------------|
| `PassThrough<int>{K}`, `pass_through<int>{K}`        | `make_pass_through_transform(K)`                        |
| `PassThrough<Number<8>>{}`                           | the same of 8: a type that is a value                   |
| `Xor<L, true>{l}`                                    | `make_xor_with_modulo_transform(l)`                     |
| `TensorDescriptor<Ts, Lower, Upper, Top, S>{ts, s}`  | the descriptor of these transforms, by its hidden ids   |

A class's name without template arguments, or of which the file has one of its own, is not taken for CK's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from layoutalg.formats.ck_cpp.convert import constant, dimensions, entries, number, transforms
from layoutalg.formats.ck_cpp.library import of_ck
from layoutalg.formats.ck_cpp.values import Unreadable, Value
from layoutalg.layout import (
    Embed,
    Freeze,
    Insert,
    LeftPad,
    MergeCarryCheck,
    MergeDivisionMod,
    MergeMagicDivision,
    MergeNoCarry,
    MergeScannedMagicDivision,
    Modulo,
    Offset,
    Pad,
    PassThrough,
    Replicate,
    RightPad,
    Slice,
    TensorAdaptor,
    TensorDescriptor,
    Transform,
    Unmerge,
    Vectorize,
    Xor,
    XorNoModulo,
)

Args = tuple[Value, ...]

CLASSES: Mapping[str, type[Transform]] = {
    "PassThrough": PassThrough, "Pad": Pad, "LeftPad": LeftPad, "RightPad": RightPad, "Embed": Embed,
    "Merge_v1_carry_check": MergeCarryCheck, "Merge_v2_magic_division": MergeMagicDivision,
    "Merge_v2r2_magic_division": MergeScannedMagicDivision, "Merge_v3_division_mod": MergeDivisionMod,
    "Merge_v4_no_carry": MergeNoCarry, "UnMerge": Unmerge, "Freeze": Freeze, "Insert": Insert, "Slice": Slice,
    "Modulo": Modulo, "Xor": XorNoModulo, "Vectorize": Vectorize,
    "pass_through": PassThrough, "pad": Pad, "left_pad": LeftPad, "right_pad": RightPad, "embed": Embed,
    "merge_v2_magic_division": MergeMagicDivision, "merge_v3_division_mod": MergeDivisionMod, "unmerge": Unmerge,
    "freeze": Freeze, "insert": Insert, "replicate": Replicate, "slice": Slice, "modulo": Modulo, "xor_t": Xor,
    "offset": Offset,
}  # fmt: skip
"""The classes of namespaces ck and ck_tile; in ck, `Xor<L, true>` is the one with the modulo."""


DESCRIPTOR_TYPES = 5
"""Of its transforms, lower ids, upper ids, visible ids and element space size."""


def class_of(name: str, types: int) -> Callable[[Args, Args], Value] | None:
    """What makes an object of a class with so many template arguments, from these and its own; None for another."""
    if name == "TensorDescriptor" and types == DESCRIPTOR_TYPES:
        return _descriptor
    kind = CLASSES.get(name)
    return None if kind is None else lambda types, args: _transform(name, kind, types, args)


def _transform(name: str, kind: type[Transform], types: Args, args: Args) -> Value:
    count = len(kind.parameters())
    given = args or types[:count]
    if len(given) != count:
        raise Unreadable(f"{name} is made of {count} arguments, not {len(given)}")
    flags = types[count:]
    if name == "Xor" and flags and constant(flags[0]):
        return of_ck(Xor, given)
    return of_ck(kind, (*given, *flags[: kind.ck.flags]))


def _descriptor(types: Args, args: Args) -> TensorDescriptor:
    if len(args) != 2:
        raise Unreadable(
            f"TensorDescriptor is made of its transforms and its element space, not of {len(args)} arguments"
        )
    lower, upper = (tuple(map(tuple, dimensions(ids))) for ids in types[1:3])
    top = tuple(constant(i) for i in entries(types[3]))
    return TensorDescriptor(TensorAdaptor(tuple(transforms(args[0])), lower, upper, (0,), top), number(args[1]))
