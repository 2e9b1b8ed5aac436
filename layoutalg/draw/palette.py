"""Colours that everybody can tell apart: eight for kinds, a ramp from dark to light for numbers.

Kinds take the palette of Okabe and Ito; numbers take viridis, whose lightness rises evenly, so that it also reads in
grey and with any colour blindness.  A number is drawn in one of 64 steps of the ramp.

| use                     | colours               | source                                        |
|-------------------------|-----------------------|-----------------------------------------------|
| up to eight kinds       | `KINDS`               | Okabe and Ito, "Color Universal Design", 2008 |
| a number, or many kinds | `ramp(0) … ramp(1)`   | viridis: van der Walt and Smith, 2015         |
| what is wrong           | `KINDS[5]`, vermilion | Okabe and Ito                                 |

What it cannot represent: more than 64 kinds by colour alone; such cells carry their number as text.
"""

from __future__ import annotations

from functools import cache

KINDS = ("#56b4e9", "#e69f00", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#999999")
"""Okabe and Ito's palette, black replaced by grey (black is ink here)."""

_VIRIDIS = (
    (68, 1, 84), (72, 40, 120), (62, 73, 137), (49, 104, 142), (38, 130, 142),
    (31, 158, 137), (53, 183, 121), (110, 206, 88), (181, 222, 43), (253, 231, 37),
)  # fmt: skip
STEPS = 64


@cache
def ramp(part: float) -> str:
    """The colour at a part of viridis, 0 dark to 1 light; outside it the nearest end.

    >>> ramp(0), ramp(1)
    ('#440154', '#fde725')
    """
    place = min(max(part, 0.0), 1.0) * (len(_VIRIDIS) - 1)
    first = min(int(place), len(_VIRIDIS) - 2)
    mixed = (a + (b - a) * (place - first) for a, b in zip(_VIRIDIS[first], _VIRIDIS[first + 1], strict=True))
    return "#" + "".join(f"{round(c):02x}" for c in mixed)


def colours(count: int) -> tuple[str, ...]:
    """`count` colours for kinds 0 … count − 1: Okabe and Ito's up to eight, else even steps of viridis.

    >>> colours(2), len(set(colours(32)))
    (('#56b4e9', '#e69f00'), 32)
    """
    if count <= len(KINDS):
        return KINDS[:count]
    return tuple(ramp(n / (count - 1)) for n in range(count))


@cache
def ink_on(colour: str) -> str:
    """The class of text that reads on a colour: `on-dark` or `on-light`, by relative luminance (WCAG 2).

    >>> ink_on("#440154"), ink_on("#fde725")
    ('on-dark', 'on-light')
    """
    red, green, blue = (_linear(int(colour[n : n + 2], 16) / 255) for n in (1, 3, 5))
    return "on-light" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 else "on-dark"


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
