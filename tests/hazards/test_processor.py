"""What the processor has not, and registers beyond those that the kernel asks for."""

from dataclasses import replace

from layoutalg.hazards import processor
from layoutalg.hazards.flow import ControlFlow
from layoutalg.isa.container.binary import read_kernels
from tests.hazards.assembly import assembled, flow


def test_an_instruction_of_another_processor():
    code = read_kernels(assembled("buffer_atomic_pk_add_bf16 v1, v0, s[4:7], 0 offen", "gfx950"))["k"]
    assert [*processor.lacking(ControlFlow.of(code))] == []
    (found,) = processor.lacking(ControlFlow.of(replace(code, target="gfx942")))
    assert found.what == "is buffer_atomic_pk_add_bf16, which gfx942 has not"
    assert found.is_certain


def test_registers_beyond_those_that_are_asked_for():
    body = "v_mov_b32 v40, 0\nv_mov_b32 v70, 0\nv_accvgpr_write_b32 a3, v0"
    assert [*processor.beyond(flow("v_mov_b32 v31, 0"))] == []
    kernel = flow(body).kernel
    assert (kernel.vector_registers, kernel.accumulators) == (32, 32)
    certain, undecided = processor.beyond(flow(body))
    assert certain.what.startswith("is the first that has to do with v70; the kernel asks for 32 v, 32 a")
    assert not certain.undecided
    assert "v40" in undecided.what
    assert undecided.undecided  # whether v32 is a0, no source says
