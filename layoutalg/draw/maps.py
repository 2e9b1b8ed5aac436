"""A layout's maps in JavaScript, for the explorer: from the same expressions as every other reading.

A size that is not fixed is a slider, and takes only the slider's values in the page.  The expressions are narrowed to
those first: with smaller ranges more of them are exact in a browser (see `layoutalg.index.javascript`).

    lengths, space: (s) => …     offset, valid: (i, s) => …            hidden: (i, s) => [[id, value] …]
    accesses: [{name, index: (lane, vector, s) => …, mask: (lane, s) => …, given: (s) => …, own, claims …}]

with `s` the sizes in order, `i` an index, `lane` a lane's number, and `vector` the elements that a lane reads.  Sizes
that only some accesses use are sliders where one of those is shown.

What it cannot represent: sizes beyond 256 steps of the slider.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import islice, product
from typing import Any

from layoutalg.draw.access import along, down, in_order, operand
from layoutalg.draw.offers import Family, Offer, Offered, offer
from layoutalg.errors import DrawError
from layoutalg.index import TRUE, Expr, Term, substitute, symbol, var, variables
from layoutalg.index.evaluate import limits, value
from layoutalg.index.javascript import javascript
from layoutalg.layout import TensorDescriptor
from layoutalg.records import dataclass

TALL = 32
"""Rows of the largest matrix operand that is offered."""

SLIDER_STEPS, SAMPLES, VECTOR_BYTES, FIRST = 256, 24, 16, 8
"""The most values of a slider; points to check at; the widest access; the least length first shown where it may be."""


def script(data: object) -> str:
    """JSON that may stand in a script element: it cannot end it.

    >>> script("</script>")
    '"\\\\u003c/script>"'
    """
    return json.dumps(data).replace("<", "\\u003c")


@dataclass(frozen=True)
class Maps:
    """A layout's expressions over narrowed sizes and an index, and the names that both have in the page."""

    sizes: tuple[Expr, ...]
    lengths: tuple[Expr, ...]
    hidden: Mapping[int, Expr]
    offset: Expr
    valid: Expr
    space: Expr
    offers: Mapping[str, Offer]
    names: Mapping[Expr, str]


@dataclass(frozen=True)
class Offers:
    """What is offered of a layout: accesses of its own, then others, by name."""

    own: Mapping[str, Offered]
    others: Mapping[str, Offered]

    @property
    def all(self) -> dict[str, Offered]:
        """Its own first; of two of one name, its own."""
        return {**self.own, **{name: one for name, one in self.others.items() if name not in self.own}}


def choice(own: Mapping[str, Offered], others: Mapping[str, Offered] | None, layout: TensorDescriptor) -> Offers:
    """A layout's own accesses, then those of all layouts, or else the usual patterns."""
    return Offers(own, others or usual(layout))


