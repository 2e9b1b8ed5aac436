"""Branches on EXEC, written by hand: lanes that are active do what stands behind."""

import itertools
import random
import re

import pytest

from layoutalg.errors import Fault
from layoutalg.index import TRUE, all_of, any_of, eq, negation, select, symbol, value, var
from layoutalg.kernel.library.transpose import lds_transpose
from layoutalg.kernel.library.views import cast
from layoutalg.refine.refinement import prove_binary
from layoutalg.refine.trial import attempt, make_case, small_sizes
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.machine.state import State, joined, resolved
from layoutalg.symex.values.unknowns import call_of
from layoutalg.symex.values.word import Mask, Sign, Word
from tests.isa.assembly import assembled

PROGRAM = cast("f32", "bf16", 4)
GUARD = "\ts_and_saveexec_b32 s3, vcc_lo\n"

#: Zeros for a part of the input, by lanes that are active whichever way the branch goes.
STORE = """\
\ts_cbranch_exec{0} .Lnext
.Lnext:
\tv_lshlrev_b64 v[4:5], 2, v[0:1]
\tv_add_co_u32 v4, s2, s6, v4
\tv_add_co_ci_u32_e64 v5, null, s7, v5, s2
\tv_mov_b32_e32 v6, 0
\tglobal_store_b32 v[4:5], v6, off
\ts_waitcnt_vscnt null, 0x0
\ts_mov_b32 exec_lo, s3
"""


def test_a_branch_to_the_next_instruction_hides_nothing():
    for kind in ("z", "nz"):
        binary = assembled(
            PROGRAM, "gfx1100", lambda text, k=kind: text.replace(GUARD, GUARD + STORE.format(k) + GUARD)
        )
        assert prove_binary(binary, PROGRAM).name == "refuted", kind
        assert not attempt(binary, PROGRAM, make_case(PROGRAM, small_sizes(PROGRAM))).exact


#: A register that is set on all ways through one side of a branch, and on the other side where `{0}` sets it.
ONE_SIDE = """\
\ts_cmp_gt_u32 ttmp9, 2
{0}\ts_cbranch_scc0 .Lbehind
\ts_cmp_gt_u32 ttmp9, 5
\ts_cbranch_scc1 .Leither
\ts_cmp_gt_u32 ttmp9, 3
\ts_cbranch_scc1 .Leither
\tv_mov_b32 v60, 0
\ts_branch .Lmet
.Leither:
\tv_mov_b32 v60, 0
.Lmet:
\ts_nop 0
.Lbehind:
\tv_add_nc_u32 v0, v60, v0
"""


def set_on_one_side(before):
    def edit(text):
        text = re.sub(r"\.amdhsa_next_free_vgpr \d+", ".amdhsa_next_free_vgpr 64", text)
        return re.sub(r"^; %bb\.0:.*\n", lambda start: start[0] + ONE_SIDE.format(before), text, count=1, flags=re.M)

    return assembled(PROGRAM, "gfx1201", edit)


def test_a_register_that_one_side_of_a_branch_sets_is_undefined_behind_the_other():
    honest = set_on_one_side("\tv_mov_b32 v60, 0\n")
    assert prove_binary(honest, PROGRAM).proved
    binary = set_on_one_side("")
    with pytest.raises(Fault, match="depends on an undefined value"):
        attempt(binary, PROGRAM, make_case(PROGRAM, small_sizes(PROGRAM)))
    assert prove_binary(binary, PROGRAM).name != "proved"


#: 0 for a number's upper half, as its sign where that is known to be 0 and else as it is; then the number's own sign.
SIGNS = """\
\ts_waitcnt lgkmcnt(0)
\ts_add_i32 s20, s4, -5
\ts_add_i32 s22, s5, 5
\ts_cmp_ge_i32 s4, 5
\ts_cbranch_scc1 .Lsome
\ts_mov_b32 s21, 0
\ts_branch .Lall
.Lsome:
\ts_cmp_lt_u32 s4, s22
\ts_cbranch_scc1 .Lsign
\ts_mov_b32 s21, 0
\ts_branch .Lmet
.Lsign:
\ts_ashr_i32 s21, s20, 31
.Lmet:
\ts_nop 0
.Lall:
{0}\ts_lshl_b64 s[24:25], s[20:21], 2
\ts_ashr_i32 s21, s20, 31
\ts_lshl_b64 s[26:27], s[20:21], 2
\ts_sub_u32 s24, s24, s26
\ts_subb_u32 s25, s25, s27
\ts_add_u32 s6, s6, s24
\ts_addc_u32 s7, s7, s25
"""
TRANSPOSE = lds_transpose("f32")


def moved(before):
    """The source moved by the difference of the two, which is 0 where the number is not negative."""

    def edit(text):
        text = re.sub(r"\.amdhsa_next_free_sgpr \d+", ".amdhsa_next_free_sgpr 60", text)
        return text.replace("\ts_waitcnt lgkmcnt(0)\n", SIGNS.format(before), 1)

    return assembled(TRANSPOSE, "gfx942", edit)


