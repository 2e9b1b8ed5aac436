"""Boxes that the Tensor Data Mover copies to LDS: carried out as numpy has them, proved, and refuted where wrong."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from layoutalg.audit.audit import Audit, audit
from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.formats import loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.target.boxes import BOX, LENGTHS, SIZE, STRIDES
from tests.audit.gfx1250 import code

HEAD = """
typedef int i4 __attribute__((ext_vector_type(4)));
typedef int i8 __attribute__((ext_vector_type(8)));
#define L __attribute__((address_space(3)))
#define MEET __syncthreads()
#define WAIT(n) __builtin_amdgcn_s_wait_tensorcnt(n)
#define MODE 2 << 16
#define PADDED (MODE | 1 << 20 | 4 << 22 | 3 << 25)
__device__ __forceinline__ void load(float* to, const float* from, int mode, unsigned columns, unsigned rows,
                                     unsigned stride, int wide, int high) {
  unsigned long long g = (unsigned long long)from;
  i4 g0 = {1, (int)(__UINTPTR_TYPE__)(L float*)to, (int)g, (int)(g >> 32) | 1 << 31};
  i8 g1 = {mode, (int)(columns << 16), (int)(columns >> 16 | rows << 16), (int)(rows >> 16 | wide << 16), high,
           (int)stride, 0, 0};
  __builtin_amdgcn_tensor_load_to_lds_d2(g0, g1, 0);
}
"""
ONE = (
    HEAD
    + """
extern "C" __global__ void k(const float* a, float* b, int M, int N) {
  __shared__ float tile[4 * 36];
  int t = threadIdx.x, m = blockIdx.y * 4, n = blockIdx.x * 32;
  load(tile, a + m * N + n, PADDED, N - n, M - m, N, 32, 4);
  WAIT(0);
  for (int r = 0; r < 4; ++r) if (m + r < M && n + t < N) b[(m + r) * N + n + t] = tile[36 * r + t];
}"""
)
TWO = (
    HEAD
    + """
extern "C" __global__ void k(const float* a, float* b, int M, int N) {
  __shared__ float tile[4 * 36];
  int t = threadIdx.x, m = blockIdx.y * 4, n = blockIdx.x * 32, w = __builtin_amdgcn_readfirstlane(t / 32);
  int left = M - m - 2 * w;
  load(tile + 64 * w, a + (m + 2 * w) * N + n, MODE, N - n, left < 0 ? 0 : left, N, 32, 2);
  WAIT(0); MEET;
  for (int k = 0; k < 2; ++k) {
    int c = t % 32, r = 3 - (t / 32 + 2 * k);
    if (m + r < M && n + c < N) b[(m + r) * N + n + c] = tile[32 * r + c];
  }
}"""
)
SUMS = (
    HEAD
    + """
