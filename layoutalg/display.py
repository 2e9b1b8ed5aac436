"""What a notebook asks of a thing, and who answers: pictures, formulas and text of layouts and verdicts.

A notebook asks each value at the end of a cell for `_repr_svg_`, `_repr_latex_` and `_repr_html_`.  A layout lies below
the room that can draw it and imports nothing of that; it is `Displayed`, and hands the question up when it is asked:

    descriptor._repr_svg_()  →  layoutalg.draw.notebook.svg(descriptor)

That is the one name here that points up, and it is followed only while somebody looks.  None says that there is no
such display of this thing, and the notebook shows another.
"""

from __future__ import annotations

from layoutalg.lazy import lazy

notebook = lazy("layoutalg.draw.notebook")


class Displayed:
    """A thing that shows itself in a notebook."""

    def _repr_svg_(self) -> str | None:
        found: str | None = notebook.svg(self)
        return found

    def _repr_latex_(self) -> str | None:
        found: str | None = notebook.latex(self)
        return found

    def _repr_html_(self) -> str | None:
        found: str | None = notebook.html(self)
        return found
