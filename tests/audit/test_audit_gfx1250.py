"""gfx1250: kernels of ours are carried out exactly and proved, and what is wrong with their twins is refuted."""

from collections.abc import Callable

import numpy as np
import pytest

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.run.launch import execute
from tests.audit.gfx1250 import audited, code

COPY = """
extern "C" __global__ void k(const float* a, float* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = a[i];
}"""
ADD = """
extern "C" __global__ void k(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}"""
BACKWARDS = """
extern "C" __global__ void k(const float* a, float* b) { b[threadIdx.x] = (a + 255)[-(int)threadIdx.x]; }"""
REVERSE = """
extern "C" __global__ void k(const float* a, float* b, int n) {
  __shared__ float tile[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  tile[threadIdx.x] = a[i];
  __syncthreads();
  b[i] = tile[255 - threadIdx.x];
}"""
PRODUCT = """
typedef _Float16 h16 __attribute__((ext_vector_type(16)));
typedef float f8 __attribute__((ext_vector_type(8)));
extern "C" __global__ void k(const _Float16* a, const _Float16* b, float* c) {
  int l = threadIdx.x;
  h16 x, y;
  f8 z = {};
  for (int i = 0; i < 16; ++i) {
    int k = 16 * (i / 8) + 8 * (l / 16) + i % 8;
    x[i] = a[(l % 16) * 32 + k];
    y[i] = b[k * 16 + l % 16];
  }
  z = __builtin_amdgcn_wmma_f32_16x16x32_f16(0, x, 0, y, (short)0, z, 0, 0);
  for (int r = 0; r < 8; ++r) c[(8 * (l / 16) + r) * 16 + l % 16] = z[r];
}"""
TURNED = """
typedef short h8 __attribute__((ext_vector_type(8)));
extern "C" __global__ void k(const h8* a, h8* b) {
  __shared__ h8 tile[32];
  int l = threadIdx.x;
  tile[l] = a[l];
  __syncthreads();
  b[l] = __builtin_amdgcn_ds_load_tr16_b128_v8i16((__attribute__((address_space(3))) h8*)(tile + l));
}"""
NUMBERS = """
typedef unsigned long long u64; typedef long long i64;
extern "C" __global__ void k(const u64* a, const u64* b, u64* o) {
  int t = threadIdx.x;
  u64 u = a[t], v = b[t];
  unsigned ul = u, vl = v, uh = u >> 32;
  int x = ul, y = vl, z = uh;
  u64* to = o + 13 * t;
  to[0] = u * v;
  to[1] = u + v;
  to[2] = u - v;
  to[3] = u < v ? u : v;
  to[4] = u < v ? v : u;
  to[5] = (i64)u < (i64)v ? u : v;
  to[6] = (i64)u < (i64)v ? v : u;
  to[7] = ul * vl + uh;
  to[8] = (unsigned)(x + y > z ? x + y : z);
  to[9] = (unsigned)(x + z < y ? x + z : y);
  to[10] = ul + uh > vl ? ul + uh : vl;
  to[11] = (u64)ul * vl + u;
  to[12] = (i64)x * y + (i64)u;
}"""


@pytest.mark.parametrize(("source", "expected"), [
    (COPY, lambda a, b: a), (ADD, lambda a, b: a + b), (REVERSE, lambda a, b: a.reshape(-1, 256)[:, ::-1].ravel()),
])  # fmt: skip
def test_it_is_carried_out_exactly(source: str, expected: Callable[..., np.ndarray]) -> None:
    rng = np.random.default_rng(5)
    a, b = (rng.standard_normal(768).astype(np.float32) for _ in range(2))
    given = [a, b, np.zeros(768, np.float32)] if source == ADD else [a, np.zeros(768, np.float32)]
    run = execute(code(source), (3,), (256,), [*given, 768])
    assert np.array_equal(run.outputs[len(given) - 1], expected(a, b))


def test_the_offset_of_a_lane_has_a_sign() -> None:
    a = np.arange(256, dtype=np.float32)
    run = execute(code(BACKWARDS), (1,), (256,), [a, np.zeros_like(a)])
    assert any("scale_offset" in one.fields for one in code(BACKWARDS).instructions)
    assert np.array_equal(run.outputs[1], a[::-1])


