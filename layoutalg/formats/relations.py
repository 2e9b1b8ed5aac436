"""Items about several things at once: accesses (lanes and a descriptor), boxes, lemmas, agreements of descriptors."""

from __future__ import annotations

from layoutalg.formats.build import Builder
from layoutalg.formats.context import Data, expected, meaning
from layoutalg.formats.model import AccessItem, AgreeItem, BoxItem, DescriptorItem, LemmaItem
from layoutalg.formats.reading import DocumentError, Path
from layoutalg.index import ONE, ZERO, Expr, fresh, prod, simplify
from layoutalg.index.radix import digits
from layoutalg.layout import TensorDescriptor
from layoutalg.lazy import lazy_imports
from layoutalg.target.dtypes import DTYPES

with lazy_imports():
    from layoutalg.target import boxes as mover
    from layoutalg.target import model as gpus
    from layoutalg.target import read as targets

Exprs = tuple[Expr, ...]
WAVE = 64
"""The lanes of a wave where neither targets nor `lanes` say: CDNA's."""


def lemma(builder: Builder, path: Path, data: Data) -> LemmaItem:
    """A formula over symbols and the lemma's own variables."""
    named = builder.variables((*path, "variables"), data.get("variables", {}))
    scope = {**builder.symbols, **named}
    goal = builder.formula((*path, "goal"), data["goal"], scope)
    about = builder.about(path, data, "lemma", scope)
    return LemmaItem(goal=goal, variables=tuple(named.values()), **expected(path, data), **about)


def agree(builder: Builder, path: Path, data: Data) -> AgreeItem:
    """Two descriptors at an index each; without variables, both at the left one's own top index.

    A side's distribution says which coordinates of its tile each lane holds.
    """
    left, right = (builder.resolve((*path, side), data[side]) for side in ("left", "right"))
    named = builder.variables((*path, "variables"), data.get("variables", {}))
    held, tiles = _held(builder, path, data)
    named |= held
    scope = {**builder.symbols, **named}
    with meaning(path):
        over = tuple(named.values()) or builder.over("i", left.descriptor.lengths)
    sides: list[Exprs] = []
    for side, item in (("left_index", left), ("right_index", right)):
        tile = tiles.get(side, {})
        for name in (*held, *tile):
            builder.refuse_both((*path, side), name, "an index variable of this agreement", data.get(side, ()))
        given = data.get(side)
        index = builder.exprs((*path, side), given, {**scope, **tile}) if given else tuple(tile.values()) or over
        rank = item.descriptor.rank
        if len(index) != rank:
            raise DocumentError((*path, side), f"{len(index)} coordinates for the {rank} dimensions of {item.name}")
        sides.append(index)
    return AgreeItem(
        left=left, right=right, variables=over, left_index=sides[0], right_index=sides[1],
        **expected(path, data), **builder.about(path, data, "agree", scope),
    )  # fmt: skip


def _held(builder: Builder, path: Path, data: Data) -> tuple[dict[str, Expr], dict[str, dict[str, Expr]]]:
    """What counts the lanes and the elements of a lane, where sides have distributions, and each such side's tile.

    Both distributions have the same Ps and as many elements a lane: `element` counts them in order, whatever the Ys.
    """
    tiles = {}
    for side in ("left", "right"):
        key = f"{side}_distribution"
        at = (*path, key)
        if key in data:
            place, entry = builder.named("distribution", at, data[key])
            with builder.using(at, entry):
                tiles[side] = builder.distribution(("distribution", place), entry).distribution
    if not tiles:
        return {}, {}
    one, *others = tiles.values()
    count = prod(one.ys)
    for other in others:
        if (one.ps, count) != (other.ps, prod(other.ys)):
            what = f"Ps {one.ps} and {count} elements a lane for Ps {other.ps} and {prod(other.ys)}"
            raise DocumentError((*path, "right_distribution"), f"{what}: no lane holds the same on both sides")
    for name in ("element", *(f"p{n}" for n in range(len(one.ps)))):
        if name in data.get("variables", {}):
            raise DocumentError((*path, "variables", name), f"{name} is the distribution's; give this another name")
    ps, element = builder.over("p", one.ps), fresh("element", count, builder.symbols)
    coordinates = {
        f"{side}_index": {f"x{n}": x for n, x in enumerate(tile.lower(ps, digits(element, tile.ys) if tile.ys else ()))}
        for side, tile in tiles.items()
    }
    return {**{f"p{n}": p for n, p in enumerate(ps)}, "element": element}, coordinates


