"""The transform graph: dimensions as circles with their hidden ids, transforms as boxes, memory at the bottom.

Dimensions and transforms lie in layers, as in the figures of AMD's GPU programming guide: a transform lies one layer
above the highest dimension it reads, and its upper dimensions one above it.  The top is what the user indexes.

     ③ 4   ④ 64    ⑤ 128        top: the index (i0, i1, i2)
       └─┬─┘         │
      unmerge    pass_through
         ① 256       ② 128
          └─────┬─────┘
              embed
                ⓪                 bottom: the offset in memory

Within a layer, things are put in the order that crosses fewest lines (each where its neighbours' middle is) and then
moved as near to that middle as there is room.  So left and right say nothing of a transform's order: where it has
several dimensions on one side, its lines are numbered, from 0, as they stand in its list.

What it cannot represent: adaptors of hundreds of dimensions, which it draws but nobody reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from layoutalg.draw.svg import SMALL, Picture, shape, text_width, words
from layoutalg.index import Term
from layoutalg.layout import TensorAdaptor, TensorDescriptor, TileDistribution, Transform
from layoutalg.records import dataclass

Layout = TensorDescriptor | TensorAdaptor | TileDistribution
"""What has a transform graph."""

RADIUS, BOX_HEIGHT, LAYER, GAP, EDGE = 17, 36, 66, 22, 20


@dataclass(frozen=True)
class GraphNode:
    """A circle or a box: its layer from the bottom, its width, and the middle at which it stands."""

    key: str
    layer: int
    width: float
    x: float = 0.0


@dataclass(frozen=True)
class Arrangement:
    """Where everything stands: nodes by key (`d3` dimension, `t1` transform, `b…` bend); edges, lower key first."""

    nodes: Mapping[str, GraphNode]
    edges: tuple[tuple[str, str], ...]
    width: float
    height: float

    def place(self, key: str) -> tuple[float, float]:
        """The middle of a node."""
        return self.nodes[key].x, self.height - EDGE - RADIUS - LAYER * self.nodes[key].layer


def graph(layout: Layout, index: Sequence[Term] | None = None) -> Picture:
    """The transform graph; with a top `index`, each circle also shows that index's value there.

    The top of a distribution is [P…, Y…].

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> picture = graph(make_naive_tensor_descriptor((256, 128), (128, 1)), index=(67, 2))
    >>> "8578" in str(picture)
    True
    """
    adaptor = layout if isinstance(layout, TensorAdaptor) else layout.adaptor
    is_memory = isinstance(layout, TensorDescriptor)
    names = top_and_bottom_names(layout, adaptor)
    values = {} if index is None else {i: str(v) for i, v in adaptor.hidden_index(index).items()}
    plan = arrange(adaptor)
    body = "".join(_edge(plan, low, high) for low, high in plan.edges) + "".join(_numbers(plan, adaptor))
    body += "".join(_box(plan, f"t{n}", t) for n, t in enumerate(adaptor.transforms) if f"t{n}" in plan.nodes)
    body += "".join(
        _circle(plan, adaptor, i, "offset" if is_memory and i in adaptor.bottom_ids else "", names, values.get(i, ""))
        for i in sorted(int(key[1:]) for key in plan.nodes if key[0] == "d")
    )
    what = ", ".join(f"{t}" for t in adaptor.transforms) or "no transforms"
    return Picture(plan.width, plan.height, body, f"Transform graph: {what}")


HALF = {"t": BOX_HEIGHT / 2, "d": RADIUS, "b": RADIUS}
"""Half the height of a transform, a dimension, and a bend of a long edge."""


def _edge(plan: Arrangement, low: str, high: str) -> str:
    (x1, y1), (x2, y2) = plan.place(low), plan.place(high)
    y1, y2 = y1 - HALF[low[0]], y2 + HALF[high[0]]
    middle = (y1 + y2) / 2
    path = f"M{x1:.1f} {y1:.1f}C{x1:.1f} {middle:.1f} {x2:.1f} {middle:.1f} {x2:.1f} {y2:.1f}"
    return shape("path", "edge", d=path + (f"V{y2 - 2 * RADIUS:.1f}" if high[0] == "b" else ""))


def _numbers(plan: Arrangement, adaptor: TensorAdaptor) -> Iterator[str]:
    """Where a transform has several dimensions on one side: at each, beside the line to it, its place in their list."""
    places = {
        (f"d{i}", way): str(n)
        for _, lower, upper in adaptor.linked
        for side, way in ((lower, -1), (upper, 1))
        for n, i in enumerate(side if len(side) > 1 else ())
    }
    for low, high in plan.edges:
        for key, other, way in ((low, high, -1), (high, low, 1)):
            if (key, way) in places:
                x, y = plan.place(key)
                left = plan.place(other)[0] > x
                dx, anchor = (-4, "end") if left else (4, "start")
                yield words(x + dx, y + way * (RADIUS + 7), places[key, way], "soft num", SMALL, anchor)


def _box(plan: Arrangement, key: str, transform: Transform) -> str:
    x, y = plan.place(key)
    width = plan.nodes[key].width
    box = shape("rect", "box", x=x - width / 2, y=y - BOX_HEIGHT / 2, width=width, height=BOX_HEIGHT, rx=5)
    name, parameters = caption(transform)
    lift = 7 if parameters else 0
    text = words(x, y - lift, name, "ink bold", 12)
    return shape("g", inner=box + text + (words(x, y + 8, parameters, "soft num", SMALL) if parameters else ""))


def _circle(
    plan: Arrangement, adaptor: TensorAdaptor, i: int, memory: str, names: Mapping[int, str], value: str
) -> str:
    x, y = plan.place(f"d{i}")
    length = adaptor.hidden_lengths.get(i)
    beside = memory or ("" if length is None else str(length))
    body = shape("circle", "memory" if memory else "ball", cx=x, cy=y, r=RADIUS) + words(x, y, str(i), "ink bold", 13)
    body += words(x + RADIUS + 5, y - (7 if value else 0), beside, "soft num", SMALL, "start")
    if i in names:
        above = y - RADIUS - 9 if i in adaptor.top_ids else y + RADIUS + 9
        body += words(x, above, names[i], "soft num", SMALL)
    if value:
        body += words(x + RADIUS + 5, y + 7, f"= {value}", "ink num bold", 11, "start")
    return shape("g", inner=body, data_hidden=i)


def top_and_bottom_names(layout: Layout, adaptor: TensorAdaptor) -> dict[int, str]:
    """What the top dimensions are called, and the bottom ones where they are not memory."""
    if isinstance(layout, TileDistribution):
        tops = [str(v) for v in (*layout.p_index, *layout.y_index)]
    else:
        tops = [str(v) for v in adaptor.index]
    found = {} if isinstance(layout, TensorDescriptor) else {i: f"x{n}" for n, i in enumerate(adaptor.bottom_ids)}
    return found | dict(zip(adaptor.top_ids, tops, strict=True))


def caption(transform: Transform) -> tuple[str, str]:
    """A transform's name and its parameters, shortened where they are many."""
    name, _, rest = repr(transform).partition("(")
    rest = rest.removesuffix(")")
    return name, rest if len(rest) <= 44 else rest[:42] + " …"


