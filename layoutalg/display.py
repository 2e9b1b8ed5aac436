"""What a notebook asks of a thing, and who answers: pictures, formulas and text of layouts and verdicts.

A notebook asks each value at the end of a cell for `_repr_svg_`, `_repr_latex_` and `_repr_html_`.  A layout lies below
the room that can draw it and imports nothing of that; it is `Displayed`, which says what a notebook's pages want, and
the package, above all rooms, says who writes them:

    descriptor._repr_svg_()  →  layoutalg.draw.notebook.svg(descriptor)

None says that there is no such display of this thing, and the notebook shows another.
"""

from __future__ import annotations

from typing import ClassVar, Protocol


class Notebook(Protocol):
    """Who shows a thing; `layoutalg.draw.notebook` is one."""

    def svg(self, thing: object, /) -> str | None: ...

    def latex(self, thing: object, /) -> str | None: ...

    def html(self, thing: object, /) -> str | None: ...


class Displayed:
    """A thing that shows itself in a notebook."""

    _notebook: ClassVar[Notebook]

    @staticmethod
    def shown_by(notebook: Notebook) -> None:
        """Says who shows all such things."""
        Displayed._notebook = notebook

    def _repr_svg_(self) -> str | None:
        return self._notebook.svg(self)

    def _repr_latex_(self) -> str | None:
        return self._notebook.latex(self)

    def _repr_html_(self) -> str | None:
        return self._notebook.html(self)
