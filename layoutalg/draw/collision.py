"""A refutation as a picture: the coordinates at which a claim fails, followed down to where it fails.

Two coordinates that collide are followed side by side through every hidden dimension, until one number stands in both
columns: the offset that they share.  A coordinate that leaves its memory is followed the same way, to an offset that
stands beside the space.

    dimension      first     second
    i0, i1         (0, 8)    (1, 0)
    1 (embed)      …         …
    offset         8    =    8            two indices, one element

What it cannot represent: claims whose failure is no index (a kernel's race has its own picture).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from layoutalg.draw.svg import SMALL, Picture, beside, line, shape, text_width, words
from layoutalg.errors import DrawError
from layoutalg.index import Expr, prod, variables
from layoutalg.index.evaluate import value, values
from layoutalg.layout import TensorDescriptor
from layoutalg.prove import Refuted
from layoutalg.prove.domain import digit_form

FIRST, SECOND = "#0072b2", "#e69f00"
ROW, MAP = 26, 190.0


def collision(
    descriptor: TensorDescriptor,
    first: Sequence[int],
    second: Sequence[int],
    at: Mapping[Expr, int] | None = None,
) -> Picture:
    """Two top indices that reach one element, side by side; DrawError where they do not collide.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> collision(make_naive_tensor_descriptor((4, 16), (8, 1)), (0, 8), (1, 0)).title
    '(0, 8) and (1, 0) both reach offset 8'
    """
    sizes = dict(at or {})
    trails = [trail(descriptor, index, sizes) for index in (first, second)]
    offset = descriptor.adaptor.bottom_ids[0]
    one, other = (found[offset] for found in trails)
    if one != other or tuple(first) == tuple(second):
        raise DrawError(f"{tuple(first)} reaches offset {one}, {tuple(second)} offset {other}: no collision")
    title = f"{tuple(first)} and {tuple(second)} both reach offset {one}"
    table = _table(descriptor, [first, second], trails)
    picture = beside([_map(descriptor, [first, second], sizes), table], title, 12)
    return picture.headed(title, "Two indices, one element: the layout is not injective.", *_sizes(sizes))


def escape(descriptor: TensorDescriptor, index: Sequence[int], at: Mapping[Expr, int] | None = None) -> Picture:
    """A top index that leaves the element space or a dimension, followed down; DrawError where it stays inside.

    >>> from layoutalg.layout import Pad, make_naive_tensor_descriptor, transform_tensor_descriptor
    >>> tile = transform_tensor_descriptor(make_naive_tensor_descriptor((4,), (1,)), [Pad(4, 0, 2)], [[0]], [[0]])
    >>> escape(tile, (5,)).title
    '(5,) leaves dimension 1: index 5 is not in 0…3'
    """
    sizes = dict(at or {})
    found = trail(descriptor, index, sizes)
    limits = _limits(descriptor, sizes)
    out = [i for i in sorted(found, reverse=True) if i in limits and not 0 <= found[i] < limits[i]]
    if not out:
        raise DrawError(f"{tuple(index)} stays within every dimension and the element space")
    where = "the element space" if out[0] == descriptor.adaptor.bottom_ids[0] else f"dimension {out[0]}"
    title = f"{tuple(index)} leaves {where}: index {found[out[0]]} is not in 0…{limits[out[0]] - 1}"
    table = _table(descriptor, [index], [found], out, limits)
    picture = beside([_map(descriptor, [index], sizes), table], title, 12)
    return picture.headed(title, "An index that is not in its range on the way down.", *_sizes(sizes))


def refutation(descriptor: TensorDescriptor, verdict: Refuted) -> Picture:
    """The witness of a refuted claim on this descriptor: a collision, or an index that leaves its range.

    DrawError where the witness is neither.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> from layoutalg.prove import Injective, prove
    >>> tile = make_naive_tensor_descriptor((4, 16), (8, 1))
    >>> refutation(tile, prove(Injective(tile))).title.partition(" and ")[1:] != ("", "")
    True
    """
    points = verdict.witness.points
    if not points:
        raise DrawError(f"{verdict.claim}: refuted without a point to draw: {verdict.witness.text}")
    free = _symbols(descriptor)
    sizes = {v: points[0][v.value.name] for v in free if v.value.name in points[0]}
    tops = [_top(descriptor, point, sizes) for point in points]
    if len(tops) == 2:
        return collision(descriptor, tops[0], tops[1], sizes)
    return escape(descriptor, tops[0], sizes)


def _top(descriptor: TensorDescriptor, point: Mapping[str, int], sizes: Mapping[Expr, int]) -> tuple[int, ...]:
    """The top index of a witness; what it leaves open does not matter and is 0."""
    form = digit_form(descriptor)
    at = {v: point.get(v.value.name, 0) for v in form.variables}
    return tuple(values(form.top, {**at, **sizes}))


def trail(descriptor: TensorDescriptor, index: Sequence[int], at: Mapping[Expr, int]) -> dict[int, int]:
    """The index in each hidden dimension, as integers."""
    hidden = descriptor.hidden_index(index)
    return dict(zip(hidden, values(list(hidden.values()), at), strict=True))


def _symbols(descriptor: TensorDescriptor) -> list[Expr]:
    found = variables(descriptor.offset(descriptor.index), *descriptor.lengths, descriptor.element_space_size)
    return [v for v in found if v not in descriptor.index]


def _sizes(at: Mapping[Expr, int]) -> list[str]:
    return ["where " + ", ".join(f"{symbol} = {size}" for symbol, size in at.items())] if at else []


def _limits(descriptor: TensorDescriptor, at: Mapping[Expr, int]) -> dict[int, int]:
    limits = {i: value(n, at) for i, n in descriptor.adaptor.hidden_lengths.items()}
    return limits | {descriptor.adaptor.bottom_ids[0]: value(descriptor.element_space_size, at)}


def _map(descriptor: TensorDescriptor, tops: Sequence[Sequence[int]], at: Mapping[Expr, int]) -> Picture:
    """The index grid in outline, with the indices as points in their places."""
    *outer, last = [value(n, at) for n in descriptor.lengths]
    rows = value(prod(descriptor.lengths[:-1]), at)
    scale = min(MAP / max(rows, last), 24.0)
    width, height = max(last * scale, 24), max(rows * scale, 24)
    body = shape("rect", "gap", x=34, y=30, width=width, height=height) + shape(
        "rect", "frame", x=34, y=30, width=width, height=height
    )
    body += words(34 + width / 2, 18, f"{last} columns", "soft", SMALL) + words(
        34, height + 46, f"{rows} rows", "soft", SMALL, "start"
    )
    for top, colour in zip(tops, (FIRST, SECOND), strict=False):
        row = 0
        for i, length in zip(top[:-1], outer, strict=True):
            row = row * length + i
        x, y = 34 + (top[-1] + 0.5) * width / last, 30 + (row + 0.5) * height / rows
        body += shape("circle", cx=x, cy=y, r=6, fill=colour, stroke="#fff", stroke_width=2)
    return Picture(width + 60, height + 64, body, "where the indices are")


def _table(
    descriptor: TensorDescriptor,
    tops: Sequence[Sequence[int]],
    trails: Sequence[Mapping[int, int]],
    bad: Sequence[int] = (),
    limits: Mapping[int, int] | None = None,
) -> Picture:
    """One line a hidden dimension, from the top down, with the value of each index in it."""
    adaptor = descriptor.adaptor
    made = {i: t.name for t, upper in zip(adaptor.transforms, adaptor.upper_ids, strict=True) for i in upper}
    ids = [*adaptor.top_ids, *sorted(set(trails[0]) - set(adaptor.top_ids), reverse=True)]
    wide = max(70.0, *(text_width(str(tuple(top)), 12) + 20 for top in tops))
    first = 210.0
    body = "".join(
        shape("rect", x=first + n * wide + 6, y=6, width=wide - 12, height=22, rx=11, fill=colour)
        + words(
            first + (n + 0.5) * wide, 17, str(tuple(top)), "on-light bold" if colour == SECOND else "on-dark bold", 12
        )
        for n, (top, colour) in enumerate(zip(tops, (FIRST, SECOND), strict=False))
    )
    body += words(10, 17, "hidden dimension", "soft", 11, "start")
    for n, i in enumerate(ids):
        y = 46 + n * ROW
        is_offset = i == adaptor.bottom_ids[0]
        name = "offset" if is_offset else f"i{adaptor.top_ids.index(i)}" if i in adaptor.top_ids else made.get(i, "")
        found = [one[i] for one in trails]
        clash = is_offset and len(trails) == 2
        if clash or i in bad:
            body += shape(
                "rect", "bad-box", x=6, y=y - ROW / 2 + 1, width=first + wide * len(tops) - 6, height=ROW - 2, rx=4
            )
        body += shape("circle", "memory" if is_offset else "ball", cx=22, cy=y, r=10) + words(
            22, y, str(i), "ink bold", 10
        )
        body += words(42, y, name, "ink" if is_offset or i in adaptor.top_ids else "soft", 11, "start")
        limit = (limits or {}).get(i)
        body += words(
            first - 10, y, f"0…{limit - 1}" if i in bad and limit is not None else "", "bad-ink num", 11, "end"
        )
        body += "".join(
            words(first + (k + 0.5) * wide, y, str(v), "num bold bad-ink" if clash or i in bad else "num ink", 12)
            for k, v in enumerate(found)
        )
        if clash:
            body += words(first + wide, y, "=", "bad-ink bold", 14)
        elif n:
            body += line(10, y - ROW / 2, first + wide * len(tops), y - ROW / 2, "rule")
    return Picture(first + wide * len(tops) + 16, 46 + len(ids) * ROW, body, "hidden indices")