def access(builder: Builder, path: Path, data: Data) -> AccessItem:
    """Which lane reaches which index: by a distribution, or by a formula of `lane` for each dimension."""
    descriptor = builder.resolve((*path, "descriptor"), data["descriptor"])
    if ("distribution" in data) == ("index" in data):
        raise DocumentError(path, "give either distribution = a name, or index = a formula of lane for each dimension")
    make = _distributed if "distribution" in data else _formulas
    lane, named, index = make(builder, path, data)
    rank = descriptor.descriptor.rank
    if len(index) != rank:
        raise DocumentError(path, f"{len(index)} coordinates for the {rank} dimensions of {descriptor.name}")
    _refuse_targets(path, data, descriptor)
    for name in ("lane", *named):
        what = "the lane of this access" if name == "lane" else "an index variable of this access's distribution"
        builder.refuse_both((*path, "given"), name, what, data.get("given", ()))
    scope = {"lane": lane, **named, **builder.symbols}
    others = tuple(v for v in named.values() if v is not lane)
    return AccessItem(
        descriptor=descriptor, lane=lane, variables=others, index=index, width=data.get("width", 1),
        instruction=data.get("instruction"), targets=tuple(data.get("targets", ())),
        distribution=data.get("distribution"), **builder.about(path, data, "access", scope),
    )  # fmt: skip


def box(builder: Builder, path: Path, data: Data) -> BoxItem:
    """A box of a tensor; unless stated, its extents are what the tensor has from there on, its strides the tensor's."""
    tensor = builder.resolve((*path, "tensor"), data["tensor"])
    lds = builder.resolve((*path, "lds"), data["lds"]) if "lds" in data else None
    named = builder.variables((*path, "variables"), data.get("variables", {}))
    scope, d = {**builder.symbols, **named}, tensor.descriptor
    at, lengths = (builder.exprs((*path, key), data[key], scope) for key in ("at", "lengths"))
    extents = builder.exprs((*path, "extents"), data["extents"], scope) if "extents" in data else None
    if extents is None:
        extents = tuple(simplify(n - i) for n, i in zip(d.lengths, at, strict=False))
    strides = builder.exprs((*path, "strides"), data["strides"], scope) if "strides" in data else _strides(d)
    ranks = {"tensor": d.rank, "at": len(at), "lengths": len(lengths), "extents": len(extents)}
    lds_at = builder.exprs((*path, "lds_at"), data.get("lds_at", (0,) * len(lengths)), scope) if lds else ()
    ranks |= {"strides": len(strides) + 1} | ({"lds": lds.descriptor.rank, "lds_at": len(lds_at)} if lds else {})
    for key, rank in ranks.items():
        if rank != len(lengths) or not rank <= mover.RANK:
            wanted = f"{len(lengths)} dimensions" + (" and a stride for each but the last" if key == "strides" else "")
            raise DocumentError((*path, key), f"the box has {wanted}, of which there are at most {mover.RANK}")
    if lds is not None and lds.dtype != tensor.dtype:
        raise DocumentError((*path, "lds"), f"{lds.name} is of {lds.dtype}, {tensor.name} of {tensor.dtype}")
    padding = (data["padding"][0], data["padding"][1]) if "padding" in data else None
    with meaning((*path, "padding")):
        if padding:
            mover.require_padding(*padding, stores=data.get("stores", False))
    with meaning((*path, "lengths")):
        inside = tuple(fresh(f"x{n}", length, scope) for n, length in enumerate(lengths))
    return BoxItem(
        tensor=tensor, at=at, lengths=lengths, inside=inside, extents=extents, strides=strides,
        variables=tuple(named.values()), lds=lds, lds_at=lds_at, padding=padding, stores=data.get("stores", False),
        **builder.about(path, data, "box", scope, more=() if lds is None else ("lands",)),
    )  # fmt: skip


