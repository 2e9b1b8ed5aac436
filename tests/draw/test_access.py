"""Accesses of elements that are no whole bytes: which bytes and banks lanes ask for."""

import numpy as np
import pytest

from layoutalg.draw import LaneAccess, access_page, grid, in_order, memory
from layoutalg.errors import DrawError
from layoutalg.index import var
from layoutalg.layout import make_naive_tensor_descriptor, make_naive_tensor_descriptor_packed
from layoutalg.memory import access, lane_map
from layoutalg.memory.banks import phase_cycles

LANE = var("lane", 64)
NARROW = [("f4", 32, "ds_read_b128"), ("f6", 16, "ds_read_b96"), ("f4", 16, "ds_read_b64")]


def column(dtype: str, vector: int, instruction: str):
    """Each lane a vector of a row of its own, the rows `vector` elements apart more than packed."""
    tile = make_naive_tensor_descriptor((64, 4 * vector), (4 * vector, 1))
    return access(tile, lane_map(LANE, (LANE, 0), vector), dtype, "gfx950", instruction)


@pytest.mark.parametrize(("dtype", "vector", "instruction"), NARROW)
def test_lanes_are_where_their_bits_are(dtype: str, vector: int, instruction: str) -> None:
    own = LaneAccess.from_proof(column(dtype, vector, instruction))
    expected = np.arange(64) * 4 * own.instruction.bytes
    assert own.elements == vector
    assert own.addresses.tolist() == expected.tolist()
    cycles = phase_cycles("gfx950", instruction, expected)
    assert [phase.cycles for phase in own.phases] == cycles.tolist()


def test_a_vector_that_begins_inside_a_byte_is_refused() -> None:
    odd = make_naive_tensor_descriptor((64, 32), (33, 1))
    with pytest.raises(DrawError, match="lane 1 begins at bit 4 of byte 16"):
        _ = LaneAccess.of(odd, lambda lane, _: (lane, 0), "gfx950", "ds_read_b128", "f4").phases


def test_pictures_count_bits() -> None:
    tile = make_naive_tensor_descriptor_packed((4, 64))
    assert "Lines of 512 elements (384 bytes)" in str(memory(tile, target="gfx942", dtype="f6"))
    assert "Lines of 256 elements (128 bytes)" in str(memory(tile, target="gfx942", dtype="f4"))
    assert LaneAccess.of(tile, in_order(8), instruction="ds_read_b32", dtype="f4").elements == 8
    assert grid(tile, "dword", dtype="f4").title == "dword of each of 4 × 64 elements"


@pytest.mark.slow
@pytest.mark.parametrize(("dtype", "vector", "instruction"), NARROW)
def test_the_explorer_finds_the_same_bytes_and_banks(opened, dtype: str, vector: int, instruction: str) -> None:
    made = column(dtype, vector, instruction)
    own = LaneAccess.from_proof(made)
    tab = opened(access_page(made))
    assert tab.evaluate("() => now.lanes.addresses") == own.addresses.tolist()
    assert tab.evaluate("() => now.lanes.phases.map((p) => p.cycles)") == [p.cycles for p in own.phases]
    bits = made.dtype.bits
    at = 4 * vector + 1
    assert tab.evaluate(f"() => facts({at}).bank") == at * bits // 32 % own.instruction.banks
    assert tab.evaluate(f"() => facts({at}).byte") == f"{at * bits // 8} + {at * bits % 8} bits"
    assert tab.locator("#checked").text_content().endswith("equal the library's.")
    tab.close()
