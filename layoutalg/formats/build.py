"""From checked data to layouts: names are looked up, expressions read, transforms attached; each error has its path.

The shapes are already right (`grammar`), so only meaning can be wrong here: an unknown name, a cycle of bases, a length
below 1, a dimension used twice.  A file's variables are its symbols (sizes) and, in formulas, the item's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import Any, cast

from layoutalg.formats.claims import CLAIMS, USUAL, split
from layoutalg.formats.errors import Path, Problem
from layoutalg.formats.model import (
    AccessItem,
    AdaptorItem,
    AgreeItem,
    Claim,
    DescriptorItem,
    DistributionItem,
    Expect,
    Item,
    LemmaItem,
    Refusal,
    SpecFile,
    TransformItem,
)
from layoutalg.formats.shape import nearest, shown
from layoutalg.index import FALSE, TRUE, Expr, all_of, as_expr, eq, negation, symbol, var
from layoutalg.index.parse import parse
from layoutalg.index.ranges import BOOLEAN
from layoutalg.layout import (
    TRANSFORMS,
    Functor,
    LayoutError,
    TensorAdaptor,
    TensorDescriptor,
    TileDistribution,
    TileDistributionEncoding,
    Transform,
    attach,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_aligned,
    make_naive_tensor_descriptor_packed,
    make_naive_tensor_descriptor_with_offset,
)
from layoutalg.layout.adaptor import make_identity

Scope = Mapping[str, Expr]
Data = Mapping[str, Any]

RESERVED = re.compile(r"[ipyu]\d*")
"""Names of the index variables that layouts make themselves (i0, p0, y0, u)."""


class LayoutProblem(Problem):
    """A layout that is refused: what `expect = "refused"` waits for."""


@contextmanager
def meaning(path: Path) -> Iterator[None]:
    """Errors of building at this path."""
    try:
        yield
    except LayoutError as error:
        raise LayoutProblem(path, str(error)) from error
    except (ValueError, TypeError, OverflowError) as error:
        raise Problem(path, str(error)) from error


@dataclass
class Builder:
    """Builds one file's items; descriptors on demand, so that they may stand in any order."""

    data: Data
    lines: Callable[[Path], int | None]
    symbols: dict[str, Expr] = field(default_factory=dict)
    descriptors: dict[str, DescriptorItem] = field(default_factory=dict)
    distributions: dict[str, DistributionItem] = field(default_factory=dict)
    building: list[str] = field(default_factory=list)

    def file(self, path: str) -> SpecFile:
        """The whole file."""
        for name, given in self.data.get("symbols", {}).items():
            self.symbols[name] = self._symbol(("symbols", name), name, given)
        self._refuse_repeats()
        makers = {
            "descriptor": self._descriptor, "transform": self._transform, "adaptor": self._adaptor,
            "distribution": self._distribution, "access": self._access, "lemma": self._lemma, "agree": self._agree,
        }  # fmt: skip
        items = [
            self._item(maker, kind, (kind, n), entry)
            for kind, maker in makers.items()
            for n, entry in enumerate(self.data.get(kind, ()))
        ]
        order = sorted(items, key=lambda item: item.line or 0)
        return SpecFile(path, self.symbols, tuple(order), self.data.get("title", ""))

    def _symbol(self, path: Path, name: str, given: Data) -> Expr:
        if RESERVED.fullmatch(name):
            raise Problem(path, f"{name} is the name of an index variable; give the symbol another one, e.g. {name}_")
        with meaning(path):
            return symbol(name, **given)

    def _refuse_repeats(self) -> None:
        for kind, entries in self.data.items():
            seen: set[str] = set()
            for n, entry in enumerate(entries if isinstance(entries, list) else ()):
                if entry["name"] in seen:
                    raise Problem((kind, n, "name"), f"a second {kind} named {shown(entry['name'])}; names are unique")
                seen.add(entry["name"])

    def _item(self, maker: Callable[[Path, Data], Item], kind: str, path: Path, data: Data) -> Item:
        if data.get("expect") != "refused":
            return maker(path, data)
        if kind in ("lemma", "agree"):
            raise Problem((*path, "expect"), f"a {kind} is proved or refuted, never refused")
        if "claims" in data:
            raise Problem((*path, "claims"), "a layout that must be refused has no claims")
        reason: str | None = None
        try:
            maker(path, data)
        except LayoutProblem as problem:
            reason = problem.reason
        return Refusal(kind=kind, reason=reason, **self._about(path, data, ""))

    # --- expressions ---

    def _expr(self, path: Path, given: int | str | bool, scope: Scope | None = None) -> Expr:
        if isinstance(given, int):
            return as_expr(int(given))
        with meaning(path):
            return parse(given, scope if scope is not None else self.symbols)

    def _exprs(self, path: Path, given: Sequence[int | str], scope: Scope | None = None) -> tuple[Expr, ...]:
        return tuple(self._expr((*path, n), entry, scope) for n, entry in enumerate(given))

    def _formula(self, path: Path, given: str | bool, scope: Scope) -> Expr:
        made = self._expr(path, given, scope)
        if made.op not in BOOLEAN and made not in (TRUE, FALSE):
            raise Problem(path, f"{made} is a number; a formula is expected, e.g. {made} >= 0")
        return made

    def _variables(self, path: Path, given: Mapping[str, int | str]) -> dict[str, Expr]:
        made: dict[str, Expr] = {}
        for name, extent in given.items():
            if name in self.symbols:
                raise Problem((*path, name), f"{name} is a symbol of this file; give the variable another name")
            with meaning((*path, name)):
                made[name] = var(name, self._expr((*path, name), extent, {**self.symbols, **made}))
        return made

    # --- what all items have ---

    def _about(self, path: Path, data: Data, kind: str, scope: Scope | None = None) -> dict[str, Any]:
        """The fields of `Item`."""
        inner = scope if scope is not None else self.symbols
        given = [self._formula((*path, "given", n), f, inner) for n, f in enumerate(data.get("given", ()))]
        texts = data.get("claims", USUAL.get(kind, ()))
        usual = _expect(data)
        claims = [self._claim((*path, "claims", n), entry, kind, usual) for n, entry in enumerate(texts)]
        with meaning((*path, "given")):
            return {
                "name": data["name"], "line": self.lines(path), "note": data.get("note", ""),
                "source": data.get("source", ""), "given": all_of(*given), "claims": tuple(claims),
                "stated": "claims" in data,
            }  # fmt: skip

    def _claim(self, path: Path, entry: str | Data, kind: str, usual: Expect) -> Claim:
        text, expect = (entry, usual) if isinstance(entry, str) else (entry["claim"], _expect(entry))
        parts = split(text)
        if parts is None or parts[0] not in CLAIMS:
            hint = nearest(parts[0], CLAIMS) if parts else ""
            raise Problem(path, f"{shown(text)} is no claim{hint or '; the claims are ' + ', '.join(CLAIMS)}")
        name, args = parts
        form = CLAIMS[name]
        if kind not in form.of:
            raise Problem(path, f"{name} is a claim about {' or '.join(sorted(form.of))}, not about {kind or 'this'}")
        if not form.least <= len(args) <= form.most:
            wanted = str(form.least) if form.least == form.most else f"{form.least}…{form.most}"
            raise Problem(path, f"{name} takes {wanted} arguments, not {len(args)}")
        return Claim(name, tuple(self._expr(path, arg) for arg in args), expect)

    def _named(self, kind: str, path: Path, name: str) -> tuple[int, Data]:
        """The place and the data of the item that a name refers to."""
        entries = self.data.get(kind, ())
        for n, entry in enumerate(entries):
            if entry["name"] == name:
                if entry.get("expect") == "refused":
                    raise Problem(path, f"{kind} {name!r} is expected to be refused; nothing can be built on it")
                return n, entry
        known = [entry["name"] for entry in entries]
        hint = nearest(name, known) or f"; it has {', '.join(known) or 'none'}"
        raise Problem(path, f"no {kind} named {name!r} in this file{hint}")

    # --- layouts ---

    def _make(self, path: Path, data: Data) -> Transform:
        kind = data["transform"]
        if kind == "functor":
            return self._functor(path, data)
        params: dict[str, Any] = {}
        for key in (f.name for f in fields(TRANSFORMS[kind])):
            params[key] = (self._exprs if isinstance(data[key], list) else self._expr)((*path, key), data[key])
        with meaning(path):
            return TRANSFORMS[kind](**params)

    def _functor(self, path: Path, data: Data) -> Transform:
        u = self._variables((*path, "variable"), {data["variable"]: data["length"]})
        function = self._expr((*path, "function"), data["function"], {**self.symbols, **u})
        with meaning(path):
            return Functor(u[data["variable"]], function, self._expr((*path, "length"), data["length"]))

    def _attach(self, below: TensorAdaptor, path: Path, layer: Sequence[Data]) -> TensorAdaptor:
        made = [self._make((*path, n), entry) for n, entry in enumerate(layer)]
        lower, upper = ([entry[side] for entry in layer] for side in ("lower", "upper"))
        try:
            return attach(below, made, lower, upper)
        except LayoutError as error:
            named = [n for n, transform in enumerate(made) if str(error).startswith(repr(transform))]
            raise LayoutProblem((*path, *named[:1]), str(error)) from error

    def _steps(self, below: TensorAdaptor, path: Path, layers: Sequence[Sequence[Data]]) -> TensorAdaptor:
        for n, layer in enumerate(layers):
            below = self._attach(below, (*path, n), layer)
        return below

    def _base(self, path: Path, data: Data) -> TensorDescriptor:
        kind = data["kind"]
        if kind == "descriptor":
            return self._resolve((*path, "name"), data["name"]).descriptor
        params = [
            (self._exprs if isinstance(given, list) else self._expr)((*path, key), given)
            for key, given in ((key, data[key]) for key in BASES[kind][1])
        ]
        with meaning(path):
            return BASES[kind][0](*params)

    def _resolve(self, path: Path, name: str) -> DescriptorItem:
        """The descriptor of a name, built now if it is not yet; a cycle is refused with the way round it."""
        if name in self.building:
            way = " -> ".join([*self.building[self.building.index(name) :], name])
            raise Problem(path, f"descriptors that are built on each other: {way}")
        place, data = self._named("descriptor", path, name)
        return self._descriptor(("descriptor", place), data)

    def _descriptor(self, path: Path, data: Data) -> DescriptorItem:
        name = data["name"]
        if name in self.descriptors:
            return self.descriptors[name]
        if len(self.building) >= 64:
            raise Problem(path, "more than 64 descriptors are built on one another")
        self.building.append(name)
        base = self._base((*path, "base"), data["base"])
        adaptor = self._steps(base.adaptor, (*path, "steps"), data.get("steps", ()))
        self.building.pop()
        with meaning(path):
            made = TensorDescriptor(adaptor, base.element_space_size)
        about = self._about(path, data, "descriptor")
        examples = self._examples(path, data, lambda at, e: _descriptor_goal(made, at, e, self._exprs))
        self.descriptors[name] = DescriptorItem(
            descriptor=made, dtype=data.get("dtype"), examples=tuple(examples), **about
        )
        return self.descriptors[name]

    def _examples(self, path: Path, data: Data, goal: Callable[[Path, Data], Expr]) -> Iterator[LemmaItem]:
        for n, entry in enumerate(data.get("examples", ())):
            at = (*path, "examples", n)
            with meaning(at):
                made = goal(at, entry)
            yield LemmaItem(
                name=f"{data['name']} at ({', '.join(map(str, entry['index']))})", line=self.lines(at), goal=made,
                expect=_expect(entry),
            )  # fmt: skip

    def _map_examples(self, path: Path, data: Data, adaptor: Transform | TensorAdaptor) -> tuple[LemmaItem, ...]:
        def goal(at: Path, entry: Data) -> Expr:
            index, lower = (self._exprs((*at, key), entry[key]) for key in ("index", "lower"))
            lengths = adaptor.upper_lengths if isinstance(adaptor, Transform) else adaptor.lengths
            _refuse_index((*at, "index"), index, lengths)
            reached = adaptor.lower(index)
            if len(lower) != len(reached):
                raise Problem((*at, "lower"), f"{len(lower)} coordinates for {len(reached)} lower dimensions")
            goals = [eq(a, b) for a, b in zip(reached, lower, strict=True)]
            return all_of(*goals, *_validity(entry, adaptor.valid(index)))

        return tuple(self._examples(path, data, goal))

    def _transform(self, path: Path, data: Data) -> TransformItem:
        made = self._make(path, data)
        about = self._about(path, data, "transform")
        return TransformItem(transform=made, examples=self._map_examples(path, data, made), **about)

    def _adaptor(self, path: Path, data: Data) -> AdaptorItem:
        first = data["steps"][0] if data["steps"] else ()
        rank = sum(len(entry["lower"]) for entry in first)
        made = self._steps(make_identity(rank), (*path, "steps"), data["steps"])
        about = self._about(path, data, "adaptor")
        return AdaptorItem(adaptor=made, examples=self._map_examples(path, data, made), **about)

    def _distribution(self, path: Path, data: Data) -> DistributionItem:
        if data["name"] in self.distributions:
            return self.distributions[data["name"]]
        hs = tuple(self._exprs((*path, "hs", n), h) for n, h in enumerate(data["hs"]))
        rs = self._exprs((*path, "rs"), data.get("rs", ()))
        with meaning(path):
            made = TileDistribution(
                TileDistributionEncoding(rs, hs, *(data[k] for k in ("ps_major", "ps_minor", "ys_major", "ys_minor")))
            )
            if "wave_size" in data:
                made.require_lanes(data["wave_size"], data.get("warps", 1))
            if "window" in data:
                made.require_window(self._exprs((*path, "window"), data["window"]))
        about = self._about(path, data, "distribution")
        item = DistributionItem(distribution=made, examples=self._map_examples(path, data, made.adaptor), **about)
        return self.distributions.setdefault(item.name, item)

    # --- claims about several things ---

    def _access(self, path: Path, data: Data) -> AccessItem:
        descriptor = self._resolve((*path, "descriptor"), data["descriptor"])
        width = data.get("width", 1)
        if ("distribution" in data) == ("index" in data):
            raise Problem(path, "give either distribution = a name, or index = a formula of lane for each dimension")
        if "distribution" in data:
            lane, others, index = self._distributed(path, data, width)
        else:
            lane = var("lane", data.get("lanes") or self._wave(path, data))
            named = self._variables((*path, "variables"), data.get("variables", {}))
            if "lane" in named:
                raise Problem((*path, "variables", "lane"), "lane is the lane; give this variable another name")
            index = self._exprs((*path, "index"), data["index"], {**self.symbols, **named, "lane": lane})
            others = tuple(named.values())
        if len(index) != descriptor.descriptor.rank:
            raise Problem(path, f"{len(index)} coordinates for the {descriptor.descriptor.rank} dimensions of "
                          f"{descriptor.name}")  # fmt: skip
        self._refuse_instruction(path, data)
        return AccessItem(
            descriptor=descriptor, lane=lane, variables=others, index=index, width=width,
            instruction=data.get("instruction"), targets=tuple(data.get("targets", ())),
            distribution=data.get("distribution"),
            **self._about(path, data, "access", {**self.symbols, "lane": lane, **{v.value.name: v for v in others}}),
        )  # fmt: skip

    def _distributed(self, path: Path, data: Data, width: int) -> tuple[Expr, tuple[Expr, ...], tuple[Expr, ...]]:
        """Lane, other variables and tile index of a distribution; the last Y advances by `width`."""
        at = (*path, "distribution")
        place, entry = self._named("distribution", at, data["distribution"])
        tile = self._distribution(("distribution", place), entry).distribution
        if not tile.ps:
            raise Problem(at, f"distribution {data['distribution']!r} has no P: there is no lane")
        ys, last = list(tile.y_index), tile.ys[-1] if tile.ys else TRUE
        if last.op != "const" or int(last) % width:
            raise Problem((*path, "width"), f"the last Y has length {last}, which is no multiple of width {width}")
        if width > 1:
            ys[-1] = var("v", int(last) // width)
        index = tile.lower(tile.p_index, [*ys[:-1], *(y * width if width > 1 else y for y in ys[-1:])])
        return tile.p_index[-1], (*tile.p_index[:-1], *ys), index

    def _wave(self, path: Path, data: Data) -> int:
        """The lanes of a wave on the access's targets, 64 where it names none."""
        from layoutalg.target import TargetError, target

        try:
            sizes = {target(name).wave_size for name in data.get("targets", ())}
        except TargetError as error:
            raise Problem((*path, "targets"), str(error)) from error
        if len(sizes) > 1:
            raise Problem((*path, "targets"), f"waves of {sorted(sizes)} lanes; say which with lanes = …")
        return sizes.pop() if sizes else 64

    def _refuse_instruction(self, path: Path, data: Data) -> None:
        if "instruction" not in data:
            return
        from layoutalg.target import TargetError, target

        for n, name in enumerate(data.get("targets", ())):
            try:
                target(name).instruction(data["instruction"])
            except TargetError as error:
                raise Problem((*path, "targets", n), str(error)) from error

    def _lemma(self, path: Path, data: Data) -> LemmaItem:
        named = self._variables((*path, "variables"), data.get("variables", {}))
        scope = {**self.symbols, **named}
        goal = self._formula((*path, "goal"), data["goal"], scope)
        return LemmaItem(
            goal=goal, variables=tuple(named.values()), expect=_expect(data), **self._about(path, data, "lemma", scope)
        )

    def _agree(self, path: Path, data: Data) -> AgreeItem:
        left, right = (self._resolve((*path, side), data[side]) for side in ("left", "right"))
        named = self._variables((*path, "variables"), data.get("variables", {}))
        scope = {**self.symbols, **named}
        over = tuple(named.values()) or left.descriptor.index
        sides = []
        for side, item in (("left_index", left), ("right_index", right)):
            index = self._exprs((*path, side), data[side], scope) if side in data else over
            if len(index) != item.descriptor.rank:
                raise Problem(
                    (*path, side), f"{len(index)} coordinates for the {item.descriptor.rank} dimensions of {item.name}"
                )
            sides.append(index)
        return AgreeItem(
            left=left, right=right, variables=over, left_index=sides[0], right_index=sides[1], expect=_expect(data),
            **self._about(path, data, "agree", scope),
        )  # fmt: skip


def _expect(data: Data) -> Expect:
    return cast(Expect, data.get("expect", "proved"))


def _refuse_index(path: Path, index: Sequence[Expr], lengths: Sequence[Expr]) -> None:
    if len(index) != len(lengths):
        raise Problem(path, f"{len(index)} coordinates for {len(lengths)} dimensions")
    for n, (i, length) in enumerate(zip(index, lengths, strict=True)):
        if i.hi < 0 or (i - length).lo >= 0:
            raise Problem((*path, n), f"index {i} is outside dimension {n}, which has 0…{length - 1}")


def _validity(entry: Data, valid: Expr) -> tuple[Expr, ...]:
    return () if "valid" not in entry else (valid if entry["valid"] else negation(valid),)


def _descriptor_goal(descriptor: TensorDescriptor, path: Path, entry: Data, exprs: Callable[..., Any]) -> Expr:
    index = exprs((*path, "index"), entry["index"])
    _refuse_index((*path, "index"), index, descriptor.lengths)
    goals: list[Expr] = list(_validity(entry, descriptor.valid(index)))
    hidden = descriptor.hidden_index(index)
    if "offset" in entry:
        goals.append(eq(hidden[0], exprs((*path, "offset"), [entry["offset"]])[0]))
    if "hidden" in entry:
        wanted = exprs((*path, "hidden"), entry["hidden"])
        if len(wanted) != len(hidden):
            raise Problem((*path, "hidden"), f"{len(wanted)} indices for {len(hidden)} hidden dimensions")
        goals += [eq(hidden[i], w) for i, w in enumerate(wanted)]
    if not goals:
        raise Problem(path, "an example says one of offset, valid, hidden")
    return all_of(*goals)


BASES: Mapping[str, tuple[Callable[..., TensorDescriptor], tuple[str, ...]]] = {
    "naive": (make_naive_tensor_descriptor, ("lengths", "strides")),
    "packed": (make_naive_tensor_descriptor_packed, ("lengths",)),
    "aligned": (make_naive_tensor_descriptor_aligned, ("lengths", "align")),
    "naive_with_offset": (make_naive_tensor_descriptor_with_offset, ("lengths", "strides", "offset")),
}
"""How each base is made, and the keys of its parameters in order."""
