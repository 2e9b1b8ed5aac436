"""What the prover makes beside a program's variables is none of them, whatever these are called.

A program whose indices are called like something in the prover's questions is asked the same as under other names: put
back the old names, and every question is the old one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import cache
from typing import Any

import pytest

from layoutalg.index import Expr, eq, extent_of, internal, substitute, symbol, var
from layoutalg.index.primed import primed
from layoutalg.kernel.access.prices import priced
from layoutalg.kernel.library.contraction import contraction
from layoutalg.kernel.library.convolution import convolution
from layoutalg.kernel.library.einsum import merged, parse_einsum
from layoutalg.kernel.library.plans import Cut, Plan, copied, plan_for
from layoutalg.kernel.library.reduce import reduction
from layoutalg.kernel.library.transpose import lds_transpose, register_transpose, straight_transpose
from layoutalg.kernel.library.windows import Windows
from layoutalg.kernel.obligations.wellformed import outer_names, refuse
from layoutalg.kernel.program import Loop, Program, Statement
from layoutalg.kernel.verify import requirements
from layoutalg.layout import LayoutError
from layoutalg.memory.banks import LaneMapError
from layoutalg.memory.lanes import operand
from layoutalg.prove import Claim, ForAll, prove
from layoutalg.prove.obligation import Obligation
from layoutalg.target.matrix import matrix_instruction
from tests.fuzzing import few
from tests.kernel.obligations.test_asynchronous import SMALL
from tests.kernel.wrong_programs import refused
from tests.matrix import some

WGMMA = "wgmma.mma_async.sync.aligned.m64n64k16.f32.{0}.{0}"


def in_lds(boxes: bool) -> Plan:
    """Products of operands in LDS, which copies of boxes bring, or those of the threads."""
    return copied(plan_for("sm_90", "f16"), Cut((1, 1), (2, 1), 64, 3, instruction=WGMMA, whole=True, boxes=boxes))


PROGRAMS: dict[str, Callable[[], Program]] = {
    "transposition": lambda: lds_transpose(vector=4),
    "in registers": register_transpose,
    "straight": straight_transpose,
    "in parts": lambda: reduction("kr"),
    "replicas": lambda: reduction("rk"),
    "lane by lane": lambda: contraction(parse_einsum("ik,kj->ij")),
    "mfma": lambda: contraction(parse_einsum("ik,kj->ij"), "f16", target="gfx942"),
    "ldmatrix": lambda: contraction(merged(parse_einsum("ik,jk->ij")), "f16", plan=SMALL, widths=(8, 8, 8)),
    "wgmma": lambda: contraction(parse_einsum("ik,jk->ij"), "f16", plan=in_lds(False), widths=(8, 8, 1)),
    "boxes": lambda: contraction(parse_einsum("ik,kj->ij"), "f16", plan=in_lds(True), widths=(8, 8, 8)),
    "boxes of windows": lambda: convolution(
        Windows((3, 3), (1, 1), (1, 1), (1, 1)), "f16", plan=in_lds(True), widths=(8, 8), channels=64
    ),
}


@cache
def base(name: str) -> Program:
    return PROGRAMS[name]()


def indices(program: Program) -> tuple[Expr, ...]:
    """The program's own variables that count: blocks, threads and loops."""
    return (*program.grid, *program.threads, *(loop.index for loop in program.of(Loop)))


def put(thing: Any, at: dict[Expr, Expr]) -> Any:
    """A statement, or what it is made of, with other variables."""
    if isinstance(thing, Expr):
        return substitute(thing, at)
    if isinstance(thing, tuple):
        return tuple(put(one, at) for one in thing)
    if isinstance(thing, Statement | Obligation):
        return replace(thing, **{f.name: put(getattr(thing, f.name), at) for f in fields(thing) if f.name != "show"})
    return thing


def called(program: Program, at: dict[Expr, Expr]) -> Program:
    """The program with its indices called otherwise."""
    given = {name: put(getattr(program, name), at) for name in ("grid", "threads", "lanes", "body")}
    return replace(program, **given)


@cache
def unordered(thing: Any) -> Any:
    """A question without the order of what commutes, which follows names."""
    if isinstance(thing, Expr):
        args = tuple(map(unordered, thing.args))
        commutes = thing.op in ("add", "mul", "all", "any", "eq", "xor", "and")
        return thing.op, thing.value, frozenset(Counter(args).items()) if commutes else args
    if isinstance(thing, tuple):
        return tuple(map(unordered, thing))
    if isinstance(thing, Obligation):
        return type(thing), *(unordered(getattr(thing, f.name)) for f in fields(thing))
    return thing


