"""What a notebook shows of each kind of thing that is `layoutalg.display.Displayed`: one table.

| kind                               | picture                | formula                          |
|------------------------------------|------------------------|----------------------------------|
| a descriptor, distribution, adaptor| its transform graph    | its index map                    |
| CuTe's layout, strided memory      | as the descriptor it is| of that                          |
| an access                          | lanes × banks          |                                  |
| a kernel's program                 | its data flow          |                                  |
| a verdict                          | the claim and its mark | the claim, and how it is decided |

HTML is the picture with the rest in words: lengths and memory of a layout; strategy, time, assumptions and witness of a
verdict.

What it cannot represent: what no picture shows (a tensor without elements); then the text of `repr` is left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from html import escape
from typing import Any

from layoutalg.draw.formula import escaped
from layoutalg.draw.formula import latex as formula
from layoutalg.draw.show import DRAWN, OF_OTHERS, show
from layoutalg.draw.svg import Picture, text_width, words
from layoutalg.errors import DrawError, InexpressibleError, LayoutError
from layoutalg.layout import TensorAdaptor, TensorDescriptor, TileDistribution
from layoutalg.prove import Proved, Refuted, Unknown, Verdict
from layoutalg.records import dataclass

MARKS: Mapping[type[Verdict], tuple[str, str, str]] = {
    Proved: ("✓", "good-ink", "#00704f"),
    Refuted: ("✗", "bad-ink", "#b34e00"),
    Unknown: ("?", "soft", "#5b6673"),
}
"""The mark of a verdict, its class in a picture, and its colour on a page."""


def _head(one: object) -> str:
    """The first line of its text."""
    return f"<code>{escape(repr(one).partition(chr(10))[0])}</code>"


@dataclass(frozen=True)
class Display:
    """How one kind of thing is shown; without a formula where it has none."""

    picture: Callable[[Any], Picture] = show
    formula: Callable[[Any], str] | None = None
    words: Callable[[Any], str] = _head


def svg(one: object) -> str | None:
    """The picture of a thing as SVG; None where there is none.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> make_naive_tensor_descriptor((3, 4), (8, 1))._repr_svg_()[:4], svg(3)
    ('<svg', None)
    """
    return _shown(one, lambda display: str(display.picture(one)))


def latex(one: object) -> str | None:
    """Its formula, for a page that sets LaTeX; None where there is none."""
    return _shown(one, lambda display: display.formula and f"$\\displaystyle {display.formula(one)}$")


def html(one: object) -> str | None:
    """Its picture, and what is to be said of it in words."""
    return _shown(
        one, lambda display: f"<figure>{display.picture(one)}<figcaption>{display.words(one)}</figcaption></figure>"
    )


def _shown(one: object, how: Callable[[Display], str | None]) -> str | None:
    display = next((DISPLAYS[kind] for kind in type(one).__mro__ if kind in DISPLAYS), None)
    with suppress(DrawError, LayoutError, InexpressibleError):
        return None if display is None else how(display)
    return None


def _badge(one: Verdict) -> Picture:
    """The claim on a line, its mark before it."""
    mark, cls, _ = MARKS[type(one)]
    text = f"{one.claim}: {one.name}"
    parts = words(18, 16, mark, f"{cls} bold", 16) + words(34, 16, text, cls, anchor="start")
    return Picture(44 + text_width(text), 32, parts, text)


def _verdict_formula(one: Verdict) -> str:
    return rf"\text{{{escaped(one.claim)}}}: \textbf{{{one.name}}}"


def _verdict_words(one: Verdict) -> str:
    colour = MARKS[type(one)][2]
    lines = [f"<span style='color:{colour}'>{escape(one.reason)}</span>"] if one.reason else []
    lines.append(f"by {escape(one.strategy)} in {one.seconds * 1e3:.2f} ms")
    lines += [f"assuming {escape(', '.join(one.assumptions))}"] if one.assumptions else []
    return "<br>".join(lines)


DISPLAYS: Mapping[type, Display] = {
    **dict.fromkeys(DRAWN, Display()),
    **dict.fromkeys((TensorDescriptor, TensorAdaptor, TileDistribution), Display(formula=formula)),
    **dict.fromkeys(OF_OTHERS, Display(formula=lambda one: formula(one.index_map))),
    Verdict: Display(_badge, _verdict_formula, _verdict_words),
}
"""How each kind of thing shows itself."""
