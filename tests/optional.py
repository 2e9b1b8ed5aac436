"""Packages that the tests need and an installation may lack: skipped without, unless they were promised."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

REQUIRED = "LAYOUTALG_REQUIRE_EXTRAS"
"""Set where every extra of the tests is promised (`make test` installs them): an absent package then fails."""


def needed(package: str, extra: str) -> Any:
    """The package; without it the test or module is skipped, or fails where it was promised."""
    if REQUIRED in os.environ:
        return import_module(package)
    import pytest  # where this is read without tests, too

    return pytest.importorskip(package, reason=f"pip install '.[{extra}]' in a clone")
