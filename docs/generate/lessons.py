"""Lessons as pages: each notebook as Markdown, with what its cells show where they are run (RUN_LESSONS=1).

Pictures are put in as they are, SVG in the page; the explorer in a frame; formulas as MathML.
"""

from __future__ import annotations

import html
import json
import os
import re
from pathlib import Path
from typing import Any

Page = tuple[str, str, str]


def pages(root: Path) -> list[Page]:
    """(title, path, Markdown) of each lesson."""
    made = []
    for path in sorted((root / "notebooks").glob("*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        if os.environ.get("RUN_LESSONS"):
            _run(notebook)
        text = markdown(notebook, path.name)
        title = re.search(r"^# (.+)$", text, re.MULTILINE)
        made.append((title[1] if title else path.stem, f"lessons/{path.stem}.md", text))
    return made


def _run(notebook: Any) -> None:
    """Puts the outputs into a notebook's cells; what a cell raises is raised here."""
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    shell = InteractiveShell.instance()
    shell.reset()
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            with capture_output() as captured:
                result = shell.run_cell("".join(cell["source"]))
            result.raise_error()
            printed = {"output_type": "stream", "text": captured.stdout}
            shown = [{"output_type": "display_data", "data": output.data} for output in captured.outputs]
            cell["outputs"] = [printed, *shown]


def markdown(notebook: Any, name: str) -> str:
    """A notebook as Markdown."""
    head, *rest = (_cell(cell) for cell in notebook["cells"])
    where = f'!!! note ""\n    This lesson is a notebook, `notebooks/{name}`: run it, change it, do the exercises.'
    return "\n\n".join([head, where, *rest]).replace(".ipynb)", ".md)")


def _cell(cell: Any) -> str:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return source
    code = f"```python\n{source}\n```"
    if "solution" in cell["metadata"].get("tags", []):
        inside = "\n".join(f"    {line}" for line in code.splitlines())
        return f'??? success "Solutions"\n{inside}'
    return "\n\n".join([code, *filter(None, map(_output, cell["outputs"]))])


def _output(output: Any) -> str:
    if output["output_type"] == "stream":
        return _text("".join(output["text"]))
    data = output.get("data", {})
    for kind, show in SHOWN.items():
        if kind in data:
            return show("".join(data[kind]))
    return ""


def _text(text: str) -> str:
    return f'<pre class="output">{html.escape(text.rstrip())}</pre>' if text.strip() else ""


def _picture(svg: str) -> str:
    return f'<div class="output figure">{_one_line(svg)}</div>'


def _html(text: str) -> str:
    return f'<div class="output">{_one_line(text)}</div>'


def _one_line(markup: str) -> str:
    """Without line breaks: Markdown takes an empty line for the end of HTML."""
    return re.sub(r"\s*\n\s*", " ", markup)


def _mathml(latex: str) -> str:
    from latex2mathml.converter import convert

    return f'<div class="output">{convert(latex.strip("$ "), display="block")}</div>'


SHOWN = {"text/html": _html, "image/svg+xml": _picture, "text/latex": _mathml, "text/plain": _text}
"""What is shown of an output, the first kind that it has."""
