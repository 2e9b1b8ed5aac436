"""Files: the ending of the name says what is written."""

from __future__ import annotations

import pytest

from layoutalg.draw import DrawError, latex, page, save, show, svg
from layoutalg.kernel.library.transpose import lds_transpose
from layoutalg.layout import TileDistribution, TileDistributionEncoding


def test_each_ending_has_its_content(guide, tmp_path):
    assert save(guide, tmp_path / "a.svg", by="bank", rows=2).read_text() == svg(guide, by="bank", rows=2)
    assert save({"guide": guide}, tmp_path / "a.html").read_text() == page({"guide": guide})
    assert save(guide, tmp_path / "a.tex").read_text() == latex(guide) + "\n"
    text = save(guide, tmp_path / "a.txt", by="bank").read_text()
    assert text.startswith("0 offset\n")
    assert "\nbank " in text


def test_a_distribution_as_text(tmp_path):
    tile = TileDistribution(TileDistributionEncoding((), ((4, 2),), ((1,),), ((0,),), (1,), (1,)))
    assert "lane" in save(tile, tmp_path / "t.txt").read_text()
    assert "<!doctype html>" in save(tile, tmp_path / "t.html").read_text()


@pytest.mark.parametrize("ending", [".png", "", ".SVG"])
def test_an_unknown_ending_is_refused_and_nothing_written(guide, tmp_path, ending):
    with pytest.raises(DrawError, match=r"ends in \.svg, \.html, \.tex or \.txt"):
        save(guide, tmp_path / f"a{ending}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", [".tex", ".txt"])
def test_a_program_has_a_picture_and_nothing_else(tmp_path, ending):
    with pytest.raises(DrawError, match="of Program"):
        save(lds_transpose(), tmp_path / f"a{ending}")
    text = save(lds_transpose(), tmp_path / "a.html").read_text()
    assert str(show(lds_transpose())) in text


def test_an_access_as_a_page_and_as_text(column, tmp_path):
    assert '"access": 0' in save(column, tmp_path / "c.html").read_text()
    assert (
        save(column, tmp_path / "c.txt").read_text().startswith("phase 0 of 8: 8 cycles, bank 0 is asked for 8 dwords")
    )
