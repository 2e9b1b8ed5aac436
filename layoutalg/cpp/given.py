"""What `-D` gives for what a header leaves open, as C++.

| `-D`                           | as a value                         | as a type               |
|--------------------------------|------------------------------------|-------------------------|
| `kM=128`, `Fast=true`          | the number                         |                         |
| `BlockWarps=[2,2,1]`           | `make_tuple(number<2>{}, …)`       | `sequence<2, 2, 1>`     |
| `ALayout=RowMajor`             | the name                           | the name                |
| `Enc='tile_distribution_…{}'`  | the expression                     | its `decltype`          |
| `M='{ min = 1 }'`              | a size that is not fixed           |                         |
| `FAST=undefined`               | (a macro that is not defined)      |                         |
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from layoutalg.cpp.source import balanced, bare
from layoutalg.errors import SpecError
from layoutalg.index import Expr, symbol
from layoutalg.records import dataclass

UNDEFINED = "undefined"
"""What `-D` gives a macro that is not defined."""
WIDEST = 1 << 62
_TAGS = {
    **{name: f"ck_tile::tensor_layout::gemm::{name}" for name in ("RowMajor", "ColumnMajor")},
    **{name: f"ck_tile::tensor_layout::convolution::{name}" for name in (
        "NHWC", "NCHW", "NWC", "NDHWC", "NHWGC", "GNHWC", "KYXC", "GKYXC", "NHWK", "NHWGK", "GNHWK")},
}  # fmt: skip
"""Layout tags, which `-D` may name without their namespaces."""
_NAME = re.compile(r"[A-Za-z_][\w:]*")


@dataclass(frozen=True)
class Define:
    """One `-D`: its name, its C++ as a value and as a type (empty: it is none), the number of its symbol, its value."""

    name: str
    value: str
    type: str = ""
    symbol: int | None = None
    number: int | None = None

    @property
    def last(self) -> str:
        """The last part of its path."""
        return self.name.rsplit("::", 1)[-1]


def read_given(defines: Mapping[str, str]) -> tuple[dict[str, Define], dict[str, Expr]]:
    """What each `-D` gives, and the symbols; SpecError where one cannot be read."""
    given, symbols = dict[str, Define](), dict[str, Expr]()
    for name, text in defines.items():
        try:
            given[name] = _read(name, text.strip(), symbols)
        except (ValueError, TypeError, RecursionError) as error:
            raise SpecError(f"-D {name}={text}: {error}") from error
    return given, symbols


def _read(name: str, text: str, symbols: dict[str, Expr]) -> Define:
    if text.startswith("{"):
        limits = tomllib.loads(f"limits = {text}")["limits"]
        if not isinstance(limits, dict):
            raise ValueError("a symbol is written { min = 1, max = 64, multiple_of = 8 }")
        return _size(name, symbols, limits)
    if text in ("true", "false"):
        return Define(name, text)
    if _NAME.fullmatch(text):
        return Define(name, _TAGS.get(text, text), _TAGS.get(text, text))
    if "<" in text or "(" in text:
        if not balanced(bare(text)) or re.search(r"[;#\n]", bare(text)):
            raise ValueError("it is not one C++ expression")
        return Define(name, text, f"decltype({text})")
    try:
        found = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{text!r} is no integer, list of integers or name") from error
    if isinstance(found, list):
        return Define(name, _value(found), _type(found))
    return Define(name, _value(found), number=found)


def _size(name: str, symbols: dict[str, Expr], limits: Mapping[str, Any]) -> Define:
    """A size between limits, which joins the symbols."""
    symbols[name] = symbol(_symbol_name(name, symbols), **limits)
    return Define(name, f"layoutalg_size_{len(symbols) - 1}", symbol=len(symbols) - 1)


def one_valued(one: Define, symbols: dict[str, Expr]) -> Define:
    """An integer as a size, which joins the symbols: what is computed of it is recorded."""
    assert one.number is not None
    return _size(one.name, symbols, {"min": one.number, "max": one.number})


def _value(found: object) -> str:
    if isinstance(found, list):
        return f"ck_tile::make_tuple({', '.join(_entry(one) for one in found)})"
    if isinstance(found, int) and abs(found) < WIDEST:
        return str(found)
    raise ValueError("neither an integer nor a list")


def _entry(found: object) -> str:
    return _value(found) if isinstance(found, list) else f"ck_tile::number<{_value(found)}>{{}}"


def _type(found: list[object]) -> str:
    if any(isinstance(one, list) for one in found):
        return f"ck_tile::tuple<{', '.join(_type(one) for one in found if isinstance(one, list))}>"
    return f"ck_tile::sequence<{', '.join(map(_value, found))}>"


def _symbol_name(path: str, symbols: Mapping[str, Expr]) -> str:
    """The end of a path, or as much of it as no other symbol has: A::kM and B::kM are two."""
    taken = {made.value.name for made in symbols.values()}
    parts = path.split("::")
    names = ["_".join(parts[n:]) for n in reversed(range(len(parts)))]
    return next(name for name in (*names, *(f"{names[-1]}_{n}" for n in range(len(taken) + 1))) if name not in taken)


def size_of(made: Expr, number: int, asked: str = "nullptr") -> str:
    """The C++ of a symbol, with its limits."""
    least, most = (max(min(limit, WIDEST), -WIDEST) for limit in (made.lo, made.hi))
    return f"layoutalg::Size::symbol({number}, {int(least)}LL, {int(most)}LL, {made.value.multiple_of}, {asked})"
