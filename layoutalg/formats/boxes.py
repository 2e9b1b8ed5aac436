"""What a file claims of boxes that the Tensor Data Mover copies between a tensor and LDS (`target.boxes`).

| claim       | says                                                                                             |
|-------------|--------------------------------------------------------------------------------------------------|
| `fits_fields` | every length and stride fits the bits that the descriptor has for it                           |
| `in_bounds` | what is copied is the tensor's: index and address of each element that is within the extents     |
| `complete`  | what the tensor has under the box is copied; the rest is 0 in LDS, and is not stored             |
| `whole`     | all of the box lies in the tensor                                                                |
| `injective` | no element is copied by two boxes                                                                |
| `lands`     | element by element, the image in LDS is the layout `lds`                                         |
| `ck_fields` | CK Tile's union `TDM_GROUP1` hands the strides on as they are                                    |

The image in LDS has dimension after dimension, the last one innermost, and gaps after so many bytes: no field says
anything else.  A swizzled `lds` is none of a box, and `lands` has a witness.  What is said of memory holds of what the
fields hold, so each claim on it says that they hold it.
What it cannot represent: the addresses in memory and LDS, of which nothing is assumed but that they are the tensor's
and the tile's; rows that are gathered, boxes that are repeated, elements of less than a byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from layoutalg.formats.model import BoxItem
from layoutalg.index import ONE, TRUE, ZERO, Expr, all_of, as_expr, div, eq, le, lt, mod
from layoutalg.layout import LayoutError
from layoutalg.lazy import lazy_imports
from layoutalg.prove import Claim, ForAll, InjectiveMap, Shown
from layoutalg.prove.claims.given import ExplicitClaim
from layoutalg.prove.domain import Layout
from layoutalg.target.dtypes import DTYPES

with lazy_imports():  # a check of layouts alone starts without what boxes need
    from layoutalg.target import boxes as mover

#: Where CK's union splits a stride, and the bits that it keeps of the lower part of that of dimension 2.
_SPLIT, _KEPT = 1 << 32, 1 << 16


def element_bytes(item: BoxItem) -> int:
    """Bytes of an element; LayoutError where the file does not say them, or the mover has none such."""
    if item.tensor.dtype is None:
        raise LayoutError(f"{item.tensor.name} has no dtype: nothing says how many bytes an element has")
    kind = DTYPES[item.tensor.dtype]
    if kind.bytes not in mover.ELEMENTS:
        raise LayoutError(f"a box of {kind.name}: elements are of 1, 2, 4 or 8 bytes")
    return kind.bytes


def fields(item: BoxItem) -> Iterator[ForAll]:
    """Each field holds its number.  Innermost first, as the descriptor counts dimensions; words count as the file."""
    rank, size = len(item.lengths), element_bytes(item)
    named: list[tuple[str, Expr, int, mover.BoxField]] = [
        *(("length of the box", n, 1, field) for n, field in zip(item.lengths[::-1], mover.BOX, strict=False)),
        *(("extent", n, 0, field) for n, field in zip(item.extents[::-1], mover.LENGTHS, strict=False)),
        *(("stride", n, 0, field) for n, field in zip(item.strides[::-1], mover.STRIDES, strict=False)),
    ]
    for k, (what, number, least, field) in enumerate(named):
        inner = k % rank if k < 2 * rank else k - 2 * rank + 1
        label = f"the {what} in dimension {rank - 1 - inner} has at most {field.bits} bits"
        goal = all_of(le(as_expr(least), number), lt(number, as_expr(1 << field.bits)))
        told = (
            f"the {what} in dimension {rank - 1 - inner} is {{number}}; its field holds {least} to 2^{field.bits} - 1"
        )
        yield ForAll(label, goal, item.given, (Shown("number", (number,)),), told)
    if item.padding:
        row = item.lengths[-1] * size
        told = "rows of {bytes} bytes, which with padding must be a multiple of 4"
        yield ForAll("rows are whole dwords", eq(mod(row, 4), 0), item.given, (Shown("bytes", (row,)),), told)


def fits_fields(item: BoxItem) -> Claim:
    """That every number fits its field."""
    return _claim("every length and stride fits its field", item)


def in_bounds(item: BoxItem) -> Claim:
    """That each element within the extents is the tensor's, in index and in address."""
    d, at = item.tensor.descriptor, _index(item)
    given = all_of(item.given, _within(item))
    begins, address = (d.adaptor.lower(index)[0] for index in (item.at, at))
    steps = zip(item.inside, (*item.strides, ONE), strict=True)
    moved = begins + sum((x * step for x, step in steps), ZERO)
    shown = (Shown("at", item.inside), Shown("index", at))
    places = Shown("offsets", (moved, address))
    return _claim(
        "what is copied is the tensor's",
        item,
        ForAll("each index is one of the tensor", _there(item), given, shown),
        ForAll("each address is the element's", eq(moved, address), all_of(given, _there(item)), (*shown, places)),
    )


