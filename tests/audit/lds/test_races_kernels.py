"""LDS thread by thread: what meets between two barriers, and what is read that nobody stored."""

import pytest

from layoutalg.audit.audit import Audit, audit
from layoutalg.device.compile import compile_source
from layoutalg.formats.spec import loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel

LAUNCH = """
[[descriptor]]
name = "o"
dtype = "i32"
base = { kind = "naive", lengths = [256], strides = [1] }
[launch]
grid = [1]
block = [256]
arguments = ["o"]
writes = ["o"]
"""
KERNEL = """
#include <hip/hip_runtime.h>
extern "C" __global__ void k(int* o) {{
    __shared__ int s[256];
    int t = threadIdx.x;
    {}
}}
"""


def audited(body: str) -> Audit:
    (kernel,) = read_kernels(compile_source(KERNEL.format(body), "gfx942").payload).values()
    return audit(decode_kernel(kernel), loads(LAUNCH))


def claim(found: Audit, name: str) -> set[str]:
    return {verdict.name for said, _, verdict in found.claims if said == name}


@pytest.mark.parametrize("body", [
    "s[t] = t; __syncthreads(); o[t] = s[255 - t];",
    "volatile int* v = s; v[t] = t; o[t] = v[t ^ 1];",  # a wave's own lanes, whose accesses are in order
    "if (t < 128) s[t] = t; __syncthreads(); if (t < 128) o[t] = s[127 - t];",
    "s[t] = t; __syncthreads(); int a = s[255 - t]; __syncthreads(); s[t] = a; __syncthreads(); o[t] = s[255 - t];",
])  # fmt: skip
def test_synchronised(body: str) -> None:
    found = audited(body)
    assert found.proved, found.failures


@pytest.mark.parametrize(("body", "name"), [
    ("s[t] = t; o[t] = s[255 - t];", "race_free"),  # no barrier
    ("s[t] = t; __syncthreads(); int a = s[255 - t]; s[t] = a; __syncthreads(); o[t] = s[t];", "race_free"),
    ("s[t & 63] = t; __syncthreads(); o[t] = s[t & 63];", "race_free"),  # four waves store to one place
    ("if (t < 128) s[t] = t; __syncthreads(); o[t] = s[t];", "initialised"),
    ("s[t] = t; __syncthreads(); if (t < 128) o[t] = s[t * 2 - 1 & 255]; else o[t] = 0;", ""),
])  # fmt: skip
def test_not_synchronised(body: str, name: str) -> None:
    found = audited(body)
    if name:
        assert not found.proved
        assert claim(found, name) & {"refuted", "unknown"}, found.claims
    else:
        assert found.proved, found.failures


@pytest.mark.parametrize("body", [
    "s[t >> 6] = __builtin_amdgcn_readfirstlane(t * 5); __syncthreads(); o[t] = s[t & 3];",  # a wave's one value
    "s[t & 7] = 5; __syncthreads(); o[t] = s[t & 7];",  # the block's one value
    "if (t & 1) s[3] = blockIdx.x; else s[3] = blockIdx.x; __syncthreads(); o[t] = s[3];",
])  # fmt: skip
def test_stores_of_the_same_bytes_do_not_race(body: str) -> None:
    found = audited(body)
    assert found.proved, found.failures


@pytest.mark.parametrize("body", [
    "s[t >> 7] = __builtin_amdgcn_readfirstlane(t * 5);",  # two waves, each its own value
    "s[t >> 6] = t * 5;",
    "s[t >> 6] = t & 1 ? __builtin_amdgcn_readfirstlane(t) : 7;",
    "s[t & 7] = t >> 1 & 3;",
    "if (t & 1) s[3] = 4; else s[3] = 5;",
    "((short*)s)[t] = 0x1234; *(int*)((char*)s + 2 * t) = 0x12341234;",
    "char* p = (char*)s; int v = __builtin_amdgcn_readfirstlane(t); if (t < 64) __builtin_memcpy(p + t, &v, 4);",
    "volatile int* v = s; v[0] = 1; if (v[t & 1]) o[t] = 1;",  # who reads may come before
])  # fmt: skip
def test_stores_of_other_bytes_do(body: str) -> None:
    assert claim(audited(body + "__syncthreads(); o[t] = s[t & 3];"), "race_free") - {"proved"}


@pytest.mark.parametrize(("text", "shown"), [
    ("ds_write2_b32 %0, %1, %2 offset0:0 offset1:1", False),  # lane 0 stores its second where lane 1 does its first
    ("ds_write2_b32 %0, %1, %2 offset0:0 offset1:64", True),
    ("ds_write_b32 %0, %1\\nds_write_b32 %0, %2 offset:4", True),  # one after the other
])  # fmt: skip
def test_two_elements_of_one_instruction_are_stored_at_once(text: str, shown: bool) -> None:
    store = f'asm volatile("{text}\\ns_waitcnt lgkmcnt(0)" :: "v"(t * 4), "v"(t), "v"(-t));'
    found = audited(f"if (t < 64) {{ {store} }} if (t > 999) s[0] = 1;")
    assert (claim(found, "race_free") == {"proved"}) == shown


@pytest.mark.parametrize(("text", "place", "name"), [
    ("ds_write_b64 %0, %1", "t * 8", "proved"), ("ds_write_b64 %0, %1", "t * 8 + 4", "proved"),
    ("ds_write_b64 %0, %1", "t * 8 + 2", "unknown"), ("ds_add_u64 %0, %1", "t * 8 + 4", "refuted"),
])  # fmt: skip
def test_lds_is_aligned_to_dwords(text: str, place: str, name: str) -> None:
    """amdhsa allows any byte, and compilers join halves; atomic operations need their own width."""
    store = f'asm volatile("{text}\\ns_waitcnt lgkmcnt(0)" :: "v"({place}), "v"((long)t));'
    found = claim(audited(f"if (t < 64) {{ {store} }} if (t > 999) s[0] = 1;"), "aligned")
    assert name in found
    assert (found == {"proved"}) == (name == "proved")


def test_bytes_that_the_compiler_joins_are_no_fault_of_the_kernel() -> None:
    """Four bytes a lane, one after the other from any byte: clang stores and loads them as wider words."""
    found = audited(
        "auto* c = (unsigned char*)s; for (int j = 0; j < 4; ++j) c[t * 5 % 640 + j] = o[0] >> 8 * j; "
        "if (t > 999) o[t] = c[t * 5];"
    )
    assert any("ds_write_b32" in about for claimed, about, _ in found.claims if claimed == "aligned")
    assert claim(found, "aligned") == {"proved", "unknown"}
