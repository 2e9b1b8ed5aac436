"""Programs that mean nothing: names that clash or leave their scope, sizes without ends, statements that nobody has."""

from dataclasses import replace

import pytest

from layoutalg.index import Expr, all_of, as_expr, symbol, var
from layoutalg.kernel.library.transpose import lds_transpose, register_transpose
from layoutalg.kernel.program import (
    Compute,
    ElementMap,
    Elementwise,
    Load,
    Multiply,
    Read,
)
from layoutalg.kernel.program.fragments import FMA
from layoutalg.layout import (
    Embed,
    PassThrough,
    make_naive_tensor_descriptor,
    make_single_stage_tensor_adaptor,
)
from tests.kernel.wrong_programs import batched, every, refused, renamed

# --- names and scopes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["row", "column", "y0", "y1", "v", "word", "t0", "for", "_x", "threadIdx", "any_1"])
def test_a_name_that_means_something_else_is_refused(name: str) -> None:
    program = lds_transpose()
    refused(renamed(program, program.grid[0], var(name, program.extents[0])), repr(name))


def test_a_grid_index_that_is_a_register_index_to_the_prover_is_refused() -> None:
    program = register_transpose(128, 32)
    refused(renamed(program, program.grid[0], var("y0", 4)), "'y0'")


@pytest.mark.parametrize("name", ["source", "lds", "by_row", "tx", "bx"])
def test_two_things_of_one_name_are_refused(name: str) -> None:
    program = lds_transpose()
    m, n = (replace_name(s, name) if s is program.sizes[0] else s for s in program.sizes)
    descriptors = make_naive_tensor_descriptor((m, n), (n, 1)), make_naive_tensor_descriptor((m, n), (1, m))
    source, target = (replace(t, descriptor=d) for t, d in zip(program.tensors, descriptors, strict=True))
    refused(replace(program, sizes=(m, n), source=source, target=target), repr(name))


def replace_name(size: Expr, name: str) -> Expr:
    return symbol(name, min=1, max=int(size.hi))


def test_sizes_other_than_those_proved_are_refused() -> None:
    program = lds_transpose(vector=4)
    wider = tuple(symbol(s.value.name, min=1, max=1000) for s in program.sizes)
    refused(replace(program, sizes=wider), "another than the M")


def test_what_is_required_speaks_of_sizes_alone() -> None:
    program = lds_transpose()
    refused(replace(program, requires=all_of(program.requires, program.grid[0] < 1)), "what is required uses bx")


def test_an_origin_that_depends_on_the_thread_is_refused() -> None:
    program = lds_transpose()
    o = program.origin
    refused(every(program, Load, origin=(o[0] + program.threads[0], o[1])), "origin in source uses tx")


def test_threads_and_grids_without_known_ends_are_refused() -> None:
    program = lds_transpose()
    threads = (var("tx", symbol("T", min=1, max=256)),)
    refused(replace(program, threads=threads, lanes=threads), "uses T")
    by_twos = symbol("bx", min=0, max=8, multiple_of=2)
    refused(renamed(program, program.grid[0], by_twos), "does not count 0, 1, 2")


def test_a_tile_map_of_unknown_range_is_refused() -> None:
    program = register_transpose(32, 32)
    loose = make_single_stage_tensor_adaptor(
        [Embed((as_expr(1),), (as_expr(1),)), PassThrough(as_expr(1))], [[0], [1]], [[0], [1]]
    )
    refused(replace(program, tiles=loose), "tile numbers")


# --- statements and meanings ------------------------------------------------------------------------------------------


def test_a_function_of_more_operands_than_it_takes_is_refused() -> None:
    program = register_transpose(32, 32)
    load, store = program.body
    assert isinstance(load, Load)
    added = Elementwise(load.registers, "add", (load.registers,) * 3)
    meaning = Compute("add", (Read(program.source),) * 3)
    refused(replace(program, body=(load, added, store), meaning=meaning), "add of 3 operands; it takes 2")


def test_reading_the_target_is_refused() -> None:
    program = register_transpose(32, 32)
    refused(replace(every(program, Load, tensor=program.target), meaning=Read(program.target)), "is loaded from")


def test_a_forged_instruction_is_refused() -> None:
    program = batched(False)
    forged = replace(FMA, name="fma2", k=2)
    refused(every(program, Multiply, instruction=forged), "fma2 is no matrix instruction")


@pytest.mark.parametrize("name", ["two\nlines", "ends in \\"])
def test_a_letter_that_would_leave_its_comment_is_refused(name: str) -> None:
    program = register_transpose(32, 32)
    letter = var(name, 32)
    said = ElementMap(program.source, (letter,), (letter, as_expr(0)), letter * 32)
    refused(replace(program, element_maps=(said,)), "is no name")


def test_a_vector_along_no_register_index_is_refused() -> None:
    refused(every(register_transpose(32, 32), Load, vector=-1), "-1 to move as a vector")
