"""Boxes that the Tensor Data Mover stores from LDS: carried out as numpy has them, proved, and refuted where wrong."""

from functools import cache

import numpy as np
import pytest

from layoutalg.audit.audit import Audit, audit
from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.formats import loads
from layoutalg.isa.run.launch import execute
from tests.audit.gfx1250 import code
from tests.audit.test_audit_gfx1250_tensor import HEAD, LAUNCH

STORES = (
    HEAD
    + """
__device__ __forceinline__ void store(float* to, const float* from, int mode, unsigned columns, unsigned rows,
                                      unsigned stride, int wide, int high) {
  unsigned long long g = (unsigned long long)to;
  i4 g0 = {1, (int)(__UINTPTR_TYPE__)(L float*)from, (int)g, (int)(g >> 32) | 1 << 31};
  i8 g1 = {mode, (int)(columns << 16), (int)(columns >> 16 | rows << 16), (int)(rows >> 16 | wide << 16), high,
           (int)stride, 0, 0};
  __builtin_amdgcn_tensor_store_from_lds_d2(g0, g1, 0);
}
"""
)
ONE = (
    STORES
    + """
extern "C" __global__ void k(const float* a, float* b, int M, int N) {
  __shared__ float tile[4 * 32];
  int t = threadIdx.x, m = blockIdx.y * 4, n = blockIdx.x * 32;
  for (int r = 0; r < 4; ++r) tile[32 * r + t] = m + r < M && n + t < N ? a[(m + r) * N + n + t] : 0.f;
  MEET;
  store(b + m * N + n, tile, MODE, N - n, M - m, N, 32, 4);
}"""
)
TWO = (
    STORES
    + """
extern "C" __global__ void k(const float* a, float* b, int M, int N) {
  __shared__ float tile[4 * 32];
  int t = threadIdx.x % 32, w = __builtin_amdgcn_readfirstlane(threadIdx.x / 32);
  int m = blockIdx.y * 4, n = blockIdx.x * 32;
  for (int k = 0; k < 2; ++k) {
    int r = 3 - (2 * k + w);
    tile[32 * r + t] = m + r < M && n + t < N ? a[(m + r) * N + n + t] : 0.f;
  }
  MEET;
  int left = M - m - 2 * w;
  store(b + (m + 2 * w) * N + n, tile + 64 * w, MODE, N - n, left < 0 ? 0 : left, N, 32, 2);
}"""
)
AGAIN = (
    STORES
    + """
extern "C" __global__ void k(const float* a, float* b, int M, int N) {
  __shared__ float tile[2 * 32];
  int t = threadIdx.x, m = blockIdx.y * 4, n = blockIdx.x * 32;
  for (int r = 0; r < 2; ++r) tile[32 * r + t] = m + r < M && n + t < N ? a[(m + r) * N + n + t] : 0.f;
  MEET;
  store(b + m * N + n, tile, MODE, N - n, M - m, N, 32, 2);
  WAIT(0); MEET;
  for (int r = 0; r < 2; ++r) tile[32 * r + t] = m + 2 + r < M && n + t < N ? a[(m + 2 + r) * N + n + t] : 0.f;
  MEET;
  int left = M - m - 2;
  store(b + (m + 2) * N + n, tile, MODE, N - n, left < 0 ? 0 : left, N, 32, 2);
}"""
)
BOTH = (
    STORES
    + """
extern "C" __global__ void k(const float* a, float* b, int M, int N) {
  __shared__ float tile[4 * 32];
  int m = blockIdx.y * 4, n = blockIdx.x * 32;
  load(tile, a + m * N + n, MODE, N - n, M - m, N, 32, 4);
  WAIT(0); MEET;
  store(b + m * N + n, tile, MODE, N - n, M - m, N, 32, 4);
}"""
)
KERNELS = {"one": (32, ONE), "two": (64, TWO), "again": (32, AGAIN), "both": (32, BOTH)}
COPY = '"M", "N"'


