"""Data-parallel primitives carried out: what is read of lanes that are not there or not active, and what is written.

The bytes are LLVM's assembler's for the lines beside them.
"""

import numpy as np
import pytest

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.run.arrays import ArrayValues
from layoutalg.isa.semantics.dpp import lane_read, lane_written
from tests.isa.machines import after, machine_of

SOME = [n % 5 != 2 and n != 40 for n in range(64)]


def expected(fields, active, source, old, eight=False):
    """A move's result, lane by lane (LLVM's AMDGPUModifierSyntax: `bound_ctrl`, `fi`)."""
    w = ArrayValues()
    n = w.const(0, 32) | np.arange(64, dtype=np.uint32)
    lane, there = ((0 * n + part).ravel().tolist() for part in lane_read(w, n, fields, eight))
    masks = np.ones(64, bool) if eight else lane_written(w, n, fields).ravel()
    result = []
    for k in range(len(active)):
        exists = there[k] and (fields.get("fi") or active[lane[k] % len(active)])
        value = source[lane[k] % len(active)] if exists else 0
        keep = not active[k] or not masks[k] or not (exists or fields.get("bc") or eight)
        result.append(old[k] if keep else value)
    return result


@pytest.mark.parametrize(
    ("target", "code", "fields"),
    [
        # v_mov_b32_dpp v2, v7 row_shr:1 row_mask:0xa bank_mask:0xe bound_ctrl:1
        ("gfx942", "fa02047e071109ae", {"dpp": 0x111, "bc": 1, "row_mask": 0xA, "bank_mask": 0xE}),
        # v_mov_b32_dpp v2, v7 row_shr:1 row_mask:0xf bank_mask:0xf
        ("gfx90a", "fa02047e071101ff", {"dpp": 0x111, "row_mask": 0xF, "bank_mask": 0xF}),
        # v_mov_b32_dpp v2, v7 row_bcast:31 row_mask:0xf bank_mask:0xf
        ("gfx90a", "fa02047e074301ff", {"dpp": 0x143, "row_mask": 0xF, "bank_mask": 0xF}),
        # v_mov_b32_dpp v2, v7 row_shr:1 row_mask:0xf bank_mask:0xe bound_ctrl:1 fi:1
        ("gfx1100", "fa02047e07110dfe", {"dpp": 0x111, "bc": 1, "fi": 1, "row_mask": 0xF, "bank_mask": 0xE}),
        # v_mov_b32_dpp v2, v7 row_shr:1 row_mask:0xf bank_mask:0xf fi:1
        ("gfx1201", "fa02047e071105ff", {"dpp": 0x111, "fi": 1, "row_mask": 0xF, "bank_mask": 0xF}),
    ],
)
def test_a_move_reads_and_writes_what_the_manual_says(target, code, fields):
    lanes = 64 if target.startswith("gfx9") else 32
    before, found = after(*machine_of(target, code, SOME[:lanes]))
    assert found[2] == expected(fields, SOME[:lanes], before[7], before[2])
    assert {k: word for k, word in found.items() if k != 2} == {k: word for k, word in before.items() if k != 2}


@pytest.mark.parametrize("fi", [0, 1])
def test_eight_lanes_and_those_that_are_not_active(fi):
    """v_add_f32_dpp v2, v7, v9 dpp8:[7,6,5,4,3,2,1,0], made a move: 0 of lanes that are not active, without `fi`."""
    code = ("ea" if fi else "e9") + "02047e" + "07773905"
    before, found = after(*machine_of("gfx1100", code, SOME[:32]))
    fields = {f"lane_sel_{k}": 7 - k for k in range(7)} | {"fi": fi}
    assert found[2] == expected(fields, SOME[:32], before[7], before[2], eight=True)


def test_signs_are_of_what_was_read():
    """v_add_f32_dpp v2, -v7, |v9| quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf."""
    machine, instructions = machine_of("gfx942", "fa12040207b190ff", [True] * 64)
    numbers = np.random.default_rng(4).normal(size=(2, 64)).astype(np.float32)
    for register, row in ((7, numbers[0]), (9, numbers[1])):
        machine.registers.vectors["v", register] = machine.registers.w.const(0, 32) | row.view(np.uint32)
    _, found = after(machine, instructions)
    others = numbers[0].reshape(-1, 2)[:, ::-1].reshape(-1)
    assert np.array_equal(np.array(found[2], np.uint32).view(np.float32), np.abs(numbers[1]) - others)


def test_64_bits_of_one_lane_of_the_row():
    """v_mov_b64_dpp v[2:3], v[4:5] row_newbcast:1 row_mask:0xf bank_mask:0xf."""
    before, found = after(*machine_of("gfx942", "fa70047e045101ff", [True] * 64))
    assert all(found[k][n] == before[k + 2][n // 16 * 16 + 1] for k in (2, 3) for n in range(64))


@pytest.mark.parametrize(
    ("target", "code", "why"),
    [
        ("gfx942", "fa70047e041101ff", "64 bits of other lanes"),  # v_mov_b64_dpp … row_shr:1
        ("gfx942", "fa30047e045101ff", "64 bits of other lanes"),  # v_ceil_f64_dpp … row_newbcast:1
        ("gfx942", "fa02047e076101ff", "row_xmask, which the machine has not"),
        ("gfx1100", "fa02047e074201ff", "row_bcast15, which the machine has not"),
        ("gfx1100", "fa12947c072301ff", "a mask of lanes that are not all written"),  # v_cmp_eq_u32_dpp … row_ror:3
        ("gfx1100", "02002cd7fa120200072301ff", "that is not described"),  # v_mul_lo_u32 with the second dword
        ("gfx1100", "020003d5fa120200072311ff", "src0_neg is not described"),  # VOP3 has signs of its own
    ],
)
def test_what_no_machine_has_is_refused(target, code, why):
    lanes = 64 if target.startswith("gfx9") else 32
    with pytest.raises(UnsupportedInstructionError, match=why):
        after(*machine_of(target, code, SOME[:lanes]))


def test_a_comparison_that_all_lanes_write():
    """v_cmp_eq_u32_e64_dpp s3, v7, v9 row_ror:3 row_mask:0xf bank_mask:0xf bound_ctrl:1."""
    machine, instructions = machine_of("gfx1100", "03004ad4fa120200072309ff", SOME[:32])
    vectors = machine.registers.vectors
    vectors["v", 9] = np.roll(vectors["v", 7].reshape(2, 16), 3, 1).reshape(vectors["v", 7].shape)
    after(machine, instructions)
    origin = [n // 16 * 16 + (n - 3) % 16 for n in range(32)]
    want = sum(1 << n for n in range(32) if SOME[n] and SOME[origin[n]])
    assert int(machine.registers.scalars["s", 3].item()) == want
