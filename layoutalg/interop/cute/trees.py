"""The trees that CuTe's shapes, strides and coordinates are: a number, or a tree for each mode.

| tree          | its leaves | packed as strides |
|---------------|------------|-------------------|
| `(4, (2, 8))` | 4, 2, 8    | `(1, (4, 8))`     |
"""

from __future__ import annotations

from layoutalg.index import Expr, Term
from layoutalg.interop.cute.sizes import product, quotient, remainder, times

Tree = Expr | int | tuple["Tree", ...]
"""A number, or one tree for each mode: a shape, a stride, or a coordinate."""
Mode = tuple[Term, Term]
"""A shape that is a number, with its stride."""


def tree_text(tree: Tree) -> str:
    """A tree in CuTe's notation.

    >>> tree_text((4, (2, 8))), tree_text((3,))
    ('(4,(2,8))', '(3)')
    """
    return f"({','.join(map(tree_text, tree))})" if isinstance(tree, tuple) else str(tree)


def leaves(tree: Tree) -> tuple[Term, ...]:
    """The numbers of a tree, from left to right.

    >>> leaves((4, (2, 8)))
    (4, 2, 8)
    """
    if not isinstance(tree, tuple):
        return (tree,)
    found: list[Term] = []
    for part in tree:
        if isinstance(part, tuple):
            found += leaves(part)
        else:
            found.append(part)
    return tuple(found)


def packed(shape: Tree) -> Tree:
    """The strides of a layout without gaps whose first mode is fastest.

    >>> packed((4, (2, 8)))
    (1, (4, 8))
    """
    return _packed(shape, 1)[0]


def _packed(shape: Tree, step: Term) -> tuple[Tree, Term]:
    if not isinstance(shape, tuple):
        return step, times(step, shape)
    strides: list[Tree] = []
    for part in shape:
        one, step = _packed(part, step)
        strides.append(one)
    return tuple(strides), step


def coordinate_of(number: Term, shape: Tree) -> Tree:
    """The coordinate, a number for each number of the shape, that counts as `number`.

    >>> coordinate_of(23, (4, (2, 8)))
    (3, (1, 2))
    """
    if not isinstance(shape, tuple):
        return number
    digits: list[Tree] = []
    for part in shape[:-1]:
        whole = product(leaves(part))
        digits.append(coordinate_of(remainder(number, whole), part))
        number = quotient(number, whole)
    return (*digits, *(coordinate_of(number, part) for part in shape[-1:]))
