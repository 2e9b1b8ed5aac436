"""Which lane a data-parallel primitive reads, against the formulas of the manual's table on plain numbers."""

import numpy as np
import pytest

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.architecture import ARCHITECTURES
from layoutalg.isa.run.arrays import ArrayValues
from layoutalg.isa.semantics.dpp import CONTROLS, control_of, lane_read, lane_written

LANES = ArrayValues().const(0, 32) | np.arange(64, dtype=np.uint32)


def manual(code, n):
    """CDNA 3 ISA, "DPP_CTRL Enumeration"; RDNA 3 ISA for the last two: the lane that is read, None for `bound_cntl`."""
    k = code & 0xF
    if code <= 0xFF:
        return (n & 0x3C) + (code >> n % 4 * 2 & 3)
    if 0x101 <= code <= 0x10F:
        return n + k if (n & 0xF) < 16 - k else None
    if 0x111 <= code <= 0x11F:
        return n - k if (n & 0xF) >= k else None
    if 0x121 <= code <= 0x12F:
        return n - k if (n & 0xF) >= k else n + 16 - k
    if 0x150 <= code <= 0x15F:
        return (n & 0xFFFFFFF0) + k
    if 0x160 <= code <= 0x16F:
        return n ^ k
    return {
        0x130: n + 1 if n < 63 else None,
        0x134: n + 1 if n < 63 else 0,
        0x138: n - 1 if n > 0 else None,
        0x13C: n - 1 if n > 0 else 63,
        0x140: n // 16 * 16 + 15 - n % 16,
        0x141: n // 8 * 8 + 7 - n % 8,
        0x142: {1: 15, 2: 31, 3: 47}.get(n // 16),
        0x143: 31 if n > 31 else None,
    }[code]


def told(reading):
    lane, there = ((LANES * 0 + part).ravel() for part in reading)
    return [int(lane[n]) if there[n] else None for n in range(64)]


@pytest.mark.parametrize("name", CONTROLS)
def test_a_control_reads_the_lane_that_the_manual_says(name):
    first, last, _ = CONTROLS[name]
    for code in range(first, last + 1):
        assert control_of({"dpp": code}) == name
        found = told(lane_read(ArrayValues(), LANES, {"dpp": code}, eight=False))
        assert found == [manual(code, n) for n in range(64)], hex(code)


def test_eight_lanes_read_any_of_each_other():
    picks = (3, 0, 7, 7, 1, 2, 6, 5)
    fields = {f"lane_sel_{k}": pick for k, pick in enumerate(picks) if pick}
    assert told(lane_read(ArrayValues(), LANES, fields, eight=True)) == [n // 8 * 8 + picks[n % 8] for n in range(64)]


def test_masks_choose_rows_and_banks():
    for row_mask, bank_mask in ((0xF, 0xF), (0xA, 0xE), (0x1, 0x8), (0x6, 0x0)):
        written = lane_written(ArrayValues(), LANES, {"row_mask": row_mask, "bank_mask": bank_mask}).ravel()
        assert written.tolist() == [bool(row_mask >> n // 16 & bank_mask >> n % 16 // 4 & 1) for n in range(64)]


@pytest.mark.parametrize("code", [0x100, 0x110, 0x120, 0x131, 0x144, 0x170, 0x1FF])
def test_a_code_that_is_none_is_refused(code):
    with pytest.raises(UnsupportedInstructionError, match=f"control {code:#x}"):
        control_of({"dpp": code})


def test_each_control_is_of_some_instruction_set():
    assert set(CONTROLS) == set().union(*(one.lane_controls for one in ARCHITECTURES.values()))
    assert ARCHITECTURES["rdna3"].lane_controls - ARCHITECTURES["cdna"].lane_controls == {"row_xmask"}
