"""Sweeps: outcomes, rules, and that what is told without a compiler is what the compiler says."""

import random

import pytest

from layoutalg.ck import instances, sweep
from layoutalg.ck.compiled import Answer
from layoutalg.ck.space import named
from layoutalg.ck.validation import Validation
from layoutalg.errors import CompileError
from layoutalg.formats.cpp import CppError
from tests.ck.answers import RIGHT, STRAIGHT, TALL, TARGET, kept
from tests.composable_kernel import composable_kernel
from tests.matrix import some


def tile(text: str, rest: str = "fp16_rcr_compv3_cshuffle_intrawave") -> object:
    return named(f"{rest}_{text}", "", "")


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> dict[str, Answer]:
    """Answers in place of the compiler's."""
    known: dict[str, Answer] = {}
    for one in (RIGHT, TALL):
        known |= dict(zip((instances.pipeline(one), instances.epilogue(one)), kept(one), strict=True))
        known[instances.warp(one)] = True
    monkeypatch.setattr(sweep, "answers", lambda unit, texts, jobs, executor: [(text, known[text]) for text in texts])
    return known


def test_what_comes_straight_to_lds_is_refused_where_no_load_brings_it(answered: dict[str, Answer]) -> None:
    answered |= dict(zip((instances.pipeline(STRAIGHT), instances.epilogue(STRAIGHT)), kept(STRAIGHT), strict=True))
    answered[instances.warp(STRAIGHT)] = True
    found = {target: next(iter(sweep.sweep([STRAIGHT], target, []))) for target in ("gfx942", "gfx950")}
    assert {target: one.outcome for target, one in found.items()} == {"gfx942": "refused", "gfx950": "valid"}
    assert found["gfx942"].reasons == ("gfx942 has no load of 16 bytes a lane to LDS: it has of 4 bytes a lane",)
    assert {one.about for one in found["gfx950"].conflicts} == {"a as operand", "b as operand", "c to LDS"}


def test_a_warp_gemm_that_takes_no_transposed_read_is_refused(answered: dict[str, Answer]) -> None:
    missing = "CK has no warp GEMM of 32 × 32 × 8 for fp16 and fp16, summed in fp32"
    answered[instances.pipeline(RIGHT)] = CppError(missing, "expression", refused=True)
    (found,) = sweep.sweep([RIGHT], TARGET, [])
    assert (found.outcome, found.reasons) == ("refused", (missing,))


def test_each_configuration_has_its_outcome(answered: dict[str, Answer]) -> None:
    refused, unknown, faulty, none, broken = (
        tile("64x64x32_2x2x1_32x32x8"),
        tile("64x128x32_2x2x1_32x32x8"),
        tile("128x64x32_2x2x1_32x32x8"),
        tile("64x64x64_1x1x1_64x64x8"),
        tile("64x64x64_1x1x1_64x64x16"),
    )
    for one, answer in ((refused, CppError("static_assert stops it: too few warps (Type<…>)", refused=True)),
                        (unknown, CompileError("takes over 120 s")),
                        (faulty, CppError("no member named 'MakeALds' in 'Policy'", "prelude", 4))):  # fmt: skip
        answered |= {instances.pipeline(one): answer, instances.epilogue(one): kept(RIGHT)[1]}
        answered[instances.warp(one)] = True
    answered |= {instances.warp(none): False, instances.warp(broken): CppError("no template named 'has_warp'")}
    small, large = tile("64x64x32_4x1x1_32x32x8"), tile("256x256x256_2x2x1_32x32x8")
    every = [RIGHT, TALL, refused, unknown, faulty, none, broken, small, large]
    found = {one.configuration: one for one in sweep.sweep(every, TARGET, [])}
    assert {one: each.outcome for one, each in found.items()} == {
        RIGHT: "valid", TALL: "wrong", refused: "refused", unknown: "unknown", faulty: "unknown", none: "refused",
        broken: "unknown", small: "no tile", large: "too large",
    }  # fmt: skip
    assert found[refused].reasons == ("static_assert stops it: too few warps",)
    assert found[none].reasons == ("CK has no warp GEMM of 64 × 64 × 8 for fp16",)
    assert found[faulty].reasons == ("error: no member named 'MakeALds' in 'Policy'",)
    assert found[broken].reasons == ("error: no template named 'has_warp'",)
    assert found[TALL].reasons == ("lengths, c to LDS: 128 × 16, not 64 × 16",)
    rules = sweep.rules(found.values())
    assert [rule.outcome for rule in rules] == [
        "valid", "wrong", "unknown", "unknown", "unknown", "refused", "refused", "too large", "no tile",
    ]  # fmt: skip
    assert sum(rule.count for rule in rules) == 9


def test_where_tile_engines_own_check_differs() -> None:
    """It lists 2 × 2 warps alone here: what is valid with 4 × 1 is left out by it, and what CK refuses is admitted."""
    known = Validation({"gfx942": [(2, 2, 1)]}, {})
    tall = tile("128x64x32_4x1x1_16x16x16")
    found = [
        sweep.Swept(RIGHT, TARGET, "valid"), sweep.Swept(tall, TARGET, "valid"), sweep.Swept(TALL, TARGET, "wrong"),
        sweep.Swept(tile("64x64x32_2x2x1_32x32x8"), TARGET, "refused", ("too few of 4 warps",)),
        sweep.Swept(tile("64x64x32_2x2x1_16x16x16"), TARGET, "unknown", ("the compiler gave up",)),
        sweep.Swept(tile("72x64x32_2x2x1_16x16x16"), TARGET, "no tile", ("M",)),
    ]  # fmt: skip
    assert [(one.outcome, one.reason, one.count, one.first) for one in sweep.differences(found, known)] == [
        ("valid", "left out by warps, for gfx942", 1, tall),
        ("refused", "admitted for gfx942: too few of … warps", 1, found[3].configuration),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("target", "layout"), some([("gfx950", "crr"), ("gfx1201", "rcr"), ("gfx90a", "ccr")], 1))
def test_what_ck_ships_is_valid_on_every_family(target: str, layout: str) -> None:
    """Transposed reads of LDS, waves of 32, and columns that are stored in another order than they are loaded."""
    include = [composable_kernel() / "include"]
    names = ("128x128x64_2x2x1_16x16x16", "64x64x64_2x2x1_16x16x16")
    found = list(sweep.sweep([named(name, "fp16", layout) for name in names], target, include))
    assert [(one.outcome, one.reasons) for one in found] == [("valid", ())] * 2
    assert all(cost.cycles >= cost.least for one in found for cost in one.costs)


@pytest.mark.slow
def test_what_is_told_without_a_compiler_is_what_ck_says() -> None:
    """Tiles that are no multiple of their warps: CK's own assertion stops each."""
    drawn = random.Random(5)
    some = [
        tile(f"{drawn.choice((64, 128, 192))}x{drawn.choice((64, 128, 192))}x64_{warps}x1_{warp}")
        for warps in ("4x1", "1x4", "2x2")
        for warp in ("32x32x8", "16x16x16")
    ]
    wrong = [one for one in some if sweep.without_compiler(one, TARGET)]
    assert len(wrong) >= 2
    unit = instances.unit(TARGET, [composable_kernel() / "include"])
    answers = dict(sweep.answers(unit, [instances.pipeline(one) for one in wrong], 1))
    assert all(isinstance(answer, CppError) for answer in answers.values())
