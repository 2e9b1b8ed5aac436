"""Exchanges between lanes against AMD's pseudocode and the manual's rules; the bytes are LLVM's assembler's."""

import numpy as np
import pytest

from layoutalg.errors import Fault, UnsupportedInstructionError
from tests.isa.machines import after, machine_of
from tests.isa.semantics import pseudocode
from tests.isa.semantics.pseudocode import Pseudocode
from tests.matrix import each

SOME = [n % 5 != 2 and n != 40 for n in range(64)]
WAITS = {"gfx942": "7f008cbf", "gfx1100": "07fc89bf", "gfx1201": "0000c6bf"}  # until the LDS unit has brought all
ARCHITECTURES = {"gfx942": "cdna", "gfx950": "cdna", "gfx1100": "rdna3", "gfx1201": "rdna4"}


def told(name, target, lanes, active, before, offset=0, scalars=(0, 0)):
    """Registers v0 to v63 of each lane after AMD's text for the name: of v2, v7 and (or s4, s5) v9."""
    (text,) = (t for t, of in pseudocode.texts()[name].items() if ARCHITECTURES[target] in of)
    registers = [[before[k][n] for k in range(64)] for n in range(lanes)]
    state = {"VGPR": registers, "EXEC": sum(1 << n for n in range(lanes) if active[n]), "OFFSET": offset, "ADDR": 7}
    state |= {"DATA0": 9, "VDST": 2, "SRC0": 7, "SRC1": 9, "S1": scalars[0], "S2": scalars[1]}
    state |= dict.fromkeys(("WAVE64", "wave64"), lanes == 64) | dict.fromkeys(("WAVE32", "wave32"), lanes == 32)
    Pseudocode(state).run(text)
    return {k: [registers[n][k] for n in range(lanes)] for k in range(64)}


@pytest.mark.parametrize(
    ("name", "target", "code", "offset"),
    [
        ("DS_BPERMUTE_B32", "gfx942", "04007ed807090002", 4),  # ds_bpermute_b32 v2, v7, v9 offset:4
        ("DS_BPERMUTE_B32", "gfx1100", "0000ccda07090002", 0),
        ("DS_BPERMUTE_B32", "gfx1201", "0000ccda07090002", 0),
        ("DS_PERMUTE_B32", "gfx942", "00007cd807090002", 0),
        ("DS_PERMUTE_B32", "gfx1100", "0000c8da07090002", 0),
        ("V_PERMLANE64_B32", "gfx1100", "07cf047e", 0),
        ("V_PERMLANE16_SWAP_B32", "gfx950", "07b3047e", 0),
        ("V_PERMLANE32_SWAP_B32", "gfx950", "07b5047e", 0),
    ],
)
def test_an_exchange_does_what_amds_pseudocode_says(name, target, code, offset):
    lanes = 64 if target.startswith("gfx9") else 32
    active = [True] * 64 if "SWAP" in name else SOME
    machine, instructions = machine_of(target, code + WAITS.get(target, ""), active[:lanes])
    if name == "DS_PERMUTE_B32":  # each lane names another; bits beside its number are ignored
        order = np.random.default_rng(5).permutation(lanes).astype(np.uint32) * np.uint32(4)
        above = machine.registers.vectors["v", 7] & np.uint32(~(4 * lanes - 4) & 0xFFFFFFFF)
        machine.registers.vectors["v", 7] = above | order
    before, found = after(machine, instructions)
    assert found == told(name, target, lanes, active, before, offset)


@pytest.mark.parametrize(
    ("name", "target", "code"),
    [
        ("V_PERMLANE16_B32", "gfx1100", "02085bd607091400"),  # v_permlane16_b32 v2, v7, s4, s5 op_sel:[1,0]
        ("V_PERMLANEX16_B32", "gfx1201", "02085cd607091400"),
        ("V_PERMLANEX16_VAR_B32", "gfx1201", "020810d707130200"),  # v_permlanex16_var_b32 v2, v7, v9 op_sel:[1,0]
        ("V_PERMLANE16_VAR_B32", "gfx1201", "02080fd707130200"),
    ],
)
def test_a_permutation_of_rows_does_what_amds_pseudocode_says(name, target, code):
    machine, instructions = machine_of(target, code, SOME[:32])
    scalars = 0x76543210, 0x01234CFE
    for k, number in zip((4, 5), scalars, strict=True):
        machine.registers.scalars["s", k] = machine.registers.w.const(number, 32)
    before, found = after(machine, instructions)
    assert found == told(name, target, 32, SOME, before, scalars=scalars)