def layout_object(
    name: str,
    descriptor: TensorDescriptor,
    offered: Offers,
    claims: Mapping[str, Sequence[str]],
    bits: int,
    start: Mapping[str, int],
) -> str:
    """One layout as a JavaScript object: its sizes, its maps, its accesses, and points to check them at."""
    vector = symbol("a lane's vector", min=1, max=max(8 * VECTOR_BYTES // bits, 1))
    offers = {named: offer(one, descriptor, vector) for named, one in offered.all.items()}
    own = sizes_of(descriptor)
    sizes = list(dict.fromkeys((*own, *(v for one in offers.values() for v in one.sizes if v is not vector))))
    maps = narrowed(descriptor, offers, sizes)
    names = maps.names
    i, s = unpacked("i", descriptor.rank), unpacked("s", len(sizes))
    users = {v: [n for n, one in enumerate(offers.values()) if v in one.sizes] for v in sizes if v not in own}
    symbols = [_size(v, start, v in variables(*descriptor.lengths)) | {"of": users.get(v)} for v in sizes]
    fields = {
        "name": script(name),
        "text": script(f"offset = {descriptor.offset(descriptor.index)}"),
        "elementBits": str(bits),
        "symbols": script(symbols),
        "lengths": function("s", s, listed_code(javascript(n, names) for n in maps.lengths)),
        "space": function("s", s, javascript(maps.space, names)),
        "offset": function("i, s", i + s, javascript(maps.offset, names)),
        "valid": function("i, s", i + s, javascript(maps.valid, names)),
        "hidden": function("i, s", i + s + " ".join(_steps(maps)), listed_code(f"[{k}, h{k}]" for k in maps.hidden)),
        "accesses": listed_code(
            object_code(
                _access(named, one, offers[named].given, s, {**names, one.lane: "lane", vector: "vector"})
                | {"own": script(named in offered.own), "claims": script(list(claims.get(named, ())))}
            )
            for named, one in maps.offers.items()
        ),
        "claims": script(list(claims.get("", ()))),
        "checks": script(checks(descriptor, own)),
    }
    return "{\n" + ",\n".join(f"  {key}: {text}" for key, text in fields.items()) + "\n}"


def sizes_of(descriptor: TensorDescriptor, *more: Expr) -> list[Expr]:
    """The sizes of a descriptor, and of more expressions, that are not fixed, in order of first use."""
    index = descriptor.index
    exprs = (*descriptor.lengths, *descriptor.hidden_index(index).values(), descriptor.element_space_size)
    return [v for v in variables(*exprs, descriptor.valid(index), *more) if v not in index]


def narrowed(descriptor: TensorDescriptor, offers: Mapping[str, Offer], sizes: Sequence[Expr]) -> Maps:
    """The maps over sizes that take only their sliders' values; DrawError where that leaves no tile."""
    small = {v: _narrow(v) for v in sizes}
    lengths = tuple(substitute(n, small) for n in descriptor.lengths)
    for d, length in enumerate(lengths):
        if length.hi < 1:
            raise DrawError(f"dimension {d} has length {length}: no tile within the values of the sliders")
    index = tuple(var(f"i{n}", length) for n, length in enumerate(lengths))
    new: Mapping[Expr, Term] = {**small, **dict(zip(descriptor.index, index, strict=True))}
    hidden = {i: substitute(e, new) for i, e in descriptor.hidden_index(descriptor.index).items()}
    return Maps(
        tuple(small.values()),
        lengths,
        hidden,
        hidden[descriptor.adaptor.bottom_ids[0]],
        substitute(descriptor.valid(descriptor.index), new),
        substitute(descriptor.element_space_size, new),
        {name: one.over(small) for name, one in offers.items()},
        {v: f"s{n}" for n, v in enumerate(small.values())} | {v: f"i{n}" for n, v in enumerate(index)},
    )


def _narrow(v: Expr) -> Expr:
    values, known = slider_values(v), v.value
    return symbol(
        known.name, min=values[0], max=values[-1], multiple_of=known.multiple_of, power_of_two=known.power_of_two
    )


def _access(name: str, one: Offer, given: Expr, s: str, names: Mapping[Expr, str]) -> dict[str, str]:
    return {
        "name": script(name),
        "index": function("lane, vector, s", s, listed_code(javascript(i, names) for i in one.index)),
        "mask": function("lane, s", s, javascript(one.mask, names)),
        "given": function("s", s, javascript(one.given, names)),
        "condition": script("" if given is TRUE else str(given)),
        "lanes": script(one.lanes),
        "elements": script(one.elements),
        "target": script(one.target and one.target.name),
        "instruction": script(one.instruction and one.instruction.name),
    }


def object_code(parts: Mapping[str, str]) -> str:
    """An object of JavaScript."""
    return "{ " + ", ".join(f"{key}: {text}" for key, text in parts.items()) + " }"


def function(parameters: str, before: str, result: str) -> str:
    """A function of JavaScript."""
    return f"({parameters}) => {{ {before} return {result}; }}"


def unpacked(letter: str, count: int) -> str:
    """Names for the entries of a list of JavaScript."""
    return f"const [{', '.join(f'{letter}{n}' for n in range(count))}] = {letter}; " if count else ""


def listed_code(parts: Iterable[str]) -> str:
    """A list of JavaScript."""
    return f"[{', '.join(parts)}]"


def _steps(maps: Maps) -> list[str]:
    """Each hidden dimension in terms of those above it."""
    known = dict(maps.names)
    lines = []
    for i, expr in maps.hidden.items():
        lines.append(f"const h{i} = {javascript(expr, known)};")
        if expr.op != "const":
            known.setdefault(expr, f"h{i}")
    return lines


def _size(v: Expr, start: Mapping[str, int], is_length: bool) -> dict[str, Any]:
    """A size as the page's slider has it: its values and the place of the first shown."""
    values = slider_values(v)
    name = str(v.value.name)
    usual_first = next((n for n in values if n >= FIRST), values[-1]) if is_length else values[0]
    first = start.get(name, usual_first)
    if first not in values:
        raise DrawError(f"{name} = {first}: its slider takes {values[0]} to {values[-1]}, of {limits(v)}")
    return {"name": name, "values": values, "start": values.index(first)}


def slider_values(v: Expr) -> list[int]:
    """The values of a size that a slider offers: all, or the first 256.

    >>> slider_values(symbol("pad", min=0, max=24, multiple_of=8)), slider_values(symbol("n", max=9, power_of_two=True))
    ([0, 8, 16, 24], [1, 2, 4, 8])
    """
    step, lo = v.value.multiple_of, int(v.lo)
    if v.value.power_of_two:
        highest = int(min(v.hi, 1 << 30))
        return [1 << k for k in range(31) if lo <= 1 << k <= highest and (1 << k) % step == 0]
    return list(range(lo, int(min(v.hi, lo + (SLIDER_STEPS - 1) * step)) + 1, step))


def usual(descriptor: TensorDescriptor) -> dict[str, Family]:
    """The accesses that are offered where none are given: along rows, down columns, and as a matrix operand.

    Where a length may be 0 at some sizes, its rows cannot be counted, and lanes go along the first row only.
    """
    found: dict[str, Family] = {"rows, vector by vector": in_order, "columns, vector by vector": down}
    if any(length.lo < 1 for length in descriptor.lengths):
        found = {"the first row": along}
    if descriptor.rank == 2:
        found |= {f"operand of {rows} rows": partial(operand, rows) for rows in (TALL, TALL // 2)}
    return found


def checks(descriptor: TensorDescriptor, sizes: Sequence[Expr]) -> list[tuple[list[int], list[int], int, bool]]:
    """Sample points with what the library computes there: sizes, index, offset, whether it is data."""
    found = []
    index = descriptor.index
    offset, valid = descriptor.offset(index), descriptor.valid(index)
    for chosen in islice(product(*(_ends(slider_values(v)) for v in sizes)), 4):
        at = dict(zip(sizes, chosen, strict=True))
        lengths = [value(n, at) for n in descriptor.lengths]
        for k in range(SAMPLES // 4 if min(lengths) > 0 else 0):
            place = [(k * 7919 + n * 104729 + k * k) % length for n, length in enumerate(lengths)]
            where = {**at, **dict(zip(index, place, strict=True))}
            found.append((list(chosen), place, value(offset, where), bool(value(valid, where))))
    return found


def _ends(values: Sequence[int]) -> list[int]:
    return sorted({values[0], values[len(values) // 2], values[-1]}, reverse=True)
