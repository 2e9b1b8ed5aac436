"""Every kind of item that a spec file has, and how each is made: the whole file from its checked data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from layoutalg.errors import SpecError
from layoutalg.formats import relations
from layoutalg.formats.build import Builder
from layoutalg.formats.claims import ClaimError, claim_of
from layoutalg.formats.context import Data, RefusedLayoutError
from layoutalg.formats.model import Item, Refusal, SpecFile
from layoutalg.formats.reading import DocumentError, Path, reading
from layoutalg.layout import LayoutError
from layoutalg.lazy import lazy_imports

with lazy_imports():
    from layoutalg.formats import launching

MAKERS: Mapping[str, Callable[[Builder, Path, Data], Item]] = {
    "descriptor": Builder.descriptor,
    "transform": Builder.transform,
    "adaptor": Builder.adaptor,
    "distribution": Builder.distribution,
    "access": relations.access,
    "box": relations.box,
    "lemma": relations.lemma,
    "agree": relations.agree,
}


CLAIMED = tuple(kind for kind in MAKERS if kind not in ("lemma", "agree"))
"""The kinds that claims are made of; the others are claims themselves."""


def spec_file(builder: Builder, path: str, *, partly: bool = False) -> SpecFile:
    """The whole file; its items stand in the order of their lines.

    `partly`: what makes no layout is left out, and stands with the reason in the builder's `unread`.
    """
    builder.read_symbols()
    builder.refuse_repeats()
    data = builder.data
    items = [*_items(builder, partly)]
    order = sorted(items, key=lambda item: item.line or 0)
    launch = launching.launch(builder, ("launch",), data["launch"]) if "launch" in data else None
    return SpecFile(
        path, builder.file_symbols, tuple(order), data.get("title", ""), launch=launch, given=builder.file_given,
        data=data, constants=builder.constants,
    )  # fmt: skip


def _items(builder: Builder, partly: bool) -> Iterator[Item]:
    for kind in MAKERS:
        for n, entry in enumerate(builder.data.get(kind, ())):
            try:
                yield _item(builder, kind, (kind, n), entry)
            except DocumentError as problem:
                of = problem.path[0]
                if not partly or of not in MAKERS:
                    raise
                if problem.path[:2] != (kind, n):  # what it is built on is told at its own line
                    other = builder.data[str(of)][int(problem.path[1])]["name"]
                    problem = DocumentError((kind, n), f"it rests on {other}, which is not read")
                builder.unread.append((entry["name"], problem))


def of_block(file: SpecFile, block: Sequence[int], given: Sequence[str]) -> SpecFile:
    """The same file with a launch of blocks of these sizes, which holds where this is given besides."""
    launch = {**file.data["launch"], "block": [*block]}
    return _again(file, {**file.data, "given": [*file.data.get("given", ()), *given], "launch": launch})


def claiming(file: SpecFile, name: str, claims: Sequence[str]) -> SpecFile:
    """One item of a file alone, of which these are claimed, to be proved, in place of what the file claims of it.

    SpecError where the file is no spec file, has no item of that name, or a claim is none of the item.

    >>> from layoutalg.formats import loads
    >>> file = loads('[[descriptor]]\\nname = "tile"\\nbase = { kind = "packed", lengths = [8, 64] }')
    >>> [str(claim) for item in claiming(file, "tile", ["contiguous(8)"]).items for claim in item.claims]
    ['contiguous(8)']
    """
    lines = {item.name: item.line for item in file.items if item.name in _named(file.data)}
    if name not in lines:
        raise SpecError(
            f"no item {name!r} of which a claim can be made; it has {', '.join(lines) or 'none'}", file.path
        )
    stated = [{"equals": other} if (other := text.removeprefix("equals ")) != text else text for text in claims]

    def entry(one: Data) -> Data:
        kept = {key: value for key, value in one.items() if key not in ("expect", "because", "examples")}
        return {**kept, "claims": stated} if one["name"] == name else one

    data = {**file.data, **{kind: [*map(entry, file.data[kind])] for kind in CLAIMED if kind in file.data}}
    try:
        asked = _again(file, data)
    except DocumentError as problem:
        raise SpecError(problem.reason, file.path) from problem
    (item,) = (item for item in asked.items if item.name == name)
    return replace(asked, items=(replace(item, line=lines[name]),))


def _named(data: Data) -> set[str]:
    return {entry["name"] for kind in CLAIMED for entry in data.get(kind, ())}


def is_as_read(file: SpecFile) -> bool:
    """Whether a file's launch is what it was read to be: what it was built from says nothing of later changes."""
    if file.launch is None or "launch" not in file.data:
        return False
    again = _again(file, file.data)
    return again.launch == replace(file.launch, line=None) and again.given == file.given


def _again(file: SpecFile, data: Data) -> SpecFile:
    with reading(file.path):
        return spec_file(Builder(data, lambda path: None, constants=file.constants), file.path)


def _item(builder: Builder, kind: str, path: Path, data: Data) -> Item:
    with builder.assuming(data):
        if data.get("expect") == "refused":
            return _refusal(builder, kind, path, data)
        made = MAKERS[kind](builder, path, data)
        _refuse_senseless(path, made)
        return made


def _refuse_senseless(path: Path, item: Item) -> None:
    """DocumentError at a stated claim whose arguments make no sense for the item."""
    for n, stated in enumerate(item.claims if item.stated else ()):
        try:
            claim_of(item, stated)
        except ClaimError as error:
            raise DocumentError((*path, "claims", n), str(error)) from error
        except LayoutError:
            pass  # of such an item nothing can be claimed so: `check` says why


def _refusal(builder: Builder, kind: str, path: Path, data: Data) -> Refusal:
    """An item that must make no layout, and why it makes none; no reason where it makes one."""
    if kind in ("lemma", "agree"):
        raise DocumentError((*path, "expect"), f"a {kind} is proved or refuted, never refused")
    if "claims" in data:
        raise DocumentError((*path, "claims"), "a layout that must be refused has no claims")
    reason: str | None = None
    try:
        MAKERS[kind](builder, path, data)
    except RefusedLayoutError as problem:
        reason = problem.reason
    because = data.get("because", "")
    return Refusal(of=kind, reason=reason, because=because, data=data, **builder.about(path, data, ""))
