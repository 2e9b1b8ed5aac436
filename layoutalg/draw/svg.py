"""Pictures as SVG text: a few shapes, one style sheet for light and dark, and pictures beside and below each other.

A picture is a width, a height and the text of its shapes; shapes are functions that return text.  Colours of lines,
ink and paper come from the style sheet, which follows `prefers-color-scheme`, so that a drawing fits a light page and
a dark one; colours that carry meaning (`layoutalg.draw.palette`) are the same in both.

| class            | what it is            | light     | dark      |
|------------------|-----------------------|-----------|-----------|
| `paper`          | the background        | `#ffffff` | `#14181d` |
| `ink`, `soft`    | text, and side remark | `#1c2128` | `#e6eaf0` |
| `edge`           | lines of a graph      | `#6b7684` | `#8b96a5` |
| `bad`, `bad-ink` | what is refuted       | `#d55e00` | `#ff8a3c` |

What it cannot represent: anything that moves (the explorer, `layoutalg.draw.page`, does).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from layoutalg.records import dataclass

STYLE: Mapping[str, tuple[str, str, str]] = {
    "paper": ("fill:{}", "#ffffff", "#14181d"),
    "ink": ("fill:{}", "#1c2128", "#e6eaf0"),
    "soft": ("fill:{}", "#5b6673", "#9aa6b5"),
    "edge": ("fill:none;stroke-width:1.4;stroke:{}", "#6b7684", "#8b96a5"),
    "rule": ("fill:none;stroke-width:1;stroke:{}", "#d4d9e0", "#343c47"),
    "frame": ("fill:none;stroke-width:1.2;stroke:{}", "#1c2128", "#c8d0da"),
    "box": ("stroke:#0072b2;stroke-width:1.4;fill:{}", "#e8f2fb", "#0f2a40"),
    "ball": ("stroke:#009e73;stroke-width:1.6;fill:{}", "#e6f6f0", "#0c2f26"),
    "memory": ("stroke:#e69f00;stroke-width:1.6;fill:{}", "#fdf3dc", "#3a2c0a"),
    "gap": ("fill:{}", "#e6e9ee", "#262d36"),
    "hatch": ("fill:none;stroke-width:.8;stroke:{}", "#b6bec9", "#4a5563"),
    "bad": ("fill:none;stroke-width:2.4;stroke:{}", "#d55e00", "#ff8a3c"),
    "bad-ink": ("fill:{}", "#a34700", "#ff9b57"),
    "bad-box": ("stroke:#d55e00;stroke-width:2;fill:{}", "#fdeadd", "#43210a"),
    "mark": ("fill:none;stroke-width:2;stroke:{}", "#1c2128", "#ffffff"),
    "good-ink": ("fill:{}", "#00704f", "#3fd6a6"),
}
"""The style sheet: what a class sets, with its colour on a light page and on a dark one."""

FIXED = (
    ".la{font-family:'DejaVu Sans',Verdana,'Segoe UI',system-ui,sans-serif;font-size:12px}"
    ".la .num{font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace}.la .bold{font-weight:bold}"
    ".la .on-dark{fill:#fff}.la .on-light{fill:#000}"
)
TITLE, SMALL = 15, 10


def _sheet() -> str:
    light = "".join(f".la .{name}{{{rule.format(day)}}}" for name, (rule, day, _) in STYLE.items())
    dark = "".join(f".la .{name}{{{rule.format(night)}}}" for name, (rule, _, night) in STYLE.items())
    return f"<style>{FIXED}{light}@media(prefers-color-scheme:dark){{{dark}}}</style>"


def number(value: float) -> str:
    """A coordinate with at most two decimals.

    >>> number(3.0), number(1 / 3)
    ('3', '0.33')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def shape(tag: str, cls: str = "", inner: str = "", **attributes: float | str | None) -> str:
    """One element; numbers are rounded, `_` in an attribute's name stands for `-`, None leaves the attribute out.

    >>> shape("rect", "box", x=1, y=2.5, width=10, height=4)
    '<rect class="box" x="1" y="2.5" width="10" height="4"/>'
    """
    given = {"class": cls or None, **attributes}
    text = "".join(
        f" {name.replace('_', '-')}={quoteattr(number(value) if isinstance(value, int | float) else str(value))}"
        for name, value in given.items()
        if value is not None
    )
    return f"<{tag}{text}>{inner}</{tag}>" if inner else f"<{tag}{text}/>"


