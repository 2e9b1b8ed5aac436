"""Sweeps: outcomes, rules, and that what is told without a compiler is what the compiler says."""

import random

import pytest

from layoutalg.ck import instances, sweep
from layoutalg.ck.compiled import Answer
from layoutalg.ck.space import named
from layoutalg.errors import CompileError
from layoutalg.formats.cpp import CppError
from tests.ck.answers import RIGHT, TALL, TARGET, kept
from tests.composable_kernel import composable_kernel


def tile(text: str, rest: str = "fp16_rcr_compv3_cshuffle_intrawave") -> object:
    return named(f"{rest}_{text}", "", "")


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> dict[str, Answer]:
    """Answers in place of the compiler's."""
    known: dict[str, Answer] = {}
    for one in (RIGHT, TALL):
        known |= dict(zip((instances.pipeline(one), instances.epilogue(one)), kept(one), strict=True))
        known[instances.warp(one)] = list(one.tile.warp)
    monkeypatch.setattr(sweep, "answers", lambda unit, texts, jobs: [(text, known[text]) for text in texts])
    return known


def test_each_configuration_has_its_outcome(answered: dict[str, Answer]) -> None:
    refused, unknown, none = (
        tile("64x64x32_2x2x1_32x32x8"),
        tile("64x128x32_2x2x1_32x32x8"),
        tile("64x64x64_1x1x1_64x64x8"),
    )
    for one, answer in ((refused, CppError("static_assert stops it: too few warps (Type<…>)", refused=True)),
                        (unknown, CompileError("takes over 120 s"))):  # fmt: skip
        answered |= {instances.pipeline(one): answer, instances.epilogue(one): kept(RIGHT)[1]}
        answered[instances.warp(one)] = [32, 32, 8]
    answered[instances.warp(none)] = CppError("undefined template")
    small, large = tile("64x64x32_4x1x1_32x32x8"), tile("256x256x256_2x2x1_32x32x8")
    found = {
        one.configuration: one for one in sweep.sweep([RIGHT, TALL, refused, unknown, none, small, large], TARGET, [])
    }
    assert {one: each.outcome for one, each in found.items()} == {
        RIGHT: "valid", TALL: "wrong", refused: "refused", unknown: "unknown", none: "refused", small: "no tile",
        large: "too large",
    }  # fmt: skip
    assert found[refused].reasons == ("static_assert stops it: too few warps",)
    assert found[TALL].reasons == ("lengths, c to LDS: 128 × 16, not 64 × 16",)
    rules = sweep.rules(found.values())
    assert [rule.outcome for rule in rules] == [
        "valid",
        "wrong",
        "unknown",
        "refused",
        "refused",
        "too large",
        "no tile",
    ]
    assert sum(rule.count for rule in rules) == 7


@pytest.mark.slow
def test_what_is_told_without_a_compiler_is_what_ck_says() -> None:
    """Tiles that are no multiple of their warps: CK's own assertion stops each."""
    drawn = random.Random(5)
    some = [
        tile(f"{drawn.choice((64, 128, 192))}x{drawn.choice((64, 128, 192))}x64_{warps}x1_{warp}")
        for warps in ("4x1", "1x4", "2x2")
        for warp in ("32x32x8", "16x16x16")
    ]
    wrong = [one for one in some if sweep._without_compiler(one, TARGET)]
    assert len(wrong) >= 2
    unit = instances.unit(TARGET, [composable_kernel() / "include"])
    answers = dict(sweep.answers(unit, [instances.pipeline(one) for one in wrong], 1))
    assert all(isinstance(answer, CppError) for answer in answers.values())
