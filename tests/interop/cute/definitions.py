"""What each function of `cute` is, written down point by point from shapes, strides, offsets and swizzles alone.

A check draws layouts (swizzled, moved, sliced, nested, backwards), asks, and holds the answer against the definition.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Sequence
from math import prod

from layoutalg.interop import cute
from layoutalg.interop.cute import BitSwizzle, ComposedLayout, Layout
from layoutalg.interop.cute.layout import AnyLayout
from layoutalg.layout import TensorDescriptor
from layoutalg.prove import Agree, InBounds, Limits, prove
from tests.interop.cute import oracle

Function = Callable[[int], int]
QUICK = Limits(seconds=0.5)
MOST = 1 << 8


# --- the definitions --------------------------------------------------------------------------------------------------


def plain(layout: AnyLayout) -> Layout:
    return layout.layout if isinstance(layout, ComposedLayout) else layout


def at(layout: AnyLayout, number: int) -> int:
    """The offset of a number: digits, strides, an offset, and a swizzle bit by bit."""
    below = oracle.at(plain(layout), number)
    if not isinstance(layout, ComposedLayout):
        return below
    moved = found = below + int(layout.offset)
    swizzle = layout.swizzle
    for bit in range(swizzle.bits):
        source, target = swizzle.base + bit + max(swizzle.shift, 0), swizzle.base + bit + max(-swizzle.shift, 0)
        found ^= (moved >> source & 1) << target
    return found


def count_of(layout: AnyLayout) -> int:
    return oracle.count(plain(layout))


def values(layout: AnyLayout) -> list[int]:
    return [at(layout, n) for n in range(count_of(layout))]


def lengths(layout: AnyLayout) -> list[int]:
    shape = plain(layout).shape
    return [prod(oracle.leaves(one)) for one in (shape if isinstance(shape, tuple) else (shape,))]


def at_modes(layout: AnyLayout, coordinate: Sequence[int]) -> int:
    """The offset of one number for each mode, within its length."""
    number, below = 0, 1
    for one, length in zip(coordinate, lengths(layout), strict=True):
        number, below = number + one * below, below * length
    return at(layout, number)


def coordinates(layout: AnyLayout) -> list[tuple[int, ...]]:
    """One number for each mode, the first fastest."""
    return [one[::-1] for one in itertools.product(*map(range, reversed(lengths(layout))))]


def translates(each: set[int], number: int) -> list[int] | None:
    """Where copies of a set begin that tile the numbers from 0 on, the least first; None where they cannot."""
    starts, covered, first = list[int](), set[int](), 0
    while len(starts) < number:
        while first in covered:
            first += 1
        copy = {first + one for one in each}
        if covered & copy:
            return None
        covered |= copy
        starts.append(first)
    return starts


# --- layouts by chance ------------------------------------------------------------------------------------------------


def a_swizzle(draw: random.Random) -> BitSwizzle:
    shift = draw.choice((-3, -2, -1, 1, 2, 3))
    return BitSwizzle(draw.randint(0, abs(shift)), draw.randint(0, 3), shift)


def a_layout(draw: random.Random) -> Layout:
    while True:
        layout = oracle.any_layout(draw)
        if oracle.count(layout) <= MOST:
            if draw.random() < 0.2:  # a slice of it
                layout = layout[draw.randrange(len(layout))]
            if draw.random() < 0.15:  # backwards, or without steps
                factor = draw.choice((-1, 0, -2))
                return Layout(layout.shape, _times(layout.stride, factor))
            return layout


def _times(tree: object, factor: int) -> object:
    return tuple(_times(one, factor) for one in tree) if isinstance(tree, tuple) else int(tree) * factor


def any_layout(draw: random.Random) -> AnyLayout:
    layout = a_layout(draw)
    if draw.random() < 0.5:
        return layout
    made = ComposedLayout(a_swizzle(draw), draw.choice((0, 0, 1, 4, 5, 12, 40)), layout)
    return made[draw.randrange(len(made))] if draw.random() < 0.2 else made


# --- the checks -------------------------------------------------------------------------------------------------------


def check_numbers(draw: random.Random) -> None:
    layout = any_layout(draw)
    found = values(layout)
    assert [layout(n) for n in range(len(found))] == found, layout
    assert [layout(one) if len(one) > 1 else layout(*one) for one in coordinates(layout)] == found, layout
    assert cute.size(layout) == len(found), layout
    assert cute.rank(layout) == len(lengths(layout)) == len(list(layout)), layout
    assert cute.cosize(layout) == max(found) - min(found) + 1, layout
    assert cute.parse(str(layout)) == layout
    assert cute.parse(cute.flydsl(layout)) == layout


def check_parts(draw: random.Random) -> None:
    layout = any_layout(draw)
    chosen = [draw.randrange(len(layout)) for _ in range(draw.randint(1, 3))]
    made = cute.select(layout, *chosen)
    assert lengths(made) == [lengths(layout)[n] for n in chosen]
    if len(set(chosen)) == len(chosen):
        for one in coordinates(made):
            whole = [0] * len(layout)
            for n, number in zip(chosen, one, strict=True):
                whole[n] = number
            assert at_modes(made, one) == at_modes(layout, whole), (layout, chosen)
    for profile in (None, (1,), ()):
        made = cute.coalesce(layout, profile)
        assert values(made) == values(layout), (layout, profile)
        filtered = cute.filter(layout, profile)
        assert set(values(filtered)) == set(values(layout)), (layout, profile)


def check_made(draw: random.Random) -> None:
    parts = [any_layout(draw) for _ in range(draw.randint(0, 3))]
    made = cute.make_layout(*parts)
    for one in coordinates(made):
        assert at_modes(made, one) == sum(at(part, number) for part, number in zip(parts, one, strict=True))


def check_composition(draw: random.Random) -> None:
    outer, inner = any_layout(draw), any_layout(draw)
    made = cute.composition(outer, inner)
    assert oracle.refines(plain(made).shape, plain(inner).shape)
    assert values(made) == [at(outer, n) for n in values(inner)], (outer, inner)


def check_swizzle_alone(draw: random.Random) -> None:
    swizzle, inner = a_swizzle(draw), any_layout(draw)
    made = cute.composition(swizzle, inner)
    identity = ComposedLayout(swizzle, 0, Layout(1 << 20))
    assert values(made) == [at(identity, n) for n in values(inner)], (swizzle, inner)


def check_by_mode(draw: random.Random) -> None:
    outer = any_layout(draw)
    tilers = tuple(Layout(draw.choice((1, 2, 3, 4)), draw.choice((1, 1, 2, 3))) for _ in range(draw.randint(1, 3)))
    made = cute.composition(outer, tilers)
    for one in coordinates(made):
        whole = [at(tilers[n], number) if n < len(tilers) else number for n, number in enumerate(one)]
        if all(number < length for number, length in zip(whole, lengths(outer), strict=True)):
            assert at_modes(made, one) == at_modes(outer, whole), (outer, tilers)


def check_inverses(draw: random.Random) -> None:
    layout = any_layout(draw)
    right = cute.right_inverse(layout)
    assert [at(layout, n) for n in values(right)] == list(range(count_of(right))), layout
    left = cute.left_inverse(layout)
    assert [at(left, n) for n in values(layout)] == list(range(count_of(layout))), layout


def check_complement(draw: random.Random) -> None:
    layout, target = any_layout(draw), draw.choice((1, 16, 60))
    made = cute.complement(layout, target)
    each, starts = set(values(layout)), values(made)
    assert len({a + b for a in each for b in starts}) == len(each) * len(starts), (layout, target)
    assert starts == sorted(starts)
    tiled = translates(each, len(starts))
    assert tiled is None or starts == tiled or any(d < 0 for d in oracle.leaves(plain(layout).stride)), layout


def tiles(draw: random.Random, layout: AnyLayout) -> tuple[int, ...]:
    return tuple(draw.choice([n for n in range(1, length + 1) if length % n == 0]) for length in lengths(layout))


def check_divide(draw: random.Random) -> None:
    """By numbers that divide: element i of tile r of a mode is its i + n·r."""
    layout = any_layout(draw)
    each = tiles(draw, layout)
    rests = [length // n for length, n in zip(lengths(layout), each, strict=True)]
    logical, zipped = cute.logical_divide(layout, each), cute.zipped_divide(layout, each)
    tiled, flat = cute.tiled_divide(layout, each), cute.flat_divide(layout, each)
    for inner in itertools.product(*map(range, each)):
        for rest in itertools.product(*map(range, rests)):
            numbers = [i + n * r for i, n, r in zip(inner, each, rest, strict=True)]
            wanted = at_modes(layout, numbers)
            assert logical(tuple(zip(inner, rest, strict=True))) == wanted, (layout, each)
            assert zipped(inner, rest) == tiled(inner, *rest) == flat(*inner, *rest) == wanted, (layout, each)


def check_divide_by_a_layout(draw: random.Random) -> None:
    """The tile is layout o tiler, and each element of the layout lies in one tile."""
    layout, tiler = any_layout(draw), any_layout(draw)
    made = cute.logical_divide(layout, tiler)
    assert values(made[0]) == [at(layout, n) for n in values(tiler)], (layout, tiler)
    if count_of(made) == count_of(layout):
        assert Counter(values(made)) == Counter(values(layout)), (layout, tiler)
    assert values(cute.zipped_divide(layout, tiler)) == values(made)
    assert values(cute.tiled_divide(layout, tiler)) == values(made)
    assert values(cute.flat_divide(layout, tiler)) == values(made)


def check_product(draw: random.Random) -> None:
    """Copy j of the block begins where copy tiler(j) of a tiling by blocks does."""
    block, tiler = any_layout(draw), any_layout(draw)
    made = cute.logical_product(block, tiler)
    assert values(made[0]) == values(block), (block, tiler)
    assert cute.zipped_product(block, tiler) == made
    assert oracle.refines(plain(made).shape[1], plain(tiler).shape)
    starts = translates(set(values(block)), max(values(tiler)) + 1)
    if starts is not None:
        assert values(made[1]) == [starts[n] for n in values(tiler)], (block, tiler)


def check_blocked(draw: random.Random) -> None:
    """Of a block and a grid of one rank: both are the product, its modes paired."""
    block, tiler = any_layout(draw), any_layout(draw)
    rank = max(len(block), len(tiler))
    made = cute.logical_product(block, tiler)
    blocked, raked = cute.blocked_product(block, tiler), cute.raked_product(block, tiler)
    inner, outer = ([*lengths(one), *[1] * (rank - len(one))] for one in (block, tiler))
    assert lengths(blocked) == lengths(raked) == [a * b for a, b in zip(inner, outer, strict=True)]
    for one in coordinates(block):
        for copy in coordinates(tiler):
            wanted = at(made, _number(one, lengths(block)) + count_of(block) * _number(copy, lengths(tiler)))
            own, others = ((*it, *[0] * (rank - len(it))) for it in (one, copy))
            slow = [i + n * c for i, n, c in zip(own, inner, others, strict=True)]
            fast = [c + n * i for i, n, c in zip(own, outer, others, strict=True)]
            assert at_modes(blocked, slow) == at_modes(raked, fast) == wanted, (block, tiler)


def _number(coordinate: Sequence[int], sizes: Sequence[int]) -> int:
    return sum(one * prod(sizes[:n]) for n, one in enumerate(coordinate))


def offsets(d: TensorDescriptor) -> list[int]:
    return [int(d.offset(one[::-1])) for one in itertools.product(*(range(int(n)) for n in reversed(d.lengths)))]


def check_descriptor(draw: random.Random) -> None:
    """The layouts one after another; in bounds where each stays in the one before; equal where it is."""
    chain = [any_layout(draw) for _ in range(draw.choice((1, 1, 2, 2, 3)))]
    made = cute.descriptor(*chain)
    wanted, inside = values(chain[-1]), True
    for outer in reversed(chain[:-1]):
        inside = inside and all(0 <= n < count_of(outer) for n in wanted)
        wanted = [at(outer, n) for n in wanted]
    assert offsets(made) == wanted, chain
    assert min(wanted) >= 0 or not inside, chain
    assert len(made.lengths) == len(chain[-1])
    verdict = prove(InBounds(made), limits=QUICK)
    assert verdict.name in ("proved" if inside else "refuted", "unknown"), (chain, verdict)
    for other in (chain[0], chain[-1]):
        if len(other) == len(chain[-1]) and lengths(other) == lengths(chain[-1]) and min(values(other)) >= 0:
            verdict = prove(Agree(made, cute.descriptor(other)), limits=QUICK)
            assert verdict.name in ("proved" if values(other) == wanted else "refuted", "unknown"), (chain, other)


def check_layout_of(draw: random.Random) -> None:
    layout = any_layout(draw)
    back = cute.layout_of(cute.descriptor(layout))
    assert values(back) == values(layout), layout
    assert lengths(back) == lengths(layout), layout


def check_distribution(draw: random.Random) -> None:
    """Thread t holds element layout(t, v) of the tile, its first dimension fastest, in register v."""
    layout = any_layout(draw)
    tile = draw.choice(((8,), (4, 4), (2, 8), (16, 2), (1, 4), (2, 3, 4)))
    if draw.random() < 0.7:  # a permutation of the tile's bits, some copied
        layout = shared_out(draw, tile)
    wave = draw.choice((None, None, 2, 4))
    made = cute.distribution(layout, tile, wave)
    threads, registers = lengths(layout)
    assert prod(map(int, made.ps)) == threads, layout
    assert prod(map(int, made.ys)) == registers, layout
    for t in range(threads):
        p = (t,) if wave is None else divmod(t, wave)
        for v in range(registers):
            x = tuple(map(int, made.lower(p, made.ys_to_d.upper([v]))))
            assert _number(x, tile) == at_modes(layout, (t, v)), (layout, tile, t, v)
            assert all(0 <= i < n for i, n in zip(x, tile, strict=True))
    back = cute.thread_value(made)
    assert values(back) == values(layout), layout


def shared_out(draw: random.Random, tile: Sequence[int]) -> Layout:
    factors, below = list[tuple[int, int]](), 1
    for length in tile:
        left, step = length, below
        while left > 1:
            n = draw.choice([n for n in range(2, left + 1) if left % n == 0])
            factors.append((n, step))
            left, step = left // n, step * n
        below *= length
    draw.shuffle(factors)
    cut = draw.randint(0, len(factors))
    both = [factors[:cut], factors[cut:]]
    if draw.random() < 0.3:
        both[draw.random() < 0.2].append((2, 0))
    return cute.make_layout(*(Layout(*map(tuple, zip(*one, strict=True))) if one else Layout(1, 0) for one in both))


def check_tiled_copy(draw: random.Random) -> None:
    """Thread (i, j) has the block of values (k, l) at (i·K + k, j·L + l), each numbered as its layout says."""

    def numbered() -> Layout:
        shape = (draw.choice((1, 2, 3, 4)), draw.choice((1, 2, 4)))
        return Layout(shape, draw.choice(((1, shape[0]), (shape[1], 1))))

    threads, each = (numbered() if draw.random() < 0.8 else any_layout(draw) for _ in range(2))
    copy = cute.make_tiled_copy(cute.copy_atom("UniversalCopy<uint8_t>", 8), threads, each)
    made, tile = copy.layout_tv, copy.tile
    if len(threads) == len(each) == 2:
        (_, _), (inner, over) = lengths(threads), lengths(each)
        assert tuple(tile) == tuple(a * b for a, b in zip(lengths(threads), lengths(each), strict=True))
        for one in coordinates(threads):
            for value in coordinates(each):
                row, column = one[0] * inner + value[0], one[1] * over + value[1]
                at_thread, at_value = at_modes(threads, one), at_modes(each, value)
                assert at_modes(made, (at_thread, at_value)) == row + int(tile[0]) * column, (threads, each)


def check_tiled_mma(draw: random.Random) -> None:
    """Warp (i, j) has the atoms (i + I·r, j + J·s); registers count an atom's, then r, then s."""
    atom = cute.mma_atom(draw.choice(("mfma_f32_32x32x8f16", "mfma_f32_16x16x16f16", "wmma_f32_16x16x16_f16_w32")))
    warps = Layout((draw.choice((1, 2)), draw.choice((1, 2))))
    tiled, (grid_m, grid_n) = cute.TiledMma(atom, warps), lengths(warps)
    sides = {"a": (0, 2), "b": (1, 2), "c": (0, 1)}
    for which, dims in sides.items():
        grid = [(grid_m, grid_n, 1)[d] for d in dims]
        turns = [draw.choice((1, 2)) for _ in dims]
        own = [atom.shape[d] for d in dims]
        tile = tuple(n * g * t for n, g, t in zip(own, grid, turns, strict=True))
        made, held = getattr(tiled, which)(tile), getattr(atom, which)
        registers = lengths(held)[1]
        for lane, v, i, j, r, s in itertools.product(
            (0, 1, atom.threads - 1), range(registers), range(grid_m), range(grid_n), range(turns[0]), range(turns[1])
        ):
            place = [(i, j, 0)[d] for d in dims]
            element = at_modes(held, (lane, v))
            x = [element % own[0], element // own[0]]
            wanted = [e + n * (p + g * t) for e, n, p, g, t in zip(x, own, place, grid, (r, s), strict=True)]
            thread = lane + atom.threads * (i + grid_m * j)
            found = at_modes(made, (thread, v + registers * (r + turns[0] * s)))
            assert found == wanted[0] + tile[0] * wanted[1], (which, warps, tile)
