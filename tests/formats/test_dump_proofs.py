"""Every file of proofs/ fits the published schema, prints and reads back, and its descriptors survive C++."""

from __future__ import annotations

import json
import re
import tomllib
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from layoutalg.cpp import loads as read_cpp
from layoutalg.formats import DescriptorItem, SpecFile, dump, load, loads
from layoutalg.formats.ck_write import to_ck
from layoutalg.formats.dump import item_data
from layoutalg.index import Expr, variables
from layoutalg.layout import LayoutError

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "proofs").rglob("*.toml"))


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_there_are_proofs() -> None:
    assert len(FILES) > 10


@pytest.mark.parametrize("path", FILES, ids=named)
def test_file_fits_the_schema(path: Path) -> None:
    schema = json.loads(files("layoutalg.formats").joinpath("spec.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(tomllib.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", FILES, ids=named)
def test_file_prints_and_reads_back(path: Path) -> None:
    file = load(path)
    again = loads(dump(file))
    assert [item_data(item) for item in again.items] == [item_data(item) for item in file.items]
    for one, other in zip(file.descriptors, again.descriptors, strict=True):
        assert one.descriptor == other.descriptor
        assert [e.goal for e in one.examples] == [e.goal for e in other.examples]


def through_cpp(file: SpecFile, item: DescriptorItem) -> bool:
    """Whether C++ can say the descriptor, and then says the same; it cannot say a memory that is not the base's own."""
    try:
        text = to_ck(item.descriptor)
    except LayoutError as error:
        assert re.search("has no function for|is no base", str(error))  # noqa: PT017
        return False
    own = {v.value.name: v for v in variables(*item.descriptor.lengths) if v.value.name in file.symbols}
    limits = {name: item_data_symbol(symbol) for name, symbol in (file.symbols | own).items()}
    again = read_cpp(text, "x.hpp", limits).descriptor("make_layout").descriptor
    assert again.adaptor == item.descriptor.adaptor
    assert "storage" in item_data(item)[1] or again == item.descriptor
    return True


def item_data_symbol(symbol: Expr) -> str:
    known = symbol.value
    parts = [f"min = {known.lo}", f"multiple_of = {known.multiple_of}"]
    parts += [f"max = {known.hi}"] if known.hi < float("inf") else []
    parts += ["power_of_two = true"] if known.power_of_two else []
    return f"{{ {', '.join(parts)} }}"


def test_descriptors_survive_cpp() -> None:
    results = [through_cpp(file, item) for file in map(load, FILES[::12]) for item in file.descriptors[:2]]
    assert sum(results) > 5
    assert results.count(False) < 5
