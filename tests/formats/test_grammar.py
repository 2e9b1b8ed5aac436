"""The published JSON Schema says what the reader says."""

from __future__ import annotations

import json
import random
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from layoutalg.formats.grammar import FILE, schema_text
from layoutalg.formats.reading import DocumentError
from tests.fuzzing import FIRST, KNOWN, count

EVERYTHING = Path(__file__).parent / "data" / "everything.toml"
SCHEMA = json.loads(schema_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def test_published_schema_is_up_to_date() -> None:
    published = files("layoutalg.formats").joinpath("spec.schema.json").read_text(encoding="utf-8")
    assert published == schema_text(), "write layoutalg.formats.grammar.schema_text() to spec.schema.json"


def test_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def reader_accepts(data: Any) -> bool:
    try:
        FILE.check((), data)
    except DocumentError:
        return False
    return True


ATOMS: list[Any] = [0, -1, 3, 1 << 70, 2.5, True, "", "x", "M + 1", "a b", "packed", None, [], [1], {}, {"min": 1}]


def mutated(rng: random.Random, value: Any) -> Any:
    """The value with something in it changed, dropped or added."""
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = rng.choice(list(value))
        if rng.random() < 0.15:
            return {k: v for k, v in value.items() if k != key}
        if rng.random() < 0.1:
            return {**value, rng.choice(["length", "nmae", "expect", "lower"]): rng.choice(ATOMS)}
        return {**value, key: mutated(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.8:
        n = rng.randrange(len(value))
        return [*value[:n], mutated(rng, value[n]), *value[n + 1 :]]
    return rng.choice(ATOMS)


@pytest.mark.fuzz
def test_schema_and_reader_agree_on_mutated_documents() -> None:
    seed = FIRST
    rng, good = random.Random(seed), tomllib.loads(EVERYTHING.read_text())
    accepted, cases = 0, count(80, dear=10)
    for n in range(cases):
        data = good
        for _ in range(rng.randrange(3)):
            data = mutated(rng, data)
        accepted += reader_accepts(data)
        assert VALIDATOR.is_valid(data) == reader_accepts(data), f"seed {seed}, case {n}: {data}"
    if KNOWN:
        assert 0.15 < accepted / cases < 0.95


@pytest.mark.parametrize("data", [[], 3, {"descriptor": {}}, {"symbols": {"a b": {}}}])
def test_both_refuse(data: Any) -> None:
    assert not VALIDATOR.is_valid(data)
    assert not reader_accepts(data)
