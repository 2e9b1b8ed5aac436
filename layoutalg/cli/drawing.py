"""`draw`: a descriptor as a picture, or as a page to explore."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from layoutalg.cli.errors import InputError
from layoutalg.cli.files import SOURCES, defines_of, descriptor_of, missing, read, sizes_of, unread_reason
from layoutalg.cli.output import placed
from layoutalg.disk import write_whole

if TYPE_CHECKING:
    from layoutalg.formats import DescriptorItem, SpecFile
    from layoutalg.layout import TensorDescriptor


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command()(draw)


def draw(
    file: Annotated[Path, typer.Argument(help="A spec file, or CK Tile C++.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", callback=placed, help="page.html or picture.svg.")
    ] = None,
    descriptor: Annotated[str | None, typer.Option(help="The descriptor's name, where the file has several.")] = None,
    by: Annotated[str, typer.Option(help="Draw the index grid, coloured by offset, bank …")] = "",
    target: Annotated[str, typer.Option(help="The GPU whose banks are shown.")] = "gfx942",
    instruction: Annotated[str, typer.Option(help="The LDS instruction shown.")] = "ds_read_b128",
    access: Annotated[str | None, typer.Option(help="The file's access whose lanes and banks are drawn.")] = None,
    define: Annotated[list[str] | None, typer.Option("-D", help="A size, or a parameter of C++: NAME=VALUE.")] = None,
) -> int:
    """Draw a descriptor: an explorer (.html), a picture (.svg; the transform graph without --by), or text."""
    if output is None and by:
        raise InputError("draw: --by colours a picture; give -o picture.svg")
    defines = defines_of(define)
    spec = read(file, defines)
    sizes = {} if file.suffix in SOURCES else sizes_of(define)

    if access is not None:
        _draw_access(spec, access, sizes, output, by)
        return 0
    if output is None:
        from layoutalg.draw import plain, tree

        print(plain(tree(_sized(spec, descriptor, sizes).descriptor)))
        return 0
    if output.suffix == ".html":
        if not spec.descriptors:
            why = f": {unread_reason(spec)}{missing(file, defines)}" if spec.unread else ""
            raise InputError(f"{file}: no descriptor to draw{why}")
        names = [descriptor] if descriptor else [item.name for item in spec.descriptors]
        text = _page(spec.title or file.stem, [_sized(spec, name, sizes) for name in names], target, instruction)
    elif output.suffix == ".svg":
        from layoutalg.draw import svg

        text = svg(_fixed(_sized(spec, descriptor, sizes), by), by=by)
    else:
        raise InputError(f"{output}: give a file that ends in .html or .svg")
    write_whole(output, text.encode())
    return 0


def _draw_access(spec: SpecFile, name: str, sizes: dict[str, int], output: Path | None, by: str) -> None:
    """Lanes × banks of an access of the file, on its first target, at the sizes given, else the least."""
    from layoutalg.banks import AccessError
    from layoutalg.check.accesses import bytes_of, lanes_of
    from layoutalg.draw import LaneAccess, svg
    from layoutalg.draw.files import WRITERS
    from layoutalg.formats import AccessItem
    from layoutalg.prove.lds import access as lds_access

    every = {a.name: a for a in spec.items if isinstance(a, AccessItem)}
    if name not in every:
        raise InputError(f"{spec.path}: no access {name!r}; it has {', '.join(every) or 'none'}")
    item = every[name]
    if item.instruction is None or not item.targets:
        raise InputError(f"{name}: lanes × banks are of an instruction on a target; the access names no such pair")
    try:
        made = lds_access(
            item.descriptor.descriptor, lanes_of(item), bytes_of(item), item.targets[0], item.instruction, item.given
        )
    except AccessError as error:
        raise InputError(f"{name}: {error}") from error
    seen = LaneAccess.from_proof(made, sizes)
    if output is None:
        print(WRITERS[".txt"](seen), end="")
    elif output.suffix == ".svg":
        write_whole(output, svg(seen, by=by).encode())
    else:
        raise InputError(f"{output}: an access is drawn as .svg, or as text without -o")


def _sized(spec: SpecFile, name: str | None, sizes: dict[str, int]) -> DescriptorItem:
    """The descriptor, with values for some of its symbols."""
    from layoutalg.explain import sized

    return sized(descriptor_of(spec, name), sizes)


def _fixed(item: DescriptorItem, by: str) -> TensorDescriptor:
    """The descriptor for a picture of all its indices (`by`); InputError where its sizes are symbols."""
    from layoutalg.index import variables

    if by and any(variables(e) for e in item.descriptor.lengths):
        raise InputError(f"{item.name}: its sizes are symbols; give them values (-D NAME=VALUE)")
    return item.descriptor


def _page(title: str, items: list[DescriptorItem], target: str, instruction: str) -> str:
    """An explorer of all descriptors given; their element size is the first one's (2 bytes where it has none)."""
    from layoutalg.draw import page
    from layoutalg.formats.grammar import DTYPES

    size = max(1, DTYPES.get(items[0].dtype or "f16", 16) // 8)
    layouts = {item.name: item.descriptor for item in items}
    try:
        return page(layouts, title=title, target_name=target, instruction=instruction, element_bytes=size)
    except ValueError as error:
        if type(error) is not ValueError:  # one of ours has a message of its own
            raise
        raise InputError(f"{title}: no page: {error}; fix some of its sizes with limits or -D") from error