def words(x: float, y: float, text: str, cls: str = "ink", size: float | None = None, anchor: str = "middle") -> str:
    """A line of text; `y` is its middle, `anchor` start, middle or end says what `x` is."""
    side = None if anchor == "start" else anchor
    return shape("text", cls, escape(text), x=x, y=y + 0.36 * (size or 12), font_size=size, text_anchor=side)


def line(x1: float, y1: float, x2: float, y2: float, cls: str = "edge") -> str:
    """A straight line."""
    return shape("line", cls, x1=x1, y1=y1, x2=x2, y2=y2)


def outlined(x: float, y: float, width: float, height: float) -> str:
    """A frame that shows on any colour: ink within white."""
    frames = (("#fff", 4), ("#111", 2))
    return "".join(
        shape("rect", x=x, y=y, width=width, height=height, rx=1.5, fill="none", stroke=colour, stroke_width=wide)
        for colour, wide in frames
    )


def boxes(corners: Iterable[tuple[float, float, float, float]]) -> str:
    """Path data of many rectangles x, y, width, height: one element draws them all."""
    return "".join(f"M{number(x)} {number(y)}h{number(w)}v{number(h)}h{number(-w)}z" for x, y, w, h in corners)


def text_width(text: str, size: float = 12) -> float:
    """About how wide a text is: letters differ, so leave room."""
    return 0.62 * size * len(text)


@dataclass(frozen=True)
class Picture:
    """A drawing: its size in pixels, its shapes, and what it shows in words (for those who do not see it).

    A notebook shows it by itself; `str()` is the whole SVG document.

    >>> picture = Picture(10, 10, shape("circle", "ball", cx=5, cy=5, r=4), "a circle")
    >>> str(picture)[:40]
    '<svg xmlns="http://www.w3.org/2000/svg" '
    >>> picture
    Picture(width=10, height=10, title='a circle')
    """

    width: float
    height: float
    body: str = field(repr=False)
    title: str

    def __str__(self) -> str:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="la" role="img" width="{number(self.width)}" '
            f'height="{number(self.height)}" viewBox="0 0 {number(self.width)} {number(self.height)}">'
            f"<title>{escape(self.title)}</title>{_sheet()}"
            f'<rect class="paper" width="100%" height="100%" rx="6"/>{self.body}</svg>'
        )

    def _repr_svg_(self) -> str:
        return str(self)

    def save(self, path: str | Path) -> Path:
        """Write the SVG to a file; OSError where it cannot be written."""
        where = Path(path)
        where.write_text(str(self), encoding="utf-8")
        return where

    def at(self, x: float, y: float) -> str:
        """The shapes, moved: a part of a larger picture."""
        return shape("g", transform=f"translate({number(x)} {number(y)})", inner=self.body)

    def headed(self, title: str, *notes: str) -> Picture:
        """The picture under a heading, with side remarks below it."""
        top = 40 + 18 * len(notes)
        width = max(self.width, text_width(title, TITLE) + 40, *(text_width(note) + 32 for note in notes))
        heading = words(16, 22, title, "ink bold", TITLE, "start")
        remarks = "".join(words(16, 44 + 18 * n, note, "soft", 12, "start") for n, note in enumerate(notes))
        return Picture(width, self.height + top, heading + remarks + self.at(0, top), title)


def beside(pictures: Iterable[Picture], title: str, gap: float = 24) -> Picture:
    """Pictures from left to right, their tops in line.

    >>> beside([Picture(10, 20, "", "one"), Picture(30, 10, "", "other")], "two")
    Picture(width=64.0, height=20, title='two')
    """
    body, x, height = "", 0.0, 0.0
    for picture in pictures:
        body += picture.at(x, 0)
        x, height = x + picture.width + gap, max(height, picture.height)
    return Picture(max(x - gap, 0), height, body, title)


def below(pictures: Iterable[Picture], title: str, gap: float = 12) -> Picture:
    """Pictures from top to bottom, their left edges in line.

    >>> below([Picture(10, 20, "", "one"), Picture(30, 10, "", "other")], "two")
    Picture(width=30, height=42.0, title='two')
    """
    body, y, width = "", 0.0, 0.0
    for picture in pictures:
        body += picture.at(0, y)
        y, width = y + picture.height + gap, max(width, picture.width)
    return Picture(width, max(y - gap, 0), body, title)
