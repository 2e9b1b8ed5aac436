"""Rings that go on from one tile of the grid to the next: proved, emitted; wrong programs are refuted or refused."""

from dataclasses import replace
from functools import cache

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.index import value
from layoutalg.kernel.emit.kernel import emit
from layoutalg.kernel.library.convolution import convolution
from layoutalg.kernel.library.transpose import lds_transpose
from layoutalg.kernel.library.windows import Windows
from layoutalg.kernel.obligations import ring as ringed
from layoutalg.kernel.program import Barrier, LoadShared, MultiplyShared, Program, SharedAccess, StoreShared, walk
from layoutalg.kernel.verify import verify
from layoutalg.layout import LayoutError
from layoutalg.prove import Proved, Refuted, prove
from tests.kernel.obligations.test_asynchronous import changed, nth, refuted
from tests.kernel.obligations.test_ring import plan, product


@cache
def persistent(einsum: str = "ik,kj->ij", slots: int = 3) -> Program:
    return product(einsum, replace(plan(slots=slots, whole=False), persistent=132))


def test_products_in_turns_are_proved():
    assert verify(persistent()).failures == ()


@pytest.mark.slow
@pytest.mark.parametrize("einsum", ["ik,jk->ij", "bik,bkj->bij"])
def test_products_of_other_orders_in_turns_are_proved(einsum):
    assert verify(persistent(einsum, 4)).failures == ()


@pytest.mark.slow
def test_convolutions_in_turns_are_proved():
    windows = Windows((3, 2), (1, 2), (1, 1), (1, 0))
    cut = replace(plan(whole=False), persistent=264)
    assert verify(convolution(windows, "f16", plan=cut, widths=(8, 8), channels=64)).failures == ()


def test_as_many_blocks_are_launched_as_are_told():
    program = persistent()
    at = dict.fromkeys(program.sizes, 4096)
    assert [value(n, at) for n in program.launch] == [132]
    assert persistent().name.replace("_persistent132", "") == product(cut=plan(whole=False)).name


def test_the_text_goes_through_blocks_in_turns_and_counts_on():
    whole = emit(verify(persistent()), "sm_90")
    rest = whole[whole.index('extern "C" __global__') :]
    loop = "for (unsigned block0 = blockIdx.x; block0 < (unsigned)("
    order = ["make_barriers<3, 8>(full, empty);", "unsigned turn = 0;", loop, "block0 += 132", "slot = turn % 3;",
             "await_phase(&empty[slot], turn / 3 + 1);", "copy_box(a_lds + slot * ", "turn = next_turn<3>(turn);",
             "return;", "unsigned turn = 0;", loop, "// sums <- 0", "slot = turn % 3;",
             "await_phase(&full[slot], turn / 3);", "begin_products();", "leave(&empty[last_slot]);",
             "turn = next_turn<3>(turn);", "await_products<0>();", "leave(&empty[last_slot]);", "meet<256>();",
             "// sums -> target_lds", "meet<256>();", "// target_rows -> target"]  # fmt: skip
    for part in order:
        assert part in rest, part
        rest = rest.partition(part)[2]
    assert b"mbarrier" in compile_source(whole, "sm_90").payload


@pytest.mark.parametrize("slots", [2, 3, 4, 5, 8])
def test_what_is_kept_of_a_number_is_enough_for_any_number_of_tiles(slots):
    for r in ringed._turns(persistent(), "ring", slots):
        assert isinstance(prove(r.claim), Proved), r.about


# --- wrong programs ---------------------------------------------------------------------------------------------------


def test_results_over_the_tiles_are_refused():
    def over(s):
        return [replace(s, shared=replace(s.shared, again=True))] if isinstance(s, StoreShared | LoadShared) else None

    behind = persistent().body.index(next(s for s in persistent().body if isinstance(s, StoreShared)))
    body = (*persistent().body[:behind], *changed(persistent().body[behind:], over))
    assert "where the next turn's boxes arrive" in refuted(replace(persistent(), body=body))


def test_tiles_read_behind_the_ring_are_refused():
    (product_,) = persistent().of(MultiplyShared)
    read = LoadShared(product_.a.registers, product_.a.shared, product_.a.descriptor)
    with pytest.raises(LayoutError, match="where the next turn's boxes arrive"):
        verify(replace(persistent(), body=(*persistent().body, Barrier(), read)))


def test_results_without_a_barrier_before_them_are_refused():
    body = changed(persistent().body, nth(Barrier, 1, lambda s: []))
    assert len(body) == len(persistent().body) - 1
    told = refuted(replace(persistent(), body=body))
    assert "target_lds is touched before a barrier behind the ring" in told


def test_no_barrier_behind_results_is_refuted_as_ever():
    body = changed(persistent().body, nth(Barrier, 2, lambda s: []))
    assert "no race in target_lds" in refuted(replace(persistent(), body=body))


def test_blocks_in_turns_have_a_ring_and_a_row_of_blocks():
    with pytest.raises(LayoutError, match="and copy none"):
        verify(replace(lds_transpose(), persistent=132))
    for wrong in ({"persistent": -1}, {"linear": False}):
        with pytest.raises(LayoutError, match="compute tiles in turns"):
            verify(replace(persistent(), **wrong))


def test_more_blocks_than_numbers_are_refuted():
    (about,) = (r for r in ringed._turns(replace(persistent(), persistent=1 << 31), "ring", 3) if "fit" in r.about)
    assert isinstance(prove(about.claim), Refuted)


def test_its_results_have_a_buffer_of_their_own():
    behind = [s for s in walk(persistent().body) if isinstance(s, SharedAccess) and s.shared.name == "target_lds"]
    assert behind
    assert not any(s.shared.again for s in behind)
    assert persistent().places[behind[0].shared] == 3 * (128 + 64) * 64 * 2
