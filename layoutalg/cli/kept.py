"""What `check` decided, kept for the next time: an unchanged file is not read, built and proved again.

The key is the SHA-256 of the file's text, its path, the options that claims are decided by, the user's own targets, the
source of this package and the versions of what it rests on; so a fault that was mended does not live on.  Only what is
decided is kept: an unknown may be known on a quieter machine.  A file with C++ is not kept here, since its headers
count too.
"""

from __future__ import annotations

import json
import os
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from layoutalg.cli.checked import CheckedFile
from layoutalg.cli.files import SPECS
from layoutalg.lazy import lazy

if TYPE_CHECKING:
    from importlib import metadata

    from layoutalg import cache as disk
else:
    metadata = lazy("importlib.metadata")
    disk = lazy("layoutalg.cache")

LARGEST = 1 << 20
"""Bytes of a file whose results are kept."""


class Kept:
    """Results by the files that they are of, for one way to decide them."""

    def __init__(self, *options: object) -> None:
        self.options = options
        self._asked: dict[Path, str | None] = {}  # the key of each file as it was when it was asked for

    def get(self, path: Path) -> CheckedFile | None:
        """What was found in the file as it is now; None where it was not decided yet."""
        key = self._asked[path] = self._key(path)
        kept = None if key is None else disk.read(key)
        return None if kept is None else replace(CheckedFile(**json.loads(kept)), before=True)

    def put(self, checked: CheckedFile) -> None:
        """Keeps what is decided, where nobody wrote to the file since it was asked for: else it is of another text."""
        path = Path(checked.path)
        key = self._key(path)
        if key is not None and key == self._asked.get(path) and checked.is_decided and not _has_cpp(path):
            disk.write(key, json.dumps(asdict(checked)).encode())

    def _key(self, path: Path) -> str | None:
        if path.suffix not in SPECS:
            return None
        try:
            with path.open("rb") as file:
                text = file.read(LARGEST + 1)
        except OSError:
            return None
        if len(text) > LARGEST:
            return None
        return disk.key(b"check", text, str(path), repr(self.options), *_targets(), _package())


def _has_cpp(path: Path) -> bool:
    """Whether a file that was read has the table [cpp], without which no expression of C++ is read."""
    text = path.read_text(encoding="utf-8")
    return "cpp" in (tomllib.loads(text) if path.suffix == ".toml" else json.loads(text))


def _targets() -> Iterator[str | bytes]:
    """Names and texts of the user's own targets (`target.read.FOLDER`, which is dear to import)."""
    if folder := os.environ.get("LAYOUTALG_TARGETS"):
        for path in sorted(Path(folder).glob("*.toml")):
            yield path.name
            yield path.read_bytes()


@cache
def _package() -> str:
    """The hash of this package's source, and of the versions of what verdicts rest on."""
    root = Path(__file__).parents[1]
    files = sorted(path for path in root.rglob("*") if path.suffix in (".py", ".toml", ".json"))
    versions = [metadata.version(name) for name in ("z3-solver", "numpy", "sympy")]
    sources = (part for path in files for part in (str(path.relative_to(root)), path.read_bytes()))
    return disk.key(sys.version, *versions, *sources)