# Where things stand --------------------------------------------------------------------------------------------------


def arrange(adaptor: TensorAdaptor) -> Arrangement:
    """Layers, order and places of all circles and boxes."""
    edges = tuple(
        edge
        for n, (_, lower, upper) in enumerate(adaptor.linked)
        for edge in [*((f"d{i}", f"t{n}") for i in lower), *((f"t{n}", f"d{i}") for i in upper)]
    )
    layers = _layers(adaptor)
    edges = _with_bends(edges, layers)
    nodes = {key: GraphNode(key, layer, _width(adaptor, key)) for key, layer in layers.items()}
    rows = [[k for k in nodes if nodes[k].layer == n] for n in range(max(layers.values(), default=0) + 1)]
    rows[-1].sort(key=lambda k: adaptor.top_ids.index(int(k[1:])) if k[0] == "d" else 0)
    near: dict[str, list[str]] = {key: [] for key in nodes}
    for low, high in edges:
        near[low].append(high)
        near[high].append(low)
    x = _spread(_ordered(rows, near), nodes, near)
    left = min((x[k] - nodes[k].width / 2 for k in nodes), default=0)
    placed = {k: replace(node, x=x[k] - left + EDGE) for k, node in nodes.items()}
    width = max((node.x + node.width / 2 for node in placed.values()), default=0) + EDGE
    return Arrangement(placed, edges, width, LAYER * (len(rows) - 1) + 2 * (EDGE + RADIUS) + 16)


