"""The browser that opens the explorer and the documentation."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
REQUIRED = "LAYOUTALG_REQUIRE_BROWSER"
"""Set where a browser is promised (the gate installs one): its absence then fails instead of skipping."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None and REQUIRED not in os.environ:
        pytest.skip("no Chromium on PATH")
    assert CHROMIUM is not None, f"{REQUIRED} is set, but no Chromium is on PATH"
    with sync_playwright() as driver:
        options = ["--no-sandbox"]  # its sandbox does not start for root, as in containers; the pages are our own
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=options)
        yield chromium
        chromium.close()
