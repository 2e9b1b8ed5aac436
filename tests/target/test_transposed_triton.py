"""Loads that transpose: the maps against what Triton's compiler asks for and gets, load by load."""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest

from layoutalg.target.transposed import TRANSPOSED, Source
from tests.interop.triton import transposing


@functools.cache
def recorded() -> tuple[dict[str, Any], ...]:
    return tuple(map(json.loads, transposing.TRANSPOSED.read_text().splitlines()))


def explained(load: dict[str, Any], source: Source) -> bool:
    """Whether each lane holds, of what the lanes ask for, the elements that a map says."""
    asked = load["asked"]
    return all(
        asked[other] + k == element
        for lane, got in enumerate(load["got"])
        for e, element in enumerate(got)
        for other, k in [source(lane, e)]
    )


def test_every_instruction_but_those_of_6_bits_is_compared() -> None:
    assert {load["instruction"] for load in recorded()} == {name for name, one in TRANSPOSED.items() if one.bits != 6}


@pytest.mark.parametrize("name", [name for name, one in TRANSPOSED.items() if one.bits != 6])
def test_triton_takes_the_instruction_to_do_what_the_map_says(name: str) -> None:
    loads = [load for load in recorded() if load["instruction"] == name]
    assert {load["target"] for load in loads} == set(TRANSPOSED[name].targets)
    assert {load["operand"] for load in loads} == {0, 1}
    for load in loads:
        assert len(load["got"][0]) == TRANSPOSED[name].elements
        assert explained(load, TRANSPOSED[name].at)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("ds_load_tr8_b64", lambda lane, e: (lane // 8 * 8 + e, lane % 8)),
        ("ds_read_b64_tr_b16", lambda lane, e: (lane // 4 * 4 + e, lane % 4)),
        ("ds_load_tr4_b64", lambda lane, e: (lane // 16 * 16 + e, lane % 16)),
    ],
)
def test_other_maps_explain_no_load(name: str, other: Source) -> None:
    """Among them what rocjitsu's emulator had: 8 lanes for 8 bits on gfx1250, 4 lanes for 16 bits on gfx950."""
    assert not any(explained(load, other) for load in recorded() if load["instruction"] == name)
