"""Lessons as pages: each notebook as Markdown, with what its cells show where they are run (RUN_LESSONS=1).

A cell's last expression is shown as a notebook shows it: as HTML or SVG, where it can be drawn, else as text.
"""

from __future__ import annotations

import ast
import html
import io
import json
import os
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

Page = tuple[str, str, str]


def pages(root: Path) -> list[Page]:
    """(title, path, Markdown) of each lesson."""
    run = bool(os.environ.get("RUN_LESSONS"))
    made = []
    for path in sorted((root / "notebooks").glob("*.ipynb")):
        text = markdown(json.loads(path.read_text(encoding="utf-8")), path.name, run)
        made.append((text.partition("\n")[0].removeprefix("# "), f"lessons/{path.stem}.md", text))
    return made


def markdown(notebook: Any, name: str, run: bool) -> str:
    """A notebook as Markdown; where it is run, what a cell raises is raised here."""
    names: dict[str, object] = {"__name__": "__main__"} if run else {}
    head, *rest = (_cell(cell, names) for cell in notebook["cells"])
    where = f'!!! note ""\n    This lesson is a notebook, `notebooks/{name}`: run it, change it, do the exercises.'
    return "\n\n".join([head, where, *rest]).replace(".ipynb)", ".md)")


def _cell(cell: Any, names: dict[str, object]) -> str:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return source
    shown = _run(source, names) if names else ""
    code = f"```python\n{source}\n```"
    if "solution" in cell["metadata"].get("tags", []):
        inside = "\n".join(f"    {line}".rstrip() for line in code.splitlines())
        return f'??? success "Solutions"\n{inside}'
    return f"{code}\n\n{shown}"


def _run(source: str, names: dict[str, object]) -> str:
    """What a cell prints and shows."""
    tree, value = ast.parse(source), None
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, "lesson", "exec"), names)  # the project's own lessons
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "lesson", "eval"), names)
    return f"{_text(printed.getvalue())}\n\n{_value(value)}"


def _value(value: object) -> str:
    if value is None:
        return ""
    for reading in ("_repr_html_", "_repr_svg_"):
        if hasattr(value, reading):
            return f'<div class="output">{_one_line(getattr(value, reading)())}</div>'
    return _text(repr(value))


def _text(text: str) -> str:
    return f'<pre class="output">{html.escape(text.rstrip())}</pre>' if text.strip() else ""


def _one_line(markup: str) -> str:
    """Without line breaks outside of an attribute: Markdown takes an empty line for the end of HTML."""
    if "srcdoc=" in markup:
        return markup.replace("\n", "&#10;")
    return re.sub(r"\s*\n\s*", " ", markup)
