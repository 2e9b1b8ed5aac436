"""What MkDocs calls: pages that are made from the package, the proofs and the lessons, and their place in the menu."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import examples
import lessons
import pictures
import reference
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
SECTIONS = {"Lessons": lessons.pages, "Examples of CK Tile": examples.pages, "Reference": reference.pages}
"""Each section of the menu that is generated: (title, path, Markdown) of its pages."""

_made: dict[str, str] = {}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Makes the pages, and puts them into the menu."""
    nav: list[dict[str, Any]] = config.nav or []
    for entry in nav:
        for title, make in SECTIONS.items():
            if title in entry:
                entry[title] = [{name: path} for name, path, _ in _kept(make(ROOT))]
    return config


def _kept(pages: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    _made.update({path: text for _, path, text in pages})
    return pages


def on_page_markdown(markdown: str, **kwargs: Any) -> str:
    """Puts in the pictures that a page asks for; a link to a notebook leads to its page."""
    return re.sub(r"\.\./\.\./notebooks/(\w+)\.ipynb", r"lessons/\1.md", pictures.put_in(markdown))


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages."""
    for path, text in _made.items():
        files.append(File.generated(config, path, content=text))
    return files
