"""What the cells of the lessons show, kept in the notebooks, so that they can be read where nothing runs them.

`make outputs` runs every lesson and writes what it shows; a test runs them again and compares.  So that two runs write
one file, a time is written as `… ms`.  Left out is what a code host would not show: a page in a frame, and the HTML of
what is a picture too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "notebooks"
TIME = re.compile(r" *\b\d+\.\d+ ms\b")


def executed(path: Path) -> Any:
    """A lesson with all that its cells show; nbclient.exceptions.CellExecutionError where one raises."""
    notebook = nbformat.read(path, as_version=4)
    metadata = notebook.metadata.copy()
    where = {"metadata": {"path": str(path.parent)}}
    NotebookClient(notebook, timeout=300, record_timing=False, resources=where).execute()
    notebook.metadata = metadata
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = list(_joined(cell.outputs))
    return notebook


def _joined(outputs: list[Any]) -> Iterator[Any]:
    """What was printed in one piece: in how many it arrives is chance."""
    last = None
    for one in outputs:
        if last is not None and one.output_type == "stream" and one.get("name") == last.get("name"):
            last.text += one.text
            continue
        if last is not None:
            yield last
        last = one
    if last is not None:
        yield last


def kept(path: Path) -> str:
    """The text of a lesson's file, after a run of it."""
    notebook = executed(path)
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if "text" in output:
                output.text = TIME.sub(" … ms", output.text)
            if "data" in output:
                output.data = {kind: TIME.sub(" … ms", text) for kind, text in output.data.items()}
                if "image/svg+xml" in output.data or "<iframe" in output.data.get("text/html", ""):
                    output.data.pop("text/html", None)
    return nbformat.writes(notebook) + "\n"


if __name__ == "__main__":
    for lesson in sorted(FOLDER.glob("*.ipynb")):
        lesson.write_text(kept(lesson), encoding="utf-8")
