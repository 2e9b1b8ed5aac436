"""Of every question that the verifier asks of a program, a neighbour of a right program for which the answer is no.

`WRONG` names for each question a program and what of it is changed: one of these changes (`mutants`) refutes it.
`BY_HAND` has programs that no such change gives.  `NEVER` are questions about the verifier itself, whose answer is no
for no program: what is asked and what is emitted are made of one expression in two ways.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from layoutalg.index import var
from layoutalg.kernel.library.contraction import contraction
from layoutalg.kernel.library.einsum import merged, parse_einsum
from layoutalg.kernel.library.transpose import lds_transpose, register_transpose
from layoutalg.kernel.obligations.base import Requirement
from layoutalg.kernel.program import AsyncCopy, Load, LoadShared, Loop, Program, Registers, Statement, StoreShared
from layoutalg.kernel.program.fragments import encoded
from layoutalg.kernel.verify import requirements
from layoutalg.layout import (
    Pad,
    PassThrough,
    TileDistribution,
    make_naive_tensor_descriptor,
    transform_tensor_descriptor,
)
from layoutalg.prove import Limits, Refuted, prove
from layoutalg.target.dtypes import DTYPES
from tests.kernel.mutants import mutants, put
from tests.kernel.obligations.test_wellformed_names import PROGRAMS, base, in_lds
from tests.matrix import some

SAME = (
    (r"\w+#? is b?f#, not b?f#", "sums are f32"),
    (r".* multiplies .*", "elements are the instruction's"),
    (r"at most # bytes.*", "LDS is what a target has"),
    (r"rounded before.*", "values are the tensors'"),
    (r"# or # bytes, not #", "# bytes, not #"),
    (r"everything is for a \w+", "everything is for a sum"),
    (r"rounded to.*", "not rounded before"),
    (r".* is not .*", "what is stored is what is meant"),
)
"""Questions whose text tells of the program, and what they are called here."""

WRONG: dict[str, tuple[str, str]] = {
    "# is put where there is no data": ("transposition", "Load Load.fill"),
    "# to # blocks": ("transposition", "program {'requires': 1}"),
    "Agree": ("transposition", "StoreShared StoreShared.descriptor"),
    "Bijective": ("transposition", "target map"),
    "Contiguous": ("transposition", "StoreShared StoreShared.descriptor"),
    "InBounds": ("transposition", "StoreShared StoreShared.descriptor"),
    "Injective": ("transposition", "StoreShared StoreShared.descriptor"),
    "LDS is what a target has": ("wgmma", "MultiplyShared dropped"),
    "a loop's body runs": ("in parts", "loop of (N_b + 127) // 128 - 1"),
    "a row is # bytes at a multiple of #": ("ldmatrix", "Loop LoadShared.origin"),
    "a run of a pattern's first row": ("wgmma", "Loop LoadShared.origin"),
    "a slot is whole vectors": ("lane by lane", "StoreShared Shared.elements everywhere"),
    "a unit holds # at least": ("wgmma", "MultiplyShared dropped"),
    "a vector is #, #, # or # bytes": ("transposition", "StoreShared StoreShared.vector"),
    "a wave's lanes land one after the other": ("straight", "program lanes"),
    "a's first registers are c's": ("in parts", "Loop Fold.a"),
    "an iteration takes it": ("in parts", "Load Load.origin"),
    "as many": ("boxes of windows", "BoxCopy Pixels.lengths"),
    "both": ("boxes", "loop of 4"),
    "c, a and b have the same fragments": ("lane by lane", "Loop Multiply.c"),
    "columns": ("boxes of windows", "BoxCopy Load.only"),
    "coordinates in range, valid alike": ("in parts", "said of a tensor"),
    "each lane holds its elements": ("lane by lane", "Loop Multiply.c"),
    "each lane receives its elements": ("ldmatrix", "Loop LoadShared.origin"),
    "elements are the instruction's": ("mfma", "Loop Multiply.a"),
    "everything is for a sum": ("in parts", "Clear Clear.how"),
    "g, m, n and k of the tiles are equal": ("lane by lane", "Loop Multiply.c"),
    "guarded coordinates are in range": ("transposition", "Store Store.guarded"),
    "it was copied": ("straight", "StraightCopy Load.only"),
    "k differ": ("in parts", "Load Load.origin"),
    "k in the tile, as many as it has": ("in parts", "Fold Fold.a"),
    "lanes differ": ("transposition", "program lanes"),
    "lanes of a vector": ("transposition", "StoreShared StoreShared.vector"),
    "multiples": ("wgmma", "Await Shared.elements everywhere"),
    "nothing touches what a copy may still write, or a product read": ("straight", "Await Await.groups"),
    "origins agree": ("in parts", "Store Store.origin"),
    "register tile and LDS tile have one shape": ("in parts", "StoreShared StoreShared.registers"),
    "rows agree": ("in parts", "Fold Fold.a"),
    "strides": ("boxes", "BoxCopy Load.tensor"),
    "sums are f32": ("wgmma", "MultiplyShared Multiply.c"),
    "the distribution has the tile's lengths": ("transposition", "program tile"),
    "the first iteration finds its tile": ("lane by lane", "Load Load.origin"),
    "the grid has the tiles' extents": ("transposition", "program {'grid': (by, bx)}"),
    "the hardware's word": ("wgmma", "Loop LoadShared.origin"),
    "the lane is the thread's number mod the wave": ("mfma", "program lanes"),
    "the offset is the element's": ("in parts", "said of a tensor"),
    "the origin is a multiple of the vector": ("transposition", "Store Store.origin"),
    "the slot exists": ("transposition", "LoadShared LoadShared.slot"),
    "the slot is the one last written": ("transposition", "LoadShared LoadShared.slot"),
    "the tile goes to its place": ("in parts", "Store Store.origin"),
    "they use different slots": ("lane by lane", "Loop StoreShared.slot"),
    "threads write different words": ("transposition", "StoreShared StoreShared.descriptor"),
    "tile mod slots": ("boxes", "MultiplyShared LoadShared.slot"),
    "no two threads touch one word without a barrier between": ("transposition", "Barrier dropped"),
    "values are the tensors'": ("mfma", "a type"),
    "values fit # bits": ("transposition", "program {'requires': 1}"),
    "values keep their coordinates": ("transposition", "Store Store.origin"),
    "what is read is in the tile": ("in parts", "LoadShared LoadShared.registers"),
    "what is stored is what is meant": ("in parts", "Clear Clear.how"),
    "whole rows of channels": ("boxes of windows", "BoxCopy Load.origin"),
    "x div tile is the number of a tile": ("transposition", "program tile"),
}

NEVER = {
    "as computed", "the emitted offset is the descriptor's", "the emitted word is the map's",
    "the emitted digit is the merge's", "the emitted condition is the descriptor's validity",
    "short forms are the same", "in range where there is data", "data where they are in range",
    "an index below padding is in range",  # which is what its padding says
    "of multiples: first < end gives first + lane < end",  # a lemma
    "an element inside passes the guard",  # which tests the first of its vector
    "tiles are disjoint",  # n·t + c, c < t
    "the next part begins where the last one ends",  # asked where normal form says so
    "empty", "full", "arrivals",  # for any number of slots: test_ring_protocol has other protocols
    "progress",  # of one slot, which cannot be said
    "each lane of a copy is in the first", "two lanes of the first copy differ in it",
    "threads that differ in copies alone hold one element",  # of distributions, whose digits these are
}  # fmt: skip


# --- by hand ----------------------------------------------------------------------------------------------------------


def a_loop_that_counts_threads() -> Program:
    program = register_transpose(32, 32)
    return replace(program, body=(Loop(var("i", program.threads[0] + 1), program.body),))


def more_threads_than_lanes() -> Program:
    program = lds_transpose()
    threads = (var("tx", 512),)
    return replace(program, threads=threads, lanes=(threads[0] // 2,))


def more_threads_than_a_block_has() -> Program:
    threads = (var("tx", 8), var("ty", 8), var("tz", 65))
    return replace(register_transpose(), threads=threads)


def copies_of_single_elements() -> Program:
    def single(s: Statement) -> Statement:
        if isinstance(s, AsyncCopy):
            return replace(s, load=replace(s.load, vector=None), store=replace(s.store, vector=None))
        return replace(s, body=tuple(map(single, s.body))) if isinstance(s, Loop) else s

    program = base("ldmatrix")
    return replace(program, body=tuple(map(single, program.body)))


def a_tile_that_is_padded() -> Program:
    """Its last column is no data."""
    narrow = make_naive_tensor_descriptor((64, 63), (64, 1))
    padded = transform_tensor_descriptor(narrow, [PassThrough(64), Pad(63, 0, 1)], [[0], [1]], [[0], [1]])
    program = lds_transpose()
    body = tuple(replace(s, descriptor=padded) if isinstance(s, StoreShared | LoadShared) else s for s in program.body)
    return replace(program, body=body)


def a_tile_held_twice_in_lds() -> Program:
    """Two threads store each element."""
    program = lds_transpose()
    (store,) = program.of(StoreShared)
    held = encoded([2], [[64], [2, 32]], [[(0, 0), (1, 0), (2, 0)]], [(2, 1)])
    return put_registers(program, store.registers, replace(store.registers, distribution=held))


def a_value_that_is_rounded_on_its_way() -> Program:
    program = register_transpose(32, 32)
    (load,) = program.of(Load)
    return put_registers(program, load.registers, replace(load.registers, dtype=DTYPES["bf16"]))


def put_registers(program: Program, old: Registers, new: Registers) -> Program:
    return replace(program, body=put(program.body, old, new))


def a_source_that_is_longer() -> Program:
    program = register_transpose(32, 32)
    longer = replace(program.source, descriptor=make_naive_tensor_descriptor((32, 64), (64, 1)))
    return put(program, program.source, longer)


def half_the_parts() -> Program:
    """Of the parts of each row's sum 16 are taken in, of 32."""
    half = encoded([32], [[8], [8, 2]], [[(0, 0), (1, 0)]], [(2, 0), (2, 1)])
    return with_distribution(base("in parts"), "parts", half)


