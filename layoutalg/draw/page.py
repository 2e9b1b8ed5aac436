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
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from layoutalg.draw.access import LaneAccess, held
from layoutalg.draw.conflicts import CALM, HEAT
from layoutalg.draw.graph import graph
from layoutalg.draw.maps import choice, layout_object, script, slider_values
from layoutalg.draw.offers import Family, Offered
from layoutalg.draw.palette import KINDS, STEPS, ramp
from layoutalg.errors import DrawError
from layoutalg.index import ZERO, symbol
from layoutalg.index.box import least_value
from layoutalg.layout import TensorDescriptor, TileDistribution, make_naive_tensor_descriptor_packed
from layoutalg.memory import Access
from layoutalg.memory.banks import BY_DWORDS, LANES_OFF, lookup
from layoutalg.target import DEFAULT, DEFAULT_READ, LdsInstruction, Target, target, target_names
from layoutalg.target.dtypes import DType, element_type

SCRIPTS = ("model", "view", "main", "controls")
"""The page's own JavaScript, in order."""


def page(
    layouts: TensorDescriptor | TileDistribution | Mapping[str, TensorDescriptor],
    *,
    title: str = "Layout explorer",
    accesses: Mapping[str, Offered] | None = None,
    own: Mapping[str, Mapping[str, Offered]] | None = None,
    claims: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
    target_name: Target | str | None = None,
    instruction: str | None = None,
    dtype: DType | str | Mapping[str, DType | str] = "f16",
    access: int = 0,
    start: Mapping[str, int] | None = None,
) -> str:
    """The page, as the text of an HTML file.

    `layouts`: one, or several by name.  `accesses`: which index each lane starts at, by name (the usual ones where not
    given); `own`: the accesses of some layouts alone, by the layout's name, offered before those; `access`: the number
    of the one shown first, of the first layout with accesses of its own.  `claims`: what is claimed, by the layout's
    name and the access's ("" of the layout itself): shown, not decided.  `target_name`, `instruction`: shown first,
    else the access's own, else ds_read_b128 on gfx942.  `dtype`: of all layouts, or by name.  `start`: the
    first value of each size, by name.  Of a tile distribution, the tile lies packed in memory, and each lane reads what
    it holds, register by register, by a read of one element.
    DrawError, UnknownTargetError, UnknownInstructionError.

    >>> from layoutalg.index import symbol
    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> pad = symbol("pad", min=0, max=32, multiple_of=8)
    >>> text = page(make_naive_tensor_descriptor((64, 64), (64 + pad, 1)))
    >>> text[:15], "i0 * (s0 + 64) + i1" in text
    ('<!doctype html>', True)
    """
    if isinstance(layouts, TileDistribution):
        if not accesses:
            accesses = {"what each lane holds": _holding(layouts)}
            instruction = instruction or _of_one_element(target_name or DEFAULT, _bits(dtype, "layout"))
        layouts = make_naive_tensor_descriptor_packed(layouts.lengths)
    named = {"layout": layouts} if isinstance(layouts, TensorDescriptor) else dict(layouts)
    if not named:
        raise DrawError("a page of no layouts; give at least one")
    offered = {name: choice((own or {}).get(name) or {}, accesses, one) for name, one in named.items()}
    made = [one for each in offered.values() for one in each.all.values() if isinstance(one, LaneAccess | Access)]
    shown = next((n for n, each in enumerate(offered.values()) if each.own), 0)
    first = list(list(offered.values())[shown].all.values())[access : access + 1]
    gpu, how = _shown_first(first[0] if first else None, target_name, instruction)
    start = {**_starts(first[0] if first else None), **(start or {})}
    gpus = (*map(target, target_names()), *(one.target for one in made), gpu)
    objects = [
        layout_object(name, one, offered[name], (claims or {}).get(name, {}), _bits(dtype, name), start)
        for name, one in named.items()
    ]
    begin = {"layout": shown, "access": access, "target": gpu.name, "instruction": how.name}
    data = [f"const LAYOUTS = [{','.join(objects)}];", "const typed = null;"]
    graphs = "".join(f'<template id="graph-{n}">{graph(d)}</template>' for n, d in enumerate(named.values()))
    return assembled(title, gpus, begin, data, SCRIPTS, graphs=graphs)


