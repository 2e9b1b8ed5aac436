"""Docstrings as Markdown: examples (>>>) become code blocks, which Markdown would take for quotations.

And our dataclasses are told as the standard library's, whose signatures griffe knows to write.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?:^[ ]*>>> .*(?:\n(?![ ]*$).*)*\n?)", re.MULTILINE)
"""A line with a prompt, and the lines after it up to an empty one."""


RECORD = "layoutalg.records.dataclass"


class Examples(griffe.Extension):
    """Fences the examples of every docstring."""

    def on_class_instance(self, *, cls: griffe.Class, **kwargs: Any) -> None:
        """Names the standard library's decorator where it is ours, which is the same with other code below."""
        for decorator in cls.decorators:
            if decorator.callable_path == RECORD:
                name = griffe.ExprName("dataclasses.dataclass")
                is_call = isinstance(decorator.value, griffe.ExprCall)
                decorator.value = griffe.ExprCall(name, decorator.value.arguments) if is_call else name

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Changes the docstring of each object where it has one."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    """A docstring with its examples in code blocks.

    >>> print(fenced("Adds.\\n\\n>>> 1 + 1\\n2"))
    Adds.
    <BLANKLINE>
    ```pycon
    >>> 1 + 1
    2
    ```
    """
    return EXAMPLE.sub(_block, text)


def _block(match: re.Match[str]) -> str:
    lines = match[0].rstrip("\n").splitlines()
    indent = min(len(line) - len(line.lstrip()) for line in lines)
    body = "\n".join(re.sub(r"\s*# doctest: \+\w+$", "", line[indent:]) for line in lines)
    return f"```pycon\n{body}\n```\n"