def sums_of_fewer_rows() -> Program:
    """Four rows, each held by the threads of two."""
    return with_distribution(base("in parts"), "taken", encoded([64], [[4]], [[(0, 0), (1, 0)]], []))


def with_distribution(program: Program, name: str, held: TileDistribution) -> Program:
    (old,) = (r for r in program.registers if r.name == name)
    return put_registers(program, old, replace(old, distribution=held))


def waves_of_every_fourth_thread() -> Program:
    program = base("mfma")
    (thread,) = program.threads
    return replace(program, lanes=(thread % 4, thread % 64))


def boxes_of_merged_rows() -> Program:
    return contraction(merged(parse_einsum("ijk,kjm->im")), "f16", plan=in_lds(True), widths=(8, 8, 8))


BY_HAND: dict[str, Callable[[], Program]] = {
    "all threads loop equally often": a_loop_that_counts_threads,
    "lanes are threads": more_threads_than_lanes,
    "at most # threads, # in z": more_threads_than_a_block_has,
    "# bytes, not #": copies_of_single_elements,
    "no element lies in padding": a_tile_that_is_padded,
    "as many as there are": half_the_parts,
    "the tiles have the same rows": sums_of_fewer_rows,
    "threads of a wave share it": waves_of_every_fourth_thread,
    "one stride for each dimension": boxes_of_merged_rows,
    "not rounded before": a_value_that_is_rounded_on_its_way,
    "source and target have one shape": a_source_that_is_longer,
}