def _layers(adaptor: TensorAdaptor) -> dict[str, int]:
    """Even layers hold dimensions, odd ones transforms; what reads nothing lies just below what reads it."""
    layer = {f"d{i}": 0 for i in adaptor.bottom_ids}
    parts = list(enumerate(adaptor.linked))
    for n, (_, lower, upper) in parts:
        if not lower and not upper:
            continue  # replicate() of nothing
        layer[f"t{n}"] = 1 + max((layer[f"d{i}"] for i in lower), default=0)
        layer |= {f"d{i}": layer[f"t{n}"] + 1 for i in upper}
    top = max(layer.values(), default=0)
    top += top % 2
    layer |= {f"d{i}": top for i in adaptor.top_ids}
    readers = {i: n for n, (_, lower, _) in parts for i in lower}
    for n, (_, lower, upper) in reversed(parts):
        if not lower and upper:
            above = min(layer[f"t{readers[i]}"] if i in readers else top + 1 for i in upper)
            layer[f"t{n}"] = above - 2
            layer |= {f"d{i}": above - 1 for i in upper}
    return layer


def _with_bends(edges: Sequence[tuple[str, str]], layers: dict[str, int]) -> tuple[tuple[str, str], ...]:
    """Each edge in pieces from layer to layer; where it passes one, a bend (`b`) keeps room for it."""
    pieces: list[tuple[str, str]] = []
    for low, high in edges:
        chain = [low, *(f"b{n}:{low}:{high}" for n in range(layers[low] + 1, layers[high])), high]
        layers |= {key: layers[low] + n for n, key in enumerate(chain)}
        pieces += pairwise(chain)
    return tuple(pieces)


def _width(adaptor: TensorAdaptor, key: str) -> float:
    if key[0] == "b":
        return 2.0 * GAP
    if key[0] == "t":
        name, parameters = caption(adaptor.transforms[int(key[1:])])
        return max(text_width(name, 12), text_width(parameters, SMALL)) + 18
    i = int(key[1:])
    length = adaptor.hidden_lengths.get(i)
    shown = ["offset" * (i in adaptor.bottom_ids), "" if length is None else str(length)]
    return 2 * (RADIUS + 8 + max(text_width(one, SMALL) for one in shown))


def _ordered(rows: list[list[str]], near: Mapping[str, list[str]]) -> list[list[str]]:
    """Each row sorted by the middle of its neighbours, downwards and upwards a few times; the top row stays."""
    place = {k: float(n) - (len(row) - 1) / 2 for row in rows for n, k in enumerate(row)}
    for sweep in range(6):
        order = range(len(rows) - 2, -1, -1) if sweep % 2 == 0 else range(1, len(rows) - 1)
        step = 1 if sweep % 2 == 0 else -1
        for n in order:
            beyond = set(rows[n + step])
            middle = {k: _mean([place[o] for o in near[k] if o in beyond], place[k]) for k in rows[n]}
            rows[n].sort(key=lambda k, middle=middle: middle[k])  # type: ignore[misc]
            place |= {k: float(i) - (len(rows[n]) - 1) / 2 for i, k in enumerate(rows[n])}
    return rows


def _spread(
    rows: Sequence[Sequence[str]], nodes: Mapping[str, GraphNode], near: Mapping[str, list[str]]
) -> dict[str, float]:
    """A place for each node: as near to the middle of its neighbours as the row's order and room allow."""
    x = {k: v for row in rows for k, v in _packed(row, nodes, dict.fromkeys(row, 0.0)).items()}
    for sweep in range(24):
        for row in rows if sweep % 2 else list(rows)[::-1]:
            x |= _packed(row, nodes, {k: _mean([x[o] for o in near[k]], x[k]) for k in row})
    for row in list(rows)[::-1]:  # last from the top down, each below what reads it: straight lines where one may be
        above = {k: [x[o] for o in near[k] if nodes[o].layer > nodes[k].layer] for k in row}
        x |= _packed(row, nodes, {k: _mean(above[k] or [x[o] for o in near[k]], x[k]) for k in row})
    return x


def _packed(row: Sequence[str], nodes: Mapping[str, GraphNode], wanted: Mapping[str, float]) -> dict[str, float]:
    """The row without overlaps: pushed right, pushed left, and the mean of both."""
    room = {(a, b): (nodes[a].width + nodes[b].width) / 2 + GAP for a, b in pairwise(row)}
    right, left = dict(wanted), dict(wanted)
    for a, b in pairwise(row):
        right[b] = max(right[b], right[a] + room[a, b])
    for b, a in pairwise(row[::-1]):
        left[a] = min(left[a], left[b] - room[a, b])
    return {k: (right[k] + left[k]) / 2 for k in row}


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
