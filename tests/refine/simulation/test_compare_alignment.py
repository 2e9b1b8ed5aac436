"""Accesses that are proved are aligned: what would be a fault in a run is not proved."""

from dataclasses import replace

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.transpose import lds_transpose
from layoutalg.prove import ForAll, Proved, Refuted, prove
from layoutalg.refine.refinement import prove_binary
from layoutalg.refine.simulation.compare import Comparison
from layoutalg.refine.simulation.expected import expected_elements
from layoutalg.symex.loops.record import LoopRecord
from layoutalg.symex.machine.tracing import TracedElement
from layoutalg.symex.values.uninterpreted import UninterpretedFunctions
from tests.matrix import each


class Plain:
    """Decides without further ado."""

    def __init__(self):
        self.free = set()

    def decide(self, label, goal, given, show=()):
        return prove(ForAll(label, goal, given, show))


@pytest.mark.parametrize(("vector", "width", "found"), [(1, 4, Refuted), (2, 4, Proved), (2, 8, Refuted)])
def test_elements_that_are_moved_together_begin_at_a_multiple_of_their_bytes(vector, width, found):
    """Rows of f16 whose lengths are any (or even) numbers: pairs of neighbours are not aligned (or are)."""
    kernel, functions = lds_transpose("f16", "pad", vector), UninterpretedFunctions()
    wanted = expected_elements(kernel, functions)
    load = Instruction(0, 8, "GLOBAL_LOAD_DWORD", "GLOBAL")
    first = wanted.elements[0]
    element = TracedElement(load, False, first.buffer, first.offset, first.guard, first.barriers, first.value, 2, width)
    claims = dict(
        Comparison(kernel, wanted, [element], LoopRecord(wanted.loops), Plain(), functions, 1 << 16).verdicts()
    )
    about = "0x0 global_load_dword loads from source"
    assert isinstance(claims[f"{about}: place"], Proved)
    assert isinstance(claims[f"{about}: alignment"], found)


@pytest.mark.parametrize("target", each(["gfx942", "gfx1100", "gfx1201"], "gfx942"))
def test_a_scalar_address_with_bits_that_are_dropped_is_not_proved(target):
    kernel = lds_transpose(vector=4)
    whole = decode_kernel(read_kernels(compile_source(emit_unverified(kernel), target).payload)[kernel.name])
    assert any(about.endswith(": alignment") for about, _ in prove_binary(whole, kernel).verdicts)
    first = next(i for i in whole.instructions if i.name.startswith("S_LOAD"))
    code, start = bytearray(whole.kernel.code), first.address - whole.kernel.entry
    code[start + 4] |= 2
    found = prove_binary(decode_kernel(replace(whole.kernel, code=bytes(code))), kernel)
    assert found.name == "unknown"
    assert "may be no multiple of 4" in found.failures[0][1].reason
