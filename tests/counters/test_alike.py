"""Blocks that are alike: one is counted for all, and nothing is called alike that is not."""

import numpy as np
import pytest

from layoutalg.counters import call
from layoutalg.counters.alike import alike
from layoutalg.counters.call import LaunchCounters, counters
from layoutalg.counters.definitions import lds_counters
from layoutalg.device.compile import compile_source
from layoutalg.formats import SpecFile, loads
from layoutalg.isa.container import chosen
from layoutalg.isa.decode import code as codes

HEAD = "#include <hip/hip_runtime.h>\n"
KERNEL = 'extern "C" __global__ void k(int* o, const int* x, int n) {\n  __shared__ int a[1024];\n'
ALIKE = {
    "a loop by an argument": """
  int s = 0;
  for (int i = 0; i < n; i++) {
    a[threadIdx.x * 4] = x[(blockIdx.x * n + i) * 64 + threadIdx.x];
    __syncthreads();
    s += a[(63 - threadIdx.x) * 4];
    __syncthreads();
  }
  o[blockIdx.x * 64 + threadIdx.x] = s;""",
    "half of the lanes": """
  a[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32) o[blockIdx.x * 64 + threadIdx.x] = a[threadIdx.x * 2];""",
}
DIFFERENT = {
    "a loop by the block": """
  int s = 0;
  for (int i = 0; i < (int)blockIdx.x; i++) { s += x[s & 63]; __syncthreads(); }
  o[threadIdx.x] = s;""",
    "a place of LDS by the block": """
  a[threadIdx.x * (blockIdx.x + 1)] = n;
  __syncthreads();
  o[threadIdx.x] = a[threadIdx.x];""",
    "a place of LDS that is loaded": """
  a[x[threadIdx.x] & 1023] = n;
  __syncthreads();
  o[threadIdx.x] = a[threadIdx.x];""",
    "a place of LDS that is loaded by half of the lanes": """
  int at = x[threadIdx.x] & 1023;
  if (threadIdx.x < 32) at = threadIdx.x;
  __syncthreads();
  a[at] = n;
  __syncthreads();
  o[threadIdx.x] = a[threadIdx.x];""",
    "LDS in some blocks": """
  a[threadIdx.x] = n;
  __syncthreads();
  if (blockIdx.x & 1) { a[threadIdx.x * 2] = n + 1; __syncthreads(); }
  o[threadIdx.x] = a[threadIdx.x + 1];""",
    "a word of memory decides": """
  int s = 0;
  for (int i = 0; i < x[0]; i++) { a[threadIdx.x] = s; __syncthreads(); s += a[63 - threadIdx.x]; __syncthreads(); }
  o[threadIdx.x] = s;""",
    "what LDS holds decides": """
  a[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  int first = __builtin_amdgcn_readfirstlane(a[0]);
  for (int i = 0; i < first; i++) { a[threadIdx.x] = i; __syncthreads(); }
  o[threadIdx.x] = a[threadIdx.x + 1];""",
    "lanes by the block": """
  if (threadIdx.x < blockIdx.x) o[threadIdx.x] = n;""",
    "some blocks end": """
  if (blockIdx.x > 2) return;
  o[blockIdx.x * 64 + threadIdx.x] = n;""",
    "a ticket": """
  if (atomicAdd(o, 1) == n) o[1] = 7;""",
    "a place of LDS of which half a register is kept": """
  int at = x[blockIdx.x] & 1023;
  asm volatile("v_fma_mixhi_f16 %0, 0, 0, 0" : "+v"(at));
  a[threadIdx.x] = n;
  __syncthreads();
  o[threadIdx.x] = a[at & 1023];""",
    "a place of LDS of which a lane is kept": """
  int at = x[blockIdx.x + threadIdx.x] & 1023;
  asm volatile("s_nop 4\\nv_mov_b32_dpp %0, %1 row_shr:1 row_mask:0xf bank_mask:0xf\\ns_nop 4" : "+v"(at)
               : "v"(threadIdx.x));
  a[threadIdx.x] = n;
  __syncthreads();
  o[threadIdx.x] = a[at];""",
    "a place of LDS that one lane has from the block": """
  int at = threadIdx.x;
  asm volatile("s_nop 4\\nv_writelane_b32 %0, %1, 3\\ns_nop 4" : "+v"(at) : "s"(blockIdx.x & 1023));
  a[threadIdx.x] = n;
  __syncthreads();
  o[threadIdx.x] = a[at];""",
    "a place of LDS that a choice between ways leaves": """
  int by = 1;
  if (blockIdx.x & 1) asm volatile("s_mov_b32 %0, 3" : "=s"(by));
  a[threadIdx.x] = n;
  __syncthreads();
  o[threadIdx.x] = a[threadIdx.x * by & 1023];""",
    "a place of LDS from scratch that a lane's byte is kept of": """
  volatile int held[2];
  held[0] = x[blockIdx.x];
  ((volatile char*)held)[1] = 1;
  a[threadIdx.x] = n;
  __syncthreads();
  o[threadIdx.x] = a[threadIdx.x * held[0] & 1023];""",
    "a clock": """
  long t = clock64();
  if (t & 1) o[threadIdx.x] = n;""",
}


