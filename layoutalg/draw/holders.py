"""Who holds what of a small tile: each element with its wave, lane and register, copies too, and the factors as rulers.

On the rulers, each factor of a dimension is a band, the slowest outermost, cut into its digits and coloured by its
owner; an element's lane and register are read off the bands that it lies under:

               Y1   │  0   │  1   │  0   │  1   │     Hs[1] = [2, 2], P0 owns the slow factor, Y1 the fast one
               P0   │      0      │      1      │
          P0 Y0
          ┌─┬─┐     ┌──────┬──────┬──────┬──────┐
          │0│0│     │  0   │  0   │  1   │  1   │     lane
          │ │ │     │  r0  │  r1  │  r0  │  r1  │     register

An element that several lanes hold is cut into as many parts; with `p`, only what that lane holds keeps its colour.

What it cannot represent: tiles of more than two dimensions or 4096 holders (draw those with `grid`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from layoutalg.draw.palette import colours, ink_on
from layoutalg.draw.svg import SMALL, Picture, boxes, number, outlined, shape, text_width, words
from layoutalg.errors import DrawError
from layoutalg.index import Expr, prod
from layoutalg.index.evaluate import grids, value
from layoutalg.layout import TileDistribution
from layoutalg.records import dataclass

MOST = 4096
"""Holders that a picture has room for."""
WIDTH, HEIGHT, WIDE = 24.0, 28.0, 800.0
"""The least size of a cell, and how wide all cells together become where that lets them be larger."""
BAND = 20.0
"""How thick a ruler's band is."""
WAVE, LANE, REGISTER = "#ecc9db", "#bfe0f5", "#b3ddd0"
"""The colours of owners on the rulers: tints, which no cell has."""


@dataclass(frozen=True)
class Holder:
    """One place of an element: the P coordinates of who holds it, and the number of its register."""

    p: tuple[int, ...]
    register: int

    @property
    def name(self) -> str:
        """The lane, after its wave where there are several."""
        return ":".join(map(str, self.p))


def found(tile: TileDistribution, at: Mapping[Expr, int] | None = None) -> dict[tuple[int, ...], list[Holder]]:
    """Every element with its holders, in the order of their numbers; DrawError for more than a picture has room for.

    >>> from layoutalg.layout import TileDistributionEncoding
    >>> copies = TileDistribution(TileDistributionEncoding.of([2], [[4]], [[(0, 0), (1, 0)]], []))
    >>> [one.name for one in found(copies)[3,]]
    ['3', '7']
    """
    sizes = dict(at or {})
    count = value(prod([*tile.ps, *tile.ys]), sizes)
    if count > MOST:
        raise DrawError(f"{count} holders; at most {MOST} are drawn: use show(tile, by='lane')")
    index = (*tile.p_index, *tile.y_index)
    register = tile.ys_to_d.lower(tile.y_index)[0]
    numbers = grids([*tile.lower(tile.p_index, tile.y_index), register, *tile.p_index], index, sizes)
    rank, holders = len(tile.lengths), dict[tuple[int, ...], list[Holder]]()
    for *element, held, p in zip(
        *(one.reshape(-1).tolist() for one in numbers[: rank + 1]),
        zip(*(one.reshape(-1).tolist() for one in numbers[rank + 1 :]), strict=True),
        strict=True,
    ):
        holders.setdefault(tuple(element), []).append(Holder(p, held))
    return holders


def holders(tile: TileDistribution, p: Sequence[int] | None = None, *, at: Mapping[Expr, int] | None = None) -> Picture:
    """The tile with every holder written in, and its factors as rulers; `p`: show what this lane holds alone.

    DrawError for a tile of more than two dimensions, for too many holders, and for a lane that is none.

    >>> from layoutalg.layout import TileDistributionEncoding
    >>> tile = TileDistribution(TileDistributionEncoding.of([], [[4, 2]], [[(1, 0)]], [(1, 1)]))
    >>> holders(tile).title, holders(tile, p=(3,)).title
    ('Who holds each of 8 elements', 'What lane 3 holds of 8 elements')
    """
    sizes = dict(at or {})
    lengths = [value(n, sizes) for n in tile.lengths]
    if not 1 <= len(lengths) <= 2:
        raise DrawError(f"a tile of {len(lengths)} dimensions; holders are drawn of 1 or 2: use show(tile, by='lane')")
    every = found(tile, sizes)
    chosen = None if p is None else tuple(p)
    if chosen is not None and all(one.p != chosen for many in every.values() for one in many):
        raise DrawError(f"no lane {chosen}: P has lengths {tuple(value(n, sizes) for n in tile.ps)}")
    rows, columns = (1, *lengths)[-2:]
    width = max(WIDTH, min(48.0, WIDE / columns), text_width(max((m[0].name for m in every.values()), key=len), 10) + 6)
    factors = [[value(n, sizes) for n in h] for h in tile.sole_encoding.hs]
    down, across = ([], *factors)[-2:]
    left = 16 + max(BAND * len(down), 34.0) + 8
    top = BAND * len(across) + (22 if down else 8)
    body = _columns(tile, across, left, width) + (_rows(tile, down, left, top) if down else "")
    many = colours(value(tile.ps[0], sizes))
    cells = _cells(every, width, many, chosen)
    frame = shape("rect", "frame", width=columns * width, height=rows * HEIGHT)
    body += shape("g", transform=f"translate({number(left)} {number(top)})", inner=cells + frame)
    size = " × ".join(map(str, lengths))
    name = f"{'wave:' * (len(tile.ps) > 1)}lane"
    title = f"Who holds each of {size} elements" if p is None else f"What {_called(chosen)} holds of {size} elements"
    copies = max(map(len, every.values()))
    notes = [f"In a cell: {name}, and r with the register." + f" {copies} lanes hold each element." * (copies > 1)]
    key = _key(len(tile.ps))
    picture = Picture(
        max(left + columns * width + 16, key.width), top + rows * HEIGHT + 12 + key.height,
        body + key.at(0, top + rows * HEIGHT + 12), title,
    )  # fmt: skip
    return picture.headed(title, *notes)


