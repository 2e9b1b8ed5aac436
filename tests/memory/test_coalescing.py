"""Coalescing: segments counted as a set of bytes says, and the sentence that a user reads."""

import json
from pathlib import Path

import numpy as np
import pytest

from layoutalg.memory.banks import AccessError
from layoutalg.memory.coalescing import coalescing, count, fewest, segments

LANE = np.arange(64)

#: Accesses that an NVIDIA GPU did, alone: what it counted of each.
COUNTED = Path(__file__).parents[2] / "benchmarks" / "banks" / "data" / "sm_90-both.json"


@pytest.mark.parametrize("segment", [32, 64, 128])
@pytest.mark.parametrize("width", [1, 2, 4, 12, 16])
def test_counts_are_those_of_the_set_of_bytes(segment: int, width: int) -> None:
    rng = np.random.default_rng(segment + width)
    addresses = rng.integers(0, 4000, (20, 64))
    for row, touched, least in zip(
        addresses, segments(addresses, width, segment), fewest(addresses, width, segment), strict=True
    ):
        bytes_ = {int(address) + byte for address in row for byte in range(width)}
        assert touched == len({byte // segment for byte in bytes_})
        assert least == -(-len(bytes_) // segment)


def test_segments_of_32_bytes_are_the_sectors_that_an_h100_counts() -> None:
    counted = json.loads(COUNTED.read_text())["accesses"]
    for one in counted:
        sectors = int(segments(np.array(one["addresses"]), one["bytes"], 32))
        assert one["global"] == {"read": sectors, "write": sectors}, (one["family"], one["parameters"])
    assert {one["bytes"] for one in counted} == {1, 2, 4, 8, 16}
    assert len({tuple(one["global"].values()) for one in counted}) > 10


@pytest.mark.parametrize(
    ("addresses", "touched", "least"),
    [(4 * LANE, 4, 4), (4 * LANE + 32, 5, 4), (8 * LANE, 8, 4), (1024 * LANE, 64, 4), (0 * LANE, 1, 1)],
)
def test_the_table_of_the_module(addresses: np.ndarray, touched: int, least: int) -> None:
    found = count(addresses, 4, 64)
    assert (found.touched, found.least, found.coalesced) == (touched, least, touched == least)


def test_each_target_counts_in_its_own_segments_and_names_the_worst_wave() -> None:
    waves = np.stack([np.stack([16 * LANE, 16 * LANE]), np.stack([16 * LANE, 256 * LANE])])
    small, large = coalescing("gfx942", waves, 16)
    assert (small.segment, large.segment) == (64, 128)
    assert (small.worst, small.worst_touched, small.worst_least) == ((1, 1), 64, 16)
    assert small.sentence == (
        "The 4 waves touch 112 segments of 64 bytes where 64 would do: 1.75 times the traffic. "
        "The worst is wave 1, 1: 64 where 16 would do."
    )
    assert "In doubt: taken from gfx942." in coalescing("gfx90a", 16 * LANE, 16)[0].sentence


def test_bad_input_is_refused() -> None:
    with pytest.raises(AccessError, match="before the memory"):
        count(LANE - 1, 4, 64)
    with pytest.raises(AccessError, match="whole numbers"):
        count(LANE / 2, 4, 64)
    with pytest.raises(AccessError, match="at least 1 byte"):
        count(LANE, 0, 64)
