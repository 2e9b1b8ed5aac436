"""An adaptor taken apart into the layers that built it: one a call of `transform_tensor_descriptor`.

An adaptor is one list of transforms with hidden ids; the calls that made it are no longer there.  They come back by
going up from the bottom: a layer is full once its transforms have used every dimension of the top below it.

    transform     lower ids   upper ids        layer
    embed         [0]         [1, 2, 3]        0: uses {0}
    pass_through  [2]         [4]              1: uses {1, 2, 3}
    merge         [1, 3]      [5]

Where the numbering of a top between two layers is not visible from outside, it is made the natural one.
"""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.layout import LayoutError, TensorAdaptor, Transform
from layoutalg.layout.adaptor import Ids, Linked
from layoutalg.records import dataclass


@dataclass(frozen=True)
class Layer:
    """The arguments of one call: transforms, dimensions of the old top, dimensions of the new top."""

    transforms: tuple[Transform, ...]
    lower: tuple[Ids, ...]
    upper: tuple[Ids, ...]


def layers(adaptor: TensorAdaptor) -> tuple[Layer, ...]:
    """The layers from the bottom up; attaching them one after another gives the same adaptor.

    LayoutError where there are none: an adaptor that no sequence of calls builds.

    >>> from layoutalg.layout import PassThrough, Unmerge, make_naive_tensor_descriptor, transform_tensor_descriptor
    >>> d = make_naive_tensor_descriptor((256, 128), (128, 1))
    >>> d = transform_tensor_descriptor(d, [Unmerge((4, 64)), PassThrough(128)], [[0], [1]], [[0, 2], [1]])
    >>> layers(d.adaptor)[1]
    Layer(transforms=(unmerge((4, 64)), pass_through(128)), lower=((0,), (1,)), upper=((0, 2), (1,)))
    """
    linked = adaptor.linked
    cuts = _cuts(linked, 0, adaptor.bottom_ids, adaptor.top_ids, set())
    if cuts is None:
        raise LayoutError("no sequence of layers, each using every dimension of the one below, makes this adaptor")
    top, made = adaptor.bottom_ids, list[Layer]()
    for start, end in zip((0, *cuts), cuts, strict=False):
        group = linked[start:end]
        order = _made(group) if end < len(linked) else adaptor.top_ids
        below, above = ({i: n for n, i in enumerate(ids)} for ids in (top, order))
        made.append(
            Layer(
                tuple(transform for transform, _, _ in group),
                tuple(tuple(below[i] for i in lower) for _, lower, _ in group),
                tuple(tuple(above[i] for i in upper) for _, _, upper in group),
            )
        )
        top = order
    return tuple(made)


def _made(group: Sequence[Linked]) -> Ids:
    """The dimensions that transforms make."""
    return tuple(i for _, _, upper in group for i in upper)


def _cuts(linked: Sequence[Linked], start: int, top: Ids, final: Ids, failed: set[tuple[int, Ids]]) -> Ids | None:
    """Where each layer from `start` on ends, None where no way to cut works.

    A transform without lower dimensions right after a full layer may be of that layer or of the next: both are tried,
    and what failed once is not tried again.
    """
    if start == len(linked):
        return () if sorted(top) == sorted(final) else None
    if (start, top) in failed:
        return None
    end = _covering(linked, start, top)
    while end is not None and end <= len(linked):
        rest = _cuts(linked, end, _made(linked[start:end]), final, failed) if end > start else None
        if rest is not None:
            return (end, *rest)
        if end == len(linked) or linked[end][1]:
            break
        end += 1
    failed.add((start, top))
    return None


def _covering(linked: Sequence[Linked], start: int, top: Ids) -> int | None:
    """Where the transforms that use every dimension of the top end, None where some use others."""
    open_ids = set(top)
    for n in range(start, len(linked)):
        if not open_ids:
            return n
        if not open_ids.issuperset(linked[n][1]):
            return None
        open_ids.difference_update(linked[n][1])
    return None if open_ids else len(linked)