def _called(p: tuple[int, ...] | None) -> str:
    return " ".join(f"{name} {n}" for name, n in zip(("wave", "lane")[-len(p or ()) :], p or (), strict=False))


def _cells(
    every: Mapping[tuple[int, ...], Sequence[Holder]], width: float, many: Sequence[str], chosen: tuple[int, ...] | None
) -> str:
    """All elements: a part for each holder, its name and, where there is room, its register; one path for a colour."""
    fills: dict[str, list[tuple[float, float, float, float]]] = {}
    texts: dict[tuple[str, float], str] = {}
    frames = ""
    for element, held in every.items():
        x, y = element[-1] * width, (element[0] if len(element) > 1 else 0) * HEIGHT
        part = width / len(held)
        size = min(10.5, (part - 2) / text_width(max((one.name for one in held), key=len), 1))
        for n, one in enumerate(held):
            colour = "" if chosen is not None and one.p != chosen else many[one.p[0]]
            fills.setdefault(colour, []).append((x + n * part, y, part, HEIGHT))
            if size < 6:
                continue
            ink = f"num {ink_on(colour)}" if colour else "num soft"
            for text, down, large in ((one.name, 0.33, size), (f"r{one.register}", 0.74, min(size, 9.0))):
                middle, line = x + (n + 0.5) * part, y + HEIGHT * down + 0.36 * large
                texts[ink, large] = texts.get((ink, large), "") + shape("text", inner=text, x=middle, y=line)
        if any(one.p == chosen for one in held):
            frames += outlined(x + 1, y + 1, width - 2, HEIGHT - 2)
    body = "".join(
        shape("path", "" if colour else "gap", fill=colour or None, stroke="#fff", stroke_width=0.7, d=boxes(places))
        for colour, places in fills.items()
    )
    body += "".join(
        shape("g", ink, font_size=size, text_anchor="middle", inner=text) for (ink, size), text in texts.items()
    )
    return body + frames


def _owner(tile: TileDistribution, factor: tuple[int, int]) -> tuple[str, str]:
    """The name of a factor's owner, and its colour."""
    name = next(owner for owner, owned in tile.encoding.owners() if owned == factor)
    if name.startswith("Y"):
        return name, REGISTER
    return name, LANE if int(name[1:]) == len(tile.ps) - 1 else WAVE


def _columns(tile: TileDistribution, factors: Sequence[int], left: float, width: float) -> str:
    """The bands above the cells, the slowest factor on top."""
    body, wide = "", width * _product(factors)
    for n, length in enumerate(factors):
        name, colour = _owner(tile, (len(tile.lengths), n))
        count = _product(factors[: n + 1])
        step, y = wide / count, n * BAND
        body += words(left - 6, y + BAND / 2, name, "ink bold", 11, "end")
        body += "".join(_segment(left + k * step, y, step, BAND, colour, k % length) for k in range(count))
    return body


def _rows(tile: TileDistribution, factors: Sequence[int], left: float, top: float) -> str:
    """The bands left of the cells, the slowest factor outermost."""
    body, high = "", HEIGHT * _product(factors)
    first = left - 8 - BAND * len(factors)
    for n, length in enumerate(factors):
        name, colour = _owner(tile, (1, n))
        count = _product(factors[: n + 1])
        step, x = high / count, first + n * BAND
        body += words(x + BAND / 2, top - 9, name, "ink bold", SMALL)
        body += "".join(_segment(x, top + k * step, BAND, step, colour, k % length) for k in range(count))
    return body


def _segment(x: float, y: float, width: float, height: float, colour: str, digit: int) -> str:
    body = shape("rect", x=x, y=y, width=width, height=height, fill=colour, stroke="#fff", stroke_width=1)
    small = min(width, height) < 9
    return body + ("" if small else words(x + width / 2, y + height / 2, str(digit), f"num {ink_on(colour)}", SMALL))


def _product(factors: Sequence[int]) -> int:
    return 1 if not factors else factors[0] * _product(factors[1:])


def _key(ps: int) -> Picture:
    """What the bands' colours mean."""
    entries = [(WAVE, "P: wave")] * (ps > 1) + [(LANE, "P: lane"), (REGISTER, "Y: register of a lane")]
    body, x = words(16, 12, "a factor is owned by", "soft", 12, "start"), 172.0
    for colour, text in entries:
        body += shape("rect", x=x, y=4, width=16, height=16, rx=3, fill=colour)
        body += words(x + 21, 12, text, "ink", 11, "start")
        x += 44 + text_width(text, 11)
    return Picture(x, 30, body, "legend of owners")
