"""`draw`: a descriptor as a picture, or as a page to explore.

Lanes, banks and phases are those of the file's own accesses of the descriptor, wherever it has some:

| drawn             | where the file has accesses of it                | where it has none                             |
|-------------------|--------------------------------------------------|-----------------------------------------------|
| text              | the transforms, then each access's worst phase   | the transforms                                |
| `.html`           | each access by name, with its own instruction    | the usual reads, by the instruction asked for |
| `.svg`            | the transforms                                   | the transforms                                |
| `.svg`, `--by` …  | lane, phase, register, bank: one picture of each | offset, dword, bank; lanes of nobody: refused |

`--frames DIR` writes each phase of each access as a picture, `DIR/NAME-0.svg` and on: one after another, they move.
`--access NAME` draws that access alone: its lanes and banks, or, with `--by`, the index grid.  `--target` and
`--instruction` go before what the access names.  An access that names no instruction reaches memory: its lanes are
shown in the page, and it has no banks.  One that is no access of that target is left out, and a note says why.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from layoutalg.cli.errors import InputError
from layoutalg.cli.files import (
    SOURCES,
    Includes,
    accesses_of,
    defines_of,
    descriptor_of,
    missing,
    read,
    sizes_of,
    unread_reason,
)
from layoutalg.cli.output import placed
from layoutalg.disk import write_whole
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass
from layoutalg.target import DEFAULT, DEFAULT_READ

with lazy_imports():
    import layoutalg.draw as drawn
    from layoutalg import formats, index, layout
    from layoutalg.draw import files as writers
    from layoutalg.formats import accesses, sized
    from layoutalg.memory import banks
    from layoutalg.memory import reach as accessing

LANES = ("lane", "phase", "register", "bank")
"""What an index grid is coloured by that depends on an access."""


def draw(
    file: Annotated[Path, typer.Argument(help="A spec file, or CK Tile C++.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", callback=placed, help="page.html or picture.svg.")
    ] = None,
    descriptor: Annotated[str | None, typer.Option(help="The descriptor's name, where the file has several.")] = None,
    by: Annotated[str, typer.Option(help="Draw the index grid, coloured by offset, bank …")] = "",
    target: Annotated[
        str | None, typer.Option(help="The GPU whose banks are shown: the access's first, else gfx942.")
    ] = None,
    instruction: Annotated[
        str | None, typer.Option(help="The LDS instruction shown: the access's own, else ds_read_b128.")
    ] = None,
    access: Annotated[str | None, typer.Option(help="Only this access of the file: its lanes and banks.")] = None,
    frames: Annotated[
        Path | None,
        typer.Option(callback=placed, help="A folder for a picture of each phase of each access."),
    ] = None,
    define: Annotated[list[str] | None, typer.Option("-D", help="A size, or a parameter of C++: NAME=VALUE.")] = None,
    include: Includes = None,
) -> int:
    """Draw a descriptor: an explorer (.html), a picture (.svg; the transform graph without --by), or text.

    Lanes, banks and phases shown are those of the file's own accesses of it, where it has some.
    """
    if output is None and frames is None and by:
        raise InputError("draw: --by colours a picture; give -o picture.svg, or --frames folder")
    if output is not None and frames is not None:
        raise InputError("draw: give -o or --frames, not both")
    if output is not None and output.suffix not in (".html", ".svg"):
        raise InputError(f"{output}: give a file that ends in .html or .svg")
    defines = defines_of(define)
    spec = read(file, defines, include, partly=True)
    sizes = {} if file.suffix in SOURCES else sizes_of(define)
    ask = Asked(spec, sizes, target, instruction, by)

    if frames is not None:
        text = ask.frames(frames, descriptor, access)
    elif access is not None:
        text = ask.one_access(access, output)
    elif output is None:
        text = ask.text(descriptor)
    elif output.suffix == ".html":
        if not spec.descriptors:
            why = f": {unread_reason(spec)}{missing(file, defines)}" if spec.unread else ""
            raise InputError(f"{file}: no descriptor to draw{why}")
        names = [descriptor] if descriptor else [item.name for item in spec.descriptors]
        text = ask.page(spec.title or file.stem, names)
    else:
        text = str(ask.picture(descriptor))
    if output is None:
        print(text)
    else:
        write_whole(output, text.encode())
    return 0


@dataclass(frozen=True)
class Asked:
    """What is drawn of a file: at which sizes, for which target and instruction (None: the access's), coloured how."""

    spec: formats.SpecFile
    sizes: dict[str, int]
    target: str | None
    instruction: str | None
    by: str

    def text(self, name: str | None) -> str:
        """The transforms, and the worst phase of each access."""
        item = self.descriptor(name)
        parts = [drawn.plain(drawn.tree(item.descriptor))]
        for own in self.accesses(item.name):
            try:
                parts.append(f"{own.name}: {self.banks_of(own)}".rstrip())
            except (InputError, drawn.DrawError, ValueError) as error:
                parts.append(f"{own.name}: not drawn: {_short(own, error)}")
        return "\n\n".join(parts)

    def page(self, title: str, names: list[str]) -> str:
        """The explorer of some descriptors."""
        items = [self.descriptor(name) for name in names]
        own = {item.name: dict(self.reaches(item)) for item in items}
        try:
            return drawn.page(
                {item.name: item.descriptor for item in items}, title=title, own=own,
                claims={item.name: self.claims(item) for item in items}, target_name=self.target,
                instruction=self.instruction, dtype={item.name: _dtype(item) for item in items},
            )  # fmt: skip
        except ValueError as error:
            if type(error) is not ValueError:  # one of ours has a message of its own
                raise
            raise InputError(f"{title}: no page: {error}; fix some of its sizes with limits or -D") from error

    def claims(self, item: formats.DescriptorItem) -> dict[str, list[str]]:
        """What the file claims of a descriptor (""), and of each of its accesses."""
        named: dict[str, formats.DescriptorItem | formats.AccessItem] = {"": item}
        named |= {one.name: one for one in self.accesses(item.name)}
        return {
            name: [f"{c}{' (refuted)' * (c.expect == 'refuted')}" for c in one.claims]
            for name, one in named.items()
            if one.stated
        }

    def reaches(self, item: formats.DescriptorItem) -> Iterator[tuple[str, accessing.Reach]]:
        """The accesses of a descriptor; a note for one that is none, InputError where that is so of all."""
        every, whys = self.accesses(item.name), []
        for one in every:
            try:
                yield one.name, self.reach(one)
            except (InputError, layout.LayoutError) as error:
                whys.append(f"{one.name}: not drawn: {_short(one, error)}")
        if whys and len(whys) == len(every):
            raise InputError("; ".join(whys))
        for why in whys:
            print(f"note: {why}", file=sys.stderr)

    def picture(self, name: str | None) -> drawn.Picture:
        """The transforms, or the index grid: one for each access that it depends on."""
        item = self.descriptor(name)
        whole = _fixed(item, self.by)
        own = [a for a in self.accesses(item.name) if self.in_lds(a)] if self.by in LANES else []
        if own:
            same: dict[str, list[str]] = {}
            pictures = {a.name: drawn.show(self.lds(a), by=self.by) for a in own}
            for one, picture in pictures.items():
                same.setdefault(str(picture), []).append(one)
            alone = [pictures[each[0]].headed(", ".join(each)) for each in same.values()]
            return drawn.below(alone, f"{self.by} of {item.name}")
        if self.by in LANES and self.by != "bank":
            raise InputError(f"{item.name}: the file has no access of it by an LDS instruction: no {self.by} to show")
        options: dict[str, Any] = {
            "target": self.target or DEFAULT, "instruction": self.instruction or DEFAULT_READ,
            "dtype": _dtype(item),
        }  # fmt: skip
        return drawn.show(whole, by=self.by, **options) if self.by else drawn.show(whole)

    def named(self, name: str) -> formats.AccessItem:
        """The access of a name; InputError names those that there are."""
        every = {a.name: a for a in self.spec.items if isinstance(a, formats.AccessItem)}
        if name not in every:
            raise InputError(f"{self.spec.path}: no access {name!r}; it has {', '.join(every) or 'none'}")
        return self.sized(every[name])

    def frames(self, folder: Path, descriptor: str | None, access: str | None) -> str:
        """Writes the phases of an access, else of all (of a descriptor); what was written, a line each."""
        if access is not None:
            chosen = [self.named(access)]
        else:
            wanted = [descriptor_of(self.spec, descriptor)] if descriptor else self.spec.descriptors
            chosen = [one for item in wanted for one in self.accesses(item.name) if self.in_lds(one)]
        if not chosen:
            raise InputError(f"{self.spec.path}: no access by an LDS instruction: no phases to show")
        made: dict[str, tuple[drawn.Picture, ...]] = {}
        whys = []
        for one in chosen:
            try:
                made[one.name] = drawn.frames(drawn.LaneAccess.from_proof(self.lds(one)), self.by or "bank")
            except (InputError, layout.LayoutError, ValueError) as error:
                whys.append(f"{one.name}: not drawn: {_short(one, error)}")
        if not made:
            raise InputError("; ".join(whys))
        for why in whys:
            print(f"note: {why}", file=sys.stderr)
        folder.mkdir(exist_ok=True)
        return "\n".join(_written(folder, name, pictures) for name, pictures in made.items())

    def one_access(self, name: str, output: Path | None) -> str:
        """One access of the file, in the way that the output's ending says."""
        item = self.named(name)
        if output is None:
            return self.banks_of(item).rstrip()
        if output.suffix == ".html":
            return drawn.access_page(self.lds(item), title=name)
        return drawn.svg(self.lds(item), by=self.by)

    def banks_of(self, item: formats.AccessItem) -> str:
        """Lanes × banks of an access, as text."""
        return str(writers.WRITERS[".txt"](self.lds(item)))

    def lds(self, item: formats.AccessItem) -> accessing.Access:
        """An access of LDS; InputError where it is none."""
        if not self.in_lds(item):
            raise InputError(
                f"{item.name}: lanes × banks are of an instruction on a target; the access names no such pair"
            )
        found = self.reach(item)
        assert isinstance(found, accessing.Access)
        return found

    def in_lds(self, item: formats.AccessItem) -> bool:
        """Whether there is an instruction and a target."""
        return bool((self.instruction or item.instruction) and (self.target or item.targets))

    def reach(self, item: formats.AccessItem) -> accessing.Reach:
        """The access for the target and the instruction asked for, else its own."""
        if not self.in_lds(item) and item.descriptor.dtype is None:  # no byte is asked for: only its lanes are shown
            item = replace(item, descriptor=replace(item.descriptor, dtype="f16"))
        try:
            return accesses.reach_of(item, self.target, self.instruction)
        except banks.AccessError as error:
            raise InputError(f"{item.name}: {error}") from error

    def descriptor(self, name: str | None) -> formats.DescriptorItem:
        """The descriptor, with values for some of its symbols."""
        item = descriptor_of(self.spec, name)
        return sized.sized(item, self.sizes, accesses_of(self.spec, item.name))

    def accesses(self, name: str) -> list[formats.AccessItem]:
        """The file's accesses of a descriptor, with values for some of their symbols."""
        return [self.sized(item) for item in accesses_of(self.spec, name)]

    def sized(self, item: formats.AccessItem) -> formats.AccessItem:
        """An access, with values for some of its symbols."""
        return sized.sized_access(item, self.sizes)


def _written(folder: Path, name: str, frames: Sequence[drawn.Picture]) -> str:
    """Writes the phases of an access; which files hold them."""
    digits = len(str(len(frames) - 1))
    paths = [folder / f"{name}-{n:0{digits}}.svg" for n in range(len(frames))]
    for path, frame in zip(paths, frames, strict=True):
        write_whole(path, str(frame).encode())
    if len(paths) == 1:
        return f"{name}: 1 phase, {paths[0]}"
    return f"{name}: {len(paths)} phases, {paths[0]} to {paths[-1].name}"


def _short(item: formats.AccessItem, error: Exception) -> str:
    """The message without the access's name, which stands before it."""
    return str(error).removeprefix(f"{item.name}: ")


def _dtype(item: formats.DescriptorItem) -> str:
    """The element type: f16 where the file does not say."""
    return item.dtype or "f16"


def _fixed(item: formats.DescriptorItem, by: str) -> layout.TensorDescriptor:
    """The descriptor for a picture of all its indices (`by`); InputError where its sizes are symbols."""
    if by and any(index.variables(e) for e in item.descriptor.lengths):
        raise InputError(f"{item.name}: its sizes are symbols; give them values (-D NAME=VALUE)")
    return item.descriptor
