"""Accesses of LDS in a block of 256 threads: what orders them, and what does not."""

from dataclasses import replace

import pytest

from layoutalg.hazards.lds_order import find
from tests.hazards.assembly import flow

#: m0: the wave's own 256 bytes; v1: the thread's own dword, v2: that of the thread 64 on, of another wave.
START = """
  v_lshlrev_b32 v1, 2, v0
  v_readfirstlane_b32 s8, v1
  v_add_u32 v2, 0x100, v1
  v_and_b32 v2, 0x3ff, v2
  s_mov_b32 m0, s8
  s_nop 0
"""
LOAD = "buffer_load_dword v3, s[4:7], 0 offen lds\n"
OWN, OTHERS, WRITE = "ds_read_b32 v4, v1\n", "ds_read_b32 v4, v2\n", "ds_write_b32 v1, v5\n"
VM, LDS, BARRIER = "s_waitcnt vmcnt(0)\n", "s_waitcnt lgkmcnt(0)\n", "s_barrier\n"


def found(body, target="gfx942", start=START):
    graph = flow(start + body, target)
    return [
        (graph.steps[one.consumer].instruction.name, one.missing, one.is_certain) for one in find(graph)
    ]  # fmt: skip


CERTAIN = [("DS_READ_B32", "s_waitcnt vmcnt(0)", True)]


@pytest.mark.parametrize(
    ("body", "hazards"),
    [
        (LOAD + OWN, CERTAIN),
        (LOAD + LDS + OWN, CERTAIN),  # it is counted as a load
        (LOAD + BARRIER + OWN, CERTAIN),
        (LOAD + VM + OWN, []),
        (LOAD + LOAD.replace("lds", "offset:1024 lds") + "s_waitcnt vmcnt(1)\n" + OWN, []),
        (LOAD.replace("lds", "offset:1024 lds") + LOAD + "s_waitcnt vmcnt(1)\n" + OWN, CERTAIN),
        (LOAD + VM + BARRIER + OTHERS, []),
        (LOAD + VM + OTHERS, [("DS_READ_B32", "a barrier", False)]),
        (LOAD + BARRIER + VM + OTHERS, [("DS_READ_B32", "a barrier", False)]),
        (LOAD + OTHERS, [("DS_READ_B32", "s_waitcnt vmcnt(0); a barrier", False)]),
        (WRITE + LDS + BARRIER + OTHERS, []),
        (WRITE + OTHERS, [("DS_READ_B32", "s_waitcnt lgkmcnt(0); a barrier", False)]),
        (WRITE + BARRIER + OTHERS, [("DS_READ_B32", "s_waitcnt lgkmcnt(0); a barrier", False)]),
        (WRITE + OWN, []),  # one wave's own come in their order
        (OTHERS + LDS + BARRIER + WRITE, []),
        (OTHERS + BARRIER + WRITE, [("DS_WRITE_B32", "s_waitcnt lgkmcnt(0); a barrier", False)]),
        (OTHERS + LDS + WRITE, [("DS_WRITE_B32", "a barrier", False)]),
        (OTHERS + OTHERS, []),
        (OTHERS + LDS + LOAD, [("BUFFER_LOAD_DWORD", "a barrier", False)]),
        ("v_mov_b32 v1, s9\n" + WRITE + OTHERS, []),  # a place that an argument says
    ],
)
def test_a_wait_orders_a_wave_and_with_a_barrier_all(body, hazards):
    assert found(body) == hazards


def test_a_split_barrier_orders_what_was_waited_for_before_its_signal():
    start = "v_lshlrev_b32 v1, 2, v0\nv_add_nc_u32 v2, 0x80, v1\nv_and_b32 v2, 0x3ff, v2\n"
    write, read = "ds_store_b32 v1, v5\n", "ds_load_b32 v4, v2\n"
    wait, signal, arrive = "s_wait_dscnt 0\n", "s_barrier_signal -1\n", "s_barrier_wait -1\n"
    assert found(write + wait + signal + arrive + read, "gfx1201", start) == []
    assert len(found(write + signal + wait + arrive + read, "gfx1201", start)) == 1
    assert len(found(write + wait + arrive + signal + read, "gfx1201", start)) == 1


