"""Attention: proved for all sizes; each program that is wrong in one place is refuted, or refused, unemitted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.index import TRUE, Expr, all_of, as_expr, extent_of, substitute, var
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.attention import AttentionCut, attention
from layoutalg.kernel.program import (
    Await,
    Barrier,
    Clear,
    Divide,
    Exponentiate,
    Fold,
    Load,
    LoadShared,
    Loop,
    MaskScores,
    Move,
    Multiply,
    MultiplyShared,
    Program,
    Registers,
    Rescale,
    Statement,
    StoreShared,
)
from layoutalg.kernel.program.fragments import one_of
from layoutalg.kernel.verify import verify
from layoutalg.layout import LayoutError
from layoutalg.refine.cycles import compare
from layoutalg.refine.trial import attempt, make_case
from layoutalg.target.dtypes import DTYPES
from tests.matrix import some

PROGRAM = attention("gfx942", causal=True)
(LOOP,) = PROGRAM.of(Loop)
(RESCALE,) = PROGRAM.of(Rescale)
(MASK,) = PROGRAM.of(MaskScores)
(ROW, KEY) = MASK.coordinates[1:]

Change = Callable[[Statement], Sequence[Statement] | None]


def changed(body: Sequence[Statement], change: Change) -> tuple[Statement, ...]:
    """The body with each statement that `change` answers for replaced by what it says."""
    found: list[Statement] = []
    for s in body:
        new = change(s)
        if new is not None:
            found += new
        elif isinstance(s, Loop):
            found.append(replace(s, body=changed(s.body, change)))
        else:
            found.append(s)
    return tuple(found)


def kept(keep: object) -> Change:
    return lambda s: [replace(s, keep=keep)] if isinstance(s, MaskScores) else None


def without(kind: type[Statement], name: str = "") -> Change:
    return lambda s: [] if isinstance(s, kind) and name in {"", *(one.name for one in s.fills + s.adds_to)} else None


def rescale(**fields: object) -> Change:
    return lambda s: [replace(s, **fields)] if isinstance(s, Rescale) else None  # type: ignore[arg-type]


def named(s: Statement, kind: type[Statement], name: str) -> bool:
    return isinstance(s, kind) and name in {one.name for one in (*s.fills, *s.adds_to)}


def later(kind: type[Statement], name: str, behind: type[Statement], other: str) -> tuple[Statement, ...]:
    """The loop with a statement moved behind another one."""
    moved = next(s for s in LOOP.body if named(s, kind, name))
    found: list[Statement] = []
    for s in LOOP.body:
        found += [] if s is moved else [s, moved] if named(s, behind, other) else [s]
    return tuple(found)


def in_loop(body: Sequence[Statement]) -> Change:
    return lambda s: [replace(s, body=tuple(body))] if isinstance(s, Loop) else None


def at_tile(kind: type[Load], tensor: str, by: int) -> Change:
    """A tile's loads come from another tile of keys."""

    def change(s: Statement) -> Sequence[Statement] | None:
        if isinstance(s, kind) and s.tensor.name == tensor:
            return [replace(s, origin=tuple(o + by if o is not PROGRAM.grid[2] and d == 1 else o
                                            for d, o in enumerate(s.origin)))]  # fmt: skip
        return None

    return change


ENDED = attention("gfx942")
LAST = ENDED.sizes[2]
"""Of all keys, which end at N; with causal ones no key beyond the row counts, and so none beyond the end."""
COUNT = extent_of(LOOP.index)


def substituted(thing: Any, put: Mapping[Expr, Expr]) -> Any:
    """Statements with other variables in their expressions."""
    if isinstance(thing, Expr):
        return substitute(thing, dict(put))
    if isinstance(thing, tuple):
        return tuple(substituted(one, put) for one in thing)
    if isinstance(thing, Statement) and is_dataclass(thing):
        return replace(thing, **{f.name: substituted(getattr(thing, f.name), put) for f in fields(thing)})
    return thing


