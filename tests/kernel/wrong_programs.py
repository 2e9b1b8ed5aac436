"""Programs to be made wrong, ways to make them so, and what must be said of them then."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from layoutalg.index import ONE, ZERO, Expr, substitute, var
from layoutalg.kernel.emit import NotProvedError, emit
from layoutalg.kernel.program import (
    Clear,
    Contract,
    Fold,
    Load,
    Loop,
    Multiply,
    Program,
    Reduce,
    Registers,
    Statement,
    Store,
    Tensor,
)
from layoutalg.kernel.program.fragments import FMA, encoded
from layoutalg.kernel.verify import verify
from layoutalg.layout import (
    LayoutError,
    PassThrough,
    make_naive_tensor_descriptor,
    make_single_stage_tensor_adaptor,
)
from layoutalg.prove import Refuted
from layoutalg.target.dtypes import DTYPES, DType

F32, F16, BF16 = DTYPES["f32"], DTYPES["f16"], DTYPES["bf16"]
Body = Callable[[Registers, Registers, Tensor, Tensor, Expr], tuple[Statement, ...]]


def refuted(program: Program, about: str) -> str:
    """The reason why an obligation fails; nothing is emitted."""
    verified = verify(program)
    found = {a: v for a, v in verified.verdicts if isinstance(v, Refuted)}
    with pytest.raises(NotProvedError):
        emit(verified)
    verdict = next((v for a, v in found.items() if about in a), None)
    assert verdict is not None, list(found)
    assert verdict.witness.points
    return verdict.reason


def refused(program: Program, why: str) -> None:
    """The program is none, and the reason says so."""
    with pytest.raises(LayoutError, match=why):
        verify(program)


def every(program: Program, kind: type | tuple[type, ...], **fields: Any) -> Program:
    """The program with fields of each statement of a kind changed."""
    return replace(program, body=tuple(replace(s, **fields) if isinstance(s, kind) else s for s in program.body))


def renamed(program: Program, old: Expr, new: Expr) -> Program:
    """Another variable in the place of a grid index."""
    grid = tuple(new if v is old else v for v in program.grid)
    body = tuple(
        replace(s, origin=tuple(substitute(o, {old: new}) for o in s.origin)) if isinstance(s, Load | Store) else s
        for s in program.body
    )
    return replace(program, grid=grid, body=body)


ROWS, STEP = 64, 8


def summing(body: Body, columns: int = 32, dtype: DType = F32, sums: DType = F32, **fields: Any) -> Program:
    """target[m] = Σₖ source[m, k] for 64 × columns numbers: a row a thread, eight numbers at a time."""
    source = Tensor("source", dtype, make_naive_tensor_descriptor((ROWS, columns), (columns, 1)), ("m", "k"))
    target = Tensor("target", F32, make_naive_tensor_descriptor((ROWS,), (1,)), ("m",))
    a = Registers("a", dtype, encoded([], [[ROWS], [STEP]], [[(1, 0)]], [(2, 0)]))
    c = Registers("c", sums, encoded([], [[ROWS]], [[(1, 0)]], []))
    grid, threads = (var("bx", 1),), (var("tx", ROWS),)
    tiles = make_single_stage_tensor_adaptor([PassThrough(ONE)], [[0]], [[0]])
    program = Program(
        "summing", source, target, (), grid, threads, threads, tiles, (ROWS,),
        body(a, c, source, target, grid[0] * ROWS), meaning=Reduce(source),
    )  # fmt: skip
    return replace(program, **fields)


I = var("i", 4)  # noqa: E741 (a loop's index)


def looped(a: Registers, c: Registers, s: Tensor, t: Tensor, o: Expr) -> tuple[Statement, ...]:
    return Clear(c), Loop(I, (Load(a, s, (o, I * STEP)), Fold(c, a))), Store(t, c, (o,))


def batched(swapped: bool) -> Program:
    """c[g, m, n] = Σₖ a[g, m, k]·b[g, n, k] of 4 × 8 × 8 × 4, one result a thread; `swapped`: a's g is bit-reversed."""
    g, m, n, k = 4, 8, 8, 4
    names = (("g", "m", "k"), ("g", "n", "k"), ("g", "m", "n"))
    shapes = ((g, m, k), (g, n, k), (g, m, n))
    a, b, c = (
        Tensor(name, F32, make_naive_tensor_descriptor(s, (s[1] * s[2], s[2], 1)), x)
        for name, s, x in zip("abc", shapes, names, strict=True)
    )
    plain = [(1, 0), (1, 1)]
    sums = Registers("sums", F32, encoded([], [[2, 2], [m, 1], [n, 1]], [plain, [(2, 0)], [(3, 0)]], [(2, 1), (3, 1)]))
    order = plain[::-1] if swapped else plain
    held_a = encoded([n], [[2, 2], [m, 1], [k]], [order, [(2, 0)], [(0, 0)]], [(2, 1), (3, 0)])
    held_b = encoded([m], [[2, 2], [n, 1], [k]], [plain, [(0, 0)], [(2, 0)]], [(2, 1), (3, 0)])
    ra, rb = Registers("ra", F32, held_a), Registers("rb", F32, held_b)
    grid, threads = tuple(var(f"b{d}", 1) for d in range(3)), (var("tx", g), var("ty", m), var("tz", n))
    tiles = make_single_stage_tensor_adaptor([PassThrough(ONE)] * 3, [[0], [1], [2]], [[0], [1], [2]])
    o = (grid[0] * g, grid[1] * m, grid[2] * n)
    body = (
        Clear(sums), Load(ra, a, (o[0], o[1], ZERO)), Load(rb, b, (o[0], o[2], ZERO)), Multiply(sums, ra, rb, FMA),
        Store(c, sums, o),
    )  # fmt: skip
    return Program(
        "batched", a, c, (), grid, threads, threads, tiles, (g, m, n), body, meaning=Contract(a, b), inputs=(b,)
    )