def ran(source: str, threads: int, shape: tuple[int, int]) -> np.ndarray:
    a = np.random.default_rng(1).integers(-9, 9, shape).astype(np.float32)
    grid = (-(-shape[1] // 32), -(-shape[0] // 4))
    found = execute(code(source), grid, (threads,), [a, np.zeros_like(a), *shape])
    assert np.array_equal(found.outputs[1].reshape(shape), a)
    return found.outputs[1]


@cache
def audited(source: str, threads: int, computes: str = "b[i, j] = a[i, j]") -> Audit:
    return audit(code(source), loads(LAUNCH.format(COPY, threads) + f'computes = ["{computes}"]'), 30)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("shape", [(4, 32), (19, 70), (3, 5)])
def test_a_box_is_stored_as_numpy_has_it(name: str, shape: tuple[int, int]) -> None:
    threads, source = KERNELS[name]
    ran(source, threads, shape)


@pytest.mark.parametrize("name", KERNELS)
def test_it_is_proved(name: str) -> None:
    threads, source = KERNELS[name]
    assert audited(source, threads).proved


WHOLE = "store(b + m * N + n, tile, MODE, N - n, M - m, N, 32, 4);"
OWN = "if (m < M && n + t < N) b[m * N + n + t]"

#: The twins that are asked always.
FAST = (1, 2, 16, 17)

TWINS = [
    ("two", "MEET;", "", "race", "race_free"), ("again", "WAIT(0); MEET;", "MEET;", "race", "race_free"),
    ("again", "WAIT(0); MEET;", "WAIT(1); MEET;", "race", "race_free"),
    ("both", "WAIT(0); MEET;", "MEET;", "race", "race_free"),
    ("both", "WAIT(0); MEET;", "WAIT(1); MEET;", "race", "race_free"),
    ("one", "M - m, N,", "M - m + 1, N,", "address", "in_bounds"),
    ("one", "M - m, N,", "M - m, N + 1,", "address", "in_bounds"),
    ("one", "M - m, N,", "M - m, -N,", "address", "in_bounds"),  # strides have no sign
    ("one", "tile[4 * 32]", "tile[3 * 32]", "address", "lds_in_bounds"),
    ("one", "32, 4)", "32, 5)", "address", "lds_in_bounds"),
    ("one", "r < 4", "r < 3", "uninitialised", "initialised"),
    ("two", "b + (m + 2 * w) * N + n", "b + m * N + n", "collision", "race_free"),
    ("two", "N, 32, 2)", "N, 32, 3)", "address", "race_free"),  # boxes of two waves overlap
    ("one", WHOLE, f"{WHOLE} {OWN} += 0.f;", "race", "race_free"),
    ("one", WHOLE, f"{WHOLE} {OWN} = 0.f;", "race", "race_free"),
    ("one", WHOLE, f"{WHOLE} {OWN.replace('n + t', 'n + (t ^ 1)')} = 0.f;",
     "race", "race_free"),
    ("one", "M - m, N, 32, 4)", "M - m, 0, 32, 4)", "race", "race_free"),  # its rows lie on each other
    ("one", WHOLE, f"{WHOLE} tile[t] = 0.f;", "race", "race_free"),
    ("one", WHOLE, f"{WHOLE} MEET; tile[t ^ 1] = 0.f;", "race", "race_free"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "was", "becomes", "fault", "claim"), [
    one if k in FAST else pytest.param(*one, marks=pytest.mark.slow) for k, one in enumerate(TWINS)
])  # fmt: skip
def test_what_is_wrong_with_a_store_is_found(name: str, was: str, becomes: str, fault: str, claim: str) -> None:
    threads, like = KERNELS[name]
    assert was in like
    twin = like.replace(was, becomes)
    with pytest.raises(Fault) as told:
        ran(twin, threads, (19, 70))
    found = audited(twin, threads)
    assert (told.value.kind, found.proved) == (fault, False)
    assert claim in {said for said, _, verdict in found.claims if not verdict}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "was", "becomes"), [
    ("one", "MEET;\n  store", "store"),  # the wave's own stores to LDS are under way, which only a wait shows
    ("both", "WAIT(0); MEET;", "MEET; WAIT(0);"), ("two", "left < 0 ? 0 : left", "left"),
    ("one", "M - m, N,", "M - m - 1, N,"), ("two", "tile + 64 * w", "tile"), ("one", "32, 4)", "31, 4)"),
    ("one", WHOLE, f"if (t < 16) {WHOLE}"), ("one", WHOLE, f"if (M - m > 2) {WHOLE}"),
    ("one", WHOLE, f"{WHOLE} WAIT(0); {OWN} = 7.f;"), ("one", WHOLE, f"{OWN} = 7.f; {WHOLE}"),
    ("one", "i4 g0 = {1, (int)(__UINTPTR_TYPE__)(L float*)from", "i4 g0 = {0, (int)(__UINTPTR_TYPE__)(L float*)from"),
])  # fmt: skip
def test_what_no_run_need_show_is_not_proved(name: str, was: str, becomes: str) -> None:
    threads, like = KERNELS[name]
    assert was in like
    assert not audited(like.replace(was, becomes), threads).proved


