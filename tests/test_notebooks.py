"""The lessons: in order, linked, their outputs fresh."""

import json
import re
from pathlib import Path

import pytest

from docs.generate import outputs

FOLDER = Path(__file__).parent.parent / "notebooks"
LESSONS = sorted(FOLDER.glob("*.ipynb"))


def cells(path: Path) -> list[dict]:
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def source(path: Path, kind: str) -> str:
    return "\n".join("".join(c["source"]) for c in cells(path) if c["cell_type"] == kind)


def test_there_are_fifteen_in_order() -> None:
    assert [path.name[:2] for path in LESSONS] == [f"{n:02}" for n in range(1, 16)]


QUICK = ("01",)


@pytest.mark.parametrize(
    "path", [pytest.param(p, marks=() if p.stem[:2] in QUICK else pytest.mark.slow, id=p.stem) for p in LESSONS]
)
def test_what_its_cells_show_is_what_it_keeps(path: Path) -> None:
    shown = outputs.kept(path)
    assert shown == path.read_text(encoding="utf-8"), "`make outputs` writes what the cells show now"


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.stem)
def test_it_is_of_no_one_machine_and_not_large(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text) < 700_000
    assert not re.search(r"/home/|/tmp/|/root/|\d ms\b|object at 0x", text)


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.stem)
def test_links_between_lessons_lead_somewhere(path: Path) -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)\)", source(path, "markdown"))
    assert all((FOLDER / link).exists() for link in links)
    assert links or path == LESSONS[-1]


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.stem)
def test_figures_are_the_librarys(path: Path) -> None:
    assert "matplotlib" not in source(path, "code")
    assert "layoutalg.draw" in source(path, "code")
