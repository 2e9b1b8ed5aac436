"""Elements that share a byte: addresses, banks and segments against every bit counted in numpy."""

from __future__ import annotations

import numpy as np
import pytest

from layoutalg.index import Expr, symbol, var
from layoutalg.index.evaluate import array, value
from layoutalg.layout import (
    PassThrough,
    TensorDescriptor,
    Xor,
    make_naive_tensor_descriptor,
    transform_tensor_descriptor,
)
from layoutalg.memory import Coalesced, ConflictFree, Cost, LaneMap, Reach, access, lane_map, price
from layoutalg.memory.lanes import WidthError
from layoutalg.memory.traffic import traffic
from layoutalg.prove import Proved, Refuted, prove
from layoutalg.target import TargetError, target
from layoutalg.target.dtypes import DTYPES

LANE = var("lane", 64)


def rows(count: int, length: int, stride: int) -> TensorDescriptor:
    return make_naive_tensor_descriptor((count, length), (stride, 1))


def bits_of(descriptor: TensorDescriptor, lanes: LaneMap, bits: int) -> np.ndarray:
    """The bits that each lane reaches, in order: shape (lanes, elements · bits)."""
    points = {lanes.lane: np.arange(lanes.lanes)[:, None], lanes.element: np.arange(lanes.width)}
    (offsets,) = array([descriptor.offset(lanes.index)], points)
    each = np.broadcast_to(offsets, (lanes.lanes, lanes.width))[..., None] * bits + np.arange(bits)
    return each.reshape(lanes.lanes, -1)


