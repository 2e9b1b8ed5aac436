"""`draw`: a descriptor as a picture, or as a page to explore."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from layoutalg.cli.errors import InputError
from layoutalg.cli.files import defines_of, descriptor_of, read
from layoutalg.cli.output import placed
from layoutalg.disk import write_whole

if TYPE_CHECKING:
    from layoutalg.formats import DescriptorItem


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
    define: Annotated[list[str] | None, typer.Option("-D", help="NAME=VALUE for C++ parameters.")] = None,
) -> int:
    """Draw a descriptor: an explorer (.html), a picture (.svg; the transform graph without --by), or text."""
    spec = read(file, defines_of(define))
    if output is None:
        from layoutalg.draw import plain, tree

        print(plain(tree(descriptor_of(spec, descriptor).descriptor)))
        return 0
    if output.suffix == ".html":
        shown = [descriptor_of(spec, descriptor)] if descriptor else list(spec.descriptors)
        text = _page(spec.title or file.stem, shown, target, instruction)
    elif output.suffix == ".svg":
        from layoutalg.draw import svg

        text = svg(descriptor_of(spec, descriptor).descriptor, by=by)
    else:
        raise InputError(f"{output}: give a file that ends in .html or .svg")
    write_whole(output, text.encode())
    return 0


def _page(title: str, items: list[DescriptorItem], target: str, instruction: str) -> str:
    """An explorer of all descriptors given; their element size is the first one's (2 bytes where it has none)."""
    from layoutalg.draw import page
    from layoutalg.formats.grammar import DTYPES

    if not items:
        raise InputError(f"{title}: it has no descriptor to draw")
    size = max(1, DTYPES.get(items[0].dtype or "f16", 16) // 8)
    layouts = {item.name: item.descriptor for item in items}
    try:
        return page(layouts, title=title, target_name=target, instruction=instruction, element_bytes=size)
    except ValueError as error:
        if type(error) is not ValueError:  # one of ours has a message of its own
            raise
        raise InputError(f"{title}: no page: {error}; fix some of its sizes with limits or -D") from error
