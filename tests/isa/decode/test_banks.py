"""Vector registers above 255: which register an instruction names, behind what says so."""

from dataclasses import replace

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.banks import banks_of, in_banks
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from layoutalg.isa.decode.instructions import Instruction, Operand
from layoutalg.isa.run.launch import execute
from tests.audit.gfx1250 import audited

MANY = """
extern "C" __attribute__((global, amdgpu_flat_work_group_size(32, 32), amdgpu_waves_per_eu(1, 1)))
void k(const float* a, float* b) {
  int t = __builtin_amdgcn_workitem_id_x();
  float x[280];
  #pragma unroll
  for (int i = 0; i < 280; ++i) x[i] = a[i * 32 + t];
  asm volatile("" ::: "memory");
  #pragma unroll
  for (int i = 0; i < 280; ++i) b[i * 32 + t] = x[279 - i] * 2 + 1;
}"""
#: A copy by way of v256: its result's bank is 1, and then its source's.
BY_256 = """
extern "C" __global__ void k(const float* a, float* b, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float x = a[i], y;
  asm volatile("v_mov_b32 v0, 0\\n\\ts_set_vgpr_msb 0x40\\n\\tv_mov_b32 v0, %1\\n\\ts_set_vgpr_msb 0x4001\\n\\t"
               "v_mov_b32 %0, v0\\n\\ts_set_vgpr_msb 0x100" : "=&v"(y) : "v"(x) : "v0");
  b[i] = y;
}"""
MULTIPLE = ", multiple_of = 256"


def with_more(source: str) -> MachineCode:
    """The code of a kernel that asks for 272 registers; clang takes none above 255 for those of an asm."""
    payload = compile_source("#include <hip/hip_runtime.h>" + source, "gfx1250").payload
    return decode_kernel(replace(read_kernels(payload)["k"], vector_registers=272))


def test_280_values_are_held_at_once() -> None:
    """Clang holds them above 255, too: what comes out says that each register is the one that was meant."""
    found = decode_kernel(read_kernels(compile_source(MANY, "gfx1250").payload)["k"])
    parts = [half for one in found.instructions for half in (one, *one.halves)]
    assert max(o.index for one in parts for o in one.operands.values() if o.kind == "v") > 255
    a = np.random.default_rng(1).standard_normal((280, 32)).astype(np.float32)
    run = execute(found, (1,), (32,), [a, np.zeros_like(a)])
    assert np.array_equal(run.outputs[1], a[::-1] * 2 + 1)


def test_what_goes_by_way_of_such_a_register_is_proved() -> None:
    assert audited(with_more(BY_256), "ab", "b[i] = a[i]", MULTIPLE).proved


@pytest.mark.parametrize("was", ["\\n\\ts_set_vgpr_msb 0x40\\n", "\\n\\ts_set_vgpr_msb 0x4001\\n"])
def test_without_what_says_the_bank_it_is_not(was: str) -> None:
    """What nobody wrote comes out."""
    assert was in BY_256
    twin = with_more(BY_256.replace(was, "\\n"))
    with pytest.raises(Fault) as told:
        execute(twin, (1,), (256,), [np.ones(256, np.float32), np.zeros(256, np.float32), 256])
    assert told.value.kind == "uninitialised"
    assert not audited(twin, "ab", "b[i] = a[i]", MULTIPLE).proved


def sets(address: int, banks: int) -> Instruction:
    return Instruction(address, 4, "S_SET_VGPR_MSB", "SOPP", {}, {"simm16": banks})


def test_the_banks_of_ways_that_differ_are_none() -> None:
    use = Instruction(16, 4, "V_MOV_B32", "VOP1", {"d": Operand("v", 3), "a": Operand("v", 5)})
    for other, differs in ((0x41, False), (0x01, True)):
        blocks = {
            0: ((Instruction(0, 4, "S_NOP", "SOPP"),), (4, 8)),
            4: ((sets(4, 0x0041),), (16,)),
            8: ((sets(8, 0x3F00 | other),), (16,)),
            16: ((use,), ()),
        }
        banks = banks_of(blocks, (0,))[16]
        if differs:
            with pytest.raises(UnsupportedInstructionError, match="depend on the way"):
                in_banks(use, banks)
        else:
            assert str(in_banks(use, banks)) == "v_mov_b32 d=v259, a=v261"


@pytest.mark.parametrize(("constant", "known"), [(0x0004001, True), (0x1, False)])
def test_a_mode_that_is_set_takes_the_banks_with_it(constant: int, known: bool) -> None:
    """Bits 12 to 19 of its constant, which are the result's and those of the sources."""
    mode = Instruction(4, 8, "S_SETREG_IMM32_B32", "SOPK", {"a": Operand("bits", constant)}, {"simm16": 0x641})
    blocks = {0: ((sets(0, 0x01), mode, Instruction(12, 4, "S_NOP", "SOPP")), ())}
    assert (banks_of(blocks, (0,))[12] == 0x01) == known


def test_the_slots_are_those_of_the_encoding() -> None:
    """LLVM, getVGPRLoweringOperandTables: a buffer's data lie in the result's bank, others in the second source's."""
    addr, data = Operand("v", 1), Operand("v", 2)
    for form, expected in (("VBUFFER", "v257, data=v770"), ("GLOBAL", "v257, data=v514"), ("DS", "v257, data=v514")):
        one = Instruction(0, 12, "X_STORE_B32", form, {"addr": addr, "data": data})
        assert str(in_banks(one, 3 << 6 | 2 << 2 | 1)) == f"x_store_b32 addr={expected}"
    fmamk = {"d": addr, "a": data, "b": data, "c": Operand("bits", 5)}
    assert str(in_banks(Instruction(0, 8, "V_FMAMK_F32", "VOP2", fmamk), 1 << 4)).split(" ", 1)[1] == (
        "d=v1, a=v2, b=v258, c=0x5"
    )


def test_what_is_allowed_is_asked_of_the_registers_that_are_meant() -> None:
    """By its number alone the second factor lies on the result."""
    moved = in_banks(Instruction(0, 8, "V_DIV_SCALE_F32", "VOP3SD", {"d": Operand("v", 1), "a": Operand("v", 2)}), 0x41)
    assert moved.operands == {"d": Operand("v", 257), "a": Operand("v", 258)}
    body = """
    extern "C" __global__ void k(float* b, int n) {{
      asm volatile("s_set_vgpr_msb {}\\n\\tv_wmma_f32_16x16x32_f16 v[8:15], v[0:7], v[8:15], 0\\n\\ts_set_vgpr_msb {}"
                   ::: "v7", "v15");
    }}"""
    assert with_more(body.format(4, 0x400)).instructions
    with pytest.raises(UnsupportedInstructionError, match="the result lies on v8"):
        with_more(body.format(0, 0))
