"""CK's own templates, by the compiler: the guide's spelling is what the reader reads, and every merge is known."""

import pytest

from layoutalg.cpp import loads
from layoutalg.device.constants import constants
from layoutalg.formats.ck_structure import layout
from layoutalg.formats.cpp import CppError, CppUnit
from tests.composable_kernel import composable_kernel
from tests.cpp.test_records_objects import GUIDE

HEADERS = tuple(
    f"ck/tensor_operation/gpu/{name}.hpp"
    for name in ("device/gemm_specialization", "device/matrix_padder", "device/device_base")
)
NO_CARRY = ("ck/host_utility/device_prop.hpp", "ck/tensor_operation/gpu/grid/gridwise_gemm_xdlops_bwd_weight.hpp")
PRELUDE = GUIDE.replace("Tuple<int, int>>{Tuple<int, int>{4", "Tuple<int, int>, false>{Tuple<int, int>{4").replace(
    "auto", "constexpr auto"
)
MERGED = """transform_tensor_descriptor(split, make_tuple(PassThrough<int>{{4}}, {merge}),
    make_tuple(Sequence<0>{{}}, Sequence<1, 2>{{}}), make_tuple(Sequence<0>{{}}, Sequence<1>{{}}))"""
FLAGGED = """transform_tensor_descriptor(make_naive_tensor_descriptor_packed(make_tuple(8)),
    make_tuple(make_unmerge_transform(make_tuple(2, 4), integral_constant<bool, true>{})),
    make_tuple(Sequence<0>{}), make_tuple(Sequence<0, 1>{}))"""


@pytest.mark.slow
def test_the_compiler_and_the_reader_agree_on_the_guide() -> None:
    unit = CppUnit("gfx942", ("ck/ck.hpp", *HEADERS, *NO_CARRY), (composable_kernel() / "include",), PRELUDE)
    merges = {
        "v2r2": "Merge_v2r2_magic_division<Tuple<int, int>>{Tuple<int, int>{64, K}}",
        "v4": "make_merge_transform_v4_no_carry(make_tuple(64, K))",
    }
    asked = {"split": "split", "written_out": "written_out", "merged": "merged", "flagged": FLAGGED}
    found = constants(unit, asked | {name: MERGED.format(merge=merge) for name, merge in merges.items()})
    read = loads(GUIDE, "guide.hpp")
    for name in ("split", "written_out", "merged"):
        assert layout(found[name]) == read.descriptor(name).descriptor
    names = [layout(found[name]).adaptor.transforms[-1].name for name in merges]
    assert names == ["merge_v2r2_magic_division", "merge_v4_no_carry"]
    assert isinstance(found["flagged"], CppError)
    assert "no transform with SkipIsValidCheck or Use24BitIntegerCalculation" in found["flagged"].reason
