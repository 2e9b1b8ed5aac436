"""Drawings as files and in notebooks: the ending of a file's name says what is written.

| ending  | holds                                                   | of                                     |
|---------|---------------------------------------------------------|----------------------------------------|
| `.svg`  | the picture                                             | whatever `show` draws                  |
| `.html` | the explorer                                            | descriptors, a distribution, an access |
|         | the picture in a page                                   | whatever else `show` draws             |
| `.tex`  | the formulas                                            | descriptors, adaptors, distributions   |
| `.txt`  | the tree of transforms and the first corner of the grid | descriptors, adaptors, distributions   |
|         | lanes × banks of the worst phase                        | accesses                               |

What it cannot represent: PNG or PDF; a browser prints the SVG.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from layoutalg.draw.access import LaneAccess
from layoutalg.draw.fields import FieldInputs, descriptor_field, distribution_field
from layoutalg.draw.formula import latex
from layoutalg.draw.page import access_page, page
from layoutalg.draw.show import show, svg
from layoutalg.draw.text import plain, table, tree
from layoutalg.errors import DrawError
from layoutalg.layout import TensorAdaptor, TensorDescriptor, TileDistribution
from layoutalg.memory import Access
from layoutalg.memory.bank_report import picture
from layoutalg.records import dataclass

LAYOUTS = (TensorDescriptor, TensorAdaptor, TileDistribution)


@dataclass(frozen=True)
class Explorer:
    """The explorer's page, which a notebook shows in a frame of its own.

    >>> print(Explorer("<b>tile</b>", 300)._repr_html_())
    <iframe style="width:100%;height:300px;border:0" sandbox="allow-scripts" srcdoc="&lt;b&gt;tile&lt;/b&gt;"></iframe>
    """

    text: str = field(repr=False)
    height: int = 900

    def _repr_html_(self) -> str:
        frame = f'style="width:100%;height:{self.height}px;border:0" sandbox="allow-scripts"'
        return f'<iframe {frame} srcdoc="{html.escape(self.text)}"></iframe>'


def explore(given: Any, **options: Any) -> Explorer:
    """The explorer in a notebook; options are those of `page`.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> explore(make_naive_tensor_descriptor((8, 8), (9, 1)))._repr_html_()[:7]
    '<iframe'
    """
    return Explorer(_html(given, **options))


def _html(given: Any, **options: Any) -> str:
    """The explorer of a layout or an access; of anything else its picture in a page."""
    if isinstance(given, LaneAccess | Access):
        return access_page(given, **options)
    if isinstance(given, TensorDescriptor | TileDistribution | Mapping):
        return page(given, **options)
    drawing = show(given, **options)
    title = html.escape(drawing.title)
    scheme = '<meta charset="utf-8"><meta name="color-scheme" content="light dark">'
    return (
        f'<!doctype html>\n<html lang="en"><head>{scheme}<title>{title}</title></head>\n<body>{drawing}</body></html>\n'
    )


def _formulas(given: Any, **_: Any) -> str:
    if not isinstance(given, LAYOUTS):
        raise DrawError(f"no formulas of {type(given).__name__}; of a descriptor, an adaptor or a distribution")
    return latex(given) + "\n"


def _text(given: Any, by: str = "", **options: Any) -> str:
    if isinstance(given, LaneAccess | Access):
        seen = given if isinstance(given, LaneAccess) else LaneAccess.from_proof(given, **options)
        return picture(seen.target, seen.instruction, seen.addresses, active=seen.active) + "\n"
    if not isinstance(given, LAYOUTS):
        raise DrawError(f"no text of {type(given).__name__}; of a descriptor, adaptor, distribution or access")
    parts = [plain(tree(given))]
    if isinstance(given, TensorDescriptor):
        parts.append(plain(table(descriptor_field(FieldInputs(given, **options), by or "offset")), 200))
    elif isinstance(given, TileDistribution):
        parts.append(plain(table(distribution_field(given, by or "lane", **options)), 200))
    return "\n\n".join(parts) + "\n"


WRITERS: Mapping[str, Callable[..., str]] = {".svg": svg, ".html": _html, ".tex": _formulas, ".txt": _text}
"""What is written for each ending."""


def save(given: Any, path: str | Path, **options: Any) -> Path:
    """Draw into a file; options go on to what draws it.  DrawError for an unknown ending, OSError from the disk.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> save(make_naive_tensor_descriptor((8, 8), (9, 1)), "tile.png")
    Traceback (most recent call last):
        ...
    layoutalg.errors.DrawError: a drawing's file ends in .svg, .html, .tex or .txt; not in '.png'
    """
    where = Path(path)
    if where.suffix not in WRITERS:
        *most, last = WRITERS
        raise DrawError(f"a drawing's file ends in {', '.join(most)} or {last}; not in {where.suffix!r}")
    where.write_text(WRITERS[where.suffix](given, **options), encoding="utf-8")
    return where
