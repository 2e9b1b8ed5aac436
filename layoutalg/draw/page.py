"""The explorer: one HTML file in which a layout can be touched.

The page draws the index grid, memory, the transform graph and lanes × banks of one access; pointing at an element in
any of them follows it through every hidden dimension to its offset, dword, bank, lane and phase, and back.  Sizes that
are not fixed, in a layout or in the index that a lane starts at, become sliders; several layouts become a choice.  What
is seen is computed in the page, from JavaScript that is generated from the same expressions as every other reading:

    layout.offset((i0, i1), (pad))   →   const [s0] = s; const [i0, i1] = i; return i0 * (64 + s0) + i1

The file needs no network and no server; its state is in its address.  Sample points go along, computed by the library,
and the page says whether its own numbers are the same.

What it cannot represent: sizes without a largest value beyond 256 steps of the slider, and more indices than 2¹⁸.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.resources import files
from itertools import islice, product
from typing import Any

from layoutalg.banks import lookup
from layoutalg.draw.access import LaneAccess, Pattern, down, held, in_order, operand
from layoutalg.draw.conflicts import CALM, HEAT
from layoutalg.draw.errors import DrawError
from layoutalg.draw.graph import graph
from layoutalg.draw.palette import KINDS, STEPS, ramp
from layoutalg.index import Expr, Term, as_expr, substitute, symbol, var, variables
from layoutalg.index.evaluate import value
from layoutalg.index.javascript import javascript
from layoutalg.layout import TensorDescriptor, TileDistribution, make_naive_tensor_descriptor_packed
from layoutalg.prove.lds import Access
from layoutalg.target import LdsInstruction, Target, target, target_names

Family = Callable[[Term], Pattern]
"""A pattern of lanes for any number of elements a lane."""

TALL = 32
"""Rows of the largest matrix operand that is offered."""
SLIDER_STEPS = 256
SAMPLES = 24
MAX_WAVE = 64


def page(
    layouts: TensorDescriptor | TileDistribution | Mapping[str, TensorDescriptor],
    *,
    title: str = "Layout explorer",
    accesses: Mapping[str, Family] | None = None,
    target_name: Target | str = "gfx942",
    instruction: str = "ds_read_b128",
    element_bytes: int = 2,
    access: int = 0,
    start: Mapping[str, int] | None = None,
) -> str:
    """The page, as the text of an HTML file.

    `layouts`: one, or several by name.  `accesses`: which index each lane starts at, by name (the usual ones where not
    given); `access`: the number of the one shown first.  `start`: the first value of each size, by name.  Of a tile
    distribution, the tile lies packed in memory, and each lane reads what it holds, register by register.
    DrawError, UnknownTargetError, UnknownInstructionError.

    >>> from layoutalg.index import symbol
    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> pad = symbol("pad", min=0, max=32, multiple_of=8)
    >>> text = page(make_naive_tensor_descriptor((64, 64), (64 + pad, 1)))
    >>> text[:15], "i0 * (s0 + 64) + i1" in text
    ('<!doctype html>', True)
    """
    gpu, how = lookup(target_name, instruction)
    if isinstance(layouts, TileDistribution):
        accesses = accesses or {"what each lane holds": _holding(layouts)}
        layouts = make_naive_tensor_descriptor_packed(layouts.lengths)
    named = {"layout": layouts} if isinstance(layouts, TensorDescriptor) else dict(layouts)
    if not named:
        raise DrawError("a page of no layouts; give at least one")
    objects = [_layout(name, one, accesses, element_bytes, start or {}) for name, one in named.items()]
    data = "\n".join(
        [
            '"use strict";',
            f"const ELEMENT_BYTES = {element_bytes};",
            f"const RAMP = {script([ramp(n / (STEPS - 1)) for n in range(STEPS)])};",
            f"const KINDS = {script(KINDS)};",
            f"const HEAT = {script([CALM, *HEAT])};",
            f"const START = {script({'target': gpu.name, 'instruction': how.name, 'access': access})};",
            f"const TARGETS = {script({one.name: _target(one) for one in (*map(target, target_names()), gpu)})};",
            f"const LAYOUTS = [{','.join(objects)}];",
        ]
    )
    graphs = "".join(f'<template id="graph-{n}">{graph(d)}</template>' for n, d in enumerate(named.values()))
    parts = {"title": html.escape(title), "graphs": graphs, "data": data, "css": _asset("explorer.css")}
    parts |= {name: _asset(f"{name}.js").replace('"use strict";\n', "", 1) for name in ("model", "view", "main")}
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], _asset("explorer.html"))


def access_page(access: LaneAccess | Access, **options: Any) -> str:
    """The page of one access: its layout, its lanes, its instruction; whatever else its index depends on is a slider.

    Options are `title` and `start`, as for `page`.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> tile = make_naive_tensor_descriptor((64, 64), (64, 1))
    >>> "(lane, vector, s)" in access_page(LaneAccess.of(tile, operand(32, 8)))
    True
    """
    if isinstance(access, Access):
        name, lane, index = access.lanes.name, access.lanes.lane, access.first
    else:
        name, lane, index = "access", access.lane, access.index
        fixed = {str(v.value.name): n for v, n in access.at.items()}
        options = {**options, "start": {**fixed, **(options.get("start") or {})}}

    def pattern(number: Expr, _: TensorDescriptor) -> Sequence[Term]:
        return tuple(substitute(i, {lane: number}) for i in index)

    return page(
        access.descriptor, accesses={name: lambda _: pattern}, target_name=access.target,
        instruction=access.instruction.name, element_bytes=access.element_bytes, **options,
    )  # fmt: skip


def _holding(tile: TileDistribution) -> Family:
    """What each lane holds in the register, and in the wave, that a slider chooses."""
    register = symbol("register", min=0, max=int(tile.registers) - 1)
    wave = symbol("wave", min=0, max=int(tile.ps[0]) - 1) if len(tile.ps) > 1 else as_expr(0)
    return lambda _: held(tile, wave, register)


def script(data: object) -> str:
    """JSON that may stand in a script element: it cannot end it.

    >>> script("</script>")
    '"\\\\u003c/script>"'
    """
    return json.dumps(data).replace("<", "\\u003c")


def _asset(name: str) -> str:
    return files("layoutalg.draw").joinpath("assets", name).read_text(encoding="utf-8")


def _target(gpu: Target) -> dict[str, Any]:
    instructions = {name: _instruction(how) for name, how in gpu.instructions.items()}
    return {"title": gpu.title, "wave": gpu.wave_size, "lds": gpu.lds_bytes, "instructions": instructions}


def _instruction(how: LdsInstruction) -> dict[str, Any]:
    return {
        "name": how.name, "access": how.access, "bytes": how.bytes, "alignment": how.alignment, "banks": how.banks,
        "phases": how.phases, "pairsMerge": how.pairs_merge, "evidence": f"Lanes of a phase: {how.evidence.text}.",
    }  # fmt: skip


# The maps -------------------------------------------------------------------------------------------------------------


def _layout(
    name: str,
    descriptor: TensorDescriptor,
    accesses: Mapping[str, Family] | None,
    element_bytes: int,
    start: Mapping[str, int],
) -> str:
    """One layout as a JavaScript object: its sizes, its maps, its accesses, and points to check them at."""
    widest = int(min(max(16 // element_bytes, 1), descriptor.lengths[-1].lo))
    starts = _starts(descriptor, accesses or usual(descriptor), widest)
    own = sizes_of(descriptor)
    sizes = list(dict.fromkeys([*own, *(v for index in starts.values() for v in variables(*index))]))
    sizes = [v for v in sizes if v not in (LANE, _vector(widest))]
    names = {v: f"s{n}" for n, v in enumerate(sizes)} | {v: f"i{n}" for n, v in enumerate(descriptor.index)}
    index, s = _unpack("i", len(descriptor.index)), _unpack("s", len(sizes))
    offset = descriptor.offset(descriptor.index)
    known = {**names, LANE: "lane", _vector(widest): "vector"}
    fields = {
        "name": script(name),
        "text": script(f"offset = {offset}"),
        "maxVector": str(widest),
        "symbols": script([_size(v, start) for v in sizes]),
        "lengths": _function("s", s, _list(javascript(n, names) for n in descriptor.lengths)),
        "space": _function("s", s, javascript(descriptor.element_space_size, names)),
        "offset": _function("i, s", index + s, javascript(offset, names)),
        "valid": _function("i, s", index + s, javascript(descriptor.valid(descriptor.index), names)),
        "hidden": _function("i, s", index + s + "\n".join(_steps(descriptor, names)), _pairs(descriptor)),
        "accesses": _list(_access(name, at, s, known) for name, at in starts.items()),
        "checks": script(list(checks(descriptor, sizes))),
    }
    return "{\n" + ",\n".join(f"  {key}: {text}" for key, text in fields.items()) + "\n}"


def _access(name: str, at: Sequence[Expr], s: str, names: Mapping[Expr, str]) -> str:
    body = _function("lane, vector, s", s, _list(javascript(i, names) for i in at))
    return f"{{ name: {script(name)}, index: {body} }}"


def sizes_of(descriptor: TensorDescriptor) -> list[Expr]:
    """The sizes of a descriptor that are not fixed, in order of first use."""
    index = descriptor.index
    exprs = (*descriptor.lengths, *descriptor.hidden_index(index).values(), descriptor.element_space_size)
    return [v for v in variables(*exprs, descriptor.valid(index)) if v not in index]


def _function(parameters: str, before: str, result: str) -> str:
    return f"({parameters}) => {{ {before} return {result}; }}"


def _unpack(letter: str, count: int) -> str:
    return f"const [{', '.join(f'{letter}{n}' for n in range(count))}] = {letter}; " if count else ""


def _list(parts: Any) -> str:
    return f"[{', '.join(parts)}]"


def _steps(descriptor: TensorDescriptor, names: Mapping[Expr, str]) -> list[str]:
    """Each hidden dimension in terms of those above it."""
    known = dict(names)
    lines = []
    for i, expr in descriptor.hidden_index(descriptor.index).items():
        lines.append(f"const h{i} = {javascript(expr, known)};")
        if expr.op != "const":
            known.setdefault(expr, f"h{i}")
    return lines


def _pairs(descriptor: TensorDescriptor) -> str:
    return _list(f"[{i}, h{i}]" for i in descriptor.hidden_index(descriptor.index))


def _size(v: Expr, start: Mapping[str, int]) -> dict[str, Any]:
    """A size as the page's slider has it: its values and the place of the first shown."""
    values = slider_values(v)
    name = str(v.value.name)
    first = start.get(name, values[0])
    if first not in values:
        raise DrawError(f"{name} = {first}: it takes {values[0]} to {values[-1]}, in steps of {v.value.multiple_of}")
    return {"name": name, "values": values, "start": values.index(first)}