COPY = "global_load_async_to_lds_b32 v1, v3, s[4:5]\n"
SECOND = COPY.replace("s[4:5]", "s[4:5] offset:1024")
ASYNC, ARRIVE = "s_wait_asynccnt 0\n", "s_barrier_signal -1\ns_barrier_wait -1\n"


@pytest.mark.parametrize(("body", "missing"), [
    (COPY + ASYNC + OWN, None), (COPY + ASYNC + ARRIVE + OTHERS, None),
    (COPY + SECOND + "s_wait_asynccnt 1\n" + OWN, None),
    (SECOND + COPY + "s_wait_asynccnt 1\n" + OWN, "s_wait_asynccnt 0"),
    (COPY + OWN, "s_wait_asynccnt 0"), (COPY + ARRIVE + OWN, "s_wait_asynccnt 0"),
    (COPY + "s_wait_loadcnt 0\ns_wait_dscnt 0\n" + OWN, "s_wait_asynccnt 0"),
    (COPY + ASYNC + OTHERS, "a barrier"), (COPY + ARRIVE + ASYNC + OTHERS, "a barrier"),
    (OTHERS + "s_wait_dscnt 0\n" + COPY, "a barrier"),
])  # fmt: skip
def test_a_copy_to_lds_has_a_counter_of_its_own(body: str, missing: str | None) -> None:
    start = "v_lshlrev_b32 v1, 2, v0\nv_add_nc_u32 v2, 0x80, v1\nv_and_b32 v2, 0x3ff, v2\n"
    assert [one[1] for one in found(body, "gfx1250", start)] == ([] if missing is None else [missing])


BACK = "global_store_async_from_lds_b32 v3, v1, s[4:5]\n"
MINE, THEIRS = (f"ds_store_b32 v{place}, v5\n" for place in (1, 2))


@pytest.mark.parametrize(("body", "missing"), [
    (BACK + OWN, None), (BACK + OTHERS, None), (BACK + ASYNC + MINE, None), (BACK + ASYNC + ARRIVE + THEIRS, None),
    (BACK + MINE, "s_wait_asynccnt 0"), (BACK + ARRIVE + MINE, "s_wait_asynccnt 0"),
    (BACK + "s_wait_storecnt 0\n" + MINE, "s_wait_asynccnt 0"),
    (BACK + ASYNC + THEIRS, "a barrier"), (BACK + ARRIVE + ASYNC + THEIRS, "a barrier"),
    (BACK + COPY, "s_wait_asynccnt 0"),
])  # fmt: skip
def test_what_a_copy_from_lds_still_reads_is_not_stored_to(body: str, missing: str | None) -> None:
    start = "v_lshlrev_b32 v1, 2, v0\nv_add_nc_u32 v2, 0x80, v1\nv_and_b32 v2, 0x3ff, v2\n"
    assert [one[1] for one in found(body, "gfx1250", start)] == ([] if missing is None else [missing])


LOOP = """
.Lloop:
  {first}{between}
  s_sub_u32 s10, s10, 1
  s_cmp_lg_u32 s10, 0
  s_cbranch_scc1 .Lloop
"""


def test_the_next_turn_of_a_loop_stores_over_what_other_waves_may_still_read():
    read = WRITE + LDS + BARRIER + OTHERS + LDS
    assert found(LOOP.format(first=read, between=BARRIER)) == []
    assert [name for name, _, _ in found(LOOP.format(first=read, between=""))] == ["DS_WRITE_B32"]


def test_lanes_that_are_off_leave_it_open():
    body = "v_cmp_gt_u32 vcc, 7, v0\ns_and_saveexec_b64 s[10:11], vcc\n" + LOAD + OWN
    assert found(body) == [("DS_READ_B32", "s_waitcnt vmcnt(0)", False)]
    again = body.replace(LOAD, "s_or_b64 exec, exec, s[10:11]\n" + LOAD)
    assert found(again) == CERTAIN