extern "C" __global__ void k(const float* a, float* b, int M, int N) {
  __shared__ float tile[2][4 * 32];
  int t = threadIdx.x, m = blockIdx.y * 4, n = blockIdx.x * 32;
  load(tile[0], a + m * N + n, MODE, N - n, M - m, N, 32, 4);
  load(tile[1], a + m * N + n, MODE, N - n, M - m, N, 32, 4);
  WAIT(1);
  float x = 0, y = 0;
  for (int r = 0; r < 4; ++r) x += tile[0][32 * r + t];
  WAIT(0); MEET;
  for (int r = 0; r < 4; ++r) y += tile[1][32 * r + (t ^ 1)];
  b[(blockIdx.y * gridDim.x + blockIdx.x) * 32 + t] = x + y;
}"""
)
LAUNCH = """symbols = {{ M = {{ min = 1, max = 4096 }}, N = {{ min = 1, max = 4096 }} }}
[[descriptor]]
name = "a"
dtype = "f32"
base = {{ kind = "naive", lengths = ["M", "N"], strides = ["N", 1] }}
[[descriptor]]
name = "b"
dtype = "f32"
base = {{ kind = "packed", lengths = [{}] }}
[launch]
kernel = "k"
grid = ["(N + 31) // 32", "(M + 3) // 4", 1]
block = [{}, 1, 1]
arguments = ["a", "b", "M", "N"]
writes = ["b"]
"""
COPY, PARTS = '"M", "N"', '"(M + 3) // 4", "(N + 31) // 32", 32'


def sums(a: np.ndarray) -> np.ndarray:
    """Of each box of 4 × 32 that covers an array with zeros around it, the sums of two columns."""
    rows, columns = -(-a.shape[0] // 4) * 4, -(-a.shape[1] // 32) * 32
    whole = np.zeros((rows, columns), np.float32)
    whole[: a.shape[0], : a.shape[1]] = a
    each = whole.reshape(rows // 4, 4, columns // 32, 32).sum(axis=1)
    return each + each[..., np.arange(32) ^ 1]


KERNELS: dict[str, tuple[int, str, Callable[[np.ndarray], np.ndarray]]] = {
    ONE: (32, COPY, lambda a: a), TWO: (64, COPY, lambda a: a), SUMS: (32, PARTS, sums),
}  # fmt: skip


def ran(source: str, like: str, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    threads, _, wanted = KERNELS[like]
    a = np.random.default_rng(1).integers(-9, 9, shape).astype(np.float32)
    out = wanted(a)
    grid = (-(-shape[1] // 32), -(-shape[0] // 4))
    return execute(code(source), grid, (threads,), [a, np.zeros_like(out), *shape]).outputs[1].reshape(out.shape), out


@cache
def audited(source: str, like: str, computes: str = "") -> Audit:
    threads, lengths, _ = KERNELS[like]
    return audit(
        code(source), loads(LAUNCH.format(lengths, threads) + (f'computes = ["{computes}"]' * bool(computes))), 30
    )


@pytest.mark.parametrize("source", KERNELS)
@pytest.mark.parametrize("shape", [(4, 32), (19, 70), (3, 5)])
def test_a_box_is_copied_as_numpy_has_it(source: str, shape: tuple[int, int]) -> None:
    found, wanted = ran(source, source, shape)
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize("source", KERNELS)
def test_it_is_proved(source: str) -> None:
    assert audited(source, source).proved


def test_what_it_computes_is_proved() -> None:
    assert audited(ONE, ONE, "b[i, j] = a[i, j]").proved
    assert not audited(ONE, ONE, "b[i, j] = a[i, j] + 1").proved


#: The twins that are asked always.
FAST = (0, 3, 7)

TWINS = [
    (ONE, "WAIT(0);", "", "race", "race_free"), (TWO, "MEET;", "", "race", "race_free"),
    (TWO, "WAIT(0); MEET;", "MEET; WAIT(0);", "race", "race_free"),
    (ONE, "N - n, M", "N - n + 1, M", "address", "in_bounds"),
    (ONE, "M - m, N,", "M - m + 1, N,", "address", "in_bounds"),
    (ONE, "M - m, N,", "M - m, N + 1,", "address", "in_bounds"),
    (ONE, "tile[4 * 36]", "tile[4 * 32]", "address", "lds_in_bounds"),
    (TWO, "MODE, N - n", "PADDED, N - n", "race", "race_free"),
    (SUMS, "WAIT(1);", "WAIT(2);", "race", "race_free"), (SUMS, "WAIT(0); MEET;", "MEET;", "race", "race_free"),
]  # fmt: skip


@pytest.mark.parametrize(("like", "was", "becomes", "fault", "claim"), [
    one if k in FAST else pytest.param(*one, marks=pytest.mark.slow) for k, one in enumerate(TWINS)
])  # fmt: skip
def test_what_is_wrong_with_a_box_is_found(like: str, was: str, becomes: str, fault: str, claim: str) -> None:
    assert was in like
    twin = like.replace(was, becomes)
    with pytest.raises(Fault) as told:
        ran(twin, like, (19, 70))
    found = audited(twin, like)
    assert (told.value.kind, found.proved) == (fault, False)
    assert claim in {said for said, _, verdict in found.claims if not verdict}


@pytest.mark.parametrize(("was", "becomes", "what"), [
    ("{1, (int)", "{1 | 1 << 31, (int)", "gathered"), ("MODE 2 << 16", "MODE (2 << 16 | 1 << 19)", "repeated"),
    ("MODE 2 << 16", "MODE (2 << 16 | 1 << 18)", "barrier"), ("MODE 2 << 16", "MODE (2 << 16 | 3)", "cluster"),
    ("4 << 22 | 3", "4 << 22 | 0", "encoded"), ("| 1 << 31}", "}", "type"),
])  # fmt: skip
def test_what_no_two_sources_say_is_refused(was: str, becomes: str, what: str) -> None:
    twin = ONE.replace(was, becomes)
    with pytest.raises(UnsupportedInstructionError, match=what):
        ran(twin, ONE, (4, 32))
    assert not audited(twin, ONE).proved


WORDS = (
    HEAD
    + """
