"""Modules that are imported when they are first used: what starts fast need not wait for what it may never need.

| import         | costs     | and is needed by                                                |
|----------------|-----------|-----------------------------------------------------------------|
| numpy          | 90 ms     | evaluation and enumeration; most claims are proved without them |
| sympy          | 240 ms    | simplification with a symbolic algebra, and LaTeX               |
| tinygrad       | 180 ms    | decoding machine code                                           |
| rich           | 30 ms     | tables and bars on a terminal                                   |
| a room of ours | to 150 ms | one command of the command line                                 |

(processor time here; `layoutalg check FILE` takes 300 ms in all.)  Names, types and layers are those of an ordinary
import, which stands beside it for whoever reads the source and runs nothing:

    if TYPE_CHECKING:
        import numpy as np
    else:
        np = lazy("numpy")

No import stands in a function (`tests/test_architecture.py` holds both).  What it cannot do: `from numpy import array`,
which needs the module at once; say `np.array`.  A module that is not installed is an ImportError of its first use.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any


def lazy(name: str) -> Any:
    """The module of that name, imported when something of it is first asked for.

    >>> lazy("math").gcd(12, 18)
    6
    >>> lazy("no_such_module").anything
    Traceback (most recent call last):
        ...
    ModuleNotFoundError: No module named 'no_such_module'
    """
    return _Lazy(name)


class _Lazy(ModuleType):
    """Stands for a module, in the one namespace that asked for it.

    `importlib.util.LazyLoader` puts its stand-in where all importers, and other threads, meet it half-loaded.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python's own names: tools ask for them, which need not import anything
            raise AttributeError(name)
        found = getattr(import_module(self.__name__), name)
        if not self.__name__.startswith("layoutalg."):  # what is not ours stays as it is: found once, it is kept
            setattr(self, name, found)
        return found
