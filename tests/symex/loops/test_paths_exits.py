"""Loops that are left at several places, written by hand: proved where they do what the program does, else not.

The compiler's loop counts s11 down to 0 and is left from its end; the labels and registers are its own.
"""

import re

import pytest

from layoutalg.errors import Fault
from layoutalg.kernel.library.reduce import reduction
from layoutalg.refine.refinement import prove_binary
from layoutalg.refine.trial import attempt, make_case
from tests.isa.assembly import assembled

PROGRAM = reduction("kr")
LATCH = re.compile(
    r"(?P<start>\.LBB0_\d+:[^\n]*\n\ts_or_b64 exec[^\n]*\n)"
    r"(?P<sums>(?:\t[sv]_(?:waitcnt|add_f32|add_i32)[^\n]*\n)+)"
    r"(?P<rest>[^.]*?s_cmp_eq_u32 s11, 0\n[^.]*?)\ts_cbranch_scc1 (?P<exit>\.LBB0_\d+)\n(?P<head>\.LBB0_\d+):"
)

#: Which of two exits is taken depends on a size; what comes behind is the same only if each came by its own.
BY_SIZE = """\
\ts_cmp_gt_i32 s6, 5
\ts_cbranch_scc0 .Lsecond
\ts_cmp_eq_u32 s11, {0}
\ts_cbranch_scc1 {2}
.Lsecond:
\ts_cmp_eq_u32 s11, {1}
\ts_cbranch_scc1 {3}
"""
BEHIND = """\
.Lone:
\ts_movk_i32 s20, 0x1
\ts_branch .Lboth
.Lother:
\ts_movk_i32 s20, 0x0
.Lboth:
\ts_cmp_gt_i32 s6, 5
\ts_cselect_b32 s21, 1, 0
\ts_sub_i32 s20, s20, s21
\tv_add_u32_e32 v0, s20, v0
"""

#: The last iteration is left before its sums, which are done behind the loop.
BEFORE_SUMS = "\ts_cmp_eq_u32 s11, {0}\n\ts_cbranch_scc1 .Lrest\n"


def edited(text, latch, behind, early=""):
    """The assembly with another end of the loop's body, and more instructions behind the loop."""
    found = LATCH.search(text)
    assert found
    start, sums, rest, exit_, head = (found[k] for k in ("start", "sums", "rest", "exit", "head"))
    latch = latch or f"\ts_cbranch_scc1 {exit_}\n"
    loop = f"{start}{early}{sums}{rest}{latch}{head}:"
    text = text[: found.start()] + loop + text[found.end() :]
    return text.replace("\ts_endpgm\n", f"\ts_endpgm\n{behind.format(sums=sums)}\ts_branch {exit_}\n", 1)


def by_size(*numbers_and_targets):
    return assembled(PROGRAM, "gfx942", lambda text: edited(text, BY_SIZE.format(*numbers_and_targets), BEHIND))


def before_sums(number, kept=lambda sums: sums):
    def edit(text):
        early = BEFORE_SUMS.format(number)
        text = edited(text, "", ".Lrest:\n{sums}", early)
        before, after = text.split(".Lrest:\n")
        lines = after.split("\n")
        return f"{before}.Lrest:\n" + "\n".join(kept(lines))

    return assembled(PROGRAM, "gfx942", edit)


def runs_right(binary):
    """Whether three iterations give the sums, with rows on both sides of 5."""
    cases = [make_case(PROGRAM, dict(zip(PROGRAM.sizes, sizes, strict=True))) for sizes in ((3, 300), (9, 300))]
    try:
        return all(attempt(binary, PROGRAM, case).exact for case in cases)
    except Fault:
        return False


def test_two_exits_are_proved_each_under_its_condition():
    binary = by_size(0, 0, ".Lone", ".Lother")
    assert runs_right(binary)
    verdict = prove_binary(binary, PROGRAM)
    assert verdict.proved, verdict.failures[:2]


@pytest.mark.parametrize(
    ("first", "second", "one", "other"),
    [
        (1, 0, ".Lone", ".Lother"),  # an exit that is taken one iteration too early
        pytest.param(0, 1, ".Lone", ".Lother", marks=pytest.mark.slow),
        (0, 0, ".Lother", ".Lone"),  # swapped exits
        pytest.param(0, 0, ".Lone", ".Lone", marks=pytest.mark.slow),
    ],
)
def test_a_wrong_exit_is_not_proved(first, second, one, other):
    binary = by_size(first, second, one, other)
    assert not runs_right(binary)
    assert prove_binary(binary, PROGRAM).name != "proved"


def test_a_last_iteration_that_is_finished_behind_the_loop_is_proved():
    binary = before_sums(1)
    assert runs_right(binary)
    verdict = prove_binary(binary, PROGRAM)
    assert verdict.proved, verdict.failures[:2]


def test_a_last_iteration_that_is_not_finished_is_not_proved():
    early = before_sums(2)
    assert not runs_right(early)
    assert prove_binary(early, PROGRAM).name != "proved"
    shorter = before_sums(1, lambda lines: [line for n, line in enumerate(lines) if n != 2])
    assert not runs_right(shorter)
    assert prove_binary(shorter, PROGRAM).name != "proved"


@pytest.mark.usefixtures("unrun")
def test_a_loop_without_an_exit_is_not_followed():
    binary = assembled(PROGRAM, "gfx942", lambda text: edited(text, "\ts_nop 0\n", BEHIND))
    verdict = prove_binary(binary, PROGRAM)
    assert verdict.name == "unknown"
    assert "no exit" in verdict.failures[0][1].reason