def test_a_zero_that_is_a_sign_on_one_way_is_none_on_the_other():
    case = make_case(TRANSPOSE, dict(zip(TRANSPOSE.sizes, (3, 70), strict=True)))
    honest = moved("\ts_ashr_i32 s21, s20, 31\n")
    assert attempt(honest, TRANSPOSE, case).exact
    assert prove_binary(honest, TRANSPOSE).proved
    binary = moved("")
    with pytest.raises(Fault, match=r"^address: .* bytes (before|past the end of) buffer"):
        attempt(binary, TRANSPOSE, case)
    assert prove_binary(binary, TRANSPOSE).name != "proved"


@pytest.mark.parametrize("turned", [False, True])
def test_two_words_of_one_value_are_one_only_if_they_came_about_alike(turned):
    m, n = symbol("M", min=1), symbol("N", min=1)
    way = all_of(m >= 5, m < n + 5)
    w = IndexValues(lambda goal, given: False, all_of(m * n < 1 << 31))
    low = w.word(m - 5)
    w.ranges.assume(way)
    sign, zero = w.ashr(low, w.const(31, 32)), w.const(0, 32)
    w.ranges.assume()
    assert (sign.expr, sign.origin) == (zero.expr, Sign(low))
    one = State({("s", 1): sign}, {("v", 1): ((way, sign),)}, path=(way,))
    other = State({("s", 1): zero}, {("v", 1): ((negation(way), zero),)}, path=(negation(way),))
    met = joined(w, (other, one) if turned else (one, other))
    for high in (met.scalars["s", 1], resolved(w, met.cells["v", 1], TRUE)):
        assert isinstance(high, Word)
        assert high.expr is zero.expr
        assert w.pair(low, high).expr is w.unsigned(low)  # not m - 5, which may be negative


def test_an_undefined_mask_is_one_unknown_in_both_halves_and_another_in_other_registers():
    """Its halves may be in the last lane of one register and the first of another."""
    w, way, held = IndexValues(lambda goal, given: False), symbol("M") < 5, symbol("N") < 7
    halves = Mask(held).halves
    places = [(("v9", 63), ("v10", 0)), (("a0", 1), ("a0", 2)), (("s", 4), ("s", 5))]
    scalars = {key: half for place in places for key, half in zip(place, halves, strict=True)}
    turned = dict(reversed(scalars.items()))
    one, other = State(turned, path=(way,)), State({}, path=(negation(way),))
    met = joined(w, (one, other)).scalars
    whole = [tuple(met[key] for key in place) for place in places]
    assert all(isinstance(low, Mask) and low.own is high.own for low, high in whole)
    assert [(low.half, high.half) for low, high in whole] == [(0, 1)] * 3
    assert len({low.own for low, _ in whole}) == 3


@pytest.mark.slow
def test_a_register_holds_its_newest_write_wherever_the_guard_holds():
    """Guards and choices of all forms, against every truth of what they are made of."""
    rng, w = random.Random(7), IndexValues(lambda goal, given: False)
    unknowns = [var(name, 2) for name in "abc"]
    points = [dict(zip(unknowns, truth, strict=True)) for truth in itertools.product((0, 1), repeat=3)]

    def condition():
        parts = [eq(unknown, rng.randrange(2)) for unknown in rng.sample(unknowns, rng.randrange(1, 4))]
        joint = rng.choice((all_of, any_of))(*parts)
        return rng.choice((joint, negation(joint)))

    def word(depth):
        if not depth or rng.random() < 0.4:
            return w.const(rng.randrange(100), 32).expr
        return select(condition(), word(depth - 1), word(depth - 1))

    for _ in range(2000):
        writes = ((TRUE, w.word(word(2))), *((condition(), w.word(word(2))) for _ in range(rng.randrange(4))))
        guard = rng.choice((TRUE, condition(), all_of(condition(), condition())))
        got = resolved(w, writes, guard).expr
        for point in points:
            if value(guard, point):
                newest = next(one for when, one in reversed(writes) if value(when, point))
                assert value(got, point) == value(newest.expr, point), (writes, guard, point)


def test_a_rounding_written_in_two_branches_is_one():
    """As clang 18 writes it without optimisation: each branch copies what it has to where the other one reads."""
    w, inside = IndexValues(lambda goal, given: False), symbol("M") < 5
    x = symbol("x", min=0, max=(1 << 32) - 1)
    none = eq(w.functions.apply("u_f32", x, x), 1)
    nearest, quiet = x + x // 65536 % 2 + 0x7FFF, x - x // (1 << 22) % 2 * (1 << 22) + (1 << 22)
    for otherwise in (negation(none), negation(all_of(inside, none))):
        first = ((inside, w.const(20, 32)), (all_of(inside, otherwise), w.word(nearest)))
        second = ((inside, resolved(w, first, inside)), (all_of(inside, none), w.word(quiet)))
        got = resolved(w, second, inside).expr
        assert call_of(got) == ("bf16_above", (x,))
