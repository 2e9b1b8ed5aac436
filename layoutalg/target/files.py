"""The files of targets by name, the package's own and those of a user's folder, each as it was first read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from layoutalg.disk import files_of
from layoutalg.lazy import lazy_imports

with lazy_imports():
    from importlib import resources

    from layoutalg.target import tables

FOLDER = "LAYOUTALG_TARGETS"
"""The environment's variable that names a folder of further targets."""


@cache
def target_files() -> Mapping[str, bytes]:
    """Target files by their names, as they were first read; the package's own names are not to be had by others."""
    data = resources.files("layoutalg.target").joinpath("data")
    own = {one.name: one.read_bytes() for one in data.iterdir() if one.name.endswith(".toml")}
    added = users_files()
    taken = sorted(own.keys() & added.keys())
    if taken:
        name = taken[0].removesuffix(".toml")
        raise tables.TargetFileError(
            f"{os.environ.get(FOLDER)}: {name} is a target of the package's own: give yours another name"
        )
    return {name.removesuffix(".toml"): content for name, content in {**own, **added}.items()}


@cache
def users_files() -> Mapping[str, bytes]:
    """The user's own target files, as they were when they were first asked for: what every verdict here rests on."""
    folder = os.environ.get(FOLDER)
    return files_of(Path(folder), ".toml") if folder else {}


def text_of(name: str) -> str:
    """The text of a target's file; TargetFileError where it is none."""
    try:
        return target_files()[name].decode("utf-8")
    except UnicodeDecodeError:
        raise tables.TargetFileError(f"{name}.toml: is no UTF-8 text") from None
