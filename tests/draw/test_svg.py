"""SVG documents: well formed, escaped, for light and dark."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from layoutalg.draw import Picture, below, beside
from layoutalg.draw.conflicts import CALM, HEAT
from layoutalg.draw.palette import KINDS, STEPS, colours, ink_on, ramp
from layoutalg.draw.svg import FIXED, STYLE, shape, words

SVG = "{http://www.w3.org/2000/svg}"


def test_text_of_a_user_is_escaped():
    picture = Picture(10, 10, words(0, 0, "a < b & </svg>"), 'title "<x>"').headed('head "<y>"')
    root = ET.fromstring(str(picture))
    assert root.findtext(f"{SVG}title") == 'head "<y>"'
    assert "a < b & </svg>" in [node.text for node in root.iter(f"{SVG}text")]


def test_attributes_are_quoted():
    assert ET.fromstring(shape("rect", 'a"b<', x=1)).get("class") == 'a"b<'


def test_a_picture_shows_itself_in_a_notebook_and_saves_what_it_shows(tmp_path):
    picture = Picture(4, 5, "", "nothing")
    assert picture.save(tmp_path / "a.svg").read_text() == picture._repr_svg_() == str(picture)


def test_sizes_of_pictures_side_by_side_and_below_each_other():
    one, other = Picture(10, 20, "", ""), Picture(30, 5, "", "")
    assert (beside([one, other], "", 4).width, beside([one, other], "", 4).height) == (44, 20)
    assert (below([one, other], "", 4).width, below([one, other], "", 4).height) == (30, 29)


def test_every_class_has_a_colour_for_light_and_for_dark():
    light, dark = str(Picture(1, 1, "", "")).split("@media(prefers-color-scheme:dark)")
    for name, (rule, day, night) in STYLE.items():
        assert f".la .{name}{{{rule.format(day)}}}" in light
        assert f".la .{name}{{{rule.format(night)}}}" in dark


def luminance(colour: str) -> float:
    channels = (int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_ramp_grows_lighter_all_the_way_so_that_it_reads_in_grey():
    lightness = [luminance(ramp(n / (STEPS - 1))) for n in range(STEPS)]
    assert lightness == sorted(lightness)
    assert len(set(lightness)) == STEPS


def contrast(ink: str, paper: str) -> float:
    """The ratio of WCAG 2: 4.5 is what small text needs."""
    dark, light = sorted([luminance(ink), luminance(paper)])
    return (light + 0.05) / (dark + 0.05)


def test_text_on_a_cell_has_enough_contrast():
    for colour in (*KINDS, CALM, *HEAT, *(ramp(n / (STEPS - 1)) for n in range(STEPS))):
        ink = re.search(rf"\.{ink_on(colour)}{{fill:(#\w+)}}", FIXED)[1]
        assert contrast(ink if len(ink) == 7 else "#" + "".join(2 * c for c in ink[1:]), colour) >= 4.5, colour


INKS = {
    "ink": ("paper", "gap", "box", "ball", "memory"), "soft": ("paper", "gap", "box", "ball", "memory"),
    "bad-ink": ("paper", "bad-box"), "good-ink": ("paper",),
}  # fmt: skip


@pytest.mark.parametrize("scheme", [1, 2], ids=["light", "dark"])
def test_text_on_each_ground_has_enough_contrast(scheme):
    for ink, papers in INKS.items():
        for paper in papers:
            assert contrast(STYLE[ink][scheme], STYLE[paper][scheme]) >= 4.5, (ink, paper)


@pytest.mark.parametrize("count", [1, 2, 8, 9, 32, 64])
def test_kinds_have_different_colours(count):
    assert len(set(colours(count))) == count