@pytest.mark.parametrize(("code", "bound"), [("02005cd607091400", False), ("02105cd607091400", True)])
def test_a_lane_that_is_not_active_gives_nothing_or_zero(code, bound):
    """v_permlanex16_b32 v2, v7, s4, s5, and with op_sel:[0,1]: as a data-parallel primitive's `bc`."""
    machine, instructions = machine_of("gfx1100", code, SOME[:32])
    for k, number in ((4, 0x76543210), (5, 0xFEDCBA98)):
        machine.registers.scalars["s", k] = machine.registers.w.const(number, 32)
    before, found = after(machine, instructions)
    for n in range(32):
        there = before[7][n ^ 16] if SOME[n ^ 16] else 0 if bound else before[2][n]
        assert found[2][n] == (there if SOME[n] else before[2][n])


def manual(offset, i):
    """CDNA 3 ISA, DS_SWIZZLE_B32: the lane that lane i reads."""
    low, middle = offset & 31, offset >> 5 & 31
    if offset >= 0xE000:
        j = int(f"{i & 31:05b}"[::-1], 2) >> low.bit_count() | i & low
    elif offset >= 0xC000:
        j = (i & low) | (i + (-middle if offset >> 10 & 1 else middle)) & ~low & 31
    elif offset >= 0x8000:
        j = (i & 28) + (offset >> 2 * (i % 4) & 3)
    else:
        j = (i & 31 & low | middle) ^ (offset >> 10 & 31)
    return j | i & 32


@pytest.mark.parametrize("target", each(["gfx942", "gfx1100"], "gfx942"))
@pytest.mark.parametrize("offset", [0x041F, 0x401F, 0x1234, 0x80B1, 0x801B, 0xC080, 0xC4A3, 0xE000, 0xE010, 0xE01F])
def test_a_swizzle_reads_the_lane_that_the_manual_says(target, offset):
    lanes = 64 if target == "gfx942" else 32
    code = offset.to_bytes(2, "little").hex() + ("7ad8" if lanes == 64 else "d4d8") + "07000002"
    before, found = after(*machine_of(target, code + WAITS[target], SOME[:lanes]))
    read = [manual(offset, n) for n in range(lanes)]
    want = [before[7][j] if SOME[j] else 0 for j in read]
    assert found[2] == [want[n] if SOME[n] else before[2][n] for n in range(lanes)]


def test_what_the_lds_unit_brings_is_there_after_a_wait():
    """ds_bpermute_b32 v2, v7, v9; v_mov_b32 v3, v2."""
    machine, instructions = machine_of("gfx942", "00007ed807090002" + "0203067e", [True] * 64)
    with pytest.raises(Fault, match="before a wait"):
        after(machine, instructions)


def test_a_wave_of_64_on_rdna_3_is_refused():
    machine, instructions = machine_of("gfx1100", "0000ccda07090002", [True] * 64, wave_size=64)
    with pytest.raises(UnsupportedInstructionError, match="in a wave of 64 lanes"):
        after(machine, instructions)


def test_a_swap_with_lanes_that_are_not_active_is_refused():
    with pytest.raises(UnsupportedInstructionError, match="lanes that are not active"):
        after(*machine_of("gfx950", "07b5047e", SOME))


def test_a_lane_that_others_name_with_other_words_gets_anything():
    """DS_PERMUTE_B32 with all lanes naming lane 5, but 7, which names lane 6; what no lane names is 0."""
    machine, instructions = machine_of("gfx942", "00007cd807090002" + WAITS["gfx942"], [True] * 64)
    vectors, none = machine.registers.vectors, machine.registers.w.const(0, 32)
    vectors["v", 7] = none | np.where(np.arange(64) == 7, 24, 20).astype(np.uint32)
    before, _ = after(machine, instructions)
    first, second = vectors["v", 2].reshape(2, 64)
    assert [n for n in range(64) if first[n] != second[n]] == [5]
    assert [(n, int(first[n])) for n in range(64) if first[n] and n != 5] == [(6, before[9][7])]
    vectors["v", 9] = none | np.full(64, 11, np.uint32)
    _, found = after(machine, instructions)
    assert found[2] == [11 if n in (5, 6) else 0 for n in range(64)]
