"""Two loads into one register, with no wait between them: where the first may come back last, its data may stay."""

import re

import pytest

from layoutalg.errors import Fault
from layoutalg.kernel.library.views import cast
from layoutalg.refine.refinement import prove_binary
from layoutalg.refine.trial import attempt, make_case, small_sizes
from tests.isa.assembly import assembled

PROGRAM = cast("f32", "bf16", 4)
LOAD = re.compile(r"\tglobal_load_b128 v\[(\d+):\d+\], v\[(\d+):(\d+)\], off\n")


def loaded_twice(target, between=""):
    """Three of the four registers are first loaded with the numbers before theirs."""

    def edit(text):
        text = re.sub(r"\.amdhsa_next_free_vgpr \d+", ".amdhsa_next_free_vgpr 64", text)
        first = int(LOAD.search(text)[1])
        address = r"\tv_mov_b32 v60, v\2\n\tv_mov_b32 v61, v\3\n"
        early, late = f"b96 v[{first + 1}:{first + 3}]", f"b128 v[{first}:{first + 3}]"
        loads = f"\tglobal_load_{early}, v[60:61], off\n{between}\tglobal_load_{late}, v[60:61], off\n"
        return LOAD.sub(address + loads, text, count=1)

    return assembled(PROGRAM, target, edit)


@pytest.mark.parametrize(("target", "between"), [("gfx1100", ""), ("gfx1201", "\ts_wait_loadcnt 0x0\n")])
def test_the_second_of_two_loads_stays_where_they_come_in_order_or_there_is_a_wait(target, between):
    binary = loaded_twice(target, between)
    assert attempt(binary, PROGRAM, make_case(PROGRAM, small_sizes(PROGRAM))).exact
    assert prove_binary(binary, PROGRAM).proved


def test_either_of_two_loads_may_stay_where_one_overtakes_the_other():
    binary = loaded_twice("gfx1201")
    with pytest.raises(Fault, match="is loaded while another access to it is under way"):
        attempt(binary, PROGRAM, make_case(PROGRAM, small_sizes(PROGRAM)))
    assert prove_binary(binary, PROGRAM).name == "refuted"
