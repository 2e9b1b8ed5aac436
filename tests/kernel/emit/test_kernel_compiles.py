"""What is proved compiles: each program here was once proved, and its text was none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from layoutalg.device import Device, compile_source
from layoutalg.device.compilers import choose_compiler
from layoutalg.device.kernels import run
from layoutalg.device.process import run_compiler
from layoutalg.index import as_expr, symbol, var
from layoutalg.kernel.emit import NotProvedError, emit
from layoutalg.kernel.library.contraction import contraction
from layoutalg.kernel.library.einsum import parse_einsum
from layoutalg.kernel.library.transpose import register_transpose
from layoutalg.kernel.obligations.limits import targets_of
from layoutalg.kernel.program import (
    Await,
    Barrier,
    Commit,
    Load,
    LoadShared,
    Program,
    Registers,
    Shared,
    Store,
    StoreShared,
    Tensor,
)
from layoutalg.kernel.program.fragments import encoded
from layoutalg.layout import (
    LayoutError,
    Merge,
    PassThrough,
    make_naive_tensor_descriptor,
    make_single_stage_tensor_adaptor,
    transform_tensor_descriptor,
)
from layoutalg.target.dtypes import DTYPES
from tests.kernel.conftest import proved
from tests.kernel.wrong_programs import refused
from tests.matrix import some

TARGETS = ("cpu", "gfx942", "sm_90")
SMALL = register_transpose(32, 32)
LOAD, STORE = SMALL.body
assert isinstance(LOAD, Load)
assert isinstance(STORE, Store)


def right(program: Program, cpu: Device) -> None:
    """It is proved, its text is taken by every compiler, and transposes."""
    verified = proved(program)
    for target in TARGETS:
        compile_source(emit(verified, target if target != "cpu" else None), target)
    x = np.arange(32 * 32, dtype=np.float32).reshape(32, 32)
    assert (run(verified, cpu, x, (32, 32)).output == x.T).all()


@pytest.mark.parametrize("groups", [(Commit(),), (Await(0, ()),), (Commit(), Commit(), Await(1, ()), Await(0, ()))])
def test_groups_without_copies(groups: tuple[Commit | Await, ...], cpu: Device) -> None:
    right(replace(SMALL, body=(*groups, LOAD, *groups, STORE)), cpu)


@pytest.mark.parametrize("vector", some([2, ((2,),), ((0, 2),), ((2, 0),)], 2))
def test_vectors_along_a_y_of_length_1(vector: int | tuple[int, ...], cpu: Device) -> None:
    """Elements [row][column][one of one]: alone, and beside one that is longer."""
    held = Registers(
        "tile", DTYPES["f32"], encoded([], [[8, 4, 1], [8, 4]], [[(1, 0)], [(2, 0)]], [(1, 1), (2, 1), (1, 2)])
    )
    load = replace(LOAD, registers=held, vector=2)
    store = replace(STORE, registers=held, vector=vector)
    right(replace(SMALL, body=(load, store)), cpu)


def test_vectors_of_one_element_in_lds(cpu: Device) -> None:
    held = Registers(
        "tile", DTYPES["f32"], encoded([], [[8, 4, 1], [8, 4]], [[(1, 0)], [(2, 0)]], [(1, 1), (2, 1), (1, 2)])
    )
    lds, rows = Shared("lds", DTYPES["f32"], 32 * 33), make_naive_tensor_descriptor((32, 32), (33, 1))
    back = Registers(
        "back", DTYPES["f32"], encoded([], [[8, 4], [8, 4, 1]], [[(2, 0)], [(1, 0)]], [(1, 1), (2, 1), (2, 2)])
    )
    body = (
        replace(LOAD, registers=held, vector=2), StoreShared(lds, rows, held, 2), Barrier(),
        LoadShared(back, lds, rows, (2,)), replace(STORE, registers=back, vector=None),
    )  # fmt: skip
    right(replace(SMALL, body=body), cpu)


# --- names ------------------------------------------------------------------------------------------------------------


def macros(tmp_path: Path) -> set[str]:
    """The macros that a compiler and the device header define, but for those that C++ keeps for itself."""
    (tmp_path / "kernel.hip").write_text('#include "layoutalg_device.h"\n')
    run_compiler(choose_compiler("cpu").preprocess(("-dM",)), tmp_path)
    defined = (line.split()[1].partition("(")[0] for line in (tmp_path / "kernel.i").read_text().splitlines())
    return {name for name in defined if not name.startswith("_")}


def named(name: str) -> Program:
    source = replace(SMALL.source, name=name)
    return replace(SMALL, source=source, body=(replace(LOAD, tensor=source), STORE))


def test_no_tensor_is_called_like_a_macro(tmp_path: Path) -> None:
    found = macros(tmp_path)
    assert "LAYOUTALG_DEVICE" in found
    for name in (
        *sorted(found),
        "linux",
        "NULL",
        "NAN",
        "assert",
        "stderr",
        "INT_MAX",
        "UINT64_C",
        "M_PI",
        "FLT_EPSILON",
        "RAND_MAX",
    ):
        refused(named(name), f"the name '{name}' is kept for (a macro|C)")


NAMES = ["M", "ROWS", "K_MAX", "i_x", "E", "source_1", "step", "any_source", "k_any", "x_other"]


@pytest.mark.parametrize("name", some(NAMES, 3))
def test_other_names_are_free(name: str, cpu: Device) -> None:
    right(named(name), cpu)


# --- sizes that leave a map without a meaning -------------------------------------------------------------------------


def test_a_merge_by_a_length_that_may_be_0_is_no_program() -> None:
    y, x = symbol("Y", min=0, max=9), symbol("X", min=0, max=9)
    packed = make_naive_tensor_descriptor((32, y, x), (y * x, x, 1))
    merged = transform_tensor_descriptor(packed, [PassThrough(as_expr(32)), Merge((y, x))], [[0], [1, 2]], [[0], [1]])
    source = Tensor("source", DTYPES["f32"], merged, ("row", "column"))
    program = replace(SMALL, source=source, sizes=(y, x), body=(replace(LOAD, tensor=source), STORE))
    refused(program, "not well-formed: division by X, which can be 0")


# --- instructions that a target lacks ---------------------------------------------------------------------------------


F16, SQUARE = DTYPES["f16"], make_naive_tensor_descriptor((16, 16), (16, 1))


def by_ldmatrix() -> Program:
    """A tile of 16 × 16 elements through LDS, read by a warp together."""
    rows = Registers("rows", F16, encoded([], [[16], [2, 8]], [[(1, 0), (2, 0)]], [(2, 1)]))
    held = Registers("held", F16, encoded([], [[2, 8], [2, 4, 2]], [[(1, 1), (2, 1)]], [(2, 0), (1, 0), (2, 2)]))
    source, target = (Tensor(name, F16, SQUARE, ("row", "column")) for name in ("source", "target"))
    grid, threads, lds = (var("bx", 1), var("by", 1)), (var("tx", 32),), Shared("lds", F16, 256)
    tiles = make_single_stage_tensor_adaptor([PassThrough(as_expr(1))] * 2, [[0], [1]], [[0], [1]])
    origin = tuple(b * 16 for b in grid)
    body = (
        Load(rows, source, origin, 0, False), StoreShared(lds, SQUARE, rows, 0), Barrier(),
        LoadShared(held, lds, SQUARE, (0, 1, 2), by="ldmatrix"), Store(target, held, origin, 2, False),
    )  # fmt: skip
    return Program("by_ldmatrix", source, target, (), grid, threads, threads, tiles, (16, 16), body)


def test_reads_of_a_warp_are_of_nvidia_alone() -> None:
    verified = proved(by_ldmatrix())
    assert [gpu.name for gpu in targets_of(verified.program)] == ["sm_90"]
    assert "ldmatrix.sync" in compile_source(emit(verified, "sm_90"), "sm_90").payload.decode()
    with pytest.raises(NotProvedError, match="not emitted for gfx942, which has no ldmatrix; sm_80, sm_90 have it"):
        emit(verified, "gfx942")


def test_a_program_with_instructions_of_two_vendors_is_none() -> None:
    (reading,) = by_ldmatrix().of(LoadShared)
    product = contraction(parse_einsum("ik,kj->ij"), "f16", target="gfx942")
    with pytest.raises(LayoutError, match="no target has all of its instructions"):
        targets_of(replace(product, body=(reading, *product.body)))
