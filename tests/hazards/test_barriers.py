"""Barriers that waves of a block of 256 threads reach unequally."""

from dataclasses import replace

import pytest

from layoutalg.hazards import barriers
from tests.hazards.assembly import flow

BARRIER = {"gfx942": "s_barrier\n", "gfx1201": "s_barrier_signal -1\ns_barrier_wait -1\n"}
#: The wave's number in s4.
WAVE = "v_lshrrev_b32 v1, 6, v0\nv_readfirstlane_b32 s4, v1\n"


def found(body: str, target: str = "gfx942") -> list[str]:
    """What would have to hold for each that is told."""
    told = barriers.find(flow(body.replace("BARRIER\n", BARRIER[target]), target))
    return ["undecided" if one.undecided else one.condition for one in told]


A_BLOCK = "a block has 256 threads in a row"
A_RUN = A_BLOCK + "; branches go as in a run of its scalars"

ONE_WAVE = "s_cmp_eq_u32 s4, 0\ns_cbranch_scc0 .L\nBARRIER\n.L:\n"
LANES = "v_cmp_gt_u32 vcc, 64, v0\ns_and_saveexec_b64 s[6:7], vcc\ns_cbranch_execz .L\n{}.L:\ns_mov_b64 exec, s[6:7]\n"
LOADED = "global_load_dword v1, v0, s[0:1]\ns_waitcnt vmcnt(0)\nv_readfirstlane_b32 s4, v1\n"
TURNS = ".L:\nBARRIER\ns_sub_u32 {0}, {0}, 1\ns_cmp_lt_i32 {0}, 0\ns_cbranch_scc0 .L\n"
WAVE_5 = WAVE.replace("s4", "s5") + "s_cmp_lt_u32 s5, 2\ns_cbranch_scc1 .K\n"
APART = "s_branch .M\n.K:\n" + TURNS.format("s4").replace(".L", ".N") + ".M:\n"
ARGUMENT = "s_load_dword s8, s[0:1], 0x8\ns_waitcnt lgkmcnt(0)\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (WAVE + ONE_WAVE + "BARRIER\n", [A_BLOCK]),
        (LANES.format("BARRIER\n") + "BARRIER\n", [A_BLOCK]),
        (LANES.format("v_mov_b32 v2, 0\n") + "BARRIER\n", []),
        (WAVE + ONE_WAVE, []),  # the others have ended: the hardware waits for none of them
        (WAVE + "s_cmp_lt_u32 s4, 2\ns_cbranch_scc1 .L\ns_endpgm\n.L:\nBARRIER\nBARRIER\n", []),
        ("BARRIER\n" + WAVE + "s_cmp_lt_u32 s4, 2\ns_cbranch_scc1 .L\ns_endpgm\n.L:\nBARRIER\n", []),
        # each way has barriers of its own, and one of them ends
        (WAVE + ONE_WAVE.replace(".L:\n", "s_endpgm\n.L:\n") + "BARRIER\nBARRIER\n", []),
        (WAVE + ONE_WAVE.replace(".L:\n", "s_branch .M\n.L:\n") + "BARRIER\nBARRIER\n.M:\nBARRIER\n", [A_BLOCK]),
        # two phases: some waves begin with a barrier, the others end with one
        (WAVE + ONE_WAVE + "BARRIER\nBARRIER\ns_cmp_eq_u32 s4, 0\ns_cbranch_scc1 .M\nBARRIER\n.M:\n", []),
        # an argument decides for all waves alike
        (ARGUMENT + "s_cmp_eq_u32 s8, 1\ns_cbranch_scc0 .L\nBARRIER\n.L:\nBARRIER\n", []),
        (ARGUMENT + WAVE + "s_cmp_lt_u32 s8, 4\ns_cbranch_scc0 .K\n.K:\n" + ONE_WAVE + "BARRIER\n", [A_RUN]),
        # what the first wave's turns are, an argument says
        (ARGUMENT + WAVE + "s_cmp_lt_u32 s8, s4\ns_cbranch_scc0 .L\nBARRIER\n.L:\nBARRIER\n", ["undecided"]),
        # what memory holds may be one value in all waves, or not
        (LOADED + ONE_WAVE + "BARRIER\n", []),
        # each wave turns as often as its number says
        (WAVE + TURNS.format("s4") + "BARRIER\n", [A_BLOCK]),
        (WAVE + "s_mov_b32 s5, 3\n" + TURNS.format("s5") + "BARRIER\n", []),
        # and as often as memory says, on ways of their own: how often is not known to be the same
        (LOADED + TURNS.format("s4") + "BARRIER\n", []),
        (LOADED + WAVE_5 + TURNS.format("s4") + APART + "BARRIER\n", []),
    ],
)  # fmt: skip
def test_waves_that_part(body: str, expected: list[str]) -> None:
    assert found(body) == expected


def test_a_split_barrier_is_one() -> None:
    lanes = (
        "v_cmp_gt_u32 vcc_lo, 64, v0\ns_and_saveexec_b32 s6, vcc_lo\ns_cbranch_execz .L\n{}.L:\ns_mov_b32 exec_lo, s6\n"
    )
    assert found(lanes.format("BARRIER\n") + "BARRIER\n", "gfx1201") == [A_BLOCK]
    assert found(lanes.format("v_mov_b32 v2, 0\n") + "BARRIER\n", "gfx1201") == []


def test_what_is_told() -> None:
    (one,) = barriers.find(flow(WAVE + ONE_WAVE.replace("BARRIER", "s_barrier") + "s_barrier\n"))
    assert one.what == (
        "wave 1 comes to 1 barriers, wave 0 to 2: the barrier at 0x1514 of the one meets that at 0x1510 of the other"
    )
    assert one.missing == "as many barriers on each way"


@pytest.mark.parametrize(("required", "certain"), [((256, 1, 1), [True]), ((64, 1, 1), []), ((64, 4, 1), [])])
def test_it_is_certain_where_the_kernel_has_one_block_alone(
    required: tuple[int, int, int], certain: list[bool]
) -> None:
    graph = flow(WAVE + ONE_WAVE.replace("BARRIER", "s_barrier") + "s_barrier\n")
    metadata = replace(graph.kernel.metadata, required_block=required)
    told = barriers.find(replace(graph, kernel=replace(graph.kernel, metadata=metadata)))
    assert [one.is_certain for one in told] == certain
