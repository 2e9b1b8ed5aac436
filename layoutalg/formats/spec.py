"""Reading a spec file: TOML or JSON, checked by its grammar, built into layouts, with one clear line when it is wrong.

    >>> file = loads('''
    ... symbols = { M = { min = 1, max = 4096, multiple_of = 8 } }
    ... [[descriptor]]
    ... name = "a_lds"
    ... base = { kind = "naive", lengths = [8, "M", 8], strides = ["(M + 1) * 8", 8, 1] }
    ... ''')
    >>> file.descriptor("a_lds").descriptor.offset((1, 2, 3))
    (M + 1) * 8 + 19
    >>> loads('[[descriptor]]\\nname = "x"\\nbase = { kind = "packed", lengths = [3, -1] }', "bad.toml")
    Traceback (most recent call last):
        ...
    layoutalg.errors.SpecError: bad.toml:3:1: descriptor[0].base: unmerge((3, -1)): lower length 0 is -3; a length is at least 0

A file is data: nothing in it is executed, its size and every list in it are bounded.  `grammar` says what it holds.
"""  # noqa: E501

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

from layoutalg.errors import SpecError
from layoutalg.formats.build import Builder
from layoutalg.formats.cpp import Compiled, compiled_constants
from layoutalg.formats.grammar import FILE, file_shape
from layoutalg.formats.items import spec_file
from layoutalg.formats.locate import line_of, places, position
from layoutalg.formats.model import SpecFile, Unread
from layoutalg.formats.reading import DocumentError, Path, key_path, reading
from layoutalg.layout import TRANSFORMS, Transform

LARGEST_FILE = 4 << 20
"""Bytes; a spec file that is larger is refused."""


_DOTTED = re.compile(r"""(?<![\w-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){32}""")
"""A key of more parts than any has: the standard library's parser takes a time that grows with their square."""


def load(
    path: str | FilePath, *, compiled: Compiled | None = None, include: Sequence[FilePath] = (), partly: bool = False
) -> SpecFile:
    """The spec file at a path: TOML, or JSON where the name ends in `.json`.

    `compiled` reads the expressions of a file that has C++ (`layoutalg.device.constants.constants` does); `include` are
    folders of headers besides the file's own.  `partly`: of a file with C++, an item that makes no layout is left out
    and told (`SpecFile.unread`), and the others are there still.
    SpecError says where and what is wrong, also when the file is missing, too large or no text.

    >>> from tempfile import mkdtemp
    >>> path = FilePath(mkdtemp()) / "tile.toml"
    >>> _ = path.write_text('[[descriptor]]\\nname = "tile"\\nbase = { kind = "packed", lengths = [8, 64] }')
    >>> load(path).descriptor("tile").descriptor.offset((1, 2))
    66
    """
    is_json = str(path).lower().endswith(".json")
    return loads(read_text(path), str(path), is_json=is_json, compiled=compiled, include=include, partly=partly)


def read_text(path: str | FilePath) -> str:
    """The text of a file of at most LARGEST_FILE bytes; SpecError otherwise.

    >>> read_text("no such file.toml")
    Traceback (most recent call last):
        ...
    layoutalg.errors.SpecError: no such file.toml: cannot be read: No such file or directory
    """
    file = FilePath(path)
    try:
        with file.open("rb") as stream:
            raw = stream.read(LARGEST_FILE + 1)
        text = raw.decode("utf-8")
    except OSError as error:
        raise SpecError(f"cannot be read: {error.strerror or error}", str(path)) from error
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise SpecError("is no UTF-8 text", str(path), line) from error
    if len(raw) > LARGEST_FILE:
        raise SpecError(f"is larger than {LARGEST_FILE >> 20} MiB", str(path))
    return text.replace("\r\n", "\n")