WRONG: dict[str, Change] = {
    "the powers' scale is another": lambda s: (
        [replace(s, factor=s.factor * 2)] if isinstance(s, Exponentiate) else None
    ),
    "the rescaling's scale is another": rescale(factor=RESCALE.factor * 2),
    "both scales are another": lambda s: (
        [replace(s, factor=1.0)] if isinstance(s, Exponentiate | Rescale) else None
    ),
    "sums are not rescaled": rescale(totals=RESCALE.totals[:1]),
    "the weight is not rescaled": rescale(totals=RESCALE.totals[1:]),
    "nothing is rescaled": without(Rescale),
    "sums are rescaled by other registers' rows": rescale(
        totals=(RESCALE.totals[0], replace(RESCALE.totals[1], axes=(0, 1)))
    ),
    "sums are rescaled after the product": in_loop(later(Rescale, "top", Multiply, "sums")),
    "the greatest is that of the last tile alone": lambda s: (
        [Clear(s.shift, "max"), s] if isinstance(s, Rescale) else None
    ),
    "powers are taken before the greatest rises": in_loop(later(Rescale, "top", Exponentiate, "powers")),
    "the greatest is that of half a row": lambda s: (
        [replace(s, lanes=())] if isinstance(s, Fold) and s.c.name == "greatest" else None
    ),
    "the greatest is exchanged with other lanes": lambda s: (
        [replace(s, lanes=(16,))] if isinstance(s, Fold) and s.c.name == "greatest" else None
    ),
    "the weight is exchanged with other lanes": lambda s: (
        [replace(s, lanes=(1,))] if isinstance(s, Fold) and s.c.name == "weights" else None
    ),
    "weights are taken in twice": lambda s: [s, s] if named(s, Fold, "weight") else None,
    "products with v are taken in twice": lambda s: [s, s] if named(s, Multiply, "sums") else None,
    "scores are not cleared": without(Clear, "products"),
    "the greatest is not cleared": without(Clear, "greatest"),
    "there is no barrier": without(Barrier),
    "a key too many is kept": kept(all_of(KEY <= ROW + 1, PROGRAM.sizes[1] > KEY)),
    "a key too few is kept": kept(all_of(KEY < ROW, PROGRAM.sizes[1] > KEY)),
    "nothing is masked": without(MaskScores),
    "all is masked": kept(all_of(as_expr(0) > KEY, PROGRAM.sizes[1] > KEY)),
    "the mask lies a tile further": lambda s: (
        [replace(s, origin=(*s.origin[:2], s.origin[2] + 64))] if isinstance(s, MaskScores) else None
    ),
    "the last tile of keys is skipped": lambda s: (
        [substituted(s, {s.index: var("kt", COUNT - 1)})] if isinstance(s, Loop) else None
    ),
    "the mask is left out a tile too late": lambda s: (
        [replace(s, only=LOOP.index * 64 > PROGRAM.grid[1] * 128 + 64)] if isinstance(s, MaskScores) else None
    ),
    "the mask is left out everywhere": lambda s: (
        [replace(s, only=LOOP.index < 0)] if isinstance(s, MaskScores) else None
    ),
    "a tile of keys is skipped": lambda s: (
        [substituted(s, {LOOP.index: LOOP.index + 1})] if isinstance(s, Load | MaskScores) else None
    ),
    "a tile of keys is taken twice": lambda s: (
        [substituted(s, {LOOP.index: LOOP.index // 2})] if isinstance(s, Load | MaskScores) else None
    ),
    "keys are another tile's than values": at_tile(Load, "keys", 64),
    "keys are of the row before": at_tile(Load, "keys", -1),
    "queries are of the next row": at_tile(Load, "queries", 1),
    "slots do not take turns": lambda s: [replace(s, slot=as_expr(0))] if isinstance(s, LoadShared) else None,
    "the next tile goes to this one's slot": lambda s: (
        [replace(s, slot=LOOP.index % 2)] if isinstance(s, StoreShared) and s.slot is not as_expr(0) else None
    ),
    "powers are an operand that is rounded to bf16": lambda s: (
        [replace(s, registers=replace(s.registers, dtype=DTYPES["bf16"]))]
        if named(s, Move, "held") else None
    ),
    "results keep their order": lambda s: (
        [replace(s, order=(0, 1, 2))] if named(s, Move, "results") else None
    ),
    "results are not divided": without(Divide),
    "results are divided twice": lambda s: [s, s] if isinstance(s, Divide) else None,
}  # fmt: skip


def proved(program: Program) -> bool:
    try:
        return verify(program).proved
    except LayoutError:
        return False


@pytest.mark.parametrize("head", some([64, 128], 1))
@pytest.mark.parametrize("causal", some([False, True], 1))
def test_attention_is_proved_for_all_sizes(head: int, causal: bool) -> None:
    assert verify(attention("gfx942", head, causal)).failures == ()


BEYOND: dict[str, Change] = {
    "a key beyond the end is kept": kept(KEY <= LAST),
    "the last key is not kept": kept(KEY < LAST - 1),
    "the end is not looked at": without(MaskScores),
}


@pytest.mark.parametrize("what", some([*WRONG], 4, slow=True))
def test_what_is_wrong_in_one_place_is_not_proved(what: str) -> None:
    wrong = replace(PROGRAM, body=changed(PROGRAM.body, WRONG[what]))
    assert wrong.body != PROGRAM.body
    assert not proved(wrong)


IN_LDS = attention("sm_90", cut=AttentionCut(2, 1, 64, in_lds=True))
"""Its products read keys and values from LDS, and take queries and powers from registers."""
WRONG_IN_LDS: dict[str, Change] = {
    "values are read along the other way": lambda s: (
        [replace(s, along_k=(True, True))] if named(s, MultiplyShared, "sums") else None
    ),
    "keys are read for values": lambda s: (
        [replace(s, b=replace(s.b, shared=next(IN_LDS.of(MultiplyShared)).b.shared))]
        if named(s, MultiplyShared, "sums") else None
    ),
    "queries are taken for powers": lambda s: (
        [replace(s, a=q, product=replace(s.product, a=q))]
        if named(s, MultiplyShared, "sums") and isinstance(q := next(IN_LDS.of(MultiplyShared)).a, Registers) else None
    ),
    "another slot is read": lambda s: (
        [replace(s, b=replace(s.b, slot=as_expr(0)))] if isinstance(s, MultiplyShared) else None
    ),
    "what was copied is not awaited": without(Await),
    "nobody waits for the others": without(Barrier),
    "the instruction takes a from LDS": lambda s: (
        [replace(s, product=replace(s.product, instruction=one_of(s.product.instruction)))]
        if isinstance(s, MultiplyShared) else None
    ),
}  # fmt: skip


@pytest.mark.parametrize("head", some([64, 128], 1))
@pytest.mark.parametrize("cut", some([AttentionCut(2, 1, 64, in_lds=True), AttentionCut(4, 2, 64)], 1))
def test_products_past_the_registers_are_proved(head: int, cut: AttentionCut) -> None:
    assert verify(attention("sm_90", head, cut=cut)).failures == ()


@pytest.mark.parametrize("what", some([*WRONG_IN_LDS], 1, slow=True))
def test_a_product_from_lds_that_is_wrong_is_not_proved(what: str) -> None:
    wrong = replace(IN_LDS, body=changed(IN_LDS.body, WRONG_IN_LDS[what]))
    assert wrong.body != IN_LDS.body
    assert not proved(wrong)


@pytest.mark.parametrize("what", some([*BEYOND], 1, slow=True))
def test_a_mask_that_is_wrong_at_the_end_is_not_proved(what: str) -> None:
    assert not proved(replace(ENDED, body=changed(ENDED.body, BEYOND[what])))


@pytest.mark.slow
@pytest.mark.parametrize("head", some([64, 128], 1))
@pytest.mark.parametrize("causal", some([False, True], 1))
def test_machine_code_is_close_to_numpy_and_reads_lds_as_predicted(head: int, causal: bool) -> None:
    program = attention("gfx942", head, causal)
    payload = compile_source(emit_unverified(program), "gfx942").payload
    code = decode_kernel(read_kernels(payload)[program.name])
    sizes = dict(zip(program.sizes, (1, 70) if causal else (1, 30, 70), strict=True))
    trial = attempt(code, program, make_case(program, sizes))
    assert trial.exact
    lds = compare(trial.execution.lds, program, "gfx942", sizes)
    assert lds is not None
    assert lds.alike
    assert lds.claimed[0] <= lds.cycles <= lds.claimed[1]


def test_the_meaning_is_looked_at() -> None:
    """The same program is no attention of another scale, mask, or of all keys."""
    meaning = PROGRAM.claimed
    for other in ({"factor": 1.0}, {"keep": TRUE}):
        assert not proved(replace(PROGRAM, meaning=replace(meaning, **other)))  # type: ignore[arg-type, type-var]