def assembled(
    title: str,
    gpus: Iterable[Target],
    begin: Mapping[str, object],
    data: Sequence[str],
    scripts: Sequence[str],
    graphs: str = "",
    entry: str = "",
) -> str:
    """The file of a page: what it shows first, its own data, its scripts in order, and what stands above the menus."""
    known = [
        '"use strict";',
        f"const LANES_OFF = {script(LANES_OFF)};",
        f"const BY_DWORDS = {script(BY_DWORDS)};",
        f"const RAMP = {script([ramp(n / (STEPS - 1)) for n in range(STEPS)])};",
        f"const KINDS = {script(KINDS)};",
        f"const HEAT = {script([CALM, *HEAT])};",
        f"const START = {script(begin)};",
        f"const TARGETS = {script({one.name: _target(one) for one in gpus})};",
        *data,
    ]
    parts = {"title": html.escape(title), "graphs": graphs, "entry": entry, "css": asset("explorer.css")}
    parts["scripts"] = "\n".join([*known, *(asset(f"{n}.js").replace('"use strict";\n', "", 1) for n in scripts)])
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], asset("explorer.html"))


def access_page(access: LaneAccess | Access, **options: Any) -> str:
    """The page of one access: its layout, its lanes, its instruction; whatever else its index depends on is a slider.

    Options are `title` and `start`, as for `page`.

    >>> from layoutalg.draw import operand
    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> tile = make_naive_tensor_descriptor((64, 64), (64, 1))
    >>> "mask: (lane, s)" in access_page(LaneAccess.of(tile, operand(32, 8)))
    True
    """
    if isinstance(access, LaneAccess):
        fixed = {str(v.value.name): n for v, n in access.at.items()}
        options = {**options, "start": {**fixed, **(options.get("start") or {})}}
    name = access.lanes.name if isinstance(access, Access) else "access"
    return page(access.descriptor, accesses={name: access}, dtype=access.dtype, **options)


def _shown_first(first: Offered | None, gpu: Target | str | None, how: str | None) -> tuple[Target, LdsInstruction]:
    """The target and instruction that the page shows first."""
    own = (first.target, first.instruction.name) if isinstance(first, LaneAccess | Access) else (DEFAULT, DEFAULT_READ)
    return lookup(gpu or own[0], how or own[1])


def _starts(first: Offered | None) -> dict[str, int]:
    """First values of the sliders at which there is such an access as the one shown first, where they have them."""
    try:
        at = LaneAccess.from_proof(first).at if isinstance(first, Access) else {}
    except DrawError:  # at no sizes: the page says so
        at = {}
    return {str(v.value.name): n for v, n in at.items() if n != least_value(v) and n in slider_values(v)}


def _bits(given: DType | str | Mapping[str, DType | str], name: str) -> int:
    return element_type(given[name] if isinstance(given, Mapping) else given).bits


def _holding(tile: TileDistribution) -> Family:
    """What each lane holds in the register, and in the wave, that a slider chooses."""
    register = symbol("register", min=0, max=int(tile.registers) - 1)
    wave = symbol("wave", min=0, max=int(tile.ps[0]) - 1) if len(tile.ps) > 1 else ZERO
    return lambda _: held(tile, wave, register)


def _of_one_element(gpu: Target | str, bits: int) -> str:
    """The read of the fewest bytes that hold an element: a lane's register is one."""
    every = (gpu if isinstance(gpu, Target) else target(gpu)).instructions
    reads = (how for how in every.values() if how.access == "read" and how.bytes * 8 >= bits)
    return min(reads, key=lambda how: how.bytes).name


def asset(name: str) -> str:
    """A file of the pages' own."""
    return files("layoutalg.draw").joinpath("assets", name).read_text(encoding="utf-8")


def _target(gpu: Target) -> dict[str, Any]:
    instructions = {name: _instruction(gpu, how) for name, how in gpu.instructions.items()}
    return {"title": gpu.title, "wave": gpu.wave_size, "lds": gpu.lds_bytes, "instructions": instructions}


def _instruction(gpu: Target, how: LdsInstruction) -> dict[str, Any]:
    return {
        "name": how.name, "access": how.access, "bytes": how.bytes, "alignment": gpu.lds_alignment(how),
        "whole": how.alignment, "banks": how.banks, "phases": how.phases, "pairsMerge": how.pairs_merge,
        "evidence": f"Lanes of a phase: {how.evidence.text}.",
    }  # fmt: skip