def test_a_product_is_carried_out_exactly() -> None:
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-4, 5, shape).astype(np.float16) for shape in ((16, 32), (32, 16)))
    run = execute(code(PRODUCT), (1,), (32,), [a, b, np.zeros((16, 16), np.float32)])
    assert np.array_equal(run.outputs[2], a.astype(np.float32) @ b.astype(np.float32))


def test_a_product_that_has_its_operand_from_before_is_refused() -> None:
    """matrix_b_reuse: what lies in its registers meanwhile is not said."""
    source = PRODUCT.replace("z, 0, 0)", "z, 0, 1)")
    with pytest.raises(UnsupportedInstructionError, match="reuse_b"):
        execute(code(source), (1,), (32,), [np.zeros((16, 32), np.float16)] * 2 + [np.zeros((16, 16), np.float32)])


def test_integers_are_as_numpy_has_them() -> None:
    """LLVM selects the instructions for these expressions, which is what says what they do."""
    rng = np.random.default_rng(2)
    a, b = (rng.integers(0, 1 << 64, 64, np.uint64) for _ in range(2))
    assert "V_MAD_U32" in {one.name for one in code(COPY).instructions}  # whose results are asked above
    a[:8], b[:8] = [0, 1, (1 << 63), (1 << 64) - 1, 1 << 31, (1 << 32) - 1, 5, 1 << 33], a[7::-1]
    run = execute(code(NUMBERS), (1,), (64,), [a, b, np.zeros((64, 13), np.uint64)])
    i, j, low = a.view(np.int64), b.view(np.int64), np.uint64((1 << 32) - 1)
    ul, vl, uh = (one.astype(np.uint32) for one in (a & low, b & low, a >> np.uint64(32)))
    x, y, z = (one.view(np.int32) for one in (ul, vl, uh))
    wanted = [
        a * b, a + b, a - b, np.minimum(a, b), np.maximum(a, b), np.minimum(i, j).view(np.uint64),
        np.maximum(i, j).view(np.uint64), ul * vl + uh, np.maximum(x + y, z).view(np.uint32),
        np.minimum(x + z, y).view(np.uint32), np.maximum(ul + uh, vl), ul.astype(np.uint64) * vl + a,
        (x.astype(np.int64) * y + i).view(np.uint64),
    ]  # fmt: skip
    for k, one in enumerate(wanted):
        assert np.array_equal(run.outputs[2][:, k], one.astype(np.uint64)), k
    used = {half.name for one in code(NUMBERS).instructions for half in one.halves or (one,)}
    named = {f"V_{kind}_{sign}64" for kind in ("MIN", "MAX") for sign in "UI"} | {"V_MUL_U64"}
    assert named | {"V_ADD_NC_U64", "V_SUB_NC_U64", "V_MAD_NC_U64_U32", "V_MAD_NC_I64_I32"} <= used


def test_a_transposed_load_is_carried_out_by_eight_lanes() -> None:
    a = np.arange(256, dtype=np.int16).reshape(4, 8, 8)
    run = execute(code(TURNED), (1,), (32,), [a, np.zeros_like(a)])
    assert np.array_equal(run.outputs[1], a.swapaxes(1, 2))


def test_they_are_proved() -> None:
    assert audited(COPY, "ab", "b[i] = a[i]").proved
    assert audited(ADD, "abc", "c[i] = a[i] + b[i]").proved
    assert audited(REVERSE, "ab", multiple=", multiple_of = 256").proved


@pytest.mark.parametrize(("source", "was", "becomes", "claim"), [
    (COPY, "i < n", "i <= n", "in_bounds"), (REVERSE, "__syncthreads();", "", "race_free"),
    (REVERSE, "255 - threadIdx.x", "256 - threadIdx.x", "lds_in_bounds"),
])  # fmt: skip
def test_their_twins_are_not(source: str, was: str, becomes: str, claim: str) -> None:
    assert was in source
    found = audited(source.replace(was, becomes), "ab", multiple=", multiple_of = 256" if source == REVERSE else "")
    assert not found.proved
    assert claim in {said for said, _, verdict in found.claims if not verdict}


def test_another_equation_is_not_proved() -> None:
    assert not audited(ADD, "abc", "c[i] = a[i] - b[i]").proved
