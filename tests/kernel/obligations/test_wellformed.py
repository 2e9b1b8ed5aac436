"""Programs with a field of the wrong type, rank or range: refused in a sentence or decided, never a traceback.

`LAYOUTALG_FUZZ=5000 pytest tests/kernel/obligations/test_wellformed.py` is a long run; each failure names its seed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest

from layoutalg.index import FALSE, as_expr, symbol, var
from layoutalg.kernel.emit.conversions import CONVERSIONS
from layoutalg.kernel.emit.instructions import COPIES, PRODUCTS_IN_LDS
from layoutalg.kernel.emit.ring import BOXES
from layoutalg.kernel.emit.straight import STRAIGHT
from layoutalg.kernel.library.contraction import contraction
from layoutalg.kernel.library.einsum import parse_einsum
from layoutalg.kernel.library.epilogues import Epilogue, ProductD
from layoutalg.kernel.library.reduce import reduction
from layoutalg.kernel.library.transpose import lds_transpose
from layoutalg.kernel.library.views import pad
from layoutalg.kernel.program import AsyncCopy, Await, Barrier, Load, Loop, Program, Statement, Store, Tensor
from layoutalg.kernel.verify import verify
from layoutalg.layout import LayoutError, make_naive_tensor_descriptor
from layoutalg.prove import Limits
from layoutalg.target.dtypes import DTYPES, DType
from tests.fuzzing import FIRST, KNOWN, count

LDS = lds_transpose("f32", vector=4)
BASES = (
    LDS,
    pad((0, 1), (1, 0)),
    reduction("kr"),
    contraction(parse_einsum("mk,kn->mn"), epilogue=Epilogue("AddRelu", (ProductD(("n",), "f32", "bias"),))),
)
X = var("x", 8)


def changed(program: Program, of: type | tuple[type, ...], change: Callable[[Any], Any]) -> Program:
    """The program with a change of each statement of a kind."""

    def new(s: Statement) -> Statement:
        if isinstance(s, of):
            return change(s)
        if isinstance(s, Loop):
            return replace(s, body=tuple(map(new, s.body)))
        return replace(s, load=new(s.load), store=new(s.store)) if isinstance(s, AsyncCopy) else s

    return replace(program, body=tuple(map(new, program.body)))


LOADS = (Load, Store)
WRONG: dict[str, tuple[Callable[[], Program], str]] = {
    "too few lanes": (lambda: replace(LDS, lanes=()), "0 lanes"),
    "too many lanes": (lambda: replace(LDS, lanes=(*LDS.lanes, *LDS.lanes)), "2 lanes"),
    "lanes that are numbers": (lambda: replace(LDS, lanes=(3,)), "Program.lanes"),
    "no tuple of lanes": (lambda: replace(LDS, lanes=LDS.lanes[0]), "Program.lanes"),
    "a vector out of range": (lambda: changed(LDS, LOADS, lambda s: replace(s, vector=9)), "no Ys 9"),
    "a vector before the first": (lambda: changed(LDS, LOADS, lambda s: replace(s, vector=-1)), "no Ys -1"),
    "a vector twice": (lambda: changed(LDS, LOADS, lambda s: replace(s, vector=(0, 0))), "no Ys"),
    "a vector of text": (lambda: changed(LDS, LOADS, lambda s: replace(s, vector="0")), "vector"),
    "a vector that is true": (lambda: changed(LDS, LOADS, lambda s: replace(s, vector=True)), "vector"),
    "only: a number": (
        lambda: changed(pad((0, 1), (1, 0)), Load, lambda s: replace(s, only=X)),
        "a truth value is needed",
    ),
    "only: a Python truth": (lambda: changed(pad((0, 1), (1, 0)), Load, lambda s: replace(s, only=True)), "only"),
    "required: a number": (lambda: replace(LDS, requires=symbol("M")), "a truth value is needed"),
    "an origin too short": (lambda: changed(LDS, LOADS, lambda s: replace(s, origin=s.origin[:1])), "an origin of 1"),
    "an origin of numbers": (lambda: changed(LDS, LOADS, lambda s: replace(s, origin=(0, 0))), "origin"),
    "guards too few": (lambda: changed(LDS, LOADS, lambda s: replace(s, guarded=(True,))), "1 coordinates are guarded"),
    "a fill of its own": (lambda: changed(LDS, Load, lambda s: replace(s, fill="least")), "fill"),
    "registers that are none": (lambda: changed(LDS, LOADS, lambda s: replace(s, registers=None)), "registers"),
    "no block at a time": (lambda: replace(LDS, resident=0), "at least 1"),
    "half a tile": (lambda: replace(LDS, tile=(0.5, 2)), "Program.tile"),
    "no statement": (lambda: replace(LDS, body=(*LDS.body, "barrier")), "Program.body"),
    "groups before the first": (lambda: replace(LDS, body=(*LDS.body, Await(-1, ()))), "-1 groups"),
    "a name that is none": (lambda: replace(LDS, name=7), "Program.name"),
    "a grid of sizes": (lambda: replace(LDS, grid=("x",)), "Program.grid"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_field_that_cannot_be_is_refused_by_name(name: str) -> None:
    program, words = WRONG[name]
    with pytest.raises(LayoutError, match=words) as refused:
        verify(program())
    assert "\n" not in str(refused.value)


def test_a_tensor_without_a_descriptor_is_refused() -> None:
    with pytest.raises(LayoutError, match="descriptor"):
        Tensor("t", DTYPES["f32"], None, ())  # type: ignore[arg-type]


STRANGE: tuple[Any, ...] = (
    None, "x", "", -1, 0, 1, 7, 1 << 40, 0.5, True, False, (), (0,), (-1,), (9, 9), ("x",), as_expr(3), FALSE, X,
    X < 3, (X,), (X, X), symbol("M"), (as_expr(0), as_expr(0)), Barrier(), (Barrier(),), DTYPES["bf16"],
    DType("f33", 24, "float33", "float"), make_naive_tensor_descriptor((4, 4), (4, 1)),
    make_naive_tensor_descriptor((4,), (1,)), "sum", "max", "relu",
)  # fmt: skip


def ours(value: Any) -> bool:
    """Whether a value is a part of a program that has fields; layouts check themselves when they are made."""
    return is_dataclass(value) and type(value).__module__.startswith("layoutalg.kernel") and bool(fields(value))


def strange(rng: random.Random, value: Any) -> Any:
    """The dataclass with one field, at any depth, that is something else."""
    inner = [f.name for f in fields(value) if f.init]
    name = rng.choice(inner)
    held = getattr(value, name)
    if ours(held) and rng.random() < 0.6:
        return replace(value, **{name: strange(rng, held)})
    places = [n for n, part in enumerate(held) if ours(part)] if isinstance(held, tuple) else []
    if places and rng.random() < 0.9:
        at = rng.choice(places)
        return replace(value, **{name: (*held[:at], strange(rng, held[at]), *held[at + 1 :])})
    return replace(value, **{name: rng.choice(STRANGE)})


@pytest.mark.fuzz
def test_a_strange_field_is_refused_or_decided() -> None:
    refused = 0
    cases = count(150, dear=5)
    for seed in range(FIRST, FIRST + cases):
        rng = random.Random(seed)
        try:
            verify(strange(rng, rng.choice(BASES)), limits=Limits(seconds=0.5))
        except LayoutError as error:
            refused += 1
            assert str(error).count("\n") == 0, f"seed {seed}"  # noqa: PT017
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error
    if KNOWN:
        assert refused > cases // 4


def test_names_of_the_emitted_functions_are_kept_for_the_text():
    text = "".join((COPIES, STRAIGHT, PRODUCTS_IN_LDS, BOXES, *CONVERSIONS.values()))
    names = {*re.findall(r"always_inline\)\)[^(]*?(\w+)\(", text), *re.findall(r"typedef .*?(\w+)(?: __att.*)?;", text)}
    assert {"copy_straight", "hold", "copy_pixels", "PhaseBarrier", "Copied", "to_bf16"} <= names
    for name in names:
        with pytest.raises(LayoutError, match="is kept for the emitted text"):
            verify(replace(LDS, name=name))
