"""Each transform in words and formulas: what it makes of the dimension above, and the way back.

Dimensions are called as in the transform graph: `i0`, `i1` … at the top, `d3` a hidden one by its id, `offset` at the
bottom.  The formulas are the transform's own map on those names, so that what is read here is what is computed:

    merge (8, 8)    i1 counts d1, d3 row by row, the last fastest        d1 = i1 // 8, d3 = i1 % 8
                    back: i1 = d1 * 8 + d3

What it cannot represent: why a transform was written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from layoutalg.index import TRUE, Expr, as_expr, names, simplify, unused, var
from layoutalg.layout import TensorAdaptor, Transform
from layoutalg.layout.bind import expressions


@dataclass(frozen=True)
class Step:
    """One transform: the ids below and above it, words, the formulas down, what is data, and the formulas back.

    `back` is empty where there is no way back, and `no_way_back` says why.
    """

    transform: str
    lower: tuple[int, ...]
    upper: tuple[int, ...]
    words: str
    down: tuple[str, ...]
    valid: str
    back: tuple[str, ...]
    no_way_back: str = ""


def steps(adaptor: TensorAdaptor, is_memory: bool = True) -> tuple[Step, ...]:
    """The transforms of a layout, from memory up.

    >>> from layoutalg.layout import Merge, make_naive_tensor_descriptor, transform_tensor_descriptor
    >>> d = make_naive_tensor_descriptor((4, 8), (16, 1))
    >>> d = transform_tensor_descriptor(d, [Merge((4, 8))], [[0, 1]], [[0]])
    >>> for step in steps(d.adaptor):
    ...     print(step.words, *step.down, "back:", *step.back)
    d1 and d2 are laid out by strides 16 and 1. offset = d1 * 16 + d2 back: d1 = offset // 16 d2 = offset % 16
    i0 counts d1 and d2 row by row, the last fastest. d1 = i0 // 8 d2 = i0 % 8 back: i0 = d1 * 8 + d2
    """
    names = dimension_names(adaptor, is_memory)
    return tuple(
        _step(transform, lower, upper, names, adaptor)
        for transform, lower, upper in zip(adaptor.transforms, adaptor.lower_ids, adaptor.upper_ids, strict=True)
    )


def dimension_names(adaptor: TensorAdaptor, is_memory: bool = True) -> dict[int, str]:
    """What each dimension is called: as in the table above, with an underline where a size has that name."""
    called = {i: f"d{i}" for ids in (*adaptor.lower_ids, *adaptor.upper_ids) for i in ids}
    called |= {i: f"x{n}" for n, i in enumerate(adaptor.bottom_ids)}
    if is_memory:
        called[adaptor.bottom_ids[0]] = "offset"
    called |= {i: f"i{n}" for n, i in enumerate(adaptor.top_ids)}
    sizes = names(*expressions(adaptor.transforms))
    return {i: unused(name, sizes) for i, name in called.items()}


def _step(
    transform: Transform, lower: tuple[int, ...], upper: tuple[int, ...], names: Mapping[int, str], a: TensorAdaptor
) -> Step:
    above = tuple(_variable(names[i], n) for i, n in zip(upper, transform.upper_lengths, strict=True))
    reached = transform.lower(above)
    down = tuple(f"{names[i]} = {simplify(e)}" for i, e in zip(lower, reached, strict=True))
    valid = transform.valid(above)
    back, why = _back(transform, lower, upper, names, a)
    words = WORDS[transform.name](transform, [names[i] for i in lower], [names[i] for i in upper])
    return Step(repr(transform), lower, upper, words, down, "" if valid is TRUE else f"data where {valid}", back, why)


def _back(
    transform: Transform, lower: tuple[int, ...], upper: tuple[int, ...], names: Mapping[int, str], a: TensorAdaptor
) -> tuple[tuple[str, ...], str]:
    below = [_variable(names[i], a.hidden_lengths.get(i)) for i in lower]
    try:
        found = transform.upper(below)
    except ValueError as error:  # it has none, or none for some sizes
        return (), str(error)
    return tuple(f"{names[i]} = {simplify(e)}" for i, e in zip(upper, found, strict=True)), ""


LARGE = 1 << 62


def _variable(name: str, length: Expr | None) -> Expr:
    return var(name, length if length is not None else LARGE)


# --- words ------------------------------------------------------------------------------------------------------------

Names = Sequence[str]


def listed(names: Sequence[object]) -> str:
    """`a`, `a and b`, or `a, b and c`."""
    *most, last = map(str, names)
    return f"{', '.join(most)} and {last}" if most else last


def _pad(t: Any, low: Names, up: Names) -> str:
    left, right = t.amounts
    sides = [f"{n} {where}" for n, where in ((left, "before"), (right, "after")) if n is not as_expr(0)]
    if not sides:
        return f"{up[0]} is {low[0]}, padded by nothing."
    return f"{up[0]} is {low[0]} with padding: {listed(sides)}; padding holds no data."


def _embed(t: Any, low: Names, up: Names) -> str:
    verb = "are" if len(up) > 1 else "is"
    return f"{listed(up)} {verb} laid out by stride{'s' * (len(up) > 1)} {listed(t.strides)}."


def _unmerge(t: Any, low: Names, up: Names) -> str:
    return f"{low[0]} is split into {listed(up)} of lengths {listed(t.lengths)}, packed, the last fastest."


def _xor(t: Any, low: Names, up: Names) -> str:
    by = up[0] if t.name == "xor_no_modulo" else f"{up[0]} mod {t.lengths[1]}"
    return f"Each {up[0]} swaps the places along {up[1]}: they are xor-ed with {by}."


def _shift(t: Any, low: Names, up: Names) -> str:
    way = "backwards" if t.name.endswith("inverse") else "forwards"
    return f"Each {up[0]} turns the {t.lengths[1]} places along {up[1]} {way} by {up[0]}."


def _nothing(t: Any, low: Names, up: Names) -> str:
    return f"{listed(up)} reach{'es' * (len(up) == 1)} no memory: every index along it reads the same elements."


def _merge(t: Any, low: Names, up: Names) -> str:
    return f"{up[0]} counts {listed(low)} row by row, the last fastest." if low else f"{up[0]} has one index."


WORDS: Mapping[str, Callable[[Any, Names, Names], str]] = {
    "pass_through": lambda t, low, up: f"{up[0]} is {low[0]}, unchanged.",
    **dict.fromkeys(("pad", "left_pad", "right_pad"), _pad),
    "slice": lambda t, low, up: f"{up[0]} is the part {t.begin} … {simplify(t.end - 1)} of {low[0]}.",
    "offset": lambda t, low, up: f"{low[0]} begins {t.offset} further on than {up[0]}.",
    "vectorize": lambda t, low, up: f"{up[0]} counts vectors of {t.vector_size} of {low[0]}.",
    "embed": _embed,
    **dict.fromkeys(("merge", "merge_v1_carry_check", "merge_v2_magic_division", "merge_v3_division_mod"), _merge),
    **dict.fromkeys(("unmerge", "unmerge_24bit"), _unmerge),
    "freeze": lambda t, low, up: f"{low[0]} is held at {t.index}.",
    **dict.fromkeys(("insert", "replicate"), _nothing),
    "modulo": lambda t, low, up: f"{up[0]} goes round {low[0]}: index {t.modulus} is index 0 again.",
    **dict.fromkeys(("xor", "xor_no_modulo"), _xor),
    **dict.fromkeys(("cyclic_shift", "cyclic_shift_inverse"), _shift),
    "indexing": lambda t, low, up: f"{low[0]} is looked up for each {up[0]} in a table of {len(t.table)} entries.",
    "functor": lambda t, low, up: f"{low[0]} is a formula of {up[0]}.",
}
"""What each transform does, by its name."""