@pytest.mark.parametrize("threads", [24, pytest.param(48, marks=pytest.mark.slow)])
def test_a_block_of_no_whole_waves_is_not_proved(threads: int) -> None:
    assert not audited(ONE.replace("int t = threadIdx.x", "int t = threadIdx.x % 32"), threads).proved


def test_a_wave_may_store_again_to_what_it_has_waited_for() -> None:
    assert audited(ONE.replace(WHOLE, f"{WHOLE} WAIT(0); tile[t] = 0.f;"), 32).proved


@pytest.mark.parametrize(("was", "becomes", "what"), [
    ("tile, MODE", "tile, PADDED", "padding of a store"), ("tile, MODE", "tile, MODE | 1 << 19", "repeated"),
    ("tile, MODE", "tile, MODE | 1 << 18", "barrier"),
    ("i4 g0 = {1, (int)(__UINTPTR_TYPE__)(L float*)from", "i4 g0 = {1 | 1 << 31, (int)(__UINTPTR_TYPE__)(L float*)from",
     "gathered"),
])  # fmt: skip
def test_what_no_two_sources_say_is_refused(was: str, becomes: str, what: str) -> None:
    twin = ONE.replace(was, becomes)
    with pytest.raises(UnsupportedInstructionError, match=what):
        ran(twin, 32, (4, 32))
    assert not audited(twin, 32).proved


TURNS = (
    STORES
    + """
extern "C" __global__ void k(const float* a, float* b, int M, int N) {
  __shared__ float tile[2][4 * 32];
  int t = threadIdx.x, m = blockIdx.y * 4;
  #pragma nounroll
  for (int n = 0; n < N; n += 32) {
    float* p = tile[(n / 32) % 2];
    for (int r = 0; r < 4; ++r) p[32 * r + t] = m + r < M && n + t < N ? a[(m + r) * N + n + t] : 0.f;
    MEET;
    store(b + m * N + n, p, MODE, N - n, M - m, N, 32, 4);
    WAIT(1); MEET;
  }
}"""
)


@pytest.mark.parametrize(("was", "becomes", "proved"), [
    ("WAIT(1)", "WAIT(1)", True), ("WAIT(1)", "WAIT(2)", False),
    *(pytest.param(*one, False, marks=pytest.mark.slow) for one in [
        ("WAIT(1); MEET;", "MEET; WAIT(1);"), ("[(n / 32) % 2]", "[0]"), ("WAIT(1); MEET;", ""),
        ("N - n,", "N - n + 1,"),
    ]),
])  # fmt: skip
def test_turns_that_take_two_tiles_leave_one_store_under_way(was: str, becomes: str, proved: bool) -> None:
    assert was in TURNS
    launch = LAUNCH.format(COPY, 32).replace('"(N + 31) // 32"', "1")
    assert audit(code(TURNS.replace(was, becomes)), loads(launch), 30).proved == proved
