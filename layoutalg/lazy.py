"""Modules that are imported when they are first used: what starts fast need not wait for what it may never need.

| import         | costs     | and is needed by                                                |
|----------------|-----------|-----------------------------------------------------------------|
| numpy          | 90 ms     | evaluation and enumeration; most claims are proved without them |
| sympy          | 240 ms    | simplification with a symbolic algebra, and LaTeX               |
| tinygrad       | 180 ms    | decoding machine code                                           |
| rich           | 30 ms     | tables and bars on a terminal                                   |
| a room of ours | to 150 ms | one command of the command line                                 |

(processor time here; `layoutalg check FILE` takes 300 ms in all, and half of it where what it finds is kept.)  Names,
types and layers are those of an ordinary import, which stands beside it for whoever reads the source and runs nothing:

    if TYPE_CHECKING:
        import numpy as np
    else:
        np = lazy("numpy")

No import stands in a function (`tests/test_architecture.py` holds both).  What it cannot do: `from numpy import array`,
which needs the module at once; say `np.array`.  A module that is not installed is an ImportError of its first use.

A module that collects the names of others gives each when it is first asked for, by the imports that types are read
from (`exports`); a room whose name is also that of what it does can be called (`called`).
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Callable, Iterator
from functools import cache
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


def exports(module: str) -> Callable[[str], Any]:
    """A module's `__getattr__` (PEP 562): its imports for types, each carried out when its name is first asked for.

    >>> import layoutalg
    >>> layoutalg.symbol("M") + 1
    M + 1
    >>> layoutalg.nothing
    Traceback (most recent call last):
        ...
    AttributeError: module 'layoutalg' has no attribute 'nothing'
    """

    @cache
    def places() -> dict[str, tuple[str, str]]:
        return {name: (inside, found) for inside, found, name in _typed_imports(module)}

    def find(name: str) -> Any:
        if name.startswith("_") or name not in places():
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        inside, found = places()[name]
        room = import_module(inside)
        return getattr(room, found) if hasattr(room, found) else import_module(f"{inside}.{found}")

    return find


def _typed_imports(module: str) -> Iterator[tuple[str, str, str]]:
    """Module, name there and name here of each import that a module makes for types alone."""
    made = sys.modules[module]
    lines = linecache.getlines(made.__file__ or "", vars(made))  # not the loader's: pytest's has no source
    for node in ast.parse("".join(lines)).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for inner in node.body:
                if isinstance(inner, ast.ImportFrom) and inner.module:
                    yield from ((inner.module, alias.name, alias.asname or alias.name) for alias in inner.names)


def called(module: str, function: Callable[..., Any]) -> None:
    """Lets a module be called as a function of it, and stay the module that it is.

    >>> import layoutalg
    >>> from layoutalg import prove
    >>> prove(prove.Injective(layoutalg.make_naive_tensor_descriptor((3, 2), (2, 3)))).name
    'proved'
    """
    sys.modules[module].__class__ = type("CallableModule", (ModuleType,), {"__call__": staticmethod(function)})
