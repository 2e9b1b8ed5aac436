"""Buffers of gfx1250, whose descriptions count 45 bits: carried out, compiled and proved, and twins that are not."""

import numpy as np
import pytest

from layoutalg.device.plain import execute_plainly
from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.isa.run.launch import execute
from tests.audit.gfx1250 import audited, code

KERNEL = """
#define BUFFER(p, bytes) __builtin_amdgcn_make_buffer_rsrc((void*)(p), 0, bytes, 0)
#define LOAD(p, bytes, at, more) __builtin_amdgcn_raw_buffer_load_b32(BUFFER(p, bytes), at, more, 0)
#define LOAD4(p, bytes, at) __builtin_amdgcn_raw_buffer_load_b128(BUFFER(p, bytes), at, 0, 0)
#define STORE(x, p, bytes, at) __builtin_amdgcn_raw_buffer_store_b32(x, BUFFER(p, bytes), at, 0, 0)
#define STORE4(x, p, bytes, at) __builtin_amdgcn_raw_buffer_store_b128(x, BUFFER(p, bytes), at, 0, 0)
#define MASK(truth, at) ((truth) ? (at) : 0x80000000)
#define MOST 0x7ffffffell
extern "C" __global__ void k(const float* a, float* b, int n) {{
  int i = blockIdx.x * 256 + threadIdx.x;
  {}
}}"""
COPY = KERNEL.format("STORE(LOAD(a, MOST, MASK(i < n, i * 4), 0), b, MOST, MASK(i < n, i * 4));")
MORE = KERNEL.format("if (i < n) b[i] = __int_as_float(LOAD(a, 4ll * n + 16, i * 4, 0));")
GUARD = KERNEL.format("STORE(LOAD(a, 4ll * n + 16, MASK(i < n, i * 4), 0), b, 4ll * n + 16, MASK(i < n, i * 4));")
MOVED = KERNEL.format("if (i < n) b[i] = __int_as_float(LOAD(a, MOST, threadIdx.x * 4, blockIdx.x * 1024));")
FOURS = KERNEL.format("if (i < n / 4) STORE4(LOAD4(a, MOST, i * 16), b, MOST, i * 16);")
SAME = "b[i] = a[i]"


@pytest.mark.parametrize("source", [COPY, MORE, GUARD, MOVED])
def test_an_access_in_range_is_carried_out_and_proved(source: str) -> None:
    a = np.random.default_rng(3).standard_normal(700).astype(np.float32)
    for run in (execute, execute_plainly):
        assert np.array_equal(run(code(source), (3,), (256,), [a, a * 0, 700]).outputs[1], a)
    assert audited(source, "ab", SAME).proved


def test_elements_of_four_dwords_are_carried_out_and_proved() -> None:
    a = np.random.default_rng(3).standard_normal(768).astype(np.float32)
    for run in (execute, execute_plainly):
        assert np.array_equal(run(code(FOURS), (1,), (256,), [a, a * 0, 768]).outputs[1], a)
    assert audited(FOURS, "ab", multiple=", multiple_of = 256").proved


@pytest.mark.parametrize(("source", "was", "becomes", "fault"), [
    (COPY, "MASK(i < n, i * 4), 0)", "i * 4, 0)", "address"), (COPY, "i < n, i * 4));", "i <= n, i * 4));", "address"),
    (COPY, "MASK(i < n, i * 4), 0)", "MASK(i < n, i * 4 + 4), 0)", "address"),
    (COPY, "b, MOST", "b, 0x1fffffffffffll", ""), (COPY, "(i < n, i * 4));", "(i < n, (i & 255) * 4));", "collision"),
    (MORE, "(i < n)", "(i < n + 1)", "address"), (MORE, "i * 4, 0", "i * 4 + 4, 0", "address"),
    (GUARD, "MASK(i < n, i * 4), 0)", "i * 4, 0)", ""),
    (MOVED, "* 1024", "* 1028", "address"), (FOURS, "b, MOST, i * 16", "b, MOST, i * 12", "collision"),
])  # fmt: skip
def test_what_is_out_of_a_tensor_and_in_its_buffer_is_found(source: str, was: str, becomes: str, fault: str) -> None:
    assert was in source
    twin, a = source.replace(was, becomes), np.arange(700, dtype=np.float32)
    assert not audited(twin, "ab", SAME).proved
    for run in (execute, execute_plainly) if fault == "address" else (execute,) if fault else ():
        with pytest.raises(Fault) as told:
            run(code(twin), (3,), (256,), [a, a * 0, 700])
        assert told.value.kind == fault


@pytest.mark.parametrize(("was", "becomes"), [
    ("MOST, MASK(i < n, i * 4), 0", "4ll * n, i * 4, 0"),  # the last ends where the buffer does
    ("MOST, MASK(i < n, i * 4), 0", "4ll * n + 1, i * 4, 0"),  # the one behind it ends further, and begins within
    ("(void*)(p), 0, bytes, 0", "(void*)(p), 4, bytes, 0"), ("(void*)(p), 0, bytes, 0", "(void*)(p), 0, bytes, 1"),
    ("(void*)(p), 0, bytes, 0", "(void*)(p), 0, bytes, 2"), ("(void*)(p), 0, bytes, 0", "(void*)(p), 0, bytes, 4"),
])  # fmt: skip
def test_what_no_two_sources_say_of_a_buffer_is_refused(was: str, becomes: str) -> None:
    assert was in COPY
    twin, a = COPY.replace(was, becomes), np.arange(700, dtype=np.float32)
    for run in (execute, execute_plainly):
        with pytest.raises(UnsupportedInstructionError, match=r"not modelled|sources differ"):
            run(code(twin), (3,), (256,), [a, a * 0, 700])
    assert not audited(twin, "ab").proved


def test_what_a_load_of_half_a_register_leaves_of_the_other_is_undefined() -> None:
    """Its memory has ECC, always."""
    half = KERNEL.format("""unsigned r = 7; const float* p = a + i;
      if (i < n) {
        asm volatile("global_load_d16_b16 %0, %1, off\\n s_wait_loadcnt 0" : "+v"(r) : "v"(p) : "memory");
        b[i] = (float)(r & 0xffff);
      }""")
    assert audited(half, "ab").proved
    a = np.arange(256, dtype=np.float32)
    assert not audited(half.replace("r & 0xffff", "r >> 16"), "ab").proved
    with pytest.raises(Fault):
        execute(code(half.replace("r & 0xffff", "r >> 16")), (1,), (256,), [a, a * 0, 256])
