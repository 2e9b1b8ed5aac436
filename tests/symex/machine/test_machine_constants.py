"""Constants that the code object holds are read by the prover as such; what it cannot follow is unknown."""

import re
from functools import partial

import pytest

from layoutalg.refine.refinement import prove_binary
from tests.isa.assembly import assembled
from tests.isa.edits import NAME, PROGRAM

GUARD = """
  s_getpc_b64 s[{0}:{1}]
  s_load_dword s{0}, s[{0}:{1}], 0x8
  s_nop {held}
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s{0}, 0xbf800005
  s_cbranch_scc1 .Lgo_on
  s_endpgm
.Lgo_on:
"""

CALL = """
  s_getpc_b64 s[{0}:{1}]
  s_add_u32 s{0}, s{0}, 16
  s_addc_u32 s{1}, s{1}, 0
  s_setpc_b64 s[{0}:{1}]
"""


def guarded(text, guard, **fields):
    """The kernel behind a guard, in two registers that are its own."""
    number = 2 * (int(re.search(r"\.amdhsa_next_free_sgpr (\d+)", text)[1]) // 2) + 2
    text = re.sub(r"(\.amdhsa_next_free_sgpr) \d+", rf"\1 {number + 2}", text)
    return re.sub(
        rf"^({NAME}:.*)$", lambda m: m[1] + guard.format(number, number + 1, **fields), text, flags=re.MULTILINE
    )


@pytest.mark.parametrize(("held", "name"), [(5, "proved"), (4, "refuted")])
def test_a_constant_beside_the_code_is_read(held, name):
    code = assembled(PROGRAM, "gfx942", partial(guarded, guard=GUARD, held=held))
    assert any(one.name == "S_GETPC_B64" for one in code.instructions)
    assert prove_binary(code, PROGRAM, seconds=20).name == name


def test_a_jump_is_not_followed():
    code = assembled(PROGRAM, "gfx942", partial(guarded, guard=CALL))
    found = prove_binary(code, PROGRAM, seconds=20)
    assert found.name == "unknown"
    assert "S_SETPC_B64" in found.failures[0][1].reason