def loads(
    text: str,
    file: str = "",
    *,
    is_json: bool = False,
    transforms: Mapping[str, type[Transform]] = TRANSFORMS,
    compiled: Compiled | None = None,
    include: Sequence[FilePath] = (),
    partly: bool = False,
) -> SpecFile:
    """The spec file of a text; `file` names it in errors, and `transforms` are those that it may name.

    `compiled`, `include` and `partly` as for `load`.

    >>> text = '[[descriptor]]\\nname = "tile"\\nbase = { kind = "packed", lengths = [8, 64] }'
    >>> loads(text).items[0].descriptor.lengths
    (8, 64)
    """
    data = _parse(text, file, is_json)
    try:
        (FILE if transforms is TRANSFORMS else file_shape(transforms)).check((), data)
        found = _places(text)
        constants = compiled_constants(data, FilePath(file).parent, compiled, include)
        with reading(file):
            builder = Builder(data, lambda path: found.get(path), transforms=transforms, constants=constants)
            made = spec_file(builder, file, partly="cpp" in data and partly)
    except RecursionError as error:
        raise SpecError("tables and lists are nested too deep", file) from error
    except DocumentError as problem:
        raise _told(problem, text, file) from problem
    return replace(made, unread=tuple(_unread(name, problem, text) for name, problem in builder.unread))


def _told(problem: DocumentError, text: str, file: str) -> SpecError:
    line, column = _position(text, problem.path)
    if problem.line:
        line, column = line_of(text, problem.path, problem.line), None
    return SpecError(problem.reason, file, line, column, key_path(problem.path))


def _unread(name: str, problem: DocumentError, text: str) -> Unread:
    return Unread(name, _told(problem, text, "").line or 1, problem.reason, refused=True)


def _parse(text: str, file: str, is_json: bool) -> Any:
    try:
        if not is_json:
            if dotted := _DOTTED.search(text):
                raise SpecError("a key of more than 32 parts", file, text.count("\n", 0, dotted.start()) + 1)
            return tomllib.loads(text)
        data = json.loads(text, object_pairs_hook=_unique)
        json.dumps(data, ensure_ascii=False).encode()  # half a surrogate pair is no text; TOML has none
        return data
    except json.JSONDecodeError as error:
        raise SpecError(f"not JSON: {error.msg}", file, error.lineno, error.colno) from error
    except RecursionError as error:
        raise SpecError("tables and lists are nested too deep", file) from error
    except UnicodeEncodeError as error:
        raise SpecError(f"not JSON: {error.object[error.start]!a} is half a character", file) from error
    except SpecError:
        raise
    except ValueError as error:
        said, line, column = _where(str(error), text)
        raise SpecError(f"not {'JSON' if is_json else 'TOML'}: {said}", file, line, column) from error


_AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def _where(said: str, text: str) -> tuple[str, int | None, int | None]:
    """What the standard library's parser of TOML said, and the line and column that it said it with.

    >>> _where("Invalid value (at line 2, column 5)", "a = 1\\nb = ]")
    ('Invalid value', 2, 5)
    """
    at = _AT.search(said)
    if at is None:
        return said, None, None
    end = text.count("\n") + 1, len(text) - text.rfind("\n")
    line, column = (int(at[1]), int(at[2])) if at[1] else end
    return said[: at.start()] + ("" if at[1] else " at the end"), line, column


def _position(text: str, path: Path) -> tuple[int | None, int | None]:
    """Line and column, none where the text is nested deeper than the scanner goes."""
    try:
        return position(text, path) or (None, None)
    except RecursionError:
        return None, None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON table; a key given twice is an error, as it is in TOML."""
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise ValueError(f"the key {key!r} stands twice in a table")
        made[key] = value
    return made


def _places(text: str) -> dict[Path, tuple[int, int]]:
    """Line and column of each part: items (paths of two parts), their claims and examples."""
    found: dict[Path, tuple[int, int]] = {}
    line, before = 1, 0
    for path, at in places(text):
        line, before = line + text.count("\n", before, at), at
        found[path] = line, at - text.rfind("\n", 0, at)
    return found
