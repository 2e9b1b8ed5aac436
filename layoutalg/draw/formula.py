r"""Layouts as formulas, in LaTeX: one line a hidden dimension, from the top down to the offset.

Each line is one transform's map, in terms of the dimensions above it, so that no line is long:

    d_{1} &= 64 i_{0} + i_{1}
    d_{0} &= 128 d_{1} + i_{2}        the offset

What it cannot represent: nothing; a formula may be long all the same.
"""

from __future__ import annotations

from layoutalg.index import TRUE, Expr
from layoutalg.index.symbolic import latex as mathematics
from layoutalg.layout import TensorAdaptor, TensorDescriptor, TileDistribution


def latex(layout: TensorDescriptor | TensorAdaptor | TileDistribution) -> str:
    r"""The index map of a layout as an `aligned` environment, with its condition where it pads.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> print(latex(make_naive_tensor_descriptor((8, 64), (64, 1))))
    \begin{aligned}
    \mathrm{offset} &= 64 i_{0} + i_{1} && 0 \le i_{0} < 8,\; 0 \le i_{1} < 64
    \end{aligned}
    """
    adaptor = layout if isinstance(layout, TensorAdaptor) else layout.adaptor
    is_memory = isinstance(layout, TensorDescriptor)
    top = (*layout.p_index, *layout.y_index) if isinstance(layout, TileDistribution) else adaptor.index
    hidden = adaptor.hidden_index(top)
    names = {v: _variable(str(v.value.name)) for v in top}
    known: dict[Expr, str] = dict(names)
    lines = []
    for i, expr in hidden.items():
        if i in adaptor.top_ids:
            continue
        name = _hidden(i, adaptor, is_memory)
        lines.append(f"{name} &= {mathematics(expr, known)}")
        if expr.op != "const":
            known.setdefault(expr, name)
    limits = r",\; ".join(rf"0 \le {names[v]} < {mathematics(n)}" for v, n in zip(top, adaptor.lengths, strict=True))
    lines[0] += f" && {limits}"
    valid = adaptor.valid(top)
    if valid is not TRUE:
        lines.append(rf"\mathrm{{valid}} &\iff {mathematics(valid, known)}")
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"


def _variable(name: str) -> str:
    """i0 is i with index 0; i0_, which stands beside a size i0, is it with a prime."""
    stem = name.rstrip("_")
    letters = stem.rstrip("0123456789")
    return f"{letters}_{{{stem[len(letters) :]}}}" + "'" * (len(name) - len(stem))


def _hidden(i: int, adaptor: TensorAdaptor, is_memory: bool) -> str:
    if i in adaptor.bottom_ids:
        return r"\mathrm{offset}" if is_memory else f"x_{{{adaptor.bottom_ids.index(i)}}}"
    return f"d_{{{i}}}"


SPECIAL = {
    "\\": r"\textbackslash{}", "_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "{": r"\{", "}": r"\}", "$": r"\$",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "×": r"$\times$", "≤": r"$\le$", "≥": r"$\ge$",
    "−": "$-$", "→": r"$\to$", "₂": "$_2$", "⇒": r"$\Rightarrow$", "·": r"$\cdot$", "…": r"\ldots{}",
}  # fmt: skip
"""What LaTeX writes otherwise."""


def escaped(words: str) -> str:
    """Words with LaTeX's special characters written out.

    >>> print(escaped("a_lds: 50 %"))
    a\\_lds: 50 \\%
    """
    return "".join(SPECIAL.get(c, c) for c in words)