def slider_values(v: Expr) -> list[int]:
    """The values of a size that a slider offers: all, or the first 256.

    >>> slider_values(symbol("pad", min=0, max=24, multiple_of=8)), slider_values(symbol("n", max=9, power_of_two=True))
    ([0, 8, 16, 24], [1, 2, 4, 8])
    """
    step, lo = v.value.multiple_of, int(v.lo)
    numbers = range(lo, int(min(v.hi, lo + (SLIDER_STEPS - 1) * step)) + 1, step)
    if v.value.power_of_two:
        highest = int(min(v.hi, 1 << 30))
        return [1 << k for k in range(31) if lo <= 1 << k <= highest and (1 << k) % step == 0]
    return list(numbers)


def usual(descriptor: TensorDescriptor) -> dict[str, Family]:
    """The accesses that are offered where none are given: along rows, down columns, and as a matrix operand."""
    found: dict[str, Family] = {"rows, vector by vector": in_order, "columns, vector by vector": down}
    if descriptor.rank == 2:
        found |= {f"operand of {rows} rows": partial(operand, rows) for rows in (TALL, TALL // 2)}
    return found


LANE = var("lane", MAX_WAVE)


def _vector(widest: int) -> Expr:
    """The elements that a lane reads, as the page's instructions set them."""
    return symbol("vector", min=1, max=widest)


def _starts(descriptor: TensorDescriptor, families: Mapping[str, Family], widest: int) -> dict[str, tuple[Expr, ...]]:
    """The index at which each lane starts, for every access."""
    return {name: tuple(map(as_expr, family(_vector(widest))(LANE, descriptor))) for name, family in families.items()}


def checks(descriptor: TensorDescriptor, sizes: Sequence[Expr]) -> list[tuple[list[int], list[int], int, bool]]:
    """Sample points with what the library computes there: sizes, index, offset, whether it is data."""
    found = []
    index = descriptor.index
    offset, valid = descriptor.offset(index), descriptor.valid(index)
    for chosen in islice(product(*(_ends(slider_values(v)) for v in sizes)), 4):
        at = dict(zip(sizes, chosen, strict=True))
        lengths = [value(n, at) for n in descriptor.lengths]
        for k in range(SAMPLES // 4):
            place = [(k * 7919 + n * 104729 + k * k) % length for n, length in enumerate(lengths)]
            where = {**at, **dict(zip(index, place, strict=True))}
            found.append((list(chosen), place, value(offset, where), bool(value(valid, where))))
    return found


def _ends(values: Sequence[int]) -> list[int]:
    return sorted({values[0], values[len(values) // 2], values[-1]}, reverse=True)
