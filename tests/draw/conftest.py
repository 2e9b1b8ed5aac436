"""Layouts that the tests draw, and what reads a drawing back."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page

from layoutalg.draw import LaneAccess, Picture, operand
from layoutalg.index import symbol
from layoutalg.layout import (
    Merge,
    PassThrough,
    TensorDescriptor,
    Unmerge,
    Xor,
    make_naive_tensor_descriptor,
    transform_tensor_descriptor,
)

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="session")
def guide() -> TensorDescriptor:
    """The descriptor of AMD's GPU programming guide: (4, 64, 128) over a 256 × 128 matrix."""
    matrix = make_naive_tensor_descriptor((256, 128), (128, 1))
    return transform_tensor_descriptor(matrix, [Unmerge((4, 64)), PassThrough(128)], [[0], [1]], [[0, 1], [2]])


@pytest.fixture(scope="session")
def plain() -> TensorDescriptor:
    """64 × 64 halves, row by row."""
    return make_naive_tensor_descriptor((64, 64), (64, 1))


@pytest.fixture(scope="session")
def padded() -> TensorDescriptor:
    """64 × 64 halves, rows `pad` elements longer than they need be."""
    return make_naive_tensor_descriptor((64, 64), (64 + symbol("pad", min=0, max=32, multiple_of=8), 1))


@pytest.fixture(scope="session")
def swizzled(plain: TensorDescriptor) -> TensorDescriptor:
    """64 × 64 halves, the eight vectors of a row xor-ed with the row."""
    split = transform_tensor_descriptor(plain, [PassThrough(64), Unmerge((8, 8))], [[0], [1]], [[0], [1, 2]])
    mixed = transform_tensor_descriptor(split, [Xor((64, 8)), PassThrough(8)], [[0, 1], [2]], [[0, 1], [2]])
    return transform_tensor_descriptor(mixed, [PassThrough(64), Merge((8, 8))], [[0], [1, 2]], [[0], [1]])


@pytest.fixture(scope="session")
def column(plain: TensorDescriptor) -> LaneAccess:
    """Every lane in one column of vectors: as many conflicts as there can be."""
    return LaneAccess.of(plain, operand(32, 8))


@pytest.fixture(scope="session")
def parsed() -> Callable[[Picture], ET.Element]:
    """A picture's SVG, parsed: it fails where the XML is not well formed."""
    return lambda picture: ET.fromstring(str(picture))


@pytest.fixture(scope="session")
def texts() -> Callable[[Picture], list[str]]:
    """All text of a picture, in order."""
    return lambda picture: [node.text or "" for node in ET.fromstring(str(picture)).iter(f"{SVG}text")]


@pytest.fixture(scope="module")
def opened(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Page]]:
    """Opens a page from disk; whatever it complains of, or tries to load, is an error of the test."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    context.set_default_timeout(10_000)
    complaints: list[str] = []
    folder = tmp_path_factory.mktemp("pages")

    def opens(text: str, address: str = "") -> Page:
        path = folder / f"{abs(hash(text))}.html"
        path.write_text(text, encoding="utf-8")
        tab = context.new_page()
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.on("console", lambda message: complaints.append(message.text))
        tab.on("request", lambda request: request.url.startswith("file:") or complaints.append(request.url))
        tab.goto(path.as_uri() + address)
        return tab

    yield opens
    context.close()
    assert complaints == []
