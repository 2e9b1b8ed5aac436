"""An instruction is one entry: with it, a binary that could not be read is run and proved."""

import pytest

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.semantics.entries import table
from layoutalg.isa.semantics.table import ALU
from layoutalg.kernel.library.transpose import lds_transpose
from layoutalg.refine.refinement import prove_binary
from layoutalg.refine.trial import attempt, make_case, small_sizes
from tests.isa.assembly import assembled
from tests.matrix import each

KERNEL = lds_transpose("f32", "xor", 4)

#: The row as it stands in `semantics.narrow`: the distance of two numbers, and a third (ISA manuals, V_SAD_U32).
ENTRY = table(("V_SAD_U32", "d32 <- a32 b32 c32", lambda w, a, b, c: w.ite(w.ult(a, b), b - a, a - b) + c))


@pytest.mark.parametrize("target", each(["gfx942", "gfx1201"], "gfx942"))
def test_an_instruction_is_one_entry(target, monkeypatch):
    code = assembled(KERNEL, target, lambda text: text.replace("; %bb.0:\n", "; %bb.0:\n\tv_sad_u32 v0, v0, 0, 0\n", 1))
    monkeypatch.delitem(ALU, "V_SAD_U32")
    case = make_case(KERNEL, small_sizes(KERNEL, most=8))
    with pytest.raises(UnsupportedInstructionError, match=r"V_SAD_U32 .* has no entry"):
        attempt(code, KERNEL, case)
    assert prove_binary(code, KERNEL).name == "unknown"
    monkeypatch.setitem(ALU, "V_SAD_U32", ENTRY["V_SAD_U32"])
    assert attempt(code, KERNEL, case).exact
    assert prove_binary(code, KERNEL).name == "proved"
