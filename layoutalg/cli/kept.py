"""What `check` decided, kept for the next time: an unchanged file is not read, built and proved again.

The key is the SHA-256 of the file's text, its path, the options that claims are decided by, the user's own targets, the
source of this package and the versions of what it rests on; so a fault that was mended does not live on.  The text is
read once, for the key and for the claims, so a file that changes and changes back meanwhile is no matter; targets are
those that the claims were decided by.  An entry repeats its key, and is as good as none where it is not what is written
here.  Only what is decided is kept: an unknown may be known on a quieter machine.  A file with C++ is not kept here,
since its headers count too.
"""

from __future__ import annotations

import json
import os
import tomllib
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path

from layoutalg.cli.checked import CheckedFile
from layoutalg.cli.files import SPECS
from layoutalg.disk import files_of
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass

with lazy_imports():
    from layoutalg import cache as disk
    from layoutalg.target import files as gpus

LARGEST = 1 << 20
"""Bytes of a file whose results are kept."""


@dataclass(frozen=True)
class _Asked:
    """A file as it was read, and the key of what is found in it."""

    content: bytes
    key: str


class Kept:
    """Results by the files that they are of, for one way to decide them."""

    def __init__(self, *options: object) -> None:
        self.options = options
        self._targets = _targets()
        self._asked: dict[str, _Asked] = {}

    def get(self, path: Path) -> CheckedFile | None:
        """What was found in the file as it is now, which is read; None where it was not decided yet."""
        self._asked.pop(str(path), None)
        if path.suffix not in SPECS:
            return None
        try:
            with path.open("rb") as file:
                content = file.read(LARGEST + 1)
        except OSError:
            return None
        if len(content) > LARGEST:
            return None
        targets = (part for entry in self._targets.items() for part in entry)
        asked = _Asked(content, disk.key(b"check", content, str(path), repr(self.options), *targets, disk.package()))
        self._asked[str(path)] = asked
        return _checked(asked.key, str(path))

    def text(self, path: Path) -> str | None:
        """The text of a file that was asked for, which its claims are to be made of; None where it was not read."""
        asked = self._asked.get(str(path))
        try:
            return None if asked is None else asked.content.decode("utf-8").replace("\r\n", "\n")
        except UnicodeDecodeError:
            return None  # who reads it says where

    def put(self, checked: CheckedFile) -> None:
        """Keeps what is decided of a text that was read here."""
        asked = self._asked.get(checked.path)
        if asked is None or not checked.is_decided or _has_cpp(checked.path, asked.content):
            return
        if not os.environ.get("LAYOUTALG_TARGETS") or gpus.users_files() == self._targets:
            disk.write(asked.key, json.dumps({"key": asked.key, "checked": asdict(checked)}).encode())


def _checked(key: str, path: str) -> CheckedFile | None:
    """What is kept under a key; None where it is not what `put` writes."""
    kept = disk.read(key)
    try:
        entry = None if kept is None else json.loads(kept)
        if entry is None or entry["key"] != key or entry["checked"]["path"] != path:
            return None
        found = CheckedFile(**entry["checked"])
        return replace(found, before=True) if found.is_decided else None
    except (ValueError, LookupError, TypeError, RecursionError):
        return None


def _has_cpp(path: str, content: bytes) -> bool:
    """Whether a file that was read has the table [cpp], without which no expression of C++ is read."""
    text = content.decode("utf-8")
    return "cpp" in (tomllib.loads(text) if path.endswith(".toml") else json.loads(text))


def _targets() -> dict[str, bytes]:
    """The user's own targets by their files (`target.files.FOLDER`, which is dear to import)."""
    folder = os.environ.get("LAYOUTALG_TARGETS")
    with suppress(OSError):
        return files_of(Path(folder), ".toml") if folder else {}
    return {}
