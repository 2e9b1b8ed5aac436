"""Claims on what the compiler built of CK: right ones proved, and each edit of one refuted."""

import json
from typing import Any

import pytest

from layoutalg.ck.layouts import GemmLayouts
from layoutalg.ck.space import Configuration
from layoutalg.errors import LayoutError
from layoutalg.prove import Covers, prove
from tests.ck.answers import FILE, RIGHT, SHUFFLED, STRAIGHT, TALL, TARGET, compiled, kept, target_of


def failed(of: Configuration, pipeline: Any, epilogue: Any) -> set[str]:
    claims = GemmLayouts.read(of, pipeline, epilogue).claims(target_of(of))
    return {f"{one.claim}, {one.about}" for one in claims if not one.verdict}


@pytest.mark.parametrize("one", [RIGHT, SHUFFLED, STRAIGHT])
def test_right_layouts_are_proved(one: Configuration) -> None:
    assert not failed(one, *kept(one))


def test_an_epilogue_that_stores_twice_its_window_is_refuted() -> None:
    """rocm-libraries#9684: 192 is no multiple of two repeats of 64 rows, so C's window has one and its stores two."""
    assert failed(TALL, *kept(TALL)) == {"lengths, c to LDS"}


def test_threads_are_counted_in_the_targets_waves() -> None:
    """256 threads are four waves of gfx942, and twice as many as four waves of gfx1201 have."""
    claims = list(GemmLayouts.read(RIGHT, *kept(RIGHT)).claims("gfx1201"))
    wrong = [one for one in claims if not one.verdict]
    assert {one.claim for one in wrong} == {"threads"}
    assert len(wrong) == sum(one.claim == "threads" for one in claims) == 9
    assert all("256 of 128" in str(one.verdict.reason) for one in wrong)


def test_what_lds_accesses_cost() -> None:
    costs = {one.about: one for one in GemmLayouts.read(RIGHT, *kept(RIGHT)).costs(TARGET)}
    assert set(costs) == {"a to LDS", "a as operand", "b to LDS", "b as operand", "c to LDS", "c from LDS"}
    assert all(one.cycles >= one.least for one in costs.values())


def test_what_comes_straight_to_lds_is_claimed_to_land_and_what_is_exchanged_to_be_the_operand() -> None:
    layouts = GemmLayouts.read(STRAIGHT, *kept(STRAIGHT))
    claims = {(one.claim, one.about) for one in layouts.claims("gfx950")}
    assert {(claim, about) for claim in ("lands", "exchanged") for about in "ab"} <= claims
    costs = {one.about: one for one in layouts.costs("gfx950")}
    assert set(costs) == {"a as operand", "b as operand", "c to LDS", "c from LDS"}
    assert (costs["a as operand"].least, costs["a as operand"].width) == (2, 8)  # ds_read_b64_tr_b16


def test_loads_that_a_target_lacks_are_told_with_what_it_has() -> None:
    layouts = GemmLayouts.read(STRAIGHT, *kept(STRAIGHT))
    assert layouts.lacking("gfx942") == "gfx942 has no load of 16 bytes a lane to LDS: it has of 4 bytes a lane"
    assert not layouts.lacking("gfx950")
    with pytest.raises(LayoutError, match="gfx942 has no load from LDS that transposes elements of 16 bits"):
        list(layouts.claims("gfx942"))


A_LDS, A_LOADED, A_STORED, A_READ, BYTES, A_ASKED, SUMMED = 0, 1, 2, 3, 8, 11, 13
C_STORED, C_PLACES, C_MOVES = 1, 6, 7
SWAPPED = {"ps_major": [[1], [2, 1]], "ps_minor": [[0], [0, 1]]}  # lanes run along the other side first
EDITS = {
    "no room": (lambda p, e: p.__setitem__(BYTES, 1024), "lds_bytes, a and b"),
    "a stride too short": (lambda p, e: p[A_LDS]["transforms"][0].__setitem__(2, [8, 24, 1]), "injective, a in LDS"),
    "a space too small": (lambda p, e: p[A_LDS].__setitem__("element_space_size", 4000), "in_bounds, a in LDS"),
    "another thread stores": (lambda p, e: p[A_STORED].update(SWAPPED), "handed_on, a"),
    "half the tile": (lambda p, e: p[A_READ]["hs"][1].__setitem__(0, 1), "lengths, a as operand"),
    "C's window is not the stores'": (lambda p, e: e.__setitem__(3, [32, 64]), "lengths, c to LDS"),
    "no whole number of windows": (lambda p, e: e.__setitem__(3, [48, 64]), "whole, c"),
    "K0 and K1 changed over": (
        lambda p, e: (p[A_LDS]["transforms"][-1].__setitem__(1, [4, 8]), p[A_LDS]["lower"].__setitem__(-1, [10, 8])),
        "contiguous, a in LDS",
    ),
    "A's rows by the waves along N": (
        lambda p, e: p[A_READ].update(ps_major=[[0, 1], [2, 1]], ps_minor=[[0, 1], [1, 2]]),
        "multiplied, c",
    ),
    "A's k in another order": (lambda p, e: p[A_READ].update(ys_minor=[0, 2, 0]), "multiplied, c"),
    "accumulators of other rows": (
        lambda p, e: p[SUMMED].update(ps_minor=[[0, 1], [3, 2]], ys_minor=[1, 0, 2, 4]),
        "multiplied, c",
    ),
    "rows of an accumulator by other lanes": (
        lambda p, e: p[SUMMED].update(
            hs=[[2, 2, 4, 4, 2], [2, 2, 32]], ps_minor=[[1, 1], [4, 2]], ys_minor=[0, 0, 2, 3]
        ),
        "multiplied, c",
    ),
    "C is stored by other waves": (lambda p, e: e[C_STORED]["ps_major"].__setitem__(0, [2, 1]), "handed_on, c"),
    "C's window moves elsewhere": (lambda p, e: e[C_MOVES].__setitem__(0, [64, 0]), "handed_on, c"),
    "C's first part twice": (
        lambda p, e: (e[C_PLACES].__setitem__(1, [0, 0]), e[C_MOVES].__setitem__(0, [0, 0])),
        "handed_on, c",
    ),
}


