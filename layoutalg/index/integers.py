"""What counts as an integer: Python's and numpy's, and whatever else is one exactly (`operator.index`).

| given                                       | is                                                        |
|---------------------------------------------|-----------------------------------------------------------|
| `3`, `np.int64(3)`, `sympy.Integer(3)`      | 3                                                         |
| a constant expression                       | its integer                                               |
| `True`, `False`                             | 1, 0: the truth values (a layout's lengths refuse them)   |
| `3.0`, `np.float32(3)`, `Fraction(3)`, `"3"`| a TypeError: nothing is rounded, and no text is evaluated |
"""

from __future__ import annotations

import operator
from numbers import Number
from typing import Any

from layoutalg.lazy import lazy_imports

with lazy_imports():
    import numpy as np
    import numpy.typing as npt


def integer(given: Any, wanted: str = "an integer") -> int:
    """The integer that a value is; TypeError for every other value, a float without a fraction too.

    >>> integer(7)
    7
    >>> integer(100 / 4)
    Traceback (most recent call last):
        ...
    TypeError: 25.0 is not an integer; a division that rounds down is written //
    """
    try:
        return operator.index(given)
    except TypeError:
        raise TypeError(f"{given!r} is not {wanted}{_hint(given)}") from None


def integers(given: Any, wanted: str = "integers") -> npt.NDArray[np.int64]:
    """Integers as an int64 array of any shape; TypeError where one is none, OverflowError where int64 does not hold it.

    >>> integers([[1, 2]]).tolist()
    [[1, 2]]
    """
    found = np.asarray(given)
    if found.dtype.kind in "bi" or found.size == 0:
        return found.astype(np.int64, copy=False)
    if found.dtype.kind in "uO":
        listed = [integer(n) for n in found.ravel().tolist()]
        return np.array(listed, dtype=np.int64).reshape(found.shape)
    raise TypeError(f"values of type {found.dtype} are not {wanted}{_hint(found.ravel()[0])}")


def _hint(given: Any) -> str:
    if isinstance(given, str):
        return "; a text is an expression in spec files only, elsewhere layoutalg.index.parse reads it"
    number = isinstance(given, Number) or hasattr(given, "__floordiv__")
    return "; a division that rounds down is written //" if number else ""
