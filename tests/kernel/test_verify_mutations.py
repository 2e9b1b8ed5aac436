"""A program that is wrong in one place is refuted, with a witness, and not emitted."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from layoutalg.index import as_expr, var
from layoutalg.kernel.emit import NotProvedError, emit
from layoutalg.kernel.library.transpose import lds_transpose, register_transpose
from layoutalg.kernel.program import Barrier, Load, LoadShared, Program, Shared, Store, StoreShared
from layoutalg.kernel.verify import verify
from layoutalg.layout import (
    Merge,
    PassThrough,
    TensorDescriptor,
    Xor,
    make_naive_tensor_descriptor,
    make_single_stage_tensor_adaptor,
    transform_tensor_descriptor,
)
from layoutalg.prove import Refuted


def every(program: Program, kind: type | tuple[type, ...], change: Callable[[object], object | None]) -> Program:
    """The program with each statement of a kind changed; None drops it."""
    body = [change(s) if isinstance(s, kind) else s for s in program.body]
    return replace(program, body=tuple(s for s in body if s is not None))


def refutations(program: Program) -> dict[str, Refuted]:
    """What is refuted, and that nothing is emitted."""
    verified = verify(program)
    found = {about: v for about, v in verified.verdicts if isinstance(v, Refuted)}
    assert found, "nothing is refuted"
    with pytest.raises(NotProvedError, match="not emitted, because"):
        emit(verified)
    for verdict in found.values():
        assert verdict.witness.points
        assert verdict.witness.text
    return found


def swizzled(rows: int, columns: int) -> TensorDescriptor:
    """A 64×64 tile whose words are swizzled by an xor of those lengths, as the program might say by mistake."""
    packed = make_naive_tensor_descriptor((64 // rows, rows, 64 // columns, columns), (64 * rows, 64, columns, 1))
    fine = [
        PassThrough(as_expr(64 // rows)),
        Xor((as_expr(rows), as_expr(columns))),
        PassThrough(as_expr(64 // columns)),
    ]
    mixed = transform_tensor_descriptor(packed, fine, [[0], [1, 3], [2]], [[0], [1, 3], [2]])
    merges = [Merge((as_expr(64 // rows), as_expr(rows))), Merge((as_expr(64 // columns), as_expr(columns)))]
    return transform_tensor_descriptor(mixed, merges, [[0, 1], [2, 3]], [[0], [1]])


@pytest.mark.parametrize("swizzle", ["xor", "pad"])
def test_a_dropped_barrier_is_a_race(swizzle: str) -> None:
    found = refutations(every(lds_transpose(swizzle=swizzle), Barrier, lambda _: None))
    verdict = found["1 and 2: no race in lds"]
    one, other = verdict.witness.points[0]["tx"], verdict.witness.points[0]["tx_other'"]
    assert one != other
    assert "thread" in verdict.reason


def test_a_barrier_in_the_wrong_place_is_a_race() -> None:
    program = lds_transpose()
    load, store, barrier, fetch, put = program.body
    assert "1 and 2: no race in lds" in refutations(replace(program, body=(load, store, fetch, barrier, put)))
    assert "2 and 3: no race in lds" in refutations(replace(program, body=(load, barrier, store, fetch, put)))


def test_a_swapped_store_layout_disagrees_with_the_load() -> None:
    program = lds_transpose(swizzle="pad")
    swapped = make_naive_tensor_descriptor((64, 64), (1, 65))
    found = refutations(every(program, StoreShared, lambda s: replace(s, descriptor=swapped)))
    assert "both descriptors" in found["3: what is read is what was written"].claim
    assert "offsets (1, 65)" in found["3: what is read is what was written"].reason


@pytest.mark.parametrize("stride", [-1, 1])
def test_a_stride_off_by_one_in_the_target_is_refuted(stride: int) -> None:
    program = lds_transpose()
    m, n = program.sizes
    wrong = replace(program.target, descriptor=make_naive_tensor_descriptor((m, n), (1, m + stride)))
    found = refutations(replace(every(program, Store, lambda s: replace(s, tensor=wrong)), target=wrong))
    assert "target: every element has one coordinate" in found


def test_a_stride_off_by_one_in_lds_lets_two_elements_share_a_word() -> None:
    narrow = make_naive_tensor_descriptor((64, 64), (63, 1))
    program = lds_transpose(swizzle="pad")
    both = every(every(program, StoreShared, lambda s: replace(s, descriptor=narrow)), LoadShared,
                 lambda s: replace(s, descriptor=narrow))  # fmt: skip
    found = refutations(both)
    assert (
        "index (0, 63), offset 63 and index (1, 0), offset 63"
        in found["1: store to lds: one word for each element"].reason
    )


@pytest.mark.parametrize("kind", [Load, Store])
def test_a_missing_guard_leaves_the_tensor(kind: type) -> None:
    found = refutations(every(lds_transpose(), kind, lambda s: replace(s, guarded=False)))
    (about,) = found
    assert "inside the tensor" in about
    assert "M = " in found[about].reason


def test_a_grid_that_lacks_the_last_tile_leaves_elements_unwritten() -> None:
    program = lds_transpose()
    m, n = program.sizes
    grid = (program.grid[0], var("by", (m + 62) // 64))
    counts = [PassThrough((m + 62) // 64), PassThrough((n + 63) // 64)]
    tiles = make_single_stage_tensor_adaptor(counts, [[0], [1]], [[1], [0]])
    fewer = replace(program, grid=grid, tiles=tiles)
    found = refutations(every(fewer, (Load, Store), lambda s: replace(s, origin=fewer.origin)))
    verdict = found["every coordinate is in a tile"]
    assert verdict.witness.points[0]["M"] % 64 == 1


def test_an_xor_with_the_wrong_mask_on_the_load_reads_another_word() -> None:
    found = refutations(every(lds_transpose(), LoadShared, lambda s: replace(s, descriptor=swizzled(64, 32))))
    assert "3: what is read is what was written" in found


def test_an_xor_over_a_length_that_is_no_power_of_two_leaves_its_row() -> None:
    mixed = transform_tensor_descriptor(
        make_naive_tensor_descriptor((64, 66), (66, 1)), [Xor((as_expr(64), as_expr(66)))], [[0, 1]], [[0, 1]]
    )
    program = every(lds_transpose(swizzle="pad"), StoreShared, lambda s: replace(s, descriptor=mixed))
    found = refutations(every(program, LoadShared, lambda s: replace(s, descriptor=mixed)))
    assert any("in" in about for about in found)


def test_a_pad_that_the_buffer_lacks_is_out_of_bounds() -> None:
    def unpadded(s: StoreShared | LoadShared) -> StoreShared | LoadShared:
        return replace(s, shared=Shared("lds", s.shared.dtype, 64 * 64))

    program = lds_transpose(swizzle="pad")
    found = refutations(every(every(program, StoreShared, unpadded), LoadShared, unpadded))
    assert "elements 4096" in found["1: store to lds: inside the buffer"].reason


def test_a_register_tile_stored_at_another_block_is_refuted() -> None:
    program = register_transpose()
    moved = (program.grid[0] * 32, program.grid[1] * 32 + 1)
    found = refutations(every(program, Store, lambda s: replace(s, origin=moved)))
    assert "1: target[x] = source[x]" in found


def test_a_vector_across_rows_is_refuted() -> None:
    found = refutations(every(register_transpose(), Load, lambda s: replace(s, vector=0)))
    assert "0: load from source: 4 elements are one vector" in found