#: The thread's own dword and that of the thread 64 on, of another wave; s[12:13]: lanes that an argument picks.
APART = """
  v_lshlrev_b32 v1, 2, v0
  v_add_{no_carry}u32 v2, 0x100, v1
  v_cmp_lt_u32 {picked}, s4, v0
"""
IF, FI = "v_cmp_gt_u32 vcc, {bound}, v0\ns_and_saveexec_b64 s[10:11], vcc\n", "s_or_b64 exec, exec, s[10:11]\n"
PICKED, ALL = "s_and_saveexec_b64 s[14:15], s[12:13]\n", "s_or_b64 exec, exec, s[14:15]\n"


@pytest.mark.parametrize(
    ("body", "others_come"),
    [
        (IF.format(bound=64) + OTHERS + WRITE + FI, False),  # wave 0 alone: it reads 64 to 127, and stores 0 to 63
        (IF.format(bound=65) + OTHERS + WRITE + FI, True),
        (IF.format(bound=64) + OTHERS + FI + WRITE, True),
        (PICKED + IF.format(bound=64) + OTHERS + WRITE + FI, False),
        (PICKED + IF.format(bound=65) + OTHERS + WRITE + FI, True),
        (PICKED + IF.format(bound=64) + OTHERS + FI + ALL + WRITE, True),
        (IF.format(bound=64) + "s_cbranch_execz .Lout\n" + OTHERS + WRITE + ".Lout:\n" + FI, False),
        (IF.format(bound=64) + OTHERS + "s_xor_b64 exec, exec, s[10:11]\n" + WRITE + FI, True),
        (IF.format(bound=192) + "s_xor_b64 exec, exec, s[10:11]\n" + OTHERS + WRITE + FI, False),  # wave 3 alone
        (IF.format(bound=191) + "s_xor_b64 exec, exec, s[10:11]\n" + OTHERS + WRITE + FI, True),
        (IF.format(bound=64) + "s_mov_b64 exec, -1\n" + OTHERS + WRITE, True),
        (IF.format(bound=64) + "s_mov_b64 exec, s[20:21]\n" + OTHERS + WRITE, True),
    ],
)
def test_a_compare_keeps_waves_out(body: str, others_come: bool) -> None:
    hazards = found(body, start=APART.format(no_carry="", picked="s[12:13]"))
    assert [name for name, _, _ in hazards] == ["DS_WRITE_B32"] * others_come


@pytest.mark.parametrize(("bound", "others_come"), [(32, False), (33, True)])
@pytest.mark.parametrize("picked", ["", "s_and_saveexec_b32 s14, s12\n"])
def test_a_compare_that_writes_exec_keeps_waves_out(bound: int, others_come: bool, picked: str) -> None:
    body = (
        picked
        + f"v_cmpx_gt_u32 {bound}, v0\ns_cbranch_execz .Lout\n"
        + "ds_load_b32 v4, v2\nds_store_b32 v1, v5\n.Lout:\n"
    )
    start = APART.format(no_carry="nc_", picked="s12").replace("0x100", "0x80")
    assert len(found(body, "gfx1201", start)) == others_come


def test_a_way_that_a_run_takes_is_told_and_one_that_none_takes_is_left_open():
    again = WRITE + LDS + BARRIER + OTHERS + LDS
    (told,) = find(flow(START + LOOP.format(first=again, between="")))
    assert not told.undecided
    never = "s_mov_b32 s10, 1\ns_cmp_eq_u32 s10, 2\ns_cbranch_scc1 .Lnever\ns_endpgm\n.Lnever:\n"
    (left,) = find(flow(START + LOAD + never + OWN))
    assert left.undecided


def test_of_a_block_that_nobody_sizes_two_waves_are_left_open():
    graph = flow(START + WRITE + OTHERS)
    (told,) = find(graph)
    metadata = replace(graph.kernel.metadata, max_threads=1024)
    (left,) = find(replace(graph, kernel=replace(graph.kernel, metadata=metadata)))
    assert (told.undecided, left.undecided) == (False, True)
