"""What is given on the command line for what a file leaves open: `-D NAME=value`."""

from __future__ import annotations

import json
import re

from layoutalg.formats.ck_cpp.expressions import WIDEST, Evaluator
from layoutalg.formats.ck_cpp.scope import Scope
from layoutalg.formats.ck_cpp.source import cleaned, parsed
from layoutalg.formats.ck_cpp.values import Open, Unreadable, Value
from layoutalg.index import const


def read_define(given: str) -> Value:
    """The value of `-D NAME=value`: an integer, a list of them, true or false, a type's name, or C++ that is one.

    >>> read_define("[2, 2, 1]"), read_define("RowMajor")
    ((2, 2, 1), Open(path='RowMajor', given=True, variable=False))
    """
    if re.fullmatch(r"[A-Za-z_][\w:]*", given) and given not in ("true", "false"):
        return Open(given, given=True)
    if "<" in given or "(" in given:
        return _written(given)
    try:
        return _literal(json.loads(given))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{given!r} is no integer, list of integers or name") from error


def _written(given: str) -> Value:
    """A value written in C++: `tile_distribution_encoding<…>{}`, `make_tuple(2, 3)`."""
    try:
        declared = parsed(f"auto _ = {cleaned(given)};").named_children
        declarator = declared[0].child_by_field_name("declarator") if declared else None
        value = declarator.child_by_field_name("value") if declarator is not None else None
        if value is None or declared[0].has_error or len(declared) != 1:
            raise ValueError("it is not one C++ expression")
        return Evaluator({}, "ck_tile").evaluate(value, Scope(None, {}))
    except Unreadable as error:
        raise ValueError(error.reason) from error


def _literal(value: object) -> Value:
    if isinstance(value, bool | int) and abs(value) < WIDEST:
        return const(int(value))
    if isinstance(value, list):
        return tuple(map(_literal, value))
    raise ValueError("neither an integer nor a list")
