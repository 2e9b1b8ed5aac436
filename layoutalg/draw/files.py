"""Drawings as files and in notebooks: the ending of a file's name says what is written.

| ending  | holds                                                   | of                                     |
|---------|---------------------------------------------------------|----------------------------------------|
| `.svg`  | the picture                                             | whatever `show` draws                  |
| `.html` | the explorer                                            | descriptors by name, one, a distribution |
| `.tex`  | the formulas                                            | descriptors, adaptors, distributions   |
| `.txt`  | the tree of transforms and the first corner of the grid | descriptors, adaptors, distributions   |

What it cannot represent: PNG or PDF; a browser prints the SVG.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from layoutalg.draw.errors import DrawError
from layoutalg.draw.fields import Asked, descriptor_field, distribution_field
from layoutalg.draw.formula import latex
from layoutalg.draw.page import page
from layoutalg.draw.show import svg
from layoutalg.draw.text import plain, table, tree
from layoutalg.layout import TensorAdaptor, TensorDescriptor, TileDistribution

LAYOUTS = (TensorDescriptor, TensorAdaptor, TileDistribution)


@dataclass(frozen=True)
class Explorer:
    """The explorer's page, which a notebook shows in a frame of its own."""

    text: str
    height: int = 900

    def _repr_html_(self) -> str:
        frame = f'style="width:100%;height:{self.height}px;border:0" sandbox="allow-scripts"'
        return f'<iframe {frame} srcdoc="{html.escape(self.text)}"></iframe>'


def explore(layouts: Any, **options: Any) -> Explorer:
    """The explorer in a notebook; options are those of `page`.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> explore(make_naive_tensor_descriptor((8, 8), (9, 1)))._repr_html_()[:7]
    '<iframe'
    """
    return Explorer(page(layouts, **options))


def _formulas(given: Any, **_: Any) -> str:
    if not isinstance(given, LAYOUTS):
        raise DrawError(f"no formulas of {type(given).__name__}; of a descriptor, an adaptor or a distribution")
    return latex(given) + "\n"


def _text(given: Any, by: str = "", **options: Any) -> str:
    if not isinstance(given, LAYOUTS):
        raise DrawError(f"no text of {type(given).__name__}; of a descriptor, an adaptor or a distribution")
    parts = [plain(tree(given))]
    if isinstance(given, TensorDescriptor):
        parts.append(plain(table(descriptor_field(Asked(given, **options), by or "offset")), 200))
    elif isinstance(given, TileDistribution):
        parts.append(plain(table(distribution_field(given, by or "lane", **options)), 200))
    return "\n\n".join(parts) + "\n"


WRITERS: Mapping[str, Callable[..., str]] = {".svg": svg, ".html": page, ".tex": _formulas, ".txt": _text}
"""What is written for each ending."""


def save(given: Any, path: str | Path, **options: Any) -> Path:
    """Draw into a file; options go on to what draws it.  DrawError for an unknown ending, OSError from the disk.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> save(make_naive_tensor_descriptor((8, 8), (9, 1)), "tile.png")
    Traceback (most recent call last):
        ...
    layoutalg.draw.errors.DrawError: a drawing's file ends in .svg, .html, .tex or .txt; not in '.png'
    """
    where = Path(path)
    if where.suffix not in WRITERS:
        *most, last = WRITERS
        raise DrawError(f"a drawing's file ends in {', '.join(most)} or {last}; not in {where.suffix!r}")
    where.write_text(WRITERS[where.suffix](given, **options), encoding="utf-8")
    return where