# --- the questions ----------------------------------------------------------------------------------------------------


def question(r: Requirement) -> str:
    """What is asked, whatever the numbers."""
    label = re.sub(r"\d+", "#", getattr(r.claim, "label", type(r.claim).__name__))
    return next((name for pattern, name in SAME if re.fullmatch(pattern, label)), label)


def refutes(program: Program, asked: str) -> bool:
    """Whether the program's answer to a question is no, if it is refused for something else or not."""
    try:
        return any(
            question(r) == asked and isinstance(prove(r.claim, limits=Limits(seconds=1)), Refuted)
            for r in requirements(program)
        )
    except ValueError:
        return False


def changes(name: str, change: str) -> Iterator[Program]:
    """The mutants of a program by one sort of change."""
    return (m for what, m in mutants(base(name)) if re.sub(r"\([\d, ]*\) ", "", what) == change and m != base(name))


def test_there_is_a_neighbour_for_every_question() -> None:
    asked = {question(r) for name in PROGRAMS for r in requirements(base(name))}
    assert asked - {*WRONG, *BY_HAND, *NEVER, "RoundTrip"} == set()


@pytest.mark.parametrize("asked", some(tuple(WRONG), 8, slow=True))
def test_a_neighbour_is_refuted(asked: str) -> None:
    assert any(refutes(program, asked) for program in changes(*WRONG[asked]))


@pytest.mark.parametrize("asked", BY_HAND)
def test_a_neighbour_by_hand_is_refuted(asked: str) -> None:
    assert refutes(BY_HAND[asked](), asked)


def test_a_tile_that_two_threads_store_has_no_way_back() -> None:
    asked = (r for r in requirements(a_tile_held_twice_in_lds()) if r.about == "by_row: threads ↔ tile")
    assert [prove(r.claim).name for r in asked] == ["unknown"]
