"""Each transform in words and formulas: what it makes of the dimension above, and the way back.

Dimensions are called as in the transform graph: `i0`, `i1` … at the top, `d3` a hidden one by its id, `offset` at the
bottom.  The formulas are the transform's own map on those names, so that what is read here is what is computed:

    merge (8, 8)    i1 counts d1, d3 row by row, the last fastest        d1 = i1 // 8, d3 = i1 % 8
                    back: i1 = d1 * 8 + d3

What it cannot represent: why a transform was written.
"""

from __future__ import annotations

from collections.abc import Mapping

from layoutalg.index import TRUE, Expr, names, simplify, unused, var
from layoutalg.layout import TensorAdaptor, Transform
from layoutalg.layout.bind import expressions
from layoutalg.records import dataclass


@dataclass(frozen=True)
class TransformStep:
    """One transform: the ids below and above it, words, the formulas down, what is data, and the formulas back.

    `back` is empty where there is no way back, and `no_way_back` says why.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> (step,) = steps(make_naive_tensor_descriptor((4, 8), (9, 1)).adaptor)
    >>> step.down, step.back
    (('offset = i0 * 9 + i1',), ('i0 = offset // 9', 'i1 = offset % 9'))
    """

    transform: str
    lower: tuple[int, ...]
    upper: tuple[int, ...]
    words: str
    down: tuple[str, ...]
    valid: str
    back: tuple[str, ...]
    no_way_back: str = ""


def steps(adaptor: TensorAdaptor, is_memory: bool = True) -> tuple[TransformStep, ...]:
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
    return tuple(_step(transform, lower, upper, names, adaptor) for transform, lower, upper in adaptor.linked)


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
) -> TransformStep:
    above = tuple(_variable(names[i], n) for i, n in zip(upper, transform.upper_lengths, strict=True))
    reached = transform.lower(above)
    down = tuple(f"{names[i]} = {simplify(e)}" for i, e in zip(lower, reached, strict=True))
    valid = transform.valid(above)
    back, why = _back(transform, lower, upper, names, a)
    words = transform.words([names[i] for i in lower], [names[i] for i in upper])
    return TransformStep(
        repr(transform), lower, upper, words, down, "" if valid is TRUE else f"data where {valid}", back, why
    )


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
