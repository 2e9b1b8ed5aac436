"""Lessons as pages: each notebook as Markdown, with what its cells show.

That is what the notebook keeps; where the lessons are run (RUN_LESSONS=1) it is what they show now, explorers too.
"""

from __future__ import annotations

import html
import os
import re
from pathlib import Path
from typing import Any

import nbformat
import outputs

Page = tuple[str, str, str]


def pages(root: Path) -> list[Page]:
    """(title, path, Markdown) of each lesson; what a cell raises is raised here."""
    read = outputs.executed if os.environ.get("RUN_LESSONS") else _read
    made = []
    for path in sorted((root / "notebooks").glob("*.ipynb")):
        text = markdown(read(path), path.name)
        made.append((text.partition("\n")[0].removeprefix("# "), f"lessons/{path.stem}.md", text))
    return made


def _read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def markdown(notebook: Any, name: str) -> str:
    """A notebook as Markdown."""
    head, *rest = map(_cell, notebook.cells)
    where = f'!!! note ""\n    This lesson is a notebook, `notebooks/{name}`: run it, change it, do the exercises.'
    return "\n\n".join([head, where, *rest]).replace(".ipynb)", ".md)").replace("](../docs/pages/", "](../")


def _cell(cell: Any) -> str:
    if cell.cell_type == "markdown":
        return str(cell.source)
    code = f"```python\n{cell.source}\n```"
    if "solution" in cell.metadata.get("tags", []):
        inside = "\n".join(f"    {line}".rstrip() for line in code.splitlines())
        return f'??? success "Solutions"\n{inside}'
    return "\n\n".join([code, *map(_output, cell.outputs)])


def _output(output: Any) -> str:
    """What was printed, or the value of the cell as a notebook shows it: HTML or a picture where it has them."""
    if output.output_type == "stream":
        return _text(output.text)
    for kind in ("text/html", "image/svg+xml"):
        if kind in output.data:
            return f'<div class="output" data-search-exclude>{_one_line(output.data[kind])}</div>'
    return _text(output.data["text/plain"])


def _text(text: str) -> str:
    return f'<pre class="output">{html.escape(text.rstrip())}</pre>' if text.strip() else ""


def _one_line(markup: str) -> str:
    """Without line breaks outside of an attribute: Markdown takes an empty line for the end of HTML."""
    if "srcdoc=" in markup:
        return markup.replace("\n", "&#10;")
    return re.sub(r"\s*\n\s*", " ", markup)
