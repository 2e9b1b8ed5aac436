"""Older targets: kernels of ours are carried out exactly and proved, and what is wrong with their twins is refuted."""

from functools import cache

import numpy as np
import pytest

from layoutalg.audit.audit import Audit, audit
from layoutalg.device.compile import compile_source
from layoutalg.formats import loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from layoutalg.isa.run.launch import execute
from tests.matrix import each

TARGETS = ("gfx906", "gfx908", "gfx1030")

ADD = """
extern "C" __global__ void k(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}"""
REVERSE = """
extern "C" __global__ void k(const float* a, float* b, int n) {
  __shared__ float tile[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  tile[threadIdx.x] = a[i];
  __syncthreads();
  b[i] = tile[255 - threadIdx.x];
}"""
TURNED = """
extern "C" __global__ void __launch_bounds__(256) k(const float* a, float* b, int n) {
  __shared__ float tile[16][17];
  int x = threadIdx.x, y = threadIdx.y, at = 16 * blockIdx.x;
  tile[y][x] = a[y * n + at + x];
  __syncthreads();
  b[(at + y) * 16 + x] = tile[x][y];
}"""
PRODUCT = """
typedef _Float16 h4 __attribute__((ext_vector_type(4)));
typedef float f4 __attribute__((ext_vector_type(4)));
extern "C" __global__ void k(const _Float16* a, const _Float16* b, float* c) {
  int l = threadIdx.x;
  h4 x, y;
  f4 z = {};
  for (int i = 0; i < 4; ++i) {
    int k = 4 * (l / 16) + i;
    x[i] = a[(l % 16) * 16 + k];
    y[i] = b[k * 16 + l % 16];
  }
  z = __builtin_amdgcn_mfma_f32_16x16x16f16(x, y, z, 0, 0, 0);
  for (int r = 0; r < 4; ++r) c[(4 * (l / 16) + r) * 16 + l % 16] = z[r];
}"""

HALF = """
extern "C" __global__ void k(const float* a, float* b, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  unsigned r = 7;
  const float* p = a + i;
  asm volatile("global_load_short_d16 %0, %1, off\\n s_waitcnt vmcnt(0)" : "+v"(r) : "v"(p) : "memory");
  b[i] = (float)(r & 0xffff);
}"""

VECTOR = '[[descriptor]]\nname = "{}"\ndtype = "f32"\nbase = {{ kind = "naive", lengths = ["{}"], strides = [1] }}\n'
LAUNCH = """symbols = {{ N = {{ min = 256, max = 1000192{} }} }}
{}
[launch]
kernel = "k"
grid = ["(N + {above}) // {columns}", 1, 1]
block = [{block}]
arguments = [{}, "N"]
writes = ["{}"]
"""


@cache
def code(source: str, target: str) -> MachineCode:
    return decode_kernel(read_kernels(compile_source("#include <hip/hip_runtime.h>" + source, target).payload)["k"])


def audited(source: str, target: str, computes: str = "") -> Audit:
    flat = "threadIdx.y" not in source
    names = "abc" if "* c," in source else "ab"
    shape = {"columns": 256, "above": 255, "block": "256, 1, 1"} if flat else {
        "columns": 16, "above": 15, "block": "16, 16, 1"}  # fmt: skip
    arguments = ", ".join(f'"{name}"' for name in names)
    tensors = "".join(VECTOR.format(name, "N" if flat else "16 * N") for name in names)
    multiple = "" if "i < n" in source or "i <= n" in source else f", multiple_of = {shape['columns']}"
    text = LAUNCH.format(multiple, tensors, arguments, names[-1], **shape)
    return audit(code(source, target), loads(text + (f'computes = ["{computes}"]\n' if computes else "")), 20)


@pytest.mark.parametrize("target", each(TARGETS, "gfx908", "gfx1030"))
def test_a_threads_indices_are_those_of_its_block(target: str) -> None:
    a = np.random.default_rng(1).standard_normal((16, 64)).astype(np.float32)
    run = execute(code(TURNED, target), (4,), (16, 16), [a, np.zeros((64, 16), np.float32), 64])
    assert np.array_equal(run.outputs[1], a.T)


def test_a_product_leaves_its_result_in_accumulation_registers() -> None:
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-4, 5, (16, 16)).astype(np.float16) for _ in range(2))
    compiled = code(PRODUCT, "gfx908")
    run = execute(compiled, (1,), (64,), [a, b, np.zeros((16, 16), np.float32)])
    assert np.array_equal(run.outputs[2], a.astype(np.float32) @ b.astype(np.float32))
    (product,) = [one for one in compiled.instructions if one.name.startswith("V_MFMA")]
    assert product.operands["d"].kind == "a"


@pytest.mark.parametrize("target", each(TARGETS, "gfx908", "gfx1030"))
@pytest.mark.parametrize(
    ("source", "computes"), [(ADD, "c[i] = a[i] + b[i]"), (REVERSE, ""), (TURNED, "")], ids=["add", "reverse", "turned"]
)
def test_they_are_proved(source: str, computes: str, target: str) -> None:
    assert audited(source, target, computes).proved


@pytest.mark.parametrize("target", each(TARGETS, "gfx908", "gfx1030"))
@pytest.mark.parametrize(("source", "was", "becomes", "claim"), [
    (ADD, "i < n", "i <= n", "in_bounds"), (REVERSE, "__syncthreads();", "", "race_free"),
    (REVERSE, "255 - threadIdx.x", "256 - threadIdx.x", "lds_in_bounds"), (TURNED, "__syncthreads();", "", "race_free"),
    (TURNED, "(at + y) * 16 + x", "(at + y) * 16 + y", "race_free"),
])  # fmt: skip
def test_their_twins_are_not(source: str, was: str, becomes: str, claim: str, target: str) -> None:
    assert was in source
    found = audited(source.replace(was, becomes), target)
    assert not found.proved
    assert claim in {said for said, _, verdict in found.claims if not verdict}


@pytest.mark.parametrize("target", each(TARGETS, "gfx908", "gfx1030"))
def test_another_equation_is_not_proved(target: str) -> None:
    assert not audited(ADD, target, "c[i] = a[i] - b[i]").proved


def test_the_half_that_a_load_leaves_is_undefined() -> None:
    """Where memory corrects errors it is not kept (LLVM, GCNSubtarget::d16PreservesUnusedBits)."""
    assert audited(HALF, "gfx908").proved
    found = audited(HALF.replace("r & 0xffff", "r >> 16"), "gfx908")
    assert [said for said, _, verdict in found.claims if not verdict] == ["defined"]
