"""Pictures for the terminal: the transform graph as a tree, the index grid in colour, by rich.

    TensorDescriptor (4, 64, 128) over 32768 elements
    0 offset
    └── embed (256, 128), (128, 1)
        ├── 1 (256)
        │   └── unmerge (4, 64)
        │       ├── 3 (4)     i0
        │       └── 4 (64)    i1
        └── 2 (128)
            └── pass_through 128
                └── 5 (128)   i2

The tree grows from memory to the user.  A grid shows at most a screenful of its first corner and says so.
What it cannot represent: a transform over several lower dimensions in one place; it stands below the first, and the
others point to it.
"""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console, Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from layoutalg.draw.fields import Field
from layoutalg.draw.graph import Layout, caption, top_and_bottom_names
from layoutalg.draw.grid import Sheet, flat
from layoutalg.draw.palette import ink_on
from layoutalg.layout import TensorAdaptor, TensorDescriptor

ROWS, COLUMNS = 32, 32


def tree(layout: Layout) -> RenderableType:
    """The transform graph as a tree, from the bottom to the top.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> print(plain(tree(make_naive_tensor_descriptor((8, 64), (64, 1)))))
    0 offset
    └── embed (8, 64), (64, 1)
        ├── 1 (8) i0
        └── 2 (64) i1
    """
    adaptor = layout if isinstance(layout, TensorAdaptor) else layout.adaptor
    names = top_and_bottom_names(layout, adaptor)
    if isinstance(layout, TensorDescriptor):
        names = {**names, adaptor.bottom_ids[0]: "offset"}
    roots = [_branch(adaptor, names, i, shown=set()) for i in adaptor.bottom_ids]
    return roots[0] if len(roots) == 1 else Group(*roots)


def _branch(adaptor: TensorAdaptor, names: Mapping[int, str], i: int, shown: set[int]) -> Tree:
    length = adaptor.hidden_lengths.get(i)
    label = Text(str(i), style="bold green")
    if length is not None and names.get(i) != "offset":
        label.append(f" ({length})", style="dim")
    if i in names:
        label.append(f" {names[i]}", style="bold")
    tree = Tree(label)
    for n, (_, lower, upper) in enumerate(adaptor.linked):
        if i not in lower:
            continue
        name, parameters = caption(adaptor.transforms[n])
        if n in shown:
            tree.add(Text(f"… to the {name} above", style="dim"))
            continue
        shown.add(n)
        branch = tree.add(Text.assemble((name, "bold blue"), f" {parameters}"))
        for child in upper:
            branch.children.append(_branch(adaptor, names, child, shown))
    return tree


def table(field: Field, rows: int | None = None) -> RenderableType:
    """The first corner of an index grid, a screenful, each number on its colour.

    >>> from layoutalg.draw.fields import FieldInputs, descriptor_field
    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> tile = make_naive_tensor_descriptor((2, 4), (8, 1))
    >>> print(plain(table(descriptor_field(FieldInputs(tile), "offset"))))
    offset   0   1   2   3
         0   0   1   2   3
         1   8   9  10  11
    """
    sheet = flat(field, rows)
    height, width = min(sheet.shape[0], ROWS), min(sheet.shape[1], COLUMNS)
    wide = max(len(str(sheet.high)), len(str(width - 1))) + 2
    margin = max(len(field.name), 6)
    lines = [Text(f"{field.name:<{margin}}", style="dim") + Text("".join(f"{c:>{wide}}" for c in range(width)), "dim")]
    lines += [_line(sheet, row, width, wide, margin) for row in range(height)]
    if (height, width) != sheet.shape:
        lines.append(Text(f"the first {height} × {width} of {sheet.shape[0]} × {sheet.shape[1]}", style="dim"))
    return Group(*lines)


def _line(sheet: Sheet, row: int, width: int, wide: int, margin: int) -> Text:
    line = Text(f"{row:>{margin}}", style="dim")
    for column in range(width):
        number = int(sheet.values[row, column])
        if not sheet.known[row, column]:
            line.append(f"{'·':>{wide}}", style="dim")
            continue
        colour = sheet.colour(number)
        ink = "#ffffff" if ink_on(colour) == "on-dark" else "#000000"
        line.append(f"{number:>{wide}}", style=f"{ink} on {colour}")
    return line


def plain(renderable: RenderableType, width: int = 120) -> str:
    """What the terminal shows, without colours, trailing blanks dropped.

    >>> plain(Text("a tile   ", style="bold red"))
    'a tile'
    """
    console = Console(width=width, no_color=True, force_terminal=False, legacy_windows=False)
    with console.capture() as capture:
        console.print(renderable)
    return "\n".join(line.rstrip() for line in capture.get().splitlines())
