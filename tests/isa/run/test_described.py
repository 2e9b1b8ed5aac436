"""What a survey says is taken is taken: the machine is asked, by each form that an instruction has."""

from dataclasses import replace
from types import MappingProxyType

import pytest

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.architecture import ARCHITECTURES
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.instructions import Instruction, Operand, decode
from layoutalg.isa.run.described import Surveyor, TakenForms, form_of
from layoutalg.isa.semantics.table import ALU
from layoutalg.target.known import decoded
from tests.foreign.triton.table import BUILDS
from tests.isa.decode.test_allowed import encoded
from tests.isa.machines import after, machine_of


def one(target, line):
    """The instruction that a line of assembly is."""
    architecture = ARCHITECTURES[decoded()[target].machine.decoder]
    return next(decode(encoded(target, line), 0, architecture, target))


@pytest.mark.parametrize(
    ("target", "line", "why"),
    [
        ("gfx942", "s_sethalt 1", "S_SETHALT"),
        ("gfx942", "v_mul_f32_e64 v2, v7, v9 mul:2", "V_MUL_F32: the modifier omod is not described"),
        ("gfx942", "v_fma_mix_f32 v2, v7, v9, 1.0 op_sel:[0,0,1] op_sel_hi:[0,0,1]",
         "V_FMA_MIX_F32: the constant 0x3f800000 as f16"),
        ("gfx1100", "buffer_load_b32 v2, v6, s[8:11], 0 idxen", "BUFFER_LOAD_B32: the modifier idxen is not"),
        ("gfx1100", "s_sethalt 1", "S_SETHALT"),
    ],
)  # fmt: skip
def test_a_form_that_is_not_taken_is_told_with_its_reason(target, line, why):
    """Its name alone has an entry in the semantics, but for S_SETHALT."""
    assert TakenForms(target, 64 if target == "gfx942" else 32).refused(one(target, line)).startswith(why)


@pytest.mark.parametrize(
    "line",
    ["v_mul_f32_e64 v2, -v7, |v9|", "buffer_load_dword v2, v6, s[8:11], 0 offen", "ds_read_b32 v2, v6 offset:65532",
     "v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], v[0:3]", "s_endpgm", "s_barrier", "s_swappc_b64 s[4:5], s[6:7]",
     "global_load_lds_dword v[4:5], off", "v_readlane_b32 s10, v7, s6", "s_waitcnt vmcnt(1) lgkmcnt(2)"],
)  # fmt: skip
def test_a_form_that_is_taken_may_fault(line):
    """A place beyond LDS, say: another program would have another number there."""
    assert not TakenForms("gfx942", 64).refused(one("gfx942", line))


def test_a_form_is_what_differs_in_registers_and_places_alone():
    made = Instruction(0, 8, "V_ADD_U32", "VOP3", MappingProxyType({"d": Operand("v", 1), "a": Operand("int", 5)}))
    others = {
        "v": replace(made, address=64, operands={"d": Operand("v", 9), "a": Operand("int", 6)}),
        "an upper half": replace(made, operands={"d": Operand("v", 1, high=True), "a": Operand("int", 5)}),
        "0, which stands for no source too": replace(made, operands={"d": Operand("v", 1), "a": Operand("int", 0)}),
        "a modifier": replace(made, fields={"clmp": 1}),
    }
    same = {what: form_of(other) == form_of(made) for what, other in others.items()}
    assert same == dict.fromkeys(others, False) | {"v": True}


def test_what_depends_on_the_float_mode_is_asked_in_it():
    line = one("gfx942", "v_mul_f32_e64 v2, v7, v9")
    assert not TakenForms("gfx942", 64).refused(line)
    assert not TakenForms("gfx942", 64, 0xC0).refused(line)
    assert TakenForms("gfx942", 64, 0xC3).refused(line) == "V_MUL_F32: in the float mode 0xc3"


@pytest.mark.parametrize("name", ["add-gfx942", "softmax-gfx1201"])
def test_every_form_of_a_kernel_that_runs_is_taken(name):
    (kernel,) = read_kernels((BUILDS / f"{name}.co").read_bytes()).values()
    found = Surveyor(kernel.target).survey(kernel.code, kernel.wave_size, kernel.float_mode)
    assert (found.instructions > 50, found.missing) == (True, {})


def test_a_name_in_the_table_is_not_enough():
    """What the machine refuses, the survey does."""
    line = "v_mul_f32_e64 v2, v7, v9 mul:2"
    assert "V_MUL_F32" in ALU
    machine, instructions = machine_of("gfx942", encoded("gfx942", line).hex(), [True] * 64)
    with pytest.raises(UnsupportedInstructionError, match="omod"):
        after(machine, instructions)
    assert TakenForms("gfx942", 64).refused(instructions[0])
