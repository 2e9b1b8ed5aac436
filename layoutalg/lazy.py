"""Modules that are imported when they are first used: what starts fast need not wait for what it may never need.

| import         | costs     | and is needed by                                                |
|----------------|-----------|-----------------------------------------------------------------|
| numpy          | 90 ms     | evaluation and enumeration; most claims are proved without them |
| sympy          | 240 ms    | simplification with a symbolic algebra, and LaTeX               |
| tinygrad       | 180 ms    | decoding machine code                                           |
| rich           | 30 ms     | tables and bars on a terminal                                   |
| a room of ours | to 150 ms | one command of the command line                                 |

(processor time here; `layoutalg check FILE` takes 250 ms in all, and half of it where what it finds is kept.)  They are
ordinary imports, in a block that says that they may wait; mypy, ruff and import-linter read them as any other:

    with lazy_imports():
        import numpy as np
        from layoutalg.interop import cute

No import stands in a function, and such a block imports modules alone (`tests/test_architecture.py` holds both): a name
out of a module needs it at once, so say `np.array`.  A module that is not installed is an ImportError of its first use,
and one that an extra of ours brings says which (`MissingExtraError`).

A module that collects the names of others imports them in a block of `exports`, and each is looked up when it is first
asked for.  A room whose name is also that of what it does can be called (`called`).
"""

from __future__ import annotations

import builtins
import sys
from _thread import RLock
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any

EXTRA = {
    **dict.fromkeys(("tinygrad", "msgpack", "elftools"), "kernels"),
    **dict.fromkeys(("pygls", "lsprotocol"), "lsp"),
    **dict.fromkeys(("mcp", "mcp_types", "anyio", "jsonschema"), "mcp"),
    "distributed": "dask",
}
"""Which of our extras brings a module (pyproject has its packages)."""


class MissingExtraError(ModuleNotFoundError):
    """A package that is not installed, and which extra brings it.

    >>> print(MissingExtraError("tinygrad"))
    tinygrad, of layoutalg's extra `kernels`, is not installed: in a clone, pip install '.[kernels]'
    """

    def __init__(self, name: str) -> None:
        extra = EXTRA[name]
        told = f"{name}, of layoutalg's extra `{extra}`, is not installed: in a clone, pip install '.[{extra}]'"
        super().__init__(told, name=name)

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str | None]]:
        return type(self), (self.name,)


_REPLACED = RLock()
"""Held while Python's own import is replaced."""


class lazy_imports:
    """The block in which what a module imports is imported when something of it is first asked for.

    >>> with lazy_imports():
    ...     import math
    ...     import no_such_module
    >>> math.gcd(12, 18)
    6
    >>> no_such_module.anything
    Traceback (most recent call last):
        ...
    ModuleNotFoundError: No module named 'no_such_module'
    """

    def __enter__(self) -> None:
        _REPLACED.acquire()
        self.names = sys._getframe(1).f_globals
        self.ordinary, builtins.__import__ = builtins.__import__, self._import

    def __exit__(self, *error: object) -> None:
        builtins.__import__ = self.ordinary
        _REPLACED.release()

    def _import(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        """Python's `__import__`: for the block's module stand-ins; for another, in another thread, what it asks for."""
        if globals is not self.names:
            return self.ordinary(name, globals, locals, fromlist, level)
        if fromlist:
            return SimpleNamespace(**{one: _Lazy(f"{name}.{one}") for one in fromlist})
        top, *inner = name.split(".")
        found = above = _Lazy(top)
        for one in inner:  # `import a.b as c` looks for b in a
            above.__dict__[one] = above = _Lazy(f"{above.__name__}.{one}")
        return found


class _Lazy(ModuleType):
    """Stands for a module, in the one namespace that asked for it.

    `importlib.util.LazyLoader` puts its stand-in where all importers, and other threads, meet it half-loaded.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python's own names: tools ask for them, which need not import anything
            raise AttributeError(name)
        try:
            found = getattr(import_module(self.__name__), name)
        except ModuleNotFoundError as error:
            if error.name in EXTRA:
                raise MissingExtraError(error.name) from None
            raise
        if not self.__name__.startswith("layoutalg."):  # what is not ours stays as it is: found once, it is kept
            setattr(self, name, found)
        return found


class exports(lazy_imports):
    """The block whose imports are a module's names, each carried out when the name is first asked for (PEP 562).

    >>> import layoutalg
    >>> layoutalg.symbol("M") + 1
    M + 1
    >>> layoutalg.nothing
    Traceback (most recent call last):
        ...
    AttributeError: module 'layoutalg' has no attribute 'nothing'
    """

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        places = {name: value.__name__ for name, value in self.names.items() if isinstance(value, _Lazy)}
        for name in places:
            del self.names[name]
        self.names["__getattr__"] = _finder(self.names["__name__"], places)


def _finder(module: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """A module's `__getattr__`: what stands at a name's place, the module of that name or what another has of it."""

    def find(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        inside, _, found = places[name].rpartition(".")
        room = import_module(inside)
        return getattr(room, found) if hasattr(room, found) else import_module(places[name])

    return find


def called(module: str, function: Callable[..., Any]) -> None:
    """Lets a module be called as a function of it, and stay the module that it is.

    >>> import layoutalg
    >>> from layoutalg import prove
    >>> prove(prove.Injective(layoutalg.make_naive_tensor_descriptor((3, 2), (2, 3)))).name
    'proved'
    """
    sys.modules[module].__class__ = type("CallableModule", (ModuleType,), {"__call__": staticmethod(function)})
