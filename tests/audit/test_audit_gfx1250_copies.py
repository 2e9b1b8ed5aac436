"""Asynchronous copies between memory and LDS: carried out and proved, and twins that wait too little are not."""

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from layoutalg.errors import Fault
from layoutalg.isa.run.launch import execute
from tests.audit.gfx1250 import audited, code

KERNEL = """
#define G __attribute__((address_space(1)))
#define L __attribute__((address_space(3)))
#define LOAD(bits, from, to) __builtin_amdgcn_global_load_async_to_lds_##bits((G int*)(from), (L int*)(to), 0, 0)
#define WAIT(n) __builtin_amdgcn_s_wait_asynccnt(n)
#define MEET __syncthreads()
extern "C" __global__ void k(const float* a, float* b, int n) {{
  __shared__ float tile[512];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  {}
}}"""
COPIED = KERNEL.format("LOAD(b32, a + i, tile + t); WAIT(0); MEET; b[i] = tile[255 - t];")
TWICE = KERNEL.format("""LOAD(b32, a + i, tile + t); LOAD(b32, a + i, tile + 256 + t);
  WAIT(1); MEET; float x = tile[255 - t]; WAIT(0); MEET; b[i] = x + tile[256 + (t ^ 64)];""")
MASKED = KERNEL.format("""tile[t] = 0; MEET;
  unsigned at = i < n - 128 ? (unsigned)(__UINTPTR_TYPE__)(L float*)(tile + t) : 0x7fffffffu;
  LOAD(b32, a + i + 128, at); WAIT(0); MEET; b[i] = tile[t];""")
KERNELS: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    COPIED: lambda a: a.reshape(-1, 256)[:, ::-1],
    TWICE: lambda a: a.reshape(-1, 256)[:, ::-1] + a.reshape(-1, 256)[:, np.arange(256) ^ 64],
    MASKED: lambda a: np.append(a[128:], np.zeros(128, np.float32)),
}
MULTIPLE = ", multiple_of = 256"


@pytest.mark.parametrize("source", KERNELS)
def test_a_copy_to_lds_is_carried_out_and_proved(source: str) -> None:
    a = np.random.default_rng(7).standard_normal(768).astype(np.float32)
    assert np.array_equal(execute(code(source), (3,), (256,), [a, a * 0, 768]).outputs[1], KERNELS[source](a).ravel())
    assert audited(source, "ab", multiple=MULTIPLE).proved


@pytest.mark.parametrize(("source", "was", "becomes", "fault", "claim"), [
    (COPIED, "WAIT(0);", "", "race", "race_free"), (COPIED, "MEET;", "", "race", "race_free"),
    (COPIED, "WAIT(0); MEET;", "MEET; WAIT(0);", "race", "race_free"),
    (COPIED, "a + i", "a + i + 1", "address", "in_bounds"),
    (COPIED, "tile + t", "tile + 257 + t", "address", "lds_in_bounds"),
    (TWICE, "WAIT(1)", "WAIT(2)", "race", "race_free"), (TWICE, "WAIT(0)", "WAIT(1)", "race", "race_free"),
    (TWICE, "WAIT(0); MEET;", "WAIT(0);", "race", "race_free"),
    (MASKED, "n - 128 ?", "n - 127 ?", "address", "in_bounds"), (MASKED, "tile[t] = 0;", "", "uninitialised", "runs"),
])  # fmt: skip
def test_what_is_wrong_with_a_copy_to_lds_is_found(source: str, was: str, becomes: str, fault: str, claim: str) -> None:
    assert was in source
    twin, a = source.replace(was, becomes), np.ones(768, np.float32)
    with pytest.raises(Fault) as told:
        execute(code(twin), (3,), (256,), [a, a * 0, 768])
    found = audited(twin, "ab", multiple=MULTIPLE)
    assert (told.value.kind, found.proved) == (fault, False)
    assert claim in {said for said, _, verdict in found.claims if not verdict}


def test_a_copy_to_where_its_wave_stores_is_in_no_order_with_that() -> None:
    assert not audited(MASKED.replace("MEET;", "", 1), "ab", multiple=MULTIPLE).proved


@pytest.mark.parametrize(("body", "holds"), [
    ("LOAD(b32, b + i, tile + t); WAIT(0); STORE; b[i] = tile[t] * 2;", True),
    ("LOAD(b32, b + i, tile + t); STORE; WAIT(0); b[i] = tile[t] * 2;", False),
    ("STORE; LOAD(b32, b + i, tile + t); WAIT(0); b[i] = tile[t] * 2;", False),
])  # fmt: skip
def test_what_a_copy_reads_of_memory_is_in_order_with_later_stores_behind_its_wait(body: str, holds: bool) -> None:
    source = KERNEL.format(body.replace("STORE", "*(volatile G float*)(b + i) = 3"))
    assert audited(source, "ab", multiple=MULTIPLE).proved == holds


TURNS = KERNEL.format("""tile[t] = 0; MEET;
#pragma nounroll
  for (int k = 0; k < n / 128; ++k) { LOAD(b32, a + (i + k) % n, tile + t); WAIT(0); MEET; }
  b[i] = tile[t];""")


def test_a_copy_to_lds_is_in_no_order_with_itself_in_another_turn() -> None:
    twin, a = TURNS.replace("WAIT(0); MEET; }", "} WAIT(0); MEET;"), np.arange(512, dtype=np.float32)
    assert audited(TURNS, "ab", multiple=MULTIPLE).proved
    assert not audited(twin, "ab", multiple=MULTIPLE).proved
    with pytest.raises(Fault, match="is bringing"):
        execute(code(twin), (2,), (256,), [a, a * 0, 512])