extern "C" __global__ void k(const float* a, float* b, const int* w) {
  __shared__ float tile[64];
  unsigned long long g = (unsigned long long)(a + w[0]);
  i4 g0 = {1, (int)(__UINTPTR_TYPE__)(L float*)tile, (int)g, (int)(g >> 32) | 1 << 31};
  i8 g1 = {w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11]};
  i4 g2 = {w[12], w[13], w[14], w[15]}, g3 = {w[16], w[17], w[18], w[19]};
  __builtin_amdgcn_tensor_load_to_lds(g0, g1, g2, g3, 0);
  WAIT(0);
  for (int k = 0; k < 2; ++k) b[32 * k + threadIdx.x] = tile[32 * k + threadIdx.x];
}"""
)


@pytest.mark.parametrize(("box", "lengths", "strides"), [
    ((8, 4, 2), (8, 4, 2), (8, 65_537)),  # of which CK's union keeps 1 (docs, findings)
    ((4, 2, 2, 2, 2), (3, 2, 1, 2, 2), (10, 77, 700, 3001)), ((16, 2, 2), (9, 1, 2), (1 << 17, 3)),
])  # fmt: skip
def test_a_box_of_up_to_five_dimensions(
    box: tuple[int, ...], lengths: tuple[int, ...], strides: tuple[int, ...]
) -> None:
    fields = {
        **dict(zip(BOX, box, strict=False)),
        **dict(zip(LENGTHS, lengths, strict=False)),
        **dict(zip(STRIDES, strides, strict=False)),
        SIZE: 2,
    }
    groups = [0, 0, 0, 0]
    for field, value in fields.items():
        groups[field.group] |= value << field.first
    words = [groups[number] >> 32 * k & 0xFFFFFFFF for number, count in enumerate((4, 8, 4, 4)) for k in range(count)]
    a = np.arange(1, 1 << 18, dtype=np.float32)
    found = execute(code(WORDS), (1,), (32,), [a, np.zeros(64, np.float32), np.array(words, np.uint32).view(np.int32)])
    at = np.indices(box[::-1])[::-1]
    inside = np.all([x < n for x, n in zip(at, lengths, strict=True)], axis=0)
    places = sum(x * step for x, step in zip(at, (1, *strides), strict=True))
    wanted = np.where(inside, a[np.where(inside, places, 0)], 0).ravel()
    assert np.array_equal(found.outputs[1][: wanted.size], wanted)


BOXES = Path(__file__).parents[1] / "foreign" / "triton" / "boxes"


@pytest.mark.parametrize("sizes", [(37, 70), (32, 64)])
def test_tiles_that_triton_copies_by_boxes_are_numpys(sizes: tuple[int, int]) -> None:
    """Its own code for the Tensor Data Mover (`make.py` there): descriptors of four waves, padded, cut at the edges."""
    (kernel,) = read_kernels((BOXES / "copy.co").read_bytes()).values()
    a, scratch = np.random.default_rng(1).standard_normal(sizes).astype(np.float32), np.zeros(4, np.float32)
    given = [a, np.zeros_like(a), *sizes, scratch, scratch]
    assert np.array_equal(execute(decode_kernel(kernel), (3, 3), (128,), given, lds=2304).outputs[1], a)


def test_a_product_whose_tiles_come_by_boxes_is_numpys() -> None:
    (kernel,) = read_kernels((BOXES / "product.co").read_bytes()).values()
    rng, (m, n, k) = np.random.default_rng(1), (40, 50, 70)
    a, b = (rng.integers(-4, 5, shape).astype(np.float16) for shape in ((m, k), (k, n)))
    scratch = np.zeros(4, np.float32)
    given = [a, b, np.zeros((m, n), np.float32), m, n, k, scratch, scratch]
    found = execute(decode_kernel(kernel), (2, 2), (128,), given, lds=5584).outputs[2]
    assert np.array_equal(found, a.astype(np.float32) @ b.astype(np.float32))