def questions(program: Program) -> Iterator[Claim | Obligation]:
    """What the prover is asked, but for words."""
    for r in requirements(program):
        yield r.claim if isinstance(r.claim, Claim) else replace(r.claim, label="", show=())


@cache
def asked(name: str) -> tuple[Claim | Obligation, ...]:
    return tuple(questions(base(name)))


def obligations(name: str) -> Iterator[Obligation]:
    return (one for one in asked(name) if not isinstance(one, Claim))


@cache
def names() -> tuple[str, ...]:
    """Every name that a variable of the prover's has in a question of a program, as far as C has it."""
    every = {v.value.name.removesuffix("'") for name in PROGRAMS for one in obligations(name) for v in one.variables}
    return tuple(sorted(name for name in every if re.fullmatch(r"[A-Za-z]\w*", name)))


def test_the_walk_goes_over_the_names_of_every_question() -> None:
    assert {"step", "repeat", "p0", "lane", "element", "x1", "k", "k_within", "tile0"} < {*names()}


@pytest.mark.parametrize("name", some(PROGRAMS, 4))
def test_a_variable_beside_a_programs_own_is_the_texts_or_internal(name: str) -> None:
    """So no index can be it: what the text declares is refused as its name, and what is internal has no other."""
    program = base(name)
    letters = (letter for said in program.element_maps for letter in said.letters)
    own = {*indices(program), *program.sizes, *letters}
    for one in obligations(name):
        if own & {*one.variables}:
            for v in {*one.variables} - own:
                assert v.value.internal or refusal(program, v.value.name), (one, v)


def refusal(program: Program, name: str) -> str:
    """Why no block index may be called so; "" where one may."""
    first = program.grid[0]
    try:
        refuse(called(program, {first: var(name, extent_of(first))}))
    except LayoutError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", some(PROGRAMS, 2))
def test_a_program_is_asked_the_same_whatever_its_indices_are_called(name: str) -> None:
    program, tried = base(name), 0
    taken = {*outer_names(program), *(letter.value.name for said in program.element_maps for letter in said.letters)}
    for word in few([w for w in names() if w not in taken and not refusal(program, w)], 2):
        for index in indices(program):
            new = var(word, extent_of(index))
            back = {new: index, **dict(zip(primed([new]).values(), primed([index]).values(), strict=True))}
            found = tuple(put(one, back) for one in questions(called(program, {index: new})))
            assert [*map(unordered, found)] == [*map(unordered, asked(name))], (word, index)
            tried += 1
    assert tried


# --- the same elsewhere ----------------------------------------------------------------------------------------------


def test_a_price_does_not_depend_on_the_names_of_loops() -> None:
    program = base("ldmatrix")
    (loop,) = program.of(Loop)
    words = ("wave", "lane", "element", "anything")
    found = {
        tuple(map(str, priced(called(program, {loop.index: var(w, extent_of(loop.index))}), "sm_90"))) for w in words
    }
    assert len(found) == 1


def test_a_tiles_origin_is_not_told_in_lanes() -> None:
    lanes = operand(matrix_instruction("mfma_f32_32x32x8f16").a, (128, 8))
    assert [v.value.name for v in lanes.moved((var("tile", 4) * 128, 0)).variables] == ["tile", "row_block"]
    with pytest.raises(LaneMapError, match="lane is the map's own"):
        lanes.moved((lanes.lane, 0))


def test_an_internal_index_is_none_of_the_users() -> None:
    assert internal("i", 4) is internal("i", 4)
    assert internal("i", 4) is not var("i'", 4)
    assert internal("i", 4) is not var("i", 4)
    assert prove(ForAll("equal", eq(internal("i", 4), var("i", 4)))).name == "refuted"


# --- what is a size, what an index ------------------------------------------------------------------------------------


def test_an_index_is_no_size() -> None:
    program = register_transpose(32, 32)
    refused(replace(program, sizes=(var("N", 64),)), "the size N is no symbol")


def test_a_size_is_no_loops_index() -> None:
    program = register_transpose(32, 32)
    counted = Loop(symbol("i", min=0, max=3), program.body)
    refused(replace(program, body=(counted,)), "i does not count 0, 1, 2")
