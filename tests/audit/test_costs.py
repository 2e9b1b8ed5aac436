"""What accesses cost waves: LDS cycles and segments, of kernels that are known to cost so much."""

from collections.abc import Mapping
from functools import cache

import numpy as np
import pytest

from layoutalg.audit.audit import Audit, audit
from layoutalg.audit.costs import ALL_LANES, BANKS, COALESCED
from layoutalg.device.compile import compile_source
from layoutalg.formats.spec import loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.isa.run.observer import Observer
from layoutalg.memory.banks import TWO_ADDRESSES

LAUNCH = """
symbols = {{ N = {{ min = 1, max = 64 }} }}
[[descriptor]]
name = "x"
dtype = "i32"
base = {{ kind = "naive", lengths = ["N", 64, 64], strides = [4096, 64, 1] }}
[[descriptor]]
name = "o"
dtype = "i32"
base = {{ kind = "naive", lengths = ["N", 64], strides = [64, 1] }}
[launch]
grid = ["N"]
block = [64]
arguments = ["x", "o"]
writes = ["o"]
claims = {}
"""
KERNEL = """
extern "C" __global__ void {}(const int* x, int* o) {{
    __shared__ int s[64 * 34];
    int t = threadIdx.x, b = blockIdx.x;
    {}
}}
"""
#: Lanes in pairs; where the pairs begin in a dword says whether lane 0's neighbour lies in the next one.
BYTES = "int a = {0} + 264 * (t >> 1) + (t & 1 ? 132 : t ? 3 : 0); c[a] = t; __syncthreads(); o[b * 64 + t] = c[a];"
KERNELS = {
    "rows": "o[b * 64 + t] = x[b * 4096 + t];",
    "column": "o[b * 64 + t] = x[b * 4096 + t * 64];",
    "begins_anywhere": "o[b * 64 + t] = x[b * 3 + t];",
    "conflicts": "s[t * 32] = x[b * 4096 + t]; __syncthreads(); o[b * 64 + t] = s[(63 - t) * 32];",
    "padded": "s[t * 33] = x[b * 4096 + t]; __syncthreads(); o[b * 64 + t] = s[(63 - t) * 33];",
    "gathered": "o[b * 64 + t] = x[x[b * 4096 + t] & 63];",
    "bytes_0": f"auto* c = (unsigned char*)s; {BYTES.format(0)}",
    "bytes_1": f"auto* c = (unsigned char*)s; {BYTES.format(1)}",
    "bytes_anywhere": f"auto* c = (unsigned char*)s; {BYTES.format('(b & 1)')}",
    "two_addresses": "auto* p = s + t * 8; p[0] = x[b * 4096 + t]; p[64 * 8] = t; __syncthreads(); "
    "o[b * 64 + t] = s[(63 - t) * 8] + s[(63 - t) * 8 + 512];",
    "one_place": "o[b * 64 + t] = x[b * 4096 + (t >> 6)];",
    "tail": "if (t < b) o[b * 64 + t] = x[b * 4096 + t];",
    "mixed_tail": "if (t < b) o[b * 64 + (t * 17 & 63)] = x[b * 4096 + t];",
    "where_loaded": "if (x[b * 4096 + t * 64]) o[b * 64 + t] = 1;",
}


@cache
def kernels() -> Mapping[str, MachineCode]:
    text = "".join(KERNEL.format(*one) for one in KERNELS.items())
    found = read_kernels(compile_source("#include <hip/hip_runtime.h>" + text, "gfx942").payload)
    return {name: decode_kernel(found[name]) for name in KERNELS}


@cache
def audited(name: str, claims: str = "[]") -> Audit:
    return audit(kernels()[name], loads(LAUNCH.format(claims)))


def costs(name: str, claim: str) -> list[tuple[int, int, int]]:
    return [(one.best, one.worst, one.least) for one in audited(name).facts if one.claim == claim]


def test_lanes_in_a_row_touch_the_fewest_segments() -> None:
    assert costs("rows", COALESCED) == [(2, 2, 2)] * 2  # 64 lanes of 4 bytes, segments of 128 bytes


def test_a_column_touches_a_segment_a_lane() -> None:
    assert costs("column", COALESCED)[0] == (64, 64, 2)  # of 128 bytes: 256 bytes would lie in two


def test_a_row_that_begins_anywhere_may_touch_one_more() -> None:
    assert costs("begins_anywhere", COALESCED)[0] == (2, 3, 2)


def test_a_column_of_lds_has_conflicts_that_padding_takes_away() -> None:
    assert costs("conflicts", BANKS) == [(64, 64, 2)] * 2  # each lane in one bank
    assert costs("padded", BANKS) == [(2, 2, 2)] * 2


def test_what_was_loaded_says_no_cost() -> None:
    assert "loaded" in next(one.why for one in audited("gathered").facts if one.why)


@pytest.mark.parametrize(("name", "claim", "outcome"), [
    ("padded", BANKS, {"proved"}), ("conflicts", BANKS, {"refuted"}), ("rows", COALESCED, {"proved"}),
    ("column", COALESCED, {"refuted", "proved"}), ("begins_anywhere", COALESCED, {"unknown", "proved"}),
    ("gathered", COALESCED, {"unknown", "proved"}),
])  # fmt: skip
def test_claims_of_a_launch_are_decided(name: str, claim: str, outcome: set[str]) -> None:
    found = audited(name, f'["{claim}"]')
    assert {verdict.name for said, _, verdict in found.claims if said == claim} == outcome
    assert not [said for said, _, _ in audited(name).claims if said == claim]