def code_of(body: str, target: str = "gfx942") -> bytes:
    return compile_source(HEAD + KERNEL + body + "\n}\n", target).payload


def launched(blocks: int, n: int) -> SpecFile:
    return loads(f"""
[[descriptor]]
name = "o"
dtype = "i32"
base = {{ kind = "packed", lengths = [{64 * blocks}] }}
[[descriptor]]
name = "x"
dtype = "i32"
base = {{ kind = "packed", lengths = [{64 * blocks * n}] }}
[launch]
grid = [{blocks}]
block = [64]
arguments = ["o", "x", {n}]
writes = ["o"]
""")


def both(code: bytes, blocks: int, n: int, monkeypatch: pytest.MonkeyPatch) -> tuple[LaunchCounters, LaunchCounters]:
    """Counted of one block, and of all."""
    inputs = {"x": np.zeros(64 * blocks * n, np.int32)}
    monkeypatch.setattr(call, "FEW", 1)
    one = counters(code, launched(blocks, n), inputs=inputs)
    monkeypatch.setattr(call, "FEW", blocks)
    return one, counters(code, launched(blocks, n), inputs=inputs)


def agree(one: LaunchCounters, every: LaunchCounters) -> None:
    """What is said of one block for all holds of all: alike where it is exact, else it bounds them."""
    for figure in every.figures:
        said = one[figure.name]
        if said.least is not None and said.most is not None and figure.least is not None and figure.most is not None:
            assert said.least <= figure.least <= figure.most <= said.most, figure.name
        else:
            assert said.least is None, figure.name


@pytest.mark.parametrize("target", ["gfx942", "gfx90a", "gfx1100", "gfx1201"])
@pytest.mark.parametrize("body", ALIKE.values(), ids=ALIKE.keys())
def test_one_block_counts_for_all(body: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    code = code_of(body, target)
    for blocks, n in ((3, 1), (5, 4)):
        one, every = both(code, blocks, n, monkeypatch)
        assert (one.run, every.run) == (1, blocks)
        agree(one, every)
        conflicts = lds_counters(target)[0][0]
        assert one[conflicts] == every[conflicts]
    assert "one of 5 blocks was run" in str(one)


@pytest.mark.parametrize("target", ["gfx942", "gfx1201"])
@pytest.mark.parametrize("body", DIFFERENT.values(), ids=DIFFERENT.keys())
def test_blocks_that_may_differ_are_not_called_alike(body: str, target: str) -> None:
    kernel = codes.decode_kernel(chosen.chosen_kernel(code_of(body, target), None, "")[1]).kernel
    assert alike(kernel, (5,), 64).differ


CHOICE = """
  int at = blockIdx.x;
  if (at > n) { at = at * 3 + 1; __asm__ volatile("s_nop 1"); }
  a[threadIdx.x] = x[at & 63];
  __syncthreads();
  o[blockIdx.x * 64 + threadIdx.x] = a[63 - threadIdx.x];"""


def test_what_some_blocks_carry_out_is_counted_perhaps(monkeypatch: pytest.MonkeyPatch) -> None:
    code = code_of(CHOICE)
    kernel = codes.decode_kernel(chosen.chosen_kernel(code, None, "")[1]).kernel
    assert alike(kernel, (5,), 64).between
    one, every = both(code, 5, 2, monkeypatch)
    agree(one, every)
    assert (one["SQ_INSTS_SALU"].least or 0) < (every["SQ_INSTS_SALU"].least or 0)
    assert one["SQ_INSTS_LDS"] == every["SQ_INSTS_LDS"]


def test_a_grid_of_one_block_differs_from_none() -> None:
    body = DIFFERENT["a place of LDS by the block"]
    kernel = codes.decode_kernel(chosen.chosen_kernel(code_of(body), None, "")[1]).kernel
    assert not alike(kernel, (1,), 64).differ
    assert alike(kernel, (2,), 64).differ