def complete(item: BoxItem) -> Claim:
    """That each element of the tensor under the box is within the extents."""
    shown = (Shown("at", item.inside), Shown("index", _index(item)))
    goal = ForAll("an element of the tensor is copied", _within(item), all_of(item.given, _there(item)), shown)
    return _claim("what the tensor has under the box is copied", item, goal)


def whole(item: BoxItem) -> Claim:
    """That no element of the box lies beyond the tensor."""
    shown = (Shown("at", item.inside), Shown("index", _index(item)))
    goal = ForAll("each element of the box is the tensor's", _there(item), item.given, shown)
    return _claim("all of the box lies in the tensor", item, goal)


def injective(item: BoxItem) -> Claim:
    """That no two boxes, nor two elements of one, are one element of the tensor."""
    index = _index(item)
    shown = (Shown("at", (*item.variables, *item.inside)), Shown("index", index))
    goal = InjectiveMap(
        "elements differ", (*item.variables, *item.inside), index, all_of(item.given, _within(item)), shown
    )
    return _claim("no element is copied twice", item, goal)


def lands(item: BoxItem) -> Claim:
    """That the image in LDS is the layout that is said; LayoutError where none is."""
    if item.lds is None:
        raise LayoutError("the box names no layout in LDS; give lds = …")
    d, size, at = item.lds.descriptor, element_bytes(item), image(item)
    tile = tuple(start + x for start, x in zip(item.lds_at, item.inside, strict=True))
    first, place = (d.adaptor.lower(index)[0] * size for index in (item.lds_at, tile))
    place = place - first
    shown = (Shown("at", item.inside), Shown("bytes", (at, place)))
    told = f"element {{at}} of the box: the mover's byte is the first of {{bytes}}, that of {item.lds.name} the second"
    inside = all_of(*(all_of(le(ZERO, i), lt(i, n)) for i, n in zip(tile, d.lengths, strict=True)))
    has = ForAll("the tile has each element", inside, item.given, (Shown("index in LDS", tile),))
    there = ForAll("each element has a place", d.adaptor.valid(tile), item.given, shown)
    return _claim(
        f"the image in LDS is {item.lds.name}", item, has, there,
        ForAll("each element has the place that the layout says", eq(at, place), item.given, shown, told), more=(d,),
    )  # fmt: skip


def ck_fields(item: BoxItem) -> Claim:
    """That strides come through CK's union: it keeps 16 bits of the lower 32 of that of dimension 2."""
    if len(item.strides) < 2:
        return _claim("CK's union hands the strides on", item)
    stride = item.strides[-2]
    kept = mod(stride, _KEPT) + div(stride, _SPLIT) * _KEPT
    dimension, shown = len(item.strides) - 2, (Shown("stride", (stride,)), Shown("kept", (kept,)))
    told = f"the stride of dimension {dimension} is {{stride}}; TDM_GROUP1::tensorDim1Stride makes it {{kept}}"
    goal = ForAll("CK's union keeps the stride", eq(kept, stride), item.given, shown, told)
    return _claim("CK's union hands the strides on", item, goal)


def image(item: BoxItem) -> Expr:
    """The byte of an element from the beginning of the box in LDS, by its place in the box."""
    number, step = ZERO, ONE
    for x, length in zip(item.inside[::-1], item.lengths[::-1], strict=True):
        number, step = number + x * step, step * length
    at = number * element_bytes(item)
    if not item.padding:
        return at
    interval, gap = item.padding
    return at + div(at, interval) * gap


def _index(item: BoxItem) -> tuple[Expr, ...]:
    """Which element of the tensor one of the box is."""
    return tuple(at + x for at, x in zip(item.at, item.inside, strict=True))


def _within(item: BoxItem) -> Expr:
    """That an element of the box is within the extents."""
    return all_of(*(lt(x, n) for x, n in zip(item.inside, item.extents, strict=True)))


def _there(item: BoxItem) -> Expr:
    """That an element of the box is one of the tensor."""
    d, index = item.tensor.descriptor, _index(item)
    inside = (all_of(le(ZERO, i), lt(i, n)) for i, n in zip(index, d.lengths, strict=True))
    valid = d.adaptor.valid(index)
    return all_of(*inside, *(() if valid is TRUE else (valid,)))


def _claim(text: str, item: BoxItem, *parts: ForAll | InjectiveMap, more: Sequence[Layout] = ()) -> Claim:
    return ExplicitClaim(text, (*fields(item), *parts), (item.tensor.descriptor, *more))