def test_bytes_lie_in_dwords_wherever_they_begin() -> None:
    """Moved by one byte, lane 0's element and lane 1's conflict no more, or do."""
    assert costs("bytes_0", BANKS) == [(2, 2, 2)] * 2
    assert costs("bytes_1", BANKS) == [(4, 4, 2)] * 2
    assert costs("bytes_anywhere", BANKS) == [(2, 4, 2)] * 2
    for name, outcome in (("bytes_0", "proved"), ("bytes_1", "refuted"), ("bytes_anywhere", "unknown")):
        found = audited(name, f'["{BANKS}"]')
        assert {verdict.name for said, _, verdict in found.claims if said == BANKS} == {outcome}


def test_an_instruction_of_two_addresses_is_priced_once_by_both() -> None:
    found = [one for one in audited("two_addresses").facts if one.claim == BANKS]
    assert [("2st64" in one.about or "2_b32" in one.about) for one in found] == [True] * len(found)
    assert [(one.best, one.worst, one.least) for one in found] == [(32, 32, 4)] * 2  # 8 lanes of a bank, each address
    assert all(TWO_ADDRESSES in one.doubts for one in found)


def test_where_tensors_begin_is_assumed_where_it_matters() -> None:
    found = audited("rows", f'["{COALESCED}"]')
    told = {f"coalesced: the memory of {name} begins at a multiple of 128 bytes" for name in ("x", "o")}
    assert told <= set(found.assumptions)
    assert told == {text for claim, _, verdict in found.claims if claim == COALESCED for text in verdict.assumptions}
    one = next(fact for fact in audited("one_place").facts if fact.claim == COALESCED)
    assert (one.worst, one.least, one.doubts) == (1, 1, ())  # a dword lies in one segment wherever it begins
    assert not [text for text in audited("rows").assumptions if text.startswith("coalesced")]  # it is not claimed


def test_a_tensor_whose_first_element_is_not_at_a_segment_is_not_coalesced() -> None:
    shifted = LAUNCH.format(f'["{COALESCED}"]').replace(
        'base = { kind = "naive", lengths = ["N", 64], strides = [64, 1] }',
        'base = { kind = "naive_with_offset", lengths = ["N", 64], strides = [64, 1], offset = 4 }',
    )
    found = audit(kernels()["rows"], loads(shifted))
    assert [verdict.name for said, _, verdict in found.claims if said == COALESCED] == ["proved", "refuted"]
    assert [(one.best, one.worst, one.least) for one in found.facts] == [(2, 2, 2), (3, 3, 2)]


def test_where_some_lanes_take_part_the_bytes_are_theirs() -> None:
    """A tail of lanes in order fills segments from the first on; one of scattered lanes may touch both of two."""
    for name, outcome in (("tail", "proved"), ("mixed_tail", "unknown")):
        found = audited(name, f'["{COALESCED}"]')
        store = next(v for said, about, v in found.claims if said == COALESCED and "stores" in about)
        assert store.name == outcome
        assert ALL_LANES not in store.assumptions
    assert "of its lanes take part" in store.reason


def test_what_was_loaded_says_for_all_lanes_or_none_whether_they_take_part() -> None:
    found = audited("where_loaded", f'["{COALESCED}"]')
    store = next(v for said, about, v in found.claims if said == COALESCED and "stores" in about)
    assert store.name == "proved"
    assert ALL_LANES in store.assumptions
    assert ALL_LANES in found.assumptions


BUFFERS = """#include <hip/hip_runtime.h>
typedef int i4 __attribute__((ext_vector_type(4)));
extern "C" __global__ __launch_bounds__(64) void k(const float* x, float* o, int n) {
  __amdgpu_buffer_rsrc_t from = __builtin_amdgcn_make_buffer_rsrc((void*)x, 0, n * 4, 0x00020000);
  __amdgpu_buffer_rsrc_t to = __builtin_amdgcn_make_buffer_rsrc((void*)o, 0, n * 4, 0x00020000);
  int at = (blockIdx.x * 64 + threadIdx.x) * 16;
  __builtin_amdgcn_raw_buffer_store_b128(__builtin_amdgcn_raw_buffer_load_b128(from, at, 0, 0), to, at, 0, 0);
}
"""


def test_a_buffer_whose_range_ends_within_an_access_is_priced_by_what_is_moved() -> None:
    tensors = "".join(f'[[descriptor]]\nname = "{name}"\ndtype = "f32"\nbase = {{ kind = "packed", lengths = ["N"] }}\n'
                      for name in "xo")  # fmt: skip
    launch = f"""symbols = {{ N = {{ min = 1, max = 1000000 }} }}
{tensors}[launch]
grid = ["(N + 255) // 256"]
block = [64]
arguments = ["x", "o", "N"]
writes = ["o"]
claims = ["coalesced"]
"""
    code = decode_kernel(read_kernels(compile_source(BUFFERS, "gfx942").payload)["k"])
    found = audit(code, loads(launch))
    assert [verdict.name for said, _, verdict in found.claims if said == COALESCED] == ["proved", "proved"]
    assert [(one.best, one.worst, one.least) for one in found.facts] == [(8, 8, 8)] * 2  # 1024 bytes
    watch = Observer()
    execute(code, (1,), (64,), [np.ones(250, np.float32), np.zeros(250, np.float32), np.int32(250)], observer=watch)
    assert [(one.accesses, one.bytes, one.segments, one.least) for one in watch.traffic.values()] == [
        (1, 1000, 16, 16)
    ] * 2
