"""Whether values are of the types that their fields declare: read off the dataclasses themselves.

Python does not look at annotations, and a program is made by hand: a number where an expression belongs would pass, and
fail somewhere inside.  `wrongly_typed` finds the first such field, by its path.

>>> from layoutalg.kernel.program.statements import Commit, Await
>>> list(wrongly_typed(Await(1, ())))
[]
>>> list(wrongly_typed(Await("one", (Commit(),))))
["Await.groups is 'one', not int", 'Await.buffers is (Commit(),), not tuple[Shared, ...]']

Looked into are the classes of this package; a layout has checked itself when it was made.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

PACKAGE = __name__.rpartition(".")[0]


def wrongly_typed(value: Any) -> Iterator[str]:
    """A sentence for each field, at any depth, whose value is not of its type."""
    kind: Any = type(value)
    for field in fields(value):
        held, hint = getattr(value, field.name), _hints(kind)[field.name]
        if _is(held, hint):
            for inner in held if isinstance(held, tuple) else (held,):
                if is_dataclass(inner) and type(inner).__module__.startswith(PACKAGE):
                    yield from wrongly_typed(inner)
        else:
            shown = " ".join(repr(held).split())
            text = shown if len(shown) <= 60 else f"{shown[:57]}…"
            yield f"{kind.__name__}.{field.name} is {text}, not {_in_words(hint)}"


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _is(value: Any, hint: Any) -> bool:
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_is(value, arg) for arg in args)
    if origin is Literal:
        return isinstance(value, str) and value in args
    if origin is tuple:
        return isinstance(value, tuple) and all(_is(entry, args[0]) for entry in value)
    if hint is int:
        return type(value) is int
    return isinstance(value, hint)


def _in_words(hint: Any) -> str:
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(map(_in_words, args)))
    if origin is Literal:
        return " or ".join(map(repr, args))
    if origin is tuple:
        return f"tuple[{_in_words(args[0])}, ...]"
    return "None" if hint is type(None) else str(hint.__name__)
