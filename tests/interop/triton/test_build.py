"""What Triton writes beside a kernel's code."""

import json

import pytest

from layoutalg.errors import LayoutError
from layoutalg.interop.triton.build import read_build

METADATA = {"name": "softmax", "target": {"backend": "hip", "arch": "gfx942", "warp_size": 64}, "num_warps": 4,
            "shared": 16, "num_stages": 2}  # fmt: skip
TTIR = """#loc = loc("kernels.py":38:1)
module {
  tt.func private @other(%y: f32) -> f32 {
  }
  tt.func public @softmax(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("x"(#loc)), %o: !tt.ptr<bf16, 1> loc("o"(#loc)), %q: !tt.ptr<f8E4M3FNUZ>, %ptrs: !tt.ptr<!tt.ptr<f32>>, %N: i32 {tt.divisibility = 16 : i32, tt.max_divisibility = 8 : i32} loc("N"(#loc)), %big: i64, %flag: i1, %epsilon: f32 loc("epsilon"(#loc))) attributes {noinline = false} {
    %v = arith.constant dense<0xFF800000> : tensor<512xf32> loc(#loc22)
  }
}
"""  # noqa: E501


def test_parameters_have_names_types_and_what_they_are_multiples_of() -> None:
    found = read_build(json.dumps(METADATA), TTIR)
    assert (found.name, found.threads, found.shared) == ("softmax", 256, 16)
    assert [(one.name, one.bytes, one.dtype, one.points, one.divisible) for one in found.parameters] == [
        ("x", 8, "f32", True, 16),
        ("o", 8, "bf16", True, 1),
        ("q", 8, "f8", True, 1),
        ("ptrs", 8, "", True, 1),
        ("N", 4, "i32", False, 16),
        ("big", 8, "i64", False, 1),
        ("flag", 1, "u8", False, 1),
        ("epsilon", 4, "f32", False, 1),
    ]


def test_without_the_ir_of_the_kernel_there_are_no_parameters() -> None:
    assert read_build(json.dumps(METADATA)).parameters == ()
    assert read_build(json.dumps(METADATA | {"name": "other"}), TTIR).parameters == ()
    assert read_build(json.dumps(METADATA | {"warp_size": 32})).threads == 128


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "7", json.dumps(METADATA | {"num_warps": "4"}), json.dumps(METADATA | {"shared": -1}),
     json.dumps({**METADATA, "target": None}), "[" * 100_000],
)  # fmt: skip
def test_what_is_no_metadata_is_refused(text: str) -> None:
    with pytest.raises(LayoutError, match="no metadata of a kernel of Triton"):
        read_build(text, TTIR)