def _strides(d: TensorDescriptor) -> Exprs:
    """How far apart neighbours of each dimension but the last are, from the first element on."""
    first = (ZERO,) * d.rank
    units = [tuple(ONE if k == n else ZERO for k in range(d.rank)) for n in range(d.rank - 1)]
    return tuple(simplify(d.adaptor.lower(unit)[0] - d.adaptor.lower(first)[0]) for unit in units)


def _formulas(builder: Builder, path: Path, data: Data) -> tuple[Expr, dict[str, Expr], Exprs]:
    """Lane, other variables by name, and the index that the formulas give."""
    builder.refuse_both((*path, "index"), "lane", "the lane of this access", data["index"])
    lane = fresh("lane", data.get("lanes") or _wave(path, data), builder.symbols)
    named = builder.variables((*path, "variables"), data.get("variables", {}))
    if "lane" in named:
        raise DocumentError((*path, "variables", "lane"), "lane is the lane; give this variable another name")
    index = builder.exprs((*path, "index"), data["index"], {"lane": lane, **named, **builder.symbols})
    return lane, named, index


def _distributed(builder: Builder, path: Path, data: Data) -> tuple[Expr, dict[str, Expr], Exprs]:
    """Lane, the distribution's variables by name, and its tile index; the last Y advances by `width`."""
    at, width = (*path, "distribution"), data.get("width", 1)
    for key in ("lanes", "variables"):
        if key in data:
            raise DocumentError((*path, key), "the distribution already says this")
    place, entry = builder.named("distribution", at, data["distribution"])
    with builder.using(at, entry):
        tile = builder.distribution(("distribution", place), entry).distribution
    if not tile.ps:
        raise DocumentError(at, f"distribution {data['distribution']!r} has no P: there is no lane")
    ps, ys, last = builder.over("p", tile.ps), builder.over("y", tile.ys), tile.ys[-1] if tile.ys else ONE
    if width == 1:
        return ps[-1], _by_name(ps, ys), tile.lower(ps, ys)
    if last.op != "const" or int(last) % width:
        raise DocumentError((*path, "width"), f"the last Y has length {last}, which is no multiple of width {width}")
    v = fresh("v", int(last) // width, builder.symbols)
    index = tile.lower(ps, [*ys[:-1], v * width])
    return ps[-1], {**_by_name(ps, ys[:-1]), "v": v}, index


def _by_name(ps: Exprs, ys: Exprs) -> dict[str, Expr]:
    """A distribution's variables as a file names them, whatever they had to be called beside its symbols."""
    return {f"{letter}{n}": v for letter, of in (("p", ps), ("y", ys)) for n, v in enumerate(of)}


def _wave(path: Path, data: Data) -> int:
    """The lanes of a wave on the access's targets."""
    try:
        sizes = {targets.target(name).wave_size for name in data.get("targets", ())}
    except gpus.TargetError as error:
        raise DocumentError((*path, "targets"), str(error)) from error
    if len(sizes) > 1:
        raise DocumentError((*path, "targets"), f"waves of {sorted(sizes)} lanes; say which with lanes = …")
    return sizes.pop() if sizes else WAVE


def _refuse_targets(path: Path, data: Data, of: DescriptorItem) -> None:
    """DocumentError for a target without the access's instruction, or without the elements that it reaches."""
    for n, name in enumerate(data.get("targets", ())):
        try:
            if "instruction" in data:
                targets.target(name).instruction(data["instruction"])
            if of.dtype is not None:
                targets.target(name).require(DTYPES[of.dtype])
        except gpus.TargetError as error:
            raise DocumentError((*path, "targets", n), str(error)) from error
