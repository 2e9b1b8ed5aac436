"""Loads that transpose elements of 4 and 6 bits: what comes out is proved bit for bit, and no wrong claim of it is."""

import pytest

from layoutalg.audit.audit import audit
from layoutalg.formats.spec import loads
from tests.audit.auditing import kernels
from tests.matrix import turns

#: Each lane puts a row of 16 elements into LDS, 16 lanes read them turned round, and each element is stored as a word.
SOURCE = """
typedef int i2 __attribute__((ext_vector_type(2)));
typedef int i3 __attribute__((ext_vector_type(3)));
typedef int i4 __attribute__((ext_vector_type(4)));
#define KERNEL(name, row, type, load, bits) \\
extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(64, 64))) \\
void name(const row* in, unsigned* out) { \\
  __attribute__((shared)) row tile[64]; \\
  unsigned t = __builtin_amdgcn_workitem_id_x(), b = __builtin_amdgcn_workgroup_id_x(); \\
  tile[t] = in[b * 64 + t]; \\
  __builtin_amdgcn_s_waitcnt(0); __builtin_amdgcn_s_barrier(); \\
  type got = load((__attribute__((address_space(3))) type*)(tile + t)); \\
  _Pragma("unroll") for (unsigned e = 0; e < 16; ++e) { \\
    unsigned first = bits * e / 32, shift = bits * e % 32; \\
    unsigned long long two = (unsigned)got[first]; \\
    if (shift + bits > 32) two |= (unsigned long long)(unsigned)got[first + 1] << 32; \\
    out[(b * 64 + t) * 16 + e] = (unsigned)(two >> shift) & ((1 << bits) - 1); } }
KERNEL(fours, i2, i2, __builtin_amdgcn_ds_read_tr4_b64_v2i32, 4)
KERNEL(sixes, i4, i3, __builtin_amdgcn_ds_read_tr6_b96_v3i32, 6)
"""
LAUNCH = """
symbols = {{ B = {{ min = 1, max = 65535 }} }}
[[descriptor]]
name = "x"
dtype = "u32"
base = {{ kind = "packed", lengths = ["B", 4, 16, {words}] }}
[[descriptor]]
name = "o"
dtype = "u32"
base = {{ kind = "packed", lengths = ["B", 4, 16, 16] }}
[launch]
kernel = "{kernel}"
grid = ["B"]
block = [64]
arguments = ["x", "o"]
writes = ["o"]
computes = ["o[b, g, j, e] = ({element}) & {ones}"]
"""


def column(bits: int, wrong: int | None = None) -> str:
    """Element j of row e, from the row's words; of one j, where asked, the bits beside it."""
    found = "x[b, g, e, 0]"
    for j in range(15, -1, -1):
        word, shift = divmod(bits * j, 32)
        shift += j == wrong
        one = f"x[b, g, e, {word}] >> {shift}"
        if shift + bits > 32:
            one = f"({one}) + (x[b, g, e, {word + 1}] << {32 - shift})"
        found = f"where(j == {j}, {one}, {found})"
    return found


def audited(kernel: str, bits: int, words: int, element: str):
    text = LAUNCH.format(kernel=kernel, words=words, element=element, ones=(1 << bits) - 1)
    return audit(kernels(SOURCE, "gfx950")[kernel], loads(text), seconds=600)


@pytest.mark.parametrize(("kernel", "bits", "words"), turns([("fours", 4, 2), ("sixes", 6, 4)]))
def test_a_lane_gets_a_column_of_the_rows_that_sixteen_lanes_name(kernel, bits, words):
    assert any(f"_TR_B{bits}" in i.name for i in kernels(SOURCE, "gfx950")[kernel].instructions)
    assert audited(kernel, bits, words, column(bits)).proved


@pytest.mark.parametrize(("kernel", "bits", "words"), [("fours", 4, 2), ("sixes", 6, 4)])
def test_rows_that_other_lanes_name_are_written_and_in_bounds(kernel, bits, words):
    text = LAUNCH.format(kernel=kernel, words=words, element="", ones="").split("computes")[0]
    assert audit(kernels(SOURCE, "gfx950")[kernel], loads(text)).proved


@pytest.mark.parametrize(("kernel", "bits", "words", "wrong"), [
    pytest.param("fours", 4, 2, 3, marks=pytest.mark.slow), ("sixes", 6, 4, 5),
    pytest.param("sixes", 6, 4, 9, marks=pytest.mark.slow),
])  # fmt: skip
def test_the_bits_beside_an_element_are_refuted(kernel, bits, words, wrong):
    assert audited(kernel, bits, words, column(bits, wrong)).name == "refuted"


def test_rows_in_the_place_of_columns_are_refuted():
    assert audited("fours", 4, 2, "x[b, g, j, e // 8]").name == "refuted"
