"""What tiles, threads' parts, slices and elements of another width are, written down point by point."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from math import prod

from layoutalg.interop import cute
from layoutalg.interop.cute import BitSwizzle, ComposedLayout, Layout
from tests.interop.cute.definitions import any_layout, at, at_modes, count_of, lengths, tiles, values


def check_parts_of_tiles(draw: random.Random) -> None:
    """A tile's element i is i + n·r of each mode; a thread's in tile r is its place + n·r; slices fix their mode."""
    layout = any_layout(draw)
    each = tiles(draw, layout)
    rests = [length // n for length, n in zip(lengths(layout), each, strict=True)]
    chosen = tuple(draw.randrange(rest) for rest in rests)
    part, offset = cute.local_tile(layout, each, chosen)
    for inner in itertools.product(*map(range, each)):
        numbers = [i + n * r for i, n, r in zip(inner, each, chosen, strict=True)]
        assert part(inner) + offset == at_modes(layout, numbers), (layout, each, chosen)
    threads = Layout(each)
    found: list[int] = []
    for index in range(prod(each)):
        part, offset = cute.local_partition(layout, threads, index)
        found += [at(part, n) + offset for n in range(count_of(part))]
    assert Counter(found) == Counter(values(layout)), (layout, each)
    fixed = draw.randrange(len(each))
    places = [draw.randrange(length) for length in lengths(layout)]
    part, offset = cute.slice_and_offset(layout, tuple(None if n == fixed else m for n, m in enumerate(places)))
    for place in range(lengths(layout)[fixed]):
        numbers = [place if n == fixed else m for n, m in enumerate(places)]
        assert part((place,)) + offset == at_modes(layout, numbers), (layout, numbers)


def check_recast(draw: random.Random) -> None:
    """Each vector's elements are those in it, in one piece; and back."""
    length, count = draw.choice((4, 8)), draw.choice((2, 4))
    below = Layout((length, (draw.choice((2, 3)), 2)), (1, (draw.choice((0, 8, 12)), draw.choice((24, 64)))))
    swizzle = BitSwizzle(draw.choice((0, 1, 2)), draw.randrange(4), draw.choice((2, 3, -3)))
    layout = draw.choice((below, ComposedLayout(swizzle, draw.choice((0, 4, 8)), below)))
    wide = cute.upcast(layout, count)
    assert set(values(wide)) == {n // count for n in values(layout)}, (layout, count)
    fine = cute.downcast(layout, count)
    inside = Counter(n // count for n in values(fine))
    assert inside == Counter({n: count * times for n, times in Counter(values(layout)).items()}), (layout, count)
    assert values(cute.upcast(fine, count)) == values(layout), (layout, count)
    assert cute.recast(layout, 8 * count, 8) == fine
    assert cute.recast(layout, 8, 8 * count) == wide


def check_tile_to_shape(draw: random.Random) -> None:
    """Within a block it is the block; copies stand one after the other in the order, and no two elements meet."""
    block, counts = Layout((draw.choice((1, 2, 4)), draw.choice((2, 3)))), [draw.choice((1, 2, 3)) for _ in range(2)]
    order = draw.choice(([0, 1], [1, 0]))
    sizes = [n * int(m) for n, m in zip(counts, lengths(block), strict=True)]
    whole = cute.tile_to_shape(block, tuple(sizes), order)
    assert lengths(whole) == sizes
    assert sorted(values(whole)) == list(range(prod(sizes)))
    strides = [1, counts[0]] if order == [0, 1] else [counts[1], 1]
    for numbers in itertools.product(*map(range, sizes)):
        copy, inside = zip(*(divmod(n, m) for n, m in zip(numbers, lengths(block), strict=True)), strict=True)
        nth = sum(c * d for c, d in zip(copy, strides, strict=True))
        assert whole(*numbers) == at_modes(block, inside) + nth * count_of(block), (block, sizes, order)
