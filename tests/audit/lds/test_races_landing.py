"""Loads straight to LDS, audited: proved where all is waited for behind a barrier, and no wrong one is."""

import functools

import pytest

from layoutalg.audit.audit import audit
from layoutalg.device.compile import compile_source
from layoutalg.formats.spec import loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.prove import Proved
from tests.isa.run.test_landing import kernels

LAUNCH = """
[symbols]
B = {{ min = 1, max = 65535 }}
n = {{ min = 1, max = 9 }}
[[descriptor]]
name = "x"
dtype = "{2}"
base = {{ kind = "packed", lengths = {3} }}
[[descriptor]]
name = "o"
dtype = "{2}"
base = {{ kind = "packed", lengths = {4} }}
[launch]
kernel = "{0}"
grid = ["B"]
block = [{1}]
arguments = {5}
writes = ["o"]
computes = {6}
"""


def audited(code, name, block=256, dtype="i32", x='["B", 256]', o='["B", 256]', arguments='["x", "o"]', computes=""):
    text = LAUNCH.format(name, block, dtype, x, o, arguments, [computes] if computes else [])
    return audit(decode_kernel(code[name]), loads(text))


def failed(found):
    return {claim for claim, _, verdict in found.claims if not isinstance(verdict, Proved)}


def test_what_is_waited_for_behind_a_barrier_is_proved():
    found = audited(kernels("gfx942"), "reverse", computes="o[b, i] = x[b, 255 - i]")
    assert found.proved, failed(found)


@pytest.mark.parametrize(
    ("name", "claim"),
    [
        ("no_wait", "followed"),
        ("no_barrier", "race_free"),
        pytest.param("late_wait", "race_free", marks=pytest.mark.slow),
        pytest.param("one_place", "race_free", marks=pytest.mark.slow),
        pytest.param("too_far", "lds_in_bounds", marks=pytest.mark.slow),
        ("odd_start", "followed"),
    ],
)
def test_no_wrong_one_is_proved(name, claim):
    assert claim in failed(audited(kernels("gfx942"), name))


@pytest.mark.slow
def test_a_wrong_result_is_refuted():
    assert audited(kernels("gfx942"), "reverse", computes="o[b, i] = x[b, i]").name == "refuted"


#: Two tiles in turns: while one is read the other is on its way, over a barrier that does not wait for it.
TURNS = """
using lds_ptr = __attribute__((address_space(3))) void*;
using global_ptr = __attribute__((address_space(1))) void*;
#define BRING(k, to) __builtin_amdgcn_global_load_lds((global_ptr)(in + (k) * 256 + t), (lds_ptr)(to), 4, 0, 0);
#define WAIT(n) asm volatile("s_waitcnt vmcnt(" #n ")" ::: "memory");
#define MEET asm volatile("s_waitcnt lgkmcnt(0)\\ns_barrier" ::: "memory");
#define READ(found, at) asm volatile("ds_read_b32 %0, %1\\ns_waitcnt lgkmcnt(0)" : "=v"(found) : "v"(at) : "memory");
#define KERNEL(name, first, second, third) \\
extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(256, 256))) \\
void name(const unsigned* in, unsigned* out) { \\
  __attribute__((shared)) unsigned tile[512]; \\
  unsigned t = __builtin_amdgcn_workitem_id_x(), b = __builtin_amdgcn_workgroup_id_x(); \\
  unsigned wave = __builtin_amdgcn_readfirstlane(t / 64), sum = 0, found; in += b * 1024; out += b * 256; \\
  BRING(0, tile + wave * 64) BRING(1, tile + 256 + wave * 64) \\
  first MEET READ(found, 4 * (255 - t)) sum = found; \\
  MEET BRING(2, tile + wave * 64) \\
  second MEET READ(found, 4 * (511 - t)) sum += found; \\
  third MEET READ(found, 4 * (255 - t)) sum += found; \\
  out[t] = sum; \\
  if (t == 999) tile[t] = 0; }
KERNEL(turns, WAIT(1), WAIT(1), WAIT(0))
KERNEL(early, WAIT(1), WAIT(2), WAIT(0))
KERNEL(never, WAIT(1), WAIT(1), WAIT(1))
KERNEL(first_late, WAIT(2), WAIT(1), WAIT(0))
"""


@functools.cache
def turning():
    return read_kernels(compile_source(TURNS, "gfx942").payload)


def test_a_load_may_be_under_way_over_a_barrier():
    computes = "o[b, i] = x[b, 0, 255 - i] + x[b, 1, 255 - i] + x[b, 2, 255 - i]"
    found = audited(turning(), "turns", x='["B", 4, 256]', computes=computes)
    assert failed(found) <= {"computes"}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["early", "never", "first_late"])
def test_whoever_waits_for_too_few_is_not_proved(name):
    found = audited(turning(), name, x='["B", 4, 256]')
    assert failed(found) & {"race_free", "followed"}
    assert found.name == "refuted"


#: 32 rows of 16 halves come straight to LDS, and go turned round in fours of rows to registers and back.
TRANSPOSED = """
using lds_ptr = __attribute__((address_space(3))) void*;
using global_ptr = __attribute__((address_space(1))) void*;
typedef short h4 __attribute__((ext_vector_type(4)));
typedef short h8 __attribute__((ext_vector_type(8)));
using row = __attribute__((address_space(3))) h4*;
#define KERNEL(name, own, active) \\
extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(64, 64))) \\
void name(const h8* in, h4* out) { \\
  __attribute__((shared)) h8 tile[64]; \\
  unsigned t = __builtin_amdgcn_workitem_id_x(), b = __builtin_amdgcn_workgroup_id_x(); \\
  __builtin_amdgcn_global_load_lds((global_ptr)(in + b * 64 + t), (lds_ptr)tile, 16, 0, 0); \\
  asm volatile("s_waitcnt vmcnt(0)" ::: "memory"); \\
  __builtin_amdgcn_s_barrier(); \\
  for (int h = 0; h < 2; ++h) { \\
    unsigned q = 2 * (t / 16) + h, j = t % 16; \\
    if (active) out[(b * 8 + q) * 16 + j] = __builtin_amdgcn_ds_read_tr16_b64_v4i16((row)tile + 16 * q + (own)); } }
KERNEL(columns, j, true)
KERNEL(other_rows, j ^ 4, true)
KERNEL(some_lanes, j, t < 40)
"""


@functools.cache
def transposing():
    return read_kernels(compile_source(TRANSPOSED, "gfx950").payload)


def columns(name):
    shapes = {"x": '["B", 8, 4, 16]', "o": '["B", 8, 16, 4]'}
    return audited(transposing(), name, 64, "i16", **shapes, computes="o[b, q, j, e] = x[b, q, e, j]")


def test_a_transposed_read_of_what_came_straight_to_lds_is_proved():
    found = columns("columns")
    assert found.proved, failed(found)


@pytest.mark.slow
def test_a_transposed_read_of_other_rows_computes_something_else():
    found = columns("other_rows")
    assert failed(found) == {"computes"}


def test_a_transposed_read_of_some_lanes_is_not_followed():
    found = columns("some_lanes")
    assert "followed" in failed(found)
