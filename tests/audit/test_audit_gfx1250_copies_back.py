"""Asynchronous copies from LDS to memory: carried out and proved, and twins in no order are not."""

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from layoutalg.errors import Fault
from layoutalg.isa.run.launch import execute
from tests.audit.gfx1250 import audited, code
from tests.matrix import some

KERNEL = """
#define G __attribute__((address_space(1)))
#define L __attribute__((address_space(3)))
typedef int int32;
typedef int int128 __attribute__((ext_vector_type(4)));
#define STORE(bits, to, from) \\
  __builtin_amdgcn_global_store_async_from_lds_b##bits((G int##bits*)(to), (L int##bits*)(from), 0, 0)
#define LOAD(from, to) __builtin_amdgcn_global_load_async_to_lds_b32((G int*)(from), (L int*)(to), 0, 0)
#define WAIT(n) __builtin_amdgcn_s_wait_asynccnt(n)
#define MEET __syncthreads()
extern "C" __global__ void k(const float* a, float* b, int n) {{
  __shared__ float tile[512];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  {}
}}"""
COPIED = KERNEL.format("tile[t] = a[i]; MEET; STORE(32, b + i, tile + 255 - t); WAIT(0);")
FOURS = KERNEL.format("tile[t] = a[i]; MEET; if (t < 64) STORE(128, b + i + 3 * t, tile + 4 * (63 - t)); WAIT(0);")
TWICE = KERNEL.format("""tile[t] = a[i]; MEET; STORE(32, b + i, tile + 255 - t); WAIT(0); MEET;
  tile[t] = 2 * a[i]; MEET; if (n < 0) STORE(32, b + i, tile + t);""")
TURNS = KERNEL.format("""float x = a[i];
#pragma nounroll
  for (int k = 0; k < 4; ++k) {
    tile[t] = x * k; MEET;
    if (t / 64 == k) STORE(32, b + i, tile + (t ^ 64));
    WAIT(0); MEET;
  }""")
BUFFERS = KERNEL.format("""float x = a[i];
  for (int k = 0; k < 4; ++k) {
    float* half = tile + k % 2 * 256;
    half[t] = x * k; MEET;
    STORE(32, b + i, half + (t ^ 64)); WAIT(0);
  }""")
AGAIN = KERNEL.format("""tile[t] = a[i]; MEET;
#pragma nounroll
  for (int k = 0; k < n / 64; ++k) { STORE(32, b + i, tile + (t ^ k & 7)); WAIT(0); }""")
ALONG = KERNEL.format("""tile[t] = a[i]; MEET;
#pragma nounroll
  for (int k = 0; k < 4; ++k) if (t < 64) STORE(32, b + i + 64 * k, tile + t + 64 * k);""")
THROUGH = KERNEL.format("LOAD(a + i, tile + t); WAIT(0); MEET; STORE(32, b + i, tile + 255 - t); WAIT(0);")
MASKED = KERNEL.format("""tile[t] = i < n ? a[i] : 0; MEET;
  if (i < n) STORE(32, b + i, tile + t);""")
KERNELS: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    COPIED: lambda a: a.reshape(-1, 256)[:, ::-1],
    FOURS: lambda a: a.reshape(-1, 64, 4)[:, ::-1],
    TWICE: lambda a: a.reshape(-1, 256)[:, ::-1],
    TURNS: lambda a: a.reshape(-1, 256)[:, np.arange(256) ^ 64] * (np.arange(256) // 64).astype(np.float32),
    BUFFERS: lambda a: 3 * a.reshape(-1, 256)[:, np.arange(256) ^ 64],
    AGAIN: lambda a: a.reshape(-1, 256)[:, np.arange(256) ^ 3],
    ALONG: lambda a: a,
    THROUGH: lambda a: a.reshape(-1, 256)[:, ::-1],
}
MULTIPLE = ", multiple_of = 256"


@pytest.mark.parametrize("source", KERNELS)
def test_a_copy_from_lds_is_carried_out_and_proved(source: str) -> None:
    a = np.random.default_rng(7).standard_normal(768).astype(np.float32)
    assert np.array_equal(execute(code(source), (3,), (256,), [a, a * 0, 768]).outputs[1], KERNELS[source](a).ravel())
    assert audited(source, "ab", multiple=MULTIPLE).proved


def test_lanes_that_are_not_active_copy_nothing() -> None:
    a = np.random.default_rng(7).standard_normal(700).astype(np.float32)
    assert np.array_equal(execute(code(MASKED), (3,), (256,), [a, a * 0, 700]).outputs[1], a)
    assert audited(MASKED, "ab", "b[i] = a[i]").proved
    assert not audited(MASKED, "ab", "b[i] = a[i] + 1.0").proved
    assert not audited(MASKED.replace("if (i < n)", "if (i <= n)"), "ab").proved


