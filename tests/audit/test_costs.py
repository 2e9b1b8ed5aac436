"""What accesses cost waves: LDS cycles and segments, of kernels that are known to cost so much."""

from functools import cache

import numpy as np

from layoutalg.audit.audit import Audit, audit
from layoutalg.audit.claims.coalesced import NAME as COALESCED
from layoutalg.audit.costs import ALL_LANES
from layoutalg.formats.spec import loads
from layoutalg.isa.run.launch import execute
from layoutalg.isa.run.observer import Observer
from layoutalg.launch.symbolic import LDS
from layoutalg.memory.banks import TWO_ADDRESSES
from tests.audit.auditing import kernel
from tests.audit.test_audit_cases import asking

#: What a verdict may assume of lanes.
LANES = f"{COALESCED}: {ALL_LANES}"


@cache
def of(name: str, *claims: str) -> Audit:
    return asking("costs", name, f"claims = {[*claims]}").audited()


def costs(name: str, *, lds: bool = False) -> list[tuple[int, int, int]]:
    return [(one.best, one.worst, one.least) for one in of(name).facts if (one.memory == LDS) == lds]


def test_lanes_in_a_row_touch_the_fewest_segments() -> None:
    assert costs("rows") == [(2, 2, 2)] * 2  # 64 lanes of 4 bytes, segments of 128 bytes


def test_a_column_touches_a_segment_a_lane() -> None:
    assert costs("column") == [(64, 64, 2), (2, 2, 2)]  # of 128 bytes: 256 bytes would lie in two


def test_a_row_that_begins_anywhere_may_touch_one_more() -> None:
    assert costs("begins_anywhere") == [(2, 3, 2), (2, 2, 2)]


def test_a_column_of_lds_has_conflicts_that_padding_takes_away() -> None:
    assert costs("conflicts", lds=True) == [(64, 64, 2)] * 2  # each lane in one bank
    assert costs("padded", lds=True) == [(2, 2, 2)] * 2


def test_what_was_loaded_says_no_cost() -> None:
    assert "loaded" in next(one.why for one in of("gathered").facts if one.why)


def test_bytes_lie_in_dwords_wherever_they_begin() -> None:
    """Moved by one byte, lane 0's element and lane 1's conflict no more, or do."""
    assert costs("bytes_0", lds=True) == [(2, 2, 2)] * 2
    assert costs("bytes_1", lds=True) == [(4, 4, 2)] * 2
    assert costs("bytes_anywhere", lds=True) == [(2, 4, 2)] * 2


def test_an_instruction_of_two_addresses_is_priced_once_by_both() -> None:
    found = [one for one in of("two_addresses").facts if one.memory == LDS]
    assert [("2st64" in one.about or "2_b32" in one.about) for one in found] == [True] * len(found)
    assert [(one.best, one.worst, one.least) for one in found] == [(32, 32, 4)] * 2  # 8 lanes of a bank, each address
    assert all(TWO_ADDRESSES in one.doubts for one in found)


def test_where_tensors_begin_is_assumed_where_it_matters() -> None:
    found = of("rows", COALESCED)
    told = {f"coalesced: the memory of {name} begins at a multiple of 128 bytes" for name in ("x", "o")}
    assert told <= set(found.assumptions)
    assert told == {text for claim, _, verdict in found.claims if claim == COALESCED for text in verdict.assumptions}
    one = next(fact for fact in of("one_place").facts if fact.memory != LDS)
    assert (one.worst, one.least, one.doubts) == (1, 1, ())  # a dword lies in one segment wherever it begins
    assert not [text for text in of("rows").assumptions if text.startswith("coalesced")]  # it is not claimed


def test_a_tensor_whose_first_element_is_not_at_a_segment_is_not_coalesced() -> None:
    packed = 'base = { kind = "packed", lengths = ["N", 64] }'
    shifted = 'base = { kind = "naive_with_offset", lengths = ["N", 64], strides = [64, 1], offset = 4 }'
    asked = asking("costs", "rows", f'claims = ["{COALESCED}"]')
    found = audit(asked.code, loads(asked.launch.replace(packed, shifted)))
    assert [verdict.name for said, _, verdict in found.claims if said == COALESCED] == ["proved", "refuted"]
    assert [(one.best, one.worst, one.least) for one in found.facts] == [(2, 2, 2), (3, 3, 2)]


def test_where_some_lanes_take_part_the_bytes_are_theirs() -> None:
    """A tail of lanes in order fills segments from the first on; one of scattered lanes may touch both of two."""
    for name, outcome in (("tail", "proved"), ("mixed_tail", "unknown")):
        found = of(name, COALESCED)
        store = next(v for said, about, v in found.claims if said == COALESCED and "stores" in about)
        assert store.name == outcome
        assert LANES not in store.assumptions
    assert "of its lanes take part" in store.reason


def test_what_was_loaded_says_for_all_lanes_or_none_whether_they_take_part() -> None:
    found = of("where_loaded", COALESCED)
    store = next(v for said, about, v in found.claims if said == COALESCED and "stores" in about)
    assert store.name == "proved"
    assert LANES in store.assumptions
    assert LANES in found.assumptions


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
    code = kernel(BUFFERS)
    found = audit(code, loads(launch))
    assert [verdict.name for said, _, verdict in found.claims if said == COALESCED] == ["proved", "proved"]
    assert [(one.best, one.worst, one.least) for one in found.facts] == [(8, 8, 8)] * 2  # 1024 bytes
    watch = Observer()
    execute(code, (1,), (64,), [np.ones(250, np.float32), np.zeros(250, np.float32), np.int32(250)], observer=watch)
    assert [(one.accesses, one.bytes, one.segments, one.least) for one in watch.traffic.values()] == [
        (1, 1000, 16, 16)
    ] * 2