def counted(descriptor: TensorDescriptor, lanes: LaneMap, bits: int, how: str, gpu: str) -> int | None:
    """The cycles of an access, every bit of every lane looked at; None where a lane's bits are no run of bytes."""
    each, of = bits_of(descriptor, lanes, bits), target(gpu).instruction(how)
    if (each != each[:, :1] + np.arange(each.shape[1])).any() or (each[:, 0] % (8 * of.alignment)).any():
        return None
    total = 0
    for phase in of.phases:
        dwords = np.unique(each[list(phase)] // 32)
        total += np.bincount(dwords % of.banks).max()
    return int(total)


@pytest.mark.parametrize(
    ("dtype", "width", "how"),
    [("f4", 8, "ds_read_b32"), ("i4", 32, "ds_read_b128"), ("f6", 16, "ds_read_b96"), ("e8m0", 4, "ds_read_b32")],
)  # fmt: skip
def test_the_price_is_that_of_every_bit_counted(dtype: str, width: int, how: str) -> None:
    bits, kinds = DTYPES[dtype].bits, set()
    length = 256 // np.gcd(256, bits) * 4
    for stride in (length, length + width, length + 2 * width, length + 3 * width, length + 1, 64 * width):
        tile = rows(64, length, stride)
        for lanes in (lane_map(LANE, (LANE % 32, LANE // 32 * width), width), lane_map(LANE, (LANE, 0), width)):
            wanted, found = counted(tile, lanes, bits, how, "gfx950"), price(access(tile, lanes, dtype, "gfx950", how))
            assert (found.total == (wanted, wanted)) if isinstance(found, Cost) else wanted is None, (stride, wanted)
            kinds.add(wanted is None)
    assert kinds == {True, False}


def test_a_vector_that_begins_inside_a_byte_is_refuted() -> None:
    lanes = lane_map(LANE, (LANE, 0), 8)
    odd = prove(ConflictFree(access(rows(64, 8, 9), lanes, "f4", "gfx950", "ds_read_b32")))
    assert isinstance(odd, Refuted)
    assert "every vector begins at a whole byte: not at lane 1, bit 36" in odd.reason
    for stride, name in ((9, "refuted"), (10, "refuted"), (8, "proved")):
        wide = Coalesced(Reach(rows(64, 8, stride), lanes, DTYPES["f4"]), target("gfx950"))
        assert prove(wide).name == name


@pytest.mark.parametrize(("dtype", "width", "how"), [("f4", 8, "ds_read_b32"), ("f6", 16, "ds_read_b96")])
def test_a_vector_in_pieces_is_refuted(dtype: str, width: int, how: str) -> None:
    columns = make_naive_tensor_descriptor((128, 16), (1, 128))
    lanes = lane_map(LANE, (LANE * 2, 0), width)
    for claim in (
        ConflictFree(access(columns, lanes, dtype, "gfx950", how)),
        Coalesced(Reach(columns, lanes, DTYPES[dtype]), target("gfx950")),
    ):
        found = prove(claim)
        assert isinstance(found, Refuted)
        assert "one after another" in found.reason or "whole byte" in found.reason
    assert "one after another" in prove(Coalesced(Reach(columns, lane_map(LANE, (0, 0), width), DTYPES[dtype]),
                                                  target("gfx950"))).reason  # fmt: skip


def test_parts_of_a_byte_are_no_lanes() -> None:
    with pytest.raises(WidthError, match="1 element of f4 are 4 bits: no whole bytes a lane"):
        Reach(rows(64, 8, 8), lane_map(LANE, (LANE, 0)), DTYPES["f4"])
    with pytest.raises(WidthError, match="2 elements of f6 are 12 bits: no whole bytes a lane"):
        access(rows(64, 8, 8), lane_map(LANE, (LANE, 0), 2), "f6", "gfx950")
    with pytest.raises(WidthError, match="16 elements of f6 are 12 bytes a lane; ds_read_b64 moves 8"):
        access(rows(64, 16, 16), lane_map(LANE, (LANE, 0), 16), "f6", "gfx950", "ds_read_b64")


@pytest.mark.parametrize(
    ("dtype", "gpu", "has"),
    [("f4", "gfx942", "f8 (e4m3fnuz), bf8 (e5m2fnuz)"), ("f8", "gfx90a", "of such types it has none"),
     ("tf32", "gfx950", "f8 (e4m3fn), bf8 (e5m2), f6 (e2m3fn), bf6 (e3m2fn), f4 (e2m1fn), e8m0 (e8m0fnu)"),
     ("f6", "gfx1201", "f8 (e4m3fn), bf8 (e5m2)")],
)  # fmt: skip
def test_a_type_that_a_target_lacks_is_refused_with_those_it_has(dtype: str, gpu: str, has: str) -> None:
    lane = var("lane", target(gpu).wave_size)
    with pytest.raises(TargetError, match=f"^{gpu} has no {dtype}; of such types it has") as refused:
        access(rows(64, 64, 64), lane_map(lane, (lane % 64, 0), 16), dtype, gpu, "read")
    assert has in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_linear_route_prices_nibbles_too() -> None:
    base = make_naive_tensor_descriptor((64, 8, 32), (256, 32, 1))
    mixed = transform_tensor_descriptor(base, [Xor((64, 8)), PassThrough(32)], [[0, 1], [2]], [[0, 1], [2]])
    operand = lane_map(LANE, (LANE % 16, LANE // 16, 0), 32)
    for tile, degree in ((base, None), (mixed, 1)):
        one = access(tile, operand, "f4", "gfx950")
        found = price(one)
        assert isinstance(found, Cost)
        assert found.strategy == "F₂"
        assert found.total[0] == counted(tile, operand, 4, "ds_read_b128", "gfx950")
        assert degree is None or isinstance(prove(ConflictFree(one)), Proved)


@pytest.mark.parametrize(("dtype", "width"), [("f4", 32), ("f4", 8), ("f6", 16), ("i4", 2)])
def test_segments_are_those_of_every_bit(dtype: str, width: int) -> None:
    bits = DTYPES[dtype].bits
    for apart in (width, 2 * width, 12 * width):
        line = make_naive_tensor_descriptor((64 * apart,), (1,))
        lanes = lane_map(LANE, (LANE * apart,), width)
        reach, each = Reach(line, lanes, DTYPES[dtype]), bits_of(line, lanes, bits)
        for segment in (64, 128):
            found = traffic(reach, segment)
            assert not isinstance(found, str)
            assert found.touched == (len(np.unique(each // (8 * segment))),) * 2
            assert found.fewest == (-(-len(np.unique(each // 8)) // segment),) * 2


def test_for_all_sizes() -> None:
    """Rows of f4 whose length is a multiple of 64 elements, 32 bytes: lanes of 16 bytes along them."""
    k = symbol("K", min=64, max=1 << 20, multiple_of=64)
    matrix = make_naive_tensor_descriptor((64, k), (k, 1))
    lanes = lane_map(LANE, (var("row", 64), LANE % 2 * 32), 32)
    assert isinstance(prove(Coalesced(Reach(matrix, lanes, DTYPES["f4"]), target("gfx950"))), Proved)


def test_packed_types_of_ck_are_read_as_their_elements() -> None:
    tile: TensorDescriptor = rows(64, 32, 32)
    one = access(tile, lane_map(LANE, (LANE, 0), 32), "pk_fp4_t", "gfx950")
    assert (one.dtype.name, one.width, one.instruction.name) == ("f4", 16, "ds_read_b128")
    start: Expr = one.start
    assert value(start, {LANE: 3}) == 48
