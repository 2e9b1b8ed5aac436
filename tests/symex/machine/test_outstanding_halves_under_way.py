"""An instruction waits for the half of a register that it reads or writes, whatever comes to the other half.

Two elements are loaded to the halves of v40, and the upper one is under way when the lower is used, and the reverse.
`audit` proves what `execute` carries out, and neither passes what uses a half that is under way.
"""

import numpy as np
import pytest

from layoutalg.audit.audit import audit
from layoutalg.errors import Fault
from layoutalg.formats.spec import loads
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.run.launch import execute
from tests.audit.auditing import kernel
from tests.matrix import each

SOURCE = """#include <hip/hip_runtime.h>
extern "C" __global__ __launch_bounds__(64) void k(const unsigned short* x, unsigned short* o) {{
    __shared__ unsigned short s[64];
    int t = threadIdx.x;
    unsigned at = (unsigned)(unsigned long long)(__attribute__((address_space(3))) void*)(void*)&s[t];
    asm volatile("{}" : : "v"(x + t), "v"(x + 64 + t), "v"(o + t), "v"(o + 64 + t), "v"(at) : "memory", "v40", "v41");
}}
"""
LAUNCH = """
[[descriptor]]
name = "x"
dtype = "u16"
base = { kind = "packed", lengths = [128] }
[[descriptor]]
name = "o"
dtype = "u16"
base = { kind = "packed", lengths = [128] }
[launch]
grid = [1]
block = [64]
arguments = ["x", "o"]
writes = ["o"]
"""
WAIT = {"gfx1100": "s_waitcnt vmcnt({})", "gfx1201": "s_wait_loadcnt 0x{}"}
LOW, HIGH = "global_load_d16_b16 v40, %0, off", "global_load_d16_hi_b16 v40, %1, off"
REST = ("global_store_d16_hi_b16 %3, v40, off",)

#: What is loaded first, and what is done while the other half is under way; whether that looks at what has come alone.
USES = {
    "a store": ((LOW, HIGH), ("global_store_b16 %2, v40, off",), True),
    "a store to LDS": ((LOW, HIGH), ("ds_store_b16 %4, v40", "global_store_b16 %2, v40, off"), True),
    "a move of the half": ((LOW, HIGH), ("v_mov_b16 v41.l, v40.l", "global_store_b16 %2, v41, off"), True),
    "a sum into the half": ((LOW, HIGH), ("v_add_nc_u16 v40.l, v40.l, v40.l", "global_store_b16 %2, v40, off"), True),
    "a store of the upper": ((HIGH, LOW), ("global_store_d16_hi_b16 %2, v40, off",), True),
    "a store of what has not come": ((LOW, HIGH), ("global_store_d16_hi_b16 %2, v40, off",), False),
    "a store of the whole": ((LOW, HIGH), ("v_mov_b32 v41, v40", "global_store_b16 %2, v41, off"), False),
    "a sum over it": ((LOW, HIGH), ("v_add_nc_u16 v40.h, v40.l, v40.l", "global_store_b16 %2, v40, off"), False),
    "a move over what is to come": ((LOW, HIGH), ("v_mov_b32 v40, 0", "global_store_b16 %2, v40, off"), False),
}  # fmt: skip

#: The assembler names halves of registers for gfx1100 alone.
NAMED = [
    (target, name) for name in USES for target in WAIT if target == "gfx1100" or ".l" not in "".join(USES[name][1])
]
CASES = each(NAMED, *[case for case in NAMED if case[0] == "gfx1100"][::2])


def code(target: str, name: str) -> MachineCode:
    loaded, used, _ = USES[name]
    lines = (*loaded, WAIT[target].format(1), *used, WAIT[target].format(0), *REST)
    return kernel(SOURCE.format("\\n\\t".join(lines)), target)


@pytest.mark.parametrize(("target", "name"), CASES)
def test_a_half_is_waited_for_alone(target: str, name: str) -> None:
    program, right = code(target, name), USES[name][2]
    found = audit(program, loads(LAUNCH))
    x, o = np.arange(1, 129, dtype=np.uint16), np.zeros(128, np.uint16)
    if right:
        assert found.name == "proved", [one for one in found.claims if not one[2]]
        assert execute(program, (1,), (64,), [x, o]).outputs[1].all()
        return
    assert found.name != "proved"
    with pytest.raises(Fault, match="v40") as caught:
        execute(program, (1,), (64,), [x, o])
    assert caught.value.kind == "wait"
