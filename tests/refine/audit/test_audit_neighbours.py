"""For each thing that a claim of `audit` rests on, a right kernel and its wrong neighbour: one change, and it is not proved.

All have the same arguments; `b` is the block, `t` the thread of 128, `i` its element; `s` and `u` lie in LDS.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.formats.spec import loads
from layoutalg.isa.container.binary import KernelBinary, read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.refine.audit.audit import Audit, audit

TARGETS = ("gfx942", pytest.param("gfx1201", marks=pytest.mark.slow))

LAUNCH = """
symbols = { N = { min = 1, max = 1000 } }
[[descriptor]]
name = "x"
dtype = "f32"
base = { kind = "packed", lengths = ["N", 128] }
[[descriptor]]
name = "c"
dtype = "i32"
base = { kind = "packed", lengths = ["N", 128] }
[[descriptor]]
name = "o"
dtype = "f32"
base = { kind = "packed", lengths = ["N", 128] }
[launch]
grid = ["N"]
block = [128]
arguments = ["x", "c", "o", "N"]
writes = ["o"]
assume = [{ of = "c", min = 0, max = 127 }]
"""

SOURCE = """
extern "C" __global__ void __launch_bounds__(128) %s(float* x, const int* c, float* o, int n) {
  __shared__ float s[128]; __shared__ float u[256];
  const unsigned b = blockIdx.x, t = threadIdx.x, i = b * 128 + t;
  (void)s; (void)u; (void)i;
  %s
}
"""

SYNC = "__syncthreads();"


@dataclass(frozen=True)
class Neighbours:
    """What a claim rests on, a kernel where it is so, and one where it is not."""

    claim: str
    rests_on: str
    right: str
    wrong: str
    says: str = ""  # an equation, or a claim to ask for


ROWS = (
    Neighbours("in_bounds", "a load's offset", "o[i] = x[i];", "o[i] = x[i + 1];"),
    Neighbours("in_bounds", "a store's offset", "o[i] = x[i];", "o[i + 1] = x[i];"),
    Neighbours("in_bounds", "a guard", "if (t < 127) o[i] = x[i + 1];", "if (t < 128) o[i] = x[i + 1];"),
    Neighbours("in_bounds", "what is assumed of an index", "o[i] = x[b * 128 + c[i]];", "o[i] = x[b * 128 + c[i] + 1];"),
    Neighbours("in_bounds", "a loop's count", "float a = 0; for (int j = 0; j < n; ++j) a += x[j * 128 + t]; o[i] = a;",
               "float a = 0; for (int j = 0; j <= n; ++j) a += x[j * 128 + t]; o[i] = a;"),
    Neighbours("lds_in_bounds", "an offset in LDS", f"s[t] = x[i]; {SYNC} o[i] = s[t ^ 1];",
               f"s[t] = x[i]; {SYNC} u[0] = 0; o[i] = u[t + 200];"),
    Neighbours("aligned", "an address' last bits", "o[i] = *(const float*)((const char*)x + i * 4);",
               "o[i] = t == 127 ? 0 : *(const float*)((const char*)x + i * 4 + 2);"),
    Neighbours("no_overflow", "a product's range", "if (b < 8) o[i] = x[(unsigned long)i * 1u];",
               "if (i * 99999999u < 128u * n) o[i] = x[i * 99999999u];"),
    Neighbours("read_only", "which tensor is stored to", "o[i] = x[i];", "o[i] = 0; x[i] = 1;"),
    Neighbours("defined", "that a register was written", 'float v; asm volatile("v_mov_b32 %0, 1.0" : "=v"(v)); o[i] = v;',
               'float v; asm volatile("" : "=v"(v)); o[i] = v;'),
    Neighbours("race_free", "blocks that store apart", "o[i] = t;", "o[t] = b;"),
    Neighbours("race_free", "threads that store apart", "o[i] = t;", "o[b * 128 + t / 2] = t;"),
    Neighbours("race_free", "a barrier between a store and a load", f"o[i] = t; {SYNC} float v = o[i ^ 64]; {SYNC} o[i] = v;",
               f"o[i] = t; float v = o[i ^ 64]; {SYNC} o[i] = v;"),
    Neighbours("race_free", "a barrier between a load and a store", f"float v = o[i ^ 64]; {SYNC} o[i] = v;",
               "float v = o[i ^ 64]; o[i] = v;"),
    Neighbours("race_free", "iterations that store apart", "for (int j = 0; j < 4; ++j) if (t < 32) o[b * 128 + j * 32 + t] = j;",
               "for (int j = 0; j < 4; ++j) o[b * 128 + j + (t & 63)] = j;"),
    Neighbours("race_free", "an index that was loaded", "o[i] = c[i];", "o[b * 128 + c[i]] = t;"),
    Neighbours("race_free", "that nothing comes of a load", "float v = ((volatile float*)o)[i & ~64]; if (t < 64) o[i] = v;",
               "float v = o[i ^ 64]; if (t % 64 < 2) o[i] = v;"),
    Neighbours("race_free", "a barrier between two waves in LDS", f"s[t] = x[i]; {SYNC} o[i] = s[t ^ 64];", "s[t] = x[i]; o[i] = s[t ^ 64];"),
    Neighbours("race_free", "lanes that store apart in LDS", f"s[t] = x[i]; {SYNC} o[i] = s[t];", f"s[t / 2] = x[i]; {SYNC} o[i] = s[t / 2];"),
    Neighbours("race_free", "one value of all", f"s[0] = n; {SYNC} o[i] = s[0];", f"s[0] = t; {SYNC} o[i] = s[0];"),
    Neighbours("race_free", "buffers that iterations take in turns",
               f"float a = 0; for (int j = 0; j < n; ++j) {{ u[(j & 1) * 128 + t] = x[j * 128 + t]; {SYNC} a += u[(j & 1) * 128 + (t ^ 64)]; }} o[i] = a;",
               f"float a = 0; for (int j = 0; j < n; ++j) {{ u[t] = x[j * 128 + t]; {SYNC} a += u[t ^ 64]; }} o[i] = a;"),
    Neighbours("race_free", "a barrier in the inner loop",
               f"for (int j = 0; j < n; ++j) for (int k = 0; k < n; ++k) {{ {SYNC} u[t] = k; {SYNC} o[i] = u[t ^ 64]; }}",
               f"for (int j = 0; j < n; ++j) {{ {SYNC} for (int k = 0; k < n; ++k) {{ u[t] = k; __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, \"wavefront\"); o[i] = u[t ^ 64]; }} }}"),
    Neighbours("initialised", "that somebody stored", f"s[t] = x[i]; {SYNC} o[i] = s[t ^ 1];", f"if (t < 127) s[t] = x[i]; {SYNC} o[i] = s[t ^ 1];"),
    Neighbours("initialised", "that it was stored before", f"s[t] = x[i]; {SYNC} o[i] = s[127 - t];",
               f"float v = ((volatile float*)s)[127 - t]; {SYNC} s[t] = x[i]; {SYNC} o[i] = v + s[t];"),
    Neighbours("initialised", "a condition that both have", f"if (n > 3) s[t] = x[i]; {SYNC} if (n > 3) o[i] = s[t ^ 1];",
               f"if (n > 3) s[t] = x[i]; {SYNC} if (n > 2) o[i] = s[t ^ 1];"),
    Neighbours("initialised", "whose condition it is", f"bool p = c[i] > 3; if (p) s[t] = x[i]; {SYNC} if (p) o[i] = s[t];",
               f"bool p = c[i] > 3; if (p) s[t] = x[i]; {SYNC} if (p) o[i] = s[t ^ 1];"),
    Neighbours("ends", "a count that is met", "float a = 0; for (unsigned j = 0; j < (unsigned)n; j += 2) a += x[t]; o[i] = a;",
               "float a = 0; for (unsigned j = 0; j != (unsigned)n; j += 2) a += ((volatile float*)x)[t]; o[i] = a;"),
    Neighbours("followed", "that all waves meet", f"s[t] = x[i]; {SYNC} o[i] = s[t ^ 64];",
               f"s[t] = x[i]; if (t < 64) {{ {SYNC} }} o[i] = s[t];"),
    Neighbours("followed", "a wait", 'float v; asm volatile("global_load_dword %0, %1, off\\ns_waitcnt vmcnt(0)" : "=&v"(v) : "v"(x + i)); o[i] = v;',
               'float v; asm volatile("global_load_dword %0, %1, off" : "=&v"(v) : "v"(x + i)); o[i] = v;'),
    Neighbours("bank_conflict_free", "each lane's bank", f"u[t] = x[i]; {SYNC} o[i] = u[t ^ 1];", f"u[t] = x[i]; {SYNC} o[i] = u[t % 4 * 32 + t / 4];", "bank_conflict_free"),
    Neighbours("coalesced", "lanes that are neighbours", "o[i] = x[i];", "o[i] = x[(t * n + b) % (128 * n)];", "coalesced"),
    Neighbours("computes", "the value", "o[i] = x[i] + 1;", "o[i] = x[i] + 2;", "o[r, k] = x[r, k] + 1"),
    Neighbours("computes", "the element", "o[i] = x[b * 128 + 127 - t];", "o[i] = x[b * 128 + 126 - (t & 63)];", "o[r, k] = x[r, 127 - k]"),
    Neighbours("computes", "that all is stored", "o[i] = x[i];", "if (t != 77) o[i] = x[i];", "o[r, k] = x[r, k]"),
    Neighbours("computes", "that somebody stores an element", "if (c[i] > 3) o[i] = 1; else o[i] = 1;",
               "if (c[i] > 3) o[i] = 1; if (c[i ^ 1] <= 3) o[i] = 1;", "o[r, k] = 1.0"),
    Neighbours("computes", "what was there before", "o[i] = o[i] + 1;", "o[i] = o[i] + 1; o[i] = ((volatile float*)o)[i] + 1;", "o[r, k] = o[r, k] + 1"),
    Neighbours("computes", "a condition", "o[i] = c[i] > 3 ? x[i] : 0;", "o[i] = c[i] > 4 ? x[i] : 0;", "o[r, k] = where(c[r, k] > 3, x[r, k], 0.0)"),
    Neighbours("computes", "which store LDS hands on", f"s[t] = x[i]; {SYNC} o[i] = s[t ^ 64];", f"s[t] = x[i]; {SYNC} o[i] = s[t ^ 32];", "o[r, k] = x[r, (k + 64) % 128]"),
    Neighbours("computes", "the last store to LDS", f"s[t] = x[i]; {SYNC} float v = s[t ^ 64]; {SYNC} s[t] = 0; o[i] = v;",
               f"s[t] = x[i]; {SYNC} s[t] = 0; {SYNC} o[i] = s[t ^ 64];", "o[r, k] = x[r, (k + 64) % 128]"),
    Neighbours("computes", "the terms of a sum", "float a = 0; for (int j = 0; j < n; ++j) a += x[j * 128 + t]; o[i] = a;",
               "float a = 0; for (int j = 1; j < n; ++j) a += x[j * 128 + t]; o[i] = a;", "o[r, k] = sum[j < N] x[j, k]"),
    Neighbours("computes", "each term once", "float a = 0; for (int j = 0; j < n; ++j) a += x[j * 128 + t]; o[i] = a;",
               "float a = x[t]; for (int j = 0; j < n; ++j) a += x[j * 128 + t]; o[i] = a;", "o[r, k] = sum[j < N] x[j, k]"),
    Neighbours("computes", "which end", "float a = x[b * 128]; for (int j = 0; j < 128; ++j) a = __builtin_fmaxf(a, x[b * 128 + j]); o[i] = a;",
               "float a = x[b * 128]; for (int j = 0; j < 128; ++j) a = __builtin_fminf(a, x[b * 128 + j]); o[i] = a;", "o[r, k] = max[j < 128] x[r, j]"),
    Neighbours("computes", "lanes that a shuffle adds",
               "float a = x[i]; for (int m = 1; m < 64; m *= 2) a += __shfl_xor(a, m); o[i] = a;",
               "float a = x[i]; for (int m = 1; m < 32; m *= 2) a += __shfl_xor(a, m); o[i] = a;", "o[r, k] = sum[j < 64] x[r, k - k % 64 + j]"),
)  # fmt: skip


@functools.cache
def compiled(target: str) -> Mapping[str, KernelBinary]:
    """All kernels, in one file."""
    bodies = (SOURCE % (f"{kind}_{k}", getattr(one, kind)) for k, one in enumerate(ROWS) for kind in ("right", "wrong"))
    flags = ("-mcumode",) if target.startswith("gfx1") else ()
    return read_kernels(compile_source("#include <hip/hip_runtime.h>\n" + "".join(bodies), target, flags=flags).payload)


def audited(number: int, kind: str, target: str) -> Audit:
    says = ROWS[number].says
    key = "claims" if says.isidentifier() else "computes"
    file = loads(LAUNCH + (f'{key} = ["{says}"]\n' if says else ""))
    return audit(decode_kernel(compiled(target)[f"{kind}_{number}"]), file, 20)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("number", range(len(ROWS)), ids=[f"{one.claim}: {one.rests_on}" for one in ROWS])
def test_a_right_kernel_is_proved_and_its_wrong_neighbour_is_not(number: int, target: str) -> None:
    right, wrong = (audited(number, kind, target) for kind in ("right", "wrong"))
    claim = ROWS[number].claim
    assert all(verdict.name == "proved" for _, _, verdict in right.claims), right.failures
    assert any(verdict.name != "proved" for said, _, verdict in wrong.claims if said == claim), claim