def uncontradicted(answer: Any) -> Any:
    """An answer without CK's own word on its layouts, by which an edited one is refused before any claim."""
    if isinstance(answer, list):
        return [uncontradicted(entry) for entry in answer]
    if isinstance(answer, dict):
        return {key: uncontradicted(one) for key, one in answer.items() if key not in ("adaptor", "samples")}
    return answer


def test_an_epilogue_that_swaps_rows_of_c_is_refuted() -> None:
    """`<MWave, NumMXdlPerWavePerShuffle>` for `<NumMXdlPerWavePerShuffle, MWave>`, with its indices."""
    pipeline, epilogue = map(uncontradicted, kept(SHUFFLED))
    epilogue[C_STORED].update(ps_minor=[[0, 1], [3, 2]], ys_minor=[1, 0, 2, 4])
    (wrong,) = [one for one in GemmLayouts.read(SHUFFLED, pipeline, epilogue).claims(TARGET) if not one.verdict]
    assert (wrong.claim, wrong.about) == ("handed_on", "c")
    assert wrong.verdict.reason == "thread 0: (32, 0) of C is stored as (16, 0)"


def test_what_is_stored_by_copies_is_covered() -> None:
    """The rule of `covers` is one: as often as the Rs say; the two halves of the waves hold, and store, the same."""
    pipeline, epilogue = map(uncontradicted, kept(RIGHT))
    replicated = {"rs": [2], "hs": [[2, 16, 4], [4, 8]], "ps_major": [[0, 1], [1, 2]], "ps_minor": [[0, 0], [1, 0]]}
    for part in (A_LOADED, A_STORED):
        pipeline[part].update(replicated)
    assert not failed(RIGHT, pipeline, epilogue)
    stored = GemmLayouts.read(RIGHT, pipeline, epilogue).a.stored
    assert [prove(Covers(stored, copies)).name for copies in (None, 2, 1)] == ["proved", "proved", "refuted"]


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_refuted(name: str) -> None:
    edit, claim = EDITS[name]
    pipeline, epilogue = map(uncontradicted, kept(RIGHT))
    edit(pipeline, epilogue)
    assert claim in failed(RIGHT, pipeline, epilogue)


ROWS_APART = {"transforms": [["embed", [64, 64], [72, 1]]], "element_space_size": 63 * 72 + 64}
STRAIGHT_EDITS = {
    "rows with gaps": (lambda p: p[A_LDS].update(ROWS_APART), "lands, a"),
    "lanes down the columns": (
        lambda p: p[A_STORED].update({"ps_major": [[1], [2, 1]], "ps_minor": [[0], [0, 2]]}),
        "lands, a",
    ),
    "lanes that look elsewhere": (
        lambda p: p[A_ASKED].update({"ps_major": [[2, 0], [1, 2, 2, 1]], "ps_minor": [[1, 0], [2, 2, 3, 3]]}),
        "exchanged, a",
    ),
    "an operand of other lanes": (lambda p: p[A_READ].update({"ps_major": [[1, 0], [1, 2]]}), "exchanged, a"),
}


@pytest.mark.parametrize("name", STRAIGHT_EDITS)
def test_an_edit_of_what_comes_straight_or_is_exchanged_is_refuted(name: str) -> None:
    edit, claim = STRAIGHT_EDITS[name]
    pipeline, epilogue = map(uncontradicted, kept(STRAIGHT))
    edit(pipeline)
    assert claim in failed(STRAIGHT, pipeline, epilogue)


@pytest.mark.matrix(0)
def test_the_kept_answers_are_the_compilers() -> None:
    assert json.loads(FILE.read_text()) == compiled()
