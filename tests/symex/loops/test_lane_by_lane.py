"""Loops over a mask's lanes: compilers' are proved, and an edit of one that changes what it does never is."""

from dataclasses import replace
from functools import cache

import pytest

from benchmarks.foreign.cases import Case
from layoutalg.audit.audit import Audit, audit
from layoutalg.errors import DeviceError, Fault, StepLimit
from layoutalg.index import budget
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from tests.matrix import each

SLOW = pytest.mark.slow
KERNELS = (
    "sum_by_atomics",
    pytest.param("atomic_sum_u64", marks=SLOW),
    pytest.param("atomic_bits", marks=SLOW),
)
TARGETS = ("gfx942", "gfx1201")

#: What a loop over lanes is made of.
STEPS = ("FF1", "CTZ", "LSHL_B", "ANDN2_B", "AND_NOT1_B", "READLANE", "CBRANCH_SCC1")


@cache
def decoded(name: str, target: str) -> MachineCode:
    return decode_kernel(Case("corpus", name, target).binary())


def audited(name: str, target: str, code: MachineCode, seconds: float = 20) -> Audit:
    return audit(code, Case("corpus", name, target).file, seconds)


@pytest.mark.parametrize("target", each(TARGETS, "gfx942"))
@pytest.mark.parametrize("name", KERNELS)
def test_updates_of_one_place_lane_by_lane_are_proved(name: str, target: str) -> None:
    found = audited(name, target, decoded(name, target))
    assert found.proved, found.failures
    assert any(claim == "ends" and about.endswith("takes a lane of its mask") for claim, about, _ in found.claims)


def edits(code: MachineCode) -> list[tuple[str, KernelBinary]]:
    """Every third bit of the loops' own instructions turned."""
    first, found = code.instructions[0].address, []
    heads = [one.address for one in code.instructions if "FF1" in one.name or "CTZ" in one.name]
    for one in code.instructions:
        near = any(0 <= one.address - head < 64 for head in heads)
        if not near or not any(step in one.name for step in STEPS):
            continue
        for bit in range(one.address // 4 % 3, 8 * one.size, 3):
            data = bytearray(code.kernel.code)
            data[one.address - first + bit // 8] ^= 1 << bit % 8
            found.append((f"{one.address:#x} {one.name} bit {bit}", replace(code.kernel, code=bytes(data))))
    return found


def does_wrong(name: str, target: str, code: MachineCode) -> bool:
    """Whether a run faults, or comes to no end; what it leaves may be another sum, of which nothing is claimed."""
    case = Case("corpus", name, target)
    for n in (1, 70, 300):
        try:
            case.outputs(code, {"N": n}, 1)
        except (Fault, StepLimit):
            return True
    return False


@pytest.mark.parametrize("new", each([130, 128, 193], 130))  # inline constants: 2, 0 and -1, in place of 1
def test_a_turn_that_takes_no_lane_or_another_is_not_proved(new: int) -> None:
    code = decoded("sum_by_atomics", "gfx942")
    shift = next(one for one in code.instructions if one.name == "S_LSHL_B64")
    at, data = shift.address - code.instructions[0].address, bytearray(code.kernel.code)
    assert data[at] == 129
    data[at] = new
    assert not audited("sum_by_atomics", "gfx942", decode_kernel(replace(code.kernel, code=bytes(data))), 5).proved


@SLOW
def test_lanes_of_a_mask_that_are_not_all_active_are_not_read() -> None:
    """The mask is all ones, as it was at entry, where only threads below N are active."""
    code = decoded("atomic_bits", "gfx942")
    kept = next(one for one in code.instructions if one.name == "S_MOV_B64" and "a=exec" in str(one))
    at, data = kept.address - code.instructions[0].address, bytearray(code.kernel.code)
    data[at] = 193  # -1: all lanes
    assert not audited("atomic_bits", "gfx942", decode_kernel(replace(code.kernel, code=bytes(data))), 5).proved


@SLOW
@pytest.mark.parametrize("target", TARGETS)
def test_no_edit_of_such_a_loop_that_does_wrong_is_proved(target: str) -> None:
    tried = wrong = 0
    for about, kernel in edits(decoded("sum_by_atomics", target)):
        try:
            code = decode_kernel(kernel)
            found = budget.in_time(20, lambda code=code: audited("sum_by_atomics", target, code, 4), lambda why: None)
        except DeviceError:
            continue
        tried += 1
        if found is not None and found.proved:
            assert not does_wrong("sum_by_atomics", target, code), about
        else:
            wrong += 1
    assert tried > 12
    assert wrong > 6
