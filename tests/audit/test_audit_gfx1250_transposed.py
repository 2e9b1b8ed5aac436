"""Loads whose lanes exchange what they load: run beside their maps, and what a kernel makes of them is proved."""

import numpy as np
import pytest

from layoutalg.audit.audit import audit
from layoutalg.formats import loads
from layoutalg.isa.run.launch import execute
from layoutalg.target.transposed import TRANSPOSED
from tests.audit.gfx1250 import code

KERNEL = """
typedef {type} T __attribute__((ext_vector_type({count})));
extern "C" __global__ void k(const T* a, T* b) {{
  int l = threadIdx.x;
  {body}
}}"""
IN_LDS = """__shared__ T tile[32];
  tile[l] = a[l];
  __syncthreads();
  b[l] = __builtin_amdgcn_{}((__attribute__((address_space(3))) T*)(tile + l));"""
IN_MEMORY = "b[l] = __builtin_amdgcn_{}((__attribute__((address_space(1))) T*)(a + l));"
CASES = {
    "ds_load_tr16_b128": ("short", 8, IN_LDS, "ds_load_tr16_b128_v8i16"),
    "ds_load_tr8_b64": ("int", 2, IN_LDS, "ds_load_tr8_b64_v2i32"),
    "ds_load_tr4_b64": ("int", 2, IN_LDS, "ds_load_tr4_b64_v2i32"),
    "global_load_tr16_b128": ("short", 8, IN_MEMORY, "global_load_tr16_b128_v8i16"),
    "global_load_tr8_b64": ("int", 2, IN_MEMORY, "global_load_tr8_b64_v2i32"),
}
LAUNCH = """
[[descriptor]]
name = "a"
dtype = "{dtype}"
base = {{ kind = "packed", lengths = [{length}] }}

[[descriptor]]
name = "b"
dtype = "{dtype}"
base = {{ kind = "packed", lengths = [{length}] }}

[launch]
kernel = "k"
grid = [1]
block = [32]
arguments = ["a", "b"]
writes = ["b"]
computes = ["b[i] = {wanted}"]
"""
#: What each lane gets: element i of lane i // n, in terms of element numbers.
SIXTEEN, EIGHT = (
    "a[i // 64 * 64 + i % 8 * 8 + i // 8 % 8]",
    ("a[i // 128 * 128 + (8 * (i % 8 // 4) + 4 * (i // 64 % 2) + i % 4) * 8 + i // 8 % 8]"),
)
EQUATIONS = {
    "ds_load_tr16_b128": ("i16", 256, SIXTEEN), "global_load_tr16_b128": ("i16", 256, SIXTEEN),
    "ds_load_tr8_b64": ("i8", 256, EIGHT), "global_load_tr8_b64": ("i8", 256, EIGHT),
}  # fmt: skip


def source(name: str) -> str:
    kind, count, body, builtin = CASES[name]
    return KERNEL.format(type=kind, count=count, body=body.format(builtin))


@pytest.mark.parametrize("name", CASES)
def test_each_lane_gets_what_the_map_says(name: str) -> None:
    load = TRANSPOSED[name.replace("global_", "ds_")]
    given = np.random.default_rng(3).integers(0, 256, (32, load.bytes), np.uint8)
    found = execute(code(source(name)), (1,), (32,), [given, np.zeros_like(given)]).outputs[1]
    bits, got = (np.unpackbits(one, axis=1, bitorder="little").reshape(32, -1, load.bits) for one in (given, found))
    assert name.upper() in {one.name for one in code(source(name)).instructions}
    for lane in range(32):
        for e in range(load.elements):
            assert np.array_equal(got[lane, e], bits[load.at(lane, e)])


@pytest.mark.parametrize("name", EQUATIONS)
def test_what_it_makes_is_proved_and_another_order_is_not(name: str) -> None:
    dtype, length, wanted = EQUATIONS[name]
    for equation, holds in ((wanted, True), (wanted.replace("i % 8 * 8", "i % 8").replace("4 * (i", "2 * (i"), False)):
        found = audit(code(source(name)), loads(LAUNCH.format(dtype=dtype, length=length, wanted=equation)), 20)
        assert found.proved == holds, [(about, str(verdict)) for about, _, verdict in found.claims if not verdict]