@pytest.mark.parametrize(("source", "was", "becomes", "fault"), some([
    (COPIED, "= a[i]; MEET;", "= a[i];", "uninitialised"), (COPIED, "b + i,", "b + (i ^ 1 | 1),", "collision"),
    (COPIED, "b + i,", "b + i + 1,", "address"), (COPIED, "tile + 255 - t", "tile + 767 - t", "address"),
    (COPIED, "WAIT(0);", "b[i] = 1;", "race"), (COPIED, "WAIT(0);", "STORE(32, b + i, tile + t);", "race"),
    (COPIED, "WAIT(0);", "if (b[i] == 1) b[i] = 2;", "race"), (COPIED, "WAIT(0);", "tile[t] = 1; MEET;", "race"),
    (COPIED, "WAIT(0);", "MEET; if (b[i ^ 64] == 1) b[i ^ 64] = 2;", "race"),
    (COPIED, "WAIT(0);", "MEET; LOAD(a + i, tile + t);", "race"),
    (COPIED, "WAIT(0);", "LOAD(a + i, tile + t);", "race"),
    (FOURS, "3 * t", "2 * t", "collision"), (FOURS, "t < 64", "t < 65", "address"),
    (TWICE, "WAIT(0); MEET;", "MEET;", "race"), (TWICE, "WAIT(0); MEET;", "MEET; WAIT(0);", "race"),
    (TWICE, "WAIT(0);", "WAIT(1);", "race"), (TWICE, "WAIT(0);", "if (n > 600) WAIT(0);", ""),
    (TWICE, "WAIT(0); MEET;", "WAIT(0);", "race"),
    (TURNS, "WAIT(0); MEET;", "MEET;", "race"), (TURNS, "WAIT(0); MEET;", "WAIT(0);", "race"),
    (TURNS, "WAIT(0); MEET;", "MEET; WAIT(0);", "race"), (TURNS, "WAIT(0); MEET;", "MEET; tile[t] = 7;", "race"),
    (AGAIN, "WAIT(0);", "", "race"), (AGAIN, "WAIT(0);", "WAIT(1);", "race"), (AGAIN, "WAIT(0);", "b[i] = 1;", "race"),
    (AGAIN, "WAIT(0);", "b[i] = 1; WAIT(0);", "race"), (ALONG, "b + i + 64 * k", "b + i + 32 * k", ""),
    (BUFFERS, "WAIT(0);", "", "race"), (BUFFERS, "WAIT(0);", "WAIT(1);", "race"),
    (THROUGH, "WAIT(0); MEET;", "MEET;", "race"), (THROUGH, "WAIT(0); MEET;", "WAIT(0);", "race"),
    (THROUGH, "WAIT(0); MEET; STORE(32, b + i, tile + 255 - t)", "STORE(32, b + i, tile + t)", "race"),
], 9, slow=True))  # fmt: skip
def test_what_is_wrong_with_a_copy_from_lds_is_found(source: str, was: str, becomes: str, fault: str) -> None:
    assert was in source
    twin, a = source.replace(was, becomes, 1), np.arange(768, dtype=np.float32)
    if fault:
        with pytest.raises(Fault) as told:
            execute(code(twin), (3,), (256,), [a, a * 0, 768])
        assert told.value.kind == fault
    assert not audited(twin, "ab", multiple=MULTIPLE).proved


STORED = """*(volatile L float*)(tile + t) = a[i];
  asm volatile("{}" :: "v"((unsigned)(__UINTPTR_TYPE__)(L float*)(tile + t)), "v"(b + i) : "memory");"""


def test_a_copy_of_what_its_wave_is_storing_to_lds_is_in_no_order_with_that() -> None:
    copy = "global_store_async_from_lds_b32 %1, %0, off"
    assert not audited(KERNEL.format(STORED.format(copy)), "ab", multiple=MULTIPLE).proved
    assert audited(KERNEL.format(STORED.format("s_wait_dscnt 0\\n " + copy)), "ab", multiple=MULTIPLE).proved


def test_an_immediate_moves_both_ends_of_a_copy() -> None:
    copy = 'asm volatile("global_store_async_from_lds_b32 %1, %0, off offset:{}" :: "v"({}), "v"(b + i) : "memory");'
    from_lds = "(unsigned)(__UINTPTR_TYPE__)(L float*)(tile + t)"
    either = f"if (t < 192) {copy.format(256, from_lds)} else {copy.format(-768, from_lds)}"
    source, a = KERNEL.format(f"tile[t] = a[i]; MEET; {either}"), np.arange(768, dtype=np.float32)
    assert np.array_equal(execute(code(source), (3,), (256,), [a, a * 0, 768]).outputs[1], a)
    assert audited(source, "ab", multiple=MULTIPLE).proved
    twin = source.replace("offset:-768", "offset:-764")
    assert not audited(twin, "ab", multiple=MULTIPLE).proved


SHARED = KERNEL.format("""tile[t] = a[i]; MEET; STORE(32, b + i, tile + (t & 31));
  if (__builtin_amdgcn_readfirstlane(t / 32) >= 0) WAIT(0);
  MEET; if (t >= 32) tile[t - 32] = 1; WAIT(0);""")


@pytest.mark.parametrize("waits", [0, 1])
def test_each_wave_that_copies_from_one_place_is_waited_for(waits: int) -> None:
    """The last that copies is not the last that has."""
    source, a = SHARED.replace(">= 0) WAIT", f">= {waits}) WAIT"), np.arange(256, dtype=np.float32)
    assert audited(source, "ab", multiple=MULTIPLE).proved == (waits == 0)
    if waits:
        with pytest.raises(Fault, match="a copy of another wave"):
            execute(code(source), (1,), (256,), [a, a * 0, 256])
    else:
        assert np.array_equal(execute(code(source), (1,), (256,), [a, a * 0, 256]).outputs[1], a % 32)
